"""A whole game of three rounds in each edition, line by line, from `games/EDITION.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordertray.rules import Army, explain, format_action, from_json, parse_line, play, replay, to_json
from ordertray.rules.notation import Query
from ordertray.rules.refusals import Refusal
from rules.playing import ALL, CODEONE, N4, Game, army, run_file

GAMES = Path(__file__).parent / "games"

ARMIES: dict[str, tuple[Army, Army]] = {
    "n5": (
        army("cap lieutenant plus-1-order cost=30", "t1..t4 cost=12", "wolf irregular impetuous cost=8",
             "ace tactical-awareness cost=20", "sarge nco g2 cost=20", "medic g2 cost=16",
             "dog g2 controller=medic cost=4", "ghost g2 hidden cost=20", "bear g2 frenzy cost=12", points=200),
        army("boss lieutenant cost=40", "u1..u6 cost=12", "heir chain-of-command g2 cost=19", "r1 r2 g2 cost=12",
             "spy g2 counterintelligence cost=15", "diver g2 airborne cost=20", "old warhorse cost=10", points=200),
    ),
    "n4": (
        army("cap lieutenant cost=30", "t1 t2 cost=12", "wolf irregular impetuous cost=8",
             "ace tactical-awareness cost=20", "sarge nco cost=20", "vet veteran cost=18", points=130),
        army("boss lieutenant cost=30", "u1 u2 u3 cost=12", "r1 r2 g2 cost=12", points=130),
    ),
    "codeone": (
        army("cap lieutenant cost=20.5", "t1 t2 t3 cost=12.5", "ghost hidden cost=22", points=100),
        army("boss lieutenant cost=30", "u1 u2 u3 cost=14.5", points=100),
    ),
}  # fmt: skip


def armies(edition: str) -> tuple[Army, Army]:
    """The armies of the game in `edition`."""
    return ARMIES[edition.removesuffix("-2020")]


def whole_game(edition: str) -> tuple[Game, list[str]]:
    """The game before its first line, and its lines."""
    lines = (GAMES / f"{edition}.txt").read_text(encoding="utf-8").splitlines()
    return Game(edition, *armies(edition)), lines


@pytest.mark.parametrize("edition", ALL)
def test_a_whole_game_goes_as_its_script_says(edition: str) -> None:
    game, lines = whole_game(edition)
    assert run_file(game, lines) == []
    assert game.public["round"] == 3
    assert game.over() == ("all-lost-in-retreat" if edition in N4 else "rounds")


@pytest.mark.parametrize("edition", ALL)
def test_a_line_that_goes_otherwise_is_found(edition: str) -> None:
    """The runner of these scripts sees a refusal that was not foreseen, one that did not come, and other rules."""
    game, lines = whole_game(edition)
    wrong = [line.replace("# refused", "# said") if number % 2 else line for number, line in enumerate(lines)]
    wrong = [line.replace("# refused A", "# refused X") for line in wrong]
    marked = sum("# refused" in line for line in lines)
    assert marked > 5
    assert 0 < len(run_file(game, wrong)) <= marked


@pytest.mark.parametrize("edition", ALL)
def test_the_record_of_a_whole_game_is_the_game(edition: str) -> None:
    """Its events, through JSON, give the same game; its lines read back are its actions."""
    game, lines = whole_game(edition)
    start = now = game.script.game
    record = []
    for line in lines:
        action = parse_line(line)
        if action is None or isinstance(action, Query):
            continue
        assert parse_line(format_action(action)) == action
        outcome = play(now, action)
        if isinstance(outcome, Refusal):
            assert explain(outcome)
            continue
        now, events = outcome
        record += [from_json(to_json(event)) for event in events]
    assert replay(start, record) == now
    assert (now.state.over is not None) and now.position > 50


def test_the_games_use_what_the_editions_offer() -> None:
    """Every action of the notation occurs in some whole game, so that none of them is dead in practice."""
    from ordertray.rules.actions import TOKEN_USES
    from ordertray.rules.notation import _VERBS

    text = "\n".join(path.read_text(encoding="utf-8") for path in GAMES.glob("*.txt"))
    verbs = {line.split()[1] for line in text.splitlines() if line[:2] in ("A ", "B ")}
    assert set(_VERBS) - verbs <= {"trooper", "undo", "team", "delay", "reinforce", "score", "reveal"}, (
        "these have files of their own"
    )
    used = {line.split()[2] for line in text.splitlines() if line[2:8] == "token "}
    assert set(TOKEN_USES) - used <= {"team", "reserve", "speedball", "other"}, "these too"
    assert {path.stem for path in GAMES.glob("*.txt")} == set(ALL)
    assert set(CODEONE) < set(ALL)
