"""Made-up army data in the shape of the real one, written by a generator; `oddities` has its peculiarities.

Nothing in it is a publisher's: names, ids of units, costs and weapons are invented; ids of skills, characteristics and
extras are those of the data's own vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ordertray.army.codes import ArmyCode, CodeGroup, Member
from ordertray.army.data_files import ArmyData, read_army_data
from ordertray.army.importing import ImportedArmy, import_army

NBSP = "\N{NO-BREAK SPACE}"
SECTORIAL, SECTION = 961, 969
SLUG = "ember-league"
VERSION = "7.25400.12"

REGULAR = {"type": "REGULAR", "list": 1, "total": 1}
IRREGULAR = {"type": "IRREGULAR", "list": 1, "total": 1}
EXTRA_IRREGULAR = {"type": "IRREGULAR", "list": 0, "total": 1}  # N4's Tactical Awareness
LIEUTENANT = {"type": "LIEUTENANT", "list": 0, "total": 1}
TWO_LIEUTENANT = {"type": "LIEUTENANT", "list": 0, "total": 2}
TACTICAL = {"type": "TACTICAL", "list": 1, "total": 1}
IMPETUOUS = {"type": "IMPETUOUS", "list": 1, "total": 1}
TWO_REGULAR = {"type": "REGULAR", "list": 2, "total": 2}

SKILL_NAMES = {
    29: "Camouflage", 33: "Parachutist", 35: f"Combat{NBSP}Jump", 49: "Engineer", 53: "Doctor", 119: "Lieutenant",
    122: f"Number{NBSP}2", 213: f"Tactical{NBSP}Awareness", 238: f"Hidden{NBSP}Deployment", 243: "Peripheral",
    249: "Impersonation", 256: "Impetuous", 258: "Regular", 260: "Commlink", 277: "Cyberplug", 28: "Mimetism",
}  # fmt: skip
SPANISH_NAMES = {238: f"Despliegue{NBSP}Oculto", 213: f"Sentido{NBSP}Táctico"}
WEAPON_NAMES = {1: "Ash Rifle", 2: f"Long{NBSP}Ash Rifle", 3: "Cinder Cannon", 4: "Flare Pistol", 5: "Smoke Thrower"}
EXTRA_NAMES = {6: "-3", 40: "Synchronized", 41: "Servant", 47: "Control", 245: f"+1 Command{NBSP}Token",
               246: "+1 Order", 322: "Ancillary", 374: "Cyberplug", 298: "+1"}  # fmt: skip


def ref(number: int, *extra: int) -> dict[str, Any]:
    """A skill, weapon or piece of equipment as profile and option name it."""
    return {"id": number, "q": 1, **({"extra": list(extra)} if extra else {})}


def includes(*parts: tuple[int, int], q: int = 1) -> list[dict[str, int]]:
    """What an option includes: (group, option)."""
    return [{"q": q, "group": group, "option": option} for group, option in parts]


def option(number: int = 1, points: object = 10, orders: object = (REGULAR,), **more: Any) -> dict[str, Any]:
    """One option of a profile group."""
    plain = {"includes": [], "chars": [], "skills": [], "weapons": [], "equip": [], "peripheral": [], "swc": "0",
             "minis": 1, "disabled": False}  # fmt: skip
    listed = list(orders) if isinstance(orders, tuple) else orders
    return {**plain, "id": number, "name": None, "points": points, "orders": listed, **more}


def group(number: int, *options: dict[str, Any], name: str = "Alpha", **profile: Any) -> dict[str, Any]:
    """One profile group with one profile."""
    plain = {"id": 1, "name": name, "type": 1, "chars": [3], "skills": [], "str": False, "peripheral": [],
             "includes": [], "weapons": [], "equip": []}  # fmt: skip
    named_options = [{**option, "name": option["name"] or f"{name.upper()} "} for option in options]
    return {"id": number, "isc": name.upper(), "profiles": [{**plain, **profile}], "options": named_options}


def helper(number: int, kind: int, name: str = "Helper", points: int = 3, **more: Any) -> dict[str, Any]:
    """A profile group of a peripheral: no orders, the characteristic, the skill with its kind."""
    only = option(points=points, orders=(), minis=0, **more)
    return group(number, only, name=name, type=5, chars=[5, 21, 27], skills=[ref(243, kind)])


def unit(number: int, *groups: dict[str, Any], options: object = (), **more: Any) -> dict[str, Any]:
    """One unit; `options` are its bundles."""
    listed = list(options) if isinstance(options, tuple) else options
    plain = {"id": number, "isc": f"Unit {number}", "name": "Unit", "slug": f"unit-{number}", "factions": [SECTORIAL]}
    return {**plain, "options": listed, "profileGroups": list(groups), **more}


def named(names: Mapping[int, str]) -> list[dict[str, object]]:
    """Names as the data lists them."""
    return [{"id": number, "name": name} for number, name in names.items()]


def content_of(*units: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A sectorial's file."""
    filters = {"skills": named(SKILL_NAMES), "weapons": named(WEAPON_NAMES), "extras": named(EXTRA_NAMES),
               "equip": [], "peripheral": [], "chars": [], "type": []}  # fmt: skip
    return {"version": VERSION, "units": list(units), "reinforcements": None, "filters": filters, **more}


