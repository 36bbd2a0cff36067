"""PN532 chips of any speed, in virtual time: how late a tap's event comes, and how late the other pad's look.

Nobody has published how long a PN532 takes to find a tag, or nothing; so the driver must not need to know. The chips
here take as long as they are told, the delay lying before the chip's first request or before its report (a tag laid
down meanwhile is found in the first case, missed in the second). Runs on both interpreters.
"""

from firmware.reader_rig import Bench, Rig
from ordertray.sim.chips import Dice, make_tag

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

X = "04A1B2C3D4E5F6"
# A look at an empty pad cannot be shorter than this model's with its field guard; below, the guard itself is shorter.
_EMPTY_US = 6335
_FOUND_US = 13020


class Speed:
    """How long a chip takes, ms from command to answer: `empty` without a tag, `found` with one.

    early: what is more than the model's own time passes before the chip's first request, else before its report.
    """

    def __init__(self, empty: float, found: float, early: bool = False) -> None:
        self.empty_us = int(empty * 1000)
        self.found_us = int(found * 1000)
        self.early = early

    def __repr__(self) -> str:
        name = "empty %g found %g ms" % (self.empty_us / 1000, self.found_us / 1000)
        return name + (" early" if self.early else "")

    @property
    def deaf_us(self) -> int:
        """How long before the answer of a look at an empty pad the chip asked: what was laid down since is missed."""
        return 0 if self.early else max(0, self.empty_us - _EMPTY_US)

    def apply(self, chip: "Any") -> None:
        """Make a chip so."""
        timing = chip.timing
        more = max(0, self.empty_us - _EMPTY_US)
        timing["rf_on_guard"] = 5000 - max(0, _EMPTY_US - self.empty_us)
        timing["look"] = more if self.early else 0
        timing["empty"] = 0 if self.early else more
        rest = self.found_us - _FOUND_US + 5000 - timing["rf_on_guard"] - timing["look"]
        timing["found"] = max(0, rest)
        # Below that its processor is quicker with each of its exchanges.
        timing["exchange"] = max(60, 450 + min(0, rest) // 12)


def tag_for(speed: Speed) -> "Any":
    """A disc that listens as early as that chip's field guard supposes."""
    tag = make_tag("ntag213", X)
    tag.startup_us = min(4500, speed.empty_us - 1500)
    return tag


def measured_us(speed: Speed) -> "tuple[int, int]":
    """(empty, found) as that chip really takes them, from the command to the answer."""
    bench = Bench("pn532")
    speed.apply(bench.chip)
    bench.start()
    bench.do(bench.driver.look())
    empty_us = bench.driver.took_us
    bench.do(bench.driver.close())
    bench.clock.advance_us(6000)
    bench.pad.put(tag_for(speed))
    assert bench.do(bench.driver.look()).uid == X, speed
    return empty_us, bench.driver.took_us


class Result:
    """What a run of taps gave.

    over_us: latencies less the chip's time to find a tag; late_look_us: by how much the latest look of either pad came
    after it could have; words: health; both_on: share of the time with both antennas on.
    """

    def __init__(self) -> None:
        self.over_us: list[int] = []
        self.late_look_us = 0
        self.words: list[str] = []
        self.both_on = 0.0


def lateness_us(rig: Rig, since_us: int) -> int:
    """How much later than it could a pad's look ever began: it could once its antenna had been off for a gap."""
    worst = 0
    for index in range(len(rig.looks)):
        starts = [when for when in rig.looks[index] if when >= since_us]
        for ready_us in rig.ready[index]:
            if ready_us >= since_us:
                later = [when for when in starts if when >= ready_us]
                if later:
                    worst = max(worst, later[0] - ready_us)
    return worst


def taps(speeds: "tuple[Speed, ...]", count: int, seed: int = 1, changing: "tuple[Speed, ...]" = ()) -> Result:
    """Tap `count` times on pad A at odd moments, after a first tap that does not count.

    changing: pad A's chip takes the next of these speeds before each tap.
    """
    rig = Rig(*(["pn532"] * len(speeds)))
    for chip, speed in zip(rig.chips, speeds):
        speed.apply(chip)
    rig.watch_ready()
    dice = Dice(seed)
    rig.run_ms(600)
    result = Result()
    begun_us, both_us = rig.now_us(), rig.both_on_us
    own = {}
    for number in range(count + 1):
        speed = changing[number % len(changing)] if changing else speeds[0]
        if changing:
            speed.apply(rig.chips[0])
        if speed not in own:
            own[speed] = measured_us(speed)[1]
        end_us = rig.now_us() + 2 * speed.empty_us + 60000 + dice.below(60000)
        while rig.now_us() < end_us:
            rig.step()
        rig.clock.advance_us(dice.below(200))
        placed_us = rig.now_us()
        rig.pads[0].put(tag_for(speed))
        heard = len(rig.events)
        while len(rig.events) == heard:
            rig.step()
            assert rig.now_us() - placed_us < 2000000, (speeds, speed, "no event")
        when, body = rig.events[-1]
        assert body["e"] == "placed" and body["pad"] == "A", body
        if number:
            result.over_us.append(when - placed_us - own[speed])
        rig.run_ms(30)
        rig.pads[0].take()
        rig.run_ms(420 + 2 * speed.found_us // 1000)
        assert rig.events[-1][1]["e"] == "removed", rig.events[-1]
    result.late_look_us = lateness_us(rig, begun_us)
    result.words = rig.words("A") + rig.words("B")
    result.both_on = (rig.both_on_us - both_us) / (rig.now_us() - begun_us)
    return result
