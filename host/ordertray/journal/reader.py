"""Read the record: as many readers as one likes, also while a game is written."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ordertray.journal import end_mark
from ordertray.journal.errors import JournalDamagedError, JournalError, JournalOlderError, NotAJournalError
from ordertray.journal.inspect import SAVE_IT, identify, newer, there_is, uri
from ordertray.journal.model import Doubt, Entry, GameRow, Tap
from ordertray.journal.schema import DOUBT, ENTRY, GAME, TAP, VERSION, mark

# How long a reader waits for a lock (only a migration or a checkpoint holds one).
BUSY_SECONDS = 5.0
_GAMES = f"SELECT {GAME}, mark, (SELECT count(*) FROM entries WHERE game = id) FROM games "


class JournalReader:
    """Reads the record at `path`; open it with `JournalReader.open`. May be used from any thread.

    Every method reads one consistent state. Each raises JournalDamagedError if the file turns out damaged.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._mutex = threading.RLock()

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> JournalReader:
        """Open for reading only.

        Raises JournalError if there is no such file, NotAJournalError, JournalNewerError, JournalOlderError,
        JournalDamagedError.
        """
        path = Path(path)
        if not there_is(path):
            raise JournalError(f"{path}: there is no record yet; it begins with the first game")
        identify(path)
        try:
            connection = sqlite3.connect(
                uri(path, "mode=ro"), uri=True, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise JournalError(f"{path}: {error}") from error
        reader = cls(path, connection)
        try:
            version = reader._identity()[1]
            if version > VERSION:
                raise newer(path, version)
            if version < VERSION:
                raise JournalOlderError(f"{path}: is of an older version; `ordertray run` brings it up to date")
        except BaseException:
            connection.close()
            raise
        return reader

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. Idempotent."""
        with self._mutex:
            self._connection.close()

    def games(self) -> list[GameRow]:
        """All games, oldest first."""
        return [self._game(row) for row in self._rows(_GAMES + "ORDER BY id")]

    def game(self, game: int) -> GameRow:
        """One game. Raises JournalError if there is none with this number."""
        rows = self._rows(_GAMES + "WHERE id = ?", game)
        if not rows:
            raise JournalError(f"{self.path}: has no game {game}; `ordertray record list` shows those it has")
        return self._game(rows[0])

    def open_game(self) -> GameRow | None:
        """The newest game that has not ended: the one to resume; None if there is none."""
        rows = self._rows(_GAMES + "WHERE ended_ms IS NULL ORDER BY id DESC LIMIT 1")
        return self._game(rows[0]) if rows else None

    def entries(self, game: int, after: int = 0) -> Iterator[Entry]:
        """The entries of a game in order, those with a number greater than `after`.

        Raises JournalDamagedError at the first entry that is not what was written, or is missing; the entries yielded
        before it are whole.
        """
        previous = 0
        expected = 1
        for row in self._rows(f"SELECT {ENTRY}, mark FROM entries WHERE game = ? ORDER BY number", game):
            previous = mark(row[:8], previous)
            if row[1] != expected or previous != row[8]:
                raise JournalDamagedError(
                    f"{self.path}: entry {expected} of game {game} is damaged or missing; "
                    f"the {expected - 1} before it are whole; {SAVE_IT}"
                )
            expected += 1
            if row[1] > after:
                yield self._entry(row)

    def last_number(self, game: int) -> int:
        """The number of the game's last entry, 0 if it has none."""
        return int(self._rows("SELECT coalesce(max(number), 0) FROM entries WHERE game = ?", game)[0][0])

    def outcome(self, tap: Tap) -> Mapping[str, Any] | None:
        """What became of a tap, accepted or refused, or None if it has not been dealt with yet."""
        rows = self._rows(
            f"SELECT {TAP}, mark FROM taps WHERE board = ? AND nonce = ? AND sequence = ?",
            tap.board,
            tap.nonce,
            tap.sequence,
        )
        return self._tap(rows[0])[1] if rows else None

    def taps(self, board: str | None = None) -> list[tuple[Tap, Mapping[str, Any]]]:
        """All taps that have been dealt with and what became of them, by time."""
        rows = self._rows(
            f"SELECT {TAP}, mark FROM taps WHERE board = coalesce(?, board) ORDER BY at_ms, nonce, sequence", board
        )
        return [self._tap(row) for row in rows]

    def doubts(self, game: int | None = None) -> list[Doubt]:
        """What is known to be amiss in the record, or in one game of it: kept since it was found."""
        found = []
        for row in self._rows(
            f"SELECT {DOUBT}, mark FROM doubts WHERE game IS coalesce(?, game) ORDER BY number", game
        ):
            if row[4] != mark(row[:4]):
                raise JournalDamagedError(f"{self.path}: the row of doubt {row[0]} is damaged; {SAVE_IT}")
            found.append(Doubt(*row[1:4]))
        return found

    def missing(self) -> end_mark.Missing | None:
        """What the count kept beside the record knows of, and the record does not; None if nothing is missing.

        Also None where there is no such count (a copy), and for one that cannot be read.
        """
        # In this order: a writer may be at work, and the count is only ever behind the record.
        counts = end_mark.read(self.path)
        return None if counts is None else self._missing(counts)

    def _missing(self, counts: end_mark.Counts) -> end_mark.Missing | None:
        games, entries, taps = self._totals()
        game, number, marked = counts.last
        if marked:
            rows = self._rows("SELECT mark FROM entries WHERE game = ? AND number = ?", game, number)
            if rows and rows[0][0] != marked:
                return None  # another record has taken this one's place; its own count is not known
        missing = end_mark.Missing(
            max(0, counts.games - games), max(0, counts.entries - entries), max(0, counts.taps - taps),
            game if marked and self.last_number(game) < number else None,
        )  # fmt: skip
        return missing if missing.games or missing.entries or missing.taps else None

    def _totals(self) -> tuple[int, int, int]:
        """How many games, entries and taps there are."""
        ask = "SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM entries), (SELECT count(*) FROM taps)"
        games, entries, taps = self._rows(ask)[0]
        return games, entries, taps

    def verify(self) -> int:
        """Read and check everything; answers the number of entries. Raises JournalDamagedError at the first fault.

        What was found amiss earlier is told by `doubts`, a missing end by `missing`.
        """
        faults = [row[0] for row in self._rows("PRAGMA integrity_check(3)")]
        if faults != ["ok"]:
            raise JournalDamagedError(f"{self.path}: is damaged ({'; '.join(faults)}); {SAVE_IT}")
        self.taps()
        self.doubts()
        return sum(1 for game in self.games() for _ in self.entries(game.id))

    def changes(self) -> int:
        """A number that is another one after another connection has committed something (cheap; for live followers)."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _game(self, row: tuple[Any, ...]) -> GameRow:
        number, started_ms, edition, options, army_a, army_b, seats, ended_ms, result, marked, entries = row
        what = f"the row of game {number}"
        if marked != mark(row[:9]):
            raise self._damaged(what)
        return GameRow(
            id=number,
            started_ms=started_ms,
            edition=edition,
            options=self._table(what, options),
            armies={"A": army_a, "B": army_b},
            seats=self._table(what, seats),
            ended_ms=ended_ms,
            result=None if result is None else self._table(what, result),
            entries=entries,
        )

    def _damaged(self, what: str) -> JournalDamagedError:
        return JournalDamagedError(f"{self.path}: {what} is damaged; {SAVE_IT}")

    def _table(self, what: str, text: str) -> Mapping[str, Any]:
        """A JSON object of a row. Rows that somebody else has written may have anything there."""
        value = self._json(what, text)
        if not isinstance(value, dict):
            raise self._damaged(what)
        return value

    def _json(self, what: str, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise self._damaged(what) from None

    def _tap(self, row: tuple[Any, ...]) -> tuple[Tap, Mapping[str, Any]]:
        if row[7] != mark(row[:7]):
            raise self._damaged(f"the row of {Tap(*row[:3])}")
        return Tap(*row[:3]), self._table(f"the row of {Tap(*row[:3])}", row[5])

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        game, number, position, action, seat, events, cause, at_ms, _ = row
        what = f"entry {number} of game {game}"
        read = self._json(what, events)
        if not isinstance(read, list):
            raise self._damaged(what)
        return Entry(game, number, position, action, seat, read, self._table(what, cause), at_ms)

    def _identity(self) -> tuple[int, int]:
        return self._rows("PRAGMA application_id")[0][0], self._rows("PRAGMA user_version")[0][0]

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a question."""
        try:
            with self._mutex:
                return self._connection.execute(statement, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter: a name in a message was damaged
            raise translated(self.path, error) from error


def translated(path: Path, error: Exception) -> JournalError:
    """SQLite's error as one of ours."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return NotAJournalError(f"{path}: is not a record of the order tray; name another file")
    if code == sqlite3.SQLITE_CORRUPT or isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error):
        return JournalDamagedError(f"{path}: is damaged ({error}); {SAVE_IT}")
    return JournalError(f"{path}: {error}")
