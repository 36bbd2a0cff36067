"""The skill chart: which named skill carries which label, and which may be used in ARO (ACT-01, ACT-11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .words import N_

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


_BASIC = (N_("Discover"), N_("Idle"), N_("Move"))

_CODEONE_SHORT = (
    N_("BS Attack"), N_("Carbonite"), N_("CC Attack"), N_("Doctor"), N_("Dodge"), N_("Engineer"), N_("MediKit"),
    N_("Place Deployable"), N_("Reset"), N_("Spotlight"),
)  # fmt: skip
_CODEONE_LONG = (N_("Climb"), N_("Combat Jump"), N_("Jump"), N_("Parachutist"))
_CODEONE_ARO = (
    N_("BS Attack"), N_("Carbonite"), N_("CC Attack"), N_("Discover"), N_("Dodge"), N_("Place Deployable"),
    N_("Reset"), N_("Spotlight"),
)  # fmt: skip

_N4_SHORT = (
    *_CODEONE_SHORT, N_("Controlled Jump"), N_("Deactivator"), N_("Forward Observer"), N_("GizmoKit"),
    N_("Morpho-Scan"), N_("Oblivion"), N_("Sensor"), N_("Total Control"), N_("Trinity"), N_("White Noise"),
    N_("Zero Pain"),
)  # fmt: skip
_N4_LONG = (
    N_("Assisted Fire"), N_("Berserk"), N_("Cautious Movement"), N_("Climb"), N_("Combat Jump"), N_("Cybermask"),
    N_("Enhanced Reaction"), N_("Fairy Dust"), N_("Intuitive Attack"), N_("Jump"), N_("Parachutist"), N_("Sapper"),
    N_("Speculative Attack"), N_("Suppressive Fire"), N_("Triangulated Fire"),
)  # fmt: skip
_N4_ARO = (
    *_CODEONE_ARO, N_("Controlled Jump"), N_("Forward Observer"), N_("Look Out!"), N_("Oblivion"), N_("Total Control"),
    N_("Trinity"), N_("Zero Pain"),
)  # fmt: skip

CODEONE_CHART = make_chart(_BASIC, _CODEONE_SHORT, _CODEONE_LONG, _CODEONE_ARO)
N4_CHART = make_chart(_BASIC, _N4_SHORT, _N4_LONG, _N4_ARO)
N5_CHART = make_chart(_BASIC, (*_N4_SHORT, N_("Activate Disco Ball"), N_("Reload")), _N4_LONG, (*_N4_ARO, N_("Reload")))
