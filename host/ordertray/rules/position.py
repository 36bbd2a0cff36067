"""The one-line position: a whole game, both armies included, as text, and back.

Eight fields with single spaces between them, in the manner of a chess position:

    n5 OPTIONS ARMY_A ARMY_B TURN SIDE_A SIDE_B ORDER

Inside a field `/` parts, `;` lists, `,` and `+` inner lists; `-` is "none"; names are percent-encoded. The line holds
private facts of both players: it is for bug reports and tests, never for the table. `summary` is what players see.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from .army import Army, Fireteam, Trooper
from .army_check import check_army
from .charts import LABELS
from .editions import EDITIONS, Edition
from .game import (
    EVACUATED,
    NO_ORDERS,
    OFF_TABLE,
    OVER_LOST,
    OVER_RETREAT,
    OVER_ROUNDS,
    TABLE,
    TROOPER_STATES,
    Aro,
    Count,
    Game,
    Order,
    SeatState,
    Setup,
    Skill,
    State,
    TrooperState,
)
from .options import Options
from .seats import SEATS, Seat

_T = TypeVar("_T")

FIELDS = 8


class PositionError(ValueError):
    """A line that is no position. The message says which field is at fault."""


def format_position(game: Game) -> str:
    """The whole game in one line. `parse_position` gives an equal game back."""
    state = game.state
    return " ".join(
        (
            game.edition.id,
            _format_options(game.options),
            *(_format_army(army) for army in game.setup.armies),
            _format_turn(state),
            *(_format_side(side) for side in state.seats),
            _format_order(state.order),
        )
    )


def parse_position(line: str) -> Game:
    """The game that `format_position` wrote. Raises `PositionError` naming the field at fault."""
    words = line.split()
    if len(words) != FIELDS:
        raise PositionError(f"a position has {FIELDS} fields; this line has {len(words)}")
    if words[0] not in EDITIONS:
        raise PositionError(f"field 1: {words[0]!r} is no edition; it is one of {', '.join(EDITIONS)}")
    edition = EDITIONS[words[0]]
    options = _field(2, "options", _parse_options, words[1])
    armies = (_field(3, "army of A", _parse_army, words[2]), _field(4, "army of B", _parse_army, words[3]))
    for number, army in enumerate(armies):
        if problems := check_army(army, edition):
            raise PositionError(f"field {number + 3} (army of {SEATS[number]}): {problems[0].message}")
    turn = _field(5, "turn", _parse_turn, words[4])
    side_a = _field(6, "side A", _parse_side, words[5])
    side_b = _field(7, "side B", _parse_side, words[6])
    order = _field(8, "order", _parse_order, words[7])
    state = turn._replace(seats=(side_a, side_b), order=order)
    _check(state, armies, edition)
    return Game(Setup(edition, armies, options), state)


def _field(number: int, name: str, parse: Callable[[str], _T], text: str) -> _T:
    try:
        return parse(text)
    except (ValueError, IndexError, KeyError) as fault:
        raise PositionError(f"field {number} ({name}): {fault}") from None


def _parts(text: str, count: int) -> list[str]:
    parts = text.split("/")
    if len(parts) != count:
        raise ValueError(f"{count} parts expected, {len(parts)} found")
    return parts


def _list(text: str, separator: str) -> list[str]:
    return [] if text == "-" else text.split(separator)


def _some(value: object) -> str:
    return "-" if value is None else str(value)


def _joined(values: Any, separator: str) -> str:
    return separator.join(str(value) for value in values) or "-"


def _maybe(text: str) -> str | None:
    return None if text == "-" else text


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise ValueError(f"{text!r} is no number")
    return int(text)


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"{text!r} is neither 0 nor 1")
    return text == "1"


def _one_of(text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise ValueError(f"{text!r} is none of {', '.join(choices)}")
    return text


# --- options -------------------------------------------------------------------------------------------------------


def _format_options(options: Options) -> str:
    words = [f"first={options.first}", f"rounds={options.rounds}", f"retreat-base={options.retreat_base}"]
    words += ["no-retreat"] * (not options.retreat)
    words += ["no-lieutenant-loss"] * (not options.lieutenant_loss)
    words += ["retreat-ends-game"] * options.retreat_ends_game
    return ",".join(words)


def _parse_options(text: str) -> Options:
    options = Options()
    for word in text.split(","):
        name, _, value = word.partition("=")
        changed = options.with_option(name, value or None)
        if changed is None:
            raise ValueError(f"{word!r} is no option")
        options = changed
    return options


# --- armies --------------------------------------------------------------------------------------------------------


def _name(text: str) -> str:
    return quote(text, safe="") or "-" if text != "-" else "%2D"


def _unname(text: str) -> str:
    return "" if text == "-" else unquote(text)


def _format_army(army: Army) -> str:
    troopers = ";".join(
        ",".join(
            (
                trooper.id,
                _name(trooper.name),
                trooper.type,
                f"{trooper.cost:g}",
                str(trooper.group),
                trooper.training,
                "1" if trooper.lieutenant else "0",
                _joined(sorted(_name(skill) for skill in trooper.skills), "+"),
                trooper.deploy,
                _some(trooper.controller),
                _some(trooper.tag),
                "1" if trooper.own_cost else "0",
            )
        )
        for trooper in army.troopers
    )
    teams = _joined((",".join((_name(team.name), team.leader, *team.members)) for team in army.fireteams), ";")
    return f"{_name(army.name)}/{army.points}/{_some(army.edition)}/{troopers}/{teams}"


def _parse_army(text: str) -> Army:
    name, points, edition, troopers, teams = _parts(text, 5)
    return Army(
        _unname(name),
        _number(points),
        tuple(_parse_trooper(trooper) for trooper in troopers.split(";")),
        _maybe(edition),
        tuple(_parse_team(team) for team in _list(teams, ";")),
    )


def _parse_team(text: str) -> Fireteam:
    name, leader, *members = text.split(",")
    return Fireteam(_unname(name), tuple(members), leader)


def _parse_trooper(text: str) -> Trooper:
    parts = text.split(",")
    if len(parts) != 12:
        raise ValueError(f"trooper {parts[0]!r} has {len(parts)} parts instead of 12")
    name, unit, kind, cost, group, training, lieutenant, skills, deploy, controller, tag, own_cost = parts
    if not re.fullmatch(r"[0-9]{1,5}(\.5)?", cost):
        raise ValueError(f"cost {cost!r} of {name} is no number of points")
    if "" in skills.split("+"):
        raise ValueError(f"a skill of {name} has no name")
    return Trooper(
        name,
        _unname(unit),
        kind,
        float(cost),
        _number(group),
        training,
        _flag(lieutenant),
        frozenset(_unname(skill) for skill in _list(skills, "+")),
        deploy,
        _maybe(controller),
        _maybe(tag),
        _flag(own_cost),
    )


# --- the turn ------------------------------------------------------------------------------------------------------


def _format_turn(state: State) -> str:
    return "/".join(
        (
            str(state.round),
            str(state.turns),
            _some(state.active),
            _some(state.phase),
            _some(state.step),
            "1" if state.activated else "0",
            _some(state.over),
        )
    )


def _parse_turn(text: str) -> State:
    round_number, turns, active, phase, step, activated, over = _parts(text, 7)
    nobody = SeatState(())
    return State(
        (nobody, nobody),
        _number(round_number),
        _number(turns),
        None if active == "-" else Seat(active),
        _maybe(phase),
        _maybe(step),
        _flag(activated),
        None,
        None if over == "-" else _one_of(over, (OVER_ROUNDS, OVER_LOST, OVER_RETREAT)),
    )


# --- a side --------------------------------------------------------------------------------------------------------

_SIDE_FLAGS = ("lieutenant_known", "lieutenant_bare", "token_cap", "strategic_used", "strategos", "retreat",
               "loss_of_lieutenant")  # fmt: skip
_COUNTS = ("irregular", "fixed", "tactical", "impetuous", "own")
_PLACES = {TABLE: "t", OFF_TABLE: "o", EVACUATED: "e"}


def _format_count(count: Count) -> str:
    return f"{count.left}:{count.total}"


def _parse_count(text: str) -> Count:
    left, separator, total = text.partition(":")
    count = Count(_number(total if separator else ""), _number(left))
    if count.left > count.total:
        raise ValueError(f"{text!r}: more left than there were")
    return count if count.total else NO_ORDERS


def _format_side(side: SeatState) -> str:
    return "/".join(
        (
            _some(side.lieutenant),
            _format_count(side.lieutenant_orders),
            str(side.command_tokens),
            str(side.tokens_this_turn),
            "".join("1" if getattr(side, flag) else "0" for flag in _SIDE_FLAGS),
            _joined((f"{group}={_format_count(count)}" for group, count in side.pools), ";"),
            ";".join(_format_trooper_state(trooper) for trooper in side.troopers),
        )
    )


def _format_trooper_state(trooper: TrooperState) -> str:
    return ",".join(
        (
            _PLACES[trooper.place],
            str(trooper.group),
            _joined(sorted(trooper.states), "+"),
            str(trooper.frenzy),
            "1" if trooper.ignores_retreat else "0",
            *(_format_count(getattr(trooper, name)) for name in _COUNTS),
        )
    )


def _parse_side(text: str) -> SeatState:
    lieutenant, orders, tokens, used, flags, pools, troopers = _parts(text, 7)
    states = tuple(_parse_trooper_state(trooper) for trooper in troopers.split(";"))
    if len(flags) != len(_SIDE_FLAGS):
        raise ValueError(f"{len(_SIDE_FLAGS)} flags expected, {len(flags)} found")
    place = None if lieutenant == "-" else _number(lieutenant)
    if place is not None and place >= len(states):
        raise ValueError(f"there is no trooper number {place}")
    return SeatState(
        states,
        tuple(sorted(_parse_pool(pool) for pool in _list(pools, ";"))),
        place,
        _parse_count(orders),
        command_tokens=_number(tokens),
        tokens_this_turn=_number(used),
        **{name: _flag(flag) for name, flag in zip(_SIDE_FLAGS, flags, strict=True)},
    )


def _parse_pool(text: str) -> tuple[int, Count]:
    group, separator, count = text.partition("=")
    if not separator:
        raise ValueError(f"{text!r} is no pool")
    return _number(group), _parse_count(count)


def _parse_trooper_state(text: str) -> TrooperState:
    parts = text.split(",")
    if len(parts) != 5 + len(_COUNTS):
        raise ValueError(f"trooper state {text!r} has {len(parts)} parts instead of {5 + len(_COUNTS)}")
    letters = {letter: place for place, letter in _PLACES.items()}
    states = _list(parts[2], "+")
    for state in states:
        _one_of(state, TROOPER_STATES)
    return TrooperState(
        letters[_one_of(parts[0], tuple(letters))],
        _number(parts[1]),
        frozenset(states),
        _number(_one_of(parts[3], ("0", "1", "2"))),
        _flag(parts[4]),
        *(_parse_count(part) for part in parts[5:]),
    )


# --- the order in progress ------------------------------------------------------------------------------------------


def _format_order(order: Order | None) -> str:
    if order is None:
        return "-"
    return "/".join(
        (
            order.kind,
            _some(order.group),
            _joined(order.troopers, ","),
            order.step,
            _some(order.used_as),
            _joined((f"{skill.label}={_maybe_name(skill.name)}" for skill in order.skills), ";"),
            _joined(
                (
                    ",".join((_some(aro.trooper), _maybe_name(aro.name), _some(aro.target), _some(aro.by)))
                    for aro in order.declared
                ),
                ";",
            ),
            _joined(order.passed, ","),
            str(order.passed_before),
            _joined(order.idle, ","),
        )
    )


def _maybe_name(name: str | None) -> str:
    return "-" if name is None else _name(name)


def _parse_name(text: str) -> str | None:
    return None if text == "-" else _unname(text)


def _parse_order(text: str) -> Order | None:
    if text == "-":
        return None
    kind, group, troopers, step, used_as, skills, declared, passed, before, idle = _parts(text, 10)
    return Order(
        _one_of(kind, ("regular", "irregular", "lieutenant", "tactical", "impetuous", "own", "coordinated")),
        None if group == "-" else _number(group),
        tuple(_number(place) for place in _list(troopers, ",")),
        step,
        _maybe(used_as),
        tuple(_parse_skill(skill) for skill in _list(skills, ";")),
        tuple(_parse_aro(aro) for aro in _list(declared, ";")),
        tuple(_list(passed, ",")),
        _number(before),
        tuple(_list(idle, ",")),
    )


def _parse_skill(text: str) -> Skill:
    label, _, name = text.partition("=")
    return Skill(_one_of(label, LABELS), _parse_name(name))


def _parse_aro(text: str) -> Aro:
    parts = text.split(",")
    if len(parts) != 4:
        raise ValueError(f"{text!r} is no ARO")
    return Aro(_maybe(parts[0]), _parse_name(parts[1]), _maybe(parts[2]), _maybe(parts[3]))


def _check(state: State, armies: tuple[Army, Army], edition: Edition) -> None:
    """Refuse what no game can reach and the core relies on."""
    for number, army in enumerate(armies):
        if len(state.seats[number].troopers) != len(army.troopers):
            count = len(state.seats[number].troopers)
            raise PositionError(f"field {number + 6}: {count} troopers, but the army has {len(army.troopers)}")
    if (state.active is None) != (state.phase is None):
        raise PositionError("field 5 (turn): a turn has an active seat and a phase, or neither")
    if state.phase is not None and state.phase not in edition.phases:
        raise PositionError(f"field 5 (turn): {state.phase!r} is no phase of {edition.id}")
    if state.step is not None and state.step not in edition.tactical_steps:
        raise PositionError(f"field 5 (turn): {state.step!r} is no step of {edition.id}")
    if (state.phase == "tactical") != (state.step is not None):
        raise PositionError("field 5 (turn): the Tactical Phase has a step, other phases have none")
    for number, (army, side) in enumerate(zip(armies, state.seats, strict=True)):
        for trooper, stands in zip(army.troopers, side.troopers, strict=True):
            controller = None if trooper.controller is None else side.troopers[army.index[trooper.controller]]
            if controller is not None and controller.place == OFF_TABLE != stands.place:
                raise PositionError(f"field {number + 6}: {trooper.id} is on the table before its controller")
    order = state.order
    if order is None:
        return
    if state.active is None:
        raise PositionError("field 8 (order): there is no turn for an order")
    if order.step not in edition.sequence.steps:
        raise PositionError(f"field 8 (order): {order.step!r} is no step of {edition.id}")
    if any(place >= len(armies[state.active.place].troopers) for place in order.troopers):
        raise PositionError("field 8 (order): there is no such trooper")
    if order.step not in (edition.sequence.first_skill,) and not order.skills:
        raise PositionError("field 8 (order): a skill is missing at this step")


def summary(game: Game) -> str:
    """The position as players see it, in one line: nothing private in it."""
    state = game.state
    if state.over is not None:
        head = f"over ({state.over})"
    elif state.active is None:
        head = f"round {state.round}, {game.next_seat} to start"
    else:
        step = state.order.step if state.order else state.step
        head = f"round {state.round} {state.active} {state.phase}" + (f" {step}" if step else "")
    return " | ".join((head, *(f"{seat} {_side_summary(game.side(seat))}" for seat in SEATS), *_order_summary(game)))


def _side_summary(side: SeatState) -> str:
    words = [f"g{group} {count.left}/{count.total}" for group, count in side.pools]
    shown = [trooper for trooper in side.troopers if trooper.place != OFF_TABLE]
    for letter, counts in (
        ("irregular", [count for trooper in shown for count in (trooper.irregular, trooper.fixed)]),
        ("lieutenant", [side.lieutenant_orders]),
        ("tactical", [trooper.tactical for trooper in shown]),
        ("impetuous", [trooper.impetuous for trooper in shown]),
    ):
        if total := sum(count.total for count in counts):
            words.append(f"{letter} {sum(count.left for count in counts)}/{total}")
    words.append(f"tokens {side.command_tokens}")
    words += ["RETREAT"] * side.retreat + ["LOSS-OF-LIEUTENANT"] * side.loss_of_lieutenant
    return ", ".join(words)


def _order_summary(game: Game) -> tuple[str, ...]:
    order, active = game.state.order, game.state.active
    if order is None or active is None:
        return ()
    army = game.army(active)
    who = " ".join(army.troopers[place].id for place in order.troopers) or f"g{order.group}"
    skills = " + ".join(skill.name or skill.label for skill in order.skills)
    aros = ", ".join(f"{aro.trooper or '?'} {aro.name or 'ARO'}" for aro in order.declared)
    return (f"{order.kind} {who}" + (f": {skills}" if skills else "") + (f" / {aros}" if aros else ""),)
