"""The tables of the record, how to tell that a file is one, and the way up from older versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any
from zlib import crc32

# "OrdT": says in the file's header whose it is.
APPLICATION_ID = 0x4F726454
VERSION = 2

TABLES = """
CREATE TABLE games (
    id         INTEGER PRIMARY KEY,
    started_ms INTEGER NOT NULL,
    edition    TEXT NOT NULL,
    options    TEXT NOT NULL,
    army_a     TEXT NOT NULL,
    army_b     TEXT NOT NULL,
    seats      TEXT NOT NULL,
    ended_ms   INTEGER,
    result     TEXT
) STRICT;
CREATE TABLE entries (
    game     INTEGER NOT NULL REFERENCES games (id),
    number   INTEGER NOT NULL,
    position INTEGER NOT NULL,
    action   TEXT NOT NULL,
    seat     TEXT NOT NULL,
    events   TEXT NOT NULL,
    cause    TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    chain    INTEGER NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE taps (
    board    TEXT NOT NULL,
    nonce    TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    game     INTEGER REFERENCES games (id),
    number   INTEGER,
    outcome  TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (board, nonce, sequence)
) STRICT, WITHOUT ROWID;
"""


def pack(value: Any) -> str:
    """JSON as the record stores it. Raises TypeError or ValueError for what is not JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def chain(previous: int, stored: tuple[int, int, int, str, str, str, str, int]) -> int:
    """The check number of an entry: over its stored columns and the number of the entry before it (0 for none).

    SQLite's own check finds a damaged page, not a bit that flipped in a text; this does, and a missing entry too.
    """
    return crc32("\x1f".join(map(str, (previous, *stored))).encode("utf-8", "surrogatepass"))


def _from_1(connection: sqlite3.Connection) -> None:
    """Version 1 had no check numbers, and its taps did not say where their entries end."""
    connection.execute("ALTER TABLE entries ADD COLUMN chain INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE taps ADD COLUMN number INTEGER")
    previous, before = 0, None
    rows = connection.execute(
        "SELECT game, number, position, action, seat, events, cause, at_ms FROM entries ORDER BY game, number"
    ).fetchall()
    for row in rows:
        previous = chain(previous if row[0] == before else 0, row)
        before = row[0]
        connection.execute("UPDATE entries SET chain = ? WHERE game = ? AND number = ?", (previous, row[0], row[1]))


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _from_1}
