"""Deadlines by clock for operations (generators that yield microseconds)."""


class Deadline:
    """A point in time `limit_us` from now; wrap safe for limits below half the clock's period."""

    def __init__(self, clock: "Clock", limit_us: int) -> None:
        self._clock = clock
        self._start = clock.ticks_us()
        self._limit_us = limit_us

    def passed(self) -> bool:
        """True once the time is over."""
        return self._clock.ticks_diff(self._clock.ticks_us(), self._start) >= self._limit_us

    def left_us(self) -> int:
        """Microseconds left, 0 when over."""
        left = self._limit_us - self._clock.ticks_diff(self._clock.ticks_us(), self._start)
        return left if left > 0 else 0


def pause(clock: "Clock", microseconds: int) -> "Steps[None]":
    """Wait at least that long, however early the caller steps again."""
    deadline = Deadline(clock, microseconds)
    left = deadline.left_us()
    while left:
        yield left
        left = deadline.left_us()


def advanced(driver: "Driver") -> "Steps[None]":
    """What a driver has begun, as an operation: advance() until it is done."""
    wait = driver.advance()
    while wait >= 0:
        yield wait
        wait = driver.advance()


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Clock, Driver, Steps
