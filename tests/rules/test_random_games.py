"""Long games from seeds: what is listed is what is accepted, and record, line and text give the game back.

Beside the properties of Hypothesis, which begin small: these armies have Fireteams, markers, Reinforcements and
peripherals at once. `ORDERTRAY_HYPOTHESIS=thorough` plays many more.
"""

from __future__ import annotations

import json
import random

import pytest

from ordertray.rules import (
    SEATS,
    Action,
    Event,
    Game,
    Options,
    Refusal,
    action_space,
    decide,
    format_action,
    format_position,
    from_json,
    legal_actions,
    new_game,
    parse_action,
    parse_position,
    play,
    public_view,
    replay,
    summary,
    to_json,
)
from ordertray.rules import actions as a
from rules.random_games import an_army, likely_actions, some_edition
from rules.strategies_effort import THOROUGH

GAMES = 400 if THOROUGH else 8
STEPS = 60
LONGEST_ORDER = 8


@pytest.mark.parametrize("seed", range(GAMES))
def test_a_long_game_of_everything(seed: int) -> None:
    chance = random.Random(seed)
    edition = some_edition(chance)
    options = Options(reinforcements=True, first=chance.choice(SEATS), rounds=chance.choice((1, 2, 3)))
    start = game = new_game({seat: an_army(chance, edition, str(seat)) for seat in SEATS}, edition, options)
    record: list[Event] = []
    for step in range(STEPS):
        action = next(likely_actions(chance, game), None)
        if action is None:
            break
        assert parse_action(format_action(action)) == action
        outcome = play(game, action)
        assert not isinstance(outcome, Refusal), (format_action(action), outcome)
        game, events = outcome
        record += [from_json(json.loads(json.dumps(to_json(event)))) for event in events]
        look_at_teams(game)
        if step % 10 == 0:
            assert replay(start, record) == game
            look_at(game)
            look_at_the_way_on(game)


def look_at(game: Game) -> None:
    """Listing and judging agree; the game's line is the game."""
    for seat in SEATS:
        listed = legal_actions(game, seat)
        assert len(set(listed)) == len(listed)
        accepted = {action for action in action_space(game, seat) if not isinstance(decide(game, action), Refusal)}
        assert set(listed) == accepted
    again = parse_position(format_position(game))
    assert (again, again.position) == (game, game.position)
    assert (summary(again), public_view(again)) == (summary(game), public_view(game))


def look_at_teams(game: Game) -> None:
    """Nobody is in two teams, nobody in one alone, and the Leader is a member (FT-01, FT-06)."""
    for seat in SEATS:
        teams = game.side(seat).teams
        members = [place for team in teams for place in team.members]
        assert len(members) == len(set(members))
        assert all(len(team.members) > 1 and team.leader in team.members for team in teams)


def look_at_the_way_on(game: Game) -> None:
    """An order always has a way to its end."""
    steps = 0
    while game.state.order is not None:
        seat = game.state.active
        assert seat is not None
        ways: tuple[Action, ...] = (
            a.Done(seat), a.Resolve(seat), a.Pass(seat.other), a.End(seat), a.DeclareSkill(seat, "basic"),
        )  # fmt: skip
        following = next(outcome for way in ways if not isinstance(outcome := play(game, way), Refusal))
        game, steps = following[0], steps + 1
        assert steps <= LONGEST_ORDER


def test_the_seeds_meet_what_is_new() -> None:
    """Teams, markers and Reinforcements occur among the armies drawn."""
    armies = [an_army(random.Random(seed), some_edition(random.Random(seed)), "x") for seed in range(60)]
    assert any(army.fireteams for army in armies) and any(army.markers for army in armies)
    assert any(trooper.deploy == "reinforcement" for army in armies for trooper in army.troopers)
