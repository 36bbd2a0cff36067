"""`evolve`: the game after an event. Events are facts; nothing is judged here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import events as e
from .actions import Action
from .charts import LONG
from .editions import ORDERS, STATES
from .game import (
    EVACUATED,
    NO_ORDERS,
    OFF_TABLE,
    TABLE,
    Aro,
    Count,
    Game,
    Order,
    SeatState,
    Setup,
    Skill,
    State,
    Team,
    TrooperState,
)
from .seats import Seat

_EXCLUSIVE = frozenset({"unconscious", "unconscious-active", "dead"})


def evolve(game: Game, event: e.Event, action: Action | None = None) -> Game:
    """The game after `event`. The first event of an action remembers the game before it and `action`, for undo."""
    if type(event) is e.Undone:
        before = game.previous
        assert before is not None, "decide gives no Undone without something to undo"
        return Game(before.setup, before.state, event.position, before.previous, before.cause)
    setup, state = game.setup, game.state
    if type(event) is e.OptionSet:
        options = setup.options.with_option(event.name, event.value)
        assert options is not None, "decide gives no OptionSet for an unknown option"
        setup = Setup(setup.edition, setup.armies, options)
    else:
        apply = _EVOLVE.get(type(event))
        if apply is None:
            raise TypeError(f"an event is wanted, such as decide gives, not {type(event).__name__}")
        state = apply(setup, state, event)
    if event.position == game.position:
        return Game(setup, state, event.position, game.previous, game.cause)
    return Game(setup, state, event.position, game, action or event)


def replay(game: Game, events: Iterable[e.Event], action: Action | None = None) -> Game:
    """The game after all of `events`; with `action`, the one that they all come of, undo can say what it takes back."""
    for event in events:
        game = evolve(game, event, action)
    return game


def _with_trooper(side: SeatState, place: int, trooper: TrooperState) -> tuple[TrooperState, ...]:
    troopers = side.troopers
    return (*troopers[:place], trooper, *troopers[place + 1 :])


def _change(setup: Setup, state: State, seat: Seat, trooper: str, **changes: Any) -> State:
    side, place = state.seats[seat.place], setup.armies[seat.place].index[trooper]
    return state.with_side(
        seat, side._replace(troopers=_with_trooper(side, place, side.troopers[place]._replace(**changes)))
    )


def _turn_started(setup: Setup, state: State, event: e.TurnStarted) -> State:
    a, b = (
        side._replace(
            troopers=tuple(_without_orders(trooper) for trooper in side.troopers),
            pools=tuple((group, NO_ORDERS) for group, _ in side.pools),
            lieutenant_orders=NO_ORDERS,
            tokens_this_turn=0,
            token_cap=0,
            strategos=False,
        )
        if seat is event.seat
        else side._replace(tokens_this_turn=0, token_cap=0)
        for seat, side in zip(Seat, state.seats, strict=True)
    )
    return state._replace(
        seats=(a, b), round=event.round, turns=state.turns + 1, active=event.seat, activated=False, order=None
    )


def _without_orders(trooper: TrooperState) -> TrooperState:
    return TrooperState(
        trooper.place,
        trooper.group,
        trooper.states,
        trooper.frenzy,
        trooper.ignores_retreat,
        trooper.marker,
        trooper.cut_off,
    )


def _step_entered(setup: Setup, state: State, event: e.StepEntered) -> State:
    if event.phase == STATES:
        a, b = (_enter_states(side) for side in state.seats)
        state = state._replace(seats=(a, b))
    elif event.phase == ORDERS:
        state = state.with_side(event.seat, _without_impetuous(state.seats[event.seat.place]))
    return state._replace(phase=event.phase, step=event.step)


def _none_left(count: Count) -> Count:
    return count if count.left == 0 else Count(count.total, 0)


def _enter_states(side: SeatState) -> SeatState:
    """All order tokens go (SEQ-06), and Frenzy takes hold (SEQ-05)."""
    return side._replace(
        troopers=tuple(
            TrooperState(
                trooper.place,
                trooper.group,
                trooper.states,
                2 if trooper.frenzy else 0,
                trooper.ignores_retreat,
                trooper.marker,
                trooper.cut_off,
                trooper.counted_isolated,
                _none_left(trooper.irregular),
                _none_left(trooper.fixed),
                _none_left(trooper.tactical),
                _none_left(trooper.impetuous),
                _none_left(trooper.own),
            )
            for trooper in side.troopers
        ),
        pools=tuple((group, _none_left(count)) for group, count in side.pools),
        lieutenant_orders=_none_left(side.lieutenant_orders),
    )


def _without_impetuous(side: SeatState) -> SeatState:
    """Impetuous activations go at the end of their phase (SEQ-04)."""
    if not any(trooper.impetuous.left for trooper in side.troopers):
        return side
    return side._replace(
        troopers=tuple(trooper._replace(impetuous=_none_left(trooper.impetuous)) for trooper in side.troopers)
    )


def _retreat(value: bool) -> Callable[[Setup, State, Any], State]:
    def apply(setup: Setup, state: State, event: e.RetreatDeclared | e.RetreatCancelled) -> State:
        return state.with_side(event.seat, state.seats[event.seat.place]._replace(retreat=value))

    return apply


def _lieutenant_checked(setup: Setup, state: State, event: e.LieutenantChecked) -> State:
    return state.with_side(event.seat, state.seats[event.seat.place]._replace(loss_of_lieutenant=event.lost))


def _lieutenant_changed(setup: Setup, state: State, event: e.LieutenantChanged) -> State:
    assert event.trooper is not None
    return state.with_side(
        event.seat,
        state.seats[event.seat.place]._replace(
            lieutenant=setup.armies[event.seat.place].index[event.trooper],
            lieutenant_known=False,
            lieutenant_bare=True,
            lieutenant_named=event.cause == "named",
        ),
    )


def _strategos_chosen(setup: Setup, state: State, event: e.StrategosChosen) -> State:
    return state.with_side(event.seat, state.seats[event.seat.place]._replace(strategos=True))


def _orders_counted(setup: Setup, state: State, event: e.OrdersCounted) -> State:
    side = state.seats[event.seat.place]
    own = event.own or {}

    def count(orders: Mapping[str, int], trooper: str) -> Count:
        total = orders.get(trooper, 0)
        return Count(total, total) if total else NO_ORDERS

    troopers = tuple(
        TrooperState(
            trooper.place,
            trooper.group,
            trooper.states,
            trooper.frenzy,
            trooper.ignores_retreat,
            trooper.marker,
            trooper.cut_off,
            "isolated" in trooper.states,
            count(event.irregular, listed.id),
            count(event.fixed, listed.id),
            count(event.tactical, listed.id),
            count(event.impetuous, listed.id),
            count(own, listed.id),
        )
        for listed, trooper in zip(setup.armies[event.seat.place].troopers, side.troopers, strict=True)
    )
    return state.with_side(
        event.seat,
        side._replace(
            troopers=troopers,
            pools=tuple((int(group), Count(total, total)) for group, total in event.pools.items()),
            lieutenant_orders=Count(event.lieutenant, event.lieutenant),
        ),
    )


def _order_spent(setup: Setup, state: State, event: e.OrderSpent) -> State:
    army, side = setup.armies[event.seat.place], state.seats[event.seat.place]
    places = tuple(army.index[trooper] for trooper in event.troopers)
    kind = event.kind
    if kind == "lieutenant" or event.with_lieutenant_order:
        known = side.lieutenant_known or side.lieutenant in places
        side = side._replace(
            lieutenant_orders=side.lieutenant_orders.spend(),
            lieutenant_known=known,
            troopers=_appearing(side, places) if event.with_lieutenant_order else side.troopers,
        )
    elif kind == "regular" or kind == "coordinated":
        side = side._replace(
            pools=tuple((group, count.spend() if group == event.group else count) for group, count in side.pools),
            troopers=_appearing(side, places),
        )
    else:
        trooper = side.troopers[places[0]]
        if kind == "irregular":  # the one that cannot be converted goes first
            changed = (
                trooper._replace(fixed=trooper.fixed.spend())
                if trooper.fixed.left
                else trooper._replace(irregular=trooper.irregular.spend())
            )
        elif kind == "tactical":
            changed = trooper._replace(tactical=trooper.tactical.spend())
        elif kind == "impetuous":
            changed = (
                trooper._replace(own=Count(1, 0))  # it comes on the table: its own order goes with the token (SEQ-08)
                if trooper.place == OFF_TABLE
                else trooper._replace(impetuous=trooper.impetuous.spend())
            )
        else:
            changed = trooper._replace(own=trooper.own.spend())
        side = side._replace(troopers=_with_trooper(side, places[0], changed))
    if side.teams:
        side = side._replace(teams=tuple(_led(setup, state, team, places if event.team else ()) for team in side.teams))
    captive = None
    if event.captive is not None:
        captive = setup.armies[event.seat.other.place].index[event.captive[2:]]
    order = Order(
        kind,
        event.group,
        places,
        setup.edition.sequence.first_skill,
        event.used_as,
        activated=_with_peripherals(setup, event.seat, side, places),
        captive=captive,
    )
    return state._replace(seats=state.seats_with(event.seat, side), order=order, activated=True)


def _led(setup: Setup, state: State, team: Team, activated: tuple[int, ...]) -> Team:
    """A team after an order: the first of its activated members leads; in n4 coming back ends with the first order."""
    leader = activated[0] if activated and activated[0] in team.members else team.leader
    left = () if setup.edition.rejoin_at_count and not state.activated else team.left
    return Team(team.number, leader, team.members, left)


def _with_peripherals(setup: Setup, seat: Seat, side: SeatState, places: tuple[int, ...]) -> tuple[int, ...]:
    """Troopers and those of their peripherals that are on the table and not Null (ORD-16)."""
    army = setup.armies[seat.place]
    peripherals = [
        other
        for place in places
        for other in army.peripherals[place]
        if side.troopers[other].place == TABLE and setup.edition.null_states.isdisjoint(side.troopers[other].states)
    ]
    return (*places, *peripherals) if peripherals else places


def _appearing(side: SeatState, places: tuple[int, ...]) -> tuple[TrooperState, ...]:
    """The troopers, those of `places` that are off the table without their own order: another's serves (ORD-19)."""
    troopers = side.troopers
    for place in places:
        trooper = troopers[place]
        if trooper.place == OFF_TABLE:
            troopers = (*troopers[:place], trooper._replace(own=Count(1, 0)), *troopers[place + 1 :])
    return troopers


