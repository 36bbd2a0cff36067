"""The editions, as data. Adding one means adding an `Edition` here; nothing else in the core asks which it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .charts import BASIC, CODEONE_CHART, LONG, N4_CHART, N5_CHART, SHORT, ChartSkill
from .words import N_

# Phases of a turn (SEQ-02), in the words of the public view.
TACTICAL, IMPETUOUS, ORDERS, STATES = "tactical", "impetuous", "orders", "states"

# Steps of the Tactical Phase (SEQ-02).
EXECUTIVE, RETREAT_CHECK, LIEUTENANT_CHECK, ORDER_COUNT = (
    "executive",
    "retreat-check",
    "lieutenant-check",
    "order-count",
)


@dataclass(frozen=True, slots=True)
class Sequence:
    """The numbered steps of the order expenditure sequence at which something is awaited (ACT-13, ACT-14).

    `validity` is the step that checks the AROs' conditions; None where the edition has none. `rule` is the number
    that refusals of this sequence name.
    """

    rule: str
    first_skill: str
    first_aro: str
    second_skill: str
    second_aro: str
    validity: str | None
    resolution: str
    conclusion: str

    @property
    def steps(self) -> tuple[str, ...]:
        """All of them, in order."""
        head = (self.first_skill, self.first_aro, self.second_skill, self.second_aro)
        check = () if self.validity is None else (self.validity,)
        return (*head, *check, self.resolution, self.conclusion)


@dataclass(frozen=True, slots=True, eq=False)
class Edition:
    """Everything in which the editions differ."""

    id: str
    title: str
    label_names: Mapping[str, str]
    """What this edition calls the labels basic, short and long (ACT-01)."""
    chart: Mapping[str, ChartSkill]
    skill_pairs: frozenset[tuple[str, str]]
    """Legal (first, second) labels of one order (ACT-02); any label alone is legal."""
    sequence: Sequence
    tactical_steps: tuple[str, ...]
    phases: tuple[str, ...]
    null_states: frozenset[str]
    aro_reasons: frozenset[str]
    tactical_awareness: str | None
    """Kind of the extra order: `tactical`, `irregular`, or None (ORD-09)."""
    nco_spends_as: str | None
    """What the Lieutenant order is to an NCO: `tactical`, `regular`, or None where there are no NCOs (ORD-08)."""
    strip_needs_more_than: int | None
    """Orders the opponent must exceed before Regular ones may be removed; None: no condition (CMD-02)."""
    command_tokens: bool
    irregular_orders: bool
    one_group: bool
    half_points: bool
    list_size: int | None
    group_size: int = 10
    steady_skills: frozenset[str] = frozenset({"warhorse", "veteran"})
    """Skills that keep a trooper Regular and out of Retreat (RET-12); one skill, renamed between editions."""
    rejoin_at_count: bool = False
    """Whether those who left a Fireteam come back after the order count, and not in the States Phase (FT-07)."""
    calm_teams: bool = False
    """Whether members of a Fireteam have no Impetuous token and gain no Frenzy (FT-01)."""
    whole_tactical_phase: frozenset[str] = frozenset({"cap", "suppress"})
    """Strategic uses at any time of the Tactical Phase; the others right after the count (CMD-02)."""
    speedballs: bool = True
    """Whether a Command Token brings a Speedball (SEQ-09)."""
    impetuous_moves: tuple[frozenset[str], frozenset[str], frozenset[str]] = (
        frozenset({"move"}),
        frozenset({"cc attack", "bs attack", "dodge", "idle", "move"}),
        frozenset({"jump", "climb", "berserk", "combat jump", "parachutist"}),
    )
    """What an Impetuous activation takes: a first skill, a second one, or one that is all of it (SEQ-08)."""
    impetuous_either_order: bool = False
    team_skills: frozenset[str] = frozenset({"move", "dodge", "jump", "climb", "cautious movement", "reset"})
    """What all of a Fireteam do; of other skills only the Leader does them (FT-03)."""
    retreat_skills: frozenset[str] = frozenset({"dodge", "reset", "cautious movement"})
    """What a trooper with the Retreat marker may declare besides its basic skills (RET-11), lower case."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return edition, (self.id,)


