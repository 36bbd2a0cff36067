"""The promise over a bad line: what the record holds is the taps that were acknowledged, in order, once."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from ordertray.link.host_end import HostEnd
from ordertray.sim import soak
from ordertray.sim.bad_line import CLEAN, FAULT_NAMES, Faults, Line
from ordertray.sim.far_end import Interpreter
from ordertray.sim.faults import MemoryLedger, PromiseBrokenError, World, story
from ordertray_firmware import link, wire

RUNS = 200


def test_seeded_runs_keep_the_promise(capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for seed in range(RUNS):
        found, failure = soak.run(seed)
        assert not failure, f"seed {seed}: {failure}"
        counts.update(found)
    with capsys.disabled():
        print("\n" + soak.report(counts, time.monotonic() - began))
    assert counts["lost"] == counts["doubled"] == 0
    # The harness did what it is there for.
    assert all(counts[name] > 20 for name in soak.FAULTS), counts
    assert counts["acknowledged"] > 10 * RUNS and counts["refused"] > RUNS and counts["recognised again"] > RUNS / 4


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_with_the_firmware_end_in_the_real_interpreter(seed: int) -> None:
    counts, failure = soak.run(seed, in_interpreter=True)
    assert not failure, failure
    assert counts["lost"] == counts["doubled"] == 0


def test_the_real_interpreter_does_exactly_what_cpython_does() -> None:
    with Interpreter() as interpreter:
        there, here = World(7, interpreter.boot), World(7)
        for world in (there, here):
            story(world, 15)
        # Body keys may come in another order there, so corruption hits other bytes; a clean stretch must be the same.
        there, here = World(11, interpreter.boot), World(11)
        for world in (there, here):
            world.advance(200)
            for _ in range(40):
                world.tap()
                world.advance(world.rng.randrange(300))
            world.settle()
            world.check(settled=True)
        assert there.ledger.numbers() == here.ledger.numbers() == list(range(1, 41))
        assert there.now_ms == here.now_ms


@pytest.mark.parametrize("seed", range(2000, 2004))
def test_with_the_real_journal(seed: int) -> None:
    counts, failure = soak.run(seed, in_journal=True)
    assert not failure, failure
    assert counts["recorded"] > 0


class BadLine(RuleBasedStateMachine):
    """Hypothesis chooses what happens, and finds the shortest story that breaks the promise."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(0)

    @rule(times=st.integers(1, 50), between_ms=st.integers(0, 120))
    def tap(self, times: int, between_ms: int) -> None:
        for _ in range(times):
            self.world.tap()
            self.world.advance(between_ms)

    @rule(span_ms=st.sampled_from((1, 40, 400, 1000, 3100, 8000)))
    def wait(self, span_ms: int) -> None:
        self.world.advance(span_ms)

    @rule(
        up=st.sampled_from((0.0, 0.1, 0.5)),
        down=st.sampled_from((0.0, 0.1, 0.5)),
        longest_delay_ms=st.sampled_from((5, 500, 4000)),
    )
    def line(self, up: float, down: float, longest_delay_ms: int) -> None:
        both = (
            CLEAN if chance == 0 else Faults(*[chance] * len(FAULT_NAMES), longest_delay_ms=longest_delay_ms)
            for chance in (up, down)
        )
        self.world.line_faults(*both)

    @rule(span_ms=st.sampled_from((100, 2900, 3100, 9000)))
    def stall_tray(self, span_ms: int) -> None:
        self.world.stall_tray(span_ms)

    @rule(span_ms=st.sampled_from((100, 2900, 3100, 9000)))
    def stall_host(self, span_ms: int) -> None:
        self.world.stall_host(span_ms)

    @rule(commit_ms=st.sampled_from((0, 30, 1000, 5000)))
    def slow_commits(self, commit_ms: int) -> None:
        self.world.slow_commits(commit_ms)

    @rule()
    def reset_board(self) -> None:
        self.world.reset_board()

    @rule(away_ms=st.sampled_from((1, 1000, 5000)))
    def kill_host(self, away_ms: int) -> None:
        self.world.kill_host(away_ms)

    @rule(away_ms=st.sampled_from((1, 1000, 5000)))
    def unplug(self, away_ms: int) -> None:
        self.world.unplug(away_ms)

    @rule()
    def rename(self) -> None:
        self.world.rename()

    @rule()
    def quiet(self) -> None:
        self.world.settle()
        self.world.check(settled=True)

    @invariant()
    def promise(self) -> None:
        self.world.check()

    def teardown(self) -> None:
        self.world.settle()
        self.world.check(settled=True)


