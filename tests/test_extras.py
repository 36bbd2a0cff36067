"""How an optional part is got: never under this program's own name, which is in no package index."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ordertray.files.extras import install_command, requirements
from ordertray.sim.process import has_package

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["web", "tls", "sim", "flash", "labels", "nfc", "demo"])
def test_an_extra_is_got_by_the_names_of_what_it_needs(extra: str) -> None:
    command = install_command(extra)
    assert command.startswith(f"{sys.executable} -m pip install ")
    assert "ordertray" not in command.removeprefix(sys.executable)
    declared = {line.partition(">")[0] for line in EXTRAS[extra] if not line.startswith("ordertray[")}
    assert declared <= {requirement.partition("<")[0] for requirement in requirements(extra)}


def test_an_extra_that_there_is_not_is_an_error_here() -> None:
    with pytest.raises(ValueError, match="no extra nosuch"):
        requirements("nosuch")


def test_the_interpreter_is_asked_for_only_where_there_is_a_package_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi `make demo` must find all it names: there the firmware runs on Python."""
    for machine, there in (("x86_64", True), ("aarch64", False), ("armv7l", False)):
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        monkeypatch.setattr("sys.platform", "linux")
        (wanted,) = map(Requirement, EXTRAS["sim"])
        assert wanted.marker is not None
        assert wanted.marker.evaluate({"platform_machine": machine, "platform_system": "Linux"}) is there
        assert has_package() is there
