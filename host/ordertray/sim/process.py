"""One run of the virtual tray's interpreter: the child process, its serial bytes and its control channel.

From spawn to exit is one power-on (or reset) of the simulated board. Owned by the tray's pump thread; never blocks.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from ..files.extras import install_command

Interpreter = Literal["auto", "micropython", "cpython"]

_CHILD = Path(__file__).parent / "inside" / "child.py"
_MICROPYTHON = "import sys; from micropython_unix import main; sys.exit(main())"


def choose_interpreter(wanted: Interpreter) -> Literal["micropython", "cpython"]:
    """The interpreter to run the firmware on; "auto" takes MicroPython where its package is installed.

    Raises ValueError for an unknown name and RuntimeError when MicroPython is asked for and is not installed.
    """
    if wanted not in ("auto", "micropython", "cpython"):
        raise ValueError(f"unknown interpreter {wanted!r}: auto, micropython or cpython")
    if wanted == "cpython":
        return "cpython"
    if importlib.util.find_spec("micropython_unix") is not None:
        return "micropython"
    if wanted == "micropython":
        if not has_package():
            raise RuntimeError(f"the MicroPython interpreter: there is no package of it for {platform.machine()}")
        raise RuntimeError(f"the MicroPython interpreter is not installed: {install_command('sim')}")
    return "cpython"


def has_package() -> bool:
    """Whether there is a package of the interpreter for this machine, as pyproject.toml's extra `sim` says."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def firmware_folder() -> Path:
    """The folder that holds the package ordertray_firmware, as installed."""
    spec = importlib.util.find_spec("ordertray_firmware")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package ordertray_firmware is not installed")
    return Path(spec.origin).parent.parent


class Process:
    """Spawned at once. read() and write() are the tray side of its serial port, `control` the channel once it called.

    at_prompt: set by the owner when the firmware has ended; then Ctrl-C is a character like any other.

    interpreter: as from choose_interpreter(). flash: the folder that plays the board's flash.
    heap: MicroPython's heap in bytes.
    """

    def __init__(self, interpreter: Literal["micropython", "cpython"], flash: Path, heap: int) -> None:
        self.control: socket.socket | None = None
        self._token = secrets.token_hex(8)
        self._inbox = bytearray()
        self._outbox = bytearray()
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(1)
        self._listener.setblocking(False)
        # Pipes and no terminal: MicroPython drops what it has not read yet whenever it changes a terminal's mode.
        self._read_fd, child_out = os.pipe()
        child_in, self._write_fd = os.pipe()
        for fd in (self._read_fd, self._write_fd):
            os.set_blocking(fd, False)
            _make_small(fd)
        self.at_prompt = False
        arguments = [
            str(_CHILD),
            str(self._listener.getsockname()[1]),
            self._token,
            str(firmware_folder()),
            str(Path(__file__).parent.parent),
        ]
        if interpreter == "micropython":
            command = [sys.executable, "-c", _MICROPYTHON, "-i", "-X", f"heapsize={heap}", *arguments]
        else:
            command = [sys.executable, "-u", *arguments]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MICROPY", "PYTHON"))}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=child_in,
                stdout=child_out,
                stderr=child_out,
                cwd=flash,
                env=environment,
                start_new_session=True,
            )
        finally:
            os.close(child_in)
            os.close(child_out)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._popen.pid

    @property
    def serial_fd(self) -> int:
        """Readable when the tray has written."""
        return self._read_fd

    def control_fd(self) -> int:
        """Readable when the control channel has news."""
        return (self.control or self._listener).fileno()

    def exit_status(self) -> int | None:
        """None while it runs."""
        return self._popen.poll()

    def read(self) -> bytes:
        """What the tray has written to its serial port."""
        try:
            return os.read(self._read_fd, 4096)
        except BlockingIOError:
            return b""
        except OSError:  # EIO: it has ended
            return b""

    def write(self, data: bytes) -> int:
        """Bytes for the tray's serial port; how many were taken. Ctrl-C interrupts a running program, as on a Pico."""
        at = data.find(b"\x03")
        if at == 0 and not self.at_prompt:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._popen.pid, signal.SIGINT)
            return 1
        if at > 0:
            data = data[:at]
        elif at == 0:
            data = data[:1]
        try:
            return os.write(self._write_fd, data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def send(self, message: dict[str, Any]) -> None:
        """Queue one line for the control channel, which must be open."""
        self._outbox += json.dumps(message).encode() + b"\n"
        self._flush()

    def _flush(self) -> None:
        while self._outbox and self.control is not None:
            try:
                sent = self.control.send(self._outbox)
            except BlockingIOError:
                return
            except OSError:
                self._outbox.clear()
                return
            del self._outbox[:sent]

    def receive(self) -> list[dict[str, Any]]:
        """Messages of the board since the last call. The first, `{"token": ...}`, is checked here and left out."""
        if self.control is None:
            try:
                peer, _address = self._listener.accept()
            except BlockingIOError:
                return []
            peer.setblocking(False)
            self.control = peer
        self._flush()
        messages: list[dict[str, Any]] = []
        while True:
            try:
                data = self.control.recv(65536)
            except (BlockingIOError, OSError):
                break
            if not data:
                break
            self._inbox += data
        *lines, rest = bytes(self._inbox).split(b"\n")
        self._inbox = bytearray(rest)
        for line in lines:
            message = json.loads(line)
            if "token" in message:
                if message["token"] != self._token:  # somebody else's process found our port
                    self.control.close()
                    self.control = None
                    return []
                message = {"called": True}
            messages.append(message)
        return messages

    def kill(self) -> None:
        """End it at once and free everything. Harmless the second time."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._popen.kill()
        self._popen.wait()
        for side in (self.control, self._listener):
            if side is not None:
                side.close()
        for fd in {self._read_fd, self._write_fd} - {-1}:
            os.close(fd)
        self._read_fd = self._write_fd = -1


def _make_small(fd: int) -> None:
    """Let a pipe hold little, as a USB port does, where the system can be told so (Linux); two pages are its least."""
    with contextlib.suppress(AttributeError, ImportError, OSError):
        import fcntl

        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 8192)
