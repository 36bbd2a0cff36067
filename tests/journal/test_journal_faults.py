"""Power cuts, full disks, damaged files, other versions: a clear message and nothing lost."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from journal.journal_files import AT_MS, contents, drafts, filled, new_game, step, tap
from ordertray.journal import (
    Journal,
    JournalDamagedError,
    JournalError,
    JournalFullError,
    JournalNewerError,
    JournalReader,
    NotAJournalError,
)
from ordertray.journal.salvage import salvage
from ordertray.journal.schema import APPLICATION_ID, VERSION

WAL_HEADER = 32
WAL_FRAME = 24 + 4096


def copy_of(path: Path, folder: Path, wal_bytes: int | None = None) -> Path:
    """The database and (so much of) its log, as a power cut would leave them: without the shared memory."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(path, folder / path.name)
    wal = path.with_name(path.name + "-wal")
    if wal.exists():
        (folder / wal.name).write_bytes(wal.read_bytes()[:wal_bytes])
    return folder / path.name


def test_power_cut_at_every_page_of_the_log(tmp_path: Path) -> None:
    """The log cut at each frame boundary, and within frames: whole steps, all that were acknowledged by then."""
    path = tmp_path / "record.db"
    wal = path.with_name(path.name + "-wal")
    with Journal.open(path) as journal:
        game = new_game(journal)
        entries_at = {wal.stat().st_size: 0}  # size of the log after each acknowledged step: entries by then
        total = 0
        for number in range(1, 26):
            size = number % 4 + 1
            total += len(step(journal, game, number, size))
            entries_at[wal.stat().st_size] = total
        whole = list(journal.entries(game))
        end = wal.stat().st_size
        boundaries = range(WAL_HEADER, end + 1, WAL_FRAME)
        assert len(boundaries) > 60
        cuts = [0, 17, *boundaries, *(at + extra for at in boundaries for extra in (24, 2000) if at + extra < end)]
        start = min(entries_at)
        for cut in cuts:
            cut_path = copy_of(path, tmp_path / "cut", cut)
            with Journal.open(cut_path) as after:
                if cut < start:  # before the game itself was recorded
                    assert after.games() == [] or list(after.entries(game)) == []
                    continue
                expected = max(count for at, count in entries_at.items() if at <= cut)
                assert list(after.entries(game)) == whole[:expected], cut
                assert len(after.taps()) == list(entries_at.values()).index(expected)
                # It goes on, and the tap that was cut off is taken as new.
                step(after, game, 99)
                assert after.verify() == expected + 1


def test_power_cut_while_the_log_is_written_over(tmp_path: Path) -> None:
    """With checkpoints between, the log begins anew at its start; a cut may cost the last step and no more."""
    path = tmp_path / "record.db"
    wal = path.with_name(path.name + "-wal")
    with Journal.open(path) as journal:
        journal._connection.execute("PRAGMA wal_autocheckpoint = 7")
        game = new_game(journal)
        for number in range(1, 40):
            before = (path.read_bytes(), wal.read_bytes())
            step(journal, game, number, number % 3 + 1)
            whole = list(journal.entries(game))
            now = wal.read_bytes()
            # What this step changed in the log, frame by frame: cut there, the log goes on with what was before.
            for at in range(WAL_HEADER, len(now) + 1, WAL_FRAME):
                torn = now[:at] + before[1][at:]
                folder = tmp_path / "torn"
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                # The database as it was: it is written to only when the log has been synchronised.
                (folder / path.name).write_bytes(before[0])
                (folder / wal.name).write_bytes(torn)
                with Journal.open(folder / path.name) as after:
                    found = list(after.entries(game))
                    assert found == whole[: len(found)]
                    assert len(found) in (len(whole), len(whole) - number % 3 - 1)


