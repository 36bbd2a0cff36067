"""The host's end of the protocol, for one board: no ports, no clock."""

from __future__ import annotations

from binascii import crc32
from typing import Any

from ordertray_firmware import wire
from ordertray_firmware.link import (
    DOWN,
    ECHO,
    HELLO_MS,
    INCOMPATIBLE,
    ONLINE,
    PING_MS,
    PINGS_MISSED,
    PROTOCOL,
    QUEUE,
    REFUSED,
    UP,
    WAITING,
    End,
    Item,
    major_of,
    nonce_of,
    session_tag,
    ticks_add,
    ticks_diff,
)

# Frames remembered for diagnosis.
TRACE = 100


class HostEnd(End):
    """The host's end, for one board.

    `nonce_seed`: some random text; every session's nonce is drawn from it. `software`: for the tray's log.
    It says HELLO from the start and after every loss, until it is thrown away.
    """

    def __init__(self, nonce_seed: str, software: str, now_ms: int = 0, trace: int = TRACE) -> None:
        End.__init__(self, now_ms, True, trace)
        self.hello: dict[str, Any] = {}  # the tray's, while there is a session
        self.nonce = ""
        self._software = software
        self._seed = nonce_seed
        self._drawn = 0
        self._pings_out = 0  # sent since something was last heard
        self._ping_ms = now_ms
        self._ping_number = 0
        self._hello_ms = now_ms
        self._lamps: bytes | None = None
        self._lamps_due = False
        self._draw(now_ms)

    @property
    def online(self) -> bool:
        """Whether there is a session."""
        return self.state == ONLINE

    @property
    def idle(self) -> bool:
        """Whether the tray has acknowledged all that was shown and sent."""
        return not self._queue and not self._lamps_due

    @property
    def tray_nonce(self) -> str:
        """The boot nonce of the session's tray, empty without a session."""
        return nonce_of(self.hello)

    def show(self, body: dict[str, Any]) -> None:
        """These are the lamps now: an `F` body. Sent as soon as may be, and again in every new session; newest wins.

        Raises ValueError for a body too long for a frame.
        """
        self._lamps = wire.pack_body(body)
        self._lamps_due = True

    def send(self, kind: str, body: dict[str, Any]) -> int | None:
        """Queue a `B` or `C` frame; answers its sequence, or None: no session or no room, it will not be sent.

        Raises ValueError for a body too long for a frame.
        """
        if self.state != ONLINE:
            return None
        if len(self._queue) >= QUEUE - 1:  # one place is kept for the lamps
            self.counters.overflow += 1
            return None
        return self._push(kind, wire.pack_body(body))

    def commit(self, sequence: int) -> None:
        """The `T` or `S` of this sequence, and all before it, are dealt with for good: acknowledge them.

        A sequence that was not handed out in this session is ignored: its session is over, the tray sends it again.
        """
        if self.state == ONLINE and self._ack < sequence <= self._received:
            self._ack = sequence
            self._ack_due = True

    def restart(self, why: str, now_ms: int) -> list[Item]:
        """End the session, if there is one, and say HELLO anew (another port, or the application failed)."""
        items: list[Item] = []
        self._fail(why, now_ms, items)
        return items

    def take(self, now_ms: int) -> bytes | None:
        """The next line to write, or None."""
        self._rewind_if_due(now_ms)
        if self.state == WAITING:
            if ticks_diff(now_ms, self._hello_ms) < 0:
                return None
            self._hello_ms = ticks_add(now_ms, HELLO_MS)
            body = {"proto": list(PROTOCOL), "sw": self._software, "nonce": self.nonce}
            return self._hello_line(wire.pack_body(body), now_ms)
        if self.state != ONLINE:
            return None
        if ticks_diff(now_ms, self._ping_ms) >= 0 and self._pings_out < PINGS_MISSED:
            self._ping_ms = ticks_add(now_ms, PING_MS)
            self._pings_out += 1
            self._ping_number += 1
            return self._line(wire.PING, wire.UNSEQUENCED, b'{"n":%d}' % self._ping_number, now_ms)
        # At most one lamp frame is under way: what changes meanwhile is shown by the next one.
        if self._lamps_due and self._lamps is not None and len(self._queue) < QUEUE:
            for entry in self._queue:
                if entry.kind == wire.LAMPS:
                    break
            else:
                self._lamps_due = False
                self._push(wire.LAMPS, self._lamps)
        line = self._take_sequenced(now_ms)
        if line is None and self._ack_due:
            line = self._line(wire.ACK, wire.UNSEQUENCED, b"{}", now_ms)
        return line

    def due_ms(self, now_ms: int) -> int:
        """Milliseconds (0..PING_MS) until `tick` and `take` have something to do, if nothing is fed or queued."""
        if self.state == WAITING:
            return max(0, ticks_diff(self._hello_ms, now_ms))
        if self.state != ONLINE:
            return PING_MS
        if self._lamps_due and not [entry for entry in self._queue if entry.kind == wire.LAMPS]:
            return 0
        return self._due_queue_ms(now_ms, max(0, min(PING_MS, ticks_diff(self._ping_ms, now_ms))))

    def _draw(self, now_ms: int) -> None:
        """A new nonce, and HELLO at once."""
        self._drawn += 1
        self.nonce = f"{crc32(f'{self._seed} {self._drawn}'.encode()):08x}"
        self._hello_ms = now_ms

    def _fail(self, why: str, now_ms: int, items: list[Item]) -> None:
        was = self.state
        self.state = WAITING
        self.hello = {}
        # Feedback and commands of a session end with it; the lamps are a state and are shown again.
        del self._queue[:]
        self._unsent = 0
        self._draw(now_ms)
        if was == ONLINE:
            items.append((DOWN, 0, {"why": why}))

    def _frame(self, frame: wire.Frame, now_ms: int, items: list[Item]) -> None:
        if frame.kind == wire.HELLO:
            self._tray_hello(frame.body, now_ms, items)
        elif self.state != ONLINE or frame.session != self._session:
            self.counters.stale += 1
        else:
            self._heard_ms = now_ms
            self._pings_out = 0
            self._acknowledge(frame.ack, now_ms)
            if frame.kind == wire.HEALTH and frame.sequence == wire.UNSEQUENCED:
                items.append((wire.HEALTH, 0, frame.body))
            self._in_order(frame, items)

    def _tray_hello(self, body: dict[str, Any], now_ms: int, items: list[Item]) -> None:
        nonce = nonce_of(body)
        if nonce == self.nonce:
            items.append((ECHO, 0, {}))
            return
        base = body.get("base")
        if not nonce or not isinstance(body.get("id"), str):
            self.counters.alien += 1
            return
        if self.state == ONLINE:
            if nonce != self.hello.get("nonce"):
                self._fail("the board restarted", now_ms, items)
            elif body.get("to") != self.nonce:
                self._fail("the board had lost the session", now_ms, items)
            return  # else it answered twice
        major = major_of(body)
        if major != PROTOCOL[0]:
            if self.state != INCOMPATIBLE:
                why = f"the board speaks protocol {major}, this host {PROTOCOL[0]}"
                items.append((REFUSED, 0, {"why": why, "hello": body}))
            self.state = INCOMPATIBLE
            return
        if self.state == INCOMPATIBLE or body.get("to") != self.nonce:
            # Not our answer: a cry at boot, or one to an earlier host. If we are asking anyway, ask at once.
            self._hello_ms = now_ms
            if self.state == INCOMPATIBLE:
                self._fail("", now_ms, items)
            return
        if not isinstance(base, int) or not 0 < base <= wire.SEQUENCE_LAST + 1:
            self.counters.alien += 1
            return
        self.hello = body
        self._base = 1
        self._received = self._ack = base - 1
        self._pings_out = 0
        self._ping_ms = ticks_add(now_ms, PING_MS)
        self._lamps_due = self._lamps is not None
        self._begin(session_tag(self.nonce, nonce), now_ms)
        items.append((UP, 0, body))

    def _tick(self, now_ms: int, items: list[Item]) -> None:
        if self.state != ONLINE:
            return
        # The second question is for a port that takes nothing: there the pings themselves do not get out.
        missed = self._pings_out >= PINGS_MISSED and ticks_diff(now_ms, self._ping_ms) >= 0
        if missed or ticks_diff(now_ms, self._heard_ms) > PING_MS * (PINGS_MISSED + 1):
            self._fail(f"no answer to {PINGS_MISSED} pings", now_ms, items)
        elif self._base + len(self._queue) > wire.SEQUENCE_LAST - QUEUE:
            self._fail("sequence numbers used up", now_ms, items)
