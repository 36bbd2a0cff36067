"""The lamp board's case: a tub with posts, a lid whose chambers keep each lamp's light apart, diffusers over them.

Frame: x as on the board, y upwards (the board's y negated), z = 0 on the table. The lid prints on its outer face.
Screws go in from below, through the tub's posts and the board, into the lid. The tub's floor has a window: a HAT on J2
and the ribbon's plug on J1 look out of it. Needs build123d.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from build123d import Align, Box, Cylinder, Location, Pos, RectangleRounded, extrude, import_step

from ordertray_hardware import lamp_board
from ordertray_hardware.case.lettering import word_solids
from ordertray_hardware.case.parts import Printed

_BOTTOM = (Align.CENTER, Align.CENTER, Align.MIN)
Point = tuple[float, float]

WALL: Final = 2.4
FLOOR: Final = 2.0
GAP: Final = 1.0
"""Between the board's edge and the wall."""
UNDER_BOARD: Final = 18.0
"""Height of the board's underside: 15.5 mm for J1 with its plug, 12.6 for a HAT on its spacers, and air."""
BOARD: Final = 1.6
OVER_BOARD: Final = 11.0
"""Chips in sockets and shunts reach 9 mm, lamps of 5 mm 9.5."""
LID: Final = 2.4
CHAMBER_LOW: Final = 4.0
"""How near the chambers come to the board: the lamps stand 2 mm and more into them."""
RECESS: Final = 1.0
PLAY: Final = 0.2
POST: Final = 4.6
SCREW_HOLE: Final = 3.4
SCREW_HEAD: Final = 6.8
SCREW_PILOT: Final = 2.5
SCREW_UNDER_HEAD: Final = 4.6
"""Plastic under the head: with 12 mm of screw and the board, 5.8 mm are left for the lid."""
RIBBON_WIDTH: Final = 54.0
RIBBON_BOTTOM: Final = 11.0
RIBBON_HIGH: Final = 4.0
LETTER_HEIGHT: Final = 2.8
LETTER_STROKE: Final = 0.6
LETTER_DEPTH: Final = 0.6
_COLOUR: Final = (72, 84, 104)


def board_top() -> float:
    """Height of the board's upper face."""
    return UNDER_BOARD + BOARD


def lid_bottom() -> float:
    """Height of the lid's underside."""
    return board_top() + OVER_BOARD


def height() -> float:
    """Height of the closed case."""
    return lid_bottom() + LID


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp: its middle in this frame, and the bore of its chamber."""

    ref: str
    x: float
    y: float
    bore: float


def lamps() -> list[Lamp]:
    """Every lamp of the board; its footprint's origin is its cathode, half a pitch from its middle."""
    found = []
    for part in lamp_board.LAMP_BOARD.parts:
        if part.symbol != "Device:LED":
            continue
        dx, dy = {0: (1.27, 0.0), 90: (0.0, -1.27), 180: (-1.27, 0.0), 270: (0.0, 1.27)}[part.board.rotation_deg]
        bore = 3.8 if "D3.0" in part.footprint else 5.8
        found.append(Lamp(part.ref, part.board.x_mm + dx, -(part.board.y_mm + dy), bore))
    return found


@dataclass(frozen=True, slots=True)
class Field:
    """Lamps under one diffuser: its box."""

    name: str
    left: float
    low: float
    right: float
    high: float


def fields() -> tuple[Field, ...]:
    """Side A's and B's outer row, inner row with the single lamps, and the lamp of the link."""
    rows: dict[float, list[Lamp]] = {}
    for lamp in lamps():
        rows.setdefault(round(lamp.y, 1), []).append(lamp)
    found = []
    for y, members in sorted(rows.items()):
        half = 3.4 if all(lamp.bore < 5 for lamp in members) else 4.6
        name = "lamp-diffuser-link" if len(members) == 1 else f"lamp-diffuser-{'outer' if half < 4 else 'inner'}"
        xs = [lamp.x for lamp in members]
        found.append(Field(name, min(xs) - half, y - half, max(xs) + half, y + half))
    return tuple(found)


def _block(left: float, low: float, right: float, high: float, bottom: float, top: float) -> Any:
    middle = ((left + right) / 2, (low + high) / 2)
    return Pos(*middle, bottom) * Box(right - left, high - low, top - bottom, align=_BOTTOM)


