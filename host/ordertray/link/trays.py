"""All the trays of a table: one link each, none of which waits for another."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable

from ordertray.link.clock import MonotonicClock
from ordertray.link.finder import BoardFinder, BoardSpec
from ordertray.link.model import EventHandler, TrayStatus, no_handler
from ordertray.link.port import Port, open_port
from ordertray.link.tray_link import TrayLink

log = logging.getLogger(__name__)

# How often the ports are listed for boards that nobody configured.
LOOK_MS = 1000


class Trays:
    """The links to the boards of `specs`; with none, to every board that shows up with the Pico's USB identity.

    The handlers are those of `TrayLink` and get the events of all boards; `TrayEvent.board` tells them apart. Handlers
    of different boards may run at the same time: an application whose game is shared serialises them itself.
    """

    def __init__(
        self,
        specs: Iterable[BoardSpec],
        on_event: EventHandler,
        *,
        on_snapshot: EventHandler = no_handler,
        on_change: Callable[[TrayLink], None] | None = None,
        finder: BoardFinder | None = None,
        opener: Callable[[str], Port] = open_port,
        clock: MonotonicClock | None = None,
    ) -> None:
        self._on_event = on_event
        self._on_snapshot = on_snapshot
        self._on_change = on_change
        self._finder = finder or BoardFinder()
        self._opener = opener
        self._clock = clock or MonotonicClock()
        self._links: dict[str, TrayLink] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._looked_for: list[BoardSpec] = list(specs)
        self._automatic = not self._looked_for
        self._trouble = ""
        for spec in self._looked_for:
            if spec.name in self._links:
                raise ValueError(f"two boards are named {spec.name!r}")
            self._add(spec)

    @property
    def links(self) -> list[TrayLink]:
        """All links, also those whose board is away."""
        return list(self._links.values())

    def link_to(self, board: str) -> TrayLink | None:
        """The link to the board with this unique id, or None."""
        return next((link for link in self._links.values() if link.board == board), None)

    def status(self) -> list[TrayStatus]:
        """The status of every link."""
        return [link.status() for link in self._links.values()]

    async def run(self) -> None:
        """Keep all links up until cancelled."""
        try:
            for link in self.links:
                self._start(link)
            while True:
                if self._automatic:
                    self._look()
                await asyncio.sleep(self._clock.seconds(LOOK_MS))
        finally:
            for task in self._tasks:
                task.cancel()
            for task in self._tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    def _look(self) -> None:
        """A link for every board that has none yet."""
        try:
            found = self._finder.boards()
        except Exception as error:  # a device that went away while the system was asked about it
            if str(error) != self._trouble:
                log.warning("the ports could not be listed: %s: %s", type(error).__name__, error)
            self._trouble = str(error)
            return
        self._trouble = ""
        for spec in found:
            if spec.name not in self._links:
                self._start(self._add(spec))

    async def flush(self, timeout_ms: int = 1000) -> bool:
        """Wait until every connected tray has all that was shown and sent; False if one has not within the time."""
        done = await asyncio.gather(*(link.flush(timeout_ms) for link in self._links.values() if link.online))
        return all(done)

    def _add(self, spec: BoardSpec) -> TrayLink:
        link = TrayLink(
            spec,
            self._on_event,
            on_snapshot=self._on_snapshot,
            on_change=self._on_change,
            finder=self._finder,
            opener=self._opener,
            clock=self._clock,
            taken=lambda: [other.port for name, other in self._links.items() if name != spec.name and other.port],
        )
        self._links[spec.name] = link
        return link

    def _start(self, link: TrayLink) -> None:
        self._tasks.append(asyncio.create_task(link.run(), name=f"tray {link.spec.name}"))
