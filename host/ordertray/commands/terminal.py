"""What goes to the terminal as plain lines: text, whatever names and files had in them."""

from __future__ import annotations

import typer

from ..text import shown

#: No message is longer.
MOST_TOLD = 30_000
#: Nothing that is piped in is longer.
MOST_TYPED = 1_000_000


def echo(message: object, *, err: bool = False, nl: bool = True) -> None:
    """Print a message of one or several lines; what would steer the terminal is written out."""
    typer.echo(shown(message, MOST_TOLD, lines=True), err=err, nl=nl)
