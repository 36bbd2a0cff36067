"""The fault console: a prompt at the virtual tray's table (`ordertray sim`).

Whoever sits here is the hand: lays tags down, presses buttons, pulls the cable, breaks chips; the host under test is
whatever opened the port. The same words work as a script on standard input.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .chips import TAG_KINDS
from .process import Interpreter
from .tray import Pixel, Transport, VirtualTray, VirtualTrayError

PROMPT = "tray> "
_ROW = 16


class ConsoleError(ValueError):
    """A line that means nothing; the text says what was expected."""


class Console:
    """Carries out one line at a time on a running tray; `write` takes lines of text. colour: show pixels in colour."""

    def __init__(self, tray: VirtualTray, write: Callable[[str], None] = print, colour: bool = False) -> None:
        self.tray = tray
        self._write = write
        self._colour = colour
        self.ended = False
        self._commands: dict[str, tuple[Callable[[list[str]], None], str, str]] = {
            "place": (self._place, "PAD [UID] [KIND]", f"lay a tag down ({', '.join(TAG_KINDS)})"),
            "remove": (self._remove, "PAD [UID]", "take it away, or all of them"),
            "tap": (self._tap, "PAD [UID] [KIND]", "lay a tag down for 0.4 s"),
            "press": (self._press, "SIDE BUTTON", "push a button down"),
            "release": (self._release, "SIDE BUTTON", "let it go"),
            "click": (self._click, "SIDE BUTTON", "press it for a moment"),
            "hold": (self._hold, "SIDE BUTTON", "press it for longer than a second"),
            "show": (self._show, "", "the strips, as palette letters"),
            "faults": (self._faults, "[PAD]", "what can be broken: of the board, or of a pad's reader"),
            "fault": (self._fault, "[PAD] NAME [KEY=VALUE ...]", "break it"),
            "mend": (self._mend, "[PAD] NAME", "undo that"),
            "unplug": (self._unplug, "[keep-power]", "pull the cable"),
            "replug": (self._replug, "", "put it back"),
            "reset": (self._reset, "", "press the board's reset button"),
            "wait": (self._wait, "SECONDS", "do nothing for a while"),
            "log": (self._log, "", "text that the tray wrote, and how it is"),
            "url": (self._url, "", "the port for the host"),
            "help": (self._help, "", "this list"),
            "quit": (self._quit, "", "switch the tray off"),
        }

    def line(self, text: str) -> None:
        """Carry out a line; blank ones and `#` comments do nothing. Raises ConsoleError for one that means nothing."""
        words = text.split("#", 1)[0].split()
        if not words:
            return
        name, arguments = words[0], words[1:]
        if name not in self._commands:
            raise ConsoleError(f"unknown command {name!r}; `help` lists them")
        action, usage, _help = self._commands[name]
        try:
            action(arguments)
        except (IndexError, TypeError):
            raise ConsoleError(f"usage: {name} {usage}") from None
        except ValueError as error:
            raise ConsoleError(str(error)) from error

    def run(self, lines: Iterable[str]) -> int:
        """Carry out lines until they end or `quit`; the number of lines that were refused, each of which was told."""
        refused = 0
        for number, text in enumerate(lines, 1):
            try:
                self.line(text)
            except ConsoleError as error:
                refused += 1
                self._write(f"line {number}: {error}")
            if self.ended:
                break
        return refused

    @staticmethod
    def _take(arguments: list[str], least: int, most: int) -> list[str]:
        if not least <= len(arguments) <= most:
            raise IndexError
        return arguments

    def _tag(self, arguments: list[str]) -> tuple[str, str | None, str]:
        """PAD [UID] [KIND], where a kind may stand without a UID."""
        pad, *rest = self._take(arguments, 1, 3)
        kinds = [word for word in rest if word in TAG_KINDS]
        uids = [word for word in rest if word not in TAG_KINDS]
        if len(kinds) > 1 or len(uids) > 1:
            raise IndexError
        uid = uids[0].upper() if uids else None
        if uid is not None:
            try:
                size = len(bytes.fromhex(uid))
            except ValueError:
                raise ConsoleError(
                    f"{uid!r} is neither a UID in hex nor a kind of tag: {', '.join(TAG_KINDS)}"
                ) from None
            if size not in (4, 7, 10):
                raise ConsoleError(f"a UID has 4, 7 or 10 bytes, this one {size}")
        return pad, uid, kinds[0] if kinds else "ntag213"

    def _place(self, arguments: list[str]) -> None:
        self.tray.place(*self._tag(arguments))

    def _tap(self, arguments: list[str]) -> None:
        self.tray.tap(*self._tag(arguments))

    def _remove(self, arguments: list[str]) -> None:
        self.tray.remove(*self._take(arguments, 1, 2))

    def _press(self, arguments: list[str]) -> None:
        side, button = self._take(arguments, 2, 2)
        self.tray.press(side, button)

    def _release(self, arguments: list[str]) -> None:
        side, button = self._take(arguments, 2, 2)
        self.tray.release(side, button)

    def _click(self, arguments: list[str]) -> None:
        side, button = self._take(arguments, 2, 2)
        self.tray.click(side, button)

    def _hold(self, arguments: list[str]) -> None:
        side, button = self._take(arguments, 2, 2)
        self.tray.hold(side, button)

    def _show(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        for side in sorted(self.tray.wiring["sides"]):
            letters = self.tray.colours(side)
            pixels = self.tray.pixels(side)
            for start in range(0, len(letters), _ROW):
                row = letters[start : start + _ROW]
                if self._colour:
                    row = "".join(_cell(pixel) for pixel in pixels[start : start + _ROW])
                self._write(f"{side if not start else ' '} {row}")

    def _split_pad(self, arguments: list[str]) -> tuple[str | None, list[str]]:
        if arguments and arguments[0] in self.tray.pads:
            return arguments[0], arguments[1:]
        return None, arguments

    def _faults(self, arguments: list[str]) -> None:
        pad, rest = self._split_pad(arguments)
        if rest:
            raise ValueError(f"unknown pad {rest[0]!r}: {', '.join(self.tray.pads)}")
        for name, help_text in sorted(self.tray.faults(pad).items()):
            self._write(f"{name}: {help_text}")

    def _fault(self, arguments: list[str]) -> None:
        pad, rest = self._split_pad(arguments)
        name, *settings = self._take(rest, 1, 9)
        params: dict[str, Any] = {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            if not equals:
                raise IndexError
            params[key] = int(value) if value.lstrip("-").isdigit() else value
        if {"name", "on", "pad"} & set(params):
            raise IndexError
        self.tray.fault(name, pad=pad, **params)

    def _mend(self, arguments: list[str]) -> None:
        pad, rest = self._split_pad(arguments)
        (name,) = self._take(rest, 1, 1)
        self.tray.fault(name, on=False, pad=pad)

    def _unplug(self, arguments: list[str]) -> None:
        if self._take(arguments, 0, 1) not in ([], ["keep-power"]):
            raise IndexError
        self.tray.unplug(keep_power=bool(arguments))

    def _replug(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        self.tray.replug()

    def _reset(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        self.tray.reset()

    def _wait(self, arguments: list[str]) -> None:
        (seconds,) = self._take(arguments, 1, 1)
        time.sleep(min(max(0.0, float(seconds)), 3600.0))

    def _log(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        for text in self.tray.log[-40:]:
            self._write(text)
        for problem in self.tray.problems:
            self._write(f"could not be done: {problem}")
        state = "at its prompt" if self.tray.at_prompt else "running" if self.tray.running else "off"
        self._write(f"{state} on {self.tray.interpreter}, boot {self.tray.boots}, buzzer {self.tray.tone_hz} Hz")

    def _url(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        self._write(self.tray.url)

    def _help(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        for name, (_action, usage, help_text) in self._commands.items():
            self._write(f"{(name + ' ' + usage).strip():34} {help_text}")

    def _quit(self, arguments: list[str]) -> None:
        self._take(arguments, 0, 0)
        self.ended = True


def run_console(
    interpreter: Interpreter = "auto",
    transport: Transport = "auto",
    config: Path | None = None,
    chips: dict[str, str] | None = None,
) -> int:
    """Start a tray and be its table until the input ends: interactive on a terminal, else a script.

    The answer is a process status: 0, or 2 when the tray could not be started or a script had faulty lines.
    """
    interactive = sys.stdin.isatty()
    try:
        text = config.read_text() if config is not None else None
        with VirtualTray(interpreter=interpreter, transport=transport, config=text, chips=chips) as tray:
            console = Console(tray, colour=sys.stdout.isatty())
            print(f"the virtual tray is at {tray.url} ({tray.interpreter}); `help` lists what you can do", flush=True)
            refused = console.run(_ask() if interactive else sys.stdin)
            return 2 if refused and not interactive else 0
    except (VirtualTrayError, ValueError, OSError, UnicodeDecodeError) as error:
        print(f"the virtual tray: {error}", file=sys.stderr)
        return 2


def _ask() -> Iterable[str]:
    while True:
        try:
            yield input(PROMPT)
        except (EOFError, KeyboardInterrupt):
            print()
            return


def _cell(pixel: Pixel) -> str:
    """One pixel as two blanks on its colour, as bright as the eye sees it (the LEDs are linear, the screen is not)."""
    peak = max(pixel)
    lift = 255 * (peak / 255) ** (1 / 2.2) / peak if peak else 0
    red, green, blue = (min(255, int(value * lift)) for value in pixel)
    return f"\x1b[48;2;{red};{green};{blue}m  \x1b[0m"
