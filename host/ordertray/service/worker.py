"""A thread that stands by beside the event loop, for calls that block."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

from ..link.threads import answered

Result = TypeVar("Result")
_Calls = SimpleQueue[Callable[[], None] | None]


class WorkerThread:
    """One thread for one call after the other, made when it is first needed.

    A thread that stands by answers in half the time of `asyncio.to_thread`, which is made for many. It is not waited
    for when the program ends: the journal's own `close` waits for a commit that is under way.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: _Calls = SimpleQueue()
        self._thread: threading.Thread | None = None
        weakref.finalize(self, self._calls.put, None)

    def call(self, work: Callable[[], Result]) -> asyncio.Future[Result]:
        """The future result of `work`; ask in the event loop. Calls are made in the order they were asked for."""
        future, answer = answered(work)
        if self._thread is None:
            self._thread = threading.Thread(target=_work, args=(self._calls,), name=self._name, daemon=True)
            self._thread.start()
        self._calls.put(answer)
        return future

    def close(self) -> None:
        """End the thread when it has done what it was asked. A later call makes a new one."""
        if self._thread is not None:
            self._calls.put(None)
            self._thread = None


def _work(calls: _Calls) -> None:
    while (call := calls.get()) is not None:
        call()
        del call  # or what it refers to would live until the next one
