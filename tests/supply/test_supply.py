"""What is declared of other packages: each with a lowest version and an end, and under a licence that is known."""

from __future__ import annotations

import re

from supply.licences import ABOUT, NONE, PAGE, licence, needed
from supply.lowest import lowest


def test_every_requirement_has_a_lowest_version_and_an_end() -> None:
    assert {"typer", "uvicorn", "starlette", "websockets", "pyserial", "cryptography"} <= set(lowest())


def test_every_package_says_its_licence() -> None:
    found = {name: licence(name) for name in needed()}
    assert {name for name, words in found.items() if not words} <= set(ABOUT), "what says none is named"
    assert not [name for name, words in found.items() if "GPL" in words.replace("LGPL", "")]


def test_the_page_of_licences_is_as_the_packages_say() -> None:
    """`make licences` writes it. What other machines need besides may stand there too."""
    page = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", page, re.MULTILINE))
    assert {name: licence(name) or NONE for name in needed()}.items() <= rows.items()
    assert all(f"**{name}**" in page for name in ABOUT)
