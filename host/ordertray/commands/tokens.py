"""`ordertray tokens`: printing labels, enrolling discs, looking after the registries."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from ordertray.commands import shared
from ordertray.commands.terminal import echo
from ordertray.files.problems import FileError
from ordertray.link import BoardSpec, TrayLink
from ordertray.messages import Translator, detect_language, languages
from ordertray.service.settings import load_settings
from ordertray.tokens.enrolment import Outcome, begin
from ordertray.tokens.exchange import Event, Pause, Say, Skip, Undo, describe
from ordertray.tokens.fonts import unprintable
from ordertray.tokens.grids import SHEETS, SheetError, plain_grid, sheet_named
from ordertray.tokens.labels import Label, labels_for, starter_labels, starter_roles
from ordertray.tokens.model import BadUidError, Role, TokenKind, normalised_uid, parse_role
from ordertray.tokens.registry import TokenRegistry, format_registry, load_registry, merge
from ordertray.tokens.runner import EnrolmentRunner
from ordertray.tokens.sheet import label_sheet, preview
from ordertray.tokens.store import TokenStore
from ordertray.tokens.virtual import roles_for, virtual_tokens

app = typer.Typer(
    add_completion=False, help="Order tokens: labels, enrolling discs.", no_args_is_help=True, rich_markup_mode=None
)


class Paper(StrEnum):
    """The papers of `sheet.PAPERS_MM`."""

    A4 = "a4"
    LETTER = "letter"


class Pad(StrEnum):
    """The pads of a tray."""

    A = "A"
    B = "B"


Roster = Annotated[Path | None, typer.Argument(metavar="[ROSTER]", help="A roster; without it the starter set of 30.")]
OwnerOption = Annotated[str | None, typer.Option("--owner", help="Whose discs; else the pad's letter.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]
LanguageOption = Annotated[
    str | None, typer.Option("--language", help=f"Of the texts on it: {' or '.join(languages())}; else the system's.")
]


@app.command()
def labels(
    output: Annotated[Path, typer.Option("-o", "--output", help="The PDF to write, or a .png to look at first.")],
    roster: Roster = None,
    paper: Annotated[Paper, typer.Option("--paper", help="Size of the paper.")] = Paper.A4,
    size: Annotated[float, typer.Option("--size", help="Diameter of the discs in mm, such as 22, 25, 28 or 30.")] = 25,
    sheet: Annotated[
        str | None, typer.Option("--sheet", metavar="NAME", help=f"Pre-cut round labels: {', '.join(SHEETS)}.")
    ] = None,
    first: Annotated[int, typer.Option("--first", help="First free place of the sheet, from 1, row by row.")] = 1,
    offset: Annotated[
        tuple[float, float], typer.Option("--offset", metavar="RIGHT DOWN", help="Move all by so many mm.")
    ] = (0, 0),
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="DISC", help="Only this label, such as 'trooper jackal-2'.")
    ] = None,
    troopers: Annotated[bool, typer.Option(help="Labels for the troopers' tags too.")] = True,
    names: Annotated[bool, typer.Option("--names", help="Regular discs bear their trooper's name too.")] = False,
    language: LanguageOption = None,
    force: ForceOption = False,
) -> None:
    """Make a sheet of labels for discs, as a PDF: print it at 100 %.

    \b
    Example:
      ordertray tokens labels examples/red.toml -o sheet.pdf --names
      ordertray tokens labels -o starter.pdf --paper letter --size 30 --language es
      ordertray tokens labels mine.toml -o more.pdf --sheet rayfilm-2525k --first 38 --only "trooper jackal-2"
    """
    _ = shared.language()
    console = Console(stderr=True, highlight=False)
    with shared.file_errors(_):
        army = shared.read_any(roster).army if roster is not None else None
        found = labels_for(army, named=names) if army is not None else starter_labels()
        if not troopers:
            found = tuple(label for label in found if label.role.kind is not TokenKind.TROOPER)
        found = _only(found, only, _)
        title = army.name if army is not None else ""
        try:
            grid = plain_grid(paper.value, size) if sheet is None else sheet_named(sheet)
            with shared.progress_bar(console, _("labels")) as progress:
                pdf = label_sheet(
                    found, grid=grid.moved(*offset), first=first, language=language or detect_language(), title=title,
                    progress=progress,
                )  # fmt: skip
            pictures = preview(pdf) if output.suffix.lower() == ".png" else []
        except SheetError as error:
            shared.fail(_(error.template).format(**error.params))
        for number, picture in enumerate(pictures, 1):
            shared.save(
                output.with_stem(f"{output.stem}-{number}") if len(pictures) > 1 else output, picture, force=force
            )
        if not pictures:
            shared.save(output, pdf, force=force)
    if missing := unprintable("".join(line for label in found for line in label.lines)):
        echo(_("the font of the labels lacks: {letters} (printed as ?)").format(letters=missing), err=True)
    echo(_("{count} labels written: {path}").format(count=len(found), path=output))


def _only(found: Sequence[Label], texts: Sequence[str] | None, translate: Translator) -> tuple[Label, ...]:
    """The labels that were asked for by name; all where none was. Status 2 for one that is not there."""
    if not texts:
        return tuple(found)
    chosen = []
    for text in texts:
        try:
            role = parse_role(text)
        except ValueError as error:
            shared.fail(f"--only: {translate(str(error))}")
        label = next((one for one in found if _is_meant(one.role, role)), None)
        if label is None:
            shared.fail(translate("--only: no such label here: {disc}").format(disc=describe(role, translate)))
        chosen.append(label)
    return tuple(chosen)


def _is_meant(role: Role, wanted: Role) -> bool:
    """Whether a disc is the one that was typed: what was left out may be anything."""
    given = {name: value for name, value in asdict(wanted).items() if value is not None}
    return all(getattr(role, name) == value for name, value in given.items())


@app.command()
def enrol(
    roster: Roster = None,
    owner: OwnerOption = None,
    pad: Annotated[Pad, typer.Option("--pad", help="The pad to lay them on.")] = Pad.A,
    troopers: Annotated[bool, typer.Option(help="Ask for the troopers' tags too.")] = True,
    write: Annotated[bool, typer.Option(help="Write a record on each disc, so that a phone shows what it is.")] = False,
    replace: Annotated[
        list[str] | None, typer.Option("--replace", metavar="DISC", help="Only this lost disc, such as 'regular g1 3'.")
    ] = None,
    port: Annotated[str | None, typer.Option("--port", help="The tray's port; else it is looked for.")] = None,
    wait: Annotated[float, typer.Option("--wait", help="Seconds to wait for the tray.")] = 10.0,
) -> None:
    """Enrol discs: the tray asks for each by its light, you lay it on the pad.

    Stop at any time; the same command goes on from there.

    At the tray: PASS skips a disc, PASS held takes the last one back, OK pauses. At the keyboard: s, u, p; q stops.

    \b
    Example:
      ordertray tokens enrol examples/red.toml --owner Ana
      ordertray tokens enrol --owner Ana --replace "regular g1 3"
    """
    _ = shared.language()
    store = TokenStore()
    whose = owner or pad.value
    with shared.file_errors(_):
        army = shared.read_any(roster).army if roster is not None else None
        roles = roles_for(army) if army is not None else starter_roles()
        if not troopers:
            roles = tuple(role for role in roles if role.kind is not TokenKind.TROOPER)
        registry, others = store.load(whose), store.others(whose)
        settings = load_settings()
    lost = tuple(_lost(text, registry, _) for text in replace or ())
    begun = begin(whose, pad.value, roles, registry, others, write_records=write, lost=lost)
    url = port or (settings.ports[0] if settings.ports else None)
    try:
        asyncio.run(_enrol(begun, store, BoardSpec(url=url), wait, _))
    except KeyboardInterrupt:
        echo(_("stopped; the same command goes on from here"))


def _lost(text: str, registry: TokenRegistry, translate: Translator) -> Role:
    try:
        role = parse_role(text)
    except ValueError as error:
        shared.fail(f"--replace: {translate(str(error))}")
    if not registry.with_role(role):
        message = translate("--replace: no such disc is enrolled: {disc}")
        shared.fail(message.format(disc=describe(role, translate)))
    return role


async def _enrol(begun: Outcome, store: TokenStore, spec: BoardSpec, wait_s: float, translate: Translator) -> None:
    """Run an enrolment until it is over. Status 2 without a tray, or when the discs' file cannot be written."""
    _ = translate
    console = Console(highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(_("discs"), total=begun[0].progress[1], completed=begun[0].progress[0])

        def say(said: Say) -> None:
            style = {"refused": "red", "ok": "green", "ask": "bold"}.get(said.mood, "")
            console.print(escape(said.text(_)), style=style)
            progress.update(task, completed=runner.state.progress[0])

        runner = EnrolmentRunner(begun, store.save, say)
        if begun[0].finished:
            say(begun[1][-1]) if isinstance(begun[1][-1], Say) else None
            return
        logging.getLogger("ordertray").addHandler(logging.NullHandler())  # what matters is said below
        link = TrayLink(spec, runner.on_event, on_snapshot=runner.on_snapshot)
        running = asyncio.create_task(link.run())
        try:
            try:
                await asyncio.wait_for(link.wait_online(), wait_s)
            except TimeoutError:
                status = link.status()
                shared.fail(_("no tray: {reason}").format(reason=status.error or status.looked_for))
            runner.start(link)
            with _keyboard(runner):
                await runner.over.wait()
            await link.flush()
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
    if runner.failed is not None:
        shared.fail(f"{store.path(runner.state.owner)}: {runner.failed.strerror or runner.failed}")


@contextlib.contextmanager
def _keyboard(runner: EnrolmentRunner) -> Iterator[None]:
    """Lines from a terminal: s, u, p, q."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()
    keys: dict[str, Event] = {"s": Skip(), "u": Undo(), "p": Pause()}

    def read() -> None:
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word == "q":
            loop.remove_reader(sys.stdin)
        if word == "q":
            runner.over.set()
        elif event := keys.get(word):
            task = asyncio.create_task(runner.take(event))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    watched = sys.stdin is not None and sys.stdin.isatty()
    if watched:
        loop.add_reader(sys.stdin, read)
    try:
        yield
    finally:
        if watched:
            loop.remove_reader(sys.stdin)


@app.command("list")
def list_command(owner: Annotated[str | None, typer.Option("--owner", help="Only this owner's.")] = None) -> None:
    """Show which discs are enrolled.

    \b
    Example:
      ordertray tokens list --owner Ana
    """
    _ = shared.language()
    store = TokenStore()
    with shared.file_errors(_):
        found = {owner: store.load(owner)} if owner is not None else store.all()
    if not any(found.values()):
        echo(_("no disc is enrolled yet ({folder})").format(folder=store.directory))
        return
    for name, registry in found.items():
        table = Table(
            title=escape(_("{owner}: {count} discs").format(owner=name, count=len(registry))), title_justify="left"
        )
        for heading in ("UID", _("Disc")):
            table.add_column(heading)
        for token in registry:
            table.add_row(token.uid, escape(describe(token.role, _)))
        Console(highlight=False).print(table)


@app.command()
def forget(
    uids: Annotated[list[str], typer.Argument(metavar="UID...", help="Discs, as `tokens list` shows them.")],
    owner: Annotated[str, typer.Option("--owner", help="Whose discs.")],
) -> None:
    """Forget discs that are lost or given away.

    \b
    Example:
      ordertray tokens forget 04A1B2C3D4E5F6 --owner Ana
    """
    _ = shared.language()
    store = TokenStore()
    with shared.file_errors(_):
        registry = store.load(owner)
    unknown = []
    for text in uids:
        try:
            uid = normalised_uid(text)
        except BadUidError as error:
            unknown.append(f"{text}: {_(str(error))}")
            continue
        if uid not in registry:
            unknown.append(_("{uid}: {owner} has no such disc").format(uid=uid, owner=owner))
        registry = registry.without(uid)
    if unknown:
        shared.fail("\n".join(unknown))
    with shared.file_errors(_):
        store.save(registry)
    echo(_("{count} discs left").format(count=len(registry)))


@app.command()
def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Registry files; without them, all enrolled discs.")
    ] = None,
) -> None:
    """Check registries: every fault by its place, and every disc that two of them have; status 2 if there is any.

    \b
    Example:
      ordertray tokens check examples/tokens/red.toml examples/tokens/blue.toml
    """
    _ = shared.language()
    with shared.file_errors(_):
        found = _registries(files, _) if files else TokenStore().all()
        merge(found)
    for name, registry in found.items():
        echo(_("{path}: good: {count} discs").format(path=name, count=len(registry)))


def _registries(files: Sequence[Path], translate: Translator) -> dict[str, TokenRegistry]:
    """All files; the faults of all of them before the end with status 2."""
    found: dict[str, TokenRegistry] = {}
    messages = []
    for path in files:
        try:
            found[str(path)] = load_registry(path)
        except FileError as error:
            messages.append(error.text(translate))
    if messages:
        shared.fail("\n".join(messages))
    return found


@app.command()
def virtual(
    roster: Annotated[Path, typer.Argument(metavar="ROSTER", help="A roster: .toml or .csv")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The registry to write.")],
    owner: Annotated[str, typer.Option("--owner", help="Whose discs.")] = "A",
    force: ForceOption = False,
) -> None:
    """Make up a set of discs for a roster, to try things without any: the same as the demo's.

    \b
    Example:
      ordertray tokens virtual examples/red.toml -o red-tokens.toml
    """
    _ = shared.language()
    with shared.file_errors(_):
        registry = virtual_tokens(shared.read_any(roster).army, owner)
        shared.save(output, format_registry(registry), force=force)
    echo(_("{count} discs written: {path}").format(count=len(registry), path=output))
