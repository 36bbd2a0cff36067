"""What everybody may know of an army (INF), and whether an action speaks of more than that."""

from __future__ import annotations

from collections.abc import Iterable

from . import actions as a
from .game import OFF_TABLE, Game
from .seats import Seat


def is_seen(game: Game, seat: Seat, trooper: str) -> bool:
    """Whether a trooper is on the table, as model or marker, or has left it."""
    place = game.army(seat).index.get(trooper)
    return place is not None and game.side(seat).troopers[place].place != OFF_TABLE


def is_public(game: Game, seat: Seat, trooper: str) -> bool:
    """Whether everybody knows that `seat` has this trooper: it is to be seen, and no marker."""
    place = game.army(seat).index.get(trooper)
    if place is None:
        return False
    stands = game.side(seat).troopers[place]
    return stands.place != OFF_TABLE and not stands.marker


def public_groups(game: Game, seat: Seat) -> frozenset[int]:
    """The combat groups that everybody knows of: those with a trooper on the table, and those with a pool."""
    army, side = game.army(seat), game.side(seat)
    members = (
        state.group
        for trooper, state in zip(army.troopers, side.troopers, strict=True)
        if state.place != OFF_TABLE and trooper.controller is None
    )
    return frozenset((*members, *(group for group, _ in side.pools)))


def is_secret(game: Game, action: a.Action) -> bool:
    """Whether others know nothing of what `action`, from which `game` came, was about: its line is kept from them."""
    match action:
        case a.NameLieutenant() | a.Strategos():
            return True
        case a.RecordState(owner=owner, trooper=trooper) | a.ClearState(owner=owner, trooper=trooper):
            return owner is action.seat and not is_seen(game, owner, trooper)
        case a.UseToken(use="group", troopers=troopers):
            return not all(is_seen(game, action.seat, trooper) for trooper in troopers)
    return False


def speaks_of_hidden(game: Game, action: a.Action) -> bool:
    """Whether `action` names a trooper or combat group of its own side that others may not know of.

    Such an action, once refused, is refused to others without a reason, whatever the reason is: a hidden trooper
    that may not do this must look like one that does not exist.
    """
    if isinstance(action, a.SetOption | a.Undo):
        return False
    seat = action.seat
    match action:
        case a.RecordState(owner=owner, trooper=trooper) | a.ClearState(owner=owner, trooper=trooper):
            return owner is seat and not is_public(game, seat, trooper)
        case a.Spend(group=group, troopers=troopers):
            return _hidden(game, seat, troopers, () if group is None else (group,))
        case a.UseToken(use=use, troopers=troopers, groups=groups):
            return _hidden(game, seat, troopers, () if use == "strip" else groups)
        case a.Pass(troopers=troopers) | a.Delay(troopers=troopers) | a.TeamUse(troopers=troopers):
            return _hidden(game, seat, troopers)
        case a.DeclareAro(trooper=str() as trooper, others=others):
            return _hidden(game, seat, (trooper, *others))
        case a.Check(idle=idle) | a.Resolve(idle=idle):
            return not all(_known(game, seat, name) for name in idle)
    named: str | None = getattr(action, "trooper", None)
    return named is not None and not is_public(game, seat, named)


def _hidden(game: Game, seat: Seat, troopers: Iterable[str], groups: Iterable[int] = ()) -> bool:
    known = public_groups(game, seat)
    return not (all(is_public(game, seat, trooper) for trooper in troopers) and all(group in known for group in groups))


def _known(game: Game, seat: Seat, name: str) -> bool:
    """Whether a name with or without its side, as after `idle`, is one that everybody knows."""
    side, separator, trooper = name.partition(":")
    if separator:
        return side not in ("A", "B") or is_public(game, Seat(side), trooper)
    return is_public(game, seat, name) or is_public(game, seat.other, name)
