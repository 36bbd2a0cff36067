"""The self-test of a tray: readers, strips, buzzer, buttons, pads, lamps; one after the other, by a person's hands.

The steps know a tray's link and a person, whoever these are: `tests` and the rehearsal on the virtual tray play both.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from ..link import LinkError, TrayEvent, TrayLink
from ..messages import N_, identity

#: How long a tray may take until it is connected, and a person until a key or disc is there.
CONNECT_S = 15.0
PERSON_S = 60.0
READERS_S = 3.0
COLOURS = (("r", N_("red")), ("g", N_("green")), ("b", N_("blue")), ("w", N_("white")))


class Verdict(StrEnum):
    """How one thing came out."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Result:
    """One thing that was tried: what, how it came out, and why not."""

    what: str
    verdict: Verdict
    why: str = ""


class Person(Protocol):
    """Who sits at the tray."""

    def tell(self, text: str) -> None:
        """Say what to do."""

    async def ask(self, question: str, strip: tuple[str, str] | None = None) -> Verdict:
        """A question: yes (passed), no (failed) or skip. `strip`: the side and colour letter it is about."""

    async def wants_to_skip(self) -> None:
        """Return when the person does not want to wait any longer."""


class SelfTest:
    """Runs the steps at one tray. `lamp_test` lights the lamps on the Pi's pins, if there are any."""

    def __init__(
        self,
        link: TrayLink,
        events: asyncio.Queue[TrayEvent],
        person: Person,
        *,
        lamp_test: Callable[[], Awaitable[None]] | None = None,
        translate: Callable[[str], str] = identity,
    ) -> None:
        self._link = link
        self._events = events
        self._person = person
        self._lamp_test = lamp_test
        self._ = translate

    async def run(self) -> list[Result]:
        """All steps; a tray that never connects fails the first and ends the test."""
        results = [await self._connected()]
        if results[0].verdict is not Verdict.PASSED:
            return results
        results += await self._readers()
        hello = self._link.status().hello
        for side in sorted(hello.get("pixels", {})):
            results.append(await self._strip(side, int(hello["pixels"][side])))
        results.append(await self._buzzer())
        for side, buttons in sorted(hello.get("buttons", {}).items()):
            for button in buttons:
                results.append(await self._button(side, str(button)))
        for pad in sorted(self._link.readers):
            results.append(await self._pad(pad))
        if self._lamp_test is not None:
            results.append(await self._lamps(self._lamp_test))
        return results

    async def _connected(self) -> Result:
        what = self._(N_("connection"))
        self._person.tell(self._(N_("Looking for the tray ...")))
        try:
            await asyncio.wait_for(self._link.wait_online(), CONNECT_S)
        except TimeoutError:
            status = self._link.status()
            return Result(what, Verdict.FAILED, status.error or status.state)
        hello = self._link.status().hello
        faults = "; ".join(str(fault) for fault in hello.get("faults", ()))
        return Result(what, Verdict.FAILED if faults else Verdict.PASSED, faults)

    async def _readers(self) -> list[Result]:
        """Both readers, given a moment to wake up: a tray says HELLO before it has asked them anything."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(READERS_S):
                while any(reader.get("health") != "ok" for reader in self._link.readers.values()):
                    await asyncio.sleep(0.05)
        return [
            Result(
                self._(N_("reader {pad} ({chip})")).format(pad=pad, chip=reader.get("chip")),
                Verdict.PASSED if reader.get("health") == "ok" else Verdict.FAILED,
                "" if reader.get("health") == "ok" else str(reader.get("health")),
            )
            for pad, reader in sorted(self._link.readers.items())
        ]

    async def _strip(self, side: str, pixels: int) -> Result:
        what = self._(N_("strip {side}")).format(side=side)
        for letter, colour in COLOURS:
            self._link.show({side: [letter * pixels, "s" * pixels]})
            await self._link.flush()
            question = self._(N_("Is every pixel of strip {side} {colour}?"))
            verdict = await self._person.ask(question.format(side=side, colour=self._(colour)), (side, letter))
            if verdict is not Verdict.PASSED:
                return Result(what, verdict, self._(colour))
        self._link.show({side: ["." * pixels, "." * pixels]})
        return Result(what, Verdict.PASSED)

    async def _buzzer(self) -> Result:
        what = self._(N_("buzzer"))
        try:
            await self._link.command({"c": "selftest"})
        except LinkError as error:
            return Result(what, Verdict.FAILED, str(error))
        return Result(what, await self._person.ask(self._(N_("Did the buzzer sound?"))))

    async def _button(self, side: str, button: str) -> Result:
        label = button.upper()
        what = self._(N_("button {side} {label}")).format(side=side, label=label)
        self._forget()
        self._person.tell(self._(N_("Press {label} on side {side}.")).format(label=label, side=side))

        def pressed(body: dict[str, Any]) -> bool | None:
            if body.get("e") != "button" or body.get("edge") != "down":
                return None
            return (body.get("side"), body.get("button")) == (side, button)

        return await self._awaited(what, pressed)

    async def _pad(self, pad: str) -> Result:
        what = self._(N_("pad {pad}")).format(pad=pad)
        self._forget()
        for text, kind in (
            (N_("Lay any disc on pad {pad}."), "placed"),
            (N_("Take it away again."), "removed"),
        ):
            self._person.tell(self._(text).format(pad=pad))

            def seen(body: dict[str, Any], kind: str = kind) -> bool | None:
                return body.get("pad") == pad if body.get("e") == kind else None

            result = await self._awaited(what, seen)
            if result.verdict is not Verdict.PASSED:
                return result
        return result

    def _forget(self) -> None:
        """What happened before it was asked for does not count."""
        while not self._events.empty():
            self._events.get_nowait()

    async def _awaited(self, what: str, judge: Callable[[dict[str, Any]], bool | None]) -> Result:
        """Wait for an event that `judge` calls right (True) or wrong (False); None: not about this."""
        skipping = asyncio.ensure_future(self._person.wants_to_skip())
        try:
            async with asyncio.timeout(PERSON_S):
                while True:
                    coming = asyncio.ensure_future(self._events.get())
                    await asyncio.wait({coming, skipping}, return_when=asyncio.FIRST_COMPLETED)
                    if not coming.done():
                        coming.cancel()
                        return Result(what, Verdict.SKIPPED)
                    body = dict(coming.result().body)
                    right = judge(body)
                    if right is None:
                        continue
                    came = " ".join(str(body[key]) for key in ("side", "pad", "button") if key in body)
                    return Result(what, Verdict.PASSED) if right else Result(what, Verdict.FAILED, f"-> {came}")
        except TimeoutError:
            return Result(what, Verdict.FAILED, self._(N_("nothing came")))
        finally:
            skipping.cancel()

    async def _lamps(self, lamp_test: Callable[[], Awaitable[None]]) -> Result:
        self._person.tell(self._(N_("Watch the lamps: all on, all off, then one after the other.")))
        await lamp_test()
        question = self._(N_("Did every lamp light, one after the other?"))
        return Result(self._(N_("lamps on the Pi's pins")), await self._person.ask(question))


def passed(results: Sequence[Result]) -> bool:
    """Whether nothing failed."""
    return all(result.verdict is not Verdict.FAILED for result in results)
