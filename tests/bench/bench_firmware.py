"""Bench of the firmware on the unix interpreter, in real time on the virtual tray: start, jitter, latency, heap, size.

Run: python tests/bench/bench_firmware.py [EVENTS] [MINUTES]

EVENTS: presses, taps and frames to time (default 40); MINUTES: of polling in virtual time (default 2; 60 is the issue's
hour). The interpreter is the real MicroPython, the processor is this machine's and not a Pico's, so times are those of
the program's own waiting (debounce, poll period, loop period) plus little; the simulated chips run in the same
interpreter and take more of it than the firmware does. Heap is counted with 64-bit objects: a Pico's are half as
large. The last line is JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from ordertray.sim import VirtualTray  # noqa: E402
from ordertray.traycare.flash import build_files  # noqa: E402
from sim.sim_host import SimHost  # noqa: E402

MICROPYTHON = "import sys; from micropython_unix import main; sys.exit(main())"
UID = "04A1B2C3D4E5F6"
GAPS_MS = (37, 53, 71, 89, 113)


def spread(seconds: list[float]) -> tuple[float, float]:
    """(median, longest) in milliseconds."""
    ordered = sorted(seconds)
    return round(ordered[len(ordered) // 2] * 1000, 1), round(ordered[-1] * 1000, 1)


def timed(host: SimHost, act: Callable[[], object], seen: Callable[[], object]) -> float:
    """Seconds from an act until it is seen; the port is read all the while."""
    begun = time.perf_counter()
    act()
    while not seen():
        if time.perf_counter() - begun > 5:
            raise TimeoutError("the tray does not answer")
        host.step()
        time.sleep(0.0002)
    return time.perf_counter() - begun


def starts(count: int) -> list[float]:
    """From the board's reset button to the first byte of HELLO; the start of the interpreter's process is in it."""
    spans = []
    with VirtualTray() as tray, SimHost(tray) as host:
        for _start in range(count):
            host.talk_for(0.3)
            host.read()
            begun = time.perf_counter()
            tray.reset()
            while b"~H" not in host.read():
                time.sleep(0.0002)
            spans.append(time.perf_counter() - begun)
    return spans


def timed_frame(host: SimHost, number: int) -> float:
    """Seconds from showing a frame until the second strip has it."""
    colour = "gb"[number % 2]
    body = {"f": number, "A": [colour * 32, "s" * 32], "B": [colour * 32, "s" * 32]}
    return timed(host, lambda: host.end.show(body), lambda: host.tray.colours("B") == colour * 32)


def latencies(count: int) -> dict[str, object]:
    """Press, tap and frame, each `count` times at odd moments."""
    presses, taps, frames = [], [], []
    with VirtualTray() as tray, SimHost(tray) as host:
        host.online()
        host.talk_for(1.0)
        for number in range(count):
            gap = GAPS_MS[number % len(GAPS_MS)] / 1000
            presses.append(timed(host, lambda: tray.press("A", "ok"), lambda: len(host.events)))
            host.events.clear()
            tray.release("A", "ok")
            host.event(edge="up")
            host.talk_for(gap)
        for number in range(max(5, count // 2)):
            taps.append(timed(host, lambda: tray.place("B", UID), lambda: len(host.events)))
            host.events.clear()
            host.talk_for(0.12)  # a hand does not snatch it away while the tray is still reading its memory
            tray.remove("B")
            host.event(e="removed")
            host.talk_for(GAPS_MS[number % len(GAPS_MS)] / 1000)
        for number in range(count):
            frames.append(timed_frame(host, number))
            host.talk_for(GAPS_MS[number % len(GAPS_MS)] / 1000)
        before = host.command("selftest")
        begun = time.monotonic()
        host.talk_for(8.0)
        after = host.command("selftest")
        polls = after["readers"]["A"]["polls"] - before["readers"]["A"]["polls"]
        return {
            "press_ms": spread(presses),
            "tap_ms": spread(taps),
            "frame_ms": spread(frames),
            "poll_period_ms": round(1000 * (time.monotonic() - begun) / polls, 1),
            "loop_late_ms": after["tray"]["late_ms"],
        }


def heap(minutes: int) -> dict[str, object]:
    """What firmware_heap.py says."""
    script = str(ROOT / "tests" / "bench" / "firmware_heap.py")
    folders = [str(ROOT / "firmware"), str(ROOT / "host" / "ordertray")]
    done = subprocess.run(
        [sys.executable, "-c", MICROPYTHON, "-X", "heapsize=8M", script, str(minutes), *folders],
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout.splitlines()[-1])
    used = result["minutes"]
    return {
        "modules_bytes": result["modules"],
        "objects_bytes": result["objects"],
        "polling_minutes": minutes,
        "polls": result["polls"],
        "growth_bytes": max(used[1:]) - used[0] if len(used) > 1 else 0,
    }


def main(events: int, minutes: int) -> None:
    """Measure everything and print it."""
    files = build_files()
    result: dict[str, object] = {"bench": "firmware", "interpreter": "micropython unix", "events": events}
    result["hello_ms"] = spread(starts(9))
    result.update(latencies(events))
    result.update(heap(minutes))
    result["flash_bytes"] = sum(len(data) for data in files.values())
    result["flash_files"] = len(files)
    rows = [
        ("reset button to HELLO, process start included, ms", result["hello_ms"]),
        ("buttons' loop later than its 2 ms, longest in 8 s, ms", result["loop_late_ms"]),
        ("poll period of one pad of two, ms", result["poll_period_ms"]),
        ("press (8 ms debounce) to event at the host, ms", result["press_ms"]),
        ("tag laid down to event at the host, ms", result["tap_ms"]),
        ("lamp frame from the host to both strips, ms", result["frame_ms"]),
        ("heap of the modules, 64-bit bytes", result["modules_bytes"]),
        ("heap of the running app's objects, 64-bit bytes", result["objects_bytes"]),
        (f"heap growth over {minutes} min of polling, bytes", result["growth_bytes"]),
        (f"compiled, {len(files)} files, bytes", result["flash_bytes"]),
    ]
    print("pairs are median and longest")
    for what, value in rows:
        print(f"{what:58} {value}")
    print(json.dumps(result))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40, int(sys.argv[2]) if len(sys.argv) > 2 else 2)
