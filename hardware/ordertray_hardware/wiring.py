"""Wiring diagrams as WireViz YAML, from the pin tables: the tray without a board, and the Pi's lamps. Pure."""

import json
from collections.abc import Sequence
from typing import Any, Final

from ordertray_hardware import pins
from ordertray_hardware.tray_board import READER_HEADER

_COLOURS: Final = ("YE", "OG", "GN", "BU", "VT", "WH", "GY", "BN")


def _pin_colour(net: str, index: int) -> str:
    return {"GND": "BK", "+3V3": "RD", "+5V": "RD", "VBUS": "RD"}.get(net, _COLOURS[index % len(_COLOURS)])


def _pico_pins() -> tuple[list[int], list[str]]:
    nets = {pins.PICO_PHYSICAL[gpio]: f"GP{gpio} {net}" for net, gpio in pins.pico_nets().items()}
    nets |= {pins.PICO_VBUS: "VBUS 5 V", pins.PICO_3V3: "3V3"}
    nets |= dict.fromkeys(pins.PICO_GROUNDS, "GND")
    return sorted(nets), [nets[pin] for pin in sorted(nets)]


def tray_without_board() -> dict[str, Any]:
    """Harness of the no-board variant: Pico, two readers, twelve keys, two strips, buffer, sounder, supply."""
    numbers, labels = _pico_pins()
    gpio = pins.pico_nets()

    def pico_pin(net: str) -> int:
        return pins.PICO_PHYSICAL[gpio[net]]

    connectors: dict[str, Any] = {
        "PICO": {"type": "Raspberry Pi Pico", "pins": numbers, "pinlabels": labels,
                 "notes": "numbers of the module's pins"},
        "BUFFER": {
            "type": "74AHCT125", "pins": [1, 2, 3, 4, 5, 6, 7, 14],
            "pinlabels": ["1OE", "1A", "1Y", "2OE", "2A", "2Y", "GND", "VCC"],
            "notes": "9, 12 to GND; 10, 13 to VCC; 100 nF from 14 to 7",
        },
        "SUPPLY": {"type": "5 V supply, fuse 2 A", "pinlabels": ["+5V", "GND"], "notes": "1000 uF across it"},
        "SOUNDER": {"type": "piezo with 2N3904", "pinlabels": ["base by 1k", "5 V", "emitter"],
                    "notes": "1k across the piezo, 10k from GP28 to GND"},
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
    for side in pins.SIDES:
        nets = [net.format(side=side) for net in READER_HEADER]
        reader = f"READER {side}"
        words = [net.replace("READER_", "").replace("SPI_", "").removeprefix(f"{side}_") for net in nets]
        connectors[reader] = {"type": "PN532 or RC522", "pinlabels": [w.replace("+3V3", "VCC 3.3 V") for w in words]}
        ground = next(grounds)
        wires = []
        for index, net in enumerate(nets, 1):
            spi_net = net.replace("READER_", "SPI_")
            pin = {"GND": ground, "+3V3": pins.PICO_3V3}.get(net) or pico_pin(spi_net)
            wires.append(("PICO", pin, reader, index, net))
        join(f"W-R{side}", 0.2, wires, "10k from CS, RST, IRQ to 3V3; 100 uF and 100 nF at the reader")
    for side in pins.SIDES:
        keys = f"KEYS {side}"
        connectors[keys] = {"type": "six keys", "pinlabels": ["common", *(name.upper() for name in pins.BUTTONS)]}
        wires = [("PICO", next(grounds), keys, 1, "GND")]
        wires += [
            ("PICO", pico_pin(f"{side}_{name.upper()}"), keys, index, name.upper())
            for index, name in enumerate(pins.BUTTONS, 2)
        ]
        join(f"W-K{side}", 0.25, wires)
    ground = next(grounds)
    join("W-BUF", 0.15, [
        ("PICO", pico_pin("A_PIXELS_3V3"), "BUFFER", 2, "PIXELS A"),
        ("PICO", pico_pin("B_PIXELS_3V3"), "BUFFER", 5, "PIXELS B"),
        ("PICO", ground, "BUFFER", 7, "GND"),
    ], "10k from 2 and 5 to GND; 1 and 4 to GND")  # fmt: skip
    join("W-SND", 0.15, [
        ("PICO", pico_pin("BUZZER"), "SOUNDER", 1, "BUZZER"), ("PICO", pins.PICO_VBUS, "SOUNDER", 2, "VBUS"),
        ("PICO", next(grounds), "SOUNDER", 3, "GND"),
    ])  # fmt: skip
    join("W-5V", 0.15, [("SUPPLY", 1, "BUFFER", 14, "+5V"), ("SUPPLY", 2, "BUFFER", 7, "GND")])
    for side, output in (("A", 3), ("B", 6)):
        strip = f"STRIP {side}"
        connectors[strip] = {"type": "WS2812B, 2 x 16", "pinlabels": ["+5V", "DIN", "GND"]}
        join(f"W-D{side}", 0.25, [("BUFFER", output, strip, 2, "DATA")], "330 Ohm in series, at the buffer")
        join(f"W-P{side}", 0.25, [("SUPPLY", 1, strip, 1, "+5V"), ("SUPPLY", 2, strip, 3, "GND")])
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
