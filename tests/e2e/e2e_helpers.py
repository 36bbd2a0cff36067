"""The whole way: discs on the simulated PN532, the firmware on the real interpreter, serial, service, strip."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ordertray import rules
from ordertray.demo.hand import Hand
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.link import BoardSpec
from ordertray.rules import Army, Options, Seat
from ordertray.service.table_service import Notice, TableService
from ordertray.sim.tray import VirtualTray
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens
from patience import patience

A, B = Seat

# Pixels of a side by what they say (lights/layout.py is the truth; a test there compares).
GROUP_1, LIEUTENANT, TACTICAL, TURN = slice(0, 10), slice(10, 12), slice(12, 14), 14
GROUP_2, IMPETUOUS, ARO, RETREAT, LOSS = slice(16, 26), slice(26, 28), slice(28, 30), 30, 31


@dataclass
class TableTop:
    """A running tray and service, and the hands at it."""

    tray: VirtualTray
    service: TableService
    hand: Hand
    running: asyncio.Task[None]

    async def shows(self, seat: Seat, what: slice | int, *wanted: str) -> None:
        """Wait until those pixels show one of the wanted colours; fails with what they show instead."""
        await self.tray.wait_for_async(
            lambda: self.tray.colours(seat)[what] in wanted, 5.0, f"pixels {what} of {seat} to show {wanted}"
        )

    async def tap(self, seat: Seat, kind: TokenKind, group: int | None = None, number: int = 0) -> Notice:
        """Tap one of a player's discs on its own pad."""
        return await self.hand.tap(seat, self.hand.discs(seat, kind, group)[number].uid)

    async def tag(self, seat: Seat, trooper: str) -> Notice:
        """Tap a trooper's tag on its player's pad."""
        return await self.hand.tap(seat, self.hand.tag(seat, trooper).uid)


@contextlib.asynccontextmanager
async def table_top(
    folder: Path, armies: Mapping[Seat, Army], *, pace: Pace = Pace.EXPRESS, options: Options | None = None
) -> AsyncIterator[TableTop]:
    """A new game on a virtual tray whose firmware runs on the real MicroPython interpreter."""
    tokens = {seat: virtual_tokens(army, str(seat)) for seat, army in armies.items()}
    async with VirtualTray(interpreter="micropython") as tray:
        with contextlib.closing(Journal.open(folder / "record.sqlite3")) as journal:
            service = TableService(journal, wall_ms=lambda: 0, specs=[BoardSpec(url=tray.url)])
            number, table = store.begin(
                journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=pace, at_ms=0, options=options
            )
            service.begin(number, table)
            running = asyncio.create_task(service.run())
            try:
                assert service.trays is not None
                await asyncio.wait_for(service.trays.links[0].wait_online(), patience(15))
                yield TableTop(tray, service, Hand(tray, service), running)
            finally:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
