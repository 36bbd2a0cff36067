"""Ports that fail in ways no list is complete of: the link says so, lets go, and finds the tray when it is back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from link.pty_tray import PtyTray, running, until
from ordertray.link import BoardFinder, BoardSpec, LinkError, MonotonicClock, TrayEvent, TrayLink, Trays, open_port
from ordertray.link.port import Port
from patience import patience

SPEED = 8.0
# What the standard library and pyserial throw when a device goes away between two of their calls.
VANISHING: list[Callable[[], Exception]] = [
    lambda: termios.error(5, "Input/output error"),
    lambda: OSError(19, "No such device"),
    lambda: TypeError("an integer is required (got type NoneType)"),
    lambda: ValueError("file descriptor cannot be a negative integer (-1)"),
    lambda: LinkError("staged"),
]


async def nothing(event: TrayEvent) -> None:
    """No application."""


@pytest.mark.parametrize("make", VANISHING)
def test_a_port_that_fails_while_it_is_opened_is_opened_again(tmp_path: Path, make: Callable[[], Exception]) -> None:
    async def work() -> None:
        clock = MonotonicClock(SPEED)
        tray = PtyTray(tmp_path / "port", clock=clock)
        tray.plug()
        left = [make() for _ in range(3)]

        def opener(url: str) -> Port:
            if left:
                raise left.pop()
            return open_port(url)

        link = TrayLink(BoardSpec(url=str(tray.path)), nothing, opener=opener, clock=clock)
        async with running(link):
            await until(lambda: link.status().error)
            await until(lambda: link.online, 20)
            assert link.status().error == ""
        tray.unplug()

    asyncio.run(asyncio.wait_for(work(), patience(60)))


@pytest.mark.parametrize("make", VANISHING)
def test_a_system_that_cannot_list_its_ports_for_a_moment(tmp_path: Path, make: Callable[[], Exception]) -> None:
    async def work() -> None:
        asked = 0

        def comports() -> list[Any]:
            nonlocal asked
            asked += 1
            if asked < 4:
                raise make()
            return []

        trays = Trays([], nothing, finder=BoardFinder(comports), clock=MonotonicClock(100))
        link = TrayLink(BoardSpec(serial="X"), nothing, finder=BoardFinder(comports), clock=MonotonicClock(100))
        async with running(trays, link):
            await until(lambda: asked > 8)
            assert "no serial port at all" in link.status().error

    asyncio.run(asyncio.wait_for(work(), patience(60)))


def test_a_port_that_cannot_be_watched_is_let_go_of(tmp_path: Path) -> None:
    """The event loop refuses its descriptor: it must not stay open, held against everybody else."""
    closed = threading.Event()

    class Unwatchable:
        url = "staged"

        def __init__(self) -> None:
            (tmp_path / "file").touch()
            self.fileno = os.open(tmp_path / "file", os.O_RDONLY)  # epoll takes no regular file

        def close(self) -> None:
            os.close(self.fileno)
            closed.set()

    async def work() -> None:
        opener: Any = lambda url: Unwatchable()  # noqa: E731
        link = TrayLink(BoardSpec(url=str(tmp_path)), nothing, opener=opener, clock=MonotonicClock(SPEED))
        async with running(link):
            await until(closed.is_set)
            await until(lambda: link.status().opened > 1)

    asyncio.run(asyncio.wait_for(work(), patience(60)))


def test_a_port_that_hangs_while_it_is_opened_or_closed_does_not_hold_up_the_end(tmp_path: Path) -> None:
    hang = threading.Event()
    opening = threading.Event()

    def opener(url: str) -> Port:
        opening.set()
        hang.wait(patience(30))
        raise LinkError("too late")

    async def work() -> float:
        link = TrayLink(BoardSpec(url=str(tmp_path)), nothing, opener=opener)
        running = asyncio.create_task(link.run())
        assert await asyncio.to_thread(opening.wait, patience(20))
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        return time.monotonic()

    cancelled_at = asyncio.run(asyncio.wait_for(work(), patience(30)))
    took = time.monotonic() - cancelled_at
    hang.set()
    assert took < patience(5), "the end of the loop waited for the port"
