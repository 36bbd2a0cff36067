"""One direction of a bad line: it drops, doubles, damages, splits, delays and reorders what it carries, by dice."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from dataclasses import dataclass, field

# What a line buffers before its writer has to wait (a pseudo-terminal's and a USB stack's order of magnitude).
LINE_BYTES = 4096
# What a line can do, as the fields of `Faults`.
FAULT_NAMES = ("drop", "duplicate", "corrupt", "split", "delay", "reorder", "noise", "modem")
MODEM_TEXT = (
    b"AT\r\n",
    b"\r\nRING\r\n",
    b"\r\nOK\r\n",
    b"+CREG: 0,1\r\n",
    b"ATZ\rAT+GCAP\r",
    b"MPY: soft reboot\r\n",
    b'Traceback (most recent call last):\r\n  File "main.py", line 9\r\n',
)


@dataclass(frozen=True)
class Faults:
    """How bad a line is: the chance of each fault for each line of text sent, and how long delays can be."""

    drop: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    split: float = 0.0
    delay: float = 0.0
    reorder: float = 0.0
    noise: float = 0.0
    modem: float = 0.0
    longest_delay_ms: int = field(default=400, kw_only=True)

    @staticmethod
    def draw(rng: random.Random) -> Faults:
        """Some mixture, from nearly clean to hardly usable."""
        scale = rng.choice((0.0, 0.02, 0.1, 0.3))
        return Faults(*(rng.random() * scale for _ in FAULT_NAMES), longest_delay_ms=rng.choice((20, 400, 3000)))


CLEAN = Faults()


class Line:
    """One direction of the cable: takes lines, gives chunks, and counts each fault it commits."""

    def __init__(self, rng: random.Random, counts: Counter[str]) -> None:
        self.faults = CLEAN
        self._rng = rng
        self._counts = counts
        self._chunks: list[tuple[int, int, bytes]] = []
        self._number = 0
        self._last_ms = 0
        self._bytes = 0

    @property
    def full(self) -> bool:
        """Whether a writer has to wait."""
        return self._bytes >= LINE_BYTES

    def clear(self) -> None:
        """The cable was pulled: what was in it is gone."""
        self._chunks.clear()
        self._bytes = 0

    def send(self, data: bytes, now_ms: int) -> None:
        """Put a line in, and do to it what this cable does."""
        faults = self.faults
        if self._happens("noise", faults.noise):
            self._put(self._rng.randbytes(self._rng.randrange(1, 60)), now_ms)
        if self._happens("modem", faults.modem):
            self._put(self._rng.choice(MODEM_TEXT), now_ms)
        if self._happens("drop", faults.drop):
            return
        for _ in range(2 if self._happens("duplicate", faults.duplicate) else 1):
            piece = data
            if self._happens("corrupt", faults.corrupt):
                piece = self._corrupted(piece)
            pieces = [piece]
            if self._happens("split", faults.split):
                at = sorted(self._rng.randrange(len(piece) + 1) for _ in range(self._rng.randrange(1, 4)))
                pieces = [piece[a:b] for a, b in zip([0, *at], [*at, len(piece)], strict=True)]
            for part in pieces:
                self._put(part, now_ms)

    def receive(self, now_ms: int) -> bytes:
        """What has come out by now."""
        out = []
        while self._chunks and self._chunks[0][0] <= now_ms:
            out.append(heapq.heappop(self._chunks)[2])
        data = b"".join(out)
        self._bytes -= len(data)
        return data

    def due_ms(self, now_ms: int) -> int | None:
        """Milliseconds until something comes out; None if the line is empty."""
        return max(0, self._chunks[0][0] - now_ms) if self._chunks else None

    def _put(self, data: bytes, now_ms: int) -> None:
        at_ms = now_ms + self._rng.randrange(3)
        if self._happens("delay", self.faults.delay):
            at_ms += self._rng.randrange(self.faults.longest_delay_ms)
        self._last_ms = at_ms = max(self._last_ms, at_ms)
        if self._happens("reorder", self.faults.reorder):  # it comes later than what is sent after it
            at_ms += self._rng.randrange(self.faults.longest_delay_ms)
        self._number += 1
        self._bytes += len(data)
        heapq.heappush(self._chunks, (at_ms, self._number, data))

    def _happens(self, name: str, chance: float) -> bool:
        if chance and self._rng.random() < chance:
            self._counts[name] += 1
            return True
        return False

    def _corrupted(self, data: bytes) -> bytes:
        damaged = bytearray(data)
        how = self._rng.randrange(4)
        at = self._rng.randrange(len(damaged))
        if how == 0:
            damaged[at] ^= 1 << self._rng.randrange(8)
        elif how == 1:
            damaged[at] = self._rng.randrange(256)
        elif how == 2:
            del damaged[at : at + self._rng.randrange(1, 9)]
        else:
            damaged[at:at] = self._rng.randbytes(self._rng.randrange(1, 9))
        return bytes(damaged)
