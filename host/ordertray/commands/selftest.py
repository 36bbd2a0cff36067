"""The command `ordertray selftest`: a person at the keyboard, or with `--virtual` hands that rehearse it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..lights.lamp_config import LampConfig
from ..lights.opening import NoLamps, open_lamps
from ..lights.release import released_at_exit
from ..link import BoardSpec, MonotonicClock, TrayEvent, TrayLink
from ..messages import N_, detect_language, translator
from ..service.settings import load_settings
from ..sim.tray import VirtualTray
from ..traycare.selftest import Person, Result, SelfTest, Verdict, passed

STATUS_FAILED = 1
_MARKS = {Verdict.PASSED: ("✔", "green"), Verdict.FAILED: ("✘", "bold red"), Verdict.SKIPPED: ("–", "yellow")}
_DISC = "04D15C0000000A"


class Keyboard:
    """A person who answers with y, n or s, and Enter."""

    def __init__(self, console: Console, translate: Callable[[str], str]) -> None:
        self._console = console
        self._ = translate
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    def __enter__(self) -> Keyboard:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._read)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

    def _read(self) -> None:
        line = sys.stdin.readline()
        # At the end of the input nobody will answer any more.
        self._lines.put_nowait(line.strip().lower() if line else "s")
        if not line:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

    def tell(self, text: str) -> None:
        """Print it."""
        self._console.print(f"  {text}", highlight=False)

    async def ask(self, question: str, strip: tuple[str, str] | None = None) -> Verdict:
        """Print it and wait for an answer."""
        while True:
            self._console.print(f"  {question} {self._(N_('[y]es, [n]o, [s]kip:'))}", highlight=False)
            answer = await self._lines.get()
            if answer[:1] in ("", "y", "s", "n"):
                return {"n": Verdict.FAILED, "s": Verdict.SKIPPED}.get(answer[:1], Verdict.PASSED)

    async def wants_to_skip(self) -> None:
        """Wait for `s`."""
        while (await self._lines.get())[:1] != "s":
            pass


class Rehearsal:
    """Hands at the virtual tray that do what the self-test says, and eyes that look at its strips."""

    def __init__(self, tray: VirtualTray, console: Console) -> None:
        self._tray = tray
        self._console = console
        self._steps = iter(self._hands())

    def _hands(self) -> list[Callable[[], None]]:
        tray = self._tray

        def press(side: str, button: str) -> Callable[[], None]:
            return lambda: tray.click(side, button)

        sides = tray.wiring["sides"]
        keys = [press(side, button) for side in sorted(sides) for button in sides[side]["buttons"]]
        discs: list[Callable[[], None]] = []
        for pad in sorted(tray.pads):
            discs += [lambda pad=pad: tray.place(pad, _DISC), lambda pad=pad: tray.remove(pad)]  # type: ignore[misc]
        return [lambda: None, *keys, *discs]

    def tell(self, text: str) -> None:
        """Print it, and do it: the steps come in the order in which the self-test tells them."""
        self._console.print(f"  {text}", highlight=False)
        with contextlib.suppress(StopIteration):
            next(self._steps)()

    async def ask(self, question: str, strip: tuple[str, str] | None = None) -> Verdict:
        """Look whether the strip is all of that colour; for other questions, whether the buzzer has sounded."""
        self._console.print(f"  {question}", highlight=False)

        def seen() -> bool:
            if strip is None:
                return any(tone > 0 for tone in self._tray.tones)
            side, colour = strip
            return set(self._tray.colours(side)) == {colour}

        try:
            await self._tray.wait_for_async(seen, 10)
        except TimeoutError:
            return Verdict.FAILED
        return Verdict.PASSED

    async def wants_to_skip(self) -> None:
        """Hands never tire."""
        await asyncio.Event().wait()


def selftest(
    port: Annotated[str | None, typer.Option("--port", metavar="PORT", help="Else the only Pico there is.")] = None,
    virtual: Annotated[bool, typer.Option("--virtual", help="Rehearse it on the virtual tray.")] = False,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Configuration file.")] = None,
) -> None:
    """Walk a builder through the new tray: readers, strips, buzzer, buttons, pads, lamps.

    Ends with status 1 if something failed.   Example:  ordertray selftest --virtual
    """
    translate, settings = translator(detect_language()), load_settings(config)
    results = asyncio.run(_run(port, virtual, settings.lamps, translate))
    if not passed(results):
        raise typer.Exit(STATUS_FAILED)


async def _run(
    port: str | None, virtual: bool, lamps: LampConfig | None, translate: Callable[[str], str]
) -> list[Result]:
    console = Console()
    async with contextlib.AsyncExitStack() as stack:
        person: Person
        if virtual:
            tray = await stack.enter_async_context(VirtualTray())
            spec, person = BoardSpec(name="virtual", url=tray.url), Rehearsal(tray, console)
        else:
            spec, person = BoardSpec(url=port), stack.enter_context(Keyboard(console, translate))
        events: asyncio.Queue[TrayEvent] = asyncio.Queue()
        link = TrayLink(spec, events.put)
        running = asyncio.create_task(link.run())
        stack.push_async_callback(_ended, running)
        lamp_test: Callable[[], Awaitable[None]] | None = None
        if lamps is not None and not isinstance(output := open_lamps(lamps), NoLamps):
            stack.enter_context(released_at_exit(output))
            clock = MonotonicClock()

            async def walk_the_lamps() -> None:
                output.lamp_test(clock.now_ms())
                while (due_ms := output.next_tick_ms(clock.now_ms())) is not None:
                    await asyncio.sleep(clock.seconds(due_ms))
                    output.tick(clock.now_ms())

            lamp_test = walk_the_lamps
        results = await SelfTest(link, events, person, lamp_test=lamp_test, translate=translate).run()
        console.print()
        for result in results:
            mark, style = _MARKS[result.verdict]
            console.print(Text.assemble((f" {mark} ", style), result.what, f": {result.why}" if result.why else ""))
    return results


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
