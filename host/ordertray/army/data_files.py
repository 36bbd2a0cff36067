"""The player's army data: JSON files of the publisher's that he has downloaded. We ship none and fetch none.

This module takes one file apart; `data_folder` finds the files of a sectorial.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ordertray.files.problems import FileError, Problem, printable
from ordertray.files.tables import UnreadableError, read_text
from ordertray.messages import N_

MAXIMUM_BYTES = 80_000_000
FIRST_N5 = (24, 300)  # year and day in the version: N4 ends with 7.24270, N5 begins with 7.24351

Json = Mapping[str, Any]


class ArmyDataError(FileError):
    """Army data that cannot be used; all its faults at once."""


@dataclass(frozen=True)
class ArmyData:
    """The units of one sectorial by id, and what its ids are called, as far as known."""

    source: str
    units: Mapping[int, Json]
    version: str = ""
    edition: str | None = None
    """What the data says of its edition by its version, orders and points: n5, n4, codeone; None where it does not."""
    skill_names: Mapping[int, str] = field(default_factory=dict)
    peripheral_names: Mapping[int, str] = field(default_factory=dict)
    weapon_names: Mapping[int, str] = field(default_factory=dict)
    equipment_names: Mapping[int, str] = field(default_factory=dict)
    extra_names: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()
    sectorials: frozenset[int] = frozenset()
    """Ids of the sectorials that this can be the file of, by its units; empty where they do not say."""
    reinforcements_id: int | None = None
    """The id of the file that its Reinforcements are in."""
    reinforcements: ArmyData | None = None
    chart: Json = field(default_factory=dict)
    """The Fireteam chart, as the data has it."""


def read_json(path: Path) -> Json:
    """A file's JSON object. Raises `UnreadableError`."""
    text = read_text(path, MAXIMUM_BYTES)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        params = {"reason": error.msg, "column": error.colno}
        template = N_("this is not JSON: {reason} (column {column})")
        raise UnreadableError(Problem("", template, params, error.lineno)) from None
    except RecursionError:
        raise UnreadableError(Problem("", N_("nested too deeply"))) from None
    except ValueError as error:  # a number of thousands of digits
        raise UnreadableError(Problem("", N_("this is not JSON: {reason}"), {"reason": str(error)})) from None
    if not isinstance(value, dict):
        raise UnreadableError(Problem("", N_("this is JSON, but not army data: it is no object")))
    return value


def read_army_data(content: Json, source: str) -> ArmyData:
    """Take the units out of a sectorial's file. Raises `ArmyDataError` when it is no army data.

    Single entries that are not units are left out with a warning each; a unit's own faults show when it is used.
    """
    entries = content.get("units")
    if not isinstance(entries, list) or not entries:
        keys = ", ".join(printable(key)[1:-1] for key in list(content)[:8]) or "-"
        template = N_("this is JSON, but not army data: no list 'units' (it has {keys})")
        raise ArmyDataError(source, [Problem("", template, {"keys": keys})])
    units: dict[int, Json] = {}
    warnings: list[Problem] = []
    for index, unit in enumerate(entries):
        place = f"units[{index}]"
        if not isinstance(unit, dict) or not _is_number(unit.get("id")):
            warnings.append(Problem(place, N_("not a unit: it has no id"), fatal=False))
        elif not isinstance(unit.get("profileGroups"), list):
            template = N_("unit {id} has no list 'profileGroups'")
            warnings.append(Problem(place, template, {"id": unit["id"]}, fatal=False))
        else:
            units.setdefault(unit["id"], unit)
    if not units:
        raise ArmyDataError(source, warnings)
    filters = content.get("filters")
    filters = filters if isinstance(filters, dict) else {}
    version = str(content.get("version") or "")
    section = content.get("reinforcements")
    chart = content.get("fireteamChart")
    return ArmyData(
        source,
        units,
        version,
        _edition(version, units.values()),
        names_in(filters.get("skills")),
        names_in(filters.get("peripheral") or filters.get("peripherals")),
        names_in(filters.get("weapons")),
        names_in(filters.get("equip")),
        names_in(filters.get("extras")),
        tuple(warnings),
        _sectorials(units.values()),
        section if _is_number(section) else None,
        chart=chart if isinstance(chart, dict) else {},
    )


def objects(values: object) -> list[Json]:
    """The objects of a list; nothing for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def names_in(values: object) -> dict[int, str]:
    """Names by id in a list of `{id, name}`."""
    return {
        entry["id"]: entry["name"]
        for entry in objects(values)
        if _is_number(entry.get("id")) and isinstance(entry.get("name"), str)
    }


def options_of(unit: Json) -> Iterator[Json]:
    """All options of a unit, its bundles included."""
    yield from objects(unit.get("options"))
    for group in objects(unit.get("profileGroups")):
        yield from objects(group.get("options"))


def version_key(version: str) -> tuple[int, int, int]:
    """Year, day and number of a version such as 7.25316.267, for comparing; zeros for any other text."""
    found = re.fullmatch(r"\d+\.(\d\d)(\d{1,3})\.(\d+)", version.strip())
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _sectorials(units: Iterable[Json]) -> frozenset[int]:
    """The factions that nearly all of the units belong to."""
    listed = [
        set(filter(_is_number, values)) for unit in units if isinstance(values := unit.get("factions"), list) and values
    ]
    counts = Counter(faction for factions in listed for faction in factions)
    return frozenset(faction for faction, count in counts.items() if count >= 0.9 * len(listed))


def _edition(version: str, units: Iterable[Json]) -> str | None:
    """Half points are CodeOne's, TACTICAL orders N5's; else by the version, else by N4's way of Tactical Awareness."""
    found = None
    for unit in units:
        for option in options_of(unit):
            points = option.get("points")
            if isinstance(points, float) and points % 1 == 0.5:
                return "codeone"
            orders = {str(order.get("type")).upper() for order in objects(option.get("orders"))}
            if "TACTICAL" in orders:
                found = "n5"
            elif found is None and {"REGULAR", "IRREGULAR"} <= orders:
                found = "n4"
    year, day, _number = version_key(version)
    if found == "n5" or not year:
        return found
    return "n4" if (year, day) < FIRST_N5 else "n5"
