"""Outputs together, no pins at all, and the ways out of a program."""

from __future__ import annotations

import logging
import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lights.views import BOTH_ONLINE, count, seat, view
from ordertray.lights import LampFrame, render
from ordertray.lights.all_off import main as all_off
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import DEFAULT_LAMPS
from ordertray.lights.opening import NoLamps, open_lamps
from ordertray.lights.outputs import LampOutput, LampOutputs
from ordertray.lights.pin_backends import LampsUnavailableError, RecordingPins
from ordertray.lights.release import SIGNALS, released_at_exit
from ordertray.lights.rhythm import Rhythm, is_lit, next_change_ms


def frame_with(orders: int) -> LampFrame:
    return render(view(a=seat(pools={"1": count(orders)})), BOTH_ONLINE)


class Stub:
    """An output that counts, and fails where it is told to."""

    def __init__(self, name: str, fails_at: str = "") -> None:
        self.name = name
        self.fails_at = fails_at
        self.calls: list[str] = []

    def _called(self, what: str) -> None:
        self.calls.append(what)
        if what == self.fails_at:
            raise OSError(f"{self.name} is broken")

    def show(self, frame: LampFrame, now_ms: int) -> None:
        self._called("show")

    def tick(self, now_ms: int) -> None:
        self._called("tick")

    def next_tick_ms(self, now_ms: int) -> int | None:
        return {"a": 70, "b": 30}.get(self.name)

    def lamp_test(self, now_ms: int) -> None:
        self._called("lamp_test")

    def close(self) -> None:
        self._called("close")


@pytest.mark.parametrize("fails_at", ["show", "tick", "lamp_test"])
def test_an_output_that_fails_is_reported_once_closed_and_left_out(
    fails_at: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken, good = Stub("broken", fails_at), Stub("a")
    outputs = LampOutputs([broken, good])
    for now_ms in (0, 10):
        outputs.show(frame_with(1), now_ms)
        outputs.tick(now_ms)
        outputs.lamp_test(now_ms)
    assert good.calls == ["show", "tick", "lamp_test"] * 2
    assert broken.calls[-1] == "close"
    assert broken.calls.count(fails_at) == 1
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "broken failed and is left out" in caplog.text
    assert outputs.working == (good,)


def test_outputs_are_ticked_when_the_soonest_wants_it_and_closed_whatever_one_does() -> None:
    first, second, third = Stub("a", "close"), Stub("b"), Stub("c")
    with LampOutputs([first, second, third]) as outputs:
        assert outputs.next_tick_ms(0) == 30
    assert [stub.calls[-1] for stub in (first, second, third)] == ["close"] * 3
    assert LampOutputs([third]).next_tick_ms(0) is None


def test_no_pi_says_why_once_and_does_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def refuse() -> RecordingPins:
        raise LampsUnavailableError("there is no Pi")

    lamps = open_lamps(DEFAULT_LAMPS, backend=refuse)
    assert isinstance(lamps, NoLamps)
    outputs = LampOutputs([lamps])
    for now_ms in (0, 10, 20):
        outputs.show(frame_with(1), now_ms)
        outputs.tick(now_ms)
        outputs.lamp_test(now_ms)
    assert outputs.next_tick_ms(0) is None
    outputs.close()
    assert [record.getMessage() for record in caplog.records] == ["no lamps on pins: there is no Pi"]


def test_leaving_the_block_closes_and_restores_the_signals() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    pins = RecordingPins()
    lamps: LampOutput = GpioLamps(pins, DEFAULT_LAMPS)
    with pytest.raises(ZeroDivisionError), released_at_exit(lamps):
        raise ZeroDivisionError
    assert pins.levels == {}
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_handler_that_was_there_before_still_runs() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, frame: heard.append(number))
    try:
        pins = RecordingPins()
        with released_at_exit(GpioLamps(pins, DEFAULT_LAMPS)):
            os.kill(os.getpid(), signal.SIGHUP)
            assert heard == [signal.SIGHUP]
            assert pins.levels == {}
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_may_hold_lamps_too() -> None:
    pins = RecordingPins()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with released_at_exit(GpioLamps(pins, DEFAULT_LAMPS)):
                assert pins.levels
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failures == []
    assert pins.levels == {}


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        ("", 0, ""),
        ("lamps = 3", 2, "lamps: must be a table"),
        ("[lamps.pins]\nlink = 14\nA.aro = 99\n[lamps.chain]", 2, "lamps.pins.A.aro: 99 is no GPIO pin"),
        ("[lamps", 2, "cannot be read"),
        ("\xff", 2, "cannot be read"),
    ],
)
def test_all_off_reads_its_configuration_or_says_what_is_wrong(
    text: str, status: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ordertray.toml"
    path.write_bytes(text.encode("latin-1"))
    assert all_off([str(path)]) == status
    assert told in capsys.readouterr().err


def test_all_off_without_a_file_says_how_it_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert all_off([]) == 2
    assert "usage:" in capsys.readouterr().err
    assert all_off([str(tmp_path / "missing.toml")]) == 2
    assert "missing.toml: cannot be read" in capsys.readouterr().err


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(Rhythm), st.integers(0, 10_000))
def test_a_lamp_changes_when_it_said_it_would_and_not_before(rhythm: Rhythm, elapsed_ms: int) -> None:
    change_ms = next_change_ms(rhythm, elapsed_ms)
    now = is_lit(rhythm, elapsed_ms)
    if change_ms is None:
        assert rhythm in (Rhythm.OFF, Rhythm.STEADY)
        assert is_lit(rhythm, elapsed_ms + 777) == now
    else:
        assert change_ms > 0
        assert is_lit(rhythm, elapsed_ms + change_ms - 1) == now
        assert is_lit(rhythm, elapsed_ms + change_ms) != now


@pytest.mark.parametrize("rhythm", [rhythm for rhythm in Rhythm if rhythm is not Rhythm.OFF])
def test_every_rhythm_begins_lit(rhythm: Rhythm) -> None:
    assert is_lit(rhythm, 0)
