"""A sample of what `make fuzz` does to records at length: told or harmless, and saved honestly. See damage.py."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from pathlib import Path

import pytest

from journal import damage
from journal.journal_files import AT_MS, filled, new_game, step, tap
from ordertray.journal import Journal, JournalReader, backup
from ordertray.journal.salvage import salvage
from ordertray.journal.schema import GAME

#: How many damaged records the ordinary run tries; ORDERTRAY_FUZZ=1 tries each page, frame and truncation.
SAMPLE = 60


def test_no_damage_is_silent_and_no_salvage_dishonest(tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    files, early = damage.killed(tmp_path / "live")
    good = damage.good_contents(files, tmp_path)
    rng = random.Random(1717)
    cases = [*damage.every_page_and_frame(files, early), *damage.every_truncation(files)]
    if not os.environ.get("ORDERTRAY_FUZZ"):
        cases = rng.sample(cases, SAMPLE)
    cases += [damage.mutant(files, early, rng) for _ in range(len(cases))]
    came = {damage.tried(what, spoilt, good, tmp_path) for what, spoilt in cases}
    assert {"told, in part", "harmless, saved"} <= came


@pytest.mark.parametrize("kept", [0, 1 / 3, 2 / 3])
def test_a_shortened_log_is_told_at_the_next_start_and_for_good(tmp_path: Path, kept: float) -> None:
    """A card that lied about sync: what is left is whole, so only the count kept apart can tell."""
    path = tmp_path / "live" / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        journal.seal()
        for number in range(1, 10):
            step(journal, game, number)
        files = damage.read(path.parent)
    log = f"{path.name}-wal"
    whole = (len(files[log]) - damage.WAL_HEADER) // damage.WAL_FRAME
    files[log] = files[log][: damage.WAL_HEADER + int(whole * kept) * damage.WAL_FRAME]
    cut = damage.laid(files, tmp_path / "cut")
    with JournalReader.open(cut) as reader:
        assert reader.missing() is not None
    with Journal.open(cut) as journal:
        (doubt,) = journal.found_at_start
        missing = 9 - len(list(journal.entries(game)))
        assert f"the last {missing} touch" in doubt.what and f"{missing} entr" in doubt.what
        assert doubt.game == game
        step(journal, game, 99)
    with Journal.open(cut) as journal:
        assert journal.found_at_start == () and [known.what for known in journal.doubts(game)] == [doubt.what]
        assert journal.missing() is None


def test_the_log_is_emptied_in_time(tmp_path: Path) -> None:
    """At no time does the log alone hold more than 64 pages; a seal leaves nothing that only the log has."""
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        for number in range(1, 120):
            step(journal, game, number)
            journal.seal_if_due()
            # What a log that is lost whole would cost:
            bare = damage.laid({path.name: path.read_bytes()}, tmp_path / "bare")
            with JournalReader.open(bare) as reader:
                assert number - reader.last_number(game) < 22
        journal.seal()
        bare = damage.laid({path.name: path.read_bytes()}, tmp_path / "bare")
        with JournalReader.open(bare) as reader:
            assert reader.last_number(game) == 119


def test_what_a_tray_was_told_is_known(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        step(journal, game, 7)
        board, nonce = tap(7).board, tap(7).nonce
        assert journal.last_told(board, nonce) == 7
        journal.told(board, nonce, 9)
    with Journal.open(path) as journal:
        assert journal.last_told(board, nonce) == 9
        assert journal.last_told(board, "another") == 0
        assert journal.last_told("other", nonce) == 0


def test_another_record_in_its_place_is_not_called_cut_short(tmp_path: Path) -> None:
    path, other = tmp_path / "record.db", tmp_path / "other.db"
    filled(path, 9)
    with Journal.open(other) as journal:
        game = new_game(journal)
        for number in range(20, 36):
            step(journal, game, number)
    path.write_bytes(other.read_bytes())
    with Journal.open(path) as journal:
        assert journal.found_at_start == ()


def test_doubts_go_with_every_copy(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    filled(path, 3)
    with Journal.open(path) as journal:
        journal.doubt(1, "its row is not what was written", at_ms=AT_MS)
    backup(path, tmp_path / "backup.db")
    saved = salvage(tmp_path / "backup.db", tmp_path / "saved.db", at_ms=AT_MS + 1)
    assert saved.faults == []
    with JournalReader.open(tmp_path / "saved.db") as reader:
        assert [(doubt.game, doubt.at_ms, str(doubt)) for doubt in reader.doubts()] == [
            (1, AT_MS, "game 1: its row is not what was written")
        ]


def change_kind(path: Path, table: str, column: str, value: object) -> None:
    """Put a value of another kind into a strict column, as a flipped bit of the row's header does."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        (strict,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    for sql, work in ((strict.replace("STRICT", "", 1), True), (strict, False)):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, table))
        if work:
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute(f"UPDATE {table} SET {column} = ?", (value,))


