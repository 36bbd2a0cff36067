"""The tray's reading of the whole public army data, and of real codes, against the data's own figures.

Off unless `ORDERTRAY_ARMY_DATA` names a folder with files of the publisher's, in whatever folders below it (we have
none and fetch none). Codes are the lines of `*.txt` and the strings of `codes*.json` in it; they are read with the data
of every folder that holds a metadata file. What the tray makes of it is compared with what is computed here from the
raw JSON, by ids alone. `pytest -s` prints the table.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordertray.army.codes import ArmyCode, ArmyCodeError, decode
from ordertray.army.data_files import ArmyData, ArmyDataError, read_army_data
from ordertray.army.data_folder import open_army_data
from ordertray.army.data_units import Facts, count_of, troopers_of
from ordertray.army.importing import import_army
from ordertray.rules.army import Trooper

FOLDER = os.environ.get("ORDERTRAY_ARMY_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="ORDERTRAY_ARMY_DATA names no folder of real army data")

Json = Mapping[str, Any]
PERIPHERAL_SKILL, PERIPHERAL, REGULAR, IRREGULAR = 243, 27, 3, 4
HIDDEN, AIRBORNE, LIEUTENANT, COMMAND_TOKEN = 238, {33, 35}, 119, 245


def files(pattern: str) -> list[Path]:
    """All files below the folder, links followed, whose names fit."""
    walked = os.walk(FOLDER, followlinks=True)
    return sorted(
        path for at, _folders, names in walked for path in (Path(at, n) for n in names) if path.match(pattern)
    )


def listed(holder: Json, key: str) -> list[Any]:
    """A list of the raw data; none for null."""
    return holder.get(key) or []


class Raw:
    """One choice of a unit in the raw data: the options it consists of, each with its profile."""

    def __init__(self, unit: Json, group_id: int, option_id: int) -> None:
        self.groups = {group["id"]: group for group in listed(unit, "profileGroups")}
        options = listed(unit, "options") if group_id == 0 else listed(self.groups.get(group_id, {}), "options")
        self.option: Json = next(option for option in options if option["id"] == option_id)
        found = [(group_id, self.option)] if group_id else list(self.included(self.option))
        self.parts = [(self.profile(group), option) for group, option in found]
        self.is_peripheral = bool(group_id) and self.peripheral(*self.parts[0])

    def profile(self, group: int) -> Json:
        """The profile that counts: the first."""
        profiles = listed(self.groups[group], "profiles")
        return profiles[0] if profiles else {}

    def included(self, option: Json) -> Iterator[tuple[int, Json]]:
        """What an option includes, as often as it does."""
        for entry in listed(option, "includes"):
            for other in listed(self.groups.get(entry["group"], {}), "options"):
                if other["id"] == entry["option"]:
                    yield from [(entry["group"], other)] * entry["q"]

    @staticmethod
    def skills(profile: Json, option: Json) -> list[Json]:
        """All skills of an option with its profile."""
        return [*listed(profile, "skills"), *listed(option, "skills")]

    def peripheral(self, profile: Json, option: Json) -> bool:
        """Whether it is a peripheral, by skill or characteristic."""
        ids = {skill["id"] for skill in self.skills(profile, option)}
        return PERIPHERAL_SKILL in ids or PERIPHERAL in {*listed(profile, "chars"), *listed(option, "chars")}

    def orders(self, edition: str | None) -> Counter[str]:
        """The data's own count."""
        found: Counter[str] = Counter()
        for order in listed(self.option, "orders"):
            found[order["type"]] += order["total"]
        return found - Counter({"IMPETUOUS": 9}) if edition == "codeone" else +found  # which has none (SEQ-03)

    def figures(self) -> Counter[str]:
        """Everything else that is compared."""
        found: Counter[str] = Counter({"points x 2": int(2 * self.option["points"])})
        for profile, option in self.parts:
            ids = {skill["id"] for skill in self.skills(profile, option)}
            if self.is_peripheral:
                found["peripherals"] += 1
                continue
            inside = sum(self.peripheral(self.profile(group), other) for group, other in self.included(option))
            named = sum(entry.get("q", 1) for entry in listed(profile, "peripheral") + listed(option, "peripheral"))
            found["peripherals"] += max(inside, named)
            found["airborne"] += bool(ids & AIRBORNE)
            found["hidden"] += HIDDEN in ids and not ids & AIRBORNE
            extras = [skill.get("extra") or [] for skill in self.skills(profile, option)]
            found["command tokens"] += any(COMMAND_TOKEN in extra for extra in extras)
        return +found


