"""An army as its list describes it. `army_check` names the faults of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

TROOPER_TYPES = ("LI", "MI", "HI", "TAG", "REM", "SK", "WB", "VH")
TRAININGS = ("regular", "irregular")

#: How a trooper comes on the table (ORD-22): `marker` stands there from the start, unknown to the other side (INF).
DEPLOYMENTS = ("table", "hidden", "airborne", "marker", "reinforcement")

#: Those that begin the game off the table.
OFF_TABLE_DEPLOYMENTS = frozenset({"hidden", "airborne", "reinforcement"})

#: Skills the tray acts on. Any other skill may stand in a roster; it changes nothing here.
KNOWN_SKILLS = (
    "chain-of-command",
    "commlink",
    "commlink-1",
    "commlink-2",
    "commlink-3",
    "counterintelligence",
    "courage",
    "dogged",
    "frenzy",
    "impetuous",
    "inspiring-leadership",
    "nco",
    "no-wound-incapacitation",
    "number-2",
    "plus-1-command-token",
    "plus-1-order",
    "religious",
    "shasvastii",
    "strategos-1",
    "strategos-2",
    "tactical-awareness",
    "veteran",
    "warhorse",
)


@dataclass(frozen=True, slots=True)
class Trooper:
    """One line of an army list.

    `cost` is in army points (multiples of one half); a controller's cost contains that of its peripherals
    (RET-15). `deploy` is how it comes on the table (ORD-15, ORD-22). `controller` makes it a peripheral, `own_cost` one
    that is paid for by itself. An `incomplete` entry is one that a person must fill in before the list may play.
    """

    id: str
    name: str = ""
    type: str = "LI"
    cost: float = 0
    group: int = 1
    training: str = "regular"
    lieutenant: bool = False
    skills: frozenset[str] = frozenset()
    deploy: str = "table"
    controller: str | None = None
    tag: str | None = None
    own_cost: bool = False
    incomplete: bool = False

    @property
    def is_peripheral(self) -> bool:
        """Whether it acts on a controller's order (ORD-16); one paid for by itself may still lack its controller."""
        return self.controller is not None or self.own_cost


@dataclass(frozen=True, slots=True)
class Fireteam:
    """A Fireteam that the list has from the start (FT-01): ids of its members, and which of them leads."""

    name: str
    members: tuple[str, ...]
    leader: str


@dataclass(frozen=True)
class Army:
    """An army list: its troopers in list order, and the points limit of the game it was made for."""

    name: str
    points: int
    troopers: tuple[Trooper, ...]
    edition: str | None = None
    """The edition the list was written for, or None when it does not say."""
    fireteams: tuple[Fireteam, ...] = ()

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Place of each trooper by its id. Of two with one id (a fault of the list) the first counts."""
        places: dict[str, int] = {}
        for place, trooper in enumerate(self.troopers):
            places.setdefault(trooper.id, place)
        return places

    @cached_property
    def markers(self) -> Mapping[str, int]:
        """The number of each trooper that begins as a marker, by its id, in list order (INF)."""
        return {
            trooper.id: number for number, trooper in enumerate((t for t in self.troopers if t.deploy == "marker"), 1)
        }

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The combat groups of the list, ascending."""
        return tuple(sorted({trooper.group for trooper in self.troopers}))

    @cached_property
    def peripherals(self) -> tuple[tuple[int, ...], ...]:
        """For each trooper the places of its peripherals."""
        return tuple(
            tuple(i for i, other in enumerate(self.troopers) if other.controller == trooper.id)
            for trooper in self.troopers
        )

    @cached_property
    def controlled(self) -> tuple[tuple[int, int], ...]:
        """Places of the peripherals, each with that of its controller."""
        return tuple(
            (place, self.index[trooper.controller])
            for place, trooper in enumerate(self.troopers)
            if trooper.controller is not None
        )

    @cached_property
    def own_costs(self) -> tuple[float, ...]:
        """Cost of each trooper by itself, in points: a controller's without what its own contains (RET-15)."""
        return tuple(
            trooper.cost - sum(self.troopers[i].cost for i in self.peripherals[place] if not self.troopers[i].own_cost)
            for place, trooper in enumerate(self.troopers)
        )

    @property
    def total_points(self) -> float:
        """What the list really costs, in points."""
        return sum(self.own_costs)
