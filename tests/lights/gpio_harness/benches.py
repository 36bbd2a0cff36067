"""Three benches with one face: lamps on the recording fake, on the real RPi.GPIO over the register model, and on the
real rpi-lgpio over a model of the GPIO chip.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lights.gpio_harness.build import CHIP_MODEL, Harness
from lights.gpio_harness.register_log import Block, PinEvent, RegisterWrite, TimedPinEvent, pin_events, read_log
from lights.gpio_harness.shift_register import ShiftRegisterChain
from ordertray.lights import render
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import LampConfig, parse_lamp_config
from ordertray.lights.pin_backends import RecordingPins

PLAYER = Path(__file__).with_name("player.py")
WAIT_S = 60


class LampBench(Protocol):
    """Lamps to drive, and pins to look at."""

    config: LampConfig

    def show(self, view: Mapping[str, Any], link: Mapping[str, str], now_ms: int) -> None: ...
    def tick(self, now_ms: int) -> None: ...
    def lamp_test(self, now_ms: int) -> None: ...
    def close(self) -> None: ...
    def next_tick_ms(self) -> int | None: ...
    def events(self) -> list[PinEvent]: ...


def lamps_lit(events: list[PinEvent], config: LampConfig) -> set[str]:
    """The single lamps that are on after `events`: driven outputs only."""
    levels: dict[int, bool] = {}
    for event in events:
        if event.kind == "release":
            levels.pop(event.bcm, None)
        else:
            levels[event.bcm] = event.level
    return {lamp.name for lamp in config.lamps if lamp.bcm in levels and levels[lamp.bcm] != lamp.active_low}


def chain_after(events: list[PinEvent], config: LampConfig) -> ShiftRegisterChain:
    """The shift registers after `events`."""
    assert config.chain is not None
    chain = ShiftRegisterChain(config.chain)
    chain.feed(events)
    return chain


class FakeBench:
    """`GpioLamps` on `RecordingPins`, in this process."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.config = parse_lamp_config(table)
        self._pins = RecordingPins()
        self._lamps = GpioLamps(self._pins, self.config)
        self._next_tick_ms: int | None = None

    def show(self, view: Mapping[str, Any], link: Mapping[str, str], now_ms: int) -> None:
        self._lamps.show(render(view, link), now_ms)
        self._next_tick_ms = self._lamps.next_tick_ms(now_ms)

    def tick(self, now_ms: int) -> None:
        self._lamps.tick(now_ms)
        self._next_tick_ms = self._lamps.next_tick_ms(now_ms)

    def lamp_test(self, now_ms: int) -> None:
        self._lamps.lamp_test(now_ms)
        self._next_tick_ms = self._lamps.next_tick_ms(now_ms)

    def close(self) -> None:
        self._lamps.close()

    def next_tick_ms(self) -> int | None:
        return self._next_tick_ms

    def events(self) -> list[PinEvent]:
        return [PinEvent(*event) for event in self._pins.events]


@dataclass(frozen=True, slots=True)
class Span:
    """When the child carried out a command."""

    begin_ns: int
    end_ns: int


