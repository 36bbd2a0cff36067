"""The running table: trays, rules, record and lamps joined. One way through, nothing flows backwards.

tap -> table -> record (on disk) -> the game moves on -> lamps; then the tap is acknowledged to its tray.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from .. import rules
from ..games import store
from ..journal import AlreadyRecordedError, Draft, Journal, JournalError, Tap
from ..lights import LampFrame, LinkState, render
from ..lights.outputs import LampOutput, LampOutputs
from ..link import BoardSpec, MonotonicClock, TrayEvent, TrayLink, Trays
from ..rules import Action, Refusal, Seat
from ..table import Outcome, Seating, Table, Touch, act, touch, touch_of
from ..table.asking import asks_of
from ..table.kept import waiting_to_json
from ..table.reasons import refused
from ..tokens.registry import TokenRegistry, format_registry, merge
from .worker import WorkerThread

log = logging.getLogger(__name__)

#: How long a clean stop may wait for what is in hand, and for the trays to have their dark frame.
FAREWELL_MS = 500

#: Health of a reader that does not read.
_OUT_OF_ORDER = ("failed", "absent")

What = Literal["position", "refused", "noted", "link", "game"]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that those who watch the table want to know. `cause` as in the record."""

    what: What
    table: Table | None
    outcome: Outcome | None = None
    cause: Mapping[str, Any] | None = None


Listener = Callable[[Notice], None]
#: What a table makes of a touch at this Unix time, in milliseconds.
Judge = Callable[[Table, int], Outcome]


@dataclass(frozen=True, slots=True)
class _Picture:
    """The lamps of a game, with what they were drawn from."""

    game: rules.Game | None
    links: Mapping[str, LinkState]
    asks: Mapping[str, str]
    view: Mapping[str, Any]
    frame: LampFrame


class _DeliveredAgain(Exception):  # noqa: N818 - no error: the host died between commit and acknowledgement
    """The tap is in the record already."""

    def __init__(self, became: Mapping[str, Any]) -> None:
        self.became = became


