"""What the emulated Pico is wired to: reader chips on its SPI bus, buttons, strips, a buzzer."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from typing import Any

from rp2040py.gpio_pin import GPIOPinState
from rp2040py.rp2040 import RP2040

from ..chips import Chip, Clock, Pad, make_chip
from .strip import PioPacer, Strip

_GPIO_IN = 0x04  # RP2040 data sheet 2.3.1.7, SIO
_KEPT = 512


class ChipTime(Clock):
    """The chips' clock: emulated microseconds."""

    def __init__(self, mcu: RP2040) -> None:
        super().__init__()
        self._mcu = mcu

    def ticks_us(self) -> int:
        """Microseconds, wrapping."""
        return int(self._mcu.clock.nanos / 1000) % self._period

    def ticks_ms(self) -> int:
        """Milliseconds, wrapping."""
        return int(self._mcu.clock.nanos / 1e6) % self._period


class Hardware:
    """Everything outside the chip, wired as a checked configuration says.

    chips: pad -> "pn532", "mfrc522" or "none". It survives resets of the chip. All times are emulated nanoseconds since
    power-on; `pictures` are (time of the last edge, side, GRB bytes), `events` what the bus saw.
    """

    def __init__(self, mcu: RP2040, wiring: Mapping[str, Any], chips: Mapping[str, str]) -> None:
        self._mcu = mcu
        self.pads: dict[str, Pad] = {}
        self.chips: dict[str, Chip] = {}
        self.pixels: dict[str, bytes] = {}
        self.pictures: collections.deque[tuple[float, str, bytes]] = collections.deque(maxlen=_KEPT)
        self.problems: list[str] = []
        self.tones: collections.deque[int] = collections.deque(maxlen=200)
        self.spi_bytes = 0
        self.looks: dict[str, collections.deque[float]] = {}
        self._selected: list[Chip] = []
        self._irqs: list[tuple[Chip, int]] = []
        self._irq_levels: dict[int, bool] = {}
        self._rose_at = 0.0
        self._time = ChipTime(mcu)
        self._connect_readers(wiring, chips)
        self.pacer = PioPacer(mcu)
        self._strips = [
            Strip(mcu, side["pixels"]["pin"], self._show(name), self.problems.append)
            for name, side in wiring["sides"].items()
        ]
        self._buttons = {
            (name, button): pin for name, side in wiring["sides"].items() for button, pin in side["buttons"].items()
        }
        if wiring["buzzer"]["pin"] is not None:
            mcu.gpio[wiring["buzzer"]["pin"]].add_listener(self._buzz)

    def contact(self, side: str, button: str, closed: bool) -> None:
        """Close or open a push button to ground. Raises KeyError for an unknown one."""
        pin = self._mcu.gpio[self._buttons[side, button]]
        if closed:
            pin.set_input_value(False)
        else:
            pin.release_input()

    # --- readers ------------------------------------------------------------------------------------------------------

    def _connect_readers(self, wiring: Mapping[str, Any], chips: Mapping[str, str]) -> None:
        for reader in wiring["readers"]:
            pad = self.pads[reader["pad"]] = Pad()
            kind = chips.get(reader["pad"], reader["chip"])
            if kind == "none":
                continue
            chip = self.chips[reader["pad"]] = make_chip(kind, pad, self._time)
            looks: collections.deque[float] = collections.deque(maxlen=20000)
            self.looks[reader["pad"]] = looks
            self._mcu.gpio[reader["cs"]].add_listener(self._select(chip, looks))
            if reader["rst"] is not None:
                self._mcu.gpio[reader["rst"]].add_listener(self._reset(chip))
            if reader["irq"] is not None:
                self._irqs.append((chip, reader["irq"]))
        spi = self._mcu.spi[wiring["spi"]["id"]]
        answer = 0

        def done() -> None:
            spi.complete_transmit(answer)

        alarm = self._mcu.clock.create_alarm(done)

        def transmit(value: int) -> None:
            nonlocal answer
            self.spi_bytes += 1
            answer = 0xFF
            for chip in self._selected:
                answer &= chip.exchange(bytes((value,)))[0]
            alarm.schedule(8e9 / spi.clock_frequency)

        spi.on_transmit = transmit
        self._watch_reads()

    def _select(self, chip: Chip, looks: collections.deque[float]) -> Any:
        def changed(new: GPIOPinState, _old: GPIOPinState) -> None:
            # A module pulls its select line up: only a driven low selects.
            if new == GPIOPinState.LOW:
                if chip not in self._selected:
                    self._selected.append(chip)
                    if len(self._selected) > 1:
                        self.problems.append("two chips are selected at once")
                    looks.append(self._mcu.clock.nanos)
                chip.select()
            elif chip in self._selected:
                self._selected.remove(chip)
                chip.deselect()

        return changed

    def _reset(self, chip: Chip) -> Any:
        return lambda new, _old: chip.reset(new != GPIOPinState.LOW)

    def _watch_reads(self) -> None:
        """The chips work out what happened only when asked: their interrupt lines are, whenever the pins are read."""
        sio = self._mcu.sio
        read = sio.read_uint32

        def reading(offset: int) -> int | float:
            if offset == _GPIO_IN:
                for chip, pin in self._irqs:
                    level = not chip.irq()
                    if self._irq_levels.get(pin) != level:
                        self._irq_levels[pin] = level
                        self._mcu.gpio[pin].set_input_value(level)
            return read(offset)

        sio.read_uint32 = reading  # type: ignore[method-assign]

    # --- strips and buzzer --------------------------------------------------------------------------------------------

    def _show(self, side: str) -> Any:
        def shown(grb: bytes, at_ns: float) -> None:
            if self.pixels.get(side) != grb:
                self.pixels[side] = grb
                self.pictures.append((at_ns, side, grb))

        return shown

    def _buzz(self, new: GPIOPinState, old: GPIOPinState) -> None:
        if new != GPIOPinState.HIGH or old != GPIOPinState.LOW:
            return
        now = self._mcu.clock.nanos
        period, self._rose_at = now - self._rose_at, now
        hertz = round(1e9 / period) if period else 0
        if hertz > 30 and (not self.tones or abs(self.tones[-1] - hertz) > hertz * 0.05):
            self.tones.append(hertz)
