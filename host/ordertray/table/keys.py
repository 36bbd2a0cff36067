"""What a key means. Each has one meaning in a pace, whatever nobody sees."""

from __future__ import annotations

from ..rules import Refusal, Seat
from ..rules import actions as a
from ..rules.editions import ORDERS, STATES, TACTICAL
from ..rules.game import OFF_TABLE
from .model import ButtonPress, Pending
from .plan import Plan, Stop
from .reasons import refused
from .spending import name_lieutenant, spend


def key(plan: Plan, press: ButtonPress) -> None:
    """A key of a side was pressed, or held. Whatever waited on that side waits no longer."""
    seat = press.seat
    waited = plan.waiting.pop(seat, None)
    try:
        _key(plan, press, waited)
    except Stop as stop:
        if waited is None or stop.refusal.code not in ("nothing-to-pass", "not-now"):
            raise
        plan.means("waits-no-more")


def _key(plan: Plan, press: ButtonPress, waited: Pending | None) -> None:
    seat, order = press.seat, plan.order
    active = plan.game.state.active is seat
    if press.button in ("basic", "short", "long"):
        _label(plan, seat, press.button, held=press.held)
    elif press.button == "aro":
        if active:
            _ask(plan)
        else:
            target = None if plan.game.state.active is None else plan.first_target(seat.other)
            plan.do(a.DeclareAro(seat, None, None, target))
            plan.means("aro")
    elif press.button == "pass":
        if not active:
            plan.do(a.Pass(seat))
            plan.means("window", key="PASS")
        elif order is None:
            raise Stop(refused("nothing-to-pass"))
        else:
            _no_second(plan, seat)
    elif press.held:
        _next_phase(plan, seat, waited)
    else:
        _confirm(plan, seat, waited)


def _ask(plan: Plan) -> None:
    """The active side wants to hear: does anybody react? The other side's clock runs until it has said so."""
    if not plan.window():
        raise Stop(refused("no-window"))
    plan.asked = True
    plan.signal = "window"
    plan.means("asks")


# --- labels ----------------------------------------------------------------------------------------------------------


def _label(plan: Plan, seat: Seat, label: str, *, held: bool) -> None:
    """A skill's label. Express: the first skill was BASIC, by voice; so SHORT is the second, LONG a correction."""
    order, sequence = plan.order, plan.game.edition.sequence
    first = order is not None and not order.skills
    if plan.express and order is not None and plan.game.state.active is seat and not first:
        if label == "long" or (label == "short" and held):
            _correct(plan, seat, label)
            return
        if order.step == sequence.first_aro:
            plan.close_window(seat)
    plan.do(a.DeclareSkill(seat, label))
    plan.means("first" if first else "second", label=label)


def _correct(plan: Plan, seat: Seat, label: str) -> None:
    """The order was another than announced: its first skill is replaced, what was declared against it stays."""
    played = plan.played
    count = next(
        (number for number, action in enumerate(reversed(played), 1) if _is_first_skill(plan, seat, action, number)), 0
    )
    if not count:
        plan.do(a.DeclareSkill(seat, label))  # refused, with its reason
        return
    old = played[len(played) - count]
    if isinstance(old, a.DeclareSkill) and old.label == label and old.name is None:
        raise Stop(refused("label-is", label=label.upper()))
    after, passes = [], 0
    for action in played[len(played) - count + 1 :]:
        if isinstance(action, a.Pass) and not action.troopers:
            passes += 1
        if isinstance(action, a.DeclareSkill | a.End) or (isinstance(action, a.Pass) and passes > 1):
            continue
        after.append(action)
    plan.replay_instead(count, [a.DeclareSkill(seat, label), *after])
    plan.means("corrected", label=label)


def _is_first_skill(plan: Plan, seat: Seat, action: a.Action, number: int) -> bool:
    """Whether the `number`-th last action declared the first skill of the order in progress."""
    if not isinstance(action, a.DeclareSkill) or action.seat is not seat:
        return False
    earlier = plan.played[: len(plan.played) - number]
    before = next((one for one in reversed(earlier) if isinstance(one, a.DeclareSkill | a.Spend | a.UseToken)), None)
    if isinstance(before, a.UseToken) and before.use != "coordinate":
        before = next((one for one in reversed(earlier) if isinstance(one, a.DeclareSkill | a.Spend)), None)
    return not isinstance(before, a.DeclareSkill)


