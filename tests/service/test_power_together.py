"""Several at once: services that want the same tray, and readers of the record while its game is played."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

from commands.cli_helpers import ordertray
from commands.test_run_command import bright, disc, service
from ordertray.journal import JournalReader
from soak.wire_tap import HeardTray


def tray_status(home: Path) -> dict[str, object]:
    """The status of the service's only tray."""
    tray: dict[str, object] = json.loads(ordertray(home, "status", "--json"))["trays"][0]
    return tray


def test_a_second_service_on_a_tray_is_told_who_holds_it_and_has_it_when_that_one_ends(tmp_path: Path) -> None:
    first_home, second_home = tmp_path / "first", tmp_path / "second"
    first_home.mkdir()
    second_home.mkdir()
    with HeardTray() as tray, service(first_home, tray, "--no-web", "--quick", "10", "4") as first:
        tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
        with service(second_home, tray, "--no-web", "--quick", "10", "4"):
            log = second_home / "log.txt"
            tray.wait_for(lambda: "held by" in log.read_text(), 60, "the second service to be refused")
            refused = tray_status(second_home)
            assert f"(process {first.pid}); stop that first" in str(refused["error"]), refused["error"]
            assert refused["state"] != "online"
            tray.hold("A", "ok")
            tray.wait_for(lambda: bright(tray) == 10, 60, "the first service to play on")
            assert len(tray.wire.sessions) == 1
            first.kill()
            tray.wait_for(lambda: len(tray.wire.sessions) == 2, 60, "the second service to have the tray")
            tray.wait_for(lambda: tray.colours("A")[15] == "g" and bright(tray) != 10, 60, "its own game")


def test_many_readers_while_a_game_is_played(tmp_path: Path) -> None:
    """`record show`, `export`, `backup` and bare readers, all the while taps come in: each sees whole steps."""
    record = tmp_path / "record.sqlite3"
    stop, faults = threading.Event(), []
    seen: dict[str, int] = {}

    def reading(name: str) -> None:
        try:
            number = 0
            while not stop.is_set() or not number:
                number += 1
                count = entries(name, number)
                assert count >= seen.get(name, 0), f"{name} saw {count} entries after {seen[name]}"
                seen[name] = count
        except BaseException as error:
            faults.append(f"{name}: {error!r}")

    def entries(name: str, number: int) -> int:
        if name == "show":
            return ordertray(tmp_path, "record", "show", "--script").count("\nA ")
        if name == "export":
            game = json.loads(ordertray(tmp_path, "record", "export"))
            positions = [entry["position"] for entry in game["entries"]]
            assert positions == sorted(positions)
            return len(positions)
        if name == "backup":
            ordertray(tmp_path, "record", "backup", str(tmp_path / f"copy{number}.sqlite3"))
            with JournalReader.open(tmp_path / f"copy{number}.sqlite3") as reader:
                return reader.verify()
        with JournalReader.open(record) as reader:
            return reader.verify()

    with HeardTray() as tray, service(tmp_path, tray, "--no-web", "--quick", "10", "4"):
        tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
        tray.hold("A", "ok")
        tray.wait_for(lambda: bright(tray) == 10, 60, "ten orders")
        threads = [
            threading.Thread(target=reading, args=(name,)) for name in ("show", "export", "backup", "check", "again")
        ]
        for thread in threads:
            thread.start()
        for number in range(1, 8):
            tray.place("A", disc("A", number))
            tray.wait_for(lambda left=10 - number: bright(tray) == left, 60, "the next order")  # type: ignore[misc]
            tray.remove("A")
        stop.set()
        for thread in threads:
            thread.join(60)
        assert faults == []
        with JournalReader.open(record) as reader:
            total = reader.verify()
            spent = [entry for entry in reader.entries(1) if "spend" in entry.action]
        assert len(spent) == 7 and set(seen) == {"show", "export", "backup", "check", "again"}
        assert all(count <= total for count in seen.values())
    copy = sqlite3.connect(tmp_path / "copy1.sqlite3")
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    copy.close()
