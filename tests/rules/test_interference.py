"""Non-interference (INF): what is private to A shows neither to B nor to the public, whatever is played.

Two games that differ only in facts private to A are played with the same actions. All that B sees, and all that the
public sees, must be equal all the way: views, events, the line of text, position numbers, refusals, B's own choices.
The rules themselves announce some secrets; where they do, and only there, the games may part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import event as note_event
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from ordertray.games.script import Script
from ordertray.rules import (
    Action,
    Event,
    Game,
    Refusal,
    Seat,
    decide,
    each_legal_action,
    format_action,
    play,
    public_view,
    seat_view,
    summary,
    visible_events,
)
from ordertray.rules import actions as a
from ordertray.rules import events as e
from rules.strategies_actions import sensible_actions, spoken_actions
from rules.strategies_effort import effort
from rules.strategies_pairs import (
    SECRET_SKILLS,
    STAGES,
    indistinguishable_actions,
    openings,
    pairs,
    questions,
    staged_pairs,
)

_A, _B = Seat.A, Seat.B
MOST_LIEUTENANT_ORDERS = 2


def seen_by_b(game: Game) -> dict[str, Any]:
    """All that B, or anybody, may see of a game that stands."""
    return {
        "public": public_view(game),
        "own": seat_view(game, _B),
        "line": summary(game),
        "position": game.position,
        "offered": [action for action in each_legal_action(game, _B) if action is not None],
        "next": game.next_seat,
    }


def _counterintelligence(action: Action) -> bool:
    """Removing two orders: the one thing in which Counterintelligence shows, by refusing it (CMD-02)."""
    return isinstance(action, a.UseToken) and action.use == "strip" and len(action.groups) == 2


def answers(game: Game, action: Action) -> list[tuple[dict[str, Any], str]]:
    """What `ordertray play` answers to B, and to nobody in particular where nobody of A's is asked for the reason."""
    line = format_action(action)
    told = [Script(game, viewer=_B).answer(1, line)]
    if getattr(action, "seat", _B) is _B:
        told.append(Script(game).answer(1, line))
    return [(answer.data, answer.text) for answer in told if answer is not None]


def _differing(one: tuple[Event, ...], other: tuple[Event, ...]) -> tuple[Event | None, Event | None]:
    for number in range(max(len(one), len(other))):
        first = one[number] if number < len(one) else None
        second = other[number] if number < len(other) else None
        if first != second:
            return first, second
    return None, None


def _given(count: e.OrdersCounted) -> int:
    return count.lieutenant + sum(count.pools.values())


def announced_by_the_rules(one: tuple[Event, ...], other: tuple[Event, ...]) -> bool:
    """Whether the first difference between what is seen of two games is one that the rules make public."""
    match _differing(one, other):
        case (e.RetreatDeclared() | e.RetreatCancelled(), _) | (_, e.RetreatDeclared() | e.RetreatCancelled()):
            return True  # RET-01: the sum of the costs
        case (e.CounterintelligenceUsed(), _) | (_, e.CounterintelligenceUsed()):
            return True  # CMD-02: the answer to a token that is spent
        case (e.GameEnded(), _) | (_, e.GameEnded()):
            return True  # RET-07: nobody is left to come
        case e.LieutenantChecked(), e.LieutenantChecked():
            return True  # LOL-01: the Lieutenant is Null, Isolated or not deployed
        case e.OrdersCounted() as first, e.OrdersCounted() as second:
            # Which orders a Lieutenant gives: none when it is lost (LOL-01), two with an extra one, or Regular ones of
            # its group when they are swapped (ORD-20). All other orders are those of troopers on the table.
            same = replace(second, pools=first.pools, lieutenant=first.lieutenant)
            return first == same and abs(_given(first) - _given(second)) <= MOST_LIEUTENANT_ORDERS
        case e.OrderSpent(kind="lieutenant"), e.OrderSpent(kind="lieutenant"):
            return True  # LOL-05: spending its order announces the Lieutenant
        case e.Arrived(), e.Arrived():
            return True  # ORD-19: with its Tactical order
    return False


