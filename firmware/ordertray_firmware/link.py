"""The protocol's state machine: no ports, no clock (firmware/PROTOCOL.md is its prose).

`End` is what both ends of the line have in common, `TrayEnd` the Pico's end. The host's is `ordertray.link.HostEnd`: it
stands on the same `End`, but the Pico need not carry it. Whoever owns an end moves bytes and time:

- `feed(data, now_ms)` for whatever was read, and `tick(now_ms)` at least every `due_ms(now_ms)`. Both answer a list of
  items `(what, sequence, body)`. `what` is the letter of a frame for the application (in order, once each) or one of
  the facts `UP`, `DOWN`, `REFUSED`, `WANTED`, `TEXT`, `ECHO`. A tray gets `F`, `B`, `C`, UP, DOWN and WANTED.
- `take(now_ms)`: the next line to write, or None. Call it until None, and write each line whole. A line is made when
  it is taken, so nothing waits in an output buffer: a port that cannot write now just does not take.

Tray's loop, in short::

    end = TrayEnd(hello, nonce)
    items = end.feed(stdin_bytes, ticks_ms())           # [] or [("F", 3, {...}), ("snapshot", 0, {})]
    if end.event({"e": "placed", ...}, ticks_ms()) is None:   # offline or full: refuse it visibly
        blink_red()
    line = end.take(ticks_ms())

Times are milliseconds of any monotonic clock that wraps at a multiple of 2**30 or never (`time.ticks_ms()`,
`time.monotonic_ns() // 10**6`).
Nothing here raises for what the other end sends.
"""

from binascii import crc32

from ordertray_firmware import wire

from . import const

try:
    from typing import Any

    Item = tuple[str, int, dict[str, Any]]
except ImportError:  # MicroPython has no typing; annotations are not evaluated there
    pass

PROTOCOL = (1, 0)

# Sequenced frames under way and not acknowledged, and waiting in all, at most.
WINDOW = const(8)
QUEUE = const(32)
# The host pings at this period: about a second, and odd so that it does not beat with other periods.
PING_MS = const(983)
PINGS_MISSED = const(3)
# A tray that heard nothing for this long is offline.
OFFLINE_MS = const(3000)
# The host repeats its HELLO, and a tray its cry "I do not know you", at this period.
HELLO_MS = const(487)
# Retransmission time-out before a round trip was measured, and its bounds.
RESEND_FIRST_MS = const(300)
RESEND_MIN_MS = const(100)
RESEND_MAX_MS = const(2000)
# Frames remembered for diagnosis.
TRACE_TRAY = const(0)

# Facts that an end tells its owner, beside the frames themselves.
UP = "up"  # a session began; body: the other side's HELLO
DOWN = "down"  # the session ended; body: {"why": ...}. A tray shows "offline" now
REFUSED = "refused"  # host: other protocol major; body: {"why": ..., "hello": ...}
WANTED = "snapshot"  # tray: call `snapshot()` now
TEXT = "text"  # host: a line that is no frame; body: {"text": ...}
ECHO = "echo"  # host: our own HELLO came back: that is a prompt or a loop, not a tray

# States.
WAITING = "waiting"  # no session (a tray: offline)
ONLINE = "online"
INCOMPATIBLE = "incompatible"

_TICKS_MASK = const(0x3FFFFFFF)
_TICKS_HALF = const(0x20000000)


def ticks_diff(later_ms: int, earlier_ms: int) -> int:
    """Milliseconds from `earlier_ms` to `later_ms`, right across the clock's wrap, for spans up to six days."""
    return ((later_ms - earlier_ms + _TICKS_HALF) & _TICKS_MASK) - _TICKS_HALF


def ticks_add(at_ms: int, span_ms: int) -> int:
    """The moment `span_ms` after `at_ms`."""
    return (at_ms + span_ms) & _TICKS_MASK


def session_tag(host_nonce: str, tray_nonce: str) -> int:
    """The 16-bit tag in the frames of the session of these two nonces; never 0."""
    return (crc32((host_nonce + tray_nonce).encode()) & wire.SESSION_LAST) or 1


def nonce_of(hello: "dict[str, Any]") -> str:
    """The nonce in a HELLO: 1 to 16 characters, or nothing if there is none."""
    nonce = hello.get("nonce")
    return nonce if isinstance(nonce, str) and len(nonce) <= 16 else ""


