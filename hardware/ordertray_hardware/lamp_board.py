"""The Raspberry Pi's lamp board: nine single lamps and ten bars of lamps behind eight 74HC595.

It lies between two players like the tray: the half of side B is that of side A turned half round. A 40-way ribbon
cable joins its back to the Pi's header. The chips and bars run on 3.3 V of their own, made from the Pi's 5 V, so that
the Pi's 3.3 V rail carries nothing but its own signals and 0.3 mA for Q1.

J2 passes all 40 pins on, to a HAT that hangs under the board. JP1 to JP4 choose between the two maps of pins: the
second one leaves GPIO18 to 21 to a sound HAT.

Q1 hands output enable over only once the Pi's own 3.3 V is there: before that, the Pi's pin is held near ground by its
clamp, and chips full of noise would take that for "on". R3 sits at the source of the clock, so that its edge does not
ring.
"""

from dataclasses import replace
from typing import Final

from ordertray_hardware import pins
from ordertray_hardware.circuit import (
    LICENCE,
    PROJECT,
    REVISION,
    REVISION_DATE,
    Board,
    Frame,
    Legend,
    OnBoard,
    Part,
    around_screw,
)
from ordertray_hardware.parts import ceramic, led, mounting_hole, on_board, on_sheet, resistor, transistor

WIDTH_MM: Final = 124.0
HEIGHT_MM: Final = 113.03
_PITCH_MM: Final = 5.08
_CHIPS_A_SIDE: Final = 4
_CHIP_STEP_MM: Final = 27.94
_OUTPUT_PINS: Final = ("15", "1", "2", "3", "4", "5", "6", "7")
"""QA to QH of a 74HC595."""
BAR_VALUE: Final = "680"
"""Ohms in series with a lamp of a bar."""
SINGLE_VALUE: Final = "470"
"""Ohms in series with a single lamp."""

_COLOURS: Final = {
    "group1": "green", "group2": "green", "irregular": "yellow", "lieutenant": "red", "tactical": "yellow",
    "aro": "red", "retreat": "red", "loss_of_lieutenant": "yellow", "active": "green",
}  # fmt: skip


def _seen_from(side: str, right_mm: float, away_mm: float, rotation_deg: int) -> OnBoard:
    """Turn a place as its player sees it (right, away from the player) into a place on the board."""
    if side == "A":
        return OnBoard(round(WIDTH_MM - right_mm, 3), round(away_mm, 3), (rotation_deg + 180) % 360)
    return OnBoard(round(right_mm, 3), round(HEIGHT_MM - away_mm, 3), rotation_deg)


def _as_place(place: OnBoard) -> tuple[float, float, int]:
    return place.x_mm, place.y_mm, place.rotation_deg


def _lamp_right_mm(index: int) -> float:
    """Where the lamp of a side with this number (0 to 31) stands, from its player's left."""
    if index < 20:
        return 8.89 + _PITCH_MM * index + (_PITCH_MM / 2 if index >= 10 else 0)
    gaps = (index >= 28) + (index >= 30)
    return 53.34 + _PITCH_MM * (index - 20) + _PITCH_MM / 2 * gaps


