"""What may be done next at the tray, for somebody who has never seen one. From public facts only; pure.

A hint names the touches that make sense now, the likeliest first. The page lets the spot on the tray glow and shows the
same as buttons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...messages import N_, Translator
from ...rules import Game, Seat
from ...rules.editions import IMPETUOUS, ORDERS, STATES, TACTICAL
from ...table import Pace, Pending

Hint = dict[str, Any]


def hint_of(
    game: Game | None,
    view: Mapping[str, Any] | None,
    pace: Pace,
    pending: Pending | None,
    translate: Translator,
    names: Mapping[str, str] | None = None,
) -> Hint:
    """Whose move it is (`seat`), what to do in words (`text`), and the touches (`do`), the first the likeliest.

    `names`: what the players call themselves, by seat.
    """
    hint = _hint_of(game, view, pace, pending, translate)
    name = (names or {}).get(hint["seat"] or "") or hint["seat"]
    return {**hint, "text": hint["text"].format(seat=name)}


def _hint_of(
    game: Game | None, view: Mapping[str, Any] | None, pace: Pace, pending: Pending | None, translate: Translator
) -> Hint:
    _ = translate
    if game is None or view is None:
        return _hint(None, _(N_("No game is on. Set one up, and start it.")))
    if view["over"]:
        return _hint(None, _(N_("The battle is over.")))
    if view["active"] is None:
        seat = Seat(view["to_start"])
        return _hint(seat, _(N_("{seat} begins: hold OK.")), _hold(seat, "ok", _(N_("Begin the turn"))))
    seat = Seat(view["active"])
    if pending is not None:
        return _hint(pending.seat, _(_PENDING[pending.what]))
    if view["order"] is not None:
        return _in_order(game, view, pace, seat, _)
    return _between(game, view, seat, _)


_PENDING: Mapping[str, str] = {
    "state": N_("A state disc: now tap the trooper it is for."),
    "command": N_("A Command disc: now tap the order to convert."),
    "actor": N_("A trooper: now tap the order it will use."),
    "order": N_("Now tap the trooper whose order this is."),
}


def _hint(seat: Seat | None, text: str, *do: Hint) -> Hint:
    return {"seat": None if seat is None else str(seat), "text": text, "do": list(do)}


def _press(seat: Seat, button: str, label: str) -> Hint:
    return {"side": str(seat), "button": button, "hold": False, "label": label}


def _hold(seat: Seat, button: str, label: str) -> Hint:
    return {"side": str(seat), "button": button, "hold": True, "label": label}


def _disc(seat: Seat, disc: str) -> Hint:
    return {"side": str(seat), "disc": disc}


def _in_order(game: Game, view: Mapping[str, Any], pace: Pace, seat: Seat, _: Translator) -> Hint:
    sequence, order = game.edition.sequence, view["order"]
    reactive = seat.other
    if order["aro"]["open"]:
        declared = bool(order["aro"]["declared"])
        text = N_("{seat} may react: tap each trooper that does, then PASS.")
        label = N_("Done reacting") if declared else N_("No reaction")
        return _hint(reactive, _(text), _press(reactive, "pass", _(label)))
    if order["step"] == sequence.first_skill:
        do = [_press(seat, name, label) for name, label in _labels(_)]
        return _hint(seat, _(N_("{seat} declares the first skill.")), *do)
    if order["step"] == sequence.second_skill:
        if pace is Pace.EXPRESS:
            text = N_("{seat} goes on with the next order disc. OK ends the order.")
            return _hint(seat, _(text), *_orders(view, seat), _press(seat, "ok", _(N_("End the order"))))
        do = [_press(seat, name, label) for name, label in _labels(_)[:2]]
        text = N_("{seat} declares the second skill, or PASS for none.")
        return _hint(seat, _(text), *do, _press(seat, "pass", _(N_("No second skill"))))
    text = N_("Resolve the order on the table, then OK.")
    return _hint(seat, _(text), _press(seat, "ok", _(N_("Resolved"))))


def _labels(_: Translator) -> list[tuple[str, str]]:
    return [("basic", _(N_("BASIC"))), ("short", _(N_("SHORT"))), ("long", _(N_("LONG")))]


def _between(game: Game, view: Mapping[str, Any], seat: Seat, _: Translator) -> Hint:
    side = view["seats"][str(seat)]
    phase = view["phase"]
    if phase == TACTICAL:
        return _hint(seat, _(N_("Tactical Phase: hold OK for the next step.")), _hold(seat, "ok", _(N_("Next step"))))
    if phase == IMPETUOUS:
        discs = [
            _disc(seat, f"impetuous {trooper['id']}") for trooper in side["troopers"] if trooper["impetuous"]["left"]
        ]
        text = N_("Impetuous Phase: lay down an Impetuous disc, or hold OK to go on.")
        return _hint(seat, _(text), *discs, _hold(seat, "ok", _(N_("To the Orders Phase"))))
    if phase == ORDERS:
        orders = _orders(view, seat)
        text = N_("{seat} lays down an order disc.") if orders else N_("No order is left: hold OK to end the turn.")
        return _hint(seat, _(text), *orders, _hold(seat, "ok", _(N_("End the turn"))))
    assert phase == STATES, phase
    text = N_("States Phase: set states, then hold OK.")
    if side["loss_of_lieutenant"] and not side["retreat"]:
        text = N_("Loss of Lieutenant: name a new one, then hold OK to end the turn.")
    return _hint(seat, _(text), _hold(seat, "ok", _(N_("End the turn"))))


def _orders(view: Mapping[str, Any], seat: Seat) -> list[Hint]:
    """Discs of orders that are left, pools first, the fullest before the others."""
    side = view["seats"][str(seat)]
    pools = sorted(side["pools"].items(), key=lambda pool: -pool[1]["left"])
    discs = [_disc(seat, f"regular g{group}") for group, count in pools if count["left"]]
    discs += [_disc(seat, "lieutenant")] if side["lieutenant"]["left"] else []
    for kind in ("tactical", "irregular"):
        discs += [_disc(seat, f"{kind} {trooper['id']}") for trooper in side["troopers"] if trooper[kind]["left"]]
    return discs
