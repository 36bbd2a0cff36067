"""Armies for the tests of tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordertray.army.roster import load_army
from ordertray.rules.army import Army

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def red() -> Army:
    """The red example roster."""
    return load_army(EXAMPLES / "red.toml")


@pytest.fixture(scope="session")
def blue() -> Army:
    """The blue example roster."""
    return load_army(EXAMPLES / "blue.toml")
