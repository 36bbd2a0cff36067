"""The frame codec: bytes on the serial line to frames and back. This one file serves both sides.

A frame is one line of printable ASCII (firmware/PROTOCOL.md, "Frames")::

    ~T 000012 00000f 9f3c {"e":"removed","pad":"A","uid":"04A1B2C3D4E5F6"} 1a2b3c4d
    │╰kind   │      │    ╰body, one JSON object                            ╰CRC-32 of all before this space
    ╰start   │      ╰session tag
       sequence╰acknowledgement

The start mark occurs nowhere else in a frame (bodies escape it), so a decoder that lost its place is back in step at
the next start mark or the next line, whichever comes first. Every other line is log text and is handed on as text.

Runs on CPython 3.11+ and MicroPython 1.28+. Pure: no ports, no clock.
"""

import json
from binascii import crc32

from . import const

try:
    from typing import Any
except ImportError:  # MicroPython has no typing; annotations are not evaluated there
    pass

# The layout of a line, as offsets from the start mark.
START = b"~"
END = b"\n"
KIND_AT = const(1)
SEQUENCE_AT = const(3)
ACK_AT = const(10)
SESSION_AT = const(17)
BODY_AT = const(22)
SEQUENCE_DIGITS = const(6)
SESSION_DIGITS = const(4)
CRC_DIGITS = const(8)
# Bytes after the body and before the line's end: a space and the CRC.
TRAILER = 1 + CRC_DIGITS
# The shortest frame: everything with the body `{}`, without its line end.
MIN_LINE = BODY_AT + 2 + TRAILER
# The longest line, its end included. An NTAG216 (888 bytes of user memory) written as hex must fit.
MAX_LINE = const(2048)
MAX_BODY = MAX_LINE - BODY_AT - TRAILER - 1

SEQUENCE_LAST = const(0xFFFFFF)
SESSION_LAST = const(0xFFFF)
# A frame outside the order of the session (HELLO, ping, pong, bare acknowledgement, health) has this sequence.
UNSEQUENCED = const(0)
# HELLO frames belong to no session.
NO_SESSION = const(0)

# Kinds, by sender. See PROTOCOL.md for the bodies.
HELLO = "H"  # both
ACK = "A"  # both: nothing but the acknowledgement in the header
EVENT = "T"  # tray to host, acknowledged when durable
SNAPSHOT = "S"  # tray to host
HEALTH = "L"  # tray to host
PONG = "P"  # tray to host; the host's ping has the same letter
PING = "P"  # host to tray
LAMPS = "F"  # host to tray
FEEDBACK = "B"  # host to tray
COMMAND = "C"  # host to tray

_HEAD = b"~%c %06x %06x %04x "
_CR = const(0x0D)
_DELETE = b"\x7f"
_SPACE = const(0x20)
_START = const(0x7E)


class Frame:
    """One decoded frame.

    `kind` is one capital letter, `sequence` and `ack` are 0..0xFFFFFF (0 = none), `session` is 0..0xFFFF
    (0 = outside a session), `body` is the JSON object as a dict.
    """

    __slots__ = ("kind", "sequence", "ack", "session", "body")

    def __init__(self, kind: str, sequence: int, ack: int, session: int, body: "dict[str, Any]") -> None:
        self.kind = kind
        self.sequence = sequence
        self.ack = ack
        self.session = session
        self.body = body

    def __repr__(self) -> str:
        return "Frame(%r, %d, %d, 0x%04x, %r)" % (self.kind, self.sequence, self.ack, self.session, self.body)


