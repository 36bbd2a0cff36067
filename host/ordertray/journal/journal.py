"""Write the record: one durable commit per step, or a clean error and nothing of it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ordertray.journal import end_mark
from ordertray.journal.copies import keep_old_version
from ordertray.journal.errors import AlreadyRecordedError, JournalError, JournalFullError
from ordertray.journal.inspect import inspect, is_new, there_is, uri
from ordertray.journal.lock import WriterLock
from ordertray.journal.model import Doubt, Draft, Entry, Tap
from ordertray.journal.private import make_private, make_private_folder
from ordertray.journal.reader import BUSY_SECONDS, JournalReader, translated
from ordertray.journal.schema import APPLICATION_ID, DOUBT, ENTRY, GAME, MIGRATIONS, TABLES, TAP, VERSION, mark, pack

_INSERT_GAME = f"INSERT INTO games ({GAME}, mark) VALUES (?,?,?,?,?,?,?,?,?,?)"
_INSERT_ENTRY = f"INSERT INTO entries ({ENTRY}, mark) VALUES (?,?,?,?,?,?,?,?,?)"
_INSERT_TAP = f"INSERT INTO taps ({TAP}, mark) VALUES (?,?,?,?,?,?,?,?)"
_INSERT_DOUBT = f"INSERT INTO doubts ({DOUBT}, mark) VALUES (?,?,?,?,?)"
# Pages that the log may hold before they are written into the database: what a shortened log could cost at most.
LOG_PAGES = 64
# A step is three or four pages: after so many the log is emptied when nobody waits for it, before SQLite must.
COMMITS_BETWEEN_SEALS = 12
# What a failed write says: no space, or the disk refused.
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)


class Journal(JournalReader):
    """The record, for its one writer; open it with `Journal.open`. What a method has returned from is on disk.

    Commits block for as long as the disk takes (a few milliseconds to some hundred on an SD card): from an event loop
    call them in a thread. Methods may be called from any thread; they wait for one another.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        super().__init__(path, connection)
        self._lock = lock
        # Last number and check number of each game written to, so that a step needs no reading.
        self._ends: dict[int, tuple[int, int]] = {}
        self._log_is_untidy = False
        self._end_mark = end_mark.EndMark(path)
        self._added = [0, 0, 0]
        self._last: tuple[int, int, int] | None = None
        self._tapped: Tap | None = None
        self._commits = 0
        self.found_at_start: tuple[Doubt, ...] = ()
        """What was found amiss when the record was opened; it stands among the doubts too."""

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Journal:
        """Open for writing; make the file and its folder if there is none; bring an older version up to date.

        Raises JournalLockedError if another process writes to it, JournalNewerError, NotAJournalError or
        JournalDamagedError (the file untouched), JournalFullError or JournalError if it cannot be made.
        """
        path = Path(path)
        try:
            make_private_folder(path.parent)
        except OSError as error:
            raise JournalError(f"{path.parent}: {error.strerror}; the record needs a folder it may write to") from error
        there_is(path)
        lock = WriterLock(path)
        try:
            new = is_new(path)
            if not new and (version := inspect(path)) < VERSION:
                keep_old_version(path, version)
            try:
                make_private(path)
            except OSError as error:
                raise JournalError(f"{path}: {error.strerror}; the record needs a folder it may write to") from error
            connection = sqlite3.connect(
                uri(path, "mode=rwc"), uri=True, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False
            )
            known = None if new else end_mark.read(path)
            journal = cls(path, connection, lock)
            try:
                journal._prepare()
                journal._count(known)
            except BaseException:
                journal._end_mark.close()
                connection.close()
                raise
        except sqlite3.Error as error:
            lock.close()
            raise _failed(path, error) from error
        except BaseException:
            lock.close()
            raise
        return journal

    def close(self) -> None:
        """Close the file and let go of the lock. Idempotent."""
        with self._mutex:
            with suppress(JournalError, sqlite3.Error):
                self.seal()
            self._end_mark.close()
        super().close()
        self._lock.close()

    def new_game(
        self,
        *,
        at_ms: int,
        edition: str,
        options: Mapping[str, Any],
        armies: Mapping[str, str],
        seats: Mapping[str, Any] | None = None,
    ) -> int:
        """Record a new game; answers its number. `armies`: text for "A" and "B". `at_ms`: Unix time, milliseconds."""
        columns = (at_ms, edition, pack(options), armies["A"], armies["B"], pack(seats or {}), None, None)
        with self._mutex, self._commit():
            number: int = self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM games").fetchone()[0]
            row = (number, *columns)
            self._connection.execute(_INSERT_GAME, (*row, mark(row)))
            self._added[0] += 1
        return number

    def add_game(
        self,
        *,
        started_ms: int,
        edition: str,
        options: Mapping[str, Any],
        armies: Mapping[str, str],
        seats: Mapping[str, Any],
        drafts: Sequence[tuple[Draft, int]],
        ended: tuple[int, Mapping[str, Any]] | None,
        doubts: Sequence[tuple[int, str]] = (),
    ) -> int:
        """Record a whole game from elsewhere in one commit; answers its number.

        `drafts`: each entry with its Unix time in milliseconds. `ended`: when and how it ended, if it did. `doubts`:
        what is known to be amiss in it, with the time it was found.
        """
        ended_ms, result = (None, None) if ended is None else (ended[0], pack(ended[1]))
        columns = (started_ms, edition, pack(options), armies["A"], armies["B"], pack(seats), ended_ms, result)
        with self._mutex:
            number: int = self._connection.execute("SELECT coalesce(max(id), 0) + 1 FROM games").fetchone()[0]
            row = (number, *columns)
            rows: list[tuple[Any, ...]] = []
            try:
                self._ends[number] = (0, 0)
                for draft, at_ms in drafts:
                    rows += self._rows_of(number, [draft], at_ms)
                    self._ends[number] = (rows[-1][1], rows[-1][8])
                with self._commit():
                    self._connection.execute(_INSERT_GAME, (*row, mark(row)))
                    self._insert_entries(rows)
                    self._added[0] += 1
                    self._insert_doubts(number, doubts)
            except BaseException:
                self._ends.pop(number, None)
                raise
        return number

    def record(
        self,
        game: int,
        drafts: Sequence[Draft],
        *,
        at_ms: int,
        tap: Tap | None = None,
        outcome: Mapping[str, Any] | None = None,
        seats: Mapping[str, Any] | None = None,
        result: Mapping[str, Any] | None = None,
        reopen: bool = False,
    ) -> list[Entry]:
        """Record one step: its entries (one touch may be several actions), the tap it came from and what became of it,
        and, if given, the table's new state of the seats. All of it in one commit; answers the entries.

        `result`: the game is over with this step, as by `end_game`. `reopen`: its end is taken back with this step.
        A refused tap is a step without entries: it is remembered all the same, so that it is not judged twice.
        Raises AlreadyRecordedError if this tap has its outcome already, JournalFullError if it cannot be written;
        in both cases nothing of it is in the record.
        """
        became = pack(outcome if outcome is not None else {"ok": bool(drafts)})
        new_seats = None if seats is None else pack(seats)
        ended = None if result is None else pack(result)
        with self._mutex:
            rows = self._rows_of(game, drafts, at_ms)
            with self._commit():
                self._insert_entries(rows)
                if tap is not None:
                    self._insert_tap(tap, game, rows[-1][1] if rows else None, became, at_ms)
                if new_seats is not None:
                    self._update(game, "seats = ?", new_seats)
                if ended is not None:
                    self._update(game, "ended_ms = ?, result = ?", at_ms, ended)
                elif reopen:
                    self._update(game, "ended_ms = NULL, result = NULL")
            if rows:
                self._ends[game] = (rows[-1][1], rows[-1][8])
        return [
            Entry(game, row[1], row[2], row[3], row[4], draft.events, draft.cause, at_ms)
            for row, draft in zip(rows, drafts, strict=True)
        ]

    def _rows_of(self, game: int, drafts: Sequence[Draft], at_ms: int) -> list[tuple[Any, ...]]:
        """The drafts as rows, numbered and chained. Raises TypeError or ValueError for what is no JSON."""
        if game not in self._ends:
            self.game(game)
            self._ends[game] = self._end_of(game)
        number, check = self._ends[game]
        rows = []
        for draft in drafts:
            number += 1
            events, cause = pack(draft.events), pack(draft.cause)
            columns = (game, number, draft.position, draft.action, draft.seat, events, cause, at_ms)
            check = mark(columns, check)
            rows.append((*columns, check))
        return rows

    def _insert_entries(self, rows: Sequence[tuple[Any, ...]]) -> None:
        for row in rows:
            self._connection.execute(_INSERT_ENTRY, row)
        if rows:
            self._added[1] += len(rows)
            self._last = (rows[-1][0], rows[-1][1], rows[-1][8])

    def _insert_doubts(self, game: int | None, doubts: Sequence[tuple[int, str]]) -> None:
        for at_ms, what in doubts:
            ask = "SELECT coalesce(max(number), 0) + 1 FROM doubts"
            row = (self._connection.execute(ask).fetchone()[0], game, at_ms, what)
            self._connection.execute(_INSERT_DOUBT, (*row, mark(row)))

    def _insert_tap(self, tap: Tap, game: int | None, number: int | None, outcome: str, at_ms: int) -> None:
        row = (tap.board, tap.nonce, tap.sequence, game, number, outcome, at_ms)
        try:
            self._connection.execute(_INSERT_TAP, (*row, mark(row)))
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
                raise
            raise AlreadyRecordedError(f"{self.path}: {tap} has been dealt with") from error
        self._added[2] += 1
        self._tapped = tap

    def refuse(self, tap: Tap, outcome: Mapping[str, Any], *, at_ms: int, game: int | None = None) -> None:
        """Remember that a tap was refused, and why. Raises as `record` does. Without a game: one that fits none."""
        with self._commit():
            self._insert_tap(tap, game, None, pack(outcome), at_ms)

    def set_seats(self, game: int, seats: Mapping[str, Any]) -> None:
        """Record the table's state of the seats, outside any step."""
        with self._commit():
            self._update(game, "seats = ?", pack(seats))

    def end_game(self, game: int, result: Mapping[str, Any], *, at_ms: int) -> None:
        """Record that a game is over, and how."""
        with self._commit():
            self._update(game, "ended_ms = ?, result = ?", at_ms, pack(result))

    def _update(self, game: int, settings: str, *values: Any) -> None:
        """Change a game's row and its mark, within a commit."""
        run = self._connection.execute
        row = run(f"UPDATE games SET {settings} WHERE id = ? RETURNING {GAME}", (*values, game)).fetchone()
        if row is None:
            raise JournalError(f"{self.path}: has no game {game}")
        run("UPDATE games SET mark = ? WHERE id = ?", (mark(row), game))

    def reopen_game(self, game: int) -> None:
        """Record that a game goes on after all: its end was taken back."""
        with self._commit():
            self._update(game, "ended_ms = NULL, result = NULL")

    @contextmanager
    def _commit(self) -> Iterator[None]:
        """One durable transaction: all of it or nothing."""
        with self._mutex:
            self._added, self._last, self._tapped = [0, 0, 0], None, None
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                self._log_is_untidy = True
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise _failed(self.path, error) from error
                raise
            self._end_mark.follow(self._added, self._last, self._tapped)
            self._commits += 1
            if self._log_is_untidy:
                self._tidy()

    def _count(self, known: end_mark.Counts | None) -> None:
        """Count what there is, and hold it against the count kept beside it; a missing end is kept as a doubt."""
        missing = None if known is None else self._missing(known)
        games, entries, taps = self._totals()
        rows = self._rows("SELECT game, number, mark FROM entries ORDER BY game DESC, number DESC LIMIT 1")
        last = rows[0] if rows else (0, 0, 0)
        boards = {} if known is None else known.boards
        if missing is not None:
            self.doubt(missing.game, str(missing), at_ms=time.time_ns() // 1_000_000)
        self._end_mark.begin(end_mark.Counts(games, entries, taps, (last[0], last[1], last[2]), boards))

    def doubt(self, game: int | None, what: str, *, at_ms: int) -> None:
        """Record that something is amiss. Raises as `record` does."""
        with self._commit():
            self._insert_doubts(game, [(at_ms, what)])
        self.found_at_start += (Doubt(game, at_ms, what),)

    def told(self, board: str, nonce: str, sequence: int) -> None:
        """A tray is about to be told that its events up to this one are dealt with. Costs microseconds."""
        with self._mutex:
            self._end_mark.told(Tap(board, nonce, sequence))

    def last_told(self, board: str, nonce: str) -> int:
        """Up to which event of this boot the tray was told that all is dealt with, as far as is known here; else 0."""
        ask = "SELECT coalesce(max(sequence), 0) FROM taps WHERE board = ? AND nonce = ?"
        return max(int(self._rows(ask, board, nonce)[0][0]), self._end_mark.last_told(board, nonce))

    def seal_if_due(self) -> None:
        """`seal`, if enough was written since the last time. To be called when nobody waits for the record."""
        if self._commits >= COMMITS_BETWEEN_SEALS:
            self.seal()

    def seal(self) -> None:
        """Write the log into the database, and the count beside it onto the disk: at each end of turn, and at the end.

        What the disk loses after this, it loses of a closed file and not of one that is being written.
        """
        with self._mutex:
            self._commits = 0
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._end_mark.synchronise()

    def _tidy(self) -> None:
        """Empty the write-ahead log into the database. A step that failed may have left frames of itself in it, which
        after a later power cut would look like damage.
        """
        with suppress(sqlite3.Error):
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            self._log_is_untidy = bool(busy)

    def _end_of(self, game: int) -> tuple[int, int]:
        rows = self._rows("SELECT number, mark FROM entries WHERE game = ? ORDER BY number DESC LIMIT 1", game)
        return (rows[0][0], rows[0][1]) if rows else (0, 0)

    def _prepare(self) -> None:
        """Settings, tables, migration."""
        run = self._connection.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA foreign_keys = ON")
        run(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        application, version = self._identity()
        if version < VERSION:
            # One transaction from whichever version to this one: a power cut in between leaves the old file.
            with self._commit():
                if application != APPLICATION_ID:
                    for statement in TABLES.split(";"):
                        if statement.strip():
                            run(statement)
                    run(f"PRAGMA application_id = {APPLICATION_ID}")
                else:
                    for step in range(version, VERSION):
                        MIGRATIONS[step](self._connection)
                run(f"PRAGMA user_version = {VERSION}")
        self._tidy()


def _failed(path: Path, error: sqlite3.Error) -> JournalError:
    """A write that failed, as one of our errors."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF in _FULL:
        return JournalFullError(
            f"{path}: the entry could not be written ({error}); nothing of it was; make room on the disk"
        )
    return translated(path, error)
