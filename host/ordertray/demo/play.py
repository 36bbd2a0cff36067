"""Set the demo up, play the story, hand the tray over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from .. import rules
from ..army.examples import example_armies
from ..games import store
from ..journal import Journal
from ..link import BoardSpec, wall_ms
from ..messages import Translator, translator
from ..rules import Seat
from ..rules.game import NO_ORDERS
from ..service.table_service import TableService
from ..sim.tray import VirtualTray
from ..table import Pace
from ..tokens.model import Token, TokenKind
from ..tokens.virtual import virtual_tokens
from .hand import HOLD_MS, PRESS_MS, REST_S, Hand
from .keys import ENDS, HELP, TABLE_KEYS, TAG_LETTERS, Key, Keyboard, keyboard
from .screen import Screen
from .story import story

if TYPE_CHECKING:
    from ..web.showing.page import Page

#: How long a person is given to see a step, by its name; most take the first.
PAUSE_S = 2.2
PAUSES_S = {"casualties": 0.4, "dry": 0.8}
#: How long a disc of a key lies on the pad.
TAP_MS = 250


async def run_demo(*, fast: bool, language: str, web: bool = True, http_port: int | None = None) -> None:
    """Play the example on a virtual tray; at its end leave a person at the tray and its page, or with `fast` end."""
    translate = translator(language)
    console = Console()
    # The story tells what happens; the log's lines would only break its picture.
    logging.getLogger("ordertray").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="ordertray-demo-") as folder:
        async with VirtualTray() as tray:
            with contextlib.closing(Journal.open(Path(folder) / "record.sqlite3")) as journal:
                service = TableService(journal, wall_ms=wall_ms, specs=[BoardSpec(name="virtual", url=tray.url)])
                _begin(service)
                running = asyncio.create_task(service.run())
                try:
                    assert service.trays is not None
                    await service.trays.links[0].wait_online()
                    async with _page(service, tray, Path(folder), http_port, web and not fast) as (page, address):
                        if address:
                            console.print(f"\n  ➜  {address}\n", style="bold cyan", highlight=False, soft_wrap=True)
                        await _play(service, tray, page, address, console, translate, fast=fast)
                finally:
                    running.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await running


def _begin(service: TableService) -> None:
    """A new game of the two example armies."""
    armies = example_armies()
    tokens = {seat: virtual_tokens(army, str(seat)) for seat, army in armies.items()}
    number, table = store.begin(
        service.journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=Pace.EXPRESS, at_ms=wall_ms()
    )
    service.begin(number, table)


@contextlib.asynccontextmanager
async def _page(
    service: TableService, tray: VirtualTray, folder: Path, port: int | None, wanted: bool
) -> AsyncIterator[tuple[Page | None, str]]:
    """Serve the table page and open it, or print where it is. In the demo nobody has secrets: everything is open."""
    if not wanted:
        yield None, ""
        return
    from ..web.serving.addresses import open_browser
    from ..web.serving.server import WebOptions, serving

    options = WebOptions(
        Path(folder),
        port=port,
        everything_open=True,
        kind="virtual",
        tray_hands=tray,
        examples=example_armies,
    )
    async with serving(service, options) as opened:
        open_browser(f"{opened.base}/")
        yield opened.page, f"{opened.base}/"


async def _play(
    service: TableService,
    tray: VirtualTray,
    page: Page | None,
    address: str,
    console: Console,
    translate: Translator,
    *,
    fast: bool,
) -> None:
    """The story, until it is over or somebody has seen enough of it; then the tray is a person's."""
    with (
        contextlib.nullcontext() if fast else keyboard() as keys,
        Screen(service, console, translate, address) as screen,
        contextlib.closing(Hand(tray, service)) as hand,
        _redrawing(screen),
    ):
        enough = asyncio.Event() if page is None else page.enough
        waiting = None if keys is None else asyncio.create_task(_until_enough(keys, enough, sys.stdin.isatty()))
        try:
            await _story(hand, screen, page, enough, fast=fast)
            if waiting is not None and waiting.done() and waiting.result() in ENDS:
                return
        finally:
            if waiting is not None:
                waiting.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await waiting
        if keys is not None:
            await service.end()
            _begin(service)
            screen.show_keys()
            await _keys(hand, screen, keys)


