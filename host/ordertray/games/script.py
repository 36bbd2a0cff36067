"""Play a game script line by line: what `ordertray play` does, free of files and terminals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import rules
from ..rules import Game, NotationError, Query, Refusal, Seat


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one line. `data` is its JSON form (a contract, see host/README.md), `text` the plain one."""

    line: int
    data: dict[str, Any]
    text: str

    def json(self) -> str:
        """The answer as one line of JSON."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))

    @property
    def in_notation(self) -> bool:
        """Whether the line was in the notation at all."""
        return "error" not in self.data


class Script:
    """A game and the answers to the lines played on it."""

    def __init__(self, game: Game, *, viewer: Seat | None = None, translate: Callable[[str], str] = str) -> None:
        self.game = game
        self.viewer = viewer
        self.translate = translate

    def run(self, lines: Iterable[str]) -> Iterator[Answer]:
        """Answer each line that is not blank or a comment; lines count from 1."""
        for number, line in enumerate(lines, 1):
            answer = self.answer(number, line)
            if answer is not None:
                yield answer

    def answer(self, number: int, line: str) -> Answer | None:
        """The answer to one line; None for a blank or comment line."""
        try:
            parsed = rules.parse_line(line)
        except NotationError as fault:
            return Answer(number, {"line": number, "ok": False, "error": str(fault)}, f"error line {number}: {fault}")
        if parsed is None:
            return None
        if isinstance(parsed, Query):
            if parsed.action is not None:
                return self._why(number, parsed.action)
            if parsed.what == "position" and self.viewer is not None:
                return self._refused(number, Refusal("INF", "position-private"), None)
            return self._accepted(number, (), parsed.what)
        outcome = rules.play(self.game, parsed)
        if isinstance(outcome, Refusal):
            return self._refused(number, outcome, getattr(parsed, "seat", None))
        before, (self.game, events) = self.game, outcome
        return self._accepted(number, rules.visible_events(before, events, self.viewer))

    def _why(self, number: int, action: rules.Action) -> Answer:
        """Whether the action would be accepted now. A viewer asks about actions of its own side only (INF)."""
        seat = getattr(action, "seat", None)
        if self.viewer is not None and seat is not None and seat is not self.viewer:
            return self._refused(number, Refusal("INF", "not-your-question"), None)
        decision = rules.decide(self.game, action)
        if not isinstance(decision, Refusal):
            return Answer(number, {"line": number, "ok": True, "would": True}, "yes")
        message = rules.explain(decision, self.translate)
        data = {"line": number, "ok": True, "would": False, "rule": decision.rule, "message": message}
        return Answer(number, data, f"no {decision.rule} {message}")

    def _accepted(self, number: int, events: tuple[rules.Event, ...], query: str | None = None) -> Answer:
        data: dict[str, Any] = {
            "line": number,
            "ok": True,
            "position": self.game.position,
            "events": [rules.to_json(event) for event in events],
            "public": rules.public_view(self.game),
        }
        if self.viewer is not None:
            data["seat"] = rules.seat_view(self.game, self.viewer)
        text = rules.summary(self.game)
        if query == "position":
            text = rules.format_position(self.game)
            data["line_of_position"] = text
        return Answer(number, data, f"ok @{self.game.position} {text}")

    def _refused(self, number: int, refusal: Refusal, seat: Seat | None) -> Answer:
        stranger = self.viewer is not None and seat is not None and seat is not self.viewer
        if stranger:
            refusal = refusal.for_others()
        message = rules.explain(refusal, self.translate)
        data = {"line": number, "ok": False, "rule": refusal.rule, "message": message}
        return Answer(number, data, f"refused {refusal.rule} {message}")
