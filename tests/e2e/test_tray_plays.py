"""From a tapped token to a lit lamp: what players see on the strips, with the real firmware in between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from e2e.e2e_helpers import ARO, GROUP_1, GROUP_2, LOSS, RETREAT, TURN, TableTop, table_top
from ordertray.rules import Army, Seat, Trooper
from ordertray.tokens.model import TokenKind
from patience import patience

A, B = Seat


def army(letter: str, first: int = 4, second: int = 1) -> Army:
    """`first` Regulars in group 1, `second` in group 2, 20 points each."""
    ones = [Trooper(f"{letter}{n}", cost=20, group=1, lieutenant=n == 1) for n in range(1, first + 1)]
    twos = [Trooper(f"{letter}{n}", cost=20, group=2) for n in range(first + 1, first + second + 1)]
    return Army(letter, 100, (*ones, *twos))


def play(folder: Path, story: Callable[[TableTop], Awaitable[None]]) -> None:
    """Run one story at a table."""

    async def work() -> None:
        async with table_top(folder, {A: army("a"), B: army("b")}) as top:
            await story(top)
            assert top.tray.problems == []

    asyncio.run(asyncio.wait_for(work(), patience(60)))


def test_pools_go_down_windows_open_and_close_and_a_dry_pool_refuses(tmp_path: Path) -> None:
    async def story(top: TableTop) -> None:
        await top.hand.hold(A, "ok")
        await top.shows(A, GROUP_1, "gggg......")
        await top.shows(A, GROUP_2, "g.........")
        await top.shows(A, TURN, "w")

        await top.tap(A, TokenKind.REGULAR, 1)
        await top.shows(A, GROUP_1, "gggg......")  # three bright, the spent one dim
        lit = [sum(pixel) for pixel in top.tray.pixels(A)[GROUP_1]]
        assert lit[2] > lit[3] > 0
        await top.shows(B, ARO, "cc", "c.", ".c")
        await top.shows(A, ARO, "..")

        await top.tag(B, "b2")
        await top.hand.press(B, "pass")
        await top.shows(B, ARO, "..")

        await top.tap(A, TokenKind.REGULAR, 2)
        await top.shows(B, ARO, "cc", "c.", ".c")
        notice = await top.tap(A, TokenKind.REGULAR, 2)  # group 2 has no order left
        assert notice.outcome is not None and notice.outcome.refusal is not None
        assert notice.outcome.refusal.rule == "ORD-17"
        await top.tray.wait_for_async(lambda: any(0 < tone < 400 for tone in top.tray.tones), 5, "a low tone")

    play(tmp_path, story)


def test_a_refused_tap_blinks_red_on_its_side_and_changes_no_order(tmp_path: Path) -> None:
    async def story(top: TableTop) -> None:
        await top.hand.hold(A, "ok")
        await top.shows(A, GROUP_1, "gggg......")
        seen: set[str] = set()

        def red() -> bool:
            seen.add(top.tray.colours(B))
            return any(set(strip) <= {"r", "."} and "r" in strip for strip in seen)

        waiting = asyncio.create_task(top.tray.wait_for_async(red, 5, "a red blink on side B"))
        await asyncio.sleep(0)
        notice = await top.tap(B, TokenKind.REGULAR, 1)  # not B's turn
        assert notice.outcome is not None and notice.outcome.refusal is not None
        await waiting
        await top.shows(A, GROUP_1, "gggg......")

    play(tmp_path, story)


def test_a_turn_that_starts_in_retreat(tmp_path: Path) -> None:
    async def story(top: TableTop) -> None:
        await top.hand.hold(A, "ok")
        for trooper in ("b1", "b2", "b3", "b4"):
            await top.tap(B, TokenKind.STATE)
            await top.tag(B, trooper)
        await top.hand.hold(A, "ok")  # it rested after the first count, where B might have used a token
        await top.hand.hold(A, "ok")
        await top.hand.hold(A, "ok")  # orders are left: a second hold means it
        await top.shows(B, RETREAT, ".")
        await top.hand.hold(B, "ok")
        await top.shows(B, RETREAT, "r")
        await top.hand.hold(B, "ok")  # the check waits for who hides to be placed
        await top.shows(B, LOSS, "o", "y")
        await top.shows(B, GROUP_1, "..........")
        await top.shows(B, GROUP_2, ".y........")
        await top.tap(B, TokenKind.REGULAR, 2)
        await top.shows(A, ARO, "cc", "c.", ".c")

    play(tmp_path, story)


def test_lamps_are_dark_after_a_clean_stop(tmp_path: Path) -> None:
    async def work() -> None:
        async with table_top(tmp_path, {A: army("a"), B: army("b")}) as top:
            await top.hand.hold(A, "ok")
            await top.shows(A, GROUP_1, "gggg......")
            tray = top.tray
            before = tray.boots
            top.running.cancel()
            await tray.wait_for_async(lambda: tray.colours(A) == "." * 32, 2, "a dark strip")
            assert tray.boots == before

    asyncio.run(asyncio.wait_for(work(), patience(60)))
