"""`touch`: from a tap or a press to actions, all of which are accepted or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby

from ..rules import Action, Game, Refusal, Seat, play
from ..rules import actions as a
from ..rules.charts import BASIC
from ..rules.counting import activated
from ..rules.editions import IMPETUOUS, ORDERS, STATES, TACTICAL
from ..rules.game import Order
from ..tokens.model import Token, TokenKind
from .model import ButtonPress, Outcome, Pace, Pending, Step, Table, TagTap, Touch
from .reasons import refused


class _Stop(Exception):  # noqa: N818 - no error: it ends the planning of one touch
    """The touch is refused."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class _Plan:
    """The actions of one touch, followed through the game as they are planned."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.game: Game = table.game
        self.steps: list[Step] = []
        self.pending: Pending | None = None
        self.implied = table.implied

    @property
    def order(self) -> Order | None:
        """The order in progress."""
        return self.game.state.order

    def do(self, action: Action, *, implied: bool = False) -> None:
        """One more action; a refusal ends the touch."""
        outcome = play(self.game, action)
        if isinstance(outcome, Refusal):
            raise _Stop(outcome)
        self.game, events = outcome
        self.steps.append(Step(action, events, self.game, implied))

    def declare(self, seat: Seat, label: str, *, implied: bool = False) -> None:
        """A skill; `implied` when its announcement was by voice."""
        first = self.order is not None and not self.order.skills
        self.do(a.DeclareSkill(seat, label), implied=implied)
        if first:
            self.implied = implied


def act(table: Table, action: Action) -> Outcome:
    """An action as it is, from the page or a script; `undo` takes back the whole last touch."""
    seat = getattr(action, "seat", None)
    if isinstance(action, a.Undo):
        return _outcome(table, seat, "undo", lambda plan: _undo(plan, action.at))
    return _outcome(table, seat, "ok", lambda plan: plan.do(action))


def touch(table: Table, what: Touch) -> Outcome:
    """What a tap or a press comes to. The table given is not changed; the outcome holds the next one."""
    if isinstance(what, ButtonPress) and what.button == "pass" and what.held:
        return _outcome(table, what.seat, "undo", lambda plan: _undo(plan, None))
    meaning: Callable[[_Plan], None]
    if isinstance(what, TagTap):
        tap = what
        meaning = lambda plan: _tag(plan, tap)  # noqa: E731
    else:
        press = what
        meaning = lambda plan: _button(plan, press)  # noqa: E731
    return _outcome(table, what.seat, "ok", meaning)


def _outcome(table: Table, side: Seat | None, signal: str, meaning: Callable[[_Plan], None]) -> Outcome:
    plan = _Plan(table)
    try:
        meaning(plan)
    except _Stop as stop:
        return Outcome(replace(table, pending=None), side, "refused", (), stop.refusal)
    touches = _touches(table.touches, plan.steps)
    after = Table(plan.game, table.tokens, table.pace, plan.pending, touches, plan.implied)
    return Outcome(after, side, signal, tuple(plan.steps))


def _touches(before: tuple[int, ...], steps: Iterable[Step]) -> tuple[int, ...]:
    """The sizes of the touches after one more: it joins the last one where it only changed what that one did."""
    taken_back = made = 0
    for step in steps:
        if isinstance(step.action, a.Undo):
            taken_back += 1
        else:
            made += 1
    if made > taken_back:
        return (*before, made - taken_back)
    return before[:-1] if taken_back > made else before


def _undo(plan: _Plan, at: int | None) -> None:
    touches = plan.table.touches
    for number in range(touches[-1] if touches else 1):
        plan.do(a.Undo(at=at if number == 0 else None))
    # What the order before it implied is not worth keeping: a label pressed now is a second skill.
    plan.implied = False


# --- discs and tags --------------------------------------------------------------------------------------------------


def _tag(plan: _Plan, tap: TagTap) -> None:
    token = plan.table.tokens.get(tap.uid)
    if token is None:
        raise _Stop(refused("unknown-tag", uid=tap.uid))
    pending = plan.table.pending
    if pending is not None and pending.seat is tap.seat:
        if _second_touch(plan, tap, token, pending):
            return
    else:
        pending = None
    owner = Seat(token.owner)
    if token.kind is TokenKind.STATE:
        plan.pending = Pending(tap.seat, "state", token.state)
    elif token.kind is TokenKind.COMMAND:
        plan.pending = Pending(tap.seat, "command")
    elif token.kind is TokenKind.TROOPER:
        _trooper_tag(plan, tap.seat, owner, token.trooper or "")
    else:
        actor = pending.word if pending is not None and pending.what == "actor" else None
        _order_disc(plan, tap.seat, owner, token, actor)


def _second_touch(plan: _Plan, tap: TagTap, token: Token, pending: Pending) -> bool:
    """Whether the tap completed what a first touch began (or took it back)."""
    if pending.what == "state":
        if token.kind is not TokenKind.STATE:
            _record(plan, tap.seat, Seat(token.owner), _trooper_of(plan.game, token), pending.word)
        return True
    if pending.what == "command":
        if token.kind is not TokenKind.COMMAND:
            plan.do(a.UseToken(Seat(token.owner), "convert", (_trooper_of(plan.game, token),)))
        return True
    if pending.what == "order" and token.kind is TokenKind.TROOPER:
        _spend(plan, Seat(token.owner), pending.word or "", None, token.trooper)
        return True
    return False


def _trooper_of(game: Game, token: Token) -> str:
    """The trooper a disc stands for: by name, or the one of that number in its group."""
    if token.trooper is not None:
        return token.trooper
    if token.group is None or token.number is None:
        raise _Stop(refused("tap-a-trooper"))
    training = "irregular" if token.kind is TokenKind.IRREGULAR else "regular"
    members = [
        trooper.id
        for trooper in game.army(Seat(token.owner)).troopers
        if trooper.group == token.group and trooper.training == training and not trooper.is_peripheral
    ]
    if token.number > len(members):
        raise _Stop(refused("no-trooper-of-disc", group=token.group, number=token.number))
    return members[token.number - 1]


def _record(plan: _Plan, seat: Seat, owner: Seat, trooper: str, state: str | None) -> None:
    """Set a state. A disc that names none goes round: Unconscious, Dead, well again."""
    if state is None:
        place = plan.game.army(owner).index.get(trooper)
        states = plan.game.side(owner).troopers[place].states if place is not None else frozenset()
        if "dead" in states:
            plan.do(a.ClearState(seat, owner, trooper, "dead"))
            return
        state = "dead" if "unconscious" in states else "unconscious"
    plan.do(a.RecordState(seat, owner, trooper, state))


def _trooper_tag(plan: _Plan, pad: Seat, owner: Seat, trooper: str) -> None:
    """The reactive side's trooper reacts; the active side's says who acts, now or with the next order."""
    order, active = plan.order, plan.game.state.active
    if active is not None and owner is not active:
        plan.do(a.DeclareAro(owner, trooper, None, _first_target(plan.game, active)))
    elif order is not None and not order.troopers and order.group is not None:
        plan.do(a.NameTrooper(owner, trooper))
    elif order is None or plan.table.pace is Pace.EXPRESS:
        plan.pending = Pending(pad, "actor", trooper)
    else:
        plan.do(a.NameTrooper(owner, trooper))  # refused, with its reason


def _first_target(game: Game, active: Seat) -> str | None:
    """Whom an ARO by tap is against, where an order activates several: the first (ACT-08)."""
    places = activated(game, active)
    return game.army(active).troopers[places[0]].id if places else None


# --- spending --------------------------------------------------------------------------------------------------------


def _order_disc(plan: _Plan, pad: Seat, owner: Seat, token: Token, actor: str | None) -> None:
    kind = token.kind.value
    game = plan.game
    if token.kind is TokenKind.LIEUTENANT and game.state.phase == STATES and actor is not None:
        plan.do(a.NameLieutenant(owner, actor))
        return
    if token.kind is TokenKind.REGULAR:
        _training_disc(plan, owner, token, actor)
        return
    if token.kind is TokenKind.LIEUTENANT:
        _spend(plan, owner, kind, None, actor)
        return
    trooper = token.trooper or actor
    if trooper is None and token.number is not None and token.group is not None:
        trooper = _trooper_of(game, token)
    if trooper is None:
        plan.pending = Pending(pad, "order", kind)
        return
    if token.kind is TokenKind.IRREGULAR and _became_regular(game, owner, trooper):
        _spend(plan, owner, "regular", _group_of(game, owner, trooper), trooper)
    else:
        _spend(plan, owner, kind, None, trooper)


def _training_disc(plan: _Plan, owner: Seat, token: Token, actor: str | None) -> None:
    """A Regular disc: the pool's, or in Loss of Lieutenant the Irregular order of the trooper it stands for."""
    game, group = plan.game, token.group
    pools = dict(game.side(owner).pools)
    empty = group is None or group not in pools or not pools[group].left
    if empty and group is not None and (actor is not None or token.number is not None):
        trooper = actor
        if trooper is None and token.number is not None:
            numbered = [t for t in game.army(owner).troopers if t.group == group and t.training == "regular"]
            numbered = [t for t in numbered if not t.is_peripheral]
            trooper = numbered[token.number - 1].id if token.number <= len(numbered) else None
        if trooper is not None and _irregular_left(game, owner, trooper):
            _spend(plan, owner, "irregular", None, trooper)
            return
    _spend(plan, owner, "regular", group, actor)


