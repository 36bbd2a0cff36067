"""What the record holds: games, their entries, and the taps that have been dealt with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Tap:
    """An event of a tray, named for ever: the board's unique id, the nonce of its boot, the sequence in that boot."""

    board: str
    nonce: str
    sequence: int

    def __str__(self) -> str:
        return f"tap {self.sequence} of boot {self.nonce} of board {self.board}"


@dataclass(frozen=True)
class Draft:
    """An entry to be recorded.

    `position`: the game's position number after it. `action`: a line of the game script. `seat`: whose action, "A", "B"
    or "" for neither. `events`: what the rules core answered. `cause`: what brought it about, such as
    `{"by":"tap","board":…,"nonce":…,"sequence":…,"button":"ok"}`, `{"by":"script","line":3}` or `{"by":"page"}`.
    """

    position: int
    action: str
    seat: str = ""
    events: Sequence[Any] = ()
    cause: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A recorded entry: a `Draft` with its place (`number` counts from 1 in each game) and its Unix time."""

    game: int
    number: int
    position: int
    action: str
    seat: str
    events: Sequence[Any]
    cause: Json
    at_ms: int


@dataclass(frozen=True)
class GameRow:
    """A game as the record lists it.

    `armies`: roster text or army code by seat. `seats`: whatever the table keeps per seat. `ended_ms` and `result`:
    None while it is played. Times are Unix time in milliseconds.
    """

    id: int
    started_ms: int
    edition: str
    options: Json
    armies: Mapping[str, str]
    seats: Json
    ended_ms: int | None
    result: Json | None
    entries: int


@dataclass(frozen=True)
class Doubt:
    """Something about the record that is not as it was written, or may not be: never taken back, only added to.

    `game`: which one, or None for the record as a whole. `what`: one sentence.
    """

    game: int | None
    at_ms: int
    what: str

    def __str__(self) -> str:
        return self.what if self.game is None else f"game {self.game}: {self.what}"
