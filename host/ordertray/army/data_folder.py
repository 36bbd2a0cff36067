"""Finding the player's army data: the file of a code's sectorial, that of its Reinforcements, and the metadata.

A folder holds one file per sectorial, named by its id or slug (`107.json`, `kestrel-colonial-force.json`,
`1102-en-shindenbutai.json`), and may hold metadata with the names of skills and weapons (`metadata.json`). Files with
other names are recognised by their units.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ordertray.army.codes import ArmyCode
from ordertray.army.data_files import (
    ArmyData,
    ArmyDataError,
    Json,
    names_in,
    objects,
    read_army_data,
    read_json,
    version_key,
)
from ordertray.files.problems import Problem, printable
from ordertray.files.tables import UnreadableError
from ordertray.messages import N_

CODEONE_IDS = 10_000  # CodeOne's sectorials are those of the main game with this added, in codes only
MOST_FILES = 400
_SUFFIXES = frozenset({".json", ".txt", ""})

Progress = Callable[[int, int], None]


def open_army_data(
    place: Path, code: ArmyCode, *, edition: str | None = None, progress: Progress | None = None
) -> ArmyData:
    """Find and read the data for an army code's sectorial.

    `place` is a folder, or the sectorial's file itself. `edition` chooses among several files for the sectorial and
    must agree with what the data shows; CodeOne's codes say theirs. Raises `ArmyDataError`.
    """
    files = json_files(place)
    edition = edition or ("codeone" if code.sectorial_id > CODEONE_IDS else None)
    metadata, doubts = read_metadata(files if place.is_dir() else json_files(place.parent))
    factions = factions_in(metadata)
    looked = _Looking(progress)
    if place.is_file():
        data = looked.read([place], fatal=True)[0]
        _same_sectorial(data, code, factions)
    else:
        data = _of_sectorial(place, files, code, edition, factions, looked)
    data = _named(_agreeing(place, [data], edition)[0], metadata)
    return replace(
        data,
        reinforcements=_reinforcements(data, code, place, factions, metadata, looked),
        warnings=(*doubts, *looked.doubts, *data.warnings),
    )


class _Looking:
    """Reads files, each once, and tells how far it is."""

    def __init__(self, progress: Progress | None) -> None:
        self.doubts: list[Problem] = []
        self._progress = progress
        self._read: dict[Path, ArmyData | None] = {}

    def read(self, paths: Sequence[Path], *, fatal: bool = False) -> list[ArmyData]:
        """The army data in these files. With `fatal` raises `ArmyDataError` for one that has none."""
        faults: list[Problem] = []
        for number, path in enumerate(paths):
            if self._progress:
                self._progress(number, len(paths))
            if path in self._read and not (fatal and self._read[path] is None):
                continue
            try:
                self._read[path] = read_army_data(read_json(path), str(path))
            except (UnreadableError, ArmyDataError) as error:
                self._read[path] = None
                problems = error.problems if isinstance(error, ArmyDataError) else (error.problem,)
                faults.extend(_at(path, problem, fatal=fatal) for problem in problems)
        if self._progress:
            self._progress(len(paths), len(paths))
        if faults and fatal:
            raise ArmyDataError(str(paths[0].parent), faults)
        return [data for path in paths if (data := self._read[path]) is not None]


def _at(path: Path, problem: Problem, *, fatal: bool) -> Problem:
    place = f"{path.name}, {problem.place}" if problem.place else path.name
    return Problem(place, problem.template, problem.params, problem.line, fatal)


def json_files(place: Path) -> list[Path]:
    """The files of a folder that may be JSON, or the one file. Raises `ArmyDataError` where there is nothing."""
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise ArmyDataError(str(place), [Problem("", N_("there is no such file or folder"))])
    found = [p for p in place.iterdir() if p.suffix.lower() in _SUFFIXES and not p.name.startswith(".") and p.is_file()]
    return sorted(found)[:MOST_FILES]


def _is_metadata(path: Path) -> bool:
    return "metadata" in path.stem.lower()


def read_metadata(files: Iterable[Path]) -> tuple[Json, list[Problem]]:
    """What all metadata files say together, and what is wrong with those that cannot be read (one can do without)."""
    together: dict[str, object] = {}
    doubts: list[Problem] = []
    for path in filter(_is_metadata, files):
        try:
            together.update(read_json(path))
        except UnreadableError as error:
            doubts.append(_at(path, error.problem, fatal=False))
    return together, doubts


def factions_in(metadata: Json) -> dict[int, tuple[str, str]]:
    """Slug and name of each sectorial that the metadata knows."""
    return {
        entry["id"]: (str(entry.get("slug") or ""), str(entry.get("name") or entry.get("slug") or ""))
        for entry in objects(metadata.get("factions"))
        if isinstance(entry.get("id"), int)
    }


def _named(data: ArmyData, metadata: Json) -> ArmyData:
    """With the metadata's names for what the file itself does not name."""
    return replace(
        data,
        skill_names={**names_in(metadata.get("skills")), **data.skill_names},
        peripheral_names={**names_in(metadata.get("peripherals")), **data.peripheral_names},
        weapon_names={**names_in(metadata.get("weapons")), **data.weapon_names},
        equipment_names={**names_in(metadata.get("equips")), **data.equipment_names},
    )


