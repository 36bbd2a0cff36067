"""Questions about an army as it stands: who is Null, Regular, in Retreat; what it is worth; which orders it gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from .army import Army, Trooper
from .editions import IMPETUOUS, Edition
from .game import EVACUATED, OFF_TABLE, TABLE, Game, SeatState, Team, TrooperState
from .options import Options
from .seats import Seat


def null_state(edition: Edition, trooper: TrooperState) -> str | None:
    """The Null state a trooper is in, or None (STA-01). Unconscious but acting is not Null (STA-06)."""
    if trooper.states:
        for state in sorted(trooper.states):
            if state in edition.null_states:
                return state
    return None


def is_null(edition: Edition, trooper: TrooperState) -> bool:
    """Whether a trooper is in any Null state (STA-01)."""
    return bool(trooper.states) and not edition.null_states.isdisjoint(trooper.states)


def survives(edition: Edition, trooper: Trooper, state: TrooperState) -> bool:
    """Whether a trooper counts as a survivor (RET-01): not Null, or a Shasvastii that is no worse than Unconscious."""
    if not is_null(edition, state):
        return True
    return "shasvastii" in trooper.skills and state.states.isdisjoint(edition.null_states - {"unconscious"})


def is_steady(edition: Edition, trooper: Trooper) -> bool:
    """Whether a trooper keeps its training and its nerve whatever happens (RET-12)."""
    return not edition.steady_skills.isdisjoint(trooper.skills)


def inspires(edition: Edition, army: Army, side: SeatState) -> bool:
    """Whether the Lieutenant has Inspiring Leadership and is on the table, not Null."""
    if side.lieutenant is None or "inspiring-leadership" not in army.troopers[side.lieutenant].skills:
        return False
    lieutenant = side.troopers[side.lieutenant]
    return lieutenant.place == TABLE and not is_null(edition, lieutenant)


def is_regular(edition: Edition, army: Army, side: SeatState, place: int) -> bool:
    """The training a trooper has in this turn (LOL-02, RET-09, RET-12; Isolated at the count: STA-02)."""
    trooper = army.troopers[place]
    if side.troopers[place].counted_isolated:
        return False
    if side.loss_of_lieutenant and not is_steady(edition, trooper):
        return False
    return trooper.training == "regular" or (not side.loss_of_lieutenant and inspires(edition, army, side))


def has_retreat_marker(edition: Edition, army: Army, side: SeatState, place: int) -> bool:
    """Whether a trooper is in the Retreat state (RET-10, RET-12, CMD-04)."""
    return side.troopers[place].place == TABLE and in_retreat(edition, army, side, place)


def in_retreat(edition: Edition, army: Army, side: SeatState, place: int) -> bool:
    """Whether Retreat is for a trooper, wherever it is (RET-12, CMD-04)."""
    trooper = army.troopers[place]
    return (
        side.retreat
        and not side.troopers[place].ignores_retreat
        and trooper.skills.isdisjoint(("courage", "religious"))
        and not is_steady(edition, trooper)
    )


def is_impetuous(trooper: Trooper, state: TrooperState) -> bool:
    """Whether a trooper is Impetuous, from the start or by Frenzy (SEQ-04, SEQ-05)."""
    return "impetuous" in trooper.skills or state.frenzy == 2


def team_of(side: SeatState, place: int) -> Team | None:
    """The Fireteam that a trooper is a member of (FT-01)."""
    for team in side.teams:
        if place in team.members:
            return team
    return None


def reinforcement_groups(army: Army) -> frozenset[int]:
    """The combat groups of the list's Reinforcements (REI-01)."""
    return frozenset(trooper.group for trooper in army.troopers if trooper.deploy == "reinforcement")


def victory_points(edition: Edition, army: Army, side: SeatState) -> float:
    """Cost of the surviving troopers in points, those off the table and evacuated included (RET-01, 06, 15)."""
    return sum(
        cost
        for cost, trooper, state in zip(army.own_costs, army.troopers, side.troopers, strict=True)
        if survives(edition, trooper, state)
    )


