"""Readers on a virtual tray: real drivers and station, simulated chips, time moved by hand. Runs on both interpreters.

The costs of the Pico's interpreter are part of the rig, so that latencies mean something: every SPI transaction and
every step of the station takes time (see COSTS), and the loop sleeps whole milliseconds as the app's does.
"""

try:
    from collections.abc import Generator
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

from ordertray.sim.chips import Clock, Pad, SimulatedBus, make_chip
from ordertray_firmware.readers import ReaderFault, Station, make_reader

# Microseconds: a byte on the bus at 2 MHz; MicroPython's share of one SPI transaction; one step of the station with
# the other tasks' share of the loop. The last two are estimates for a Pico at 125 MHz, on the dear side.
COSTS = {"byte_us": 4, "call_us": 80, "step_us": 250}


def finish(clock: Clock, operation: "Generator[int, None, Any]", limit_ms: int = 2000) -> "Any":
    """Step one operation to its end; its result."""
    start = clock.ticks_us()
    while True:
        try:
            wish = next(operation)
        except StopIteration as stop:
            return stop.value
        clock.advance_us(max(wish, 20))
        assert clock.ticks_diff(clock.ticks_us(), start) < limit_ms * 1000, "the operation does not end"


def fault_of(clock: Clock, operation: "Generator[int, None, Any]") -> str:
    """The `why` of the ReaderFault with which the operation ends."""
    try:
        finish(clock, operation)
    except ReaderFault as fault:
        return fault.why
    raise AssertionError("no fault")


class Bench:
    """One driver on one chip, without a station."""

    def __init__(self, name: str, irq: bool = True, **chip_options: "Any") -> None:
        self.clock = Clock()
        self.pad: Any = Pad()
        # Tests reach into chip, bus and driver.
        self.chip: Any = make_chip(name, self.pad, self.clock)
        for key, value in chip_options.items():
            setattr(self.chip, key, value)
        self.bus: Any = SimulatedBus(self.chip, self.clock, irq_wired=irq)
        self.driver: Any = make_reader(name, self.bus, self.clock)
        self.clock.advance_us(10000)

    def start(self) -> "Bench":
        """Wake and configure."""
        self.do(self.driver.start())
        return self

    def do(self, operation: "Generator[int, None, Any]") -> "Any":
        """The operation's result; chip select must be high afterwards."""
        result = finish(self.clock, operation)
        assert not self.chip.selected
        return result

    def fault(self, operation: "Generator[int, None, Any]") -> str:
        """The word of the fault that the operation ends with; chip select must be high afterwards."""
        why = fault_of(self.clock, operation)
        assert not self.chip.selected
        return why

    def look(self, known: "str | None" = None) -> "Any":
        """One look with its end, and the gap in which tags forget."""
        sighting = self.do(self.driver.look(known))
        self.do(self.driver.close())
        self.clock.advance_us(6000)
        return sighting