def _fitting(files: Iterable[Path], ids: Iterable[int], slug: str) -> list[Path]:
    """The files whose names fit best: the id or slug itself, else the id among their words, else the slug."""
    wanted = {str(number) for number in ids}
    ranks: dict[int, list[Path]] = {}
    for path in files:
        stem = path.stem.lower()
        words = re.split(r"[^a-z0-9]+", stem)
        if stem in wanted or (slug and stem == slug):
            ranks.setdefault(0, []).append(path)
        elif wanted & set(words):
            ranks.setdefault(1, []).append(path)
        elif slug and re.search(rf"(?<![a-z0-9]){re.escape(slug)}(?![a-z0-9])", stem):
            ranks.setdefault(2, []).append(path)
    return ranks[min(ranks)] if ranks else []


def _of_sectorial(
    place: Path,
    files: Sequence[Path],
    code: ArmyCode,
    edition: str | None,
    factions: dict[int, tuple[str, str]],
    looked: _Looking,
) -> ArmyData:
    """The data of the code's sectorial out of a folder's files. Raises `ArmyDataError`."""
    candidates = [path for path in files if not _is_metadata(path)]
    fitting = _fitting(candidates, _ids_of(code), code.sectorial_slug.lower())
    if fitting:
        found = looked.read(fitting, fatal=True)
        for data in found if len(found) == 1 else ():
            _same_sectorial(data, code, factions)
    else:
        found = [data for data in looked.read(candidates) if set(_ids_of(code)) & data.sectorials]
        if len(found) > 1:  # an army's own file rather than one of which its units are a part
            fewest = min(len(data.sectorials) for data in found)
            found = [data for data in found if len(data.sectorials) == fewest]
    if not found:
        shown = ", ".join(path.name for path in files[:12]) or "-"
        params = {"id": code.sectorial_id, "slug": printable(code.sectorial_slug), "found": shown}
        template = N_(
            "no file for sectorial {id} {slug}: name it {id}.json, or point --data at it (files here: {found})"
        )
        raise ArmyDataError(str(place), [Problem("", template, params)])
    agreeing = _agreeing(place, found, edition)
    if edition is None and code.sectorial_id < CODEONE_IDS:
        agreeing = [data for data in agreeing if data.edition != "codeone"] or agreeing
    if len({data.edition for data in agreeing}) > 1:
        shown = ", ".join(f"{Path(data.source).name}: {data.edition}" for data in agreeing)
        template = N_("several files fit this sectorial ({found}): point --data at one of them, or say --edition")
        raise ArmyDataError(str(place), [Problem("", template, {"found": shown})])
    newest = max(agreeing, key=lambda data: version_key(data.version))
    if len(agreeing) > 1:
        shown = ", ".join(f"{Path(data.source).name}: {data.version or '?'}" for data in agreeing)
        if len({version_key(data.version) for data in agreeing}) == 1 and len({repr(d.units) for d in agreeing}) > 1:
            template = N_("several files fit this sectorial ({found}): point --data at one of them")
            raise ArmyDataError(str(place), [Problem("", template, {"found": shown})])
        params = {"found": shown, "taken": Path(newest.source).name}
        template = N_("several files fit this sectorial ({found}): {taken} was taken, the newest")
        looked.doubts.append(Problem("", template, params, fatal=False))
    return newest