def data_of(*units: dict[str, Any], **more: Any) -> ArmyData:
    """Army data of these units."""
    return read_army_data(content_of(*units, **more), "made-up.json")


def code_of(*members: Member, **more: Any) -> ArmyCode:
    """A code of one group."""
    plain: dict[str, Any] = {"groups": (CodeGroup(members),)}
    return ArmyCode(SECTORIAL, SLUG, "Test", 300, **{**plain, **more})


def imported(data: ArmyData | None, *members: Member, edition: str | None = None, **more: Any) -> ImportedArmy:
    """A roster of these members."""
    return import_army(code_of(*members, **more), data, edition)


def section_content() -> dict[str, Any]:
    """The file of the Reinforcements: units of their own, a Commlink."""
    return content_of(
        unit(81, group(1, option(points=12), name="Late Ember"), factions=[SECTION]),
        unit(82, group(1, option(points=14, skills=[ref(238)]), name="Late Ghost"), factions=[SECTION]),
    )


def sectorial_content() -> dict[str, Any]:
    """A sectorial's file: a list one could play, a Fireteam chart, the number of the Reinforcements' file."""
    chart = {
        "spec": {"CORE": 1, "HARIS": 1, "DUO": 256},
        "desc": "",
        "teams": [
            {"name": "EMBER Fireteam", "obs": "", "type": ["HARIS", "CORE"], "units": [
                {"min": 1, "max": 5, "name": "EMBER", "comment": "", "required": False, "slug": "unit-11"},
                {"min": 0, "max": 1, "name": "SĀCHĀ", "comment": "", "required": False, "slug": "unit-12"}]},
            {"name": "Wildcards", "obs": "", "type": [], "units": [
                {"min": 0, "max": 1, "name": "GHOST", "comment": "FTO", "required": False, "slug": "unit-13"}]},
        ],
    }  # fmt: skip
    return content_of(
        unit(
            11,
            group(
                1,
                option(1, 12, weapons=[ref(1), ref(4)], name="EMBER"),
                option(2, 17, weapons=[ref(3), ref(4)], name="EMBER"),
                option(3, 13, (REGULAR, LIEUTENANT), skills=[ref(119)], weapons=[ref(1)], name="EMBER (Lieutenant)"),
                option(4, 15, skills=[ref(53)], weapons=[ref(1)], name="EMBER"),
                name=f"EMBER{NBSP}Line Infantry of the Outer League",
            ),
        ),
        unit(12, group(1, option(1, 30, weapons=[ref(2)]), name="SĀCHĀ Yáozǎo, Дозорный")),
        unit(13, group(1, option(1, 25, skills=[ref(238)], weapons=[ref(5)]), name="Ghost Çelik")),
        unit(14, helper(1, 41, "Medbot")),
        unit(
            15,
            group(1, option(1, 64, (REGULAR, TACTICAL), includes=includes((2, 1))), name="Anvil", type=4),
            group(2, option(1, 64, (REGULAR, TACTICAL)), name="Pilot"),
        ),
        reinforcements=SECTION,
        fireteamChart=chart,
    )  # fmt: skip


def metadata_content(names: Mapping[int, str] = SKILL_NAMES) -> dict[str, Any]:
    """The metadata file: names of skills and weapons, and what the sectorials are called."""
    factions = [
        {"id": SECTORIAL, "parent": SECTORIAL, "name": "Ember League", "slug": SLUG},
        {"id": SECTION, "parent": SECTORIAL, "name": "Late Embers", "slug": "late-embers"},
        {"id": 962, "parent": 962, "name": "Upper Ember", "slug": f"upper-{SLUG}"},
    ]
    return {"factions": factions, "skills": named(names), "weapons": named(WEAPON_NAMES), "equips": []}


def write_folder(folder: Path, *, slugs: bool = False) -> Path:
    """The made-up data as a player's folder, by ids or by slugs; one sectorial's slug is part of another's."""
    files = {
        (SLUG if slugs else str(SECTORIAL)): sectorial_content(),
        ("late-embers" if slugs else str(SECTION)): section_content(),
        (f"upper-{SLUG}" if slugs else "962"): content_of(unit(91, group(1, option()), factions=[962])),
        "metadata": metadata_content(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return folder
