"""Events on their way to the application: one at a time, in the tray's order, acknowledged when they are dealt with."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from ordertray.link.clock import MonotonicClock
from ordertray.link.model import EventHandler, TrayEvent
from ordertray_firmware import link, wire

log = logging.getLogger(__name__)

# A pause after a failure of the application: at first, and at most.
PAUSE_FIRST_MS = 100
PAUSE_MOST_MS = 2000
# Sequenced frames that an application may have in hand: a tray keeps within its window, a broken one is cut off.
INBOX = link.QUEUE


class Delivery:
    """The inbox of one link, and who empties it.

    `session` gives the number of the session that is on. `done` is called with the sequence of an event that was dealt
    with in it, `failed` when the application could not: then nothing is acknowledged, and the tray delivers again.
    """

    def __init__(
        self,
        name: str,
        on_event: EventHandler,
        on_snapshot: EventHandler,
        on_answer: Callable[[TrayEvent], None],
        *,
        clock: MonotonicClock,
        session: Callable[[], int],
        done: Callable[[int], None],
        failed: Callable[[], None],
    ) -> None:
        self._name = name
        self._on_event, self._on_snapshot, self._on_answer = on_event, on_snapshot, on_answer
        self._clock, self._session, self._done, self._failed = clock, session, done, failed
        self._waiting: deque[tuple[str, int, TrayEvent]] = deque()
        self._filled = asyncio.Event()
        self.handling = False
        self.failures = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, what: str, event: TrayEvent) -> bool:
        """Take an event or snapshot in; False if there are more than a tray of ours sends."""
        if len(self._waiting) >= INBOX:
            return False
        self._waiting.append((what, self._session(), event))
        self._filled.set()
        return True

    def clear(self) -> None:
        """Forget what waits: it was not acknowledged, so it comes again."""
        self._waiting.clear()

    async def run(self, ended: asyncio.Event) -> None:
        """Hand events over until `ended`."""
        pause_ms = PAUSE_FIRST_MS
        while not ended.is_set():
            await self._filled.wait()
            if not self._waiting:
                self._filled.clear()
                continue
            what, session, event = self._waiting.popleft()
            try:
                await self._hand_over(what, event)
            except Exception:
                self.failures += 1
                log.exception("%s: event %d was not dealt with; it will come again", self._name, event.sequence)
                await asyncio.sleep(self._clock.seconds(pause_ms))
                pause_ms = min(pause_ms * 2, PAUSE_MOST_MS)
                if session == self._session():
                    self._failed()
                continue
            pause_ms = PAUSE_FIRST_MS
            if session == self._session():
                self._done(event.sequence)

    async def _hand_over(self, what: str, event: TrayEvent) -> None:
        self.handling = True
        try:
            if what == wire.SNAPSHOT:
                await self._on_snapshot(event)
            elif event.body.get("e") == "answer":
                self._on_answer(event)
            else:
                await self._on_event(event)
        finally:
            self.handling = False
