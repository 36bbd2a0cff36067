"""A real terminal for `ordertray demo`: a pty of some size, whose screen is read back by pyte."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte

from commands.cli_helpers import environment
from patience import patience

PATIENCE_S = 30.0


class Terminal:
    """A program in a terminal of `rows` x `columns`."""

    def __init__(self, home: Path, *arguments: str, rows: int, columns: int, **variables: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.everything = b""
        self.status: int | None = None
        environ = {**environment(home), "TERM": "xterm-256color", **variables}
        for name in ("COLUMNS", "LINES", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
            environ.pop(name, None)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:  # pragma: no cover - the program itself
            os.execve(sys.executable, [sys.executable, "-m", "ordertray", *arguments], environ)
        self.resize(rows, columns)

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    @property
    def lines(self) -> list[str]:
        """The screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._fd, keys.encode())

    def press_until(self, key: str, condition: Callable[[str], object], what: str) -> None:
        """Press a key that is a touch of the tray; again, as a person would, if a busy tray has not taken it."""
        for _ in range(5):
            self.type(key)
            end = time.monotonic() + 10
            while time.monotonic() < end and self._pump():
                if condition(self.text):
                    return
        raise AssertionError(f"pressed {key} for {what}; the screen:\n{self.text}")

    def wait(self, condition: Callable[[str], object], what: str) -> None:
        """Wait until the screen is so."""
        end = time.monotonic() + patience(PATIENCE_S)
        while not condition(self.text):
            assert time.monotonic() < end and self._pump(), f"waited for {what}; the screen:\n{self.text}"

    def ended(self) -> int:
        """Wait for the end; the status."""
        end = time.monotonic() + patience(PATIENCE_S)
        while self._pump():
            assert time.monotonic() < end, f"it did not end; the screen:\n{self.text}"
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    def _pump(self) -> bool:
        """Take in what the program writes; false when it has ended."""
        if not select.select([self._fd], [], [], 0.2)[0]:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.everything += data
        self._stream.feed(data)
        return bool(data)

    def hang_up(self) -> None:
        """Close the window."""
        with contextlib.suppress(OSError):
            os.close(self._fd)

    def kill(self) -> None:
        """Leave nothing behind."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        self.hang_up()


@contextlib.contextmanager
def terminal(home: Path, *arguments: str, rows: int = 24, columns: int = 80, **variables: str) -> Iterator[Terminal]:
    """Run a program in a terminal; it is gone afterwards."""
    made = Terminal(home, *arguments, rows=rows, columns=columns, **variables)
    try:
        yield made
    finally:
        made.kill()