def major_of(hello: "dict[str, Any]") -> int:
    """The protocol's major version in a HELLO, or -1."""
    proto = hello.get("proto")
    if isinstance(proto, list) and proto and isinstance(proto[0], int):
        return proto[0]
    return -1


def _text(body: "Any") -> str:
    """A body of the trace as text: packed when it went out, a dict or text when it came in."""
    return body.decode() if isinstance(body, bytes) else str(body)


class _Entry:
    """A sequenced frame that waits for its acknowledgement."""

    __slots__ = ("kind", "body", "sent_ms", "sends")

    def __init__(self, kind: str, body: bytes) -> None:
        self.kind = kind
        self.body = body
        self.sent_ms = 0
        self.sends = 0


class Counters:
    """What an end has counted since it was made, in frames or lines."""

    NAMES = ("sent", "received", "resent", "bad", "stale", "duplicate", "gap", "overflow", "sessions", "text", "alien")

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0
        self.resent = 0
        self.bad = 0  # lines that began like a frame and were none
        self.stale = 0  # of another session
        self.duplicate = 0
        self.gap = 0  # ahead of their turn: one before them was lost
        self.overflow = 0  # refused for want of room in the queue
        self.sessions = 0
        self.text = 0  # lines of log text
        self.alien = 0  # whole, but nonsense (an acknowledgement of what was never sent)

    def as_dict(self) -> "dict[str, int]":
        """The counters by name."""
        return {name: getattr(self, name) for name in self.NAMES}


