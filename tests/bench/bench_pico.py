"""Bench of the whole firmware on the emulated Pico, in emulated time: MicroPython's own image on rp2040py.

Run: ORDERTRAY_UF2=image.uf2 python tests/bench/bench_pico.py [TAPS] [SECONDS] [ROW...]

TAPS: taps to time for each row (default 100), at random moments of one run, on either pad, with lamps changing; a fifth
as many presses, lamp frames and taps of 30 ms while the other pad is busy. SECONDS: how long the heap is watched
(default 10). ROW: some of ROWS only. Each tap has a copy of the running machine of its own (tests/pico/pico_forks.py).
Times are those of the emulated processor at 125 MHz: instructions take the cycles of the data sheet, SPI and PIO their
clocks. The emulator does not model the wait for the flash chip when its cache misses: a real Pico is slower by that.
How long a PN532 takes is not published: P is this project's model, R the slower one of an independent bench.
Without an image it says so and does nothing. The last line is JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from firmware.chip_speeds import Speed
from ordertray.sim.flash_disk import BLOCK_BYTES, build_flash
from ordertray.sim.pico import EmulatedPico
from ordertray.traycare.flash import build_files
from pico.pico_forks import ForkHost

UID = "04A1B2C3D4E5F6"
OTHER = "04112233445566"
DEBOUNCE_MS = 8
#: The chips of pads A and B, the speed of every PN532, and how pads are searched.
ROWS: dict[str, tuple[tuple[str, ...], Speed, str]] = {
    "pn532+pn532 P": (("pn532", "pn532"), Speed(6.3, 13.3), "auto"),
    "pn532+pn532 R": (("pn532", "pn532"), Speed(10.3, 18.3), "auto"),
    "mfrc522+mfrc522": (("mfrc522", "mfrc522"), Speed(6.3, 13.3), "auto"),
    "pn532+mfrc522 P": (("pn532", "mfrc522"), Speed(6.3, 13.3), "auto"),
    "pn532 alone P": (("pn532",), Speed(6.3, 13.3), "auto"),
    "pn532 alone R": (("pn532",), Speed(10.3, 18.3), "auto"),
    "pn532 alone P, field": (("pn532",), Speed(6.3, 13.3), "field"),
    "pn532 alone P, turns": (("pn532",), Speed(6.3, 13.3), "turns"),
    "mfrc522 alone": (("mfrc522",), Speed(6.3, 13.3), "auto"),
}


def spread(times_ms: list[float]) -> list[float]:
    """[least, median, 95 in 100 are no longer, longest]."""
    ordered = sorted(times_ms)
    return [round(at, 1) for at in (ordered[0], median(ordered), ordered[(len(ordered) - 1) * 95 // 100], ordered[-1])]


def first_byte_ms(host: ForkHost, act: Callable[[], None], word: bytes) -> float:
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


def picture(host: ForkHost, number: int) -> None:
    """Have the lamps changed."""
    letter = "gbyo"[number % 4]
    host.end.show({"f": number, "A": [letter * 32, "sdbp"[number % 4] * 32], "B": [letter * 32, "s" * 32]})


def frame_ms(host: ForkHost, number: int) -> float:
    """From the moment the host has a frame to send to the last edge of the second strip that shows it."""
    pico, letter = host.pico, "rc"[number % 2]
    begun_s = pico.now_s
    host.end.show({"f": number, "A": [letter * 32, "s" * 32], "B": [letter * 32, "s" * 32]})
    host.wait(lambda: pico.colours("A") == pico.colours("B") == letter * 32, 3.0, "the frame")
    return max(at_ns for at_ns, _side, _grb in list(pico.hardware.pictures)[-2:]) / 1e6 - begun_s * 1000


def short_tap(host: ForkHost, pads: str, dice: Random) -> list[bool]:
    """Discs lie on a pad for 30 ms while the other is busy with one of its own, or is tapped at once: seen or not."""
    pico = host.pico
    tapped, other = dice.sample(pads, 2)
    seen = []
    together = dice.random() < 0.5
    pico.place(other, OTHER)
    if not together:
        host.talk_for(dice.uniform(0.0, 0.05))
    host.events.clear()
    pico.place(tapped, UID)
    host.talk_for(0.03)
    pico.remove(tapped)
    if together:
        pico.remove(other)
    host.talk_for(0.08)
    placed = [(event["pad"], event["uid"]) for event in host.events if event["e"] == "placed"]
    seen.append((tapped, UID) in placed)
    if together:
        seen.append((other, OTHER) in placed)
    return seen


def counters(host: ForkHost) -> dict[str, Any]:
    """The tray's own counters, in a copy: asking costs time and memory."""
    answer: dict[str, Any] = host.trial(lambda: host.command("selftest"))
    return answer