def test_no_story_breaks_the_promise() -> None:
    run_state_machine_as_test(
        BadLine,
        settings=settings(
            max_examples=100,
            stateful_step_count=20,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


# --- the harness itself must be able to fail ------------------------------------------------------------------------


def _acknowledge_on_receipt(patch: pytest.MonkeyPatch) -> None:
    whole = HostEnd._in_order

    def in_order(self: HostEnd, frame: wire.Frame, items: list[link.Item]) -> None:
        whole(self, frame, items)
        self._ack, self._ack_due = self._received, True

    patch.setattr(HostEnd, "_in_order", in_order)


def _take_what_is_ahead(patch: pytest.MonkeyPatch) -> None:
    def in_order(self: link.End, frame: wire.Frame, items: list[link.Item]) -> None:
        if frame.sequence > self._received:
            self._received = frame.sequence
            items.append((frame.kind, frame.sequence, frame.body))

    patch.setattr(link.End, "_in_order", in_order)


def _forget_the_queue(patch: pytest.MonkeyPatch) -> None:
    whole = link.TrayEnd._host_hello

    def hello(self: link.TrayEnd, body: dict[str, object], now_ms: int, items: list[link.Item]) -> None:
        whole(self, body, now_ms, items)
        self._queue.clear()

    patch.setattr(link.TrayEnd, "_host_hello", hello)


def _queue_without_bound(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(link.TrayEnd, "event", lambda self, body, now_ms: self._push("T", wire.pack_body(body)))


def _no_snapshot(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(link.TrayEnd, "snapshot", lambda self, body, now_ms: setattr(self, "_snapshot_due", False))


def _apply_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MemoryLedger, "known", lambda self, nonce, sequence: False)


def _no_retransmission(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(link.End, "_rewind_if_due", lambda self, now_ms: None)


@pytest.mark.parametrize(
    "spoil",
    [
        _acknowledge_on_receipt,
        _take_what_is_ahead,
        _forget_the_queue,
        _queue_without_bound,
        _no_snapshot,
        _apply_again,
        _no_retransmission,
    ],
)
def test_a_spoilt_link_is_found_out(spoil: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(spoil)
    spoil(monkeypatch)
    for seed in range(60):
        try:
            story(World(seed), 30)
        except PromiseBrokenError:
            return
    pytest.fail("the harness did not notice")


def test_a_line_counts_what_it_does() -> None:
    counts: Counter[str] = Counter()
    line = Line(random.Random(1), counts)
    line.send(b"clean\n", 0)
    assert line.receive(100) == b"clean\n" and not counts
    line.faults = Faults(drop=1.0)
    line.send(b"gone\n", 100)
    assert line.receive(9999) == b"" and counts == {"drop": 1}
    line.faults = Faults(duplicate=1.0, split=1.0)
    line.send(b"twice\n", 200)
    assert line.receive(9999) == b"twice\ntwice\n" and counts["split"] == 2


def test_soak_command_prints_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    status = soak.main(
        ["--runs", "4", "--jobs", "1", "--steps", "5", "--interpreter-every", "4", "--journal-every", "2"]
    )
    said = capsys.readouterr().out
    assert status == 0
    assert "4 runs (1 on MicroPython, 2 with a journal)" in said and "lost 0, doubled 0" in said