def _ids_of(code: ArmyCode) -> tuple[int, ...]:
    """The ids under which data of a code's sectorial may stand."""
    plain = code.sectorial_id % CODEONE_IDS
    return (code.sectorial_id,) if plain == code.sectorial_id else (code.sectorial_id, plain)


def _same_sectorial(data: ArmyData, code: ArmyCode, factions: dict[int, tuple[str, str]]) -> None:
    """Refuse data of another sectorial by name. Raises `ArmyDataError`."""
    path = Path(data.source)
    by_name = {
        number
        for number in (*factions, *data.sectorials)
        if _fitting([path], [number], factions.get(number, ("", ""))[0])
    }
    by_units = data.sectorials
    wanted = set(_ids_of(code)) | {number for number, (slug, _name) in factions.items() if slug == code.sectorial_slug}
    if wanted & by_name or path.stem.lower() == code.sectorial_slug.lower() or (not by_name and wanted & by_units):
        return
    others = by_name or by_units
    if not others:
        return
    shown = ", ".join(f"{number} {factions.get(number, ('', ''))[1]}".strip() for number in sorted(others)[:3])
    template = N_("this is the data of sectorial {other}; the code is of {id} {slug}")
    params = {"other": shown, "id": code.sectorial_id, "slug": printable(code.sectorial_slug)}
    raise ArmyDataError(data.source, [Problem("", template, params)])


def edition_family(edition: str | None) -> str | None:
    """The edition as army data knows it: without its year."""
    return edition.removesuffix("-2020") if edition else None


def _agreeing(place: Path, found: list[ArmyData], edition: str | None) -> list[ArmyData]:
    """Those of several files that agree with the edition. Raises `ArmyDataError` when none does."""
    family = edition_family(edition)
    agreeing = [data for data in found if family is None or data.edition in (None, family)]
    if not agreeing:
        shown = ", ".join(f"{Path(data.source).name}: {data.edition}" for data in found)
        template = N_("this is data of another edition than {edition} ({found})")
        raise ArmyDataError(str(place), [Problem("", template, {"edition": edition, "found": shown})])
    return agreeing


def _reinforcements(
    data: ArmyData,
    code: ArmyCode,
    place: Path,
    factions: dict[int, tuple[str, str]],
    metadata: Json,
    looked: _Looking,
) -> ArmyData | None:
    """The file that a sectorial's `reinforcements` number names, where the code has members that need it."""
    number = data.reinforcements_id
    if number is None or not _needs_reinforcements(data, code):
        return None
    files = [path for path in json_files(place if place.is_dir() else place.parent) if not _is_metadata(path)]
    slug = factions.get(number, ("", ""))[0]
    found = looked.read(_fitting(files, [number], slug))
    if not found:
        found = [other for other in looked.read(files) if number in other.sectorials]
    agreeing = [other for other in found if other.edition in (None, data.edition)]
    if not agreeing:
        template = N_("its Reinforcements are in another file, which is not here: save it as {id}.json ({name})")
        params = {"id": number, "name": factions.get(number, ("", "?"))[1] or "?"}
        looked.doubts.append(Problem("", template, params, fatal=False))
        return None
    return _named(max(agreeing, key=lambda other: version_key(other.version)), metadata)


def _needs_reinforcements(data: ArmyData, code: ArmyCode) -> bool:
    return any(
        group.reinforcement or any(member.unit not in data.units for member in group.members) for group in code.groups
    )
