"""A whole turn, from the rules to the registers: every lamp and every bar at every step, in order and in time.

What the lamps must show is worked out here from the public view by hand, not by the code under test.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from lights.conftest import BenchMaker, RegisterBenchMaker
from lights.game_turn import Moment, play_turn
from lights.gpio_harness.benches import FakeBench, LampBench, RegisterBench, lamps_lit
from lights.gpio_harness.register_log import PinEvent
from lights.gpio_harness.shift_register import ShiftRegisterChain
from lights.views import BOTH_ONLINE
from ordertray.lights.pins import LAMPS

STEP_MS = 700


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    return play_turn()


def must_be_lit(view: dict[str, Any]) -> set[str]:
    """The single lamps that a player must find on, just after the view has come up."""
    lit = {"link"}
    for side, other in (("A", "B"), ("B", "A")):
        seat = view["seats"][side]
        if side in (view["active"], view["to_start"] if view["active"] is None else None):
            lit.add(f"{side}.active")
        if view["order"] and view["order"]["aro"]["open"] and view["active"] == other:
            lit.add(f"{side}.aro")
        if seat["retreat"]:
            lit |= {f"{side}.retreat", f"{side}.loss_of_lieutenant"}
        if seat["loss_of_lieutenant"]:
            lit.add(f"{side}.loss_of_lieutenant")
    return lit


def must_be_on_bars(view: dict[str, Any]) -> dict[str, int]:
    """How many lamps of each bar must be on: orders left (this turn has at most as many as there are lamps)."""
    on: dict[str, int] = {}
    for side in ("A", "B"):
        seat = view["seats"][side]
        for bar, group in (("group1", "1"), ("group2", "2")):
            on[f"{side}.{bar}"] = seat["pools"].get(group, {"left": 0})["left"]
        for bar in ("irregular", "lieutenant", "tactical"):
            on[f"{side}.{bar}"] = seat[bar]["left"]
    return on


def play_on(bench: LampBench, moments: list[Moment], *, ticks: bool) -> list[tuple[int, list[PinEvent]]]:
    """Show every moment, `STEP_MS` apart, with the ticks the lamps ask for in between; (moment, its events) pairs."""
    shares: list[tuple[int, list[PinEvent]]] = []
    seen = len(bench.events())
    now_ms = 1_000_000
    for number, moment in enumerate(moments):
        bench.show(moment.view, BOTH_ONLINE, now_ms)
        end_ms = now_ms + STEP_MS
        while ticks and (due_ms := bench.next_tick_ms()) is not None and now_ms + due_ms < end_ms:
            now_ms += due_ms
            bench.tick(now_ms)
        now_ms = end_ms
        events = bench.events()
        shares.append((number, events[seen:]))
        seen = len(events)
    return shares


def test_the_turn_has_in_it_what_it_is_to_prove(moments: list[Moment]) -> None:
    views = [moment.view for moment in moments]
    assert any(view["phase"] == "impetuous" for view in views)
    assert any(view["order"] and view["order"]["aro"]["declared"] for view in views)
    assert sum(not moment.accepted for moment in moments) >= 2
    assert {view["active"] for view in views} == {"A", "B", None}
    assert views[-1]["seats"]["B"]["retreat"]
    assert {view["order"]["kind"] for view in views if view["order"]} == {
        "regular", "irregular", "lieutenant", "tactical", "impetuous"
    }  # fmt: skip


def test_every_lamp_and_bar_at_every_step(make_bench: BenchMaker, moments: list[Moment]) -> None:
    bench = make_bench({})
    chain_config = bench.config.chain
    assert chain_config is not None
    chain = ShiftRegisterChain(chain_config)
    happened = bench.events()
    chain.feed(happened)
    # Without ticks, all that is on has just come on, or stays on: blinking lamps are looked at in their first phase.
    for number, events in play_on(bench, moments, ticks=False):
        moment = moments[number]
        happened += events
        chain.feed(events)
        wanted = must_be_lit(moment.view)
        steady = {name for name in wanted if not name.endswith((".active", ".retreat", ".aro"))}
        lit = lamps_lit(happened, bench.config)
        assert steady <= lit <= wanted, (moment.number, moment.line)
        if number and must_be_lit(moments[number - 1].view) != wanted:
            new = wanted - must_be_lit(moments[number - 1].view)
            assert new <= lit, f"line {moment.number} {moment.line}: the news is late"
        for bar, on in must_be_on_bars(moment.view).items():
            assert chain.bar(bar).count("#") == on, (moment.number, moment.line, bar)
        if not moment.accepted:
            assert not [event for event in events if event.bcm != pin_of("A.active")], "a refusal changed a lamp"


def pin_of(name: str) -> int:
    return next(lamp.bcm for lamp in LAMPS if lamp.name == name)


def changes(values: list[Any]) -> list[Any]:
    return [values[0], *(after for before, after in pairwise(values) if after != before)]


def test_the_pool_counts_down_at_the_pins_and_comes_back_by_undo(
    register_bench: RegisterBenchMaker, moments: list[Moment]
) -> None:
    """Read off the bit stream alone: each pattern that was latched, whatever view it came from."""
    bench = register_bench({"pins": False})
    chain = ShiftRegisterChain(bench.config.chain) if bench.config.chain else None
    assert chain is not None
    chain.feed(bench.events())
    pool, tactical = [chain.bar("A.group1")], [chain.bar("A.tactical")]
    for _, events in play_on(bench, moments, ticks=False):
        chain.feed(events)
        pool.append(chain.bar("A.group1"))
        tactical.append(chain.bar("A.tactical"))
    assert changes(pool) == [
        "..........",
        "####......",
        "###.......",
        "##........",
        "#.........",
        "..........",
        "#.........",  # undo
        "..........",
    ]
    assert changes(tactical) == ["..", "#.", ".."]


def test_the_aro_lamp_opens_and_closes_with_the_window_and_pulses_meanwhile(
    register_bench: RegisterBenchMaker, moments: list[Moment]
) -> None:
    bench = register_bench({"chain": False})
    shares = play_on(bench, moments, ticks=True)
    aro = pin_of("B.aro")
    opened = False
    windows = 0
    for number, events in shares:
        levels = [event.level for event in events if event.bcm == aro]
        order = moments[number].view["order"]
        is_open = bool(order and order["aro"]["open"])
        if is_open and not opened:
            windows += 1
            assert levels[:1] == [True], moments[number].line
        elif is_open:
            # 700 ms a step: the lamp (800 ms on, 200 ms off) blinks while the window stays open.
            assert levels in ([False, True], [False], [True]), moments[number].line
        elif opened:
            assert levels in ([False], []), moments[number].line
        else:
            assert levels == [], f"line {moments[number].number}: lit without a window"
        opened = is_open
    assert windows == 10
    assert not [event for event in bench.events() if event.bcm == pin_of("A.aro") and event.kind == "write"]


def test_retreat_comes_up_at_the_start_of_bs_turn_and_alarms(
    register_bench: RegisterBenchMaker, moments: list[Moment]
) -> None:
    bench = register_bench({"chain": False})
    shares = play_on(bench, moments, ticks=True)
    retreat = pin_of("B.retreat")
    writes = {moments[number].line: [e.level for e in events if e.bcm == retreat] for number, events in shares}
    first = next(number for number, events in shares if any(event.bcm == retreat for event in events))
    assert moments[first].view["active"] == "B"
    assert moments[first].view["seats"]["B"]["retreat"] and not moments[first - 1].view["seats"]["B"]["retreat"]
    # Two quick flashes within the first 700 ms: on, off, on, off.
    assert next(events for number, events in shares if number == first) and writes[moments[first].line]
    first_events = [event.level for event in dict(shares)[first] if event.bcm == retreat]
    assert first_events == [True, False, True, False]


def test_registers_are_written_in_order_in_time_and_only_by_what_caused_them(
    register_bench: RegisterBenchMaker, moments: list[Moment]
) -> None:
    bench: RegisterBench = register_bench({})
    play_on(bench, moments, ticks=True)
    bench.close()
    timed = bench.timed_events()
    times = [at.at_ns for at in timed]
    assert times == sorted(times)
    spans = iter(bench.spans)
    span = next(spans)
    for at in timed:
        while at.at_ns > span.end_ns:
            span = next(spans)
        assert span.begin_ns <= at.at_ns <= span.end_ns, "a register was written while nobody asked for it"
    # A step is one or two hundred writes; a minute of turn may take the processor a second, not more than that.
    busy_ns = sum(one.end_ns - one.begin_ns for one in bench.spans)
    assert busy_ns < len(bench.spans) * 100_000_000


def test_fake_and_registers_agree_on_the_whole_turn(register_bench: RegisterBenchMaker, moments: list[Moment]) -> None:
    fake, real = FakeBench({}), register_bench({})
    play_on(fake, moments, ticks=True)
    play_on(real, moments, ticks=True)
    fake.close()
    real.close()
    assert len(fake.events()) > 2_000
    assert real.events() == fake.events()
