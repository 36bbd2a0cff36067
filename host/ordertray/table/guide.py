"""What may be done next, for somebody who has never seen a tray: what glows. One source for tray, page and terminal.

Every touch named here is first tried on the table (`touch`), so what glows is accepted. The first is the likeliest. To
a reader who is no player only public facts speak: what is refused for a private reason glows there all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..messages import N_, Translator
from ..rules import Refusal, Seat, play
from ..rules import actions as a
from ..rules.editions import EXECUTIVE, IMPETUOUS, ORDERS, STATES, TACTICAL
from ..tokens.model import Role, TokenKind, parse_role
from .meaning import touch
from .model import ButtonPress, DiscTouch, Pace, Pending, Table, Touch
from .waiting import declared_in_window, waits_for

Hint = dict[str, Any]
View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Glow:
    """A touch that makes sense now. `disc`: the name of a disc (`beside.name_of`), else a button; `label` in words."""

    seat: Seat
    button: str = ""
    held: bool = False
    disc: str = ""
    label: str = ""

    @property
    def touch(self) -> Touch:
        """The touch itself, with a virtual disc."""
        if self.disc:
            return DiscTouch(self.seat, role_of(self.disc))
        return ButtonPress(self.seat, self.button, self.held)


def role_of(disc: str) -> Role:
    """The role of a disc by its name, like `regular g1`, `irregular nomad`, `state`. Raises ValueError for none."""
    words = disc.split()
    if len(words) == 2 and words[0] in ("irregular", "tactical", "impetuous", "trooper"):
        return Role(TokenKind(words[0]), None, None, words[1])
    return parse_role(disc)


def hint_of(
    table: Table | None,
    view: View | None,
    translate: Translator,
    names: Mapping[str, str] | None = None,
    reader: Seat | None = None,
    links: Mapping[str, str] | None = None,
) -> Hint:
    """Whose move it is (`seat`), what to do in words (`text`), the touches that glow (`do`), the likeliest first.

    `tags`: seats whose troopers' tags make sense now. `trouble`: what is wrong with the tray, if something is; then the
    text says so, for what glows cannot be laid on it. `names`: what the players call themselves. `reader`: the player
    whose page it is, None for everybody's. `links`: the state of each seat's tray.
    """
    hint = _hint_of(table, view, translate, reader)
    name = (names or {}).get(hint["seat"] or "") or hint["seat"]
    hint["text"] = hint["text"].format(seat=name)
    for trouble, words in _TROUBLES.items():
        seats = [seat for seat, state in (links or {}).items() if state == trouble and reader in (None, Seat(seat))]
        if seats and table is not None and table.game.state.over is None:
            hint |= {"trouble": trouble, "text": translate(words) + " " + translate(_GO_ON)}
            break
    return hint


_TROUBLES: Mapping[str, str] = {
    "offline": N_("The tray does not answer: check its USB cable."),
    "fault": N_("A pad of the tray cannot read: its buttons still work."),
}
_GO_ON = N_("You can go on here.")


def _hint(seat: Seat | None, text: str, do: list[Glow] | None = None, tags: tuple[Seat, ...] = ()) -> Hint:
    shown = [
        {"side": str(one.seat), "disc": one.disc, "label": one.label}
        if one.disc
        else {"side": str(one.seat), "button": one.button, "hold": one.held, "label": one.label}
        for one in do or ()
    ]
    return {
        "seat": None if seat is None else str(seat),
        "text": text,
        "do": shown,
        "tags": [str(one) for one in tags],
        "trouble": None,
    }


def _hint_of(table: Table | None, view: View | None, translate: Translator, reader: Seat | None) -> Hint:
    _ = translate
    if table is None or view is None:
        return _hint(None, _(N_("No game is on. Set one up, and start it.")))
    if table.game.state.over is not None:
        return _hint(None, _(N_("The battle is over.")) + _result(view, _))
    seat, text, tags = _words(table, view, reader)
    do = glows(table, view, reader, _)
    return _hint(seat, _(text), do, tags)


def _result(view: View, _: Translator) -> str:
    """Who has won, where the view says so."""
    result = view.get("result")
    if not isinstance(result, Mapping):
        return ""
    winner = result.get("winner")
    text = _(N_("It is a draw.")) if winner is None else _(N_("{winner} has won.")).format(winner=winner)
    return " " + text


# --- in words --------------------------------------------------------------------------------------------------------


_PENDING: Mapping[str, str] = {
    "state": N_("A State disc: now the trooper it is for."),
    "command": N_("A Command disc: now one trooper, or up to four and a Regular disc; OK if it was by voice."),
    "actor": N_("A trooper: now the order it will use."),
    "lieutenant": N_("The new Lieutenant: its disc or OK, if it shall be."),
    "order": N_("Now the trooper whose order this is."),
    "spent": N_("This disc is spent. Tap it again to spend another order of the same kind."),
    "next": N_("Orders are left. Hold OK once more to end the phase all the same."),
}


def _words(table: Table, view: View, reader: Seat | None) -> tuple[Seat, str, tuple[Seat, ...]]:
    """Whose move, what to do, and whose tags."""
    state = table.game.state
    if table.consent is not None:
        asked = table.consent.asker.other
        return asked, N_("May the last touch be taken back? {seat} presses OK if so."), ()
    if table.pending:
        pending = table.pending[0]
        return pending.seat, _PENDING[pending.what], _tags_after(pending)
    seat = waits_for(table) or state.active or table.game.next_seat
    assert seat is not None
    if state.active is None:
        return seat, N_("{seat} begins: hold OK."), ()
    if state.order is not None:
        return _words_in_order(table, view, seat)
    if state.step == EXECUTIVE and view["seats"][str(seat)]["reinforcements"] == "waiting":
        return (
            seat,
            N_("Reinforcements, if the rules allow them by now: called on {seat}'s page. Else hold OK."),
            (),
        )
    if state.phase == TACTICAL:
        return seat, N_("Tactical Phase: hold OK for the next step."), ()
    if state.phase == IMPETUOUS:
        return seat, N_("Impetuous Phase: an Impetuous disc, or hold OK to go on."), ()
    if state.phase == ORDERS:
        left = any(True for _ in _orders(table, view, seat))
        text = N_("{seat} lays down an order disc.") if left else N_("No order is left: hold OK to end the turn.")
        return seat, text, ()
    if names_lieutenant(table, view, reader):
        return seat, N_("Loss of Lieutenant: tap the tag of the new Lieutenant, then OK. Then hold OK."), (seat,)
    return seat, N_("States Phase: set states, then hold OK."), ()


def _words_in_order(table: Table, view: View, seat: Seat) -> tuple[Seat, str, tuple[Seat, ...]]:
    state, sequence = table.game.state, table.game.edition.sequence
    order, active = state.order, state.active
    assert order is not None and active is not None
    if table.window_open():
        if seat is not active:
            return seat, N_("{seat} may react: tap each trooper that does, then PASS."), (active.other,)
        text = N_("{seat} goes on: the next order, SHORT for a second skill, OK to end it. The other side may react.")
        return seat, text, (active.other,)
    if order.step == sequence.first_skill:
        return seat, N_("{seat} declares the first skill."), ()
    if order.step == sequence.second_skill:
        if table.pace is Pace.EXPRESS:
            return seat, N_("{seat} goes on: the next order, SHORT for a second skill, OK to end it."), ()
        return seat, N_("{seat} declares the second skill, or PASS for none."), ()
    return seat, N_("Resolve the order on the table, then OK."), ()


def _tags_after(pending: Pending) -> tuple[Seat, ...]:
    if pending.what == "state":
        return (pending.seat, pending.seat.other)
    return (pending.seat,) if pending.what in ("command", "order") else ()


def names_lieutenant(table: Table, view: View, reader: Seat | None) -> bool:
    """Whether a new Lieutenant is to be named before the turn can end (LOL-03).

    The player knows; others see an army in Loss of Lieutenant with somebody on the table, before and after the naming.
    """
    active = table.game.state.active
    if active is None or table.game.state.phase != STATES:
        return False
    if reader is active:
        outcome = play(table.game, a.Next(active))
        return isinstance(outcome, Refusal) and outcome.code == "name-lieutenant"
    side = view["seats"][str(active)]
    null = table.game.edition.null_states
    standing = any(
        null.isdisjoint(trooper["states"]) and not trooper["id"].startswith("marker-") for trooper in side["troopers"]
    )
    return bool(side["loss_of_lieutenant"]) and not side["retreat"] and standing


# --- what glows ------------------------------------------------------------------------------------------------------


def glows(table: Table, view: View, reader: Seat | None, translate: Translator = str) -> list[Glow]:
    """The touches that glow for `reader`, the likeliest first. Each is accepted by `touch`."""
    found: list[Glow] = []
    for one in _candidates(table, view, reader, translate):
        outcome = touch(table, one.touch)
        secret = outcome.refusal is not None and (outcome.refusal.private or outcome.refusal.code == "name-lieutenant")
        if outcome.refusal is None or (secret and reader is not one.seat):
            found.append(one)
    return found


def _candidates(table: Table, view: View, reader: Seat | None, _: Translator) -> Iterator[Glow]:
    if table.consent is not None:
        asked = table.consent.asker.other
        yield Glow(asked, "ok", label=_(N_("Yes, take it back")))
        return
    for pending in table.pending:
        yield from _after(table, view, pending, reader, _)
    if table.pending:
        return
    state = table.game.state
    if state.over is not None:
        return
    if state.active is None:
        if table.game.next_seat is not None:
            yield Glow(table.game.next_seat, "ok", True, label=_(N_("Begin the turn")))
        return
    if state.order is not None:
        yield from _in_order(table, view, _)
    else:
        yield from _between(table, view, reader, _)


def _after(table: Table, view: View, pending: Pending, reader: Seat | None, _: Translator) -> Iterator[Glow]:
    """What may follow the first of two touches; last of all, to take it back."""
    seat = pending.seat
    if pending.what == "next":
        yield Glow(seat, "ok", True, label=_(N_("End the phase all the same")))
        yield from _orders(table, view, seat)
    elif pending.what == "lieutenant":
        yield Glow(seat, "ok", label=_(N_("Name it Lieutenant")))
    elif pending.what == "command":
        yield Glow(seat, "ok", label=_(N_("A token is spent, by voice")))
        yield from _orders(table, view, seat)
    elif pending.what in ("actor", "spent"):
        yield from _orders(table, view, seat)
    yield Glow(seat, "pass", True, label=_(N_("Take it back")))


def _in_order(table: Table, view: View, _: Translator) -> Iterator[Glow]:
    state, sequence = table.game.state, table.game.edition.sequence
    active, order = state.active, state.order
    assert active is not None and order is not None
    if table.window_open():
        reacts = waits_for(table) is not active
        label = _(N_("Done reacting")) if declared_in_window(table.game) else _(N_("No reaction"))
        reaction = [Glow(active.other, "pass", label=label)]
        own = list(_goes_on(table, view, active, _)) if table.pace is Pace.EXPRESS else []
        yield from [*reaction, *own] if reacts else [*own, *reaction]
    elif order.step == sequence.first_skill:
        yield from _labels(active, ("basic", "short", "long"), _)
    elif order.step == sequence.second_skill:
        if table.pace is Pace.EXPRESS:
            yield from _goes_on(table, view, active, _)
        else:
            yield from _labels(active, ("basic", "short"), _)
            yield Glow(active, "pass", label=_(N_("No second skill")))
    else:
        yield Glow(active, "ok", label=_(N_("Resolved")))
        if table.pace is Pace.EXPRESS:
            yield from _orders(table, view, active)


def _goes_on(table: Table, view: View, active: Seat, _: Translator) -> Iterator[Glow]:
    """Express: the active player is never locked in."""
    yield from _orders(table, view, active)
    yield Glow(active, "ok", label=_(N_("End the order")))
    order = table.game.state.order
    if order is not None and len(order.skills) == 1:
        yield from _labels(active, ("short", "basic", "long"), _)


def _labels(seat: Seat, labels: tuple[str, ...], _: Translator) -> Iterator[Glow]:
    words = {"basic": _(N_("BASIC")), "short": _(N_("SHORT")), "long": _(N_("LONG"))}
    return (Glow(seat, label, label=words[label]) for label in labels)


def _between(table: Table, view: View, reader: Seat | None, _: Translator) -> Iterator[Glow]:
    state = table.game.state
    seat = state.active
    assert seat is not None
    if state.phase == TACTICAL:
        yield Glow(seat, "ok", True, label=_(N_("Next step")))
    elif state.phase == IMPETUOUS:
        for trooper in view["seats"][str(seat)]["troopers"]:
            if trooper["impetuous"]["left"]:
                yield Glow(seat, disc=f"impetuous {trooper['id']}")
        yield Glow(seat, "ok", True, label=_(N_("To the Orders Phase")))
    elif state.phase == ORDERS:
        yield from _orders(table, view, seat)
        yield Glow(seat, "ok", True, label=_(N_("End the turn")))
    elif names_lieutenant(table, view, reader):
        if reader is not seat:  # whether it was done already is that player's secret, and whose tags may be tapped
            yield Glow(seat, "ok", True, label=_(N_("It is named: end the turn")))
            return
        for listed in table.game.army(seat).troopers:
            yield Glow(seat, disc=f"trooper {listed.id}")
    else:
        yield Glow(seat, "ok", True, label=_(N_("End the turn")))


def _orders(table: Table, view: View, seat: Seat) -> Iterator[Glow]:
    """Discs of orders that are left, pools first, the fullest before the others."""
    side = view["seats"][str(seat)]
    for group, count in sorted(side["pools"].items(), key=lambda pool: -pool[1]["left"]):
        if count["left"]:
            yield Glow(seat, disc=f"regular g{group}")
    if side["lieutenant"]["left"]:
        yield Glow(seat, disc="lieutenant")
    for kind in ("tactical", "irregular"):
        for trooper in side["troopers"]:
            if trooper[kind]["left"]:
                yield Glow(seat, disc=f"{kind} {trooper['id']}")
