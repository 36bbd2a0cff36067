"""What the army data says of one choice of a unit: the facts a roster needs, and every doubt about them.

The data's own `orders` are the judge of how many orders a choice gives: of its training, of how many troopers a choice
with several profile groups is, and of whatever its skills say otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ordertray.army import data_ids as ids
from ordertray.army.data_files import ArmyData, Json, objects
from ordertray.army.data_words import names_of, plain_name, words_of_change
from ordertray.files.problems import Problem, printable
from ordertray.messages import N_

MOST_INCLUDED = 9
FILL_IN = N_("fill in name, type, cost, training and skills, then take out incomplete = true")


@dataclass(frozen=True)
class Facts:
    """A trooper as the data has it. `notes` are doubts, none is fatal.

    `cost` contains that of its `peripherals`; `orders` is the data's own count for it, empty where the data has none.
    """

    name: str
    type: str = "LI"
    cost: float = 0
    training: str = "regular"
    lieutenant: bool = False
    skills: frozenset[str] = frozenset()
    deploy: str = "table"
    peripheral: str = ""
    """The kind of peripheral it is (a word of `data_ids.PERIPHERAL_KINDS`, or "peripheral"); empty for others."""
    peripherals: tuple[Facts, ...] = ()
    notes: tuple[Problem, ...] = ()
    incomplete: bool = False
    """A person must fill something in: the data does not have it."""
    unknown: bool = False
    """The data does not have it at all."""
    orders: Mapping[str, int] = field(default_factory=dict)
    weapons: tuple[str, ...] = ()
    skill_ids: frozenset[int] = frozenset()
    unit: int = 0
    slug: str = ""
    option: str = ""

    @property
    def is_peripheral(self) -> bool:
        """Whether it gives no order and fills no place (ORD-16)."""
        return bool(self.peripheral)


class UnknownChoiceError(LookupError):
    """The data has no such unit, group or option."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template.format(**params))
        self.template = template
        self.params = params

    def facts(self, unit: int, group: int, option: int) -> Facts:
        """The entry to fill in that stands for it."""
        notes = (_doubt("", self.template, **self.params), _doubt("", FILL_IN))
        name = f"Unit {unit}, group {group}, option {option}"
        return Facts(name, notes=notes, unknown=True, incomplete=True, unit=unit)


def troopers_of(
    data: ArmyData | None, unit_id: int, group_id: int, option_id: int, changes: Sequence[Json] = ()
) -> list[Facts]:
    """The troopers that one member of an army code brings: one, or several for a bundle; peripherals within.

    `changes` are a SpecOps' own. What the data does not have is a trooper to fill in (`unknown`); without `data` that
    is everything.
    """
    try:
        if data is None:
            raise UnknownChoiceError(N_("no army data is given"))
        unit = data.units.get(unit_id)
        if unit is None:
            raise UnknownChoiceError(N_("unit {unit} is not in this data"), unit=unit_id)
        if group_id == 0:
            return _bundle(data, unit, option_id, changes)
        return _choice(data, unit, group_id, option_id, changes)
    except UnknownChoiceError as error:
        return [error.facts(unit_id, group_id, option_id)]


def orders_of_choice(data: ArmyData, unit_id: int, group_id: int, option_id: int) -> Mapping[str, int]:
    """The data's own count for one member of a code, by type (`total`); empty where the data has none."""
    unit = data.units.get(unit_id, {})
    holder = unit if group_id == 0 else _with_id(unit.get("profileGroups"), group_id)
    option = _with_id(holder.get("options"), option_id) if holder else None
    return _orders(option) if option else {}


def _doubt(place: str, template: str, **params: object) -> Problem:
    return Problem(place, template, params, fatal=False)


def _with_id(values: object, wanted: object) -> Json | None:
    return next((entry for entry in objects(values) if entry.get("id") == wanted), None)


