"""Copies of the record: a backup while it is written to, and the way back before it is brought up to date."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ordertray.journal.errors import JournalError
from ordertray.journal.inspect import there_is, uri
from ordertray.journal.private import make_private
from ordertray.journal.reader import JournalReader, translated


@contextmanager
def new_file(destination: Path) -> Iterator[sqlite3.Connection]:
    """A database that appears under its name, whole and on disk, only when all went well."""
    if there_is(destination) or destination.exists():
        raise JournalError(f"{destination}: is there already; name another file")
    part = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    try:
        make_private(part)
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
    with JournalReader.open(source) as reader, new_file(Path(destination)) as copy:
        # In one step: one consistent state, and with a write-ahead log the writer is not held up by it.
        reader._connection.backup(copy)


def keep_old_version(path: Path, version: int) -> Path:
    """Copy a record of an older version aside before it is brought up to date: the way back to the older order tray.

    Raises JournalError if there is no room for it. What is there already is kept.
    """
    aside = path.with_name(f"{path.name}.version-{version}")
    if not aside.exists():
        connection = sqlite3.connect(uri(path, "mode=ro"), uri=True, isolation_level=None)
        try:
            with new_file(aside) as copy:
                connection.backup(copy)
        finally:
            connection.close()
    return aside
