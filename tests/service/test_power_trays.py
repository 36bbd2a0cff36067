"""Trays that come and go, and ports that are no trays: nobody else is disturbed, every stop is clean."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import threading
import time
import tty
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commands.cli_helpers import COMMAND, environment, ordertray
from ordertray import rules
from ordertray.army.quick import quick_army
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import parse_lamp_config
from ordertray.lights.pin_backends import RecordingPins
from ordertray.link import BoardSpec
from ordertray.rules import Seat
from ordertray.service.table_service import TableService
from ordertray.sim.tray import VirtualTray
from ordertray.table import Pace, Seating
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens
from ordertray_firmware import wire
from patience import patience
from soak.wire_tap import HeardTray

A, B = Seat
FIRST, SECOND = "E6616408430A1B01", "E6616408430A1B02"
PATIENCE_S = 60.0


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait until it is so; fails after a long while with what was waited for."""
    end = time.monotonic() + patience(PATIENCE_S)
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def serving(
    folder: Path, *trays: VirtualTray, seating: Seating | None = None, pins: RecordingPins | None = None
) -> AsyncIterator[TableService]:
    """A service with a new game at these trays, until the block ends."""
    armies = {seat: quick_army(6, 2, name=f"army {seat}") for seat in Seat}
    outputs = [] if pins is None else [GpioLamps(pins, parse_lamp_config({}))]
    with contextlib.closing(Journal.open(folder / "record.sqlite3")) as journal:
        specs = [BoardSpec(name=f"tray{number}", url=tray.url) for number, tray in enumerate(trays)]
        service = TableService(journal, wall_ms=lambda: 0, specs=specs, seating=seating, outputs=outputs)
        tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
        service.begin(*store.begin(journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=Pace.EXPRESS, at_ms=0))
        running = asyncio.create_task(service.run())
        try:
            assert service.trays is not None
            for link in service.trays.links:
                await asyncio.wait_for(link.wait_online(), patience(PATIENCE_S))
            yield service
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


def uid(service: TableService, seat: Seat, kind: TokenKind, group: int | None = None) -> str:
    """A disc of that kind."""
    assert service.table is not None
    return next(t.uid for t in service.table.tokens if t.owner == seat and t.kind is kind and group in (None, t.group))


def position(service: TableService) -> int:
    """The number of the game's position."""
    assert service.table is not None
    return service.table.game.position


async def moved(service: TableService, do: Callable[[], None]) -> None:
    """Do something at the table and wait until the game has moved on."""
    before = position(service)
    do()
    await until(lambda: position(service) != before, "the game to move on")


def test_a_tray_unplugged_in_the_middle_of_an_order_comes_back_to_it(tmp_path: Path) -> None:
    """Cable out, power lost; when it is back the strips show the open window, and the order goes on."""

    async def work() -> None:
        async with VirtualTray() as tray:
            pins = RecordingPins()
            async with serving(tmp_path, tray, pins=pins) as service:
                assert service.trays is not None
                link = service.trays.links[0]
                await moved(service, lambda: tray.hold("A", "ok"))
                await moved(service, lambda: tray.place("A", uid(service, A, TokenKind.REGULAR, 1)))
                before = service.table
                for keep_power in (False, True):
                    tray.unplug(keep_power=keep_power)
                    await until(lambda: not link.online, "the loss to be noticed")
                    assert set(service.link_states().values()) == {"offline"}
                    tray.remove("A")
                    tray.replug()
                    await until(lambda: link.online, "the tray to be found again")
                    assert service.table == before
                    await until(lambda: "c" in tray.colours("B")[28:30], "the open window on B's strip")
                assert link.status().opened >= 3
                await moved(service, lambda: tray.click("B", "pass", 60))
                await moved(service, lambda: tray.place("A", uid(service, A, TokenKind.REGULAR, 2)))
            on = {event[1] for event in pins.events if event[0] == "write" and event[2]}
            assert on, "lamps have been lit"
            assert {event[1] for event in pins.events if event[0] == "release"} >= on

    asyncio.run(work())


