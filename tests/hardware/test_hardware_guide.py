"""The build guide: its tables are fresh, its pictures are there and small, its commands exist."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ordertray_hardware import tables

ROOT = Path(__file__).parents[2]
GUIDE = tables.README.read_text(encoding="utf-8")
PICTURES = sorted(set(re.findall(r"\]\((pictures/[^)]+)\)", GUIDE)))


def test_tables_are_those_of_the_circuits() -> None:
    assert tables.filled(GUIDE) == GUIDE, "run: python -m ordertray_hardware.tables --write"
    for name in (*tables.TABLES, *tables.SIMULATED):
        assert f"<!-- {name}: generated -->" in GUIDE, name


def test_the_table_of_temperatures_is_what_the_simulation_says() -> None:
    """To five degrees: ngspice's last digits differ from machine to machine."""
    printed = re.search(r"<!-- temperatures: generated -->\n(.*?)<!-- end", GUIDE, re.DOTALL)
    assert printed is not None
    degrees = [int(number) for number in re.findall(r"(\d+) °C \|", printed[1])]
    fresh = [int(number) for number in re.findall(r"(\d+) °C \|", tables.temperatures())]
    assert len(degrees) == len(fresh) > 10
    assert all(abs(one - other) <= 5 for one, other in zip(degrees, fresh, strict=True))


def test_the_table_of_transients_is_what_the_simulation_says() -> None:
    """To the digits printed: the models are fixed, so a changed part or value changes the table."""
    if shutil.which("ngspice") is None:
        if os.environ.get("CI"):
            pytest.fail("ngspice is missing: run hardware/install-tools.sh")
        pytest.skip("ngspice is missing: run hardware/install-tools.sh")
    printed = re.search(r"<!-- transients: generated -->\n(.*?)<!-- end", GUIDE, re.DOTALL)
    assert printed is not None
    fresh = tables.transients().splitlines()
    assert [row.split("|")[1] for row in printed[1].splitlines()] == [row.split("|")[1] for row in fresh]
    for was, now in zip(printed[1].splitlines(), fresh, strict=True):
        numbers = [[float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", row.split("|")[2])] for row in (was, now)]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.15, abs=1.5), was


def test_a_stale_table_is_noticed() -> None:
    assert tables.filled(GUIDE.replace("| GP14 | 19 |", "| GP14 | 20 |")) == GUIDE
    with pytest.raises(KeyError):
        tables.filled("<!-- weather: generated -->\n<!-- end of weather -->")


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_there_and_small(picture: str) -> None:
    path = tables.README.parent / picture
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size < 300_000


def test_no_picture_is_left_over() -> None:
    there = {f"pictures/{path.name}" for path in (tables.README.parent / "pictures").iterdir()}
    assert there == set(PICTURES)


def test_commands_of_the_guide_exist() -> None:
    ordertray = Path(sys.executable).with_name("ordertray")
    wide = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    shown = subprocess.run([ordertray, "--help"], capture_output=True, text=True, check=True, env=wide).stdout
    known = set(re.findall(r"^\W* ([a-z]+) {2,}\S", shown, re.MULTILINE))
    named = set(re.findall(r"`ordertray ([a-z]+)", GUIDE))
    assert named, "the guide names no command"
    assert named <= known
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:^|`)make ([a-z]+(?:-[a-z]+)*)", GUIDE, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_no_machine_path_or_registry_is_named() -> None:
    for path in (tables.README, ROOT / "hardware" / "install-tools.sh", ROOT / "hardware" / "requirements.txt"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://|/work/|pypi\.org|debian\.org", text), path
