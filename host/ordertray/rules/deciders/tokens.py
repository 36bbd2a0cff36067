"""Command Tokens (CMD)."""

from __future__ import annotations

from collections.abc import Callable

from .. import actions as a
from .. import events as e
from ..counting import group_room, has_retreat_marker, is_regular, reinforcement_groups
from ..course import Course
from ..editions import EXECUTIVE, ORDER_COUNT, TACTICAL
from ..game import NO_ORDERS, TABLE, Game
from ..refusals import Refusal
from ..seats import Seat
from .activation import coordinated
from .common import Decision, find, on_table, under_way
from .conclusion import departure
from .teams import formed

STRATEGIC = frozenset({"strip", "cap", "suppress"})
EXECUTIVE_USES = frozenset({"group", "unpossess"})
#: Uses before the first turn (SEQ-09).
BEFORE_THE_GAME = frozenset({"reserve", "speedball"})

_Effect = Callable[[Game, a.UseToken], Decision]


def use_token(game: Game, action: a.UseToken) -> Decision:
    """Spend a Command Token (CMD-01 to CMD-05, SEQ-09)."""
    effect = _EFFECTS.get(action.use)
    if effect is None:
        return Refusal("CMD-01", "no-such-word", {"word": action.use})
    if action.use in BEFORE_THE_GAME:
        return _before_the_game(game, action)
    if action.use == "group" and _commlink(game, action):
        return _into_the_section(game, action)
    if refusal := _allowed(game, action.seat, action.use):
        return refusal
    happened = effect(game, action)
    if isinstance(happened, Refusal):
        return happened
    return (e.TokenSpent(game.position + 1, action.seat, action.use), *happened)


def _allowed(game: Game, seat: Seat, use: str) -> Refusal | None:
    """Refuses a use at the wrong time, or without a token."""
    if refusal := under_way(game):
        return refusal
    if not game.edition.command_tokens:
        return Refusal("SEQ-03", "not-in-edition")
    state, side = game.state, game.side(seat)
    if use in STRATEGIC:
        first_turn = state.turns == 1 and state.active is not seat and state.phase == TACTICAL
        counted = state.step == ORDER_COUNT or use in game.edition.whole_tactical_phase
        if not (first_turn and counted):
            return Refusal("CMD-02", "token-strategic")
        if side.strategic_used:
            return Refusal("CMD-02", "token-strategic-used")
    elif state.active is not seat:
        return Refusal("CMD-05", "token-reactive")
    elif use in EXECUTIVE_USES and (state.phase, state.step) != (TACTICAL, EXECUTIVE):
        return Refusal("CMD-03", "token-executive")
    if side.command_tokens <= 0:
        return Refusal("CMD-01", "no-token")
    if side.token_cap and side.tokens_this_turn >= side.token_cap:
        return Refusal("CMD-02", "token-capped", {"limit": side.token_cap})
    return None


def _before_the_game(game: Game, action: a.UseToken) -> Decision:
    """One more trooper kept in reserve by the first player; a Speedball of each player's (SEQ-09)."""
    seat, use, side = action.seat, action.use, game.side(action.seat)
    if not game.edition.command_tokens or (use == "speedball" and not game.edition.speedballs):
        return Refusal("SEQ-09", "not-in-edition")
    if action.troopers or action.groups:
        return Refusal("SEQ-09", "token-shape")
    if game.state.turns or game.state.over is not None:
        return Refusal("SEQ-09", "token-before")
    if use == "reserve":
        if seat is not game.options.first:
            return Refusal("SEQ-09", "reserve-first", {"seat": game.options.first})
        if any(other.logistical_used for other in game.state.seats):
            return Refusal("SEQ-09", "reserve-late")
    if side.strategic_used if use == "reserve" else side.logistical_used:
        return Refusal("SEQ-09", "token-once")
    if side.command_tokens <= 0:
        return Refusal("CMD-01", "no-token")
    return (e.TokenSpent(game.position + 1, seat, use),)


def _one(game: Game, action: a.UseToken, rule: str) -> int | Refusal:
    if len(action.troopers) != 1:
        return Refusal(rule, "token-shape")
    return find(game, action.seat, action.troopers[0], rule)