def comes_differently(one: Game, other: Game, action: Action) -> bool:
    """Whether a trooper and its peripherals come on the table otherwise than in the other game: now all may see it."""
    if not isinstance(action, a.Arrive) or action.seat is _B:
        return False
    seen = []
    for game in (one, other):
        army, side = game.army(_A), game.side(_A)
        place = army.index[action.trooper]
        coming = [(army.troopers[number], side.troopers[number]) for number in (place, *army.peripherals[place])]
        seen.append([(listed.skills - SECRET_SKILLS, state.group, state.states) for listed, state in coming])
    return seen[0] != seen[1]


@dataclass
class Pair:
    """Two games that look alike to B, played together until the rules tell them apart."""

    one: Game
    other: Game
    apart: str = ""
    """What told them apart."""

    def look(self) -> None:
        """Everything B sees is equal, and so is every refusal of both sides that B may hear of."""
        assert seen_by_b(self.one) == seen_by_b(self.other)
        for action in questions(self.one, self.other):
            first, second = decide(self.one, action), decide(self.other, action)
            if isinstance(first, Refusal) and isinstance(second, Refusal):
                if getattr(action, "seat", _B) is _B:
                    assert first == second, action
                assert first.for_others() == second.for_others(), action
            elif isinstance(first, Refusal) or isinstance(second, Refusal):
                assert getattr(action, "seat", _B) is _A or _counterintelligence(action), action

    def play(self, mine: Action, theirs: Action) -> None:
        """Play `mine` in one and `theirs` in the other; they are the same, or B cannot tell them apart."""
        if mine == theirs:
            said = answers(self.one, mine), answers(self.other, theirs)
        first, second = play(self.one, mine), play(self.other, theirs)
        if isinstance(first, Refusal) or isinstance(second, Refusal):
            if isinstance(first, Refusal) and isinstance(second, Refusal) and mine == theirs:
                assert said[0] == said[1]
            return
        if comes_differently(self.one, self.other, mine):
            self.apart = "a trooper brings its secrets on the table"
            return
        for viewer in (None, _B):
            here, there = visible_events(self.one, first[1], viewer), visible_events(self.other, second[1], viewer)
            if here != there:
                assert announced_by_the_rules(here, there), (here, there)
                self.apart = "the rules announce a secret"
        if self.apart:
            return
        if mine == theirs:
            assert said[0] == said[1]
        self.one, self.other = first[0], second[0]
        self.look()


@effort(40)
@given(pairs(), st.data())
def test_nothing_private_shows(games: tuple[Game, Game], data: DataObject) -> None:
    play_on(Pair(*games), data.draw(openings(*games)), data)


@pytest.mark.parametrize("stage", STAGES)
def test_nothing_private_shows_where_a_secret_matters(stage: str) -> None:
    @effort(10)
    @given(staged_pairs(stage), st.data())
    def with_games(staged: tuple[tuple[Game, Game], list[Action]], data: DataObject) -> None:
        games, opening = staged
        play_on(Pair(*games), opening, data)

    with_games()


def play_on(pair: Pair, opening: list[Action], data: DataObject) -> None:
    """Play the opening, then on, as long as the rules keep the secrets."""
    pair.look()
    for action in opening:
        if not pair.apart:
            pair.play(action, action)
    for _ in range(data.draw(st.integers(1, 15))):
        if not pair.apart:
            pair.play(*data.draw(_next_actions(pair.one, pair.other)))
    note_event(pair.apart or "equal to the end")


@st.composite
def _next_actions(draw: st.DrawFn, one: Game, other: Game) -> tuple[Action, Action]:
    """Something sensible in one of the games, or a secret of A's own, anything now and then."""
    way = draw(st.integers(0, 9))
    if way < 3 and (private := draw(indistinguishable_actions(one, other))) is not None:
        return private
    game = one if draw(st.booleans()) else other
    action = draw(spoken_actions(game) if way == 3 else sensible_actions(game))
    return action, action
