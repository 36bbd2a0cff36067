"""PASS held: a side takes back its own last touch, or asks the other side for its (ACT-20)."""

from __future__ import annotations

from ..rules import Refusal, Seat
from .model import PATIENCE_MS, Consent, together
from .plan import Plan, Stop
from .reasons import refused


def ask_back(plan: Plan, seat: Seat) -> None:
    """PASS held on the side of `seat`."""
    if plan.waiting.pop(seat, None) is not None:
        plan.means("waits-no-more")  # its last touch was the first of two
        return
    touches, undone = plan.table.touches, plan.table.undone
    if undone is not None and undone[0] is not seat and together(undone[1], plan.now_ms):
        raise Stop(refused("taken-back-already", seat=str(undone[0])))
    if not touches:
        raise Stop(Refusal("ACT-18", "nothing-to-undo"))
    whose = touches[-1].seat
    if whose is None or whose is seat:
        _take_back(plan, seat)
        plan.means("undo", by=str(seat), whose=str(seat))
        return
    plan.consent = Consent(seat, None if plan.now_ms is None else plan.now_ms + PATIENCE_MS)
    plan.back = None
    plan.signal = "ask"
    plan.means("asks-back", by=str(seat), whose=str(whose))


def agree(plan: Plan, asked: Consent) -> None:
    """OK on the side that was asked."""
    plan.owner = asked.asker
    _take_back(plan, None)
    plan.means("undo", by=str(asked.asker), whose=str(asked.asker.other))


def _take_back(plan: Plan, by: Seat | None) -> None:
    """The whole last touch, by its own side or (None) with both sides' consent; what it had replaced stands again."""
    last = plan.table.touches[-1]
    plan.signal = "undo"
    plan.take_back(last.count, by)
    for action in last.replaced:
        plan.do(action)
    plan.back = last
