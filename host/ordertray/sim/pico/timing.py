"""An event loop that lives in the emulated Pico's time, so that what waits for the tray waits as long as it would.

The emulator is slower than life while the firmware computes, and faster while it sleeps. A host on the machine's clock
would call the tray lost; in this loop `asyncio.sleep`, `call_later` and time-outs count emulated seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ordertray.link import MonotonicClock

from .emulated import EmulatedPico

Result = TypeVar("Result")


class EmulatedClock(MonotonicClock):
    """The link's clock on the emulated Pico's time; only inside run_with()."""

    def __init__(self, pico: EmulatedPico) -> None:
        super().__init__()
        self._pico = pico

    def now_ms(self) -> int:
        """Emulated milliseconds since power-on."""
        return int(self._pico.now_s * 1000)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, pico: EmulatedPico) -> None:
        self._pico = pico
        super().__init__()

    def time(self) -> float:
        return self._pico.now_s


def run_with(pico: EmulatedPico, story: Callable[[], Awaitable[Result]]) -> Result:
    """Run `story()` in emulated time, the emulator at its side in the same loop. Not while the pico has a thread."""

    async def emulate() -> None:
        while True:
            pico.step()
            await asyncio.sleep(0)

    async def work() -> Result:
        emulation = asyncio.create_task(emulate())
        telling = asyncio.ensure_future(story())
        try:
            await asyncio.wait({emulation, telling}, return_when=asyncio.FIRST_COMPLETED)
            if emulation.done():
                await emulation  # the emulator itself failed: say how
            return await telling
        finally:
            for task in (telling, emulation):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    with asyncio.Runner(loop_factory=lambda: _Loop(pico)) as runner:
        return runner.run(work())
