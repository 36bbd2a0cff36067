"""Commands for the tray itself: `flash` puts the firmware on it, `sim` is a tray without hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast, get_args

import typer
from rich.progress import BarColumn, Progress, TextColumn

from ..traycare.flash import flash

#: With `--verify`: the tray has not what this host would put there.
STATUS_DIFFERENT = 1

ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A config.json for the tray; else it keeps its own.")
]


def flash_command(
    port: Annotated[str | None, typer.Option("--port", metavar="PORT", help="Else the only Pico there is.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Write nothing; compare what is on the tray.")] = False,
    config: ConfigFile = None,
) -> None:
    """Put this host's firmware on a tray: check MicroPython, copy what differs, restart, wait for HELLO.

    Example:  ordertray flash --port /dev/ttyACM0
    """
    with Progress(TextColumn("{task.description:<40}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %")) as bar:
        task = bar.add_task("looking for the tray", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total or None)

        report = flash(port, verify=verify, config=config, progress=tell)
    for line in report.lines():
        print(line)
    if report.differences:
        raise typer.Exit(STATUS_DIFFERENT)


def sim_command(
    interpreter: Annotated[
        str, typer.Option(metavar="NAME", help="micropython, cpython, or auto: the best there is.")
    ] = "auto",
    reader: Annotated[
        list[str] | None, typer.Option(metavar="PAD=CHIP", help="pn532, mfrc522 or none; for example B=mfrc522.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """A virtual tray with a fault console: lay tags down, press buttons, break things, see every pixel.

    Example:  ordertray sim --reader B=mfrc522
    """
    from ..sim.console import run_console
    from ..sim.process import Interpreter

    if interpreter not in get_args(Interpreter):
        raise typer.BadParameter(f"it is one of {', '.join(get_args(Interpreter))}", param_hint="--interpreter")
    chips = {}
    for pair in reader or ():
        pad, equals, chip = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"{pair!r} is no PAD=CHIP, such as B=mfrc522", param_hint="--reader")
        chips[pad] = chip
    raise typer.Exit(run_console(cast(Interpreter, interpreter), config=config, chips=chips or None))
