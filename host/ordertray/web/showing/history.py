"""The history of a game as each reader may see it: one item for a touch or an action, with what undo took back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...messages import N_, translator
from ...rules import Event, Game, Seat, visible_events
from ...rules.actions import Undo
from ...table import Step
from ...table.model import Meant
from .telling import tell_touch

#: Items of earlier turns that are still shown.
BEFORE_THIS_TURN = 12
MOST_SHOWN = 80

Reader = Seat | None
READERS: tuple[Reader, ...] = (None, Seat.A, Seat.B)


@dataclass
class Item:
    """One touch. `undone`: it was taken back. `takes`: the item that this one took back, and `who` did so."""

    number: int
    seat: str
    at_ms: int
    round: int
    turn: int
    by: str
    meant: Meant
    events: dict[Reader, tuple[Event, ...]]
    undone: bool = False
    takes: Item | None = None
    who: str = ""
    texts: dict[tuple[Reader, str], str] = field(default_factory=dict)

    def text(self, reader: Reader, language: str) -> str:
        """The item in words; empty if the reader may not know of it, or there is nothing to say."""
        key = (reader, language)
        if key not in self.texts:
            self.texts[key] = self._text(reader, language)
        return self.texts[key]

    def _text(self, reader: Reader, language: str) -> str:
        translate = translator(language)
        if self.takes is None:
            return tell_touch(self.meant, self.events[reader], translate)
        what = self.takes.text(reader, language) or translate(N_("a step"))
        if self.who in ("", "?"):
            return translate(N_("Taken back: {what}")).format(what=what)
        if self.takes.seat in ("", self.who):
            return translate(N_("{who} took back: {what}")).format(who=self.who, what=what)
        text = translate(N_("{who} took back what {whose} did, who agreed: {what}"))
        return text.format(who=self.who, whose=self.takes.seat, what=what)


class History:
    """All items of a game, oldest first."""

    def __init__(self, game: Game) -> None:
        self.items: list[Item] = []
        self._standing: list[Item] = []
        self._game = game

    def add(self, steps: Sequence[Step], at_ms: int, by: str = "") -> None:
        """What one touch came to. `at_ms`: Unix time in milliseconds; `by`: `tap`, `page`, ..."""
        first = steps[0]
        undo = bool(first.back) or (first.made is None and all(isinstance(step.action, Undo) for step in steps))
        events: dict[Reader, list[Event]] = {reader: [] for reader in READERS}
        for step in steps:
            for reader in READERS:
                seen = visible_events(self._game, step.events, reader)
                if not isinstance(step.action, Undo):
                    events[reader].extend(seen)
            self._game = step.game
        state, made = self._game.state, first.made
        seat = next((str(seat) for step in steps if (seat := getattr(step.action, "seat", None)) is not None), "")
        if made is not None and made.seat is not None:
            seat = str(made.seat)
        meant = Meant("action") if made is None else made.meant
        shown = {reader: tuple(found) for reader, found in events.items()}
        item = Item(len(self.items) + 1, seat, at_ms, state.round, state.turns, by, meant, shown)
        if undo:
            item.takes = self._standing.pop() if self._standing else None
            item.who = item.seat = first.back
            if item.takes is not None:
                item.takes.undone = True
        else:
            self._standing.append(item)
        self.items.append(item)

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
                        "seat": "" if item.seat == "?" else item.seat,
                        "at_ms": item.at_ms,
                        "turn": item.turn,
                        "text": text,
                        "undone": item.undone,
                        "undo": item.takes is not None,
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
