"""The house on one page is the house: what CONTRIBUTING.md and the rooms' READMEs name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "host" / "ordertray"
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
#: Written with a folder or an ending, in back quotes.
NAMED = sorted(set(re.findall(r"`([\w./-]+(?:\.(?:py|md|js|css|po|pot|toml|json)|/))`", PAGE)))
MADE_LATER = {"config.json", "messages/locale/fr/LC_MESSAGES/ordertray.po"}
FOLDERS = ("", "host/ordertray", "firmware/ordertray_firmware", "hardware/ordertray_hardware")


def is_there(name: str) -> bool:
    """Whether a file is there under one of the roots, or, named alone, anywhere in the house."""
    if any((ROOT / folder / name).exists() for folder in FOLDERS):
        return True
    return "/" not in name and any(any((ROOT / folder).rglob(name)) for folder in FOLDERS[1:])


@pytest.mark.parametrize("name", [name for name in NAMED if name not in MADE_LATER])
def test_every_file_that_is_named_is_there(name: str) -> None:
    assert is_there(name)


def test_every_room_stands_in_the_drawing_and_has_its_readme() -> None:
    rooms = {path.parent.name for path in HOUSE.glob("*/__init__.py")}
    drawing = PAGE.partition("```\n")[2].partition("```")[0]
    assert {room for room in rooms if not re.search(rf"\b{room}\b", drawing)} == set()
    assert {room for room in rooms if not (HOUSE / room / "README.md").exists()} == set()
    pages = {room: " ".join((HOUSE / room / "README.md").read_text("utf-8").split()) for room in rooms}
    assert {room for room, page in pages.items() if "must never" not in page and "must import no" not in page} == set()


def test_every_command_that_is_named_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"make ([\w-]+)", PAGE)
    assert targets
    assert {name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)} == set()
