"""Lamps on the Pi's pins: single lamps and bars behind shift registers, over any pin backend."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

from ordertray.lights.frame import LampFrame
from ordertray.lights.lamp_config import LampConfig
from ordertray.lights.pin_backends import GatedPins, LampsUnavailableError, PinBackend
from ordertray.lights.rhythm import Rhythm, is_lit, next_change_ms
from ordertray.lights.shift_chain import ShiftChain
from ordertray.lights.signals import bar_rhythms, lamp_rhythms

TEST_ALL_ON_MS: Final = 1000
TEST_ALL_OFF_MS: Final = 500
TEST_STEP_MS: Final = 100


class _Channel:
    """One lamp's rhythm and when it was set."""

    __slots__ = ("rhythm", "since_ms")

    def __init__(self) -> None:
        self.rhythm = Rhythm.OFF
        self.since_ms = 0

    def set(self, rhythm: Rhythm, now_ms: int) -> None:
        """A rhythm that goes on is not started anew."""
        if rhythm is not self.rhythm:
            self.rhythm, self.since_ms = rhythm, now_ms


class GpioLamps:
    """A `LampOutput` on pins. Lamps are dark from the first moment; only changes are written.

    Lamp test: all on for a second, all dark for half a second, then one lamp after the other (single lamps and bar
    outputs side by side), a tenth of a second each: crossed wires show as a wrong order, dead lamps as a gap.
    """

    name = "lamps on the Pi's pins"

    def __init__(self, backend: PinBackend, config: LampConfig) -> None:
        """Claim the pins, all lamps dark. Raises LampsUnavailableError (nothing stays claimed)."""
        self._backend: PinBackend = GatedPins(backend)
        self._lamps = config.lamps
        self._bars = config.chain.bars if config.chain else ()
        self._chain = ShiftChain(self._backend, config.chain) if config.chain else None
        self._lamp_channels = {lamp.name: _Channel() for lamp in config.lamps}
        self._bar_channels = [_Channel() for bar in self._bars for _ in range(bar.length)]
        self._lit = {lamp.name: False for lamp in config.lamps}
        self._test_since_ms: int | None = None
        self._closed = False
        self._backend.claim(
            {lamp.bcm: lamp.active_low for lamp in config.lamps} | (self._chain.idle_levels if self._chain else {})
        )
        if self._chain:
            try:
                self._chain.begin()
            except Exception as error:
                self._backend.release()
                raise LampsUnavailableError(f"the shift registers cannot be written to ({error})") from error

    @property
    def closed(self) -> bool:
        """Whether the pins are released."""
        return self._closed

    def show(self, frame: LampFrame, now_ms: int) -> None:
        """Show a frame, at once (after the lamp test, if one runs)."""
        wanted = lamp_rhythms(frame.table)
        for name, channel in self._lamp_channels.items():
            channel.set(wanted[name], now_ms)
        for channel, rhythm in zip(self._bar_channels, bar_rhythms(frame.table, self._bars), strict=True):
            channel.set(rhythm, now_ms)
        self.tick(now_ms)

    def tick(self, now_ms: int) -> None:
        """Write what has changed by now. Nothing after `close`."""
        if self._closed:
            return
        step = self._test_step(now_ms)
        if step is None:
            lamps = [_lit(channel, now_ms) for channel in self._lamp_channels.values()]
            bars = [_lit(channel, now_ms) for channel in self._bar_channels]
        else:
            lamps = [_lit_in_test(step, number) for number in range(len(self._lamps))]
            bars = [_lit_in_test(step, number) for number in range(len(self._bar_channels))]
        # Single lamps first: they are what a player waits for, and the chain takes longer.
        for lamp, lit in zip(self._lamps, lamps, strict=True):
            if lit != self._lit[lamp.name]:
                self._lit[lamp.name] = lit
                self._backend.write(lamp.bcm, lit != lamp.active_low)
        if self._chain:
            self._chain.write(bars)

    def next_tick_ms(self, now_ms: int) -> int | None:
        """When a blinking lamp changes next, or the lamp test goes on."""
        if self._closed:
            return None
        if self._test_since_ms is not None:
            return TEST_STEP_MS
        channels = (*self._lamp_channels.values(), *self._bar_channels)
        due = (next_change_ms(channel.rhythm, max(0, now_ms - channel.since_ms)) for channel in channels)
        return min((ms for ms in due if ms is not None), default=None)

    def lamp_test(self, now_ms: int) -> None:
        """Begin the lamp test."""
        self._test_since_ms = now_ms
        self.tick(now_ms)

    def close(self) -> None:
        """All lamps dark, then the pins are inputs again. May be called again; a second signal cannot undo it."""
        if self._closed:
            return
        self._closed = True
        try:
            for lamp in self._lamps:
                self._backend.write(lamp.bcm, lamp.active_low)
            if self._chain:
                self._chain.end()
        finally:
            self._backend.release()

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _test_step(self, now_ms: int) -> int | None:
        """-2 = all on, -1 = all dark, n = lamp n alone; None = no test (any more)."""
        if self._test_since_ms is None:
            return None
        elapsed_ms = now_ms - self._test_since_ms
        if elapsed_ms < TEST_ALL_ON_MS:
            return -2
        if elapsed_ms < TEST_ALL_ON_MS + TEST_ALL_OFF_MS:
            return -1
        step = (elapsed_ms - TEST_ALL_ON_MS - TEST_ALL_OFF_MS) // TEST_STEP_MS
        if step < max(len(self._lamps), len(self._bar_channels)):
            return step
        self._test_since_ms = None
        return None


def _lit(channel: _Channel, now_ms: int) -> bool:
    return is_lit(channel.rhythm, max(0, now_ms - channel.since_ms))


def _lit_in_test(step: int, number: int) -> bool:
    return step == -2 or step == number
