"""An army as its list describes it, and the check that names every fault of a list at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .editions import Edition
from .words import N_, fill

TROOPER_TYPES = ("LI", "MI", "HI", "TAG", "REM", "SK", "WB", "VH")
TRAININGS = ("regular", "irregular")
DEPLOYMENTS = ("table", "hidden", "airborne")

#: Skills the tray acts on. Any other skill may stand in a roster; it changes nothing here.
KNOWN_SKILLS = (
    "chain-of-command",
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

#: Words of the game-script notation, which a trooper therefore cannot be called.
RESERVED_IDS = frozenset({"all", "idle", "by"})

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_GROUP_WORD = re.compile(r"g[0-9]+")


@dataclass(frozen=True, slots=True)
class Trooper:
    """One line of an army list.

    `cost` is in army points (multiples of one half); a controller's cost contains that of its peripherals
    (RET-15). `deploy` other than `table` means it starts off the table (ORD-15). `controller` makes it a peripheral.
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

    @property
    def is_peripheral(self) -> bool:
        """Whether it acts on a controller's order (ORD-16)."""
        return self.controller is not None


@dataclass(frozen=True)
class Army:
    """An army list: its troopers in list order, and the points limit of the game it was made for."""

    name: str
    points: int
    troopers: tuple[Trooper, ...]
    edition: str | None = None
    """The edition the list was written for, or None when it does not say."""

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Place of each trooper by its id. Of two with one id (a fault of the list) the first counts."""
        places: dict[str, int] = {}
        for place, trooper in enumerate(self.troopers):
            places.setdefault(trooper.id, place)
        return places

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
    def own_costs(self) -> tuple[float, ...]:
        """Cost of each trooper by itself, in points: a controller's without its peripherals' (RET-15)."""
        return tuple(
            trooper.cost - sum(self.troopers[i].cost for i in self.peripherals[place])
            for place, trooper in enumerate(self.troopers)
        )

    @property
    def total_points(self) -> float:
        """What the list really costs, in points."""
        return sum(self.own_costs)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an army list: where, under which rule, and a message template with its parameters.

    `trooper` is the place in the list (0 first), or None for the list as a whole; `key` the field at fault.
    """

    rule: str
    code: str
    template: str
    trooper: int | None = None
    key: str | None = None
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The fault in English."""
        return self.explain()

    def explain(self, translate: Callable[[str], str] = str) -> str:
        """The fault in the language of `translate`, which maps message ids (gettext)."""
        return fill(self.template, self.params, translate)


@dataclass(frozen=True, slots=True)
class _Faults:
    """Makes the problems of one trooper."""

    place: int
    trooper: Trooper

    def __call__(self, rule: str, code: str, key: str, template: str, **params: object) -> Problem:
        return Problem(rule, code, template, self.place, key, {"trooper": self.trooper.id, **params})


def check_army(army: Army, edition: Edition) -> tuple[Problem, ...]:
    """Every fault of `army` under `edition`, in list order, the list's own faults last.

    Rules: ORD-05, ORD-16, ORD-21, LOL-01, RET-15 and the roster format. An empty answer means the list may play.
    """
    return (*_trooper_problems(army, edition), *_list_problems(army, edition))


def _trooper_problems(army: Army, edition: Edition) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, trooper in enumerate(army.troopers):
        problem = _Faults(place, trooper)
        if not _ID.fullmatch(trooper.id):
            yield problem("ORD-01", "bad-id", "id", N_("id {trooper!r} needs letters, digits, '-', '_' or '.' only"))
        elif trooper.id in RESERVED_IDS or _GROUP_WORD.fullmatch(trooper.id):
            yield problem("ORD-01", "reserved-id", "id", N_("id {trooper!r} is a word of the notation; choose another"))
        if trooper.id in seen:
            yield problem("ORD-01", "double-id", "id", N_("id {trooper!r} is used twice; every trooper needs its own"))
        seen.add(trooper.id)
        if trooper.type not in TROOPER_TYPES:
            yield problem(
                "ORD-01", "bad-type", "type", N_("type {value!r} is unknown; it is one of {choices}"),
                value=trooper.type, choices=", ".join(TROOPER_TYPES),
            )  # fmt: skip
        if trooper.training not in TRAININGS:
            yield problem(
                "ORD-02", "bad-training", "training", N_("training {value!r} is unknown; it is regular or irregular"),
                value=trooper.training,
            )  # fmt: skip
        if trooper.training == "irregular" and not edition.irregular_orders:
            yield problem("ORD-21", "irregular-barred", "training", N_("{trooper} is irregular; this edition has none"))
        if trooper.deploy not in DEPLOYMENTS:
            yield problem(
                "ORD-15", "bad-deploy", "deploy", N_("deploy {value!r} is unknown; it is one of {choices}"),
                value=trooper.deploy, choices=", ".join(DEPLOYMENTS),
            )  # fmt: skip
        if trooper.group < 1:
            yield problem("ORD-21", "bad-group", "group", N_("group {value} is no combat group; they count from 1"),
                          value=trooper.group)  # fmt: skip
        elif trooper.group > 1 and edition.one_group:
            yield problem(
                "ORD-21",
                "one-group",
                "group",
                N_("{trooper} is in group {value}; this edition has one group"),
                value=trooper.group,
            )
        if trooper.cost < 0:
            yield problem(
                "RET-15", "negative-cost", "cost", N_("cost {value} is negative"), value=_points(trooper.cost)
            )
        elif (trooper.cost * 2) % 1:
            yield problem(
                "ORD-21", "odd-cost", "cost", N_("cost {value} is no multiple of one half"), value=trooper.cost
            )
        elif trooper.cost % 1 and not edition.half_points:
            yield problem("ORD-21", "half-cost", "cost", N_("cost {value}: halves are for Code One only"),
                          value=_points(trooper.cost))  # fmt: skip
        if trooper.lieutenant and trooper.training == "irregular":
            yield problem("ORD-05", "irregular-lieutenant", "lieutenant",
                          N_("{trooper} is irregular and cannot be the Lieutenant"))  # fmt: skip
        if trooper.lieutenant and trooper.is_peripheral:
            yield problem("ORD-16", "peripheral-lieutenant", "lieutenant",
                          N_("{trooper} is a peripheral and cannot be the Lieutenant"))  # fmt: skip
        if trooper.controller is not None:
            yield from _peripheral_problems(army, trooper, problem)


def _peripheral_problems(army: Army, trooper: Trooper, problem: _Faults) -> Iterator[Problem]:
    assert trooper.controller is not None
    place = army.index.get(trooper.controller)
    if place is None:
        yield problem(
            "ORD-16",
            "no-controller",
            "controller",
            N_("controller {value!r} of {trooper} is not in the list"),
            value=trooper.controller,
        )
        return
    controller = army.troopers[place]
    if controller.id == trooper.id:
        yield problem("ORD-16", "own-controller", "controller", N_("{trooper} cannot control itself"))
    elif controller.is_peripheral:
        yield problem("ORD-16", "peripheral-controller", "controller",
                      N_("controller {value!r} of {trooper} is a peripheral itself"), value=controller.id)  # fmt: skip
    if controller.group != trooper.group:
        yield problem("ORD-16", "controller-group", "group",
                      N_("{trooper} is in group {value}, its controller in group {other}"),
                      value=trooper.group, other=controller.group)  # fmt: skip


def _list_problems(army: Army, edition: Edition) -> Iterator[Problem]:
    def problem(rule: str, code: str, template: str, **params: object) -> Problem:
        return Problem(rule, code, template, params=params)

    if army.points <= 0:
        yield problem("RET-02", "bad-points", N_("points {value} is no limit for a game"), value=army.points)
    members = [trooper for trooper in army.troopers if not trooper.is_peripheral]
    if not members:
        yield problem("ORD-21", "empty", N_("the list has no trooper"))
        return
    lieutenants = [trooper.id for trooper in army.troopers if trooper.lieutenant]
    if not lieutenants:
        yield problem("LOL-01", "no-lieutenant", N_("the list has no Lieutenant; mark one trooper lieutenant = true"))
    elif len(lieutenants) > 1:
        yield problem(
            "LOL-01",
            "many-lieutenants",
            N_("the list has {count} Lieutenants ({ids}); it needs exactly one"),
            count=len(lieutenants),
            ids=", ".join(lieutenants),
        )
    for group, size in sorted(Counter(trooper.group for trooper in members).items()):
        if size > edition.group_size:
            yield problem(
                "ORD-21",
                "group-size",
                N_("group {group} has {count} troopers; at most {limit} may be in one"),
                group=group,
                count=size,
                limit=edition.group_size,
            )
    if edition.list_size is not None and len(members) > edition.list_size:
        yield problem("ORD-21", "list-size", N_("the list has {count} troopers; at most {limit} are allowed"),
                      count=len(members), limit=edition.list_size)  # fmt: skip
    for place, own in enumerate(army.own_costs):
        trooper = army.troopers[place]
        if own < 0 <= trooper.cost:
            yield _Faults(place, trooper)(
                "RET-15", "controller-cost", "cost",
                N_("the peripherals of {trooper} cost more than {trooper} with them ({value})"),
                value=_points(trooper.cost),
            )  # fmt: skip
    if army.total_points > army.points > 0:
        yield problem("RET-02", "over-limit", N_("the list costs {total} points; the limit is {limit}"),
                      total=_points(army.total_points), limit=army.points)  # fmt: skip


def _points(value: float) -> str:
    return f"{value:g}"
