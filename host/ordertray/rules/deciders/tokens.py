"""Command Tokens (CMD)."""

from __future__ import annotations

from collections.abc import Callable

from .. import actions as a
from .. import events as e
from ..counting import group_room, has_retreat_marker
from ..editions import EXECUTIVE, ORDER_COUNT, TACTICAL
from ..game import NO_ORDERS, TABLE, Game
from ..refusals import Refusal
from ..seats import Seat
from .activation import coordinated
from .common import Decision, find, on_table, under_way

STRATEGIC = frozenset({"strip", "cap", "suppress"})
EXECUTIVE_USES = frozenset({"group", "unpossess"})

#: The refusal that meets whoever would remove two orders from an army with Counterintelligence.
ONE_GROUP = "token-one-group"

_Effect = Callable[[Game, a.UseToken], Decision]


def use_token(game: Game, action: a.UseToken) -> Decision:
    """Spend a Command Token (CMD-01 to CMD-05)."""
    effect = _EFFECTS.get(action.use)
    if effect is None:
        return Refusal("CMD-01", "no-such-word", {"word": action.use})
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
        first_turn = state.turns == 1 and state.active is not seat
        counted = state.phase != TACTICAL or state.step == ORDER_COUNT
        if not (first_turn and counted) or state.activated:
            return Refusal("CMD-02", "token-strategic")
        if side.strategic_used:
            return Refusal("CMD-02", "token-strategic-used")
    elif state.active is not seat:
        return Refusal("CMD-05", "token-reactive")
    elif use in EXECUTIVE_USES and (state.phase, state.step) != (TACTICAL, EXECUTIVE):
        return Refusal("CMD-03", "token-executive")
    if side.command_tokens <= 0:
        return Refusal("CMD-01", "no-token")
    if side.token_cap and side.tokens_this_turn >= 1:
        return Refusal("CMD-02", "token-capped")
    return None


def _one(game: Game, action: a.UseToken, rule: str) -> int | Refusal:
    if len(action.troopers) != 1:
        return Refusal(rule, "token-shape")
    return find(game, action.seat, action.troopers[0], rule)


def _strip(game: Game, action: a.UseToken) -> Decision:
    victim = action.seat.other
    side, army = game.side(victim), game.army(victim)
    if not 1 <= len(action.groups) <= 2 or action.troopers:
        return Refusal("CMD-02", "token-shape")
    limit = game.edition.strip_needs_more_than
    if limit is not None and (count := _orders_on_table(game, victim)) <= limit:
        return Refusal("CMD-02", "token-order-count", {"count": count, "limit": limit})
    pools = dict(side.pools)
    for group in action.groups:
        if pools.get(group, NO_ORDERS).left < action.groups.count(group):
            return Refusal("CMD-02", "token-pool", {"group": group})
    # Asked last: what is refused for this alone must not be told apart before it is tried (see `each_legal_action`).
    if len(action.groups) > 1 and any("counterintelligence" in trooper.skills for trooper in army.troopers):
        return Refusal("CMD-02", ONE_GROUP)
    return (e.OrdersStripped(game.position + 1, victim, action.groups),)


def _orders_on_table(game: Game, seat: Seat) -> int:
    """Regular, Irregular and Tactical orders left on the table; private ones and the Lieutenant's not counted."""
    side = game.side(seat)
    own = sum(t.irregular.left + t.fixed.left + t.tactical.left for t in side.troopers)
    return own + sum(count.left for _, count in side.pools)


def _cap(game: Game, action: a.UseToken) -> Decision:
    if action.troopers or action.groups:
        return Refusal("CMD-02", "token-shape")
    return (e.TokensCapped(game.position + 1, action.seat.other),)


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
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    trooper = army.troopers[place]
    if trooper.controller is not None:
        return Refusal("ORD-16", "peripheral", {"trooper": name, "controller": trooper.controller})
    if refusal := _in_the_game(game, seat, place):
        return refusal
    if group not in army.groups:
        return Refusal("CMD-03", "no-group", {"group": group})
    if side.troopers[place].group == group:
        return Refusal("CMD-03", "token-same-group", {"trooper": name, "group": group})
    if group_room(edition, army, side, group) < 1:
        return Refusal("CMD-03", "token-room", {"group": group})
    return (e.GroupChanged(game.position + 1, seat, name, group),)


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
    if refusal := on_table(game, seat, place, "CMD-04"):
        return refusal
    state = game.side(seat).troopers[place]
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
}
