"""Listening on a virtual tray's cable: every frame that goes by, in both directions, whoever is on the other end."""

from __future__ import annotations

import collections
import threading
from typing import Any

from ordertray.sim.plug import Plug
from ordertray.sim.tray import VirtualTray
from ordertray_firmware import wire
from ordertray_firmware.link import session_tag

LOW_TONE_HZ = 220


class Wire:
    """What has gone over the cable. Written by the tray's thread, read by any."""

    def __init__(self) -> None:
        self.mutex = threading.Lock()
        self.events: dict[tuple[str, int], dict[str, Any]] = {}
        """What the tray has told: bodies of `T` frames by boot nonce and sequence, in the order they first went by."""
        self.acknowledged: dict[str, int] = {}
        """By boot nonce: the last sequence that a host has said is dealt with."""
        self.boots: list[str] = []
        self.lamps: dict[str, Any] = {}
        """The body of the last `F` frame."""
        self.board = ""
        self.sessions: set[tuple[str, str]] = set()
        self.repeats = 0
        self.refused_by_host = 0
        """How often the host has had a refusal sounded."""
        self.contradictions: list[str] = []
        """Events that were told again in other words."""
        self._up, self._down = wire.Decoder(), wire.Decoder()
        self._tray_nonce = self._host_nonce = ""

    def from_tray(self, data: bytes) -> None:
        """Bytes on their way to the host (or to nobody)."""
        with self.mutex:
            for frame in self._up.feed(data):
                if not isinstance(frame, wire.Frame):
                    continue
                if frame.kind == wire.HELLO:
                    self._tray_nonce, self.board = str(frame.body["nonce"]), str(frame.body["id"])
                    if self._tray_nonce not in self.boots:
                        self.boots.append(self._tray_nonce)
                    if self._host_nonce and frame.body.get("to") == self._host_nonce:
                        self.sessions.add((self._host_nonce, self._tray_nonce))
                elif frame.kind == wire.EVENT:
                    key = (self._tray_nonce, frame.sequence)
                    self.repeats += key in self.events
                    if self.events.setdefault(key, frame.body) != frame.body:
                        self.contradictions.append(f"{key}: {self.events[key]}, then {frame.body}")

    def to_tray(self, data: bytes) -> None:
        """Bytes from the host."""
        with self.mutex:
            for frame in self._down.feed(data):
                if not isinstance(frame, wire.Frame):
                    continue
                if frame.kind == wire.HELLO:
                    self._host_nonce = str(frame.body["nonce"])
                elif frame.session == session_tag(self._host_nonce, self._tray_nonce):
                    before = self.acknowledged.get(self._tray_nonce, 0)
                    self.acknowledged[self._tray_nonce] = max(before, frame.ack)
                    if frame.kind == wire.LAMPS:
                        self.lamps = frame.body
                    elif frame.kind == wire.FEEDBACK and frame.body.get("do") == "refused":
                        self.refused_by_host += 1

    @property
    def quiet(self) -> bool:
        """Whether everything that the tray's present boot has told is dealt with."""
        with self.mutex:
            told = max((number for nonce, number in self.events if nonce == self._tray_nonce), default=0)
            return self.acknowledged.get(self._tray_nonce, 0) >= told


class _Listening:
    """A plug that lets a `Wire` listen."""

    def __init__(self, plug: Plug, line: Wire) -> None:
        self._plug, self._line = plug, line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plug, name)

    def read(self) -> bytes:
        data = self._plug.read()
        self._line.to_tray(data)
        return data

    def write(self, data: bytes) -> int:
        taken = self._plug.write(data)
        self._line.from_tray(data[:taken])
        return taken


class HeardTray(VirtualTray):
    """A virtual tray with a listener on its cable: `wire`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.wire = Wire()
        self._board.tones = collections.deque()  # all of them: a starved thread must not miss a short one

    @property
    def refusals(self) -> int:
        """How many low tones have sounded: each a refusal that players hear."""
        return self.tones.count(LOW_TONE_HZ)

    def _make_plug(self) -> Plug:
        plug: Any = _Listening(super()._make_plug(), self.wire)
        listening: Plug = plug
        return listening
