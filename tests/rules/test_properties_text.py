"""The two notations: every action and every game has its line, and nothing that is no line breaks the reader."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn

from ordertray.games.script import Script
from ordertray.rules import (
    SEATS,
    Action,
    Game,
    NotationError,
    PositionError,
    Refusal,
    action_space,
    explain,
    format_action,
    format_position,
    legal_actions,
    parse_action,
    parse_line,
    parse_position,
    play,
    public_view,
    seat_view,
    summary,
)
from ordertray.rules import actions as a
from rules.strategies_actions import by_kind, reachable_games, sensible_actions, spoken_actions
from rules.strategies_armies import games
from rules.strategies_effort import effort


@effort(30)
@given(reachable_games(games(), steps=25))
def test_every_action_has_its_line(game: Game) -> None:
    for seat in SEATS:
        for action in action_space(game, seat):
            assert parse_action(format_action(action)) == action


@effort(100)
@given(games(), st.data())
def test_every_action_that_can_be_said_has_its_line(game: Game, data: DataObject) -> None:
    at = data.draw(st.none() | st.integers(0, 999_999_999))
    action = dataclasses.replace(data.draw(spoken_actions(game)), at=at)
    line = format_action(action)
    parsed = parse_action(line)
    assert (parsed, parsed.at) == (action, at)
    assert parse_action(f"  {line}   # said by someone") == action


@effort(40)
@given(reachable_games(games()), st.data())
def test_every_game_has_its_line(game: Game, data: DataObject) -> None:
    """A game started from the line of another is equal to it and goes on alike; only undo starts afresh."""
    line = format_position(game)
    assert line.isascii() and line.isprintable()
    again = parse_position(line)
    assert again == game
    assert format_position(again) == line
    for _ in range(8):
        assert summary(again) == summary(game)
        for seat in SEATS:
            mine, theirs = (
                [one for one in legal_actions(g, seat) if not isinstance(one, a.Undo)] for g in (game, again)
            )
            assert mine == theirs
            assert seat_view(game, seat) == seat_view(again, seat)
        assert public_view(game) == public_view(again)
        action = data.draw(sensible_actions(game).filter(lambda action: not isinstance(action, a.Undo)))
        first, second = play(game, action), play(again, action)
        assert not isinstance(first, Refusal) and not isinstance(second, Refusal)
        assert first[0] == second[0]
        game, again = first[0], second[0]


# --- whatever somebody may type ------------------------------------------------------------------------------------

_SOME_WORDS = (
    "A B option undo show position start next strategos spend skill end aro pass check resolve done state clear "
    "frenzy arrive evacuate lieutenant trooper token regular irregular tactical impetuous own g1 g2 g0 g1000 t0 p0 "
    'basic short long > by lof all idle dead isolated strip cap "Dodge" "" " @3 @ @x # #x rounds 3 0 99 '
    "first no-retreat A:t0 B:t1"
)
_WORDS = _SOME_WORDS.split(" ")
_typed = st.lists(st.sampled_from(_WORDS) | st.text(max_size=6), max_size=8).map(" ".join) | st.text(max_size=40)


@effort(400)
@given(_typed)
def test_no_text_breaks_the_reader_of_actions(text: str) -> None:
    try:
        parsed = parse_line(text)
    except NotationError as fault:
        assert str(fault)
        return
    if parsed is not None and isinstance(parsed, Action):
        assert parse_line(format_action(parsed)) == parsed


@effort(60)
@given(games(), st.lists(_typed, max_size=6))
def test_no_script_breaks_the_player_of_scripts(game: Game, lines: list[str]) -> None:
    """Each line that is not blank gets one answer, and a line of JSON."""
    script = Script(game)
    for number, line in enumerate(lines, 1):
        answer = script.answer(number, line)
        if answer is None:
            assert not line.strip() or line.strip().startswith("#")
            continue
        assert "\n" not in answer.text
        assert json.loads(answer.json())["line"] == number


_patches = st.text(max_size=3) | st.sampled_from(
    ("", "-", "0", "1", "9", "/", ";", ",", "+", ":", " ", "t0", "p0", "B", "2.2", "%")
)


@st.composite
def spoilt_lines(draw: DrawFn, line: str) -> str:
    """A line with some of its characters or parts changed, doubled, swapped or gone."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(line)))
        end = min(len(line), start + draw(st.integers(0, 4)))
        patch = draw(_patches)
        line = line[:start] + patch + line[end:]
        if draw(st.integers(0, 4)) == 0:
            separator = draw(st.sampled_from((" ", "/", ";", ",")))
            parts = line.split(separator)
            one, other = draw(st.integers(0, len(parts) - 1)), draw(st.integers(0, len(parts) - 1))
            parts[one], parts[other] = parts[other], parts[one]
            line = separator.join(parts)
    return line


@effort(120)
@given(reachable_games(games(), steps=12), st.data())
def test_a_spoilt_position_is_refused_or_playable(game: Game, data: DataObject) -> None:
    """Never anything but `PositionError`; and what is accepted is a game on which nothing raises."""
    line = data.draw(spoilt_lines(format_position(game)))
    try:
        spoilt = parse_position(line)
    except PositionError as fault:
        assert str(fault)
        return
    written = format_position(spoilt)
    assert parse_position(written) == spoilt
    for seat in SEATS:
        json.dumps([public_view(spoilt), seat_view(spoilt, seat)])
        for kind in by_kind(legal_actions(spoilt, seat)).values():
            outcome = play(spoilt, data.draw(st.sampled_from(kind)))
            assert not isinstance(outcome, Refusal)
            json.dumps(public_view(outcome[0]))
            assert parse_position(format_position(outcome[0])) == outcome[0]
    for action in data.draw(st.lists(spoken_actions(spoilt), max_size=5)):
        refused = play(spoilt, action)
        assert not isinstance(refused, Refusal) or explain(refused)


@effort(200)
@given(
    st.text(max_size=60) | st.lists(st.sampled_from(("n5", "-", "/", "0", "first=A", ";")), max_size=12).map(" ".join)
)
def test_no_text_breaks_the_reader_of_positions(text: str) -> None:
    try:
        parse_position(text)
    except PositionError as fault:
        assert str(fault)
