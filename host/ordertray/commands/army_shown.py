"""An army as a table on the terminal, by combat group: for its owner's eyes, since costs and Lieutenant are private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
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

    `weapons` of troopers by id are shown where they are known, above the skills.
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
    places = [place for place, trooper in enumerate(army.troopers) if trooper.group == number]
    here = [army.troopers[place] for place in places]
    numbers = disc_numbers(army)
    members = [trooper for trooper in here if not trooper.is_peripheral]
    counted = [order for trooper in here for order in orders_of(trooper, edition)]
    totals = ", ".join(
        f"{counted.count(kind)} {_(name)}" for kind, name in _ORDER_NAMES.items() if counted.count(kind)
    )  # fmt: skip
    points = sum(army.own_costs[place] for place in places)
    # No frame, and what is long below each other: at 80 columns nothing is cut.
    table = Table(title=title.format(number=number), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.caption = Text(
        _("{count} troopers, {points} points: {orders}").format(
            count=len(members), points=f"{points:g}", orders=totals or "-"
        ),
        style="bold",
    )
    table.caption_justify = "left"
    table.add_column(_("Disc"), justify="right", no_wrap=True)
    table.add_column(_("Name"), min_width=14, overflow="fold")
    table.add_column(_("Type"), no_wrap=True)
    table.add_column(_("Cost"), justify="right", no_wrap=True)
    table.add_column(_("Orders"), no_wrap=True)
    table.add_column(_("Carries") if weapons else _("Skills"), ratio=1)
    for place in _by_controller(army, places):
        trooper = army.troopers[place]
        orders = "\n+ ".join(_(_ORDER_NAMES[order]) for order in orders_of(trooper, edition)) or "-"
        style = "yellow" if trooper.training == "irregular" else ""
        if trooper.incomplete:
            orders, style = _("to be filled in"), "bold red"
        remarks = [*sorted(trooper.skills), *([trooper.deploy] if trooper.deploy != "table" else [])]
        mark = "└ " if trooper.is_peripheral else ""
        carried = ", ".join(weapons.get(trooper.id, ())[:MOST_WEAPONS])
        table.add_row(
            str(numbers.get(trooper.id, "")),
            _named(trooper, mark),
            trooper.type,
            f"{army.own_costs[place]:g}",
            Text(orders, style=style),
            Text(carried) + Text(("\n" if carried and remarks else "") + ", ".join(remarks), style="dim"),
        )
    return table


def _named(trooper: Trooper, mark: str) -> Text:
    """The name, and below it the id that scripts and tags say, unless that is the same."""
    name = Text(f"{mark}{trooper.name}")
    if trooper.name.casefold().replace(" ", "-") == trooper.id:
        return name
    return name + Text(f"\n{' ' * len(mark)}{trooper.id}", style="dim")


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
