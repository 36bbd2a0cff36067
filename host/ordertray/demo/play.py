"""Set the demo up, play the story, hand the tray over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import tempfile
import termios
import tty
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
from .hand import HOLD_MS, PRESS_MS, Hand
from .screen import Screen
from .story import story

if TYPE_CHECKING:
    from ..web.showing.page import Page

#: How long a person is given to see a step, by its name; most take the first.
PAUSE_S = 2.2
PAUSES_S = {"casualties": 0.4, "dry": 0.8}

_SIDES = {
    Seat.A: dict(zip("123456", ("r1", "r2", "irregular", "lieutenant", "tactical", "impetuous"), strict=True)),
    Seat.B: dict(zip("7890-=", ("r1", "r2", "irregular", "lieutenant", "tactical", "impetuous"), strict=True)),
}
_BUTTONS = {
    Seat.A: dict(zip("qweasd", ("basic", "short", "long", "aro", "pass", "ok"), strict=True)),
    Seat.B: dict(zip("uiojkl", ("basic", "short", "long", "aro", "pass", "ok"), strict=True)),
}


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
                    async with _page(service, tray, Path(folder), http_port, console, web and not fast) as page:
                        await _play(service, tray, page, console, translate, fast=fast)
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
    service: TableService, tray: VirtualTray, folder: Path, port: int | None, console: Console, wanted: bool
) -> AsyncIterator[Page | None]:
    """Serve the table page and open it, or print where it is. In the demo nobody has secrets: everything is open."""
    if not wanted:
        yield None
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
        console.print(f"\n  ➜  {opened.base}/\n", style="bold cyan", highlight=False, soft_wrap=True)
        yield opened.page


async def _play(
    service: TableService,
    tray: VirtualTray,
    page: Page | None,
    console: Console,
    translate: Translator,
    *,
    fast: bool,
) -> None:
    """The story, until it is over or somebody at the page has seen enough; then the tray is a person's."""
    with Screen(service, console, translate) as screen, contextlib.closing(Hand(tray, service)) as hand:

        def tell(caption: str) -> None:
            screen.tell(caption)
            if page is not None:
                page.tell_story(caption)

        async for step in story(hand, tell):
            screen.settled()
            if page is not None and page.enough.is_set():
                break
            if not fast:
                await _pause(PAUSES_S.get(step, PAUSE_S), page)
        if page is not None:
            page.tell_story(None)
            await service.end()
            _begin(service)
        if fast:
            return
        if sys.stdin.isatty():
            screen.show_keys()
            await _keys(hand)
        elif page is not None:
            await asyncio.Event().wait()


async def _pause(seconds: float, page: Page | None) -> None:
    """Give a person time to see a step; somebody at the page may cut it short."""
    if page is None:
        await asyncio.sleep(seconds)
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await page.enough.wait()


async def _keys(hand: Hand) -> None:
    """Let a person tap and press by keys until `x`. Touches are given to the tray, nothing waits for them."""
    pressed: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    used = count()
    with _cbreak():
        loop.add_reader(sys.stdin.fileno(), lambda: pressed.put_nowait(sys.stdin.read(1)))
        try:
            while (key := await pressed.get()) not in ("x", ""):
                _key(hand, key, next(used))
        finally:
            loop.remove_reader(sys.stdin.fileno())


def _key(hand: Hand, key: str, number: int) -> None:
    for seat in Seat:
        if (button := _BUTTONS[seat].get(key.lower())) is not None:
            held = key.isupper() and button in ("ok", "pass")
            hand.tray.click(seat, button, HOLD_MS if held else PRESS_MS)
        elif (kind := _SIDES[seat].get(key)) is not None and (disc := _disc(hand, seat, kind, number)) is not None:
            hand.tray.tap(seat, disc.uid, for_ms=250)


def _disc(hand: Hand, seat: Seat, kind: str, number: int) -> Token | None:
    """A disc to tap: one whose order is left, if there is one."""
    if kind in ("r1", "r2"):
        discs = hand.discs(seat, TokenKind.REGULAR, int(kind[1]))
        return discs[number % len(discs)] if discs else None
    discs = hand.discs(seat, TokenKind(kind))
    return next((disc for disc in discs if _left(hand, seat, disc)), discs[0] if discs else None)


def _left(hand: Hand, seat: Seat, disc: Token) -> bool:
    table = hand.service.table
    if table is None or disc.trooper is None:
        return True
    trooper = table.game.side(seat).troopers[table.game.army(seat).index[disc.trooper]]
    return bool(getattr(trooper, disc.kind.value, NO_ORDERS).left)


@contextlib.contextmanager
def _cbreak() -> Iterator[None]:
    """Keys one by one, without echo."""
    before = termios.tcgetattr(sys.stdin.fileno())
    tty.setcbreak(sys.stdin.fileno())
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)
