"""What a typical turn costs in touches: all of them accepted, and no more than was to be reached."""

from __future__ import annotations

import pytest

from bench.touch_turn import TARGETS, WAYS, A, B, army, cost, nine, pace_of, turn
from ordertray.rules import Seat
from ordertray.table import ButtonPress, Outcome, TagTap
from ordertray.table.beside import uid_of
from table.table_helpers import Players, players


def play(game: Players, seat: Seat, disc: str, key: str, held: bool) -> Outcome:
    if key:
        return game._touched(ButtonPress(seat, key, held))
    owner, _, name = disc.rpartition(":")
    uid = uid_of(game.table, Seat(owner) if owner else seat, name, 0)
    assert uid is not None, disc
    return game._touched(TagTap(seat, uid))


@pytest.mark.parametrize("way", WAYS)
def test_a_typical_turn_is_played_in_the_touches_that_the_bench_counts(way: str) -> None:
    game = players(a=army("a"), b=army("b"), pace=pace_of(way))
    parts = list(turn(way))
    for part in parts:
        if part.kind == "end":
            side = game.game.side(A)
            assert (dict(side.pools)[1].left, side.lieutenant_orders.left, side.command_tokens) == (1, 0, 3)
        for one in part.touches:
            outcome = play(game, one.seat, one.disc, one.key, one.held)
            assert outcome.accepted, (way, part.kind, one, outcome.refusal)
    assert game.game.next_seat is B
    if way in TARGETS:
        spent = cost(parts)
        assert nine(parts) <= TARGETS[way]["nine"]
        for kind in ("coordinated", "casualty", "mis-touch"):
            assert sum(spent[kind][:2]) <= TARGETS[way][kind], kind