def _bundle(data: ArmyData, unit: Json, option_id: int, changes: Sequence[Json]) -> list[Facts]:
    """A unit-level option: the troopers it includes. Its own `orders` say how many these are."""
    option = _with_id(unit.get("options"), option_id)
    if option is None:
        raise UnknownChoiceError(N_("unit {unit} has no bundle {option}"), unit=unit["id"], option=option_id)
    parts: list[Facts] = []
    for part in _included(option):
        try:
            parts.append(_one(data, unit, *part, changes=() if parts else changes))
        except UnknownChoiceError as error:
            parts.append(error.facts(unit["id"], *part))
    troopers = [part for part in parts if not part.is_peripheral]
    if not troopers:
        template = N_("bundle {option} of unit {unit} includes nobody")
        raise UnknownChoiceError(template, unit=unit["id"], option=option_id)
    orders = _orders(option)
    kept, shapes = _bodies(orders, troopers)
    total, notes = _points(option)
    kept[0] = _with_peripherals_of(kept[0], shapes)
    kept[0] = replace(
        kept[0],
        peripherals=(*kept[0].peripherals, *(part for part in parts if part.is_peripheral)),
        notes=(*kept[0].notes, *notes, *_shape_notes(shapes)),
        incomplete=kept[0].incomplete or bool(notes),
    )
    difference = total - sum(facts.cost for facts in kept)
    if difference and not notes and not any(facts.unknown for facts in kept):
        template = N_("the bundle costs {total} points, its troopers {sum}: check their costs")
        doubt = _doubt("cost", template, total=f"{total:g}", sum=f"{total - difference:g}")
        kept[0] = replace(kept[0], cost=max(0, kept[0].cost + difference), notes=(*kept[0].notes, doubt))
    return _judged(data, kept, orders)


def _choice(data: ArmyData, unit: Json, group_id: int, option_id: int, changes: Sequence[Json]) -> list[Facts]:
    """A profile group's option: one trooper, its peripherals, and whoever else it includes."""
    option, included = _found(unit, group_id, option_id)
    first = _one(data, unit, group_id, option_id, changes=changes)
    companions: list[Facts] = []
    notes: list[Problem] = []
    for part in included:
        if part == (group_id, option_id):
            continue
        try:
            facts = _one(data, unit, *part)
        except UnknownChoiceError as error:
            notes.append(_doubt("", error.template, **error.params))
            continue
        if not facts.is_peripheral:
            companions.append(facts)
    orders = _orders(option)
    alone = replace(first, orders=_minus(orders, companions))
    # Whoever has no order left of its own is no trooper besides the others, but another shape of the first.
    trained = [other.orders.get("REGULAR") or other.orders.get("IRREGULAR") for other in companions]
    separate = all(trained) and _covers(alone.orders, first.training)
    separate = separate and bool(companions)
    if separate:
        cost = first.cost - sum(companion.cost for companion in companions)
        template = N_("it brings {count} more trooper(s), whose cost was taken off: check their costs")
        notes.append(_doubt("cost", template, count=len(companions)))
        kept = [replace(alone, cost=max(cost, sum(p.cost for p in first.peripherals))), *companions]
    else:
        kept = [replace(_with_peripherals_of(first, companions), orders=orders)]
        notes.extend(_shape_notes(companions))
    kept[0] = replace(kept[0], notes=(*kept[0].notes, *notes))
    return _judged(data, kept, orders)


def _with_peripherals_of(facts: Facts, shapes: Sequence[Facts]) -> Facts:
    """With what only another shape of it brings."""
    more = [peripheral for shape in shapes for peripheral in shape.peripherals]
    return facts if facts.peripherals else replace(facts, peripherals=tuple(more))


def _shape_notes(shapes: Sequence[Facts]) -> list[Problem]:
    template = N_("also {shape}: one trooper in two shapes, whose loss is worth its whole cost")
    return [_doubt("", template, shape=shape.name) for shape in shapes]


def _minus(orders: Mapping[str, int], others: Iterable[Facts]) -> dict[str, int]:
    left = Counter(orders)
    for facts in others:
        left.subtract(facts.orders)
    return dict(left)


def _covers(orders: Mapping[str, int], training: str) -> bool:
    return min(orders.values(), default=0) >= 0 and orders.get(training.upper(), 0) > 0


def _bodies(orders: Mapping[str, int], parts: Sequence[Facts]) -> tuple[list[Facts], list[Facts]]:
    """Which parts of a bundle are troopers and which other shapes of them, by how many orders it gives in all."""
    if not orders:
        return list(parts), []
    left = Counter(orders)
    kept: list[Facts] = []
    shapes: list[Facts] = []
    for part in parts:
        if part.unknown or (part.orders and all(left[kind] >= count for kind, count in part.orders.items())):
            left.subtract(part.orders)
            kept.append(part)
        else:
            shapes.append(part)
    return (kept, shapes) if kept else ([parts[0]], list(parts[1:]))


