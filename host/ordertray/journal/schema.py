"""The tables of the record, how to tell that a file is one, and the way up from older versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

# "OrdT": says in the file's header whose it is.
APPLICATION_ID = 0x4F726454
VERSION = 3

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
    result     TEXT,
    mark       INTEGER NOT NULL
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
    mark     INTEGER NOT NULL,
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
    mark     INTEGER NOT NULL,
    PRIMARY KEY (board, nonce, sequence)
) STRICT, WITHOUT ROWID;
"""
_DOUBTS = """
CREATE TABLE doubts (
    number   INTEGER PRIMARY KEY,
    game     INTEGER,
    at_ms    INTEGER NOT NULL,
    what     TEXT NOT NULL,
    mark     INTEGER NOT NULL
) STRICT;
"""
TABLES += _DOUBTS

# The columns of each table, without its mark.
GAME = "id, started_ms, edition, options, army_a, army_b, seats, ended_ms, result"
ENTRY = "game, number, position, action, seat, events, cause, at_ms"
TAP = "board, nonce, sequence, game, number, outcome, at_ms"
DOUBT = "number, game, at_ms, what"


# Made once: `json.dumps` with options makes a new one at each call.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def pack(value: Any) -> str:
    """JSON as the record stores it. Raises TypeError or ValueError for what is not JSON."""
    return _encode(value)


def mark(row: Sequence[Any], previous: int = 0) -> int:
    """The check number of a row: over its other columns, and for an entry over the mark of the one before it (or 0).

    SQLite's own check finds a damaged page, but not a bit that flipped in a text; this does, and a missing entry too.
    """
    return crc32("\x1f".join(map(str, (previous, *row))).encode("utf-8", "surrogatepass"))


def _from_1(connection: sqlite3.Connection) -> None:
    """Version 1 had no marks, and its taps did not say where their entries end."""
    run = connection.execute
    run("ALTER TABLE taps ADD COLUMN number INTEGER")
    for table in ("games", "entries", "taps"):
        run(f"ALTER TABLE {table} ADD COLUMN mark INTEGER NOT NULL DEFAULT 0")
    for row in run(f"SELECT {GAME} FROM games").fetchall():
        run("UPDATE games SET mark = ? WHERE id = ?", (mark(row), row[0]))
    previous, game = 0, None
    for row in run(f"SELECT {ENTRY} FROM entries ORDER BY game, number").fetchall():
        previous = mark(row, previous if row[0] == game else 0)
        game = row[0]
        run("UPDATE entries SET mark = ? WHERE game = ? AND number = ?", (previous, *row[:2]))
    for row in run(f"SELECT {TAP} FROM taps").fetchall():
        run("UPDATE taps SET mark = ? WHERE board = ? AND nonce = ? AND sequence = ?", (mark(row), *row[:3]))


def _from_2(connection: sqlite3.Connection) -> None:
    """Version 2 could not say that something in it is in doubt."""
    connection.execute(_DOUBTS)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _from_1, 2: _from_2}
