"""The host's end of the virtual tray's cable: a pseudo-terminal, or a TCP port where there are none.

A `Plug` never blocks. It is owned by one thread (the tray's pump) and only `url` may be read from others.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
from pathlib import Path
from typing import Protocol


class Plug(Protocol):
    """One way to reach the tray from outside."""

    @property
    def url(self) -> str:
        """What `serial.serial_for_url` takes; the same before and after unplug and replug."""

    def connected(self) -> bool:
        """Whether a host has the port open."""

    def fileno(self) -> int:
        """What to wait on for the host to come or to write; -1 when there is nothing to wait on."""

    def read(self) -> bytes:
        """Bytes from the host; empty when there are none."""

    def write(self, data: bytes) -> int:
        """Send to the host; how many bytes were taken (0: it does not read; all, thrown away: nobody is there)."""

    def plug(self) -> None:
        """Make the port appear."""

    def unplug(self) -> None:
        """Make the port vanish, as a pulled cable does. Harmless when it has already."""


class PtyPlug:
    """A pseudo-terminal behind a link `folder/port`, so that its name outlives an unplugging.

    Raises OSError when the system has no pseudo-terminals.
    """

    def __init__(self, folder: Path) -> None:
        self._link = folder / "port"
        self._master = -1
        self.plug()

    @property
    def url(self) -> str:
        """Path of the link."""
        return str(self._link)

    def plug(self) -> None:
        """Open a fresh pseudo-terminal and link it."""
        if self._master >= 0:
            return
        import tty

        master, slave = os.openpty()
        tty.setraw(slave)
        name = os.ttyname(slave)
        # From now on a hang-up on our side means that nobody has the port open.
        os.close(slave)
        os.set_blocking(master, False)
        self._master = master
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(name)

    def unplug(self) -> None:
        """Close it: whoever had it open gets an error or the end of the file."""
        if self._master >= 0:
            self._link.unlink(missing_ok=True)
            os.close(self._master)
            self._master = -1

    def connected(self) -> bool:
        """Whether somebody has the other end open."""
        if self._master < 0:
            return False
        poll = select.poll()
        poll.register(self._master, 0)
        return not poll.poll(0)

    def fileno(self) -> int:
        """See Plug. Nothing tells when the other end is opened."""
        return self._master if self.connected() else -1

    def read(self) -> bytes:
        """See Plug."""
        if self._master < 0:
            return b""
        try:
            return os.read(self._master, 4096)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise

    def write(self, data: bytes) -> int:
        """See Plug."""
        if not self.connected():
            return len(data)
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno == errno.EIO:
                return len(data)
            raise


class SocketPlug:
    """A TCP port of this machine that takes one host at a time."""

    def __init__(self) -> None:
        self._port = 0
        self._listener: socket.socket | None = None
        self._peer: socket.socket | None = None
        self.plug()

    @property
    def url(self) -> str:
        """A `socket://` URL."""
        return f"socket://127.0.0.1:{self._port}"

    def plug(self) -> None:
        """Listen, on the same port as before."""
        if self._listener is not None:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        listener.listen(1)
        listener.setblocking(False)
        self._port = listener.getsockname()[1]
        self._listener = listener

    def unplug(self) -> None:
        """Close everything."""
        for side in (self._peer, self._listener):
            if side is not None:
                side.close()
        self._peer = self._listener = None

    def connected(self) -> bool:
        """Whether a host is there."""
        if self._peer is None and self._listener is not None:
            with contextlib.suppress(BlockingIOError):
                self._peer, _address = self._listener.accept()
                self._peer.setblocking(False)
                self._peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._peer is not None

    def fileno(self) -> int:
        """See Plug."""
        side = self._peer or self._listener
        return -1 if side is None else side.fileno()

    def read(self) -> bytes:
        """See Plug."""
        if not self.connected() or self._peer is None:
            return b""
        try:
            data = self._peer.recv(4096)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        return data

    def write(self, data: bytes) -> int:
        """See Plug."""
        if not self.connected() or self._peer is None:
            return len(data)
        try:
            return self._peer.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self._hang_up()
            return len(data)

    def _hang_up(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None
