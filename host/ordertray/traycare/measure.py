"""Ten measurements for whoever has a real tray: what it does, beside what this project's models assumed of it.

No figure of the firmware was ever measured on silicon. Each measurement here asks the tray itself (its `measure`
command, its counters) or times it from outside, and says what the model has; a person is asked to lay discs down.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..link import LinkError, TrayLink
from ..messages import N_, identity

CONNECT_S = 15.0
WATCH_S = 5.0
LYING_S = 3.0
RESTART_S = 30.0


class Hands(Protocol):
    """Who sits at the tray."""

    async def lay(self, pad: str, discs: int) -> None:
        """Have that many discs, and no others, lie on that pad."""


@dataclass(frozen=True)
class Figure:
    """One thing that was measured: its name, where, what was found, and what the model assumed; texts with units."""

    name: str
    where: str
    found: str
    assumed: str


@dataclass(frozen=True)
class Measurement:
    """A name on the command line, what it measures, and what the model assumes (texts)."""

    name: str
    what: str
    assumed: str


MEASUREMENTS = (
    Measurement("acknowledge", N_("PN532: command to acknowledgement"), "0.5 ms"),
    Measurement("empty", N_("PN532: command to answer, nothing on the pad"), "6.3 ms"),
    Measurement("found", N_("PN532: command to answer, one disc"), "13.3 ms"),
    Measurement("two-discs", N_("PN532: command to answer, two discs"), "21 ms"),
    Measurement("polls", N_("time from look to look, all pads empty"), "16 ms"),
    Measurement("lying", N_("time from look to look, a disc lying there"), "45 ms"),
    Measurement("memory", N_("heap in use"), "95 kB"),
    Measurement("collection", N_("one collection of the heap"), "13 ms"),
    Measurement("lateness", N_("buttons looked at late, lamps changing"), "13 ms"),
    Measurement("start", N_("restart to HELLO, the port's return included"), "0.8 s"),
)
NAMES = tuple(measurement.name for measurement in MEASUREMENTS)
_ASSUMED = {measurement.name: measurement.assumed for measurement in MEASUREMENTS}


def _ms(microseconds: int) -> str:
    return f"{microseconds / 1000:.1f} ms" if microseconds else "–"


class Measuring:
    """Runs measurements at one tray. Raises LinkError when it is not there or does not know the command."""

    def __init__(self, link: TrayLink, hands: Hands, *, translate: Callable[[str], str] = identity) -> None:
        self._link = link
        self._hands = hands
        self._ = translate

    async def run(self, names: tuple[str, ...] = NAMES) -> list[Figure]:
        """The figures of these measurements, in their order."""
        try:
            await asyncio.wait_for(self._link.wait_online(), CONNECT_S)
        except TimeoutError:
            status = self._link.status()
            raise LinkError(status.error or status.state) from None
        ways: dict[str, Callable[[str], Awaitable[list[Figure]]]] = {
            "acknowledge": self._chip("acknowledge_us", 0),
            "empty": self._chip("empty_us", 0),
            "found": self._chip("found_us", 1),
            "two-discs": self._chip("two_us", 2),
            "polls": self._polls(0),
            "lying": self._polls(1),
            "memory": self._memory,
            "collection": self._collection,
            "lateness": self._lateness,
            "start": self._start,
        }
        figures: list[Figure] = []
        for name in NAMES:
            if name in names:
                figures += await ways[name](name)
        return figures

    async def _ask(self) -> dict[str, Any]:
        answer = await self._link.command({"c": "measure"})
        if not answer.get("ok"):
            raise LinkError(self._(N_("the tray's firmware cannot measure: run ordertray flash")))
        return answer

    def _figure(self, name: str, where: str, found: str) -> Figure:
        return Figure(name, where, found, _ASSUMED[name])

    def _pads(self, chip: str = "") -> list[str]:
        return sorted(pad for pad, reader in self._link.readers.items() if chip in ("", reader.get("chip")))

    async def _clear(self) -> None:
        for pad in self._pads():
            await self._hands.lay(pad, 0)

    def _chip(self, key: str, discs: int) -> Callable[[str], Awaitable[list[Figure]]]:
        """What the PN532 of each pad took, with so many discs on it."""

        async def measure(name: str) -> list[Figure]:
            figures = []
            for pad in self._pads("pn532"):
                await self._clear()
                await self._hands.lay(pad, discs)
                await asyncio.sleep(LYING_S / 3)
                figures.append(self._figure(name, pad, _ms((await self._ask())["pads"][pad].get(key, 0))))
            await self._clear()
            return figures

        return measure

    def _polls(self, discs: int) -> Callable[[str], Awaitable[list[Figure]]]:
        """How often each pad is looked at: all of them empty, or one after the other with a disc on it."""

        async def measure(name: str) -> list[Figure]:
            figures = []
            await self._clear()
            for pad in self._pads():
                if discs:
                    await self._clear()
                    await self._hands.lay(pad, discs)
                    await asyncio.sleep(LYING_S / 2)
                before = await self._ask()
                await asyncio.sleep(LYING_S)
                after = await self._ask()
                polls = after["pads"][pad]["polls"] - before["pads"][pad]["polls"]
                figures.append(self._figure(name, pad, _ms(1000 * (after["up_ms"] - before["up_ms"]) // max(1, polls))))
            await self._clear()
            return figures

        return measure

    async def _memory(self, name: str) -> list[Figure]:
        return [self._figure(name, "", f"{(await self._ask())['heap_used'] / 1000:.0f} kB")]

    async def _collection(self, name: str) -> list[Figure]:
        return [self._figure(name, "", _ms((await self._ask())["collect_us"]))]

    async def _lateness(self, name: str) -> list[Figure]:
        pixels = self._link.status().hello.get("pixels", {})
        await self._ask()
        end_s, number = time.monotonic() + WATCH_S, 0
        while time.monotonic() < end_s:
            number += 1
            self._link.show({side: ["gb"[number % 2] * count, "s" * count] for side, count in pixels.items()})
            await asyncio.sleep(0.1)
        late_ms = (await self._ask())["late_ms"]
        self._link.show({side: ["." * count, "." * count] for side, count in pixels.items()})
        return [self._figure(name, "", f"{late_ms} ms")]

    async def _start(self, name: str) -> list[Figure]:
        nonce = self._link.nonce
        await self._link.command({"c": "restart"})
        begun_s = time.monotonic()
        async with asyncio.timeout(RESTART_S):
            while self._link.nonce == nonce or not self._link.online:
                await asyncio.sleep(0.005)
        return [self._figure(name, "", f"{time.monotonic() - begun_s:.2f} s")]
