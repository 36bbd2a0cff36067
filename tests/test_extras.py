"""How an optional part is got: never under this program's own name, which is in no package index."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from ordertray.files.extras import install_command, requirements

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