def retreat_threshold(army: Army, options: Options) -> int:
    """The Victory Points at or below which an army is in Retreat: a quarter, halves rounded up (RET-02)."""
    base = army.points if options.retreat_base == "limit" else army.total_points
    return math.floor(base / 4 + 0.5)


def all_lost(edition: Edition, army: Army, side: SeatState) -> bool:
    """Whether every trooper is lost or evacuated; those not yet deployed keep the battle going (RET-07)."""
    return all(
        state.place == EVACUATED or not survives(edition, trooper, state)
        for trooper, state in zip(army.troopers, side.troopers, strict=True)
    )


def group_room(edition: Edition, army: Army, side: SeatState, group: int, *, seen_only: bool = False) -> int:
    """How many more troopers a combat group may hold: without peripherals, Dead, Sepsitorized (ORD-21, STA-04).

    `seen_only`: as it looks to those who know of nobody off the table.
    """
    members = sum(
        1
        for trooper, state in zip(army.troopers, side.troopers, strict=True)
        if state.group == group
        and not trooper.is_peripheral
        and state.place != EVACUATED
        and not (seen_only and state.place == OFF_TABLE)
        and state.states.isdisjoint(("dead", "sepsitorized"))
    )
    return edition.group_size - members


def may_lead(edition: Edition, army: Army, side: SeatState, place: int) -> bool:
    """Whether a trooper may be named Lieutenant (LOL-03): not printed Irregular, no REM, no peripheral, not Null."""
    trooper, state = army.troopers[place], side.troopers[place]
    waits = trooper.deploy == "reinforcement" and state.place == OFF_TABLE  # REI-01
    return (
        not waits
        and trooper.training == "regular"
        and trooper.type != "REM"
        and not trooper.is_peripheral
        and state.place != EVACUATED
        and not is_null(edition, state)
    )


def chain_of_command(edition: Edition, army: Army, side: SeatState) -> int | None:
    """Who becomes Lieutenant by Chain of Command at the start of the check, or None (LOL-04)."""
    if side.lieutenant is None:
        return None
    lieutenant = side.troopers[side.lieutenant]
    if not is_null(edition, lieutenant) and "isolated" not in lieutenant.states:
        return None
    for place, trooper in enumerate(army.troopers):
        state = side.troopers[place]
        if (
            "chain-of-command" in trooper.skills
            and place != side.lieutenant
            and state.place == TABLE
            and not is_null(edition, state)
            and "isolated" not in state.states
        ):
            return place
    return None


def is_strategos(army: Army, side: SeatState) -> bool:
    """Whether the Lieutenant has Strategos (ORD-20)."""
    return side.lieutenant is not None and any(
        skill.startswith("strategos") for skill in army.troopers[side.lieutenant].skills
    )


def lieutenant_lost(edition: Edition, side: SeatState) -> bool:
    """Whether the Lieutenant is missing, not deployed, Null or Isolated (LOL-01)."""
    if side.lieutenant is None:
        return True
    lieutenant = side.troopers[side.lieutenant]
    return lieutenant.place != TABLE or is_null(edition, lieutenant) or "isolated" in lieutenant.states


class OrderCount(NamedTuple):
    """The orders an army gives: pools by group, own orders by trooper id."""

    pools: dict[str, int]
    irregular: dict[str, int]
    fixed: dict[str, int]
    tactical: dict[str, int]
    impetuous: dict[str, int]
    own: dict[str, int]
    lieutenant: int


