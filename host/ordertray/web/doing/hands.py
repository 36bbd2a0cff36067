"""The hands at a virtual tray: clicks on the page become discs laid down and buttons pressed. Nothing goes around the
firmware: the table hears of a click as it hears of a tap on a real tray.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...rules import Seat
from ...service.table_service import Notice, TableService
from ...table import BUTTONS
from ...table.seating import HOLDABLE

#: Longer than the firmware needs to call a press a hold (1 s); shorter than its debouncing a press is not seen.
HOLD_S = 1.15
PRESS_S = 0.06
#: A finger that forgets its button (a page closed while pressing) lets go by itself.
FORGOTTEN_S = 4.0
#: A hand is not quicker than this: a disc stays so long after the table has answered, and the pad is empty so long.
LINGER_S = 0.12
#: The same disc again that fast would look to the reader as if it had never been taken away.
REST_S = 0.5
#: What a touch is given to be answered. The firmware may refuse to hand it on (offline): then nothing answers.
PATIENCE_S = 3.0
#: Touches that wait for one pad.
MOST_WAITING = 3


class Tray(Protocol):
    """What the hands need of a `VirtualTray`."""

    def place(self, pad: str, uid: str) -> None:
        """Lay a disc down."""

    def remove(self, pad: str, uid: str) -> None:
        """Take it away."""

    def press(self, side: str, button: str) -> None:
        """Push a button down."""

    def release(self, side: str, button: str) -> None:
        """Let it go."""


class BusyError(Exception):
    """Too many touches wait for this pad."""


@dataclass
class _Pad:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    lately: deque[str] = field(default_factory=lambda: deque(maxlen=2))


class Hands:
    """Both players' hands at one virtual tray."""

    def __init__(self, tray: Tray, service: TableService) -> None:
        self._tray = tray
        self._service = service
        self._pads = {seat: _Pad() for seat in Seat}
        self._down: dict[tuple[Seat, str], tuple[float, asyncio.TimerHandle]] = {}
        self._waiting: list[tuple[Mapping[str, object], asyncio.Future[Notice | None]]] = []
        self._forget = service.listen(self._heard)
        self.turn = 0

    def close(self) -> None:
        """Let go of everything."""
        self._forget()
        for seat, button in tuple(self._down):
            self._let_go(seat, button)

    def _heard(self, notice: Notice) -> None:
        self.answered(notice.cause or {}, notice)

    def answered(self, cause: Mapping[str, object], notice: Notice | None = None) -> None:
        """Somebody has dealt with the touch that `cause` describes: the table, or an enrolment."""
        for wanted, future in self._waiting:
            if not future.done() and all(cause.get(key) == value for key, value in wanted.items()):
                future.set_result(notice)

    @contextlib.contextmanager
    def _expected(self, **wanted: object) -> Iterator[asyncio.Future[Notice | None]]:
        future: asyncio.Future[Notice | None] = asyncio.get_running_loop().create_future()
        entry = (wanted, future)
        self._waiting.append(entry)
        try:
            yield future
        finally:
            self._waiting.remove(entry)

    async def _answer(self, future: asyncio.Future[Notice | None]) -> Notice | None:
        try:
            return await asyncio.wait_for(future, PATIENCE_S)
        except TimeoutError:
            return None

    async def tap(self, pad: Seat, uid: str) -> Notice | None:
        """Lay a disc on a pad and take it away again; what the table made of it, None if it did not answer.

        Raises `BusyError` if too many wait for the pad.
        """
        place = self._pads[pad]
        if place.waiting >= MOST_WAITING:
            raise BusyError
        place.waiting += 1
        try:
            async with place.lock:
                if uid in place.lately:
                    await asyncio.sleep(REST_S)
                place.lately.append(uid)
                self.turn += 1
                with self._expected(uid=uid) as future:
                    self._tray.place(str(pad), uid)
                    try:
                        notice = await self._answer(future)
                        await asyncio.sleep(LINGER_S)
                    finally:
                        self._tray.remove(str(pad), uid)
                await asyncio.sleep(LINGER_S)
                return notice
        finally:
            place.waiting -= 1

    def press(self, side: Seat, button: str) -> None:
        """Push a button down until `release`, or until it has been forgotten."""
        self._let_go(side, button)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(FORGOTTEN_S, self._let_go, side, button)
        self._down[side, button] = (loop.time(), timer)
        self._tray.press(str(side), button)

    def release(self, side: Seat, button: str) -> None:
        """Let a button go; not sooner than a finger could, or the firmware takes the press for a bounce."""
        if (pressed := self._down.get((side, button))) is None:
            return
        at_s, timer = pressed
        loop = asyncio.get_running_loop()
        rest_s = at_s + PRESS_S - loop.time()
        if rest_s <= 0:
            self._let_go(side, button)
            return
        timer.cancel()
        self._down[side, button] = (at_s, loop.call_later(rest_s, self._let_go, side, button))

    def _let_go(self, side: Seat, button: str) -> None:
        pressed = self._down.pop((side, button), None)
        if pressed is not None:
            pressed[1].cancel()
            self._tray.release(str(side), button)

    async def click(self, side: Seat, button: str, *, hold: bool = False) -> Notice | None:
        """Press a button shortly, or hold it for its second function; what the table made of it, None if nothing."""
        edge = "hold" if hold else "up" if button in HOLDABLE else "down"
        with self._expected(button=button, edge=edge) as future:
            self.press(side, button)
            await asyncio.sleep(HOLD_S if hold else PRESS_S)
            self.release(side, button)
            return await self._answer(future)


__all__ = ["BUTTONS", "BusyError", "Hands", "Tray"]
