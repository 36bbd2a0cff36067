"""Options that several commands have, and the error that any of them may end with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RecordPath = Annotated[Path | None, typer.Option("--record", metavar="FILE", help="The record of games.")]
RosterPath = Annotated[Path | None, typer.Option(metavar="ROSTER", help="Roster file (TOML).")]
EditionName = Annotated[
    str | None,
    typer.Option(
        "--edition", metavar="EDITION", help="One of n5, n4, n4-2020, codeone, codeone-2020; else the rosters'."
    ),
]
WebHost = Annotated[
    str | None,
    typer.Option("--host", metavar="ADDRESS", help="Where the page is served; 0.0.0.0 for the whole network."),
]
WebPort = Annotated[
    int | None, typer.Option("--http-port", metavar="N", min=0, max=65535, help="The page's port; 0: any free one.")
]
ConfigPath = Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration file.")]
Language = Annotated[str | None, typer.Option(metavar="LANGUAGE", help="en or es; else the system's.")]

STATUS_BAD_INPUT = 2


class UserError(Exception):
    """Something the user asked for that cannot be done; the text says what would help."""
