"""The command line. Each command says what is wrong in one message, and ends with status 2, never with a traceback."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from .. import rules
from ..games import store
from ..files.problems import FileError
from ..army.quick import quick_army
from ..army.roster import Roster, load_army, read_roster
from ..service.control import NotRunningError, ask
from ..journal import JournalError
from ..link import LinkError
from ..service.logs import LogFormat, log_to_stderr
from ..messages import detect_language, translator
from .record import RecordPath, UserError
from .record import app as record_app
from .status_shown import drawn
from ..rules import EDITIONS, Army, Edition, PositionError, Seat
from ..games.script import Script
from ..service.settings import load_settings
from ..table import Pace
from ..tokens.registry import TokenRegistry, load_registry
from ..tokens.store import TokenStore
from ..tokens.virtual import virtual_tokens
from ..web.serving.addresses import WebError

STATUS_BAD_INPUT = 2

app = typer.Typer(
    name="ordertray",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The order tray: keeps count of orders in Infinity, so that the players need not.",
    rich_markup_mode="rich",
)
app.add_typer(record_app, name="record")

RosterPath = Annotated[Path | None, typer.Option(metavar="ROSTER", help="Roster file (TOML).")]
EditionName = Annotated[
    str | None, typer.Option("--edition", metavar="EDITION", help=f"One of {', '.join(EDITIONS)}; else the rosters'.")
]
WebHost = Annotated[
    str | None,
    typer.Option("--host", metavar="ADDRESS", help="Where the page is served; 0.0.0.0 for the whole network."),
]
WebPort = Annotated[
    int | None, typer.Option("--http-port", metavar="N", min=0, max=65535, help="The page's port; 0: any free one.")
]

#: What a command may raise that is the input's fault; all carry a text for a person.
USER_ERRORS = (UserError, FileError, JournalError, store.StoreError, LinkError, PositionError, WebError)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `ordertray`."""
    _mount()
    try:
        app(args=arguments, standalone_mode=True)
    except FileError as error:
        _fail(error.text(translator(detect_language())))
    except USER_ERRORS as error:
        _fail(str(error))
    except BrokenPipeError:
        # The reader went away (`| head`): no message, and no second one at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(text: str) -> None:
    print(f"ordertray: {text}", file=sys.stderr)
    sys.exit(STATUS_BAD_INPUT)


def _mount() -> None:
    """Commands of other rooms; each is loaded here so that their absence never stops `play`."""
    if app.registered_groups and any(group.name == "army" for group in app.registered_groups):
        return
    from .army import app as army_app
    from .doctor import doctor
    from .install import install_command, uninstall_command
    from .selftest import selftest
    from .tokens import app as tokens_app
    from .tray import flash_command, sim_command

    app.add_typer(army_app, name="army")
    app.add_typer(tokens_app, name="tokens")
    app.command("doctor")(doctor)
    app.command("flash")(flash_command)
    app.command("selftest")(selftest)
    app.command("sim")(sim_command)
    app.command("install")(install_command)
    app.command("uninstall")(uninstall_command)


# --- play ------------------------------------------------------------------------------------------------------------


@app.command()
def play(
    script: Annotated[Path | None, typer.Argument(metavar="SCRIPT", help="Game script; else standard input.")] = None,
    a: RosterPath = None,
    b: RosterPath = None,
    edition: EditionName = None,
    position: Annotated[
        str | None, typer.Option("--position", metavar="LINE", help="Start from a one-line position.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per answer.")] = False,
    viewer: Annotated[str | None, typer.Option("--as", metavar="SEAT", help="Add what seat A or B may see.")] = None,
    language: Annotated[str | None, typer.Option(metavar="LANGUAGE", help="en or es; else the system's.")] = None,
) -> None:
    """Play a game script line by line, and answer each line.

    Example:  ordertray play --a examples/red.toml --b examples/blue.toml game.txt
    """
    if viewer not in (None, "A", "B"):
        raise UserError(f"--as {viewer}: the seats are A and B")
    if position is not None:
        if a or b or edition:
            raise UserError("--position holds armies and edition; leave out --a, --b and --edition")
        game = rules.parse_position(position)
    else:
        if a is None or b is None:
            raise UserError("two rosters are needed: --a ROSTER --b ROSTER (or --position LINE)")
        armies, chosen = read_armies(a, b, edition)
        game = rules.new_game(armies, chosen)
    run = Script(game, viewer=Seat(viewer) if viewer else None, translate=translator(language or detect_language()))
    all_in_notation = True
    for answer in run.run(_lines(script)):
        all_in_notation = all_in_notation and answer.in_notation
        print(answer.json() if as_json else answer.text, flush=True)
    if not all_in_notation:
        raise typer.Exit(STATUS_BAD_INPUT)


