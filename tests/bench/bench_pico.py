"""Bench of the whole firmware on the emulated Pico, in emulated time: MicroPython's own image on rp2040py.

Run: ORDERTRAY_UF2=image.uf2 python tests/bench/bench_pico.py [TAPS] [SECONDS]

TAPS: taps, presses and lamp frames to time (default 6); SECONDS: how long the heap is watched (default 10). Times are
those of the emulated processor at 125 MHz: instructions take the cycles of the data sheet, SPI and PIO their clocks.
The emulator does not model the wait for the flash chip when its cache misses: a real Pico is slower by that.
Without an image it says so and does nothing. The last line is JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ordertray.flash import build_files
from ordertray.sim.pico import EmulatedPico
from ordertray.sim.pico.files import BLOCK_BYTES, build_flash
from pico.pico_host import PicoHost

UID = "04A1B2C3D4E5F6"
GAPS_S = (0.037, 0.053, 0.071, 0.089, 0.113)
DEBOUNCE_MS = 8


def spread(times_ms: list[float]) -> list[float]:
    """[median, longest]."""
    ordered = sorted(times_ms)
    return [round(ordered[len(ordered) // 2], 1), round(ordered[-1], 1)]


def gap(host: PicoHost, number: int) -> None:
    """An odd pause, and what was heard in it forgotten."""
    host.talk_for(GAPS_S[number % len(GAPS_S)])
    host.events.clear()


def first_byte_ms(host: PicoHost, act: Callable[[], None], word: bytes) -> float:
    """From an act to the USB packet with the first byte of the event that holds `word`."""
    pico = host.pico
    pico.sent.clear()
    begun_s = pico.now_s
    act()
    host.wait(lambda: word in b"".join(data for _at, data in pico.sent), 3.0, str(word))
    whole = b"".join(data for _at, data in pico.sent)
    place = whole.rindex(b"~T", 0, whole.index(word))
    for at_s, data in pico.sent:
        place -= len(data)
        if place < 0:
            return (at_s - begun_s) * 1000
    raise AssertionError("unreachable")


def frame_ms(host: PicoHost, number: int) -> float:
    """From the moment the host has a frame to send to the last edge of the second strip that shows it."""
    pico, letter = host.pico, "gb"[number % 2]
    begun_s = pico.now_s
    host.end.show({"f": number, "A": [letter * 32, "s" * 32], "B": [letter * 32, "s" * 32]})
    host.wait(lambda: pico.colours("A") == pico.colours("B") == letter * 32, 3.0, "the frame")
    return max(at_ns for at_ns, _side, _grb in list(pico.hardware.pictures)[-2:]) / 1e6 - begun_s * 1000


def measure(image: Path, chip: str, taps: int, seconds: float) -> dict[str, Any]:
    """Everything, with two readers of one kind."""
    config = {"readers": [{"pad": "A", "chip": chip}, {"pad": "B", "chip": chip}]}
    files = {**build_files(), "config.json": json.dumps(config).encode()}
    result: dict[str, Any] = {}
    with EmulatedPico(image, files=files, config=config) as pico, PicoHost(pico) as host:
        pico.run_until(lambda: any(b"~H" in data for _at, data in pico.sent), 5, "HELLO")
        result["boot_to_hello_ms"] = round(pico.sent[0][0] * 1000, 1)
        host.wait(lambda: host.snapshots, 5, "a session")
        host.talk_for(1.2)
        result["micropython"] = host.hellos[-1]["mp"]
        before, begun_s = host.command("selftest"), pico.now_s
        heap = [before["tray"]["heap_free"]]
        host.talk_for(2.0)
        after, ended_s = host.command("selftest"), pico.now_s
        polls = {pad: after["readers"][pad]["polls"] - before["readers"][pad]["polls"] for pad in ("A", "B")}
        result["health"] = [reader["health"] for reader in after["health"]]
        result["poll_period_ms"] = {pad: round((ended_s - begun_s) * 1000 / polls[pad], 1) for pad in polls}
        taps_ms, presses_ms = [], []
        for number in range(taps):
            gap(host, number)
            taps_ms.append(first_byte_ms(host, lambda: pico.place("A", UID), b'"placed"'))
            pico.remove("A")
            host.event(e="removed")
            gap(host, number + 1)
            presses_ms.append(first_byte_ms(host, lambda: pico.press("B", "aro"), b'"down"') - DEBOUNCE_MS)
            pico.release("B", "aro")
            host.event(edge="up")
        result["tap_to_first_byte_ms"] = spread(taps_ms)
        result["press_to_first_byte_ms"] = spread(presses_ms)
        frames_ms = []
        for number in range(taps):
            gap(host, number)
            frames_ms.append(frame_ms(host, number))
        result["frame_to_strip_ms"] = spread(frames_ms)
        end_s = pico.now_s + seconds
        while pico.now_s < end_s:
            host.talk_for(min(2.0, end_s - pico.now_s))
            heap.append(host.command("selftest")["tray"]["heap_free"])
        last = host.command("selftest")
        result["late_ms"] = last["tray"]["late_ms"]
        result["heap_free"] = heap
        result["heap_used"] = last["tray"]["heap_used"]
        result["emulated_s"] = round(pico.now_s, 1)
        result["polls"] = last["readers"]["A"]["polls"]
        result["problems"] = pico.problems
    return result


def main(taps: int, seconds: float) -> None:
    """Measure and print."""
    name = os.environ.get("ORDERTRAY_UF2")
    if not name:
        print("skipped: ORDERTRAY_UF2 is not set (firmware/README.md says where to get MicroPython's image)")
        return
    files = build_files()
    result: dict[str, Any] = {"bench": "pico", "taps": taps}
    for chip in ("pn532", "mfrc522"):
        result[chip] = measure(Path(name), chip, taps, seconds)
        print(f"--- two {chip}, emulated time; pairs are median and longest")
        for what, value in result[chip].items():
            print(f"{what:28} {value}", flush=True)
    image = build_flash(files)
    blank = b"\xff" * BLOCK_BYTES
    result["flash_bytes"] = sum(map(len, files.values()))
    result["flash_blocks"] = sum(
        image[place : place + BLOCK_BYTES] not in (blank, bytes(BLOCK_BYTES))
        for place in range(0, len(image), BLOCK_BYTES)
    )
    print(
        f"firmware: {len(files)} files, {result['flash_bytes']} bytes, {result['flash_blocks']} blocks of 4 KB of 352"
    )
    print(json.dumps(result))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6, float(sys.argv[2]) if len(sys.argv) > 2 else 10)
