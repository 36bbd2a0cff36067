"""TrayLink on real ports: pseudo-terminals and sockets, with the firmware's end of the link on the other side."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tty
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from link.pty_tray import PtyTray, running, until
from ordertray.link import (
    BoardFinder,
    BoardSpec,
    MonotonicClock,
    NoAnswerError,
    PortBusyError,
    TrayEvent,
    TrayLink,
    Trays,
    open_port,
)
from ordertray_firmware import wire
from ordertray_firmware.link import QUEUE
from patience import patience

# Pings, time-outs and back-offs pass at this multiple of their pace, on both sides.
SPEED = 8.0


def play(story: Callable[[Path], Coroutine[Any, Any, None]], folder: Path) -> None:
    """Run a story with a deadline, so that a link that hangs fails instead."""

    async def bounded() -> None:
        async with asyncio.timeout(patience(30)):
            await story(folder)

    asyncio.run(bounded())


class Application:
    """What the service does, in short: remember events; can be told to fail or to wait."""

    def __init__(self) -> None:
        self.events: list[TrayEvent] = []
        self.snapshots: list[TrayEvent] = []
        self.states: list[str] = []
        self.failures = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def event(self, event: TrayEvent) -> None:
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise OSError("disk on fire")
        self.events.append(event)

    async def snapshot(self, event: TrayEvent) -> None:
        self.snapshots.append(event)

    def changed(self, link: TrayLink) -> None:
        self.states.append(link.status().state)

    @property
    def numbers(self) -> list[Any]:
        return [event.body["n"] for event in self.events]


def make(path: Path, board: str = "E6616408432A1B2C") -> tuple[PtyTray, TrayLink, Application]:
    clock = MonotonicClock(SPEED)
    app = Application()
    spec = BoardSpec(name=board[-4:], url=str(path))
    link = TrayLink(spec, app.event, on_snapshot=app.snapshot, on_change=app.changed, clock=clock)
    return PtyTray(path, board, clock), link, app


def test_a_tap_arrives_and_lamps_and_feedback_come_back(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        link.show({"A": ["g" * 32]})
        async with running(link):
            await until(lambda: link.online and app.snapshots and tray.lamps)
            assert tray.lamps[-1]["A"] == ["g" * 32]
            assert tray.event(e="placed", n=1) == 2  # the snapshot was 1
            await until(lambda: tray.end.acknowledged == 2)
            (event,) = app.events
            assert (event.board, event.nonce, event.sequence) == (tray.board, "00000001", 2)
            assert link.feedback("A", "ok")
            link.show({"A": ["r" * 32]})
            assert await link.flush()
            assert tray.feedback == [{"side": "A", "do": "ok"}]
            assert tray.lamps[-1] == {"f": 2, "A": ["r" * 32]}
            answer = await link.command({"c": "selftest", "deep": True})
            assert answer["echo"]["c"] == "selftest" and answer["echo"]["deep"] is True
            status = link.status()
            assert status.state == "online" and status.board == tray.board and status.port == str(folder / "tty")
            assert status.counters["bad"] == 0 and 0 <= status.round_trip_ms < 1000
            assert any(" < T 2/" in line and '"placed"' in line.replace("'", '"') for line in status.trace)
        assert link.status().state == "stopped"
        tray.unplug()

    play(story, tmp_path)


def test_nothing_is_acknowledged_before_the_handler_is_done(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: tray.end.acknowledged == 1)
            app.gate.clear()
            tray.event(n=1)
            tray.event(n=2)
            # A round of pings goes by: the link lives, and still nothing is acknowledged.
            sent = link.status().counters["sent"]
            await until(lambda: link.status().counters["sent"] >= sent + 3)
            assert tray.end.acknowledged == 1 and tray.end.online
            app.gate.set()
            await until(lambda: tray.end.acknowledged == 3)
            assert app.numbers == [1, 2]
        tray.unplug()

    play(story, tmp_path)


def test_an_event_that_the_application_failed_on_comes_again(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: link.online)
            app.failures = 2
            tray.event(n=1)
            tray.event(n=2)
            await until(lambda: not tray.end.queued)
            assert app.numbers == [1, 2]
            assert link.status().handler_failures == 2
        tray.unplug()

    play(story, tmp_path)


def test_a_handler_that_has_begun_comes_to_its_end_when_the_link_is_stopped(tmp_path: Path) -> None:
    """What it has written to disk it must also play. An event not begun is left to the next session."""

    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: tray.end.acknowledged == 1)
            app.gate.clear()
            tray.event(n=1)
            tray.event(n=2)
            await until(lambda: link.status().unhandled == 1)
        assert link.status().state == "stopped" and app.numbers == []
        app.gate.set()
        await until(lambda: app.numbers == [1])
        for _ in range(5):
            await asyncio.sleep(0)
        assert app.numbers == [1]
        tray.unplug()

    play(story, tmp_path)


def test_unplugged_and_back_under_another_name(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        clock = MonotonicClock(SPEED)
        app = Application()
        tray = PtyTray(folder / "ttyACM0", clock=clock)

        def comports() -> list[Any]:
            return [_port(path, tray.board) for path in folder.glob("ttyACM*")]

        link = TrayLink(BoardSpec(serial=tray.board), app.event, finder=BoardFinder(comports), clock=clock)
        tray.plug()
        link.show({"A": ["w"]})
        async with running(link):
            await until(lambda: link.online)
            tray.event(n=1)
            await until(lambda: app.numbers == [1])
            tray.unplug()
            await until(lambda: not link.online)
            await until(lambda: "looked for" in link.status().error)
            assert tray.board in link.status().error and "no serial port at all" in link.status().error
            tray.boot()
            tray.plug(folder / "ttyACM7")
            await until(lambda: link.online and link.port.endswith("ttyACM7"))
            await until(lambda: tray.lamps and tray.lamps[-1]["A"] == ["w"])
            tray.event(n=2)
            await until(lambda: app.numbers == [1, 2])
            assert [event.nonce for event in app.events] == ["00000001", "00000002"]
        tray.unplug()

    play(story, tmp_path)


def _port(path: Path, serial_number: str) -> Any:
    from serial.tools.list_ports_common import ListPortInfo

    port = ListPortInfo(str(path), skip_link_detection=True)
    port.vid, port.pid, port.serial_number = 0x2E8A, 0x0005, serial_number
    return port


def test_a_silent_tray_is_lost_and_found_again_with_its_queue(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: tray.end.acknowledged == 1)
            tray.mute = True
            assert tray.event(n=1) is not None  # a short gap: queued
            await until(lambda: not tray.end.online)
            assert tray.event(n=2) is None  # offline: refused
            await until(lambda: "no answer" in link.status().error)
            tray.mute = False
            await until(lambda: app.numbers == [1])
            await until(lambda: link.online and not tray.end.queued)
            assert tray.event(n=3) is not None
            await until(lambda: app.numbers == [1, 3])
        tray.unplug()

    play(story, tmp_path)


def test_a_board_that_restarts_is_greeted_anew_at_once(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: tray.end.acknowledged == 1)
            opened = link.status().opened
            tray.boot()
            tray.pump()
            await until(lambda: len(app.snapshots) == 2 and link.online)
            assert link.status().opened == opened  # the port itself was never in doubt
        tray.unplug()

    play(story, tmp_path)


def test_two_trays_do_not_disturb_each_other(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        clock = MonotonicClock(SPEED)
        app = Application()
        one, two = (PtyTray(folder / name, board, clock) for name, board in (("a", "BOARD1"), ("b", "BOARD2")))
        trays = Trays(
            [BoardSpec("one", url=str(one.path)), BoardSpec("two", url=str(two.path))], app.event, clock=clock
        )
        one.plug()
        two.plug()
        async with running(trays):
            await until(lambda: all(link.online for link in trays.links))
            await until(lambda: one.end.acknowledged == two.end.acknowledged == 1)
            first, second = trays.links
            for number in range(3):
                two.unplug()
                await until(lambda: not second.online)
                for part in range(4):
                    one.event(n=number * 4 + part)
                await until(lambda n=number: len(app.numbers) == 4 * n + 4)
                two.plug()
                await until(lambda: second.online)
            assert app.numbers == list(range(12))
            assert {event.board for event in app.events} == {"BOARD1"}
            assert first.status().counters["sessions"] == 1
            assert second.status().counters["sessions"] == 4
            assert trays.link_to("BOARD2") is second
        one.unplug()
        two.unplug()

    play(story, tmp_path)


def test_boards_nobody_configured_are_found_by_their_usb_identity(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        clock = MonotonicClock(SPEED)
        app = Application()
        boards = [PtyTray(folder / f"ttyACM{i}", f"BOARD{i}", clock) for i in range(2)]
        boards[0].plug()

        def comports() -> list[Any]:
            return [_port(path, f"BOARD{path.name[-1]}") for path in folder.glob("ttyACM*")]

        trays = Trays([], app.event, finder=BoardFinder(comports), clock=clock)
        async with running(trays):
            await until(lambda: len(trays.links) == 1 and trays.links[0].online)
            boards[1].plug()
            await until(lambda: len(trays.links) == 2 and all(link.online for link in trays.links))
            boards[1].event(n=5)
            await until(lambda: app.numbers == [5])
            assert app.events[0].board == "BOARD1"
        for board in boards:
            board.unplug()

    play(story, tmp_path)


def test_modem_text_and_noise_cost_nothing(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: tray.end.acknowledged == 1)
            for number in range(20):
                tray.write(b"\r\nOK\r\n+CREG: 0,1\r\n\xff\x00~~ half a frame")
                tray.event(n=number)
            await until(lambda: not tray.end.queued)
            assert app.numbers == list(range(20))
            assert link.status().counters["text"] > 20 and link.status().counters["bad"] > 10
        tray.unplug()

    play(story, tmp_path)


def test_socket_port(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        clock = MonotonicClock(SPEED)
        app = Application()
        end = PtyTray(folder / "unused", clock=clock).end
        closed = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(4096):
                for what, _, _ in end.feed(data, clock.now_ms()):
                    if what == "snapshot":
                        end.snapshot({}, clock.now_ms())
                        end.event({"n": 1}, clock.now_ms())
                while (line := end.take(clock.now_ms())) is not None:
                    writer.write(line)
            writer.close()
            closed.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        link = TrayLink(BoardSpec(url=f"socket://127.0.0.1:{port}"), app.event, clock=clock)
        async with running(link):
            await until(lambda: app.numbers == [1])
            await until(lambda: end.acknowledged == 2)
        await closed.wait()
        server.close()
        async with running(link):
            await until(lambda: "onnect" in link.status().error)  # refused: nobody listens there now

    play(story, tmp_path)


def test_another_major_version_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, app = make(folder / "tty")
        tray.plug()
        tray.mute = True
        hello = {"proto": [2, 1], "nonce": "0badcafe", "to": "", "base": 1, "id": "E66", "fw": "9.9.9"}
        async with running(link):
            await until(lambda: link.status().state == "greeting")
            tray.write(wire.encode("H", 0, 0, 0, hello))
            await until(lambda: "protocol 2" in link.status().error)
            error = link.status().error
            assert str(tray.path) in error and "this host 1" in error and "ordertray flash" in error
            assert "incompatible" in app.states and "online" not in app.states
        tray.unplug()

    play(story, tmp_path)


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        (b"MicroPython v1.28.0 on Raspberry Pi Pico\r\n>>> \r\n", "MicroPython v1.28.0"),
        (b"", "says nothing"),
        (None, "at its prompt"),
    ],
    ids=["a banner", "nothing", "our own words"],
)
def test_a_port_that_is_no_tray_says_what_was_found(tmp_path: Path, says: bytes | None, expected: str) -> None:
    async def story(folder: Path) -> None:
        tray, link, _ = make(folder / "tty")
        tray.plug()
        tray.mute = True
        if says is None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(tray._master)
            loop.add_reader(tray._master, lambda: os.write(tray._master, os.read(tray._master, 4096)))
        async with running(link):
            await until(lambda: link.status().state == "greeting")
            if says:
                tray.write(says)
            await until(lambda: expected in link.status().error)
            assert "no tray answers there" in link.status().error
        tray.unplug()

    play(story, tmp_path)


def test_a_port_held_by_another_process_says_by_which(tmp_path: Path) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, serial\n"
            "port = serial.Serial(sys.argv[1], exclusive=True)\n"
            "print('held', flush=True)\n"
            "sys.stdin.read()\n",
            path,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(PortBusyError, match=rf"{path}: held by .*process {holder.pid}\)"):
            open_port(path)
    finally:
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait()
        assert holder.stdout is not None
        holder.stdout.close()
    port = open_port(path)  # and when it has let go, it is ours
    port.close()
    port.close()
    os.close(master)
    os.close(slave)


def test_no_command_without_a_tray(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        _, link, _ = make(folder / "tty")
        async with running(link):
            await until(lambda: "is not there" in link.status().error)
            with pytest.raises(NoAnswerError, match="no tray is connected"):
                await link.command({"c": "selftest"})
            assert not link.feedback("A", "ok")

    play(story, tmp_path)


def test_a_pending_command_ends_with_its_session(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, _ = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: link.online)
            tray.mute = True
            command = asyncio.create_task(link.command({"c": "selftest"}, timeout_ms=60_000))
            await until(lambda: link.status().queued)
            tray.unplug()
            with pytest.raises(NoAnswerError, match="session ended"):
                await command

    play(story, tmp_path)


def test_a_port_that_takes_nothing_is_lost_and_does_not_spin(tmp_path: Path) -> None:
    async def story(folder: Path) -> None:
        tray, link, _ = make(folder / "tty")
        tray.plug()
        async with running(link):
            await until(lambda: link.online)
            asyncio.get_running_loop().remove_reader(tray._master)
            tray.mute = True
            for _ in range(QUEUE):
                link.feedback("A", "x" * 1500)  # more than a pseudo-terminal buffers
            await until(lambda: "no answer" in link.status().error)
            assert link.status().counters["sent"] < 200
        tray.unplug()

    play(story, tmp_path)
