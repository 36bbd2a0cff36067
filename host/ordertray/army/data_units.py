"""What the army data says of one choice of a unit: the facts a roster needs, and every doubt about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ordertray.army.data_files import ArmyData, Json, objects
from ordertray.files.problems import Problem, printable
from ordertray.messages import N_

# Ids of the data (they are the same in all editions).
TYPES = {1: "LI", 2: "MI", 3: "HI", 4: "TAG", 5: "REM", 6: "SK", 7: "WB", 8: "VH"}
REGULAR, IRREGULAR, IMPETUOUS, PERIPHERAL = 3, 4, 6, 27
LIEUTENANT_SKILL, PERIPHERAL_SKILL = 119, 243
PLUS_1_COMMAND_TOKEN, PLUS_1_ORDER = 245, 246
SKILLS = {
    211: "nco",
    213: "tactical-awareness",
    256: "impetuous",
    250: "frenzy",
    84: "courage",
    83: "religious",
    88: "veteran",
    267: "warhorse",
    26: "chain-of-command",
    207: "counterintelligence",
    69: "strategos-1",
    70: "strategos-2",
    52: "inspiring-leadership",
    122: "number-2",
    85: "dogged",
    86: "no-wound-incapacitation",
    237: "shasvastii",
}
AIRBORNE = {35, 33}  # Combat Jump, Parachutist
HIDDEN_BY_NAME = "hidden deployment"  # its id is not among those known to us; the metadata file names it
MOST_INCLUDED = 9
FILL_IN = N_("fill in name, type, cost, training and skills")


@dataclass(frozen=True)
class Facts:
    """A trooper as the data has it. `cost` contains that of its `peripherals`; `notes` are doubts, none is fatal."""

    name: str
    type: str = "LI"
    cost: float = 0
    training: str = "regular"
    lieutenant: bool = False
    skills: frozenset[str] = frozenset()
    deploy: str = "table"
    is_peripheral: bool = False
    peripherals: tuple[Facts, ...] = ()
    notes: tuple[Problem, ...] = ()
    unknown: bool = False
    """The data does not have it: everything is to be filled in."""


class UnknownChoiceError(LookupError):
    """The data has no such unit, group or option."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template.format(**params))
        self.template = template
        self.params = params

    def facts(self, unit: int, group: int, option: int) -> Facts:
        """The entry to fill in that stands for it."""
        notes = (Problem("", self.template, self.params, fatal=False), Problem("", FILL_IN, fatal=False))
        return Facts(f"Unit {unit}, group {group}, option {option}", notes=notes, unknown=True)


def troopers_of(data: ArmyData | None, unit_id: int, group_id: int, option_id: int) -> list[Facts]:
    """The troopers that one member of an army code brings: one, or several for a bundle; peripherals within.

    What the data does not have is a trooper to fill in (`unknown`). Without `data` that is everything.
    """
    try:
        if data is None:
            raise UnknownChoiceError(N_("no army data is given"))
        unit = data.units.get(unit_id)
        if unit is None:
            raise UnknownChoiceError(N_("unit {unit} is not in this data"), unit=unit_id)
        if group_id == 0:
            return _bundle(data, unit, option_id)
        return _trooper(data, unit, group_id, option_id, ())
    except UnknownChoiceError as error:
        return [error.facts(unit_id, group_id, option_id)]


def _with_id(values: object, wanted: object) -> Json | None:
    return next((entry for entry in objects(values) if entry.get("id") == wanted), None)


def _bundle(data: ArmyData, unit: Json, option_id: int) -> list[Facts]:
    """A unit-level option: the troopers it includes, each with an order of its own."""
    option = _with_id(unit.get("options"), option_id)
    if option is None:
        raise UnknownChoiceError(N_("unit {unit} has no bundle {option}"), unit=unit["id"], option=option_id)
    found: list[Facts] = []
    for part in _included(option):
        try:
            found.extend(_trooper(data, unit, *part, ()))
        except UnknownChoiceError as error:
            found.append(error.facts(unit["id"], *part))
    if not found:
        raise UnknownChoiceError(
            N_("bundle {option} of unit {unit} includes nobody"), unit=unit["id"], option=option_id
        )
    total, notes = _points(option)
    difference = total - sum(facts.cost for facts in found)
    if difference and not notes:
        template = N_("the bundle costs {total} points, its troopers {sum}: check their costs")
        params = {"total": f"{total:g}", "sum": f"{total - difference:g}"}
        notes = (Problem("cost", template, params, fatal=False),)
        found[0] = replace(found[0], cost=max(0, found[0].cost + difference))
    found[0] = replace(found[0], notes=(*found[0].notes, *notes))
    return found