def _irregular_left(game: Game, owner: Seat, trooper: str) -> bool:
    place = game.army(owner).index.get(trooper)
    if place is None:
        return False
    state = game.side(owner).troopers[place]
    return bool(state.irregular.left or state.fixed.left)


def _became_regular(game: Game, owner: Seat, trooper: str) -> bool:
    """Whether an Irregular trooper's order is in the pool this turn (converted, or by Inspiring Leadership)."""
    place = game.army(owner).index.get(trooper)
    if place is None:
        return False
    state = game.side(owner).troopers[place]
    pools = dict(game.side(owner).pools)
    return not (state.irregular.total or state.fixed.total) and state.group in pools and pools[state.group].left > 0


def _group_of(game: Game, owner: Seat, trooper: str) -> int:
    return game.side(owner).troopers[game.army(owner).index[trooper]].group


def _spend(plan: _Plan, seat: Seat, kind: str, group: int | None, trooper: str | None) -> None:
    """Spend an order; express: close the one before it, reach the phase, and take the first skill for announced."""
    express = plan.table.pace is Pace.EXPRESS and plan.game.state.active is seat
    if express:
        _close_order(plan, seat)
        if plan.game.state.phase != STATES:
            _advance(plan, seat, IMPETUOUS if kind == "impetuous" else ORDERS)
    plan.do(a.Spend(seat, kind, group, () if trooper is None else (trooper,)))
    if express:
        plan.declare(seat, BASIC, implied=True)


