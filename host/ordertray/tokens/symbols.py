"""What tells the kinds of disc apart: a colour (the pixels' too), a shape and a letter; any one of them is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordertray.tokens.model import TokenKind

Point = tuple[float, float]
Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Symbol:
    """The mark of a kind: letter, fill colour, letter colour (red, green, blue, 0 to 1), and an outline.

    `outline` are corners in a circle of radius 1, y upwards; empty for the circle itself.
    """

    letter: str
    fill: Rgb
    ink: Rgb
    outline: tuple[Point, ...]
    letter_up: float = 0.0
    """Where the letter's middle lies above (+) or below the circle's, in radii."""


def _polygon(corners: int, turned_degrees: float = 0) -> tuple[Point, ...]:
    angles = [math.radians(90 + turned_degrees + 360 * corner / corners) for corner in range(corners)]
    return tuple((round(math.cos(angle), 6), round(math.sin(angle), 6)) for angle in angles)


def _star(points: int, inner: float) -> tuple[Point, ...]:
    corners = []
    for step in range(2 * points):
        angle, radius = math.radians(90 + 180 * step / points), inner if step % 2 else 1.0
        corners.append((round(radius * math.cos(angle), 6), round(radius * math.sin(angle), 6)))
    return tuple(corners)


def _plus(arm: float) -> tuple[Point, ...]:
    a, e = arm, 0.85
    return ((-a, e), (a, e), (a, a), (e, a), (e, -a), (a, -a), (a, -e), (-a, -e), (-a, -a), (-e, -a), (-e, a), (-a, a))


_WHITE: Rgb = (1, 1, 1)
_BLACK: Rgb = (0, 0, 0)

SYMBOLS: dict[TokenKind, Symbol] = {
    TokenKind.REGULAR: Symbol("R", (0.05, 0.50, 0.22), _WHITE, ()),
    TokenKind.IRREGULAR: Symbol("I", (1.00, 0.82, 0.10), _BLACK, _polygon(3), -0.15),
    TokenKind.LIEUTENANT: Symbol("L", (0.43, 0.20, 0.60), _WHITE, _star(8, 0.72)),
    TokenKind.TACTICAL: Symbol("T", (0.08, 0.32, 0.72), _WHITE, _polygon(4, 45)),
    TokenKind.IMPETUOUS: Symbol("M", (0.93, 0.45, 0.08), _BLACK, _polygon(4)),
    TokenKind.COMMAND: Symbol("C", (0.00, 0.55, 0.60), _WHITE, _polygon(6)),
    TokenKind.STATE: Symbol("S", (0.75, 0.12, 0.15), _WHITE, _plus(0.44)),
    TokenKind.TROOPER: Symbol("U", (0.30, 0.30, 0.32), _WHITE, _polygon(5)),
}