def test_two_trays_one_of_which_comes_and_goes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A tray for each player: the other player's game, session and lamps go on as if nothing were."""

    async def work() -> None:
        one, two = HeardTray(unique_id=FIRST), HeardTray(unique_id=SECOND)
        seating = Seating.from_config({FIRST: {"A": "A"}, SECOND: {"A": "B"}})
        async with one, two:
            async with serving(tmp_path, one, two, seating=seating) as service:
                assert service.trays is not None
                first, second = service.trays.link_to(FIRST), service.trays.link_to(SECOND)
                assert first is not None and second is not None
                await moved(service, lambda: one.hold("A", "ok"))
                for keep_power in (True, False):
                    two.unplug(keep_power=keep_power)
                    await until(lambda: not second.online, "the loss to be noticed")
                    assert service.link_states() == {"A": "online", "B": "offline"}
                    await moved(service, lambda: one.place("A", uid(service, A, TokenKind.REGULAR, 1)))
                    one.remove("A")
                    await moved(service, lambda: one.hold("A", "pass"))
                    two.replug()
                    await until(lambda: second.online, "the second tray")
                    assert service.link_states() == {"A": "online", "B": "online"}
                    frame = service.frame
                    assert frame is not None
                    await until(lambda: two.wire.lamps.get("A") == list(service.frame.letters("B")), "B's lamps")  # type: ignore[union-attr]
                # A machine with too much to do may miss pings; nothing else may have touched the first tray's session.
                lost = [record.getMessage() for record in caplog.records if record.getMessage().startswith("tray0: ")]
                assert [message for message in lost if "no answer" not in message and "online" not in message] == []
                assert lost or first.status().opened == len(one.wire.sessions) == 1
                # Each tray speaks for its own player alone.
                before, heard = position(service), (one.refusals, two.refusals)
                two.place("A", uid(service, B, TokenKind.REGULAR, 1))
                await until(lambda: two.refusals > heard[1], "a refusal: it is not B's turn")
                assert position(service) == before and one.refusals == heard[0]
            await one.wait_for_async(lambda: set(one.colours("A")) == {"."}, PATIENCE_S, "a dark strip")
            await two.wait_for_async(lambda: set(two.colours("A")) == {"."}, PATIENCE_S, "a dark strip")

    asyncio.run(work())


