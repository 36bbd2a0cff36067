"""Wiring diagrams as WireViz YAML, from the pin tables: the tray without a board, and the Pi's lamps. Pure."""

import json
from collections.abc import Sequence
from typing import Any, Final

from ordertray_hardware import pins, strip_board

_COLOURS: Final = ("YE", "VT", "GN", "BU", "TQ", "WH", "GY", "BN")
_SUPPLIES: Final = {"GND": "BK", "+3V3": "OG", "3V3": "OG", "+5V": "RD", "VBUS": "PK"}
"""Ground black; 3.3 V orange, the strips' 5 V red, the Pico's VBUS pink: three things that one red would mix up."""


def _pin_colour(net: str, index: int) -> str:
    return _SUPPLIES.get(net, _COLOURS[index % len(_COLOURS)])


def _pico_pins() -> tuple[list[int], list[str]]:
    nets = {pins.PICO_PHYSICAL[gpio]: f"GP{gpio} {net}" for net, gpio in pins.pico_nets().items()}
    nets |= {pins.PICO_VBUS: "VBUS 5 V", pins.PICO_3V3: "3V3"}
    nets |= dict.fromkeys(pins.PICO_GROUNDS, "GND")
    return sorted(nets), [nets[pin] for pin in sorted(nets)]


def board_pin(thing: str, net: str) -> int:
    """Number of a place on the strip board in the diagram, from 1, in the order of its table."""
    return list(strip_board.HEADERS).index((thing, net)) + 1


def tray_without_board() -> dict[str, Any]:
    """Harness of the no-board variant: Pico, strip board, two readers, twelve keys, two strips, sounder.

    No pin takes two wires: what is shared parts on the strip board.
    """
    numbers, labels = _pico_pins()
    gpio = pins.pico_nets()

    def pico_pin(net: str) -> int:
        return pins.PICO_PHYSICAL[gpio[net]]

    places = [
        f"{thing.lower()} {net}: hole {column}/{row}" for (thing, net), (column, row) in strip_board.HEADERS.items()
    ]
    connectors: dict[str, Any] = {
        "PICO": {"type": "Raspberry Pi Pico", "pins": numbers, "pinlabels": labels,
                 "notes": "numbers of the module's pins"},
        "BOARD": {"type": "strip board", "pinlabels": places, "notes": "see its picture"},
    }  # fmt: skip
    cables: dict[str, Any] = {}
    sets: list[Any] = []

    def join(name: str, length_m: float, wires: Sequence[tuple[str, Any, str, Any, str]], note: str = "") -> None:
        """Wires: (from connector, pin, to connector, pin, net); all from one to one other connector."""
        colours = [_pin_colour(net, index) for index, (*_ends, net) in enumerate(wires)]
        cables[name] = {"colors": colours, "length": length_m, "gauge": "0.25 mm2", "wirelabels": [w[4] for w in wires]}
        if note:
            cables[name]["notes"] = note
        sets.append(
            [
                {wires[0][0]: [wire[1] for wire in wires]},
                {name: list(range(1, len(wires) + 1))},
                {wires[0][2]: [wire[3] for wire in wires]},
            ]
        )

    grounds = iter(pins.PICO_GROUNDS)
    to_pico = {
        "SCK": pico_pin("SPI_SCK"),
        "MISO": pico_pin("SPI_MISO"),
        "MOSI": pico_pin("SPI_MOSI"),
        "3V3": pins.PICO_3V3,
        "GND": next(grounds),
        "VBUS": pins.PICO_VBUS,
        "BUZZER": pico_pin("BUZZER"),
    }
    to_pico |= {f"{side}_PIXELS": pico_pin(f"{side}_PIXELS_3V3") for side in pins.SIDES}
    to_pico |= {f"{side}_{line.upper()}": pico_pin(f"{side}_{line.upper()}") for side in pins.SIDES
                for line in pins.READER_LINES}  # fmt: skip
    join("W-PICO", 0.15, [
        ("PICO", to_pico[net], "BOARD", board_pin(thing, net), net)
        for thing, net in strip_board.HEADERS if thing == "PICO"
    ])  # fmt: skip
    for side in pins.SIDES:
        reader = f"READER {side}"
        nets = [net for thing, net in strip_board.HEADERS if thing == reader]
        words = [net.removeprefix(f"{side}_") for net in nets]
        connectors[reader] = {
            "type": "PN532 or RC522",
            "pinlabels": [{"3V3": "VCC 3.3 V", "RST": "RST / RSTPDN"}.get(w, w) for w in words],
            "notes": "RSTPDN of a red PN532 V3 is the pad on its back, never RSTO",
        }
        join(f"W-R{side}", 0.2, [
            ("BOARD", board_pin(reader, net), reader, index, word)
            for index, (net, word) in enumerate(zip(nets, words, strict=True), 1)
        ])  # fmt: skip
    for side in pins.SIDES:
        keys = f"KEYS {side}"
        connectors[keys] = {"type": "six keys", "pinlabels": ["common", *(name.upper() for name in pins.BUTTONS)]}
        wires = [("PICO", next(grounds), keys, 1, "GND")]
        wires += [
            ("PICO", pico_pin(f"{side}_{name.upper()}"), keys, index, name.upper())
            for index, name in enumerate(pins.BUTTONS, 2)
        ]
        join(f"W-K{side}", 0.25, wires)
    for side in pins.SIDES:
        strip = f"STRIP {side}"
        connectors[strip] = {"type": "WS2812B, 2 x 16", "pinlabels": ["+5V", "DIN", "GND"]}
        join(f"W-S{side}", 0.25, [
            ("BOARD", board_pin(strip, net), strip, index, net) for index, net in enumerate(("+5V", "DATA", "GND"), 1)
        ])  # fmt: skip
    connectors["SOUNDER"] = {"type": "piezo", "pinlabels": ["one leg", "the other"]}
    join("W-SND", 0.1, [("BOARD", board_pin("SOUNDER", "+5V"), "SOUNDER", 1, "+5V"),
                        ("BOARD", board_pin("SOUNDER", "LOW"), "SOUNDER", 2, "LOW")])  # fmt: skip
    return {"connectors": connectors, "cables": cables, "connections": sets, "options": {"mini_bom_mode": True}}


