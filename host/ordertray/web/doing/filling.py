"""Filling in on the page what the army data did not know: the entries that ask for it, and their answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...army.data_known import WHERE_DATA_COMES_FROM, data_in, data_lines
from ...army.importing import slug
from ...army.roster import RosterError, format_army, parse_roster
from ...army.settings import remember_data, remembered_data
from ...messages import N_, Translator
from ...rules.army import DEPLOYMENTS, TRAININGS, TROOPER_TYPES, Army, Trooper

MOST_NAME, MOST_SKILLS = 60, 300


def army_data_lines(place: str, translate: Translator) -> list[str]:
    """What is known of the player's army data, remembered if `place` names it. Raises `ArmyDataError`, `OSError`."""
    found = Path(place).expanduser() if place else remembered_data()
    if found is None:
        return [translate(N_("no army data is known yet")), translate(WHERE_DATA_COMES_FROM)]
    known = data_in(found)
    if place and known.files:
        remember_data(found)
    return list(data_lines(known, translate))


class FillingError(ValueError):
    """An answer that cannot be; `template` (marked for translation) says why."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template.format(**params))
        self.template = template
        self.params = params


def entries_to_fill_in(army: Army | None) -> list[dict[str, Any]]:
    """What the page asks for, entry by entry. A peripheral that was bought by itself lacks its controller only."""
    if army is None:
        return []
    others = [trooper for trooper in army.troopers if not trooper.is_peripheral]
    return [
        {
            "id": trooper.id,
            "name": trooper.name,
            "group": trooper.group,
            "type": trooper.type,
            "cost": f"{trooper.cost:g}",
            "training": trooper.training,
            "lieutenant": trooper.lieutenant,
            "skills": ", ".join(sorted(trooper.skills)),
            "deploy": trooper.deploy,
            "controllers": [[other.id, other.name or other.id] for other in others] if trooper.own_cost else [],
        }
        for trooper in army.troopers
        if trooper.incomplete
    ]


def filled(army: Army, values: Mapping[str, Any], edition: str) -> Army:
    """The list with one entry filled in. Raises `FillingError` naming what cannot be; then nothing has changed."""
    place = army.index.get(values["trooper"])
    if place is None or not army.troopers[place].incomplete:
        raise FillingError(N_("Nothing is to be filled in there."))
    trooper = army.troopers[place]
    if trooper.own_cost and trooper.controller is None:
        known = _with_controller(army, trooper, values.get("controller", ""))
    else:
        known = _with_facts(army, trooper, values)
    changed = replace(army, troopers=(*army.troopers[:place], known, *army.troopers[place + 1 :]))
    try:
        return parse_roster(format_army(changed), "", edition).army
    except RosterError as error:
        problem = error.problems[0]
        raise FillingError("{text}", text=problem.text()) from None


def _with_controller(army: Army, trooper: Trooper, controller: str) -> Trooper:
    place = army.index.get(controller)
    if place is None or army.troopers[place].is_peripheral:
        raise FillingError(N_("Choose whose peripheral it is."))
    return replace(trooper, controller=controller, group=army.troopers[place].group, incomplete=False)


def _with_facts(army: Army, trooper: Trooper, values: Mapping[str, Any]) -> Trooper:
    name = " ".join(str(values.get("name", "")).split())
    if not name or len(name) > MOST_NAME:
        raise FillingError(N_("It needs a name of at most {most} letters."), most=MOST_NAME)
    try:
        cost = float(str(values.get("cost", "")).replace(",", "."))
    except ValueError:
        cost = -1
    if not 0 <= cost <= 999 or cost * 2 % 1:
        raise FillingError(N_("The cost is a number of points."))
    kind, training, deploy = (str(values.get(key, "")) for key in ("type", "training", "deploy"))
    if kind not in TROOPER_TYPES or training not in TRAININGS or deploy not in DEPLOYMENTS:
        raise FillingError(N_("Choose type, training and where it begins."))
    skills = frozenset(word.strip() for word in str(values.get("skills", "")).split(",") if word.strip())
    taken = {other.id for other in army.troopers} - {trooper.id}
    names = (slug(name), *(f"{slug(name)}-{number}" for number in range(2, len(army.troopers) + 3)))
    return replace(
        trooper,
        id=next(one for one in names if one not in taken),
        name=name, type=kind, cost=int(cost) if cost == int(cost) else cost, training=training,
        lieutenant=bool(values.get("lieutenant", False)), skills=skills, deploy=deploy, incomplete=False,
    )  # fmt: skip
