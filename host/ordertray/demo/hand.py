"""A hand at the virtual tray: lays discs down, presses buttons, and waits until the table has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..rules import Seat
from ..service.table_service import Notice, TableService
from ..sim.tray import VirtualTray
from ..table.seating import HOLDABLE
from ..tokens.model import Token, TokenKind

#: A touch that the table has not answered by then is a fault of ours.
PATIENCE_S = 10.0
#: Longer than the firmware needs to call a press a hold.
FIRMWARE_HOLD_S = 1.0
HOLD_MS = 1150
PRESS_MS = 60
#: A hand is not quicker than this: a disc stays so long after the lamp has changed, and the pad is empty so long.
LINGER_S = 0.12
#: Discs that take turns faster than this look to a reader like two that lie there together.
REST_S = 0.5

UNKNOWN_UID = "04DECAF0C0FFEE"


class Hand:
    """Both players' hands. `discs` are those that lie beside the tray, by seat."""

    def __init__(self, tray: VirtualTray, service: TableService) -> None:
        self.tray = tray
        self.service = service
        self._answer: asyncio.Future[Notice] | None = None
        self._wanted: dict[str, object] = {}
        self._lately: dict[Seat, list[str]] = {seat: [] for seat in Seat}
        self._forget = service.listen(self._heard)

    def close(self) -> None:
        """Let go of the table."""
        self._forget()

    def _heard(self, notice: Notice) -> None:
        cause = notice.cause or {}
        if self._answer is None or self._answer.done() or notice.what not in ("position", "refused", "noted"):
            return
        if all(cause.get(key) == value for key, value in self._wanted.items()):
            self._answer.set_result(notice)

    async def _answered(self, do: Callable[[], None], **wanted: object) -> Notice:
        self._answer = asyncio.get_running_loop().create_future()
        self._wanted = {"by": "tap", **wanted}
        do()
        try:
            return await asyncio.wait_for(self._answer, PATIENCE_S)
        except TimeoutError:
            raise RuntimeError(f"the table did not answer {wanted} within {PATIENCE_S} s") from None

    async def tap(self, pad: Seat, uid: str) -> Notice:
        """Lay a disc on a pad, and take it away when the table has answered."""
        if uid in self._lately[pad][-2:]:
            await asyncio.sleep(REST_S)
        self._lately[pad].append(uid)
        notice = await self._answered(lambda: self.tray.place(pad, uid), uid=uid)
        await asyncio.sleep(LINGER_S)
        self.tray.remove(pad, uid)
        await asyncio.sleep(LINGER_S)
        return notice

    async def press(self, side: Seat, button: str) -> Notice:
        """Press a button shortly."""
        edge = "up" if button in HOLDABLE else "down"
        return await self._answered(lambda: self.tray.click(side, button, PRESS_MS), button=button, edge=edge)

    async def hold(self, side: Seat, button: str) -> Notice:
        """Hold a button for its second function, and let it go."""
        notice = await self._answered(lambda: self.tray.hold(side, button, HOLD_MS), button=button, edge="hold")
        await asyncio.sleep(HOLD_MS / 1000 - FIRMWARE_HOLD_S + LINGER_S)
        return notice

    def discs(self, seat: Seat, kind: TokenKind, group: int | None = None) -> list[Token]:
        """The discs of one kind that a player has."""
        assert self.service.table is not None
        return [
            token
            for token in self.service.table.tokens
            if token.owner == seat and token.kind is kind and group in (None, token.group)
        ]

    def tag(self, seat: Seat, trooper: str) -> Token:
        """The tag of a trooper."""
        return next(token for token in self.discs(seat, TokenKind.TROOPER) if token.trooper == trooper)