def _trooper_named(setup: Setup, state: State, event: e.TrooperNamed) -> State:
    order = state.order
    assert order is not None
    side, army = state.seats[event.seat.place], setup.armies[event.seat.place]
    places = tuple(army.index[name] for name in (event.trooper, *event.others))
    side = side._replace(troopers=_appearing(side, places))
    if event.team:
        side = side._replace(teams=tuple(_led(setup, state, team, places) for team in side.teams))
    state = state.with_side(event.seat, side)
    activated = _with_peripherals(setup, event.seat, side, places)
    return state.with_order(order.then(troopers=places, activated=activated))


def _skill_declared(setup: Setup, state: State, event: e.SkillDeclared) -> State:
    order, sequence = state.order, setup.edition.sequence
    assert order is not None
    step = sequence.second_aro if order.skills else sequence.first_aro
    idle = _more_idle(order, event.idle)
    return state.with_order(order.then(step, skills=(*order.skills, Skill(event.label, event.name)), idle=idle))


def _more_idle(order: Order, idle: tuple[str, ...]) -> tuple[str, ...] | None:
    """Those who are Idle, with more of them; None: no change."""
    return (*order.idle, *(who for who in idle if who not in order.idle)) if idle else None


def _after_windows(setup: Setup) -> str:
    return setup.edition.sequence.validity or setup.edition.sequence.resolution


