"""The keys of the demo's terminal: what each does, how they are read, how they are listed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import termios
import threading
import tty
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ..messages import N_
from ..rules import Seat

LEAVE: Final = "x"
HELP: Final = "?"
#: Ctrl-C, Ctrl-D, and what a hang-up or the end of the input gives: they all leave.
ENDS: Final = frozenset({LEAVE, "X", "\x03", "\x04", ""})


@dataclass(frozen=True, slots=True)
class Key:
    """A key of one side: `disc` (what is laid down) or `button`, `held` for a second; or the tags (`tags`)."""

    key: str
    label: str
    disc: str = ""
    button: str = ""
    held: bool = False
    tags: bool = False


def _side(discs: str, upper: str, lower: str, tags: str, spare: str) -> tuple[Key, ...]:
    """The keys of one side, in the order in which they are listed: `discs` a row of digits, the buttons as two rows."""
    pass_key, ok_key = lower[1], lower[2]
    return (
        Key(discs[0], N_("Regular, group 1"), disc="r1"),
        Key(discs[1], N_("Regular, group 2"), disc="r2"),
        Key(discs[2], N_("Irregular"), disc="irregular"),
        Key(discs[3], N_("Lieutenant"), disc="lieutenant"),
        Key(discs[4], N_("Tactical"), disc="tactical"),
        Key(discs[5], N_("Impetuous"), disc="impetuous"),
        Key(upper[0], N_("BASIC"), button="basic"),
        Key(upper[1], N_("SHORT"), button="short"),
        Key(upper[2], N_("LONG"), button="long"),
        Key(lower[0], N_("ARO"), button="aro"),
        Key(pass_key, N_("PASS"), button="pass"),
        Key(ok_key, N_("OK"), button="ok"),
        Key(ok_key.upper(), N_("next phase"), button="ok", held=True),
        Key(pass_key.upper(), N_("undo"), button="pass", held=True),
        Key(upper[1].upper(), N_("one Short skill"), button="short", held=True),
        Key(tags, N_("a trooper"), tags=True),
        Key(spare[0], N_("Command"), disc="command"),
        Key(spare[1], N_("State"), disc="state"),
    )


KEYS: Final[Mapping[Seat, tuple[Key, ...]]] = {
    Seat.A: _side("123456", "qwe", "asd", "r", "cv"),
    Seat.B: _side("7890-=", "uio", "jkl", "p", "nm"),
}
#: Every key of the table, with its side.
TABLE_KEYS: Final[Mapping[str, tuple[Seat, Key]]] = {
    one.key: (seat, one) for seat, keys in KEYS.items() for one in keys
}
#: Letters by which a trooper is chosen, once the tags are listed.
TAG_LETTERS: Final = "abcdefghijklmnopqrstuvwyz1234567890"


class Keyboard:
    """Keys one by one, from a terminal or a pipe. After the last one comes `""`, again and again."""

    def __init__(self) -> None:
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._ended = False

    async def next(self) -> str:
        """The next key; `""` when there are none any more."""
        if self._ended and self._keys.empty():
            return ""
        return await self._keys.get()

    def take(self, text: str) -> None:
        """Text was typed; none means that it was the end."""
        self._ended = self._ended or not text
        for key in text or [""]:
            self._keys.put_nowait(key)


@contextlib.contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Read standard input: a terminal key by key, without echo; anything else by a thread, as it comes."""
    keys = Keyboard()
    loop = asyncio.get_running_loop()
    if sys.stdin is None:  # closed by whoever started us
        keys.take("")
        yield keys
        return
    descriptor = sys.stdin.fileno()
    if not os.isatty(descriptor):
        # No poller takes a file, and a thread that waits for a pipe must not keep the program from ending.
        threading.Thread(target=_read_all, args=(descriptor, loop, keys), daemon=True).start()
        yield keys
        return

    def readable() -> None:
        text = _read(descriptor)
        if not text:
            loop.remove_reader(descriptor)
        keys.take(text)

    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    loop.add_reader(descriptor, readable)
    try:
        yield keys
    finally:
        loop.remove_reader(descriptor)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _read(descriptor: int) -> str:
    try:
        return os.read(descriptor, 256).decode("utf-8", "replace")
    except OSError:
        terminal_gone()
        return ""


def terminal_gone() -> None:
    """The window was closed: what is still said goes nowhere, and fails nothing."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):  # not a file or pipe; `isatty` knows it no longer
            os.dup2(nowhere, stream)
    os.close(nowhere)


def _read_all(descriptor: int, loop: asyncio.AbstractEventLoop, keys: Keyboard) -> None:
    text = "?"
    while text:
        text = _read(descriptor)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(keys.take, text)
