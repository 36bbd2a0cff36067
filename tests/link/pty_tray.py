"""A tray for tests of real ports: the firmware's own `TrayEnd` behind a pseudo-terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ordertray.link import MonotonicClock
from ordertray_firmware.link import WANTED, TrayEnd
from patience import patience


class PtyTray:
    """A board on a pseudo-terminal, whose device path is a symbolic link that can be taken away and made anew."""

    def __init__(self, path: Path, board: str = "E6616408432A1B2C", clock: MonotonicClock | None = None) -> None:
        self.path = path
        self.board = board
        self.clock = clock or MonotonicClock()
        self.boots = 0
        self.lamps: list[dict[str, Any]] = []
        self.feedback: list[dict[str, Any]] = []
        self.mute = False
        self._master = -1
        self._timer: asyncio.TimerHandle | None = None
        self.boot()

    def boot(self) -> None:
        """Reset the board: everything in its memory is gone."""
        self.boots += 1
        hello = {"fw": "0.1.0", "id": self.board}
        self.end = TrayEnd(hello, f"{self.boots:08x}", self.clock.now_ms(), trace=50)

    def plug(self, path: Path | None = None) -> None:
        """Put the cable in; the port may have another name now."""
        self.path = path or self.path
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)
        asyncio.get_running_loop().add_reader(self._master, self._readable)
        self.pump()

    def unplug(self) -> None:
        """Pull the cable."""
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1
            self.path.unlink()
        if self._timer is not None:
            self._timer.cancel()

    def write(self, data: bytes) -> None:
        """Noise on the line."""
        os.write(self._master, data)

    def event(self, **body: Any) -> int | None:
        """An event of the tray; its sequence, or None if it was refused."""
        sequence = self.end.event(body, self.clock.now_ms())
        self.pump()
        return sequence

    def _readable(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        except OSError:  # nobody has the other end open: look again later, or this would spin
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._master)
            loop.call_later(0.005, self._listen, self._master)
            return
        if not self.mute:
            self._handle(self.end.feed(data, self.clock.now_ms()))
            self.pump()

    def _listen(self, master: int) -> None:
        if master == self._master:
            asyncio.get_running_loop().add_reader(master, self._readable)

    def _handle(self, items: list[Any]) -> None:
        for what, _, body in items:
            if what == WANTED:
                self.end.snapshot({"pads": {"A": None}}, self.clock.now_ms())
            elif what == "F":
                self.lamps.append(body)
            elif what == "B":
                self.feedback.append(body)
            elif what == "C":
                self.end.event({"e": "answer", "id": body["id"], "echo": body}, self.clock.now_ms())

    def pump(self) -> None:
        """Say what there is to say, and come back when there is more."""
        if self._master < 0:
            return
        now_ms = self.clock.now_ms()
        self._handle(self.end.tick(now_ms))
        while not self.mute and (line := self.end.take(now_ms)) is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, line)
        if self._timer is not None:
            self._timer.cancel()
        due = self.clock.seconds(self.end.due_ms(now_ms) + 1)
        self._timer = asyncio.get_running_loop().call_later(due, self.pump)


@contextlib.asynccontextmanager
async def running(*links: Any) -> AsyncIterator[None]:
    """Run these links (or `Trays`) and stop them at the end."""
    tasks = [asyncio.create_task(link.run()) for link in links]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(condition: Any, seconds: float = 10) -> None:
    """Wait until the condition holds; fails after the deadline."""
    async with asyncio.timeout(patience(seconds)):
        while not condition():
            await asyncio.sleep(0.002)
