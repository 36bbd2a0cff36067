"""Open a serial port for the event loop: any pyserial URL that has a file descriptor.

Device paths, pseudo-terminals and `socket://HOST:PORT`. pyserial opens and configures; bytes are moved with `os.read`
and `os.write` on the descriptor, because pyserial's own non-blocking `write` spins on a full socket.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import NamedTuple

import serial

from ordertray.link.errors import LinkError, PortBusyError, PortDeniedError, PortLostError
from ordertray.link.user import user_name

# A CDC port ignores the rate, a real UART between Pico and host would not.
BAUD = 115200
READ_BYTES = 4096


class Holder(NamedTuple):
    """A process that has a port open."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


def holders(path: str, *, proc: Path = Path("/proc")) -> list[Holder]:
    """The processes, other than this one, that have the device at `path` open; as far as this user may look."""
    try:
        device = Path(path).stat()
    except OSError:
        return []
    if not stat.S_ISCHR(device.st_mode):
        return []
    found = []
    for process in proc.glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it ended, or is another user's
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    opened = descriptor.stat()
                    if stat.S_ISCHR(opened.st_mode) and opened.st_rdev == device.st_rdev:
                        found.append(Holder(int(process.name), (process / "comm").read_text().strip()))
                        break
    return sorted(found)


def _group_of(path: str) -> str:
    import grp

    try:
        return grp.getgrgid(Path(path).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"


class Port:
    """An open port. `read` and `write` never block; `close` may (0.3 s in pyserial's socket), so close in a thread."""

    def __init__(self, url: str, device: serial.Serial) -> None:
        self.url = url
        self._device: serial.Serial | None = device
        # Kept here because a port that was unplugged may forget it before we have let go of it.
        self.fileno: int = device.fileno()
        os.set_blocking(self.fileno, False)

    def read(self) -> bytes:
        """What has come in; nothing if there is nothing. Call when the loop says it is readable.

        Raises PortLostError if the port is gone.
        """
        try:
            data = os.read(self.fileno, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PortLostError(f"{self.url}: {error.strerror}") from error
        if not data:  # readable, and nothing there: hung up
            raise PortLostError(f"{self.url}: the other side is gone")
        return data

    def write(self, data: bytes) -> int:
        """Write what fits now; answers how many bytes that were. Raises PortLostError if the port is gone."""
        try:
            return os.write(self.fileno, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise PortLostError(f"{self.url}: {error.strerror}") from error

    def close(self) -> None:
        """Let go of the port. What was not sent is dropped, so that a dead device cannot hold us up. Idempotent."""
        device, self._device = self._device, None
        if device is not None:
            with contextlib.suppress(Exception):
                device.reset_output_buffer()
            with contextlib.suppress(Exception):
                device.close()


def open_port(url: str) -> Port:
    """Open the port for this process alone.

    Raises PortBusyError (says who holds it), PortDeniedError (says which group may), LinkError for anything else.
    """
    try:
        device = serial.serial_for_url(url, do_not_open=True)
        device.baudrate = BAUD
        device.timeout = 0
        device.write_timeout = 0
        if "://" not in url:
            device.exclusive = True
        device.open()
    except (serial.SerialException, ValueError, OSError) as error:
        raise _explain(url, error) from error
    try:
        return Port(url, device)
    except (AttributeError, OSError, ValueError) as error:
        device.close()
        raise LinkError(f"{url}: this kind of URL cannot be used for a tray; use a device path or socket://") from error


def _explain(url: str, error: Exception) -> LinkError:
    """Pyserial's exception as a sentence with a way out."""
    code = getattr(error, "errno", None)
    cause = error.__context__
    if code is None and isinstance(cause, OSError):
        code = cause.errno
    if "://" not in url:
        if code == errno.EACCES or code == errno.EPERM:
            group = _group_of(url)
            user = user_name()
            return PortDeniedError(
                f"{url}: {user} may not open it; mend with: sudo usermod -aG {group} {user} (then log in again)"
            )
        if code in (errno.EAGAIN, errno.EBUSY, errno.EWOULDBLOCK):
            who = ", ".join(str(holder) for holder in holders(url)) or "another process of this or another user"
            return PortBusyError(f"{url}: held by {who}; stop that first")
        if code == errno.ENOENT:
            return LinkError(f"{url}: there is no such port")
    return LinkError(f"{url}: {error}")
