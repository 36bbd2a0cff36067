"""Asking the running service how it is, over the socket beside its record: see `control`, the other end."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import tempfile
from pathlib import Path
from typing import Any

from .places import is_anothers_service

#: A unix socket's name is this long at most (sun_path, less the closing NUL).
LONGEST_NAME = 100
ANSWER_S = 5.0


class NotRunningError(Exception):
    """No service answers for this record."""


def socket_of(record: Path) -> Path:
    """Where the service that writes `record` listens."""
    beside = record.resolve().parent / f"{record.name}.control"
    if len(os.fsencode(beside)) <= LONGEST_NAME:
        return beside
    return Path(tempfile.gettempdir(), f"ordertray-{hashlib.sha256(os.fsencode(beside)).hexdigest()[:16]}.control")


def ask(record: Path, question: str) -> dict[str, Any]:
    """The running service's answer. Raises `NotRunningError` if none answers."""
    path = socket_of(record)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ANSWER_S)
            line.connect(os.fspath(path))
            line.sendall(json.dumps({"ask": question}).encode() + b"\n")
            with line.makefile("rb") as answer:
                reply = json.loads(answer.readline())
    except PermissionError:
        raise NotRunningError(f"{path}: belongs to another user; ask as the user the service runs as") from None
    except (OSError, ValueError, RecursionError):
        way = "start it with `ordertray run`"
        if is_anothers_service():
            way += "; the machine's own service is asked with: sudo -u ordertray ordertray " + question
        raise NotRunningError(f"no service is running on {record}; {way}") from None
    if not isinstance(reply, dict):
        raise NotRunningError(f"no service is running on {record}: something else answers at {path}; remove that")
    return reply
