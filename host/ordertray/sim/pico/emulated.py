"""`EmulatedPico`: a Raspberry Pi Pico in software, its cable, and the hand at its table."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rp2040py.boards import BoardSpec
from rp2040py.device.base_device import BaseDevice
from rp2040py.execute_batch import execute_batch
from rp2040py.memory_map import FLASH_START_ADDRESS
from rp2040py.utils.logging import LogLevel

from ordertray_firmware import config as firmware_config

from ..chips import make_tag
from ..flash_disk import BLOCK_BYTES, BLOCKS, START, build_flash, read_flash
from ..plug import PtyPlug
from ..tray import Pixel, nearest_colour
from .hardware import Hardware

#: One step of the emulator ends after this much emulated time (or 5 ms of real time), so that hosts get their turn.
STEP_NS = 250_000.0
#: How many instructions may share one tick of the clock: a timer is late by no more than that.
TICK_BATCH = 64


class PicoError(RuntimeError):
    """The emulated Pico cannot be made or cannot go on."""


class EmulatedPico:
    """An RP2040 that runs a MicroPython image, with the tray's hardware on its pins and a serial port for a host.

    image: the .uf2 of MicroPython for RPI_PICO. files: what lies on its flash, path -> contents; None: as from the
    shop, no file system at all. config: the wiring of the simulated hardware (as on the tray's flash). chips: pad ->
    "pn532", "mfrc522" or "none". Nothing runs until step() is called: by hand, by timing.run_with(), or by a thread
    between start() and close(). Methods may be called from other threads while it has one. Raises PicoError for an
    image that cannot be read.
    """

    def __init__(
        self,
        image: Path,
        files: Mapping[str, bytes] | None = None,
        config: Mapping[str, Any] | None = None,
        chips: Mapping[str, str] | None = None,
    ) -> None:
        self.wiring, faults = firmware_config.load(None if config is None else json.dumps(config))
        if faults:
            raise PicoError("; ".join(faults))
        try:
            self._device = BaseDevice(board=BoardSpec(image=image), log_level=LogLevel.ERROR)
        except (OSError, ValueError) as error:
            raise PicoError(f"{image}: not a UF2 image of MicroPython ({error})") from error
        self.mcu = self._device.mcu
        if files is not None:
            self.mcu.flash[START : START + BLOCKS * BLOCK_BYTES] = build_flash(files)
        self.hardware = Hardware(self.mcu, self.wiring, chips or {})
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None
        self._closing = False
        self._broken: BaseException | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="ordertray-pico-")
        self._plug = PtyPlug(Path(self._folder.name))
        self._plug.unplug()
        self._enumerated = self._terminal = False
        self._waiting_out: tuple[int, int] | None = None
        self._to_tray, self._to_host = bytearray(), bytearray()
        self.log: list[str] = []
        self._line = bytearray()
        #: (emulated seconds, bytes) of what the firmware sent, first bytes of each packet.
        self.sent: list[tuple[float, bytes]] = []
        self.boots = 0
        self.booted_at_s = 0.0
        self._connect_usb()
        self._step_alarm = self.mcu.clock.create_alarm(self._end_step)
        self.mcu.core.pc = FLASH_START_ADDRESS

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Emulated seconds since power-on."""
        return float(self.mcu.clock.nanos) / 1e9

    @property
    def url(self) -> str:
        """The serial port, for pyserial; it is there once the firmware has brought up USB."""
        return self._plug.url

    def step(self) -> None:
        """Let the Pico run for at most STEP_NS of its time or 5 ms of ours, and move what is on the cable."""
        with self._lock:
            simulator = self._device.simulator
            simulator.stopped = False
            self._step_alarm.schedule(STEP_NS)
            execute_batch(simulator, TICK_BATCH)
            self.hardware.pacer.look()
            self._carry()
            self._changed.notify_all()

    def run_until(self, condition: Callable[[], object], limit_s: float, what: str = "") -> None:
        """step() until the condition holds. Raises TimeoutError after limit_s emulated seconds."""
        end_s = self.now_s + limit_s
        while not condition():
            if self.now_s >= end_s:
                raise TimeoutError(self._describe(what or "a condition", limit_s))
            self.step()

    def run_for(self, seconds: float) -> None:
        """step() for so many emulated seconds."""
        end_s = self.now_s + seconds
        self.run_until(lambda: self.now_s >= end_s, seconds + 1)

    def start(self) -> Self:
        """Let it run in a thread of its own until close(): for hosts that block."""
        self._thread = threading.Thread(target=self._run, name="emulated Pico", daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            while not self._closing:
                self.step()
                time.sleep(0)  # the lock is free for a moment
        except BaseException as error:
            self._broken = error

    def close(self) -> None:
        """End the thread, if any, and free the port. Harmless the second time."""
        self._closing = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._plug.unplug()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def wait_for(self, condition: Callable[[], object], deadline_s: float = 60.0, what: str = "") -> None:
        """Wait in real time while the thread runs. Raises TimeoutError, PicoError when the emulator has failed."""
        end = time.monotonic() + deadline_s
        with self._changed:
            while not condition():
                if self._broken is not None:
                    raise PicoError(f"the emulator failed: {self._broken!r}") from self._broken
                if time.monotonic() >= end:
                    raise TimeoutError(self._describe(what or "a condition", deadline_s))
                self._changed.wait(0.02)

    # --- the hand at the table ----------------------------------------------------------------------------------------

    def place(self, pad: str, uid: str | None = None, tag: str = "ntag213") -> None:
        """Lay a tag on a pad."""
        with self._lock:
            self.hardware.pads[pad].put(make_tag(tag, uid))

    def remove(self, pad: str, uid: str | None = None) -> None:
        """Take the tag with that UID off a pad, or all of them."""
        with self._lock:
            self.hardware.pads[pad].take(uid)

    def press(self, side: str, button: str) -> None:
        """Push a button down."""
        with self._lock:
            self.hardware.contact(side, button, True)

    def release(self, side: str, button: str) -> None:
        """Let a button go."""
        with self._lock:
            self.hardware.contact(side, button, False)

    def click(self, side: str, button: str, for_ms: int = 80) -> None:
        """Press a button and release it `for_ms` emulated milliseconds later; returns at once."""
        with self._lock:
            self.press(side, button)
            self.mcu.clock.create_alarm(lambda: self.release(side, button)).schedule(for_ms * 1e6)

    def hold(self, side: str, button: str, for_ms: int = 1200) -> None:
        """Press a button for its second function; returns at once."""
        self.click(side, button, for_ms)

    def reset(self) -> None:
        """The RUN pin: tags and fingers stay where they are."""
        with self._lock:
            self._device.hard_reset()

    # --- what is to be seen -------------------------------------------------------------------------------------------

    def pixels(self, side: str) -> list[Pixel]:
        """(red, green, blue) of every pixel of a strip as the LEDs got them; dark before the first frame."""
        grb = self.hardware.pixels.get(side, bytes(3 * self.wiring["sides"][side]["pixels"]["count"]))
        return [(grb[i + 1], grb[i], grb[i + 2]) for i in range(0, len(grb), 3)]

    def colours(self, side: str) -> str:
        """The strip as palette letters, whatever their brightness."""
        return "".join(nearest_colour(pixel) for pixel in self.pixels(side))

    def files(self) -> dict[str, bytes]:
        """What lies on the board's flash now, path -> contents."""
        with self._lock:
            return read_flash(self.mcu.flash[START : START + BLOCKS * BLOCK_BYTES])

    def write_file(self, path: str, data: bytes) -> None:
        """Change a file on the board's flash behind the firmware's back: only before it has started."""
        with self._lock:
            self.mcu.flash[START : START + BLOCKS * BLOCK_BYTES] = build_flash({**self.files(), path: data})

    @property
    def problems(self) -> list[str]:
        """What the hardware saw that must not be: two chips selected, pulses that no strip understands."""
        return self.hardware.problems

    @property
    def tones(self) -> list[int]:
        """The last tones of the buzzer in hertz, oldest first."""
        return list(self.hardware.tones)

    def _describe(self, what: str, limit_s: float) -> str:
        strips = " ".join(f"{side}={self.colours(side)}" for side in sorted(self.wiring["sides"]))
        said = "".join(f"\n  {line}" for line in self.log[-8:])
        return f"waited {limit_s} s for {what}; boot {self.boots}, {self.now_s:.3f} s, {strips}{said}"

    # --- inside -------------------------------------------------------------------------------------------------------

    def _end_step(self) -> None:
        self._device.simulator.stopped = True

    def _connect_usb(self) -> None:
        usb, cdc = self.mcu.usb_ctrl, self._device.cdc
        read, reset = usb.on_endpoint_read, usb.on_reset

        def endpoint_read(endpoint: int, size: int) -> None:
            # A real host sends nothing when it has nothing to say, where the emulator's sends empty packets for ever.
            if endpoint:
                self._waiting_out = (endpoint, size)
                self._give()
            elif read is not None:
                read(endpoint, size)

        def dropped_off() -> None:
            if reset is not None:
                reset()
            self._enumerated = False
            self._waiting_out = None
            self._to_tray.clear()
            self._to_host.clear()
            self._plug.unplug()
            self.booted_at_s = self.now_s

        usb.on_endpoint_read = endpoint_read
        usb.on_reset = dropped_off
        cdc.on_device_connected = self._connected
        cdc.on_serial_data = self._from_tray

    def _connected(self) -> None:
        self._enumerated = True
        self._terminal = True
        self.boots += 1
        self._plug.plug()

    def _from_tray(self, data: bytes | bytearray) -> None:
        if not data:
            return
        self.sent.append((self.now_s, bytes(data)))
        self._to_host += data
        self._line += data
        *lines, rest = bytes(self._line).split(b"\n")
        self._line = bytearray(rest[-4096:])
        for line in lines:
            text = line.decode("ascii", "replace").rstrip("\r")
            if text and not text.startswith("~"):
                self.log.append(text)

    def _give(self) -> None:
        if self._waiting_out is not None and self._to_tray:
            endpoint, size = self._waiting_out
            self._waiting_out = None
            packet = bytes(self._to_tray[: min(size, 64)])
            del self._to_tray[: len(packet)]
            self.mcu.usb_ctrl.endpoint_read_done(endpoint, packet)

    def _carry(self) -> None:
        """Bytes between the pseudo-terminal and USB; the terminal's DTR line."""
        if not self._enumerated:
            return
        here = self._plug.connected()
        if here != self._terminal:
            self._terminal = here
            self._device.cdc.set_control_lines(dtr=here, rts=here)
        if len(self._to_tray) < 4096:
            self._to_tray += self._plug.read()
        self._give()
        if self._to_host:
            del self._to_host[: self._plug.write(bytes(self._to_host))]
