"""Pairs of games that differ only in what is private to seat A (INF): for the tests of non-interference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ordertray.rules import (
    EDITIONS,
    Action,
    Army,
    Edition,
    Game,
    Options,
    Seat,
    Trooper,
    action_space,
    check_army,
    legal_actions,
    new_game,
)
from ordertray.rules import actions as a
from rules.strategies_armies import MOST_TROOPERS, armies, editions, options

_seats = st.sampled_from(Seat)

# What a Lieutenant changes about the orders on the table, and so announces itself.
_TELLING = frozenset({"plus-1-order", "inspiring-leadership"})
# What a marker cannot hide: its orders, and what keeps them Regular.
_TELLING_MARKER = _TELLING | {
    "impetuous", "tactical-awareness", "warhorse", "veteran", "plus-1-command-token", "dogged", "nco", "commlink",
    "no-wound-incapacitation", "chain-of-command", "counterintelligence", "strategos-1", "strategos-2",
}  # fmt: skip
# Skills that never show by themselves.
SECRET_SKILLS = frozenset({"chain-of-command", "counterintelligence", "strategos-1", "strategos-2", "number-2"})


@st.composite
def pairs(draw: DrawFn) -> tuple[Game, Game]:
    """Two games before their first turn, alike in everything that B or the public may know."""
    edition, choice = draw(editions), draw(options)
    if draw(st.integers(0, 3)):
        choice = replace(choice, retreat=False)  # Retreat tells the sum of the costs, and would end most comparisons
    if draw(st.integers(0, 3)):
        choice = replace(choice, first=Seat.A)
    mine, theirs = draw(armies(edition, name="army A")), draw(armies(edition, name="army B"))
    if draw(st.integers(0, 3)):
        mine = replace(mine, troopers=tuple(replace(t, deploy="table") if t.lieutenant else t for t in mine.troopers))
    if draw(st.booleans()):
        mine = replace(mine, troopers=tuple(replace(t, skills=t.skills | draw(_secrets)) for t in mine.troopers))
    other = draw(_secret_twins(mine, edition))
    return (
        new_game({Seat.A: mine, Seat.B: theirs}, edition, choice),
        new_game({Seat.A: other, Seat.B: theirs}, edition, choice),
    )


#: Stages set for one secret each, so that every run meets it.
STAGES = ("chain of command", "naming", "fallen Lieutenant", "executive")


@st.composite
def staged_pairs(draw: DrawFn, stage: str) -> tuple[tuple[Game, Game], list[Action]]:
    """A pair in which x leads one army and y the other, and the actions that bring both to where that matters."""
    edition = EDITIONS[draw(st.sampled_from(("n5", "n4", "n4-2020")))]
    few = armies(edition, name="army").filter(lambda army: len(army.troopers) <= MOST_TROOPERS)
    others, theirs = draw(few).troopers, draw(few)
    held = () if stage == "naming" else ("chain-of-command",)
    games = []
    for leader, successor in (("x", "p"), ("y", draw(st.sampled_from(("p", "q", ""))))):
        staged = [
            Trooper(
                name,
                lieutenant=name == leader,
                skills=frozenset({"strategos-1"} if name in "xy" else held if name == successor else ()),
                deploy="hidden" if name in "hk" else "table",
                group=2 if name == "k" else 1,
            )
            for name in "xypqhk"
        ]
        kept = [replace(t, lieutenant=False, skills=t.skills - SECRET_SKILLS - _TELLING) for t in others]
        army = Army("army A", 400, (*staged, *kept))
        choice = Options(first=Seat.A, retreat=False)
        games.append(new_game({Seat.A: army, Seat.B: theirs}, edition, choice))
    start: Action = a.Start(Seat.A)
    onward: Action = a.Next(Seat.A)
    dead = draw(st.sampled_from(("dead", "unconscious", "isolated")))
    falls: list[Action] = [a.RecordState(draw(_seats), Seat.A, name, dead) for name in "xy"]
    opening = {
        "chain of command": [falls[0], start, onward],
        "naming": [*falls, start, *[onward] * 4],
        "fallen Lieutenant": [start, *[onward] * 3, draw(st.sampled_from(falls))],
        "executive": [start],
    }[stage]
    return (games[0], games[1]), opening


@st.composite
def _secret_twins(draw: DrawFn, army: Army, edition: Edition) -> Army:
    """An army that shows the same on the table: other costs, other hidden troopers, another Lieutenant."""
    troopers = list(army.troopers)
    if draw(st.integers(0, 2)):
        troopers = draw(_other_lieutenants(troopers))
    if draw(st.integers(0, 2)):
        troopers = draw(_other_hidden(troopers, edition))
    if draw(st.integers(0, 2)):
        troopers = [replace(trooper, skills=trooper.skills - SECRET_SKILLS | draw(_secrets)) for trooper in troopers]
    if draw(st.integers(0, 2)):
        troopers = [draw(_other_marker(trooper)) if trooper.deploy == "marker" else trooper for trooper in troopers]
    if draw(st.booleans()):
        troopers = [
            replace(
                trooper, name="other", tag=None, cost=0.0 if trooper.is_peripheral else float(draw(st.integers(0, 9)))
            )
            for trooper in troopers
        ]
    twin = Army("other army", army.points, tuple(troopers), None, army.fireteams)
    twin = replace(twin, points=max(1, army.points, int(twin.total_points + 0.5)))
    assert not check_army(twin, edition), check_army(twin, edition)
    return twin


@st.composite
def _other_marker(draw: DrawFn, trooper: Trooper) -> Trooper:
    """Another trooper under the same marker, that gives the same orders."""
    shown = trooper.skills & _TELLING_MARKER
    skills = draw(
        st.frozensets(st.sampled_from(("courage", "frenzy", "religious", "shasvastii", "number-2")), max_size=2)
    )
    return replace(trooper, type=draw(st.sampled_from(("LI", "HI", "SK"))), skills=shown | skills)


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


# Chain of Command most often: it takes a dead Lieutenant as well to matter.
_secrets = st.sampled_from(
    [
        frozenset(held)
        for held in (
            (), (), ("chain-of-command",), ("chain-of-command",), ("strategos-1",), ("counterintelligence",),
            ("strategos-2", "chain-of-command"), ("number-2",),
        )
    ]
)  # fmt: skip


@st.composite
def _other_hidden(draw: DrawFn, troopers: list[Trooper], edition: Edition) -> list[Trooper]:
    """Hidden troopers gone, changed, and added; who matters to troopers on the table stays."""
    needed = {trooper.controller for trooper in troopers} | {trooper.id for trooper in troopers if trooper.lieutenant}
    kept = []
    for trooper in troopers:
        hidden = trooper.deploy in ("hidden", "airborne") and "plus-1-command-token" not in trooper.skills
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


def _silent(game: Game, action: Action) -> bool:
    """What nobody else sees anything of: hidden troopers' states, and Strategos before the count."""
    return _hidden_state(game, action) or (isinstance(action, a.Strategos) and game.state.step == "executive")


