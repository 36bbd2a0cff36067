"""The check of an army list, which names every fault at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from .army import DEPLOYMENTS, TRAININGS, TROOPER_TYPES, Army, Fireteam, Trooper
from .editions import Edition
from .words import N_, fill

#: Words of the game-script notation, which a trooper therefore cannot be called.
RESERVED_IDS = frozenset({"all", "idle", "by"})

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_OUR_WORD = re.compile(r"g[0-9]+|marker-[0-9]+")

# Skills that bring a trooper from the air, whatever its list says of how it is deployed (FT-01).
AIRBORNE_SKILLS = frozenset({"airborne-deployment", "combat-jump", "parachutist"})

SMALLEST_TEAM, LARGEST_TEAM = 2, 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an army list: where, under which rule, and a message template with its parameters.

    `trooper` is the place in the list (0 first), `fireteam` that of a Fireteam; both None: the list as a whole. `key`
    is the field at fault.
    """

    rule: str
    code: str
    template: str
    trooper: int | None = None
    key: str | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    fireteam: int | None = None

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


def is_reserved(name: str) -> bool:
    """Whether `name` is a word of the notation, which no trooper can be called: `all`, `g1`, `marker-1`."""
    return name in RESERVED_IDS or _OUR_WORD.fullmatch(name) is not None


def check_army(army: Army, edition: Edition) -> tuple[Problem, ...]:
    """Every fault of `army` under `edition`, in list order, the list's own faults last.

    Rules: ORD-05, ORD-16, ORD-21, LOL-01, RET-15, FT-01, REI and the roster format. An empty answer means the list may
    play.
    """
    return (
        *_trooper_problems(army, edition),
        *_fireteam_problems(army, edition),
        *_list_problems(army, edition),
    )


def _trooper_problems(army: Army, edition: Edition) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, trooper in enumerate(army.troopers):
        problem = _Faults(place, trooper)
        if not _ID.fullmatch(trooper.id):
            yield problem("ORD-01", "bad-id", "id", N_("id {trooper!r} needs letters, digits, '-', '_' or '.' only"))
        elif is_reserved(trooper.id):
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
        elif trooper.own_cost:
            yield problem("RET-15", "own-cost", "own-cost",
                          N_("own-cost is for peripherals: {trooper} has no controller"))  # fmt: skip
        if trooper.deploy == "reinforcement" and not edition.command_tokens:
            yield problem("REI-01", "no-reinforcements", "deploy", N_("this edition has no Reinforcements"))
        if trooper.incomplete:
            yield problem("ORD-21", "incomplete", "incomplete",
                          N_("{trooper} is incomplete: fill it in and take this line out"))  # fmt: skip


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
    if edition.command_tokens:
        yield from _section_problems(army)
    if edition.list_size is not None and len(members) > (limit := edition.list_size + _more_allowed(army)):
        yield problem("ORD-21", "list-size", N_("the list has {count} troopers; at most {limit} are allowed"),
                      count=len(members), limit=limit)  # fmt: skip
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


def _more_allowed(army: Army) -> int:
    """How many more troopers than usual Commlink (+n) allows (REI-01)."""
    skills = frozenset[str]().union(*(trooper.skills for trooper in army.troopers))
    return max((int(skill[9:]) for skill in skills if re.fullmatch(r"commlink-[0-9]", skill)), default=0)


def _section_problems(army: Army) -> Iterator[Problem]:
    """Reinforcements are groups of their own, and never the Lieutenant (REI-01)."""
    section = {trooper.group for trooper in army.troopers if trooper.deploy == "reinforcement"}
    for place, trooper in enumerate(army.troopers):
        problem = _Faults(place, trooper)
        if trooper.controller is not None:
            continue
        if trooper.deploy != "reinforcement" and trooper.group in section:
            yield problem("REI-01", "mixed-section", "group",
                          N_("group {value} is of Reinforcements; {trooper} is none"), value=trooper.group)  # fmt: skip
        if trooper.deploy == "reinforcement" and trooper.lieutenant:
            yield problem("REI-01", "late-lieutenant", "lieutenant",
                          N_("{trooper} comes with the Reinforcements and cannot be the Lieutenant"))  # fmt: skip


def _fireteam_problems(army: Army, edition: Edition) -> Iterator[Problem]:
    """Faults of the Fireteams of a list (FT-01)."""
    taken: dict[str, str] = {}
    for number, team in enumerate(army.fireteams):

        def problem(code: str, key: str, template: str, number: int = number, **params: object) -> Problem:
            return Problem("FT-01", code, template, None, key, params, number)

        if not edition.command_tokens:
            yield problem("no-fireteams", "name", N_("this edition has no Fireteams"))
            continue
        if not SMALLEST_TEAM <= len(team.members) <= LARGEST_TEAM:
            yield problem("team-size", "members", N_("a Fireteam has 2 to 5 members; this one has {count}"),
                          count=len(team.members))  # fmt: skip
        if team.members and team.leader not in team.members:
            yield problem("team-leader", "leader", N_("{leader} leads and is no member"), leader=team.leader)
        yield from _member_problems(army, team, problem, taken)


def _member_problems(
    army: Army, team: Fireteam, problem: Callable[..., Problem], taken: dict[str, str]
) -> Iterator[Problem]:
    found: list[Trooper] = []
    for name in team.members:
        place = army.index.get(name)
        if place is None:
            yield problem("team-unknown", "members", N_("{trooper} is not in the list"), trooper=name)
            continue
        trooper = army.troopers[place]
        found.append(trooper)
        if name in taken:
            yield problem("team-twice", "members", N_("{trooper} is in a Fireteam already"), trooper=name)
        taken[name] = team.name
        if trooper.is_peripheral or army.peripherals[place]:
            yield problem("team-peripheral", "members",
                          N_("{trooper} is a peripheral or controls one: no Fireteam for it"),
                          trooper=name)  # fmt: skip
        if trooper.deploy in ("hidden", "airborne", "marker") or trooper.skills & AIRBORNE_SKILLS:
            yield problem("team-deploy", "members",
                          N_("{trooper} is not on the table as a model from the start: no Fireteam for it"),
                          trooper=name)  # fmt: skip
    if len({trooper.group for trooper in found}) > 1:
        yield problem("team-groups", "members", N_("the members of a Fireteam are of one combat group"))


def _points(value: float) -> str:
    return f"{value:g}"