def figures_of(facts: list[Facts]) -> Counter[str]:
    """The same of what the tray made of it."""
    found: Counter[str] = Counter()
    for trooper in facts:
        found["points x 2"] += int(2 * trooper.cost)
        found["peripherals"] += trooper.is_peripheral + len(trooper.peripherals)
        if not trooper.is_peripheral:
            found["airborne"] += trooper.deploy == "airborne"
            found["hidden"] += trooper.deploy == "hidden"
            found["command tokens"] += "plus-1-command-token" in trooper.skills
    return +found


def explained(raw: Raw, facts: list[Facts]) -> str:
    """Why orders may differ: what the import says of it itself, and what the raw data shows to be so."""
    if raw.is_peripheral:
        return "peripheral with an order"
    if not raw.option["orders"]:
        return "no orders in the data"
    if not {"REGULAR", "IRREGULAR"} & {order["type"] for order in raw.option["orders"]}:
        return "no training order in the data"  # an Operator by itself, which nobody can buy; the import says so
    return "to be filled in" if any(trooper.incomplete for trooper in facts) else ""


def sectorial_files() -> Iterator[tuple[Path, ArmyData]]:
    """Every file of units below the folder."""
    for path in files("*.json"):
        try:
            content = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue
        if isinstance(content, dict) and isinstance(content.get("units"), list) and content["units"]:
            yield path, read_army_data(content, str(path))


def test_every_option_of_all_files() -> None:
    table: Counter[tuple[str, str]] = Counter()
    differences: list[str] = []
    versions: dict[str, set[str]] = {}
    for path, data in sectorial_files():
        edition = str(data.edition)
        versions.setdefault(edition, set()).add(data.version)
        table[edition, "files"] += 1
        for unit in data.units.values():
            choices = [(0, option) for option in listed(unit, "options")]
            choices += [(g["id"], option) for g in unit["profileGroups"] for option in listed(g, "options")]
            for group_id, option in choices:
                raw = Raw(unit, group_id, option["id"])
                facts = troopers_of(data, unit["id"], group_id, option["id"])
                orders, figures = raw.orders(data.edition), raw.figures()
                counted = sum((Counter(count_of(trooper, data.edition)) for trooper in facts), Counter[str]())
                place = f"{path.name} {data.version}: unit {unit['id']} {group_id}.{option['id']} {option.get('name')}"
                table[edition, "options"] += 1
                for kind, count in figures.items():
                    table[edition, kind.removesuffix(" x 2")] += count
                if counted != orders:
                    why = explained(raw, facts)
                    table[edition, f"orders differ: {why or '?'}"] += 1
                    if not why:
                        differences.append(f"{place}: orders {dict(orders)}, not {dict(counted)}")
                if (found := figures_of(facts)) != figures:
                    differences.append(f"{place}: {dict(figures)}, not {dict(found)}")
                lieutenant = bool(orders["LIEUTENANT"]) and not raw.is_peripheral
                table[edition, "lieutenants"] += lieutenant
                if any(trooper.lieutenant for trooper in facts) is not lieutenant:
                    differences.append(f"{place}: lieutenant should be {lieutenant}")
    for edition in sorted(versions):
        dated = sorted(versions[edition])
        print(f"\n{edition}: versions {dated[0]} to {dated[-1]}")
        for (name, what), count in sorted(table.items()):
            if name == edition:
                print(f"  {what:40} {count:8}")
    assert table, "no army data in this folder"
    assert not differences, "\n".join(differences)


def codes() -> list[ArmyCode]:
    """All real codes in the folder, each once; broken ones are counted by the caller's table."""
    texts = [line for path in files("*.txt") for line in path.read_text("utf-8").splitlines()]
    for path in files("codes*.json"):
        texts.extend(json.loads(path.read_text("utf-8")))
    found: dict[ArmyCode, None] = {}
    for text in texts:
        try:
            found.setdefault(decode(text))
        except ArmyCodeError:
            continue
    return list(found)