def _close_order(plan: _Plan, seat: Seat) -> None:
    """Whatever is open is taken for finished: windows passed, no second skill, resolved, done."""
    sequence = plan.game.edition.sequence
    while (order := plan.order) is not None:
        if order.step == sequence.first_skill:
            plan.declare(seat, BASIC, implied=True)
        elif order.step in (sequence.first_aro, sequence.second_aro):
            plan.do(a.Pass(seat.other))
        elif order.step == sequence.second_skill:
            plan.do(a.End(seat))
        elif order.step in (sequence.resolution, sequence.validity):
            plan.do(a.Resolve(seat))
        else:
            plan.do(a.Done(seat))


def _advance(plan: _Plan, seat: Seat, phase: str) -> None:
    """Go on towards `phase`, not past an Impetuous Phase in which somebody may still act."""
    while plan.game.state.over is None and plan.game.state.phase not in (phase, ORDERS, STATES, None):
        if plan.game.state.phase == IMPETUOUS and phase == ORDERS and _impetuous_left(plan.game, seat):
            return
        plan.do(a.Next(seat))


def _impetuous_left(game: Game, seat: Seat) -> bool:
    return any(trooper.impetuous.left for trooper in game.side(seat).troopers)


# --- buttons ---------------------------------------------------------------------------------------------------------


