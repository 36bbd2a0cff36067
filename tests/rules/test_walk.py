"""An exhaustive walk: how many positions N actions lead to, counted from small fixed games.

The counts are an oracle: whoever changes what may be played changes them, and must say why. Two walks: through the
course of a game (orders, labels, reactions; no states, no names of skills), and through every action there is. After a
rule was mended, `PYTHONPATH=tests python tests/rules/test_walk.py` prints the new counts; look at the difference.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ordertray.rules import EDITIONS, SEATS, Action, Army, Game, Refusal, Seat, Trooper, legal_actions, new_game, play
from ordertray.rules import actions as a
from ordertray.rules.game import State
from rules.strategies_effort import THOROUGH


def small_game(edition: str) -> Game:
    """Three troopers and a peripheral against two; what the edition lacks is left out."""
    kept = EDITIONS[edition].irregular_orders
    mine = (
        Trooper("lead", cost=20, lieutenant=True, skills=frozenset({"plus-1-order"})),
        Trooper("wolf", cost=10, training="irregular" if kept else "regular", skills=frozenset({"tactical-awareness"})),
        Trooper("dog", cost=5, controller="wolf"),
        Trooper("ghost", cost=10, group=2 if kept else 1, deploy="hidden", skills=frozenset({"nco"})),
    )
    theirs = (
        Trooper("head", cost=15, lieutenant=True, skills=frozenset({"strategos-1"})),
        Trooper("fury", cost=12, skills=frozenset({"impetuous", "courage"})),
    )
    armies = {Seat.A: Army("mine", 60, mine), Seat.B: Army("theirs", 50, theirs)}
    return new_game(armies, EDITIONS[edition])


def walk(start: Game, depth: int, wanted: Callable[[Action], bool]) -> list[int]:
    """How many different positions exactly 1, 2, ... `depth` actions lead to; `undo` is left out."""
    frontier: dict[State, Game] = {start.state: start}
    counts = []
    for _ in range(depth):
        found: dict[State, Game] = {}
        for game in frontier.values():
            for seat in SEATS:
                for action in filter(wanted, legal_actions(game, seat)):
                    outcome = play(game, action)
                    assert not isinstance(outcome, Refusal)
                    found.setdefault(outcome[0].state, outcome[0])
        frontier = found
        counts.append(len(frontier))
    return counts


def of_the_course(action: Action) -> bool:
    """Whether an action is part of a game's course, with as little said as the tray needs."""
    if isinstance(action, a.DeclareSkill | a.DeclareAro):
        return action.name is None
    return not isinstance(action, a.RecordState | a.ClearState | a.Undo | a.UseToken)


def any_action(action: Action) -> bool:
    """Every action but `undo`."""
    return not isinstance(action, a.Undo)


def in_orders_phase(edition: str) -> Game:
    """The small game at A's first order."""
    game = small_game(edition)
    outcome = play(game, a.Start(Seat.A))
    while not isinstance(outcome, Refusal) and outcome[0].state.phase != "orders":
        outcome = play(outcome[0], a.Next(Seat.A))
    assert not isinstance(outcome, Refusal)
    return outcome[0]


# By hand, the first orders of n5 (fifth number): of the pool for nobody in particular, lead, or wolf; wolf's Irregular
# and Tactical ones; the Lieutenant's for lead (named or not, it is the same position); ghost's own, or ghost just
# arrives; or the phase ends: 9.
COURSE: dict[str, list[int]] = {
    "n5": [1, 1, 1, 1, 9, 33, 208, 1123, 3313, 7050, 11960, 16082],
    "n4": [1, 1, 1, 1, 8, 29, 175, 929, 2842, 6389, 11554, 16615],
    "n4-2020": [1, 1, 1, 1, 8, 29, 175, 941, 2997, 7379, 15260, 25402],
    "codeone": [1, 1, 8, 29, 167, 834, 2584, 5862, 10837, 16663],
    "codeone-2020": [1, 1, 8, 29, 167, 834, 2584, 5862, 10837, 16663],
}
EVERYTHING: dict[str, list[int]] = {
    "n5": [101, 5360],
    "n4": [100, 5207],
    "n4-2020": [100, 5207],
    "codeone": [98, 4866],
    "codeone-2020": [98, 4866],
}

#: How many of the numbers above the quick run leaves to the thorough one: the last ones take many seconds each.
LEFT_TO_THE_THOROUGH = 0 if THOROUGH else 4


@pytest.mark.parametrize("edition", EDITIONS)
def test_positions_of_the_course(edition: str) -> None:
    expected = COURSE[edition][: len(COURSE[edition]) - LEFT_TO_THE_THOROUGH]
    assert walk(small_game(edition), len(expected), of_the_course) == expected


@pytest.mark.parametrize("edition", EDITIONS)
def test_positions_of_every_action(edition: str) -> None:
    assert walk(in_orders_phase(edition), len(EVERYTHING[edition]), any_action) == EVERYTHING[edition]


if __name__ == "__main__":
    for name in EDITIONS:
        print(f'    "{name}": {walk(small_game(name), len(COURSE[name]), of_the_course)},')
    for name in EDITIONS:
        print(f'    "{name}": {walk(in_orders_phase(name), len(EVERYTHING[name]), any_action)},')
