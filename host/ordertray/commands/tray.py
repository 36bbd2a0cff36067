"""Commands for the tray itself: `flash` puts the firmware on it, `sim` is a tray without hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast, get_args

import typer
from rich.progress import BarColumn, Progress, TextColumn

from ..link.errors import LinkError
from .options import UserError
from .shared import file_errors, language, save

#: With `--verify`: the tray has not what this host would put there.
STATUS_DIFFERENT = 1

ConfigFile = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A config.json for the tray; else it keeps its own.")
]


def flash_command(
    port: Annotated[str | None, typer.Option("--port", metavar="PORT", help="Else the only Pico there is.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Write nothing; compare what is on the tray.")] = False,
    config: ConfigFile = None,
    image: Annotated[
        Path | None,
        typer.Option(
            "--image", metavar="UF2", help="MicroPython's image for the board: one file with all, for BOOTSEL."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="With --image: write the file, flash nothing.")
    ] = None,
    drive: Annotated[
        Path | None,
        typer.Option("--drive", metavar="FOLDER", help="With --image: where the board's BOOTSEL drive is mounted."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Put this host's firmware on a tray: check MicroPython, copy what differs, restart, wait for HELLO.

    With --image both come in one file: onto a board in BOOTSEL mode, or with -o into a file to drag there.

    Example:  ordertray flash --port /dev/ttyACM0

    Example:  ordertray flash --image RPI_PICO.uf2 -o ordertray.uf2
    """
    if image is not None:
        if port is not None or verify:
            raise UserError("--image is for a board in BOOTSEL mode, which has no port yet and shows no files")
        _from_image(image, config, output, drive, force=force)
        return
    if output is not None or drive is not None:
        raise UserError("-o and --drive want --image: MicroPython's .uf2 for the board, from micropython.org")
    from .main import NOT_HERE, is_posix

    if not is_posix():
        raise UserError(f"flash over a port: {NOT_HERE}")
    from ..traycare import boot_drive
    from ..traycare.flash import flash

    with Progress(TextColumn("{task.description:<40}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %")) as bar:
        task = bar.add_task("looking for the tray", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total or None)

        try:
            report = flash(port, verify=verify, config=config, progress=tell)
        except LinkError as error:
            if port is None and boot_drive.boot_drives():
                way = "a board waits in BOOTSEL mode: ordertray flash --image RPI_PICO.uf2, from micropython.org"
                raise LinkError(f"{error}; {way}") from None
            raise
    for line in report.lines():
        print(line)
    if report.differences:
        raise typer.Exit(STATUS_DIFFERENT)


def _from_image(image: Path, config: Path | None, output: Path | None, drive: Path | None, *, force: bool) -> None:
    """MicroPython and firmware as one file, into `output` or onto the board that waits in BOOTSEL mode."""
    from ..traycare.boot_drive import boot_drives, copy_to, none_found
    from ..traycare.flash import build_files, wait_for_tray
    from ..traycare.image import FAMILIES, joined, read_image

    micropython = read_image(image)
    whole = joined(micropython, build_files(config=config))
    if output is not None:
        with file_errors(language()):
            save(output, whole, force=force)
        print(f"{output}: MicroPython {micropython.version} and the tray, for {micropython.board}; {len(whole)} bytes")
        print("hold BOOTSEL while plugging the board in, and copy the file onto the drive that appears")
        return
    drives = boot_drives(None if drive is None else [drive])
    if not drives:
        raise LinkError(none_found() if drive is None else f"{drive}: no board in BOOTSEL mode (no INFO_UF2.TXT there)")
    if len(drives) > 1:
        raise LinkError(
            f"more than one board waits: {', '.join(str(found.folder) for found in drives)}; name its --drive"
        )
    copy_to(drives[0], whole, FAMILIES[micropython.family][0])
    print(f"copied to {drives[0].folder}: the board restarts with it")
    if drive is None:
        for line in wait_for_tray():
            print(line)


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
