"""A chain of 74HC595 shift registers: one bit a lamp, three or four pins for all of them.

Source: 74HC595 data sheet, function table: data is taken on the rising edge of SRCLK, the outputs follow on the rising
edge of RCLK, /OE high makes the outputs high-impedance (dark). The times it asks for (tens of nanoseconds) are far
below what one Python call takes, so none are waited for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ordertray.lights.lamp_config import ChainConfig
from ordertray.lights.pin_backends import PinBackend
from ordertray.lights.pins import OUTPUTS_PER_REGISTER, registers_needed


class ShiftChain:
    """Writes all outputs of the chain at once; the lamps see only whole patterns."""

    def __init__(self, backend: PinBackend, config: ChainConfig) -> None:
        """Nothing is written yet: see `idle_levels` and `begin`."""
        self._backend = backend
        self._config = config
        self._length = registers_needed(config.bars) * OUTPUTS_PER_REGISTER
        self._data_level: bool | None = False
        self._latched: tuple[bool, ...] | None = None

    @property
    def idle_levels(self) -> dict[int, bool]:
        """Levels to claim the lines with: clocks low, outputs disabled."""
        levels = {self._config.data: False, self._config.clock: False, self._config.latch: False}
        if self._config.output_enable is not None:
            levels[self._config.output_enable] = True
        return levels

    def begin(self) -> None:
        """Empty the registers, which wake up with anything in them, and only then let the outputs on."""
        self.write([False] * self._length)
        self._enable(True)

    def write(self, lit: Sequence[bool]) -> None:
        """Show `lit`, output 0 first (next to the Pi); outputs beyond it are dark. Same pattern: nothing is written."""
        dark = [False] * (self._length - len(lit))
        wanted = tuple(lamp != self._config.active_low for lamp in (*lit, *dark))
        if wanted == self._latched:
            return
        # The first bit in travels farthest: to the last output.
        for level in reversed(wanted):
            self._shift(level)
        self._backend.write(self._config.latch, True)
        self._backend.write(self._config.latch, False)
        self._latched = wanted

    def end(self) -> None:
        """All dark, outputs disabled. Holds wherever a `write` was broken off: nothing is taken for known."""
        self._enable(False)
        self._backend.write(self._config.clock, False)
        self._backend.write(self._config.latch, False)
        self._data_level = None
        self._latched = None
        self.write([])

    def _shift(self, level: bool) -> None:
        if level != self._data_level:
            self._backend.write(self._config.data, level)
            self._data_level = level
        self._backend.write(self._config.clock, True)
        self._backend.write(self._config.clock, False)

    def _enable(self, enabled: bool) -> None:
        if self._config.output_enable is not None:
            self._backend.write(self._config.output_enable, not enabled)