def _lines(script: Path | None) -> Iterator[str]:
    """Lines of a file or of standard input, each as soon as it is there."""
    if script is None:
        for raw in iter(sys.stdin.buffer.readline, b""):
            yield raw.decode("utf-8", "replace")
        return
    try:
        text = script.read_bytes()
    except OSError as error:
        raise UserError(f"{script}: {error.strerror}") from None
    yield from text.decode("utf-8-sig", "replace").splitlines()


def read_armies(a: Path, b: Path, edition: str | None) -> tuple[dict[Seat, Army], Edition]:
    """Both rosters, and the edition they are played in. Raises `FileError` with the faults of both, `UserError`."""
    if edition is not None and edition not in EDITIONS:
        raise UserError(f"--edition {edition}: it is one of {', '.join(EDITIONS)}")
    rosters: dict[Seat, Roster] = {}
    faults: list[FileError] = []
    for seat, path in ((Seat.A, a), (Seat.B, b)):
        try:
            rosters[seat] = read_roster(path, edition)
        except FileError as error:
            faults.append(error)
    if faults:
        raise UserError("\n".join(fault.text(translator(detect_language())) for fault in faults))
    written = {roster.army.edition for roster in rosters.values() if roster.army.edition}
    if edition is None and len(written) > 1:
        raise UserError(f"the rosters are of different editions ({', '.join(sorted(written))}); say --edition")
    chosen = EDITIONS[edition or next(iter(written), rules.DEFAULT_EDITION.id)]
    armies: dict[Seat, Army] = {}
    for seat, path in ((Seat.A, a), (Seat.B, b)):
        armies[seat] = load_army(path, chosen.id)
    return armies, chosen


# --- run -------------------------------------------------------------------------------------------------------------


@app.command()
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
    record: RecordPath = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration file.")] = None,
    log_format: Annotated[
        LogFormat, typer.Option(help="The log as lines for people or for programs.")
    ] = LogFormat.TEXT,
) -> None:
    """Run the table: trays, rules, record and lamps. An unfinished game goes on where it was.

    Example:  ordertray run --a red.toml --b blue.toml --owner-a Ana --owner-b Ben
    """
    from ..service.running import Plan, WebWanted, run_table

    settings = load_settings(config)
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
        given_tokens=tokens_a is not None and tokens_b is not None,
        web=WebWanted(
            host or settings.host, http_port if http_port is not None else settings.http_port, settings.language
        )
        if web
        else None,
    )
    log_to_stderr(log_format)
    asyncio.run(run_table(plan))
    gc.freeze()  # else the interpreter's last collection takes longer than the whole clean stop


def _armies_of(
    a: Path | None, b: Path | None, quick: tuple[int, int] | None, edition: str | None
) -> tuple[dict[Seat, Army], Edition] | None:
    if a is not None and b is not None:
        return read_armies(a, b, edition)
    if quick is None:
        if a is not None or b is not None:
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


# --- links -----------------------------------------------------------------------------------------------------------


@app.command()
def links(record: RecordPath = None) -> None:
    """Show where the running service's page is, with the links, PINs and QR codes that open its seats.

    Example:  ordertray links
    """
    from .announce import announce

    try:
        answer = ask(record or load_settings().record, "links")
    except NotRunningError as error:
        raise UserError(str(error)) from None
    if not answer["links"]:
        raise UserError("the service serves no page (it was started with --no-web, or 'ordertray[web]' is missing)")
    announce(answer, Console(), translator(detect_language()))


# --- status ----------------------------------------------------------------------------------------------------------


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    frames: Annotated[bool, typer.Option("--frames", help="Also the last frames of each tray, decoded.")] = False,
    record: RecordPath = None,
) -> None:
    """Show how the running service is: the game, the trays' links, their readers.

    Example:  ordertray status --frames
    """
    try:
        answer = ask(record or load_settings().record, "status")
    except NotRunningError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        Console().print(drawn(answer, frames=frames))


# --- demo ------------------------------------------------------------------------------------------------------------


@app.command()
def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Run the example through in seconds, then end.")] = False,
    web: Annotated[bool, typer.Option("--web/--no-web", help="Serve the table page.")] = True,
    http_port: WebPort = None,
    language: Annotated[str | None, typer.Option(metavar="LANGUAGE", help="en or es; else the system's.")] = None,
) -> None:
    """Play an example on the virtual tray, then hand it to you. No hardware needed.

    Example:  ordertray demo --fast
    """
    from ..demo import run_demo

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        asyncio.run(run_demo(fast=fast, language=language or detect_language(), web=web, http_port=http_port))
    except KeyboardInterrupt:
        print()