def test_power_cut_while_the_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        journal._connection.execute("PRAGMA wal_autocheckpoint = 0")
        shutil.copy(path, tmp_path / "copy.db")
    # Everything that a file under way can look like: nothing, an empty file, a header without tables.
    for name, data in {"none": None, "empty": b""}.items():
        fresh = tmp_path / f"{name}.db"
        if data is not None:
            fresh.write_bytes(data)
        filled(fresh, 1)
        assert len(contents(fresh)[1]) == 1  # type: ignore[arg-type]
    header = tmp_path / "header.db"
    connection = sqlite3.connect(header)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    header.with_name("header.db-wal").write_bytes(b"")
    filled(header, 1)
    assert len(contents(header)[1]) == 1  # type: ignore[arg-type]


def _limited(path: Path, limit_bytes: int) -> dict[str, object]:
    """Write steps in a process whose files may not grow past the limit, until it hurts; then with room again."""
    script = """
        import json, resource, sys
        sys.path.insert(0, sys.argv[3])
        from journal.journal_files import new_game, step, drafts, tap, AT_MS
        from ordertray.journal import Journal, JournalFullError
        journal = Journal.open(sys.argv[1])
        game = new_game(journal)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
        done, errors, number = 0, [], 0
        while len(errors) < 5:
            number += 1
            try:
                step(journal, game, number, 3)
                done += 1
            except JournalFullError as error:
                errors.append(str(error))
                assert journal.outcome(tap(number)) is None
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        step(journal, game, number + 1, 3)
        print(json.dumps({"done": done, "errors": errors, "entries": journal.verify()}))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(path), str(limit_bytes), str(Path(__file__).parents[1])],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, object] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("limit_bytes", [150_000, 151_111, 300_000])
def test_a_disk_that_takes_no_more(tmp_path: Path, limit_bytes: int) -> None:
    path = tmp_path / "record.db"
    result = _limited(path, limit_bytes)
    assert isinstance(result["done"], int) and result["done"] > 5
    assert all(str(path) in error and "make room" in error for error in result["errors"])  # type: ignore[attr-defined]
    assert result["entries"] == (result["done"] + 1) * 3
    with Journal.open(path) as journal:
        assert journal.verify() == result["entries"]


def test_a_full_database(tmp_path: Path) -> None:
    """SQLite's own word for it, in process."""
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        step(journal, game, 1)
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        done = 1
        for number in range(2, 400):
            try:
                step(journal, game, number, 2)
                done = number
            except JournalFullError as error:
                assert "nothing of it was" in str(error)
                break
        else:
            pytest.fail("never full")
        assert journal.outcome(tap(done + 1)) is None
        with pytest.raises(JournalFullError):
            journal.record(game, drafts(1, 9), at_ms=AT_MS, seats={"A": "x" * 9000})
        assert journal.verify() == 2 * done - 1
        journal._connection.execute("PRAGMA max_page_count = 100000")
        step(journal, game, done + 1)
        assert journal.verify() == 2 * done


def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(JournalError, match="needs a folder it may write to"):
        Journal.open(tmp_path / "file" / "record.db")


# --- other versions -----------------------------------------------------------------------------------------------


def unchanged(path: Path) -> dict[str, bytes]:
    """The files of a record, byte for byte (shared memory and lock are no part of it)."""
    return {name.name: name.read_bytes() for name in path.parent.iterdir() if not name.name.endswith(("-shm", ".lock"))}


def test_a_newer_version_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    filled(path, 3)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = unchanged(path)
    for opener in (Journal.open, JournalReader.open):
        with pytest.raises(JournalNewerError, match=rf"record version {VERSION + 1}, this one knows {VERSION}"):
            opener(path)
    assert unchanged(path) == before


def test_a_newer_version_still_in_the_log_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    filled(path, 3)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    copy = copy_of(path, tmp_path / "copy")
    connection.close()
    assert copy.with_name("record.db-wal").stat().st_size
    before = unchanged(copy)
    with pytest.raises(JournalNewerError):
        Journal.open(copy)
    assert unchanged(copy) == before


