"""Express pace: one touch an order is enough, every further touch adds a check."""

from __future__ import annotations

import pytest

from ordertray.rules import Seat, actions, public_view
from ordertray.table import act, explain_touch
from ordertray.tokens.model import TokenKind
from table.table_helpers import AWARE, IMPETUOUS, IRREGULAR, NCO, army, lines, players, pool

A, B = Seat


def test_one_touch_spends_the_order_and_opens_the_other_sides_window() -> None:
    game = players()
    game.to_orders()
    outcome = game.tap(A, TokenKind.REGULAR, group=1)
    assert lines(outcome) == ["A spend regular g1", "A skill basic"]
    assert pool(game, A, 1) == 5
    assert public_view(game.game)["order"]["aro"]["open"]


def test_the_next_disc_closes_whatever_is_open_and_starts_the_next_order() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    outcome = game.tap(A, TokenKind.REGULAR, group=2)
    assert lines(outcome) == ["B pass", "A end", "A resolve", "A done", "A spend regular g2", "A skill basic"]
    assert (pool(game, A, 1), pool(game, A, 2)) == (5, 1)


def test_a_whole_turn_costs_one_touch_an_order_and_two_holds() -> None:
    game = players()
    game.hold(A, "ok")
    for group, count in ((1, 6), (2, 2)):
        for _ in range(count):
            assert game.tap(A, TokenKind.REGULAR, group=group).accepted
    game.tap(A, TokenKind.LIEUTENANT)
    game.hold(A, "ok")
    assert len(game.outcomes) == 11
    assert game.game.next_seat is B


def test_a_dry_pool_refuses_and_leaves_the_open_order_as_it_was() -> None:
    game = players()
    game.to_orders()
    for _ in range(2):
        game.tap(A, TokenKind.REGULAR, group=2)
    before = game.game
    outcome = game.tap(A, TokenKind.REGULAR, group=2)
    assert outcome.refusal is not None and outcome.refusal.rule == "ORD-17"
    assert outcome.signal == "refused"
    assert game.game == before and game.game.position == before.position


def test_a_reactive_troopers_tag_is_its_aro_and_pass_closes_the_window() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    assert lines(game.tag(B, "b3")) == ["B aro b3"]
    refusal = game.tag(B, "b3").refusal
    assert refusal is not None and refusal.rule == "ACT-07"
    assert lines(game.press(B, "pass")) == ["B pass"]
    refusal = game.tag(B, "b4").refusal
    assert refusal is not None and refusal.rule == "ACT-05"


def test_the_aro_button_reacts_without_naming_anyone() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    assert lines(game.press(B, "aro")) == ["B aro"]


def test_a_tag_before_or_after_the_disc_says_who_acts() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    assert lines(game.tag(A, "a2")) == ["A trooper a2"]
    assert lines(game.tag(A, "a3")) == []  # kept for the next order
    assert lines(game.tap(A, TokenKind.REGULAR, group=1))[-2:] == ["A spend regular g1 a3", "A skill basic"]
    assert public_view(game.game)["order"]["trooper"] == "a3"


def test_after_the_window_a_label_is_the_second_skill() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(B, "pass")
    assert lines(game.press(A, "short")) == ["A skill short"]
    assert lines(game.press(A, "ok")) == ["B pass", "A resolve", "A done"]


@pytest.mark.parametrize(
    ("trooper", "kind", "line"),
    [
        (IRREGULAR, TokenKind.IRREGULAR, "A spend irregular wild"),
        (AWARE, TokenKind.TACTICAL, "A spend tactical aware"),
    ],
)
def test_the_disc_of_an_own_order_knows_its_owner(trooper, kind, line) -> None:  # type: ignore[no-untyped-def]
    game = players(a=army(trooper, prefix="a"))
    game.to_orders()
    assert lines(game.tap(A, kind)) == [line, "A skill basic"]


def test_the_lieutenants_disc_is_the_lieutenants_or_an_ncos_tapped_before() -> None:
    game = players(a=army(NCO, prefix="a"))
    game.to_orders()
    game.tag(A, "serge")
    assert lines(game.tap(A, TokenKind.LIEUTENANT))[0] == "A spend lieutenant serge"
    assert public_view(game.game)["seats"]["A"]["lieutenant"]["trooper"] is None  # LOL-05
    game.hold(A, "pass")
    game.tap(A, TokenKind.LIEUTENANT)
    assert public_view(game.game)["seats"]["A"]["lieutenant"]["trooper"] == "a1"


