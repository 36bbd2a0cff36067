"""Everything a seat may do now.

The finite action space is: each action with every trooper, group, state, label, chart name and target that exists
in the game; AROs without a stated reason; passes and Idles of one trooper at a time; coordinated troopers in list
order. `legal_actions` lists exactly those that `decide` accepts; whole families are skipped where a look at phase and
step shows that none can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from . import actions as a
from .charts import LABELS
from .counting import activated
from .decide import decide
from .deciders.activation import MAX_COORDINATED
from .deciders.tokens import EXECUTIVE_USES, STRATEGIC
from .game import OFF_TABLE, TROOPER_STATES, Game
from .refusals import Refusal
from .seats import SEATS, Seat


def legal_actions(game: Game, seat: Seat) -> list[a.Action]:
    """Every action of the finite action space that would be accepted from `seat`, `undo` last."""
    return [action for action in _likely(game, seat) if not isinstance(decide(game, action), Refusal)]


def action_space(game: Game, seat: Seat) -> Iterator[a.Action]:
    """The whole finite action space of `seat`, whatever the position."""
    for family in _FAMILIES:
        yield from family(game, seat)


def _likely(game: Game, seat: Seat) -> Iterator[a.Action]:
    state, sequence = game.state, game.edition.sequence
    if state.over is None:
        yield from _turn(game, seat)
        if state.active is seat:
            if state.order is None:
                yield from _spends(game, seat)
            else:
                if state.order.step in (sequence.first_skill, sequence.second_skill):
                    yield from _skills(game, seat)
                if not state.order.troopers:
                    yield from _who(game, seat)
                yield from _resolutions(game, seat)
            if state.step is None:
                yield from _names(game, seat)
        elif state.order is not None and state.order.step in (sequence.first_aro, sequence.second_aro):
            yield from _aros(game, seat)
        if state.active is not None:
            yield from _moves(game, seat)
            if game.side(seat).command_tokens > 0:
                yield from _tokens(game, seat)
        yield from _records(game, seat)
    yield a.Undo()


def _ids(game: Game, seat: Seat) -> tuple[str, ...]:
    return tuple(trooper.id for trooper in game.army(seat).troopers)


def _group_numbers(game: Game, seat: Seat) -> tuple[int, ...]:
    return tuple(sorted({*game.army(seat).groups, *(group for group, _ in game.side(seat).pools)}))


def _turn(game: Game, seat: Seat) -> Iterator[a.Action]:
    yield a.Start(seat)
    yield a.Next(seat)
    yield a.Strategos(seat)


def _spends(game: Game, seat: Seat) -> Iterator[a.Action]:
    ids = _ids(game, seat)
    for group in _group_numbers(game, seat):
        yield a.Spend(seat, "regular", group)
        for trooper in ids:
            yield a.Spend(seat, "regular", group, (trooper,))
    yield a.Spend(seat, "lieutenant")
    for kind in ("irregular", "lieutenant", "tactical", "impetuous", "own"):
        for trooper in ids:
            yield a.Spend(seat, kind, None, (trooper,))
    if any("inspiring-leadership" in trooper.skills for trooper in game.army(seat).troopers):
        for troopers in _companies(game, seat):
            yield a.Spend(seat, "lieutenant", None, troopers)


def _companies(game: Game, seat: Seat) -> Iterator[tuple[str, ...]]:
    """Two to four troopers of one group, in list order."""
    army, side = game.army(seat), game.side(seat)
    for group in _group_numbers(game, seat):
        members = [t.id for t, state in zip(army.troopers, side.troopers, strict=True) if state.group == group]
        for size in range(2, MAX_COORDINATED + 1):
            yield from combinations(members, size)


def _who(game: Game, seat: Seat) -> Iterator[a.Action]:
    for trooper in _ids(game, seat):
        yield a.NameTrooper(seat, trooper)


def _skills(game: Game, seat: Seat) -> Iterator[a.Action]:
    for label in LABELS:
        yield a.DeclareSkill(seat, label)
    for skill in game.edition.chart.values():
        yield a.DeclareSkill(seat, None, skill.name)
    yield a.End(seat)


def _resolutions(game: Game, seat: Seat) -> Iterator[a.Action]:
    order = game.state.order
    yield a.Check(seat)
    yield a.Resolve(seat)
    if order is not None:
        own = tuple(f"{seat}:{trooper}" for trooper in _ids(game, seat))
        others = tuple(f"{seat.other}:{aro.trooper}" for aro in order.declared if aro.trooper is not None)
        for name in (*own, *others):
            yield a.Check(seat, (name,))
            yield a.Resolve(seat, (name,))
    yield a.Done(seat)


def _aros(game: Game, seat: Seat) -> Iterator[a.Action]:
    yield a.Pass(seat)
    yield a.Pass(seat, everyone=True)
    ids = _ids(game, seat)
    for trooper in ids:
        yield a.Pass(seat, (trooper,))
    active = game.state.active
    targets: tuple[str | None, ...] = (None,)
    if active is not None:
        targets += tuple(game.army(active).troopers[place].id for place in activated(game, active))
    names = (None, *(skill.name for skill in game.edition.chart.values()))
    for who in (None, *ids):
        for name in names:
            for target in targets:
                yield a.DeclareAro(seat, who, name, target)


def _names(game: Game, seat: Seat) -> Iterator[a.Action]:
    for trooper in _ids(game, seat):
        yield a.NameLieutenant(seat, trooper)


def _moves(game: Game, seat: Seat) -> Iterator[a.Action]:
    for trooper in _ids(game, seat):
        yield a.Frenzy(seat, trooper)
        yield a.Arrive(seat, trooper)
        yield a.Evacuate(seat, trooper)


def _records(game: Game, seat: Seat) -> Iterator[a.Action]:
    for owner in SEATS:
        for listed, trooper in zip(game.army(owner).troopers, game.side(owner).troopers, strict=True):
            if owner is not seat and trooper.place == OFF_TABLE:
                continue  # not for this seat's eyes (INF)
            for state in TROOPER_STATES:
                yield a.RecordState(seat, owner, listed.id, state)
                yield a.ClearState(seat, owner, listed.id, state)


def _tokens(game: Game, seat: Seat) -> Iterator[a.Action]:
    ids, own_groups = _ids(game, seat), _group_numbers(game, seat)
    for use in a.TOKEN_USES:
        if use in STRATEGIC and game.state.turns > 1:
            continue
        if use in EXECUTIVE_USES and game.state.step is None:
            continue
        if use == "cap":
            yield a.UseToken(seat, use)
        elif use == "strip":
            groups = _group_numbers(game, seat.other)
            for first in groups:
                yield a.UseToken(seat, use, (), (first,))
                for second in groups:
                    yield a.UseToken(seat, use, (), (first, second))
        elif use == "group":
            for trooper in ids:
                for group in own_groups:
                    yield a.UseToken(seat, use, (trooper,), (group,))
        elif use == "coordinate":
            if game.state.order is None:
                for group in own_groups:
                    for troopers in _companies(game, seat):
                        yield a.UseToken(seat, use, troopers, (group,))
        else:
            for trooper in ids:
                yield a.UseToken(seat, use, (trooper,))


def _undo(game: Game, seat: Seat) -> Iterator[a.Action]:
    yield a.Undo()


_FAMILIES = (_turn, _spends, _who, _skills, _resolutions, _aros, _names, _moves, _records, _tokens, _undo)