class TableService:
    """One table: its game, its trays, its record. All of it lives in one event loop.

    `wall_ms` gives Unix time in milliseconds (for the record only), `clock` monotonic milliseconds.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        wall_ms: Callable[[], int],
        specs: Iterable[BoardSpec] | None = None,
        seating: Seating | None = None,
        outputs: Sequence[LampOutput] = (),
        clock: MonotonicClock | None = None,
    ) -> None:
        self.journal = journal
        self.seating = seating or Seating()
        self.table: Table | None = None
        self.game_number = 0
        self.final = False
        """Whether the end of the game was confirmed: then nothing of it can be taken back."""
        self.frame: LampFrame | None = None
        self.taps_to: Callable[[TrayEvent], bool] | None = None
        """Who gets the taps instead of the game (enrolment); answers whether it took the event."""
        self._wall_ms = wall_ms
        self._clock = clock or MonotonicClock()
        self._outputs = LampOutputs(outputs)
        self._listeners: list[Listener] = []
        self._turn = asyncio.Lock()
        self._writer = WorkerThread("record")
        self._picture: _Picture | None = None
        self._touch = 1
        self._in_hand: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._lamps_changed = asyncio.Event()
        self._waits_changed = asyncio.Event()
        self._alerts: dict[str, str] = {}
        self._shown: dict[TrayLink, dict[str, list[str]]] = {}
        self._compared: dict[str, tuple[str, int]] = {}
        self.doubts: list[str] = [str(doubt) for doubt in journal.found_at_start]
        """What was found amiss since the start: of the record when it was opened, and by what the trays were told."""
        for doubt in self.doubts:
            log.error("%s", doubt)
        self.trays = (
            None
            if specs is None
            else Trays(
                specs, self.on_event, on_snapshot=self._on_snapshot, on_change=self._on_link_change, clock=self._clock
            )
        )

    # --- the game ----------------------------------------------------------------------------------------------------

    def resume(self) -> bool:
        """Go on with the newest game that has not ended; whether there was one. Raises `StoreError`, `JournalError`."""
        row = self.journal.open_game()
        if row is None:
            return False
        self._seat(row.id, store.resume(self.journal, row).at(self._wall_ms()))
        self._touch = store.next_touch(self.journal, row)
        return True

    def begin(self, number: int, table: Table) -> None:
        """Play the new game that `store.begin` recorded."""
        self._touch = 1
        self._seat(number, table)

    def _seat(self, number: int, table: Table) -> None:
        self.game_number, self.table, self.final = number, table, False
        self._show()
        self._tell(Notice("game", table))

    async def end(self) -> None:
        """The players leave the game as it is; the record keeps it as ended. Raises `JournalError`."""
        await self._to_its_end(self._end())

    async def finish(self) -> bool:
        """The end of the game is confirmed; whether there is one. From now on it can be looked at, not played on."""
        async with self._turn:
            self.final = self.table is not None and self.table.game.state.over is not None
        self._tell(Notice("link", self.table))
        return self.final

    async def _end(self) -> None:
        async with self._turn:
            table = self.table
            if table is not None and table.game.state.over is None:
                result = {"over": "ended", "round": table.game.state.round}
                number, at_ms = self.game_number, self._wall_ms()
                await self._writer.call(lambda: self.journal.end_game(number, result, at_ms=at_ms))
                self._writer.call(self.journal.seal)
            self.table = None
            self._show()
            self._tell(Notice("game", None))

    async def keep(self, key: str, value: object) -> None:
        """Keep something of the table's with the game's record, such as clocks; it changes no game.

        Raises `JournalError`.
        """
        async with self._turn:
            if self.table is not None:
                await self._writer.call(lambda: self._keep(key, value))

    def _keep(self, key: str, value: object) -> None:
        row = self.journal.game(self.game_number)
        self.journal.set_seats(self.game_number, {**row.seats, key: value})

    async def use_tokens(self, tokens: Mapping[Seat, TokenRegistry]) -> None:
        """From now on these are the discs of those seats, also after a restart.

        Raises `RegistryError` for discs that both sides have, `JournalError`.
        """
        await self._to_its_end(self._use_tokens(tokens))

    async def _use_tokens(self, tokens: Mapping[Seat, TokenRegistry]) -> None:
        async with self._turn:
            if self.table is None:
                return
            seats = {str(seat): self.table.tokens.of_owner(str(seat)) for seat in Seat}
            seats |= {str(seat): registry for seat, registry in tokens.items()}
            merged = merge(seats)
            row = self.journal.game(self.game_number)
            kept = {**row.seats, "tokens": {seat: format_registry(registry) for seat, registry in seats.items()}}
            await self._writer.call(lambda: self.journal.set_seats(row.id, kept))
            self.table = replace(self.table, tokens=merged)

    def alert(self, seat: Seat, what: str | None) -> None:
        """Have the strip of `seat` ask something that the table does not (`time`), with a sound; None: no longer."""
        if what is None:
            self._alerts.pop(str(seat), None)
        else:
            self._alerts[str(seat)] = what
            self._signal_seat(seat, "window")
        self._show()

    def relight(self) -> None:
        """Show the game's lamps again, after somebody else has used them (enrolment)."""
        self._shown.clear()
        self._show()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have `listener` called for every notice, in the event loop; the answer stops that. It must not block."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _tell(self, notice: Notice) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(notice)
            except Exception:  # whoever watches must not be able to stop the game
                log.exception("a listener failed; the game goes on")

    async def _to_its_end(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do `work` to its end even if who asked for it is cancelled meanwhile (a page that was closed).

        What is on disk must also be played, else the record and the game are no longer one.
        """
        task = asyncio.ensure_future(work)
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)
        return await asyncio.shield(task)

    def _in_hand_later(self, work: Coroutine[Any, Any, object]) -> None:
        """Do `work` beside everything else; the end waits for it."""
        task = asyncio.ensure_future(work)
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)

    async def touch(self, what: Touch, cause: Mapping[str, Any], at: int | None = None) -> Outcome:
        """A touch from elsewhere than a tray: a virtual disc or key of a page, made when it showed position `at`.

        Durable when it returns. Raises LookupError if no game is on.
        """
        return await self._to_its_end(self._page_touch(what, cause, at))

    async def _page_touch(self, what: Touch, cause: Mapping[str, Any], at: int | None) -> Outcome:
        async with self._turn:
            outcome = await self._settle(lambda table, now_ms: touch(table, what, now_ms, at), cause, None)
            self._sound(outcome)
            return outcome

    async def act(self, action: Action, cause: Mapping[str, Any]) -> Outcome:
        """An action from elsewhere than a tray, such as the page. Durable when it returns."""
        return await self._to_its_end(self._act(action, cause))

    async def _act(self, action: Action, cause: Mapping[str, Any]) -> Outcome:
        async with self._turn:
            return await self._settle(lambda table, _now_ms: act(table, action), cause, None)

    async def _settle(
        self, judge: Callable[[Table, int], Outcome], cause: Mapping[str, Any], tap: Tap | None
    ) -> Outcome:
        """Judge, record, move on: the only place where the game changes. Called with `_turn` held.

        Raises _DeliveredAgain, with nothing changed, for a tap that the record has.
        """
        table = self.table
        if table is None:
            raise LookupError("no game is on")
        now_ms = self._wall_ms()
        try:
            outcome = Outcome(table, None, "refused", (), refused("final")) if self.final else judge(table, now_ms)
        except Exception:  # refused, not delivered again and again: one bad tap must not stop the table
            log.exception("a fault in the rules or the table; the touch is refused: %s", dict(cause))
            outcome = Outcome(table, None, "refused", (), refused("fault"))
        try:
            await self._record(outcome, cause, tap, now_ms)
        except JournalError as error:
            await self._failed(error, tap)
            outcome = Outcome(table, outcome.side, "refused", (), refused("no-record", why=str(error)))
        waits_otherwise = _waits_otherwise(table, outcome.table)
        self.table = outcome.table
        if outcome.steps:
            self._touch += 1
        if outcome.steps or waits_otherwise:
            self._show()
            self._waits_changed.set()
        what: What = "position" if outcome.steps else "noted" if outcome.accepted else "refused"
        self._tell(Notice(what, self.table, outcome, cause))
        return outcome

    async def _record(self, outcome: Outcome, cause: Mapping[str, Any], tap: Tap | None, at_ms: int) -> None:
        if (
            not outcome.steps
            and tap is None
            and (self.table is None or not _waits_otherwise(self.table, outcome.table))
        ):
            return
        drafts = store.drafts_of(outcome, self._touch, cause)
        became: dict[str, Any] = {"ok": outcome.accepted, "signal": outcome.signal}
        if outcome.refusal is not None:
            became |= {"rule": outcome.refusal.rule, "code": outcome.refusal.code}
        before = self.table
        await self._writer.call(lambda: self._write(before, outcome, drafts, became, tap, at_ms))
        # Not waited for: the tap is answered meanwhile.
        self._writer.call(self.journal.seal if _ends_a_turn(before, outcome.table) else self.journal.seal_if_due)

    async def _failed(self, error: JournalError, tap: Tap | None) -> None:
        """A step could not be recorded. Raises _DeliveredAgain if that is because the record has its tap already.

        It is asked only now: taps that come twice are rare, and reading before each would hold up all others.
        """
        if tap is not None:
            became: Mapping[str, Any] | None = None
            try:
                became = await self._writer.call(lambda: self.journal.outcome(tap))
            except JournalError as unreadable:  # what became of it nobody can say; twice it is not played
                log.error("%s", unreadable)
                became = {"signal": "refused"} if isinstance(error, AlreadyRecordedError) else None
            if became is not None:
                raise _DeliveredAgain(became) from error
        log.error("%s", error)

    def _write(
        self,
        before: Table | None,
        outcome: Outcome,
        drafts: Sequence[Draft],
        became: Mapping[str, Any],
        tap: Tap | None,
        at_ms: int,
    ) -> None:
        """One commit, in the record's thread. A first touch that waits for a second one is part of it."""
        state, was = outcome.table.game.state, None if before is None else before.game.state
        seats = None
        if before is not None and _waits_otherwise(before, outcome.table):
            waiting = waiting_to_json(outcome.table)
            seats = {**self.journal.game(self.game_number).seats, "waiting": waiting}
        self.journal.record(
            self.game_number,
            drafts,
            at_ms=at_ms,
            tap=tap,
            outcome=became,
            seats=seats,
            result=None if state.over is None or not drafts else {"over": state.over, "round": state.round},
            reopen=bool(drafts) and state.over is None and was is not None and was.over is not None,
        )

    # --- trays -------------------------------------------------------------------------------------------------------

    async def on_event(self, event: TrayEvent) -> None:
        """A tray's event; when this returns it is acknowledged, so its outcome must be on disk by then.

        Not to be cancelled (a link does not): what is on disk must also be played.
        """
        if self._closing:  # not acknowledged: the tray keeps it for the next service, or refuses it visibly
            await asyncio.Event().wait()
        if self.taps_to is not None and self.taps_to(event):
            return
        read = touch_of(self.seating, event.board, event.body, one_pad=self._one_pad())
        if read is not None:
            await self._on_touch(event, *read)
        else:  # acknowledged all the same, and remembered as that
            self._writer.call(lambda: self.journal.told(event.board, event.nonce, event.sequence))

    def _one_pad(self) -> bool:
        """Whether the table has one pad only, which is then both players'."""
        links = self.trays.links if self.trays is not None else ()
        if len(links) != 1:
            return False
        seats = {seat for side, seat in self.seating.sides(links[0].board).items() if side in links[0].readers}
        return len(seats) == 1

    async def _on_touch(self, event: TrayEvent, side: str, what: Touch | Refusal) -> None:
        tap = Tap(event.board, event.nonce, event.sequence)
        async with self._turn:
            try:
                if self.table is None:
                    await self._without_game(event.board, side, tap)
                    return
                cause = {"by": "tap", "board": event.board, "nonce": event.nonce, "sequence": event.sequence}
                cause |= {key: event.body[key] for key in ("uid", "button", "edge") if key in event.body}
                if isinstance(what, Refusal):
                    refusal = what
                    seat = self.seating.sides(event.board).get(side)
                    outcome = await self._settle(
                        lambda table, _now_ms: Outcome(table, seat, "refused", (), refusal), cause, tap
                    )
                else:
                    meant = what
                    outcome = await self._settle(lambda table, now_ms: touch(table, meant, now_ms), cause, tap)
                self._answer(event.board, side, outcome)
            except _DeliveredAgain as again:  # the host died between commit and acknowledgement
                self._signal(event.board, side, str(again.became.get("signal", "ok")))

    async def _without_game(self, board: str, side: str, tap: Tap) -> None:
        """No game is on: the tap is refused, and remembered so that the next game does not get it."""
        log.info("tap on %s of %s: no game is on", side, board)
        became, at_ms = {"ok": False, "code": "no-game", "signal": "refused"}, self._wall_ms()
        try:
            await self._writer.call(lambda: self.journal.refuse(tap, became, at_ms=at_ms))
        except JournalError as error:
            await self._failed(error, tap)
        self._signal(board, side, "refused")

    def _answer(self, board: str, side: str, outcome: Outcome) -> None:
        """What the trays sound and blink: the touched side its outcome, the reactive side that its window opens."""
        if outcome.signal in ("ok", "refused"):
            self._signal(board, side, outcome.signal)
        self._sound(outcome)

    def _sound(self, outcome: Outcome) -> None:
        """What both sides hear of a touch, wherever it was made."""
        if outcome.signal in ("undo", "ask") and outcome.accepted:
            for seat in Seat:
                self._signal_seat(seat, "undo" if outcome.signal == "undo" else "window")
        elif outcome.signal == "window" and outcome.side is not None:
            self._signal_seat(outcome.side.other, "window")
        if any(isinstance(step.action, rules.actions.DeclareSkill) for step in outcome.steps):
            view = self._picture_of(outcome.table).view
            if view["order"] is not None and view["order"]["aro"]["open"]:
                self._signal_seat(Seat(view["active"]).other, "window")

    def _signal(self, board: str, side: str, do: str) -> None:
        link = self.trays.link_to(board) if self.trays is not None else None
        if link is not None:
            link.feedback(side, do)

    def _signal_seat(self, seat: Seat, do: str) -> None:
        for link in self.trays.links if self.trays is not None else ():
            for side, owner in self.seating.sides(link.board).items():
                if owner is seat and link.online:
                    link.feedback(side, do)

    async def _on_snapshot(self, event: TrayEvent) -> None:
        """After a (re)connection: what lies on the pads was laid there without a host; it is no tap."""
        log.info("tray %s: lying on its pads: %s", event.board, event.body.get("pads"))

    async def _compare(self, board: str, nonce: str, told: int) -> None:
        """Hold what a tray was told is dealt with against what the record knows of that boot of it."""
        try:
            known = await self._writer.call(lambda: self.journal.last_told(board, nonce))
        except JournalError as error:
            log.error("%s", error)
            return
        # Of a boot that nothing is known of there may have been nothing but removals and releases.
        if known and told > known:
            doubt = (
                f"tray {board} was told that its events up to {told} are dealt with, the record knows of {known}: "
                f"up to {told - known} touches may be missing; compare with the table, and play on from what is there"
            )
            log.error("%s", doubt)
            self.doubts.append(doubt)
            at_ms, number = self._wall_ms(), self.game_number or None
            with contextlib.suppress(JournalError):
                await self._writer.call(lambda: self.journal.doubt(number, doubt, at_ms=at_ms))
                await self._writer.call(lambda: self.journal.told(board, nonce, told))
            self._tell(Notice("link", self.table))

    def _on_link_change(self, link: TrayLink) -> None:
        if link.online and link.told and self._compared.get(link.board) != (link.nonce, link.told):
            self._compared[link.board] = (link.nonce, link.told)
            self._in_hand_later(self._compare(link.board, link.nonce, link.told))
        self._shown.pop(link, None)
        self._show()
        self._tell(Notice("link", self.table))

    def link_states(self) -> dict[str, LinkState]:
        """The state of each seat's tray, as lamps and pages show it."""
        states: dict[str, LinkState] = {"A": "absent", "B": "absent"}
        for link in self.trays.links if self.trays is not None else ():
            readers = link.readers
            for side, seat in self.seating.sides(link.board).items():
                if not link.online:
                    state: LinkState = "offline"
                else:
                    state = "fault" if readers.get(side, {}).get("health") in _OUT_OF_ORDER else "online"
                if states[seat] in ("absent", "offline"):
                    states[seat] = state
        return states

    # --- lamps -------------------------------------------------------------------------------------------------------

    def _picture_of(self, table: Table | None) -> _Picture:
        """The lamps of a table, drawn anew only if they are others than the last ones drawn."""
        game, links, picture = None if table is None else table.game, self.link_states(), self._picture
        asks = self._alerts if table is None else self._alerts | asks_of(table)
        if picture is None or picture.game is not game or (picture.links, picture.asks) != (links, asks):
            view = {} if game is None else rules.table_view(game)
            picture = self._picture = _Picture(game, links, asks, view, render(view, links, asks))
        return picture

    def _show(self) -> None:
        """Hand the game's lamps to everything that shows them."""
        if self._closing:
            return
        self.frame = self._picture_of(self.table).frame
        self._outputs.show(self.frame, self._clock.now_ms())
        self._lamps_changed.set()
        for link in self.trays.links if self.trays is not None else ():
            strips: dict[str, list[str]] = {
                side: list(self.frame.letters("A" if seat is Seat.A else "B"))
                for side, seat in self.seating.sides(link.board).items()
            }
            if self._shown.get(link) != strips:
                self._shown[link] = strips
                link.show(strips)

    async def _blink(self) -> None:
        """Tick the lamps on pins whenever one of them wants it."""
        while True:
            due_ms = self._outputs.next_tick_ms(self._clock.now_ms())
            self._lamps_changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if due_ms is None else self._clock.seconds(due_ms)):
                    await self._lamps_changed.wait()
            self._outputs.tick(self._clock.now_ms())

    async def _wake(self) -> None:
        """End what has waited long enough for its second touch, at its time."""
        while True:
            self._waits_changed.clear()
            end_ms = None if self.table is None else self.table.next_end_ms()
            left_ms = None if end_ms is None else max(0, end_ms - self._wall_ms())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if left_ms is None else self._clock.seconds(left_ms)):
                    await self._waits_changed.wait()
            async with self._turn:
                table = None if self.table is None else self.table.at(self._wall_ms())
                if table is not self.table:
                    self.table = table
                    self._show()
                    self._tell(Notice("noted", table))

    # --- life --------------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve until cancelled; then all lamps are off and the ports free."""
        self._show()
        async with asyncio.TaskGroup() as tasks:
            try:
                tasks.create_task(self._blink(), name="blink")
                tasks.create_task(self._wake(), name="wake")
                running = None if self.trays is None else tasks.create_task(self.trays.run(), name="trays")
                await asyncio.Event().wait()
            finally:
                await asyncio.shield(self._farewell())
                self._writer.close()
                if running is not None:
                    running.cancel()

    async def _farewell(self) -> None:
        self._closing = True
        self._outputs.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._clock.seconds(FAREWELL_MS)):
                while self._in_hand:  # a step that is being written down is also played and answered
                    await asyncio.wait(self._in_hand)
                async with self._turn:
                    pass
                if self.trays is not None:
                    dark = ["." * 32] * 2
                    for link in self.trays.links:
                        if link.online:
                            link.show({"A": dark, "B": dark})
                    await self.trays.flush(FAREWELL_MS)


def _ends_a_turn(before: Table | None, after: Table) -> bool:
    """Whether a step ended a player's turn, or the game."""
    if before is None:
        return True
    was, now = before.game.state, after.game.state
    return (was.round, was.active, was.over) != (now.round, now.active, now.over)


def _waits_otherwise(one: Table, other: Table) -> bool:
    """Whether other things wait at two tables for a second touch."""
    return (one.pending, one.consent, one.asked) != (other.pending, other.consent, other.asked)
