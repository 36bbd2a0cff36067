"""Three evenings of N5, line by line from `evenings/`: Fireteams; Reinforcements and Retreat; markers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordertray.rules import Army
from rules.playing import Game, army, run_file

EVENINGS = Path(__file__).parent / "evenings"

ARMIES: dict[str, tuple[Army, Army]] = {
    "fireteams": (
        army("cap lieutenant cost=30", "core1..core5 cost=20", "wolf irregular cost=9", "x1 x2 g2 cost=9", points=300),
        army("boss lieutenant cost=40", "har1..har3 cost=25", "b1..b4 cost=20", "two number-2 cost=10", points=300),
    ),
    "reinforcements": (
        army("cap lieutenant cost=20", "talk commlink cost=20", "a1..a3 cost=40", "ghost hidden cost=20",
             "spook hidden cost=15", "late1 late2 reinforcement g2 cost=30", points=300),
        army("boss lieutenant cost=40", "b1..b5 cost=30", "diver airborne cost=30", points=300),
    ),
    "markers": (
        army("cap lieutenant cost=30", "fox marker cost=20", "doc cost=25", "bot controller=doc cost=5",
             "hacker cost=20", "jumper impetuous airborne cost=20", "t1..t4 tactical-awareness cost=15", points=300),
        army("boss lieutenant cost=40", "imp marker cost=20", "b1 b2 cost=25", "tag type=TAG cost=60", points=300),
    ),
}  # fmt: skip
ENDS = {"fireteams": ("A", "objective"), "reinforcements": ("B", "victory"), "markers": ("A", "victory")}


@pytest.mark.parametrize("name", ARMIES)
def test_an_evening_goes_as_its_script_says(name: str) -> None:
    """To its end, with the result that both players read off the table."""
    game = Game("n5", *ARMIES[name])
    lines = (EVENINGS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert run_file(game, lines) == []
    assert game.over()
    assert (game.public["result"]["winner"], game.public["result"]["by"]) == ENDS[name], game.public["result"]


@pytest.mark.rule("INF")
def test_the_evening_of_markers_as_the_other_side_heard_it() -> None:
    """Until it is revealed nobody but its owner reads the name of a marker, in events, answers or views."""
    game = Game("n5", *ARMIES["markers"], viewer="A")
    heard = ""
    for line in (EVENINGS / "markers.txt").read_text(encoding="utf-8").splitlines():
        answer = game.script.answer(1, line)
        if answer is not None and not line.startswith(("B ", "A state B:imp", "B resolve")):
            heard += answer.json() + answer.text
    assert "imp" not in heard.replace("impetuous", "").replace("Impetuous", "").replace("simp", "")


def test_evenings_name_all_that_is_new() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in EVENINGS.glob("*.txt"))
    for words in ("team form", "team join", "token team", "delay", "reveal", "reinforce", "score", "B:tag", "A undo"):
        assert words in text, words
    assert {path.stem for path in EVENINGS.glob("*.txt")} == set(ARMIES)
