"""Bench of the readers, in virtual time: poll period, tag to event, delay by a dead reader. Simulated chips.

Run: python tests/bench/bench_readers.py [TAPS]

The times of the chips are those of the models (host/ordertray/sim/chips: air times by the standard, the rest assumed);
the costs of the Pico's interpreter are those of tests/firmware/reader_rig.py, printed with the result. So the figures
are repeatable to the microsecond, and say what the drivers make of such chips. The yardstick is a driver as found in
public libraries: two PN532 asked in turn, each given 100 ms to find a tag. The last line is JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from firmware.reader_rig import COSTS, Rig, median, other_pads_delay_us, tap_latencies_us

PAIRS = (("pn532", "pn532"), ("mfrc522", "mfrc522"), ("pn532", "mfrc522"), ("mfrc522", "pn532"))
GONE = {
    "pn532": ("dead", "hang", "brown-out", "no-ack", "no-answer"),
    "mfrc522": ("dead", "hang", "brown-out", "stuck"),
}
LIMITS_MS = {"pn532": (20, 40), "mfrc522": (25, 60)}
YARDSTICK_MS = 100


def poll_periods_us(chips: tuple[str, ...]) -> tuple[int, int]:
    """Median and longest time between two looks at either pad, both empty."""
    rig = Rig(*chips).run_ms(5000)
    gaps = rig.gaps_us(0, 500000) + rig.gaps_us(1, 500000)
    return median(gaps), max(gaps)


def ms(microseconds: float) -> float:
    """Rounded to a tenth."""
    return round(microseconds / 1000, 1)


def main(taps: int) -> None:
    """Measure everything and print it."""
    result: dict[str, object] = {
        "bench": "readers",
        "costs": COSTS,
        "taps": taps,
        "yardstick_poll_ms": YARDSTICK_MS * 2,
    }
    print(f"two pads, {taps} taps at odd moments, virtual time; interpreter's costs in us: {COSTS}")
    print(f"{'pad A + pad B':20} {'poll ms':>12} {'limit':>6} {'tag to event ms':>18} {'limit':>8} {'seen before':>14}")
    for chips in PAIRS:
        period = poll_periods_us(chips)
        first = tap_latencies_us(chips, taps)
        again = tap_latencies_us(chips, max(10, taps // 4), new_tags=False)
        limit = LIMITS_MS[chips[0]]
        print(
            f"{' + '.join(chips):20} {ms(period[0]):>5} /{ms(period[1]):>5} {20:>6} "
            f"{ms(median(first)):>9} /{ms(max(first)):>6} {limit[0]:>4}/{limit[1]} "
            f"{ms(median(again)):>7} /{ms(max(again)):>5}"
        )
        result["+".join(chips)] = {
            "poll_ms": [ms(period[0]), ms(period[1])],
            "tag_to_event_ms": [ms(median(first)), ms(max(first))],
            "seen_before_ms": [ms(median(again)), ms(max(again))],
        }
    print("\nlongest extra wait of pad A when the chip of pad B goes, over 20 moments (limit 5 ms)")
    for chips in PAIRS:
        delays = {
            fault: ms(max(other_pads_delay_us(chips, fault, 1200, moment * 1000) for moment in range(20)))
            for fault in GONE[chips[1]]
        }
        print(f"{' + '.join(chips):20} " + "  ".join(f"{fault} {delay}" for fault, delay in delays.items()))
        result["dead:" + "+".join(chips)] = delays
    print(f"\nyardstick: a library that gives each of two readers {YARDSTICK_MS} ms polls every {YARDSTICK_MS * 2} ms")
    print(json.dumps(result))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
