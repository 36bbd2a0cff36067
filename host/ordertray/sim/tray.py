"""`VirtualTray`: the order tray without hardware, held by its table.

The firmware runs, unmodified, in a child process on the real MicroPython interpreter (or on CPython); under it a
simulated Pico with reader chips, buttons and strips; in front of it a serial port that pyserial can open. This class is
the hand at the table: it lays tags on pads, presses buttons, pulls the cable, breaks things, and sees every pixel. What
lives on without a hand - the process, its bytes, resets - is `SimulatedBoard`.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from ordertray_firmware import config as firmware_config

from .board import IDLE_S, START_S, SimulatedBoard, patient
from .chips import CHIPS, TAG_KINDS
from .inside.world import BOARD_FAULTS
from .plug import Plug, PtyPlug, SocketPlug
from .process import Interpreter, choose_interpreter

Transport = Literal["auto", "pty", "socket"]
Pixel = tuple[int, int, int]


class VirtualTrayError(RuntimeError):
    """The virtual tray cannot go on; the text holds what it wrote last."""


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
        self._given_flash = flash

        # What the hand at the table has done; it outlives resets of the board.
        self._placed: list[dict[str, Any]] = []
        self._closed: set[tuple[str, str]] = set()
        self._faults: dict[tuple[str | None, str], dict[str, Any]] = {}
        for side, button in hold or []:
            self._check_button(side, button)
            self._closed.add((side, button))

        self._plug: Plug | None = None
        self._folder: Path | None = None
        wired = {"wiring": self.wiring, "chips": self._chips}
        self._board = SimulatedBoard(self.interpreter, unique_id, wired, self._lies_on_it, watchdog_factor)
        for pad, uid in placed or []:
            self.place(pad, uid)

    # --- life -----------------------------------------------------------------------------------------------------

    def start(self, deadline_s: float = START_S) -> Self:
        """Power the tray on and wait until its firmware runs. Raises VirtualTrayError if it does not."""
        if self._board.started:
            raise VirtualTrayError("the virtual tray has been started already")
        self._folder = Path(tempfile.mkdtemp(prefix="ordertray-"))
        flash = self.flash
        flash.mkdir(parents=True, exist_ok=True)
        if self._config_text is not None:
            (flash / firmware_config.FILE).write_text(self._config_text)
        try:
            self._plug = self._make_plug()
            self._board.start(self._plug, flash)
            self.wait_for(lambda: self._board.up, deadline_s, "the firmware to start")
        except BaseException:
            self.close()
            raise
        return self

    async def start_async(self, deadline_s: float = START_S) -> Self:
        """start() for asyncio."""
        return await asyncio.to_thread(self.start, deadline_s)

    def close(self) -> None:
        """End the tray, free the port, remove the temporary flash. Harmless the second time."""
        self._board.close()
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
        grb = self._board.pixels.get(side, bytes(3 * count))
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
        with self._board.changed:
            frames = [grb for name, grb in self._board.history if name == side]
        return ["".join(nearest_colour((g[i + 1], g[i], g[i + 2])) for i in range(0, len(g), 3)) for g in frames]

    @property
    def tone_hz(self) -> int:
        """What the buzzer sounds now; 0 for silence."""
        return self._board.tone_hz

    @property
    def tones(self) -> list[int]:
        """The last tones in hertz, silences as 0, oldest first."""
        return list(self._board.tones)

    @property
    def boots(self) -> int:
        """How many times the firmware has started."""
        return self._board.boots

    @property
    def running(self) -> bool:
        """Whether the firmware runs: powered, booted, not at its prompt."""
        return self._board.up and not self._board.at_prompt

    @property
    def plugged(self) -> bool:
        """Whether the cable is in: the port exists."""
        return self._board.plugged

    @property
    def at_prompt(self) -> bool:
        """Whether the firmware has left the board to MicroPython's prompt."""
        return self._board.at_prompt

    @property
    def log(self) -> list[str]:
        """Text lines (no frames) that the tray wrote to its serial port, the last 400."""
        return list(self._board.log)

    @property
    def problems(self) -> list[str]:
        """Orders that the simulated table could not carry out, such as a fault that the chip does not have."""
        return list(self._board.problems)

    def wait_for(self, condition: Callable[[], object], deadline_s: float = 5.0, what: str = "") -> None:
        """Wait until `condition()` is true; it is asked whenever something changes and every 20 ms.

        Raises TimeoutError after `deadline_s` (see `patient`) with what was waited for and the state of the tray, and
        VirtualTrayError when the tray has failed.
        """
        deadline_s = patient(deadline_s)
        end = time.monotonic() + deadline_s
        with self._board.changed:
            while not condition():
                self._raise_if_broken()
                if time.monotonic() >= end:
                    raise TimeoutError(
                        self._describe(what or getattr(condition, "__name__", "a condition"), deadline_s)
                    )
                self._board.changed.wait(IDLE_S)

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
        self._board.order({"do": "sync"}, "sync")
        self.wait_for(lambda: self._board.idle, deadline_s, "the table's orders to be carried out")
        problems, self._board.problems = self._board.problems, []
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
        self._board.order(order, f"place {tag} {uid} on {pad}")

    def remove(self, pad: str, uid: str | None = None) -> None:
        """Take the tag with that UID off a pad, or all of them. Raises ValueError for an unknown pad."""
        self._check_pad(pad)
        self._placed = [o for o in self._placed if o["pad"] != pad or (uid is not None and o["uid"] != uid)]
        self._board.order({"do": "remove", "pad": pad, "uid": uid}, f"remove from {pad}")

    def tap(self, pad: str, uid: str | None = None, tag: str = "ntag213", for_ms: int = 400) -> None:
        """Lay a tag down; it is taken away again after `for_ms` of the board's time, but not before the reader looked.

        A board that is reset meanwhile finds the pad empty. Raises ValueError as place() does.
        """
        self._board.order(self._tag_order(pad, uid, tag, {"for_us": for_ms * 1000}), f"tap {tag} {uid} on {pad}")

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
        self._board.order(order, f"click {side} {button}")

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
        self._board.order(order, f"fault {name}")

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
        number = self._board.order({"do": "memory", "uid": uid}, f"memory of {uid}")
        self.wait_for(lambda: number in self._board.answers, deadline_s, f"the memory of {uid}")
        answer = self._board.answers.pop(number)
        if not answer.get("ok"):
            raise VirtualTrayError(str(answer.get("why")))
        return bytes.fromhex(answer["memory"])

    def reset(self) -> None:
        """Press the board's reset button. Tags and fingers stay where they are."""
        self._board.post(lambda: self._board.restart("power"))

    def unplug(self, keep_power: bool = False) -> None:
        """Pull the USB cable: the port vanishes, and the board loses its power (unless `keep_power`)."""
        self._board.post(lambda: self._board.pull(keep_power))

    def replug(self) -> None:
        """Put the cable back."""
        self._board.post(self._board.push_back)

    # --- inside -------------------------------------------------------------------------------------------

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
        self._board.order(order, f"{'press' if closed else 'release'} {side} {button}")

    def _raise_if_broken(self) -> None:
        if self._board.broken:
            raise VirtualTrayError(self._board.broken)
        if self._board.closing:
            raise VirtualTrayError("the virtual tray has been closed")

    def _describe(self, what: str, deadline_s: float) -> str:
        strips = " ".join(f"{side}={self.colours(side)}" for side in sorted(self.wiring["sides"]))
        state = "at its prompt" if self._board.at_prompt else "running" if self._board.up else "off"
        said = "".join(f"\n  {line}" for line in list(self._board.log)[-8:])
        return f"waited {deadline_s} s for {what}; the tray is {state}, boot {self._board.boots}, {strips}{said}"

    def _lies_on_it(self) -> Iterator[dict[str, Any]]:
        """What the board finds at its start: tags, fingers on buttons, faults."""
        yield from list(self._placed)
        for side, button in list(self._closed):
            yield {"do": "contact", "side": side, "button": button, "closed": True}
        yield from list(self._faults.values())

    def _make_plug(self) -> Plug:
        assert self._folder is not None
        if self._transport != "socket":
            try:
                return PtyPlug(self._folder)
            except OSError:
                if self._transport == "pty":
                    raise
        return SocketPlug()


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
