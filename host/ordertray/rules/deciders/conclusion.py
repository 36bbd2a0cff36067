"""What follows by itself from what happened: peripherals, teams, the end of an army (ORD-23, FT, RET-07, SEQ-07)."""

from __future__ import annotations

from collections import Counter

from .. import events as e
from ..counting import all_lost, is_null, team_of
from ..course import Course
from ..editions import Edition
from ..evolving import replay
from ..game import OFF_TABLE, OVER_LOST, TABLE, Game, SeatState, Team
from ..seats import SEATS, Seat

# --- peripherals -----------------------------------------------------------------------------------------------------


def settle_peripherals(course: Course) -> None:
    """Disconnect and reconnect peripherals, of both sides, at the end of an order and at a check (ORD-23)."""
    for seat in SEATS:
        gone, back = unsettled_peripherals(course.game, seat)
        if gone:
            course.add(e.PeripheralsDisconnected(course.position, seat, gone))
        if back:
            course.add(e.PeripheralsReconnected(course.position, seat, back))


def unsettled_peripherals(game: Game, seat: Seat) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the peripherals on the table to disconnect, and of those to reconnect (ORD-23)."""
    army, troopers, null = game.army(seat), game.side(seat).troopers, game.edition.null_states
    gone: list[str] = []
    back: list[str] = []
    for place, leader in army.controlled:
        trooper, controller = troopers[place], troopers[leader]
        if trooper.place != TABLE:
            continue
        cut = controller.place == OFF_TABLE or "isolated" in trooper.states
        if not cut and controller.states:
            cut = "isolated" in controller.states or not null.isdisjoint(controller.states)
        if cut and not trooper.cut_off and null.isdisjoint(trooper.states):
            gone.append(army.troopers[place].id)
        elif trooper.cut_off and not cut:
            back.append(army.troopers[place].id)
    return tuple(gone), tuple(back)


# --- Fireteams -------------------------------------------------------------------------------------------------------


def departure(course: Course, seat: Seat, place: int, cause: str) -> None:
    """A member leaves its Fireteam; the Leader's leaving cancels it (FT-05, FT-06)."""
    team = team_of(course.game.side(seat), place)
    if team is None:
        return
    name = course.game.army(seat).troopers[place].id
    if team.leader == place:
        course.add(e.TeamCancelled(course.position, seat, name, cause))
    else:
        course.add(e.TeamLeft(course.position, seat, name, cause))


#: Events after which a team may not be what it was.
_MATTERS = frozenset(
    {e.StateRecorded, e.PeripheralsDisconnected, e.Evacuated, e.RetreatDeclared, e.TeamLeft, e.TeamCancelled}
)


def settle_teams(game: Game, happened: tuple[e.Event, ...]) -> tuple[e.Event, ...]:
    """`happened`, and who leaves a Fireteam by what it led to (FT-05, FT-06)."""
    if not any(type(event) in _MATTERS for event in happened):
        return happened
    after = replay(game, happened)
    if not (after.state.seats[0].teams or after.state.seats[1].teams):
        return happened
    course = Course(game)
    course.game = after
    for seat in SEATS:
        for team in after.side(seat).teams:
            _settle_team(course, seat, team)
    return (*happened, *course.events)


def _settle_team(course: Course, seat: Seat, team: Team) -> None:
    game = course.game
    army, leader = game.army(seat), game.army(seat).troopers[team.leader].id
    if game.side(seat).retreat:
        course.add(e.TeamCancelled(course.position, seat, leader, "retreat"))
        return
    if cause := _unfit(game.edition, game.side(seat), team.leader):
        second = next(
            (
                place
                for place in team.members
                if place != team.leader
                and "number-2" in army.troopers[place].skills
                and not _unfit(game.edition, game.side(seat), place)
            ),
            None,
        )
        if cause not in ("null", "isolated") or second is None:
            course.add(e.TeamCancelled(course.position, seat, leader, cause))
            return
        course.add(e.TeamLed(course.position, seat, army.troopers[second].id))
    for place in team.members:
        if cause := _unfit(course.game.edition, course.game.side(seat), place):
            course.add(e.TeamLeft(course.position, seat, army.troopers[place].id, cause))
    for rest in course.game.side(seat).teams:
        if rest.number == team.number and len(rest.members) == 1:
            course.add(e.TeamCancelled(course.position, seat, army.troopers[rest.leader].id, "alone"))


def _unfit(edition: Edition, side: SeatState, place: int) -> str | None:
    """Why a trooper cannot be of a team as it stands (FT-05): a word, or None."""
    trooper = side.troopers[place]
    if trooper.place != TABLE:
        return "gone"
    if is_null(edition, trooper):
        return "null"
    if "isolated" in trooper.states:
        return "isolated"
    if "suppressive-fire" in trooper.states:
        return "suppressive-fire"
    return None


def judge_team_aros(course: Course) -> None:
    """Who declared another ARO than its Fireteam leaves it, when the order is concluded (FT-04)."""
    order, active = course.game.state.order, course.game.state.active
    if order is None or active is None:
        return
    seat = active.other
    index = course.game.army(seat).index
    for team in course.game.side(seat).teams:
        said = {
            index[aro.trooper]: aro.name.lower()
            for aro in order.declared
            if aro.team == team.number and aro.trooper is not None and aro.name is not None
        }
        chosen = _team_aro(said, [index[name] for name in order.team_aros])
        if chosen is None:
            continue
        others = [place for place, name in said.items() if name != chosen and place in team.members]
        # The Leader first: with it the whole team is gone.
        for place in sorted(others, key=lambda place: place != team.leader):
            departure(course, seat, place, "aro")


def _team_aro(said: dict[int, str], named: list[int]) -> str | None:
    """The skill that is a team's ARO: of more than half of those who declared one, else as the owner says (FT-04)."""
    for name, count in Counter(said.values()).items():
        if 2 * count > len(said):
            return name
    return next((said[place] for place in reversed(named) if place in said), None)


# --- the end of an army ----------------------------------------------------------------------------------------------


def settle_end(course: Course) -> None:
    """The battle ends when an army in Retreat has lost everybody, once no order is in progress (RET-07, SEQ-07)."""
    game = course.game
    if game.state.order is not None or game.state.over is not None:
        return
    for seat in SEATS:
        if game.side(seat).retreat and all_lost(game.edition, game.army(seat), game.side(seat)):
            course.add(e.GameEnded(course.position, OVER_LOST))
            return
