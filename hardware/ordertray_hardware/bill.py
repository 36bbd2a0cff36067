"""The bill of materials, generated from the circuits and the catalogue, as Markdown and CSV. Pure."""

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ordertray_hardware.boards import BOARDS, SETS
from ordertray_hardware.catalogue import BESIDE_THE_CIRCUIT, CATALOGUE, NUMBERS_OF, PRICES_OF, Item

CURRENCY: Final = "EUR"
DISTRIBUTORS: Final = ("Mouser", "Digi-Key", "TME")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the bill: an item, how many, and where on the boards."""

    key: str
    item: Item
    quantity: int
    places: tuple[str, ...]

    @property
    def price_eur(self) -> float:
        """Price of all pieces."""
        return round(self.item.price_eur * self.quantity, 2)


def lines(set_name: str) -> list[Line]:
    """Every line of a set ("tray" or "lamps"): parts of its boards first, then the rest.

    Raises KeyError if the catalogue lacks an item.
    """
    quantities: dict[str, int] = {}
    places: dict[str, list[str]] = {}
    for name in SETS[set_name]:
        board = BOARDS[name]
        for part in board.parts:
            if part.item is not None:
                quantities[part.item] = quantities.get(part.item, 0) + board.copies
                prefix = "" if name == set_name else f"{name} "
                places.setdefault(part.item, []).append(prefix + part.ref)
    for key, quantity in BESIDE_THE_CIRCUIT[set_name].items():
        quantities[key] = quantities.get(key, 0) + quantity
    return [Line(key, CATALOGUE[key], count, tuple(places.get(key, ()))) for key, count in quantities.items()]


def total_eur(bill: Iterable[Line]) -> float:
    """Sum of a bill."""
    return round(sum(line.price_eur for line in bill), 2)


def order_eur(set_name: str, trays: int = 1) -> float:
    """What an order for some trays really costs: whole packs, boards from the smallest number a house makes."""
    total = 0.0
    for line in lines(set_name):
        packs = math.ceil(line.quantity * trays / line.item.pack)
        total += packs * line.item.pack * line.item.price_eur
    return round(total, 2)


def unknown_items() -> list[str]:
    """Items of circuits that the catalogue lacks."""
    used = {part.item for board in BOARDS.values() for part in board.parts if part.item is not None}
    used |= {key for beside in BESIDE_THE_CIRCUIT.values() for key in beside}
    return sorted(used - set(CATALOGUE))


def unused_items() -> list[str]:
    """Items of the catalogue that nothing needs."""
    used = {part.item for board in BOARDS.values() for part in board.parts}
    used |= {key for beside in BESIDE_THE_CIRCUIT.values() for key in beside}
    return sorted(set(CATALOGUE) - {key for key in used if key is not None})


def _short_places(places: tuple[str, ...]) -> str:
    if len(places) > 12:
        return f"{places[0]} to {places[-1]} ({len(places)})"
    return ", ".join(places)


def marked_number(item: Item) -> str:
    """A part number, with a star if it was found in no public bill."""
    return f"{item.number} *" if item.is_part and not item.seen else item.number


def order_numbers(item: Item) -> str:
    """Distributors and their order numbers as public bills name them; "none found" for a part without."""
    if item.orders:
        return "; ".join(f"{name} {number}" for name, number in item.orders.items())
    return "none found" if item.is_part else ""


def markdown(set_name: str) -> str:
    """Return a bill as a Markdown table with its total, and what an order in whole packs comes to."""
    bill = lines(set_name)
    rows = [
        "| pieces | what | maker | part number, or what to search for | or | place | order numbers | smallest order "
        "| EUR |",
        "|---:|---|---|---|---|---|---|---:|---:|",
    ]
    rows += [
        f"| {line.quantity} | {line.item.description} | {line.item.maker or 'any'} | {marked_number(line.item)} "
        f"| {line.item.alternatives} | {_short_places(line.places)} | {order_numbers(line.item)} | {line.item.pack} "
        f"| {line.price_eur:.2f} |"
        for line in bill
    ]
    rows.append(f"| | **total, about** | | | | | | | **{total_eur(bill):.2f}** |")
    orders = ", ".join(f"{count}: {order_eur(set_name, count):.0f}" for count in (1, 2, 5))
    return (
        "\n".join(rows)
        + f"\n\nEstimated prices of {PRICES_OF}, without shipping. An order in whole packs comes, in EUR, for so many "
        + f"sets, to {orders}. Order numbers as public bills name them, looked up on {NUMBERS_OF}; a star: not even "
        + "the part number was found there, it is from memory.\n"
    )


def as_csv(set_name: str) -> str:
    """Return a bill as CSV, for a spreadsheet or a distributor's upload form."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["pieces", "description", "maker", "part number", "alternatives", "places", "smallest order",
                     *DISTRIBUTORS, f"price {CURRENCY} {PRICES_OF}"])  # fmt: skip
    for line in lines(set_name):
        item = line.item
        places = " ".join(line.places)
        price = f"{line.price_eur:.2f}"
        writer.writerow([line.quantity, item.description, item.maker, item.number, item.alternatives, places, item.pack,
                         *(item.orders.get(name, "") for name in DISTRIBUTORS), price])  # fmt: skip
    return out.getvalue()


ASSEMBLY_COLUMNS: Final = ("Comment", "Designator", "Footprint", "Manufacturer", "Part Number")
"""What houses that assemble want of a bill; two common ones take these names (they may be mapped by hand as well)."""


def for_assembly(board_name: str) -> str:
    """Return a board's own parts as an assembly house's bill."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for part in BOARDS[board_name].parts:
        if part.item is not None:
            groups.setdefault((part.value, part.footprint.split(":")[1], part.item), []).append(part.ref)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ASSEMBLY_COLUMNS)
    for (value, footprint, key), refs in groups.items():
        item = CATALOGUE[key]
        writer.writerow([value, ",".join(refs), footprint, item.maker, item.number])
    return out.getvalue()


def from_netlist(components: Iterable[tuple[str, str]], board_name: str) -> list[str]:
    """Compare KiCad's own list of (reference, in the bill?) with the table's; return the differences."""
    board = BOARDS[board_name]
    expected = {part.ref for part in board.parts if part.item is not None}
    found = {ref for ref, _value in components if not ref.startswith(("H", "TP"))}
    return [f"only in the table: {ref}" for ref in sorted(expected - found)] + [
        f"only in the schematic: {ref}" for ref in sorted(found - expected)
    ]


def counts(set_name: str) -> Mapping[str, int]:
    """Item to quantity."""
    return {line.key: line.quantity for line in lines(set_name)}
