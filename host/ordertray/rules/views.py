"""What may be seen: the public view, and each player's own (INF). Plain data, ready for JSON.

Lamps, the page and brokers see views only, so what is not in a view cannot leak.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from . import events as e
from .army import Army
from .counting import (
    activated_ids,
    has_retreat_marker,
    is_regular,
    reinforcement_groups,
    retreat_threshold,
    victory_points,
)
from .game import NO_ORDERS, OFF_TABLE, TABLE, Count, Game, Order, SeatState, Team
from .naming import event_for, names_for, public_name, reference_for
from .notation import parse_action
from .privacy import is_secret, is_seen, public_groups
from .seats import SEATS, Seat


def public_view(game: Game) -> dict[str, Any]:
    """What everybody may see: orders on the table, phase, turn, AROs, Retreat once declared, Command Tokens."""
    view = table_view(game)
    for seat in SEATS:
        places = enumerate(game.side(seat).troopers)
        shown = [_public_trooper(game, seat, place) for place, trooper in places if trooper.place != OFF_TABLE]
        view["seats"][str(seat)]["troopers"] = shown
    return view


def table_view(game: Game) -> dict[str, Any]:
    """The public view without its list of troopers: all that lamps show."""
    state = game.state
    return {
        "edition": game.edition.id,
        "round": state.round,
        "rounds": game.options.rounds,
        "first": str(game.options.first),
        "active": _text(state.active),
        "to_start": _text(game.next_seat),
        "phase": state.phase,
        "step": state.order.step if state.order is not None else state.step,
        "seats": {str(seat): _public_side(game, seat) for seat in SEATS},
        "order": None if state.order is None else _order(game, state.order),
        "over": state.over if state.over is not None else False,
        **({} if state.over is None else {"result": result(game)}),
    }


def result(game: Game) -> dict[str, Any]:
    """Who wins by what, of a battle that is over: Objective Points, then surviving Victory Points (SEQ-07, ITS)."""
    objective = {seat: game.side(seat).score for seat in SEATS}
    victory = {seat: victory_points(game.edition, game.army(seat), game.side(seat)) for seat in SEATS}
    counts: dict[str, dict[Seat, Any]] = {"objective": objective, "victory": victory}
    by = next((by for by, points in counts.items() if points[Seat.A] != points[Seat.B]), "draw")
    return {
        "winner": None if by == "draw" else str(max(SEATS, key=counts[by].__getitem__)),
        "by": by,
        "objective": {str(seat): points for seat, points in objective.items()},
        "victory": {str(seat): points for seat, points in victory.items()},
    }


def _text(seat: Seat | None) -> str | None:
    return None if seat is None else str(seat)


def _count(count: Count) -> dict[str, int]:
    return {"total": count.total, "left": count.left}


def _sum(counts: Iterable[Count]) -> Count:
    total = left = 0
    for count in counts:
        total += count.total
        left += count.left
    return Count(total, left)


def _public_side(game: Game, seat: Seat) -> dict[str, Any]:
    army, side = game.army(seat), game.side(seat)
    tactical = impetuous = NO_ORDERS
    irregular: dict[int, Count] = {}
    for trooper in side.troopers:
        if trooper.place == OFF_TABLE:
            continue
        for count in (trooper.irregular, trooper.fixed):  # they stay with their group, though in no pool (ORD-03)
            if count is not NO_ORDERS and count.total:
                irregular[trooper.group] = _both(irregular.get(trooper.group, NO_ORDERS), count)
        if trooper.tactical is not NO_ORDERS:
            tactical = _both(tactical, trooper.tactical)
        if trooper.impetuous is not NO_ORDERS:
            impetuous = _both(impetuous, trooper.impetuous)
    pools = dict.fromkeys(public_groups(game, seat), NO_ORDERS) | dict(side.pools)
    announced = side.lieutenant_known and side.lieutenant is not None
    lieutenant = public_name(game, seat, side.lieutenant) if announced and side.lieutenant is not None else None
    return {
        "pools": {str(group): _count(pools[group]) for group in sorted(pools)},
        "irregular": {
            **_count(_sum(irregular.values())),
            "groups": {str(group): _count(irregular[group]) for group in sorted(irregular)},
        },
        "lieutenant": {**_count(side.lieutenant_orders), "trooper": lieutenant},
        "tactical": _count(tactical),
        "impetuous": _count(impetuous),
        "command_tokens": side.command_tokens,
        "retreat": side.retreat,
        "loss_of_lieutenant": side.loss_of_lieutenant,
        "reinforcements": _reinforcements(army, side),
        "score": side.score,
        "teams": [_team(army, team) for team in side.teams],
    }


def _reinforcements(army: Army, side: SeatState) -> str:
    if side.reinforced:
        return "called"
    return "waiting" if reinforcement_groups(army) else "none"


def _team(army: Army, team: Team) -> dict[str, Any]:
    """A Fireteam: ids of its Leader, its members, and those who left it and may come back (FT)."""
    return {
        "leader": army.troopers[team.leader].id,
        "members": [army.troopers[place].id for place in team.members],
        "left": [army.troopers[place].id for place in team.left],
    }


def _both(one: Count, other: Count) -> Count:
    return Count(one.total + other.total, one.left + other.left)


def _public_trooper(game: Game, seat: Seat, place: int) -> dict[str, Any]:
    army, side = game.army(seat), game.side(seat)
    listed, trooper = army.troopers[place], side.troopers[place]
    return {
        "id": public_name(game, seat, place),
        "group": trooper.group,
        "place": trooper.place,
        "controller": _controller(game, seat, listed.controller),
        "states": sorted(trooper.states),
        # Whether a marker is brave is not to be seen (INF).
        "retreat": side.retreat if trooper.marker else has_retreat_marker(game.edition, army, side, place),
        "irregular": _count(_sum((trooper.irregular, trooper.fixed))),
        "tactical": _count(trooper.tactical),
        "impetuous": _count(trooper.impetuous),
    }


def _controller(game: Game, seat: Seat, name: str | None) -> str | None:
    """What everybody calls a controller; None for one that nobody else knows of yet."""
    if name is None or not is_seen(game, seat, name):
        return None
    return public_name(game, seat, game.army(seat).index[name])


def _order(game: Game, order: Order) -> dict[str, Any]:
    active = game.state.active
    assert active is not None
    names = {seat: names_for(game, seat, None) for seat in SEATS}
    acting, reacting = names[active], names[active.other]
    activated = [reference_for(n, names) if ":" in n else acting.get(n, n) for n in activated_ids(game)]
    sequence = game.edition.sequence
    window = {sequence.first_aro: 1, sequence.second_aro: 2}.get(order.step)
    return {
        "kind": order.kind,
        "used_as": order.used_as,
        "group": order.group,
        "trooper": activated[0] if activated else None,
        "troopers": activated,
        "step": order.step,
        "steps": list(sequence.steps),
        "skills": [{"label": skill.label, "name": skill.name} for skill in order.skills],
        "aro": {
            "open": window is not None,
            "window": window,
            "declared": [
                {
                    "trooper": reacting.get(aro.trooper or "", aro.trooper),
                    "name": aro.name,
                    "target": acting.get(aro.target or "", aro.target),
                    "by": aro.by,
                }
                for aro in order.declared
            ],
            "passed": [reacting.get(name, name) for name in order.passed],
            "delayed": [reacting.get(name, name) for name in order.delayed],
        },
        "idle": [reference_for(name, names) for name in order.idle],
    }


def seat_view(game: Game, seat: Seat) -> dict[str, Any]:
    """What only the player of `seat` may see of the own army: costs, hidden troopers, the Lieutenant, the margin."""
    seat = Seat(seat)
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    points, threshold = victory_points(edition, army, side), retreat_threshold(army, game.options)
    return {
        "seat": str(seat),
        "army": army.name,
        "points": army.points,
        "lieutenant": None if side.lieutenant is None else army.troopers[side.lieutenant].id,
        "lieutenant_announced": side.lieutenant_known,
        "strategos": side.strategos,
        "victory_points": points,
        "retreat_threshold": threshold,
        "retreat_margin": points - threshold,
        "own": _count(_sum(trooper.own for trooper in side.troopers)),
        "troopers": [
            {
                **_public_trooper(game, seat, place),
                "id": listed.id,
                "controller": listed.controller,
                "marker": public_name(game, seat, place) if side.troopers[place].marker else None,
                "retreat": has_retreat_marker(edition, army, side, place),
                "name": listed.name,
                "type": listed.type,
                "cost": army.own_costs[place],
                "training": listed.training,
                "regular": is_regular(edition, army, side, place),
                "skills": sorted(listed.skills),
                "deploy": listed.deploy,
                "own": _count(side.troopers[place].own),
                "ignores_retreat": side.troopers[place].ignores_retreat,
                "frenzy": side.troopers[place].frenzy,
            }
            for place, listed in enumerate(army.troopers)
        ],
    }


def visible_events(before: Game, events: Iterable[e.Event], viewer: Seat | None) -> tuple[e.Event, ...]:
    """The events of one action made in `before`, as `viewer` (None: the public) may see them."""
    hidden = {
        seat: frozenset(
            listed.id
            for listed, trooper in zip(before.army(seat).troopers, before.side(seat).troopers, strict=True)
            if trooper.place == OFF_TABLE
        )
        for seat in SEATS
    }
    seen = []
    markers = any(army.markers for army in before.setup.armies)
    for event in events:
        owner = getattr(event, "owner", getattr(event, "seat", Seat.A))
        shown = (
            _undone(before, event, viewer) if isinstance(event, e.Undone) else e.seen_by(event, viewer, hidden[owner])
        )
        if shown is not None:
            seen.append(event_for(before, shown, viewer) if markers else shown)
    return tuple(seen)


def _undone(before: Game, event: e.Undone, viewer: Seat | None) -> e.Undone:
    """What was taken back, without what `viewer` may not know (ACT-20)."""
    if event.action is None:
        return event
    action = parse_action(event.action)
    secret = getattr(action, "seat", None) is not viewer and is_secret(before, action)
    return replace(event, action=None) if secret else event


def on_table(game: Game, seat: Seat) -> tuple[str, ...]:
    """Ids of the troopers on the table, as everybody sees them."""
    return tuple(
        listed.id
        for listed, trooper in zip(game.army(seat).troopers, game.side(seat).troopers, strict=True)
        if trooper.place == TABLE
    )
