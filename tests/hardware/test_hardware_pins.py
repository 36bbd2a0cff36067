"""One truth for pins: firmware, host, schematic and wiring diagrams against `ordertray_hardware.pins`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray.lights import pins as host_pins
from ordertray_firmware import config
from ordertray_hardware import pins, reader_picture, strip_board, wiring
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.circuit import pin_label
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
    first, second = host_pins.MAPS["default"], host_pins.MAPS["sound"]
    moved = {name: (first[name], second[name]) for name in first if first[name] != second[name]}
    assert moved == dict(pins.PI_MOVED)
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
    others = {pins.PICO_VBUS, pins.PICO_3V3, pins.PICO_3V3_EN, *pins.PICO_GROUNDS, *pins.PICO_LEFT_OPEN}
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


def _no_board_nets() -> list[set[tuple[str, Any]]]:
    """What the diagram and the strip board together join: (thing, pin) sets."""
    places = list(strip_board.HEADERS)
    found: list[set[tuple[str, Any]]] = [set(net) for net in strip_board.nets()]
    for one, pin, other, other_pin in _joined(wiring.tray_without_board()):
        ends = {(name, number) for name, number in ((one, pin), (other, other_pin)) if name != "BOARD"}
        on_board = {places[number - 1] for name, number in ((one, pin), (other, other_pin)) if name == "BOARD"}
        touched = [net for net in found if net & (ends | on_board)]
        merged = ends.union(*touched)
        found = [net for net in found if net not in touched] + [merged]
    return found


def _together(*ends: tuple[str, Any]) -> set[tuple[str, Any]]:
    """The net that holds all these ends; fails if they are not on one."""
    nets = [net for net in _no_board_nets() if ends[0] in net]
    assert len(nets) == 1, ends
    assert set(ends) <= nets[0], (ends, nets[0])
    return nets[0]


def test_the_strip_board_can_be_built() -> None:
    assert strip_board.faults() == []


def test_the_no_board_variant_joins_what_the_carrier_joins() -> None:
    """Every wire of readers, keys, strips and sounder reaches the same pin of the Pico as on the carrier."""
    physical, gpio = pins.PICO_PHYSICAL, pins.pico_nets()
    places = [net for thing, net in strip_board.HEADERS if thing == "READER A"]
    for line in ("SCK", "MISO", "MOSI"):
        number = places.index(line) + 1
        _together(("PICO", physical[gpio[f"SPI_{line}"]]), ("READER A", number), ("READER B", number))
    for side in pins.SIDES:
        for line in pins.READER_LINES:
            number = places.index(f"A_{line.upper()}") + 1
            net = _together(("PICO", physical[gpio[f"{side}_{line.upper()}"]]), (f"READER {side}", number))
            assert not {end for end in net if end[0] == f"READER {'B' if side == 'A' else 'A'}"}
        for index, name in enumerate(pins.BUTTONS, 2):
            _together(("PICO", physical[gpio[f"{side}_{name.upper()}"]]), (f"KEYS {side}", index))
        assert any(("KEYS " + side, 1) in net and any(("PICO", pin) in net for pin in pins.PICO_GROUNDS)
                   for net in _no_board_nets())  # fmt: skip
    supply = places.index("3V3") + 1
    _together(("PICO", pins.PICO_3V3), ("READER A", supply), ("READER B", supply))
    ground = places.index("GND") + 1
    low = _together(("READER A", ground), ("READER B", ground), ("STRIP A", 3), ("STRIP B", 3), ("U2", 7), ("U2", 1),
                    ("U2", 4), ("U2", 9), ("U2", 12), ("Q2", "E"))  # fmt: skip
    high = _together(("STRIP A", 1), ("STRIP B", 1), ("U2", 14), ("U2", 10), ("U2", 13), ("SOUNDER", 1))
    assert not low & high


def test_the_no_board_variant_drives_strips_and_sounder_from_the_right_pins() -> None:
    physical, gpio = pins.PICO_PHYSICAL, pins.pico_nets()
    for side, entry, leaving, series in (("A", 2, 3, "R5"), ("B", 5, 6, "R6")):
        _together(("PICO", physical[gpio[f"{side}_PIXELS_3V3"]]), ("U2", entry))
        _together(("U2", leaving), (series, "1"))
        _together((series, "2"), (f"STRIP {side}", 2))
    _together(("PICO", physical[pins.BUZZER]), ("R9", "1"))
    _together(("R9", "2"), ("Q2", "B"))
    _together(("Q2", "C"), ("SOUNDER", 2), ("R11", "2"))
    _together(("PICO", pins.PICO_VBUS), ("F1", "1"))
    _together(("F1", "2"), ("STRIP A", 1))
    # The open outputs of the buffer touch nothing.
    for leg in (8, 11):
        assert [net for net in _no_board_nets() if ("U2", leg) in net] == [{("U2", leg)}]


def test_no_pin_takes_two_wires() -> None:
    ends = [end for wire in _joined(wiring.tray_without_board()) for end in ((wire[0], wire[1]), (wire[2], wire[3]))]
    assert len(ends) == len(set(ends))


def test_supplies_are_told_apart_by_colour() -> None:
    colours: dict[str, set[str]] = {}
    for cable in wiring.tray_without_board()["cables"].values():
        for colour, net in zip(cable["colors"], cable["wirelabels"], strict=True):
            colours.setdefault(net, set()).add(colour)
    supplies: set[str] = set()
    for net in ("GND", "3V3", "+5V", "VBUS"):
        (colour,) = colours.pop(net)
        assert colour not in supplies
        supplies.add(colour)
    assert not any(supplies & others for others in colours.values())


def test_every_wire_of_a_diagram_ends_on_a_pin_that_is_drawn() -> None:
    for make in wiring.HARNESSES.values():
        harness = make()
        for one, pin, other, other_pin in _joined(harness):
            for name, number in ((one, pin), (other, other_pin)):
                connector = harness["connectors"][name]
                drawn = connector.get("pins") or range(1, len(connector["pinlabels"]) + 1)
                assert number in drawn, (name, number)


def _lamp_board_nets(jumpers_at: int) -> dict[int, str]:
    """Net that each pin of J1 reaches with all shunts on the middle pin and on pin 1 (default) or 3 (sound)."""
    board = BOARDS["lamps"]
    bridged = {part.nets[str(jumpers_at)]: part.nets["2"] for part in board.parts if part.ref.startswith("JP")}
    return {int(pin): bridged.get(net, net) for pin, net in board.part("J1").nets.items()}


@pytest.mark.parametrize(("name", "jumpers_at"), [("default", 1), ("sound", 3)])
def test_the_jumpers_of_the_lamp_board_choose_between_the_hosts_maps(name: str, jumpers_at: int) -> None:
    reached = _lamp_board_nets(jumpers_at)
    wanted = {
        f"CHAIN_{line.removeprefix('chain.').upper()}" if line.startswith("chain.") else pins.lamp_net(line): bcm
        for line, bcm in host_pins.MAPS[name].items()
    }
    for net, bcm in wanted.items():
        assert reached[pins.PI_PHYSICAL[bcm]] == net
    # And nothing else of the header reaches a lamp, a chip or the other map's pin.
    rest = {pin: net for pin, net in reached.items() if net not in wanted}
    assert all(net in ("GND", "+5V", "PI_3V3") or net.startswith("GPIO") for net in rest.values())
    if name == "sound":
        assert {rest[pins.PI_PHYSICAL[bcm]] for bcm in (18, 19, 20, 21)} == {"GPIO18", "GPIO19", "GPIO20", "GPIO21"}


def test_the_readers_picture_shows_the_ribbon_as_it_is() -> None:
    """Each wire of the carrier's header once, with its number; reset to the pad on the back, never to RSTO."""
    board = BOARDS["tray"].part("J2").nets
    shown = dict(reader_picture.wires())
    assert {number: pin_label(board[str(number)]) for number in shown} == shown
    assert {board[str(number)] for number in range(1, 11) if number not in shown} == {"GND"}
    assert {*shown.values()} == {*reader_picture.TO_MODULE, reader_picture.ISOLATED, reader_picture.RESET}
    assert set(reader_picture.TO_MODULE.values()) == set(reader_picture.HEADER) - {"RSTO"}
    assert "RSTPDN" in reader_picture.svg()