class Text:
    """A line that is no frame: log text, a traceback, a modem's chatter. `text` is printable ASCII, no line end."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return "Text(%r)" % self.text


class Bad:
    """A line that began like a frame and is none. `why` says what was wrong, `text` is its printable beginning."""

    __slots__ = ("why", "text")

    def __init__(self, why: str, text: str) -> None:
        self.why = why
        self.text = text

    def __repr__(self) -> str:
        return "Bad(%r, %r)" % (self.why, self.text)


def _make_json() -> "tuple[Any, Any]":
    """The two JSON functions, alike on both interpreters: compact, no NaN, escapes left to `_printable`."""
    try:
        encoder, decoder = json.JSONEncoder, json.JSONDecoder
    except AttributeError:  # MicroPython: never escapes, never accepts NaN

        def dumps(value: object) -> str:
            return json.dumps(value, separators=(",", ":"))

        return dumps, json.loads

    def refuse(name: str) -> object:
        raise ValueError(name)

    # Made once: the functions of the module make new ones at each call with options.
    return (
        encoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode,
        decoder(parse_constant=refuse).decode,
    )


_dumps, _loads = _make_json()


# Printable ASCII without the start mark, the letters of pictures and what JSON is made of first.
_OFTEN = b'gs."d,:{}[]rcybowpABf0123456789'
_PRINTABLE = _OFTEN + bytes([code for code in range(_SPACE, _START) if code not in _OFTEN])


def _is_printable(data: bytes) -> bool:
    """Whether these are printable ASCII without the start mark."""
    # strip() takes everything away when all of it is known: MicroPython's quickest look at each byte.
    return not data.strip(_PRINTABLE)


if hasattr(bytes, "isascii"):  # CPython has it ready, and needs no pass for the start mark: it ended the line

    def _is_printable(data: bytes) -> bool:
        return data.isascii() and data.decode().isprintable()


def _printable(text: str) -> bytes:
    """JSON text as printable ASCII without the start mark; everything else becomes an escape."""
    try:
        data = text.encode()
        # JSON escapes what is below a space by itself; so this is all, and takes no look at each byte.
        if len(data) == len(text) and START not in data and _DELETE not in data:
            return data
    except UnicodeError:  # a lone surrogate
        pass
    out = []
    for character in text:
        code = ord(character)
        if _SPACE <= code < _START:
            out.append(character)
        else:  # MicroPython cannot join surrogate pairs, so nothing beyond the first plane travels
            out.append("\\u%04x" % (code if code <= 0xFFFF else 0xFFFD))
    return "".join(out).encode()


def pack_body(body: "dict[str, Any]") -> bytes:
    """A body as it stands in a frame: compact JSON, printable ASCII, no start mark.

    Raises ValueError if it is longer than MAX_BODY bytes or holds NaN or infinity (CPython).
    """
    data = _printable(_dumps(body))
    if len(data) > MAX_BODY:
        raise ValueError("body of %d bytes, at most %d" % (len(data), MAX_BODY))
    return data


def pack(kind: str, sequence: int, ack: int, session: int, body: bytes) -> bytes:
    """The whole line of a frame from a body made by `pack_body`, line end included.

    Raises ValueError for a number out of its range or a kind that is no capital letter.
    """
    if not (0 <= sequence <= SEQUENCE_LAST and 0 <= ack <= SEQUENCE_LAST and 0 <= session <= SESSION_LAST):
        raise ValueError("sequence, ack or session out of range")
    if len(kind) != 1 or not "A" <= kind <= "Z":
        raise ValueError("kind %r" % kind)
    line = _HEAD % (ord(kind), sequence, ack, session) + body
    return b"%s %08x\n" % (line, crc32(line))


def encode(kind: str, sequence: int, ack: int, session: int, body: "dict[str, Any]") -> bytes:
    """The whole line of a frame: `pack` of `pack_body`. Raises ValueError as they do."""
    return pack(kind, sequence, ack, session, pack_body(body))


def _readable(data: bytes) -> str:
    """Any bytes as printable ASCII, the rest as question marks."""
    if data and min(data) >= _SPACE and max(data) <= _START:
        return data.decode()
    return "".join([chr(byte) if _SPACE <= byte <= _START else "?" for byte in data])


def parse(line: bytes) -> "Frame | Bad":
    """One line that begins with the start mark, without its line end, as a Frame, or Bad. Never raises."""
    size = len(line)
    if size < MIN_LINE:
        return Bad("cut short", _readable(line[:40]))
    if size >= MAX_LINE:  # the buffer has room for one more, for a CR
        return Bad("too long", _readable(line[:40]))
    if line[size - TRAILER] != _SPACE or b"%08x" % crc32(line[: size - TRAILER]) != line[size - CRC_DIGITS :]:
        return Bad("checksum", _readable(line[:40]))
    try:
        kind = line[KIND_AT]
        sequence = int(line[SEQUENCE_AT : SEQUENCE_AT + SEQUENCE_DIGITS], 16)
        ack = int(line[ACK_AT : ACK_AT + SEQUENCE_DIGITS], 16)
        session = int(line[SESSION_AT : SESSION_AT + SESSION_DIGITS], 16)
    except ValueError:
        return Bad("layout", _readable(line[:40]))
    # Written again it must be the same: no signs, blanks, underscores or capitals, and the spaces where they belong.
    if not 65 <= kind <= 90 or _HEAD % (kind, sequence, ack, session) != line[:BODY_AT]:
        return Bad("layout", _readable(line[:40]))
    body = line[BODY_AT : size - TRAILER]
    if not _is_printable(body):
        return Bad("not printable", _readable(line[:40]))
    try:
        value = _loads(body.decode())
    except (ValueError, RuntimeError, MemoryError):  # RuntimeError: nested too deeply
        return Bad("not JSON", _readable(line[:40]))
    if not isinstance(value, dict):
        return Bad("not an object", _readable(line[:40]))
    return Frame(chr(kind), sequence, ack, session, value)


class Decoder:
    """Streaming decoder: feed it bytes as they come, get frames, texts and bad lines in their order.

    Holds at most one line (MAX_LINE bytes, allocated once). With `keep_text` False, text outside frames is dropped
    without being held (for the tray, which has no use for what a host mumbles). Never raises, whatever it is fed.
    """

    def __init__(self, keep_text: bool = True) -> None:
        self._line = bytearray(MAX_LINE)
        self._size = 0
        self._in_frame = False
        self._overrun = False
        self._keep_text = keep_text

    def feed(self, data: bytes) -> "list[Frame | Text | Bad]":
        """What the bytes completed: a list, often empty. Bytes of an unfinished line are kept for the next call."""
        items: "list[Frame | Text | Bad]" = []
        position = 0
        size = len(data)
        while position < size:
            end = data.find(END, position)
            stop = end if end >= 0 else size
            start = data.find(START, position, stop)
            if start >= 0:  # whatever stood before a start mark is over; only the last mark of a line can be good
                self._add(data, position, start)
                self._finish(items, True)
                after = data.find(START, start + 1, stop)
                while after >= 0:
                    why = "too long" if after - start > MAX_LINE else "cut short"
                    items.append(Bad(why, _readable(data[start : min(after, start + 40)])))
                    start = after
                    after = data.find(START, start + 1, stop)
                if end >= 0:  # a whole line in hand needs no buffer
                    items.append(parse(data[start : end - 1 if data[end - 1] == _CR else end]))
                    position = end + 1
                    continue
                self._in_frame = True
                position = start
            self._add(data, position, stop)
            if end < 0:
                break
            self._finish(items, False)
            position = end + 1
        return items

    def reset(self) -> None:
        """Forget the unfinished line (a new port)."""
        self._size = 0
        self._in_frame = self._overrun = False

    def _add(self, data: bytes, start: int, stop: int) -> None:
        if self._overrun or stop <= start or not (self._in_frame or self._keep_text):
            return
        room = MAX_LINE - self._size
        if stop - start > room:
            self._overrun = True
            stop = start + room
        if stop - start == 1:
            self._line[self._size] = data[start]
        else:
            self._line[self._size : self._size + stop - start] = data[start:stop]
        self._size += stop - start

    def _finish(self, items: "list[Frame | Text | Bad]", cut: bool) -> None:
        """The line in hand is over: by its line end, or `cut` by a start mark."""
        size = self._size
        if size:
            line = bytes(memoryview(self._line)[:size])
            if line[size - 1] == _CR and not cut:  # text streams of MicroPython write CR LF
                line = line[: size - 1]
            if not self._in_frame:
                if line:
                    items.append(Text(_readable(line)))
            elif self._overrun:
                items.append(Bad("too long", _readable(line[:40])))
            elif cut:
                items.append(Bad("cut short", _readable(line[:40])))
            else:
                items.append(parse(line))
        self.reset()
