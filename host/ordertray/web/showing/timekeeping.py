"""The clocks of the game that is on: they follow the table, are kept with the record, and warn at their time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from ...journal import JournalError
from ...link import MonotonicClock
from ...rules import Seat
from ...service.table_service import TableService
from ...table import Table
from .clocks import Clocks

log = logging.getLogger(__name__)

#: A lost host costs no more than this of the time that was used.
KEEP_EVERY_MS = 10_000
#: So long a strip shows the warning.
WARNING_MS = 10_000


class Timekeeper:
    """Clocks at a running table. `changed` is called when a warning begins or ends."""

    def __init__(self, service: TableService, clock: MonotonicClock, changed: Callable[[], None]) -> None:
        self.clocks = Clocks()
        self._service = service
        self._clock = clock
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._kept_ms = 0

    def seat(self, kept: object, table: Table, *, fresh: bool) -> None:
        """Another game, with its clocks as the record keeps them; those of a `fresh` one run."""
        now_ms = self._clock.now_ms()
        self.clocks = Clocks.from_kept(kept if isinstance(kept, Mapping) else None, now_ms)
        self.clocks.follow(table, now_ms)
        if fresh and self.clocks.used:
            self.clocks.pause(False, now_ms)
        self._wake()

    def leave(self) -> None:
        """No game is on any more."""
        self.clocks = Clocks()
        self._wake()

    def follow(self, table: Table | None) -> None:
        """The table has moved on."""
        now_ms = self._clock.now_ms()
        if self.clocks.follow(table, now_ms) or (self.clocks.used and now_ms - self._kept_ms >= KEEP_EVERY_MS):
            self.keep()
        self._wake()

    def change(
        self,
        *,
        limit_ms: int | None = None,
        paused: bool | None = None,
        round_limit_ms: int | None = None,
        warn_ms: int | None = None,
    ) -> None:
        """Begin to use clocks of these limits (0: no longer), warn so long before their end, pause or let go on."""
        now_ms = self._clock.now_ms()
        if limit_ms is not None:
            self.clocks.limit_ms = limit_ms or None
        if round_limit_ms is not None:
            self.clocks.round_limit_ms = round_limit_ms or None
        if warn_ms is not None:
            self.clocks.warn_ms = warn_ms
        self.clocks.follow(self._service.table, now_ms)
        if paused is not None:
            self.clocks.pause(paused, now_ms)
        self.keep()
        self._wake()

    def view(self) -> dict[str, Any] | None:
        """What a page shows."""
        return self.clocks.view(self._clock.now_ms())

    def kept(self) -> dict[str, Any] | None:
        """What the record keeps."""
        return self.clocks.kept(self._clock.now_ms())

    def keep(self) -> None:
        """Put the clocks into the record, without keeping anybody waiting."""
        kept = self.kept()
        if kept is None:
            return
        self._kept_ms = self._clock.now_ms()
        self._start(self._keep(kept))

    async def _keep(self, kept: dict[str, Any]) -> None:
        try:
            await self._service.keep("clocks", kept)
        except JournalError as error:  # clocks are a comfort: the game goes on without them
            log.warning("the clocks could not be recorded: %s", error)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- warnings ------------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        """Be there when the next clock comes to its warning."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        span_ms = self.clocks.next_warning_ms(self._clock.now_ms())
        if span_ms is not None:
            self._timer = asyncio.get_running_loop().call_later(self._clock.seconds(span_ms), self._warn)

    def _warn(self) -> None:
        self._timer = None
        new = self.clocks.warn(self._clock.now_ms())
        seats = set(Seat) if "round" in new else {Seat(name) for name in new}
        for seat in seats:
            self._service.alert(seat, "time")
        if seats:
            self._start(self._calm(seats))
            self._changed()
        self._wake()

    async def _calm(self, seats: set[Seat]) -> None:
        await asyncio.sleep(self._clock.seconds(WARNING_MS))
        for seat in seats:
            self._service.alert(seat, None)

    def close(self) -> None:
        """No more warnings."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
