"""What the pages show: everything about the table as each reader may know it, gathered from the service's notices."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ... import rules
from ...games import store
from ...link import MonotonicClock
from ...link.versions import judged
from ...messages import Translator, translator
from ...rules import Action, Game, Refusal, Seat, each_legal_action
from ...service.table_service import Notice, TableService
from ...table import Pace, Table, explain_touch
from ...table.beside import discs_of, name_of
from ...table.guide import hint_of
from ...tokens.model import Token, TokenKind
from ...tokens.virtual import disc_numbers
from .choices import fold
from .history import History, Reader, by_touch
from .pathway import path_of
from .timekeeping import Timekeeper

log = logging.getLogger(__name__)

VIEWS = ("public", "A", "B", "table")
Json = dict[str, Any]

#: Working out what a seat may do gives way to everything else after so long.
SLICE_S = 0.002


@dataclass(frozen=True)
class LastRefusal:
    """The last refusal since something was accepted. `number` tells it from the one before."""

    number: int
    side: Seat | None
    refusal: Refusal
    at_ms: int


@dataclass(frozen=True)
class LastTouch:
    """What a hand did last at a tray, to be mirrored."""

    number: int
    side: str
    button: str | None
    held: bool
    token: Token | None
    accepted: bool


class SetupShown(Protocol):
    """What a page shows of setting a game up."""

    def view(self, viewer: str, translate: Translator) -> Json:
        """As `viewer` may see it."""
        ...


class EnrolmentShown(Protocol):
    """What a page shows of discs being enrolled."""

    owner: str

    def show(self) -> None:
        """Let the tray's lamps ask again."""
        ...

    def strip(self, view: str) -> list[str]:
        """The strip that asks: colours, effects."""
        ...

    def view(self, translate: Translator) -> Json:
        """What is asked, and how far it is."""
        ...


class EndingShown(Protocol):
    """What a page shows of the agreement about the end."""

    def view(self) -> Json | None:
        """Who has agreed, and whether the end is final."""
        ...


