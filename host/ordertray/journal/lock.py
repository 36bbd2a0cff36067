"""One writer at a time: a lock file beside the record, held for as long as the process lives."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path

from ordertray.journal.errors import JournalError, JournalLockedError
from ordertray.journal.private import private_mode


def _lock(descriptor: int) -> None:
    """Lock the whole file for this process. Raises OSError if another one has it."""
    if sys.platform == "win32":
        import msvcrt

        # One byte far behind the words, which others may read.
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """Taken when made, let go by `close` or by the end of the process, however it ends.

    Raises JournalLockedError, with the holder's process and since when, if another writer has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.parent / f"{path.name}.lock"
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(self.path, flags, private_mode())
        except OSError as error:
            raise JournalError(f"{self.path}: {error.strerror}; the record needs a folder it may write to") from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            held = os.read(self._descriptor, 1000)
            os.close(self._descriptor)
            raise JournalLockedError(f"{path}: {self._holder(held)}; stop that first") from error
        # The words are for people; the lock itself is what counts, so a failure to write them is none.
        with contextlib.suppress(OSError):
            words = {
                "pid": os.getpid(),
                "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200],
                "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
            }
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, json.dumps(words).encode())

    @staticmethod
    def _holder(held: bytes) -> str:
        try:
            words = json.loads(held)
            return f"written to by process {words['pid']} ({words['command']}) since {words['since']}"
        except (ValueError, KeyError, TypeError):
            return "written to by another process"

    def close(self) -> None:
        """Let go. The file stays: removing it would let two writers lock two files of one name. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