def test_the_lamp_board_passes_the_whole_header_on() -> None:
    board = BOARDS["lamps"]
    assert board.part("J2").nets == board.part("J1").nets
    assert len(board.part("J2").nets) == 40


def test_a_hat_fits_the_header_that_is_passed_on(outputs: Path) -> None:
    """The HAT drawing: holes 29 mm to either side of the header's middle and level with it; the body is 65 x 56.5 mm.

    It lies on the side of the odd pins, whose first one is next to a corner, and leaves the plug of J1 alone.
    """
    report = json.loads((outputs / "boards" / "lamps" / "lamps.json").read_text(encoding="utf-8"))
    boxes = {part["ref"]: part["box_mm"] for part in report["parts"]}
    left, top, right, bottom = boxes["J2"]
    middle = ((left + right) / 2, (top + bottom) / 2)
    small = [part.board for part in BOARDS["lamps"].parts if part.value == "M2.5"]
    for hole, dx in zip(small, (-29.0, 29.0), strict=True):
        assert abs(hole.x_mm - middle[0] - dx) < 0.1 and abs(hole.y_mm - middle[1]) < 0.1
    assert BOARDS["lamps"].part("J2").board.y_mm < middle[1], "odd pins look up"
    assert middle[1] + 3.5 < boxes["J1"][1], "the HAT ends 3.5 mm beyond the middle of its header"
    assert middle[1] + 3.5 - 56.5 > -1.0, "and hardly reaches over the board's edge"


def test_the_lamps_diagram_is_the_lamp_board() -> None:
    header = _lamp_board_nets(1)
    harness = wiring.pi_lamps()
    lamps = harness["connectors"]["LAMPS"]
    for number, label in zip(lamps["pins"], lamps["pinlabels"], strict=True):
        assert header[number] == pins.lamp_net(label)
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
