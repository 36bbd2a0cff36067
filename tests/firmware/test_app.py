"""The app on a board of straw: errors in any task, a task that is stuck, a restart by command, all end the run well."""

import asyncio

from ordertray_firmware import app as app_module
from ordertray_firmware.app import App, describe_error
from ordertray_firmware.config import default_config

try:
    from typing import Any
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True


class StrawBoard:
    """Hardware that does nothing, except that `broken` throws. Also its own bus, contacts, strip, buzzer, watchdog."""

    reset_cause = "power"
    unique_id = "E6"
    irq_level = None
    stalls = 0
    idle = True

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.serial = self
        self.fed = 0
        self.lines: "list[bytes]" = []

    def _maybe(self, name: str) -> None:
        if name == self.broken:
            raise ValueError("straw " + name)

    def random_nonce(self) -> str:
        return "0badcafe"

    def heap(self) -> "tuple[int, int]":
        return 1, 2

    def bus(self, _reader: "dict[str, Any]") -> "StrawBoard":
        return self

    def contacts(self, _pins: "list[int]") -> "StrawBoard":
        return self

    def strip(self, _pin: int, _count: int) -> "Strip":
        return Strip(self)

    def tone(self, _pin: "int | None") -> "Buzz | None":
        return Buzz() if self.broken == "tone" else None

    def watchdog(self) -> "StrawBoard":
        return self

    def feed(self) -> None:
        self.fed += 1

    def mask(self) -> int:
        self._maybe("mask")
        return 0

    def select(self) -> None:
        self._maybe("select")

    def deselect(self) -> None:
        pass

    def transfer(self, write: bytes, read_into: "bytearray | None" = None) -> None:
        if read_into is not None:
            for i in range(len(read_into)):
                read_into[i] = 0xFF

    def reset(self, _level: bool) -> None:
        pass

    def irq(self) -> None:
        return None

    def read(self) -> bytes:
        self._maybe("read")
        return b""

    def write(self, line: bytes) -> bool:
        self.lines.append(line)
        return True

    def flush(self) -> bool:
        return True


class Strip:
    """Throws at its third picture when it is the broken part (the first is shown before the tasks run)."""

    def __init__(self, board: StrawBoard) -> None:
        self.board = board
        self.pictures = 0

    def write(self, _grb: bytearray) -> None:
        self.pictures += 1
        if self.pictures == 3:
            self.board._maybe("strip")


class Notes:
    """A fault log in memory."""

    def __init__(self) -> None:
        self.texts: "list[str]" = []

    def add(self, text: str, _uptime_ms: int) -> bool:
        self.texts.append(text)
        return True

    def unseen(self) -> "list[str]":
        return []


def make(broken: str = "") -> "tuple[App, Notes, StrawBoard]":
    board, notes = StrawBoard(broken), Notes()
    return App(board, default_config(), [], notes), notes, board


async def bounded(app: App) -> str:
    """Run the app for at most three seconds."""
    return await asyncio.wait_for(app.run(), 3)


def test_an_error_in_any_task_is_noted_and_ends_the_run() -> None:
    for broken, task in (
        ("mask", "buttons"),
        ("read", "serial"),
        ("strip", "lamps"),
        ("tone", "lamps"),
        ("select", "readers"),
    ):
        app, notes, _board = make(broken)
        assert asyncio.run(bounded(app)) == "crash", broken
        assert len(notes.texts) == 1, (broken, notes.texts)
        assert notes.texts[0].startswith(task + ": ValueError: straw " + broken), notes.texts[0]
        assert "app.py:" in notes.texts[0]


class Buzz:
    """A buzzer that can sound but not stop."""

    def tone(self, _hz: int) -> None:
        pass

    def silence(self) -> None:
        raise ValueError("straw tone")


def test_a_task_that_is_stuck_ends_the_run() -> None:
    app, notes, board = make()
    before = app_module.STUCK_MS
    app_module.STUCK_MS = 100

    async def never() -> None:
        await asyncio.sleep(60)

    app._lamps = never  # type: ignore[method-assign]
    try:
        assert asyncio.run(bounded(app)) == "crash"
    finally:
        app_module.STUCK_MS = before
    assert "supervisor: RuntimeError: task lamps is stuck" in notes.texts[0]
    assert board.fed >= 1


def test_a_task_that_just_ends_is_an_error_too() -> None:
    app, notes, _board = make()

    async def nothing() -> None:
        pass

    app._serial = nothing  # type: ignore[method-assign]
    assert asyncio.run(bounded(app)) == "crash"
    assert "serial: RuntimeError: ended" in notes.texts[0]


def test_a_restart_by_command_is_no_crash() -> None:
    app, notes, _board = make()

    async def story() -> str:
        run = asyncio.create_task(app.run())
        await asyncio.sleep(0.05)
        app._command({"c": "restart", "id": 1}, 50)
        return await asyncio.wait_for(run, 3)

    assert asyncio.run(story()) == "command"
    assert notes.texts == []


def test_only_the_first_error_counts() -> None:
    app, notes, _board = make()
    app.crash("one", ValueError("first"))
    app.crash("two", ValueError("second"))
    assert len(notes.texts) == 1
    assert notes.texts[0].startswith("one: ValueError: first")


def test_the_tray_speaks_first() -> None:
    app, _notes, board = make()

    async def story() -> None:
        run = asyncio.create_task(app.run())
        await asyncio.sleep(0.1)
        app._command({"c": "restart", "id": 1}, 50)
        await asyncio.wait_for(run, 3)

    asyncio.run(story())
    assert board.lines[0].startswith(b"~H 000000 ")
    assert b'"nonce":"0badcafe"' in board.lines[0]
    assert b'"reset":"power"' in board.lines[0]


def test_errors_are_described_in_one_line_with_their_places() -> None:
    def inner() -> None:
        raise OSError(5, "cable")

    def outer() -> None:
        inner()

    try:
        outer()
    except OSError as error:
        text = describe_error(error)
    assert "\n" not in text
    assert text.startswith("OSError: ")
    assert "cable" in text
    assert text.count("test_app.py:") == 3
