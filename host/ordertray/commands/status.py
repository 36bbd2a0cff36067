"""`ordertray status`: how the running service is."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from ..service.control import NotRunningError, ask
from ..service.settings import load_settings
from .options import RecordPath, UserError
from .status_shown import drawn


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
