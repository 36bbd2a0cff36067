"""What the data's ids are called: weapons that tell copies of a trooper apart, and a SpecOps' changes in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ordertray.army.data_files import ArmyData, Json, objects
from ordertray.files.problems import Problem, printable
from ordertray.messages import N_


def plain_name(name: str) -> str:
    """A name of the data as it may be shown: one kind of blank, no control characters."""
    return "".join(letter for letter in re.sub(r"\s+", " ", name).strip() if letter.isprintable())


def names_of(data: ArmyData, profile: Json, option: Json) -> tuple[str, ...]:
    """The weapons and equipment of an option, as far as they have names, in the data's order; its profile's last.

    What the option has is what tells it from other options of its unit.
    """
    found: dict[str, None] = {}
    for holder in (option, profile):
        for key, names in (("weapons", data.weapon_names), ("equip", data.equipment_names)):
            for entry in sorted(objects(holder.get(key)), key=_order):
                number = entry.get("id")
                if isinstance(number, int) and number in names:
                    found.setdefault(plain_name(names[number]))
    return tuple(found)


def _order(entry: Json) -> int:
    order = entry.get("order")
    return order if isinstance(order, int) and not isinstance(order, bool) else 99


def words_of_change(data: ArmyData, change: Json) -> Problem:
    """One change that its player made to a SpecOps or a Team-Ops trooper, told in words."""
    kind, number = change.get("type"), change.get("id")
    if kind == "stat":
        params = {"stat": printable(change.get("stat"))[1:-1].upper(), "by": _signed(change.get("q"))}
        return Problem("", N_("changed by its player: {stat} {by}"), params, fatal=False)
    tables: Mapping[object, Mapping[int, str]] = {
        "skill": data.skill_names,
        "weapon": data.weapon_names,
        "equip": data.equipment_names,
    }
    if isinstance(number, int) and kind in tables:
        name = plain_name(tables[kind].get(number, "")) or f"{kind} {number}"
        extra = change.get("extra", change.get("extras"))
        numbers = extra if isinstance(extra, list) else [extra]
        extras = [plain_name(data.extra_names.get(n, str(n))) for n in numbers if isinstance(n, int)]
        return Problem(
            "",
            N_("changed by its player: it gets {what}"),
            {"what": name + (f" ({', '.join(extras)})" if extras else "")},
            fatal=False,
        )
    shown = "".join(letter for letter in printable(dict(change), 200) if letter.isprintable())
    return Problem("", N_("changed by its player, check orders and skills: {changes}"), {"changes": shown}, fatal=False)


def _signed(value: object) -> str:
    return f"{value:+d}" if isinstance(value, int) and not isinstance(value, bool) else printable(value)
