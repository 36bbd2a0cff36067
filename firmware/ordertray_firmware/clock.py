"""Time for the whole firmware: MicroPython's wrapping counters, also on CPython, and an uptime that does not wrap.

The module itself is the `clock` that readers and board take (ticks_ms, ticks_us, ticks_diff, ticks_add, sleep_us).
Everything above the readers counts with `Uptime`, so the wrap of `ticks_ms` (every 12.4 days on the Pico) is dealt
with in one place.
"""

import sys

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

# The type checks know this name: each of them looks at one branch only (see `firmware-check`).
MICROPYTHON = sys.implementation.name == "micropython"

if MICROPYTHON:
    from time import sleep_us as sleep_us
    from time import ticks_add as ticks_add
    from time import ticks_diff as ticks_diff
    from time import ticks_ms as ticks_ms
    from time import ticks_us as ticks_us
else:  # CPython: the same counters as on the Pico, wrap and all
    import time

    _PERIOD = 1 << 30

    def ticks_ms() -> int:
        """Milliseconds, wrapping at 2**30."""
        return time.monotonic_ns() // 1000000 % _PERIOD

    def ticks_us() -> int:
        """Microseconds, wrapping at 2**30."""
        return time.monotonic_ns() // 1000 % _PERIOD

    def ticks_diff(later: int, earlier: int) -> int:
        """Signed difference of two tick values, right across the wrap."""
        return (later - earlier + _PERIOD // 2) % _PERIOD - _PERIOD // 2

    def ticks_add(ticks: int, delta: int) -> int:
        """Tick value `delta` later."""
        return (ticks + delta) % _PERIOD

    def sleep_us(us: int) -> None:
        """Wait, blocking."""
        time.sleep(us / 1000000)


class Uptime:
    """Milliseconds since this object was made, as a plain integer that never wraps.

    `clock` gives ticks_ms() and ticks_diff(). now_ms() must be called at least every six days, which the running tray
    does a thousand times a second.
    """

    def __init__(self, clock: "Any") -> None:
        self._clock = clock
        self._last = clock.ticks_ms()
        self._total_ms = 0

    def now_ms(self) -> int:
        """Milliseconds of uptime; never less than it was."""
        ticks = self._clock.ticks_ms()
        step: int = self._clock.ticks_diff(ticks, self._last)
        if step > 0:
            self._last = ticks
            self._total_ms += step
        return self._total_ms