def _frame_corner(chip: int) -> tuple[float, float]:
    return 6 + 56 * (chip % _CHIPS_A_SIDE), 6 + 56 * (chip // _CHIPS_A_SIDE)


def _chip(chip: int) -> list[Part]:
    side = pins.SIDES[chip // _CHIPS_A_SIDE]
    place = chip % _CHIPS_A_SIDE
    column, row = _frame_corner(chip)
    right_mm = 8.89 + _CHIP_STEP_MM * place
    outputs = range(8 * chip, 8 * chip + 8)
    serial_in = "CHAIN_DATA" if chip == 0 else f"CASCADE{chip}"
    nets = {
        "8": "GND", "16": "+3V3", "10": "+3V3", "11": "CLOCK", "12": "CHAIN_LATCH", "13": "OUTPUT_ENABLE",
        "14": serial_in, **{pin: f"Q{number}" for pin, number in zip(_OUTPUT_PINS, outputs, strict=True)},
    }  # fmt: skip
    if chip < 2 * _CHIPS_A_SIDE - 1:
        nets["9"] = f"CASCADE{chip + 1}"
    register = Part(
        f"U{chip + 1}", "74xx:74HC595", "Package_DIP:DIP-16_W7.62mm", "74HC595", "74hc595", nets,
        (on_sheet((column + 16, row + 22)),), _seen_from(side, right_mm, 33.02, 90), 5.0,
    )  # fmt: skip
    network = Part(
        f"RN{chip + 1}", "Device:R_Network08", "Resistor_THT:R_Array_SIP9", f"8 x {BAR_VALUE}",
        f"resistor-network-8x{BAR_VALUE}",
        {"1": "GND", **{str(2 + index): f"K{number}" for index, number in enumerate(outputs)}},
        (on_sheet((column + 44, row + 42)),), _seen_from(side, right_mm, 27.94, 0), 6.0,
    )  # fmt: skip
    capacitor = ceramic(
        f"C{chip + 1}", "+3V3", (column + 8, row + 44), _as_place(_seen_from(side, right_mm - 5.08, 34.29, 90))
    )
    return [register, network, capacitor]


def _bar_lamps() -> list[Part]:
    found = []
    for number, name in enumerate(pins.chain_lamps()):
        side, bar, _lamp = name.split(".")
        index = number % 32
        column, row = _frame_corner(number // 8)
        colour = _COLOURS[bar]
        away_mm = 7.62 if index < 20 else 17.78
        found.append(
            led(
                f"D{number + 1}", name, f"led-{colour}-3mm", f"Q{number}", f"K{number}",
                (column + 33, row + 8 + 5 * (number % 8), 180),
                _as_place(_seen_from(side, _lamp_right_mm(index), away_mm, 90)), "D3.0mm",
            )
        )  # fmt: skip
    return found


def _single_lamps() -> list[Part]:
    found = []
    for side, first in (("A", 65), ("B", 69)):
        names = [name for name in pins.PI_LAMPS if name.startswith(f"{side}.")]
        column = 70 if side == "A" else 122
        for index, name in enumerate(names):
            found.append(
                led(
                    f"D{first + index}", name, f"led-{_COLOURS[name.split('.')[1]]}-5mm", pins.lamp_net(name),
                    f"{pins.lamp_net(name)}_K", (column + 10, 128 + 5 * index, 180),
                    _as_place(_seen_from(side, 10.16 + 10.16 * index, 17.78, 90)), "D5.0mm",
                )
            )  # fmt: skip
        nets = {"1": "GND", **{str(2 + index): f"{pins.lamp_net(name)}_K" for index, name in enumerate(names)}}
        found.append(
            Part(
                "RN9" if side == "A" else "RN10", "Device:R_Network04", "Resistor_THT:R_Array_SIP5",
                f"4 x {SINGLE_VALUE}", f"resistor-network-4x{SINGLE_VALUE}", nets,
                (on_sheet((column + 30, 138)),), _seen_from(side, 16.51, 24.257, 0), 6.0,
            )
        )  # fmt: skip
    found.append(led("D73", "link", "led-green-5mm", "LINK", "LINK_K", (184, 126, 180), (106.68, 54.61, 90), "D5.0mm"))
    found.append(resistor("R1", SINGLE_VALUE, "LINK_K", "GND", (197, 128), (111.76, 56.515, 90)))
    return found


def header_nets() -> dict[str, str]:
    """Net of each of the header's 40 pins. Where the two maps differ it is the GPIO's own, up to its jumper."""
    moved = {pin for pair in pins.PI_MOVED.values() for pin in pair}
    nets = {str(physical): f"GPIO{bcm}" for bcm, physical in pins.PI_PHYSICAL.items()}
    fixed = {pins.lamp_net(name): bcm for name, bcm in pins.PI_LAMPS.items()}
    fixed |= {f"CHAIN_{name.upper()}": bcm for name, bcm in pins.PI_CHAIN.items()}
    nets |= {str(pins.PI_PHYSICAL[bcm]): net for net, bcm in fixed.items() if bcm not in moved}
    nets |= {str(pin): "GND" for pin in pins.PI_GROUNDS}
    return nets | {str(pin): "+5V" for pin in pins.PI_5V} | {str(pin): "PI_3V3" for pin in pins.PI_3V3}


def _jumper_net(name: str) -> str:
    return f"CHAIN_{name.removeprefix('chain.').upper()}" if name.startswith("chain.") else pins.lamp_net(name)


def _headers() -> list[Part]:
    header = Part(
        "J1", "Connector:Raspberry_Pi_4", "Connector_IDC:IDC-Header_2x20_P2.54mm_Vertical", "to the Raspberry Pi",
        "idc-header-40", header_nets(), (on_sheet((30, 138)),), OnBoard(35.56, 61.595, 270, back=True), 9.5,
    )  # fmt: skip
    passed_on = Part(
        "J2", "Connector_Generic:Conn_02x20_Odd_Even", "Connector_PinHeader_2.54mm:PinHeader_2x20_P2.54mm_Vertical",
        "passes the header on", "pin-header-2x20", header_nets(), (on_sheet((250, 40)),),
        OnBoard(*HAT_PIN_MM, 270, back=True), 8.5,
    )  # fmt: skip
    jumpers = [
        Part(
            f"JP{number}", "Jumper:Jumper_3_Open", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
            f"map of {name}", "jumper-3",
            {"1": f"GPIO{default}", "2": _jumper_net(name), "3": f"GPIO{sound}"},
            (on_sheet((248 + 24 * ((number - 1) % 2), 72 + 20 * ((number - 1) // 2))),),
            on_board((48.26 + 7.62 * number, 48.895, 180)), 8.5,
        )
        for number, (name, (default, sound)) in enumerate(pins.PI_MOVED.items(), 1)
    ]  # fmt: skip
    return [header, passed_on, *jumpers]


def _supply() -> list[Part]:
    regulator = transistor(
        "U9", "Regulator_Linear:MCP1700x-330xxTO", "ldo-3v3", {"1": "GND", "2": "+5V", "3": "+3V3"},
        (204, 138), (10.16, 52.07),
    )  # fmt: skip
    return [
        replace(regulator, silk="MCP1700"),
        ceramic("C9", "+5V", (192, 140), (17.78, 50.165, 90), value="1u"),
        ceramic("C10", "+3V3", (216, 140), (17.78, 57.785, 90), value="1u"),
        resistor("R2", "10k", "+3V3", "OUTPUT_ENABLE", (208, 124, 90), (100.965, 50.8, 270)),
        resistor("R3", "100", "CHAIN_CLOCK", "CLOCK", (84, 160, 90), (94.615, 50.8, 270)),
        resistor("R4", "10k", "PI_3V3", "Q1_BASE", (112, 160, 90), (97.79, 50.8, 270)),
        transistor("Q1", "Transistor_BJT:2N3904", "npn",
                   {"1": "CHAIN_OUTPUT_ENABLE", "2": "Q1_BASE", "3": "OUTPUT_ENABLE"}, (144, 160), (24.765, 60.0, 90)),
    ]  # fmt: skip


HAT_PIN_MM: Final = (35.56, 52.705)
"""Pin 1 of J2: its even pins look to J1, so that a HAT, which lies on the odd ones' side, leaves J1's plug alone."""
HAT_HOLES_MM: Final = ((30.69, 53.975), (88.69, 53.975))
"""For the spacers of a HAT: in line with its header, 29 mm to either side of the middle (HAT mechanical drawing)."""
HOLES_MM: Final = ((4.0, HEIGHT_MM / 2), (WIDTH_MM - 4, HEIGHT_MM / 2), (4.0, 4.0), (WIDTH_MM - 4, HEIGHT_MM - 4))


def _holes() -> list[Part]:
    found = [mounting_hole(f"H{number}", (172 + 6 * number, 145), place) for number, place in enumerate(HOLES_MM, 1)]
    small = "MountingHole:MountingHole_2.7mm_M2.5"
    found += [
        replace(mounting_hole(f"H{number}", (172 + 6 * number, 145), place), footprint=small, value="M2.5")
        for number, place in enumerate(HAT_HOLES_MM, 5)
    ]
    return found


def _legends() -> tuple[Legend, ...]:
    words = (
        ("GROUP 1", 31.75, 3.2), ("GROUP 2", 85.0, 3.2), ("IRREGULAR", 71.1, 14.2), ("LT", 99.1, 14.2),
        ("TAC", 111.8, 14.2), ("ARO", 10.16, 14.2), ("RETREAT", 20.32, 14.2), ("NO LT", 30.48, 14.2),
        ("TURN", 40.64, 14.2),
    )  # fmt: skip
    found = []
    for side in pins.SIDES:
        for text, right_mm, away_mm in words:
            place = _seen_from(side, right_mm, away_mm, 0)
            found.append(Legend(text, place.x_mm, place.y_mm, 1.2, place.rotation_deg))
    found.append(Legend(f"ORDER TRAY lamps  rev {REVISION}", 48.0, 67.0, 1.0))
    # Beside the jumpers' rows of pins: the shunt sits on the middle pin and on one of the two ends.
    found.append(Legend("sound HAT", 47.0, 43.8, 1.0))
    found.append(Legend("default", 48.0, 48.9, 1.0))
    found.append(Legend("J2, for a HAT, goes on the back", 102.0, 46.5, 1.0))
    found.append(Legend("HAT", 30.0, 48.0, 1.2, back=True))
    found.append(Legend("to the Pi", 96.0, 62.2, 1.2, back=True))
    found.append(Legend("J1, to the Pi, goes on the back", 80.0, 67.0, 1.0))
    found.append(Legend("LINK", 106.7, 49.2, 1.0))
    found.append(Legend(f"Order tray, lamp board, revision {REVISION}, {REVISION_DATE}", 61.0, 69.5, 1.0, back=True))
    found.append(Legend(f"{PROJECT}: hardware/README.md, licence {LICENCE}", 101.0, 46.0, 1.0, back=True))
    return tuple(found)


def _frames() -> tuple[Frame, ...]:
    chips = tuple(
        Frame(
            f"Register {chip + 1}: outputs {8 * chip} to {8 * chip + 7}",
            *_frame_corner(chip), _frame_corner(chip)[0] + 54, _frame_corner(chip)[1] + 54,
        )
        for chip in range(2 * _CHIPS_A_SIDE)
    )  # fmt: skip
    return (
        *chips,
        Frame("Raspberry Pi", 6, 118, 64, 160),
        Frame("Single lamps, side A", 66, 118, 116, 146),
        Frame("Single lamps, side B", 118, 118, 172, 146),
        Frame("Link lamp, 3.3 V for chips and bars", 174, 118, 228, 149),
        Frame(
            "Clock and output enable",
            66,
            148,
            172,
            176,
            "R2 keeps the bars dark while the Pi boots, Q1 while its 3.3 V rises.",
        ),
        Frame("Passed on, and the map of pins", 234, 6, 290, 116, 'Jumpers at "sound HAT" leave GPIO18 to 21 to it.'),
    )


LAMP_BOARD: Final = Board(
    name="lamps",
    title="Order tray: Raspberry Pi lamp board",
    paper="A1",
    width_mm=WIDTH_MM,
    height_mm=HEIGHT_MM,
    parts=tuple(
        _headers()
        + [part for chip in range(2 * _CHIPS_A_SIDE) for part in _chip(chip)]
        + _bar_lamps()
        + _single_lamps()
        + _supply()
        + _holes()
    ),
    frames=_frames(),
    legends=_legends(),
    keepouts=tuple(around_screw(x_mm, y_mm) for x_mm, y_mm in (*HOLES_MM, *HAT_HOLES_MM)),
    unnamed=frozenset(f"D{number}" for number in range(1, 65)),
    thin_pins=frozenset({("R2", "1"), *((f"U{chip + 1}", "10") for chip in range(8))}),
    track_widths_mm={"+5V": 1.0, "+3V3": 0.5, "GND": 0.5},
)
