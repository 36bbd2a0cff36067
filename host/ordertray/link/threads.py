"""Blocking calls beside the event loop, in threads that never hold up the end of the program."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def beside(call: Callable[[], Result], name: str) -> asyncio.Future[Result]:
    """The future result of `call`, which runs in a thread of its own.

    Unlike asyncio's own threads it is not waited for when the loop ends: a port that takes five seconds to open must
    not make the service take five seconds to stop.
    """
    future, work = answered(call)
    threading.Thread(target=work, name=name, daemon=True).start()
    return future


def answered(call: Callable[[], Result]) -> tuple[asyncio.Future[Result], Callable[[], None]]:
    """A future of the running loop, and what a thread must do to settle it: make the call and hand over its result."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, failed = None, None
        try:
            result = call()
        except Exception as error:
            failed = error
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failed)

    return future, work
