"""What the player's army data is: which armies, which version, how old; and where it comes from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ordertray.army.data_files import ArmyData, ArmyDataError, read_army_data, read_json, version_key
from ordertray.army.data_folder import factions_in, json_files, read_metadata
from ordertray.army.data_words import plain_name
from ordertray.files.problems import Problem
from ordertray.files.tables import UnreadableError
from ordertray.messages import N_, Translator

WHERE_DATA_COMES_FROM = N_(
    "The tray ships no army data and fetches none: it is the publisher's. The army builder's web page loads it as JSON "
    'while you use it, and your browser shows it (F12, "Network"): save the answer of .../army/units/en/107 as '
    "107.json (one file for each army; that of its Reinforcements ends in 99), and that of "
    ".../army/infinity/en/metadata as metadata.json, all in one folder. Then: ordertray army data FOLDER"
)


@dataclass(frozen=True)
class KnownData:
    """The army data in a place: its files of armies, their names, and what cannot be used."""

    place: Path
    files: tuple[ArmyData, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    """What the sectorials are called, by the metadata."""
    days_old: int | None = None
    """Since the newest file was saved."""
    problems: tuple[Problem, ...] = ()


def data_in(
    place: Path, *, now: Callable[[], float] = time.time, progress: Callable[[int, int], None] | None = None
) -> KnownData:
    """Look at a folder or file of army data. Raises `ArmyDataError` where there is none such."""
    paths = json_files(place)
    metadata, problems = read_metadata(paths if place.is_dir() else json_files(place.parent))
    found: list[ArmyData] = []
    saved: list[float] = []
    for number, path in enumerate(paths):
        if progress:
            progress(number, len(paths))
        try:
            data = read_army_data(read_json(path), str(path))
        except UnreadableError as error:
            problems.append(Problem(path.name, error.problem.template, error.problem.params, fatal=False))
        except ArmyDataError:
            continue  # some other JSON: metadata, missions
        else:
            found.append(data)
            saved.append(path.stat().st_mtime)
    days = int((now() - max(saved)) // 86_400) if saved else None
    names = {number: plain_name(name) for number, (_slug, name) in factions_in(metadata).items()}
    return KnownData(place, tuple(found), names, days, tuple(problems))


def data_lines(known: KnownData, translate: Translator) -> Iterator[str]:
    """What a person is told of it, line by line."""
    _ = translate
    yield _("army data: {place}").format(place=known.place)
    if not known.files:
        yield _("no file with army data is here")
        yield _(WHERE_DATA_COMES_FROM)
    else:
        versions = sorted({data.version or "?" for data in known.files}, key=version_key)
        span = versions[0] if len(versions) == 1 else f"{versions[0]} - {versions[-1]}"
        editions = ", ".join(sorted({data.edition or "?" for data in known.files}))
        line = _("{count} files of armies, {edition}, version {version}, saved {days} days ago")
        yield line.format(count=len(known.files), edition=editions, version=span, days=known.days_old)
        shown = [known.names.get(number, "") for data in known.files for number in sorted(data.sectorials)[:1]]
        if names := ", ".join(dict.fromkeys(filter(None, shown))):
            yield "  " + names
        if not known.names:
            yield _("no metadata.json is here: weapons and new skills have no names without it")
    for problem in known.problems:
        yield problem.text(_)
