"""The command `ordertray measure`: a real tray's figures beside the model's."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..link import BoardSpec, TrayEvent, TrayLink
from ..messages import N_, detect_language, translator
from ..sim.tray import VirtualTray
from ..traycare.measure import MEASUREMENTS, NAMES, Figure, Hands, Measuring
from .options import UserError


class Person:
    """Hands that are told what to do and say Enter."""

    def __init__(self, console: Console, translate: Callable[[str], str]) -> None:
        self._console = console
        self._ = translate
        self._lying: dict[str, int] = {}

    async def lay(self, pad: str, discs: int) -> None:
        """Ask for it, unless that many lie there already."""
        if self._lying.get(pad) == discs:
            return
        self._lying[pad] = discs
        text = self._(N_("Discs on pad {pad}: {discs}. Then press Enter.")).format(pad=pad, discs=discs)
        self._console.print(f"  {text}", highlight=False)
        await asyncio.to_thread(sys.stdin.readline)


class VirtualHands:
    """Hands at the virtual tray."""

    def __init__(self, tray: VirtualTray) -> None:
        self._tray = tray

    async def lay(self, pad: str, discs: int) -> None:
        """Do it."""
        self._tray.remove(pad)
        for number in range(discs):
            self._tray.place(pad, f"04D15C0000000{number}")


def measure(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Some of them only.")] = None,
    port: Annotated[str | None, typer.Option("--port", metavar="PORT", help="Else the only Pico there is.")] = None,
    virtual: Annotated[bool, typer.Option("--virtual", help="Try it on the virtual tray.")] = False,
) -> None:
    """Measure a real tray against what the simulation assumed of it.

    NAME: acknowledge, empty, found, two-discs, polls, lying, memory, collection, lateness, start.
    Stop the service first.   Example:  ordertray measure found two-discs
    """
    translate = translator(detect_language())
    unknown = [name for name in names or () if name not in NAMES]
    if unknown:
        raise UserError(
            translate(N_("no such measurement: {names}; there are: {all}")).format(
                names=", ".join(unknown), all=", ".join(NAMES)
            )
        )
    console = Console()
    figures = asyncio.run(_run(tuple(names or NAMES), port, virtual, console, translate))
    words = {measurement.name: measurement.what for measurement in MEASUREMENTS}
    table = Table(box=None, pad_edge=False)
    for title in (N_("measurement"), "", N_("pad"), N_("found"), N_("assumed")):
        table.add_column(translate(title) if title else "", overflow="fold")
    for figure in figures:
        table.add_row(figure.name, translate(words[figure.name]), figure.where, figure.found, figure.assumed)
    console.print(table)
    if virtual:
        console.print(
            translate(N_("The virtual tray runs in real time on this computer: only its chips are modelled."))
        )


async def _run(
    names: tuple[str, ...], port: str | None, virtual: bool, console: Console, translate: Callable[[str], str]
) -> list[Figure]:
    async with contextlib.AsyncExitStack() as stack:
        hands: Hands
        if virtual:
            tray = await stack.enter_async_context(VirtualTray())
            spec, hands = BoardSpec(name="virtual", url=tray.url), VirtualHands(tray)
        else:
            spec, hands = BoardSpec(url=port), Person(console, translate)

        async def on_event(_event: TrayEvent) -> None:
            """Taps are nobody's here."""

        link = TrayLink(spec, on_event)
        running = asyncio.create_task(link.run())
        try:
            return await Measuring(link, hands, translate=translate).run(names)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
