"""Copies of the record: a backup while it is written to, and what can be saved of a damaged one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordertray.journal.errors import JournalError
from ordertray.journal.inspect import uri
from ordertray.journal.reader import JournalReader, translated
from ordertray.journal.schema import APPLICATION_ID, ENTRY, GAME, TABLES, TAP, VERSION, mark


@contextmanager
def _new_file(destination: Path) -> Iterator[sqlite3.Connection]:
    """A database that appears under its name, whole and on disk, only when all went well."""
    if destination.exists():
        raise JournalError(f"{destination}: is there already; name another file")
    part = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    try:
        connection = sqlite3.connect(part, isolation_level=None)
        try:
            yield connection
            # One file to carry away, not a file and its log.
            connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            connection.close()
        # A link, because unlike a renamed file it cannot replace one that has come up meanwhile.
        with part.open("rb") as file:
            os.fsync(file.fileno())
        os.link(part, destination)
    except OSError as error:
        raise JournalError(f"{destination}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise translated(destination, error) from error
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(destination.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def backup(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> None:
    """Copy the record as it is at this moment to a new single file, while others read and write it.

    The copy is whole or is not there at all. Raises JournalError if `destination` exists or cannot be written, and what
    `JournalReader.open` raises.
    """
    with JournalReader.open(source) as reader, _new_file(Path(destination)) as copy:
        # In one step: one consistent state, and with a write-ahead log the writer is not held up by it.
        reader._connection.backup(copy)


@dataclass(frozen=True)
class Saved:
    """What a salvage brought over, and what it could not."""

    games: int
    entries: int
    taps: int
    faults: list[str]


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str]) -> Saved:
    """Copy all that can still be read of a damaged record to a new file; the damaged one is left as it is.

    Of each game that is the entries up to its first damaged one. Raises JournalError if nothing can be read at all.
    """
    source = Path(source)
    if not source.is_file():
        raise JournalError(f"{source}: there is no such file")
    faults: list[str] = []
    games = entries = 0
    reader = JournalReader(source, sqlite3.connect(uri(source, "mode=ro"), uri=True, isolation_level=None))
    with reader:
        numbers = [row[0] for row in reader._rows("SELECT id FROM games ORDER BY id")]
        with _new_file(Path(destination)) as copy:
            copy.executescript(TABLES)
            copy.execute("BEGIN")
            for number in numbers:
                row = _row(reader, faults, f"game {number}", f"SELECT {GAME}, mark FROM games WHERE id = ?", number)
                if row is None:
                    continue
                if row[9] != mark(row[:9]):  # brought over all the same: its entries may be whole
                    faults.append(f"game {number}: its row is not what was written")
                games += 1
                copy.execute("INSERT INTO games VALUES (?,?,?,?,?,?,?,?,?,?)", (*row[:9], mark(row[:9])))
                for entry in _whole(reader, number, faults):
                    entries += 1
                    copy.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)", entry)
            taps = _taps(reader, copy, faults)
            copy.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            copy.execute(f"PRAGMA user_version = {VERSION}")
            copy.execute("COMMIT")
    return Saved(games, entries, taps, faults)


def _row(reader: JournalReader, faults: list[str], what: str, statement: str, *values: Any) -> tuple[Any, ...] | None:
    try:
        rows = reader._rows(statement, *values)
    except JournalError as error:
        faults.append(f"{what}: {error}")
        return None
    return rows[0] if rows else None


def _whole(reader: JournalReader, game: int, faults: list[str]) -> Iterator[tuple[Any, ...]]:
    """The stored rows of a game up to its first fault; one at a time, so that a damaged page hides only itself."""
    statement = f"SELECT {ENTRY}, mark FROM entries WHERE game = ? AND number = ?"
    previous, number = 0, 1
    while (row := _row(reader, faults, f"game {game}, entry {number}", statement, game, number)) is not None:
        previous = mark(row[:8], previous)
        if previous != row[8]:
            faults.append(f"game {game}, entry {number}: is not what was written")
            return
        yield row
        number += 1


def _taps(reader: JournalReader, copy: sqlite3.Connection, faults: list[str]) -> int:
    """The whole ones among the taps. Without the others an old tap could be judged again, no more."""
    try:
        rows = [row for row in reader._rows(f"SELECT {TAP}, mark FROM taps") if row[7] == mark(row[:7])]
    except JournalError as error:
        faults.append(f"taps: {error}")
        return 0
    copy.executemany("INSERT INTO taps VALUES (?,?,?,?,?,?,?,?)", rows)
    return len(rows)