def _second_skill_forgone(setup: Setup, state: State, event: e.SecondSkillForgone) -> State:
    assert state.order is not None
    return state.with_order(state.order.then(_after_windows(setup)))


def _aro_declared(setup: Setup, state: State, event: e.AroDeclared) -> State:
    order = state.order
    assert order is not None
    number = 0
    if (teams := state.seats[event.seat.place].teams) and event.trooper is not None:
        place = setup.armies[event.seat.place].index[event.trooper]
        number = next((team.number for team in teams if place in team.members), 0)
    aro = Aro(event.trooper, event.name, event.target, event.by, number)
    return state.with_order(order.then(declared=(*order.declared, aro)))


def _aro_delayed(setup: Setup, state: State, event: e.AroDelayed) -> State:
    order = state.order
    assert order is not None
    index = setup.armies[event.seat.other.place].index
    markers = tuple(index[name] for name in event.markers)
    return state.with_order(order._replace(delayed=(*order.delayed, *event.troopers), delayed_for=markers))


def _team_aro_named(setup: Setup, state: State, event: e.TeamAroNamed) -> State:
    order = state.order
    assert order is not None
    return state.with_order(order._replace(team_aros=(*order.team_aros, event.trooper)))


def _aro_passed(setup: Setup, state: State, event: e.AroPassed) -> State:
    order = state.order
    assert order is not None
    return state.with_order(order.then(passed=(*order.passed, *event.troopers)))


