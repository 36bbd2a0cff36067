"""Pairs of games that differ only in what is private to seat A (INF): for the tests of non-interference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ordertray.rules import Action, Army, Edition, Game, Seat, Trooper, check_army, legal_actions, new_game
from ordertray.rules import actions as a
from rules.strategies_armies import armies, editions, options

# What a Lieutenant changes about the orders on the table, and so announces itself.
_TELLING = frozenset({"plus-1-order", "inspiring-leadership"})
# Skills that never show by themselves.
SECRET_SKILLS = frozenset({"chain-of-command", "counterintelligence", "strategos-1", "strategos-2", "number-2"})


@st.composite
def pairs(draw: DrawFn) -> tuple[Game, Game]:
    """Two games before their first turn, alike in everything that B or the public may know."""
    edition, choice = draw(editions), draw(options)
    if draw(st.integers(0, 3)):
        choice = replace(choice, retreat=False)  # Retreat tells the sum of the costs, and would end most comparisons
    mine, theirs = draw(armies(edition, name="army A")), draw(armies(edition, name="army B"))
    other = draw(_secret_twins(mine, edition))
    return (
        new_game({Seat.A: mine, Seat.B: theirs}, edition, choice),
        new_game({Seat.A: other, Seat.B: theirs}, edition, choice),
    )


@st.composite
def _secret_twins(draw: DrawFn, army: Army, edition: Edition) -> Army:
    """An army that shows the same on the table: other costs, other hidden troopers, another Lieutenant."""
    troopers = list(army.troopers)
    if draw(st.booleans()):
        troopers = draw(_other_lieutenants(troopers))
    if draw(st.booleans()):
        troopers = draw(_other_hidden(troopers, edition))
    if draw(st.booleans()):
        troopers = [replace(trooper, skills=draw(_other_secrets(trooper.skills))) for trooper in troopers]
    if draw(st.booleans()):
        troopers = [
            replace(
                trooper, name="other", tag=None, cost=0.0 if trooper.is_peripheral else float(draw(st.integers(0, 9)))
            )
            for trooper in troopers
        ]
    twin = Army("other army", army.points, tuple(troopers))
    twin = replace(twin, points=max(1, army.points, int(twin.total_points + 0.5)))
    assert not check_army(twin, edition), check_army(twin, edition)
    return twin


@st.composite
def _other_lieutenants(draw: DrawFn, troopers: list[Trooper]) -> list[Trooper]:
    leader = next(trooper for trooper in troopers if trooper.lieutenant)
    eligible = [
        trooper.id
        for trooper in troopers
        if trooper.training == "regular"
        and not trooper.is_peripheral
        and trooper.deploy == leader.deploy
        and trooper.skills & _TELLING == leader.skills & _TELLING
    ]
    chosen = draw(st.sampled_from(eligible))
    return [replace(trooper, lieutenant=trooper.id == chosen) for trooper in troopers]


@st.composite
def _other_secrets(draw: DrawFn, skills: frozenset[str]) -> frozenset[str]:
    return (skills - SECRET_SKILLS) | draw(st.frozensets(st.sampled_from(sorted(SECRET_SKILLS)), max_size=2))


@st.composite
def _other_hidden(draw: DrawFn, troopers: list[Trooper], edition: Edition) -> list[Trooper]:
    """Hidden troopers gone, changed, and added; who matters to troopers on the table stays."""
    needed = {trooper.controller for trooper in troopers} | {trooper.id for trooper in troopers if trooper.lieutenant}
    kept = []
    for trooper in troopers:
        hidden = trooper.deploy != "table" and "plus-1-command-token" not in trooper.skills
        if not hidden or trooper.id in needed:
            kept.append(trooper)
        elif draw(st.booleans()):
            skills = draw(st.frozensets(st.sampled_from(("tactical-awareness", "nco", "impetuous", "shasvastii"))))
            kept.append(replace(trooper, skills=skills, deploy=draw(st.sampled_from(("hidden", "airborne")))))
    for number in range(draw(st.integers(0, 2))):
        newcomer = Trooper(
            id=f"h{number}",
            group=1 if edition.one_group else draw(st.integers(1, 3)),
            training=draw(st.sampled_from(("regular", "irregular"))) if edition.irregular_orders else "regular",
            skills=draw(st.frozensets(st.sampled_from(("nco", "tactical-awareness", "religious")), max_size=1)),
            deploy=draw(st.sampled_from(("hidden", "airborne"))),
        )
        kept.insert(draw(st.integers(0, len(kept))), newcomer)
    return kept


def _hidden_state(game: Game, action: Action) -> bool:
    if not isinstance(action, a.RecordState | a.ClearState) or action.owner is not Seat.A:
        return False
    return game.side(Seat.A).troopers[game.army(Seat.A).index[action.trooper]].place == "off"


def _hidden_move(game: Game, action: Action) -> bool:
    if not isinstance(action, a.UseToken) or action.use != "group":
        return False
    return game.side(Seat.A).troopers[game.army(Seat.A).index[action.troopers[0]]].place == "off"


def _naming(game: Game, action: Action) -> bool:
    return isinstance(action, a.NameLieutenant)


#: Kinds of actions of A that B cannot tell apart: whom they are about is private.
_ALIKE: tuple[Callable[[Game, Action], bool], ...] = (_naming, _hidden_state, _hidden_move)


@st.composite
def indistinguishable_actions(draw: DrawFn, one: Game, other: Game) -> tuple[Action, Action] | None:
    """Two actions of A, one for each game, of which B sees the same; None when there are none now."""
    families = []
    legal = [(game, legal_actions(game, Seat.A)) for game in (one, other)]
    for alike in _ALIKE:
        first, second = ([action for action in actions if alike(game, action)] for game, actions in legal)
        if first and second:
            families.append((first, second))
    if not families:
        return None
    first, second = draw(st.sampled_from(families))
    return draw(st.sampled_from(first)), draw(st.sampled_from(second))
