"""UNDO takes back the last touch, whatever it came to; so does a table that was resumed from its record."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.rules import Seat, actions
from ordertray.table import Pace, Step, act
from ordertray.table.meaning import replayed
from ordertray.tokens.model import TokenKind
from table.table_helpers import AWARE, IMPETUOUS, IRREGULAR, NCO, Players, army, lines, players

A, B = Seat


def test_pass_held_takes_back_a_touch_of_several_actions() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    before = game.game
    game.tap(A, TokenKind.REGULAR, group=1)
    outcome = game.hold(A, "pass")
    assert (outcome.signal, lines(outcome)) == ("undo", ["A undo"] * 5 + ["undo"])
    assert game.game == before
    assert game.game.position > before.position  # a press made before is stale now


def test_undo_goes_back_to_the_very_beginning_and_no_further() -> None:
    game = players()
    start = game.game
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    while game.table.touches:
        assert game.hold(A, "pass").accepted
    assert game.game == start
    refusal = game.hold(A, "pass").refusal
    assert refusal is not None and refusal.rule == "ACT-18"


def test_a_corrected_label_is_a_touch_of_its_own() -> None:
    game = players()
    game.to_orders()
    before = game.game
    game.tap(A, TokenKind.REGULAR, group=1)
    game.tag(B, "b2")
    announced = game.game
    assert lines(game.press(A, "long")) == ["undo", "A undo", "A skill long", "B aro b2"]
    game.hold(A, "pass")
    assert game.game == announced
    game.hold(B, "pass")
    game.hold(A, "pass")
    assert game.game == before


def test_undo_from_the_page_is_the_same_undo() -> None:
    game = players()
    game.to_orders()
    before = game.game
    game.tap(A, TokenKind.REGULAR, group=1)
    assert act(game.table, actions.Undo()).table.game == before


def test_a_record_that_does_not_say_whose_touches_they_were_is_resumed_all_the_same() -> None:
    """As records before this meaning: whole touches by their numbers, a corrected label part of its order."""
    game = players()
    first = game.table
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(A, "ok")
    recorded = [
        (number, replace(step, made=None, back=""))
        for number, outcome in enumerate(game.outcomes)
        for step in outcome.steps
    ]
    resumed = Players(replayed(first, recorded))
    counts = [made.count for made in game.table.touches]
    assert resumed.game == game.game and [made.count for made in resumed.table.touches] == counts
    for _ in counts:
        assert resumed.hold(A, "pass").accepted
    assert resumed.game == first.game


_KINDS = tuple(kind.value for kind in TokenKind)
_TOUCHES = st.lists(
    st.tuples(
        st.sampled_from([A, B]),
        st.sampled_from(
            ["basic", "short", "long", "aro", "pass", "ok", "hold ok", "hold pass", "hold short", "tag", *_KINDS]
        ),
        st.integers(0, 7),
    ),
    max_size=40,
)


def _play(game: Players, seat: Seat, what: str, number: int) -> None:
    if what.startswith("hold"):
        game.hold(seat, what.split()[1])
    elif what == "tag":
        troopers = game.game.army(seat).troopers
        game.tag(seat, troopers[number % len(troopers)].id)
    elif what in _KINDS:
        discs = [token for token in game.table.tokens if token.owner == seat and token.kind.value == what]
        if discs:
            disc = discs[number % len(discs)]
            game.tap(seat, TokenKind(what), group=disc.group, number=disc.number, trooper=disc.trooper)
    else:
        game.press(seat, what)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(_TOUCHES, st.sampled_from(Pace))
def test_any_touches_never_break_the_table_and_every_touch_can_be_taken_back(
    touches: list[tuple[Seat, str, int]], pace: Pace
) -> None:
    game = players(a=army(IRREGULAR, IMPETUOUS, NCO, prefix="a"), b=army(AWARE, prefix="b"), pace=pace)
    first = game.table
    game.hold(A, "ok")
    recorded: list[tuple[int, Step]] = []
    for seat, what, which in touches:
        before = game.table
        _play(game, seat, what, which)
        if game.outcomes[-1].refusal is not None:
            assert game.table.game is before.game
        elif len(game.table.touches) > len(before.touches):
            back = Players(game.table)
            whose = game.table.touches[-1].seat or A
            if back.table.waits(whose) is not None:
                back.hold(whose, "pass")
            assert back.hold(whose, "pass").accepted
            assert back.game == before.game
            assert back.table.played == before.played
    for number, outcome in enumerate(game.outcomes):
        recorded += [(number, step) for step in outcome.steps]
    resumed = replayed(first, recorded)
    assert (resumed.game, resumed.touches, resumed.played) == (game.game, game.table.touches, game.table.played)
