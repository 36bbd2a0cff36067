"""Whom the game waits for: whose clock runs, and to whom the guide speaks first. Pure."""

from __future__ import annotations

from ..rules import Game, Seat
from .model import Pace, Table


def waits_for(table: Table) -> Seat | None:
    """Whose move it is; None before the first turn and after the battle.

    In `full` the reactive player's while a window is open. In `express` the active player is never locked in: there it
    is the reactive player's only from the first ARO of a window to its closing, or when the active side has asked.
    """
    game, state = table.game, table.game.state
    if state.over is not None:
        return None
    if state.active is None:
        return game.next_seat if state.turns else None
    if not table.window_open():
        return state.active
    reacts = table.pace is Pace.FULL or table.asked or declared_in_window(game) > 0
    return state.active.other if reacts else state.active


def declared_in_window(game: Game) -> int:
    """AROs declared since the open window opened."""
    order = game.state.order
    if order is None:
        return 0
    before: Game | None = game
    while before is not None and before.state.order is not None and before.state.order.step == order.step:
        before = before.previous
    earlier = None if before is None else before.state.order
    return len(order.declared) - (0 if earlier is None else len(earlier.declared))
