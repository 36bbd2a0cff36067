"""The two made-up armies that come with the host."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from ordertray.army.roster import load_army
from ordertray.rules import Army, Seat


def example_armies() -> dict[Seat, Army]:
    """The two made-up armies that come with the host."""
    installed = Path(str(files("ordertray") / "examples"))
    # In a checkout they lie at the top, where people look for them.
    folder = installed if installed.is_dir() else Path(__file__).parents[3] / "examples"
    return {Seat.A: load_army(folder / "blue.toml"), Seat.B: load_army(folder / "red.toml")}
