"""Fireteams: who may be of one, and what happens to it besides orders and reactions (FT)."""

from __future__ import annotations

from collections.abc import Callable

from .. import actions as a
from .. import events as e
from ..army_check import AIRBORNE_SKILLS, LARGEST_TEAM, SMALLEST_TEAM
from ..counting import team_of
from ..course import Course
from ..editions import ORDER_COUNT, STATES, TACTICAL
from ..game import Game
from ..refusals import Refusal
from ..seats import Seat
from .common import Decision, find, on_table, under_way
from .conclusion import departure


def use_team(game: Game, action: a.TeamUse) -> Decision:
    """Form, leave, join or cancel a Fireteam, or say which ARO is the team's (FT-01 to FT-07)."""
    use = _USES.get(action.use)
    if use is None:
        return Refusal("FT-01", "no-such-word", {"word": action.use})
    if not game.edition.command_tokens:
        return Refusal("FT-01", "not-in-edition")
    if game.state.over is not None:
        return Refusal("SEQ-01", "over")
    return use(game, action)


def _form(game: Game, action: a.TeamUse) -> Decision:
    """A team made free of charge: before the first turn, or of Reinforcements when they come (FT-01, REI-03)."""
    seat, state = action.seat, game.state
    if state.turns == 0:
        return formed(game, seat, action.troopers)
    army, side = game.army(seat), game.side(seat)
    section = {t.id for t in army.troopers if t.deploy == "reinforcement"}
    just_come = side.reinforced == state.turns and state.active is seat and not state.activated
    if not just_come or not section.issuperset(action.troopers):
        return Refusal("FT-01", "team-late")
    return formed(game, seat, action.troopers)


def formed(game: Game, seat: Seat, troopers: tuple[str, ...]) -> Decision:
    """The events of a new team, or why it cannot be (FT-01)."""
    if refusal := company(game, seat, troopers, "FT-01"):
        return refusal
    side, index = game.side(seat), game.army(seat).index
    for name in troopers:
        if team_of(side, index[name]) is not None:
            return Refusal("FT-01", "in-team", {"trooper": name})
    course = Course(game)
    _cease_fire(course, seat, troopers)
    course.add(e.TeamFormed(course.position, seat, troopers))
    return tuple(course.events)


def _cease_fire(course: Course, seat: Seat, troopers: tuple[str, ...]) -> None:
    """Forming or joining a team ends Suppressive Fire (FT-01)."""
    army, side = course.game.army(seat), course.game.side(seat)
    for name in troopers:
        if "suppressive-fire" in side.troopers[army.index[name]].states:
            course.add(e.StateCleared(course.position, seat, seat, name, "suppressive-fire"))


def company(game: Game, seat: Seat, troopers: tuple[str, ...], rule: str) -> Refusal | None:
    """Refuses troopers that cannot be a team, or be activated as if they were one (FT-01)."""
    if not SMALLEST_TEAM <= len(troopers) <= LARGEST_TEAM or len(set(troopers)) != len(troopers):
        return Refusal(rule, "team-size")
    if game.side(seat).retreat:
        return Refusal("FT-06", "team-retreat")
    army, groups, kinds = game.army(seat), set(), set()
    for name in troopers:
        place = find(game, seat, name, rule)
        if isinstance(place, Refusal):
            return place
        if refusal := fit(game, seat, place):
            return refusal
        groups.add(game.side(seat).troopers[place].group)
        kinds.add(army.troopers[place].deploy == "reinforcement")
    if len(groups) > 1:
        return Refusal(rule, "team-groups")
    if len(kinds) > 1:
        return Refusal("REI-03", "team-sections")
    return None


def fit(game: Game, seat: Seat, place: int) -> Refusal | None:
    """Refuses a trooper that cannot be of a team (FT-01)."""
    army, state = game.army(seat), game.side(seat).troopers[place]
    trooper = army.troopers[place]
    if trooper.controller is not None:
        return Refusal("FT-01", "team-peripheral", {"trooper": trooper.id})
    if refusal := on_table(game, seat, place, "FT-01"):
        return refusal
    if army.peripherals[place]:
        return Refusal("FT-01", "team-peripheral", {"trooper": trooper.id})
    if state.marker:
        return Refusal("FT-01", "team-marker", {"trooper": trooper.id}, private=True)
    if trooper.deploy == "airborne" or trooper.skills & AIRBORNE_SKILLS:
        return Refusal("FT-01", "team-airborne", {"trooper": trooper.id})
    if "isolated" in state.states:
        return Refusal("STA-02", "isolated-team", {"trooper": trooper.id})
    return None


