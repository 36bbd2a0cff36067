"""Spending an order: who may be activated with what (ORD, SEQ-04, STA-01, STA-02)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import actions as a
from .. import events as e
from ..counting import inspires, is_impetuous, is_regular, may_take_pool_order, team_of
from ..course import Course
from ..editions import IMPETUOUS, ORDERS
from ..game import NO_ORDERS, OFF_TABLE, TABLE, Game
from ..refusals import Refusal
from ..seats import Seat
from .common import Decision, able, find, find_visible, on_table, own_turn, retreat_allows
from .conclusion import departure
from .teams import company

MAX_COORDINATED = 4


def spend(game: Game, action: a.Spend) -> Decision:
    """Activate a trooper with an order (ACT-13 steps 1 and 1.1)."""
    spending = _SPEND.get(action.kind)
    if spending is None:
        return Refusal("ORD-01", "no-such-word", {"word": action.kind})
    return may_activate(game, action.seat, action.kind) or spending(game, action)


def may_activate(game: Game, seat: Seat, kind: str) -> Refusal | None:
    """Refuses when no order of `kind` may be spent now, whoever it is for."""
    if refusal := own_turn(game, seat):
        return refusal
    state = game.state
    if state.order is not None:
        return Refusal(game.edition.sequence.rule, "order-open", {"step": state.order.step})
    if kind == "impetuous":
        if state.phase == IMPETUOUS:
            return None
        if IMPETUOUS not in game.edition.phases:
            return Refusal("SEQ-03", "not-in-edition")
        return (
            Refusal("RET-05", "impetuous-retreat")
            if game.side(seat).retreat
            else Refusal("SEQ-04", "impetuous-over", {"phase": state.phase})
        )
    if state.phase == ORDERS:
        return None
    if state.phase == IMPETUOUS:
        return Refusal("SEQ-04", "impetuous-phase")
    return Refusal("SEQ-02", "wrong-phase", {"phase": state.phase})


def _one(game: Game, action: a.Spend) -> int | Refusal:
    """The one trooper that an order outside the pool is for; never a peripheral (ORD-16)."""
    if len(action.troopers) != 1:
        return Refusal("ORD-01", "unnamed-trooper")
    return _own_trooper(game, action.seat, action.troopers[0])


def _own_trooper(game: Game, seat: Seat, name: str) -> int | Refusal:
    place = find(game, seat, name, "ORD-01")
    if isinstance(place, Refusal):
        return place
    trooper = game.army(seat).troopers[place]
    if trooper.controller is not None:
        return Refusal("ORD-16", "peripheral", {"trooper": name, "controller": trooper.controller})
    return place


def _regular(game: Game, action: a.Spend) -> Decision:
    seat, group = action.seat, action.group
    side = game.side(seat)
    if group is None or (group not in game.army(seat).groups and group not in dict(side.pools)):
        return Refusal("ORD-12", "no-group", {"group": group})
    left = _left(game, seat, group)
    if any(":" in name for name in action.troopers):
        return _captive(game, action, left)
    # With nobody named the pool is asked first: whether the group has somebody may rest on who is hidden (INF).
    if (left or action.troopers) and (refusal := _pool_trooper(game, seat, group, action.troopers)):
        return refusal
    if not left:
        return Refusal("ORD-17", "pool-empty", {"group": group})
    if not action.troopers:
        return (e.OrderSpent(game.position + 1, seat, "regular", group, (), None),)
    whole = _as_one(game, seat, action.troopers)
    if isinstance(whole, Refusal):
        return whole
    return (e.OrderSpent(game.position + 1, seat, "regular", group, whole[0], None, team=whole[1]),)


def _as_one(game: Game, seat: Seat, troopers: tuple[str, ...]) -> tuple[tuple[str, ...], bool] | Refusal:
    """Who an order for `troopers` activates, the Leader first, and whether they are a Fireteam (FT-02).

    Several named without a team are activated as one, if they could be a team.
    """
    side, army = game.side(seat), game.army(seat)
    if not side.teams and len(troopers) == 1:
        return troopers, False
    team = team_of(side, army.index[troopers[0]])
    if team is None:
        if len(troopers) == 1:
            return troopers, False
        for name in troopers[1:]:
            if team_of(side, army.index[name]) is not None:
                return Refusal("FT-02", "in-team", {"trooper": name})
        if not game.edition.command_tokens:
            return Refusal("FT-01", "not-in-edition")
        return company(game, seat, troopers, "FT-01") or (troopers, False)
    members = tuple(army.troopers[place].id for place in team.members)
    for name in troopers[1:]:
        if name not in members:
            return Refusal("FT-02", "not-in-team", {"trooper": name})
    return (troopers[0], *(name for name in members if name != troopers[0])), True


def _captive(game: Game, action: a.Spend, left: int) -> Decision:
    """A trooper of the other side that one has Possessed acts on an order of one's pool (ORD-24)."""
    seat, group, other = action.seat, action.group, action.seat.other
    if "possessed" not in game.edition.null_states:
        return Refusal("ORD-24", "not-in-edition")
    owner, _, name = action.troopers[0].partition(":")
    if len(action.troopers) > 1 or owner != other:
        return Refusal("ORD-24", "captive-alone")
    place = find_visible(game, other, name, "ORD-24", seat)
    if isinstance(place, Refusal):
        return place
    stands = game.side(other).troopers[place]
    if stands.states.isdisjoint(("possessed", "sepsitorized")):
        return Refusal("ORD-24", "not-captive", {"trooper": name})
    if stands.place != TABLE or not stands.states.isdisjoint(("dead", "unconscious", "disconnected")):
        return Refusal("STA-01", "captive-out", {"trooper": name})
    if "isolated" in stands.states:
        return Refusal("STA-02", "isolated", {"trooper": name})
    if not left:
        return Refusal("ORD-17", "pool-empty", {"group": group})
    captive = f"{other}:{game.army(other).troopers[place].id}"
    return (e.OrderSpent(game.position + 1, seat, "regular", group, (), None, captive=captive),)