def _strip(game: Game, action: a.UseToken) -> Decision:
    victim = action.seat.other
    side = game.side(victim)
    if not 1 <= len(action.groups) <= 2 or action.troopers:
        return Refusal("CMD-02", "token-shape")
    limit = game.edition.strip_needs_more_than
    if limit is not None and (count := _orders_on_table(game, victim)) <= limit:
        return Refusal("CMD-02", "token-order-count", {"count": count, "limit": limit})
    pools = dict(side.pools)
    for group in action.groups:
        if pools.get(group, NO_ORDERS).left < action.groups.count(group):
            return Refusal("CMD-02", "token-pool", {"group": group})
    position = game.position + 1
    if len(action.groups) > 1 and _counterintelligence(game, victim):
        # The token is spent by then: the skill is an answer, never a refusal.
        return (e.CounterintelligenceUsed(position, victim), e.OrdersStripped(position, victim, action.groups[:1]))
    return (e.OrdersStripped(position, victim, action.groups),)


def _counterintelligence(game: Game, seat: Seat) -> bool:
    return any("counterintelligence" in trooper.skills for trooper in game.army(seat).troopers)


def _orders_on_table(game: Game, seat: Seat) -> int:
    """Regular, Irregular and Tactical orders left on the table; private ones and the Lieutenant's not counted."""
    side = game.side(seat)
    own = sum(t.irregular.left + t.fixed.left + t.tactical.left for t in side.troopers)
    return own + sum(count.left for _, count in side.pools)


def _cap(game: Game, action: a.UseToken) -> Decision:
    if action.troopers or action.groups:
        return Refusal("CMD-02", "token-shape")
    position, victim = game.position + 1, action.seat.other
    if _counterintelligence(game, victim):
        return (e.CounterintelligenceUsed(position, victim), e.TokensCapped(position, victim, 2))
    return (e.TokensCapped(position, victim),)


def _suppress(game: Game, action: a.UseToken) -> Decision:
    place = _one(game, action, "CMD-02")
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    if refusal := on_table(game, seat, place, "CMD-02"):
        return refusal
    if "suppressive-fire" in game.side(seat).troopers[place].states:
        return Refusal("CMD-02", "state-there", {"trooper": name, "state": "suppressive-fire"})
    return (e.StateRecorded(game.position + 1, seat, seat, name, "suppressive-fire"),)


def _group(game: Game, action: a.UseToken) -> Decision:
    place = _one(game, action, "CMD-03")
    if isinstance(place, Refusal):
        return place
    if len(action.groups) != 1:
        return Refusal("CMD-03", "token-shape")
    seat, name, group = action.seat, action.troopers[0], action.groups[0]
    army, side = game.army(seat), game.side(seat)
    trooper = army.troopers[place]
    if trooper.controller is not None:
        return Refusal("ORD-16", "peripheral", {"trooper": name, "controller": trooper.controller})
    if refusal := _in_the_game(game, seat, place):
        return refusal
    if group not in army.groups:
        return Refusal("CMD-03", "no-group", {"group": group})
    if side.troopers[place].group == group:
        return Refusal("CMD-03", "token-same-group", {"trooper": name, "group": group})
    section = reinforcement_groups(army)
    if (group in section or side.troopers[place].group in section) and (
        not side.reinforced or side.reinforced == game.state.turns
    ):
        return Refusal("REI-03", "token-section", {"group": group})
    return _moved(game, seat, place, group)


def _moved(game: Game, seat: Seat, place: int, group: int, *, with_order: bool = False) -> Decision:
    """A trooper changes its combat group, if there is room, and leaves its Fireteam (CMD-03, FT-05)."""
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    if group_room(edition, army, side, group) < 1:
        seen = group_room(edition, army, side, group, seen_only=True)
        # Others count whom they see: where a hidden one fills the group they must not hear it (INF).
        return Refusal("CMD-03", "token-room", {"group": group}, private=seen >= 1)
    course = Course(game)
    course.add(e.GroupChanged(course.position, seat, army.troopers[place].id, group, with_order))
    departure(course, seat, place, "group")
    return tuple(course.events)


def _commlink(game: Game, action: a.UseToken) -> bool:
    """Whether this is the free change of the trooper with Commlink into the Reinforcements' group (REI-03)."""
    army, side, state = game.army(action.seat), game.side(action.seat), game.state
    if not side.reinforced or side.reinforced != state.turns or state.active is not action.seat:
        return False
    place = army.index.get(action.troopers[0]) if len(action.troopers) == 1 else None
    return (
        place is not None
        and len(action.groups) == 1
        and action.groups[0] in reinforcement_groups(army)
        and any(skill.startswith("commlink") for skill in army.troopers[place].skills)
    )