class End:
    """What both ends have in common: order, acknowledgement, window, retransmission, diagnosis."""

    def __init__(self, now_ms: int, keep_text: bool, trace: int) -> None:
        self.state = WAITING
        self.counters = Counters()
        self.round_trip_ms = -1  # smoothed, -1 before the first measurement
        self.resend_ms = RESEND_FIRST_MS
        self._variation_ms = 0
        self._decoder = wire.Decoder(keep_text)
        self._session = 0
        self._queue: "list[_Entry]" = []
        self._base = 1  # sequence of the oldest frame in the queue
        self._unsent = 0  # index in the queue of the next one to send
        self._timer_ms = 0  # when the oldest one under way is sent again; holds while `_unsent` > 0
        self._received = 0  # last sequence taken in order
        self._ack = 0  # what our frames acknowledge
        self._ack_due = False
        self._heard_ms = now_ms
        self._trace: "list[tuple[int, str, str, int, int, Any]]" = []
        self._trace_size = trace

    # --- for the owner ---------------------------------------------------------------------------------------------

    @property
    def queued(self) -> int:
        """Sequenced frames not yet acknowledged, at most QUEUE."""
        return len(self._queue)

    @property
    def acknowledged(self) -> int:
        """The last of our sequences that the other end acknowledged, 0 before the first."""
        return self._base - 1

    def feed(self, data: bytes, now_ms: int) -> "list[Item]":
        """Take bytes that were read; answers what they mean for the owner (see the module's text)."""
        items: "list[Item]" = []
        for piece in self._decoder.feed(data):
            if isinstance(piece, wire.Frame):
                self.counters.received += 1
                self._note(now_ms, "<", piece.kind, piece.sequence, piece.ack, piece.body)
                self._frame(piece, now_ms, items)
            elif isinstance(piece, wire.Bad):
                self.counters.bad += 1
                self._note(now_ms, "!", piece.why, 0, 0, piece.text)
            else:
                self.counters.text += 1
                self._note(now_ms, "#", "", 0, 0, piece.text)
                items.append((TEXT, 0, {"text": piece.text}))
        self._tick(now_ms, items)
        return items

    def tick(self, now_ms: int) -> "list[Item]":
        """Let time pass; answers what that means for the owner."""
        items: "list[Item]" = []
        self._tick(now_ms, items)
        return items

    def port_changed(self) -> None:
        """The port was closed or opened anew: half a line read before means nothing now."""
        self._decoder.reset()

    def trace(self) -> "list[str]":
        """The last frames, decoded, oldest first: milliseconds, `<` in, `>` out, `!` bad, `#` text, and the frame."""
        lines = []
        for at_ms, way, kind, sequence, ack, body in self._trace:
            if way in "<>":
                lines.append("%10d %s %s %d/%d %s" % (at_ms, way, kind, sequence, ack, _text(body)))
            else:
                lines.append("%10d %s %s %s" % (at_ms, way, kind, _text(body)))
        return lines

    # --- shared by both ends ----------------------------------------------------------------------------------------

    def _note(self, now_ms: int, way: str, kind: str, sequence: int, ack: int, body: "Any") -> None:
        if self._trace_size:
            if len(self._trace) >= self._trace_size:
                self._trace.pop(0)
            self._trace.append((now_ms, way, kind, sequence, ack, body))

    def _frame(self, frame: wire.Frame, now_ms: int, items: "list[Item]") -> None:
        raise NotImplementedError

    def _tick(self, now_ms: int, items: "list[Item]") -> None:
        raise NotImplementedError

    def _begin(self, tag: int, now_ms: int) -> None:
        """A session begins: what is still in the queue is sent again from its oldest."""
        self._session = tag
        self.state = ONLINE
        self.counters.sessions += 1
        self._unsent = 0
        self.resend_ms = RESEND_FIRST_MS
        self.round_trip_ms = -1
        self._heard_ms = now_ms
        self._ack_due = False
        for entry in self._queue:
            entry.sends = 0

    def _push(self, kind: str, body: bytes) -> int:
        """Append to the queue, which must have room; answers the sequence."""
        self._queue.append(_Entry(kind, body))
        return self._base + len(self._queue) - 1

    def _acknowledge(self, ack: int, now_ms: int) -> None:
        """The other end has everything up to `ack`."""
        done = ack - self._base + 1
        if done <= 0:
            return  # old news
        if done > self._unsent:
            # Frames that went out before a rewind may be acknowledged while waiting to be sent again; others may not.
            if done > len(self._queue) or not self._queue[done - 1].sends:
                self.counters.alien += 1
                return
            self._unsent = done
        newest = self._queue[done - 1]
        if newest.sends == 1:  # a frame sent twice tells no round trip: which of the two was answered?
            self._measure(ticks_diff(now_ms, newest.sent_ms))
        del self._queue[:done]
        self._base += done
        self._unsent -= done
        self._timer_ms = ticks_add(now_ms, self.resend_ms)

    def _measure(self, span_ms: int) -> None:
        """Smooth the round trip and set the time-out from it (the arithmetic of RFC 6298)."""
        if self.round_trip_ms < 0:
            self.round_trip_ms = span_ms
            self._variation_ms = span_ms // 2
        else:
            self._variation_ms = (3 * self._variation_ms + abs(self.round_trip_ms - span_ms) + 3) // 4
            self.round_trip_ms = (7 * self.round_trip_ms + span_ms + 4) // 8
        self.resend_ms = min(max(self.round_trip_ms + 4 * self._variation_ms, RESEND_MIN_MS), RESEND_MAX_MS)

    def _in_order(self, frame: wire.Frame, items: "list[Item]") -> None:
        """A frame of the session, from the other end: hand it on if it is its turn."""
        if frame.sequence == wire.UNSEQUENCED:
            return
        if frame.sequence == self._received + 1:
            self._received += 1
            items.append((frame.kind, frame.sequence, frame.body))
            return
        # The other end is behind: it may have missed our last acknowledgement.
        self._ack_due = True
        if frame.sequence <= self._received:
            self.counters.duplicate += 1
        else:
            self.counters.gap += 1

    def _rewind_if_due(self, now_ms: int) -> None:
        """No acknowledgement in time: go back and send everything under way again, more patiently."""
        if self._unsent and ticks_diff(now_ms, self._timer_ms) >= 0:
            self._unsent = 0
            self.resend_ms = min(self.resend_ms * 2, RESEND_MAX_MS)

    def _take_sequenced(self, now_ms: int) -> "bytes | None":
        """The next frame of the queue that may go out, or None."""
        if self._unsent >= len(self._queue) or self._unsent >= WINDOW:
            return None
        entry = self._queue[self._unsent]
        if not self._unsent:
            self._timer_ms = ticks_add(now_ms, self.resend_ms)
        if entry.sends:
            self.counters.resent += 1
        entry.sends += 1
        entry.sent_ms = now_ms
        self._unsent += 1
        return self._line(entry.kind, self._base + self._unsent - 1, entry.body, now_ms)

    def _line(self, kind: str, sequence: int, body: bytes, now_ms: int) -> bytes:
        """A frame of the session, with the acknowledgement of this moment."""
        self.counters.sent += 1
        self._ack_due = False
        if self._trace_size:
            self._note(now_ms, ">", kind, sequence, self._ack, body)
        return wire.pack(kind, sequence, self._ack, self._session, body)

    def _hello_line(self, body: bytes, now_ms: int) -> bytes:
        self.counters.sent += 1
        self._note(now_ms, ">", wire.HELLO, 0, 0, body)
        return wire.pack(wire.HELLO, wire.UNSEQUENCED, 0, wire.NO_SESSION, body)

    def _due_queue_ms(self, now_ms: int, limit_ms: int) -> int:
        """Milliseconds until the queue has something to send, at most `limit_ms`."""
        if self._ack_due or (self._unsent < len(self._queue) and self._unsent < WINDOW):
            return 0
        if self._unsent:
            return max(0, min(limit_ms, ticks_diff(self._timer_ms, now_ms)))
        return limit_ms


