"""Letters of straight strokes, cut with a flat end: few faces, and the same on every machine (no font files).

Each letter is drawn on a grid 4 wide and 6 high.
"""

import itertools
import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from build123d import Box, Location, Pos

_Stroke = tuple[tuple[float, float], ...]
_GRID_HEIGHT: Final = 6
_GRID_WIDTH: Final = 4
_GAP: Final = 2

LETTERS: Final[Mapping[str, tuple[_Stroke, ...]]] = {
    "1": (((0.8, 4.6), (2, 6), (2, 0)), ((0.6, 0), (3.4, 0))),
    "2": (((0, 5), (1, 6), (3, 6), (4, 5), (4, 4), (0, 0), (4, 0)),),
    "A": (((0, 0), (2, 6), (4, 0)), ((0.7, 2), (3.3, 2))),
    "B": (((0, 0), (0, 6), (3, 6), (4, 5), (4, 4), (3, 3), (0, 3)), ((3, 3), (4, 2), (4, 1), (3, 0), (0, 0))),
    "C": (((4, 5), (3, 6), (1, 6), (0, 5), (0, 1), (1, 0), (3, 0), (4, 1)),),
    "E": (((4, 6), (0, 6), (0, 0), (4, 0)), ((0, 3), (3, 3))),
    "G": (((4, 5), (3, 6), (1, 6), (0, 5), (0, 1), (1, 0), (3, 0), (4, 1), (4, 3), (2.4, 3)),),
    "H": (((0, 0), (0, 6)), ((4, 0), (4, 6)), ((0, 3), (4, 3))),
    "I": (((2, 0), (2, 6)), ((1, 0), (3, 0)), ((1, 6), (3, 6))),
    "K": (((0, 0), (0, 6)), ((4, 6), (0, 2.6)), ((1.4, 3.4), (4, 0))),
    "L": (((0, 6), (0, 0), (4, 0)),),
    "M": (((0, 0), (0, 6), (2, 3), (4, 6), (4, 0)),),
    "N": (((0, 0), (0, 6), (4, 0), (4, 6)),),
    "O": (((1, 0), (0, 1), (0, 5), (1, 6), (3, 6), (4, 5), (4, 1), (3, 0), (1, 0)),),
    "P": (((0, 0), (0, 6), (3, 6), (4, 5), (4, 4), (3, 3), (0, 3)),),
    "R": (((0, 0), (0, 6), (3, 6), (4, 5), (4, 4), (3, 3), (0, 3)), ((2, 3), (4, 0))),
    "S": (((4, 5), (3, 6), (1, 6), (0, 5), (0, 4), (1, 3), (3, 3), (4, 2), (4, 1), (3, 0), (1, 0), (0, 1)),),
    "T": (((2, 0), (2, 6)), ((0, 6), (4, 6))),
    "U": (((0, 6), (0, 1), (1, 0), (3, 0), (4, 1), (4, 6)),),
}


def word_width(word: str, height: float) -> float:
    """Width of a word's grid, without the strokes' own thickness."""
    unit = height / _GRID_HEIGHT
    return (len(word) * (_GRID_WIDTH + _GAP) - _GAP) * unit


@cache
def _letter(letter: str, height: float, stroke: float, thickness: float) -> Any:
    unit = height / _GRID_HEIGHT
    bars: list[Any] = []
    for line in LETTERS[letter]:
        for (x0, y0), (x1, y1) in itertools.pairwise(line):
            length = math.dist((x0, y0), (x1, y1)) * unit + stroke
            angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
            middle = ((x0 + x1) / 2 - _GRID_WIDTH / 2) * unit, ((y0 + y1) / 2 - _GRID_HEIGHT / 2) * unit
            bars.append(Location((*middle, thickness / 2), (0, 0, angle)) * Box(length, stroke, thickness))
    first, *rest = bars
    return (first + rest).clean() if rest else first


def word_solids(word: str, height: float, stroke: float, thickness: float) -> list[Any]:
    """Return the solids of a word centred on the origin, standing on z = 0. Raises KeyError for an unknown letter."""
    step = (_GRID_WIDTH + _GAP) * height / _GRID_HEIGHT
    start = -(len(word) - 1) / 2 * step
    return [
        Pos(start + index * step, 0, 0) * _letter(letter, height, stroke, thickness)
        for index, letter in enumerate(word)
        if letter != " "
    ]
