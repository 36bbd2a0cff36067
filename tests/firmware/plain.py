"""Helpers for tests that run on both interpreters: plain functions and plain assertions, no pytest."""

try:
    from collections.abc import Callable
except ImportError:  # MicroPython: annotations are not evaluated there
    pass


def raises(kind: "type[BaseException]", action: "Callable[[], object]") -> str:
    """Text of the error that `action` throws, which must be of this kind."""
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError("nothing was raised")


class Dice:
    """Repeatable random numbers, the same on both interpreters."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 2654435761 % 4294967296

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        self._state = (self._state * 1664525 + 1013904223) % 4294967296
        return (self._state >> 8) % limit


class FakeClock:
    """Ticks moved by hand, wrapping where the Pico's do."""

    PERIOD = 1 << 30

    def __init__(self, start: int = 0) -> None:
        self.ms = start

    def ticks_ms(self) -> int:
        """Milliseconds, wrapping."""
        return self.ms % self.PERIOD

    def ticks_diff(self, later: int, earlier: int) -> int:
        """Signed, wrap safe."""
        return (later - earlier + self.PERIOD // 2) % self.PERIOD - self.PERIOD // 2
