"""What players record of the table: states, wounds, arrivals, evacuations (STA, SEQ-05, ORD-19, RET-06)."""

from __future__ import annotations

from .. import actions as a
from .. import events as e
from ..counting import is_impetuous, team_of
from ..course import Course
from ..editions import IMPETUOUS, ORDERS, RETREAT_CHECK
from ..game import OFF_TABLE, TROOPER_STATES, Game
from ..privacy import is_seen
from ..refusals import Refusal
from ..seats import Seat
from .common import Decision, able, find, find_visible, on_table, under_way
from .conclusion import settle_end

_STATES = frozenset(TROOPER_STATES)

#: More Objective Points than any mission gives.
MOST_POINTS = 999


def record_state(game: Game, action: a.RecordState) -> Decision:
    """Record a state; either seat may, of any trooper it can know of (STA-05, STA-06)."""
    if game.state.over is not None:
        return Refusal("SEQ-01", "over")
    owner, name, state = action.owner, action.trooper, action.state
    if state not in _STATES:
        return Refusal("STA-05", "no-such-word", {"word": state})
    place = find_visible(game, owner, name, "STA-05", action.seat)
    if isinstance(place, Refusal):
        return place
    if state in game.side(owner).troopers[place].states:
        return Refusal("STA-05", "state-there", {"trooper": name, "state": state})
    unable = game.army(owner).troopers[place].skills.isdisjoint(("dogged", "no-wound-incapacitation"))
    unknown = action.seat is not owner and game.side(owner).troopers[place].marker > 0  # nor would it be told (INF)
    if state == "unconscious-active" and (unable or unknown):
        return Refusal("STA-06", "no-active-state", {"trooper": name})
    known = game.army(owner).troopers[place].id
    return _with_end(game, owner, e.StateRecorded(game.position + 1, action.seat, owner, known, state))


def _with_end(game: Game, owner: Seat, happened: e.Event) -> Decision:
    """`happened`, and the end of the battle if it cost a retreating army its last trooper (RET-07)."""
    if not game.side(owner).retreat:
        return (happened,)
    course = Course(game, happened)
    settle_end(course)
    return tuple(course.events)


def clear_state(game: Game, action: a.ClearState) -> Decision:
    """Clear a state (STA-04, STA-05)."""
    if game.state.over is not None:
        return Refusal("SEQ-01", "over")
    owner, name, state = action.owner, action.trooper, action.state
    place = find_visible(game, owner, name, "STA-05", action.seat)
    if isinstance(place, Refusal):
        return place
    if state not in game.side(owner).troopers[place].states:
        return Refusal("STA-05", "state-absent", {"trooper": name, "state": state})
    return (e.StateCleared(game.position + 1, action.seat, owner, game.army(owner).troopers[place].id, state),)


def frenzy(game: Game, action: a.Frenzy) -> Decision:
    """A trooper with Frenzy caused a wound (SEQ-05)."""
    if refusal := under_way(game):
        return refusal
    if IMPETUOUS not in game.edition.phases:
        return Refusal("SEQ-03", "not-in-edition")
    place = find(game, action.seat, action.trooper, "SEQ-05")
    if isinstance(place, Refusal):
        return place
    if refusal := on_table(game, action.seat, place, "SEQ-05"):
        return refusal
    side = game.side(action.seat)
    if game.edition.calm_teams and team_of(side, place) is not None:
        return Refusal("FT-01", "calm", {"trooper": action.trooper})
    skilled = "frenzy" in game.army(action.seat).troopers[place].skills
    if not skilled or game.side(action.seat).troopers[place].frenzy:
        return Refusal("SEQ-05", "no-frenzy", {"trooper": action.trooper})
    return (e.WoundCaused(game.position + 1, action.seat, action.trooper),)


def score(game: Game, action: a.Score) -> Decision:
    """Objective Points, at any time, also when the battle is over; the last ones count (ITS)."""
    if not isinstance(action.points, int) or not 0 <= action.points <= MOST_POINTS:
        return Refusal("ITS", "bad-score", {"limit": MOST_POINTS})
    return (e.ScoreRecorded(game.position + 1, action.seat, action.points),)


def reveal(game: Game, action: a.Reveal) -> Decision:
    """A marker is revealed (INF)."""
    if game.state.over is not None:
        return Refusal("SEQ-01", "over")
    seat, name = action.seat, action.trooper
    place = find(game, seat, name, "INF")
    if isinstance(place, Refusal):
        return place
    number = game.side(seat).troopers[place].marker
    if not number:
        return Refusal("INF", "not-a-marker", {"trooper": name})
    return (e.Revealed(game.position + 1, seat, game.army(seat).troopers[place].id, f"marker-{number}"),)


def arrive(game: Game, action: a.Arrive) -> Decision:
    """A trooper comes on the table (ORD-15, ORD-19)."""
    if refusal := under_way(game):
        return refusal
    seat, name = action.seat, action.trooper
    place = find(game, seat, name, "ORD-19")
    if isinstance(place, Refusal):
        return place
    if refusal := able(game, seat, place):
        return refusal
    if game.side(seat).troopers[place].place != OFF_TABLE:
        return Refusal("ORD-19", "on-table", {"trooper": name})
    own = game.state.active is seat
    trooper = game.army(seat).troopers[place]
    if refusal := _may_arrive_now(game, seat, place):
        return refusal
    if trooper.controller is not None and not is_seen(game, seat, trooper.controller):
        return Refusal("ORD-16", "controller-first", {"trooper": name, "controller": trooper.controller})
    aware = (
        game.edition.tactical_awareness == "tactical"
        and "tactical-awareness" in trooper.skills
        and not trooper.is_peripheral
    )
    isolated = "isolated" in game.side(seat).troopers[place].states
    return (e.Arrived(game.position + 1, seat, name, int(own and aware and not isolated)),)


def _may_arrive_now(game: Game, seat: Seat, place: int) -> Refusal | None:
    """Refuses an arrival at a time that is not that of its kind (ORD-19, ORD-22)."""
    trooper, stands, state = game.army(seat).troopers[place], game.side(seat).troopers[place], game.state
    if trooper.deploy == "reinforcement":
        return Refusal("REI-01", "with-the-section", {"trooper": trooper.id})
    if state.active is not seat:
        return Refusal("ORD-22", "from-the-air", {"trooper": trooper.id}) if trooper.deploy == "airborne" else None
    if state.phase == ORDERS:
        return None
    if trooper.deploy == "hidden" and state.step == RETREAT_CHECK and game.side(seat).retreat:
        return None
    if state.phase == IMPETUOUS and is_impetuous(trooper, stands):
        acting = state.order is not None and place in state.order.troopers
        if acting or trooper.deploy == "hidden":
            return None
    return Refusal("ORD-19", "arrive-later")


def evacuate(game: Game, action: a.Evacuate) -> Decision:
    """A trooper leaves by the widest side of its Deployment Zone (RET-06, RET-07, RET-12)."""
    if refusal := under_way(game):
        return refusal
    seat, name = action.seat, action.trooper
    place = find(game, seat, name, "RET-06")
    if isinstance(place, Refusal):
        return place
    if refusal := on_table(game, seat, place, "RET-06"):
        return refusal
    if not game.side(seat).retreat:
        return Refusal("RET-06", "not-in-retreat")
    if "religious" in game.army(seat).troopers[place].skills:
        return Refusal("RET-12", "religious", {"trooper": name})
    return _with_end(game, seat, e.Evacuated(game.position + 1, seat, name))
