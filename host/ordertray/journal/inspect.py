"""Look at a file before opening it as the record, without changing a byte of it."""

from __future__ import annotations

import os
import sqlite3
import struct
from pathlib import Path
from urllib.parse import quote

from ordertray.journal.errors import JournalDamagedError, JournalError, JournalNewerError, NotAJournalError
from ordertray.journal.schema import APPLICATION_ID, VERSION

_WAL_HEADER = struct.Struct(">8I")
_WAL_FRAME = struct.Struct(">6I")
_WAL_MAGIC = 0x377F0682
SAVE_IT = (
    "the file was left as it is; copy it (with its -wal and .end) aside, then: "
    "ordertray record salvage --record DAMAGED NEW"
)


def uri(path: Path, query: str) -> str:
    """The SQLite URI of a file."""
    return f"file:{quote(os.fsencode(path.absolute()))}?{query}"


def there_is(path: Path) -> bool:
    """Whether there is such a file. Raises JournalError where that cannot be said (a name that is too long)."""
    try:
        return path.is_file()
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from error


def wal_of(path: Path) -> Path:
    """The write-ahead log beside a database."""
    return path.parent / f"{path.name}-wal"


def is_new(path: Path) -> bool:
    """Whether there is nothing yet. Raises JournalDamagedError for a log without its database."""
    wal = wal_of(path)
    if path.exists() and path.stat().st_size:
        return False
    if wal.exists() and wal.stat().st_size:
        raise JournalDamagedError(f"{path}: is gone or empty, but its log {wal.name} is not; {SAVE_IT}")
    return True


def inspect(path: Path) -> int:
    """The schema version of an existing record.

    Raises NotAJournalError, JournalNewerError or JournalDamagedError, in that order of asking; nothing is written.
    """
    if not there_is(path):
        raise JournalError(f"{path}: there is no such file")
    identify(path)
    _check_size(path)
    _check_wal(path)
    version = _ask(path, "mode=ro")[1]
    if version > VERSION:
        raise newer(path, version)
    connection = _connect(path, "mode=ro")
    try:
        faults = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        faults = [str(error)]
    finally:
        connection.close()
    if faults != ["ok"]:
        raise JournalDamagedError(f"{path}: is damaged ({'; '.join(faults)}); {SAVE_IT}")
    return version


def identify(path: Path) -> None:
    """Whether the file itself, without its log, is a record of a version we know.

    Raises NotAJournalError, JournalNewerError or JournalDamagedError; nothing is written.
    """
    # `immutable`: no locks, no log, no recovery. (Never open the file otherwise: closing it would drop SQLite's own
    # locks on it in this process.)
    application, version, tables = _ask(path, "mode=ro&immutable=1")
    if application != APPLICATION_ID:
        # A crash while the file was made leaves the tables in the log only.
        if application != 0 or tables or not wal_of(path).exists():
            raise NotAJournalError(f"{path}: is a database, but not of the order tray; name another file")
    elif version > VERSION:
        raise newer(path, version)


def newer(path: Path, version: int) -> JournalNewerError:
    """The refusal of a file of a newer version."""
    return JournalNewerError(
        f"{path}: was written by a newer order tray (record version {version}, this one knows {VERSION}); "
        "it was not touched; install the newer version, or name another file"
    )


def _connect(path: Path, query: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(uri(path, query), uri=True, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise JournalError(f"{path}: {error}") from error


def _ask(path: Path, query: str) -> tuple[int, int, int]:
    """Application id, version and number of tables."""
    connection = _connect(path, query)
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except UnicodeDecodeError as error:  # a name in SQLite's message was damaged
        raise JournalDamagedError(f"{path}: is damaged ({error}); {SAVE_IT}") from error
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise NotAJournalError(f"{path}: is not a record of the order tray; name another file") from error
        if error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT:
            raise JournalDamagedError(f"{path}: is damaged ({error}); {SAVE_IT}") from error
        raise JournalError(f"{path}: {error}") from error
    finally:
        connection.close()
    return application, version, tables


def _sum(data: bytes, first: int, second: int, order: str) -> tuple[int, int]:
    """The running checksum of a write-ahead log (SQLite file format, section 4.2)."""
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _check_size(path: Path) -> None:
    """Raises JournalDamagedError if the file is shorter than its header says and no log can make up for it."""
    wal = wal_of(path)
    if wal.exists() and wal.stat().st_size:
        return
    connection = _connect(path, "mode=ro&immutable=1")
    try:
        pages, page_bytes = (
            int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "page_size")
        )
    finally:
        connection.close()
    size = path.stat().st_size
    if size < pages * page_bytes:
        raise JournalDamagedError(f"{path}: is cut short ({size} of {pages * page_bytes} bytes); {SAVE_IT}")


def _check_wal(path: Path) -> None:
    """Raises JournalDamagedError if the log was damaged in its middle.

    SQLite takes a log up to its first bad frame and forgets the rest. After a power cut that is right: only the last
    commit can be incomplete, for every earlier one was synchronised. But if two commits or more lie behind the bad
    frame, it was not a power cut that spoilt it, and forgetting them would lose what was acknowledged.
    """
    try:
        data = wal_of(path).read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise JournalError(f"{wal_of(path)}: {error.strerror}") from error
    if len(data) < _WAL_HEADER.size:
        return
    magic, _, page_bytes, _, salt_1, salt_2, sum_1, sum_2 = _WAL_HEADER.unpack_from(data)
    order = ">" if magic & 1 else "<"
    size = _WAL_FRAME.size + page_bytes
    good_header = magic & ~1 == _WAL_MAGIC and _sum(data[:24], 0, 0, order) == (sum_1, sum_2)
    if not good_header:
        page_bytes = _page_bytes_of_database(path)
        size = _WAL_FRAME.size + page_bytes
        # The header is written and synchronised before the first commit; if it is bad, no commit may be behind it.
        salt_1, salt_2 = _WAL_FRAME.unpack_from(data, 32)[2:4] if len(data) >= 32 + size else (0, 0)
    whole = good_header
    commits_behind = 0
    for at in range(_WAL_HEADER.size, len(data) - size + 1, size):
        _, commit, frame_salt_1, frame_salt_2, frame_1, frame_2 = _WAL_FRAME.unpack_from(data, at)
        if whole:
            first = _sum(data[at : at + 8], sum_1, sum_2, order)
            sum_1, sum_2 = _sum(data[at + _WAL_FRAME.size : at + size], *first, order)
            whole = (frame_salt_1, frame_salt_2, frame_1, frame_2) == (salt_1, salt_2, sum_1, sum_2)
        # A log is written over from its start after a checkpoint: frames with other salts are of an earlier round.
        if not whole and commit and (frame_salt_1, frame_salt_2) == (salt_1, salt_2):
            commits_behind += 1
    if commits_behind >= 2:
        behind = f"{commits_behind} recorded steps lie behind the damage"
        raise JournalDamagedError(f"{wal_of(path)}: is damaged in its middle, {behind}; {SAVE_IT}")


def _page_bytes_of_database(path: Path) -> int:
    connection = _connect(path, "mode=ro&immutable=1")
    try:
        return int(connection.execute("PRAGMA page_size").fetchone()[0])
    finally:
        connection.close()
