"""Secrecy by dependence (INF): for each secret of A, two games that differ in it alone, side by side.

At every step all that B may do, is offered, is refused, and sees, is compared, and all that B hears of what A is
refused: words, numbers, ids, the order of lists. The games may part only where a rule announces the secret.
`ORDERTRAY_HYPOTHESIS=thorough` plays forty times as many.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from ordertray.rules import (
    Action,
    Army,
    Event,
    Game,
    Options,
    Refusal,
    Seat,
    Trooper,
    action_space,
    decide,
    format_action,
    legal_actions,
    new_game,
    play,
    public_view,
    seat_view,
    summary,
    table_view,
    to_json,
    visible_events,
)
from ordertray.rules import actions as a
from ordertray.rules import events as e
from rules.random_games import an_army, likely_actions, some_edition
from rules.strategies_effort import THOROUGH

A, B = Seat.A, Seat.B
GAMES, STEPS = (80, 80) if THOROUGH else (2, 40)

Twins = tuple[Army, Army]
Change = Callable[[random.Random, Army], Twins]


def _with(army: Army, place: int, **changes: object) -> Army:
    troopers = list(army.troopers)
    troopers[place] = replace(troopers[place], **changes)  # type: ignore[arg-type]
    return replace(army, troopers=tuple(troopers))


def _skill(skill: str) -> Change:
    """Somebody has the skill in one game and nobody in the other."""

    def change(chance: random.Random, army: Army) -> Twins:
        bare = replace(army, troopers=tuple(replace(t, skills=t.skills - {skill}) for t in army.troopers))
        place = chance.randrange(len(bare.troopers))
        return bare, _with(bare, place, skills=bare.troopers[place].skills | {skill})

    return change


def _strategos(chance: random.Random, army: Army) -> Twins:
    """The Lieutenant has Strategos in one game."""
    place = next(place for place, trooper in enumerate(army.troopers) if trooper.lieutenant)
    without = _with(army, place, skills=army.troopers[place].skills - {"strategos-1", "strategos-2"})
    return without, _with(without, place, skills=without.troopers[place].skills | {"strategos-1"})


def _hidden(chance: random.Random, army: Army) -> Twins:
    """A hidden trooper more: wherever in the list, in whatever group."""
    ghost = Trooper(
        "ghost",
        group=chance.choice(army.groups),
        training=chance.choice(("regular", "irregular")) if len(army.groups) > 1 else "regular",
        skills=frozenset(chance.sample(("nco", "tactical-awareness", "impetuous", "courage", "frenzy"), 2)),
        deploy=chance.choice(("hidden", "airborne")),
    )
    place = chance.randint(0, len(army.troopers))
    return army, replace(army, troopers=(*army.troopers[:place], ghost, *army.troopers[place:]))


def _hidden_kind(chance: random.Random, army: Army) -> Twins:
    """A hidden trooper of another type and group."""
    _, with_ghost = _hidden(chance, army)
    place = with_ghost.index["ghost"]
    groups = sorted({1, 2, *army.groups} if len(army.groups) > 1 else army.groups)
    return with_ghost, _with(with_ghost, place, group=chance.choice(groups), type="REM", skills=frozenset())


def _lieutenant(chance: random.Random, army: Army) -> Twins:
    """Another Lieutenant, of those who look alike and have no extras."""
    extras = {"plus-1-order", "inspiring-leadership", "plus-1-command-token", "strategos-1", "strategos-2"}
    plain = replace(army, troopers=tuple(replace(t, skills=t.skills - extras) for t in army.troopers))
    able = [
        place
        for place, trooper in enumerate(plain.troopers)
        if trooper.training == "regular" and not trooper.is_peripheral and trooper.deploy in ("table", "marker")
    ]
    if not able:
        return plain, plain
    twins = []
    for leader in (chance.choice(able), chance.choice(able)):
        troopers = tuple(replace(t, lieutenant=place == leader) for place, t in enumerate(plain.troopers))
        twins.append(replace(plain, troopers=troopers))
    return twins[0], twins[1]


def _marker(chance: random.Random, army: Army) -> Twins:
    """Another trooper under the same marker, that gives the same orders."""
    places = [place for place, t in enumerate(army.troopers) if not t.is_peripheral and not t.lieutenant]
    teams = {name for team in army.fireteams for name in team.members}
    places = [place for place in places if army.troopers[place].id not in teams]
    if not places:
        return army, army
    place = chance.choice(places)
    marked = _with(army, place, deploy="marker", skills=frozenset(), group=army.troopers[place].group)
    skills = frozenset(chance.sample(("courage", "religious", "frenzy", "shasvastii", "number-2", "dogged"), 3))
    return marked, _with(marked, place, skills=skills, type="HI", name="other")


def _costs(chance: random.Random, army: Army) -> Twins:
    """Other costs."""
    other = replace(army, troopers=tuple(replace(t, cost=float(chance.randint(0, 3))) for t in army.troopers))
    return replace(army, points=400), replace(other, points=400)


SECRETS: dict[str, Change] = {
    "a hidden trooper": _hidden,
    "what a hidden trooper is": _hidden_kind,
    "Counterintelligence": _skill("counterintelligence"),
    "Chain of Command": _skill("chain-of-command"),
    "the Lieutenant": _lieutenant,
    "what a marker is": _marker,
    "costs": _costs,
    "strategos": _strategos,
}


def announced(one: tuple[Event, ...], other: tuple[Event, ...]) -> bool:
    """Whether the first difference between what B sees of two actions is one that a rule makes public."""
    first, second = next(((x, y) for x, y in zip((*one, None), (*other, None), strict=False) if x != y), (None, None))
    telling = (
        e.RetreatDeclared,  # RET-01: the costs
        e.RetreatCancelled,
        e.GameEnded,  # RET-07: nobody is left to come
        e.LieutenantChecked,  # LOL-01: the Lieutenant is Null, Isolated or not deployed
        e.CounterintelligenceUsed,  # CMD-02: the answer to a token that is spent
        e.OrdersCounted,  # ORD-20: what the Lieutenant's orders became
        e.Revealed,
        e.Arrived,
        e.ReinforcementsCalled,
        e.OrderSpent,  # LOL-05: spending its order announces the Lieutenant
    )
    return isinstance(first, telling) or isinstance(second, telling)


def view_of_b(game: Game) -> str:
    """All that B sees of a game that stands, with the order of all lists."""
    offered = [format_action(action) for action in legal_actions(game, B)]
    return json.dumps([public_view(game), table_view(game), seat_view(game, B), summary(game), game.position, offered])


def compare(one: Game, other: Game) -> None:
    """B sees the same; whatever B may do has the same answer; and of A's refusals B hears the same."""
    assert view_of_b(one) == view_of_b(other)
    for action in dict.fromkeys((*action_space(one, B), *action_space(other, B))):
        first, second = decide(one, action), decide(other, action)
        if isinstance(first, Refusal) or isinstance(second, Refusal):
            assert first == second, format_action(action)
        else:
            seen = [visible_events(game, events, B) for game, events in ((one, first), (other, second))]
            assert seen[0] == seen[1] or announced(*seen), format_action(action)
    for action in dict.fromkeys((*action_space(one, A), *action_space(other, A))):
        first, second = decide(one, action), decide(other, action)
        if isinstance(first, Refusal) and isinstance(second, Refusal):
            assert first.for_others() == second.for_others(), format_action(action)


