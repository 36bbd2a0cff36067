"""`ordertray record`: the games that were played; out as files, in again, copied, checked, saved."""

from __future__ import annotations

import itertools
import json
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len, set_cell_size

from ..journal.model import GameRow
from ..journal.reader import JournalReader
from ..rules.seats import Seat
from ..service.places import record_path
from ..text import shown
from .options import RecordPath, UserError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="The record of all games.", rich_markup_mode=None)

#: Something of the record is lost or in doubt, and what could be done was done. (2: it could not be.)
STATUS_IN_DOUBT = 3

GameNumber = Annotated[int | None, typer.Argument(metavar="GAME", help="Number of the game; else the newest.")]


def _path(record: Path | None) -> Path:
    return record or record_path()


def _row(reader: JournalReader, game: int | None) -> GameRow:
    games = reader.games()
    if not games:
        raise UserError("the record holds no game yet")
    return reader.game(game if game is not None else games[-1].id)


@app.command("list")
def list_games(record: RecordPath = None) -> None:
    """List the games in the record.

    Example:  ordertray record list
    """
    with JournalReader.open(_path(record)) as reader:
        rows = [("game", "began", "edition", "armies", "actions", "state")]
        doubted = {doubt.game for doubt in reader.doubts()}
        for row in reader.games():
            names = " / ".join(army_name(row.armies[seat]) or str(seat) for seat in Seat)
            ended = "unfinished" if row.result is None else f"over: {row.result.get('over', '')}"
            state = f"{ended}, in doubt" if row.id in doubted else ended
            rows.append((str(row.id), began(row.started_ms), row.edition, names, str(row.entries), state))
    print_columns(rows)
    if doubted:
        print("`ordertray record check` says what is in doubt")


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Rows as aligned columns, one line each, also for `grep`. Any text may stand in them."""
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        print("  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip())


def began(at_ms: int) -> str:
    """Unix time as a local date and time; the bare number for one that no calendar has."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_ms / 1000))
    except (ValueError, OverflowError, OSError):
        return str(at_ms)


def army_name(text: str) -> str:
    """The name of an army as its roster text says it above its first table; nothing if it says none.

    Read without the rest: a list of a thousand games needs no troopers.
    """
    head = "\n".join(itertools.takewhile(lambda line: not line.lstrip().startswith("["), text.splitlines()[:20]))
    try:
        name = tomllib.loads(head).get("name", "")
    except ValueError:
        return "?"
    return name if isinstance(name, str) else "?"


@app.command("show")
def show_game(
    game: GameNumber = None,
    script: Annotated[bool, typer.Option("--script", help="Only the game script that replays it.")] = False,
    record: RecordPath = None,
) -> None:
    """Print a game: every action with its time and what brought it about.

    Example:  ordertray record show 3 --script > game3.txt
    """
    with JournalReader.open(_path(record)) as reader:
        row = _row(reader, game)
        if script:
            from ..games import store

            print(store.script_of(reader, row), end="")
            return
        for entry in reader.entries(row.id):
            at = began(entry.at_ms)[11:]
            print(f"{entry.number:4} {at}  {shown(entry.action, 1000):<40} {shown(_cause(entry.cause))}")


def _cause(cause: Mapping[str, Any]) -> str:
    if cause.get("by") == "tap":
        return f"tap {cause.get('uid') or 'button ' + str(cause.get('button'))}"
    return str(cause.get("by", ""))


@app.command("export")
def export_to_file(
    game: GameNumber = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else standard output.")] = None,
    record: RecordPath = None,
) -> None:
    """Write a game to a file: everything in it, and the script that replays it. Works while it is played.

    Example:  ordertray record export 3 -o game3.json
    """
    from ..games.transfer import export_game
    from ..journal.private import private_opener

    with JournalReader.open(_path(record)) as reader:
        text = json.dumps(export_game(reader, _row(reader, game)), ensure_ascii=False, indent=1) + "\n"
    if output is None:
        print(text, end="")
        return
    try:
        # Both rosters with their secrets are in it.
        with open(output, "x", encoding="utf-8", opener=private_opener) as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"{output}: {error.strerror}; name a new file in a folder you may write to") from None


@app.command("import")
def import_from_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="From `ordertray record export`.")],
    record: RecordPath = None,
) -> None:
    """Take a game from a file into the record, every entry checked; all of it or nothing.

    Example:  ordertray record import game3.json
    """
    from ..games.transfer import TransferError, import_game
    from ..journal import Journal

    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise UserError(f"{file}: {getattr(error, 'strerror', None) or 'is no UTF-8 text'}") from None
    with Journal.open(_path(record)) as journal:
        try:
            number = import_game(journal, text)
        except TransferError as error:
            raise UserError(f"{file}: {error}") from None
    print(f"game {number}")


@app.command("backup")
def backup_record(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")], record: RecordPath = None
) -> None:
    """Copy the whole record to a new file, also while a game is played.

    Example:  ordertray record backup /media/stick/record.sqlite3
    """
    from ..journal import backup

    backup(_path(record), file)


@app.command("check")
def check_record(record: RecordPath = None) -> None:
    """Read and check the whole record. Status 3: whole as it is, but something was lost or altered earlier.

    Example:  ordertray record check
    """
    with JournalReader.open(_path(record)) as reader:
        entries, games = reader.verify(), len(reader.games())
        faults = [*map(str, reader.doubts()), *([str(missing)] if (missing := reader.missing()) is not None else [])]
        print(f"{games} games, {entries} entries, " + ("what is there is whole" if faults else "all whole"))
        for fault in faults:
            print(f"  in doubt: {shown(fault, 600)}")
        if faults:
            raise typer.Exit(STATUS_IN_DOUBT)


@app.command("salvage")
def salvage_record(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")], record: RecordPath = None
) -> None:
    """Save what can still be read of a damaged record to a new file; the damaged one stays as it is.

    What is lost or was altered stays in the new file as a doubt. Status 3: not all of it could be saved.

    Example:  ordertray record salvage saved.sqlite3 --record damaged.sqlite3
    """
    from ..journal.salvage import salvage

    saved = salvage(_path(record), file, at_ms=time.time_ns() // 1_000_000)
    print(f"{saved.games} games, {saved.entries} entries, {saved.taps} taps saved to {shown(file)}")
    for fault in saved.faults:
        print(f"  lost or in doubt: {shown(fault, 600)}")
    if saved.faults:
        raise typer.Exit(STATUS_IN_DOUBT)
