"""How many orders fit on a bar, and how: one packing for pixel strips and for bars behind shift registers.

A bar shows segments one after the other (a group's Regular orders, its Irregular orders, the next group). Within a
segment the orders left stand first, so a pool counts down from its far end. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from ordertray.lights.state import Count


class CellKind(Enum):
    """What one lamp of a bar stands for."""

    NEVER = "never"
    """No order was ever here."""
    LEFT = "left"
    SPENT = "spent"
    MORE = "more"
    """An order left, and more of the same kind than the bar has room for."""
    GAP = "gap"
    """Between a group's Regular and Irregular orders; and before Irregular ones that stand alone on a strip."""
    BORDER = "border"
    """Between two combat groups that share a bar."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Orders of one kind of one group."""

    group: str
    kind: str
    count: Count


@dataclass(frozen=True, slots=True)
class Cell:
    """One lamp of a bar; `kind` is the segment's kind where the lamp stands for an order, else empty."""

    what: CellKind
    kind: str = ""


_NEVER = Cell(CellKind.NEVER)


def pack(segments: Sequence[Segment], length: int, *, apart: str = "") -> tuple[Cell, ...]:
    """Lay segments on a bar of `length` lamps.

    `apart`: a kind that has a gap before it even as the first of its group, so that its place tells what it is.

    In this order of preference: every order ever counted at its own fixed place, with gaps between kinds and borders
    between groups; the same without gaps; only the orders left, and as many spent ones as fit; only the orders left,
    the longest segments cut short until it fits, each cut one ending in MORE. Raises ValueError if `length` < 1.
    """
    if length < 1:
        raise ValueError(f"a bar needs at least one lamp, not {length}")
    present = [segment for segment in segments if segment.count.total > 0]
    for gaps in (True, False):
        fixed = _joined(
            [(s, s.count.left, s.count.total - s.count.left, False) for s in present], gaps=gaps, apart=apart
        )
        if len(fixed) <= length:
            return _padded(fixed, length)
    left = [segment for segment in present if segment.count.left > 0]
    # Where none is left at all, the spent ones tell that there were some.
    shown = left or present
    bare = _joined([(s, s.count.left, 0, False) for s in shown], gaps=False)
    if len(bare) <= length:
        return _padded(_joined(_with_spent(shown, length - len(bare)), gaps=False), length)
    return _padded(_cut(left, length), length)


def _with_spent(segments: Sequence[Segment], room: int) -> list[tuple[Segment, int, int, bool]]:
    parts: list[tuple[Segment, int, int, bool]] = []
    for segment in segments:
        spent = min(room, segment.count.total - segment.count.left)
        room -= spent
        parts.append((segment, segment.count.left, spent, False))
    return parts


def _cut(segments: Sequence[Segment], length: int) -> list[Cell]:
    borders = sum(one.group != two.group for one, two in pairwise(segments))
    with_borders = len(segments) + borders <= length
    shown = [segment.count.left for segment in segments][:length]
    room = length - (borders if with_borders else 0)
    while sum(shown) > room:
        longest = max(range(len(shown)), key=lambda index: (shown[index], index))
        shown[longest] -= 1
    parts = [(s, n, 0, n < s.count.left) for s, n in zip(segments, shown, strict=False)]
    if len(segments) > length:
        # More kinds of orders than lamps: the last lamp owns up to it.
        last = parts[-1]
        parts[-1] = (last[0], last[1], 0, True)
    return _joined(parts, gaps=False, borders=with_borders)


def _joined(
    parts: Sequence[tuple[Segment, int, int, bool]], *, gaps: bool, borders: bool = True, apart: str = ""
) -> list[Cell]:
    """The cells of (segment, left, spent, cut short) parts, separators between them."""
    cells: list[Cell] = []
    before: Segment | None = None
    for segment, left, spent, cut_short in parts:
        if before is not None and before.group != segment.group:
            cells += [Cell(CellKind.BORDER)] if borders else []
        first = before is None or before.group != segment.group
        if gaps and (not first or segment.kind == apart):
            cells.append(Cell(CellKind.GAP))
        cells += [Cell(CellKind.LEFT, segment.kind)] * (left - cut_short)
        cells += [Cell(CellKind.MORE, segment.kind)] * cut_short
        cells += [Cell(CellKind.SPENT, segment.kind)] * spent
        before = segment
    return cells


def _padded(cells: list[Cell], length: int) -> tuple[Cell, ...]:
    return tuple(cells + [_NEVER] * (length - len(cells)))
