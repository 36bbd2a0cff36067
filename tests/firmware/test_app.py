"""The app on a board of straw: errors in any task, a task that is stuck, a restart by command, all end the run well."""

from ordertray_firmware import wire
from ordertray_firmware.app import App, describe_error
from ordertray_firmware.config import default_config

try:
    from typing import Any
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True


class Ticks:
    """A clock that moves by 100 us at each look and by what is slept."""

    def __init__(self) -> None:
        self.us = 0

    def ticks_us(self) -> int:
        self.us += 100
        return self.us

    def ticks_ms(self) -> int:
        return self.ticks_us() // 1000

    def ticks_diff(self, later: int, earlier: int) -> int:
        return later - earlier

    def ticks_add(self, ticks: int, delta: int) -> int:
        return ticks + delta

    def sleep_us(self, us: int) -> None:
        self.us += us
        if self.us > 20000000:
            raise AssertionError("the run does not end")


class StrawBus:
    """An SPI bus on which nobody answers."""

    can_reset = True

    def __init__(self, board: "StrawBoard") -> None:
        self.board = board

    def irq(self) -> None:
        return None

    def select(self) -> None:
        self.board.maybe("select")

    def deselect(self) -> None:
        pass

    def write(self, _line: bytes) -> None:
        pass

    def write_readinto(self, _line: bytes, into: bytearray) -> None:
        for i in range(len(into)):
            into[i] = 0xFF

    def reset(self, _level: bool) -> None:
        pass


class StrawBoard:
    """Hardware that does nothing, except that `broken` throws. Also its own contacts, strip, buzzer, watchdog."""

    reset_cause = "power"
    unique_id = "E6"
    stalls = 0
    idle = True

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.serial = self
        self.fed = 0
        self.lines: "list[bytes]" = []

    def maybe(self, name: str) -> None:
        if name == self.broken:
            raise ValueError("straw " + name)

    def random_nonce(self) -> str:
        return "0badcafe"

    def heap(self) -> "tuple[int, int]":
        self.maybe("heap")
        return 1, 2

    def bus(self, _reader: "dict[str, Any]") -> StrawBus:
        return StrawBus(self)

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
        self.maybe("mask")
        return 0

    def read(self) -> bytes:
        self.maybe("read")
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
            self.board.maybe("strip")


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
    board, notes = StrawBoard("tone" if broken == "tone" else ""), Notes()
    app = App(board, default_config(), [], notes, Ticks())
    app._watchdog = board  # as run() does
    board.broken = broken
    return app, notes, board


def test_an_error_in_any_piece_is_noted_and_ends_the_run() -> None:
    for broken, piece in (
        ("mask", "buttons"),
        ("read", "serial"),
        ("strip", "lamps"),
        ("tone", "lamps"),
        ("select", "readers"),
        ("heap", "upkeep"),
    ):
        app, notes, _board = make(broken)
        assert app.run() == "crash", broken
        assert len(notes.texts) == 1, (broken, notes.texts)
        assert notes.texts[0].startswith(piece + ": ValueError: straw " + broken), notes.texts[0]
        assert "app.py:" in notes.texts[0]


class Buzz:
    """A buzzer that can sound but not stop."""

    def tone(self, _hz: int) -> None:
        pass

    def silence(self) -> None:
        raise ValueError("straw tone")


def test_a_host_that_chatters_keeps_neither_lamps_nor_upkeep_away() -> None:
    app, _notes, board = make()
    board.read = lambda: b"x" * 64  # type: ignore[method-assign]
    for _step in range(4000):
        app.step()
    assert board.fed >= 2
    assert app.lamps.mode != 0  # the boot pattern has ended


def test_a_restart_by_command_is_no_crash() -> None:
    app, notes, _board = make()
    for _step in range(100):
        app.step()
    app._command({"c": "restart", "id": 1}, 50)
    assert app.run() == "command"
    assert notes.texts == []


