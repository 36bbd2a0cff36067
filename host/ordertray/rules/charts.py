"""The skill chart: which named skill carries which label, and which may be used in ARO (ACT-01, ACT-11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

BASIC, SHORT, LONG = "basic", "short", "long"
LABELS = (BASIC, SHORT, LONG)


class ChartSkill(NamedTuple):
    """A named skill: its label when declared with an order (None: reactions only), and whether it is an ARO."""

    name: str
    label: str | None
    aro: bool


def make_chart(
    basic: Iterable[str], short: Iterable[str], long: Iterable[str], aro: Iterable[str]
) -> Mapping[str, ChartSkill]:
    """A chart keyed by the name in lower case, so that players need not mind capitals."""
    reactions = {name.lower(): name for name in aro}
    chart: dict[str, ChartSkill] = {}
    for label, names in ((BASIC, basic), (SHORT, short), (LONG, long)):
        for name in names:
            chart[name.lower()] = ChartSkill(name, label, name.lower() in reactions)
    for key, name in reactions.items():
        chart.setdefault(key, ChartSkill(name, None, True))
    return chart


_BASIC = ("Discover", "Idle", "Move")

_CODEONE_SHORT = (
    "BS Attack", "Carbonite", "CC Attack", "Doctor", "Dodge", "Engineer", "MediKit", "Place Deployable", "Reset",
    "Spotlight",
)  # fmt: skip
_CODEONE_LONG = ("Climb", "Combat Jump", "Jump", "Parachutist")
_CODEONE_ARO = ("BS Attack", "Carbonite", "CC Attack", "Discover", "Dodge", "Place Deployable", "Reset", "Spotlight")

_N4_SHORT = (
    *_CODEONE_SHORT, "Controlled Jump", "Deactivator", "Forward Observer", "GizmoKit", "Morpho-Scan", "Oblivion",
    "Sensor", "Total Control", "Trinity", "White Noise", "Zero Pain",
)  # fmt: skip
_N4_LONG = (
    "Assisted Fire", "Berserk", "Cautious Movement", "Climb", "Combat Jump", "Cybermask", "Enhanced Reaction",
    "Fairy Dust", "Intuitive Attack", "Jump", "Parachutist", "Sapper", "Speculative Attack", "Suppressive Fire",
    "Triangulated Fire",
)  # fmt: skip
_N4_ARO = (
    *_CODEONE_ARO, "Controlled Jump", "Forward Observer", "Look Out!", "Oblivion", "Total Control", "Trinity",
    "Zero Pain",
)  # fmt: skip

CODEONE_CHART = make_chart(_BASIC, _CODEONE_SHORT, _CODEONE_LONG, _CODEONE_ARO)
N4_CHART = make_chart(_BASIC, _N4_SHORT, _N4_LONG, _N4_ARO)
N5_CHART = make_chart(_BASIC, (*_N4_SHORT, "Activate Disco Ball", "Reload"), _N4_LONG, (*_N4_ARO, "Reload"))
