"""Every peculiarity of the real army data that was seen, made up: the next one is one line of `ODDITIES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from army.made_up_data import (
    EXTRA_IRREGULAR,
    IMPETUOUS,
    IRREGULAR,
    LIEUTENANT,
    NBSP,
    REGULAR,
    TACTICAL,
    TWO_LIEUTENANT,
    TWO_REGULAR,
    VERSION,
    group,
    helper,
    includes,
    option,
    ref,
    unit,
)


@dataclass(frozen=True)
class Oddity:
    """One peculiarity of the real data: units, the member chosen, and what the tray must make of it.

    `orders` in all by kind, the number of troopers and of peripherals, the points of the whole, and words of a note.
    """

    name: str
    unit: dict[str, Any]
    orders: str
    troopers: int = 1
    peripherals: int = 0
    points: float = 10
    member: tuple[int, int] = (1, 1)
    says: str = ""
    skills: str = ""
    deploy: str = "table"
    version: str = VERSION
    incomplete: bool = False
    more: Mapping[int, str] = field(default_factory=dict)


def _bundle(points: object, orders: Sequence[dict[str, Any]], *parts: tuple[int, int]) -> tuple[dict[str, Any]]:
    return (option(points=points, orders=tuple(orders), includes=includes(*parts)),)


_PILOT = group(2, option(points=64, orders=(REGULAR, TACTICAL)), name="Pilot")
_SHELL = group(2, option(points=0, orders=(), minis=0), name="Shell", chars=[])
N4 = "7.24270.214"

ODDITIES = [
    Oddity(
        "hidden, its name with a no-break space", unit(1, group(1, option(skills=[ref(238)]))), "R", deploy="hidden"
    ),
    Oddity("hidden by the profile", unit(1, group(1, option(), skills=[ref(238)])), "R", deploy="hidden"),
    Oddity("Combat Jump with an extra", unit(1, group(1, option(), skills=[ref(35, 27)])), "R", deploy="airborne"),
    Oddity(
        "Parachutist, Deployment Zone only", unit(1, group(1, option(skills=[ref(33, 48)]))), "R", deploy="airborne"
    ),
    Oddity("Camouflage is a marker", unit(1, group(1, option(), skills=[ref(29)])), "R", deploy="marker"),
    Oddity("Impersonation is a marker", unit(1, group(1, option(), skills=[ref(249, 268)])), "R", deploy="marker"),
    Oddity(
        "Camouflage and hidden: hidden",
        unit(1, group(1, option(skills=[ref(238)]), skills=[ref(29)])),
        "R",
        deploy="hidden",
    ),
    Oddity(
        "TAG with Operator: one trooper",
        unit(1, group(1, option(points=64, orders=(REGULAR, TACTICAL), includes=includes((2, 1))), type=4), _PILOT),
        "RT",
        points=64,
        skills="tactical-awareness",
        says="also Pilot: one trooper in two shapes",
    ),
    Oddity(
        "TAG with Operator as Lieutenant",
        unit(
            1,
            group(
                1,
                option(points=76, orders=(REGULAR, TACTICAL, LIEUTENANT), skills=[ref(119)], includes=includes((2, 1))),
            ),
            group(2, option(points=76, orders=(REGULAR, TACTICAL, LIEUTENANT), skills=[ref(119)])),
        ),
        "RTL",
        points=76,
        skills="tactical-awareness",
    ),
    Oddity(
        "Operator with a Tactical order only",
        unit(
            1,
            group(1, option(orders=(REGULAR, TACTICAL), includes=includes((2, 1)))),
            group(2, option(orders=(TACTICAL,))),
        ),
        "RT",
        skills="tactical-awareness",
    ),
    Oddity(
        "Operator that the profile includes",
        unit(1, group(1, option(), includes=includes((2, 1))), _SHELL),
        "R",
        says="also Shell",
    ),
    Oddity(
        "0-cost shell without orders (N4)",
        unit(1, group(1, option(points=72, orders=(REGULAR, EXTRA_IRREGULAR), includes=includes((2, 1)))), _SHELL),
        "RI",
        points=72,
        version=N4,
        skills="tactical-awareness",
    ),
    Oddity(
        "N4 TAG: Tactical Awareness on the profile",
        unit(1, group(1, option(orders=(REGULAR, EXTRA_IRREGULAR)), skills=[ref(213)])),
        "RI",
        version=N4,
        skills="tactical-awareness",
    ),
    Oddity(
        "N4 Irregular with Tactical Awareness",
        unit(1, group(1, option(orders=({"type": "IRREGULAR", "list": 1, "total": 2},), skills=[ref(213)]), chars=[4])),
        "II",
        version=N4,
        skills="tactical-awareness",
    ),
    Oddity(
        "mounted and dismounted: one trooper",
        unit(
            1,
            group(1, option(points=25, orders=(REGULAR, IMPETUOUS)), name="Rider"),
            group(2, option(points=25, orders=()), name="On Foot"),
            options=_bundle(25, [REGULAR, IMPETUOUS], (1, 1), (2, 1)),
        ),
        "RM",
        points=25,
        member=(0, 1),
        skills="impetuous",
        says="also On Foot",
    ),
    Oddity(
        "dismounted brings the peripheral",
        unit(
            1,
            group(1, option(points=25, orders=(REGULAR,))),
            group(2, option(points=25, orders=(), includes=includes((3, 1)))),
            helper(3, 40),
            options=_bundle(25, [REGULAR], (1, 1), (2, 1)),
        ),
        "R",
        points=25,
        member=(0, 1),
        peripherals=1,
    ),
    Oddity(
        "pair: two troopers",
        unit(
            1,
            group(1, option(points=18)),
            group(2, option(points=7), name="Beta"),
            options=_bundle(25, [TWO_REGULAR], (1, 1), (2, 1)),
        ),
        "RR",
        troopers=2,
        points=25,
        member=(0, 1),
    ),
    Oddity(
        "pair of unlike orders",
        unit(
            1,
            group(1, option(points=36, orders=(REGULAR, TACTICAL))),
            group(2, option(points=24, orders=(IRREGULAR, IMPETUOUS)), chars=[4, 6]),
            options=_bundle(60, [REGULAR, IRREGULAR, TACTICAL, IMPETUOUS], (1, 1), (2, 1)),
        ),
        "RITM",
        troopers=2,
        points=60,
        member=(0, 1),
    ),
    Oddity(
        "bundle of one",
        unit(1, group(1, option(points=22)), options=_bundle(22, [REGULAR], (1, 1))),
        "R",
        points=22,
        member=(0, 1),
    ),
    Oddity(
        "bundle without orders of its own",
        unit(1, group(1, option(points=9)), group(2, option(points=4)), options=_bundle(13, [], (1, 1), (2, 1))),
        "RR",
        troopers=2,
        points=13,
        member=(0, 1),
    ),
    Oddity(
        "peripheral in the points",
        unit(1, group(1, option(points=20, includes=includes((2, 1), q=2))), helper(2, 40)),
        "R",
        peripherals=2,
        points=20,
    ),
    Oddity(
        "peripheral that the option only names",
        unit(1, group(1, option(peripheral=[{"id": 5, "q": 1}]))),
        "R",
        peripherals=1,
    ),
    Oddity(
        "TAG with Operator and Ancillary",
        unit(
            1,
            group(1, option(points=64, orders=(REGULAR, TACTICAL), includes=includes((2, 1), (3, 1)))),
            _PILOT,
            helper(3, 322, points=2),
        ),
        "RT",
        peripherals=1,
        points=64,
        skills="tactical-awareness",
    ),
    Oddity(
        "Servant by itself",
        unit(1, helper(1, 41)),
        "",
        troopers=0,
        peripherals=1,
        points=3,
        says="give it a controller",
        incomplete=True,
    ),
    Oddity(
        "peripheral with an order (a slip of N4)",
        unit(1, group(1, option(points=4), chars=[27], skills=[ref(243, 40)])),
        "",
        troopers=0,
        peripherals=1,
        points=4,
        version=N4,
        says="peripherals give none (ORD-16)",
        incomplete=True,
    ),
    Oddity(
        "option without orders, Irregular",
        unit(1, group(1, option(orders=()), chars=[4])),
        "I",
        says="irregular by its characteristics",
    ),
    Oddity(
        "Irregular by characteristic, made Regular by a skill",
        unit(1, group(1, option(skills=[ref(258)]), chars=[4])),
        "R",
    ),
    Oddity(
        "Irregular by characteristic, Regular by orders",
        unit(1, group(1, option(), chars=[4])),
        "R",
        says="lists it as irregular, with regular orders",
    ),
    Oddity(
        "Impetuous in the orders only", unit(1, group(1, option(orders=(REGULAR, IMPETUOUS)))), "RM", skills="impetuous"
    ),
    Oddity(
        "Impetuous skill without the order",
        unit(1, group(1, option(skills=[ref(256)]))),
        "R",
        says="gives no such order: left out",
    ),
    Oddity(
        "Tactical Awareness without the order",
        unit(1, group(1, option(skills=[ref(213)]))),
        "R",
        says="gives no such order: left out",
    ),
    Oddity(
        "two Lieutenant orders",
        unit(1, group(1, option(orders=(REGULAR, TWO_LIEUTENANT), skills=[ref(119, 246)]))),
        "RLL",
        skills="plus-1-order",
    ),
    Oddity(
        "+1 Command Token",
        unit(1, group(1, option(orders=(REGULAR, LIEUTENANT), skills=[ref(119, 245)]))),
        "RL",
        skills="plus-1-command-token",
    ),
    Oddity(
        "Number 2 and Commlink (+1)",
        unit(1, group(1, option(skills=[ref(122), ref(260, 298)]))),
        "R",
        skills="commlink commlink-1 number-2",
    ),
    Oddity(
        "two forms on one profile group",
        unit(
            1,
            {
                **group(1, option()),
                "profiles": [group(1)["profiles"][0], {"id": 2, "name": "Battle-ravaged", "type": 4, "chars": [4]}],
            },
        ),
        "R",
    ),
    Oddity(
        "q of a skill missing, extra alone",
        unit(1, group(1, option(skills=[{"id": 238}, {"id": 119, "extra": 246}], orders=(REGULAR, TWO_LIEUTENANT)))),
        "RLL",
        skills="plus-1-order",
        deploy="hidden",
    ),
    Oddity(
        "nulls where lists are",
        unit(1, {**group(1, option(includes=None, skills=None, peripheral=None)), "isc": None}),
        "R",
    ),
    Oddity("halves in CodeOne", unit(1, group(1, option(points=1.5, orders=(REGULAR, IMPETUOUS)))), "R", points=1.5),
    Oddity(
        "a skill newer than we know that hides",
        unit(1, group(1, option(skills=[ref(901)]))),
        "R",
        says="skill 901 is newer than this program, looks like Hidden Deployment",
        more={901: f"hidden{NBSP}DEPLOYMENT"},
    ),
    Oddity(
        "no points at all",
        unit(1, group(1, option(points=None))),
        "R",
        points=0,
        says="fill in the cost",
        incomplete=True,
    ),
]
