"""A served page without a tray, clients for it, and armies whose private facts can be recognised anywhere."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from ordertray import rules
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.rules import Army, Options, Seat, Trooper
from ordertray.service.table_service import TableService
from ordertray.table import Pace
from ordertray.tokens.virtual import virtual_tokens
from ordertray.web.serving.server import Opened, WebOptions, serving
from patience import patience

A, B = Seat
API = "/api/v1"


def army(seat: str) -> Army:
    """Six troopers and a hidden one. Names begin with NAME, hidden ids with veiled: neither may be seen by others."""
    low = seat.lower()
    troopers = [
        Trooper(f"{low}1", f"NAME-{seat}-1", cost=41, lieutenant=True),
        Trooper(f"{low}2", f"NAME-{seat}-2", cost=13, skills=frozenset({"chain-of-command"})),
        Trooper(f"{low}3", f"NAME-{seat}-3", cost=17, skills=frozenset({"tactical-awareness"})),
        Trooper(f"{low}4", f"NAME-{seat}-4", cost=11, training="irregular", skills=frozenset({"impetuous"})),
        Trooper(f"{low}5", f"NAME-{seat}-5", cost=11, group=2),
        Trooper(f"{low}6", f"NAME-{seat}-6", cost=11, group=2),
        Trooper(f"veiled{low}", f"NAME-{seat}-7", cost=46, group=2, deploy="hidden"),
    ]
    return Army(f"NAME-{seat}", 150, tuple(troopers), "n5")


@dataclass
class Served:
    """A page on a free port, its service and record."""

    service: TableService
    opened: Opened
    journal: Journal
    folder: Path

    @property
    def game(self) -> rules.Game:
        """The game as it stands."""
        assert self.service.table is not None
        return self.service.table.game

    async def play(self, *lines: str) -> None:
        """Actions, as a script; each must be accepted."""
        for line in lines:
            outcome = await self.service.act(rules.parse_action(line), {"by": "test"})
            assert outcome.accepted, (line, outcome.refusal)

    async def to_orders(self) -> None:
        """Begin A's turn and go on to its Orders Phase."""
        await self.play("A start")
        while self.game.state.phase != "orders":
            await self.play("A next")

    def client(self, *roles: str, **headers: str) -> httpx.AsyncClient:
        """A client that has these roles, as a program has them."""
        limits = httpx.Limits(max_connections=20)  # more than a browser opens, fewer than one address may
        made = httpx.AsyncClient(
            base_url=self.opened.base, headers=headers, timeout=patience(10), limits=limits, verify=False
        )
        if roles:
            made.cookies.set(f"ordertray_{self.port}", self.opened.access.session(roles))
        return made

    @property
    def port(self) -> int:
        """The port it is served on."""
        return int(self.opened.base.rpartition(":")[2])

    @contextlib.asynccontextmanager
    async def live(self, view: str = "public", *roles: str, language: str = "en") -> AsyncIterator[Live]:
        """A live page that has these roles."""
        url = f"ws://127.0.0.1:{self.port}{API}/live?view={view}&language={language}"
        cookie = f"ordertray_{self.port}={self.opened.access.session(roles)}"
        async with connect(url, additional_headers={"cookie": cookie}, max_size=None) as socket:
            yield Live(socket)


@dataclass
class Live:
    """A page's websocket; acknowledges what it is told to."""

    socket: ClientConnection
    drawn: int = 0

    async def next(self, kind: str) -> dict[str, Any]:
        """The next message of a kind; others are skipped, states are acknowledged."""
        async with asyncio.timeout(patience(10)):
            while True:
                message = json.loads(await self.socket.recv())
                if message["type"] == "state":
                    self.drawn += 1
                    await self.socket.send(json.dumps({"drawn": self.drawn}))
                if message["type"] == kind:
                    found: dict[str, Any] = message
                    return found

    async def until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state for which the condition holds."""
        while not condition(state := await self.next("state")):
            pass
        return state


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    armies: Mapping[Seat, Army] | None = None,
    *,
    pace: Pace = Pace.EXPRESS,
    options: Options | None = None,
    begin: bool = True,
    port: int = 0,
) -> AsyncIterator[Served]:
    """Serve a page without a tray; with a new game on it, unless told otherwise."""
    with contextlib.closing(Journal.open(folder / "record.sqlite3")) as journal:
        service = TableService(journal, wall_ms=lambda: 1_700_000_000_000)
        if begin and not service.resume():
            armies = armies or {A: army("A"), B: army("B")}
            tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
            number, table = store.begin(
                journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=pace, at_ms=1, options=options
            )
            service.begin(number, table)
        web = WebOptions(folder, port=port, examples=lambda: {A: army("A"), B: army("B")})
        async with serving(service, web) as opened:
            yield Served(service, opened, journal, folder)


def run(story: Callable[[Served], Awaitable[None]], folder: Path, **options: Any) -> None:
    """Run one story at a served page."""

    async def work() -> None:
        async with served(folder, **options) as page:
            await story(page)

    finish(work())


def finish(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, or fail after a minute."""
    asyncio.run(asyncio.wait_for(work, patience(60)))