def play_twins(seed: int, change: Change) -> str:
    """Play two games that differ in one secret; what became of them."""
    chance = random.Random(seed)
    edition = some_edition(chance)
    options = Options(reinforcements=True, first=chance.choice((A, A, B)), retreat=chance.random() < 0.3)
    theirs = an_army(chance, edition, "B")
    mine = change(chance, an_army(chance, edition, "A"))
    try:
        one, other = (new_game({A: army, B: theirs}, edition, options) for army in mine)
    except ValueError:
        return "no such armies"
    history: list[str] = []
    for step in range(STEPS):
        try:
            if step % 5 == 0:
                compare(one, other)
            action = _next(chance, one, other)
            if action is None:
                return "nothing left"
            first, second = play(one, action), play(other, action)
            assert not isinstance(first, Refusal) and not isinstance(second, Refusal)
            history.append(format_action(action))
            for viewer in (None, B):
                seen = [visible_events(game, events, viewer) for game, events in ((one, first[1]), (other, second[1]))]
                if seen[0] != seen[1]:
                    assert announced(*seen), [[to_json(event) for event in events] for events in seen]
                    return "announced"
            one, other = first[0], second[0]
            if any(comes_differently(one, other, event) for event in first[1]):
                return "announced"
            if one.state.over is not None:  # the record of a finished game is open
                return "over"
            assert view_of_b(one) == view_of_b(other)
        except AssertionError as fault:
            raise AssertionError(f"seed {seed}, {edition.id}, {history}: {fault}") from fault
    return "alike to the end"


def comes_differently(one: Game, other: Game, event: Event) -> bool:
    """Whether a trooper that all may see from now on is another one than in the other game."""
    if not isinstance(event, e.Arrived | e.Revealed) or event.seat is not A:
        return False
    shown = []
    for game in (one, other):
        place = game.army(A).index[event.trooper]
        shown.append((game.army(A).troopers[place], game.side(A).troopers[place]))
    return shown[0] != shown[1]


def _next(chance: random.Random, one: Game, other: Game) -> Action | None:
    """An action that both games take: what only one takes is A's affair, and B learns nothing of it here."""
    for number, action in enumerate(likely_actions(chance, chance.choice((one, other)))):
        if number > 30:
            return None
        if isinstance(action, a.Undo):
            continue
        if not any(isinstance(decide(game, action), Refusal) for game in (one, other)):
            return action
    return None


@pytest.mark.rule("INF")
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_shows_in_nothing(secret: str) -> None:
    ends = [play_twins(1000 * number + 7, SECRETS[secret]) for number in range(GAMES)]
    assert ends.count("no such armies") < len(ends)
