"""For one game: which trooper a nameless, numbered disc stands for. Pure.

Irregular, Tactical and Impetuous discs name nobody, so that one set serves every army of a season. When a game begins,
number 1 of a kind is bound to the first trooper of the list that has such an order, number 2 to the second, and so on;
a player may say otherwise (`chosen`). A disc that a player has enrolled for one trooper keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ordertray.rules.army import Army, Trooper
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import TokenRegistry

#: The kinds of disc that are bound for a game. A Lieutenant's stays nameless: it lies open on the table (LOL-05).
BOUND_KINDS = (TokenKind.IRREGULAR, TokenKind.TACTICAL, TokenKind.IMPETUOUS)


def troopers_of_kind(army: Army, kind: TokenKind) -> tuple[Trooper, ...]:
    """The troopers of a list that have an order of this kind, in the order of the list (ORD-03, ORD-07, SEQ-04/05)."""

    def has(trooper: Trooper) -> bool:
        if trooper.is_peripheral:
            return False
        if kind is TokenKind.IRREGULAR:
            return trooper.training == "irregular"
        if kind is TokenKind.TACTICAL:
            return "tactical-awareness" in trooper.skills
        return kind is TokenKind.IMPETUOUS and bool(trooper.skills & {"impetuous", "frenzy"})

    return tuple(trooper for trooper in army.troopers if has(trooper))


def bindings(registry: TokenRegistry, army: Army, chosen: Mapping[Role, str] | None = None) -> dict[str, Trooper]:
    """The trooper of each nameless disc, by UID. Discs of which there are more than troopers stay nameless."""
    found: dict[str, Trooper] = {}
    for kind in BOUND_KINDS:
        troopers = {trooper.id: trooper for trooper in troopers_of_kind(army, kind)}
        discs = [token for token in registry if token.kind is kind]
        for token in discs:
            troopers.pop(token.trooper or "", None)  # it has a disc of its own
        nameless = sorted((t for t in discs if t.trooper is None and t.number is not None), key=lambda t: t.number or 0)
        for token in list(nameless):
            wanted = (chosen or {}).get(token.role)
            if wanted in troopers:
                found[token.uid] = troopers.pop(wanted)
                nameless.remove(token)
        for token, trooper in zip(nameless, list(troopers.values()), strict=False):
            found[token.uid] = trooper
    return found


def bound(registry: TokenRegistry, army: Army, chosen: Mapping[Role, str] | None = None) -> TokenRegistry:
    """The discs as one game uses them: the nameless ones stand for the troopers they are bound to."""
    troopers = bindings(registry, army, chosen)

    def for_the_game(token: Token) -> Token:
        trooper = troopers.get(token.uid)
        if trooper is None:
            return token
        return replace(token, role=Role(token.kind, trooper.group, None, trooper.id))

    return TokenRegistry(map(for_the_game, registry), registry.owner)
