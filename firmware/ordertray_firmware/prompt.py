"""MicroPython's prompt, which ends by itself: a tray in a club has no reset button within reach.

A person types, and the prompt writes back what is typed; a stranger's program that sent Ctrl-C and a carriage return
says nothing more. So the board restarts when the prompt has written nothing for a while. `stay()` ends that. Loaded
only when the prompt is wanted.
"""

import builtins
import io
import os

from . import clock
from .board import every_second, restart

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

LIMIT_MS = 10000
# A tool at the raw prompt (ordertray flash, mpremote) may work for a while without a word.
TOOL_MS = 60000
_TOOL = b"raw REPL"


class Prompt(io.IOBase):
    """Hears what the prompt writes, as a second terminal would, and restarts the board in its silence."""

    def __init__(self, ticks: "Any" = clock, end: "Any" = restart) -> None:
        self.limit_ms = LIMIT_MS
        self._ticks = ticks
        self._end = end
        self._heard_ms = ticks.ticks_ms()

    def readinto(self, _buffer: bytearray) -> None:
        """This terminal types nothing."""

    def write(self, data: "Any") -> int:
        """Something was typed, or answered."""
        self._heard_ms = self._ticks.ticks_ms()
        if _TOOL in bytes(data):
            self.limit_ms = TOOL_MS
        return len(data)

    def ioctl(self, _request: int, _argument: int) -> int:
        """Nothing to ask for."""
        return 0

    def look(self, _timer: object = None) -> None:
        """Called every second: has it been silent for too long?"""
        if self._ticks.ticks_diff(self._ticks.ticks_ms(), self._heard_ms) >= self.limit_ms:
            self._end("interrupt")


def guard() -> None:
    """Guard the prompt that comes next. Nothing on a port that cannot."""
    attach = getattr(os, "dupterm", None)
    if attach is None:
        return
    prompt = Prompt()
    timer = every_second(prompt.look)
    if timer is None:
        return
    attach(prompt)

    def stay() -> None:
        """Keep the prompt, however long nobody types."""
        timer.deinit()
        attach(None)

    builtins.stay = stay  # type: ignore[attr-defined]
    print("order tray: it starts again after %d s without typing; stay() keeps the prompt" % (LIMIT_MS // 1000))