def count_orders(game: Game, seat: Seat) -> OrderCount:
    """The order count of `seat` as the game stands (ORD-02, 03, 09, 13 to 16, 19, 20; LOL-02; RET-05, 09; STA-02)."""
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    pools: dict[int, int] = {}
    count = OrderCount({}, {}, {}, {}, {}, {}, 0)
    for place, trooper in enumerate(army.troopers):
        state = side.troopers[place]
        if trooper.is_peripheral or state.place == EVACUATED or is_null(edition, state):
            continue
        if state.place == OFF_TABLE:
            # Reinforcements give nothing (REI-01), nor does who should have been placed in Retreat (ORD-22).
            late = trooper.deploy == "hidden" and in_retreat(edition, army, side, place)
            if trooper.deploy != "reinforcement" and not late:
                count.own[trooper.id] = 1
            continue
        calm = edition.calm_teams and team_of(side, place) is not None  # FT-01
        if IMPETUOUS in edition.phases and not side.retreat and not calm and is_impetuous(trooper, state):
            count.impetuous[trooper.id] = 1
        fixed = 0
        if "isolated" in state.states:  # of its training's order (STA-02); others are not touched (ORD-09)
            fixed = int(edition.irregular_orders)
        elif is_regular(edition, army, side, place):
            pools[state.group] = pools.get(state.group, 0) + 1
        elif edition.irregular_orders:
            count.irregular[trooper.id] = 1
        if "tactical-awareness" in trooper.skills:
            if edition.tactical_awareness == "tactical":
                count.tactical[trooper.id] = 1
            elif edition.tactical_awareness == "irregular":
                fixed += 1
        if fixed:
            count.fixed[trooper.id] = fixed
    lieutenant_orders = _lieutenant_orders(game, seat)
    if lieutenant_orders and side.strategos and side.lieutenant is not None and is_strategos(army, side):
        group = side.troopers[side.lieutenant].group
        pools[group] = pools.get(group, 0) + lieutenant_orders
        lieutenant_orders = 0
    count.pools.update({str(group): total for group, total in sorted(pools.items())})
    return count._replace(lieutenant=lieutenant_orders)


def _lieutenant_orders(game: Game, seat: Seat) -> int:
    side = game.side(seat)
    if side.loss_of_lieutenant or lieutenant_lost(game.edition, side):
        return 0
    assert side.lieutenant is not None
    printed = not side.lieutenant_bare and "plus-1-order" in game.army(seat).troopers[side.lieutenant].skills
    return 2 if printed else 1


def may_take_pool_order(edition: Edition, army: Army, side: SeatState, place: int) -> bool:
    """Whether a trooper could be activated by an order of its group's pool (ORD-02, 16, 19; STA-01, 02)."""
    state = side.troopers[place]
    return (
        not army.troopers[place].is_peripheral
        and state.place != EVACUATED
        and not is_null(edition, state)
        and "isolated" not in state.states
    )


def activated_ids(game: Game) -> tuple[str, ...]:
    """Who was activated by the order in progress (ORD-16, ORD-23): ids, a captive of the other side as `SEAT:ID`."""
    order, seat = game.state.order, game.state.active
    if order is None or seat is None:
        return ()
    if order.captive is not None:
        return (f"{seat.other}:{game.army(seat.other).troopers[order.captive].id}",)
    troopers = game.army(seat).troopers
    return tuple(troopers[place].id for place in order.activated)


def activated(game: Game, seat: Seat) -> tuple[int, ...]:
    """The places in `seat`'s army of those whom the order in progress activated."""
    order = game.state.order
    return () if order is None or game.state.active is not seat else order.activated


def is_marker(state: TrooperState) -> bool:
    """Whether others see a marker and not a model (ACT-19); of who is off the table they see neither (INF)."""
    return state.place == TABLE and (state.marker > 0 or "camouflaged" in state.states)


def delay_over(game: Game) -> bool:
    """Whether one of the markers that reactive troopers wait for has been revealed (ACT-19)."""
    order, seat = game.state.order, game.state.active
    if order is None or seat is None:
        return False
    side = game.side(seat)
    return any(not is_marker(side.troopers[place]) for place in order.delayed_for)


def able_to_react(game: Game, seat: Seat) -> Iterator[str]:
    """Ids of the reactive troopers on the table, not Null, that have neither reacted nor passed (ACT-04 to 07, 19)."""
    order = game.state.order
    if order is None:
        return
    army, side = game.army(seat), game.side(seat)
    gone = {aro.trooper for aro in order.declared} | set(order.passed)
    if order.delayed and (order.step == game.edition.sequence.first_aro or not delay_over(game)):
        gone |= set(order.delayed)
    for trooper, state in zip(army.troopers, side.troopers, strict=True):
        if state.place == TABLE and trooper.id not in gone and not is_null(game.edition, state):
            yield trooper.id
