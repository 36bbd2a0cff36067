"""What the sub-commands share: rosters of either form, writing without overwriting, ending with status 2."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from ordertray.army.roster import Roster, RosterError, format_army, read_roster
from ordertray.files.problems import FileError, Problem
from ordertray.files.writing import write_whole
from ordertray.messages import N_, Translator, detect_language, translator
from ordertray.rules.army import Army

from .terminal import echo


class EditionName(StrEnum):
    """The editions of `ordertray.rules.editions`, as Typer wants choices."""

    N5 = "n5"
    N4 = "n4"
    N4_2020 = "n4-2020"
    CODEONE = "codeone"
    CODEONE_2020 = "codeone-2020"


def language() -> Translator:
    """The player's language."""
    return translator(detect_language())


def fail(message: str) -> NoReturn:
    """One message on standard error, status 2."""
    echo(message, err=True)
    raise typer.Exit(2)


@contextmanager
def file_errors(translate: Translator) -> Iterator[None]:
    """Faults of a file become its message and status 2; so does a file that cannot be written."""
    try:
        yield
    except FileError as error:
        fail(error.text(translate))
    except OSError as error:
        fail(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "))


def read_any(path: Path, edition: str | None = None) -> Roster:
    """A roster from TOML or, by its suffix, CSV. Raises `RosterError`."""
    if path.suffix.lower() != ".csv":
        return read_roster(path, edition)
    from ordertray.army.sheet import read_csv

    return read_csv(path, edition)


def format_any(army: Army, path: Path) -> str:
    """The text of a roster for a path, by its suffix. Raises `RosterError` for another suffix."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        from ordertray.army.sheet import format_csv

        return format_csv(army)
    if suffix != ".toml":
        raise RosterError(str(path), [Problem("", N_("a roster is a .toml or a .csv file"))])
    return format_army(army)


def save(path: Path, content: str | bytes, *, force: bool) -> None:
    """Write a new file; an existing one only with `force`. Raises `FileError`, `OSError`."""
    if path.exists() and not force:
        raise FileError(str(path), [Problem("", N_("this file exists already; --force overwrites it"))])
    write_whole(path, content)


@contextmanager
def progress_bar(console: Console, label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar fed by `(done, all)`; gone when the work is done, and none where nobody looks."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