_N5_LABELS = {BASIC: N_("Basic Short Skill"), SHORT: N_("Short Skill"), LONG: N_("Long Skill")}
_N4_LABELS = {BASIC: N_("Short Movement Skill"), SHORT: N_("Short Skill"), LONG: N_("Entire Order Skill")}

_SEQUENCE = Sequence("ACT-13", "1.2", "2.2", "3", "4.2", None, "5", "5.2")
_SEQUENCE_N4_2020 = Sequence("ACT-14", "1.2", "2", "3", "4", "5", "6", "6.2")
_SEQUENCE_CODEONE_2020 = Sequence("ACT-14", "1.2", "2", "3", "4", None, "5", "5.2")

_BASIC_FIRST = frozenset({(BASIC, BASIC), (BASIC, SHORT)})
_EITHER_ORDER = _BASIC_FIRST | {(SHORT, BASIC)}

_NULL = frozenset({"unconscious", "dead", "sepsitorized", "possessed", "disconnected"})
_REASONS = frozenset({"lof", "zoc", "special", "template", "comms"})

N5 = Edition(
    id="n5",
    title=N_("Infinity N5"),
    label_names=_N5_LABELS,
    chart=N5_CHART,
    skill_pairs=_BASIC_FIRST,
    sequence=_SEQUENCE,
    tactical_steps=(EXECUTIVE, RETREAT_CHECK, LIEUTENANT_CHECK, ORDER_COUNT),
    phases=(TACTICAL, IMPETUOUS, ORDERS, STATES),
    null_states=_NULL,
    aro_reasons=_REASONS | {"hacking"},
    tactical_awareness="tactical",
    nco_spends_as="tactical",
    strip_needs_more_than=10,
    command_tokens=True,
    irregular_orders=True,
    one_group=False,
    half_points=False,
    list_size=15,
)

N4 = replace(
    N5,
    id="n4",
    title=N_("Infinity N4 (from errata 1.1.1)"),
    label_names=_N4_LABELS,
    chart=N4_CHART,
    skill_pairs=_EITHER_ORDER,
    tactical_awareness="irregular",
    nco_spends_as="regular",
    strip_needs_more_than=None,
    rejoin_at_count=True,
    calm_teams=True,
    whole_tactical_phase=frozenset(),
    speedballs=False,
    impetuous_either_order=True,
)

N4_2020 = replace(
    N4,
    id="n4-2020",
    title=N_("Infinity N4 (original sequence)"),
    sequence=_SEQUENCE_N4_2020,
    aro_reasons=_REASONS,
)

CODEONE = replace(
    N4,
    id="codeone",
    title=N_("Infinity CodeOne (from errata 1.1.1)"),
    chart=CODEONE_CHART,
    tactical_steps=(ORDER_COUNT,),
    phases=(TACTICAL, ORDERS, STATES),
    null_states=frozenset({"unconscious", "dead", "disconnected"}),
    aro_reasons=_REASONS,
    tactical_awareness=None,
    nco_spends_as=None,
    command_tokens=False,
    irregular_orders=False,
    one_group=True,
    half_points=True,
    list_size=None,
)

CODEONE_2020 = replace(
    CODEONE,
    id="codeone-2020",
    title=N_("Infinity CodeOne (original sequence)"),
    sequence=_SEQUENCE_CODEONE_2020,
)

EDITIONS: Mapping[str, Edition] = {e.id: e for e in (N5, N4, N4_2020, CODEONE, CODEONE_2020)}
DEFAULT_EDITION = N5

#: Names (lower case) that the chart of some edition knows: elsewhere they are no unknown skills but absent ones.
CHARTED: frozenset[str] = frozenset().union(*(e.chart for e in EDITIONS.values()))


def edition(name: str) -> Edition:
    """The edition called `name`. Raises `KeyError` for a name that is none of `EDITIONS`."""
    return EDITIONS[name]
