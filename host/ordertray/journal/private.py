"""Files of the record are not for everybody on the machine: both rosters with their secrets are in them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def private_mode() -> int:
    """The mode of a new file: its owner's alone; its group's too where the umask says that others were thought of."""
    umask = os.umask(0o077)  # the only way to ask
    os.umask(umask)
    return 0o600 if umask & 0o007 != 0o007 else 0o660 & ~umask


def private_opener(path: str, flags: int) -> int:
    """For `open(…, opener=…)`: a new file is private."""
    return os.open(path, flags | os.O_CLOEXEC, private_mode())


def make_private(path: Path) -> None:
    """Make `path`, empty, if it is not there; take it from the others if it is and they may read it.

    SQLite gives its log and shared memory the mode of the database. Raises OSError if it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, private_mode()))
    with contextlib.suppress(OSError):  # another owner's: not ours to change
        mode = path.stat().st_mode & 0o777
        if mode & 0o007:
            path.chmod(mode & ~0o007)


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing. Raises OSError."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(private_mode() | 0o100 | (0o010 if private_mode() & 0o040 else 0))
    path.mkdir(exist_ok=True)  # says what is wrong where it is a file
