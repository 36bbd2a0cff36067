"""`ordertray run`: the table."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from .. import rules
from ..army.examples import example_armies
from ..army.quick import quick_army
from ..army.roster import load_army
from ..files.extras import install_command
from ..journal import JournalDamagedError, JournalError, JournalNewerError, NotAJournalError
from ..messages import translator
from ..rules import EDITIONS, Army, Edition, Seat
from ..service.ending import leave_on_signals, quiet_streams
from ..service.logs import LogFormat, log_to_stderr
from ..service.running import Links, OpenPage, Plan, no_page, run_table
from ..service.settings import load_settings
from ..service.table_service import TableService
from ..table import Pace
from ..tokens.registry import TokenRegistry, load_registry
from ..tokens.store import TokenStore
from ..tokens.virtual import virtual_tokens
from ..web.serving.addresses import WebError
from .announce import announce
from .armies import read_armies
from .options import EditionName, RecordPath, RosterPath, UserError, WebHost, WebPort

if TYPE_CHECKING:
    from ..sim.tray import VirtualTray

log = logging.getLogger("ordertray")


def run(
    a: RosterPath = None,
    b: RosterPath = None,
    edition: EditionName = None,
    quick: Annotated[
        tuple[int, int] | None,
        typer.Option("--quick", metavar="N M", help="No roster: N Regulars in group 1, M in group 2."),
    ] = None,
    tokens_a: Annotated[Path | None, typer.Option(metavar="FILE", help="Discs of seat A.")] = None,
    tokens_b: Annotated[Path | None, typer.Option(metavar="FILE", help="Discs of seat B.")] = None,
    owner_a: Annotated[str, typer.Option(metavar="NAME", help="Whose enrolled discs seat A plays with.")] = "A",
    owner_b: Annotated[str, typer.Option(metavar="NAME", help="Whose enrolled discs seat B plays with.")] = "B",
    first: Annotated[str, typer.Option(metavar="SEAT", help="Who has the first turn.")] = "A",
    pace: Annotated[Pace | None, typer.Option(help="One touch an order, or every step.")] = None,
    port: Annotated[
        list[str] | None, typer.Option("--port", metavar="PORT", help="Serial port or URL of a tray.")
    ] = None,
    virtual: Annotated[bool, typer.Option("--virtual", help="A virtual tray instead of a real one.")] = False,
    no_tray: Annotated[bool, typer.Option("--no-tray", help="No tray at all.")] = False,
    new: Annotated[bool, typer.Option("--new", help="Begin a new game even if one is unfinished.")] = False,
    web: Annotated[bool, typer.Option("--web/--no-web", help="Serve the table page.")] = True,
    host: WebHost = None,
    http_port: WebPort = None,
    tls: Annotated[bool, typer.Option("--tls", help="https, by a certificate authority of this table's own.")] = False,
    record: RecordPath = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration file.")] = None,
    log_format: Annotated[
        LogFormat, typer.Option(help="The log as lines for people or for programs.")
    ] = LogFormat.TEXT,
) -> None:
    """Run the table: trays, rules, record and lamps. An unfinished game goes on where it was.

    Example:  ordertray run --a red.toml --b blue.toml --owner-a Ana --owner-b Ben
    """
    leave_on_signals()
    settings = load_settings(config)
    virtual = virtual or (settings.virtual and not no_tray and not port)
    if first not in ("A", "B"):
        raise UserError(f"--first {first}: the seats are A and B")
    armies = _armies_of(a, b, quick, edition)
    files, owners = {Seat.A: tokens_a, Seat.B: tokens_b}, {Seat.A: owner_a, Seat.B: owner_b}
    tokens = {}
    for seat, army in () if armies is None else armies[0].items():
        tokens[seat] = _discs(files[seat], None if virtual else owners[seat], army, seat)
    plan = Plan(
        settings=settings,
        record=record or settings.record,
        armies=armies,
        tokens=tokens,
        first=Seat(first),
        pace=pace or settings.pace,
        ports=tuple(port or settings.ports),
        virtual=virtual,
        tray=not no_tray,
        new=new,
    )
    log_to_stderr(log_format)
    page: OpenPage = no_page
    if web:
        wanted = http_port if http_port is not None else settings.http_port
        given = tokens if tokens_a is not None and tokens_b is not None else {}
        page = _page(plan, host or settings.host, wanted, given, tls=tls or settings.tls)
    try:
        asyncio.run(run_table(plan, page))
    except (JournalDamagedError, JournalNewerError, NotAJournalError):
        raise
    except (JournalError, WebError) as error:
        raise LaterError(str(error)) from None
    quiet_streams()
    gc.freeze()  # else the interpreter's last collection takes longer than the whole clean stop


class LaterError(UserError):
    """What may be otherwise soon, with nothing mended by hand: a disk, a port, another process. systemd tries again."""

    status = 75  # EX_TEMPFAIL of sysexits.h


def _armies_of(
    a: Path | None, b: Path | None, quick: tuple[int, int] | None, edition: str | None
) -> tuple[dict[Seat, Army], Edition] | None:
    if a is not None and b is not None:
        return read_armies(a, b, edition)
    if quick is None:
        if (path := a or b) is not None:
            load_army(path, edition)  # what is wrong with the one that was given comes first
            raise UserError("one roster is missing: give --a and --b, or --quick N M for the other side")
        return None
    if edition is not None and edition not in EDITIONS:
        raise UserError(f"--edition {edition}: it is one of {', '.join(EDITIONS)}")
    written = {seat: load_army(path, edition) for seat, path in ((Seat.A, a), (Seat.B, b)) if path is not None}
    known = next((army.edition for army in written.values() if army.edition), None)
    chosen = EDITIONS[edition or known or rules.DEFAULT_EDITION.id]
    return {seat: written.get(seat) or quick_army(*quick, edition=chosen.id) for seat in Seat}, chosen


def _discs(path: Path | None, owner: str | None, army: Army, seat: Seat) -> TokenRegistry:
    """The discs of a seat: those of its file, else those its owner has enrolled, else the made-up ones."""
    if path is not None:
        return load_registry(path)
    enrolled = None if owner is None else TokenStore().load(owner)
    return enrolled if enrolled else virtual_tokens(army, str(seat))


def _page(plan: Plan, host: str, port: int | None, tokens: Mapping[Seat, TokenRegistry], *, tls: bool) -> OpenPage:
    """The table page on `host` and `port` (None: the usual one, or any that is free). Opening it raises `WebError`."""

    @contextlib.asynccontextmanager
    async def page(service: TableService, tray: VirtualTray | None) -> AsyncIterator[Links]:
        try:
            from ..web.serving.server import WebOptions, links_of, serving
        except ImportError as missing:
            log.warning("no table page: %s is not installed; %s", missing.name, install_command("web"))
            yield lambda: {"links": {}}
            return
        options = WebOptions(
            folder=plan.record.resolve().parent,
            host=host,
            port=port,
            kind="virtual" if tray is not None else "real" if plan.tray else "none",
            tray_hands=tray,
            tokens=tokens,
            examples=example_armies,
            names=plan.settings.names,
            proxies=plan.settings.trusted_proxies,
            tls=tls,
        )
        async with serving(service, options) as opened:
            log.info("table page at %s/", opened.base)
            if opened.certificates is not None:
                log.info("its certificate authority: SHA-256 %s", opened.certificates.fingerprint)
            if sys.stdout.isatty():
                announce(links_of(opened), Console(), translator(plan.settings.language), running=True)
            else:
                log.info("`ordertray links` shows the links and PINs of the seats")
            yield lambda: links_of(opened)

    return page
