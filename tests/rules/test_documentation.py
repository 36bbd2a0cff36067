"""The page for those who build on the core: its programs run as they stand there, and what it promises holds."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ordertray.rules as rules
from ordertray import load_army
from ordertray.rules import (
    EDITIONS,
    Game,
    Options,
    Pass,
    RecordState,
    Refusal,
    Seat,
    Spend,
    Start,
    evolve,
    format_position,
    from_json,
    is_legal,
    legal_actions,
    new_game,
    parse_action,
    parse_position,
    play,
    to_json,
)
from patience import patience
from rules.playing import ENEMY, army

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rules-core.md").read_text(encoding="utf-8")
PROGRAMS = dict(zip(("bot", "viewer", "statistics"), re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL), strict=True))
MOST_LINES = 20
SCRIPT = """
A start
A next
A next
A next          # a comment
A spend regular g1
A skill basic
B aro
B spend regular g1
B pass
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_of_the_page_run(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    assert sum(bool(line.strip()) for line in program.splitlines()) <= MOST_LINES
    path = tmp_path / f"{name}.py"
    path.write_text(program, encoding="utf-8")
    armies = [str(ROOT / "examples" / f"{army}.toml") for army in ("red", "blue")]
    run = subprocess.run(
        [sys.executable, str(path), *armies],
        input=SCRIPT,
        capture_output=True,
        text=True,
        timeout=patience(300),
        check=False,
    )
    assert run.returncode == 0, run.stderr
    wanted = {"bot": r"over \(", "viewer": r"refused: B spend .*SEQ-01", "statistics": r"A regular +1\nB ARO +1\n"}
    assert re.search(wanted[name], run.stdout), run.stdout[-2000:]


def long_game(actions: int) -> Game:
    """A game of many actions."""
    game = new_game({Seat.A: army("cap lieutenant", "t1"), Seat.B: ENEMY}, options=Options(rounds=20))
    game, _ = _played(game, Start(Seat.A))
    for number in range(actions - 1):
        line = "A state t1 prone" if number % 2 == 0 else "A clear t1 prone"
        game, _ = _played(game, parse_action(line))
    return game


def _played(game: Game, action: rules.Action) -> tuple[Game, tuple[rules.Event, ...]]:
    outcome = play(game, action)
    assert not isinstance(outcome, Refusal)
    return outcome


def test_copies_work_at_any_length() -> None:
    """Pickled, a game comes back with all that undo needs."""
    game = long_game(5_000)
    assert copy.copy(game) == copy.deepcopy(game) == game
    again = pickle.loads(pickle.dumps(game))
    assert (again, again.position) == (game, game.position)
    for _ in range(100):
        game, events = _played(game, parse_action("A undo"))
        again, same = _played(again, parse_action("A undo"))
        assert events == same and again == game
    assert again.position == 5_100


def test_a_position_keeps_its_number_and_its_format() -> None:
    game = long_game(7)
    line = format_position(game)
    assert line.startswith("v2 7 n5 ")
    again = parse_position(line)
    assert again.position == 7
    assert not isinstance(play(again, parse_action("@7 A next")), Refusal)
    for spoilt, told in (
        (line.replace("v2", "v3", 1), "begins with v2"),
        (line[3:], "begins with v2"),
        (line.replace("round=", "rounds="), "'rounds' is unknown"),
        (line.replace("place=", "plaice=", 1), "'plaice' is unknown"),
    ):
        with pytest.raises(rules.PositionError, match=re.escape(told)):
            parse_position(spoilt)


def test_events_carry_a_format_and_refuse_unknown_keys() -> None:
    _, (event, *_rest) = _played(long_game(1), parse_action("A state t1 prone"))
    data = to_json(event)
    assert (data["v"], from_json(data)) == (2, event)
    assert from_json({key: value for key, value in data.items() if key != "v"}) == event, "records had no number once"
    for change, told in (({"extra": 1}, "extra"), ({"v": 3}, "format 3"), ({"type": "nonsense"}, "nonsense")):
        with pytest.raises(ValueError, match=told):
            from_json({**data, **change})
    with pytest.raises(ValueError, match="list"):
        from_json([1])  # type: ignore[arg-type]


def test_wrong_types_raise_one_clear_error() -> None:
    game = long_game(1)
    armies = {Seat.A: ENEMY, Seat.B: ENEMY}
    for wrong, told in (
        (lambda: play(game, "A next"), "an action is wanted.*str"),  # type: ignore[arg-type]
        (lambda: is_legal(game, None), "an action is wanted"),  # type: ignore[arg-type]
        (lambda: evolve(game, {"type": "x"}), "an event is wanted"),  # type: ignore[arg-type]
        (lambda: new_game({Seat.A: ENEMY}), "an Army for each seat"),
        (lambda: new_game({"A": 1, "B": 2}), "an Army for each seat"),  # type: ignore[dict-item]
        (lambda: new_game(armies, "n5"), "an Edition"),  # type: ignore[arg-type]
        (lambda: parse_action(3), "a line of text"),  # type: ignore[arg-type]
        (lambda: parse_position(None), "a line of text"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match=told):
            wrong()
    with pytest.raises(ValueError, match="C"):
        legal_actions(game, "C")  # type: ignore[arg-type]
    assert new_game({"A": ENEMY, "B": ENEMY}, EDITIONS["n4"]).position == 0  # type: ignore[dict-item]


def test_every_action_is_exported() -> None:
    assert set(rules.__all__) >= {cls.__name__ for cls in rules.Action.__args__}
    for name in rules.__all__:
        assert getattr(rules, name) is not None
    game = long_game(1)
    assert is_legal(game, RecordState(Seat.B, Seat.A, "t1", "dead")) and not is_legal(game, Pass(Seat.B))
    assert not is_legal(game, Spend(Seat.A, "regular", 1, ("t1",)))
    assert load_army(str(ROOT / "examples" / "red.toml")).points == 300