def _judged(data: ArmyData, troopers: list[Facts], orders: Mapping[str, int]) -> list[Facts]:
    """Say so where the troopers' orders are not those which the data gives the whole choice."""
    if not orders or any(facts.unknown for facts in troopers):
        return troopers
    counted = sum((Counter(count_of(facts, data.edition)) for facts in troopers), Counter[str]())
    if data.edition == "codeone":  # no Impetuous orders there (SEQ-03)
        orders = {kind: count for kind, count in orders.items() if kind != "IMPETUOUS"}
    if counted == Counter(orders):
        return troopers
    template = N_("the data gives {given}, the tray counts {counted}: correct training and skills if need be")
    doubt = _doubt("orders", template, given=_shown(orders), counted=_shown(counted))
    return [replace(troopers[0], notes=(*troopers[0].notes, doubt)), *troopers[1:]]


def _shown(orders: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(orders.items()) if count) or "-"


def count_of(facts: Facts, edition: str | None) -> dict[str, int]:
    """What the tray will count for a trooper, in the words of the data (ORD-02 to -09, -16, -20)."""
    if facts.is_peripheral:
        return {}
    found = Counter({facts.training.upper(): 1})
    if facts.lieutenant:
        found["LIEUTENANT"] += 2 if "plus-1-order" in facts.skills else 1
    if "tactical-awareness" in facts.skills and edition != "codeone":
        found["IRREGULAR" if edition == "n4" else "TACTICAL"] += 1
    if "impetuous" in facts.skills and edition != "codeone":
        found["IMPETUOUS"] += 1
    return dict(found)


def _included(option: Json) -> list[tuple[int, int]]:
    """(group, option) of everything included, as often as `q` says."""
    found: list[tuple[int, int]] = []
    for entry in objects(option.get("includes")):
        group, choice, count = entry.get("group"), entry.get("option"), entry.get("q", 1)
        if isinstance(group, int) and isinstance(choice, int) and isinstance(count, int):
            found.extend([(group, choice)] * max(0, min(count, MOST_INCLUDED)))
    return found[:MOST_INCLUDED]


def _found(unit: Json, group_id: int, option_id: int) -> tuple[Json, list[tuple[int, int]]]:
    group = _with_id(unit.get("profileGroups"), group_id)
    option = _with_id(group.get("options"), option_id) if group else None
    if option is None:
        template = N_("unit {unit} has no option {option} in group {group}")
        raise UnknownChoiceError(template, unit=unit["id"], group=group_id, option=option_id)
    included = _included(option)
    for profile in objects((group or {}).get("profiles"))[:1]:  # a few profiles name their other shape themselves
        included.extend(part for part in _included(profile) if part not in included)
    return option, included


def _one(data: ArmyData, unit: Json, group_id: int, option_id: int, *, changes: Sequence[Json] = ()) -> Facts:
    """The trooper of one option with its peripherals; whoever else it includes is left out."""
    option, included = _found(unit, group_id, option_id)
    group = _with_id(unit.get("profileGroups"), group_id) or {}
    facts = _facts(data, unit, group, option, changes)
    peripherals: list[Facts] = []
    for part in included:
        if part == (group_id, option_id):
            continue  # a circle in the data
        try:
            part_option, _deeper = _found(unit, *part)
        except UnknownChoiceError:
            continue  # `_choice` says so
        other = _facts(data, unit, _with_id(unit.get("profileGroups"), part[0]) or {}, part_option, ())
        if other.is_peripheral:
            peripherals.append(other)
    names = _peripheral_names(data, group, option)[len(peripherals) :]
    peripherals.extend(Facts(name, "REM", peripheral="peripheral") for name in names)
    cost, notes = facts.cost, facts.notes
    if cost < sum(peripheral.cost for peripheral in peripherals):
        notes = (*notes, _doubt("cost", N_("it costs less than what it brings: check the costs")))
        cost = sum(peripheral.cost for peripheral in peripherals)
    return replace(facts, cost=cost, peripherals=tuple(peripherals), notes=notes)


def _peripheral_names(data: ArmyData, group: Json, option: Json) -> list[str]:
    """The peripherals that profile and option name (those without points are nowhere else)."""
    profiles = objects(group.get("profiles"))[:1]
    names: list[str] = []
    for entry in (e for holder in (*profiles, option) for e in objects(holder.get("peripheral"))):
        number, count = entry.get("id"), entry.get("q", 1)
        name = data.peripheral_names.get(number, f"Peripheral {number}") if isinstance(number, int) else "Peripheral"
        names.extend([name] * (max(0, min(count, MOST_INCLUDED)) if isinstance(count, int) else 1))
    return names


