"""How fast the frame codec is, with COBS + CRC-32 (the package `cobs`, in C) as the yardstick in the same run.

    make bench            (or: python tests/bench/bench_link.py)

The same bodies go through both: header, JSON body, CRC-32, framing; and back, out of one long stream in pieces of 512
bytes. The yardstick packs its header in binary and frames with a zero byte. The real MicroPython interpreter then runs
the same codec alone (on this machine; a Pico is some hundred times slower). Last line: JSON.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from cobs import cobs

from ordertray.sim.process import _MICROPYTHON, choose_interpreter, firmware_folder
from ordertray_firmware import wire

FRAMES = 2000
ROUNDS = 15
PIECE = 512
BODIES: list[dict[str, Any]] = [
    {"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "ntag213"},
    {"e": "button", "side": "B", "button": "ok", "edge": "up", "held": True},
    {"f": 12, "A": ["ggggggg.....w..cyyyyyyyyyyyyyyyy", "s" * 32], "B": ["gggg........w..cyyyy............", "s" * 32]},
    {"n": 512},
]
HEADER = struct.Struct("<cIIH")
# As the codec has them: made once.
TO_JSON = json.JSONEncoder(separators=(",", ":")).encode
FROM_JSON = json.JSONDecoder().decode


def cobs_encode(kind: str, sequence: int, ack: int, session: int, body: dict[str, Any]) -> bytes:
    """The yardstick's frame."""
    data = HEADER.pack(kind.encode(), sequence, ack, session) + TO_JSON(body).encode()
    return bytes(cobs.encode(data + zlib.crc32(data).to_bytes(4, "little"))) + b"\0"


class CobsDecoder:
    """The yardstick's streaming decoder."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[Any, ...]]:
        """The frames that the bytes completed."""
        *lines, self._rest = (self._rest + data).split(b"\0")
        frames = []
        for line in lines:
            raw = cobs.decode(line)
            data, crc = raw[:-4], raw[-4:]
            if zlib.crc32(data).to_bytes(4, "little") == crc:
                frames.append((*HEADER.unpack_from(data), FROM_JSON(data[HEADER.size :].decode())))
        return frames


def timed_s(action: Callable[[], object]) -> float:
    """Median seconds of an action."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        action()
        taken.append(time.perf_counter() - began)
    return median(taken)


def stream(encode: Callable[..., bytes]) -> bytes:
    """All frames, one after the other."""
    return b"".join(encode("T", number + 1, number, 0x9F3C, BODIES[number % len(BODIES)]) for number in range(FRAMES))


def decode(make: Callable[[], Any], data: bytes) -> int:
    """Feed a stream in pieces; the number of frames."""
    decoder = make()
    return sum(len(decoder.feed(data[at : at + PIECE])) for at in range(0, len(data), PIECE))


ON_MICROPYTHON = """
import sys, time
sys.path.insert(0, sys.argv[1])
from ordertray_firmware import wire
bodies = {bodies!r}
def stream():
    return [wire.encode("T", n + 1, n, 0x9f3c, bodies[n % len(bodies)]) for n in range({frames})]
began = time.ticks_us(); lines = stream(); print(time.ticks_diff(time.ticks_us(), began))
decoder = wire.Decoder()
began = time.ticks_us(); count = 0
for line in lines:
    count += len(decoder.feed(line))
print(time.ticks_diff(time.ticks_us(), began)); print(count)
"""


def on_micropython() -> dict[str, float]:
    """Frames a second of the same codec in the real interpreter, or nothing where it is not installed."""
    if choose_interpreter("auto") != "micropython":
        return {}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bench.py"
        script.write_text(ON_MICROPYTHON.format(bodies=BODIES, frames=FRAMES))
        said = subprocess.run(
            [sys.executable, "-c", _MICROPYTHON, "-X", "heapsize=8M", str(script), str(firmware_folder())],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    assert int(said[2]) == FRAMES
    return {"encode": FRAMES / (int(said[0]) / 1e6), "decode": FRAMES / (int(said[1]) / 1e6)}


def main() -> None:
    """Measure, print."""
    ours, theirs = stream(wire.encode), stream(cobs_encode)
    assert decode(wire.Decoder, ours) == decode(CobsDecoder, theirs) == FRAMES
    rates = {
        "encode": FRAMES / timed_s(lambda: stream(wire.encode)),
        "decode": FRAMES / timed_s(lambda: decode(wire.Decoder, ours)),
        "cobs encode": FRAMES / timed_s(lambda: stream(cobs_encode)),
        "cobs decode": FRAMES / timed_s(lambda: decode(CobsDecoder, theirs)),
    }
    print(f"{FRAMES} frames: {len(ours)} bytes as lines of text, {len(theirs)} with COBS")
    for what in ("encode", "decode"):
        ratio = rates[what] / rates[f"cobs {what}"]
        print(
            f"{what}: {rates[what]:,.0f} frames/s, COBS + CRC {rates[f'cobs {what}']:,.0f} frames/s, ratio {ratio:.2f}"
        )
    there = on_micropython()
    for what, rate in there.items():
        print(f"{what} on the real MicroPython interpreter: {rate:,.0f} frames/s")
    result = {
        "bench": "link",
        "encode_ratio": round(rates["encode"] / rates["cobs encode"], 3),
        "decode_ratio": round(rates["decode"] / rates["cobs decode"], 3),
        "bytes_ratio": round(len(ours) / len(theirs), 3),
        "frames_per_s": {name: round(rate) for name, rate in rates.items()},
        "micropython_frames_per_s": {name: round(rate) for name, rate in there.items()},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