def _included(option: Json) -> list[tuple[int, int]]:
    """(group, option) of everything included, as often as `q` says."""
    found: list[tuple[int, int]] = []
    for entry in objects(option.get("includes")):
        group, choice, count = entry.get("group"), entry.get("option"), entry.get("q", 1)
        if isinstance(group, int) and isinstance(choice, int) and isinstance(count, int):
            found.extend([(group, choice)] * max(0, min(count, MOST_INCLUDED)))
    return found[:MOST_INCLUDED]


def _trooper(
    data: ArmyData, unit: Json, group_id: int, option_id: int, within: tuple[tuple[int, int], ...]
) -> list[Facts]:
    """The trooper of a choice first, then others that it includes. `within` are the choices that include it."""
    group = _with_id(unit.get("profileGroups"), group_id)
    option = _with_id(group.get("options"), option_id) if group else None
    if group is None or option is None:
        template = N_("unit {unit} has no option {option} in group {group}")
        raise UnknownChoiceError(template, unit=unit["id"], group=group_id, option=option_id)
    facts = _facts(data, unit, group, option)
    peripherals: list[Facts] = []
    companions: list[Facts] = []
    notes = list(facts.notes)
    for part in _included(option):
        if part == (group_id, option_id) or part in within:
            continue  # a circle in the data
        try:
            included = _trooper(data, unit, *part, (*within, (group_id, option_id)))
        except UnknownChoiceError as error:
            notes.append(Problem("", error.template, error.params, fatal=False))
            continue
        (peripherals if included[0].is_peripheral else companions).extend(included)
    cost = facts.cost - sum(companion.cost for companion in companions)
    if companions:
        template = N_("it brings {count} more trooper(s), whose cost was taken off: check their costs")
        notes.append(Problem("cost", template, {"count": len(companions)}, fatal=False))
    if cost < sum(peripheral.cost for peripheral in peripherals):
        notes.append(Problem("cost", N_("it costs less than what it brings: check the costs"), fatal=False))
        cost = sum(peripheral.cost for peripheral in peripherals)
    names = _peripheral_names(data, group, option)[len(peripherals) :]
    peripherals.extend(Facts(name, "REM", is_peripheral=True) for name in names)
    return [replace(facts, cost=cost, peripherals=tuple(peripherals), notes=tuple(notes)), *companions]


def _peripheral_names(data: ArmyData, group: Json, option: Json) -> list[str]:
    """The peripherals that profile and option name (those without points are nowhere else)."""
    profiles = objects(group.get("profiles"))[:1]
    names: list[str] = []
    for entry in (e for holder in (*profiles, option) for e in objects(holder.get("peripheral"))):
        number, count = entry.get("id"), entry.get("q", 1)
        name = data.peripheral_names.get(number, f"Peripheral {number}") if isinstance(number, int) else "Peripheral"
        names.extend([name] * (max(0, min(count, MOST_INCLUDED)) if isinstance(count, int) else 1))
    return names


def _facts(data: ArmyData, unit: Json, group: Json, option: Json) -> Facts:
    profiles = objects(group.get("profiles"))
    profile: Json = profiles[0] if profiles else {}
    cost, cost_notes = _points(option)
    notes = list(cost_notes)
    chars = {value for holder in (profile, option) for value in _numbers(holder.get("chars"))}
    skills, extras, names = _skills(data, profile, option)
    orders = _orders(option)
    kind = profile.get("type")
    if not isinstance(kind, int) or kind not in TYPES:
        notes.append(
            Problem(
                "type",
                N_("type {type} is not known: fill it in"),
                {"type": printable(profile.get("type"))},
                fatal=False,
            )
        )
    is_peripheral = PERIPHERAL in chars or PERIPHERAL_SKILL in skills
    training, training_notes = ("regular", []) if is_peripheral else _training(orders, chars)
    notes.extend(training_notes)
    known = {SKILLS[number] for number in skills if number in SKILLS}
    if IMPETUOUS in chars or orders.get("IMPETUOUS"):
        known.add("impetuous")
    if orders.get("TACTICAL"):
        known.add("tactical-awareness")
    lieutenant = bool(orders.get("LIEUTENANT")) or LIEUTENANT_SKILL in skills
    if lieutenant and orders and not orders.get("LIEUTENANT"):
        notes.append(Problem("lieutenant", N_("it has the skill, but the data lists no Lieutenant order"), fatal=False))
    if orders.get("LIEUTENANT", 0) > 1 or PLUS_1_ORDER in extras.get(LIEUTENANT_SKILL, ()):
        known.add("plus-1-order")
    if any(PLUS_1_COMMAND_TOKEN in numbers for numbers in extras.values()):
        known.add("plus-1-command-token")
    deploy = "airborne" if skills & AIRBORNE else "hidden" if HIDDEN_BY_NAME in names else "table"
    if deploy != "table":
        template = N_('it may begin off the table ({deploy}): change it to "table" if it does not')
        notes.append(Problem("deploy", template, {"deploy": deploy}, fatal=False))
    return Facts(
        name=_name(unit, group, profile),
        type=TYPES.get(kind, "LI") if isinstance(kind, int) else "LI",
        cost=cost,
        training=training,
        lieutenant=lieutenant,
        skills=frozenset(known),
        deploy=deploy,
        is_peripheral=is_peripheral,
        notes=tuple(notes),
    )


