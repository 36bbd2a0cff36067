"""Which GPIO library is needed, which is installed, and how to mend it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ordertray.lights.gpio_library import (
    board_model,
    gpio_library_report,
    installed_libraries,
    needed_library,
    sees_system_packages,
    way_to_a_library,
)

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
OLD, NEW = "RPi.GPIO", "rpi-lgpio"
PI_3 = "Raspberry Pi 3 Model B Rev 1.2\0"
PI_4 = "Raspberry Pi 4 Model B Rev 1.5\0"
PI_5 = "Raspberry Pi 5 Model B Rev 1.0\0"


@pytest.mark.parametrize(
    ("model", "needed"),
    [
        ("Raspberry Pi Model B Rev 2", OLD),
        ("Raspberry Pi Zero 2 W Rev 1.0", OLD),
        (PI_3, OLD),
        (PI_4, OLD),
        ("Raspberry Pi 400 Rev 1.0", OLD),
        ("Raspberry Pi Compute Module 4 Rev 1.1", OLD),
        (PI_5, NEW),
        ("Raspberry Pi 500 Rev 1.0", NEW),
        ("Raspberry Pi Compute Module 5 Rev 1.0", NEW),
        ("Raspberry Pi Compute Module 5 Lite Rev 1.0", NEW),
        ("Some Other Board", None),
        ("", None),
    ],
)
def test_needed_by_model(model: str, needed: str | None) -> None:
    assert needed_library(model) == needed


@pytest.mark.parametrize(
    ("model", "installed", "ok", "words", "mend"),
    [
        (PI_4, (OLD,), True, "RPi.GPIO is installed, as Raspberry Pi 4 Model B Rev 1.5 needs it", ()),
        (PI_5, (NEW,), True, "rpi-lgpio is installed, as Raspberry Pi 5 Model B Rev 1.0 needs it", ()),
        (PI_3, (NEW,), True, "works on Raspberry Pi 3 Model B Rev 1.2 too", ()),
        (PI_3, (), False, "needs RPi.GPIO for lamps", ("pip install --force-reinstall RPi.GPIO",)),
        (
            PI_5,
            (OLD,),
            False,
            "RPi.GPIO is installed, but Raspberry Pi 5 Model B Rev 1.0 needs rpi-lgpio",
            ("pip uninstall --yes RPi.GPIO", "pip install --force-reinstall rpi-lgpio"),
        ),
        (
            PI_5,
            (OLD, NEW),
            False,
            "both installed",
            ("pip uninstall --yes RPi.GPIO rpi-lgpio", "pip install --force-reinstall rpi-lgpio"),
        ),
        (PI_4, (OLD, NEW), False, "both installed",
         ("pip uninstall --yes RPi.GPIO rpi-lgpio", "pip install --force-reinstall RPi.GPIO")),
        ("", (OLD, NEW), False, "both installed", ("pip uninstall --yes RPi.GPIO rpi-lgpio",)),
        ("", (), True, "no Raspberry Pi", ()),
        ("", (OLD,), True, "no Raspberry Pi", ()),
    ],
)  # fmt: skip
def test_report(model: str, installed: tuple[str, ...], ok: bool, words: str, mend: tuple[str, ...]) -> None:
    report = gpio_library_report(model, installed, pip="pip")
    assert (report.ok, report.mend) == (ok, mend)
    assert words in report.verdict
    assert report.installed == installed


def test_an_environment_that_sees_debians_packages_is_mended_by_debian() -> None:
    """Raspberry Pi OS: its packages of the two conflict, so one command changes one for the other."""
    told = gpio_library_report(PI_5, (OLD,), pip="pip", own=(), sees_system=True)
    assert told.mend == ("sudo apt-get install python3-rpi-lgpio",)
    torn = gpio_library_report(PI_4, (OLD, NEW), pip="pip", own=(NEW,), sees_system=True)
    assert torn.mend == ("pip uninstall --yes rpi-lgpio", "sudo apt-get install python3-rpi.gpio")


def test_whether_this_environment_sees_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert not sees_system_packages()
    for told, seen in (("true", True), ("false", False)):
        (tmp_path / "pyvenv.cfg").write_text(f"home = /usr/bin\ninclude-system-site-packages = {told}\n")
        assert sees_system_packages() is seen


def test_the_way_to_a_library_names_this_interpreter() -> None:
    (command,) = way_to_a_library()
    assert command.startswith((f"{sys.executable} -m pip install", "sudo apt-get install python3-rpi"))


def test_what_is_installed_here_is_none() -> None:
    """The development environment stays clean of both, whatever the harness builds elsewhere."""
    assert installed_libraries() == ()


def test_board_model_reads_the_device_tree_text(tmp_path: Path) -> None:
    path = tmp_path / "model"
    assert board_model(path) == ""
    path.write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    assert board_model(path) == "Raspberry Pi 5 Model B Rev 1.0"


@pytest.mark.parametrize(
    ("release", "chosen"),
    [
        ("6.12.20+rpt-rpi-2712", NEW),
        ("6.12.20+rpt-rpi-v8", OLD),
        ("6.6.31+rpt-rpi-v7l", OLD),
        ("6.12.22-v8-16k+", NEW),
        ("6.12.22-v8+", OLD),
        ("6.1.21-v7l+", OLD),
    ],
)
def test_the_pi_extra_takes_exactly_one_library_by_the_kernel(release: str, chosen: str) -> None:
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    requirements = [Requirement(text) for text in extras["pi"]]
    taken = [r.name for r in requirements if r.marker is None or r.marker.evaluate({"platform_release": release})]
    assert taken == [chosen]
