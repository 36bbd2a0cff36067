"""`ordertray status`: how the running service is."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..service.asking import NotRunningError, ask
from ..service.places import record_path
from .options import RecordPath, UserError


def status(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    frames: Annotated[bool, typer.Option("--frames", help="Also the last frames of each tray, decoded.")] = False,
    record: RecordPath = None,
) -> None:
    """Show how the running service is: the game, the trays' links, their readers.

    Example:  ordertray status --frames
    """
    try:
        answer = ask(record or record_path(), "status")
    except NotRunningError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        from rich.console import Console

        from .status_shown import drawn

        Console().print(drawn(answer, frames=frames))