def _facts(data: ArmyData, unit: Json, group: Json, option: Json, changes: Sequence[Json]) -> Facts:
    profiles = objects(group.get("profiles"))
    profile: Json = profiles[0] if profiles else {}
    cost, cost_notes = _points(option)
    notes = list(cost_notes)
    chars = {value for holder in (profile, option) for value in _numbers(holder.get("chars"))}
    skills = _skills(profile.get("skills"), option.get("skills"), [c for c in changes if c.get("type") == "skill"])
    orders = _orders(option)
    kind = profile.get("type")
    if not isinstance(kind, int) or kind not in ids.TYPES:
        notes.append(_doubt("type", N_("type {type} is not known: fill it in"), type=printable(profile.get("type"))))
    peripheral = ""
    if ids.PERIPHERAL_CHARACTERISTIC in chars or ids.PERIPHERAL_SKILL in skills:
        extras = skills.get(ids.PERIPHERAL_SKILL, set())
        peripheral = next((word for number, word in ids.PERIPHERAL_KINDS.items() if number in extras), "peripheral")
        if orders:
            template = N_("the data gives this peripheral {given}; peripherals give none (ORD-16)")
            notes.append(_doubt("orders", template, given=_shown(orders)))
        training, training_notes = "regular", list[Problem]()
    else:
        training, training_notes = _training(orders, chars, ids.REGULAR_SKILL in skills)
    to_fill_in = bool(cost_notes) or (bool(notes[len(cost_notes) :]) and not peripheral)
    to_fill_in = to_fill_in or any(note.template == _NO_TRAINING for note in training_notes)
    notes.extend(training_notes)
    lieutenant = ids.LIEUTENANT_SKILL in skills
    known = {ids.SKILLS[number] for number in skills if number in ids.SKILLS}
    if ids.IMPETUOUS in chars:
        known.add("impetuous")
    if ids.PLUS_1_ORDER in skills.get(ids.LIEUTENANT_SKILL, ()):
        known.add("plus-1-order")
    if any(ids.PLUS_1_COMMAND_TOKEN in extras for extras in skills.values()):
        known.add("plus-1-command-token")
    known.update(word for number, word in ids.COMMLINK_EXTRAS.items() if number in skills.get(ids.COMMLINK_SKILL, ()))
    if not peripheral:
        lieutenant, known, order_notes = _by_orders(data, orders, training, lieutenant, known, bool(changes))
        notes.extend(order_notes)
    deploy = _deploy(skills)
    if deploy != "table" and not peripheral:
        template = {
            "marker": N_('it may begin as a marker: change deploy to "table" if it does not'),
            "hidden": N_('it may begin off the table (hidden): change deploy to "table" if it does not'),
            "airborne": N_('it may begin off the table (airborne): change deploy to "table" if it does not'),
        }[deploy]
        notes.append(_doubt("deploy", template))
    for number in skills:
        if meaning := ids.lookalike(number, data.skill_names.get(number, "")):
            template = N_("skill {id} is newer than this program, looks like {meaning}: check orders and skills")
            notes.append(_doubt("skills", template, id=number, meaning=meaning))
    notes.extend(words_of_change(data, change) for change in changes)
    slug = unit.get("slug")
    return Facts(
        name=_name(unit, group, profile, option),
        type=ids.TYPES.get(kind, "LI") if isinstance(kind, int) else "LI",
        cost=cost,
        training=training,
        lieutenant=lieutenant,
        skills=frozenset(known),
        deploy="table" if peripheral else deploy,
        peripheral=peripheral,
        notes=tuple(notes),
        incomplete=to_fill_in,
        orders=orders,
        weapons=names_of(data, profile, option),
        skill_ids=frozenset(skills),
        unit=unit["id"],
        slug=slug if isinstance(slug, str) else "",
        option=_text(option, "name"),
    )


def _deploy(skills: Mapping[int, set[int]]) -> str:
    if skills.keys() & ids.AIRBORNE:
        return "airborne"
    if ids.HIDDEN_DEPLOYMENT in skills:
        return "hidden"
    return "marker" if skills.keys() & ids.MARKERS else "table"