# --- PASS and OK -----------------------------------------------------------------------------------------------------


def _no_second(plan: Plan, seat: Seat) -> None:
    """The active side: no second skill; on to resolution."""
    sequence = plan.game.edition.sequence
    if plan.express:
        plan.close_window(seat)
    if plan.order is not None and plan.order.step in (sequence.first_skill, sequence.second_skill, *_windows(plan)):
        plan.do(a.End(seat))
    elif len(plan.steps) == 0:
        raise Stop(refused("nothing-to-pass"))
    plan.means("no-second")


def _windows(plan: Plan) -> tuple[str, ...]:
    sequence = plan.game.edition.sequence
    return tuple(step for step in (sequence.first_aro, sequence.second_aro) if step is not None)


def _confirm(plan: Plan, seat: Seat, waited: Pending | None) -> None:
    """OK: the reactive side is done reacting; the active side ends the order."""
    order, sequence = plan.order, plan.game.edition.sequence
    if waited is not None and waited.what == "command":
        plan.do(a.UseToken(seat, "other"))
        plan.means("voice")
    elif waited is not None and waited.what == "lieutenant":
        plan.waiting[seat] = waited
        name_lieutenant(plan, seat)
    elif waited is not None and waited.what == "actor" and _hidden(plan, seat, waited.word):
        spend(plan, seat, "own", None, waited.word)
    elif order is None:
        raise Stop(refused("not-now"))
    elif plan.game.state.active is not seat:
        plan.do(a.Pass(seat))
        plan.means("window", key="OK")
    elif order.step == sequence.first_skill:
        raise Stop(refused("label-here"))
    elif order.step == sequence.first_aro and not plan.express:
        plan.do(a.End(seat))  # refused: the window is the other side's to close
    else:
        plan.close_order(seat)
        plan.means("over")


def _hidden(plan: Plan, seat: Seat, trooper: str | None) -> bool:
    """Whether a trooper off the table has its own order to appear with (ORD-19)."""
    place = plan.game.army(seat).index.get(trooper or "")
    if place is None:
        return False
    state = plan.game.side(seat).troopers[place]
    return state.place == OFF_TABLE and bool(state.own.left)


def _next_phase(plan: Plan, seat: Seat, waited: Pending | None) -> None:
    """OK held: the next phase; in express as far as the next one in which something can be done."""
    state = plan.game.state
    if state.active is None:
        plan.do(a.Start(seat))
        plan.means("start")
        if plan.express and not plan.reinforcements_wait(seat):
            plan.on_to_orders(seat)
        return
    meant = waited is not None and waited.what == "next"
    if state.active is seat and state.phase == ORDERS and not meant and orders_left(plan, seat):
        _try_next(plan, seat)
        plan.wait(seat, "next")
        return
    if plan.express and state.active is seat:
        plan.close_order(seat)
        if state.phase == TACTICAL:
            plan.on_to_orders(seat)
            plan.means("next")
            return
    before = plan.game.state.phase
    plan.do(a.Next(seat))
    # Nothing keeps the turn open, unless a Lieutenant is still to be named (LOL-03).
    if plan.express and before == ORDERS and plan.would(a.Next(seat)):
        plan.do(a.Next(seat))
    plan.means("end" if plan.game.state.active is None else "next")


def _try_next(plan: Plan, seat: Seat) -> None:
    """Refused at once if it would be refused the second time."""
    trial = Plan(plan.table, plan.side, plan.now_ms)
    if trial.express:
        trial.close_order(seat)
    trial.do(a.Next(seat))


def orders_left(plan: Plan, seat: Seat) -> bool:
    """Whether orders lie there that everybody can see: pools, Irregular, Lieutenant, Tactical."""
    side = plan.game.side(seat)
    if side.lieutenant_orders.left or any(count.left for _, count in side.pools):
        return True
    return any(
        trooper.place != OFF_TABLE and (trooper.irregular.left or trooper.fixed.left or trooper.tactical.left)
        for trooper in side.troopers
    )


__all__ = ["STATES", "Refusal", "key", "orders_left"]