def _button(plan: _Plan, press: ButtonPress) -> None:
    seat, order = press.seat, plan.order
    if press.button in ("basic", "short", "long"):
        _label(plan, seat, press.button)
    elif press.button == "aro":
        active = plan.game.state.active
        target = None if active is None or active is seat else _first_target(plan.game, active)
        plan.do(a.DeclareAro(seat, None, None, target))
    elif press.button == "pass":
        second = order is not None and order.step == plan.game.edition.sequence.second_skill
        plan.do(a.End(seat) if second and plan.game.state.active is seat else a.Pass(seat))
    elif press.held:
        _next_phase(plan, seat)
    else:
        _confirm(plan, seat)


def _label(plan: _Plan, seat: Seat, label: str) -> None:
    """A skill's label. In express the first one pressed after the disc says what was announced by voice."""
    order, sequence = plan.order, plan.game.edition.sequence
    if (
        plan.implied
        and order is not None
        and plan.game.state.active is seat
        and order.step == sequence.first_aro
        and not order.declared
        and not order.passed
    ):
        plan.do(a.Undo())
        plan.declare(seat, label)
        return
    plan.declare(seat, label)


def _confirm(plan: _Plan, seat: Seat) -> None:
    """OK: the reactive side is done declaring; the active side ends the order."""
    order, sequence = plan.order, plan.game.edition.sequence
    if order is None:
        raise _Stop(refused("not-now"))
    if plan.game.state.active is not seat:
        plan.do(a.Pass(seat))
    elif order.step == sequence.first_skill:
        raise _Stop(refused("label-here"))
    elif order.step == sequence.first_aro and plan.table.pace is Pace.FULL:
        plan.do(a.End(seat))  # refused: the window is the other side's to close
    else:
        _close_order(plan, seat)


def _next_phase(plan: _Plan, seat: Seat) -> None:
    """OK held: the next phase; in express as far as the next one in which something can be done."""
    state = plan.game.state
    express = plan.table.pace is Pace.EXPRESS
    if state.active is None:
        plan.do(a.Start(seat))
        if express:
            _on_to_orders(plan, seat)
        return
    if express and state.active is seat:
        _close_order(plan, seat)
        if state.phase == TACTICAL:
            _on_to_orders(plan, seat)
            return
    before = plan.game.state.phase
    plan.do(a.Next(seat))
    # Nothing keeps the turn open, unless a Lieutenant is still to be named (LOL-03).
    if express and before == ORDERS and not isinstance(play(plan.game, a.Next(seat)), Refusal):
        plan.do(a.Next(seat))


def _on_to_orders(plan: _Plan, seat: Seat) -> None:
    """From the Tactical Phase to where the first trooper can be activated."""
    while plan.game.state.phase == TACTICAL:
        plan.do(a.Next(seat))
    if plan.game.state.phase == IMPETUOUS and not _impetuous_left(plan.game, seat):
        plan.do(a.Next(seat))


def replayed(table: Table, steps: Iterable[tuple[int, Step]]) -> Table:
    """`table` after recorded steps, each with the number of the touch it belongs to: how a table is resumed."""
    for _, touch_steps in groupby(steps, key=lambda numbered: numbered[0]):
        made = [step for _, step in touch_steps]
        implied = table.implied
        for step in made:
            order = step.game.state.order
            if isinstance(step.action, a.Undo):
                implied = False
            elif isinstance(step.action, a.DeclareSkill) and order is not None and len(order.skills) == 1:
                implied = step.implied
        table = replace(table, game=made[-1].game, touches=_touches(table.touches, made), implied=implied)
    return table
