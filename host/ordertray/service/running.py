"""`ordertray run`: from what the user asked for to a running table, and a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import rules
from ..games import store
from ..journal import Journal
from ..lights.opening import open_lamps
from ..lights.outputs import LampOutput
from ..lights.release import released_at_exit
from ..link import BoardSpec, wall_ms
from ..rules import Army, Edition, Options, Seat
from ..table import Pace, explain_touch
from ..tokens.registry import TokenRegistry
from .control import answering
from .ending import ended_by_signals
from .notify import ALIVE, READY, STOPPING, notify, watchdog_interval_ms
from .settings import Settings
from .status import status_of
from .table_service import Notice, TableService

if TYPE_CHECKING:
    from ..sim.tray import VirtualTray

log = logging.getLogger("ordertray")


@dataclass(frozen=True)
class Plan:
    """What `ordertray run` was asked for. `armies` None: go on with the unfinished game."""

    settings: Settings
    record: Path
    armies: tuple[Mapping[Seat, Army], Edition] | None
    tokens: Mapping[Seat, TokenRegistry]
    first: Seat
    pace: Pace
    ports: tuple[str, ...]
    virtual: bool
    tray: bool
    new: bool


Links = Callable[[], Mapping[str, Any]]
OpenPage = Callable[[TableService, "VirtualTray | None"], contextlib.AbstractAsyncContextManager[Links]]
"""Serves a page of the service while its context lasts; gives what `ordertray links` is answered."""


@contextlib.asynccontextmanager
async def no_page(service: TableService, tray: VirtualTray | None) -> AsyncIterator[Links]:
    """No page is served."""
    yield lambda: {"links": {}}


async def run_table(plan: Plan, page: OpenPage = no_page) -> None:
    """Run until a signal ends it (`ending.SIGNALS`); `page` serves the table's page.

    Raises `JournalError`, `StoreError`, `FileError` before anything has started, and whatever `page` raises.
    """
    with ended_by_signals():
        await _run_table(plan, page)


async def _run_table(plan: Plan, page: OpenPage) -> None:
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(contextlib.closing(Journal.open(plan.record)))
        async with _specs(plan) as (specs, tray):
            outputs: list[LampOutput] = []
            if plan.settings.lamps is not None:
                outputs.append(stack.enter_context(released_at_exit(open_lamps(plan.settings.lamps))))
            service = TableService(
                journal, wall_ms=wall_ms, specs=specs, seating=plan.settings.seating, outputs=outputs
            )
            service.listen(_report)
            _take_seats(service, journal, plan)
            async with page(service, tray) as links:
                answers = {"status": lambda: status_of(service), "links": links}
                async with answering(plan.record, answers):
                    await until_signalled(service)


@contextlib.asynccontextmanager
async def _specs(plan: Plan) -> AsyncIterator[tuple[list[BoardSpec] | None, VirtualTray | None]]:
    if not plan.tray:
        yield None, None
    elif plan.virtual:
        from ..sim.tray import VirtualTray

        async with VirtualTray() as tray:
            log.info("virtual tray at %s", tray.url)
            yield [BoardSpec(name="virtual", url=tray.url)], tray
    else:
        yield [BoardSpec(name=f"tray{number}", url=port) for number, port in enumerate(plan.ports, 1)], None


def _take_seats(service: TableService, journal: Journal, plan: Plan) -> None:
    """Go on with the unfinished game, or begin the one asked for."""
    if not plan.new and service.resume():
        assert service.table is not None
        log.info("game %d goes on: %s", service.game_number, rules.summary(service.table.game))
        if plan.armies is not None:
            log.info("the rosters given are not used; `--new` begins a new game")
        return
    if plan.armies is None:
        log.info("no game is on; give --a and --b, or --quick N M")
        return
    armies, edition = plan.armies
    number, table = store.begin(
        journal,
        armies,
        plan.tokens,
        edition=edition,
        pace=plan.pace,
        at_ms=wall_ms(),
        options=Options(first=plan.first),
    )
    service.begin(number, table)
    log.info("game %d begins: %s", number, rules.summary(table.game))


def _report(notice: Notice) -> None:
    """What happens at the table, in the log."""
    outcome = notice.outcome
    if outcome is None or notice.table is None:
        return
    if outcome.refusal is not None:
        # The log is for the one who runs the table: private reasons stay out of it all the same.
        text = rules.REFUSED if outcome.refusal.private else explain_touch(outcome.refusal)
        log.info("refused %s: %s", outcome.refusal.rule, text)
    elif outcome.steps:
        log.info("@%d %s", outcome.table.game.position, rules.summary(outcome.table.game))


async def until_signalled(service: TableService) -> None:
    """Run the service until it is cancelled, then end it cleanly. systemd is told how it goes, if it listens."""
    running = asyncio.ensure_future(service.run())
    alive = asyncio.create_task(_watchdog(), name="watchdog")
    notify(READY)
    running.add_done_callback(lambda _: notify(STOPPING))
    try:
        await running
    finally:
        alive.cancel()


async def _watchdog() -> None:
    """Tell systemd that the event loop still turns."""
    interval_ms = watchdog_interval_ms()
    while interval_ms is not None:
        notify(ALIVE)
        await asyncio.sleep(interval_ms / 1000)
