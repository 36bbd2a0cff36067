"""Time for the simulated chips: a wrapping counter unrolled, and a clock that tests move by hand."""

# MicroPython has no typing module; annotations in quotes are read by the type checker only.


class Timeline:
    """Unrolls an injected `ticks_us` into microseconds that never wrap (0 at the start)."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._last = clock.ticks_us()
        self._now_us = 0

    def now(self) -> int:
        """Microseconds since this timeline was made; must be called at least once in half a wrap of the clock."""
        ticks = self._clock.ticks_us()
        self._now_us += self._clock.ticks_diff(ticks, self._last)
        self._last = ticks
        return self._now_us


class Clock:
    """A clock moved by hand: the tests' time, with MicroPython's names. Wraps at `period` like the real one.

    start_us: where the counters begin (microseconds), so that a test can start just before the wrap.
    """

    def __init__(self, start_us: int = 0, period: int = 1 << 30) -> None:
        self._us = start_us
        self._period = period

    def advance_us(self, microseconds: int) -> None:
        """Let time pass."""
        self._us += microseconds

    def ticks_us(self) -> int:
        """Microseconds, wrapping."""
        return self._us % self._period

    def ticks_ms(self) -> int:
        """Milliseconds, wrapping."""
        return (self._us // 1000) % self._period

    def ticks_diff(self, later: int, earlier: int) -> int:
        """Signed distance between two readings, wrap safe within half the period."""
        half = self._period // 2
        return ((later - earlier + half) % self._period) - half

    def ticks_add(self, ticks: int, delta: int) -> int:
        """A reading moved by `delta`."""
        return (ticks + delta) % self._period

    def sleep_us(self, microseconds: int) -> None:
        """What a blocking sleep is for a clock moved by hand: time passes."""
        self._us += microseconds

    def sleep_ms(self, milliseconds: int) -> None:
        """As sleep_us, in milliseconds."""
        self._us += milliseconds * 1000
