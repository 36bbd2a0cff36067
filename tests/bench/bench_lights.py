"""Bench of the lamps: rendering, and from a changed view to the register write. Run: python tests/bench/bench_lights.py

Latency is taken from the register log, not from this program's opinion: the time between the moment the player process
is given a view and the GPSET write of the lamp that the view lights (both CLOCK_MONOTONIC). Each register access costs
a trap on the model (some 20 us) that a Pi does not pay, so the figures are upper bounds for the software's own part.
The last line is `{"bench": "lights", ...}` as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))

from lights.game_turn import Moment, play_turn
from lights.gpio_harness.benches import RegisterBench
from lights.gpio_harness.build import build_harness
from lights.views import BOTH_ONLINE, order, view
from ordertray.lights import frame_to_svg, frame_to_text, render
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import DEFAULT_LAMPS
from ordertray.lights.pin_backends import RecordingPins
from ordertray.lights.pins import LAMPS

ROUNDS = 200


def timed_us(action: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """How long each of `rounds` calls took, in microseconds, after a few to warm up."""
    for _ in range(10):
        action()
    taken = []
    for _ in range(rounds):
        begin_ns = time.perf_counter_ns()
        action()
        taken.append((time.perf_counter_ns() - begin_ns) / 1000)
    return taken


def figures(taken_us: list[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"median_us": round(median(taken_us), 1), "p99_us": round(quantiles(taken_us, n=100)[98], 1)}


def bench_rendering(moments: list[Moment]) -> dict[str, dict[str, float]]:
    """View to frame, text, picture, and to pin levels without pins."""
    busiest = max((moment.view for moment in moments), key=lambda game: len(json.dumps(game)))
    frame = render(busiest, BOTH_ONLINE)
    lamps = GpioLamps(RecordingPins(), DEFAULT_LAMPS)
    two = [render(moment.view, BOTH_ONLINE) for moment in moments if moment.view["active"]][10:12]
    clock = iter(range(10**9))

    def show_two() -> None:
        for one in two:
            lamps.show(one, next(clock))

    return {
        "render": figures(timed_us(lambda: render(busiest, BOTH_ONLINE))),
        "frame_to_text": figures(timed_us(lambda: frame_to_text(frame))),
        "frame_to_svg": figures(timed_us(lambda: frame_to_svg(frame))),
        "pins, recording fake, two views": figures(timed_us(show_two)),
        "tick with nothing due": figures(timed_us(lambda: lamps.tick(next(clock)))),
    }


def bench_registers(place: Path) -> dict[str, dict[str, float]]:
    """View to the write that lights the ARO lamp; view to the latch of the bars; on the real RPi.GPIO."""
    bench = RegisterBench({}, build_harness(), place)
    aro = next(lamp.bcm for lamp in LAMPS if lamp.name == "B.aro")
    assert bench.config.chain is not None
    latch = bench.config.chain.latch
    aro_us, bars_us = [], []
    try:
        for number in range(ROUNDS // 2):
            pools = {"1": {"total": 10, "left": number % 10}}
            game = view(order=order(open_window=number % 2 == 1))
            game["seats"]["A"]["pools"] = pools
            bench.show(game, BOTH_ONLINE, number * 2000)
        events = bench.timed_events()
        for span in bench.spans[1:]:
            mine = [at for at in events if span.begin_ns <= at.at_ns <= span.end_ns]
            aro_us += [(at.at_ns - span.begin_ns) / 1000 for at in mine if at.event[:3] == ("write", aro, True)]
            bars_us += [(at.at_ns - span.begin_ns) / 1000 for at in mine if at.event[:3] == ("write", latch, True)]
    finally:
        bench.dispose()
    return {"view -> ARO lamp's register": figures(aro_us), "view -> bars latched": figures(bars_us)}


def main() -> None:
    """Print a table, then the same as JSON."""
    moments = play_turn()
    with tempfile.TemporaryDirectory() as place:
        results = bench_rendering(moments) | bench_registers(Path(place))
    for name, row in results.items():
        print(f"{name:34} median {row['median_us']:9.1f} us   p99 {row['p99_us']:9.1f} us")
    print(json.dumps({"bench": "lights", "results": results}))


if __name__ == "__main__":
    main()
