"""Non-interference (INF): what is private to A shows neither to B nor to the public, whatever is played.

Two games that differ only in facts private to A are played with the same actions. All that B sees, and all that the
public sees, must be equal all the way: views, events, the line of text, position numbers, refusals, B's own choices.
The rules themselves announce some secrets; where they do, and only there, the games may part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import event as note_event
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from ordertray.rules import (
    Action,
    Event,
    Game,
    Refusal,
    Seat,
    each_legal_action,
    format_action,
    legal_actions,
    play,
    public_view,
    seat_view,
    summary,
    visible_events,
)
from ordertray.rules import actions as a
from ordertray.rules import events as e
from ordertray.script import Script
from rules.strategies_actions import sensible_actions, spoken_actions
from rules.strategies_effort import effort
from rules.strategies_pairs import SECRET_SKILLS, indistinguishable_actions, pairs

_A, _B = Seat.A, Seat.B
MOST_LIEUTENANT_ORDERS = 2


def seen_by_b(game: Game) -> dict[str, Any]:
    """All that B, or anybody, may see of a game that stands."""
    return {
        "public": public_view(game),
        "own": seat_view(game, _B),
        "line": summary(game),
        "position": game.position,
        "choices": [action for action in legal_actions(game, _B) if not _counterintelligence(action)],
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


def announced_by_the_rules(action: Action, one: tuple[Event, ...], other: tuple[Event, ...]) -> bool:
    """Whether the first difference between what is seen of two games is one that the rules make public."""
    match _differing(one, other):
        case (e.RetreatDeclared() | e.RetreatCancelled(), _) | (_, e.RetreatDeclared() | e.RetreatCancelled()):
            return True  # RET-01: the sum of the costs
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


@effort(250)
@given(pairs(), st.data())
def test_nothing_private_shows(pair: tuple[Game, Game], data: DataObject) -> None:
    one, other = pair
    assert seen_by_b(one) == seen_by_b(other)
    for _ in range(data.draw(st.integers(1, 30))):
        mine, theirs = data.draw(_next_actions(one, other))
        first, second = play(one, mine), play(other, theirs)
        if isinstance(first, Refusal) or isinstance(second, Refusal):
            by_b = getattr(mine, "seat", _B) is _B and mine == theirs and not _counterintelligence(mine)
            if isinstance(first, Refusal) and isinstance(second, Refusal):
                assert answers(one, mine) == answers(other, theirs)
            else:
                assert not by_b, "B's own action is legal in one game only"
            continue
        shown = [
            (visible_events(one, first[1], viewer), visible_events(other, second[1], viewer)) for viewer in (None, _B)
        ]
        if comes_differently(one, other, mine):
            note_event("a trooper brings its secrets on the table")
            return
        if any(here != there for here, there in shown):
            assert all(announced_by_the_rules(mine, here, there) for here, there in shown), shown
            note_event("the rules announce a secret")
            return
        if mine == theirs:
            assert answers(one, mine) == answers(other, theirs)
        one, other = first[0], second[0]
        assert seen_by_b(one) == seen_by_b(other)
    note_event("equal to the end")


@st.composite
def _next_actions(draw: st.DrawFn, one: Game, other: Game) -> tuple[Action, Action]:
    """Mostly something sensible in one of the games, sometimes anything, sometimes a secret of A's own."""
    way = draw(st.integers(0, 9))
    if way == 0 and (private := draw(indistinguishable_actions(one, other))) is not None:
        return private
    game = one if draw(st.booleans()) else other
    action = draw(spoken_actions(game) if way in (1, 2) else sensible_actions(game))
    return action, action
