"""A chain of 74HC595 fed by pin events. Source: 74HC595 data sheet, function table."""

from __future__ import annotations

import random
from collections.abc import Iterable

from lights.gpio_harness.register_log import PinEvent
from ordertray.lights.lamp_config import ChainConfig
from ordertray.lights.pins import OUTPUTS_PER_REGISTER, registers_needed


class ShiftRegisterChain:
    """Registers one behind the other, which wake up with anything in them, as real ones do.

    `shown` is every pattern that lamps have shown, in order: what the outputs were while they were enabled.
    """

    def __init__(self, config: ChainConfig, *, seed: int = 595) -> None:
        """Lines float low and the outputs are off until a pin is claimed (a pull-up holds /OE)."""
        self._config = config
        self.length = registers_needed(config.bars) * OUTPUTS_PER_REGISTER
        noise = random.Random(seed)
        self._stages = [noise.random() < 0.5 for _ in range(self.length)]
        self._outputs = [noise.random() < 0.5 for _ in range(self.length)]
        self._levels = {config.data: False, config.clock: False, config.latch: False}
        self._disabled = config.output_enable is not None
        self.clock_edges = 0
        self.latch_edges = 0
        self.shown: list[tuple[bool, ...]] = []

    def feed(self, events: Iterable[PinEvent]) -> None:
        """Let pin events happen; those of other pins pass by."""
        for event in events:
            self._take(event)

    def _take(self, event: PinEvent) -> None:
        if event.bcm == self._config.output_enable:
            self._disabled = event.kind == "release" or event.level
        elif event.bcm in self._levels and event.kind != "release":
            rising = event.level and not self._levels[event.bcm]
            self._levels[event.bcm] = event.level
            if rising and event.bcm == self._config.clock:
                self.clock_edges += 1
                self._stages = [self._levels[self._config.data], *self._stages[:-1]]
            if rising and event.bcm == self._config.latch:
                self.latch_edges += 1
                self._outputs = list(self._stages)
        else:
            return
        if not self._disabled and (not self.shown or self.shown[-1] != self.lit):
            self.shown.append(self.lit)

    @property
    def enabled(self) -> bool:
        """Whether the outputs drive the lamps."""
        return not self._disabled

    @property
    def lit(self) -> tuple[bool, ...]:
        """Which lamps are on, output 0 (next to the Pi) first; all dark while disabled."""
        if self._disabled:
            return (False,) * self.length
        return tuple(level != self._config.active_low for level in self._outputs)

    def bar(self, name: str) -> str:
        """One bar as text: "#" on, "." off."""
        place = 0
        for bar in self._config.bars:
            if bar.name == name:
                return "".join(".#"[lamp] for lamp in self.lit[place : place + bar.length])
            place += bar.length
        raise KeyError(name)
