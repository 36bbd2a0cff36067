"""Which pixel asks for a disc: the one that will show its order in play, in its kind's colour. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ordertray.tokens.model import Role, TokenKind

PIXELS = 32
_COLOURS = {
    TokenKind.REGULAR: "g",
    TokenKind.IRREGULAR: "y",
    TokenKind.LIEUTENANT: "p",
    TokenKind.TACTICAL: "b",
    TokenKind.IMPETUOUS: "o",
    TokenKind.COMMAND: "c",
    TokenKind.STATE: "r",
    TokenKind.TROOPER: "w",
}
_GROUP_FIRST = {1: 0}
_FURTHER_GROUPS_FIRST = 16
_GROUP_LENGTH = 10
# Kinds outside the groups: first pixel and how many. Command and state have none in play and borrow ARO and Retreat.
_FIELDS = {
    TokenKind.LIEUTENANT: (10, 2),
    TokenKind.TACTICAL: (12, 2),
    TokenKind.IMPETUOUS: (26, 2),
    TokenKind.COMMAND: (28, 2),
    TokenKind.STATE: (30, 1),
}


def pixel_of(role: Role, roles: Sequence[Role]) -> int:
    """The pixel (0 to 31) that asks for `role`, one of `roles`; further ones of a full field share its pixels."""
    alike = [other for other in roles if other.kind is role.kind]
    if role.kind in _FIELDS:
        first, length = _FIELDS[role.kind]
        return first + alike.index(role) % length
    here = [other for other in alike if other.group == role.group]
    place = here.index(role)
    if role.kind is TokenKind.IRREGULAR:  # shown behind the group's Regular orders (ORD-03)
        place += sum(other.kind is TokenKind.REGULAR and other.group == (role.group or 1) for other in roles)
    return _GROUP_FIRST.get(role.group or 1, _FURTHER_GROUPS_FIRST) + place % _GROUP_LENGTH


def prompt(asked: Role | None, have: Collection[Role], roles: Sequence[Role]) -> list[str]:
    """A side's strip as in an `F` frame, `[colours, effects]`: the asked blinks, the enrolled of its kind are dim."""
    colours, effects = ["."] * PIXELS, ["."] * PIXELS
    if asked is not None:
        for role in roles:
            if role.kind is asked.kind and role in have:
                colours[pixel_of(role, roles)], effects[pixel_of(role, roles)] = _COLOURS[role.kind], "d"
        colours[pixel_of(asked, roles)], effects[pixel_of(asked, roles)] = _COLOURS[asked.kind], "b"
    return ["".join(colours), "".join(effects)]