class Rig:
    """A tray with one pad for each chip name ("A", "B", ...)."""

    def __init__(
        self, *chips: str, start_us: int = 0, irq: bool = True, absent: "tuple[int, ...]" = (), way: str = "auto"
    ) -> None:
        self.clock = Clock(start_us)
        self.pads: list[Any] = [Pad() for _name in chips]
        self.chips: list[Any] = [make_chip(name, pad, self.clock) for name, pad in zip(chips, self.pads)]
        for index in absent:
            self.chips[index].fault("dead")
        line: list[SimulatedBus] = []
        self.buses = [
            SimulatedBus(chip, self.clock, COSTS["byte_us"], COSTS["call_us"], line, irq) for chip in self.chips
        ]
        self.drivers: list[Any] = [make_reader(name, bus, self.clock) for name, bus in zip(chips, self.buses)]
        self.events: list[tuple[int, dict[str, Any]]] = []
        self.health: list[tuple[int, dict[str, Any]]] = []
        # Times of the beginning of every look, by pad.
        self.looks: list[list[int]] = [[] for _chip in chips]
        self.ready: list[list[int]] = [[] for _chip in chips]
        for index in range(len(chips)):
            self._watch_looks(index)
        names = "ABCD"[: len(chips)]
        self.station: Any = Station(list(zip(names, self.drivers)), self.clock, self._emit, way)
        # How long more than one antenna was on.
        self.both_on_us = 0
        # How long each antenna was on.
        self.on_us = [0 for _chip in chips]
        self.longest_step_us = 0

    def _watch_looks(self, index: int) -> None:
        driver = self.drivers[index]
        begin_look = driver.begin_look

        def watched(known: "str | None" = None, on: bool = False) -> None:
            self.looks[index].append(self.now_us())
            begin_look(known, on)

        driver.begin_look = watched

    def _searching(self, index: int) -> bool:
        """Whether that pad's chip searches by itself, which is looking all the time."""
        return self.chips[index].field_on and getattr(self.drivers[index], "endless", False)

    def watch_ready(self) -> None:
        """Note in `ready`, by pad, when each could have its next look: its antenna off long enough."""
        over = self.station._over

        def watched(pad: "Any") -> None:
            over(pad)
            if not pad.ladder.climbing():
                index = self.station._pads.index(pad)
                self.ready[index].append(self.now_us() + pad.gap_us)

        self.station._over = watched

    def now_us(self) -> int:
        """Time since the start, never wrapping."""
        return self.clock._us

    def _emit(self, kind: str, body: "dict[str, Any]") -> None:
        if kind == "T":
            self.events.append((self.now_us(), body))
        else:
            self.health.append((self.now_us(), body))

    def step(self) -> None:
        """One turn of the app's loop."""
        before = self.now_us()
        delay = self.station.step()
        for index in range(len(self.chips)):
            if self._searching(index):
                self.looks[index].append(before)
        self.longest_step_us = max(self.longest_step_us, self.now_us() - before)
        assert 0 <= delay <= 5200, delay
        assert not any(chip.selected for chip in self.chips), "chip select left low"
        for chip in self.chips:
            chip.advance()  # a chip works out what it did only when it is asked
        on = [pad.field_on for pad in self.pads]
        self.clock.advance_us(COSTS["step_us"] + delay // 1000 * 1000)
        for index in range(len(on)):
            if on[index]:
                self.on_us[index] += self.now_us() - before
        if sum(on) > 1:
            self.both_on_us += self.now_us() - before

    def run_ms(self, milliseconds: int) -> "Rig":
        """Let the tray work."""
        end = self.now_us() + milliseconds * 1000
        while self.now_us() < end:
            self.step()
        assert sum([bus.clashes for bus in self.buses]) == 0
        return self

    def taps(self, pad: "str | None" = None) -> "list[str]":
        """The events in short: "placed UID", "removed UID", "refused WHY"."""
        found = []
        for _when, body in self.events:
            if pad is None or body["pad"] == pad:
                found.append(body["e"] + " " + (body["why"] if body["e"] == "refused" else body["uid"]))
        return found

    def words(self, pad: str) -> "list[str]":
        """The health words of a pad in order."""
        return [body["health"] for _when, body in self.health if body["pad"] == pad]

    def gaps_us(self, index: int, since_us: int = 0) -> "list[int]":
        """Times between the beginnings of looks at that pad."""
        times = [when for when in self.looks[index] if when >= since_us]
        return [times[at + 1] - times[at] for at in range(len(times) - 1)]


def median(values: "list[int]") -> int:
    """The middle one."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def tap_latencies_us(chips: "tuple[str, ...]", taps: int, seed: int = 1, new_tags: bool = True) -> "list[int]":
    """From laying a tag on pad A, at odd moments, to its event; the tag's first placing each time if `new_tags`."""
    from ordertray.sim.chips import Dice, make_tag

    rig = Rig(*chips)
    dice = Dice(seed)
    rig.run_ms(200)
    found = []
    for number in range(taps):
        end = rig.now_us() + dice.below(40000)
        while rig.now_us() < end:
            rig.step()
        # The tag comes in the middle of a step's sleep as well as between steps.
        uid = "04%06X00AA55" % (number if new_tags else 1)
        rig.clock.advance_us(dice.below(200))
        placed_us = rig.now_us()
        rig.pads[0].put(make_tag("ntag213", uid))
        count = len(rig.events)
        while len(rig.events) == count:
            rig.step()
            assert rig.now_us() - placed_us < 500000
        when, body = rig.events[-1]
        assert body["e"] == "placed" and body["uid"] == uid
        found.append(when - placed_us)
        rig.run_ms(60)
        rig.pads[0].take()
        rig.run_ms(420)
        assert rig.events[-1][1]["e"] == "removed"
    return found


def other_pads_delay_us(
    chips: "tuple[str, ...]", fault: str, run_ms: int = 3000, moment_us: int = 0, **params: int
) -> int:
    """How much longer pad A ever waits for its next look once pad B's chip has that fault, than before."""
    rig = Rig(*chips)
    rig.run_ms(1000 + moment_us // 1000)
    healthy = max(rig.gaps_us(0, 200000))
    began = rig.now_us()
    rig.chips[1].fault(fault, **params)
    rig.run_ms(run_ms)
    return max(rig.gaps_us(0, began - 30000)) - healthy


def short_taps_seen(chips: "tuple[str, ...]", trials: int, tap_ms: int = 30, seed: int = 1) -> "tuple[int, int]":
    """(seen, laid down): discs laid down for `tap_ms` at odd moments, the other pad busy or tapped at the same time."""
    from ordertray.sim.chips import Dice, make_tag

    rig = Rig(*chips).run_ms(300)
    dice = Dice(seed)
    seen = count = 0
    for number in range(trials):
        # Busy: a disc just laid down, or left lying, or just taken away.
        other = number % 2
        together = number % 5 == 0
        if not together:
            rig.pads[other].put(make_tag("ntag213", "04%06X00BB66" % number))
            rig.run_ms((0, 40, 700, 1500)[dice.below(4)] + dice.below(50))
            if dice.below(3) == 0:
                rig.pads[other].take()
        rig.clock.advance_us(dice.below(1000))
        laid = [1 - other] + ([other] if together else [])
        heard = len(rig.events)
        for index in laid:
            rig.pads[index].put(make_tag("ntag213", "04%06X00AA55" % number))
        rig.run_ms(tap_ms)
        for index in laid:
            rig.pads[index].take()
        rig.run_ms(80)
        placed = ["AB".index(body["pad"]) for _when, body in rig.events[heard:] if body["e"] == "placed"]
        count += len(laid)
        seen += len([index for index in laid if index in placed])
        rig.pads[other].take()
        rig.run_ms(500)
    return seen, count
