"""What can be saved of a damaged record, and what is to be said of it.

A repair must not launder the evidence: whatever is brought over although it is not what was written, and whatever is
lost, stands among the doubts of the new file for good.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordertray.journal.copies import new_file
from ordertray.journal.errors import JournalError
from ordertray.journal.inspect import SAVE_IT, inspect, newer, there_is, uri
from ordertray.journal.reader import JournalReader
from ordertray.journal.schema import APPLICATION_ID, ENTRY, GAME, TABLES, TAP, VERSION, mark


@dataclass(frozen=True)
class Saved:
    """What a salvage brought over, and what it could not; `faults` are empty if that is all of it, as it was."""

    games: int
    entries: int
    taps: int
    faults: list[str]


def salvage(source: str | os.PathLike[str], destination: str | os.PathLike[str], *, at_ms: int) -> Saved:
    """Copy all that can still be read of a damaged record to a new file; the damaged one is left as it is.

    Of each game that is the entries up to its first damaged one. What is lost or was altered is kept in the new file
    as a doubt, with the time `at_ms`, and stays there. Raises JournalError if nothing can be read at all.
    """
    source = Path(source)
    if not there_is(source):
        raise JournalError(f"{source}: there is no such file")
    reader = JournalReader(source, sqlite3.connect(uri(source, "mode=ro"), uri=True, isolation_level=None))
    with reader, new_file(Path(destination)) as copy:
        copy.executescript(TABLES)
        copy.execute("BEGIN")
        saved = _Salvage(reader, copy, at_ms).run()
        copy.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        copy.execute(f"PRAGMA user_version = {VERSION}")
        copy.execute("COMMIT")
    return saved


class _Salvage:
    """One salvage under way."""

    def __init__(self, reader: JournalReader, copy: sqlite3.Connection, at_ms: int) -> None:
        self._reader = reader
        self._copy = copy
        self._at_ms = at_ms
        self._faults: list[str] = []
        self._version = 0
        self._doubts = 0
        self._last: dict[int, int] = {}

    def run(self) -> Saved:
        self._version = self._reader._identity()[1]
        if self._version > VERSION:
            raise newer(self._reader.path, self._version)
        if self._version < 2:
            raise JournalError(
                f"{self._reader.path}: is of a version without marks; `ordertray run` brings it up to date"
            )
        self._old_doubts()
        self._whole_file()
        games = entries = 0
        for number in self._numbers():
            if self._game(number):
                games += 1
                entries += self._entries(number)
        return Saved(games, entries, self._taps(), self._faults)

    def _doubt(self, game: int | None, what: str) -> None:
        self._faults.append(what if game is None else f"game {game}: {what}")
        self._keep(game, self._at_ms, what)

    def _keep(self, game: int | None, at_ms: int, what: str) -> None:
        self._doubts += 1
        row = (self._doubts, game, at_ms, what[:500])
        self._copy.execute("INSERT INTO doubts VALUES (?,?,?,?,?)", (*row, mark(row)))

    def _old_doubts(self) -> None:
        """What was in doubt before stays so."""
        if self._version < 3:
            return
        try:
            for game, at_ms, what in self._reader._rows("SELECT game, at_ms, what FROM doubts ORDER BY number"):
                # A flipped bit makes a column another kind, which the copy would not take.
                self._keep(
                    game if isinstance(game, int) else None,
                    at_ms if isinstance(at_ms, int) else self._at_ms,
                    what if isinstance(what, str) else repr(what),
                )
        except JournalError as error:
            self._doubt(None, f"doubts: {_short(error)}")

    def _whole_file(self) -> None:
        """What is known of the file as a whole: a log that breaks off, an end that is missing."""
        try:
            inspect(self._reader.path)
        except JournalError as error:
            self._doubt(None, _short(error))
        try:
            found = self._reader._rows("SELECT game, number FROM entries NOT INDEXED")
            keys = [key for key in found if all(isinstance(of, int) for of in key)]
            if found != sorted(set(keys)):
                self._doubt(None, "entries stand twice or out of their order: others are lost for them")
            for game, number in keys:
                self._last[game] = max(number, self._last.get(game, 0))
        except JournalError as error:
            self._doubt(None, f"the list of entries: {_short(error)}")
        with contextlib.suppress(JournalError):
            if (missing := self._reader.missing()) is not None:
                self._doubt(missing.game, str(missing))

    def _numbers(self) -> list[int]:
        """The games there are; where their list is damaged, those that answer when asked for by number."""
        try:
            return [row[0] for row in self._reader._rows("SELECT id FROM games ORDER BY id")]
        except JournalError as error:
            self._doubt(None, f"the list of games: {_short(error)}")
        found, missed, number = [], 0, 0
        while missed < 100:
            number += 1
            try:
                there = bool(self._reader._rows("SELECT 1 FROM games WHERE id = ?", number))
            except JournalError:
                there = False
            missed = 0 if there else missed + 1
            found += [number] * there
        return found

    def _game(self, number: int) -> bool:
        """Bring a game's row over; whether it could be."""
        row = self._row(number, "its row", f"SELECT {GAME}, mark FROM games WHERE id = ?", number)
        if row is None:
            return False
        if row[9] != mark(row[:9]):
            # Its entries may be whole: brought over, if it can be read at all, and in doubt from now on.
            try:
                row = _readable(row)
            except (ValueError, TypeError, RecursionError):
                self._doubt(number, "is lost: its row cannot be read")
                return False
            self._doubt(number, "its row (armies, options, seats, result) is not what was written")
        self._copy.execute("INSERT OR IGNORE INTO games VALUES (?,?,?,?,?,?,?,?,?,?)", (*row[:9], mark(row[:9])))
        return True

    def _entries(self, game: int) -> int:
        """Bring over a game's entries up to its first fault; one at a time, so that a bad page hides only itself."""
        statement = f"SELECT {ENTRY}, mark FROM entries WHERE game = ? AND number = ?"
        previous, number = 0, 0
        while (row := self._row(game, f"entry {number + 1}", statement, game, number + 1)) is not None:
            check = mark(row[:8], previous)
            if check != row[8]:
                self._doubt(game, f"entry {number + 1} is not what was written")
                break
            previous, number = check, number + 1
            self._copy.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?)", row)
        self._behind(game, number)
        return number

    def _behind(self, game: int, number: int) -> None:
        """Say how many entries of a game lie behind the last one that was brought over."""
        behind = self._last.get(game, 0) - number
        if behind > 0:
            self._doubt(game, f"{behind} of its entries, those after entry {number}, are lost")

    def _row(self, game: int, what: str, statement: str, *values: Any) -> tuple[Any, ...] | None:
        try:
            rows = self._reader._rows(statement, *values)
        except JournalError as error:
            self._doubt(game, f"{what}: {_short(error)}")
            return None
        return rows[0] if rows else None

    def _taps(self) -> int:
        """The whole ones among the taps. Without the others an old tap could be judged again, no more."""
        rows: list[tuple[Any, ...]] = []
        try:
            found = self._reader._rows(f"SELECT {TAP}, mark FROM taps")
            games = {row[0] for row in self._copy.execute("SELECT id FROM games")}
            # A tap of a lost game is still a tap that was dealt with.
            rows = [
                (*of, mark(of))
                for row in found
                if row[7] == mark(row[:7])
                for of in [row[:7] if row[3] in games or row[3] is None else (*row[:3], None, None, *row[5:7])]
            ]
            if len(rows) < len(found):
                self._doubt(None, f"taps: {len(found) - len(rows)} are not what was written, and are lost")
        except JournalError as error:
            self._doubt(None, f"taps: {_short(error)}")
        before = self._copy.total_changes
        self._copy.executemany("INSERT OR IGNORE INTO taps VALUES (?,?,?,?,?,?,?,?)", rows)
        return self._copy.total_changes - before


def _short(error: JournalError) -> str:
    """An error without the way out: we are on it."""
    return str(error).removesuffix(f"; {SAVE_IT}")


def _readable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A game's row of which something is not as written, such that it can be opened.

    Raises ValueError, TypeError or RecursionError if it cannot: then nobody knows what was played.
    """
    number, started_ms, edition, options, army_a, army_b, seats, ended_ms, result, marked = row
    texts = (edition, options, army_a, army_b, seats)
    if not all(isinstance(text, str) for text in texts) or not isinstance(started_ms, int):
        raise ValueError("a column is of another kind")
    if not isinstance(json.loads(options), dict):
        raise ValueError("options: no object")
    try:
        seats = seats if isinstance(json.loads(seats), dict) else "{}"
    except (ValueError, RecursionError):
        seats = "{}"
    if ended_ms is None:
        result = None
    else:  # an end that cannot be read is an end all the same
        ended_ms = ended_ms if isinstance(ended_ms, int) else started_ms
        try:
            result = result if isinstance(json.loads(result), dict) else '{"over":"?"}'
        except (ValueError, TypeError, RecursionError):
            result = '{"over":"?"}'
    return number, started_ms, edition, options, army_a, army_b, seats, ended_ms, result, marked
