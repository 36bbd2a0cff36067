"""Runs under MicroPython (by bench_firmware.py): an hour of polling in virtual time, watching the heap.

`firmware_heap.py MINUTES FIRMWARE_FOLDER ORDERTRAY_FOLDER`. The whole app's parts, with the real drivers on simulated
chips and a clock moved by hand: readers, buttons, lamps, the link's tray end. Prints one line of JSON: bytes of heap in
use after each virtual minute (collected), and what the firmware alone takes.
"""

import gc
import json
import sys

sys.path.extend(sys.argv[2:])

gc.collect()
bare = gc.mem_alloc()  # type: ignore[attr-defined]

from ordertray_firmware import pixels, wire  # noqa: E402
from ordertray_firmware.app import App  # noqa: E402
from ordertray_firmware.config import default_config  # noqa: E402

gc.collect()
loaded = gc.mem_alloc()  # type: ignore[attr-defined]


class Straw:
    """Hardware that does nothing."""

    reset_cause = "power"
    unique_id = "E6616408430A1B2C"
    stalls = 0
    idle = True

    def __init__(self) -> None:
        self.serial = self
        self.buses = []  # type: ignore[var-annotated]
        self.sent = 0

    def random_nonce(self) -> str:
        return "0badcafe"

    def heap(self) -> "tuple[int, int]":
        return 0, 0

    def bus(self, reader: "dict[str, object]") -> "object":
        return self.buses[0 if reader["pad"] == "A" else 1] if self.buses else self

    def contacts(self, _pins: "list[int]") -> "Straw":
        return self

    def strip(self, _pin: int, _count: int) -> "Straw":
        return self

    def tone(self, _pin: int) -> None:
        return None

    def mask(self) -> int:
        return 0

    def write(self, data: bytes) -> bool:
        self.sent += 1
        return True

    def flush(self) -> bool:
        return True


class NoLog:
    """No crashes."""

    def unseen(self) -> "list[str]":
        return []


app = App(Straw(), default_config(), [], NoLog())
gc.collect()
made = gc.mem_alloc()  # type: ignore[attr-defined]

# --- an hour, quickly -------------------------------------------------------------------------------------------------

from sim.chips import Clock, Pad, SimulatedBus, make_chip, make_tag  # type: ignore[import-not-found] # noqa: E402

from ordertray_firmware import clock as real_clock  # noqa: E402

ticks = Clock()
for name in ("ticks_ms", "ticks_us", "ticks_diff", "ticks_add", "sleep_us"):
    setattr(real_clock, name, getattr(ticks, name))

pads = [Pad(), Pad()]
board = Straw()
board.buses = [SimulatedBus(make_chip("pn532", pad, ticks), ticks) for pad in pads]
app = App(board, default_config(), [], NoLog())


def hello(now_ms: int) -> None:
    """A host comes."""
    line = wire.encode("H", 0, 0, 0, {"proto": [1, 0], "sw": "bench", "nonce": "00c0ffee"})
    for what, _sequence, body in app.end.feed(line, now_ms):
        app._from_host(what, body, now_ms)


def run(minutes: int) -> "list[int]":
    """Poll; every virtual second a ping's worth of traffic, every tenth a tap; a host that acknowledges everything."""
    heap = []
    tag = make_tag("ntag213", "04A1B2C3D4E5F6")
    now_ms = app.uptime.now_ms()
    hello(now_ms)
    app.lamps.mode = pixels.ONLINE
    frame = {"f": 1, "A": ["g" * 32, "p" * 32], "B": ["r" * 32, "c" * 32]}
    second = 0
    next_lamp_ms = next_second_ms = now_ms
    while second < minutes * 60:
        delay_us = app.station.step()
        ticks.advance_us(max(300, delay_us))
        now_ms = app.uptime.now_ms()
        app.buttons.sample(0, now_ms)
        if now_ms >= next_lamp_ms:
            next_lamp_ms = now_ms + 20
            if second % 10 == 0:  # animation all the time would only make the bench slower
                app.show()
        app._pump(now_ms)
        if now_ms >= next_second_ms:
            next_second_ms += 1000
            second += 1
            ack = app.end.acknowledged + app.end.queued
            session = app.end._session
            ping = wire.encode("P", 0, ack, session, {"n": second})
            for what, _sequence, body in app.end.feed(ping, now_ms):
                app._from_host(what, body, now_ms)
            if second % 10 == 3:
                pads[second // 10 % 2].put(tag)
                for side in ("A", "B"):
                    app._frame_side(side, frame[side])
            elif second % 10 == 6:
                pads[0].take()
                pads[1].take()
            if second % 60 == 0:
                gc.collect()
                heap.append(gc.mem_alloc())  # type: ignore[attr-defined]
    return heap


heap = run(int(sys.argv[1]))
print(
    json.dumps(
        {
            "bare": bare,
            "modules": loaded - bare,
            "objects": made - loaded,
            "minutes": heap,
            "polls": app.station.counters()["A"]["polls"],
            "events": app.end.acknowledged,
        }
    )
)
