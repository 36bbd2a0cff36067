"""`ordertray play`: a game script, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from .. import rules
from ..games.script import Script
from ..messages import detect_language, translator
from ..rules import Seat
from .armies import read_armies
from .options import STATUS_BAD_INPUT, EditionName, RosterPath, UserError


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