def _peg(x: float, y: float, radius: float, bottom: float, top: float) -> Any:
    return Pos(x, y, bottom) * Cylinder(radius, top - bottom, align=_BOTTOM)


def _slab(grow: float, radius: float, bottom: float, top: float) -> Any:
    width, depth = lamp_board.WIDTH_MM + 2 * grow, lamp_board.HEIGHT_MM + 2 * grow
    shape = extrude(RectangleRounded(width, depth, radius), amount=top - bottom)
    return Pos(lamp_board.WIDTH_MM / 2, -lamp_board.HEIGHT_MM / 2, bottom) * shape


def _window() -> tuple[float, float, float, float]:
    """The window in the floor: a HAT of 65 x 56.5 mm on J2, and the plug of J1 beside it."""
    x, y = lamp_board.HAT_PIN_MM
    middle = x + 19 * 1.27
    return middle - 34.0, -(y + 24.0), middle + 34.0, -(y - 51.5)


def _ribbon_span() -> Point:
    x = lamp_board.LAMP_BOARD.part("J1").board.x_mm + 19 * 1.27
    return x - RIBBON_WIDTH / 2, x + RIBBON_WIDTH / 2


def make_tub() -> Any:
    """The lower half."""
    tub = _slab(GAP + WALL, 4.0, 0, lid_bottom()) - _slab(GAP, 1.6, FLOOR, lid_bottom() + 1)
    solids = [_peg(x, -y, POST, FLOOR - 0.5, UNDER_BOARD) for x, y in lamp_board.HOLES_MM]
    # Two corners have no screw: the board rests there.
    width, depth = lamp_board.WIDTH_MM, lamp_board.HEIGHT_MM
    solids += [_peg(x, -y, 2.5, FLOOR - 0.5, UNDER_BOARD) for x, y in ((width - 3.0, 3.0), (3.0, depth - 3.0))]
    cuts = [_block(*_window(), -1, FLOOR + 1)]
    for x, y in lamp_board.HOLES_MM:
        cuts.append(_peg(x, -y, SCREW_HOLE / 2, -1, UNDER_BOARD + 1))
        cuts.append(_peg(x, -y, SCREW_HEAD / 2, -1, UNDER_BOARD - SCREW_UNDER_HEAD))
    left, right = _ribbon_span()
    near = -(depth + GAP + WALL)
    cuts.append(_block(left, near - 1, right, near + WALL + 0.5, RIBBON_BOTTOM, lid_bottom() + 1))
    return (tub + solids) - cuts


_SHORT: Final = {"RETREAT": "R", "NO LT": "NL", "TURN": "T"}
"""The single lamps stand close: their words are those of the tray's lid."""


def words() -> tuple[tuple[str, float, float, int], ...]:
    """Engraved words: text, middle, angle; those of the board, beside the diffusers."""
    found = []
    for legend in lamp_board.LAMP_BOARD.legends:
        if legend.back or not legend.text.isupper() or legend.text == "LINK":
            continue
        x, y = legend.x_mm, -legend.y_mm
        inner = 10.0 < legend.y_mm < lamp_board.HEIGHT_MM - 10.0
        if inner:  # the diffuser leaves no room on the board's own side of the lamps
            y += 11.6 * (-1 if y > -lamp_board.HEIGHT_MM / 2 else 1)
        else:
            y += 0.9 * (1 if y > -lamp_board.HEIGHT_MM / 2 else -1)
        found.append((_SHORT.get(legend.text, legend.text), x, y, legend.rotation_deg))
    (link,) = (lamp for lamp in lamps() if lamp.ref == "D73")
    found.append(("LINK", link.x, link.y + 7.2, 0))
    return tuple(found)


