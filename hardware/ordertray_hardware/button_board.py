"""The button board: six keys in a row, one board for each side of the tray.

It hangs close under the lid, so its header is soldered from the back and points along the board.
"""

from typing import Final

from ordertray_hardware import pins
from ordertray_hardware.circuit import Board, Frame, Legend, Part
from ordertray_hardware.parts import mounting_hole, on_board, on_sheet, pin_header

PITCH_MM: Final = 18.0
WIDTH_MM: Final = 106.0
HEIGHT_MM: Final = 20.0
KEY_CENTRE_Y_MM: Final = 14.0
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


HOLES_MM: Final = ((4.0, 5.0), (WIDTH_MM / 2, KEY_CENTRE_Y_MM), (WIDTH_MM - 4, 5.0))

BUTTON_BOARD: Final = Board(
    name="buttons",
    title="Order tray: button board (two needed)",
    paper="A4",
    width_mm=WIDTH_MM,
    height_mm=HEIGHT_MM,
    parts=(
        *_keys(),
        pin_header("J1", "to the carrier", ("GND", *(name.upper() for name in pins.BUTTONS)), (80, 19),
                   (45.72, 3.175, 90), angled=False, item="pin-header-7-angled"),
        *(mounting_hole(f"H{number}", (24 + 10 * number, 38), place) for number, place in enumerate(HOLES_MM, 1)),
    ),
    frames=(Frame("Six keys", 8, 6, 92, 34, "Active low; the pull-ups are in the Pico."),
            Frame("Holes", 8, 35, 92, 44)),
    legends=(
        Legend("J1 goes on the back", 25.0, 3.2, 0.9),
        Legend("ORDER TRAY buttons  rev A", 80.0, 3.2, 1.0),
    ),
    flags=(("GND", 70, 38),),
    track_widths_mm={},
    corner_mm=2.0,
    copies=2,
)  # fmt: skip
