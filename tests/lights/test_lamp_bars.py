"""Packing of orders on bars."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.lights.bars import Cell, CellKind, Segment, pack
from ordertray.lights.state import Count

LETTERS = {"never": ".", "left": "#", "spent": "-", "more": "+", "gap": "_", "border": "|"}


def drawn(cells: tuple[Cell, ...]) -> str:
    """A bar as text."""
    return "".join(LETTERS[cell.what.value] for cell in cells)


def orders(group: str, kind: str, total: int, left: int) -> Segment:
    return Segment(group, kind, Count(total, left))


@pytest.mark.parametrize(
    ("segments", "length", "expected"),
    [
        ([], 4, "...."),
        ([orders("1", "regular", 3, 2)], 5, "##-.."),
        ([orders("1", "regular", 2, 1), orders("1", "irregular", 1, 1)], 5, "#-_#."),
        ([orders("1", "regular", 2, 1), orders("1", "irregular", 1, 1)], 3, "#-#"),
        ([orders("1", "regular", 2, 1), orders("2", "regular", 1, 1)], 5, "#-|#."),
        # Too many counted: the spent ones make room, from the last segment on.
        ([orders("1", "regular", 4, 2), orders("1", "irregular", 4, 1)], 5, "##--#"),
        ([orders("1", "regular", 4, 0), orders("2", "regular", 4, 3)], 5, "###-."),
        # More than the bar is long, and none left: still told from a bar that never had one.
        ([orders("1", "irregular", 11, 0)], 10, "----------"),
        ([orders("1", "regular", 4, 0), orders("2", "regular", 4, 0)], 5, "----|"),
        # Too many left: the longest is cut and owns up to it.
        ([orders("1", "regular", 9, 9), orders("1", "irregular", 2, 2)], 8, "#####+##"),
        ([orders("1", "regular", 4, 4), orders("2", "regular", 4, 4)], 6, "##+|#+"),
        # No room even for borders; then not even for one lamp each.
        ([orders("1", "regular", 1, 1), orders("2", "regular", 1, 1), orders("3", "regular", 1, 1)], 3, "###"),
        ([orders("1", "regular", 1, 1), orders("2", "regular", 1, 1), orders("3", "regular", 1, 1)], 2, "#+"),
    ],
)
def test_packing(segments: list[Segment], length: int, expected: str) -> None:
    assert drawn(pack(segments, length)) == expected


def test_a_bar_without_lamps_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one lamp"):
        pack([], 0)


segment = st.tuples(st.sampled_from("123"), st.sampled_from(["regular", "irregular"]), st.integers(0, 16)).flatmap(
    lambda fields: st.builds(
        orders, st.just(fields[0]), st.just(fields[1]), st.just(fields[2]), st.integers(0, fields[2])
    )
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(segment, max_size=6), st.integers(1, 20))
def test_a_bar_never_shows_more_than_there_is_and_owns_up_when_it_shows_less(
    segments: list[Segment], length: int
) -> None:
    cells = pack(segments, length)
    assert len(cells) == length
    seen = Counter(cell.what for cell in cells)
    left = sum(one.count.left for one in segments)
    lit = seen[CellKind.LEFT] + seen[CellKind.MORE]
    assert lit <= left
    assert (lit < left) <= (seen[CellKind.MORE] > 0), "fewer lamps than orders, and no lamp that says so"
    assert (left > 0) == (lit > 0)
    # A MORE that hides nothing would lie the other way.
    assert (seen[CellKind.MORE] > 0) <= (lit < left)
