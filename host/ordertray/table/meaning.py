"""`touch`: from a tap or a press to actions, all of which are accepted or none. Pure: the time is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby

from ..rules import Action, Seat
from ..rules import actions as a
from .discs import disc
from .keys import key
from .model import ButtonPress, Consent, Made, Meant, Outcome, Step, Table, Touch, together
from .plan import Plan, Stop, table_after
from .reasons import refused
from .taking_back import agree, ask_back


def act(table: Table, action: Action) -> Outcome:
    """An action as it is, from the page or a script; `undo` takes back the whole last touch."""
    seat = getattr(action, "seat", None)
    if isinstance(action, a.Undo):
        return _outcome(table, seat, None, "undo", lambda plan: _undo(plan, action))
    return _outcome(table, seat, None, "ok", lambda plan: plan.do(action))


def touch(table: Table, what: Touch, now_ms: int | None = None, at: int | None = None) -> Outcome:
    """What a tap or a press comes to. The table given is not changed; the outcome holds the next one.

    `now_ms`: Unix time in milliseconds; without it nothing ends by itself. `at`: the position that the hand saw, where
    that is known (a page).
    """
    return _outcome(table.at(now_ms), what.seat, now_ms, "ok", lambda plan: _touched(plan, what, at))


def _touched(plan: Plan, what: Touch, at: int | None) -> None:
    if at is not None and any(made.seat is what.seat and made.position > at for made in plan.table.touches[-20:]):
        raise Stop(refused("pressed-twice"))
    asked = plan.table.consent
    if isinstance(what, ButtonPress) and what.button == "pass" and what.held:
        ask_back(plan, what.seat)
    elif asked is not None and what == ButtonPress(asked.asker.other, "ok"):
        agree(plan, asked)
    elif isinstance(what, ButtonPress):
        _in_time(plan, what.seat, at)
        key(plan, what)
    else:
        disc(plan, what)
        if any(isinstance(step.action, a.DeclareAro) for step in plan.steps):
            _in_time(plan, what.seat, at)


def _in_time(plan: Plan, seat: Seat, at: int | None) -> None:
    """Two hands at once: a reaction that was under way when the next window opened is not meant for that one."""
    opened = plan.table.opened
    if opened is None or plan.table.game.state.active in (None, seat):
        return
    if at < opened.position if at is not None else together(opened.at_ms, plan.now_ms):
        raise Stop(refused("together"))


def _undo(plan: Plan, action: a.Undo) -> None:
    """`undo` in a script: the last touch, whoever's it was."""
    last = plan.table.touches[-1] if plan.table.touches else None
    if last is None or action.at is not None:
        plan.do(action)
        plan.back = last
        if last is not None:
            plan.take_back(last.count - 1)
    else:
        plan.take_back(last.count)
        plan.back = last
    if last is not None:
        for again in last.replaced:
            plan.do(again)
    plan.means("undo")


def _outcome(
    table: Table, side: Seat | None, now_ms: int | None, signal: str, meaning: Callable[[Plan], None]
) -> Outcome:
    plan = Plan(table, side, now_ms)
    plan.signal = signal
    try:
        meaning(plan)
    except Stop as stop:
        pending = tuple(plan.waiting[seat] for seat in Seat if seat in plan.waiting)
        left = replace(table, pending=pending, consent=None)
        return Outcome(left, side, "refused", (), stop.refusal)
    after, made = table_after(plan)
    steps = plan.steps
    if steps:
        back = "" if plan.back is None else "?" if plan.owner is None else str(plan.owner)
        steps = [replace(steps[0], made=made or plan.back, back=back), *steps[1:]]
    meant = plan.meant or Meant("action")
    return Outcome(after, side, plan.signal, tuple(steps), None, meant, plan.back)


# --- from the record -------------------------------------------------------------------------------------------------


def replayed(table: Table, steps: Iterable[tuple[int, Step]]) -> Table:
    """`table` after recorded steps, each with the number of the touch it belongs to: how a table is resumed."""
    for _, touch_steps in groupby(steps, key=lambda numbered: numbered[0]):
        made = [step for _, step in touch_steps]
        played = list(table.played)
        for step in made:
            if isinstance(step.action, a.Undo):
                del played[-1:]
            else:
                played.append(replace(step.action, at=None))
        touches = _touches(table.touches, made)
        table = replace(table, game=made[-1].game, touches=touches, played=tuple(played))
    return table


def _touches(before: tuple[Made, ...], steps: list[Step]) -> tuple[Made, ...]:
    """The touches that stand after one more."""
    first = steps[0]
    if first.back:
        return before[:-1]
    if first.made is not None:
        return (*before, first.made)
    # From a record that did not say so: count.
    taken_back = sum(isinstance(step.action, a.Undo) for step in steps)
    count = len(steps) - taken_back
    if count > taken_back:
        seat = getattr(steps[-1].action, "seat", None)
        made = Made(seat, count - taken_back, Meant("action"), turn=steps[-1].game.state.turns)
        return (*before, made)
    return before[:-1] if taken_back > count else before


__all__ = ["Consent", "act", "replayed", "touch"]
