"""Trials at random moments of one run of the emulated Pico: the booted machine is forked for each.

So a hundred trials cost a hundred short runs instead of one long one, and each meets the machine as it happens to be:
in mid-poll, in mid-picture, in a collection of the heap.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

from ordertray.link.host_end import HostEnd
from ordertray.sim.pico import EmulatedPico
from pico.pico_host import PicoHost


class ShortPlug:
    """The cable without a pseudo-terminal, which two forks would share: the host takes and gives the bytes itself."""

    url = ""

    def __init__(self) -> None:
        self.to_tray, self.to_host = b"", b""

    def plug(self) -> None:
        """The firmware has brought up USB."""

    def unplug(self) -> None:
        """It has gone."""
        self.to_tray = self.to_host = b""

    def connected(self) -> bool:
        """A terminal holds the port open."""
        return True

    def read(self) -> bytes:
        """Bytes for the tray."""
        data, self.to_tray = self.to_tray, b""
        return data

    def write(self, data: bytes) -> int:
        """Bytes for the host; gives how many were taken."""
        self.to_host += data
        return len(data)


class ForkHost(PicoHost):
    """A host on a `ShortPlug`. Make it before the Pico has booted."""

    def __init__(self, pico: EmulatedPico) -> None:
        super().__init__(pico)
        pico._plug.unplug()
        self.plug = ShortPlug()
        pico._plug = self.plug  # type: ignore[assignment]
        self._boots = 0

    def step(self) -> None:
        """Let the Pico run for a quarter of a millisecond, then move what there is to move."""
        self.pico.step()
        now_ms = self._now_ms()
        if self.pico.boots != self._boots:
            self._boots = self.pico.boots
            self.end = HostEnd(f"pico-fork-{self._boots}", "test", now_ms)
        if not self._boots:
            return
        data, self.plug.to_host = self.plug.to_host, b""
        self._hear(self.end.feed(data, now_ms) if data else self.end.tick(now_ms))
        while line := self.end.take(now_ms):
            self.plug.to_tray += line

    def trial(self, act: Callable[[], Any]) -> Any:
        """What `act` gives in a copy of everything; this one goes on as if nothing had been."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(reading)
                try:
                    answer: tuple[bool, Any] = (True, act())
                except BaseException as error:
                    answer = (False, repr(error))
                with os.fdopen(writing, "wb") as file:
                    pickle.dump(answer, file)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as file:
            good, result = pickle.load(file)
        os.waitpid(child, 0)
        if not good:
            raise RuntimeError(f"trial: {result}")
        return result
