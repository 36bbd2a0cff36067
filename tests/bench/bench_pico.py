"""Bench of the whole firmware on the emulated Pico, in emulated time: MicroPython's own image on rp2040py.

Run: ORDERTRAY_UF2=image.uf2 python tests/bench/bench_pico.py [TAPS] [SECONDS]

TAPS: taps to time (default 40, at moments spread evenly over a poll period; a quarter as many presses and lamp frames).
SECONDS: how long the heap is watched (default 25). The two kinds of reader have a process each; some ten minutes.
Times are those of the emulated processor at 125 MHz: instructions take the cycles of the data sheet, SPI and PIO their
clocks. The emulator does not model the wait for the flash chip when its cache misses: a real Pico is slower by that.
Without an image it says so and does nothing. The last line is JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ordertray.sim.pico import EmulatedPico
from ordertray.sim.pico.files import BLOCK_BYTES, build_flash
from ordertray.traycare.flash import build_files
from pico.pico_host import PicoHost

UID = "04A1B2C3D4E5F6"
#: About one poll period of a pad.
PERIOD_S = 0.0165
DEBOUNCE_MS = 8


def spread(times_ms: list[float]) -> list[float]:
    """[median, longest]."""
    return [round(median(times_ms), 1), round(max(times_ms), 1)]


def gap(host: PicoHost, share: float) -> None:
    """A pause that ends in this share (0 to 1) of the poll period, and what was heard in it forgotten.

    What comes before it keeps step with the polls; so all moments of a period get their turn, evenly.
    """
    host.talk_for(0.04 + PERIOD_S * share)
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
        host.talk_for(2.0)
        after, ended_s = host.command("selftest"), pico.now_s
        polls = {pad: after["readers"][pad]["polls"] - before["readers"][pad]["polls"] for pad in ("A", "B")}
        result["health"] = [reader["health"] for reader in after["health"]]
        result["poll_period_ms"] = {pad: round((ended_s - begun_s) * 1000 / polls[pad], 1) for pad in polls}
        taps_ms, presses_ms, frames_ms = [], [], []
        for number in range(taps):
            share = (number + 0.5) / taps
            gap(host, share)
            taps_ms.append(first_byte_ms(host, lambda: pico.place("A", UID), b'"placed"'))
            host.talk_for(0.12)  # a hand does not snatch it away while the tray is still reading its memory
            pico.remove("A")
            host.event(e="removed")
            if number % 4 == 0:
                gap(host, share)
                presses_ms.append(first_byte_ms(host, lambda: pico.press("B", "aro"), b'"down"') - DEBOUNCE_MS)
                pico.release("B", "aro")
                host.event(edge="up")
                gap(host, share)
                frames_ms.append(frame_ms(host, number // 4))
        result["tap_to_first_byte_ms"] = spread(taps_ms)
        result["press_to_first_byte_ms"] = spread(presses_ms)
        result["frame_to_strip_ms"] = spread(frames_ms)
        # What is left in use after a collection, as each health report has it.
        heap: list[int] = []
        end_s = pico.now_s + seconds
        while pico.now_s < end_s:
            host.talk_for(min(1.0, end_s - pico.now_s))
            used = host.command("selftest")["tray"]["heap_used"]
            if not heap or used != heap[-1]:
                heap.append(used)
        last = host.command("selftest")
        result["late_ms"] = max(late for late in (*host.late_ms, last["tray"]["late_ms"]))
        result["heap_used"] = heap
        result["heap_free"] = last["tray"]["heap_free"]
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
    with ProcessPoolExecutor(2) as pool:
        runs = {chip: pool.submit(measure, Path(name), chip, taps, seconds) for chip in ("pn532", "mfrc522")}
    for chip, run in runs.items():
        result[chip] = run.result()
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
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40, float(sys.argv[2]) if len(sys.argv) > 2 else 25)
