"""A made-up set of discs for an army, for the demo and for tests. The same army gives the same UIDs every time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from ordertray.rules.army import Army, Trooper
from ordertray.tokens.binding import troopers_of_kind
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import TokenRegistry


def disc_numbers(army: Army) -> dict[str, int]:
    """By trooper: the number of the Regular disc that stands for it, in its group (1 the first of the roster).

    So a Regular disc is known from others where that matters: in Loss of Lieutenant, and for a casualty.
    """
    numbers: dict[str, int] = {}
    for group in army.groups:
        regulars = [t.id for t in army.troopers if t.group == group and t.training == "regular" and not t.is_peripheral]
        numbers |= {trooper: number for number, trooper in enumerate(regulars, 1)}
    return numbers


def roles_for(army: Army, *, named: bool = False) -> tuple[Role, ...]:
    """Every disc this army can use, in the order in which they are enrolled and printed.

    Per group a Regular disc for each trooper that may come to give a Regular order (a Lieutenant gives one too);
    nameless, numbered Irregular, Lieutenant, Tactical and Impetuous discs, as many as there are such troopers (which
    kinds these are is the edition's business: a disc too many does no harm); four Command discs, a state disc; a tag
    for each trooper. Peripherals give no order (ORD-16) and get a tag only. With `named`, the Irregular, Tactical and
    Impetuous discs name their troopers, as in a game (`binding`).
    """
    return tuple(_roles(army, named))


def _roles(army: Army, named: bool) -> Iterator[Role]:
    members = [trooper for trooper in army.troopers if not trooper.is_peripheral]
    numbers = disc_numbers(army)
    for group in army.groups:
        here = [trooper for trooper in members if trooper.group == group]
        for number in sorted(numbers[t.id] for t in here if t.id in numbers):
            yield Role(TokenKind.REGULAR, group, number)
        if named:
            yield from _bound_roles(TokenKind.IRREGULAR, [t for t in here if t.training == "irregular"], named)
    if not named:
        yield from _bound_roles(TokenKind.IRREGULAR, troopers_of_kind(army, TokenKind.IRREGULAR), named)
    for trooper in members:
        if trooper.lieutenant:
            for number in range(1, 3 if "plus-1-order" in trooper.skills else 2):
                # No trooper's name: the disc lies open on the table, the Lieutenant's identity is private (LOL-05).
                yield Role(TokenKind.LIEUTENANT, None, number)
    for kind in (TokenKind.TACTICAL, TokenKind.IMPETUOUS):
        yield from _bound_roles(kind, troopers_of_kind(army, kind), named)
    extra = any("plus-1-command-token" in trooper.skills for trooper in members)
    for number in range(1, 6 if extra else 5):
        yield Role(TokenKind.COMMAND, None, number)
    yield Role(TokenKind.STATE)
    for trooper in army.troopers:
        yield Role(TokenKind.TROOPER, trooper.group, None, trooper.id)


def _bound_roles(kind: TokenKind, troopers: Iterable[Trooper], named: bool) -> Iterator[Role]:
    for number, trooper in enumerate(troopers, 1):
        yield Role(kind, trooper.group, None, trooper.id) if named else Role(kind, None, number)


def virtual_tokens(army: Army, owner: str, *, named: bool = True) -> TokenRegistry:
    """A full set of virtual NTAG213 discs for an army, with UIDs made from owner and role.

    They are bound to its troopers as in a game, unless `named` is false. A trooper with a `tag` in the roster keeps
    that UID.
    """
    tags = {trooper.id: trooper.tag for trooper in army.troopers if trooper.tag}
    tokens: dict[str, Token] = {}
    for role in roles_for(army, named=named):
        uid = tags.get(role.trooper or "") if role.kind is TokenKind.TROOPER else None
        attempt = 0
        while uid is None or uid in tokens:
            uid = virtual_uid(f"{owner}|{role.kind}|{role.group}|{role.number}|{role.trooper}|{attempt}")
            attempt += 1
        tokens[uid] = Token(uid, role, owner)
    return TokenRegistry(tokens.values(), owner)


def missing_tokens(army: Army, owner: str, known: TokenRegistry) -> TokenRegistry:
    """Made-up discs for whatever `known`, bound to the army's troopers, does not have."""
    have = {token.role for token in known}
    made = (token for token in virtual_tokens(army, owner) if token.role not in have and token.uid not in known)
    return TokenRegistry(made, owner)


def virtual_uid(seed: str) -> str:
    """A 7-byte UID as NXP's tags have: 04 first, and no cascade mark 88 as fourth byte (ISO 14443-3, 6.5.4)."""
    raw = bytearray(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:6])
    raw[2] ^= 0x01 if raw[2] == 0x88 else 0
    return "04" + raw.hex().upper()
