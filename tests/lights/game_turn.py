"""A whole turn played by the rules core: the public views the lamps are driven with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordertray.army.roster import load_army
from ordertray.rules import Seat, new_game
from ordertray.script import Script

DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class Moment:
    """The answer to one line of the script: the line itself, whether it was accepted, the public view after it."""

    number: int
    line: str
    accepted: bool
    view: dict[str, Any]


def play_turn() -> list[Moment]:
    """Play `data/turn.game`; the first moment is the table before it. What `ordertray play --json` answers."""
    armies = {Seat.A: load_army(DATA / "left.toml"), Seat.B: load_army(DATA / "right.toml")}
    script = Script(new_game(armies))
    lines = (DATA / "turn.game").read_text(encoding="utf-8").splitlines()
    show = script.answer(0, "show")
    assert show is not None
    moments = [Moment(0, "", True, show.data["public"])]
    for answer in script.run(lines):
        assert answer.in_notation, answer.text
        accepted = bool(answer.data["ok"])
        view = answer.data["public"] if accepted else moments[-1].view
        moments.append(Moment(answer.line, lines[answer.line - 1], accepted, view))
    return moments
