"""The turn: beginning it, its phases and checks, its end (SEQ, RET-01 to 08, LOL)."""

from __future__ import annotations

from .. import actions as a
from .. import events as e
from ..counting import (
    chain_of_command,
    count_orders,
    inspires,
    is_strategos,
    lieutenant_lost,
    may_lead,
    reinforcement_groups,
    retreat_threshold,
    victory_points,
)
from ..course import Course
from ..editions import EXECUTIVE, IMPETUOUS, LIEUTENANT_CHECK, ORDER_COUNT, ORDERS, RETREAT_CHECK, STATES, TACTICAL
from ..game import OFF_TABLE, OVER_RETREAT, OVER_ROUNDS, Game
from ..refusals import Refusal
from ..seats import Seat
from .common import Decision, able, find, own_turn
from .conclusion import settle_end, settle_peripherals

#: Victory Points, both sections together, at or below which Reinforcements may be called, by the game's size (REI-02).
REINFORCED_AT = {250: 200, 300: 225, 350: 250, 400: 275}
#: From this round on they may be called whatever the Victory Points.
THIRD_ROUND = 3


def start(game: Game, action: a.Start) -> Decision:
    """Begin one's own turn (SEQ-01, SEQ-02)."""
    if game.state.over is not None:
        return Refusal("SEQ-01", "over")
    if game.state.active is not None:
        return Refusal("SEQ-01", "turn-on")
    if game.next_seat is not action.seat:
        return Refusal("SEQ-01", "not-your-start", {"seat": game.next_seat})
    if not game.options.reinforcements and any(map(reinforcement_groups, game.setup.armies)):
        return Refusal("REI-01", "reinforcements-option")
    course = Course(game)
    course.add(e.TurnStarted(course.position, action.seat, game.state.turns // 2 + 1))
    _tactical(course, action.seat, game.edition.tactical_steps)
    return tuple(course.events)


def go_on(game: Game, action: a.Next) -> Decision:
    """Finish this step or phase (SEQ-02, SEQ-03)."""
    seat = action.seat
    if refusal := own_turn(game, seat):
        return refusal
    state, edition = game.state, game.edition
    if state.order is not None:
        return Refusal(edition.sequence.rule, "order-open", {"step": state.order.step})
    course = Course(game)
    if state.phase == TACTICAL and state.step != ORDER_COUNT:
        steps = edition.tactical_steps
        _tactical(course, seat, steps[steps.index(state.step or "") + 1 :])
    elif state.phase == STATES:
        return _end_of_turn(game, seat)
    else:
        phases = edition.phases
        following = phases[phases.index(state.phase or "") + 1]
        if following == IMPETUOUS and game.side(seat).retreat:  # RET-05
            following = ORDERS
        course.add(e.StepEntered(course.position, seat, following, None))
    return tuple(course.events)


def reinforce(game: Game, action: a.Reinforce) -> Decision:
    """Call the Reinforcements, between the executive use and the Retreat check (REI-02)."""
    seat = action.seat
    if refusal := own_turn(game, seat):
        return refusal
    edition, army, side, state = game.edition, game.army(seat), game.side(seat), game.state
    if not edition.command_tokens:
        return Refusal("REI-01", "not-in-edition")
    section = [trooper.id for trooper in army.troopers if trooper.deploy == "reinforcement"]
    if not section:
        return Refusal("REI-01", "no-section")
    if side.reinforced:
        return Refusal("REI-01", "reinforced")
    if state.step != EXECUTIVE:
        return Refusal("REI-02", "reinforce-executive")
    limit = REINFORCED_AT.get(army.points)
    if state.round < THIRD_ROUND and (limit is None or victory_points(edition, army, side) > limit):
        return Refusal("REI-02", "reinforce-points", private=True)  # it would tell the margin (RET-14)
    section += [trooper.id for trooper in army.troopers if trooper.controller in section and trooper.id not in section]
    course = Course(game)
    course.add(e.ReinforcementsCalled(course.position, seat, tuple(section)))
    for team in army.fireteams:
        if team.leader in section:
            members = (team.leader, *(name for name in team.members if name != team.leader))
            course.add(e.TeamFormed(course.position, seat, members))
    steps = edition.tactical_steps
    _tactical(course, seat, steps[steps.index(EXECUTIVE) + 1 :])
    return tuple(course.events)


def _tactical(course: Course, seat: Seat, steps: tuple[str, ...]) -> None:
    """Walk the steps of the Tactical Phase as far as the next one that waits for the player."""
    for step in steps:
        course.add(e.StepEntered(course.position, seat, TACTICAL, step))
        if step == EXECUTIVE:
            return
        settle_peripherals(course)
        if step == RETREAT_CHECK:
            _check_retreat(course, seat)
            # In Retreat it waits, whoever is hidden or not: those who are may still be placed (ORD-22).
            if course.game.state.over is not None or course.game.side(seat).retreat:
                return
        elif step == LIEUTENANT_CHECK:
            _check_lieutenant(course, seat)
        elif step == ORDER_COUNT:
            course.add(_count(course.game, seat))


def _check_retreat(course: Course, seat: Seat) -> None:
    game = course.game
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    retreat = (
        game.options.retreat
        and not inspires(edition, army, side)
        and victory_points(edition, army, side) <= retreat_threshold(army, game.options)
    )
    if retreat and not side.retreat:
        course.add(e.RetreatDeclared(course.position, seat))
    elif side.retreat and not retreat:
        course.add(e.RetreatCancelled(course.position, seat))
    settle_end(course)


def _check_lieutenant(course: Course, seat: Seat) -> None:
    game = course.game
    if not game.options.lieutenant_loss:
        return
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    if not side.retreat and (successor := chain_of_command(edition, army, side)) is not None:
        name = army.troopers[successor].id
        course.add(e.LieutenantChanged(course.position, seat, name, "chain-of-command"))
    side = course.game.side(seat)
    lost = side.retreat or lieutenant_lost(edition, side)
    course.add(e.LieutenantChecked(course.position, seat, lost))


def _count(game: Game, seat: Seat) -> e.OrdersCounted:
    count = count_orders(game, seat)
    return e.OrdersCounted(
        game.position,
        seat,
        count.pools,
        count.irregular,
        count.fixed,
        count.tactical,
        count.impetuous,
        count.own,
        count.lieutenant,
    )


def strategos(game: Game, action: a.Strategos) -> Decision:
    """Swap the Lieutenant orders for Regular ones, before or right after the count (ORD-20)."""
    seat, state = action.seat, game.state
    if refusal := own_turn(game, seat):
        return refusal
    if state.phase != TACTICAL or state.activated:
        return Refusal("ORD-20", "strategos-late")
    side = game.side(seat)
    counted = state.step == ORDER_COUNT
    if not is_strategos(game.army(seat), side) or side.strategos or (counted and not side.lieutenant_orders.left):
        return Refusal("ORD-20", "no-strategos", private=True)
    course = Course(game)
    course.add(e.StrategosChosen(course.position, seat))
    if counted:
        course.add(_count_again(course.game, seat))
    return tuple(course.events)


def _count_again(game: Game, seat: Seat) -> e.OrdersCounted:
    """The count with the swap made, keeping what happened to the pools since (CMD-02, CMD-04)."""
    side, army = game.side(seat), game.army(seat)
    assert side.lieutenant is not None
    pools = {group: count.left for group, count in side.pools}
    group = side.troopers[side.lieutenant].group
    pools[group] = pools.get(group, 0) + side.lieutenant_orders.left
    own = {
        kind: {
            listed.id: getattr(trooper, kind).left
            for listed, trooper in zip(army.troopers, side.troopers, strict=True)
            if getattr(trooper, kind).left
        }
        for kind in ("irregular", "fixed", "tactical", "impetuous", "own")
    }
    return e.OrdersCounted(
        game.position,
        seat,
        {str(group): pools[group] for group in sorted(pools)},
        own["irregular"],
        own["fixed"],
        own["tactical"],
        own["impetuous"],
        own["own"],
        0,
    )


def name_lieutenant(game: Game, action: a.NameLieutenant) -> Decision:
    """Name a new Lieutenant at the end of a turn in Loss of Lieutenant (LOL-03, RET-04)."""
    seat = action.seat
    if refusal := own_turn(game, seat):
        return refusal
    side = game.side(seat)
    if side.retreat:
        return Refusal("RET-04", "named-in-retreat")
    if not side.loss_of_lieutenant:
        return Refusal("LOL-03", "no-loss")
    if side.lieutenant_named:
        return Refusal("LOL-03", "named-already", private=True)
    if game.state.phase != STATES:
        return Refusal("LOL-03", "name-later")
    place = find(game, seat, action.trooper, "LOL-03")
    if isinstance(place, Refusal):
        return place
    if refusal := able(game, seat, place):
        return refusal
    if not may_lead(game.edition, game.army(seat), side, place):
        return Refusal("LOL-03", "cannot-lead", {"trooper": action.trooper}, private=True)
    return (e.LieutenantChanged(game.position + 1, seat, action.trooper, "named"),)


def _end_of_turn(game: Game, seat: Seat) -> Decision:
    edition, army, side, options = game.edition, game.army(seat), game.side(seat), game.options
    # Who is hidden or a marker obliges nobody to name: that would tell that there is somebody who may lead (INF).
    if (
        side.loss_of_lieutenant
        and not side.lieutenant_named
        and not side.retreat
        and any(
            stands.place != OFF_TABLE and not stands.marker and may_lead(edition, army, side, place)
            for place, stands in enumerate(side.troopers)
        )
    ):
        return Refusal("LOL-03", "name-lieutenant")
    position = game.position + 1
    events: tuple[e.Event, ...] = (e.TurnEnded(position, seat),)
    if side.retreat and options.retreat_ends_game:
        return (*events, e.GameEnded(position, OVER_RETREAT))
    if game.state.turns >= 2 * options.rounds:
        return (*events, e.GameEnded(position, OVER_ROUNDS))
    return events
