"""The link's clock: monotonic milliseconds, and how long to wait for them."""

from __future__ import annotations

import time


def wall_ms() -> int:
    """Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


class MonotonicClock:
    """The machine's monotonic clock. `speed` > 1 lets tests of real ports run faster than life."""

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed

    def now_ms(self) -> int:
        """Milliseconds since some fixed moment."""
        return int(time.monotonic() * 1000 * self._speed)

    def seconds(self, span_ms: float) -> float:
        """How many seconds of the event loop `span_ms` of this clock are."""
        return span_ms / 1000 / self._speed
