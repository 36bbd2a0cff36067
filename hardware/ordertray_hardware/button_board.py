"""The button board: six keys in a row, one board for each side of the tray.

It hangs close under the lid, so its header is soldered from the back and its mouth looks to the middle of the tray.
"""

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
from ordertray_hardware.parts import mounting_hole, on_board, on_sheet, ribbon_header

PITCH_MM: Final = 18.0
WIDTH_MM: Final = 100.0
HEIGHT_MM: Final = 26.0
KEY_CENTRE_Y_MM: Final = 20.0
SWITCH_HEIGHT_MM: Final = 5.0
"""A 6 x 6 mm key: 5.0 mm from the board to the top of its plunger."""


def key_centres_mm() -> tuple[tuple[float, float], ...]:
    """Where the six plungers stand: mm from the board's upper left corner, y downwards, in the order of the names."""
    first = WIDTH_MM / 2 - PITCH_MM * (len(pins.BUTTONS) - 1) / 2
    return tuple((first + PITCH_MM * index, KEY_CENTRE_Y_MM) for index in range(len(pins.BUTTONS)))


def _keys() -> list[Part]:
    # The footprint's origin is pin 1, 3.25 mm left of and 2.25 mm above the plunger.
    return [
        Part(
            f"SW{number}", "Switch:SW_Push", "Button_Switch_THT:SW_PUSH_6mm_H5mm", name.upper(), "key-6mm",
            {"1": name.upper(), "2": "GND"}, (on_sheet((22 + 16 * ((number - 1) % 3), 14 + 10 * ((number - 1) // 3))),),
            on_board((x_mm - 3.25, y_mm - 2.25)), SWITCH_HEIGHT_MM,
        )
        for number, (name, (x_mm, y_mm)) in enumerate(zip(pins.BUTTONS, key_centres_mm(), strict=True), 1)
    ]  # fmt: skip


_NAMES: Final = tuple(name.upper() for name in pins.BUTTONS)
HOLES_MM: Final = ((4.0, 5.0), (WIDTH_MM / 2, KEY_CENTRE_Y_MM), (WIDTH_MM - 4, 5.0))

BUTTON_BOARD: Final = Board(
    name="buttons",
    title="Order tray: button board (two needed)",
    paper="A4",
    width_mm=WIDTH_MM,
    height_mm=HEIGHT_MM,
    parts=(
        *_keys(),
        ribbon_header("J1", "to the carrier", ("", "", "GND", *_NAMES[:4], "", *_NAMES[4:]), (80, 19),
                      OnBoard(37.08, 14.1, 90, back=True)),
        *(mounting_hole(f"H{number}", (24 + 10 * number, 38), place) for number, place in enumerate(HOLES_MM, 1)),
    ),
    frames=(Frame("Six keys", 8, 6, 92, 34, "Active low; the pull-ups are in the Pico."),
            Frame("Holes", 8, 35, 92, 44)),
    legends=(
        Legend("J1 goes on the back", 32.0, 3.0, 1.0),
        Legend(f"ORDER TRAY buttons  rev {REVISION}", 72.0, 3.0, 1.0),
        Legend(f"Order tray, button board, revision {REVISION}, {REVISION_DATE}", 72.0, 4.0, 1.2, back=True),
        Legend(f"{PROJECT}: hardware/README.md, licence {LICENCE}", 72.0, 6.5, 1.2, back=True),
    ),
    keepouts=tuple(around_screw(x_mm, y_mm) for x_mm, y_mm in HOLES_MM),
    flags=(("GND", 70, 38),),
    track_widths_mm={},
    corner_mm=2.0,
    copies=2,
)  # fmt: skip