class Page:
    """The table as pages see it. `changed` is called whenever there is something new to see; it must not block."""

    def __init__(
        self,
        service: TableService,
        *,
        wall_ms: Callable[[], int],
        tray: str,
        setup: SetupShown,
        clock: MonotonicClock | None = None,
    ) -> None:
        self.service = service
        self.tray = tray
        self.setup = setup
        self.enrolment: EnrolmentShown | None = None
        self.ending: EndingShown | None = None
        self.history: History | None = None
        self.names: dict[str, str] = {}
        self.enough = asyncio.Event()
        """Somebody has seen enough of the example that is being played (the demo)."""
        self._story: str | None = None
        self.changed: Callable[[], None] = lambda: None
        self._wall_ms = wall_ms
        self.clocks = Timekeeper(service, clock or MonotonicClock(), lambda: self.changed())
        self._refusal: LastRefusal | None = None
        self._touch: LastTouch | None = None
        self._numbers = 0
        self._choices: dict[Seat, tuple[Game, Json]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._choosing = {seat: asyncio.Lock() for seat in Seat}
        self._forget = service.listen(self._heard)
        if service.table is not None:
            self._seated(service.table)

    def close(self) -> None:
        """Stop listening to the table."""
        self._forget()
        self.clocks.close()
        kept = self.clocks.kept()
        if kept is not None and self.service.table is not None:
            row = self.service.journal.game(self.service.game_number)
            self.service.journal.set_seats(self.service.game_number, {**row.seats, "clocks": kept})

    # --- what happens ------------------------------------------------------------------------------------------------

    def _heard(self, notice: Notice) -> None:
        if notice.what == "game":
            if notice.table is None:
                self._left()
            else:
                self._seated(notice.table)
        if self.enrolment is not None:
            self.enrolment.show()
        self._numbers += 1
        cause, outcome = notice.cause or {}, notice.outcome
        if outcome is not None:
            if outcome.refusal is not None:
                self._refusal = LastRefusal(self._numbers, outcome.side, outcome.refusal, self._wall_ms())
            else:
                self._refusal = None
            if outcome.steps and self.history is not None:
                self.history.add(outcome.steps, self._wall_ms(), str(cause.get("by", "")))
            self.clocks.follow(notice.table)
            if cause.get("by") == "tap":
                uid = cause.get("uid")
                token = notice.table.tokens.get(str(uid)) if uid is not None and notice.table is not None else None
                button = cause.get("button")
                self._touch = LastTouch(
                    self._numbers,
                    "" if outcome.side is None else str(outcome.side),
                    None if button is None else str(button),
                    cause.get("edge") == "hold",
                    token,
                    outcome.accepted,
                )
        self.changed()

    def _left(self) -> None:
        """No game is on any more."""
        self._refusal = self._touch = self.history = None
        self.names = {}
        self.clocks.leave()

    def _seated(self, table: Table) -> None:
        """Another game: its history from the record, its clocks as they were kept."""
        self._refusal = self._touch = None
        self._choices.clear()
        journal, number = self.service.journal, self.service.game_number
        row = journal.game(number)
        names = row.seats.get("names")
        self.names = {str(seat): str(name) for seat, name in names.items()} if isinstance(names, Mapping) else {}
        first = store.first_position(row)
        self.history = History(first)
        entries = list(journal.entries(number))
        steps = zip(entries, store.steps_of(first, iter(entries)), strict=True)
        played = ((touch, entry.at_ms, str(entry.cause.get("by", "")), step) for entry, (touch, step) in steps)
        for at_ms, by, made in by_touch(played):
            self.history.add(made, at_ms, by)
        self.clocks.seat(row.seats.get("clocks"), table, fresh=not entries)

    def tell_story(self, caption: str | None) -> None:
        """Show what an example is doing (a message id); None when it is over."""
        self._story = caption
        self.changed()

    def now_ms(self) -> int:
        """Unix time in milliseconds."""
        return self._wall_ms()

    # --- what is to be seen ------------------------------------------------------------------------------------------

    def state(self, view: str, language: str) -> Json:
        """Everything that a page of `view` (one of `VIEWS`) shows, whole. Texts are in `language`."""
        reader: Reader = Seat(view) if view in ("A", "B") else None
        translate = translator(language)
        table, frame = self.service.table, self.service.frame
        public = None if table is None else rules.public_view(table.game)
        pace = Pace.EXPRESS if table is None else table.pace
        state: Json = {
            "view": view,
            "language": language,
            "at_ms": self._wall_ms(),
            "position": None if table is None else table.game.position,
            "game": None if table is None else {"number": self.service.game_number, "pace": str(pace)},
            "names": self.names,
            "public": public,
            "story": None if self._story is None else translate(self._story),
            "path": None if table is None or public is None else path_of(table.game, public, translate),
            "lamps": None if frame is None else {seat: list(frame.letters(seat)) for seat in ("A", "B")},
            "links": self.service.link_states(),
            "tray": {"kind": self.tray, "advice": self._advice(translate)},
            "discs": None if table is None or public is None else self._discs(table, public, reader),
            "pending": [] if table is None else self._pending(table, reader),
            "consent": None if table is None or table.consent is None else str(table.consent.asker),
            "refusal": self._refused(reader, language),
            "touch": None if public is None else self._touched(public, reader),
            "hint": hint_of(table, public, translate, self.names, reader, self.service.link_states()),
            "history": [] if self.history is None else self.history.shown(reader, language),
            "clock": self.clocks.view(),
            "end": None if self.ending is None else self.ending.view(),
        }
        if reader is not None and table is not None:
            state["seat"] = rules.seat_view(table.game, reader)
            state["disc_numbers"] = disc_numbers(table.game.army(reader))
        if view != "public":
            state["setup"] = self.setup.view(view, translate)
            if self.enrolment is not None and view in ("table", self.enrolment.owner):
                state["enrolment"] = self.enrolment.view(translate)
        if self.enrolment is not None and state["lamps"] is not None:
            state["lamps"][self.enrolment.owner] = self.enrolment.strip(view)
        return state

    def _advice(self, translate: Translator) -> list[str]:
        """What is to be said of the trays: firmware of another version than the host's."""
        links = self.service.trays.links if self.service.trays is not None else ()
        return [advice for link in links if link.online and (advice := judged(link.hello, translate))]

    def message(self, view: str, language: str, revision: int) -> str:
        """`state` as the text of a websocket message."""
        body = {"type": "state", "revision": revision, **self.state(view, language)}
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    def _discs(self, table: Table, public: Json, reader: Reader) -> Json:
        return {str(seat): discs_of(table, public, seat, reader) for seat in Seat}

    def _pending(self, table: Table, reader: Reader) -> list[Json]:
        """First touches that wait for their second. Which trooper was tapped is its player's business."""
        shown = []
        for pending in table.pending:
            own = reader is pending.seat
            shown.append(
                {
                    "seat": str(pending.seat),
                    "what": pending.what,
                    "word": pending.word if own or pending.what in ("spent", "state") else None,
                    "troopers": list(pending.troopers) if own else [],
                    "again": pending.what in ("spent", "next") or pending.disc is not None,
                }
            )
        return shown

    def _refused(self, reader: Reader, language: str) -> Json | None:
        last = self._refusal
        if last is None:
            return None
        refusal = last.refusal
        told = refusal.private and reader is not last.side
        translate = translator(language)
        return {
            "number": last.number,
            "side": None if last.side is None else str(last.side),
            "rule": refusal.rule,
            "text": translate(rules.REFUSED) if told else explain_touch(refusal, translate),
            "at_ms": last.at_ms,
        }

    def _touched(self, public: Json, reader: Reader) -> Json | None:
        touch = self._touch
        if touch is None:
            return None
        disc = None
        if touch.token is not None:
            token = touch.token
            known = token.trooper is None or _knows(public, Seat(token.owner), reader, token.trooper)
            # Whose tag is tapped there is perhaps the new Lieutenant's (LOL-05).
            owner = public["seats"][token.owner]
            if token.kind is TokenKind.TROOPER and public["phase"] == "states" and owner["loss_of_lieutenant"]:
                known = reader is not None and token.owner == reader
            disc = name_of(token.role) if known else "?"
        return {
            "number": touch.number,
            "side": touch.side,
            "button": touch.button,
            "held": touch.held,
            "disc": disc,
            "owner": None if touch.token is None else touch.token.owner,
            "accepted": touch.accepted,
        }

    async def choices(self, seat: Seat) -> Json:
        """What `seat` may do now: `{"position": N, "choices": {...}}`.

        Worked out in small slices of the event loop's time: a thread would make every other page's news wait for the
        interpreter again and again. If the game moves on meanwhile, so does this.
        """
        async with self._choosing[seat]:
            while (table := self.service.table) is not None:
                known = self._choices.get(seat)
                if known is None or known[0] is not table.game:
                    found = await self._legal(table.game, seat)
                    if found is None:
                        continue
                    known = (table.game, fold(found))
                    self._choices[seat] = known
                return {"position": known[0].position, "choices": known[1]}
        return {"position": None, "choices": None}

    async def _legal(self, game: Game, seat: Seat) -> list[Action] | None:
        """The legal actions; None if the game has moved on."""
        loop = asyncio.get_running_loop()
        found: list[Action] = []
        until_s = loop.time() + SLICE_S
        for action in each_legal_action(game, seat):
            if action is not None:
                found.append(action)
            if loop.time() >= until_s:
                await asyncio.sleep(0)
                if self.service.table is None or self.service.table.game is not game:
                    return None
                until_s = loop.time() + SLICE_S
        return found


def _knows(public: Json, owner: Seat, reader: Reader, trooper: str | None) -> bool:
    return reader is owner or any(known["id"] == trooper for known in public["seats"][str(owner)]["troopers"])