def test_a_queue_that_runs_over_refuses_visibly_and_then_tells_how_things_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that stands still for a while: what the tray took comes in order, what it could not take it refused."""

    async def work() -> None:
        async with HeardTray() as tray, serving(tmp_path, tray) as service:
            assert service.trays is not None
            link = service.trays.links[0]
            snapshots: list[Any] = []
            monkeypatch.setattr(link._delivery, "_on_snapshot", lambda event: _kept(snapshots, event))
            go = threading.Event()
            record = service.journal.record

            def slow(*arguments: Any, **options: Any) -> Any:
                assert go.wait(patience(PATIENCE_S))
                return record(*arguments, **options)

            monkeypatch.setattr(service.journal, "record", slow)
            told, presses, end = len(tray.wire.events), 0, time.monotonic() + patience(PATIENCE_S)
            try:
                while 220 not in tray.tones:
                    assert time.monotonic() < end, "no visible refusal though the queue must be full"
                    presses += 1
                    tray.press("A", "basic")
                    await asyncio.sleep(0.12)
                    tray.release("A", "basic")
                    await asyncio.sleep(0.12)
            finally:
                if 220 not in tray.tones:
                    go.set()
            tray.place("A", uid(service, A, TokenKind.REGULAR, 1))  # lies there when the snapshot is taken
            assert len(tray.wire.events) - told <= 9, "more under way than the window allows"
            go.set()
            await until(lambda: tray.wire.quiet and snapshots, "the queue to be worked off, and a snapshot")
            told_presses = sum(body.get("edge") == "down" for body in tray.wire.events.values())
            assert 15 <= told_presses <= presses
            assert len(service.journal.taps()) >= told_presses

    asyncio.run(work())


async def _kept(snapshots: list[Any], event: Any) -> None:
    snapshots.append(event)


# --- ports that are no trays ----------------------------------------------------------------------------------------


class FalsePort:
    """A pseudo-terminal with something else behind it, that answers what it reads by `answer`."""

    def __init__(self, path: Path, answer: Callable[[bytes], bytes], reads: bool = True) -> None:
        self.path = path
        self._answer, self._reads = answer, reads
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        path.symlink_to(os.ttyname(self._slave))
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with contextlib.suppress(OSError):
            while self._reads:
                os.write(self._master, self._answer(os.read(self._master, 4096)))

    def close(self) -> None:
        """Take it away."""
        os.close(self._slave)
        if not self._reads:
            os.close(self._master)


def other_protocol(data: bytes) -> bytes:
    """A tray of another age."""
    hello = {"proto": [2, 0], "fw": "9.0.0", "id": FIRST, "nonce": "00c0ffee", "base": 1}
    return wire.encode(wire.HELLO, 0, 0, 0, hello)


@pytest.fixture
def false_ports(tmp_path: Path) -> Iterator[dict[str, FalsePort]]:
    """One port of each kind."""
    ports = {
        "modem": FalsePort(tmp_path / "modem", lambda data: b"AT\r\r\nOK\r\n"),
        "shell": FalsePort(tmp_path / "shell", lambda data: data + b"sh: ~H: command not found\r\n$ "),
        "repl": FalsePort(tmp_path / "repl", lambda data: data.replace(b"\n", b"\r\nSyntaxError: invalid\r\n>>> ")),
        "other": FalsePort(tmp_path / "other", other_protocol),
        "mute": FalsePort(tmp_path / "mute", lambda data: b""),
        "stuck": FalsePort(tmp_path / "stuck", lambda data: b"", reads=False),
        "noise": FalsePort(tmp_path / "noise", lambda data: os.urandom(300)),
    }  # fmt: skip
    yield ports
    for port in ports.values():
        port.close()


def test_ports_that_are_no_trays_are_told_apart_and_disturb_nobody(
    tmp_path: Path, false_ports: dict[str, FalsePort]
) -> None:
    """All of them at once, beside a real tray: each says what is wrong, the tray plays, and the stop is clean."""
    wanted = {
        "modem": "'OK' / 'AT",
        "shell": "is at its prompt",
        "repl": "is at its prompt",
        "other": "speaks protocol 2, this host 1; install this host's firmware on the tray: ordertray flash",
        "mute": "it says nothing",
        "stuck": "it says nothing",
        "noise": "no tray answers there",
        "gone": "it is not there",
    }
    with HeardTray() as tray:
        names = [*false_ports, "gone"]
        ports = [argument for name in names for argument in ("--port", str(tmp_path / name))]
        with (tmp_path / "log.txt").open("w") as log:
            process = subprocess.Popen(
                [*COMMAND, "run", "--no-web", "--quick", "6", "2", *ports, "--port", tray.url],
                stdout=log, stderr=log, env=environment(tmp_path),
            )  # fmt: skip
        try:
            tray.wait_for(lambda: tray.colours("A")[15] == "g", PATIENCE_S, "the link lamp")
            tray.hold("A", "ok")
            errors: dict[str, str] = {}
            end = time.monotonic() + patience(PATIENCE_S)
            while not all(wanted[name] in errors.get(name, "") for name in names):
                assert time.monotonic() < end, errors
                status = json.loads(ordertray(tmp_path, "status", "--json"))
                found = dict(zip(names, status["trays"], strict=False))
                errors |= {name: shown["error"] for name, shown in found.items() if wanted[name] in shown["error"]}
            assert status["trays"][-1]["state"] == "online"
            said = ordertray(tmp_path, "doctor", status=1)
            assert "speaks protocol 2.0, this host 1.0" in said and "ordertray flash" in said
            assert len(tray.wire.sessions) == 1
            assert "no tray" not in status["summary"] and status["position"] > 0
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(patience(20)) == 0
            took = time.monotonic() - began
            tray.wait_for(lambda: set(tray.colours("A")) == {"."}, 10, "a dark strip")
            assert took < patience(1), took
            assert "Traceback" not in (tmp_path / "log.txt").read_text()
        finally:
            process.kill()
            process.wait()
