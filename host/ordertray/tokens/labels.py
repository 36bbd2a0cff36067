"""Which labels there are: for an army, and the starter set that needs none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ordertray.rules.army import Army
from ordertray.tokens.model import Role, TokenKind
from ordertray.tokens.ndef import uri_of
from ordertray.tokens.virtual import disc_numbers, roles_for


@dataclass(frozen=True, slots=True)
class Label:
    """One sticker: the disc's role, and the trooper's name where it stands for one.

    `detail` is what tells it from others of its name (a weapon), `copy` its number among those alike in both.
    """

    role: Role
    name: str = ""
    detail: str = ""
    copy: int | None = None

    @property
    def uri(self) -> str:
        """What its QR code says: the same as the disc's NDEF record."""
        return uri_of(self.role)

    @property
    def number(self) -> int | None:
        """The number printed large: the disc's own, or which copy of a trooper it is."""
        return self.role.number if self.role.number is not None else self.copy

    @property
    def lines(self) -> tuple[str, ...]:
        """The text, what distinguishes first."""
        return (self.detail, self.name) if self.detail else (self.name or self.role.state or "",)


def labels_for(army: Army, *, named: bool = False) -> tuple[Label, ...]:
    """A label for every disc this army can use, in the order in which they are enrolled. No two look alike.

    `named`: a Regular disc, too, bears the name of the trooper it stands for by its number.
    """
    names = {trooper.id: trooper.name or trooper.id for trooper in army.troopers}
    groups = {trooper.id: trooper.group for trooper in army.troopers}
    numbered = {(groups[who], number): who for who, number in disc_numbers(army).items()} if named else {}
    counts = Counter(names.values())
    used: Counter[str] = Counter()
    found = []
    for role in roles_for(army):
        if role.trooper is None:
            who = numbered.get((role.group or 0, role.number or 0)) if role.kind is TokenKind.REGULAR else None
            found.append(Label(role) if who is None else Label(role, *names[who].partition(", ")[::2]))
            continue
        whole = names[role.trooper]
        name, _comma, detail = whole.partition(", ")
        used[whole] += 1
        found.append(Label(role, name, detail, used[whole] if counts[whole] > 1 else None))
    return tuple(found)


def starter_roles() -> tuple[Role, ...]:
    """The starter set of 30: two groups of ten Regular, 2 Irregular, 1 Lieutenant, 2 Tactical, 4 Command, 1 State."""
    regular = [Role(TokenKind.REGULAR, group, number) for group in (1, 2) for number in range(1, 11)]
    counts = {TokenKind.IRREGULAR: 2, TokenKind.LIEUTENANT: 1, TokenKind.TACTICAL: 2, TokenKind.COMMAND: 4}
    others = [Role(kind, None, number) for kind, count in counts.items() for number in range(1, count + 1)]
    return (*regular, *others, Role(TokenKind.STATE))


def starter_labels() -> tuple[Label, ...]:
    """Labels for `starter_roles`."""
    return tuple(Label(role) for role in starter_roles())
