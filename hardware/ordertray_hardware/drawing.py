"""The fabrication drawing of a board as SVG: outline with dimensions, holes, drill table, what to make it of. Pure.

The drill table is read from the drill files that go to the house, so that drawing and files cannot differ.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from ordertray_hardware.circuit import CLEARANCE_MM, LICENCE, REVISION, REVISION_DATE, TRACK_MM, Board

NOTES: Final = (
    "2 layers, FR-4, 1.6 mm, copper 35 um (1 oz) on both sides",
    "solder mask on both sides, any colour; silkscreen on both sides",
    "finish HASL without lead, or any that solders well",
    f"narrowest track {TRACK_MM:g} mm, space {CLEARANCE_MM:g} mm, ring 0.2 mm",
    "vias covered by the mask; no impedance control; electrical test",
    "dimensions in mm; outline to its middle, +-0.2",
)
_PAGE: Final = (420.0, 297.0)
"""A3, lying: a scale of two fits every board."""
_SCALE: Final = 1.7


def drills(text: str) -> Counter[float]:
    """Diameter in mm to number of holes and slots of a drill file as KiCad writes it. Raises ValueError in inches."""
    if "METRIC" not in text:
        raise ValueError("a drill file in inches")
    tools = {match[1]: float(match[2]) for match in re.finditer(r"^(T\d+)C([\d.]+)$", text, re.MULTILINE)}
    found: Counter[float] = Counter()
    tool = ""
    for line in text.splitlines():
        if line in tools:
            tool = line
        # A slot is a routed move: it begins with G00 and its cut is not counted again.
        elif tool and line.startswith(("X", "G00X")):
            found[tools[tool]] += 1
    return found


def _text(x: float, y: float, words: str, size: float = 4.0, anchor: str = "start", turn: float = 0.0) -> str:
    turned = f' transform="rotate({turn:g} {x:g} {y:g})"' if turn else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}"{turned}>{words}</text>'


def _line(x0: float, y0: float, x1: float, y1: float, *, arrows: bool = False) -> str:
    ends = ' marker-start="url(#arrow)" marker-end="url(#arrow)"' if arrows else ""
    return f'<path d="M{x0:g} {y0:g} L{x1:g} {y1:g}" stroke="#222" stroke-width="0.25"{ends}/>'


def svg(board: Board, plated: Mapping[float, int], unplated: Mapping[float, int]) -> str:
    """Draw a board, with its drill table (diameter in mm to number)."""
    wide, high = board.width_mm * _SCALE, board.height_mm * _SCALE
    left, top = 30.0, 34.0
    corner = board.corner_mm * _SCALE
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_PAGE[0]:g}mm" height="{_PAGE[1]:g}mm" '
        f'viewBox="0 0 {_PAGE[0]:g} {_PAGE[1]:g}" font-family="DejaVu Sans">',
        '<defs><marker id="arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="9" markerHeight="9" '
        'orient="auto-start-reverse"><path d="M0 1.5 L6 3 L0 4.5 z"/></marker></defs>',
        f'<rect width="{_PAGE[0]:g}" height="{_PAGE[1]:g}" fill="white"/>',
        f'<rect x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}" rx="{corner:g}" fill="none" stroke="black" '
        'stroke-width="0.5"/>',
        _line(left, top - 8, left + wide, top - 8, arrows=True), _line(left, top - 10, left, top - 1),
        _line(left + wide, top - 10, left + wide, top - 1),
        _text(left + wide / 2, top - 10, f"{board.width_mm:g}", 4, "middle"),
        _line(left - 8, top, left - 8, top + high, arrows=True), _line(left - 10, top, left - 1, top),
        _line(left - 10, top + high, left - 1, top + high),
        _text(left - 10, top + high / 2, f"{board.height_mm:g}", 4, "middle", -90),
        _text(left + wide, top + high + 7, f"corners R{board.corner_mm:g}", 3.5, "end"),
    ]  # fmt: skip
    right = left + wide + 16
    body.append(_text(right, top, f"{board.title}, revision {REVISION}, {REVISION_DATE}", 5))
    for row, note in enumerate(NOTES):
        body.append(_text(right, top + 9 + 5.6 * row, note, 3.4))
    y = top + 9 + 5.6 * len(NOTES) + 6
    body.append(_text(right, y, "holes without copper: middle from the upper left corner", 4))
    for part in board.parts:
        if part.symbol != "Mechanical:MountingHole":
            continue
        diameter = 2.7 if part.value == "M2.5" else 3.2
        x_mm, y_mm = part.board.x_mm, part.board.y_mm
        at = (left + x_mm * _SCALE, top + y_mm * _SCALE)
        body.append(
            f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="{diameter / 2 * _SCALE:g}" fill="none" stroke="black" '
            'stroke-width="0.35"/>'
        )
        body += [_line(at[0] - 5, at[1], at[0] + 5, at[1]), _line(at[0], at[1] - 5, at[0], at[1] + 5)]
        body.append(_text(at[0] + 5, at[1] - 3, part.ref, 3.2))
        y += 5.2
        body.append(_text(right, y, f"{part.ref}  ({x_mm:g}, {y_mm:g})  diameter {diameter:g}", 3.4))
    y += 9
    body.append(_text(right, y, "drills: diameter, holes, kind", 4))
    rows = [(size, count, "plated") for size, count in sorted(plated.items())]
    rows += [(size, count, "not plated") for size, count in sorted(unplated.items())]
    for size, count, kind in rows:
        y += 5.2
        body.append(_text(right, y, f"{size:.2f}   {count}   {kind}", 3.4))
    body.append(_text(left, _PAGE[1] - 8, f"Seen from the front. Licence {LICENCE}. Scale {_SCALE:g} : 1 on A3.", 3.4))
    body.append("</svg>")
    return "\n".join(body) + "\n"
