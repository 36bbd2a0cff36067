"""What has to fit into the case: boards with their parts, readers, strips, plugs. Needs build123d.

Boards come from KiCad's STEP export; the parts on them are boxes, courtyard by height, from the layout's report.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build123d import Align, Box, Compound, Cylinder, Pos, Rotation, import_step

from ordertray_hardware import button_board, tray_board
from ordertray_hardware.case.parameters import ROWS, STRIP_PIXELS, CaseParameters, Reader, half_turn

_BOTTOM = (Align.CENTER, Align.CENTER, Align.MIN)
_PLUG_MM = 9.0
"""How far a ribbon's plug with its cable bend stands out of a shrouded header."""
_SOLDER_TAIL_MM = 2.5
_PLUGS = {"J2": (_PLUG_MM, 0), "J3": (_PLUG_MM, 0), "J4": (_PLUG_MM, 0), "J5": (0, -_PLUG_MM)}
_KEY_PLUGS = {"J1": (0, -_PLUG_MM)}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A thing that needs room: its solids and its colour in pictures."""

    name: str
    shape: Any
    colour: tuple[int, int, int]
    lift: float


def _box(x0: float, y0: float, x1: float, y1: float, bottom: float, top: float) -> Any:
    size = (x1 - x0, y1 - y0, top - bottom)
    return Pos((x0 + x1) / 2, (y0 + y1) / 2, bottom) * Box(*size, align=_BOTTOM)


def _bare_board(step: Path) -> Any:
    """A board from its STEP file, its upper left corner at the origin, y upwards, its underside at z = 0."""
    shape = import_step(str(step))
    box = shape.bounding_box()
    return Pos(-box.min.X, -box.max.Y, -box.min.Z) * shape


def _on_board(report: Mapping[str, Any], thickness: float, tails: bool = False) -> list[Any]:
    """Boxes of a board's parts in the frame of `_bare_board`; those soldered from the back hang under it.

    A ribbon's plug stands out of its header.
    """
    solids = []
    for part in report["parts"]:
        x0, y0, x1, y1 = part["box_mm"]
        if report["name"] == "tray" and part["ref"] == "SW1":
            # Its courtyard spans the lever's whole reach: the body ends at the board's edge, only the lever goes on.
            lever = tray_board.TRAY_BOARD.part("SW1").board.y_mm + 2.0
            solids.append(_box(0.1, -y1, x1, -y0, thickness, thickness + part["height_mm"]))
            solids.append(_box(x0, -lever - 3.0, 0.1, -lever + 3.0, thickness + 0.8, thickness + 4.0))
        elif part["back"]:
            solids.append(_box(x0, -y1, x1, -y0, -part["height_mm"], 0))
        elif part["height_mm"] > 1:
            solids.append(_box(x0, -y1, x1, -y0, thickness, thickness + part["height_mm"]))
        plugs = _PLUGS if report["name"] == "tray" else _KEY_PLUGS
        if part["ref"] in plugs:
            dx, dy = plugs[part["ref"]]
            reach = (min(x0, x0 + dx), max(x1, x1 + dx), min(y0, y0 + dy), max(y1, y1 + dy))
            low, high = (-part["height_mm"], 0) if part["back"] else (thickness, thickness + part["height_mm"])
            solids.append(_box(reach[0], -reach[3], reach[1], -reach[2], low, high))
        if tails and not part["ref"].startswith("H"):
            solids.append(_box(max(x0 + 1, 0.3), -y1 + 1, x1 - 1, -y0 - 1, -_SOLDER_TAIL_MM, 0))
    return solids


def boards(p: CaseParameters, folder: Path) -> list[Envelope]:
    """The carrier and both button boards, from `folder`/NAME/NAME.step and NAME.json."""
    found = []
    carrier_report = json.loads((folder / "tray" / "tray.json").read_text(encoding="utf-8"))
    carrier = [_bare_board(folder / "tray" / "tray.step"), *_on_board(carrier_report, p.board, tails=True)]
    corner = p.carrier_point(0, 0)
    place = Pos(*corner, p.floor + p.standoff)
    found.append(Envelope("carrier", Compound(children=[place * one for one in carrier]), (28, 110, 66), 8))
    keys_report = json.loads((folder / "buttons" / "buttons.json").read_text(encoding="utf-8"))
    keys = [_bare_board(folder / "buttons" / "buttons.step"), *_on_board(keys_report, p.board)]
    place = Pos(*p.key_board_point(0, 0), p.key_board_top - p.board)
    for side in ("A", "B"):
        turn = Rotation(0, 0, 180 if side == "B" else 0)
        shape = Compound(children=[turn * place * one for one in keys])
        found.append(Envelope(f"button board {side}", shape, (28, 110, 66), 18))
    return found


def readers(p: CaseParameters, reader: Reader) -> list[Envelope]:
    """A reader under each pad: board, parts below it, and a straight header with its plugs."""
    top = p.lid_bottom - p.reader_gap
    bottom = top - p.reader_board
    x, y = p.pad[0] - reader.antenna_offset, p.pad[1]
    board = _box(x - reader.length / 2, y - reader.width / 2, x + reader.length / 2, y + reader.width / 2, bottom, top)
    inset = p.cradle_ledge_width + 0.5
    parts = _box(
        x - reader.length / 2 + inset, y - reader.width / 2 + inset, x + reader.length / 2 - inset,
        y + reader.width / 2 - inset, bottom - reader.parts_below, bottom,
    )  # fmt: skip
    edge = x - reader.length / 2 + inset
    header = _box(edge, y - 10.2, edge + 2.6, y + 10.2, bottom - 16.5, bottom)
    found = []
    for side in ("A", "B"):
        turn = Rotation(0, 0, 180 if side == "B" else 0)
        shape = Compound(children=[turn * one for one in (board, parts, header)])
        found.append(Envelope(f"{reader.name} {side}", shape, (170, 44, 44), 30))
    return found


def strips(p: CaseParameters) -> list[Envelope]:
    """Both rows of pixels of both sides, film and pixels apart for their colours."""
    film, pixels = [], []
    half = p.strip_length / 2
    for row in range(ROWS):
        y = p.pixel_place(row * STRIP_PIXELS)[1]
        low, high = y - p.strip_width / 2, y + p.strip_width / 2
        film.append(_box(p.strips[0] - half, low, p.strips[0] + half, high, p.film_top - p.strip_film, p.film_top))
    for index in range(ROWS * STRIP_PIXELS):
        x, y = p.pixel_place(index)
        size = p.pixel_size / 2
        pixels.append(_box(x - size, y - size, x + size, y + size, p.film_top, p.film_top + p.pixel_height))
    found = []
    for side in ("A", "B"):
        turn = Rotation(0, 0, 180 if side == "B" else 0)
        found.append(Envelope(f"strip film {side}", Compound(children=[turn * s for s in film]), (240, 240, 240), 32))
        found.append(Envelope(f"pixels {side}", Compound(children=[turn * s for s in pixels]), (250, 214, 90), 32))
    return found


def plugs(p: CaseParameters) -> list[Envelope]:
    """A USB plug and a power plug, in place and as they are pushed in from outside."""
    pico = tray_board.TRAY_BOARD.part("U1").board
    jack = tray_board.TRAY_BOARD.part("J1").board
    usb_y = p.carrier_point(0, pico.y_mm - 17.78 / 2)[1]
    usb_z = p.carrier_top + tray_board.PICO_HEIGHT_MM - tray_board.PICO_USB_MM / 2
    outside = -p.width / 2 - 25
    usb = _box(outside, usb_y - 5.6, p.carrier_left - 0.8, usb_y + 5.6, usb_z - 4.0, usb_z + 4.0)
    dc_y = p.carrier_point(0, jack.y_mm)[1]
    length = p.carrier_left - 0.2 - outside
    dc = Pos(outside, dc_y, p.carrier_top + 6.5) * Rotation(0, 90, 0) * Cylinder(5.0, length, align=_BOTTOM)
    return [Envelope("USB plug", usb, (60, 60, 64), 8), Envelope("power plug", dc, (60, 60, 64), 8)]


def tokens(p: CaseParameters) -> list[Envelope]:
    """A disc in every well and one on side A's pad."""
    discs = [
        Pos(x, y, p.height - p.well_depth) * Cylinder(p.token_diameter / 2, p.token_thickness, align=_BOTTOM)
        for x, y in p.well_places()
    ]
    on_pad = p.lid_bottom + p.pad_thickness
    discs.append(Pos(*p.pad, on_pad) * Cylinder(p.token_diameter / 2, p.token_thickness, align=_BOTTOM))
    return [Envelope("tokens", Compound(children=discs), (86, 150, 96), 100)]


def key_board_middles(p: CaseParameters) -> tuple[tuple[float, float], ...]:
    """Middles of both sides' plungers, in the tray's frame."""
    side_a = tuple(p.key_board_point(x, y) for x, y in button_board.key_centres_mm())
    return side_a + tuple(half_turn(place) for place in side_a)
