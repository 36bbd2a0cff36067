"""Clocks: they run for whoever the game waits for, in both paces; undo gives time back; they warn once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordertray.rules import Seat
from ordertray.table import Pace
from ordertray.table.waiting import waits_for
from ordertray.tokens.model import TokenKind
from ordertray.web.showing.clocks import Clocks
from patience import patience
from table.table_helpers import Players, players
from web.web_helpers import Served, run

A, B = Seat
MINUTE = 60_000


class Timed:
    """A game with clocks; `after` lets time pass."""

    def __init__(
        self, pace: Pace, limit_ms: int = 10 * MINUTE, round_limit_ms: int | None = None, warn_ms: int = 0
    ) -> None:
        self.game: Players = players(pace=pace)
        self.clocks = Clocks(limit_ms=limit_ms, round_limit_ms=round_limit_ms, warn_ms=warn_ms)
        self.now_ms = 0
        self.clocks.follow(self.game.table, 0)

    def after(self, span_ms: int) -> None:
        """Time passes, and the clocks hear of the table."""
        self.now_ms += span_ms
        self.clocks.follow(self.game.table, self.now_ms)

    def used(self) -> tuple[int, int]:
        """What both have used, in ms."""
        view = self.clocks.view(self.now_ms)
        assert view is not None
        return view["used_ms"]["A"], view["used_ms"]["B"]


def test_in_express_an_open_window_nobody_reacts_to_costs_the_active_player() -> None:
    at = Timed(Pace.EXPRESS)
    at.game.to_orders()
    at.after(0)
    for _ in range(6):
        at.game.tap(A, TokenKind.REGULAR, group=1)
        at.after(2000)
    assert at.used() == (12_000, 0)


def test_in_express_the_reactive_clock_runs_from_the_first_aro_to_the_end_of_the_window() -> None:
    at = Timed(Pace.EXPRESS)
    at.game.to_orders()
    at.after(0)
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(1000)
    at.game.tag(B, "b2")
    at.after(0)
    at.after(3000)
    at.game.press(B, "pass")
    at.after(0)
    at.after(500)
    assert at.used() == (1500, 3000)
    at.game.press(A, "short")  # the second window: nobody has reacted in this one
    at.after(0)
    at.after(700)
    assert at.used() == (2200, 3000)


def test_who_asks_for_aros_waits_on_the_other_clock() -> None:
    at = Timed(Pace.EXPRESS)
    at.game.to_orders()
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    assert at.game.press(A, "aro").accepted
    at.after(0)
    at.after(4000)
    assert at.used() == (0, 4000)
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    at.after(100)
    assert at.used() == (100, 4000)


def test_in_full_an_open_window_is_the_reactive_players() -> None:
    at = Timed(Pace.FULL)
    at.game.to_orders()
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    at.after(1000)
    at.game.press(A, "basic")
    at.after(0)
    at.after(2000)
    at.game.press(B, "pass")
    at.after(0)
    at.after(300)
    assert at.used() == (1300, 2000)


@pytest.mark.parametrize("pace", list(Pace))
def test_undo_gives_the_time_back_to_both(pace: Pace) -> None:
    at = Timed(pace)
    at.game.to_orders()
    at.after(0)
    at.after(5000)
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    before = at.used()
    at.after(1000)
    at.game.press(A, "basic")
    at.after(0)
    at.game.tag(B, "b2")
    at.after(0)
    at.after(9000)
    at.game.hold(B, "pass")
    at.after(0)
    at.game.hold(A, "pass")
    at.after(0)
    at.game.hold(A, "pass")
    at.after(0)
    assert at.used() == before == (5000, 0)


@pytest.mark.parametrize("pace", list(Pace))
def test_a_restart_keeps_the_clocks_stands_still_and_still_gives_time_back(pace: Pace) -> None:
    at = Timed(pace, round_limit_ms=90 * MINUTE)
    at.game.to_orders()
    at.after(0)
    at.after(2000)
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    at.after(3000)
    kept = at.clocks.kept(at.now_ms)
    back = Clocks.from_kept(kept, 900_000)
    back.follow(at.game.table, 900_000)
    view = back.view(950_000)
    assert view is not None and view["paused"] and view["used_ms"] == {"A": 5000, "B": 0}
    assert view["round"] == {"limit_ms": 90 * MINUTE, "used_ms": 5000, "on": True}
    back.pause(False, 950_000)
    at.game.hold(A, "pass")
    back.follow(at.game.table, 951_000)
    view = back.view(951_000)
    assert view is not None and view["used_ms"] == {"A": 2000, "B": 0}


def test_a_pause_stops_every_clock() -> None:
    at = Timed(Pace.EXPRESS, round_limit_ms=MINUTE)
    at.game.to_orders()
    at.after(0)
    at.after(1000)
    at.clocks.pause(True, at.now_ms)
    at.after(50_000)
    at.clocks.pause(False, at.now_ms)
    at.after(500)
    view = at.clocks.view(at.now_ms)
    assert view is not None and (at.used(), view["round"]["used_ms"]) == ((1500, 0), 1500)


def test_a_clock_warns_once_at_its_time_and_again_when_time_was_given_back() -> None:
    at = Timed(Pace.EXPRESS, limit_ms=10_000, warn_ms=4000)
    at.game.to_orders()
    at.after(0)
    assert at.clocks.next_warning_ms(at.now_ms) == 6000
    at.after(5999)
    assert at.clocks.warn(at.now_ms) == []
    at.game.tap(A, TokenKind.REGULAR, group=1)
    at.after(0)
    at.after(1)
    assert at.clocks.warn(at.now_ms) == ["A"]
    assert at.clocks.warn(at.now_ms) == [] and at.clocks.next_warning_ms(at.now_ms) is None
    at.game.hold(A, "pass")
    at.after(2000)
    assert at.clocks.warn(at.now_ms) == [] and at.clocks.next_warning_ms(at.now_ms) == 1


def test_nobody_waits_before_the_first_turn_and_the_next_player_between_turns() -> None:
    game = players()
    assert waits_for(game.table) is None
    game.to_orders()
    game.end_turn()
    assert waits_for(game.table) is B
    assert Clocks().view(5) is None


@given(st.lists(st.tuples(st.integers(0, 5000), st.sampled_from(["disc", "aro", "undo", "pause", "run"])), max_size=25))
def test_clocks_never_count_more_than_has_passed(steps: list[tuple[int, str]]) -> None:
    at = Timed(Pace.EXPRESS)
    at.game.to_orders()
    for gap_ms, what in steps:
        at.after(gap_ms)
        if what == "disc":
            at.game.tap(A, TokenKind.REGULAR, group=1)
        elif what == "aro":
            at.game.press(B, "aro")
        elif what == "undo":
            at.game.hold(A, "pass")
        else:
            at.clocks.pause(what == "pause", at.now_ms)
        at.after(0)
    assert 0 <= sum(at.used()) <= at.now_ms


def test_a_warning_is_on_the_lamps_and_on_the_page(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        keeper = page.opened.page.clocks
        keeper.change(limit_ms=10 * MINUTE)
        await page.to_orders()
        assert page.service.frame is not None and page.service.frame.a[14].effect == "s"
        keeper.change(warn_ms=10 * MINUTE)
        async with asyncio.timeout(patience(10)):
            while page.service.frame.a[14].effect != "q":
                await asyncio.sleep(0.01)
        clock = page.opened.page.state("public", "en")["clock"]
        assert clock["warned"] == ["A"] and clock["warn_ms"] == 10 * MINUTE

    run(story, tmp_path)
