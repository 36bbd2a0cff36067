"""The one-line position: a whole game, both armies included, as text, and back.

Ten fields with single spaces between them, in the manner of a chess position:

    v2 POSITION EDITION OPTIONS ARMY_A ARMY_B TURN SIDE_A SIDE_B ORDER

`v2` is the format; POSITION the number of the position, which `@N` lines mean. Inside a field `/` parts, `;` lists, `,`
and `+` inner lists; values are `key=value`, those left out that are as at the start; `-` is "none"; names are
percent-encoded. The line holds private facts of both players: it is for bug reports and tests, never for the table.
`summary` is what players see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..army import Army
from ..army_check import check_army
from ..editions import EDITIONS, Edition
from ..game import OFF_TABLE, Game, Setup, State
from ..seats import SEATS
from .lists import format_army, format_options, parse_army, parse_options
from .state import format_order, format_side, format_turn, parse_order, parse_side, parse_turn
from .text import number

_T = TypeVar("_T")

FORMAT = "v2"
FIELDS = 10


class PositionError(ValueError):
    """A line that is no position. The message says which field is at fault."""


def format_position(game: Game) -> str:
    """The whole game in one line. `parse_position` gives an equal game back, with nothing to undo."""
    state = game.state
    return " ".join(
        (
            FORMAT,
            str(game.position),
            game.edition.id,
            format_options(game.options),
            *(format_army(army) for army in game.setup.armies),
            format_turn(state),
            *(format_side(side) for side in state.seats),
            format_order(state.order),
        )
    )


def parse_position(line: str) -> Game:
    """The game that `format_position` wrote. Raises `PositionError` naming the field at fault."""
    if not isinstance(line, str):
        raise TypeError(f"a position is a line of text, not {type(line).__name__}")
    words = line.split()
    if words and words[0] != FORMAT:
        raise PositionError(f"a position of this version begins with {FORMAT}; this line begins with {words[0][:20]!r}")
    if len(words) != FIELDS:
        raise PositionError(f"a position has {FIELDS} fields; this line has {len(words)}")
    position = _field(2, "position", number, words[1])
    if words[2] not in EDITIONS:
        raise PositionError(f"field 3: {words[2]!r} is no edition; it is one of {', '.join(EDITIONS)}")
    edition = EDITIONS[words[2]]
    options = _field(4, "options", parse_options, words[3])
    armies = (_field(5, "army of A", parse_army, words[4]), _field(6, "army of B", parse_army, words[5]))
    for place, army in enumerate(armies):
        if problems := check_army(army, edition):
            raise PositionError(f"field {place + 5} (army of {SEATS[place]}): {problems[0].message}")
    turn = _field(7, "turn", parse_turn, words[6])
    side_a = _field(8, "side A", parse_side, words[7])
    side_b = _field(9, "side B", parse_side, words[8])
    order = _field(10, "order", parse_order, words[9])
    state = turn._replace(seats=(side_a, side_b), order=order)
    _check(state, armies, edition)
    return Game(Setup(edition, armies, options), state, position)


def _field(place: int, name: str, parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except (ValueError, IndexError, KeyError) as fault:
        raise PositionError(f"field {place} ({name}): {fault}") from None


def _check(state: State, armies: tuple[Army, Army], edition: Edition) -> None:
    """Refuse what no game can reach and the core relies on."""
    for seat, army in enumerate(armies):
        if len(state.seats[seat].troopers) != len(army.troopers):
            count = len(state.seats[seat].troopers)
            raise PositionError(f"field {seat + 8}: {count} troopers, but the army has {len(army.troopers)}")
    if (state.active is None) != (state.phase is None):
        raise PositionError("field 7 (turn): a turn has an active seat and a phase, or neither")
    if state.phase is not None and state.phase not in edition.phases:
        raise PositionError(f"field 7 (turn): {state.phase!r} is no phase of {edition.id}")
    if state.step is not None and state.step not in edition.tactical_steps:
        raise PositionError(f"field 7 (turn): {state.step!r} is no step of {edition.id}")
    if (state.phase == "tactical") != (state.step is not None):
        raise PositionError("field 7 (turn): the Tactical Phase has a step, other phases have none")
    for seat, (army, side) in enumerate(zip(armies, state.seats, strict=True)):
        for trooper, stands in zip(army.troopers, side.troopers, strict=True):
            controller = None if trooper.controller is None else side.troopers[army.index[trooper.controller]]
            # Who comes from the air later has its peripherals there, Disconnected (ORD-22).
            late = trooper.controller is not None and army.troopers[army.index[trooper.controller]].deploy == "airborne"
            if controller is not None and controller.place == OFF_TABLE != stands.place and not late:
                raise PositionError(f"field {seat + 8}: {trooper.id} is on the table before its controller")
    order = state.order
    if order is None:
        return
    if state.active is None:
        raise PositionError("field 10 (order): there is no turn for an order")
    if order.step not in edition.sequence.steps:
        raise PositionError(f"field 10 (order): {order.step!r} is no step of {edition.id}")
    size, others = len(armies[state.active.place].troopers), len(armies[state.active.other.place].troopers)
    if any(place >= size for place in (*order.troopers, *order.activated, *order.delayed_for)):
        raise PositionError("field 10 (order): there is no such trooper")
    if order.captive is not None and order.captive >= others:
        raise PositionError("field 10 (order): there is no such trooper")
    if order.step not in (edition.sequence.first_skill,) and not order.skills:
        raise PositionError("field 10 (order): a skill is missing at this step")