def test_every_code_with_the_data_that_knows_it_best() -> None:
    found = codes()
    if not found:
        pytest.skip("no codes in this folder")
    folders = sorted({path.parent for path in files("*metadata*.json")})
    table: Counter[str] = Counter()
    differences: list[str] = []
    opened: dict[tuple[Path, int], ArmyData | None] = {}
    for code in found:
        alike = [other for other in found if other.sectorial_id == code.sectorial_id]
        everything = replace(code, groups=tuple(group for other in alike for group in other.groups))
        best: tuple[int, ArmyData] | None = None
        for folder in folders:
            key = folder, code.sectorial_id
            if key not in opened:
                try:
                    opened[key] = open_army_data(folder, everything)
                except ArmyDataError:
                    opened[key] = None
            if data := opened[key]:
                missing = _missing(code, data)
                if best is None or (missing, best[1].version) <= (best[0], data.version):
                    best = missing, data
        table[f"codes, {code.framing}"] += 1
        if best is None:
            table["codes without data"] += 1
            continue
        differences.extend(_code_differences(code, best[1], table))
    print()
    for what, count in sorted(table.items()):
        print(f"  {what:40} {count:8}")
    assert table["codes without data"] < len(found) / 2
    assert not differences, "\n".join(differences)


def _missing(code: ArmyCode, data: ArmyData) -> int:
    members = [member for group in code.groups for member in group.members]
    found = [troopers_of(_of(data, m.unit), m.unit, m.group, m.option) for m in members]
    return sum(facts[0].unknown for facts in found)


def _of(data: ArmyData, unit: int) -> ArmyData | None:
    section = data.reinforcements
    return data if unit in data.units else section if section and unit in section.units else None


def _code_differences(code: ArmyCode, data: ArmyData, table: Counter[str]) -> Iterator[str]:
    orders: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    for group in code.groups:
        for member in group.members:
            table["members"] += 1
            source = data.reinforcements if group.reinforcement and data.reinforcements else _of(data, member.unit)
            try:
                raw = Raw((source or data).units[member.unit], member.group, member.option)
            except (KeyError, StopIteration):
                table["members that the data lacks"] += 1
                continue
            found = raw.figures()
            if group.reinforcement or source is not data:
                table["reinforcements"] += 1
                found["airborne"] = found["hidden"] = 0
            figures += found
            table["peripherals bought by themselves"] += raw.is_peripheral
            if raw.is_peripheral:
                continue
            own = raw.orders(data.edition)
            if not own:  # the characteristics then, as the import says
                regular = REGULAR in {*listed(raw.parts[0][0], "chars"), *listed(raw.parts[0][1], "chars")}
                own = Counter({"REGULAR" if regular else "IRREGULAR": 1})
            orders += own
    imported = import_army(code, data)
    # Not by the id alone: somebody in the data is called "Unknown" something.
    known = [one for one in imported.army.troopers if not (one.incomplete and one.id.startswith("unknown"))]
    costs = dict(zip(imported.army.troopers, imported.army.own_costs, strict=True))
    counted, shown = _counted(known, imported.army.edition), _figures(known)
    shown["points x 2"] = int(2 * sum(costs[trooper] for trooper in known))
    for what, count in (orders + figures).items():
        table[what.lower().removesuffix(" x 2")] += count
    if counted != orders:
        yield f"{code.sectorial_slug} {code.title!r}: orders {dict(orders)}, not {dict(counted)}"
    if +shown != +figures:
        yield f"{code.sectorial_slug} {code.title!r}: {dict(+figures)}, not {dict(+shown)}"
    table["lists with something to fill in"] += bool(imported.to_fill_in)


def _counted(troopers: list[Trooper], edition: str | None) -> Counter[str]:
    found: Counter[str] = Counter()
    for trooper in troopers:
        if trooper.is_peripheral or trooper.own_cost:
            continue
        found[trooper.training.upper()] += 1
        found["LIEUTENANT"] += trooper.lieutenant + ("plus-1-order" in trooper.skills)
        if "tactical-awareness" in trooper.skills:
            found["IRREGULAR" if edition == "n4" else "TACTICAL"] += 1
        found["IMPETUOUS"] += "impetuous" in trooper.skills
    return +found


def _figures(troopers: list[Trooper]) -> Counter[str]:
    return Counter(
        {
            "peripherals": sum(trooper.is_peripheral or trooper.own_cost for trooper in troopers),
            "airborne": sum(trooper.deploy == "airborne" for trooper in troopers),
            "hidden": sum(trooper.deploy == "hidden" for trooper in troopers),
            "command tokens": sum("plus-1-command-token" in trooper.skills for trooper in troopers),
        }
    )