def _numbers(values: object) -> list[int]:
    return [value for value in values if isinstance(value, int)] if isinstance(values, list) else []


def _name(unit: Json, group: Json, profile: Json) -> str:
    """The profile's name, not the option's: that of an option may say who the Lieutenant is."""
    for holder in (profile, group, unit):
        for key in ("name", "isc"):
            value = holder.get(key)
            if isinstance(value, str) and (plain := re.sub(r"\s+", " ", value).strip()):
                return "".join(letter for letter in plain if letter.isprintable())
    return f"Unit {unit['id']}"


def _points(option: Json) -> tuple[float, tuple[Problem, ...]]:
    value = option.get("points")
    if isinstance(value, str):
        try:
            value = float(value.replace(",", "."))
        except ValueError:
            value = option.get("points")
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 999 and (value * 2) % 1 == 0:
        return (int(value) if value == int(value) else value), ()
    if value is None:
        return 0, (Problem("cost", N_("the data gives no points: fill in the cost"), fatal=False),)
    template = N_("the data gives {found} points: fill in the cost")
    return 0, (Problem("cost", template, {"found": printable(value)}, fatal=False),)


def _skills(data: ArmyData, profile: Json, option: Json) -> tuple[set[int], dict[int, set[int]], set[str]]:
    """Ids of all skills of profile and option, the extras of each, and their names in lower case."""
    numbers: set[int] = set()
    extras: dict[int, set[int]] = {}
    for entry in (*objects(profile.get("skills")), *objects(option.get("skills"))):
        number, extra = entry.get("id"), entry.get("extra")
        if isinstance(number, int):
            numbers.add(number)
            extras.setdefault(number, set()).update(_numbers(extra if isinstance(extra, list) else [extra]))
    return numbers, extras, {data.skill_names[number].lower() for number in numbers if number in data.skill_names}


def _orders(option: Json) -> Mapping[str, int]:
    """How many orders of each type the trooper has (`total`, not what the public list shows)."""
    found: Counter[str] = Counter()
    for entry in objects(option.get("orders")):
        kind, total = entry.get("type"), entry.get("total")
        if isinstance(kind, str) and isinstance(total, int) and not isinstance(total, bool) and total > 0:
            found[kind.upper()] += total
    return found


def _training(orders: Mapping[str, int], chars: set[int]) -> tuple[str, list[Problem]]:
    """The orders first, the characteristics where these say nothing, or both (N4 Tactical Awareness)."""
    by_orders = {kind.lower() for kind in ("REGULAR", "IRREGULAR") if orders.get(kind)}
    by_chars = {word for number, word in ((REGULAR, "regular"), (IRREGULAR, "irregular")) if number in chars}
    if len(by_orders) == 1:
        (training,) = by_orders
        if by_chars and training not in by_chars:
            template = N_("the data lists it as {characteristic}, with {order} orders: correct the training if need be")
            params = {"characteristic": min(by_chars), "order": training}
            return training, [Problem("training", template, params, fatal=False)]
        return training, []
    training = min(by_chars) if len(by_chars) == 1 else "regular"
    if by_orders:
        return training, []
    if len(by_chars) == 1:
        template = N_("the data gives it no order; {training} by its characteristics")
        return training, [Problem("training", template, {"training": training}, fatal=False)]
    return training, [
        Problem("training", N_("the data does not say whether regular or irregular: fill it in"), fatal=False)
    ]
