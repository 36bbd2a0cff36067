"""Just enough of an RP2040 to run a WS2812 PIO program: assembler, state machine, FIFO and DMA (data sheet chapter 3).

`Rp2` and `Pin` stand in for what MicroPython's modules `rp2` and `machine` have. A DMA transfer runs the state machine
until the FIFO is dry and gives the waveform on its pin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Instruction:
    """One instruction with its delay: `out(x, 1)[3]`."""

    def __init__(self, name: str, *operands: Any) -> None:
        self.name = name
        self.operands = operands
        self.delay = 0

    def __getitem__(self, delay: int) -> Instruction:
        assert 0 <= delay <= 31
        self.delay = delay
        return self


class Program:
    """What asm_pio makes: instructions and settings."""

    def __init__(self, settings: dict[str, Any], code: list[Instruction]) -> None:
        self.settings = settings
        self.code = code


class Pin:
    """A GPIO that remembers its number and level."""

    OUT = 1
    IN = 0
    PULL_UP = 1

    def __init__(self, number: int, mode: int = -1, pull: int = -1, value: int | None = None) -> None:
        self.number = number
        self.level = value


class StateMachine:
    """Runs a program of out/set/mov on one pin; records (level, cycles) runs while data lasts."""

    def __init__(self, rp2: Rp2, number: int, program: Program, freq: int, out_base: Pin, set_base: Pin) -> None:
        assert out_base is set_base
        assert 2000 <= freq <= 125_000_000
        self.number = number
        self.program = program
        self.cycle_ns = 1_000_000_000 // freq
        self.running = False
        self.pin = out_base
        rp2.machines[number] = self

    def active(self, on: int) -> None:
        """Start."""
        self.running = bool(on)

    def run(self, words: list[int]) -> list[tuple[int, int]]:
        """Feed 32-bit FIFO words; the levels on the pin as (level, nanoseconds), until the machine stalls."""
        assert self.running
        settings = self.program.settings
        assert settings["autopull"] and settings["out_shiftdir"] == Rp2.PIO.SHIFT_LEFT
        wave: list[tuple[int, int]] = []
        level = 0
        x = 0
        shift, shifted = 0, 32  # the OSR starts out empty
        fifo = list(words)
        at = 0
        while True:
            instruction = self.program.code[at]
            if instruction.name == "out":
                assert instruction.operands == ("x", 1)
                if shifted >= settings["pull_thresh"]:
                    if not fifo:
                        return wave
                    shift, shifted = fifo.pop(0), 0
                x = shift >> 31
                shift = shift << 1 & 0xFFFFFFFF
                shifted += 1
            elif instruction.name == "set":
                assert instruction.operands[0] == "pins"
                level = instruction.operands[1]
            elif instruction.name == "mov":
                assert instruction.operands == ("pins", "x")
                level = x & 1
            else:
                raise AssertionError(instruction.name)
            span = (1 + instruction.delay) * self.cycle_ns
            if wave and wave[-1][0] == level:
                wave[-1] = (level, wave[-1][1] + span)
            else:
                wave.append((level, span))
            at = (at + 1) % len(self.program.code)


class Dma:
    """A DMA channel that feeds a state machine bytes."""

    def __init__(self, rp2: Rp2) -> None:
        self._rp2 = rp2
        self.busy = False

    def pack_ctrl(self, **settings: Any) -> dict[str, Any]:
        """Keeps the settings as they are."""
        return settings

    def active(self) -> bool:
        """Whether a transfer is under way."""
        return self.busy

    def config(self, read: bytearray, write: StateMachine, count: int, ctrl: dict[str, Any], trigger: bool) -> None:
        """Transfer, at the pace of the machine's requests. A byte is repeated in all four lanes of a FIFO word."""
        assert trigger and count == len(read)
        assert ctrl["size"] == 0 and ctrl["inc_read"] and not ctrl["inc_write"]
        assert ctrl["treq_sel"] == (write.number >> 2) * 8 + (write.number & 3)
        words = [byte * 0x01010101 for byte in read]
        self._rp2.waves.append((write.pin.number, write.run(words)))


class Rp2:
    """The module `rp2`."""

    class PIO:
        """Constants of the assembler."""

        OUT_LOW = 2
        SHIFT_LEFT = 0

    def __init__(self) -> None:
        self.machines: dict[int, StateMachine] = {}
        self.waves: list[tuple[int, list[tuple[int, int]]]] = []
        self.programs = 0
        self.channels: list[Dma] = []

    def asm_pio(self, **settings: Any) -> Callable[[Callable[[], None]], Program]:
        """The assembler: runs the function with the instructions as its globals."""

        def assemble(function: Callable[[], None]) -> Program:
            code: list[Instruction] = []

            def emit(name: str) -> Callable[..., Instruction]:
                def instruction(*operands: Any) -> Instruction:
                    code.append(Instruction(name, *operands))
                    return code[-1]

                return instruction

            names = {name: emit(name) for name in ("out", "set", "mov")}
            nothing: dict[str, Any] = {"wrap_target": lambda: None, "wrap": lambda: None, "x": "x", "pins": "pins"}
            scope = function.__globals__
            saved = dict(scope)
            scope.update(names | nothing)
            try:
                function()
            finally:
                scope.clear()
                scope.update(saved)
            self.programs += 1
            assert len(code) <= 32
            return Program(settings, code)

        return assemble

    def StateMachine(self, number: int, program: Program, **settings: Any) -> StateMachine:  # noqa: N802 - rp2's name
        """As rp2.StateMachine."""
        return StateMachine(self, number, program, **settings)

    def DMA(self) -> Dma:  # noqa: N802 - rp2's name
        """As rp2.DMA."""
        self.channels.append(Dma(self))
        return self.channels[-1]
