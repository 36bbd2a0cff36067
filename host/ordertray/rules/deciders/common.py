"""Checks that several deciders share. Each gives a refusal, or what was looked for."""

from __future__ import annotations

from .. import events as e
from ..counting import has_retreat_marker, null_state
from ..game import EVACUATED, OFF_TABLE, Game
from ..naming import marker_place
from ..refusals import Refusal
from ..seats import Seat

Decision = tuple[e.Event, ...] | Refusal


def under_way(game: Game) -> Refusal | None:
    """Refuses after the end of the battle and between turns."""
    state = game.state
    if state.over is not None:
        return Refusal("SEQ-01", "over")
    if state.active is None:
        return Refusal("SEQ-01", "no-turn", {"seat": game.next_seat})
    return None


def own_turn(game: Game, seat: Seat, rule: str = "SEQ-01") -> Refusal | None:
    """Refuses unless it is `seat`'s turn."""
    active = game.state.active
    if active is seat:
        return None
    return under_way(game) or Refusal(rule, "not-your-turn", {"active": active})


def order_at(game: Game, seat: Seat, *steps: str | None) -> Refusal | None:
    """Refuses unless `seat` has an order in progress that stands at one of `steps` (ACT-13, ACT-14)."""
    order, sequence = game.state.order, game.edition.sequence
    if game.state.active is not seat:
        return own_turn(game, seat)
    if order is None:
        return Refusal(sequence.rule, "no-order")
    if order.step in steps:
        return None
    code = "window-open" if order.step in (sequence.first_aro, sequence.second_aro) else "step"
    return Refusal(sequence.rule, code, {"step": order.step})


def find(game: Game, seat: Seat, trooper: str, rule: str) -> int | Refusal:
    """The place of a trooper of one's own army."""
    place = game.army(seat).index.get(trooper)
    return Refusal(rule, "unknown-trooper", {"trooper": trooper}) if place is None else place


def find_visible(game: Game, owner: Seat, trooper: str, rule: str, asker: Seat) -> int | Refusal:
    """The place of a trooper that `asker` may know of: the other side's only on the table or once it was (INF).

    A marker of the other side is known by no other name.
    """
    place = game.army(owner).index.get(trooper)
    if asker is not owner:
        if place is None:
            place = marker_place(game, owner, trooper)
        elif game.side(owner).troopers[place].marker:
            place = None
    if place is None or (asker is not owner and game.side(owner).troopers[place].place == OFF_TABLE):
        return Refusal(rule, "unknown-trooper", {"trooper": trooper})
    return place


def able(game: Game, seat: Seat, place: int) -> Refusal | None:
    """Refuses a trooper that has left the table or is Null (STA-01)."""
    trooper = game.side(seat).troopers[place]
    if not trooper.states and trooper.place != EVACUATED:
        return None
    name = game.army(seat).troopers[place].id
    if trooper.place == EVACUATED:
        return Refusal("RET-06", "evacuated", {"trooper": name})
    if state := null_state(game.edition, trooper):
        return Refusal("STA-01", "null", {"trooper": name, "state": state})
    return None


def on_table(game: Game, seat: Seat, place: int, rule: str) -> Refusal | None:
    """Refuses a trooper that is off the table, has left it, or is Null."""
    if game.side(seat).troopers[place].place == OFF_TABLE:
        return Refusal(rule, "off-table", {"trooper": game.army(seat).troopers[place].id}, private=True)
    return able(game, seat, place)


def retreat_allows(game: Game, seat: Seat, places: tuple[int, ...], label: str, name: str | None) -> Refusal | None:
    """Refuses a skill that a trooper with the Retreat marker may not declare (RET-11).

    A skill of which only the label is known is allowed: Dodge, Reset and Cautious Movement carry these labels.
    """
    side = game.side(seat)
    if not side.retreat or label == "basic" or name is None or name.lower() in game.edition.retreat_skills:
        return None
    army = game.army(seat)
    for place in places:
        if has_retreat_marker(game.edition, army, side, place):
            return Refusal("RET-11", "retreat-skill", {"trooper": army.troopers[place].id})
    return None
