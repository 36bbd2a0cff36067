"""Everything a seat may do now.

The finite action space is: each action with every trooper, group, state, label, chart name and target that exists
in the game; AROs without a stated reason; passes and Idles of one trooper at a time; of coordinated troopers two, in
list order; no troopers activated as one without a team, no new Fireteams, no Objective Points. `legal_actions` lists
exactly those that `decide` accepts. Asked for the `likely` ones only, a family leaves out what a look at the position
shows to be refused; that saves most of the asking and judges nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from . import actions as a
from .charts import LABELS
from .counting import activated_ids
from .deciders.tokens import BEFORE_THE_GAME, EXECUTIVE_USES, STRATEGIC
from .editions import IMPETUOUS, ORDERS
from .game import OFF_TABLE, TROOPER_STATES, Game
from .judging import judge
from .naming import MARKER, names_for, public_name
from .refusals import Refusal
from .seats import SEATS, Seat


def legal_actions(game: Game, seat: Seat) -> list[a.Action]:
    """Every action of the finite action space that would be accepted from `seat`, `undo` last."""
    return [action for action in each_legal_action(game, seat) if action is not None]


def is_legal(game: Game, action: a.Action) -> bool:
    """Whether `action` would be accepted now. Lists nothing: as fast as judging it."""
    return not isinstance(judge(game, action), Refusal)


def each_legal_action(game: Game, seat: Seat) -> Iterator[a.Action | None]:
    """The `legal_actions`, one by one, with None for each one asked and refused: for callers that are busy."""
    seat = Seat(seat)
    if game.state.over is None:
        for family in _FAMILIES:
            if family is _records:  # most of them, and what decides is at hand
                yield from _likely_records(game, seat)
            elif family is _aros:
                yield from _likely_aros(game, seat)
            else:
                for action in family(game, seat, True):
                    yield action if is_legal(game, action) else None
    for undo in (a.Undo(seat), a.Undo()):
        yield undo if is_legal(game, undo) else None


def action_space(game: Game, seat: Seat) -> Iterator[a.Action]:
    """The whole finite action space of `seat`, whatever the position."""
    for family in _FAMILIES:
        yield from family(game, seat, False)
    yield a.Undo(seat)
    yield a.Undo()


def _ids(game: Game, seat: Seat) -> tuple[str, ...]:
    return tuple(trooper.id for trooper in game.army(seat).troopers)


def _group_numbers(game: Game, seat: Seat) -> tuple[int, ...]:
    return tuple(sorted({*game.army(seat).groups, *(group for group, _ in game.side(seat).pools)}))


def _members(game: Game, seat: Seat, group: int) -> tuple[str, ...]:
    """Ids of the troopers of one combat group."""
    troopers, states = game.army(seat).troopers, game.side(seat).troopers
    return tuple(trooper.id for trooper, state in zip(troopers, states, strict=True) if state.group == group)


def _turn(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    yield a.Start(seat)
    yield a.Next(seat)
    yield a.Strategos(seat)
    if not likely or game.state.step is not None:
        yield a.Reinforce(seat)


def _spends(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    state = game.state
    if likely and (state.active is not seat or state.order is not None or state.phase not in (ORDERS, IMPETUOUS)):
        return
    ids = _ids(game, seat)
    for group in _group_numbers(game, seat):
        yield a.Spend(seat, "regular", group)
        for captive in _captives(game, seat):
            yield a.Spend(seat, "regular", group, (captive,))
        for trooper in _members(game, seat, group) if likely else ids:
            yield a.Spend(seat, "regular", group, (trooper,))
    yield a.Spend(seat, "lieutenant")
    for kind in ("irregular", "lieutenant", "tactical", "impetuous", "own"):
        for trooper in ids:
            yield a.Spend(seat, kind, None, (trooper,))
    if any("inspiring-leadership" in trooper.skills for trooper in game.army(seat).troopers):
        for group in _group_numbers(game, seat):
            for troopers in _companies(game, seat, group):
                yield a.Spend(seat, "lieutenant", None, troopers)


def _captives(game: Game, seat: Seat) -> tuple[str, ...]:
    """Troopers of the other side that it has Possessed (ORD-24)."""
    other = seat.other
    return tuple(
        f"{other}:{public_name(game, other, place)}"
        for place, trooper in enumerate(game.side(other).troopers)
        if trooper.states
        and trooper.place != OFF_TABLE
        and not trooper.states.isdisjoint(("possessed", "sepsitorized"))
    )


def _companies(game: Game, seat: Seat, group: int) -> Iterator[tuple[str, ...]]:
    """Two troopers of one group, in list order; more of them can be said and are not listed."""
    return combinations(_members(game, seat, group), 2)


def _who(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    order = game.state.order
    if likely and (game.state.active is not seat or order is None or order.troopers):
        return
    for trooper in _ids(game, seat):
        yield a.NameTrooper(seat, trooper)


def _skills(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    order, sequence = game.state.order, game.edition.sequence
    if likely and (
        game.state.active is not seat
        or order is None
        or order.step not in (sequence.first_skill, sequence.second_skill)
    ):
        return
    for label in LABELS:
        yield a.DeclareSkill(seat, label)
    for skill in game.edition.chart.values():
        yield a.DeclareSkill(seat, None, skill.name)
    yield a.End(seat)


def _resolutions(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    order, sequence = game.state.order, game.edition.sequence
    if likely and (game.state.active is not seat or order is None):
        return
    yield a.Done(seat)
    if likely and order is not None and order.step not in (sequence.validity, sequence.resolution):
        return
    yield a.Check(seat)
    yield a.Resolve(seat)
    if order is not None:
        own = tuple(f"{seat}:{trooper}" for trooper in _ids(game, seat))
        names = names_for(game, seat.other, seat)
        declared = (aro.trooper for aro in order.declared if aro.trooper is not None)
        others = tuple(f"{seat.other}:{names.get(trooper, trooper)}" for trooper in declared)
        for name in (*own, *others, *(name for name in activated_ids(game) if ":" in name)):
            yield a.Check(seat, (name,))
            yield a.Resolve(seat, (name,))


def _aros(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    yield a.Pass(seat)
    yield a.Pass(seat, everyone=True)
    reactors = _ids(game, seat)
    for trooper in reactors:
        yield a.Pass(seat, (trooper,))
        yield a.Delay(seat, (trooper,))
    targets: tuple[str | None, ...] = (None,)
    if game.state.active is not None:
        markers = names_for(game, game.state.active, seat)
        targets += tuple(markers.get(name, name) for name in activated_ids(game))
    for who in (None, *reactors):
        for name in (None, *(skill.name for skill in game.edition.chart.values())):
            for target in targets:
                yield a.DeclareAro(seat, who, name, target)


@lru_cache(maxsize=16384)
def _aro(seat: Seat, trooper: str | None, name: str | None, target: str | None) -> a.DeclareAro:
    return a.DeclareAro(seat, trooper, name, target)


def _likely_aros(game: Game, seat: Seat) -> Iterator[a.Action | None]:
    """The family of `_aros`, judged: who may react at all is asked once, and each skill only where it matters."""
    state, sequence = game.state, game.edition.sequence
    if (
        state.active is not seat.other
        or state.order is None
        or state.order.step not in (sequence.first_aro, sequence.second_aro)
    ):
        return
    reactors = _reactors(game, seat)
    passes: list[a.Action] = [a.Pass(seat), a.Pass(seat, everyone=True)]
    for trooper in reactors:
        passes += (a.Pass(seat, (trooper,)), a.Delay(seat, (trooper,)))
    for action in passes:
        yield action if is_legal(game, action) else None
    markers = names_for(game, state.active, seat)
    targets = (None, *(markers.get(name, name) for name in activated_ids(game)))
    names = tuple(skill.name for skill in game.edition.chart.values() if skill.aro)
    # In Retreat, and with a controller beside its peripherals, not every skill may be declared by everybody.
    each = game.side(seat).retreat or bool(game.army(seat).controlled)
    for who in (None, *reactors):
        for target in targets:
            unnamed = _aro(seat, who, None, target)
            if not is_legal(game, unnamed):
                yield None
                continue
            yield unnamed
            for name in names:
                action = _aro(seat, who, name, target)
                yield action if not each or is_legal(game, action) else None


def _reactors(game: Game, seat: Seat) -> tuple[str, ...]:
    """Who may be named in a window: those on the table, and hidden ones, which react by appearing (ORD-22)."""
    return tuple(
        listed.id
        for listed, trooper in zip(game.army(seat).troopers, game.side(seat).troopers, strict=True)
        if trooper.place != OFF_TABLE or listed.deploy == "hidden"
    )


def _teams(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    if likely and not game.side(seat).teams:
        return
    for trooper in _ids(game, seat):
        for use in ("leave", "join", "cancel", "aro"):
            yield a.TeamUse(seat, use, (trooper,))


def _names(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    if likely and (game.state.active is not seat or game.state.step is not None):
        return
    for trooper in _ids(game, seat):
        yield a.NameLieutenant(seat, trooper)


def _moves(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    if likely and game.state.active is None:
        return
    for trooper in _ids(game, seat):
        yield a.Frenzy(seat, trooper)
        yield a.Arrive(seat, trooper)
        yield a.Evacuate(seat, trooper)


def _reveals(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    for listed, trooper in zip(game.army(seat).troopers, game.side(seat).troopers, strict=True):
        if trooper.marker or not likely:
            yield a.Reveal(seat, listed.id)


def _records(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    for owner, name, _ in _known(game, seat):
        for state in TROOPER_STATES:
            yield a.RecordState(seat, owner, name, state)
            yield a.ClearState(seat, owner, name, state)


def _known(game: Game, seat: Seat) -> Iterator[tuple[Seat, str, int]]:
    """Whose states `seat` can speak of: owner, what it calls the trooper, and its place (INF)."""
    for owner in SEATS:
        for place, (listed, trooper) in enumerate(
            zip(game.army(owner).troopers, game.side(owner).troopers, strict=True)
        ):
            if owner is seat:
                yield owner, listed.id, place
            elif trooper.place != OFF_TABLE:
                yield owner, f"{MARKER}{trooper.marker}" if trooper.marker else listed.id, place


@lru_cache(maxsize=4096)
def _record(seat: Seat, owner: Seat, name: str, active: bool) -> tuple[a.RecordState, ...]:
    """All states of a trooper that could be recorded; `active`: being Unconscious and still acting too (STA-06)."""
    states = TROOPER_STATES if active else (state for state in TROOPER_STATES if state != "unconscious-active")
    return tuple(a.RecordState(seat, owner, name, state) for state in states)


def _likely_records(game: Game, seat: Seat) -> Iterator[a.Action]:
    """The family of `_records`, judged by a look at the states that are there (STA-05, STA-06)."""
    for owner, name, place in _known(game, seat):
        trooper = game.side(owner).troopers[place]
        unknown = owner is not seat and trooper.marker > 0
        active = not unknown and not game.army(owner).troopers[place].skills.isdisjoint(_STILL_ACTING)
        for action in _record(seat, owner, name, active):
            if action.state not in trooper.states:
                yield action
        for state in sorted(trooper.states):
            yield a.ClearState(seat, owner, name, state)


_STILL_ACTING = frozenset({"dogged", "no-wound-incapacitation"})


def _tokens(game: Game, seat: Seat, likely: bool) -> Iterator[a.Action]:
    state = game.state
    if likely and game.side(seat).command_tokens <= 0:
        return
    for use in a.TOKEN_USES:
        if use == "team":  # too many: `team` is for those who know whom they want
            continue
        if likely and (state.turns == 0) != (use in BEFORE_THE_GAME):
            continue
        if (
            likely
            and use not in BEFORE_THE_GAME
            and (
                state.active is None
                or (
                    (use in STRATEGIC and (state.turns > 1 or state.active is seat))
                    or (use not in STRATEGIC and state.active is not seat)
                    or (use in EXECUTIVE_USES and state.step is None and game.side(seat).reinforced != state.turns)
                )
            )
        ):
            continue
        yield from _token_uses(game, seat, use, likely)


def _token_uses(game: Game, seat: Seat, use: str, likely: bool) -> Iterator[a.Action]:
    ids, own_groups = _ids(game, seat), _group_numbers(game, seat)
    if use in ("cap", "reserve", "speedball", "other"):
        yield a.UseToken(seat, use)
    elif use == "strip":
        groups = tuple(group for group, _ in game.side(seat.other).pools)
        for first in groups:
            yield a.UseToken(seat, use, (), (first,))
            for second in groups:
                yield a.UseToken(seat, use, (), (first, second))
    elif use == "group":
        for trooper in ids:
            for group in own_groups:
                yield a.UseToken(seat, use, (trooper,), (group,))
    elif use == "coordinate":
        if likely and (game.state.order is not None or game.state.phase != ORDERS):
            return
        for group in own_groups:
            for troopers in _companies(game, seat, group):
                yield a.UseToken(seat, use, troopers, (group,))
    else:
        for trooper in ids:
            yield a.UseToken(seat, use, (trooper,))


_FAMILIES = (_turn, _spends, _who, _skills, _resolutions, _aros, _names, _moves, _records, _tokens, _teams, _reveals)