def pi_lamps() -> dict[str, Any]:
    """Harness between the Pi's header and the lamp board (or lamps wired by hand)."""
    lines = {**{f"{name}": bcm for name, bcm in pins.PI_LAMPS.items()},
             **{f"chain.{name}": bcm for name, bcm in pins.PI_CHAIN.items()}}  # fmt: skip
    used = sorted((pins.PI_PHYSICAL[bcm], bcm, name) for name, bcm in lines.items())
    numbers = [pins.PI_5V[0], pins.PI_GROUNDS[0], *(pin for pin, _bcm, _name in used)]
    labels = ["5 V", "GND", *(f"GPIO{bcm}" for _pin, bcm, _name in used)]
    names = ["+5V", "GND", *(name for _pin, _bcm, name in used)]
    return {
        "connectors": {
            "PI": {"type": "Raspberry Pi 40-pin header", "pins": numbers, "pinlabels": labels},
            "LAMPS": {"type": "lamp board J1", "pins": numbers, "pinlabels": names,
                      "notes": "single lamps by 470 Ohm to GND; chain to the first 74HC595"},
        },
        "cables": {
            "RIBBON": {"colors": [_pin_colour(name, i) for i, name in enumerate(names)], "length": 0.2,
                       "wirelabels": names, "notes": "40-way ribbon; only these wires are used"},
        },
        "connections": [[{"PI": numbers}, {"RIBBON": list(range(1, len(names) + 1))}, {"LAMPS": numbers}]],
        "options": {"mini_bom_mode": True},
    }  # fmt: skip


HARNESSES: Final = {"tray-without-board": tray_without_board, "pi-lamps": pi_lamps}


def as_yaml(harness: dict[str, Any]) -> str:
    """Return a harness as YAML (JSON is YAML), the same bytes every time."""
    return json.dumps(harness, indent=1) + "\n"
