"""`ordertray measure`: every measurement finds at a virtual tray what its chips were told to take."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from commands.cli_helpers import ordertray
from ordertray.commands.measure import VirtualHands
from ordertray.link import BoardSpec, LinkError, TrayEvent, TrayLink
from ordertray.sim.tray import VirtualTray
from ordertray.traycare import measure
from ordertray.traycare.measure import MEASUREMENTS, NAMES, Figure, Measuring
from patience import patience

CONFIG = {"readers": [{"pad": "A", "chip": "pn532"}, {"pad": "B", "chip": "mfrc522"}]}


def figures(*names: str) -> dict[str, list[Figure]]:
    """What is found at a virtual tray with a PN532 on pad A and an MFRC522 on pad B."""

    async def nothing(_event: TrayEvent) -> None:
        pass

    async def work() -> list[Figure]:
        async with VirtualTray(config=CONFIG) as tray:
            link = TrayLink(BoardSpec(url=tray.url), nothing)
            running = asyncio.create_task(link.run())
            try:
                return await Measuring(link, VirtualHands(tray)).run(names or NAMES)
            finally:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running

    found = asyncio.run(asyncio.wait_for(work(), patience(120)))
    return {name: [figure for figure in found if figure.name == name] for name in NAMES}


def test_there_are_ten() -> None:
    assert len(MEASUREMENTS) == len(set(NAMES)) == 10


def test_all_ten_find_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "LYING_S", 1.2)
    monkeypatch.setattr(measure, "WATCH_S", 0.5)
    found = figures()
    assert all(figure.found not in ("", "–") for each in found.values() for figure in each), found
    assert [figure.where for figure in found["found"]] == ["A"]  # an MFRC522 goes by its own timer
    assert [figure.where for figure in found["polls"]] == ["A", "B"]

    def ms(name: str) -> float:
        return float(found[name][0].found.split()[0])

    # The chips of the virtual tray take at least this; a busy computer looks at them later.
    assert ms("empty") >= 6 and ms("found") >= 13 and ms("two-discs") >= 19
    assert ms("lying") > ms("polls")


def test_a_tray_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "CONNECT_S", 0.2)

    async def work() -> None:
        async def nothing(_event: TrayEvent) -> None:
            pass

        link = TrayLink(BoardSpec(url="/dev/no-such-port"), nothing)
        running = asyncio.create_task(link.run())
        try:
            await Measuring(link, VirtualHands(None)).run()  # type: ignore[arg-type]
        finally:
            running.cancel()

    with pytest.raises(LinkError, match="no-such-port"):
        asyncio.run(work())


def test_an_unknown_name_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    said = ordertray(tmp_path, "measure", "found", "speed", status=2)
    assert "no such measurement: speed" in said and "two-discs" in said
