"""Live pages: each gets the newest state, never a queue of old ones.

A page acknowledges each state it has drawn; at most `WINDOW` are on their way to it. So a slow page costs the table
nothing: what it missed in between is never sent. One text is made for all pages of the same view and language.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ...rules import Seat
from .page import Page

log = logging.getLogger(__name__)

WINDOW = 2
#: A quiet table still says that it is there.
BEAT_S = 2.0
#: A page that has acknowledged nothing for so long is gone.
SILENCE_S = 60.0
#: A page that takes nothing for so long is gone too.
SEND_S = 20.0
#: A state that was asked for is not made anew within this time, if nothing has happened.
LATELY_S = 0.5
#: Pages of those who watch, of all and of one address; and of those with a seat or the table.
MOST_WATCHING = 100
MOST_WATCHING_OF_ONE = 20
MOST_WITH_ROLE = 50

Send = Callable[[str], Awaitable[None]]


class CrowdedError(Exception):
    """There are too many pages."""


@dataclass(eq=False)
class Client:
    """One page. `allowed` is asked before each state: rights may have been renewed."""

    view: str
    language: str
    allowed: Callable[[], bool]
    address: str = ""
    role: bool = False
    """Whether it is of somebody with a seat or the table: their places are kept."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int = 0
    drawn: int = 0

    def acknowledge(self, number: int) -> None:
        """The page has drawn its `number`-th state."""
        if self.drawn < number <= self.sent:
            self.drawn = number
            self.wake.set()


class Hub:
    """All pages that are open."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.revision = 1
        self.clients: set[Client] = set()
        self._texts: dict[tuple[str, str], tuple[int, str]] = {}
        self._asked: dict[tuple[str, str], tuple[int, float, str]] = {}
        page.changed = self.changed

    def changed(self) -> None:
        """There is something new; every page is woken. Costs nothing that grows with what is shown."""
        self.revision += 1
        for client in self.clients:
            client.wake.set()

    def text(self, view: str, language: str) -> str:
        """The newest state of a view, made once for all its pages."""
        known = self._texts.get((view, language))
        if known is None or known[0] != self.revision:
            known = (self.revision, self.page.message(view, language, self.revision))
            self._texts[view, language] = known
        return known[1]

    def lately(self, view: str, language: str) -> str:
        """The newest state of a view for somebody who asks; made at most so often, whoever asks how often."""
        now_s = time.monotonic()
        known = self._asked.get((view, language))
        if known is None or known[0] != self.revision or now_s - known[1] > LATELY_S:
            known = (self.revision, now_s, self.page.message(view, language, self.revision))
            self._asked[view, language] = known
        return known[2]

    async def serve(self, client: Client, send: Send) -> str:
        """Keep one page up to date until its rights end or it falls silent; the reason is answered.

        Raises `CrowdedError`, and whatever `send` raises when the page is gone.
        """
        if self._full(client):
            raise CrowdedError
        self.clients.add(client)

        async def in_time(text: str) -> None:
            async with asyncio.timeout(SEND_S):
                await send(text)

        try:
            return await self._serve(client, in_time)
        except TimeoutError:
            return "silent"
        finally:
            self.clients.discard(client)

    def _full(self, client: Client) -> bool:
        """Whether there is no place for one more like this."""
        alike = [other for other in self.clients if other.role is client.role]
        if client.role:
            return len(alike) >= MOST_WITH_ROLE
        of_one = sum(other.address == client.address for other in alike)
        return len(alike) >= MOST_WATCHING or of_one >= MOST_WATCHING_OF_ONE

    async def _serve(self, client: Client, send: Send) -> str:
        shown = 0
        quiet_s = 0.0
        told: object = None
        while client.allowed():
            if self.revision != shown and client.sent - client.drawn < WINDOW:
                shown = self.revision
                client.sent += 1
                await send(self.text(client.view, client.language))
                if client.view in ("A", "B"):
                    told = await self._tell_choices(client, send, told)
                continue
            client.wake.clear()
            try:
                async with asyncio.timeout(BEAT_S):
                    await client.wake.wait()
                quiet_s = 0.0
            except TimeoutError:
                if client.sent != client.drawn:
                    quiet_s += BEAT_S
                    if quiet_s >= SILENCE_S:
                        return "silent"
                await send(json.dumps({"type": "beat", "revision": self.revision}))
        return "rights"

    async def _tell_choices(self, client: Client, send: Send, told: object) -> object:
        choices = await self.page.choices(Seat(client.view))
        if choices["choices"] is not told:
            await send(json.dumps({"type": "choices", **choices}, separators=(",", ":")))
        return choices["choices"]

    def renew_rights(self) -> None:
        """Have every page's rights looked at again."""
        for client in self.clients:
            client.wake.set()


async def until_one_ends(*work: Awaitable[object]) -> None:
    """Run several things until the first ends; the others are cancelled. What one raises is raised."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
    for task in done:
        task.result()
