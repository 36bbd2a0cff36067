"""The command `ordertray doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..doctor.checks import Finding, Level, examine
from ..doctor.facts import gather
from ..files.problems import FileError
from ..messages import detect_language, translator
from ..service.settings import Settings, load_settings
from .options import RecordPath

STATUS_FAULTS = 1
_MARKS = {Level.OK: ("✔", "green"), Level.NOTE: ("•", "yellow"), Level.FAULT: ("✘", "bold red")}


def doctor(
    record: RecordPath = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration file.")] = None,
) -> None:
    """Look for everything that could keep a tray from working; for each fault the command that mends it.

    Ends with status 1 if there is a fault.   Example:  ordertray doctor
    """
    translate = translator(detect_language())
    settings, fault = Settings(), None
    try:
        settings = load_settings(config)
    except FileError as error:
        fault = error.text(translate)
    facts = gather(record or settings.record, configuration_fault=fault, lamps=settings.lamps is not None)
    findings = examine(facts, translate)
    console = Console()
    for finding in findings:
        console.print(drawn(finding))
    if any(finding.level is Level.FAULT for finding in findings):
        raise typer.Exit(STATUS_FAULTS)


def drawn(finding: Finding) -> Text:
    """A finding for the terminal: a mark whose shape says how bad it is, and below it what to do."""
    mark, style = _MARKS[finding.level]
    text = Text.assemble((f" {mark} ", style), (f"{finding.what}: ", "bold"), finding.text)
    if finding.level is not Level.OK:
        for command in finding.mend:
            text.append(f"\n     {command}", style="cyan")
    return text