def test_the_impetuous_phase_is_played_where_somebody_is_impetuous_and_skipped_where_nobody_is() -> None:
    game = players(a=army(IMPETUOUS, prefix="a"))
    game.hold(A, "ok")
    game.hold(A, "ok")
    assert game.game.state.phase == "impetuous"
    refusal = game.tap(A, TokenKind.REGULAR, group=1).refusal
    assert refusal is not None and refusal.rule == "SEQ-04"
    assert lines(game.tap(A, TokenKind.IMPETUOUS))[0] == "A spend impetuous rush"
    assert game.tap(A, TokenKind.REGULAR, group=1).accepted
    assert game.game.state.phase == "orders"
    nobody = players()
    nobody.hold(A, "ok")
    nobody.hold(A, "ok")
    assert nobody.game.state.phase == "orders"


def test_right_after_the_first_count_the_second_player_has_its_moment() -> None:
    """CMD-02: then, and never again. An order disc does not wait; nor does OK held where the token has been used."""
    game = players()
    game.hold(A, "ok")
    assert game.game.state.step == "order-count"
    assert act(game.table, actions.UseToken(B, "cap")).accepted
    assert game.tap(A, TokenKind.REGULAR, group=1).accepted and game.game.state.phase == "orders"


def test_in_loss_of_lieutenant_a_regular_disc_spends_its_troopers_own_order() -> None:
    game = players()
    game.tap(A, TokenKind.STATE)
    game.tag(A, "a1")
    game.to_orders()
    assert game.game.side(A).loss_of_lieutenant
    assert lines(game.tap(A, TokenKind.REGULAR, group=1, number=2))[0] == "A spend irregular a2"
    refusal = game.tap(A, TokenKind.REGULAR, group=1, number=2).refusal
    assert refusal is not None and refusal.rule == "ORD-03"
    assert explain_touch(refusal) == "Disc 2 is a2, who has no order left. Of group 1 the discs 3, 4, 5, 6 are left."


def test_a_new_lieutenant_is_named_by_its_tag_and_the_lieutenants_disc() -> None:
    game = players()
    game.tap(A, TokenKind.STATE)
    game.tag(A, "a1")
    game.to_orders()
    game.hold(A, "ok")
    assert game.game.state.phase == "orders"  # orders are left: a second hold means it
    game.hold(A, "ok")
    assert game.game.state.phase == "states"  # somebody must be named first
    refusal = game.hold(A, "ok").refusal
    assert refusal is not None and refusal.rule == "LOL-03"
    game.tag(A, "a4")
    assert lines(game.tap(A, TokenKind.LIEUTENANT)) == ["A lieutenant a4"]
    assert game.hold(A, "ok").accepted and game.game.next_seat is B


def test_state_disc_and_trooper_go_round_unconscious_dead_and_well() -> None:
    game = players()
    said = []
    for _ in range(3):
        game.tap(B, TokenKind.STATE)
        said += lines(game.tag(B, "b2"))
    assert said == ["B state b2 unconscious", "B state b2 dead", "B clear b2 dead"]


def test_command_disc_and_irregular_disc_convert_the_order() -> None:
    game = players(a=army(IRREGULAR, prefix="a"))
    game.to_orders()
    game.tap(A, TokenKind.COMMAND)
    assert lines(game.tap(A, TokenKind.IRREGULAR)) == ["A token convert wild"]
    assert pool(game, A, 1) == 7
    assert lines(game.tap(A, TokenKind.IRREGULAR))[0] == "A spend regular g1 wild"


def test_a_disc_tapped_on_the_other_pad_still_belongs_to_its_owner() -> None:
    game = players()
    game.to_orders()
    assert lines(game.tap(A, TokenKind.REGULAR, pad=B, group=1))[0] == "A spend regular g1"
    refusal = game.tap(B, TokenKind.REGULAR, group=1).refusal
    assert refusal is not None and refusal.rule == "SEQ-01"