VERSION_1 = """
CREATE TABLE games (
    id INTEGER PRIMARY KEY, started_ms INTEGER NOT NULL, edition TEXT NOT NULL, options TEXT NOT NULL,
    army_a TEXT NOT NULL, army_b TEXT NOT NULL, seats TEXT NOT NULL, ended_ms INTEGER, result TEXT
) STRICT;
CREATE TABLE entries (
    game INTEGER NOT NULL REFERENCES games (id), number INTEGER NOT NULL, position INTEGER NOT NULL,
    action TEXT NOT NULL, seat TEXT NOT NULL, events TEXT NOT NULL, cause TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE taps (
    board TEXT NOT NULL, nonce TEXT NOT NULL, sequence INTEGER NOT NULL, game INTEGER REFERENCES games (id),
    outcome TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (board, nonce, sequence)
) STRICT, WITHOUT ROWID;
"""


def version_1(path: Path) -> None:
    """A record as version 1 wrote it: two games, taps, one refused."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(VERSION_1)
    for game in (1, 2):
        connection.execute(
            "INSERT INTO games VALUES (?,?,?,?,?,?,?,?,?)", (game, AT_MS, "n5", "{}", "a", "b", "{}", None, None)
        )
        for number in range(1, 5):
            connection.execute(
                "INSERT INTO entries VALUES (?,?,?,?,?,?,?,?)",
                (game, number, number, f"A next # {number}", "A", '[{"e":1}]', "{}", AT_MS + number),
            )
            connection.execute("INSERT INTO taps VALUES ('B','n',?,?,'{\"ok\":true}',?)", (10 * game + number, game, 5))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def test_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    version_1(path)
    with pytest.raises(JournalError, match="older version"):
        JournalReader.open(path)
    with Journal.open(path) as journal:
        assert [row.entries for row in journal.games()] == [4, 4]
        assert [entry.action for entry in journal.entries(2)] == [f"A next # {number}" for number in range(1, 5)]
        assert len(journal.taps("B")) == 8 and journal.taps("B")[0][1] == {"ok": True}
        step(journal, 2, 5)
        journal.set_seats(1, {"A": {}})
        assert journal.verify() == 9
    assert contents(path)
    Journal.open(path).close()  # and only once


def test_power_cut_in_the_middle_of_a_migration(tmp_path: Path) -> None:
    """The log of the migration cut at every frame: the old record, or the new one."""
    path = tmp_path / "record.db"
    version_1(path)
    old = path.read_bytes()
    writer = sqlite3.connect(path)  # keeps the log from being emptied when the journal closes
    writer.execute("SELECT * FROM games").fetchall()
    tidy, Journal._tidy = Journal._tidy, lambda self: None  # type: ignore[method-assign]
    try:
        Journal.open(path).close()
    finally:
        Journal._tidy = tidy  # type: ignore[method-assign]
    wal = path.with_name(path.name + "-wal").read_bytes()
    writer.close()
    assert len(wal) > 3 * WAL_FRAME
    for cut in range(WAL_HEADER, len(wal) + 1, WAL_FRAME):
        folder = tmp_path / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / path.name).write_bytes(old)
        (folder / (path.name + "-wal")).write_bytes(wal[:cut])
        with Journal.open(folder / path.name) as journal:
            assert journal.verify() == 8


# --- damage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"this is a text file\n" * 50, NotAJournalError),
        (b"SQLite format 3\0" + b"\xff" * 2000, JournalError),
        (b"\0" * 5000, NotAJournalError),
    ],
)
def test_another_file_is_not_touched(tmp_path: Path, data: bytes, expected: type[JournalError]) -> None:
    path = tmp_path / "record.db"
    path.write_bytes(data)
    for opener in (Journal.open, JournalReader.open):
        with pytest.raises(expected, match=r"record\.db"):
            opener(path)
    assert path.read_bytes() == data


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    before = path.read_bytes()
    for opener in (Journal.open, JournalReader.open):
        with pytest.raises(NotAJournalError, match="not of the order tray"):
            opener(path)
    assert path.read_bytes() == before


def test_cut_short_at_every_page(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    filled(path, 150)
    whole = path.read_bytes()
    assert len(whole) > 10 * 4096
    for size in [1, 50, 100, 3000, *range(4096, len(whole), 4096), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises((JournalDamagedError, NotAJournalError), match=r"record\.db"):
            Journal.open(path)
        assert path.read_bytes() == whole[:size]


def test_a_log_without_its_database_is_not_thrown_away(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        step(journal, new_game(journal), 1)
        copy = copy_of(path, tmp_path / "copy")
    for spoil in (lambda: copy.write_bytes(b""), copy.unlink):
        spoil()
        before = unchanged(copy)
        with pytest.raises(JournalDamagedError, match=r"its log record\.db-wal is not"):
            Journal.open(copy)
        assert unchanged(copy) == before


def test_a_log_damaged_in_its_middle_is_not_taken_for_a_power_cut(tmp_path: Path) -> None:
    """SQLite would silently forget every step behind the damage."""
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        for number in range(1, 11):
            step(journal, game, number)
        copy = copy_of(path, tmp_path / "copy")
    wal = copy.with_name("record.db-wal")
    whole = wal.read_bytes()
    frames = (len(whole) - WAL_HEADER) // WAL_FRAME
    told = 0
    for frame in range(frames):
        damaged = bytearray(whole)
        damaged[WAL_HEADER + frame * WAL_FRAME + 2000] ^= 0x10
        wal.write_bytes(damaged)
        try:
            with Journal.open(copy) as after:
                # Not to be told from a power cut: only the last step is missing.
                assert after.verify() >= 9
        except JournalDamagedError as error:
            told += 1
            assert "recorded steps lie behind" in str(error)
            assert wal.read_bytes() == damaged
        copy = copy_of(path, tmp_path / "copy")
        (tmp_path / "copy" / "record.db-wal").write_bytes(whole)
        (tmp_path / "copy" / "record.db").write_bytes((tmp_path / "record.db").read_bytes())
    assert told >= frames - 4


def test_flipped_bits_never_go_unnoticed(tmp_path: Path) -> None:
    """One bit anywhere: what is read is what was written, or it is said where it is not and the file stays as it is."""
    path = tmp_path / "record.db"
    filled(path, 120)
    good = contents(path)
    whole = path.read_bytes()
    rng = random.Random(20260101)
    told = 0
    for _ in range(400):
        at, bit = rng.randrange(len(whole)), rng.randrange(8)
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        for name in tmp_path.iterdir():
            name.unlink()
        path.write_bytes(damaged)
        try:
            with Journal.open(path) as journal:
                journal.verify()
                assert [journal.games(), journal.taps(), [list(journal.entries(1))]] == good, (at, bit)
        except JournalError as error:
            told += 1
            assert "record.db" in str(error)
            assert path.read_bytes() == damaged
    assert told > 200


def test_what_can_be_read_of_a_damaged_record_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        for _ in range(2):
            game = new_game(journal)
            for number in range(1, 41):
                journal.record(game, drafts(number), at_ms=AT_MS)
            journal.refuse(tap(game), {"ok": False}, at_ms=AT_MS)
    data = path.read_bytes()
    at = data.index(b"T0 # 30")  # the first of two: in one of the games
    damaged = data[:at] + b"X" + data[at + 1 :]
    path.write_bytes(damaged)
    with JournalReader.open(path) as reader, pytest.raises(JournalDamagedError, match="entry 30 of game"):
        reader.verify()
    saved = salvage(path, tmp_path / "saved.db", at_ms=AT_MS)
    assert path.read_bytes() == damaged
    assert (saved.games, saved.entries, saved.taps) == (2, 40 + 29, 2)
    assert len(saved.faults) == 2 and "entry 30 is not what was written" in saved.faults[0]
    assert "11 of its entries, those after entry 29, are lost" in saved.faults[1]
    with Journal.open(tmp_path / "saved.db") as journal:
        assert [str(doubt) for doubt in journal.doubts()] == saved.faults
        assert journal.verify() == 69
        step(journal, 1, 99)
    with pytest.raises(JournalError, match="is there already"):
        salvage(path, tmp_path / "saved.db", at_ms=AT_MS)
    (tmp_path / "text.db").write_text("nothing to save here" * 99)
    with pytest.raises(NotAJournalError):
        salvage(tmp_path / "text.db", tmp_path / "none.db", at_ms=AT_MS)
    assert not (tmp_path / "none.db").exists() and not list(tmp_path.glob(".*part"))
