"""What can be asked of a table. `endpoints` lists it, `app` serves it, `/api` shows it.

The same actions (lines of the game script) and views as `ordertray play --json`. Whatever the rules refuse is answered
with status 200, `"ok": false`, the rule and the reason; other statuses mean that the request itself was wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ... import rules
from ...files.problems import FileError, shown_problems
from ...games import store
from ...games.store import StoreError
from ...journal import GameRow, JournalError
from ...link.threads import beside
from ...messages import N_, Translator, translator
from ...rules import Action, NotationError, Refusal, Seat
from ...rules.actions import SetOption, Undo
from ...service.table_service import Notice, TableService
from ...table import ButtonPress, DiscTouch, Outcome, Touch, explain_touch
from ...table.beside import may_know, uid_of
from ...table.guide import role_of
from ...table.told import say
from ...tokens import enrolment
from ...tokens.binding import bound
from ...tokens.registry import RegistryError, TokenRegistry
from ...tokens.virtual import roles_for, virtual_uid
from ..showing.hub import Hub
from ..showing.page import VIEWS, Page
from ..showing.statistics import statistics
from .ending import Ending
from .enrol import PageEnrolment
from .filling import army_data_lines
from .hands import BusyError, Hands
from .roles import TABLE
from .setup import Setup, SetupError

SEATS = ("A", "B")

Json = dict[str, Any]

#: Games whose statistics are kept ready.
MOST_COUNTED = 16


class ApiError(Exception):
    """A request that is wrong in itself."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Call:
    """One request: who (`roles`), what (`body`, already checked; `path` and `query` words), in which language."""

    roles: frozenset[str]
    body: Mapping[str, Any]
    path: Mapping[str, str]
    query: Mapping[str, str]
    address: str
    language: str

    @property
    def translate(self) -> Translator:
        """Texts in the caller's language."""
        return translator(self.language)

    def need(self, *roles: str) -> str:
        """The first of these roles that the caller has. Raises `ApiError` 403 if none."""
        for role in roles:
            if role in self.roles:
                return role
        raise ApiError(
            403, "not-yours", self.translate(N_("This is not yours to do: open the seat by its link or PIN."))
        )


@dataclass(frozen=True)
class Text:
    """An answer that is a file to save."""

    content: str
    media_type: str
    file_name: str


@dataclass(frozen=True)
class Ready:
    """An answer that is JSON already, made once for all who ask."""

    content: str


