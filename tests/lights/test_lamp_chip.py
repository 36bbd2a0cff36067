"""The Pi 5's way: the real rpi-lgpio on a model of the GPIO chip, and every way in which it can fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from lights.conftest import ChipBenchMaker
from lights.gpio_harness.benches import FakeBench, chip_environment, lamps_lit, read_chip_log
from lights.test_lamp_pins import random_walk
from lights.test_lamp_registers import BUSY, OPENING
from lights.views import BOTH_ONLINE
from ordertray.lights.lamp_config import DEFAULT_LAMPS
from ordertray.lights.pin_backends import LampsUnavailableError, RPiPins

LIT = {"A.active", "A.retreat", "A.loss_of_lieutenant", "B.aro", "link"}


def test_it_is_the_real_library(chip_library: Path) -> None:
    assert "_check(lgpio.gpio_claim_output(" in (chip_library / "RPi/GPIO/__init__.py").read_text()
    assert "SWIG" in (chip_library / "lgpio.py").read_text()


def test_fake_and_chip_agree_event_by_event(chip_bench: ChipBenchMaker) -> None:
    fake, real = FakeBench({}), chip_bench({})
    random_walk(fake, 4)
    random_walk(real, 4)
    assert len(fake.events()) > 500
    assert real.events() == fake.events()


@pytest.mark.parametrize(
    ("how", "status"), [("input", 0), ("exception", 1), ("exit", 3), ("SIGTERM", -15), ("SIGHUP", -1)]
)
def test_however_the_program_ends_lamps_are_dark_and_pins_inputs(
    chip_bench: ChipBenchMaker, how: str, status: int
) -> None:
    bench = chip_bench({})
    bench.show(BUSY, BOTH_ONLINE, 0)
    assert lamps_lit(bench.events(), bench.config) == LIT
    assert bench.end(how) == status
    assert [bench.pin(pin) for pin in DEFAULT_LAMPS.pins if bench.pin(pin)[0]] == []
    assert [lamp.name for lamp in bench.config.lamps if bench.pin(lamp.bcm)[1]] == []


def test_after_a_kill_the_units_clean_up_darkens_everything(
    chip_bench: ChipBenchMaker, chip_library: Path, tmp_path: Path
) -> None:
    bench = chip_bench({})
    bench.show(BUSY, BOTH_ONLINE, 0)
    bench.end("SIGKILL")
    assert lamps_lit(bench.events(), bench.config) == LIT, "nothing to clean up"
    configuration = tmp_path / "ordertray.toml"
    configuration.write_text("[lamps]\n", encoding="utf-8")
    place = bench.log_file.parent
    done = subprocess.run(
        [sys.executable, "-m", "ordertray.lights.all_off", str(configuration)],
        env=chip_environment(chip_library, place), cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(bench.pin(pin)[0] for pin in DEFAULT_LAMPS.pins)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"GPIO_MODEL_DENY": "1"}, "sudo usermod -aG gpio $USER"),
        ({"GPIO_MODEL_CHIPS": "4"}, "the GPIO chip cannot be opened (can not open gpiochip)"),
        ({"GPIO_MODEL_BUSY": "26"}, "GPIO26 is held by another program or an overlay (GPIO busy); name another pin"),
        ({"GPIO_MODEL_BUSY": "18,19,20,21"}, 'map = "sound" in [lamps]'),
        ({"GPIO_MODEL_BAD_WRITE": "19"}, "the shift registers cannot be written to"),
        ({"RPI_LGPIO_REVISION": "-"}, "finds no Raspberry Pi here (This module can only be run on a Raspberry Pi!)"),
        ({"RPI_LGPIO_REVISION": "000d"}, "finds no Raspberry Pi here (This module does not understand"),
        ({"GPIO_MODEL_READ_ONLY": "1"}, "name another one in the variable LG_WD"),
    ],
    ids=["no right", "no chip", "busy", "sound card", "no write", "no Pi", "old Pi", "read-only folder"],
)
def test_where_there_are_no_pins_it_says_so_once_and_goes_on(
    chip_library: Path, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    environment = chip_environment(chip_library, tmp_path) | changes
    environment = {name: value for name, value in environment.items() if value != "-"}
    done = subprocess.run(
        [sys.executable, "-c", OPENING], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "no lamps\n"), done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("no lamps on pins: ")]
    assert len(told) == 1 and reason in told[0], done.stderr
    assert "Traceback" not in done.stderr
    left = {event.bcm: event.kind for timed in read_chip_log(tmp_path / "registers.log") for event in [timed.event]}
    assert set(left.values()) <= {"release"}, "a pin stays claimed"


def test_a_pi_whose_pins_are_on_another_chip_is_served(chip_library: Path, tmp_path: Path) -> None:
    """Chip 4, as on a Pi 5 with an older kernel; rpi-lgpio finds it by its driver, here it is told."""
    environment = chip_environment(chip_library, tmp_path) | {"GPIO_MODEL_CHIPS": "4", "RPI_LGPIO_CHIP": "4"}
    done = subprocess.run(
        [sys.executable, "-c", OPENING], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "lamps on the Pi's pins\n"), done.stderr


def test_the_game_goes_on_without_lamps(chip_library: Path, tmp_path: Path) -> None:
    """The whole service, with a pin held by an overlay: one word about the lamps, and the table is there."""
    config = tmp_path / "ordertray.toml"
    config.write_text("[lamps]\n")
    command = [sys.executable, "-m", "ordertray", "run", "--config", str(config), "--quick", "10", "4", "--no-tray",
               "--no-web", "--new", "--record", str(tmp_path / "record.sqlite3")]  # fmt: skip
    environment = chip_environment(chip_library, tmp_path) | {"GPIO_MODEL_BUSY": "19"}
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    ) as service:
        assert service.stderr is not None
        said: list[str] = []
        for line in service.stderr:
            said.append(line)
            if "begins" in line:
                break
        service.terminate()
        said += service.stderr.readlines()
    text = "".join(said)
    assert service.returncode == 0, text
    assert text.count("GPIO19 is held by another program") == 1
    assert "Traceback" not in text


def test_rpi_gpio_on_a_pi_5_names_the_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """What RPi.GPIO 0.7.1 says there, at the first pin (its `py_gpio.c`): group gpio is not the cure."""

    class OnAPi5:
        OUT = HIGH = LOW = BCM = 0

        def setmode(self, mode: int) -> None: ...
        def setwarnings(self, on: bool) -> None: ...
        def setup(self, bcm: int, direction: int, initial: int) -> None:
            raise RuntimeError("Cannot determine SOC peripheral base address")

    monkeypatch.setitem(sys.modules, "RPi.GPIO", cast(ModuleType, OnAPi5()))
    with pytest.raises(LampsUnavailableError, match="a Pi 5 needs rpi-lgpio") as caught:
        RPiPins().claim({26: False})
    assert "usermod" not in str(caught.value)


def test_header_numbers_of_another_part_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Taken:
        BCM = 11

        def setwarnings(self, on: bool) -> None: ...
        def setmode(self, mode: int) -> None:
            raise ValueError("A different mode has already been set!")

    monkeypatch.setitem(sys.modules, "RPi.GPIO", cast(ModuleType, Taken()))
    with pytest.raises(LampsUnavailableError, match=r"uses RPi\.GPIO with header numbers"):
        RPiPins()