def make_lid() -> Any:
    """The upper half, in its place: chambers and posts below, recesses for the diffusers above."""
    lid = _slab(GAP + WALL, 4.0, lid_bottom(), height())
    solids = [_peg(x, -y, POST, board_top(), lid_bottom() + 0.5) for x, y in lamp_board.HOLES_MM]
    low = board_top() + CHAMBER_LOW
    for one in fields():
        # Narrower than the recess: the resistor networks stand close.
        inset = 0.6 if one.high - one.low < 8 else 0.85
        solids.append(_block(one.left, one.low + inset, one.right, one.high - inset, low, lid_bottom() + 0.5))
    left, right = _ribbon_span()
    near = -(lamp_board.HEIGHT_MM + GAP + WALL)
    solids.append(_block(left + PLAY, near, right - PLAY, near + WALL, RIBBON_BOTTOM + RIBBON_HIGH, lid_bottom() + 0.5))
    cuts = [_peg(x, -y, SCREW_PILOT / 2, board_top() - 1, board_top() + 8.0) for x, y in lamp_board.HOLES_MM]
    cuts += [_peg(lamp.x, lamp.y, lamp.bore / 2, low - 1, height() + 1) for lamp in lamps()]
    cuts += [_block(one.left, one.low, one.right, one.high, height() - RECESS, height() + 1) for one in fields()]
    for text, x, y, angle in words():
        where = Location((x, y, height() - LETTER_DEPTH), (0, 0, angle))
        cuts += [where * solid for solid in word_solids(text, LETTER_HEIGHT, LETTER_STROKE, LETTER_DEPTH + 1)]
    return (lid + solids) - cuts


def make_diffuser(field: Field) -> Any:
    """The plate that lies in a field's recess."""
    return _block(
        field.left + PLAY, field.low + PLAY, field.right - PLAY, field.high - PLAY, height() - RECESS, height()
    )


def printed_parts() -> tuple[Printed, ...]:
    """Tub, lid and the three kinds of diffuser."""
    kinds: dict[str, list[Any]] = {}
    for one in fields():
        kinds.setdefault(one.name, []).append(make_diffuser(one))
    tub, lid = make_tub(), make_lid()
    return (
        Printed("lamp-tub", tub, 1, False, _COLOUR, 0, (tub,)),
        Printed("lamp-lid", lid, 1, True, (92, 108, 132), 30, (lid,)),
        *(
            Printed(name, shapes[0], len(shapes), False, (238, 238, 228), 44, tuple(shapes))
            for name, shapes in sorted(kinds.items())
        ),
    )


def board_solids(folder: Path) -> list[tuple[Any, tuple[int, int, int]]]:
    """The built board with its parts, plug and HAT as boxes, in place, each with its colour."""
    report = json.loads((folder / "lamps.json").read_text(encoding="utf-8"))
    bare = import_step(str(folder / "lamps.step"))
    box = bare.bounding_box()
    found: list[tuple[Any, tuple[int, int, int]]] = [
        (Pos(-box.min.X, -box.max.Y, UNDER_BOARD - box.min.Z) * bare, (28, 110, 66))
    ]
    parts = {part.ref: part for part in lamp_board.LAMP_BOARD.parts}
    for entry in report["parts"]:
        x0, y0, x1, y1 = entry["box_mm"]
        part = parts[entry["ref"]]
        if entry["ref"].startswith("H"):
            continue
        if entry["back"]:
            # J1 with its plug; J2 with the HAT's socket.
            deep = 15.5 if entry["ref"] == "J1" else 11.0
            found.append((_block(x0, -y1, x1, -y0, UNDER_BOARD - deep, UNDER_BOARD), (52, 52, 56)))
        elif part.symbol == "Device:LED":
            lamp = next(one for one in lamps() if one.ref == part.ref)
            radius = 1.5 if lamp.bore < 5 else 2.5
            found.append((_peg(lamp.x, lamp.y, radius, board_top(), board_top() + entry["height_mm"]), (205, 50, 45)))
        else:
            high = entry["height_mm"] + (4.0 if part.symbol == "74xx:74HC595" else 0.0)
            shape = _block(x0 + 0.3, -y1 + 0.3, x1 - 0.3, -y0 - 0.3, board_top(), board_top() + high)
            found.append((shape, (60, 60, 64)))
    x, y = lamp_board.HAT_PIN_MM
    left, low = x + 19 * 1.27 - 32.5, -(y + 1.27) - 3.5
    found.append((_block(left, low, left + 65.0, low + 56.5, UNDER_BOARD - 12.6, UNDER_BOARD - 11.0), (36, 128, 78)))
    return found