def measure(image: Path, row: str, taps: int, seconds: float) -> dict[str, Any]:
    """Everything, with the chips of one row."""
    chips, speed, way = ROWS[row]
    pads = "AB"[: len(chips)]
    config = {"readers": [{"pad": pad, "chip": chip} for pad, chip in zip(pads, chips, strict=True)], "search": way}
    files = {**build_files(), "config.json": json.dumps(config).encode()}
    result: dict[str, Any] = {}
    dice = Random(row)
    with EmulatedPico(image, files=files, config=config) as pico:
        for chip in pico.hardware.chips.values():
            if chip.name == "pn532":
                speed.apply(chip)
        host = ForkHost(pico)
        pico.run_until(lambda: any(b"~H" in data for _at, data in pico.sent), 5, "HELLO")
        result["boot_to_hello_ms"] = round(pico.sent[0][0] * 1000, 1)
        host.wait(lambda: host.snapshots, 5, "a session")
        host.talk_for(1.0)
        # A first tap on each pad, from which the firmware learns how quick the chips are.
        for pad in pads:
            pico.place(pad, OTHER)
            host.event(e="placed")
            pico.remove(pad)
            host.event(e="removed")
        before, begun_s = counters(host), pico.now_s
        result["micropython"] = host.hellos[-1]["mp"]
        latencies: list[float] = []
        presses: list[float] = []
        frames: list[float] = []
        short: list[bool] = []
        for number in range(taps):
            if number % 3 == 0:
                picture(host, number)
            host.talk_for(dice.uniform(0.005, 0.035))
            pad = dice.choice(pads)

            def tap(pad: str = pad) -> float:
                return first_byte_ms(host, lambda: pico.place(pad, UID), b'"placed"')

            def press() -> float:
                return first_byte_ms(host, lambda: pico.press("B", "aro"), b'"down"') - DEBOUNCE_MS

            latencies.append(host.trial(tap))
            if number % 5 == 0:
                presses.append(host.trial(press))
                frames.append(host.trial(lambda number=number: frame_ms(host, number)))  # type: ignore[misc]
                if len(pads) > 1:
                    short += host.trial(lambda number=number: short_tap(host, pads, Random(f"{row} {number}")))  # type: ignore[misc]
        after, ended_s = counters(host), pico.now_s
        result["health"] = [reader["health"] for reader in after["health"]]
        polls = {pad: after["readers"][pad]["polls"] - before["readers"][pad]["polls"] for pad in pads}
        result["poll_period_ms"] = {pad: round((ended_s - begun_s) * 1000 / (polls[pad] or 1), 1) for pad in pads}
        result["tap_to_first_byte_ms"] = spread(latencies)
        result["press_to_first_byte_ms"] = spread(presses)
        result["frame_to_strip_ms"] = spread(frames)
        if short:
            result["short_taps_seen"] = f"{sum(short)} of {len(short)}"
        # What is left in use after a collection, as each health report has it.
        heap: list[int] = []
        end_s = pico.now_s + seconds
        while pico.now_s < end_s:
            host.talk_for(min(2.0, end_s - pico.now_s))
            used = counters(host)["tray"]["heap_used"]
            if not heap or used != heap[-1]:
                heap.append(used)
        last = counters(host)
        result["late_ms"] = max(late for late in (*host.late_ms, last["tray"]["late_ms"]))
        result["overlaps"] = last["tray"]["overlaps"]
        result["bad_frames"] = last["tray"]["bad_frames"]
        result["heap_used"] = heap
        result["heap_free"] = last["tray"]["heap_free"]
        result["emulated_s"] = round(pico.now_s, 1)
        result["problems"] = pico.problems
    return result


def main(taps: int, seconds: float, rows: list[str]) -> None:
    """Measure and print."""
    name = os.environ.get("ORDERTRAY_UF2")
    if not name:
        print("skipped: ORDERTRAY_UF2 is not set (firmware/README.md says where to get MicroPython's image)")
        return
    files = build_files()
    result: dict[str, Any] = {"bench": "pico", "taps": taps}
    with ProcessPoolExecutor(2) as pool:
        runs = {row: pool.submit(measure, Path(name), row, taps, seconds) for row in rows or ROWS}
        for row, run in runs.items():
            result[row] = run.result()
            print(f"--- {row}: {ROWS[row][1]!r}, emulated time; four figures are least, median, 95 %, longest")
            for what, value in result[row].items():
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
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 100,
        float(sys.argv[2]) if len(sys.argv) > 2 else 10,
        sys.argv[3:],
    )
