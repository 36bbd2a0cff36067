"""From a disc on the emulated PN532 to the light of a pixel, through MicroPython's own image on an emulated RP2040."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from e2e.e2e_helpers import ARO, GROUP_1, TURN
from ordertray import rules
from ordertray.demo.hand import Hand
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.link import BoardSpec
from ordertray.rules import Army, Seat, Trooper
from ordertray.service.table_service import TableService
from ordertray.sim.pico import EmulatedClock, EmulatedPico, run_with
from ordertray.sim.tray import VirtualTray
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens
from patience import patience
from pico.pico_helpers import flashed_pico

pytestmark = pytest.mark.pico
A, B = Seat


def army(letter: str) -> Army:
    """Four Regulars in one group."""
    return Army(letter, 100, tuple(Trooper(f"{letter}{n}", cost=20, lieutenant=n == 1) for n in range(1, 5)))


@contextlib.asynccontextmanager
async def table(pico: EmulatedPico, folder: Path) -> AsyncIterator[Hand]:
    """A new game with the service, in the Pico's time."""
    armies = {A: army("a"), B: army("b")}
    tokens = {seat: virtual_tokens(army, str(seat)) for seat, army in armies.items()}
    with contextlib.closing(Journal.open(folder / "record.sqlite3")) as journal:
        service = TableService(journal, wall_ms=lambda: 0, specs=[BoardSpec(url=pico.url)], clock=EmulatedClock(pico))
        number, game = store.begin(
            journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=Pace.EXPRESS, at_ms=0, options=None
        )
        service.begin(number, game)
        running = asyncio.create_task(service.run())
        try:
            assert service.trays is not None
            await asyncio.wait_for(service.trays.links[0].wait_online(), patience(10))
            yield Hand(cast(VirtualTray, pico), service)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


async def shows(pico: EmulatedPico, side: str, what: slice | int, *wanted: str) -> None:
    """Wait until those pixels show one of the wanted colours."""
    for _look in range(400):
        if pico.colours(side)[what] in wanted:
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"pixels {what} of {side}: {pico.colours(side)}, not {wanted}")


@pytest.mark.parametrize("chip", ["pn532", "mfrc522"])
def test_a_turn_of_tap_window_and_second_tap(tmp_path: Path, chip: str) -> None:
    with flashed_pico(config={"readers": [{"pad": "A", "chip": chip}, {"pad": "B", "chip": "pn532"}]}) as pico:

        async def story() -> None:
            async with table(pico, tmp_path) as hand:
                await hand.hold(A, "ok")
                await shows(pico, A, GROUP_1, "gggg......")
                await shows(pico, A, TURN, "w")

                await hand.tap(A, hand.discs(A, TokenKind.REGULAR, 1)[0].uid)
                await shows(pico, B, ARO, "cc", "c.", ".c")
                lit = [sum(pixel) for pixel in pico.pixels(A)[GROUP_1]]
                assert lit[2] > lit[3] > 0  # the spent order is dim

                await hand.tap(B, hand.tag(B, "b2").uid)
                await hand.press(B, "pass")
                await shows(pico, B, ARO, "..")

                refused = await hand.tap(B, hand.discs(B, TokenKind.REGULAR, 1)[0].uid)  # not B's turn
                assert refused.outcome is not None and refused.outcome.refusal is not None
                low = [tone for tone in pico.tones if tone < 400]
                assert low, pico.tones

        run_with(pico, story)
        assert pico.problems == []
        assert pico.boots == 1
