"""The order in progress as a path: what is done, where it stands, what is still to come (ACT-13, ACT-14). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...messages import N_, Translator
from ...rules import Game
from ...table.told import LABELS, ORDER_KINDS

NAMES: Mapping[str, str] = {
    "activation": N_("Activation"),
    "first_skill": N_("First skill"),
    "first_aro": N_("AROs"),
    "second_skill": N_("Second skill"),
    "second_aro": N_("AROs"),
    "validity": N_("AROs valid?"),
    "resolution": N_("Resolution"),
}


def path_of(game: Game, view: Mapping[str, Any], translate: Translator) -> list[dict[str, str]]:
    """The stations of the order in `view` (public): `name`, `state` (done, now, todo, none) and `detail`."""
    _ = translate
    sequence = game.edition.sequence
    order = view["order"]
    steps: list[tuple[str, str | None]] = [
        ("activation", "1.1"),
        ("first_skill", sequence.first_skill),
        ("first_aro", sequence.first_aro),
        ("second_skill", sequence.second_skill),
        ("second_aro", sequence.second_aro),
        ("validity", sequence.validity),
        ("resolution", sequence.resolution),
    ]
    numbers = [number for _name, number in steps if number is not None]
    if order is None:
        now = -1
    elif order["step"] == sequence.conclusion:
        now = len(numbers)
    else:
        now = numbers.index(order["step"])
    stations = []
    for name, number in steps:
        if number is None:
            continue
        place = numbers.index(number)
        state = "todo" if place > now else "now" if place == now else "done"
        detail = "" if order is None else _detail(name, order, _)
        if (
            order is not None
            and state == "done"
            and name in ("second_skill", "second_aro")
            and len(order["skills"]) < 2
        ):
            state = "none"
        stations.append({"key": name, "number": number, "name": _(NAMES[name]), "state": state, "detail": detail})
    return stations


def _detail(name: str, order: Mapping[str, Any], _: Translator) -> str:
    skills = [_(skill["name"]) if skill["name"] else _(LABELS[skill["label"]]) for skill in order["skills"]]
    if name == "activation":
        kind = _(ORDER_KINDS.get(order["kind"], order["kind"]))
        who = ", ".join(order["troopers"])
        if not who and order["group"] is not None:
            who = _(N_("group {group}")).format(group=order["group"])
        return f"{kind}: {who}" if who else kind
    if name == "first_skill":
        return skills[0] if skills else ""
    if name == "second_skill":
        return skills[1] if len(skills) > 1 else ""
    if name in ("first_aro", "second_aro"):
        declared = order["aro"]["declared"]
        if name == "second_aro" or not declared:
            return ""
        return ", ".join(
            " ".join(word for word in (aro["trooper"] or "?", _(aro["name"]) if aro["name"] else "") if word)
            for aro in declared
        )
    return ""
