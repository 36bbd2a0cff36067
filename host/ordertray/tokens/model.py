"""What a disc is: its kind, its owner, its group and number, or the trooper it stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ordertray.messages import N_


class TokenKind(StrEnum):
    """The kinds of disc. `trooper` marks a unit card or a base; all others spend or set something."""

    REGULAR = "regular"
    IRREGULAR = "irregular"
    LIEUTENANT = "lieutenant"
    TACTICAL = "tactical"
    IMPETUOUS = "impetuous"
    COMMAND = "command"
    STATE = "state"
    TROOPER = "trooper"


KIND_NAMES = {
    TokenKind.REGULAR: N_("Regular"),
    TokenKind.IRREGULAR: N_("Irregular"),
    TokenKind.LIEUTENANT: N_("Lieutenant"),
    TokenKind.TACTICAL: N_("Tactical"),
    TokenKind.IMPETUOUS: N_("Impetuous"),
    TokenKind.COMMAND: N_("Command"),
    TokenKind.STATE: N_("State"),
    TokenKind.TROOPER: N_("Trooper"),
}

# Kinds that name a trooper, and of these the one that must.
KINDS_OF_A_TROOPER = frozenset(
    {TokenKind.IRREGULAR, TokenKind.LIEUTENANT, TokenKind.TACTICAL, TokenKind.IMPETUOUS, TokenKind.TROOPER}
)

# The states of the game script that a state disc may name; a state disc without one asks on the page.
STATES = (
    "unconscious",
    "unconscious-active",
    "dead",
    "sepsitorized",
    "possessed",
    "disconnected",
    "isolated",
    "immobilized-a",
    "immobilized-b",
    "stunned",
    "prone",
    "targeted",
)


@dataclass(frozen=True, slots=True)
class Role:
    """What a disc means, whoever owns it and whatever its UID. One owner's numbered roles are all different."""

    kind: TokenKind
    group: int | None = None
    number: int | None = None
    trooper: str | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A disc. `uid` is upper-case hex; `owner` a player's name, or a seat ("A", "B") once the game is set up."""

    uid: str
    role: Role
    owner: str = field(default="")

    @property
    def kind(self) -> TokenKind:
        """The kind of disc."""
        return self.role.kind

    @property
    def group(self) -> int | None:
        """The combat group, for the kinds that have one."""
        return self.role.group

    @property
    def number(self) -> int | None:
        """The number printed on the disc."""
        return self.role.number

    @property
    def trooper(self) -> str | None:
        """The roster id of the trooper it stands for."""
        return self.role.trooper

    @property
    def state(self) -> str | None:
        """The state it sets, for a state disc that names one."""
        return self.role.state


class BadUidError(ValueError):
    """A text is not the UID of a disc; the message (marked for translation) says why."""


def normalised_uid(text: str) -> str:
    """Give a UID as upper-case hex without separators ("04:a1:b2..." -> "04A1B2...").

    Accepts 4, 7 and 10 bytes (ISO 14443-3). Raises `BadUidError`, also for 4-byte UIDs beginning with 08: these are
    random ones, a phone's.
    """
    digits = text.strip().replace(":", "").replace("-", "").replace(" ", "").upper()
    if not digits or any(digit not in "0123456789ABCDEF" for digit in digits):
        raise BadUidError(N_("a UID is written in hex digits, like 04A1B2C3D4E5F6"))
    if len(digits) not in (8, 14, 20):
        raise BadUidError(N_("a UID has 4, 7 or 10 bytes (8, 14 or 20 hex digits)"))
    if len(digits) == 8 and digits.startswith("08"):
        raise BadUidError(N_("this is a phone's passing number (08...), not a disc's"))
    return digits


def parse_role(text: str) -> Role:
    """A disc as a player types it: its kind, then `g1` for the group, a number, a trooper's id or a state.

    "regular g1 3", "irregular nomad", "lieutenant 1", "state dead". Raises `ValueError` (its text marked).
    """
    words = text.split()
    try:
        kind = TokenKind(words[0].lower())
    except (IndexError, ValueError):
        raise ValueError(N_("a disc begins with its kind: regular, irregular, lieutenant, ...")) from None
    group: int | None = None
    number: int | None = None
    other: str | None = None
    for word in words[1:]:
        if group is None and word[:1].lower() == "g" and word[1:].isdecimal() and len(word) < 5:
            group = int(word[1:])
        elif number is None and word.isdecimal() and len(word) < 4 and kind is not TokenKind.TROOPER:
            number = int(word)
        elif other is None and (kind in KINDS_OF_A_TROOPER or (kind is TokenKind.STATE and word in STATES)):
            other = word
        else:
            raise ValueError(N_("a disc is written like: regular g1 3, irregular nomad, lieutenant 1, state dead"))
    is_state = kind is TokenKind.STATE
    return Role(kind, group, number, None if is_state else other, other if is_state else None)
