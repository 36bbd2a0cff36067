"""`ordertray demo`: an example on the virtual tray, then the tray is yours."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Annotated

import typer

from ..demo import run_demo
from ..demo.keys import terminal_gone
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

    async def play() -> None:
        # Whoever closes the window or ends the process finds nothing half done.
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
        loop.add_signal_handler(signal.SIGHUP, hang_up, task)
        await run_demo(fast=fast, language=language or detect_language(), web=web, http_port=http_port)

    def hang_up(task: asyncio.Task[None]) -> None:
        terminal_gone()
        task.cancel()

    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(play())