#: Kinds of actions of A that B cannot tell apart: whom they are about is private.
_ALIKE: tuple[Callable[[Game, Action], bool], ...] = (_naming, _silent, _hidden_move)


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


def _leader(game: Game) -> str:
    return next(trooper.id for trooper in game.army(Seat.A).troopers if trooper.lieutenant)


@st.composite
def openings(draw: DrawFn, one: Game, other: Game) -> list[Action]:
    """How a game gets to where secrets matter: perhaps a casualty of A's, then on to some phase of A's turn."""
    army, side = one.army(Seat.A), one.side(Seat.A)
    shown = [t.id for t, stands in zip(army.troopers, side.troopers, strict=True) if stands.place == "table"]
    leaders = [name for name in (_leader(one), _leader(other)) if name in shown]
    actions: list[Action] = []
    if one.options.first is Seat.B and draw(st.integers(0, 3)):
        actions += [a.Start(Seat.B), *[a.Next(Seat.B)] * 6]
    casualty = draw(st.booleans())
    if shown and casualty:
        state = draw(st.sampled_from(("dead", "isolated", "unconscious")))
        actions.append(a.RecordState(draw(_seats), Seat.A, draw(st.sampled_from([*leaders, *leaders, *shown])), state))
    if draw(st.integers(0, 5)):
        actions += [a.Start(Seat.A), *[a.Next(Seat.A)] * draw(st.sampled_from((3, 3, 3, 4, 1, 0, 2)))]
    return actions


def questions(one: Game, other: Game) -> list[Action]:
    """What A and B may ask the rules about any trooper and group of either game: all that a secret could decide."""
    asked: dict[Action, None] = {}
    for game in (one, other):
        for seat in Seat:
            asked.update(dict.fromkeys(filter(_asks_after_a_secret, action_space(game, seat))))
            asked[a.RecordState(seat, Seat.A, "nobody", "dead")] = None
            asked[a.Spend(seat, "regular", 3)] = None
    return list(asked)


def _asks_after_a_secret(action: Action) -> bool:
    match action:
        case a.RecordState(state=state) | a.ClearState(state=state):
            return state in ("dead", "unconscious-active")
        case a.DeclareAro(name=name):
            return name is None
        case a.UseToken(use="coordinate", troopers=troopers) | a.Spend(kind="lieutenant", troopers=troopers):
            return len(troopers) < 3
        case a.DeclareSkill() | a.Undo():
            return False
    return True