def name_trooper(game: Game, action: a.NameTrooper) -> Decision:
    """Say who acts in an order of the pool that was spent without naming anyone (ACT-13 step 1)."""
    seat, name, order = action.seat, action.trooper, game.state.order
    if refusal := own_turn(game, seat):
        return refusal
    if order is None:
        return Refusal(game.edition.sequence.rule, "no-order")
    if order.troopers or order.captive is not None or order.group is None:
        return Refusal("ORD-01", "already-named")
    if refusal := _pool_trooper(game, seat, order.group, (name,)):
        return refusal
    place = (game.army(seat).index[name],)
    for skill in order.skills:
        if refusal := retreat_allows(game, seat, place, skill.label, skill.name):
            return refusal
    whole = _as_one(game, seat, (name,))
    if isinstance(whole, Refusal):
        return whole
    return (e.TrooperNamed(game.position + 1, seat, name, whole[0][1:], whole[1]),)


def _left(game: Game, seat: Seat, group: int) -> int:
    for number, count in game.side(seat).pools:
        if number == group:
            return count.left
    return 0


def _pool_trooper(
    game: Game, seat: Seat, group: int, troopers: tuple[str, ...], group_rule: str = "ORD-12"
) -> Refusal | None:
    """Refuses a trooper that the pool of `group` cannot activate; none named: somebody must be there (ORD-02).

    `group_rule` is the rule that wants it to be of the group.
    """
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    if not troopers:
        if any(
            state.group == group and may_take_pool_order(edition, army, side, place)
            for place, state in enumerate(side.troopers)
        ):
            return None
        return Refusal("ORD-02", "nobody", {"group": group})
    for name in troopers:
        place = _own_trooper(game, seat, name)
        if isinstance(place, Refusal):
            return place
        state = side.troopers[place]
        if state.group != group:
            return Refusal(group_rule, "other-group", {"trooper": name, "own": state.group, "group": group})
        if refusal := able(game, seat, place):
            return refusal
        if "isolated" in state.states:
            return Refusal("STA-02", "isolated", {"trooper": name})
        if state.place == OFF_TABLE and state.own.total > state.own.left:
            return Refusal("ORD-19", "arrive-first", {"trooper": name}, private=True)
    return None