def _window_closed(setup: Setup, state: State, event: e.WindowClosed) -> State:
    order, sequence = state.order, setup.edition.sequence
    assert order is not None
    first = order.step == sequence.first_aro
    more = first and order.skills[0].label != LONG
    return state.with_order(
        order.then(
            sequence.second_skill if more else _after_windows(setup),
            passed_before=len(order.passed) if first else None,
        )
    )


def _validity_checked(setup: Setup, state: State, event: e.ValidityChecked) -> State:
    assert state.order is not None
    step = setup.edition.sequence.resolution
    return state.with_order(state.order.then(step, idle=_more_idle(state.order, event.idle)))


def _resolved(setup: Setup, state: State, event: e.Resolved) -> State:
    order = state.order
    assert order is not None
    return state.with_order(order.then(setup.edition.sequence.conclusion, idle=_more_idle(order, event.idle)))


def _order_ended(setup: Setup, state: State, event: e.OrderEnded) -> State:
    return state.with_order(None)


def _turn_ended(setup: Setup, state: State, event: e.TurnEnded) -> State:
    a, b = (_after_turn(setup, side) for side in state.seats)
    side = (a, b)[event.seat.place]
    if side.lieutenant_named:  # only now does the table learn of it
        side = side._replace(lieutenant_named=False, loss_of_lieutenant=False)
    seats = (a, side) if event.seat.place else (side, b)
    return state._replace(seats=seats, active=None, phase=None, step=None, order=None)


def _after_turn(setup: Setup, side: SeatState) -> SeatState:
    """Who has left a team and not come back in the States Phase has no way back (FT-07)."""
    if setup.edition.rejoin_at_count or not any(team.left for team in side.teams):
        return side
    return side._replace(teams=tuple(team._replace(left=()) for team in side.teams))


def _game_ended(setup: Setup, state: State, event: e.GameEnded) -> State:
    return state._replace(active=None, phase=None, step=None, order=None, over=event.reason)


def _state_recorded(setup: Setup, state: State, event: e.StateRecorded) -> State:
    assert event.trooper is not None and event.state is not None
    place = setup.armies[event.owner.place].index[event.trooper]
    states = state.seats[event.owner.place].troopers[place].states
    if event.state in _EXCLUSIVE:
        states -= _EXCLUSIVE
    return _change(setup, state, event.owner, event.trooper, states=states | {event.state})


def _state_cleared(setup: Setup, state: State, event: e.StateCleared) -> State:
    assert event.trooper is not None
    place = setup.armies[event.owner.place].index[event.trooper]
    trooper = state.seats[event.owner.place].troopers[place]
    # What the tray recorded and a player clears stays cleared while its cause lasts (ORD-23).
    cut_off = 2 if event.state == "disconnected" and trooper.cut_off else trooper.cut_off
    return _change(setup, state, event.owner, event.trooper, states=trooper.states - {event.state}, cut_off=cut_off)


def _peripherals(value: int) -> Callable[[Setup, State, Any], State]:
    """Disconnected (1) or reconnected (0) peripherals (ORD-23)."""

    def apply(setup: Setup, state: State, event: e.PeripheralsDisconnected | e.PeripheralsReconnected) -> State:
        for name in event.troopers:
            trooper = state.seats[event.seat.place].troopers[setup.armies[event.seat.place].index[name]]
            states = trooper.states | {"disconnected"} if value else trooper.states - {"disconnected"}
            state = _change(setup, state, event.seat, name, states=states, cut_off=value)
        return state

    return apply


def _wound_caused(setup: Setup, state: State, event: e.WoundCaused) -> State:
    return _change(setup, state, event.seat, event.trooper, frenzy=2 if state.phase == STATES else 1)


