"""Which events of which board are touches of which seat."""

from __future__ import annotations

import pytest

from ordertray.rules import Refusal, Seat
from ordertray.table import ButtonPress, Seating, SeatingError, TagTap, touch_of

A, B = Seat
ONE = Seating()
EACH = Seating.from_config({"aa01": {"A": "A"}, "bb02": {"A": "B"}})


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        ({"e": "placed", "pad": "A", "uid": "04AA"}, ("A", TagTap(A, "04AA"))),
        ({"e": "placed", "pad": "B", "uid": "04AA"}, ("B", TagTap(B, "04AA"))),
        ({"e": "removed", "pad": "A", "uid": "04AA"}, None),
        ({"e": "button", "side": "B", "button": "basic", "edge": "down"}, ("B", ButtonPress(B, "basic"))),
        ({"e": "button", "side": "B", "button": "basic", "edge": "up"}, None),
        ({"e": "button", "side": "A", "button": "ok", "edge": "down"}, None),
        ({"e": "button", "side": "A", "button": "ok", "edge": "up"}, ("A", ButtonPress(A, "ok"))),
        ({"e": "button", "side": "A", "button": "ok", "edge": "hold"}, ("A", ButtonPress(A, "ok", held=True))),
        ({"e": "button", "side": "A", "button": "ok", "edge": "up", "held": True}, None),
        ({"e": "button", "side": "A", "button": "pass", "edge": "hold"}, ("A", ButtonPress(A, "pass", held=True))),
        ({"e": "button", "side": "A", "button": "chime", "edge": "down"}, None),
        ({"e": "something newer"}, None),
    ],
)
def test_events_of_one_tray_between_the_players(body: dict[str, object], meant: object) -> None:
    assert touch_of(ONE, "E661", body) == meant


def test_the_only_pad_of_a_table_is_both_players() -> None:
    assert touch_of(ONE, "E661", {"e": "placed", "pad": "A", "uid": "04"}, one_pad=True) == ("A", TagTap(A, "04", True))


@pytest.mark.parametrize("why", ["two-tags", "phone", "unreadable", "checksum", "a reason of a newer tray"])
def test_what_a_pad_could_not_read_is_refused_with_its_reason(why: str) -> None:
    read = touch_of(ONE, "E661", {"e": "refused", "pad": "A", "why": why})
    assert read is not None and isinstance(read[1], Refusal) and read[1].rule == "TRAY"


def test_a_tray_per_player() -> None:
    assert touch_of(EACH, "AA01", {"e": "placed", "pad": "A", "uid": "04"}) == ("A", TagTap(A, "04"))
    assert touch_of(EACH, "BB02", {"e": "placed", "pad": "A", "uid": "04"}) == ("A", TagTap(B, "04"))
    nobody = touch_of(EACH, "BB02", {"e": "placed", "pad": "B", "uid": "04"})
    assert nobody is not None and isinstance(nobody[1], Refusal) and nobody[1].code == "no-seat"


def test_every_fault_of_a_seating_is_told() -> None:
    with pytest.raises(SeatingError) as caught:
        Seating.from_config({"aa": {"C": "A", "A": "D"}, "bb": 3})
    assert len(caught.value.problems) == 3
