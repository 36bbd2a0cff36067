"""The firmware's end of the link in another interpreter, driven over standard input and output.

Runs on MicroPython and CPython: `micropython end_server.py FIRMWARE_FOLDER`. One JSON array a line in, one JSON value a
line out: `["new", hello, nonce, now_ms]`, `["feed", hex, now_ms]`, `["tick", now_ms]`, `["take", now_ms]`,
`["due_ms", now_ms]`, `["event", body, now_ms]`, `["snapshot", body, now_ms]`, `["state"]`, `["decode", hex]`.
"""

import binascii
import json
import sys

try:  # noqa: SIM105 - no contextlib there
    from typing import Any
except ImportError:
    pass

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from ordertray_firmware import wire
from ordertray_firmware.link import TrayEnd


def shown(piece: "wire.Frame | wire.Bad | wire.Text") -> "list[Any]":
    """A piece that the decoder found, as JSON."""
    if isinstance(piece, wire.Frame):
        return ["frame", piece.kind, piece.sequence, piece.ack, piece.session, piece.body]
    if isinstance(piece, wire.Bad):
        return ["bad", piece.why, piece.text]
    return ["text", piece.text]


def main() -> None:
    """Answer until standard input ends."""
    end = TrayEnd({}, "none")
    answer: Any = None
    decoder = wire.Decoder()
    while True:
        line = sys.stdin.readline()
        if not line:
            return
        question = json.loads(line)
        name = question[0]
        if name == "new":
            end = TrayEnd(question[1], question[2], question[3])
            answer = True
        elif name == "feed":
            answer = end.feed(binascii.unhexlify(question[1]), question[2])
        elif name == "tick":
            answer = end.tick(question[1])
        elif name == "take":
            taken = end.take(question[1])
            answer = None if taken is None else taken.decode()
        elif name == "due_ms":
            answer = end.due_ms(question[1])
        elif name == "event":
            answer = end.event(question[1], question[2])
        elif name == "snapshot":
            answer = end.snapshot(question[1], question[2])
        elif name == "decode":
            answer = [shown(piece) for piece in decoder.feed(binascii.unhexlify(question[1]))]
        else:
            answer = [end.online, end.queued, end.acknowledged]
        sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