async def _story(hand: Hand, screen: Screen, page: Page | None, enough: asyncio.Event, *, fast: bool) -> None:
    def tell(caption: str) -> None:
        screen.tell(caption)
        if page is not None:
            page.tell_story(caption)

    try:
        async for step in story(hand, tell):
            screen.settled()
            if enough.is_set():
                break
            if not fast:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PAUSES_S.get(step, PAUSE_S)):
                        await enough.wait()
    finally:
        if page is not None:
            page.tell_story(None)


async def _until_enough(keys: Keyboard, enough: asyncio.Event, terminal: bool) -> str:
    """Wait for a key during the story: any cuts it short. The end of a pipe does not: the story is what it is for."""
    key = await keys.next()
    if key or terminal:
        enough.set()
    return key if key or terminal else " "


@contextlib.contextmanager
def _redrawing(screen: Screen) -> Iterator[None]:
    """Draw again when the terminal's size changes."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGWINCH, screen.refresh)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)


async def _keys(hand: Hand, screen: Screen, keys: Keyboard) -> None:
    """Let a person tap and press by keys until `x`. Touches are given to the tray, nothing waits for them."""
    used = count()
    free_s = dict.fromkeys(Seat, 0.0)
    while (key := await keys.next()) not in ENDS:
        if screen.mode == "tags":
            await _tag(hand, screen, key, free_s)
        elif screen.mode == "help":
            screen.back()
        elif key == HELP:
            screen.show_help()
        elif (found := TABLE_KEYS.get(key) or TABLE_KEYS.get(key.lower())) is not None:
            await _key(hand, screen, *found, next(used), free_s)


async def _lay(hand: Hand, seat: Seat, uid: str, free_s: dict[Seat, float]) -> None:
    """Lay a disc down for a moment, when the one before it has left the pad: fingers are quicker than hands."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(max(0.0, free_s[seat] - loop.time()))
    free_s[seat] = loop.time() + TAP_MS / 1000 + REST_S
    hand.tray.tap(seat, uid, for_ms=TAP_MS)


async def _tag(hand: Hand, screen: Screen, key: str, free_s: dict[Seat, float]) -> None:
    """A trooper was chosen by its letter (anything else: nobody)."""
    side, tags = screen.tags
    screen.back()
    place = TAG_LETTERS.find(key)
    if 0 <= place < len(tags):
        await _lay(hand, side, hand.tag(side, tags[place]).uid, free_s)


async def _key(hand: Hand, screen: Screen, seat: Seat, key: Key, number: int, free_s: dict[Seat, float]) -> None:
    if key.tags:
        troopers = [str(token.trooper) for token in hand.discs(seat, TokenKind.TROOPER)]
        screen.show_tags(seat, troopers)
    elif key.button:
        hand.tray.click(seat, key.button, HOLD_MS if key.held else PRESS_MS)
    elif (disc := _disc(hand, seat, key.disc, number)) is not None:
        await _lay(hand, seat, disc.uid, free_s)


def _unspent(hand: Hand, discs: list[Token]) -> list[Token]:
    """Those that are not spent, as a hand would take them; all, if none is left."""
    spent = frozenset() if hand.service.table is None else hand.service.table.spent()
    return [token for token in discs if token.uid not in spent] or discs


def _disc(hand: Hand, seat: Seat, kind: str, number: int) -> Token | None:
    """A disc to tap: one whose order is left, if there is one."""
    if kind in ("r1", "r2"):
        discs = _unspent(hand, hand.discs(seat, TokenKind.REGULAR, int(kind[1])))
        return discs[number % len(discs)] if discs else None
    discs = hand.discs(seat, TokenKind(kind))
    return next((disc for disc in discs if _left(hand, seat, disc)), discs[0] if discs else None)


def _left(hand: Hand, seat: Seat, disc: Token) -> bool:
    table = hand.service.table
    if table is None or disc.trooper is None:
        return True
    trooper = table.game.side(seat).troopers[table.game.army(seat).index[disc.trooper]]
    return bool(getattr(trooper, disc.kind.value, NO_ORDERS).left)
