"""An army as a table on the terminal, by combat group: for its owner's eyes, since costs and Lieutenant are private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ordertray.army.codes import ArmyCode
from ordertray.messages import N_, Translator
from ordertray.rules.army import Army, Trooper
from ordertray.rules.editions import Edition
from ordertray.tokens.virtual import disc_numbers

MOST_WEAPONS = 3  # shown of a trooper: the first are what tells it from others

_ORDER_NAMES = {
    "regular": N_("Regular"),
    "irregular": N_("Irregular"),
    "lieutenant": N_("Lieutenant"),
    "tactical": N_("Tactical"),
    "impetuous": N_("Impetuous"),
}


def orders_of(trooper: Trooper, edition: Edition) -> list[str]:
    """The kinds of order a trooper brings when on the table, its own first (ORD-02 to -09, -16, -20, SEQ-04)."""
    if trooper.is_peripheral:
        return []
    orders = [trooper.training]
    if trooper.lieutenant:
        orders.extend(["lieutenant"] * (2 if "plus-1-order" in trooper.skills else 1))
    if "tactical-awareness" in trooper.skills and edition.tactical_awareness is not None:
        orders.append(edition.tactical_awareness)
    if "impetuous" in trooper.skills and "impetuous" in edition.phases:
        orders.append("impetuous")
    return orders


def army_tables(
    army: Army, edition: Edition, translate: Translator, weapons: Mapping[str, Sequence[str]] | None = None
) -> Group:
    """The whole list: a table per group, peripherals under their controllers, orders and points added up.

    `weapons` of troopers by id, where they are known, get a column of their own.
    """
    _ = translate
    total = f"{army.total_points:g}"
    name = army.name or _("(no name)")
    head = _("{name}: {total} of {limit} points, {edition}").format(
        name=name, total=total, limit=army.points, edition=edition.title
    )
    return Group(
        Text(head, style="bold"), *(_group_table(army, number, edition, weapons or {}, _) for number in army.groups)
    )


def _group_table(
    army: Army, number: int, edition: Edition, weapons: Mapping[str, Sequence[str]], _: Translator
) -> Table:
    late = any(trooper.deploy == "reinforcement" for trooper in army.troopers if trooper.group == number)
    title = _("Group {number}, Reinforcements") if late else _("Group {number}")
    table = Table(title=title.format(number=number), title_justify="left", show_footer=True)
    places = [place for place, trooper in enumerate(army.troopers) if trooper.group == number]
    here = [army.troopers[place] for place in places]
    numbers = disc_numbers(army)
    members = [trooper for trooper in here if not trooper.is_peripheral]
    counted = [order for trooper in here for order in orders_of(trooper, edition)]
    totals = ", ".join(
        f"{counted.count(kind)} {_(name)}" for kind, name in _ORDER_NAMES.items() if counted.count(kind)
    )  # fmt: skip
    points = sum(army.own_costs[place] for place in places)
    table.add_column(_("Id"), footer=_("{count} troopers").format(count=len(members)))
    table.add_column(_("Disc"), justify="right")
    table.add_column(_("Name"))
    table.add_column(_("Type"))
    table.add_column(_("Cost"), justify="right", footer=f"{points:g}")
    table.add_column(_("Orders"), footer=totals)
    if weapons:
        table.add_column(_("Carries"))
    table.add_column(_("Skills"))
    for place in _by_controller(army, places):
        trooper = army.troopers[place]
        orders = " + ".join(_(_ORDER_NAMES[order]) for order in orders_of(trooper, edition)) or "-"
        style = "yellow" if trooper.training == "irregular" else ""
        if trooper.incomplete:
            orders, style = _("to be filled in"), "bold red"
        remarks = [*sorted(trooper.skills), *([trooper.deploy] if trooper.deploy != "table" else [])]
        table.add_row(
            Text(("└ " if trooper.is_peripheral else "") + trooper.id),
            str(numbers.get(trooper.id, "")),
            Text(trooper.name),
            trooper.type,
            f"{army.own_costs[place]:g}",
            Text(orders, style=style),
            *([Text(", ".join(weapons.get(trooper.id, ())[:MOST_WEAPONS]))] if weapons else []),
            Text(", ".join(remarks)),
        )
    return table


def _by_controller(army: Army, places: list[int]) -> list[int]:
    """Peripherals right after their controllers."""
    ordered: list[int] = []
    for place in places:
        if not army.troopers[place].is_peripheral:
            ordered.extend([place, *(other for other in army.peripherals[place] if other in places)])
    return ordered + [place for place in places if place not in ordered]


def code_head(code: ArmyCode, translate: Translator) -> Text:
    """What an army code says of the whole list."""
    _ = translate
    title = _("{name}: sectorial {id} {slug}, {points} points, framing {framing}").format(
        name=code.title or _("(no name)"),
        id=code.sectorial_id,
        slug=code.sectorial_slug,
        points=code.points,
        framing=code.framing.value,
    )
    return Text(title, style="bold")


def code_table(code: ArmyCode, translate: Translator) -> Group:
    """What an army code itself says."""
    _ = translate
    table = Table()
    for heading in (_("Group"), _("Unit"), _("Profile group"), _("Option")):
        table.add_column(heading, justify="right")
    for number, group in enumerate(code.groups, 1):
        shown = f"{number} R" if group.reinforcement else str(number)
        for member in group.members:
            bundle = _("bundle") if member.group == 0 else str(member.group)
            table.add_row(shown, str(member.unit), bundle, str(member.option))
    return Group(code_head(code, _), table)