class PlayerBench:
    """The player in a child process, whose pins are a model's."""

    def __init__(self, table: Mapping[str, Any], place: Path, environment: Mapping[str, str]) -> None:
        self.config = parse_lamp_config(table)
        self.block_file = place / "registers.bin"
        self.log_file = place / "registers.log"
        self.spans: list[Span] = []
        self._next_tick_ms: int | None = None
        self._stderr = (place / "player.stderr").open("w+")
        self.child = subprocess.Popen(
            [sys.executable, str(PLAYER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=environment,
            cwd=place,
        )
        self._tell({"lamps": table})

    def show(self, view: Mapping[str, Any], link: Mapping[str, str], now_ms: int) -> None:
        self._tell({"do": "show", "view": view, "link": link, "now_ms": now_ms})

    def tick(self, now_ms: int) -> None:
        self._tell({"do": "tick", "now_ms": now_ms})

    def lamp_test(self, now_ms: int) -> None:
        self._tell({"do": "lamp_test", "now_ms": now_ms})

    def close(self) -> None:
        self._tell({"do": "close"})

    def next_tick_ms(self) -> int | None:
        return self._next_tick_ms

    def events(self) -> list[PinEvent]:
        return [timed.event for timed in self.timed_events()]

    def timed_events(self) -> list[TimedPinEvent]:
        """Pin events with their times."""
        raise NotImplementedError

    def end(self, how: str) -> int:
        """Let the program end by "input" (which ends), "exception", "exit" or the name of a signal; its status."""
        assert self.child.stdin is not None
        if how == "input":
            self.child.stdin.close()
        elif how in ("exception", "exit"):
            print(json.dumps({"do": "end", "how": how}), file=self.child.stdin, flush=True)
        else:
            self.child.send_signal(signal.Signals[how])
        return self.child.wait(WAIT_S)

    def dispose(self) -> None:
        """End the child, whatever state it is in."""
        if self.child.poll() is None:
            self.child.kill()
        for stream in (self.child.stdin, self.child.stdout, self._stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        self.child.wait(WAIT_S)

    def _tell(self, command: Mapping[str, Any]) -> None:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        try:
            print(json.dumps(command), file=self.child.stdin, flush=True)
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            status = self.child.wait(WAIT_S)
            self._stderr.seek(0)
            raise AssertionError(f"the player ended with status {status}:\n{self._stderr.read()}")
        told = json.loads(line)
        self.spans.append(Span(told["begin_ns"], told["end_ns"]))
        self._next_tick_ms = told["next_tick_ms"]


class RegisterBench(PlayerBench):
    """Real RPi.GPIO, modelled registers."""

    def __init__(self, table: Mapping[str, Any], harness: Harness, place: Path, *, chip: str = "bcm2837") -> None:
        super().__init__(table, place, model_environment(harness, place, chip=chip))

    def timed_events(self) -> list[TimedPinEvent]:
        return pin_events(self.writes())

    def writes(self) -> list[RegisterWrite]:
        """The bare register writes."""
        return read_log(self.log_file)

    def block(self) -> Block:
        """The registers as they are now."""
        return Block(self.block_file)


class ChipBench(PlayerBench):
    """Real rpi-lgpio and lgpio, a modelled GPIO chip."""

    def __init__(self, table: Mapping[str, Any], library: Path, place: Path) -> None:
        super().__init__(table, place, chip_environment(library, place))

    def timed_events(self) -> list[TimedPinEvent]:
        return read_chip_log(self.log_file)

    def pin(self, bcm: int) -> tuple[bool, bool]:
        """Whether the pin is an output now, and its level."""
        last = [event for event in self.events() if event.bcm == bcm][-1:]
        return (last[0].kind != "release", last[0].level) if last else (False, False)


def chip_environment(library: Path, place: Path) -> dict[str, str]:
    """The environment of a program that shall find a Pi 5's pins: the real rpi-lgpio on its path, the chip a model."""
    return os.environ | {
        "GPIO_MODEL_LOG": str(place / "registers.log"),
        "RPI_LGPIO_REVISION": "c04170",
        "PYTHONPATH": f"{CHIP_MODEL}{os.pathsep}{library}",
    }


def read_chip_log(path: Path) -> list[TimedPinEvent]:
    """Every change at the chip's pins, in order."""
    events = []
    for line in path.read_text(encoding="ascii").splitlines() if path.exists() else ():
        at_ns, kind, bcm, level = line.split()
        events.append(TimedPinEvent(int(at_ns), PinEvent(kind, int(bcm), level == "1")))
    return events


def model_environment(harness: Harness, place: Path, *, chip: str = "bcm2837") -> dict[str, str]:
    """The environment of a program that shall find a Pi's pins: the model preloaded, the real RPi.GPIO on its path."""
    return os.environ | {
        "LD_PRELOAD": str(harness.model),
        "GPIO_MODEL_REGISTERS": str(place / "registers.bin"),
        "GPIO_MODEL_LOG": str(place / "registers.log"),
        "GPIO_MODEL_CHIP": chip,
        "PYTHONPATH": str(harness.site),
        # A handler of Python's own for faults would stand before the model's.
        "PYTHONFAULTHANDLER": "",
    }
