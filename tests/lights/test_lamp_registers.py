"""Register level: what the real RPi.GPIO extension writes into the BCM283x block, in which order and when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lights.conftest import RegisterBenchMaker
from lights.gpio_harness.benches import RegisterBench, chain_after, lamps_lit, model_environment
from lights.gpio_harness.build import Harness, HarnessError, build_harness, check_machine
from lights.gpio_harness.register_log import GPCLR, GPSET, INPUT, OUTPUT, PULLS, RegisterWrite
from lights.views import BOTH_ONLINE, count, order, seat, view
from ordertray.lights.lamp_config import DEFAULT_LAMPS
from ordertray.lights.pins import LAMPS

LAMPS_ONLY = {"chain": False}
BUSY = view(
    a=seat(pools={"1": count(8, 5)}, retreat=True, loss_of_lieutenant=True),
    b=seat(pools={"1": count(4)}),
    order=order(open_window=True),
)


def pin_of(name: str) -> int:
    return next(lamp.bcm for lamp in LAMPS if lamp.name == name)


def outputs_without_pulls(writes: list[RegisterWrite]) -> list[tuple[int, int]]:
    return [(write.offset, write.value) for write in writes if write.offset not in PULLS]


def test_a_lamp_is_set_up_lit_and_released_by_these_writes(register_bench: RegisterBenchMaker) -> None:
    bench = register_bench({"pins": {"link": 26}, "chain": False})
    bench.show(view(), BOTH_ONLINE, 0)
    bench.show(view(), {}, 1)
    bench.close()
    pin_26 = 1 << 26
    assert outputs_without_pulls(bench.writes()) == [
        (GPCLR, pin_26),  # the level first,
        (0x08, 0b001 << 18),  # then GPFSEL2, bits 18-20: output
        (GPSET, pin_26),
        (GPCLR, pin_26),
        (GPCLR, pin_26),  # dark before it is let go, whatever is believed of it
        (0x08, 0),
    ]


@pytest.mark.parametrize("chip", ["bcm2837", "bcm2711"])
def test_function_select_of_neighbours_is_kept(register_bench: RegisterBenchMaker, chip: str) -> None:
    bench = register_bench(LAMPS_ONLY, chip=chip)
    block = bench.block()
    wanted = {lamp.bcm: OUTPUT for lamp in LAMPS}
    assert {pin: block.function(pin) for pin in range(54)} == {pin: wanted.get(pin, INPUT) for pin in range(54)}


def test_writes_are_in_the_span_of_the_command_that_caused_them(register_bench: RegisterBenchMaker) -> None:
    bench = register_bench(LAMPS_ONLY)
    bench.show(view(), BOTH_ONLINE, 0)
    bench.show(view(order=order(open_window=True)), BOTH_ONLINE, 100)
    bench.tick(900)
    bench.tick(1100)
    times = [write.at_ns for write in bench.writes()]
    assert times == sorted(times)
    timed = [(t.at_ns, t.event) for t in bench.timed_events()]
    begin, shown, opened, off, on = bench.spans
    lit_and_dark = [
        [event for at_ns, event in timed if span.begin_ns <= at_ns <= span.end_ns] for span in (shown, opened, off, on)
    ]
    assert [(e.kind, e.bcm, e.level) for e in lit_and_dark[0]] == [
        ("write", pin_of("A.active"), True),
        ("write", pin_of("link"), True),
    ]
    assert [(e.bcm, e.level) for e in lit_and_dark[1]] == [(pin_of("B.aro"), True)]
    # A's turn lamp blinks half a second on, half a second off; the ARO lamp 800 ms on, 200 ms off: both are dark now.
    assert {(e.bcm, e.level) for e in lit_and_dark[2]} == {(pin_of("A.active"), False), (pin_of("B.aro"), False)}
    assert {(e.bcm, e.level) for e in lit_and_dark[3]} == {(pin_of("A.active"), True), (pin_of("B.aro"), True)}
    assert sum(begin.begin_ns <= at_ns <= begin.end_ns for at_ns, _ in timed) + sum(map(len, lit_and_dark)) == len(
        timed
    )


def test_the_chain_shifts_whole_patterns_data_before_clock_before_latch(register_bench: RegisterBenchMaker) -> None:
    bench = register_bench({"pins": False})
    before = len(bench.events())
    bench.show(view(a=seat(pools={"1": count(1)})), BOTH_ONLINE, 0)
    chain = bench.config.chain
    assert chain is not None
    data, clock, latch = chain.data, chain.clock, chain.latch
    names = {data: "D", clock: "C", latch: "L"}
    drawn = "".join(names[event.bcm] + "01"[event.level] for event in bench.events()[before:])
    # 63 dark outputs first, the lit one next to the Pi last, then one latch for all.
    assert drawn == "C1C0" * 63 + "D1C1C0" + "L1L0"


@pytest.mark.parametrize(
    ("how", "status"),
    [("input", 0), ("exception", 1), ("exit", 3), ("SIGTERM", -15), ("SIGHUP", -1), ("SIGINT", 1)],
)
def test_however_the_program_ends_lamps_are_dark_and_pins_inputs(
    register_bench: RegisterBenchMaker, how: str, status: int
) -> None:
    bench = register_bench({})
    bench.show(BUSY, BOTH_ONLINE, 0)
    lit = lamps_lit(bench.events(), bench.config)
    assert lit == {"A.active", "A.retreat", "A.loss_of_lieutenant", "B.aro", "link"}
    ended = bench.end(how)
    assert ended == status or (how == "SIGINT" and ended in (-2, 130))
    assert_dark(bench)


def assert_dark(bench: RegisterBench) -> None:
    block = bench.block()
    for pin in bench.config.pins:
        assert block.function(pin) == INPUT, f"GPIO{pin} is still driven"
    for lamp in bench.config.lamps:
        assert block.latch(lamp.bcm) == lamp.active_low
    events = bench.events()
    driven = events[: next(place for place, event in enumerate(events) if event.kind == "release")]
    assert not any(chain_after(driven, bench.config).lit)


def test_after_a_kill_the_units_clean_up_darkens_everything(
    register_bench: RegisterBenchMaker, harness: Harness, tmp_path: Path
) -> None:
    bench = register_bench({})
    bench.show(BUSY, BOTH_ONLINE, 0)
    bench.end("SIGKILL")
    block = bench.block()
    left_lit = [
        lamp.name for lamp in bench.config.lamps if block.function(lamp.bcm) == OUTPUT and block.latch(lamp.bcm)
    ]
    assert left_lit == ["A.retreat", "A.loss_of_lieutenant", "A.active", "B.aro", "link"], "nothing to clean up"
    configuration = tmp_path / "ordertray.toml"
    configuration.write_text("[lamps]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ordertray.lights.all_off", str(configuration)],
        env=model_environment(harness, bench.block_file.parent),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert_dark(bench)


OPENING = """
import logging
logging.basicConfig(format="%(message)s")
from ordertray.lights.opening import open_lamps
from ordertray.lights.lamp_config import DEFAULT_LAMPS
print(open_lamps(DEFAULT_LAMPS).name)
"""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"LD_PRELOAD": ""}, "the GPIO library finds no Raspberry Pi here"),
        ({"GPIO_MODEL_DENY": "1"}, "sudo usermod -aG gpio $USER"),
        ({"LD_PRELOAD": "", "PYTHONPATH": ""}, "-m pip install --force-reinstall RPi.GPIO"),
    ],
    ids=["no Pi", "no right to the pins", "no library"],
)
def test_where_there_are_no_pins_it_says_so_once_and_goes_on(
    harness: Harness, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    environment = model_environment(harness, tmp_path) | changes
    done = subprocess.run([sys.executable, "-c", OPENING], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "no lamps\n"), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("no lamps on pins: ")
    assert reason in done.stderr


@pytest.mark.parametrize(("system", "machine"), [("Linux", "riscv64"), ("Linux", "armv7l"), ("Darwin", "x86_64")])
def test_the_harness_fails_loudly_on_machines_it_does_not_know(system: str, machine: str) -> None:
    with pytest.raises(HarnessError, match=rf"x86_64 or aarch64, not on {system} on {machine}"):
        check_machine(system, machine)


def test_the_harness_fails_loudly_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="apt-get install gcc"):
        build_harness(tmp_path / "build")


def test_the_extension_under_test_is_the_real_one(harness: Harness) -> None:
    """Compiled for this machine, outside the development environment, and not the module of rpi-lgpio."""
    assert next(harness.site.glob("RPi/_GPIO*.so")).read_bytes()[:4] == b"\x7fELF"
    assert b"/dev/gpiomem" in next(harness.site.glob("RPi/_GPIO*.so")).read_bytes()
    found = subprocess.run([sys.executable, "-c", "import RPi"], capture_output=True, check=False)
    assert found.returncode != 0, "RPi.GPIO has got into the development environment"


def test_default_table_claims_every_pin_once() -> None:
    assert len(set(DEFAULT_LAMPS.pins)) == len(DEFAULT_LAMPS.pins) == len(LAMPS) + 4
