"""The discs that lie beside a tray, by name: `regular g1`, `irregular ID`, `lieutenant`, `trooper ID`, ... Pure.

What the public sees here follows from the public view alone: Regular discs are one stack for each group, and a disc
that names a trooper is there only if that trooper is on the table. How many discs a player owns would tell more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..rules import Seat
from ..tokens.model import Role, Token, TokenKind
from .discs import listed_name
from .guide import names_lieutenant
from .model import Table

_OF_A_TROOPER = ("irregular", "tactical", "impetuous")


def discs_of(table: Table, view: Mapping[str, Any], seat: Seat, reader: Seat | None) -> list[dict[str, Any]]:
    """The discs of `seat` as `reader` may see them. `left` and `total` count orders; None where there are none."""
    return list(_discs(table, view, seat, reader))


def _discs(table: Table, view: Mapping[str, Any], seat: Seat, reader: Seat | None) -> Iterator[dict[str, Any]]:
    side = view["seats"][str(seat)]
    kinds = {token.kind for token in table.tokens if token.owner == seat}
    for group, count in side["pools"].items():
        yield _disc(f"regular g{group}", "regular", group=int(group), **count)
    for kind in _OF_A_TROOPER:
        for trooper in side["troopers"]:
            if trooper[kind]["total"]:
                yield _disc(f"{kind} {trooper['id']}", kind, trooper=trooper["id"], **trooper[kind])
        if kind == "irregular" and (
            side["lieutenant"]["total"] or (_active(table, seat) and names_lieutenant(table, view, reader))
        ):
            count = side["lieutenant"]
            yield _disc("lieutenant", "lieutenant", left=count["left"], total=count["total"])
    if TokenKind.COMMAND in kinds and side["command_tokens"]:
        yield _disc("command", "command", left=side["command_tokens"], total=side["command_tokens"])
    yield _disc("state", "state")
    known = {trooper["id"]: trooper for trooper in side["troopers"]}
    for listed in table.game.army(seat).troopers:
        if (trooper := known.get(listed.id)) is not None:
            yield _disc(f"trooper {listed.id}", "trooper", trooper=listed.id, states=trooper["states"])
        elif reader is seat:
            yield _disc(f"trooper {listed.id}", "trooper", trooper=listed.id, states=[], hidden=True)
    if reader is not seat:  # a marker's tag, under the name that everybody knows it by
        for name in sorted(known.keys() - table.game.army(seat).index.keys()):
            yield _disc(f"trooper {name}", "trooper", trooper=name, states=known[name]["states"])


def _active(table: Table, seat: Seat) -> bool:
    return table.game.state.active is seat


def _disc(disc: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"disc": disc, "kind": kind, "left": None, "total": None, **fields}


def may_know(table: Table, view: Mapping[str, Any], seat: Seat, disc: str, reader: Seat | None) -> bool:
    """Whether `reader` sees a disc of that name beside `seat`'s side, and so may tap it."""
    return any(shown["disc"] == disc for shown in _discs(table, view, seat, reader))


def uid_of(table: Table, seat: Seat, disc: str, turn: int) -> str | None:
    """The UID to lay down for a disc of that name; None if there is none. `turn` picks one of a stack.

    As a hand does, it takes one that is not spent, while there is one.
    """
    words = [listed_name(table.game, seat, word) for word in disc.split()]
    discs = [token for token in table.tokens if token.owner == seat]
    kind, rest = words[0], words[1:]
    if kind == "regular" and rest:
        stack = [t for t in discs if t.kind is TokenKind.REGULAR and f"g{t.group}" == rest[0]]
    elif kind in ("lieutenant", "command", "state"):
        stack = [t for t in discs if t.kind == kind and t.state is None]
    else:
        stack = [t for t in discs if t.kind == kind and rest and t.trooper == rest[0]]
        if not stack and kind == "irregular" and rest:
            stack = _own_disc(table, seat, rest[0], discs) or [
                t for t in discs if t.kind is TokenKind.TACTICAL and t.trooper == rest[0]
            ]  # n4: Tactical Awareness gives an Irregular order (ORD-09)
    spent = table.spent()
    stack = [token for token in stack if token.uid not in spent] or stack
    return stack[turn % len(stack)].uid if stack else None


def _own_disc(table: Table, seat: Seat, trooper: str, discs: list[Token]) -> list[Token]:
    """In Loss of Lieutenant a Regular disc stands for its trooper's own order, while no pool order hides it."""
    army = table.game.army(seat)
    place = army.index.get(trooper)
    if place is None:
        return []
    group = army.troopers[place].group
    pool = dict(table.game.side(seat).pools).get(group)
    if pool is not None and pool.left:
        return []
    numbered = [t.id for t in army.troopers if t.group == group and t.training == "regular" and not t.is_peripheral]
    if trooper not in numbered:
        return []
    number = numbered.index(trooper) + 1
    return [t for t in discs if t.kind is TokenKind.REGULAR and (t.group, t.number) == (group, number)]


def name_of(role: Role) -> str:
    """The name of the disc that has this role."""
    if role.kind is TokenKind.REGULAR:
        return f"regular g{role.group}"
    if role.trooper is not None and role.kind is not TokenKind.LIEUTENANT:
        return f"{role.kind} {role.trooper}"
    return str(role.kind)
