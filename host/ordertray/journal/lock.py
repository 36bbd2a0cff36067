"""One writer at a time: a lock file beside the record, held for as long as the process lives."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
import time
from pathlib import Path

from ordertray.journal.errors import JournalError, JournalLockedError
from ordertray.journal.private import private_mode


class WriterLock:
    """Taken when made, let go by `close` or by the end of the process, however it ends.

    Raises JournalLockedError, with the holder's process and since when, if another writer has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.parent / f"{path.name}.lock"
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, private_mode())
        except OSError as error:
            raise JournalError(f"{self.path}: {error.strerror}; the record needs a folder it may write to") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
            os.pwrite(self._descriptor, json.dumps(words).encode(), 0)

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