def _arrived(setup: Setup, state: State, event: e.Arrived) -> State:
    tactical = Count(event.tactical, event.tactical) if event.tactical else NO_ORDERS
    state = _change(setup, state, event.seat, event.trooper, place=TABLE, own=NO_ORDERS, tactical=tactical)
    army = setup.armies[event.seat.place]
    for place in army.peripherals[
        army.index[event.trooper]
    ]:  # it comes with those that have no deployment of their own
        follower = army.troopers[place]
        if follower.deploy == "table":
            state = _change(setup, state, event.seat, follower.id, place=TABLE)
    order, place = state.order, army.index[event.trooper]
    if order is not None and state.active is event.seat and (place in order.troopers):
        activated = _with_peripherals(setup, event.seat, state.seats[event.seat.place], order.troopers)
        state = state.with_order(order.then(activated=activated))
    return state


def _evacuated(setup: Setup, state: State, event: e.Evacuated) -> State:
    return _change(setup, state, event.seat, event.trooper, place=EVACUATED)


def _token_spent(setup: Setup, state: State, event: e.TokenSpent) -> State:
    side = state.seats[event.seat.place]
    return state.with_side(
        event.seat,
        side._replace(
            command_tokens=side.command_tokens - 1,
            tokens_this_turn=side.tokens_this_turn + 1,
            strategic_used=side.strategic_used or event.use in ("strip", "cap", "suppress", "reserve"),
            logistical_used=side.logistical_used or event.use == "speedball",
        ),
    )


def _group_changed(setup: Setup, state: State, event: e.GroupChanged) -> State:
    assert event.trooper is not None and event.group is not None
    army = setup.armies[event.seat.place]
    followers = army.peripherals[army.index[event.trooper]]
    if event.with_order:
        side = state.seats[event.seat.place]
        pools = dict(side.pools)
        old = side.troopers[army.index[event.trooper]].group
        pools[old] = Count(pools[old].total - 1, pools[old].left - 1)
        total, left = pools.get(event.group, NO_ORDERS)
        pools[event.group] = Count(total + 1, left + 1)
        state = state.with_side(event.seat, side._replace(pools=tuple(sorted(pools.items()))))
    for trooper in (event.trooper, *(army.troopers[place].id for place in followers)):
        state = _change(setup, state, event.seat, trooper, group=event.group)
    return state


def _orders_stripped(setup: Setup, state: State, event: e.OrdersStripped) -> State:
    side = state.seats[event.seat.place]
    pools = tuple(
        (group, Count(count.total - event.groups.count(group), count.left - event.groups.count(group)))
        for group, count in side.pools
    )
    return state.with_side(event.seat, side._replace(pools=pools))


def _tokens_capped(setup: Setup, state: State, event: e.TokensCapped) -> State:
    return state.with_side(event.seat, state.seats[event.seat.place]._replace(token_cap=event.limit))


def _order_converted(setup: Setup, state: State, event: e.OrderConverted) -> State:
    side = state.seats[event.seat.place]
    place = setup.armies[event.seat.place].index[event.trooper]
    irregular = side.troopers[place].irregular
    pools = dict(side.pools)
    total, left = pools.get(event.group, NO_ORDERS)
    pools[event.group] = Count(total + 1, left + 1)
    changed = side.troopers[place]._replace(irregular=Count(irregular.total - 1, irregular.left - 1))
    return state.with_side(
        event.seat,
        side._replace(pools=tuple(sorted(pools.items())), troopers=_with_trooper(side, place, changed)),
    )


def _counterintelligence_used(setup: Setup, state: State, event: e.CounterintelligenceUsed) -> State:
    return state


def _reinforcements_called(setup: Setup, state: State, event: e.ReinforcementsCalled) -> State:
    for name in event.troopers:
        state = _change(setup, state, event.seat, name, place=TABLE, own=NO_ORDERS)
    return state.with_side(event.seat, state.seats[event.seat.place]._replace(reinforced=state.turns))


def _score_recorded(setup: Setup, state: State, event: e.ScoreRecorded) -> State:
    return state.with_side(event.seat, state.seats[event.seat.place]._replace(score=event.points))


def _revealed(setup: Setup, state: State, event: e.Revealed) -> State:
    return _change(setup, state, event.seat, event.trooper, marker=0)


# --- Fireteams -------------------------------------------------------------------------------------------------------


