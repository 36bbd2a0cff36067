"""A way to ask the running service how it is: a socket beside the record, one JSON line each way.

Only the service's own user may use it (file mode 0600). It answers questions and changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from .asking import ANSWER_S, socket_of

#: A question longer than this is no question of ours.
LONGEST_LINE = 4096

log = logging.getLogger(__name__)

Answers = Mapping[str, Callable[[], Mapping[str, Any]]]


@contextlib.asynccontextmanager
async def answering(record: Path, answers: Answers) -> AsyncIterator[Path]:
    """Answer questions while the block runs. The one who holds the record's lock may take over an old socket."""
    path = socket_of(record)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError), contextlib.closing(writer):
            async with asyncio.timeout(ANSWER_S):
                try:
                    reply = _reply(await reader.readline(), answers)
                except ValueError:  # longer than the limit
                    reply = {"ok": False, "error": f"a question has at most {LONGEST_LINE} bytes"}
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()

    before = os.umask(0o177)
    try:
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(talk, path, limit=LONGEST_LINE)
    except OSError as error:  # a full disk, a folder without sockets: the game does not hang on this
        log.warning("%s: %s; `ordertray status` will find nobody", path, error.strerror)
        yield path
        return
    finally:
        os.umask(before)
    try:
        yield path
    finally:
        server.close()
        path.unlink(missing_ok=True)


def _reply(line: bytes, answers: Answers) -> Mapping[str, Any]:
    try:
        question = json.loads(line)["ask"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {"ok": False, "error": 'a question is one line of JSON: {"ask": WHAT}'}
    answer = answers.get(question) if isinstance(question, str) else None
    if answer is None:
        return {"ok": False, "error": f"there is no such question; there are: {', '.join(sorted(answers))}"}
    return {"ok": True, **answer()}
