"""Uptime: one counter that never wraps, out of one that does."""

from firmware.plain import FakeClock
from ordertray_firmware import clock
from ordertray_firmware.clock import Uptime

ON_BOTH_INTERPRETERS = True


def test_uptime_runs_through_the_wrap_of_ticks_ms() -> None:
    ticks = FakeClock(FakeClock.PERIOD - 5)
    uptime = Uptime(ticks)
    assert uptime.now_ms() == 0
    ticks.ms += 10
    assert uptime.now_ms() == 10
    for _day in range(40):  # three wraps, looked at once a day
        ticks.ms += 86400000
        uptime.now_ms()
    assert uptime.now_ms() == 10 + 40 * 86400000


def test_uptime_never_runs_backwards() -> None:
    ticks = FakeClock(1000)
    uptime = Uptime(ticks)
    ticks.ms += 50
    assert uptime.now_ms() == 50
    ticks.ms -= 20  # a clock that was read by an interrupt in between
    assert uptime.now_ms() == 50
    ticks.ms += 30
    assert uptime.now_ms() == 60 or uptime.now_ms() == 50


def test_ticks_of_this_interpreter_go_forward() -> None:
    begun = clock.ticks_us()
    clock.sleep_us(2000)
    assert 2000 <= clock.ticks_diff(clock.ticks_us(), begun) < 500000
    assert clock.ticks_diff(clock.ticks_add(begun, 7), begun) == 7
