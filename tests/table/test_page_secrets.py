"""What guide, discs and refusals show others hangs on public facts alone (INF): games that differ in one secret.

`ORDERTRAY_THOROUGH=n` plays n games for each secret.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from ordertray.messages import identity
from ordertray.rules import Army, Options, Refusal, Seat, Trooper, new_game, public_view
from ordertray.rules.editions import Edition
from ordertray.table import ButtonPress, DiscTouch, Pace, Table, Touch, touch
from ordertray.table.beside import discs_of
from ordertray.table.guide import hint_of, role_of
from ordertray.tokens.model import TokenKind
from ordertray.tokens.registry import merge
from ordertray.tokens.virtual import virtual_tokens
from rules.random_games import an_army, some_edition
from rules.test_twins import SECRETS
from table.table_helpers import army, players

A, B = Seat
GAMES = int(os.environ.get("ORDERTRAY_THOROUGH", "3"))
STEPS = 60


def a_table(mine: Army, theirs: Army, edition: Edition, pace: Pace, first: Seat) -> Table:
    armies = {A: mine, B: theirs}
    tokens = merge({str(seat): virtual_tokens(armies[seat], str(seat)) for seat in Seat})
    return Table(new_game(armies, edition, Options(first=first)), tokens, pace)


def shown(table: Table) -> list[Any]:
    """What a spectator and B's page show besides the public view itself (that one is the core's test)."""
    view = public_view(table.game)
    return [
        (hint_of(table, view, identity, None, reader), [discs_of(table, view, seat, reader) for seat in Seat])
        for reader in (None, B)
    ]


def heard(refusal: Refusal | None) -> object:
    """What others hear of a refusal."""
    return (
        None if refusal is None else (refusal.for_others().rule, refusal.for_others().code, refusal.for_others().params)
    )


def some_touch(chance: random.Random, table: Table) -> Touch:
    """What glows, or any key, or any disc that everybody knows of."""
    view = public_view(table.game)
    glowing = hint_of(table, view, identity)["do"]
    if glowing and chance.random() < 0.6:
        one = chance.choice(glowing)
        seat = Seat(one["side"])
        return DiscTouch(seat, role_of(one["disc"])) if "disc" in one else ButtonPress(seat, one["button"], one["hold"])
    seat = chance.choice(list(Seat))
    if chance.random() < 0.5:
        return ButtonPress(seat, chance.choice(("basic", "short", "long", "aro", "pass", "ok")), chance.random() < 0.3)
    return DiscTouch(seat, role_of(chance.choice(discs_of(table, view, seat, B))["disc"]))


@pytest.mark.rule("INF")
@pytest.mark.parametrize("secret", list(SECRETS))
def test_games_that_differ_in_a_secret_look_alike_to_others(secret: str) -> None:
    compared = 0
    for seed in range(GAMES):
        chance = random.Random(f"{secret} {seed}")
        edition = some_edition(chance)
        twins = SECRETS[secret](chance, an_army(chance, edition, "a"))
        theirs, pace, first = an_army(chance, edition, "b"), chance.choice(list(Pace)), chance.choice(list(Seat))
        try:
            one, other = (a_table(mine, theirs, edition, pace, first) for mine in twins)
        except ValueError:
            continue  # a twin that may not play
        for step in range(STEPS):
            if public_view(one.game) != public_view(other.game) or one.game.state.over is not None:
                break  # a rule has announced it
            assert shown(one) == shown(other)
            what = some_touch(chance, one)
            first_outcome, second_outcome = (touch(table, what, 1000 * step) for table in (one, other))
            one, other = first_outcome.table, second_outcome.table
            if first_outcome.accepted != second_outcome.accepted:
                break  # the deed itself tells (a hidden trooper's order, a Lieutenant's)
            assert heard(first_outcome.refusal) == heard(second_outcome.refusal), what
            compared += 1
    assert compared > STEPS // 4


@pytest.mark.rule("INF")
@pytest.mark.rule("LOL-02")
def test_which_discs_are_left_is_told_to_their_player_only() -> None:
    """Discs are numbered through the list: a gap would tell others that somebody is hidden."""
    ghost = Trooper("ghost", cost=10, group=1, deploy="hidden")
    mine = army(prefix="a")
    game = players(a=Army("made up", 120, (*mine.troopers[:2], ghost, *mine.troopers[2:])))
    game.tap(A, TokenKind.STATE)
    game.tag(A, "a1")
    game.tap(A, TokenKind.STATE)
    game.tag(A, "a1")
    game.to_orders()
    refusal = game.button(A, "regular g1").refusal
    assert refusal is not None and refusal.code == "tag-first" and "discs" in refusal.params
    assert refusal.for_others().params == {} and refusal.for_others().code == "refused"