COLUMNS = [f"games.{column}" for column in GAME.split(", ")[1:]] + ["doubts.game", "doubts.at_ms", "doubts.what"]
KINDS: dict[str, object] = {"text": "text", "bytes": b"bytes", "real": 1.5, "nothing": None}
#: NOT NULL stands even where columns are not strict.
OPTIONAL = {"games.ended_ms", "games.result", "doubts.game"}


@pytest.mark.parametrize(
    ("place", "kind"), [(place, kind) for place in COLUMNS for kind in KINDS if kind != "nothing" or place in OPTIONAL]
)
def test_a_column_of_another_kind_is_no_reason_to_save_nothing(tmp_path: Path, place: str, kind: str) -> None:
    path = tmp_path / "record.db"
    filled(path, 3)
    with Journal.open(path) as journal:
        journal.doubt(1, "made up", at_ms=AT_MS)
        journal.doubt(None, "the whole file", at_ms=AT_MS)
    table, column = place.split(".")
    change_kind(path, table, column, KINDS[kind])
    saved = salvage(path, tmp_path / "saved.db", at_ms=AT_MS + 1)
    with JournalReader.open(tmp_path / "saved.db") as reader:
        reader.verify()
        assert len(reader.doubts()) >= 2
    if table == "doubts" or (
        column in ("edition", "army_a", "army_b", "seats", "ended_ms", "result") and kind == "text"
    ):
        assert saved.games == 1 and saved.entries == 3
    elif column in ("ended_ms", "result"):
        assert saved.games == 1
    else:  # without its armies or options nobody knows what was played: told, and nothing made up
        assert saved.faults


def test_the_record_is_not_for_everybody_on_the_machine(tmp_path: Path) -> None:
    """Both rosters with their secrets are in it; a game by hand (umask 022) must not show them to other users."""
    before = os.umask(0o022)
    try:
        path = tmp_path / "home" / "data" / "record.db"
        with Journal.open(path) as journal:
            step(journal, new_game(journal), 1)
            backup(path, path.with_name("backup.db"))
            for file in (path.parent, *path.parent.iterdir()):
                assert not file.stat().st_mode & 0o077, file
        path.chmod(0o644)
        Journal.open(path).close()
        assert not path.stat().st_mode & 0o007
        os.umask(0o027)  # the service's: whoever set it thought of the group
        with Journal.open(tmp_path / "service" / "record.db") as journal:
            for file in journal.path.parent.iterdir():
                assert file.stat().st_mode & 0o777 == 0o640, file
    finally:
        os.umask(before)


def test_the_way_back_to_an_older_order_tray(tmp_path: Path) -> None:
    """Before a record is brought up to date it is copied aside, as the older version wrote it."""
    import sqlite3

    from journal.test_journal_faults import version_1

    path = tmp_path / "record.db"
    version_1(path)
    Journal.open(path).close()
    aside = sqlite3.connect(tmp_path / "record.db.version-1")
    assert aside.execute("PRAGMA user_version").fetchone()[0] == 1
    assert aside.execute("SELECT count(*) FROM entries").fetchone()[0] == 8
    aside.close()
