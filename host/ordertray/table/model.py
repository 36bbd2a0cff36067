"""The state of a table, the touches it gets, and what comes of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..rules import Action, Event, Game, Refusal, Seat
from ..tokens.registry import TokenRegistry

#: The buttons of a side, in their order on the tray.
BUTTONS = ("basic", "short", "long", "aro", "pass", "ok")


class Pace(StrEnum):
    """How much a touch says (see README.md): `express`, one touch an order; `full`, every step declared."""

    EXPRESS = "express"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class TagTap:
    """A disc or tag was laid on the pad of `seat`. `uid` is upper-case hex."""

    seat: Seat
    uid: str


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """A button of `seat`'s side was pressed, or held for a second."""

    seat: Seat
    button: str
    held: bool = False


Touch = TagTap | ButtonPress


@dataclass(frozen=True, slots=True)
class Pending:
    """A first touch that waits for a second one on the same side.

    `what`: `state` (a state disc waits for a trooper), `command` (a Command disc waits for an order to convert),
    `actor` (a trooper waits for the order it will use), `order` (an order disc waits for its trooper).
    `word`: the state, the kind of order, or the trooper's id.
    """

    seat: Seat
    what: str
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A game with what the table knows besides it.

    `touches`: how many actions each touch so far was, last one last; undo takes back a whole touch.
    `implied`: whether the first skill of the order in progress was taken for announced by voice.
    """

    game: Game
    tokens: TokenRegistry = field(default_factory=TokenRegistry)
    pace: Pace = Pace.EXPRESS
    pending: Pending | None = None
    touches: tuple[int, ...] = ()
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One action that was accepted, with its events and the game after it."""

    action: Action
    events: tuple[Event, ...]
    game: Game
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a touch: the table after it, and either steps (none for a first of two touches) or a refusal.

    `signal` is what the tray shows on `side`: `ok`, `refused` or `undo`.
    """

    table: Table
    side: Seat | None
    signal: str
    steps: tuple[Step, ...] = ()
    refusal: Refusal | None = None

    @property
    def accepted(self) -> bool:
        """Whether the touch was taken."""
        return self.refusal is None
