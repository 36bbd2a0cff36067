"""Full pace: every step is declared, in the order of ACT-13."""

from __future__ import annotations

from ordertray.rules import Seat, public_view
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from table.table_helpers import lines, players

A, B = Seat


def test_move_and_bs_attack_with_two_aros_take_seven_touches() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    before = len(game.outcomes)
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(A, "basic")
    game.tag(B, "b2")
    game.tag(B, "b3")
    game.press(B, "pass")
    game.press(A, "short")
    game.press(A, "ok")
    assert all(outcome.accepted for outcome in game.outcomes)
    assert len(game.outcomes) - before == 7
    assert game.game.state.order is None


def test_the_next_order_is_refused_until_the_last_is_done() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    refusal = game.tap(A, TokenKind.REGULAR, group=1).refusal
    assert refusal is not None and refusal.rule == "ACT-13"


def test_a_disc_declares_no_skill() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    assert lines(game.tap(A, TokenKind.REGULAR, group=1)) == ["A spend regular g1"]
    assert public_view(game.game)["order"]["step"] == "1.2"
    assert game.press(A, "ok").refusal is not None


def test_the_first_window_is_the_reactive_players_to_close() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(A, "basic")
    assert game.press(A, "ok").refusal is not None
    assert game.press(A, "pass").refusal is not None
    assert lines(game.press(B, "ok")) == ["B pass"]


def test_pass_on_the_active_side_is_no_second_skill() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(A, "basic")
    game.press(B, "pass")
    assert lines(game.press(A, "pass")) == ["A end"]
    assert lines(game.press(A, "ok")) == ["A resolve", "A done"]


def test_each_hold_of_ok_is_one_step() -> None:
    game = players(pace=Pace.FULL)
    said = [lines(game.hold(A, "ok")) for _ in range(7)]
    asked: list[str] = []  # orders are left: the Orders Phase takes a second hold
    assert said == [["A start"], ["A next"], ["A next"], ["A next"], asked, ["A next"], ["A next"]]
    assert game.game.next_seat is B
