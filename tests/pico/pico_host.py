"""A host for the emulated Pico that moves it step by step: the real HostEnd, in emulated time."""

from __future__ import annotations

import select
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from ordertray.link import LinkError, Port, PortLostError, open_port
from ordertray.link.host_end import HostEnd
from ordertray.sim.pico import EmulatedPico


class PicoHost:
    """Talks to the Pico while one of its `wait` methods runs, and commits every event at once. All times emulated."""

    def __init__(self, pico: EmulatedPico) -> None:
        self.pico = pico
        self.end = HostEnd("pico-test", "test", self._now_ms())
        self.events: list[dict[str, Any]] = []
        self.snapshots: list[dict[str, Any]] = []
        self.hellos: list[dict[str, Any]] = []
        #: How late the buttons were looked at, at worst, in each ten seconds.
        self.late_ms: list[int] = []
        self._port: Port | None = None
        self._out = b""
        self._commands = 0

    def _now_ms(self) -> int:
        return int(self.pico.now_s * 1000)

    def close(self) -> None:
        """Close the port."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def step(self) -> None:
        """Let the Pico run for a quarter of a millisecond, then move what there is to move."""
        self.pico.step()
        now_ms = self._now_ms()
        try:
            if self._port is None:
                self._port = open_port(self.pico.url)
                self.end.restart("the port was opened", now_ms)
                self._out = b""
            ready = select.select([self._port.fileno], [], [], 0)[0]
            data = self._port.read() if ready else b""
            self._hear(self.end.feed(data, now_ms) if data else self.end.tick(now_ms))
            while self._out or (line := self.end.take(now_ms)):
                self._out = self._out or line or b""
                sent = self._port.write(self._out)
                self._out = self._out[sent:]
                if not sent:
                    return
        except PortLostError:
            self.close()
        except LinkError:  # not there yet
            pass

    def _hear(self, items: list[tuple[str, int, dict[str, Any]]]) -> None:
        for what, sequence, body in items:
            if what == "T":
                self.events.append(body)
                self.end.commit(sequence)
            elif what == "S":
                self.snapshots.append(body)
                self.end.commit(sequence)
            elif what == "L" and "tray" in body:
                self.late_ms.append(body["tray"]["late_ms"])
            elif what == "up":
                self.hellos.append(body)

    def wait(self, condition: Callable[[], object], limit_s: float = 3.0, what: str = "a condition") -> None:
        """Talk until the condition holds. Raises TimeoutError after `limit_s`."""
        end_s = self.pico.now_s + limit_s
        while not condition():
            if self.pico.now_s > end_s:
                raise TimeoutError(f"{what}: {self.events[-5:]} {self.pico.log[-5:]} {self.end.trace()[-8:]}")
            self.step()

    def talk_for(self, seconds: float) -> None:
        """Talk for a while."""
        end_s = self.pico.now_s + seconds
        self.wait(lambda: self.pico.now_s >= end_s, seconds + 1)

    def event(self, limit_s: float = 3.0, **parts: Any) -> dict[str, Any]:
        """Wait for an event with these parts; it and all before it are taken off the list."""

        def found() -> list[int]:
            return [i for i, e in enumerate(self.events) if all(e.get(key) == parts[key] for key in parts)]

        self.wait(found, limit_s, f"an event {parts}")
        index = found()[0]
        event = self.events[index]
        del self.events[: index + 1]
        return event

    def command(self, name: str, **parts: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._commands += 1
        assert self.end.send("C", {"c": name, "id": self._commands, **parts}) is not None
        return self.event(e="answer", id=self._commands)
