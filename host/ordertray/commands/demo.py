"""`ordertray demo`: an example on the virtual tray, then the tray is yours."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Annotated

import typer

from ..demo import run_demo
from ..messages import detect_language
from .options import WebPort


def demo(
    fast: Annotated[bool, typer.Option("--fast", help="Run the example through in seconds, then end.")] = False,
    web: Annotated[bool, typer.Option("--web/--no-web", help="Serve the table page.")] = True,
    http_port: WebPort = None,
    language: Annotated[str | None, typer.Option(metavar="LANGUAGE", help="en or es; else the system's.")] = None,
) -> None:
    """Play an example on the virtual tray, then hand it to you. No hardware needed.

    Example:  ordertray demo --fast
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        asyncio.run(run_demo(fast=fast, language=language or detect_language(), web=web, http_port=http_port))
    except KeyboardInterrupt:
        print()
