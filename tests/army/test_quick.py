"""Armies without names."""

from __future__ import annotations

import pytest

from ordertray.army.quick import quick_army
from ordertray.army.roster import RosterError, format_army, parse_roster
from ordertray.rules.army_check import check_army
from ordertray.rules.editions import N5


@pytest.mark.rule("ORD-21")
def test_ten_and_four_make_groups_of_ten_and_four() -> None:
    army = quick_army(10, 4, name="A")
    assert check_army(army, N5) == ()
    assert [sum(t.group == group for t in army.troopers) for group in (1, 2)] == [10, 4]
    assert army.total_points == army.points
    assert parse_roster(format_army(army)).army == army


@pytest.mark.rule("ORD-21")
@pytest.mark.parametrize(
    ("groups", "edition", "message"),
    [
        ((11, 4), None, "group 1: 11 troopers; it can have 0 to 10"),
        ((-1, 12), None, "(?s)group 1: -1 troopers.*group 2: 12 troopers"),
        ((10, 6), None, "16 troopers; a list can have 15"),
        ((0, 0), None, "at least one trooper"),
        ((5, 5), "codeone", "one group"),
    ],
)
def test_numbers_that_no_army_has_are_refused(groups: tuple[int, ...], edition: str | None, message: str) -> None:
    with pytest.raises(RosterError, match=message):
        quick_army(*groups, edition=edition)
