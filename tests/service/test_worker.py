"""The thread beside the event loop: in order, faults included, and gone when it is no longer wanted."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable

import pytest

from ordertray.service.worker import WorkerThread
from patience import patience


def within(condition: Callable[[], bool]) -> bool:
    """Whether it comes true in ten seconds."""
    deadline = time.monotonic() + patience(10)
    while not condition() and time.monotonic() < deadline:
        threading.Event().wait(0.005)
    return condition()


def test_calls_are_made_in_order_by_one_thread_and_answered_in_the_loop() -> None:
    async def work() -> None:
        worker = WorkerThread("work")
        made: list[tuple[int, str]] = []

        def call(number: int) -> int:
            made.append((number, threading.current_thread().name))
            if number == 3:
                raise ValueError("staged")
            return number * 2

        answers = [worker.call(lambda number=number: call(number)) for number in range(6)]  # type: ignore[misc]
        assert await asyncio.gather(*answers[:3]) == [0, 2, 4]
        with pytest.raises(ValueError, match="staged"):
            await answers[3]
        assert await asyncio.gather(*answers[4:]) == [8, 10]
        assert made == [(number, "work") for number in range(6)]
        worker.close()

    asyncio.run(work())


def test_the_loop_goes_on_while_a_call_blocks_and_an_abandoned_call_is_made_all_the_same() -> None:
    async def work() -> None:
        worker, go = WorkerThread("work"), threading.Event()
        blocked = worker.call(lambda: go.wait(30))
        after = worker.call(lambda: "after")
        for _ in range(10):
            await asyncio.sleep(0)
        assert not blocked.done() and not after.done()
        blocked.cancel()
        go.set()
        assert await after == "after"
        worker.close()

    asyncio.run(work())


@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_the_thread_ends_when_it_is_closed_or_forgotten(how: str) -> None:
    async def work() -> None:
        worker = WorkerThread(f"work {how}")
        (thread,) = [await worker.call(threading.current_thread)]
        if how == "closed":
            worker.close()
            assert within(lambda: not thread.is_alive())
            assert await worker.call(threading.current_thread) is not thread, "a later call makes a new one"
            worker.close()
        del worker
        gc.collect()
        assert within(lambda: not thread.is_alive())

    asyncio.run(work())
