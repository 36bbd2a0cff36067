"""One truth for pins: firmware, host, schematic and wiring diagrams against `ordertray_hardware.pins`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray.lights import pins as host_pins
from ordertray_firmware import config
from ordertray_hardware import pins, wiring
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.sexpr import child, children, parse, word


def test_firmware_defaults_are_the_table() -> None:
    default = config.default_config()
    assert {line: default["spi"][line] for line in pins.SPI} == dict(pins.SPI)
    readers = {reader["pad"]: {line: reader[line] for line in pins.READER_LINES} for reader in default["readers"]}
    assert readers == {side: dict(lines) for side, lines in pins.READERS.items()}
    for side in pins.SIDES:
        assert default["sides"][side]["buttons"] == dict(pins.BUTTON_GPIOS[side])
        assert default["sides"][side]["pixels"]["pin"] == pins.PIXELS[side]
    assert default["buzzer"]["pin"] == pins.BUZZER
    used = [pin for _place, pin in config.used_pins(default)]
    assert sorted(used) == sorted(pins.pico_nets().values())


def test_the_hosts_lamps_are_the_table() -> None:
    assert {lamp.name: lamp.bcm for lamp in host_pins.LAMPS} == dict(pins.PI_LAMPS)
    assert {line.name: line.bcm for line in host_pins.CHAIN_LINES} == dict(pins.PI_CHAIN)
    assert [(bar.name, bar.length) for bar in host_pins.BARS] == list(pins.BARS.items())
    for bcm, header_pin in host_pins.HEADER.items():
        assert pins.PI_PHYSICAL[bcm] == header_pin
    assert host_pins.registers_needed() * pins.OUTPUTS_PER_CHIP == len(pins.chain_lamps())
    for output in host_pins.chain_outputs():
        assert pins.chain_lamps()[output.number] == f"{output.bar}.{output.lamp + 1}"


def test_firmware_readme_names_the_same_pins() -> None:
    text = (Path(__file__).parents[2] / "firmware" / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## Pins") :].split("\n## ")[0]
    for line, pin in pins.SPI.items():
        assert f"{line.upper()} GP{pin}" in section
    for side in pins.SIDES:
        for line, pin in pins.READERS[side].items():
            row = next(row for row in section.splitlines() if row.startswith(f"| reader {side} "))
            assert f"{line.upper()} GP{pin}" in row
        assert f"{side} GP{pins.PIXELS[side]}" in section
    assert f"GP{pins.BUZZER}" in section


def test_no_two_gpios_share_a_place() -> None:
    for table in (pins.PICO_PHYSICAL, pins.PI_PHYSICAL):
        assert len(set(table.values())) == len(table)
    others = {pins.PICO_VBUS, pins.PICO_3V3, *pins.PICO_GROUNDS, *pins.PICO_LEFT_OPEN}
    assert sorted({*pins.PICO_PHYSICAL.values(), *others}) == list(range(1, 41))
    header = {*pins.PI_PHYSICAL.values(), *pins.PI_5V, *pins.PI_3V3, *pins.PI_GROUNDS}
    assert sorted(header) == list(range(1, 41))


def test_lamps_keep_off_the_pis_reserved_pins() -> None:
    assert not set(pins.PI_RESERVED) & {*pins.PI_LAMPS.values(), *pins.PI_CHAIN.values()}


def _joined(harness: dict[str, Any]) -> set[tuple[str, int, str, int]]:
    """(connector, pin, connector, pin) of every wire."""
    found = set()
    for left, _cable, right in harness["connections"]:
        (one, one_pins), (other, other_pins) = next(iter(left.items())), next(iter(right.items()))
        found |= {(one, a, other, b) for a, b in zip(one_pins, other_pins, strict=True)}
    return found


def test_the_no_board_diagram_joins_what_the_carrier_joins() -> None:
    carrier = BOARDS["tray"]
    to_connector = {"READER A": "J2", "READER B": "J3", "KEYS A": "J4", "KEYS B": "J5"}
    pico = carrier.part("U1").nets
    series = {"READER_SCK": "SPI_SCK", "READER_MOSI": "SPI_MOSI"}
    checked = 0
    for one, pin, other, other_pin in _joined(wiring.tray_without_board()):
        if other in to_connector:
            net = carrier.part(to_connector[other]).nets[str(other_pin)]
            assert pico[str(pin)] == series.get(net, net), (one, pin, other, other_pin)
            checked += 1
    assert checked == 2 * (8 + 7)


def test_the_no_board_diagram_drives_strips_and_sounder_from_the_right_pins() -> None:
    wires = _joined(wiring.tray_without_board())
    physical = pins.PICO_PHYSICAL
    assert ("PICO", physical[pins.PIXELS["A"]], "BUFFER", 2) in wires
    assert ("PICO", physical[pins.PIXELS["B"]], "BUFFER", 5) in wires
    assert ("BUFFER", 3, "STRIP A", 2) in wires
    assert ("BUFFER", 6, "STRIP B", 2) in wires
    assert ("PICO", physical[pins.BUZZER], "SOUNDER", 1) in wires


def test_every_wire_of_a_diagram_ends_on_a_pin_that_is_drawn() -> None:
    for make in wiring.HARNESSES.values():
        harness = make()
        for one, pin, other, other_pin in _joined(harness):
            for name, number in ((one, pin), (other, other_pin)):
                connector = harness["connectors"][name]
                drawn = connector.get("pins") or range(1, len(connector["pinlabels"]) + 1)
                assert number in drawn, (name, number)


def test_the_lamps_diagram_is_the_lamp_board() -> None:
    header = BOARDS["lamps"].part("J1").nets
    harness = wiring.pi_lamps()
    lamps = harness["connectors"]["LAMPS"]
    for number, label in zip(lamps["pins"], lamps["pinlabels"], strict=True):
        assert header[str(number)] == pins.lamp_net(label)
    assert all(pin == other_pin for _one, pin, _other, other_pin in _joined(harness))


@pytest.mark.parametrize("name", BOARDS)
def test_kicad_reads_the_table_from_the_schematic(name: str, outputs: Path) -> None:
    """What KiCad exports as the netlist is net by net what the table says."""
    tree = parse((outputs / "boards" / name / f"{name}.net").read_text(encoding="utf-8"))
    read: dict[str, set[tuple[str, str]]] = {}
    for net in children(child(tree, "nets"), "net"):
        nodes = {(word(child(node, "ref")), word(child(node, "pin"))) for node in children(net, "node")}
        if not word(child(net, "name")).startswith("unconnected-"):
            read[word(child(net, "name"))] = nodes
    assert read == {net: set(ends) for net, ends in BOARDS[name].nets().items()}


def test_a_changed_pin_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparisons above must be able to fail: move one pin of each table and see them do so."""
    checks: list[tuple[str, dict[str, int], Callable[[], None]]] = [
        ("PIXELS", {"A": 15, "B": 14}, test_firmware_defaults_are_the_table),
        ("PI_LAMPS", {**pins.PI_LAMPS, "link": 27}, test_the_hosts_lamps_are_the_table),
    ]
    for name, changed, check in checks:
        with monkeypatch.context() as patch:
            patch.setattr(pins, name, changed)
            with pytest.raises(AssertionError):
                check()
