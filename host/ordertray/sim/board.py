"""`SimulatedBoard`: the life of a virtual tray's board, seen from outside: power, resets, its cable, its bytes.

One thread moves bytes between the host's end of the cable and the board's process, hears what the board says of its
pixels and buzzer, lets its watchdog bite, and starts it again when it has ended. Who lays tags on it is `VirtualTray`.
"""

from __future__ import annotations

import collections
import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from .plug import Plug
from .process import Process

# A MicroPython object takes twice the room on a 64-bit machine; the simulated chips live in the same heap.
HEAP_BYTES = 2 * 1024 * 1024
START_S = 20.0
IDLE_S = 0.02
_QUICK_S = 1.0
_QUICK_MOST = 3
_LOG_LINES = 400


def patient(deadline_s: float) -> float:
    """A deadline on this machine: `ORDERTRAY_PATIENCE` says how many times as long as a quick, idle one it needs."""
    try:
        return deadline_s * max(1.0, float(os.environ.get("ORDERTRAY_PATIENCE", 1)))
    except ValueError:
        return deadline_s


class SimulatedBoard:
    """A board whose firmware runs in a child process, from power-on to `close`.

    wiring: what the board is told of its hardware when it calls. lies_on_it: what the board is told after that, at
    each start: tags, pressed buttons, faults. watchdog_factor: the watchdog bites after this share of its time.

    Its thread owns everything here; others read single attributes, or several while they hold `changed`.
    """

    def __init__(
        self,
        interpreter: Literal["micropython", "cpython"],
        unique_id: str,
        wiring: Mapping[str, Any],
        lies_on_it: Callable[[], Iterable[dict[str, Any]]],
        watchdog_factor: float,
    ) -> None:
        self.unique_id = unique_id
        self._interpreter = interpreter
        self._wiring = wiring
        self._lies_on_it = lies_on_it
        self._watchdog_factor = watchdog_factor
        self._flash = Path()

        self.changed = threading.Condition()
        """Notified whenever something may have changed."""
        self.broken = ""
        """Why the board cannot go on; nothing while it can."""
        self.closing = False
        self.up = self.at_prompt = self.plugged = False
        self.boots = 0
        self.problems: list[str] = []
        self.answers: dict[int, dict[str, Any]] = {}
        self.pixels: dict[str, bytes] = {}
        self.history: collections.deque[tuple[str, bytes]] = collections.deque(maxlen=512)
        self.tone_hz = 0
        self.tones: collections.deque[int] = collections.deque(maxlen=200)
        self.log: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)

        self._orders: collections.deque[Callable[[], None]] = collections.deque()
        self._open: dict[int, str] = {}
        self._number = 0
        self._plug: Plug | None = None
        self._process: Process | None = None
        self._thread: threading.Thread | None = None
        self._wake_read, self._wake_write = -1, -1
        self._spawned_at = 0.0
        self._quick = 0
        self._scratch = 0
        self._watchdog_s = 0.0
        self._fed_at = 0.0
        self._line = bytearray()
        self._to_host = bytearray()
        self._to_tray = bytearray()
        self._reset_cause = "power"
        self._told = False  # whether the board knows what lies on it; before that it is told all at once

    @property
    def started(self) -> bool:
        """Whether it has ever been switched on."""
        return self._thread is not None

    @property
    def process_id(self) -> int:
        """The interpreter that runs the firmware now; 0 for none."""
        return 0 if self._process is None else self._process.pid

    @property
    def idle(self) -> bool:
        """Whether all orders so far have been carried out."""
        return not self._orders and not self._open

    def start(self, plug: Plug, flash: Path) -> None:
        """Switch it on, on this cable and with this flash; returns at once."""
        self._plug, self._flash = plug, flash
        self.plugged = True
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._pump, name="virtual tray", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it. Harmless the second time."""
        self.closing = True
        self._wake()
        if self._thread is not None:
            self._thread.join()
        for fd in (self._wake_read, self._wake_write):
            if fd >= 0:
                os.close(fd)
        self._wake_read = self._wake_write = -1

    def order(self, order: Mapping[str, Any], what: str) -> int:
        """Leave an order for the board; the number of its answer."""
        with self.changed:
            self._number += 1
            number = self._number
        self.post(lambda: self._send({**order, "n": number}, what))
        return number

    def _pump(self) -> None:
        try:
            self.restart("power")
            while not self.closing:
                self._turn()
        except Exception as error:
            self.broken = f"the virtual tray's own machinery failed: {error!r}"
        finally:
            if self._process is not None:
                self._process.kill()
                self._process = None
            with self.changed:
                self.up = False
                self.changed.notify_all()

    def _turn(self) -> None:
        """One round: wait for something to happen, and pass on whatever there is."""
        plug, process = self._plug, self._process
        assert plug is not None
        reading, writing = [self._wake_read], []
        wire = plug.fileno()  # asked once: whoever unplugs does so from another thread
        if wire >= 0 and len(self._to_tray) < 4096:
            reading.append(wire)
        if self._to_host and wire >= 0:
            writing.append(wire)
        if process is not None:
            reading.append(process.control_fd())
            if not self._to_host:
                reading.append(process.serial_fd)
        busy = bool(self._orders) or self.closing
        try:
            select.select(reading, writing, [], 0 if busy else IDLE_S / 4 if self._to_tray else IDLE_S)
        except OSError:
            if plug.fileno() == wire:  # else it was unplugged in between, which is something that happened
                raise
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake_read, 64):
                pass
        with self.changed:
            if process is not None:
                self._hear(process)
            if process is self._process:
                self._carry(plug, process)
                self._look_after(process)
            while self._orders:
                self._orders.popleft()()
            self.changed.notify_all()

    def _hear(self, process: Process) -> None:
        for message in process.receive():
            if "called" in message:
                self._set_up(process)
            elif "n" in message:
                what = self._open.pop(message["n"], "")
                if not message.get("ok"):
                    self.problems.append(f"{what}: {message.get('why')}")
                if "memory" in message or not message.get("ok"):
                    self.answers[message["n"]] = message
            elif "px" in message:
                self.pixels[message["px"]] = grb = bytes.fromhex(message["grb"])
                self.history.append((message["px"], grb))
            elif "tone" in message:
                if message["tone"] != self.tone_hz:
                    self.tones.append(message["tone"])
                self.tone_hz = message["tone"]
            elif "feed" in message:
                self._fed_at = time.monotonic()
            elif "wdt" in message:
                self._watchdog_s = message["wdt"] / 1000 * self._watchdog_factor
                self._fed_at = time.monotonic()
            elif "scratch" in message:
                self._scratch = message["scratch"]
            elif "up" in message:
                self.up = True
                self.boots += 1
            elif "prompt" in message:
                self.at_prompt = process.at_prompt = True
                self._open.clear()
            elif "reset" in message:
                self.restart("reset")
                return

    def _set_up(self, process: Process) -> None:
        """The board has called: tell it what it is and what lies on it, then let it boot."""
        setup = {"do": "setup", "id": self.unique_id, "cause": self._reset_cause, "scratch": self._scratch}
        process.send({**setup, **self._wiring})
        for told in self._lies_on_it():
            process.send(told)
        process.send({"do": "go"})
        self._told = True

    def _carry(self, plug: Plug, process: Process | None) -> None:
        """Serial bytes, both ways. A side that does not take them holds the other up, as the wire does."""
        if len(self._to_tray) < 4096:
            self._to_tray += plug.read()
        if process is None:
            self._to_tray.clear()
            return
        while self._to_tray:
            taken = process.write(bytes(self._to_tray))
            if not taken:
                break
            del self._to_tray[:taken]
        if not self._to_host:
            data = process.read()
            self._to_host += data
            self._keep_text(data)
        if self._to_host:
            del self._to_host[: plug.write(bytes(self._to_host))]

    def _keep_text(self, data: bytes) -> None:
        self._line += data
        *lines, rest = bytes(self._line).split(b"\n")
        self._line = bytearray(rest[-4096:])
        for line in lines:
            text = line.decode("ascii", "replace").rstrip("\r")
            if text and not text.startswith("~"):
                self.log.append(text)

    def _look_after(self, process: Process | None) -> None:
        now = time.monotonic()
        if process is None:
            return
        if self._watchdog_s and now - self._fed_at > self._watchdog_s:
            self.log.append("(virtual tray: the watchdog bites)")
            self.restart("reset")
            return
        status = process.exit_status()
        if status is not None:
            self._keep_text(process.read() + b"\n")
            self._quick = self._quick + 1 if now - self._spawned_at < _QUICK_S else 0
            if self._quick >= _QUICK_MOST:
                tail = "".join(f"\n  {line}" for line in list(self.log)[-12:])
                self.broken = (
                    f"the tray's interpreter ended {_QUICK_MOST} times at once, last with status {status}{tail}"
                )
                self._process = None
                process.kill()
                return
            self.restart("reset")
        elif not self.up and now - self._spawned_at > START_S:
            self.broken = "the tray's interpreter started but never called"

    def restart(self, cause: str) -> None:
        """End the board's process, if there is one, and start a fresh one. In the board's thread."""
        self._stop_board()
        if cause == "power":
            self._scratch = 0
        self._reset_cause = cause
        self._spawned_at = time.monotonic()
        self._process = Process(self._interpreter, self._flash, HEAP_BYTES)

    def _stop_board(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
        self.up = self.at_prompt = self._told = False
        self._watchdog_s = 0.0
        self._open.clear()
        self._to_tray.clear()
        self.tone_hz = 0

    def pull(self, keep_power: bool) -> None:
        """Pull the cable. In the board's thread, as `post` sees to."""
        if self._plug is not None:
            self._plug.unplug()
        self.plugged = False
        self._to_host.clear()
        self._to_tray.clear()
        if not keep_power:
            self._stop_board()
            self.pixels.clear()

    def push_back(self) -> None:
        """Put the cable back. In the board's thread."""
        if self._plug is not None:
            self._plug.plug()
            self.plugged = True
        if self._process is None:
            self.restart("power")

    def post(self, action: Callable[[], None]) -> None:
        """Have something done in the board's thread, after all that was left to it before."""
        self._orders.append(action)
        self._wake()

    def _wake(self) -> None:
        if self._wake_write >= 0:
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(self._wake_write, b".")

    def _send(self, order: dict[str, Any], what: str) -> None:
        # A board without power hears nothing; what lies on it is told to it at its next start.
        if self._told and self._process is not None and not self.at_prompt:
            self._open[order["n"]] = what
            self._process.send(order)
