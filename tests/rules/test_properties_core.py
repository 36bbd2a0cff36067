"""What must hold in every game: listing and judging agree, nothing raises, the record is the game."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from ordertray.rules import (
    SEATS,
    Event,
    Game,
    action_space,
    decide,
    explain,
    explain_to_others,
    from_json,
    legal_actions,
    play,
    public_view,
    replay,
    seat_view,
    summary,
    to_json,
    visible_events,
)
from ordertray.rules import actions as a
from ordertray.rules.refusals import Refusal
from rules.strategies_actions import odd_actions, played, reachable_games, sensible_actions, spoken_actions
from rules.strategies_armies import games
from rules.strategies_effort import effort


@effort(45)
@given(reachable_games(games(), steps=0), st.data())
def test_legal_actions_are_exactly_what_decide_accepts(game: Game, data: DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 15))):
        for seat in SEATS:
            accepted = [action for action in action_space(game, seat) if not isinstance(decide(game, action), Refusal)]
            listed = legal_actions(game, seat)
            assert set(listed) == set(accepted)
            assert len(set(listed)) == len(listed), "an action is listed twice"
        game = played(game, data.draw(sensible_actions(game)))


@effort(60)
@given(reachable_games(games()), st.data())
def test_no_action_whatever_raises(game: Game, data: DataObject) -> None:
    for action in data.draw(st.lists(st.one_of(spoken_actions(game), odd_actions(game)), min_size=1, max_size=12)):
        outcome = play(game, action)
        if isinstance(outcome, Refusal):
            assert explain(outcome) and explain_to_others(outcome) and outcome.rule
        else:
            game = outcome[0]
        for seat in SEATS:
            json.dumps([public_view(game), seat_view(game, seat)])
        assert summary(game)


@effort(60)
@given(games(), st.data())
def test_the_record_is_the_game(start: Game, data: DataObject) -> None:
    """Replaying the events gives the game; so does replaying them from JSON text."""
    game = start
    record: list[Event] = []
    lines: list[str] = []
    for _ in range(data.draw(st.integers(1, 40))):
        outcome = play(game, data.draw(sensible_actions(game)))
        assert not isinstance(outcome, Refusal)
        before, (game, events) = game, outcome
        assert all(event.position == before.position + 1 for event in events)
        assert game.position == before.position + 1
        record += events
        lines += [json.dumps(to_json(event)) for event in events]
        for viewer in (None, *SEATS):
            json.dumps([to_json(event) for event in visible_events(before, events, viewer)])
    read = [from_json(json.loads(line)) for line in lines]
    assert read == record
    again = replay(start, read)
    assert again == game
    assert (again.position, public_view(again)) == (game.position, public_view(game))


@effort(40)
@given(games(), st.data())
def test_undo_gives_the_game_before(game: Game, data: DataObject) -> None:
    """All the way back to the beginning, each step the equal game, at a position number of its own."""
    earlier = [game]
    for _ in range(data.draw(st.integers(1, 40))):
        action = data.draw(sensible_actions(game).filter(lambda action: not isinstance(action, a.Undo)))
        game = played(game, action)
        earlier.append(game)
    number = game.position
    while len(earlier) > 1:
        assert game == earlier.pop()
        game = played(game, a.Undo())
        number += 1
        assert game.position == number
        assert game == earlier[-1]
        assert public_view(game) == public_view(earlier[-1])
    assert isinstance(decide(game, a.Undo()), Refusal)


@effort(40)
@given(reachable_games(games()), st.data())
def test_a_stale_action_is_refused_as_such(game: Game, data: DataObject) -> None:
    action = data.draw(sensible_actions(game))
    meant_for = data.draw(st.integers(0, game.position + 3))
    outcome = decide(game, dataclasses.replace(action, at=meant_for))
    assert isinstance(outcome, Refusal) == (meant_for != game.position)
    if isinstance(outcome, Refusal):
        assert outcome.rule == "STALE"
