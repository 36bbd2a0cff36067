"""What the lamps have to say: the public view and the link, read once into small typed values.

Everything that shows something - pixel strips, lamps on pins, the terminal, the picture in the README - starts here, so
that two outputs can never read the same view in two ways. Pure: no clock, no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, cast, get_args

Side = Literal["A", "B"]
SIDES: tuple[Side, Side] = ("A", "B")

LinkState = Literal["online", "stale", "fault", "offline", "absent"]
"""`online`: answers. `stale`: has missed answers, not yet given up. `fault`: answers, but a reader is out of order.
`offline`: lost. `absent`: this seat has no tray by configuration (it plays on the page)."""

Turn = Literal["none", "ready", "order", "housekeeping"]
"""What the turn lamp of a side says: not its turn; may spend an order; an order is running; it has to move the game on
(a phase without orders, or its turn waits to be begun)."""

FIRST_GROUP = "1"


@dataclass(frozen=True, slots=True)
class Count:
    """Orders of one kind: how many there were at the last count, how many are left. `0 <= left <= total`."""

    total: int = 0
    left: int = 0


_NONE = Count()


@dataclass(frozen=True, slots=True)
class Group:
    """One combat group: its pool of Regular orders (ORD-02) and the Irregular orders tied to it (ORD-03)."""

    name: str
    regular: Count
    irregular: Count


@dataclass(frozen=True, slots=True)
class SideState:
    """Everything one side's lamps show."""

    groups: tuple[Group, ...] = ()
    lieutenant: Count = Count()
    tactical: Count = Count()
    impetuous: Count = Count()
    turn: Turn = "none"
    aro_open: bool = False
    aro_declared: int = 0
    retreat: bool = False
    loss_of_lieutenant: bool = False
    link: LinkState = "absent"
    asks: str = ""
    """What the table asks of this side. `touch`: the second of two touches is awaited. Once more is asked, `again`: of
    the disc just laid down; `orders`: of ending the phase with orders left; `spent KIND [GROUP]`: of a spent disc.
    `consent`: may the last touch be taken back? `time`: its clock is running low."""

    @property
    def first_group(self) -> tuple[Group, ...]:
        """Combat group 1, or nothing."""
        return tuple(group for group in self.groups if group.name == FIRST_GROUP)

    @property
    def further_groups(self) -> tuple[Group, ...]:
        """Combat group 2 and what comes after it."""
        return tuple(group for group in self.groups if group.name != FIRST_GROUP)

    @property
    def irregular(self) -> Count:
        """All Irregular orders of the side."""
        return Count(sum(g.irregular.total for g in self.groups), sum(g.irregular.left for g in self.groups))


@dataclass(frozen=True, slots=True)
class TableState:
    """Both sides, and where the game stands."""

    a: SideState = SideState()
    b: SideState = SideState()
    phase: str = ""
    waiting: bool = True
    """Nobody's turn, and the view does not say whose is next."""
    over: str = ""

    def side(self, side: Side) -> SideState:
        """The state of one side."""
        return self.a if side == "A" else self.b


_LINK_STATES: Final = get_args(LinkState)
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


def _mapping(value: object) -> Mapping[str, object]:
    if type(value) is dict:  # what JSON and the rules give; asking an abstract class takes longer
        return value
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else _NOTHING


def _count(value: object) -> Count:
    """Read `{"total": n, "left": n}`. A missing one is none; more left than total raises the total (converted)."""
    fields = _mapping(value)
    left, total = fields.get("left", 0), fields.get("total", 0)
    if not isinstance(left, int) or left < 0:
        left = 0
    if not isinstance(total, int) or total < left:
        total = left
    return Count(total, left)


def _group_order(name: str) -> tuple[int, str]:
    return (int(name) if name.isdecimal() else 1 << 30, name)


def _groups(seat: Mapping[str, object]) -> tuple[Group, ...]:
    """Pools and Irregular orders by group. Irregular orders that the view ties to no group are shown with the first."""
    pools = {name: _count(value) for name, value in _mapping(seat.get("pools")).items()}
    everything = _mapping(seat.get("irregular"))
    irregular = {name: _count(value) for name, value in _mapping(everything.get("groups")).items()}
    overall = _count(everything)
    rest_total, rest_left = overall.total, overall.left
    for count in irregular.values():
        rest_total -= count.total
        rest_left -= count.left
    if rest_total > 0 or rest_left > 0:
        known = irregular.get(FIRST_GROUP, _NONE)
        total, left = known.total + max(0, rest_total), known.left + max(0, rest_left)
        irregular[FIRST_GROUP] = Count(max(total, left), left)
    names = sorted({*pools, *irregular}, key=_group_order)
    return tuple([Group(name, pools.get(name, _NONE), irregular.get(name, _NONE)) for name in names])


def _turn(side: Side, view: Mapping[str, object]) -> Turn:
    if view.get("over"):
        return "none"
    if view.get("active") is None and view.get("to_start") == side:
        return "housekeeping"
    if view.get("active") != side:
        return "none"
    if _mapping(view.get("order")):
        return "order"
    return "ready" if view.get("phase") in ("orders", "impetuous") else "housekeeping"


def _link_state(link: Mapping[str, str], side: Side) -> LinkState:
    state = link.get(side, link.get("state", "absent"))
    if state not in _LINK_STATES:
        raise ValueError(f"link state of side {side} is {state!r}; it must be one of {', '.join(_LINK_STATES)}")
    return cast("LinkState", state)


def _side_state(side: Side, view: Mapping[str, object], link: Mapping[str, str], asks: Mapping[str, str]) -> SideState:
    seat = _mapping(_mapping(view.get("seats")).get(side))
    aro = _mapping(_mapping(view.get("order")).get("aro"))
    reactive = view.get("active") in SIDES and view.get("active") != side
    declared = aro.get("declared")
    return SideState(
        groups=_groups(seat),
        lieutenant=_count(seat.get("lieutenant")),
        tactical=_count(seat.get("tactical")),
        impetuous=_count(seat.get("impetuous")),
        turn=_turn(side, view),
        aro_open=reactive and bool(aro.get("open")) and not view.get("over"),
        aro_declared=len(declared) if reactive and isinstance(declared, (list, tuple, dict)) else 0,
        retreat=bool(seat.get("retreat")),
        loss_of_lieutenant=bool(seat.get("loss_of_lieutenant")),
        link=_link_state(link, side),
        asks=asks.get(side, ""),
    )


def read_view(
    view: Mapping[str, object], link: Mapping[str, str], asks: Mapping[str, str] = MappingProxyType({})
) -> TableState:
    """Read a public view (the JSON of design.md), the link states and what the table asks into a `TableState`.

    `link` maps "A" and "B" (or "state" for both) to a `LinkState`; a seat without an entry is "absent". `asks` maps a
    seat to one of the words of `SideState.asks`.
    Keys the view does not have count as "nothing there", so a view of a game not yet begun is a view too.
    Raises ValueError for a link state that is none.
    """
    over = view.get("over")
    return TableState(
        a=_side_state("A", view, link, asks),
        b=_side_state("B", view, link, asks),
        phase=str(view.get("phase") or ""),
        waiting=not over and view.get("active") not in SIDES and view.get("to_start") not in SIDES,
        over=over if isinstance(over, str) else ("over" if over else ""),
    )