class Api:
    """Everything that can be asked of a table, but for sessions: those are `app`'s, which knows cookies."""

    def __init__(self, page: Page, hub: Hub, setup: Setup, hands: Hands | None) -> None:
        self.page = page
        self.hub = hub
        self.game_setup = setup
        self.enrolment: PageEnrolment | None = None
        self.hands = hands
        self.ending = Ending(page.service)
        page.ending = self.ending
        self._counted: dict[int, Json] = {}
        self._starting = asyncio.Lock()
        self._counting = asyncio.Lock()
        self._reading = asyncio.Lock()
        self.renew_keys: Callable[[str], None] = lambda role: None
        self.keep_keys: Callable[[], None] = lambda: None
        self._blanks = secrets.token_hex(4)
        self._blank = 0

    @property
    def service(self) -> TableService:
        """The table's service."""
        return self.page.service

    # --- the game ----------------------------------------------------------------------------------------------------

    def allowed_view(self, view: str, roles: frozenset[str]) -> str | None:
        """`view`, if it is one that these roles may see."""
        return view if view in VIEWS and (view == "public" or view in roles) else None

    async def state(self, call: Call) -> Ready:
        view = call.query.get("view", "public")
        if self.allowed_view(view, call.roles) is None:
            call.need(view)
        return Ready(self.hub.lately(view, call.language))

    async def choices(self, call: Call) -> Json:
        seat = call.query.get("seat", "")
        call.need(seat)
        if seat not in SEATS:
            raise ApiError(400, "bad-seat", "seat: must be A or B")
        return await self.page.choices(Seat(seat))

    async def act(self, call: Call) -> Json:
        line = call.body["line"]
        try:
            action = rules.parse_action(line)
        except NotationError as fault:
            raise ApiError(400, "not-in-notation", str(fault)) from None
        self._may_act(call, action)
        seats = [seat for seat in SEATS if seat in call.roles]
        if isinstance(action, Undo) and TABLE not in call.roles and len(seats) == 1:
            # One player's page: what the other did is taken back with consent only (ACT-20).
            return await self._touched(call, ButtonPress(Seat(seats[0]), "pass", held=True), action.at)
        try:
            outcome = await self.service.act(action, {"by": "page"})
        except LookupError:
            raise ApiError(409, "no-game", call.translate(N_("No game is on."))) from None
        return self._told(call, outcome)

    async def touch(self, call: Call) -> Json:
        seat = Seat(call.body["seat"])
        call.need(str(seat), TABLE)
        disc, key = call.body.get("disc"), call.body.get("key")
        if (disc is None) == (key is None):
            raise ApiError(400, "bad-body", "disc, key: give one of them")
        what: Touch
        if disc is None:
            what = ButtonPress(seat, str(key), bool(call.body.get("hold", False)))
        else:
            try:
                what = DiscTouch(seat, role_of(disc), call.body.get("trooper"))
            except ValueError as fault:
                raise ApiError(400, "no-such-disc", call.translate(str(fault))) from None
        return await self._touched(call, what, call.body.get("at"))

    async def _touched(self, call: Call, what: Touch, at: int | None) -> Json:
        try:
            outcome = await self.service.touch(what, {"by": "page"}, at)
        except LookupError:
            raise ApiError(409, "no-game", call.translate(N_("No game is on."))) from None
        return self._told(call, outcome)

    def _may_act(self, call: Call, action: Action) -> None:
        if not isinstance(action, Undo | SetOption):
            call.need(str(action.seat))

    def _told(self, call: Call, outcome: Outcome | None) -> Json:
        table = self.service.table
        position = None if table is None else table.game.position
        if outcome is None:
            return {"ok": True, "answered": False, "position": position}
        if outcome.refusal is None:
            waits = bool(outcome.table.pending) or outcome.table.consent is not None
            told: Json = {"ok": True, "position": outcome.table.game.position, "waits": waits}
            if outcome.meant is not None and outcome.meant.code != "action":
                told["told"] = say(outcome.meant, call.translate)
            return told
        return {
            "ok": False,
            "rule": outcome.refusal.rule,
            "code": outcome.refusal.code,
            "message": self._reason(call, outcome.refusal, outcome.side),
            "position": position,
        }

    def _reason(self, call: Call, refusal: Refusal, side: Seat | None) -> str:
        if refusal.private and (side is None or str(side) not in call.roles):
            return call.translate(rules.REFUSED)
        return explain_touch(refusal, call.translate)

    # --- the virtual tray --------------------------------------------------------------------------------------------

    def _tray(self, call: Call) -> Hands:
        if self.hands is None:
            text = N_("There is no virtual tray here: tap on the real one, or play on the seat's page.")
            raise ApiError(409, "no-virtual-tray", call.translate(text))
        return self.hands

    async def tap(self, call: Call) -> Json:
        hands, pad = self._tray(call), Seat(call.body["pad"])
        call.need(str(pad), TABLE)
        uid = self._uid(call, pad, Seat(call.body.get("owner", pad)), call.body["disc"], hands.turn)
        try:
            notice = await hands.tap(pad, uid)
        except BusyError:
            raise ApiError(429, "busy", call.translate(N_("Not so fast: one disc after the other."))) from None
        return self._told(call, _outcome(notice))

    def _uid(self, call: Call, pad: Seat, owner: Seat, disc: str, turn: int) -> str:
        if disc == "blank" and self.enrolment is not None:
            self._blank += 1
            return virtual_uid(f"{self._blanks} {self._blank}")
        table = self.service.table
        if table is None:
            raise ApiError(409, "no-game", call.translate(N_("No game is on.")))
        view = rules.public_view(table.game)
        reader = owner if str(owner) in call.roles else None
        uid = uid_of(table, owner, disc, turn) if may_know(table, view, owner, disc, reader) else None
        if uid is None:
            raise ApiError(404, "no-such-disc", call.translate(N_("There is no such disc beside the tray.")))
        return uid

    async def button(self, call: Call) -> Json:
        hands, side = self._tray(call), Seat(call.body["side"])
        call.need(str(side), TABLE)
        button, edge = call.body["button"], call.body["edge"]
        if edge in ("down", "up"):
            (hands.press if edge == "down" else hands.release)(side, button)
            return self._told(call, None)
        return self._told(call, _outcome(await hands.click(side, button, hold=edge == "hold")))

    async def story_end(self, call: Call) -> Json:
        """End the example that is being played; then the tray is the caller's."""
        self.page.enough.set()
        return {"ok": True}

    # --- set-up ------------------------------------------------------------------------------------------------------

    async def setup(self, call: Call) -> Json:
        for seat in SEATS:
            if f"name_{seat.lower()}" in call.body:
                call.need(seat, TABLE)
        try:
            self.game_setup.choose(call.body)
        except SetupError as error:
            raise ApiError(400, "bad-option", error.text(call.translate)) from None
        self.hub.changed()
        return {"ok": True}

    async def roster(self, call: Call) -> Json:
        seat = Seat(call.body["seat"])
        by = call.need(TABLE, str(seat))
        setup = self.game_setup
        words = call.body["kind"], call.body.get("text", ""), call.body.get("name", "")
        try:
            # One after the other, in a thread that nobody waits for at the end: it takes as long as the text wants.
            async with self._reading:
                await beside(lambda: setup.load(seat, *words, by), "roster")
        except SetupError as error:
            raise ApiError(400, "bad-roster", error.text(call.translate)) from None
        self.hub.changed()
        draft = setup.drafts[seat]
        return {
            "ok": not draft.problems,
            "problems": shown_problems(draft.problems, call.translate),
            "warnings": shown_problems(draft.warnings, call.translate),
        }

    async def fill(self, call: Call) -> Json:
        seat = Seat(call.body["seat"])
        call.need(TABLE, str(seat))
        try:
            async with self._reading:
                await beside(lambda: self.game_setup.fill(seat, call.body), "roster")
        except SetupError as error:
            raise ApiError(409, "not-filled-in", error.text(call.translate)) from None
        self.hub.changed()
        return {"ok": True}

    async def bind(self, call: Call) -> Json:
        seat = Seat(call.body["seat"])
        call.need(TABLE, str(seat))
        try:
            self.game_setup.bind(seat, call.body["kind"], call.body["number"], call.body["trooper"])
        except SetupError as error:
            raise ApiError(409, "not-bound", error.text(call.translate)) from None
        self.hub.changed()
        return {"ok": True}

    async def army_data(self, call: Call) -> Json:
        """Where the army data is: told, or shown."""
        call.need(TABLE)
        place = call.body.get("place", "").strip()
        try:
            async with self._reading:
                lines = await beside(lambda: army_data_lines(place, call.translate), "army data")
        except (FileError, OSError) as error:
            raise ApiError(400, "bad-data", _words(error, call.translate)) from None
        return {"ok": True, "lines": lines}

    async def start(self, call: Call) -> Json:
        table = self.service.table
        if table is not None and table.game.position and not self.service.final:
            over = table.game.state.over is not None
            text = N_("Confirm the end of the last game first.") if over else N_("A game is on: end it first.")
            raise ApiError(409, "game-on", call.translate(text))
        async with self._starting:
            try:
                journal, at_ms = self.service.journal, self.page.now_ms()
                number, begun = await beside(lambda: self.game_setup.begin(journal, at_ms=at_ms), "begin")
            except SetupError as error:
                raise ApiError(409, "not-set-up", error.text(call.translate)) from None
            except (FileError, JournalError) as error:
                raise ApiError(409, "not-set-up", _words(error, call.translate)) from None
            # The new game is in the record whole, or nothing has changed; only then is the last one left.
            with contextlib.suppress(JournalError):
                await self.service.end()
            self.service.begin(number, begun)
        return {"ok": True, "game": number}

    async def end(self, call: Call) -> Json:
        table = self.service.table
        if table is None:
            return {"ok": True, "ended": True, "agreed": []}
        if call.body.get("do") == "withdraw":
            self.ending.withdraw(call.roles)
            self.hub.changed()
            return {"ok": True, "ended": False, "agreed": sorted(map(str, self.ending.agreed))}
        # A game of which nothing was played is nobody's to lose, and its record is not to be had.
        ended = self.ending.agree(call.roles) or not table.game.position or self.service.final
        if ended and (self.service.final or not await self.service.finish()):
            await self.service.end()
            self.game_setup.take_over(table)
        elif ended:
            # Objective Points are entered after the last turn: the result is what was confirmed with the end.
            await self.service.keep("result", rules.public_view(table.game)["result"])
        self.hub.changed()
        return {"ok": True, "ended": ended, "agreed": sorted(map(str, self.ending.agreed))}

    async def clock(self, call: Call) -> Json:
        self.page.clocks.change(paused=call.body["paused"])
        self.hub.changed()
        return {"ok": True}

    async def enrol(self, call: Call) -> Json:
        do = call.body["do"]
        if do == "start":
            self._begin_enrolment(call)
            return {"ok": True}
        running = self.enrolment
        if running is None:
            raise ApiError(409, "not-enrolling", call.translate(N_("No discs are being enrolled.")))
        call.need(running.owner, TABLE)
        if do == "stop":
            self.end_enrolment()
            try:
                await self._take_tokens(running.seat, running.state.registry)
            except (RegistryError, JournalError) as error:
                raise ApiError(409, "discs", _words(error, call.translate)) from None
        else:
            events: dict[str, enrolment.Event] = {
                "skip": enrolment.Skip(),
                "undo": enrolment.Undo(),
                "pause": enrolment.Pause(),
            }
            running.take(events[do])
        return {"ok": True}

    def _begin_enrolment(self, call: Call) -> None:
        if "seat" not in call.body:
            raise ApiError(400, "bad-body", "seat: is missing")
        seat = Seat(call.body["seat"])
        call.need(str(seat), TABLE)
        setup, table = self.game_setup, self.service.table
        army = setup.drafts[seat].army or (None if table is None else table.game.army(seat))
        if army is None:
            text = call.translate(N_("Seat {seat} has no roster yet.")).format(seat=seat)
            raise ApiError(409, "not-set-up", text)
        if self.enrolment is not None:  # not somebody else's, who stands at the tray with a disc
            call.need(self.enrolment.owner, TABLE)
        person = setup.owner(seat)
        try:
            path, others = setup.tokens_path(seat), setup.store.others(person)
        except RegistryError as error:
            raise ApiError(409, "discs", _words(error, call.translate)) from None
        self.end_enrolment()
        hands = self.hands
        self.enrolment = self.page.enrolment = PageEnrolment(
            self.service,
            seat,
            roles_for(army),
            TokenRegistry(setup.tokens.get(seat, ()), person),
            others,
            path,
            person=person,
            write_records=call.body.get("write", False),
            changed=self.hub.changed,
            answered=(lambda body: None) if hands is None else hands.answered,
        )
        self.hub.changed()

    def end_enrolment(self) -> None:
        """End the enrolment that is on, if one is: taps belong to the game again."""
        if self.enrolment is not None:
            self.enrolment.close()
        self.enrolment = self.page.enrolment = None

    async def _take_tokens(self, seat: Seat, registry: TokenRegistry) -> None:
        """Discs of a seat have been enrolled; the game that is on uses them at once."""
        self.game_setup.set_tokens(seat, registry)
        if self.service.table is not None:
            await self.service.use_tokens({seat: bound(registry, self.service.table.game.army(seat))})
        self.page.changed()

    async def renew(self, call: Call) -> Json:
        self.renew_keys(call.body["role"])
        self.hub.renew_rights()
        return {"ok": True}

    # --- the record --------------------------------------------------------------------------------------------------

    def _row(self, call: Call) -> GameRow:
        word = call.path["game"]
        plain = word.isascii() and word.isdecimal() and len(word) < 9
        number = self.service.game_number if word == "current" else int(word) if plain else 0
        try:
            row = self.service.journal.game(number)
        except JournalError:
            raise ApiError(404, "no-such-game", call.translate(N_("There is no such game in the record."))) from None
        if row.entries and not self._is_open(row):
            text = N_("The record is open to both when both have confirmed the end of the game.")
            raise ApiError(403, "still-on", call.translate(text))
        if not row.entries:  # or one could begin and end games to see what the other has brought
            raise ApiError(409, "nothing-played", call.translate(N_("Nothing was played in this game.")))
        return row

    def _is_open(self, row: GameRow) -> bool:
        """Whether a game cannot be played on any more: then its record is both seats'."""
        on = self.service.table is not None and row.id == self.service.game_number and not self.service.final
        return row.ended_ms is not None and not on and row.entries > 0

    async def games(self, call: Call) -> Json:
        rows = await beside(self.service.journal.games, "games")
        games = []
        for row in reversed(rows[-100:]):
            names, confirmed = row.seats.get("names"), row.seats.get("result")
            opened = self._is_open(row)
            games.append(
                {
                    "game": row.id,
                    "started_ms": row.started_ms,
                    "ended_ms": row.ended_ms,
                    "open": opened,
                    "armies": {seat: _army_name(text) for seat, text in row.armies.items()} if opened else {},
                    "edition": row.edition,
                    "names": names if isinstance(names, Mapping) else {},
                    "actions": row.entries,
                    "result": row.result
                    if row.result is None or not isinstance(confirmed, Mapping)
                    else {**row.result, **confirmed},
                }
            )
        return {"games": games}

    async def statistics(self, call: Call) -> Json:
        row = self._row(call)
        # The whole game is played through for it: once, not for everybody who asks.
        async with self._counting:
            if row.id not in self._counted:
                if len(self._counted) >= MOST_COUNTED:
                    del self._counted[next(iter(self._counted))]
                self._counted[row.id] = await beside(lambda: self._count(row), "statistics")
        return self._counted[row.id]

    def _count(self, row: GameRow) -> Json:
        try:
            entries = list(self.service.journal.entries(row.id))
            steps = store.steps_of(store.first_position(row), iter(entries))
            played = [(entry, step) for entry, (_touch, step) in zip(entries, steps, strict=True)]
        except (StoreError, JournalError, ValueError) as error:
            raise ApiError(409, "record", str(error)) from None
        return {"game": row.id, "result": row.result, **statistics(played, row.started_ms)}

    async def record(self, call: Call) -> Text:
        import json

        row = self._row(call)
        entries = await beside(lambda: list(self.service.journal.entries(row.id)), "record")
        content = {
            "game": row.id,
            "edition": row.edition,
            "options": row.options,
            "armies": row.armies,
            "names": row.seats.get("names", {}),
            "started_ms": row.started_ms,
            "ended_ms": row.ended_ms,
            "result": row.result,
            "actions": [
                {
                    "at_ms": e.at_ms,
                    "position": e.position,
                    "line": e.action,
                    "events": e.events,
                    "by": e.cause.get("by"),
                }
                for e in entries
            ],
        }
        text = json.dumps(content, ensure_ascii=False, indent=1)
        return Text(text, "application/json", f"ordertray-game-{row.id}.json")

    async def script(self, call: Call) -> Text:
        row = self._row(call)
        text = await beside(lambda: store.script_of(self.service.journal, row), "script")
        return Text(text, "text/plain", f"ordertray-game-{row.id}.txt")


def _army_name(text: str) -> str:
    """The name of an army by its roster's text."""
    try:
        name = tomllib.loads(text).get("name", "")
    except tomllib.TOMLDecodeError:
        return ""
    return name if isinstance(name, str) else ""


def _outcome(notice: Notice | None) -> Outcome | None:
    return None if notice is None else notice.outcome


def _words(error: Exception, translate: Translator) -> str:
    return error.text(translate) if isinstance(error, FileError) else str(error)