def _by_orders(
    data: ArmyData, orders: Mapping[str, int], training: str, lieutenant: bool, known: set[str], changed: bool
) -> tuple[bool, set[str], list[Problem]]:
    """Lieutenant and skills as the data's own count has them, with a word where its skills say otherwise.

    Without orders, and for what a SpecOps' own changes gave, the skills stand as they are.
    """
    if not orders:
        return lieutenant, known, []
    notes: list[Problem] = []
    has = set(known)

    def follow(word: str, wanted: bool, kind: str) -> None:
        if wanted and word not in has:
            has.add(word)
            if word in _TOLD:  # Tactical and Impetuous orders often stand alone: that is how the data says them
                notes.append(_doubt("skills", N_("{kind} orders in the data, not among its skills: added"), kind=kind))
        elif not wanted and word in has and not changed:
            has.discard(word)
            notes.append(_doubt("skills", N_("it has {skill}, but the data gives no such order: left out"), skill=word))

    if data.edition != "codeone":  # which has neither (SEQ-03)
        extra = orders.get("IRREGULAR", 0) - (training == "irregular")
        follow("tactical-awareness", bool(orders.get("TACTICAL")) or (data.edition == "n4" and extra > 0), "Tactical")
        follow("impetuous", bool(orders.get("IMPETUOUS")), "Impetuous")
    given = orders.get("LIEUTENANT", 0)
    if lieutenant and not given and not changed:
        notes.append(_doubt("lieutenant", N_("it has the skill, but the data lists no Lieutenant order")))
    follow("plus-1-order", given > 1 or ("plus-1-order" in has and not given), "Lieutenant")
    return lieutenant or bool(given), has, notes


_TOLD = frozenset({"plus-1-order"})
_NO_TRAINING = N_("the data does not say whether regular or irregular: fill it in")


def _numbers(values: object) -> list[int]:
    return [value for value in values if isinstance(value, int)] if isinstance(values, list) else []


def _name(unit: Json, group: Json, profile: Json, option: Json) -> str:
    """What players call it: the option's name, which is short; the profile's where that might name the Lieutenant.

    Labels lie on the table and names stand on the page (LOL-05).
    """
    long = next(filter(None, (_text(holder, key) for holder in (profile, group, unit) for key in ("name", "isc"))), "")
    short = _short_name(option)
    others = [other for other in objects(group.get("options")) if other.get("id") != option.get("id")]
    others = [other for other in others if not _orders(other).get("LIEUTENANT")]
    tells = bool(_orders(option).get("LIEUTENANT")) and bool(others) and short not in map(_short_name, others)
    if not short or tells or ids.folded(short) == ids.folded(long):
        return long or short or f"Unit {unit['id']}"
    return short


def _short_name(option: Json) -> str:
    """An option's name without what stands in parentheses, if that speaks of a Lieutenant."""
    name = re.sub(
        r"\s*\(([^()]*)\)", lambda found: "" if ids.names_lieutenant(found[1]) else found[0], _text(option, "name")
    )
    return "" if ids.names_lieutenant(name) else name.strip()


def _text(holder: Json, key: str) -> str:
    value = holder.get(key)
    return plain_name(value) if isinstance(value, str) else ""


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
        return 0, (_doubt("cost", N_("the data gives no points: fill in the cost")),)
    return 0, (_doubt("cost", N_("the data gives {found} points: fill in the cost"), found=printable(value)),)


def _skills(*holders: object) -> dict[int, set[int]]:
    """Ids of all skills of profile, option and changes, with the extras of each."""
    found: dict[int, set[int]] = {}
    for entry in (entry for values in holders for entry in objects(values)):
        number, extra = entry.get("id"), entry.get("extra", entry.get("extras"))
        if isinstance(number, int):
            found.setdefault(number, set()).update(_numbers(extra if isinstance(extra, list) else [extra]))
    return found


def _orders(option: Json) -> dict[str, int]:
    """How many orders of each type the trooper has (`total`, not what the public list shows)."""
    found: Counter[str] = Counter()
    for entry in objects(option.get("orders")):
        kind, total = entry.get("type"), entry.get("total")
        if isinstance(kind, str) and isinstance(total, int) and not isinstance(total, bool) and total > 0:
            found[kind.upper()] += total
    return dict(found)


def _training(orders: Mapping[str, int], chars: set[int], made_regular: bool) -> tuple[str, list[Problem]]:
    """The orders first, the characteristics where these say nothing, or both (N4 Tactical Awareness)."""
    by_orders = {kind.lower() for kind in ("REGULAR", "IRREGULAR") if orders.get(kind)}
    by_chars = {word for number, word in ((ids.REGULAR, "regular"), (ids.IRREGULAR, "irregular")) if number in chars}
    if made_regular:
        by_chars = {"regular"}
    if len(by_orders) == 1:
        (training,) = by_orders
        if by_chars and training not in by_chars:
            template = N_("the data lists it as {characteristic}, with {order} orders: correct the training if need be")
            return training, [_doubt("training", template, characteristic=min(by_chars), order=training)]
        return training, []
    training = min(by_chars) if len(by_chars) == 1 else "regular"
    if by_orders:
        return training, []
    if len(by_chars) == 1:
        template = N_("the data gives it no order; {training} by its characteristics")
        return training, [_doubt("training", template, training=training)]
    return training, [_doubt("training", _NO_TRAINING)]
