"""A whole turn played by the rules core through `ordertray play --json`: the views the lamps are driven with."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
ORDERTRAY = Path(sys.executable).with_name("ordertray")


@dataclass(frozen=True, slots=True)
class Moment:
    """The answer to one line of the script: the line itself, whether it was accepted, the public view after it."""

    number: int
    line: str
    accepted: bool
    view: dict[str, Any]


def play_turn() -> list[Moment]:
    """Play `data/turn.game`; the first moment is the table before it."""
    lines = ["show", *(DATA / "turn.game").read_text(encoding="utf-8").splitlines()]
    rosters = ["--a", str(DATA / "left.toml"), "--b", str(DATA / "right.toml")]
    done = subprocess.run(
        [str(ORDERTRAY), "play", "--json", *rosters],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    moments: list[Moment] = []
    for answer in map(json.loads, done.stdout.splitlines()):
        view = answer["public"] if answer["ok"] else moments[-1].view
        moments.append(Moment(answer["line"] - 1, lines[answer["line"] - 1], answer["ok"], view))
    return moments