def _irregular(game: Game, action: a.Spend) -> Decision:
    place = _one(game, action)
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    if refusal := _own_order(game, seat, place):
        return refusal
    state = game.side(seat).troopers[place]
    if not state.irregular.left and not state.fixed.left:
        return Refusal("ORD-03", "no-irregular", {"trooper": name})
    aware = (
        game.edition.tactical_awareness == "irregular"
        and "tactical-awareness" in game.army(seat).troopers[place].skills
    )
    if state.fixed.left and aware:  # the extra order of Tactical Awareness is the team's too (FT-02)
        return _for_the_team(game, seat, "irregular", state.group, place, None)
    return _alone(game, e.OrderSpent(game.position + 1, seat, "irregular", state.group, (name,), None))


def _for_the_team(game: Game, seat: Seat, kind: str, group: int | None, place: int, used_as: str | None) -> Decision:
    """An order by which a member activates its whole Fireteam (FT-02)."""
    name = game.army(seat).troopers[place].id
    whole = _as_one(game, seat, (name,))
    if isinstance(whole, Refusal):
        return whole
    return (e.OrderSpent(game.position + 1, seat, kind, group, whole[0], used_as, team=whole[1]),)


def _alone(game: Game, spent: e.OrderSpent) -> Decision:
    """An order by which a member acts without its Fireteam, and so leaves it (FT-05)."""
    side, place = game.side(spent.seat), game.army(spent.seat).index[spent.troopers[0]]
    if not side.teams or team_of(side, place) is None:
        return (spent,)
    course = Course(game, spent)
    departure(course, spent.seat, place, spent.kind)
    return tuple(course.events)


def _own_order(game: Game, seat: Seat, place: int) -> Refusal | None:
    if game.side(seat).troopers[place].place == OFF_TABLE:
        return Refusal("ORD-19", "own-only", {"trooper": game.army(seat).troopers[place].id}, private=True)
    return able(game, seat, place)


def _tactical(game: Game, action: a.Spend) -> Decision:
    place = _one(game, action)
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    if refusal := _own_order(game, seat, place):
        return refusal
    state = game.side(seat).troopers[place]
    if not state.tactical.left:
        return Refusal("ORD-07", "no-tactical", {"trooper": name})
    return _for_the_team(game, seat, "tactical", state.group, place, None)


def _impetuous(game: Game, action: a.Spend) -> Decision:
    place = _one(game, action)
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    state = game.side(seat).troopers[place]
    if state.place == OFF_TABLE:  # it comes on the table by it: token and own order both go (SEQ-08)
        if refusal := able(game, seat, place):
            return refusal
        if not is_impetuous(game.army(seat).troopers[place], state) or not state.own.left:
            return Refusal("SEQ-04", "off-table", {"trooper": name}, private=True)
        return (e.OrderSpent(game.position + 1, seat, "impetuous", state.group, (name,), None),)
    if refusal := on_table(game, seat, place, "SEQ-04"):
        return refusal
    if not state.impetuous.left:
        return Refusal("SEQ-04", "impetuous-none", {"trooper": name})
    return _alone(game, e.OrderSpent(game.position + 1, seat, "impetuous", state.group, (name,), None))


def _own(game: Game, action: a.Spend) -> Decision:
    """The private order of a trooper off the table, to appear with (ORD-19)."""
    place = _one(game, action)
    if isinstance(place, Refusal):
        return place
    seat, name = action.seat, action.troopers[0]
    state = game.side(seat).troopers[place]
    if state.place != OFF_TABLE:
        return able(game, seat, place) or Refusal("ORD-19", "on-table", {"trooper": name})
    if refusal := able(game, seat, place):
        return refusal
    if not state.own.left:
        return Refusal("ORD-19", "no-own", {"trooper": name}, private=True)
    return (e.OrderSpent(game.position + 1, seat, "own", state.group, (name,), None),)


