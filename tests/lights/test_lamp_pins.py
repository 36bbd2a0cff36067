"""Lamps on pins: the same behaviour on the recording fake and on the real RPi.GPIO over modelled registers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from lights.conftest import BenchMaker, RegisterBenchMaker
from lights.gpio_harness.benches import FakeBench, LampBench, chain_after, lamps_lit
from lights.gpio_harness.register_log import PinEvent
from lights.gpio_harness.shift_register import ShiftRegisterChain
from lights.views import BOTH_ONLINE, count, order, seat, view
from ordertray.lights import render
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import DEFAULT_LAMPS, LampConfig, parse_lamp_config
from ordertray.lights.pin_backends import RecordingPins
from ordertray.lights.pins import BARS, LAMPS

ALL: Mapping[str, Any] = {}
LAMPS_ONLY = {"chain": False}
TABLES = {
    "default": ALL,
    "active low": {"active_low": True, "chain": {"data": 2, "clock": 3, "latch": 4, "active_low": True}},
    "one lamp low": {"active_low": ["A.retreat"], "chain": False},
    "chain only": {"pins": False},
}


def lit(bench: LampBench) -> set[str]:
    return lamps_lit(bench.events(), bench.config)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_all_is_dark_from_the_first_moment_and_only_our_pins_are_touched(
    make_bench: BenchMaker, table: Mapping[str, Any]
) -> None:
    bench = make_bench(table)
    events = bench.events()
    claims = [event for event in events if event.kind == "claim"]
    assert sorted(event.bcm for event in claims) == sorted(bench.config.pins)
    assert {event.bcm for event in events} == set(bench.config.pins)
    for place in range(len(events) + 1):
        assert lamps_lit(events[:place], bench.config) == set()
    if bench.config.chain:
        chain = chain_after(events, bench.config)
        assert not any(chain.lit)
        if bench.config.chain.output_enable is not None:
            assert chain.shown == [(False,) * chain.length], "the registers' noise was seen before they were emptied"


def test_lamps_follow_the_game(make_bench: BenchMaker) -> None:
    bench = make_bench(LAMPS_ONLY)
    bench.show(view(), BOTH_ONLINE, 0)
    assert lit(bench) == {"A.active", "link"}
    bench.show(view(order=order(open_window=True)), BOTH_ONLINE, 1)
    assert lit(bench) == {"A.active", "B.aro", "link"}
    bench.show(view(active="B", b=seat(retreat=True, loss_of_lieutenant=True)), BOTH_ONLINE, 2)
    assert lit(bench) == {"B.active", "B.retreat", "B.loss_of_lieutenant", "link"}
    bench.show(view(a=seat(loss_of_lieutenant=True)), {"A": "absent", "B": "absent"}, 3)
    assert lit(bench) == {"A.active", "A.loss_of_lieutenant"}


def test_bars_show_orders_left(make_bench: BenchMaker) -> None:
    bench = make_bench({"pins": False})
    irregular = count(3, 2) | {"groups": {"1": count(2, 1), "2": count(1)}}
    a = seat(
        pools={"1": count(6, 4), "2": count(5), "3": count(2, 1)},
        irregular=irregular,
        lieutenant=count(1),
        tactical=count(2, 1),
    )
    bench.show(view(a=a, b=seat(pools={"1": count(10)}, irregular=count(12))), BOTH_ONLINE, 0)
    chain = chain_after(bench.events(), bench.config)
    assert {bar.name: chain.bar(bar.name) for bar in BARS} == {
        "A.group1": "####......",
        # Group 3 stands behind group 2, a dark lamp between them.
        "A.group2": "#####.#...",
        "A.irregular": "#..#....",
        "A.lieutenant": "#.",
        "A.tactical": "#.",
        "B.group1": "##########",
        "B.group2": "..........",
        # Twelve on eight lamps: all lit, the last one blinks.
        "B.irregular": "########",
        "B.lieutenant": "..",
        "B.tactical": "..",
    }
    bench.tick(500)
    assert chain_after(bench.events(), bench.config).bar("B.irregular") == "#######."
    bench.show(view(over="all rounds played"), BOTH_ONLINE, 600)
    assert not any(chain_after(bench.events(), bench.config).lit)


@pytest.mark.parametrize("name", ["active low", "one lamp low"])
def test_active_low_lamps_are_lit_by_a_low_level(make_bench: BenchMaker, name: str) -> None:
    bench = make_bench(TABLES[name])
    bench.show(view(a=seat(retreat=True, pools={"1": count(3, 2)})), BOTH_ONLINE, 0)
    assert lit(bench) == {"A.active", "A.retreat", "A.loss_of_lieutenant", "link"}
    retreat_pin = next(lamp.bcm for lamp in LAMPS if lamp.name == "A.retreat")
    levels = [event.level for event in bench.events() if event.bcm == retreat_pin]
    assert levels == [True, False], "claimed dark (high), then lit (low)"
    if bench.config.chain:
        assert chain_after(bench.events(), bench.config).bar("A.group1") == "##........"


def test_only_changes_are_written(make_bench: BenchMaker) -> None:
    bench = make_bench(ALL)
    some = view(a=seat(pools={"1": count(3)}))
    bench.show(some, BOTH_ONLINE, 0)
    before = len(bench.events())
    bench.show(some, BOTH_ONLINE, 10)
    bench.tick(20)
    assert len(bench.events()) == before
    assert bench.next_tick_ms() is None, "steady lamps need no clock"


def test_blinking_goes_by_the_services_clock_and_starts_lit(make_bench: BenchMaker) -> None:
    bench = make_bench(LAMPS_ONLY)
    aro_pin = next(lamp.bcm for lamp in LAMPS if lamp.name == "B.aro")
    now_ms = 12_345
    bench.show(view(phase="states", order=order(open_window=True), active="A"), {}, now_ms)
    changes: list[tuple[int, bool]] = []
    seen = len([e for e in bench.events() if e.bcm == aro_pin])
    assert "B.aro" in lit(bench), "news is not late by half a period"
    while now_ms < 12_345 + 2_200:
        due = bench.next_tick_ms()
        assert due is not None
        assert due > 0
        now_ms += due
        bench.tick(now_ms)
        events = [e for e in bench.events() if e.bcm == aro_pin]
        changes += [(now_ms - 12_345, event.level) for event in events[seen:]]
        seen = len(events)
    assert changes == [(800, False), (1000, True), (1800, False), (2000, True)]


def test_a_rhythm_that_goes_on_is_not_started_anew(make_bench: BenchMaker) -> None:
    bench = make_bench(LAMPS_ONLY)
    retreating = seat(retreat=True)
    bench.show(view(a=retreating), BOTH_ONLINE, 0)
    bench.tick(130)
    assert "A.retreat" not in lit(bench)
    bench.show(view(a=retreating, round=2), BOTH_ONLINE, 140)
    assert "A.retreat" not in lit(bench)
    bench.tick(251)
    assert "A.retreat" in lit(bench)


def test_retreat_and_aro_are_told_apart_without_colour() -> None:
    bench = FakeBench(LAMPS_ONLY)
    bench.show(view(b=seat(retreat=True), order=order(open_window=True)), BOTH_ONLINE, 0)
    seen: dict[str, str] = {"B.aro": "", "B.retreat": "", "A.active": ""}
    for now_ms in range(0, 1000, 125):
        bench.tick(now_ms)
        for name in seen:
            seen[name] += ".#"[name in lit(bench)]
    assert seen == {"B.aro": "#######.", "B.retreat": "#.#.....", "A.active": "####...."}


def test_lamp_test_lights_every_lamp_and_then_each_alone(make_bench: BenchMaker) -> None:
    bench = make_bench(ALL)
    bench.show(view(), BOTH_ONLINE, 0)
    bench.lamp_test(1000)
    lamp_count = sum(bar.length for bar in BARS)
    assert lit(bench) == {lamp.name for lamp in LAMPS}
    assert all(chain_after(bench.events(), bench.config).lit[:lamp_count])
    bench.tick(2000)
    assert lit(bench) == set()
    walked: list[str] = []
    outputs: list[int] = []
    now_ms = 2500
    chain, fed = chain_after([], bench.config), 0
    for _ in range(lamp_count):
        bench.tick(now_ms)
        assert bench.next_tick_ms() == 100
        now_ms += 100
        events = bench.events()
        chain.feed(events[fed:])
        fed = len(events)
        walked += sorted(lamps_lit(events, bench.config))
        outputs += [number for number, on in enumerate(chain.lit) if on]
    assert walked == [lamp.name for lamp in LAMPS]
    assert outputs == list(range(lamp_count))
    bench.tick(now_ms)
    assert lit(bench) == {"A.active", "link"}, "the game is shown again"
    assert bench.next_tick_ms() is None


def test_a_frame_during_the_lamp_test_is_shown_after_it(make_bench: BenchMaker) -> None:
    bench = make_bench(LAMPS_ONLY)
    bench.lamp_test(0)
    bench.show(view(active="B"), BOTH_ONLINE, 1100)
    assert lit(bench) == set()
    bench.tick(10_000)
    assert lit(bench) == {"B.active", "link"}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_close_darkens_all_then_releases_the_pins_and_ends_it(make_bench: BenchMaker, table: Mapping[str, Any]) -> None:
    bench = make_bench(table)
    busy = seat(pools={"1": count(9)}, retreat=True, loss_of_lieutenant=True)
    bench.show(view(a=busy, b=busy), BOTH_ONLINE, 0)
    bench.close()
    events = bench.events()
    first_release = next(place for place, event in enumerate(events) if event.kind == "release")
    assert all(event.kind == "release" for event in events[first_release:])
    assert sorted(event.bcm for event in events[first_release:]) == sorted(bench.config.pins)
    assert lamps_lit(events[:first_release], bench.config) == set()
    if bench.config.chain:
        assert not any(chain_after(events[:first_release], bench.config).lit)
    bench.close()
    bench.show(view(), BOTH_ONLINE, 10)
    bench.tick(20)
    assert len(bench.events()) == len(events)


def random_walk(bench: LampBench, seed: int) -> None:
    """A few dozen random frames, ticks and lamp tests."""
    dice = random.Random(seed)
    now_ms = 0
    for _ in range(40):
        now_ms += dice.choice([0, 1, 60, 250, 499, 500, 1700])
        what = dice.randrange(10)
        if what < 5:
            left = dice.randrange(12)
            some = seat(
                pools={"1": count(11, left), "2": count(4, min(4, left))},
                irregular=count(6, min(6, left)),
                retreat=dice.random() < 0.3,
            )
            running = order(open_window=dice.random() < 0.5) if dice.random() < 0.5 else None
            game = view(a=some, b=seat(), active=dice.choice(["A", "B"]), order=running)
            bench.show(game, {"A": dice.choice(["online", "offline", "stale"])}, now_ms)
        elif what < 9:
            bench.tick(now_ms)
        else:
            bench.lamp_test(now_ms)
    bench.close()


@pytest.mark.parametrize(("name", "seed"), [("default", 1), ("active low", 2), ("one lamp low", 3)])
def test_fake_and_registers_agree_event_by_event(register_bench: RegisterBenchMaker, name: str, seed: int) -> None:
    fake, real = FakeBench(TABLES[name]), register_bench(TABLES[name])
    random_walk(fake, seed)
    random_walk(real, seed)
    assert len(fake.events()) > 500 or name == "one lamp low"
    assert real.events() == fake.events()


class Interrupting(RecordingPins):
    """Closes the lamps in the middle of write number `at`, before or after it is done, as a signal does."""

    at = -1
    after = False
    lamps: GpioLamps | None = None
    writes = 0

    def write(self, bcm: int, high: bool) -> None:
        number, self.writes = self.writes, self.writes + 1
        if number == self.at and not self.after and self.lamps:
            self.lamps.close()
            return
        super().write(bcm, high)
        if number == self.at and self.after and self.lamps:
            self.lamps.close()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("after", [False, True])
def test_closed_in_the_middle_of_any_write_all_ends_dark(table: Mapping[str, Any], after: bool) -> None:
    config = parse_lamp_config(table)
    place = 0
    while True:
        pins = Interrupting()
        pins.after = after
        lamps = GpioLamps(pins, config)
        pins.writes, pins.at, pins.lamps = 0, place, lamps
        busy = seat(pools={"1": count(7, 5), "2": count(3)}, retreat=True)
        lamps.show(render(view(a=busy, b=busy), BOTH_ONLINE), 0)
        interrupted = lamps.closed
        lamps.close()
        assert_ended_dark([PinEvent(*event) for event in pins.events], config)
        if not interrupted:
            break
        place += 1
    assert place >= len(config.lamps[:1]), "no write was interrupted"


def assert_ended_dark(events: list[PinEvent], config: LampConfig) -> None:
    driven = events[: next(place for place, event in enumerate(events) if event.kind == "release")]
    assert lamps_lit(driven, config) == set()
    if config.chain:
        chain = ShiftRegisterChain(config.chain)
        chain.feed(driven)
        assert not any(chain.lit)
        # Without an output enable the registers themselves must be empty.
        chain.feed([PinEvent("write", pin, False) for pin in [config.chain.output_enable or -1]])
        assert not any(chain.lit)
    assert [event.kind for event in events[len(driven) :]] == ["release"] * len(config.pins)


def test_defaults_are_the_pin_table() -> None:
    assert {lamp.name: lamp.bcm for lamp in DEFAULT_LAMPS.lamps} == {lamp.name: lamp.bcm for lamp in LAMPS}
