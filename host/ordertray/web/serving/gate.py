"""The gate: how many may hold a connection, how long without asking anything, and who goes first when it is full.

It stands before HTTP and TLS, at `accept`: what is only held open costs descriptors, and those are the table's too.
Nobody is refused because the house is full of people who say nothing: the one who has been silent longest goes.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import struct
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from .limits import (
    MOST_CONNECTIONS,
    MOST_CONNECTIONS_OF_ONE,
    MOST_KNOWN,
    NEW_BURST,
    NEW_PER_S,
    NEW_STRANGERS_BURST,
    NEW_STRANGERS_PER_S,
)
from .pace import Bucket, Buckets

log = logging.getLogger(__name__)

#: A connection that has asked nothing by then, or nothing more, is closed; so is a request that is not done with.
FIRST_REQUEST_S = 5.0
NEXT_REQUEST_S = 20.0
REQUEST_S = 30.0
SWEEP_S = 1.0
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(eq=False)
class Visitor:
    """One connection. `since_s`: when it came, last began to ask, or was last answered."""

    line: socket.socket
    address: str
    since_s: float
    asked: bool = False
    role: bool = False
    live: bool = False
    busy: bool = False

    @property
    def gone(self) -> bool:
        """Whether it is closed."""
        return self.line.fileno() < 0

    def overdue(self, now_s: float) -> bool:
        """Whether its time is up."""
        if self.live:
            return False
        most_s = FIRST_REQUEST_S if not self.asked else REQUEST_S if self.busy else NEXT_REQUEST_S
        return now_s - self.since_s > most_s

    def rank(self) -> tuple[bool, bool, bool, float]:
        """Who goes first when there is no room: those who have asked nothing, then the idle, the longest here first."""
        return self.live, self.busy, self.asked, self.since_s


class Gate(socket.socket):
    """A listening socket that counts. `now_s`: monotonic seconds; `proxies`: addresses that speak for many."""

    def __init__(self, listener: socket.socket, *, now_s: Callable[[], float], proxies: Collection[str] = ()) -> None:
        super().__init__(listener.family, listener.type, listener.proto, fileno=listener.detach())
        self.setblocking(False)
        self._now_s = now_s
        self._proxies = frozenset(proxies)
        self._visitors: dict[tuple[str, int], Visitor] = {}
        self._arrivals = Buckets(NEW_PER_S, NEW_BURST)
        # Where somebody with a seat or the table has asked from; the others, all together, come in at a pace: each that
        # is let in costs some ten times what one costs that is turned away at the door.
        self._known: dict[str, None] = {}
        self._strangers = Bucket(NEW_STRANGERS_PER_S, NEW_STRANGERS_BURST)
        self._no_room_s = float("-inf")
        import resource

        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        #: Far below what the process has: trays, record and log have theirs however many come.
        self.most = max(8, min(MOST_CONNECTIONS, (soft - 100) // 2))
        self.turned_away = 0

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection that may come in. What else a loop that accepts knows how to deal with is raised."""
        now_s = self._now_s()
        if now_s - self._no_room_s < SWEEP_S:  # told once, and tried again later: not once for each that waits
            raise BlockingIOError
        try:
            line, peer = super().accept()
        except OSError as error:
            if error.errno in _NO_ROOM:
                self._no_room_s = now_s
            raise
        address = str(peer[0])
        if not self._comes_in(address, now_s):
            self.turned_away += 1
            _reset(line)
            raise ConnectionAbortedError
        self._visitors[address, int(peer[1])] = Visitor(line, address, now_s)
        return line, peer

    def _comes_in(self, address: str, now_s: float) -> bool:
        """Whether there is room for one more from an address; made, if need be."""
        shared = address in self._proxies
        if not shared and not self._arrivals.of(address).take(now_s):
            return False
        if not shared and address not in self._known and not self._strangers.take(now_s):
            return False
        here = [visitor for visitor in self._visitors.values() if not visitor.gone]
        if len(here) < len(self._visitors):
            self._visitors = {key: visitor for key, visitor in self._visitors.items() if not visitor.gone}
        of_one = [visitor for visitor in here if visitor.address == address and not visitor.role]
        if not shared and len(of_one) >= MOST_CONNECTIONS_OF_ONE:
            return self._shown_out(of_one)
        return len(here) < self.most or self._shown_out([visitor for visitor in here if not visitor.role])

    def _shown_out(self, visitors: list[Visitor]) -> bool:
        """Close the connection that has least to lose; False if there is none."""
        if not visitors:
            return False
        visitor = min(visitors, key=Visitor.rank)
        _close(visitor)
        self._visitors = {key: other for key, other in self._visitors.items() if other is not visitor}
        return True

    def asks(self, peer: tuple[str, int] | None, *, role: bool, live: bool) -> None:
        """A whole request has come in on a connection; `role`: from somebody with a seat or the table."""
        visitor = None if peer is None else self._visitors.get((peer[0], peer[1]))
        if visitor is not None:
            visitor.asked = visitor.busy = True
            visitor.role, visitor.live, visitor.since_s = role, live, self._now_s()
            if role:
                self._known.pop(visitor.address, None)
                self._known[visitor.address] = None
                if len(self._known) > MOST_KNOWN:
                    del self._known[next(iter(self._known))]

    def answered(self, peer: tuple[str, int] | None) -> None:
        """It has been answered."""
        visitor = None if peer is None else self._visitors.get((peer[0], peer[1]))
        if visitor is not None:
            visitor.busy, visitor.live, visitor.since_s = False, False, self._now_s()

    def counts(self) -> dict[str, int]:
        """How many are here, and how many of them have a seat or the table."""
        here = [visitor for visitor in self._visitors.values() if not visitor.gone]
        return {"connections": len(here), "with a role": sum(visitor.role for visitor in here)}

    async def sweep(self) -> None:
        """Close what is overdue, until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_S)
            now_s = self._now_s()
            for key, visitor in tuple(self._visitors.items()):
                if visitor.gone:
                    del self._visitors[key]
                elif visitor.overdue(now_s):
                    _close(visitor)
            if self.turned_away:
                log.warning("%d connections were turned away: too many, or too many at once", self.turned_away)
                self.turned_away = 0


def _close(visitor: Visitor) -> None:
    """End a connection; the server on it notices, and lets go of it."""
    with contextlib.suppress(OSError):
        visitor.line.shutdown(socket.SHUT_RDWR)


def _reset(line: socket.socket) -> None:
    """Close at once, with nothing left behind."""
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()