def _team_formed(setup: Setup, state: State, event: e.TeamFormed) -> State:
    side, army = state.seats[event.seat.place], setup.armies[event.seat.place]
    members = tuple(army.index[name] for name in event.troopers)
    others = tuple(
        team._replace(left=tuple(place for place in team.left if place not in members)) for team in side.teams
    )
    number = side.teams_made + 1
    side = side._replace(teams=(*others, Team(number, members[0], members)), teams_made=number)
    if setup.edition.calm_teams:
        for place in members:
            side = side._replace(
                troopers=_with_trooper(side, place, side.troopers[place]._replace(impetuous=NO_ORDERS))
            )
    return state.with_side(event.seat, side)


def _with_team(
    setup: Setup, state: State, seat: Seat, trooper: str, change: Callable[[Team, int], Team | None]
) -> State:
    """The state with a change to the team that `trooper` is of, or has left; None: the team is no more."""
    side, place = state.seats[seat.place], setup.armies[seat.place].index[trooper]
    teams = tuple(
        changed
        for team in side.teams
        if (changed := change(team, place) if place in team.members or place in team.left else team) is not None
    )
    return state.with_side(seat, side._replace(teams=teams))


def _team_left(setup: Setup, state: State, event: e.TeamLeft) -> State:
    return _with_team(
        setup,
        state,
        event.seat,
        event.trooper,
        lambda team, place: team._replace(
            members=tuple(member for member in team.members if member != place), left=(*team.left, place)
        ),
    )


def _team_joined(setup: Setup, state: State, event: e.TeamJoined) -> State:
    return _with_team(
        setup,
        state,
        event.seat,
        event.trooper,
        lambda team, place: team._replace(
            members=(*team.members, place), left=tuple(other for other in team.left if other != place)
        ),
    )


def _team_led(setup: Setup, state: State, event: e.TeamLed) -> State:
    return _with_team(
        setup,
        state,
        event.seat,
        event.trooper,
        lambda team, place: team._replace(leader=place) if place in team.members else team,
    )


def _team_cancelled(setup: Setup, state: State, event: e.TeamCancelled) -> State:
    return _with_team(
        setup, state, event.seat, event.trooper, lambda team, place: None if team.leader == place else team
    )


def _retreat_ignored(setup: Setup, state: State, event: e.RetreatIgnored) -> State:
    return _change(setup, state, event.seat, event.trooper, ignores_retreat=True)


_EVOLVE: dict[type[e.Event], Callable[[Setup, State, Any], State]] = {
    e.GameEnded: _game_ended,
    e.TurnStarted: _turn_started,
    e.TurnEnded: _turn_ended,
    e.StepEntered: _step_entered,
    e.RetreatDeclared: _retreat(True),
    e.RetreatCancelled: _retreat(False),
    e.LieutenantChecked: _lieutenant_checked,
    e.LieutenantChanged: _lieutenant_changed,
    e.StrategosChosen: _strategos_chosen,
    e.OrdersCounted: _orders_counted,
    e.OrderSpent: _order_spent,
    e.TrooperNamed: _trooper_named,
    e.SkillDeclared: _skill_declared,
    e.SecondSkillForgone: _second_skill_forgone,
    e.AroDeclared: _aro_declared,
    e.AroPassed: _aro_passed,
    e.WindowClosed: _window_closed,
    e.ValidityChecked: _validity_checked,
    e.Resolved: _resolved,
    e.OrderEnded: _order_ended,
    e.StateRecorded: _state_recorded,
    e.StateCleared: _state_cleared,
    e.WoundCaused: _wound_caused,
    e.Arrived: _arrived,
    e.Evacuated: _evacuated,
    e.TokenSpent: _token_spent,
    e.GroupChanged: _group_changed,
    e.OrdersStripped: _orders_stripped,
    e.TokensCapped: _tokens_capped,
    e.OrderConverted: _order_converted,
    e.RetreatIgnored: _retreat_ignored,
    e.PeripheralsDisconnected: _peripherals(1),
    e.PeripheralsReconnected: _peripherals(0),
    e.TeamFormed: _team_formed,
    e.TeamLeft: _team_left,
    e.TeamJoined: _team_joined,
    e.TeamLed: _team_led,
    e.TeamCancelled: _team_cancelled,
    e.TeamAroNamed: _team_aro_named,
    e.AroDelayed: _aro_delayed,
    e.CounterintelligenceUsed: _counterintelligence_used,
    e.ReinforcementsCalled: _reinforcements_called,
    e.ScoreRecorded: _score_recorded,
    e.Revealed: _revealed,
}
