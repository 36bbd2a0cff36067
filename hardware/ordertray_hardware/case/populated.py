"""Pictures of boards with their parts on them: plain bodies by kind, from the layout's report. Needs trimesh.

KiCad's own models of parts are five gigabytes; these are boxes and cylinders, enough to see what goes where.
"""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import trimesh

from ordertray_hardware import tray_board
from ordertray_hardware.case.render import Model, render
from ordertray_hardware.circuit import Board, Part

_BOARD_MM: Final = 1.6
Colour = tuple[int, int, int]
_LED: Final[dict[str, Colour]] = {"red": (205, 50, 45), "green": (60, 170, 75), "yellow": (225, 185, 45)}
_BLACK: Final[Colour] = (52, 52, 56)
_METAL: Final[Colour] = (170, 174, 180)


def _box(x0: float, y0: float, x1: float, y1: float, low: float, high: float) -> Any:
    """Triangles of a box; y is the board's, downwards."""
    mesh = trimesh.creation.box((x1 - x0, y1 - y0, high - low))
    mesh.apply_translation(((x0 + x1) / 2, -(y0 + y1) / 2, (low + high) / 2))
    return mesh.triangles


def _standing(x: float, y: float, radius: float, low: float, high: float) -> Any:
    mesh = trimesh.creation.cylinder(radius, high - low, sections=28)
    mesh.apply_translation((x, -y, (low + high) / 2))
    return mesh.triangles


def _lying(box: list[float], radius: float, shorten: float) -> Any:
    x0, y0, x1, y1 = box
    along_x = x1 - x0 > y1 - y0
    length = max(x1 - x0, y1 - y0) - shorten
    mesh = trimesh.creation.cylinder(radius, length, sections=16)
    axis = (0, 1, 0) if along_x else (1, 0, 0)
    mesh.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, axis))
    mesh.apply_translation(((x0 + x1) / 2, -(y0 + y1) / 2, _BOARD_MM + radius))
    return mesh.triangles


def _pico(part: Part, top: float) -> list[Model]:
    x, y = part.board.x_mm, part.board.y_mm
    left, right = x - 1.37, x + 49.63
    far, near = y - 19.4, y + 1.6
    socket = top + tray_board.SOCKET_MM
    module = socket + tray_board.PICO_PLASTIC_MM
    rows = [
        Model(_box(left, row - 1.25, right, row + 1.25, top, height), colour)
        for row in (y, y - 17.78)
        for height, colour in ((socket, _BLACK), (module, (70, 70, 76)))
    ]
    board = module + tray_board.PICO_BOARD_MM
    middle = (near + far) / 2
    return [
        *rows,
        Model(_box(left, far, right, near, module, board), (36, 128, 78)),
        Model(_box(left - 1.2, middle - 4, left + 4.5, middle + 4, board, board + tray_board.PICO_USB_MM), _METAL),
        Model(_box(left + 22, middle - 3.5, left + 29, middle + 3.5, board, board + 0.9), _BLACK),
        Model(_box(x + 9.5, y - 6.8, x + 12.5, y - 4.2, board, board + 1.8), (235, 235, 230)),
    ]


def bare(board: Board) -> Model:
    """The board alone."""
    return Model(_box(0, 0, board.width_mm, board.height_mm, 0, _BOARD_MM), (34, 96, 62))


def bodies(board: Board, ref: str, report: dict[str, Any], *, pico: bool = True) -> list[Model]:
    """What stands for one part; without `pico` only the sockets of a Pico."""
    (box,) = (entry["box_mm"] for entry in report["parts"] if entry["ref"] == ref)
    part = board.part(ref)
    found = _body(part, box)
    if part.symbol.endswith("RaspberryPi_Pico") and not pico:
        return [found[0], found[2]]
    return found


def _body(part: Part, box: list[float]) -> list[Model]:
    x0, y0, x1, y1 = box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    top, high = _BOARD_MM, _BOARD_MM + part.height_mm
    kind, foot = part.symbol.split(":")[1], part.footprint
    if part.ref == "U1" and kind == "RaspberryPi_Pico":
        return _pico(part, top)
    if kind == "R":
        return [Model(_lying(box, 1.15, 3.6), (206, 178, 132))]
    if "DO-35" in foot or "DO-15" in foot:
        radius = 1.7 if "DO-15" in foot else 0.9
        return [Model(_lying(box, radius, 5.4), (190, 110, 70) if radius < 1 else _BLACK)]
    if kind == "C_Polarized":
        radius = min(x1 - x0, y1 - y0) / 2 - 0.3
        return [Model(_standing(x, y, radius, top, high), (44, 66, 120))]
    if kind == "LED":
        radius = 1.5 if "D3.0" in foot else 2.5
        colour = next(value for name, value in _LED.items() if part.item and name in part.item)
        return [Model(_standing(x, y, radius, top, high), colour)]
    if kind == "Buzzer":
        return [Model(_standing(x, y, 6.1, top, high), _BLACK)]
    if "TO-220-3_Horizontal" in foot:
        right = x1 - 0.3
        return [
            Model(_box(x0 + 4.8, y0 + 0.4, right - 6.3, y1 - 0.4, top, top + 4.5), _BLACK),
            Model(_box(right - 6.3, y0 + 0.4, right, y1 - 0.4, top, top + 1.3), _METAL),
        ]
    if "TO-92" in foot:
        return [Model(_standing(x, y, 2.3, top + 1.5, high), _BLACK)]
    if "Screw_Terminal" in part.symbol:
        return [Model(_box(x0 + 0.5, y0 + 0.5, x1 - 0.5, y1 - 0.5, top, high), (64, 140, 84))]
    if kind == "C":
        return [Model(_box(x0 + 0.6, y0 + 0.5, x1 - 0.6, y1 - 0.5, top + 1, high), (214, 160, 74))]
    if part.ref.startswith("TP"):
        return []
    return [Model(_box(x0 + 0.4, y0 + 0.4, x1 - 0.4, y1 - 0.4, top, high), _BLACK)]


def picture(board: Board, boards: Path, target: Path, width: int = 1000) -> None:
    """Draw a board with its front's parts, seen from above its near edge."""
    report = json.loads((boards / board.name / f"{board.name}.json").read_text(encoding="utf-8"))
    models = [bare(board)]
    boxes = {entry["ref"]: entry["box_mm"] for entry in report["parts"]}
    for part in board.parts:
        if part.board.back or part.symbol.startswith("Mechanical"):
            continue
        models += _body(part, boxes[part.ref])
    render(models, target, width=width, azimuth_deg=-82, elevation_deg=63)
