"""`VirtualTray`: the order tray without hardware, held by its table.

The firmware runs, unmodified, in a child process on the real MicroPython interpreter (or on CPython); under it a
simulated Pico with reader chips, buttons and strips; in front of it a serial port that pyserial can open. This class is
the hand at the table: it lays tags on pads, presses buttons, pulls the cable, breaks things, and sees every pixel.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import os
import select
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from ordertray_firmware import config as firmware_config

from .chips import CHIPS, TAG_KINDS
from .inside.world import BOARD_FAULTS
from .plug import Plug, PtyPlug, SocketPlug
from .process import Interpreter, Process, choose_interpreter

Transport = Literal["auto", "pty", "socket"]
Pixel = tuple[int, int, int]

# A MicroPython object takes twice the room on a 64-bit machine; the simulated chips live in the same heap.
HEAP_BYTES = 2 * 1024 * 1024
START_S = 20.0
_IDLE_S = 0.02
_QUICK_S = 1.0
_QUICK_MOST = 3
_LOG_LINES = 400


class VirtualTrayError(RuntimeError):
    """The virtual tray cannot go on; the text holds what it wrote last."""


def patient(deadline_s: float) -> float:
    """A deadline on this machine: `ORDERTRAY_PATIENCE` says how many times as long as a quick, idle one it needs."""
    try:
        return deadline_s * max(1.0, float(os.environ.get("ORDERTRAY_PATIENCE", 1)))
    except ValueError:
        return deadline_s


class VirtualTray:
    """A running tray. Use as a context manager, `with` or `async with`; start() and close() do the same by hand.

    interpreter: "auto" (MicroPython where its package is installed), "micropython" or "cpython".
    config: what lies on the tray's flash as config.json: a dict, or text (which may be broken); None for no file.
    transport: "pty" (a serial port), "socket" (`socket://`), or "auto": pty where the system has them.
    chips: pad -> "pn532", "mfrc522" or "none" (nothing plugged in); by default what the configuration names.
    unique_id: of the simulated board, hex. flash: a folder to keep as the board's flash; None for a temporary one.
    hold: buttons that are down at power-on, as (side, button). placed: tags on the pads at power-on, as (pad, uid).
    watchdog_factor: the watchdog bites after this share of its time (to test it without waiting).

    Which calls wait: start, close, wait_for, sync and memory. All others only leave an order for the tray's thread and
    return at once, so they may be used from asyncio; for those that wait there are start_async, close_async,
    wait_for_async and sync_async. Orders are carried out in their order. All methods may be called from any thread.
    """

    def __init__(
        self,
        interpreter: Interpreter = "auto",
        config: Mapping[str, Any] | str | None = None,
        transport: Transport = "auto",
        chips: Mapping[str, str] | None = None,
        unique_id: str = "E6616408430A1B2C",
        flash: Path | None = None,
        hold: list[tuple[str, str]] | None = None,
        placed: list[tuple[str, str]] | None = None,
        watchdog_factor: float = 1.0,
    ) -> None:
        self.interpreter = choose_interpreter(interpreter)
        if transport not in ("auto", "pty", "socket"):
            raise ValueError(f"unknown transport {transport!r}: auto, pty or socket")
        text = config if isinstance(config, str) or config is None else json.dumps(config)
        # The wiring of the simulated hardware is what the firmware will make of its configuration.
        self.wiring, self.config_faults = firmware_config.load(text)
        self.pads: list[str] = [reader["pad"] for reader in self.wiring["readers"]]
        self._chips = {reader["pad"]: str(reader["chip"]) for reader in self.wiring["readers"]}
        for pad, chip in (chips or {}).items():
            if pad not in self.pads:
                raise ValueError(f"chips: no pad {pad!r}: {', '.join(self.pads)}")
            if chip != "none" and chip not in CHIPS:
                raise ValueError(f"chips: unknown chip {chip!r}: none, {', '.join(sorted(CHIPS))}")
            self._chips[pad] = chip
        self._config_text = text
        self._transport = transport
        self._unique_id = unique_id
        self._given_flash = flash
        self._watchdog_factor = watchdog_factor

        # What the hand at the table has done; it outlives resets of the board.
        self._placed: list[dict[str, Any]] = []
        self._closed: set[tuple[str, str]] = set()
        self._faults: dict[tuple[str | None, str], dict[str, Any]] = {}
        for side, button in hold or []:
            self._check_button(side, button)
            self._closed.add((side, button))

        # Owned by the pump thread; others read single attributes or hold `_changed`.
        self._changed = threading.Condition()
        self._orders: collections.deque[Callable[[], None]] = collections.deque()
        self._plug: Plug | None = None
        self._process: Process | None = None
        self._thread: threading.Thread | None = None
        self._wake_read, self._wake_write = -1, -1
        self._folder: Path | None = None
        self._closing = False
        self._broken = ""
        self._up = False
        self._powered = True
        self._boots = 0
        self._spawned_at = 0.0
        self._quick = 0
        self._scratch = 0
        self._watchdog_s = 0.0
        self._fed_at = 0.0
        self._number = 0
        self._open: dict[int, str] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._problems: list[str] = []
        self._pixels: dict[str, bytes] = {}
        self._history: collections.deque[tuple[str, bytes]] = collections.deque(maxlen=512)
        self._tone_hz = 0
        self._tones: collections.deque[int] = collections.deque(maxlen=200)
        self._log: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)
        self._line = bytearray()
        self._to_host = bytearray()
        self._to_tray = bytearray()
        self._reset_cause = "power"
        self._at_prompt = False
        self._plugged = False
        self._told = False  # whether the board knows what lies on it; before that it is told all at once
        for pad, uid in placed or []:
            self.place(pad, uid)

    # --- life -----------------------------------------------------------------------------------------------------

    def start(self, deadline_s: float = START_S) -> Self:
        """Power the tray on and wait until its firmware runs. Raises VirtualTrayError if it does not."""
        if self._thread is not None:
            raise VirtualTrayError("the virtual tray has been started already")
        self._folder = Path(tempfile.mkdtemp(prefix="ordertray-"))
        flash = self.flash
        flash.mkdir(parents=True, exist_ok=True)
        if self._config_text is not None:
            (flash / firmware_config.FILE).write_text(self._config_text)
        try:
            self._plug = self._make_plug()
            self._plugged = True
            self._wake_read, self._wake_write = os.pipe()
            os.set_blocking(self._wake_read, False)
            os.set_blocking(self._wake_write, False)
            self._thread = threading.Thread(target=self._pump, name="virtual tray", daemon=True)
            self._thread.start()
            self.wait_for(lambda: self._up, deadline_s, "the firmware to start")
        except BaseException:
            self.close()
            raise
        return self

    async def start_async(self, deadline_s: float = START_S) -> Self:
        """start() for asyncio."""
        return await asyncio.to_thread(self.start, deadline_s)

    def close(self) -> None:
        """End the tray, free the port, remove the temporary flash. Harmless the second time."""
        self._closing = True
        self._wake()
        if self._thread is not None:
            self._thread.join()
        for fd in (self._wake_read, self._wake_write):
            if fd >= 0:
                os.close(fd)
        self._wake_read = self._wake_write = -1
        if self._plug is not None:
            self._plug.unplug()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def close_async(self) -> None:
        """close() for asyncio."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return await self.start_async()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close_async()

    # --- what is to be seen ---------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The serial port, for `serial.serial_for_url`. The same for the tray's whole life."""
        if self._plug is None:
            raise VirtualTrayError("the virtual tray has not been started")
        return self._plug.url

    @property
    def flash(self) -> Path:
        """The folder that plays the board's flash."""
        if self._given_flash is not None:
            return self._given_flash
        if self._folder is None:
            raise VirtualTrayError("the virtual tray has not been started")
        return self._folder / "flash"

    def pixels(self, side: str) -> list[Pixel]:
        """(red, green, blue), 0..255 each, of every pixel of a strip as the LEDs got them; dark before the first frame.

        Raises ValueError for an unknown side.
        """
        count = self._check_side(side)["pixels"]["count"]
        grb = self._pixels.get(side, bytes(3 * count))
        return [(grb[i + 1], grb[i], grb[i + 2]) for i in range(0, len(grb), 3)]

    def colours(self, side: str) -> str:
        """The strip as palette letters, one for each pixel, whatever their brightness.

        Raises ValueError for an unknown side.
        """
        return "".join(nearest_colour(pixel) for pixel in self.pixels(side))

    def pictures(self, side: str) -> list[str]:
        """The last 256 different pictures of a strip as palette letters, oldest first: for what does not stay long.

        Raises ValueError for an unknown side.
        """
        self._check_side(side)
        with self._changed:
            frames = [grb for name, grb in self._history if name == side]
        return ["".join(nearest_colour((g[i + 1], g[i], g[i + 2])) for i in range(0, len(g), 3)) for g in frames]

    @property
    def tone_hz(self) -> int:
        """What the buzzer sounds now; 0 for silence."""
        return self._tone_hz

    @property
    def tones(self) -> list[int]:
        """The last tones in hertz, silences as 0, oldest first."""
        return list(self._tones)

    @property
    def boots(self) -> int:
        """How many times the firmware has started."""
        return self._boots

    @property
    def running(self) -> bool:
        """Whether the firmware runs: powered, booted, not at its prompt."""
        return self._up and not self._at_prompt

    @property
    def plugged(self) -> bool:
        """Whether the cable is in: the port exists."""
        return self._plugged

    @property
    def at_prompt(self) -> bool:
        """Whether the firmware has left the board to MicroPython's prompt."""
        return self._at_prompt

    @property
    def log(self) -> list[str]:
        """Text lines (no frames) that the tray wrote to its serial port, the last 400."""
        return list(self._log)

    @property
    def problems(self) -> list[str]:
        """Orders that the simulated table could not carry out, such as a fault that the chip does not have."""
        return list(self._problems)

    def wait_for(self, condition: Callable[[], object], deadline_s: float = 5.0, what: str = "") -> None:
        """Wait until `condition()` is true; it is asked whenever something changes and every 20 ms.

        Raises TimeoutError after `deadline_s` (see `patient`) with what was waited for and the state of the tray, and
        VirtualTrayError when the tray has failed.
        """
        deadline_s = patient(deadline_s)
        end = time.monotonic() + deadline_s
        with self._changed:
            while not condition():
                self._raise_if_broken()
                if time.monotonic() >= end:
                    raise TimeoutError(
                        self._describe(what or getattr(condition, "__name__", "a condition"), deadline_s)
                    )
                self._changed.wait(_IDLE_S)

    async def wait_for_async(self, condition: Callable[[], object], deadline_s: float = 5.0, what: str = "") -> None:
        """wait_for() for asyncio; the condition is asked every 5 ms, in the event loop."""
        deadline_s = patient(deadline_s)
        end = time.monotonic() + deadline_s
        while not condition():
            self._raise_if_broken()
            if time.monotonic() >= end:
                raise TimeoutError(self._describe(what or getattr(condition, "__name__", "a condition"), deadline_s))
            await asyncio.sleep(0.005)

    def sync(self, deadline_s: float = 5.0) -> None:
        """Wait until the board has carried out all orders so far.

        Raises VirtualTrayError if one of them was impossible, TimeoutError if the board does not answer (at its prompt
        it does not).
        """
        self._order({"do": "sync"}, "sync")
        self.wait_for(lambda: not self._orders and not self._open, deadline_s, "the table's orders to be carried out")
        problems, self._problems = self._problems, []
        if problems:
            raise VirtualTrayError("; ".join(problems))

    async def sync_async(self, deadline_s: float = 5.0) -> None:
        """sync() for asyncio."""
        await asyncio.to_thread(self.sync, deadline_s)

    # --- what hands do --------------------------------------------------------------------------------------------

    def place(self, pad: str, uid: str | None = None, tag: str = "ntag213", **extra: Any) -> None:
        """Lay a tag on a pad. `tag` is a kind of `chips.TAG_KINDS`; without `uid` the kind's own is taken.

        extra: `copy` (a number; tells two tags with one UID apart), `pull_after` (frames after which it is pulled
        away), `spoil` (see chips.tags.Tag.spoil). Raises ValueError for an unknown pad or kind.
        """
        order = self._tag_order(pad, uid, tag, extra)
        self._placed.append(order)
        self._order(order, f"place {tag} {uid} on {pad}")

    def remove(self, pad: str, uid: str | None = None) -> None:
        """Take the tag with that UID off a pad, or all of them. Raises ValueError for an unknown pad."""
        self._check_pad(pad)
        self._placed = [o for o in self._placed if o["pad"] != pad or (uid is not None and o["uid"] != uid)]
        self._order({"do": "remove", "pad": pad, "uid": uid}, f"remove from {pad}")

    def tap(self, pad: str, uid: str | None = None, tag: str = "ntag213", for_ms: int = 400) -> None:
        """Lay a tag down; it is taken away again after `for_ms` of the board's time, but not before the reader looked.

        A board that is reset meanwhile finds the pad empty. Raises ValueError as place() does.
        """
        self._order(self._tag_order(pad, uid, tag, {"for_us": for_ms * 1000}), f"tap {tag} {uid} on {pad}")

    def press(self, side: str, button: str, bounce_ms: float = 0) -> None:
        """Push a button down; its contact bounces for `bounce_ms`. Raises ValueError for an unknown button."""
        self._check_button(side, button)
        self._closed.add((side, button))
        self._contact(side, button, True, bounce_ms)

    def release(self, side: str, button: str, bounce_ms: float = 0) -> None:
        """Let a button go."""
        self._check_button(side, button)
        self._closed.discard((side, button))
        self._contact(side, button, False, bounce_ms)

    def click(self, side: str, button: str, for_ms: int = 80) -> None:
        """Press a button; it is released after `for_ms` of the board's time, but not before the firmware saw it.

        A board that is reset meanwhile finds it up. Raises ValueError as press() does.
        """
        self._check_button(side, button)
        order = {"do": "contact", "side": side, "button": button, "closed": True, "for_us": for_ms * 1000}
        self._order(order, f"click {side} {button}")

    def hold(self, side: str, button: str, for_ms: int = 1200) -> None:
        """Press a button long enough for its second function (1 s), then release it; returns at once."""
        self.click(side, button, for_ms)

    def fault(self, name: str, on: bool = True, pad: str | None = None, **params: Any) -> None:
        """Break something, or mend it with on=False.

        With `pad`, a fault of that pad's reader chip (chips.Chip.faults() has names and parameters); without, one of
        the board (inside.world.BOARD_FAULTS). Raises ValueError for an unknown name or pad.
        """
        known = self.faults(pad)
        if name not in known:
            raise ValueError(f"unknown fault {name!r}: {', '.join(sorted(known))}")
        order = {"do": "fault", "name": name, "on": on, "params": params}
        if pad is not None:
            order["pad"] = pad
        if not on:
            self._faults.pop((pad, name), None)
        elif pad is not None and name != "brown-out":
            self._faults[(pad, name)] = order
        self._order(order, f"fault {name}")

    def faults(self, pad: str | None = None) -> dict[str, str]:
        """Names and help of the faults that can be injected: the board's, or those of a pad's reader chip."""
        if pad is None:
            return dict(BOARD_FAULTS)
        self._check_pad(pad)
        if self._chips[pad] == "none":
            return {}
        return dict(CHIPS[self._chips[pad]].FAULTS)

    def memory(self, uid: str, deadline_s: float = 5.0) -> bytes:
        """The memory of a tag that has been laid down since the last reset, all pages. Raises VirtualTrayError."""
        number = self._order({"do": "memory", "uid": uid}, f"memory of {uid}")
        self.wait_for(lambda: number in self._answers, deadline_s, f"the memory of {uid}")
        answer = self._answers.pop(number)
        if not answer.get("ok"):
            raise VirtualTrayError(str(answer.get("why")))
        return bytes.fromhex(answer["memory"])

    def reset(self) -> None:
        """Press the board's reset button. Tags and fingers stay where they are."""
        self._post(lambda: self._restart("power"))

    def unplug(self, keep_power: bool = False) -> None:
        """Pull the USB cable: the port vanishes, and the board loses its power (unless `keep_power`)."""
        self._post(lambda: self._pull(keep_power))

    def replug(self) -> None:
        """Put the cable back."""
        self._post(self._push_back)

    # --- inside: orders -------------------------------------------------------------------------------------------

    def _check_side(self, side: str) -> dict[str, Any]:
        sides: dict[str, dict[str, Any]] = self.wiring["sides"]
        if side not in sides:
            raise ValueError(f"unknown side {side!r}: {', '.join(sorted(sides))}")
        return sides[side]

    def _check_button(self, side: str, button: str) -> None:
        buttons = self._check_side(side)["buttons"]
        if button not in buttons:
            raise ValueError(f"unknown button {button!r} of side {side}: {', '.join(buttons)}")

    def _check_pad(self, pad: str) -> None:
        if pad not in self.pads:
            raise ValueError(f"unknown pad {pad!r}: {', '.join(self.pads)}")

    def _tag_order(self, pad: str, uid: str | None, tag: str, extra: Mapping[str, Any]) -> dict[str, Any]:
        self._check_pad(pad)
        if tag not in TAG_KINDS:
            raise ValueError(f"unknown kind of tag {tag!r}: {', '.join(TAG_KINDS)}")
        return {"do": "place", "pad": pad, "uid": uid, "tag": tag, **extra}

    def _contact(self, side: str, button: str, closed: bool, bounce_ms: float) -> None:
        order = {"do": "contact", "side": side, "button": button, "closed": closed, "bounce_us": int(bounce_ms * 1000)}
        self._order(order, f"{'press' if closed else 'release'} {side} {button}")

    def _order(self, order: dict[str, Any], what: str) -> int:
        """Leave an order for the board; the number of its answer."""
        with self._changed:
            self._number += 1
            number = self._number
        self._post(lambda: self._send({**order, "n": number}, what))
        return number

    def _post(self, action: Callable[[], None]) -> None:
        self._orders.append(action)
        self._wake()

    def _wake(self) -> None:
        if self._wake_write >= 0:
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(self._wake_write, b".")

    def _send(self, order: dict[str, Any], what: str) -> None:
        # A board without power hears nothing; what lies on it is told to it at its next start.
        if self._told and self._process is not None and not self._at_prompt:
            self._open[order["n"]] = what
            self._process.send(order)

    def _raise_if_broken(self) -> None:
        if self._broken:
            raise VirtualTrayError(self._broken)
        if self._closing:
            raise VirtualTrayError("the virtual tray has been closed")

    def _describe(self, what: str, deadline_s: float) -> str:
        strips = " ".join(f"{side}={self.colours(side)}" for side in sorted(self.wiring["sides"]))
        state = "at its prompt" if self._at_prompt else "running" if self._up else "off"
        said = "".join(f"\n  {line}" for line in list(self._log)[-8:])
        return f"waited {deadline_s} s for {what}; the tray is {state}, boot {self._boots}, {strips}{said}"

    # --- inside: the pump thread ----------------------------------------------------------------------------------

    def _make_plug(self) -> Plug:
        assert self._folder is not None
        if self._transport != "socket":
            try:
                return PtyPlug(self._folder)
            except OSError:
                if self._transport == "pty":
                    raise
        return SocketPlug()

    def _pump(self) -> None:
        try:
            self._restart("power")
            while not self._closing:
                self._turn()
        except Exception as error:
            self._broken = f"the virtual tray's own machinery failed: {error!r}"
        finally:
            if self._process is not None:
                self._process.kill()
                self._process = None
            with self._changed:
                self._up = False
                self._changed.notify_all()

    def _turn(self) -> None:
        """One round: wait for something to happen, and pass on whatever there is."""
        plug, process = self._plug, self._process
        assert plug is not None
        reading, writing = [self._wake_read], []
        if plug.fileno() >= 0 and len(self._to_tray) < 4096:
            reading.append(plug.fileno())
        if self._to_host and plug.fileno() >= 0:
            writing.append(plug.fileno())
        if process is not None:
            reading.append(process.control_fd())
            if not self._to_host:
                reading.append(process.serial_fd)
        busy = bool(self._orders) or self._closing
        select.select(reading, writing, [], 0 if busy else _IDLE_S / 4 if self._to_tray else _IDLE_S)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake_read, 64):
                pass
        with self._changed:
            if process is not None:
                self._hear(process)
            if process is self._process:
                self._carry(plug, process)
                self._look_after(process)
            while self._orders:
                self._orders.popleft()()
            self._changed.notify_all()

    def _hear(self, process: Process) -> None:
        for message in process.receive():
            if "called" in message:
                self._set_up(process)
            elif "n" in message:
                what = self._open.pop(message["n"], "")
                if not message.get("ok"):
                    self._problems.append(f"{what}: {message.get('why')}")
                if "memory" in message or not message.get("ok"):
                    self._answers[message["n"]] = message
            elif "px" in message:
                self._pixels[message["px"]] = grb = bytes.fromhex(message["grb"])
                self._history.append((message["px"], grb))
            elif "tone" in message:
                if message["tone"] != self._tone_hz:
                    self._tones.append(message["tone"])
                self._tone_hz = message["tone"]
            elif "feed" in message:
                self._fed_at = time.monotonic()
            elif "wdt" in message:
                self._watchdog_s = message["wdt"] / 1000 * self._watchdog_factor
                self._fed_at = time.monotonic()
            elif "scratch" in message:
                self._scratch = message["scratch"]
            elif "up" in message:
                self._up = True
                self._boots += 1
            elif "prompt" in message:
                self._at_prompt = process.at_prompt = True
                self._open.clear()
            elif "reset" in message:
                self._restart("reset")
                return

    def _set_up(self, process: Process) -> None:
        """The board has called: tell it what it is and what lies on it, then let it boot."""
        process.send(
            {
                "do": "setup",
                "id": self._unique_id,
                "cause": self._reset_cause,
                "scratch": self._scratch,
                "wiring": self.wiring,
                "chips": self._chips,
            }
        )
        for order in list(self._placed):
            process.send(order)
        for side, button in list(self._closed):
            process.send({"do": "contact", "side": side, "button": button, "closed": True})
        for order in list(self._faults.values()):
            process.send(order)
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
                self._log.append(text)

    def _look_after(self, process: Process | None) -> None:
        now = time.monotonic()
        if process is None:
            return
        if self._watchdog_s and now - self._fed_at > self._watchdog_s:
            self._log.append("(virtual tray: the watchdog bites)")
            self._restart("reset")
            return
        status = process.exit_status()
        if status is not None:
            self._keep_text(process.read() + b"\n")
            self._quick = self._quick + 1 if now - self._spawned_at < _QUICK_S else 0
            if self._quick >= _QUICK_MOST:
                tail = "".join(f"\n  {line}" for line in list(self._log)[-12:])
                self._broken = (
                    f"the tray's interpreter ended {_QUICK_MOST} times at once, last with status {status}{tail}"
                )
                self._process = None
                process.kill()
                return
            self._restart("reset")
        elif not self._up and now - self._spawned_at > START_S:
            self._broken = "the tray's interpreter started but never called"

    def _restart(self, cause: str) -> None:
        """End the board's process, if there is one, and start a fresh one."""
        self._stop_board()
        if cause == "power":
            self._scratch = 0
        self._reset_cause = cause
        self._spawned_at = time.monotonic()
        self._process = Process(self.interpreter, self.flash, HEAP_BYTES)

    def _stop_board(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
        self._up = self._at_prompt = self._told = False
        self._watchdog_s = 0.0
        self._open.clear()
        self._to_tray.clear()
        self._tone_hz = 0

    def _pull(self, keep_power: bool) -> None:
        if self._plug is not None:
            self._plug.unplug()
        self._plugged = False
        self._to_host.clear()
        self._to_tray.clear()
        if not keep_power:
            self._stop_board()
            self._pixels.clear()

    def _push_back(self) -> None:
        if self._plug is not None:
            self._plug.plug()
            self._plugged = True
        if self._process is None:
            self._restart("power")


def nearest_colour(pixel: Pixel) -> str:
    """The palette letter that a pixel shows: by which of its LEDs are lit, whatever the brightness and gamma."""
    red, green, blue = pixel
    lit = (red > 0, green > 0, blue > 0)
    if lit == (True, True, False):
        return "y" if green * 3 > red else "o"
    return {
        (False, False, False): ".",
        (True, True, True): "w",
        (True, False, False): "r",
        (False, True, False): "g",
        (False, False, True): "b",
        (True, False, True): "p",
        (False, True, True): "c",
    }[lit]
