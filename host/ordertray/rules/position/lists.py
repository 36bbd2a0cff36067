"""What does not change in a game, as text: its options, and the army lists."""

from __future__ import annotations

import re

from ..army import Army, Fireteam, Trooper
from ..options import Options
from .text import flag, joined, maybe, name, number, parts, some, unname

_TROOPER_PARTS = 12


def format_options(options: Options) -> str:
    """All options that are not as they are by default."""
    return ",".join(option if value is None else f"{option}={value}" for option, value in options.as_set()) or "-"


def parse_options(text: str) -> Options:
    """The options that `format_options` wrote."""
    options = Options()
    for word in parts(text, ","):
        option, _, value = word.partition("=")
        changed = options.with_option(option, value or None)
        if changed is None:
            raise ValueError(f"{word!r} is no option")
        options = changed
    return options


def format_army(army: Army) -> str:
    """An army list; entries that are incomplete do not play."""
    troopers = ";".join(_format_trooper(trooper) for trooper in army.troopers)
    teams = joined((",".join((name(team.name), team.leader, *team.members)) for team in army.fireteams), ";")
    return f"{name(army.name)}/{army.points}/{some(army.edition)}/{troopers}/{teams}"


def _format_trooper(trooper: Trooper) -> str:
    return ",".join(
        (
            trooper.id,
            name(trooper.name),
            trooper.type,
            f"{trooper.cost:g}",
            str(trooper.group),
            trooper.training,
            "1" if trooper.lieutenant else "0",
            joined(sorted(name(skill) for skill in trooper.skills), "+"),
            trooper.deploy,
            some(trooper.controller),
            some(trooper.tag),
            "1" if trooper.own_cost else "0",
        )
    )


def parse_army(text: str) -> Army:
    """The army that `format_army` wrote."""
    found = text.split("/")
    if len(found) != 5:
        raise ValueError(f"5 parts expected, {len(found)} found")
    title, points, edition, troopers, teams = found
    return Army(
        unname(title),
        number(points),
        tuple(_parse_trooper(trooper) for trooper in troopers.split(";")),
        maybe(edition),
        tuple(_parse_team(team) for team in parts(teams, ";")),
    )


def _parse_team(text: str) -> Fireteam:
    title, leader, *members = text.split(",")
    return Fireteam(unname(title), tuple(members), leader)


def _parse_trooper(text: str) -> Trooper:
    found = text.split(",")
    if len(found) != _TROOPER_PARTS:
        raise ValueError(f"trooper {found[0]!r} has {len(found)} parts instead of {_TROOPER_PARTS}")
    key, unit, kind, cost, group, training, lieutenant, skills, deploy, controller, tag, own_cost = found
    if not re.fullmatch(r"[0-9]{1,5}(\.5)?", cost):
        raise ValueError(f"cost {cost!r} of {key} is no number of points")
    if "" in skills.split("+"):
        raise ValueError(f"a skill of {key} has no name")
    return Trooper(
        key,
        unname(unit),
        kind,
        float(cost),
        number(group),
        training,
        flag(lieutenant),
        frozenset(unname(skill) for skill in parts(skills, "+")),
        deploy,
        maybe(controller),
        maybe(tag),
        flag(own_cost),
    )