class TrayEnd(End):
    """The tray's end.

    `hello`: the HELLO body (PROTOCOL.md), without `proto`, `nonce`, `base` and `to`, which are added here; a list under
    `errors` is shortened if the line would be too long. `nonce`: 8 hex digits, new at every boot. `now_ms`: the clock.
    """

    def __init__(self, hello: "dict[str, Any]", nonce: str, now_ms: int = 0, trace: int = TRACE_TRAY) -> None:
        End.__init__(self, now_ms, False, trace)
        self.hello = hello
        self.nonce = nonce
        self._host_nonce = ""
        self._hello_due = True  # one unasked at boot: a host that was talking to the boot before learns of this one
        self._hello_sent_ms = ticks_add(now_ms, -HELLO_MS)
        self._pong: "bytes | None" = None
        self._health: "bytes | None" = None
        self._snapshot_due = False
        self._lost = 0  # events refused for want of room since the last snapshot

    @property
    def online(self) -> bool:
        """Whether taps are taken. If not, the tray shows "offline" and refuses them visibly."""
        return self.state == ONLINE

    def event(self, body: "dict[str, Any]", now_ms: int) -> "int | None":
        """Queue a `T` event; answers its sequence, or None: refused, because offline or full. Then show the refusal.

        A refusal for want of room makes the tray ask for a snapshot (WANTED) as soon as there is room again.
        Raises ValueError for a body too long for a frame.
        """
        if self.state != ONLINE:
            return None
        # One place is kept for the snapshot.
        if len(self._queue) >= QUEUE - 1 or self._base + len(self._queue) > wire.SEQUENCE_LAST:
            self.counters.overflow += 1
            self._lost += 1
            self._snapshot_due = True
            return None
        return self._push(wire.EVENT, wire.pack_body(body))

    def snapshot(self, body: "dict[str, Any]", now_ms: int) -> "int | None":
        """Queue the snapshot that WANTED asked for: tags on pads, button levels, health.

        `lost`, the number of events refused for want of room, is added if there were any.
        Answers the sequence, or None if there is no session or no room (WANTED will ask again).
        """
        if self.state != ONLINE or len(self._queue) >= QUEUE or self._base + len(self._queue) > wire.SEQUENCE_LAST:
            return None
        if self._lost:
            body = dict(body)
            body["lost"] = self._lost
        self._lost = 0
        self._snapshot_due = False
        return self._push(wire.SNAPSHOT, wire.pack_body(body))

    def health(self, body: "dict[str, Any]") -> None:
        """Send an `L` frame soon, unacknowledged; a newer one replaces one that still waits."""
        self._health = wire.pack_body(body)

    def take(self, now_ms: int) -> "bytes | None":
        """The next line to write, or None."""
        self._rewind_if_due(now_ms)
        if self._hello_due and ticks_diff(now_ms, self._hello_sent_ms) >= HELLO_MS:
            self._hello_due = False
            self._hello_sent_ms = now_ms
            return self._hello_line(self._hello_body(), now_ms)
        if self.state != ONLINE:
            return None
        if self._pong is not None:
            body, self._pong = self._pong, None
            return self._line(wire.PONG, wire.UNSEQUENCED, body, now_ms)
        line = self._take_sequenced(now_ms)
        if line is not None:
            return line
        if self._health is not None:
            body, self._health = self._health, None
            return self._line(wire.HEALTH, wire.UNSEQUENCED, body, now_ms)
        if self._ack_due:
            return self._line(wire.ACK, wire.UNSEQUENCED, b"{}", now_ms)
        return None

    def due_ms(self, now_ms: int) -> int:
        """Milliseconds (0..OFFLINE_MS) until `tick` and `take` have something to do, if nothing is fed or queued."""
        limit = OFFLINE_MS
        if self._hello_due:
            limit = max(0, HELLO_MS - ticks_diff(now_ms, self._hello_sent_ms))
        if self.state != ONLINE:
            return limit
        if self._pong is not None or self._health is not None:
            return 0
        limit = min(limit, max(0, OFFLINE_MS - ticks_diff(now_ms, self._heard_ms)))
        return self._due_queue_ms(now_ms, limit)

    def _hello_body(self) -> bytes:
        body = dict(self.hello)
        body["proto"] = list(PROTOCOL)
        body["nonce"] = self.nonce
        body["to"] = self._host_nonce
        body["base"] = self._base
        while True:
            try:
                return wire.pack_body(body)
            except ValueError:
                errors = body.get("errors")
                if errors:
                    body["errors"] = errors[(len(errors) + 1) // 2 :]  # the newest are last
                elif "faults" in body:
                    del body["faults"]
                else:
                    return wire.pack_body(
                        {k: body[k] for k in ("proto", "nonce", "to", "base", "id", "fw") if k in body}
                    )

    def _frame(self, frame: wire.Frame, now_ms: int, items: "list[Item]") -> None:
        if frame.kind == wire.HELLO:
            self._host_hello(frame.body, now_ms, items)
        elif self.state != ONLINE or frame.session != self._session:
            # A host that believes in a session we do not have: tell it which one we have.
            self.counters.stale += 1
            if self.state != INCOMPATIBLE:
                self._hello_due = True
        else:
            self._heard_ms = now_ms
            self._acknowledge(frame.ack, now_ms)
            if frame.kind == wire.PING and frame.sequence == wire.UNSEQUENCED:
                number = frame.body.get("n")
                self._pong = b'{"n":%d}' % (number if isinstance(number, int) and 0 <= number <= _TICKS_MASK else 0)
            self._in_order(frame, items)
            if self._ack != self._received:  # the tray acts at once, so what it has taken is done
                self._ack = self._received
                self._ack_due = True

    def _host_hello(self, body: "dict[str, Any]", now_ms: int, items: "list[Item]") -> None:
        nonce = nonce_of(body)
        if not nonce or "id" in body:
            self.counters.alien += 1
            return
        # Always answered, so that the host can tell what it found; at once, because it was asked for.
        self._hello_due = True
        self._hello_sent_ms = ticks_add(now_ms, -HELLO_MS)
        major = major_of(body)
        if major != PROTOCOL[0]:
            self._host_nonce = nonce
            self._leave(INCOMPATIBLE, "the host speaks protocol %d, this tray %d" % (major, PROTOCOL[0]), items)
            return
        if self.state == ONLINE and nonce == self._host_nonce:
            # It has not seen our answer, so nothing we sent since can have reached it.
            self._heard_ms = now_ms
            self._unsent = 0
            return
        self._host_nonce = nonce
        self._received = self._ack = 0
        self._pong = self._health = None
        self._snapshot_due = True
        if self._base + len(self._queue) > wire.SEQUENCE_LAST and not self._queue:
            self._renew()
        self._begin(session_tag(nonce, self.nonce), now_ms)
        items.append((UP, 0, body))

    def _renew(self) -> None:
        """Every sequence is used up (after months): go on under another nonce, as after a boot."""
        self.nonce = "%08x" % crc32(self.nonce.encode())
        self._base = 1

    def _leave(self, state: str, why: str, items: "list[Item]") -> None:
        was = self.state
        self.state = state
        self._unsent = 0
        if was != state:
            items.append((DOWN, 0, {"why": why}))

    def _tick(self, now_ms: int, items: "list[Item]") -> None:
        if ticks_diff(now_ms, self._hello_sent_ms) > HELLO_MS:  # or it would be in the future after six days
            self._hello_sent_ms = ticks_add(now_ms, -HELLO_MS)
        if self.state != ONLINE:
            return
        if ticks_diff(now_ms, self._heard_ms) >= OFFLINE_MS:
            self._host_nonce = ""
            self._hello_due = True  # a host that still hears us, and only is not heard, begins anew at once
            self._leave(WAITING, "no host", items)
        elif self._base > wire.SEQUENCE_LAST:
            self._host_nonce = ""
            self._hello_due = True
            self._renew()
            self._leave(WAITING, "sequence numbers used up", items)
        elif self._snapshot_due and len(self._queue) < QUEUE // 2:
            items.append((WANTED, 0, {}))
