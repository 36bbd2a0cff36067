"""`ordertray selftest`: passes on a tray that is well, and says of one that is not what is wrong with it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from commands.cli_helpers import ordertray
from ordertray.commands.selftest import Rehearsal
from ordertray.link import BoardSpec, TrayEvent, TrayLink
from ordertray.messages import translator
from ordertray.sim.tray import VirtualTray
from ordertray.traycare.selftest import Result, SelfTest, Verdict, passed
from patience import patience

QUIET = Console(quiet=True)


class Absent(Rehearsal):
    """A person whose hands do nothing, and who wants to go on at once."""

    def tell(self, text: str) -> None:
        """Does not listen."""

    async def wants_to_skip(self) -> None:
        """At once."""


class Clumsy(Rehearsal):
    """A person who presses the key beside the one asked for."""

    def tell(self, text: str) -> None:
        """Does the thing after this one."""
        if text.startswith("Press BASIC on side A"):
            next(self._steps)
        super().tell(text)


async def _outcome(tray: VirtualTray, person: Rehearsal, lamp_test: Any = None) -> dict[str, Result]:
    events: asyncio.Queue[TrayEvent] = asyncio.Queue()
    link = TrayLink(BoardSpec(url=tray.url), events.put)
    running = asyncio.create_task(link.run())
    try:
        return {result.what: result for result in await SelfTest(link, events, person, lamp_test=lamp_test).run()}
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


def outcome(person: type[Rehearsal], lamp_test: Any = None, **tray: Any) -> dict[str, Result]:
    """The results of a self-test of a virtual tray."""

    async def work() -> dict[str, Result]:
        async with VirtualTray(**tray) as board:
            return await _outcome(board, person(board, QUIET), lamp_test)

    return asyncio.run(asyncio.wait_for(work(), patience(120)))


def test_the_rehearsal_passes_and_goes_through_everything(tmp_path: Path) -> None:
    said = ordertray(tmp_path, "selftest", "--virtual")
    assert said.count("✔") == 20 and "✘" not in said and "–" not in said
    for words in ("Press LONG on side B.", "Lay any disc on pad A.", "Is every pixel of strip B white?"):
        assert words in said


def test_a_reader_that_is_not_there_is_said_and_the_rest_goes_on() -> None:
    results = outcome(Absent, chips={"B": "none"})
    assert not passed(list(results.values()))
    assert [r.verdict for what, r in results.items() if what.startswith("reader B")] == [Verdict.FAILED]
    assert [r.verdict for what, r in results.items() if what.startswith("reader A")] == [Verdict.PASSED]
    assert results["strip A"].verdict is Verdict.PASSED


def test_what_nobody_does_is_skipped_not_passed() -> None:
    results = outcome(Absent)
    assert results["button A BASIC"].verdict is Verdict.SKIPPED
    assert results["pad B"].verdict is Verdict.SKIPPED


def test_crossed_buttons_are_told_with_what_came_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordertray.traycare.selftest.PERSON_S", 2.0)
    results = outcome(Clumsy)
    assert results["button A BASIC"] == Result("button A BASIC", Verdict.FAILED, "-> A short")
    assert not passed(list(results.values()))


@pytest.mark.parametrize("well", [True, False])
def test_the_lamps_on_pins_are_walked_and_asked_for(well: bool) -> None:
    walked = []

    async def walk() -> None:
        walked.append(True)

    class Watcher(Absent):
        async def ask(self, question: str, strip: tuple[str, str] | None = None) -> Verdict:
            """Says how the lamps are; sees everything else."""
            return Verdict.FAILED if "lamp" in question and not well else Verdict.PASSED

    results = outcome(Watcher, walk)
    assert walked and results["lamps on the Pi's pins"].verdict is (Verdict.PASSED if well else Verdict.FAILED)


def test_a_tray_that_is_not_there_fails_with_what_was_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ordertray.traycare.selftest.CONNECT_S", 0.5)

    async def work() -> list[Result]:
        events: asyncio.Queue[TrayEvent] = asyncio.Queue()
        link = TrayLink(BoardSpec(url=str(tmp_path / "nothing")), events.put)
        running = asyncio.create_task(link.run())
        try:
            person = Keys()
            return await SelfTest(link, events, person, translate=translator("en")).run()
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    (result,) = asyncio.run(work())
    assert result.verdict is Verdict.FAILED and "nothing" in result.why


class Keys:
    """A person who is never asked."""

    def tell(self, text: str) -> None:
        """Fine."""

    async def ask(self, question: str, strip: tuple[str, str] | None = None) -> Verdict:
        """Not reached."""
        raise AssertionError(question)

    async def wants_to_skip(self) -> None:
        """Not reached."""
        raise AssertionError
