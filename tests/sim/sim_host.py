"""A host for tests of the virtual tray: the real HostEnd and a real pyserial port, moved by the test itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import serial

from ordertray.link.host_end import HostEnd
from ordertray.sim.tray import VirtualTray


class SimHost:
    """Talks to a virtual tray while one of its `wait` methods runs, and commits every event at once."""

    def __init__(self, tray: VirtualTray, seed: str = "sim-test") -> None:
        self.tray = tray
        self.end = HostEnd(seed, "test", self._now_ms())
        self.events: list[dict[str, Any]] = []
        self.snapshots: list[dict[str, Any]] = []
        self.health: list[dict[str, Any]] = []
        self.hellos: list[dict[str, Any]] = []
        self.said: list[tuple[str, dict[str, Any]]] = []
        self._out = b""
        self._commands = 0
        self._port: serial.Serial | None = None
        self.open()

    @staticmethod
    def _now_ms() -> int:
        return time.monotonic_ns() // 1_000_000

    def open(self) -> None:
        """Open the port (anew)."""
        self.close()
        self._port = serial.serial_for_url(self.tray.url, timeout=0, write_timeout=0)
        self._out = b""
        self.end.port_changed()

    def close(self) -> None:
        """Close the port; the session is not told."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        """Raw bytes to the tray."""
        assert self._port is not None
        self._port.write(data)

    def read(self) -> bytes:
        """Raw bytes from the tray, past the link."""
        assert self._port is not None
        return bytes(self._port.read(65536))

    def step(self) -> None:
        """Move what there is to move."""
        assert self._port is not None
        now_ms = self._now_ms()
        data = self._port.read(65536)
        for what, sequence, body in self.end.feed(data, now_ms) if data else self.end.tick(now_ms):
            if what == "T":
                self.events.append(body)
                self.end.commit(sequence)
            elif what == "S":
                self.snapshots.append(body)
                self.end.commit(sequence)
            elif what == "L":
                self.health.append(body)
            elif what == "up":
                self.hellos.append(body)
            else:
                self.said.append((what, body))
        while True:
            if not self._out:
                self._out = self.end.take(now_ms) or b""
                if not self._out:
                    return
            sent = self._port.write(self._out) or 0
            self._out = self._out[sent:]
            if not sent:
                return

    def wait(self, condition: Callable[[], object], deadline_s: float = 5.0, what: str = "") -> None:
        """Talk until the condition holds. Raises TimeoutError at the deadline, with what was heard last."""

        def talk() -> object:
            self.step()
            return condition()

        try:
            self.tray.wait_for(talk, deadline_s, what)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n  events {self.events[-5:]}\n  trace {self.end.trace()[-8:]}") from None

    def online(self, deadline_s: float = 5.0) -> dict[str, Any]:
        """Wait for a new session and its snapshot; the tray's HELLO."""
        sessions, snapshots = len(self.hellos), len(self.snapshots)
        if not self.end.online:
            self.wait(lambda: len(self.hellos) > sessions, deadline_s, "a session")
        self.wait(lambda: len(self.snapshots) > snapshots or self.snapshots, deadline_s, "a snapshot")
        return self.hellos[-1]

    def event(self, deadline_s: float = 5.0, **parts: Any) -> dict[str, Any]:
        """Wait for an event with these parts; it and all before it are taken off the list."""
        found: list[int] = []

        def look() -> bool:
            for index, event in enumerate(self.events):
                if all(event.get(key) == value for key, value in parts.items()):
                    found.append(index)
                    return True
            return False

        self.wait(look, deadline_s, f"an event {parts}")
        event = self.events[found[0]]
        del self.events[: found[0] + 1]
        return event

    def talk_for(self, seconds: float) -> None:
        """Talk for a while: to see that something does not happen."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= end, seconds + 5)

    def command(self, name: str, **parts: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._commands += 1
        assert self.end.send("C", {"c": name, "id": self._commands, **parts}) is not None
        return self.event(e="answer", id=self._commands)