def test_a_restart_by_command_waits_for_its_answer_but_not_for_ever() -> None:
    app, _notes, board = make()
    hello = wire.encode("H", 0, 0, 0, {"proto": [1, 0], "sw": "test", "nonce": "00c0ffee"})
    pieces = [hello]
    board.read = lambda: pieces.pop(0) if pieces else b""  # type: ignore[method-assign]
    for _step in range(100):
        app.step()
    assert app.end.online
    app._command({"c": "restart", "id": 1}, 50)
    begun_us = app._ticks.us
    assert app.run() == "command"
    assert 400000 <= app._ticks.us - begun_us < 700000
    assert [line for line in board.lines if b'"answer"' in line]


def test_what_happened_before_the_loop_is_not_told_as_lateness() -> None:
    app, _notes, _board = make("read")
    app._ticks.us += 700000
    assert app.run() == "crash"
    assert app.late_us < 20000


def test_no_body_of_a_hosts_frame_ends_the_run_and_every_command_has_an_answer_that_can_be_read() -> None:
    app, notes, board = make()
    hello = wire.encode("H", 0, 0, 0, {"proto": [1, 0], "sw": "test", "nonce": "00c0ffee"})
    pieces = [hello]
    board.read = lambda: pieces.pop(0) if pieces else b""  # type: ignore[method-assign]
    for _step in range(100):
        app.step()
    assert app.end.online
    odd = [
        "null",
        "true",
        "5",
        "-1",
        "1.5",
        "1e999",
        '""',
        '"*"',
        '"\\ud83d"',
        '"\\u20ac"',
        "[]",
        "[[]]",
        '["r"]',
        "{}",
    ]
    odd += ['["r","s","p"]', '["rrr\\u00e9","s\\ud800"]', '["","%s"]' % ("s" * 40), '{"A":{}}', "9" * 700]
    odd += ['"%s"' % ("x" * 1900), "[" * 150 + "]" * 150]
    names = ('"x"', '"selftest"', '"ndef-read","pad":"A"', '"ndef-write","pad":"A"', "[]", '"config","set":5')
    sequence, asked, told = 0, 0, 0
    decoder = wire.Decoder()
    for text in odd:
        bodies = [("F", '{"A":%s,"B":%s}' % (text, text)), ("B", '{"do":%s,"side":%s}' % (text, text))]
        bodies += [("B", '{"do":"refused","side":%s}' % text), ("C", '{"c":%s}' % text)]
        bodies += [("C", '{"id":%s,"c":%s,"ndef":%s}' % (text, name, text[:40])) for name in names]
        for kind, body in bodies:
            if len(body) > wire.MAX_BODY:
                continue
            line = wire.pack(kind, sequence + 1, told, app.end._session, body.encode())
            if not isinstance(wire.parse(line[:-1]), wire.Frame):  # such as a number that one interpreter refuses
                continue
            sequence += 1
            asked += kind == "C"
            pieces.append(line)
            for _step in range(12):
                app.step()
            for sent in board.lines:
                for frame in decoder.feed(sent):
                    assert isinstance(frame, wire.Frame), (frame, body)
                    told = max(told, frame.sequence)
            board.lines = []
    pieces.append(wire.encode("A", 0, told, app.end._session, {}))
    for _step in range(12):
        app.step()
    assert notes.texts == [] and app._restart == ""
    # An NDEF request of a pad without a reader is refused at once, so all have their answer (and one is a snapshot).
    assert asked > 100 and app.end.queued == 0 and app.end.acknowledged >= asked


def test_only_the_first_error_counts() -> None:
    app, notes, _board = make()
    app.crash("one", ValueError("first"))
    app.crash("two", ValueError("second"))
    assert len(notes.texts) == 1
    assert notes.texts[0].startswith("one: ValueError: first")


def test_the_tray_speaks_first() -> None:
    app, _notes, board = make()
    for _step in range(100):
        app.step()
    assert board.lines[0].startswith(b"~H 000000 ")
    assert b'"nonce":"0badcafe"' in board.lines[0]
    assert b'"reset":"power"' in board.lines[0]


def test_nothing_to_do_is_slept_through() -> None:
    app, _notes, board = make()
    for _step in range(2000):
        app._ticks.sleep_us(app.step())
    begun_us, steps = app._ticks.us, 0
    while app._ticks.us - begun_us < 1000000:
        wait_us = app.step()
        assert 0 <= wait_us <= 2000
        app._ticks.sleep_us(wait_us)
        steps += 1
    assert steps < 2500


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
