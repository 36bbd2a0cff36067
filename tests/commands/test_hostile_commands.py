"""A seeded sample of `make fuzz` at the command line."""

from __future__ import annotations

from pathlib import Path

from commands.hostile import tried


def test_no_name_breaks_a_command_or_steers_the_terminal(tmp_path: Path) -> None:
    came = tried(tmp_path, 120, 2)
    assert came[2] > 50 and came[0] > 3
