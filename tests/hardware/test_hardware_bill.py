"""The bill of materials against the circuits, both ways."""

import csv
import io
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ordertray_hardware import assembly_price, bill, catalogue, strip_board, tables
from ordertray_hardware.boards import BOARDS, SETS
from ordertray_hardware.button_board import HOLES_MM
from ordertray_hardware.case.parameters import CaseParameters
from ordertray_hardware.sexpr import child, children, parse, word


def test_nothing_in_a_circuit_is_missing_from_the_catalogue_and_nothing_in_it_is_idle() -> None:
    assert bill.unknown_items() == []
    assert bill.unused_items() == []


@pytest.mark.parametrize("set_name", SETS)
def test_quantities_are_those_of_the_circuits(set_name: str) -> None:
    expected: Counter[str] = Counter(catalogue.BESIDE_THE_CIRCUIT[set_name])
    for name in SETS[set_name]:
        for part in BOARDS[name].parts:
            if part.item:
                expected[part.item] += BOARDS[name].copies
    assert bill.counts(set_name) == dict(expected)


def test_a_part_without_an_item_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    tray = BOARDS["tray"]
    changed = replace(tray, parts=tuple(replace(p, item="flux-capacitor") if p.ref == "R1" else p for p in tray.parts))
    monkeypatch.setattr(bill, "BOARDS", {**BOARDS, "tray": changed})
    assert bill.unknown_items() == ["flux-capacitor"]


def test_only_copper_and_holes_are_not_bought() -> None:
    for board in BOARDS.values():
        for part in board.parts:
            bare = part.symbol in ("Connector:TestPoint", "Mechanical:MountingHole")
            assert (part.item is None) == bare, part.ref


@pytest.mark.parametrize("name", BOARDS)
def test_kicads_schematic_has_the_same_parts(name: str, outputs: Path) -> None:
    tree = parse((outputs / "boards" / name / f"{name}.net").read_text(encoding="utf-8"))
    parts = [(word(child(c, "ref")), word(child(c, "value"))) for c in children(child(tree, "components"), "comp")]
    assert bill.from_netlist(parts, name) == []
    assert dict(parts) == {part.ref: part.value for part in BOARDS[name].parts}


@pytest.mark.parametrize("set_name", SETS)
def test_total_and_spreadsheet_agree(set_name: str) -> None:
    rows = list(csv.reader(io.StringIO(bill.as_csv(set_name))))
    assert bill.order_eur(set_name) >= bill.total_eur(bill.lines(set_name)) - 0.01
    assert bill.order_eur(set_name, 5) < 5 * bill.order_eur(set_name)
    assert round(sum(float(row[-1]) for row in rows[1:]), 2) == bill.total_eur(bill.lines(set_name))
    assert f"**{bill.total_eur(bill.lines(set_name)):.2f}**" in bill.markdown(set_name)
    assert catalogue.PRICES_OF in bill.markdown(set_name)


def test_prices_and_numbers_are_there() -> None:
    for key, item in catalogue.CATALOGUE.items():
        assert item.price_eur > 0, key
        assert item.number and item.description, key
        assert item.pack >= 1, key


def test_every_electronic_part_has_a_maker_and_a_part_number() -> None:
    """What a distributor understands; only what any maker's part does (headers, lamps, sockets) has no maker."""
    generic = ("pin-header", "jumper", "led-", "socket-dip", "capacitor-10u", "header-")
    used = {part.item for board in BOARDS.values() for part in board.parts if part.item}
    for key in used:
        item = catalogue.CATALOGUE[key]
        if key.startswith(generic):
            continue
        assert item.maker, key
        assert any(sign.isdigit() for sign in item.number) and " 0207" not in item.number, key


_ORDER_NUMBERS = {
    # A prefix of the maker's, then the part's number; Digi-Key ends its own with -ND; TME sells under the maker's.
    "Mouser": r"\d{2,3}-[A-Z0-9/.-]{4,}",
    "Digi-Key": r"[A-Z0-9./-]+-ND",
    "TME": r"[A-Z0-9-]{5,}",
}


def test_order_numbers_have_their_distributors_form() -> None:
    """Form alone: whether they are still sold, no test can know."""
    numbered = 0
    for key, item in catalogue.CATALOGUE.items():
        assert item.seen in ("", "one", "several"), key
        for name, number in item.orders.items():
            assert re.fullmatch(_ORDER_NUMBERS[name], number), (key, name)
            assert item.is_part and item.seen, key
            numbered += 1
    assert numbered > 35
    assert len({(n, v) for item in catalogue.CATALOGUE.values() for n, v in item.orders.items()}) == numbered


@pytest.mark.parametrize("set_name", SETS)
def test_the_bill_says_what_was_not_found(set_name: str) -> None:
    """Every part has an order number, or the words that none was found; a number from memory has a star."""
    assert catalogue.NUMBERS_OF in bill.markdown(set_name)
    rows = bill.markdown(set_name).splitlines()
    for line in bill.lines(set_name):
        row = next(row for row in rows if row.startswith(f"| {line.quantity} | {line.item.description} |"))
        if line.item.is_part:
            assert ("none found" in row) == (not line.item.orders), row
            assert (f"| {line.item.number} * |" in row) == (not line.item.seen), row


def test_the_bill_without_boards_counts_what_the_strip_board_holds() -> None:
    counts = bill.counts("no-board")
    fitted: Counter[str] = Counter()
    items = {"10k": "resistor-10k", "330": "resistor-330", "1k": "resistor-1k", "100u": "capacitor-100u",
             "10u": "capacitor-10u", "100n": "capacitor-100n", "0.7 A": "ptc-0a7"}  # fmt: skip
    for part in strip_board.PARTS:
        if not part.is_link:
            fitted[items[part.what]] += 1
    assert {key: counts[key] for key in fitted} == dict(fitted)


def test_the_houses_price_is_of_this_circuit() -> None:
    """Every part is either soldered by hand both ways or has a sister; one tray is cheaper by hand, ten are not."""
    by_hand = {"pico", "slide-switch", "barrel-jack", "jumper-3", "pin-header-3-straight", "screw-terminal-3",
               "ribbon-header-10", "capacitor-1000u", "capacitor-100u", "piezo"}  # fmt: skip
    items = {part.item for part in BOARDS["tray"].parts if part.item}
    assert {item for item in items if assembly_price.sister(item) is None} == by_hand
    one, five, ten = (assembly_price.prices(trays) for trays in (1, 5, 10))
    assert one.by_house_eur > one.by_hand_eur
    assert ten.by_house_eur < ten.by_hand_eur
    guide = tables.README.read_text(encoding="utf-8")
    assert "by about three euros of a tray" in guide
    assert 2.5 < (five.by_hand_eur - five.by_house_eur) / 5 < 3.5


def test_screws_are_counted() -> None:
    p = CaseParameters()
    short = 4 + 2 * len(HOLES_MM) + 2 * 4 + 2 * 4
    assert bill.counts("tray")["screw-m3x6"] == short
    assert bill.counts("tray")["screw-m3x12"] == len(p.lid_screws)
    assert bill.counts("tray")["feet"] == len(p.foot_places)