def _lieutenant(game: Game, action: a.Spend) -> Decision:
    """The Lieutenant order: for the Lieutenant, an NCO, or those whom the Lieutenant inspires (ORD-06, ORD-08)."""
    seat, side, army = action.seat, game.side(action.seat), game.army(action.seat)
    if not side.lieutenant_orders.left or side.lieutenant is None:
        return Refusal("ORD-06", "no-lieutenant-order")
    if len(action.troopers) > 1:
        return _inspired(game, action)
    names = action.troopers or (army.troopers[side.lieutenant].id,)
    place = _own_trooper(game, seat, names[0])
    if isinstance(place, Refusal):
        return place
    used_as = None
    if place != side.lieutenant:
        used_as = game.edition.nco_spends_as if "nco" in army.troopers[place].skills else None
        if used_as is None:
            return Refusal("ORD-06", "not-lieutenant", {"trooper": names[0]}, private=True)
    # What keeps the Lieutenant from acting would tell who it is (LOL-05).
    if refusal := on_table(game, seat, place, "ORD-06"):
        return replace(refusal, private=True)
    if used_as and "isolated" in side.troopers[place].states:
        return Refusal("ORD-08", "nco-isolated", {"trooper": names[0]}, private=True)
    if used_as:
        return _for_the_team(game, seat, "lieutenant", None, place, used_as)
    return _alone(game, e.OrderSpent(game.position + 1, seat, "lieutenant", None, names, used_as))


def _inspired(game: Game, action: a.Spend) -> Decision:
    seat, side, army = action.seat, game.side(action.seat), game.army(action.seat)
    assert side.lieutenant is not None
    if not game.edition.command_tokens:  # nor Coordinated Orders
        return Refusal("SEQ-03", "not-in-edition")
    leader = army.troopers[side.lieutenant].id
    if leader not in action.troopers or not inspires(game.edition, army, side):
        return Refusal("CMD-04", "no-inspiring", private=True)
    group = side.troopers[side.lieutenant].group
    if refusal := coordination(game, seat, group, action.troopers):
        return replace(refusal, private=True)
    return (e.OrderSpent(game.position + 1, seat, "coordinated", group, action.troopers, None, True),)


def coordination(game: Game, seat: Seat, group: int, troopers: tuple[str, ...]) -> Refusal | None:
    """Refuses troopers that cannot share one order: two to four of one group and training (CMD-04)."""
    if not 2 <= len(troopers) <= MAX_COORDINATED or len(set(troopers)) != len(troopers):
        return Refusal("CMD-04", "token-coordinate")
    if refusal := _pool_trooper(game, seat, group, troopers, "CMD-04"):
        return refusal
    edition, army, side = game.edition, game.army(seat), game.side(seat)
    for name in troopers:
        place = army.index[name]
        if team_of(side, place) is not None:
            return Refusal("FT-07", "coordinated-team", {"trooper": name})
        if any(side.troopers[other].place == TABLE for other in army.peripherals[place]):
            return Refusal("CMD-04", "coordinated-controller", {"trooper": name})
    if len({is_regular(edition, army, side, army.index[name]) for name in troopers}) > 1:
        return Refusal("CMD-04", "token-training")
    return None


def coordinated(game: Game, seat: Seat, group: int, troopers: tuple[str, ...]) -> e.OrderSpent | Refusal:
    """The Coordinated Order itself: it spends one Regular order of the group (CMD-04)."""
    if refusal := may_activate(game, seat, "coordinated"):
        return refusal
    if refusal := coordination(game, seat, group, troopers):
        return refusal
    if not dict(game.side(seat).pools).get(group, NO_ORDERS).left:
        return Refusal("ORD-17", "pool-empty", {"group": group})
    return e.OrderSpent(game.position + 1, seat, "coordinated", group, troopers, None)


_SPEND: dict[str, Callable[[Game, a.Spend], Decision]] = {
    "regular": _regular,
    "irregular": _irregular,
    "tactical": _tactical,
    "impetuous": _impetuous,
    "own": _own,
    "lieutenant": _lieutenant,
}
