"""Reads the register model's log, and the block as it was left behind. Source: BCM2835 ARM Peripherals, table 6-1."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

GPFSEL, GPSET, GPCLR, GPLEV, GPPUD = 0x00, 0x1C, 0x28, 0x34, 0x94
PULLS = (*range(0x94, 0xA0, 4), *range(0xE4, 0xF4, 4))
OUR_LATCH = 0xF00
INPUT, OUTPUT = 0, 1
PINS = 54


class RegisterWrite(NamedTuple):
    """One write: when (CLOCK_MONOTONIC), to which byte offset, which value."""

    at_ns: int
    offset: int
    value: int


class PinEvent(NamedTuple):
    """What a write means for one pin: "claim" (it became an output), "write", "release" (it became an input)."""

    kind: str
    bcm: int
    level: bool


@dataclass(frozen=True, slots=True)
class TimedPinEvent:
    """A pin event and the time of the register write that made it."""

    at_ns: int
    event: PinEvent


class UnexpectedRegisterError(AssertionError):
    """A register was written that lamps have no business with."""


def read_log(path: Path) -> list[RegisterWrite]:
    """Every register write, in order."""
    if not path.exists():
        return []
    writes = []
    for line in path.read_text(encoding="ascii").splitlines():
        at_ns, offset, value = line.split()
        writes.append(RegisterWrite(int(at_ns), int(offset, 16), int(value, 16)))
    return writes


def pin_events(writes: Iterable[RegisterWrite]) -> list[TimedPinEvent]:
    """The writes as pin events, from a block after reset. Raises UnexpectedRegisterError for a function but in and out.

    A level set before the pin is an output is no event of its own: it shows as the level of the claim.
    """
    functions = [INPUT] * PINS
    latch = [False] * PINS
    events: list[TimedPinEvent] = []
    for write in writes:
        if GPFSEL <= write.offset < GPSET:
            first = (write.offset - GPFSEL) // 4 * 10
            for pin in range(first, min(first + 10, PINS)):
                function = write.value >> (pin - first) * 3 & 7
                if function == functions[pin]:
                    continue
                if function not in (INPUT, OUTPUT):
                    raise UnexpectedRegisterError(f"GPIO{pin} was given function {function}")
                functions[pin] = function
                kind = "claim" if function == OUTPUT else "release"
                events.append(TimedPinEvent(write.at_ns, PinEvent(kind, pin, latch[pin])))
        elif GPSET <= write.offset < GPLEV:
            is_set = write.offset < GPCLR
            bank = (write.offset - (GPSET if is_set else GPCLR)) // 4
            for pin in (bank * 32 + bit for bit in range(32) if write.value >> bit & 1):
                latch[pin] = is_set
                if functions[pin] == OUTPUT:
                    events.append(TimedPinEvent(write.at_ns, PinEvent("write", pin, is_set)))
        elif write.offset not in PULLS:
            raise UnexpectedRegisterError(f"register {write.offset:#05x} was written")
    return events


class Block:
    """The register block as a file keeps it: what the pins do after the program has ended."""

    def __init__(self, path: Path) -> None:
        self._bytes = path.read_bytes()

    def _word(self, offset: int) -> int:
        return int(struct.unpack_from("<I", self._bytes, offset)[0])

    def function(self, pin: int) -> int:
        """The pin's function select value."""
        return self._word(GPFSEL + pin // 10 * 4) >> pin % 10 * 3 & 7

    def latch(self, pin: int) -> bool:
        """The level the pin has, or would have as an output."""
        return bool(self._word(OUR_LATCH + pin // 32 * 4) >> pin % 32 & 1)
