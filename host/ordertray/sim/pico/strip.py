"""A WS2812 strip on a pin of the emulated Pico: edges in, latched bytes out."""

from __future__ import annotations

from collections.abc import Callable

from rp2040py.gpio_pin import GPIOPinState
from rp2040py.peripherals.dma import RPDMAChannel
from rp2040py.rp2040 import RP2040

from ..inside.ws2812 import LATCH_NS, pulses_to_bytes

_NEVER_DUE = 1 << 62
#: The emulator's system clock: 125 MHz.
CYCLE_NS = 8.0
#: A gap this much longer than a bit is one in which the state machine stood still.
_STALL_NS = 2500.0
#: DMA requests below this are those of PIO (RP2040 data sheet 2.5.3.1).
_PIO_REQUESTS = 16
#: How often to look whether PIO has come to rest, or the processor to sleep, while it works.
_AWAKE_NS = 400.0


class Strip:
    """Decodes what a PIO state machine (or anything else) puts on a pin, by the times of the WS2812B's data sheet.

    The emulator moves a state machine a whole instruction at a time and lets edges be seen after the instruction's
    delay; so pulses of PIO are measured by the state machine's own cycles, less that delay, and are exact.
    shown(grb, at_ns) is told each latched picture with the time of its last edge, fault(text) what is no WS2812 signal.
    """

    def __init__(
        self, mcu: RP2040, pin: int, shown: Callable[[bytes, float], None], fault: Callable[[str], None]
    ) -> None:
        self._mcu = mcu
        self._pin = pin
        self._shown = shown
        self._fault = fault
        self._pulses: list[tuple[int, int]] = []
        self._rise = self._fall = (0.0, 0.0)
        self._high_ns = 0.0
        self._latch_alarm = mcu.clock.create_alarm(self._latch)
        mcu.gpio[pin].add_listener(self._edge)

    def _edge(self, new: GPIOPinState, old: GPIOPinState) -> None:
        now = (self._mcu.clock.nanos, self._machine_ns())
        if new == GPIOPinState.HIGH:
            if self._high_ns:
                self._pulses.append((round(self._high_ns), round(_between(self._fall, now))))
            self._high_ns = 0.0
            self._rise = now
            self._latch_alarm.cancel()
        elif new == GPIOPinState.LOW and old == GPIOPinState.HIGH:
            self._high_ns = _between(self._rise, now)
            self._fall = now
            self._latch_alarm.schedule(LATCH_NS)

    def _machine_ns(self) -> float:
        """The own time of the state machine that drives the pin, when its last instruction began; 0 without one."""
        for pio in self._mcu.pio:
            for machine in pio.machines:
                # RP2040 data sheet 3.7, SMx_PINCTRL, SMx_EXECCTRL.
                control = machine.pin_ctrl
                if machine.enabled and (control >> 5 & 31) == self._pin and control >> 26 & 7:
                    top, bottom = machine.exec_ctrl >> 12 & 31, machine.exec_ctrl >> 7 & 31
                    place = top if machine.pc == bottom else machine.pc - 1
                    side = control >> 29 & 7
                    delay = pio.instructions[place] >> 8 & ((1 << (5 - side)) - 1)
                    divider = machine.clock_div_int + machine.clock_div_frac / 256
                    return float((machine.cycles - delay) * divider * CYCLE_NS)
        return 0.0

    def _latch(self) -> None:
        if self._high_ns:
            self._pulses.append((round(self._high_ns), LATCH_NS))
        self._high_ns = 0.0
        pulses, self._pulses = self._pulses, []
        if not pulses:
            return
        try:
            grb = pulses_to_bytes(pulses)
        except ValueError as error:
            self._fault(f"pin {self._pin}: no WS2812 signal: {error}")
            return
        self._shown(grb, self._fall[0])


def _between(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Nanoseconds between two (clock, state machine) readings."""
    by_clock, by_machine = second[0] - first[0], second[1] - first[1]
    return by_machine if 0 < by_machine < _STALL_NS and by_clock < by_machine + _STALL_NS else by_clock


class PioPacer:
    """Keeps PIO in step while the emulated processor sleeps, and out of the way while no strip is written.

    The emulator jumps from alarm to alarm while the processor sleeps, and gives PIO one instruction at each; with this,
    there is an alarm at every instruction that is due while DMA feeds a state machine. And it asks both PIO blocks at
    every instruction of the processor, even when all their state machines wait for data: those it lets stand still.
    """

    def __init__(self, mcu: RP2040) -> None:
        self._mcu = mcu
        self._running = False
        self._offsets = [0.0, 0.0]
        self._alarm = mcu.clock.create_alarm(self._tick)
        for channel in mcu.dma.channels:
            self._follow(channel)

    def look(self) -> None:
        """Wake PIO for data that did not come by DMA; call it now and then."""
        if any(pio.stopped and pio.next_due_fp < _NEVER_DUE for pio in self._mcu.pio):
            self._wake()

    def _follow(self, channel: RPDMAChannel) -> None:
        start = channel.start

        def started() -> None:
            start()
            if channel.treq < _PIO_REQUESTS:
                self._wake()

        channel.start = started  # type: ignore[method-assign]

    def _wake(self) -> None:
        if self._running:
            return
        self._running = True
        for index, pio in enumerate(self._mcu.pio):
            pio.stopped = not any(machine.enabled for machine in pio.machines)
            self._offsets[index] = self._mcu.clock.nanos - pio.cycle_fp * CYCLE_NS / 256
        self._alarm.schedule(CYCLE_NS)

    def _tick(self) -> None:
        if not self._mcu.core.waiting:  # the emulator sees to PIO by itself
            if self._idle():
                self._rest()
            else:
                self._alarm.schedule(_AWAKE_NS)
            return
        now = self._mcu.clock.nanos
        due = [
            pio.next_due_fp * CYCLE_NS / 256 + offset
            for pio, offset in zip(self._mcu.pio, self._offsets, strict=True)
            if pio.next_due_fp < _NEVER_DUE
        ]
        if due:
            self._alarm.schedule(max(CYCLE_NS, min(due) - now))
        elif self._idle():
            self._rest()
        else:
            self._alarm.schedule(CYCLE_NS * 16)

    def _idle(self) -> bool:
        return all(pio.next_due_fp >= _NEVER_DUE for pio in self._mcu.pio) and not any(
            channel.treq < _PIO_REQUESTS and channel.active for channel in self._mcu.dma.channels
        )

    def _rest(self) -> None:
        self._running = False
        for pio in self._mcu.pio:
            pio.stopped = True
