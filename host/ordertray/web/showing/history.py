"""The history of a game as each reader may see it: one item for a touch or an action, with what undo took back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...messages import translator
from ...rules import Event, Game, Seat, visible_events
from ...rules.actions import Undo
from ...table import Step
from .telling import tell

#: Items of earlier turns that are still shown.
BEFORE_THIS_TURN = 12
MOST_SHOWN = 80

Reader = Seat | None
READERS: tuple[Reader, ...] = (None, Seat.A, Seat.B)


@dataclass
class Item:
    """One touch. `live`: how many of its actions still stand; 0 and it was taken back."""

    number: int
    seat: str
    at_ms: int
    round: int
    turn: int
    live: int
    undo: bool
    by: str
    events: dict[Reader, tuple[Event, ...]]
    texts: dict[tuple[Reader, str], str] = field(default_factory=dict)

    def text(self, reader: Reader, language: str) -> str:
        """The item in words; empty if the reader may not know of it, or there is nothing to say."""
        key = (reader, language)
        if key not in self.texts:
            self.texts[key] = tell(self.events[reader], translator(language))
        return self.texts[key]


class History:
    """All items of a game, oldest first."""

    def __init__(self, game: Game) -> None:
        self.items: list[Item] = []
        self._game = game

    def add(self, steps: Sequence[Step], at_ms: int, by: str = "") -> None:
        """What one touch came to. `at_ms`: Unix time in milliseconds; `by`: `tap`, `page`, ..."""
        events: dict[Reader, list[Event]] = {reader: [] for reader in READERS}
        live = 0
        undo = all(isinstance(step.action, Undo) for step in steps)
        for step in steps:
            if isinstance(step.action, Undo):
                if live:
                    live -= 1
                else:
                    self._take_back()
            else:
                live += 1
            for reader in READERS:
                seen = visible_events(self._game, step.events, reader)
                if not isinstance(step.action, Undo) or undo:
                    events[reader].extend(seen)
            self._game = step.game
        state = self._game.state
        seat = next((str(seat) for step in steps if (seat := getattr(step.action, "seat", None)) is not None), "")
        shown = {reader: tuple(found) for reader, found in events.items()}
        self.items.append(
            Item(len(self.items) + 1, seat, at_ms, state.round, state.turns, live or int(undo), undo, by, shown)
        )

    def _take_back(self) -> None:
        for item in reversed(self.items):
            if item.live and not item.undo:
                item.live -= 1
                return

    def shown(self, reader: Reader, language: str) -> list[dict[str, object]]:
        """The items that a page shows: this turn's, some before it; newest first."""
        turn = self._game.state.turns
        items: list[dict[str, object]] = []
        before = 0
        for item in reversed(self.items):
            before += item.turn != turn
            if before > BEFORE_THIS_TURN or len(items) >= MOST_SHOWN:
                break
            if text := item.text(reader, language):
                items.append(
                    {
                        "number": item.number,
                        "seat": item.seat,
                        "at_ms": item.at_ms,
                        "turn": item.turn,
                        "text": text,
                        "undone": not item.live,
                        "undo": item.undo,
                        "by": item.by,
                    }
                )
        return items


def by_touch(steps: Iterable[tuple[int, int, str, Step]]) -> Iterable[tuple[int, str, list[Step]]]:
    """Recorded steps, each as (touch, at_ms, by, step), gathered touch by touch."""
    current: tuple[int, int, str] | None = None
    gathered: list[Step] = []
    for touch, at_ms, by, step in steps:
        if current is not None and current[0] != touch:
            yield current[1], current[2], gathered
            gathered = []
        current = (touch, at_ms, by)
        gathered.append(step)
    if current is not None:
        yield current[1], current[2], gathered
