"""The position as players see it, in one line of text: nothing private in it."""

from __future__ import annotations

from .game import OFF_TABLE, Game, SeatState
from .seats import SEATS
from .views import table_view


def summary(game: Game) -> str:
    """The position as players see it, in one line: nothing private in it."""
    state = game.state
    if state.over is not None:
        head = f"over ({state.over})"
    elif state.active is None:
        head = f"round {state.round}, {game.next_seat} to start"
    else:
        step = state.order.step if state.order else state.step
        head = f"round {state.round} {state.active} {state.phase}" + (f" {step}" if step else "")
    return " | ".join((head, *(f"{seat} {_side_summary(game.side(seat))}" for seat in SEATS), *_order_summary(game)))


def _side_summary(side: SeatState) -> str:
    words = [f"g{group} {count.left}/{count.total}" for group, count in side.pools]
    shown = [trooper for trooper in side.troopers if trooper.place != OFF_TABLE]
    for letter, counts in (
        ("irregular", [count for trooper in shown for count in (trooper.irregular, trooper.fixed)]),
        ("lieutenant", [side.lieutenant_orders]),
        ("tactical", [trooper.tactical for trooper in shown]),
        ("impetuous", [trooper.impetuous for trooper in shown]),
    ):
        if total := sum(count.total for count in counts):
            words.append(f"{letter} {sum(count.left for count in counts)}/{total}")
    words.append(f"tokens {side.command_tokens}")
    words += ["RETREAT"] * side.retreat + ["LOSS-OF-LIEUTENANT"] * side.loss_of_lieutenant
    return ", ".join(words)


def _order_summary(game: Game) -> tuple[str, ...]:
    order = game.state.order
    if order is None:
        return ()
    view = table_view(game)["order"]
    who = " ".join(view["troopers"][: len(order.troopers) or 1]) or f"g{order.group}"
    skills = " + ".join(skill.name or skill.label for skill in order.skills)
    aros = ", ".join(f"{aro['trooper'] or '?'} {aro['name'] or 'ARO'}" for aro in view["aro"]["declared"])
    return (f"{order.kind} {who}" + (f": {skills}" if skills else "") + (f" / {aros}" if aros else ""),)
