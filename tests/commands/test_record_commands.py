"""`ordertray record` on records that are damaged, cut short or full of odd names: readable, honest, no traceback."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from commands.cli_helpers import ordertray
from ordertray.army.quick import quick_army
from ordertray.games import store
from ordertray.journal import Doubt, Journal, JournalReader
from ordertray.rules import DEFAULT_EDITION, Seat, parse_action
from ordertray.table import Pace, act
from ordertray.tokens.virtual import virtual_tokens

COMMANDS = ("list", "check", "show", "show --script", "export")


def recorded(path: Path, games: int = 2, name: str = "Sword") -> None:
    """A record with games of one turn."""
    armies = {seat: quick_army(4, name=name) for seat in Seat}
    tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
    with Journal.open(path) as journal:
        for _ in range(games):
            number, table = store.begin(
                journal, armies, tokens, edition=DEFAULT_EDITION, pace=Pace.FULL, at_ms=1_790_000_000_000
            )
            for touch, line in enumerate(("A start", "A next", "A next", "A next", "A next"), 1):
                outcome = act(table, parse_action(line))
                journal.record(number, store.drafts_of(outcome, touch, {"by": "page"}), at_ms=1_790_000_000_000)
                table = outcome.table


def altered(path: Path, column: str, old: str, new: str) -> None:
    """Change something of game 1's row behind the record's back, as a failing card would."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"UPDATE games SET {column} = replace({column}, ?, ?) WHERE id = 1", (old, new))
    connection.close()


@pytest.mark.parametrize(
    ("column", "old", "new", "games"),
    [
        ("army_a", "Sword", "Swore", 2),  # a letter changed: brought over, in doubt for good
        ("seats", "{", "[", 2),  # no JSON any more: the discs are lost
        ("options", '"rounds":', '"rounds"', 1),  # no JSON any more: what was played nobody knows
    ],
)
def test_what_a_salvage_makes_opens_in_every_command_and_says_what_it_is(
    tmp_path: Path, column: str, old: str, new: str, games: int
) -> None:
    damaged, saved = tmp_path / "damaged.sqlite3", tmp_path / "saved.sqlite3"
    recorded(damaged)
    altered(damaged, column, old, new)
    said = ordertray(tmp_path, "record", "check", "--record", str(damaged), status=2)
    assert "ordertray record salvage --record" in said
    said = ordertray(tmp_path, "record", "salvage", str(saved), "--record", str(damaged), status=3)
    assert f"{games} games" in said and "game 1" in said
    for command in COMMANDS:
        ordertray(tmp_path, "record", *command.split(), "--record", str(saved), status=3 if command == "check" else 0)
    assert "in doubt: game 1" in ordertray(tmp_path, "record", "check", "--record", str(saved), status=3)
    # A second salvage does not wash it clean.
    ordertray(tmp_path, "record", "salvage", str(tmp_path / "again.sqlite3"), "--record", str(saved))
    with JournalReader.open(saved) as first, JournalReader.open(tmp_path / "again.sqlite3") as again:
        assert again.doubts() == first.doubts() != []
    if games == 2:  # nor does a way through a file
        out = tmp_path / "game.json"
        ordertray(tmp_path, "record", "export", "1", "--record", str(saved), "-o", str(out))
        ordertray(tmp_path, "record", "import", str(out), "--record", str(tmp_path / "new.sqlite3"))
        with JournalReader.open(tmp_path / "new.sqlite3") as reader:
            assert [doubt.what for doubt in reader.doubts(1)] == [doubt.what for doubt in first_doubts(saved)]


def first_doubts(path: Path) -> list[Doubt]:
    """The doubts about game 1."""
    with JournalReader.open(path) as reader:
        return list(reader.doubts(1))


@pytest.mark.parametrize("name", ["Red [/b] Army", "[bold red]", "[link=x]", "\\[", "Ñandú [[]] 🦄"])
def test_a_name_is_no_markup(tmp_path: Path, name: str) -> None:
    path = tmp_path / "record.sqlite3"
    recorded(path, name=name)
    said = ordertray(tmp_path, "record", "list", "--record", str(path))
    assert re.sub(r"\W", "", name) in re.sub(r"\W", "", said)
    assert name in said.replace("\n", "") or "…" in said or len(name) > 12


def test_a_missing_end_is_told(tmp_path: Path) -> None:
    path, copy = tmp_path / "live" / "record.sqlite3", tmp_path / "copy" / "record.sqlite3"
    recorded(path)
    with Journal.open(path) as journal:
        early = path.read_bytes()
        journal.record(2, [], at_ms=1, tap=None)
        journal.new_game(at_ms=1, edition="n5", options={}, armies={"A": "", "B": ""})
        shutil.copytree(path.parent, copy.parent)
    copy.write_bytes(early)
    copy.with_name("record.sqlite3-wal").unlink()
    assert "1 game are missing" in ordertray(tmp_path, "record", "check", "--record", str(copy), status=3)


def test_times_that_no_calendar_has(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    with Journal.open(path) as journal:
        journal.new_game(at_ms=2**62, edition="n5", options={}, armies={"A": "x = [", "B": "name = 5"})
        journal.end_game(1, {"over": "ended"}, at_ms=-(2**62))
    said = ordertray(tmp_path, "record", "list", "--record", str(path))
    assert "? / ?" in said and "over: ended" in said


def test_an_exported_game_is_private(tmp_path: Path) -> None:
    path, out = tmp_path / "record.sqlite3", tmp_path / "game.json"
    recorded(path)
    ordertray(tmp_path, "record", "export", "1", "--record", str(path), "-o", str(out))
    assert not out.stat().st_mode & 0o007
    assert "doubts" not in json.loads(out.read_text())