def _one(game: Game, action: a.TeamUse, rule: str) -> int | Refusal:
    if len(action.troopers) != 1:
        return Refusal(rule, "unnamed-trooper")
    return find(game, action.seat, action.troopers[0], rule)


def _member(game: Game, action: a.TeamUse, rule: str) -> int | Refusal:
    """The place of the one trooper named, a member of a team."""
    place = _one(game, action, rule)
    if not isinstance(place, Refusal) and team_of(game.side(action.seat), place) is None:
        return Refusal(rule, "no-team", {"trooper": action.troopers[0]})
    return place


def _leave(game: Game, action: a.TeamUse) -> Decision:
    """Coherency is broken, or it became a marker (FT-05)."""
    place = _member(game, action, "FT-05")
    if isinstance(place, Refusal):
        return place
    course = Course(game)
    departure(course, action.seat, place, "said")
    return tuple(course.events)


def _cancel(game: Game, action: a.TeamUse) -> Decision:
    place = _member(game, action, "FT-06")
    if isinstance(place, Refusal):
        return place
    if game.state.order is not None:
        return Refusal("FT-06", "order-open", {"step": game.state.order.step})
    team = team_of(game.side(action.seat), place)
    assert team is not None
    leader = game.army(action.seat).troopers[team.leader].id
    return (e.TeamCancelled(game.position + 1, action.seat, leader, "said"),)


def _join(game: Game, action: a.TeamUse) -> Decision:
    """Come back to a team that one has left (FT-07)."""
    place = _one(game, action, "FT-07")
    if isinstance(place, Refusal):
        return place
    seat, name, state, edition = action.seat, action.troopers[0], game.state, game.edition
    side = game.side(seat)
    team = next((team for team in side.teams if place in team.left), None)
    if team is None:
        return Refusal("FT-07", "team-not-left", {"trooper": name})
    if edition.rejoin_at_count:
        counted = (state.phase, state.step) == (TACTICAL, ORDER_COUNT) or state.phase not in (None, TACTICAL, STATES)
        if state.active is not seat or not counted or state.activated:
            return Refusal("FT-07", "join-at-count")
    elif state.phase != STATES:
        return Refusal("FT-07", "join-in-states")
    if refusal := fit(game, seat, place):
        return refusal
    if side.troopers[place].group != side.troopers[team.leader].group:
        return Refusal("FT-01", "team-groups")
    course = Course(game)
    _cease_fire(course, seat, (name,))
    course.add(e.TeamJoined(course.position, seat, name))
    return tuple(course.events)


def _aro(game: Game, action: a.TeamUse) -> Decision:
    """Which ARO is the team's, where no skill is that of more than half (FT-04)."""
    if refusal := under_way(game):
        return refusal
    seat, order, sequence = action.seat, game.state.order, game.edition.sequence
    if game.state.active is seat:
        return Refusal("ACT-09", "not-reactive")
    place = _one(game, action, "FT-04")
    if isinstance(place, Refusal):
        return place
    if order is None or order.step in (sequence.first_skill, sequence.conclusion):
        return Refusal("FT-04", "team-aro-late")
    name = action.troopers[0]
    numbers = {team.number for team in game.side(seat).teams}
    if not any(aro.trooper == name and aro.team in numbers and aro.name is not None for aro in order.declared):
        return Refusal("FT-04", "team-aro-none", {"trooper": name})
    return (e.TeamAroNamed(game.position + 1, seat, name),)


_USES: dict[str, Callable[[Game, a.TeamUse], Decision]] = {
    "form": _form,
    "leave": _leave,
    "join": _join,
    "cancel": _cancel,
    "aro": _aro,
}
