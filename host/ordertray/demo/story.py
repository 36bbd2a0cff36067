"""The example: what the hands do, and what a person is told about it. Small steps, each a caption and some touches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from ..messages import N_
from ..rules import Seat
from ..rules.counting import retreat_threshold, victory_points
from ..rules.game import TABLE, Game
from ..service.table_service import Notice
from ..table import Outcome
from ..tokens.model import Token, TokenKind
from .hand import UNKNOWN_UID, Hand

A, B = Seat

CAPTIONS = {
    "begin": N_("Two players, one tray between them. Player A holds OK: the turn begins, the orders are counted."),
    "impetuous": N_("Somebody cannot wait: A lays down the Impetuous disc. B's ARO lamp lights at once."),
    "aro": N_("B reacts: one of its troopers' tags on B's pad is an ARO."),
    "pass": N_("B presses PASS. The window closes, the lamp goes out."),
    "regular": N_("A lays down a Regular disc of group 1: one order fewer, and B's window opens. One touch an order."),
    "named": N_("If A cares to say who acts: a tap of the trooper's tag."),
    "next": N_("The next disc closes what is still open and starts the next order."),
    "unknown": N_("A strange disc: refused, red and low. Nothing changes."),
    "dry": N_("Group 2 has few orders. One after the other they go ..."),
    "empty": N_("... and then its pool is dry: refused. Orders never cross groups."),
    "undo": N_("A mistake? PASS held for a second takes back the last touch. Both sides see it."),
    "casualties": N_("The dice are unkind to B. State disc, then the trooper's tag: Unconscious."),
    "left": N_("A holds OK to end the turn. Orders are left, so their pixels ask: once more?"),
    "end": N_("A holds OK once more: the turn is over, order discs go dark."),
    "retreat": N_(
        "B holds OK. Three quarters of the army are gone: Retreat! Irregular orders only now, but for those that keep"
        " theirs."
    ),
    "irregular": N_("So B's Regular disc spends that trooper's own Irregular order."),
    "over": N_("That is the order tray."),
}

Told = Callable[[str], None]


async def story(hand: Hand, tell: Told) -> AsyncIterator[str]:
    """Play the example; yields the name of each step when it is done. `tell` is given its caption beforehand."""

    def say(name: str) -> None:
        tell(CAPTIONS[name])

    say("begin")
    accepted(await hand.hold(A, "ok"))
    yield "begin"
    say("impetuous")
    accepted(await hand.tap(A, hand.discs(A, TokenKind.IMPETUOUS)[0].uid))
    yield "impetuous"
    say("aro")
    reactor = next(trooper for trooper in on_table(_game(hand), B) if trooper != _lieutenant(_game(hand), B))
    accepted(await hand.tap(B, hand.tag(B, reactor).uid))
    yield "aro"
    say("pass")
    accepted(await hand.press(B, "pass"))
    yield "pass"

    regular = hand.discs(A, TokenKind.REGULAR, 1)
    say("regular")
    accepted(await hand.tap(A, regular[0].uid))
    yield "regular"
    say("named")
    actor = next(t.id for t in _game(hand).army(A).troopers if t.group == 1 and not t.lieutenant)
    accepted(await hand.tap(A, hand.tag(A, actor).uid))
    yield "named"
    say("next")
    accepted(await hand.tap(A, regular[1].uid))
    yield "next"
    say("unknown")
    refused(await hand.tap(A, UNKNOWN_UID))
    yield "unknown"

    say("dry")
    second = hand.discs(A, TokenKind.REGULAR, 2)
    left = dict(_game(hand).side(A).pools)[2].left
    for number in range(left):
        accepted(await hand.tap(A, second[number % len(second)].uid))
        yield "dry"
    say("empty")
    refused(await hand.tap(A, second[left % len(second)].uid))
    yield "empty"
    say("undo")
    accepted(await hand.hold(A, "pass"))
    yield "undo"

    say("casualties")
    disc = hand.discs(B, TokenKind.STATE)[0]
    for trooper in casualties(_game(hand), B):
        accepted(await hand.tap(B, disc.uid))
        accepted(await hand.tap(B, hand.tag(B, trooper).uid))
        yield "casualties"
    say("left")
    accepted(await hand.hold(A, "ok"))
    yield "left"
    say("end")
    accepted(await hand.hold(A, "ok"))
    yield "end"
    say("retreat")
    accepted(await hand.hold(B, "ok"))
    yield "retreat"
    say("irregular")
    accepted(await hand.tap(B, _disc_of_a_survivor(hand).uid))
    yield "irregular"
    say("over")
    yield "over"


def _game(hand: Hand) -> Game:
    assert hand.service.table is not None
    return hand.service.table.game


def on_table(game: Game, seat: Seat) -> list[str]:
    """Troopers that can act: on the table, in no bad state, no peripherals."""
    return [
        listed.id
        for listed, trooper in zip(game.army(seat).troopers, game.side(seat).troopers, strict=True)
        if trooper.place == TABLE and not trooper.states and not listed.is_peripheral
    ]


def _lieutenant(game: Game, seat: Seat) -> str | None:
    place = game.side(seat).lieutenant
    return None if place is None else game.army(seat).troopers[place].id


def casualties(game: Game, seat: Seat) -> list[str]:
    """The fewest troopers whose fall brings the army into Retreat, dearest first."""
    army, side = game.army(seat), game.side(seat)
    points = victory_points(game.edition, army, side)
    fallen: list[str] = []
    for place in sorted(range(len(army.troopers)), key=lambda place: -army.own_costs[place]):
        if points <= retreat_threshold(army, game.options):
            break
        if army.troopers[place].id in on_table(game, seat):
            fallen.append(army.troopers[place].id)
            points -= army.own_costs[place]
    return fallen


def _disc_of_a_survivor(hand: Hand) -> Token:
    """A Regular disc whose trooper still stands."""
    game = _game(hand)
    for disc in hand.discs(B, TokenKind.REGULAR):
        numbered = [
            t.id for t in game.army(B).troopers
            if t.group == disc.group and t.training == "regular" and not t.is_peripheral
        ]  # fmt: skip
        if disc.number is not None and numbered[disc.number - 1] in on_table(game, B):
            return disc
    raise LookupError("nobody of B is left standing")


def accepted(notice: Notice) -> None:
    """The example goes as told, or it is no example."""
    outcome = _outcome(notice)
    if not outcome.accepted:
        raise RuntimeError(f"the demo was refused: {outcome.refusal}")


def refused(notice: Notice) -> None:
    """This touch was meant to be refused."""
    if _outcome(notice).accepted:
        raise RuntimeError("the demo was not refused where it should have been")


def _outcome(notice: Notice) -> Outcome:
    assert notice.outcome is not None
    return notice.outcome
