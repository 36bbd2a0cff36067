"""Chips of any speed: a tap's event, the other pad's looks and the readers' health depend on no time of the chip."""

from __future__ import annotations

import pytest

from firmware.chip_speeds import Speed, measured_us, taps
from firmware.reader_rig import Rig, median
from ordertray.sim.chips import make_tag

QUICK = Speed(2, 5)
MODEL = Speed(6.3, 13.3)
SLOW = Speed(20, 60)
SLOW_EARLY = Speed(20, 60, early=True)
SLOWEST = Speed(40, 150)
SLOWEST_EARLY = Speed(40, 150, early=True)
LATE_WITH_A_TAG = Speed(6, 150)

PAIRS = [
    (QUICK, QUICK),
    (MODEL, MODEL),
    (Speed(10.3, 18.3), Speed(10.3, 18.3)),
    (QUICK, SLOWEST),
    (MODEL, LATE_WITH_A_TAG),
    (LATE_WITH_A_TAG, MODEL),
    (SLOW, SLOW),
    (SLOW_EARLY, QUICK),
    (SLOWEST, QUICK),
    (SLOWEST, SLOWEST),
    (SLOWEST_EARLY, MODEL),
]
TAPS = 10


@pytest.mark.parametrize("speed", [QUICK, MODEL, SLOW, SLOW_EARLY, SLOWEST, SLOWEST_EARLY], ids=repr)
def test_the_chip_takes_as_long_as_it_is_told(speed: Speed) -> None:
    empty_us, found_us = measured_us(speed)
    # The driver looks for an answer every third of a millisecond or so, and first when one can be there.
    assert speed.empty_us - 100 <= empty_us <= max(5500, speed.empty_us + 1500)
    assert speed.found_us - 100 <= found_us <= speed.found_us + 3000


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=[f"{a!r} beside {b!r}" for a, b in PAIRS])
def test_a_tap_takes_the_chips_own_time_and_little_more(a: Speed, b: Speed) -> None:
    result = taps((a, b), TAPS)
    # What was laid down while the chip was about to say "nothing there" has to wait for that.
    assert median(result.over_us) <= 20_000 + a.deaf_us // 2
    assert max(result.over_us) <= 35_000 + a.deaf_us
    assert result.late_look_us <= 15_000
    assert result.words == ["ok", "ok"]


def test_a_chip_whose_speed_changes_all_the_time_is_followed() -> None:
    speeds = (MODEL, SLOW_EARLY, QUICK, LATE_WITH_A_TAG, SLOWEST_EARLY)
    result = taps((MODEL, MODEL), 15, seed=4, changing=speeds)
    assert max(result.over_us) <= 35_000
    assert result.late_look_us <= 15_000
    assert result.words == ["ok", "ok"]


def test_late_is_never_failed_and_costs_the_other_pad_nothing() -> None:
    """A chip that finds a tag only after longer than any look is granted: it is not dead, and is tried on."""
    rig = Rig("pn532", "pn532").run_ms(500)
    rig.watch_ready()
    rig.chips[0].timing["found"] = 250_000
    rig.pads[0].put(make_tag("ntag213"))
    began_us = rig.now_us()
    rig.run_ms(1500)
    assert rig.taps("A") == ["placed 04A1B2C3D4E5F6"]
    assert rig.words("A") == ["ok"] and rig.words("B") == ["ok"]
    assert rig.station.counters()["A"]["late"] == 1
    assert max(rig.gaps_us(1, began_us)) <= 22_000


@pytest.mark.parametrize("fault", ["no-answer", "hang", "dead", "brown-out", "no-ack"])
def test_a_chip_in_trouble_delays_the_other_pads_look_by_no_more_than_a_tag_does(fault: str) -> None:
    rig = Rig("pn532", "pn532").run_ms(500)
    began_us = rig.now_us()
    rig.chips[1].fault(fault)
    rig.run_ms(2000)
    assert max(rig.gaps_us(0, began_us)) <= 22_000
