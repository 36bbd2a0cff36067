"""The log of the real service: level, name and time in every line, and nothing in it that a player may not know."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from commands.cli_helpers import BLUE, COMMAND, RED, environment
from ordertray.army.roster import load_army
from ordertray.rules import Options
from ordertray.rules.counting import retreat_threshold
from ordertray.service.asking import ask
from ordertray.service.logs import JsonLines
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens
from patience import patience
from soak.wire_tap import HeardTray

HIDDEN = {"A": ("ghost", "Soot Ghost"), "B": ("diver", "Deep Diver")}


def dear_list(source: str, path: Path) -> Path:
    """The list at `source` with every trooper thirty times as dear."""
    text = re.sub(r"(?m)^cost = (\d+)", lambda cost: f"cost = {int(cost[1]) * 30 + 1}", Path(source).read_text())
    path.write_text(re.sub(r"(?m)^points = \d+", "points = 9999", text))
    return path


def test_every_line_is_structured_and_tells_no_secret(tmp_path: Path) -> None:
    """Played with two lists that hide troopers; links and PINs of the page exist; the log is read by a stranger.

    No trooper costs what another thing could be numbered by, so that a cost in the log is known for one.
    """
    lists = {"A": dear_list(RED, tmp_path / "red.toml"), "B": dear_list(BLUE, tmp_path / "blue.toml")}
    armies = {seat: load_army(path) for seat, path in lists.items()}
    tags = {
        seat: next(token.uid for token in virtual_tokens(army, seat) if token.trooper == HIDDEN[seat][0])
        for seat, army in armies.items()
    }
    regular = [t for t in virtual_tokens(armies["A"], "A") if t.kind is TokenKind.REGULAR]
    orders = [token.uid for token in regular if token.group == 1]
    log = tmp_path / "log.txt"
    with HeardTray() as tray, log.open("w") as file:
        process = subprocess.Popen(
            [*COMMAND, "run", "--a", str(lists["A"]), "--b", str(lists["B"]), "--port", tray.url, "--http-port", "0",
             "--log-format", "json"],
            stderr=file, stdout=file, env=environment(tmp_path),
        )  # fmt: skip
        try:
            tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
            laid = (("B", tags["B"]), ("A", tags["A"]), ("A", orders[0]), ("B", tags["B"]), ("A", tags["A"]))
            for number, (pad, uid) in enumerate(laid):
                if number == 2:
                    tray.hold("A", "ok")
                    # Not red: a refusal that still blinks is red too.
                    tray.wait_for(lambda: "g" in tray.colours("A")[:10], 30, "the orders")
                before = len(tray.wire.events)
                tray.place(pad, uid)
                tray.wait_for(lambda before=before: len(tray.wire.events) > before and tray.wire.quiet, 30, "a tap")  # type: ignore[misc]
                before = len(tray.wire.events)
                tray.remove(pad, uid)
                tray.wait_for(lambda before=before: len(tray.wire.events) > before and tray.wire.quiet, 30, "its end")  # type: ignore[misc]
            links = ask(tmp_path / "record.sqlite3", "links")["links"]
        finally:
            process.terminate()
            process.wait(patience(20))
            if process.poll() is None:
                process.kill()
    text = log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) > 5
    for line in lines:
        assert {"time", "level", "name", "message"} <= set(line)
        assert datetime.fromisoformat(line["time"]).utcoffset() == timedelta(0)
        assert line["level"] in ("info", "warning"), line
    assert {line["name"] for line in lines} > {"ordertray"}
    assert any(line["message"].startswith("@") for line in lines), "the game's steps are told"
    secrets = [word for words in HIDDEN.values() for word in words]
    secrets += [secret for link in links.values() for secret in (link["pin"], link["link"].split("=")[-1])]
    assert len(secrets) >= 8
    told = "\n".join(line["message"] for line in lines)
    for army in armies.values():
        secrets += [str(trooper.cost) for trooper in army.troopers]
        secrets += [str(sum(trooper.cost for trooper in army.troopers)), str(army.points)]
        secrets += [str(retreat_threshold(army, Options()))]
    shown = {secret for secret in secrets if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", told)}
    assert shown == set()


def test_an_error_is_one_line_too() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "it %s", ("failed",), sys.exc_info())
    line = JsonLines().format(record)
    assert "\n" not in line
    assert json.loads(line)["message"] == "it failed" and "ValueError: two" in json.loads(line)["error"]
