"""Writing the player's files: whole or not at all, and TOML texts."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file (texts as UTF-8) so that a reader, or a power cut, finds the old or the new one, nothing between."""
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
    except UnicodeEncodeError:
        raise OSError(errno.EILSEQ, "a name in it is no UTF-8; rename that", str(path)) from None
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def quoted(text: str) -> str:
    """A TOML basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
