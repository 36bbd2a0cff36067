"""The state of a table, the touches it gets, and what comes of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..rules import Action, Event, Game, Refusal, Seat
from ..tokens.model import Role
from ..tokens.registry import TokenRegistry

#: The buttons of a side, in their order on the tray.
BUTTONS = ("basic", "short", "long", "aro", "pass", "ok")

#: A first touch waits this long for its second one.
PATIENCE_MS = 10_000
#: Nobody answers so soon what another hand has just done: both hands were on their way at once.
TOGETHER_MS = 100


class Pace(StrEnum):
    """How much a touch says (see README.md): `express`, one touch an order; `full`, every step declared."""

    EXPRESS = "express"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class TagTap:
    """A disc or tag was laid on the pad of `seat`. `uid` is upper-case hex.

    `shared`: it is the only pad of the table, so it is the other player's as well.
    """

    seat: Seat
    uid: str
    shared: bool = False


@dataclass(frozen=True, slots=True)
class DiscTouch:
    """A virtual disc: an order button on the page of `seat`. It means what such a disc on the seat's pad means.

    `actor`: the trooper who acts, as if its tag had been tapped before.
    """

    seat: Seat
    role: Role
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button of `seat`'s side was pressed, or held for a second."""

    seat: Seat
    button: str
    held: bool = False


Touch = TagTap | DiscTouch | ButtonPress


@dataclass(frozen=True, slots=True)
class Pending:
    """A first touch of `seat` that waits for a second one of the same side.

    `what` and `word`:

    - `state`: a State disc waits for a trooper; the state, None for going round. `disc`: asked once more of this one.
    - `command`: a Command disc waits for tags (`troopers`), an order disc or OK.
    - `actor`: a trooper (`word`) waits for the order it will use.
    - `lieutenant`: a trooper (`word`) is about to be named Lieutenant.
    - `order`: an order disc of a kind (`word`) waits for its trooper.
    - `spent`: a disc (`disc`) spent before was refused once; `word` says which bar, like `regular 1`.
    - `next`: the phase was to end with orders left; a second hold means it.

    `until_ms`: when it ends by itself, on the clock that `touch` is given; None: never.
    """

    seat: Seat
    what: str
    word: str | None = None
    troopers: tuple[str, ...] = ()
    disc: str | None = None
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """`asker` wants to take back the last touch, which is the other side's: it asks for an OK there."""

    asker: Seat
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Meant:
    """What a player meant by a touch: a code of `told.MEANINGS` with what it needs. Names no trooper: it is public."""

    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """A touch that stands: whose it was, how many actions it came to, what was meant.

    `disc`: the UID of the disc it spent, in turn number `turn`. `replaced`: what stands again when it is taken back,
    for a touch that put its actions in the place of others (a corrected label). `position`: the game's after it.
    """

    seat: Seat | None
    count: int
    meant: Meant
    disc: str | None = None
    turn: int = 0
    replaced: tuple[Action, ...] = ()
    position: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """When the active side's touch opened the ARO window that is open: the position, and the time if known."""

    position: int
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A game with what the table knows besides it.

    `touches`: those that stand, last one last; undo takes back a whole touch. `played`: all actions that stand.
    `pending`: at most one of each side. `asked`: the active side wants to hear whether somebody reacts.
    `undone`: who took back the last touch, and when, until the next one.
    """

    game: Game
    tokens: TokenRegistry = field(default_factory=TokenRegistry)
    pace: Pace = Pace.EXPRESS
    pending: tuple[Pending, ...] = ()
    consent: Consent | None = None
    asked: bool = False
    touches: tuple[Made, ...] = ()
    played: tuple[Action, ...] = ()
    opened: Opened | None = field(default=None, compare=False)
    undone: tuple[Seat, int] | None = field(default=None, compare=False)

    def waits(self, seat: Seat) -> Pending | None:
        """The first touch of `seat` that waits for its second one."""
        return next((pending for pending in self.pending if pending.seat is seat), None)

    def window_open(self) -> bool:
        """Whether an ARO window is open."""
        order, sequence = self.game.state.order, self.game.edition.sequence
        return order is not None and order.step in (sequence.first_aro, sequence.second_aro)

    def spent(self) -> frozenset[str]:
        """UIDs of the discs that were spent this turn."""
        turn = self.game.state.turns
        found = set()
        for made in reversed(self.touches):
            if made.turn < turn:
                break
            if made.disc is not None:
                found.add(made.disc)
        return frozenset(found)

    def at(self, now_ms: int | None) -> Table:
        """The table at this time: what has waited long enough waits no longer."""
        if now_ms is None or (not self.pending and self.consent is None):
            return self
        pending = tuple(one for one in self.pending if not _over(one.until_ms, now_ms))
        consent = None if self.consent is None or _over(self.consent.until_ms, now_ms) else self.consent
        if len(pending) == len(self.pending) and consent is self.consent:
            return self
        return replace(self, pending=pending, consent=consent)

    def next_end_ms(self) -> int | None:
        """When the next of what waits ends by itself."""
        ends = [one.until_ms for one in self.pending if one.until_ms is not None]
        if self.consent is not None and self.consent.until_ms is not None:
            ends.append(self.consent.until_ms)
        return min(ends, default=None)


def together(then_ms: int | None, now_ms: int | None) -> bool:
    """Whether two hands moved at once. A clock that was set back in between says nothing."""
    return then_ms is not None and now_ms is not None and 0 < now_ms - then_ms < TOGETHER_MS


def _over(until_ms: int | None, now_ms: int) -> bool:
    """Whether the time is up. One further off than patience lasts is of a clock set back: up as well."""
    return until_ms is not None and not now_ms < until_ms <= now_ms + PATIENCE_MS


@dataclass(frozen=True, slots=True)
class Step:
    """One action that was accepted, with its events and the game after it.

    `implied`: announced by voice. The first step of a touch knows the whole: `made`; `back` names who took that touch
    back with this one: a seat, `?` for nobody in particular, empty if it is the touch itself.
    """

    action: Action
    events: tuple[Event, ...]
    game: Game
    implied: bool = False
    made: Made | None = None
    back: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a touch: the table after it, and either steps (none for a first of two touches) or a refusal.

    `signal` is what the tray shows on `side`: `ok`, `refused`, `undo`, or `ask` (on both sides: may it be taken back?).
    `meant`: what the player did, in codes; `back`: the touch that was taken back.
    """

    table: Table
    side: Seat | None
    signal: str
    steps: tuple[Step, ...] = ()
    refusal: Refusal | None = None
    meant: Meant | None = None
    back: Made | None = None

    @property
    def accepted(self) -> bool:
        """Whether the touch was taken."""
        return self.refusal is None
