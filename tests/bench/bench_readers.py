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

from firmware.chip_speeds import Speed
from firmware.reader_rig import COSTS, Rig, median, other_pads_delay_us, short_taps_seen, tap_latencies_us
from ordertray.sim.chips import Dice, make_tag

PAIRS = (("pn532", "pn532"), ("mfrc522", "mfrc522"), ("pn532", "mfrc522"), ("mfrc522", "pn532"))
GONE = {
    "pn532": ("dead", "hang", "brown-out", "no-ack", "no-answer"),
    "mfrc522": ("dead", "hang", "brown-out", "stuck"),
}
LIMITS_MS = {"pn532": (20, 40), "mfrc522": (25, 60)}
YARDSTICK_MS = 100
#: How pads can be searched (readers/station.py), and the chips to try it with: PN532 as this project's model has them,
#: as a slower independent one does, and MFRC522.
WAYS = ("auto", "turns", "field", "chip")
SPEEDS = {"P": Speed(6.3, 13.3), "R": Speed(10.3, 18.3)}
#: With its antenna on, at 3.3 V: data sheets' limits (PN532 8.2, MFRC522 11), mA.
FIELD_MA = {"pn532": 150, "mfrc522": 100}


def poll_periods_us(chips: tuple[str, ...]) -> tuple[int, int]:
    """Median and longest time between two looks at either pad, both empty."""
    rig = Rig(*chips).run_ms(5000)
    gaps = rig.gaps_us(0, 500000) + rig.gaps_us(1, 500000)
    return median(gaps), max(gaps)


def way_figures(chips: tuple[str, ...], way: str, speed: Speed, taps: int) -> dict[str, float | str]:
    """One way of searching: taps at odd moments, what happens with two discs and with one left lying, the antennas."""
    rig = Rig(*chips, way=way)
    for chip in rig.chips:
        if chip.name == "pn532":
            speed.apply(chip)
    dice = Dice(3)
    rig.run_ms(500)
    on_us, both_us, begun_us = sum(rig.on_us), rig.both_on_us, rig.now_us()
    rig.run_ms(3000)
    figures: dict[str, float | str] = {
        "on": round((sum(rig.on_us) - on_us) / (rig.now_us() - begun_us), 2),
        "both": round((rig.both_on_us - both_us) / (rig.now_us() - begun_us), 2),
    }
    found: list[int] = []
    for number in range(taps + 1):
        rig.run_ms(400 + dice.below(40))
        rig.clock.advance_us(dice.below(1000))
        index = number % len(chips)
        placed_us, heard = rig.now_us(), len(rig.events)
        rig.pads[index].put(make_tag("ntag213", f"04{number:06X}00AA55"))
        while len(rig.events) == heard:
            rig.step()
        found.append(rig.events[-1][0] - placed_us)
        rig.run_ms(40)
        rig.pads[index].take()
    found = sorted(found[1:])
    for name, place in (("median", len(found) // 2), ("p95", (len(found) - 1) * 95 // 100), ("longest", -1)):
        figures[name] = ms(found[place])
    rig.run_ms(800)
    heard, laid_us = len(rig.events), rig.now_us()
    for kind in ("ntag213", "classic"):
        rig.pads[0].put(make_tag(kind))
    rig.run_ms(800)
    told = [(when, body) for when, body in rig.events[heard:] if body["pad"] == "A"]
    figures["two"] = f"{ms(told[0][0] - laid_us)} {told[0][1].get('why', told[0][1]['e'])}" if told else "not seen"
    rig.pads[0].take()
    rig.run_ms(800)
    heard = len(rig.events)
    rig.pads[0].put(make_tag("ntag213"))
    rig.run_ms(8000)
    figures["lying"] = ", ".join(body["e"] for _when, body in rig.events[heard:])
    return figures


def print_ways(taps: int) -> dict[str, object]:
    """The table of ways."""
    print("\nways of searching, taps at odd moments; tag to event ms; antennas on: sum of the shares of time, and both")
    print(
        f"{'pads':22} {'way':6} {'median':>7} {'p95':>6} {'longest':>8} {'on':>5} {'both':>5} {'most mA':>8}  "
        f"{'two discs':22} left lying 8 s"
    )
    result: dict[str, object] = {}
    pads: tuple[tuple[str, ...], ...] = (("pn532",), ("pn532", "pn532"), ("mfrc522",), ("mfrc522", "mfrc522"))
    for chips in pads:
        for letter, speed in SPEEDS.items():
            if chips[0] == "mfrc522" and letter != "P":
                continue
            for way in WAYS:
                if chips[0] == "mfrc522" and way == "chip":
                    continue
                f = way_figures(chips, way, speed, taps)
                name = "+".join(chips) + (f" {letter}" if chips[0] == "pn532" else "")
                most = FIELD_MA[chips[0]] * (2 if f["both"] else 1)
                print(
                    f"{name:22} {way:6} {f['median']:>7} {f['p95']:>6} {f['longest']:>8} {f['on']:>5} {f['both']:>5} "
                    f"{most:>8}  {f['two']:22} {f['lying']}"
                )
                result[f"{name} {way}"] = f
    return result


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
    result["ways"] = print_ways(max(20, taps // 4))
    print("\ntaps of 30 ms while the other pad is busy or tapped at once: seen of laid down")
    for chips in PAIRS[:3]:
        seen, count = short_taps_seen(chips, 150, seed=7)
        print(f"{' + '.join(chips):20} {seen} of {count}")
        result["short:" + "+".join(chips)] = [seen, count]
    print(f"\nyardstick: a library that gives each of two readers {YARDSTICK_MS} ms polls every {YARDSTICK_MS * 2} ms")
    print(json.dumps(result))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
