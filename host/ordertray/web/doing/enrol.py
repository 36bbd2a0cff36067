"""Enrolment from the page: the state machine of `tokens.enrolment`, fed with the tray's taps instead of the game.

While one is on, the taps of its seat's pad belong to it, and its strip asks for the disc that is wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...link import NoAnswerError, TrayEvent, TrayLink
from ...messages import Translator
from ...rules import Seat
from ...service.table_service import TableService
from ...tokens import enrolment as m
from ...tokens.model import Role
from ...tokens.prompts import PIXELS
from ...tokens.registry import TokenRegistry, save_registry
from ...tokens.runner import answer_of, event_of

_DARK = ["." * PIXELS] * 2


class PageEnrolment:
    """One enrolment at the running table, of `person`'s discs. `answered` is told of each tray event it took."""

    def __init__(
        self,
        service: TableService,
        seat: Seat,
        roles: Sequence[Role],
        registry: TokenRegistry,
        others: Mapping[str, TokenRegistry],
        path: Path,
        *,
        person: str,
        write_records: bool,
        changed: Callable[[], None],
        answered: Callable[[Mapping[str, object]], None],
    ) -> None:
        self.seat = seat
        self.owner = str(seat)
        self.over = False
        self._service = service
        self._path = path
        self._changed = changed
        self._answered = answered
        self._said: m.Say | None = None
        self._asks: m.Say | None = None
        self._strip = list(_DARK)
        self._tasks: set[asyncio.Task[None]] = set()
        self._link, self._pad = self._place()
        self.state, commands = m.begin(
            person, self._pad, roles, registry, others, write_records=write_records and self._link is not None
        )
        for command in commands:
            self._carry_out(command)
        service.taps_to = self._take_tap

    def _place(self) -> tuple[TrayLink | None, str]:
        """The tray and pad of the seat."""
        for link in self._service.trays.links if self._service.trays is not None else ():
            for side, owner in self._service.seating.sides(link.board).items():
                if owner is self.seat and link.online:
                    return link, side
        return None, self.owner

    def close(self) -> None:
        """End it: taps belong to the game again, and the strips show it."""
        self.over = True
        self._service.taps_to = None
        self._service.relight()

    def _take_tap(self, event: TrayEvent) -> bool:
        if self._link is not None and event.board != self._link.board:
            return False
        found = event_of(event.body, self._pad)
        if found is None:
            return event.body.get("side") == self._pad
        self.take(found)
        self._answered(event.body)
        return True

    def take(self, event: m.Event) -> None:
        """Deal with one event, from the tray or the page. What it accepts is on disk when this returns."""
        state, commands = m.step(self.state, event)
        for command in commands:
            if isinstance(command, m.Save):
                try:
                    save_registry(command.registry, self._path)
                except OSError as error:
                    self._said = m.Say("refused", "{why}", {"why": f"{self._path}: {error.strerror}"})
                    self._changed()
                    return
        self.state = state
        for command in commands:
            self._carry_out(command)
        self._changed()

    def _carry_out(self, command: m.Command) -> None:
        match command:
            case m.Say(mood=mood):
                if mood in ("ask", "done"):
                    self._asks = command
                else:
                    self._said = command
            case m.Show(strip=strip):
                self._strip = list(strip)
                self.show()
            case m.Signal(side=side, do=do):
                if self._link is not None:
                    self._link.feedback(side, do)
            case m.Read(pad=pad):
                self._ask({"c": "ndef-read", "pad": pad})
            case m.Write(pad=pad, message=message):
                self._ask({"c": "ndef-write", "pad": pad, "ndef": message.hex().upper()})

    def _ask(self, body: Mapping[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._ask_tray(body))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask_tray(self, body: Mapping[str, Any]) -> None:
        assert self._link is not None
        try:
            answer = answer_of(await self._link.command(body))
        except NoAnswerError:
            answer = m.Answer(False, "no-answer")
        if not self.over:
            self.take(answer)

    def show(self) -> None:
        """Let the tray ask again: the game's lamps may have been shown meanwhile."""
        if self._link is not None and not self.over:
            self._link.show({"A": _DARK, "B": _DARK, self._pad: self._strip})

    def strip(self, view: str) -> list[str]:
        """The strip that asks, as everybody sees it; which disc it is for is not said here."""
        return list(self._strip)

    def view(self, translate: Translator) -> dict[str, Any]:
        """What the page shows of it."""
        done, of = self.state.progress
        return {
            "seat": self.owner,
            "pad": self._pad,
            "asks": "" if self._asks is None else self._asks.text(translate),
            "said": "" if self._said is None else self._said.text(translate),
            "mood": "" if self._said is None else self._said.mood,
            "done": done,
            "of": of,
            "paused": self.state.paused,
            "finished": self.state.finished,
        }
