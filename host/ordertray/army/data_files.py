"""The player's army data: JSON files of the publisher's that he has downloaded. We ship none and fetch none.

A folder holds one file per sectorial, named by its id or slug (`107.json`, `kestrel-colonial-force.json`,
`units-107.json`), and may hold a metadata file with the names of skills (`metadata.json`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ordertray.army.codes import ArmyCode
from ordertray.files.problems import FileError, Problem, printable
from ordertray.files.tables import UnreadableError, read_text
from ordertray.messages import N_

MAXIMUM_BYTES = 80_000_000
TACTICAL_AWARENESS = 213

Json = Mapping[str, Any]
Progress = Callable[[int, int], None]


class ArmyDataError(FileError):
    """Army data that cannot be used; all its faults at once."""


@dataclass(frozen=True)
class ArmyData:
    """The units of one sectorial by id, and the names of skills, as far as known."""

    source: str
    units: Mapping[int, Json]
    version: str = ""
    edition: str | None = None
    """What the data says of its edition by its orders and points: n5, n4, codeone, or None where it does not show."""
    skill_names: Mapping[int, str] = field(default_factory=dict)
    peripheral_names: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()


def open_army_data(
    place: Path, code: ArmyCode, *, edition: str | None = None, progress: Progress | None = None
) -> ArmyData:
    """Find and read the data for an army code's sectorial.

    `place` is a folder, or the sectorial's file itself. `edition` chooses among several files for the sectorial and
    must agree with what the data shows. Raises `ArmyDataError`.
    """
    files = _files_for(place, code)
    found: list[ArmyData] = []
    names: Json = {}
    faults: list[Problem] = []
    doubts: list[Problem] = []  # of the metadata, which one can do without
    beside = (place if place.is_dir() else place.parent).glob("*.json")
    metadata = sorted(path for path in beside if "metadata" in path.stem.lower() and path not in files)
    for number, path in enumerate([*metadata, *files]):
        if progress:
            progress(number, len(metadata) + len(files))
        try:
            content = _json_object(path)
            if path in files:
                found.append(read_army_data(content, str(path)))
            else:
                names = {**names, **content}
        except (UnreadableError, ArmyDataError) as error:
            problems = error.problems if isinstance(error, ArmyDataError) else (error.problem,)
            told = [Problem(_place(path, p.place), p.template, p.params, p.line, path in files) for p in problems]
            (faults if path in files else doubts).extend(told)
    if progress:
        progress(len(metadata) + len(files), len(metadata) + len(files))
    if faults:
        raise ArmyDataError(str(place), faults)
    data = _chosen(place, found, edition)
    return ArmyData(
        data.source,
        data.units,
        data.version,
        data.edition,
        {**_names(names.get("skills")), **data.skill_names},
        {**_names(names.get("peripherals") or names.get("peripheral")), **data.peripheral_names},
        (*doubts, *data.warnings),
    )


def _place(path: Path, place: str) -> str:
    return f"{path.name}, {place}" if place else path.name


def _files_for(place: Path, code: ArmyCode) -> list[Path]:
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise ArmyDataError(str(place), [Problem("", N_("there is no such file or folder"))])
    files = sorted(path for path in place.glob("*.json") if path.is_file())
    slug = code.sectorial_slug.lower()
    fitting = [
        path
        for path in files
        if str(code.sectorial_id) in re.split(r"[^a-z0-9]+", path.stem.lower()) or (slug and slug in path.stem.lower())
    ]
    if not fitting:
        shown = ", ".join(path.name for path in files[:12]) or "-"
        params = {"id": code.sectorial_id, "slug": printable(code.sectorial_slug), "found": shown}
        template = N_(
            "no file for sectorial {id} {slug}: name it {id}.json, or point --data at it (JSON files here: {found})"
        )
        raise ArmyDataError(str(place), [Problem("", template, params)])
    return fitting


def _chosen(place: Path, found: list[ArmyData], edition: str | None) -> ArmyData:
    """The one of several files that agrees with the edition. Raises `ArmyDataError`."""
    family = edition_family(edition)
    agreeing = [data for data in found if family is None or data.edition in (None, family)]
    if not agreeing:
        shown = ", ".join(f"{Path(data.source).name}: {data.edition}" for data in found)
        template = N_("this is data of another edition than {edition} ({found})")
        raise ArmyDataError(str(place), [Problem("", template, {"edition": edition, "found": shown})])
    if len(agreeing) > 1:
        shown = ", ".join(Path(data.source).name for data in agreeing)
        template = N_("several files fit this sectorial ({found}): point --data at one of them")
        raise ArmyDataError(str(place), [Problem("", template, {"found": shown})])
    return agreeing[0]


def edition_family(edition: str | None) -> str | None:
    """The edition as army data knows it: without its year."""
    return edition.removesuffix("-2020") if edition else None


def _json_object(path: Path) -> Json:
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
    more = content.get("reinforcements")
    lists = [("units", entries), *([("reinforcements", more)] if isinstance(more, list) else [])]
    units: dict[int, Json] = {}
    warnings: list[Problem] = []
    for key, values in lists:
        for index, unit in enumerate(values):
            place = f"{key}[{index}]"
            if not isinstance(unit, dict) or not isinstance(unit.get("id"), int):
                warnings.append(Problem(place, N_("not a unit: it has no id"), fatal=False))
            elif not isinstance(unit.get("profileGroups"), list):
                warnings.append(
                    Problem(place, N_("unit {id} has no list 'profileGroups'"), {"id": unit["id"]}, fatal=False)
                )
            else:
                units.setdefault(unit["id"], unit)
    if not units:
        raise ArmyDataError(source, warnings)
    filters = content.get("filters")
    filters = filters if isinstance(filters, dict) else {}
    return ArmyData(
        source,
        units,
        str(content.get("version", "")),
        _edition(units.values()),
        _names(filters.get("skills")),
        _names(filters.get("peripheral") or filters.get("peripherals")),
        tuple(warnings),
    )


def objects(values: object) -> list[Json]:
    """The objects of a list; nothing for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def options_of(unit: Json) -> Iterator[Json]:
    """All options of a unit, its bundles included."""
    yield from objects(unit.get("options"))
    for group in objects(unit.get("profileGroups")):
        yield from objects(group.get("options"))


def _names(values: object) -> dict[int, str]:
    return {
        entry["id"]: entry["name"]
        for entry in objects(values)
        if isinstance(entry.get("id"), int) and isinstance(entry.get("name"), str)
    }


def _edition(units: Iterable[Json]) -> str | None:
    """Half points are CodeOne's, TACTICAL orders N5's, an Irregular order beside Tactical Awareness N4's."""
    found = None
    for unit in units:
        for option in options_of(unit):
            points = option.get("points")
            if isinstance(points, float) and points % 1 == 0.5:
                return "codeone"
            orders = {str(order.get("type")) for order in objects(option.get("orders"))}
            skills = [skill.get("id") for skill in objects(option.get("skills"))]
            if "TACTICAL" in orders:
                found = "n5"
            elif TACTICAL_AWARENESS in skills and {"REGULAR", "IRREGULAR"} <= orders:
                found = found or "n4"
    return found
