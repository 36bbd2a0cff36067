"""`ordertray run` as a process: killed in mid-game it loses nothing; stopped, it is gone within a second, lamps off."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commands.cli_helpers import COMMAND, environment, ordertray
from ordertray.army.quick import quick_army
from ordertray.games.store import resume
from ordertray.journal import JournalReader
from ordertray.sim.tray import VirtualTray
from ordertray.table import Table
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import TokenRegistry
from ordertray.tokens.store import TokenStore
from ordertray.tokens.virtual import virtual_tokens
from patience import patience, wait_until

Touch = Callable[[VirtualTray], None]
Condition = Callable[[Table], bool]

DISCS = {seat: virtual_tokens(quick_army(10, 4), seat) for seat in "AB"}


def disc(seat: str, number: int) -> str:
    """A Regular disc of group 1."""
    return next(t.uid for t in DISCS[seat] if t.kind is TokenKind.REGULAR and (t.group, t.number) == (1, number))


@contextmanager
def service(home: Path, tray: VirtualTray, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The running service on a virtual tray that outlives it."""
    log = (home / "log.txt").open("a")
    process = subprocess.Popen(
        [*COMMAND, "run", "--port", tray.url, *arguments], stderr=log, stdout=log, text=True, env=environment(home)
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(patience(10))
        log.close()


def bright(tray: VirtualTray) -> int:
    """How many orders of A's group 1 are left, as the strip shows them: spent ones are dim beside them."""
    levels = [sum(pixel) for pixel in tray.pixels("A")[:10]]
    return sum(1 for level in levels if level * 2 > max(levels) > 0)


def test_a_killed_service_goes_on_exactly_where_it_was(tmp_path: Path) -> None:
    with VirtualTray() as tray:
        with service(tmp_path, tray, "--quick", "10", "4"):
            tray.wait_for(lambda: tray.colours("A")[15] == "g", 20, "the link lamp")
            tray.hold("A", "ok")
            tray.wait_for(lambda: bright(tray) == 10, 10, "ten orders")
            tray.place("A", disc("A", 1))
            tray.wait_for(lambda: bright(tray) == 9, 10, "nine orders")
            tray.remove("A")
            # `kill -9` at the end of this block
        with service(tmp_path, tray):
            tray.wait_for(lambda: tray.colours("A")[15] == "g" and bright(tray) == 9, 20, "nine orders again")
            tray.tap("A", disc("A", 2))
            tray.wait_for(lambda: bright(tray) == 8, 10, "eight orders")
    said = ordertray(tmp_path, "record", "show", "--script")
    assert said.count("A spend regular g1") == 2
    assert "unfinished" in ordertray(tmp_path, "record", "list")


def uid(seat: str, kind: TokenKind, trooper: str | None = None) -> str:
    """A disc or tag by what it stands for."""
    return next(t.uid for t in DISCS[seat] if t.kind is kind and t.trooper == trooper)


def recorded(home: Path) -> Table:
    """The table as the record would give it to the next start."""
    with JournalReader.open(home / "record.sqlite3") as reader:
        row = reader.open_game()
        assert row is not None
        return resume(reader, row)


def waits(what: str) -> Callable[[Table], bool]:
    """Whether a touch of that kind is pending."""
    return lambda table: any(pending.what == what for pending in table.pending)


#: What is touched; what the record must hold then; what is touched after `kill -9`; what that must have come to.
OUTLIVED: dict[str, tuple[Touch, Condition, Touch, str]] = {
    "a State disc": (
        lambda tray: tray.tap("A", uid("A", TokenKind.STATE)),
        waits("state"),
        lambda tray: tray.tap("A", uid("A", TokenKind.TROOPER, "r1-5")),
        "A state r1-5 unconscious",
    ),
    "a spent disc tapped again": (
        lambda tray: tray.tap("A", disc("A", 1)),
        waits("spent"),
        lambda tray: tray.tap("A", disc("A", 1)),
        "A resolve\nA done\nA spend regular g1",
    ),
    "consent asked for": (
        lambda tray: tray.hold("B", "pass"),
        lambda table: table.consent is not None,
        lambda tray: tray.click("A", "ok"),
        "A end\nundo",
    ),
}


@pytest.mark.parametrize("what", OUTLIVED)
def test_a_touch_that_waits_for_another_outlives_kill_9(tmp_path: Path, what: str) -> None:
    first, ready, second, meant = OUTLIVED[what]
    with VirtualTray() as tray:
        with service(tmp_path, tray, "--quick", "10", "4"):
            tray.wait_for(lambda: tray.colours("A")[15] == "g", 20, "the link lamp")
            tray.hold("A", "ok")
            tray.wait_for(lambda: bright(tray) == 10, 10, "ten orders")
            tray.tap("A", disc("A", 1))
            tray.wait_for(lambda: bright(tray) == 9, 10, "nine orders")
            tray.click("A", "pass")  # no second skill
            wait_until(lambda: recorded(tmp_path).game.position == 8, "the window to be closed", 10)
        began = 0.0
        log = tmp_path / "log.txt"
        # It waits for ten seconds: a start that took longer shows nothing, and is tried again.
        for start in range(2, 10):
            with service(tmp_path, tray):
                # The lamps are no sign: what they showed before the kill they show for a while.
                wait_until(lambda: log.read_text().count("lying on its pads: ") == start, "the tray", 20)  # noqa: B023
                if "'A': None" not in log.read_text().split("lying on its pads: ")[-1].splitlines()[0]:
                    continue  # so quick that the first disc is not lifted yet
                if began and time.monotonic() - began < 8:
                    second(tray)
                    wait_until(lambda: meant in ordertray(tmp_path, "record", "show", "--script"), meant, 10)
                    return
                if began:  # it may still wait: only when it is over is the same touch a new one
                    wait_until(lambda: time.monotonic() - began > 11, "what waited to be over", 20)  # noqa: B023
                began = time.monotonic()
                first(tray)
                wait_until(lambda: ready(recorded(tmp_path)), what, 10)
    pytest.fail("no restart within eight seconds")


def test_sigterm_ends_it_within_a_second_with_lamps_off(tmp_path: Path) -> None:
    with VirtualTray() as tray, service(tmp_path, tray, "--quick", "10", "4") as process:
        tray.wait_for(lambda: tray.colours("A")[15] == "g", 20, "the link lamp")
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(patience(5)) == 0
        took = time.monotonic() - began
        tray.wait_for(lambda: set(tray.colours("A")) <= {"."}, 2, "a dark strip")
        assert took < patience(1)


def test_two_services_on_one_record_are_refused_with_who_holds_it(tmp_path: Path) -> None:
    with VirtualTray() as tray, service(tmp_path, tray, "--quick", "10", "4") as process:
        tray.wait_for(lambda: tray.colours("A")[15] == "g", 20, "the link lamp")
        said = ordertray(tmp_path, "run", "--no-tray", status=75)
        assert str(process.pid) in said


def test_systemd_is_told_when_it_is_ready_alive_and_stopping(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(patience(20))
        told = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "200000"}
        with subprocess.Popen([*COMMAND, "run", "--no-tray"], env=environment(tmp_path) | told) as process:
            heard = [manager.recv(100).decode() for _ in range(3)]
            process.send_signal(signal.SIGTERM)
            while heard[-1] != "STOPPING=1":
                heard.append(manager.recv(100).decode())
    assert process.returncode == 0
    assert "READY=1" in heard and heard.count("WATCHDOG=1") >= 2


def test_enrolled_discs_and_the_rosters_own_tags_are_what_is_played_with(tmp_path: Path) -> None:
    roster = tmp_path / "tagged.toml"
    roster.write_text(
        'points = 100\n[[trooper]]\nid = "chief"\nlieutenant = true\ncost = 50\ntag = "04AAAAAAAAAAAA"\n'
        '[[trooper]]\nid = "other"\ncost = 50\n'
    )
    discs = TokenRegistry([Token("04BBBBBBBBBBBB", Role(TokenKind.REGULAR, 1, 1), "Ana")], "Ana")
    TokenStore(tmp_path / "tokens").save(discs)
    asked = ("--a", str(roster), "--quick", "10", "4", "--owner-a", "Ana")
    with VirtualTray() as tray, service(tmp_path, tray, *asked):
        tray.wait_for(lambda: tray.colours("A")[15] == "g", 20, "the link lamp")
        tray.hold("A", "ok")
        tray.wait_for(lambda: bright(tray) == 2, 10, "two orders")
        tray.place("A", "04BBBBBBBBBBBB")
        tray.wait_for(lambda: bright(tray) == 1, 10, "one order")
        tray.remove("A")
        tray.wait_for(lambda: tray.colours("B")[28:30] != "..", 10, "an ARO window")
        tray.place("A", "04AAAAAAAAAAAA")
        wait_until(lambda: "A trooper chief" in ordertray(tmp_path, "record", "show", "--script"))