def _into_the_section(game: Game, action: a.UseToken) -> Decision:
    """The trooper with Commlink joins the Reinforcements for nothing, its order with it, up to the first order."""
    seat, name, group = action.seat, action.troopers[0], action.groups[0]
    place = game.army(seat).index[name]
    if game.state.activated:
        return Refusal("REI-03", "commlink-late")
    if refusal := on_table(game, seat, place, "REI-03"):
        return refusal
    side = game.side(seat)
    old = side.troopers[place].group
    if old == group:
        return Refusal("CMD-03", "token-same-group", {"trooper": name, "group": group})
    counted = is_regular(game.edition, game.army(seat), side, place) and dict(side.pools).get(old, NO_ORDERS).left > 0
    return _moved(game, seat, place, group, with_order=counted)


def _in_the_game(game: Game, seat: Seat, place: int) -> Refusal | None:
    """Refuses a trooper that has left its group for good: gone from the table, Dead or Sepsitorized (STA-04)."""
    state = game.side(seat).troopers[place]
    name = game.army(seat).troopers[place].id
    if state.place == "evacuated":
        return Refusal("RET-06", "evacuated", {"trooper": name})
    for gone in ("dead", "sepsitorized"):
        if gone in state.states:
            return Refusal("STA-04", "null", {"trooper": name, "state": gone})
    return None


def _unpossess(game: Game, action: a.UseToken) -> Decision:
    place = _one(game, action, "CMD-03")
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    if "possessed" not in game.side(seat).troopers[place].states:
        return Refusal("CMD-03", "token-not-possessed", {"trooper": name})
    return (e.StateCleared(game.position + 1, seat, seat, name, "possessed"),)


def _convert(game: Game, action: a.UseToken) -> Decision:
    place = _one(game, action, "CMD-04")
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    state = game.side(seat).troopers[place]
    # A fallen trooper's order lies there still (ORD-13).
    if state.place != TABLE and (refusal := on_table(game, seat, place, "CMD-04")):
        return refusal
    if not state.irregular.left or "isolated" in state.states:
        return Refusal("CMD-04", "token-no-irregular", {"trooper": name})
    return (e.OrderConverted(game.position + 1, seat, name, state.group),)


def _hold(game: Game, action: a.UseToken) -> Decision:
    place = _one(game, action, "CMD-04")
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    if refusal := on_table(game, seat, place, "CMD-04"):
        return refusal
    if not has_retreat_marker(game.edition, game.army(seat), game.side(seat), place):
        return Refusal("CMD-04", "token-no-marker", {"trooper": name})
    return (e.RetreatIgnored(game.position + 1, seat, name),)


def _coordinate(game: Game, action: a.UseToken) -> Decision:
    if len(action.groups) != 1:
        return Refusal("CMD-04", "token-shape")
    order = coordinated(game, action.seat, action.groups[0], action.troopers)
    return order if isinstance(order, Refusal) else (order,)


def _guts(game: Game, action: a.UseToken) -> Decision:
    """A Guts Roll passed or failed without dice; who is Null makes none."""
    place = _one(game, action, "CMD-04")
    return place if isinstance(place, Refusal) else on_table(game, action.seat, place, "CMD-04") or ()


def _reroll(game: Game, action: a.UseToken) -> Decision:
    """A roll of Doctor or Engineer made again, for the trooper named, who may be the patient: so it may be Null."""
    place = _one(game, action, "CMD-04")
    if isinstance(place, Refusal):
        return place
    if game.side(action.seat).troopers[place].place != TABLE:
        return on_table(game, action.seat, place, "CMD-04") or ()
    return ()


def _team(game: Game, action: a.UseToken) -> Decision:
    """A Fireteam made in the own turn (FT-01)."""
    if game.state.order is not None:
        return Refusal("FT-01", "order-open", {"step": game.state.order.step})
    if action.groups:
        return Refusal("FT-01", "token-shape")
    return formed(game, action.seat, action.troopers)


def _other(game: Game, action: a.UseToken) -> Decision:
    """A use that the tray only counts."""
    return Refusal("CMD-01", "token-shape") if action.troopers or action.groups else ()


_EFFECTS: dict[str, _Effect] = {
    "strip": _strip,
    "cap": _cap,
    "suppress": _suppress,
    "group": _group,
    "unpossess": _unpossess,
    "convert": _convert,
    "hold": _hold,
    "coordinate": _coordinate,
    "guts": _guts,
    "reroll": _reroll,
    "team": _team,
    "other": _other,
    "reserve": _other,
    "speedball": _other,
}
