"""Boot: the escape at power-on, and who gets the prompt after a Ctrl-C."""

from ordertray_firmware import boot
from ordertray_firmware.boot import escape_held, wants_prompt
from ordertray_firmware.config import default_config

try:
    from typing import Any
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True


class Line:
    """A serial line with these bytes waiting, and a clock that a hundred looks move by a second."""

    def __init__(self, waiting: bytes) -> None:
        self.waiting = waiting
        self.looks = 0

    def read_byte(self) -> int:
        self.looks += 1
        if not self.waiting:
            return -1
        byte = self.waiting[0]
        self.waiting = self.waiting[1:]
        return byte

    def now_ms(self) -> int:
        return self.looks * 10


def prompt(waiting: bytes) -> "tuple[bool, bytes]":
    """(whether the prompt is wanted, what is left for it)."""
    line = Line(waiting)
    return wants_prompt(line, line, 300), line.waiting


def test_enter_means_a_person_and_what_follows_is_for_the_prompt() -> None:
    assert prompt(b"\rimport os\r") == (True, b"import os\r")


def test_mpremote_gets_its_raw_prompt() -> None:
    assert prompt(b"\r\x01") == (True, b"\x01")


def test_a_lone_control_character_means_a_tool() -> None:
    for byte in (b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"):
        assert prompt(byte) == (True, b"")


def test_a_frame_of_the_host_means_that_it_was_noise() -> None:
    assert prompt(b"~P 000000 000002 43cf {} 00000000\n") == (False, b"P 000000 000002 43cf {} 00000000\n")


def test_the_rest_of_a_frame_that_the_noise_fell_into_decides_nothing() -> None:
    assert prompt(b'gg....","ssss"]} 8ff11ac8\n~') == (False, b"")
    assert prompt(b'gg....","ssss"]} 8ff11ac8\n') == (False, b"")


def test_silence_means_noise() -> None:
    line = Line(b"")
    assert not wants_prompt(line, line, 300)
    assert 300 <= line.now_ms() < 400


class HeldBoard:
    """A board whose buttons on these pins are closed; with `flicker`, one of them not always."""

    def __init__(self, closed: "set[int]", flicker: bool = False) -> None:
        self.closed = closed
        self.flicker = flicker

    def contacts(self, pins: "list[int]") -> "Any":
        board = self

        class Contacts:
            looks = 0

            def mask(self) -> int:
                self.looks += 1
                if board.flicker and self.looks == 7:
                    return 0
                return sum([1 << i for i, pin in enumerate(pins) if pin in board.closed])

        return Contacts()


def test_escape_needs_ok_and_pass_of_one_side_steadily() -> None:
    config = default_config()
    a, b = config["sides"]["A"]["buttons"], config["sides"]["B"]["buttons"]
    assert escape_held(HeldBoard({a["ok"], a["pass"]}), config)
    assert escape_held(HeldBoard({b["ok"], b["pass"], b["aro"]}), config)
    for closed in (set(), {a["ok"]}, {a["pass"], b["ok"]}, {a["aro"], a["basic"]}):
        assert not escape_held(HeldBoard(closed), config)
    assert not escape_held(HeldBoard({a["ok"], a["pass"]}, flicker=True), config)


def test_a_tray_without_those_buttons_has_no_escape() -> None:
    config = default_config()
    for side in config["sides"]:
        del config["sides"][side]["buttons"]["ok"]
    assert not escape_held(HeldBoard(set(range(30))), config)


class Recorder:
    """Stands in for what boot puts together; remembers with what it was made."""

    made: "list[Any]" = []

    def __init__(self, board: "Any", config: "Any", faults: "list[str]", fault_log: "Any") -> None:
        Recorder.made.append((board, config, faults))
        self.sides: "list[str]" = []

    def run(self) -> str:
        return "command"


class Notes:
    """A fault log in memory."""

    texts: "list[str]" = []

    def add(self, text: str, _uptime_ms: int) -> bool:
        Notes.texts.append(text)
        return True


def boot_with(board_of: "Any", app: "Any" = Recorder) -> str:
    """What boot.start() answers with these in place of Board and App."""
    stand_ins = {
        "Board": board_of,
        "App": app,
        "FaultLog": Notes,
        "load_file": lambda: ({"sides": {}, "odd": True}, []),
        "RED_MS": 1,
    }
    kept = {name: getattr(boot, name) for name in stand_ins}
    Recorder.made = []
    Notes.texts = []
    try:
        for name in stand_ins:
            setattr(boot, name, stand_ins[name])
        return boot.start()
    finally:
        for name in kept:
            setattr(boot, name, kept[name])


def test_wiring_that_the_port_refuses_is_told_and_the_built_in_one_is_used() -> None:
    def board_of(config: "dict[str, Any]") -> "Any":
        if "odd" in config:
            raise ValueError("bad SCK pin")
        return HeldBoard(set())

    assert boot_with(board_of) == "command"
    ((_board, config, faults),) = Recorder.made
    assert config == default_config()
    assert len(faults) == 1
    assert "ValueError: bad SCK pin" in faults[0]
    assert "built-in" in faults[0]


def test_a_program_that_cannot_even_be_put_together_is_a_crash_in_the_log() -> None:
    def app(*_arguments: "Any") -> "Any":
        raise MemoryError("no room")

    assert boot_with(lambda _config: HeldBoard(set()), app) == "crash"
    assert len(Notes.texts) == 1
    assert Notes.texts[0].startswith("start: MemoryError")


def test_the_escape_starts_nothing() -> None:
    a = default_config()["sides"]["A"]["buttons"]

    def board_of(config: "dict[str, Any]") -> "Any":
        config["sides"] = default_config()["sides"]
        return HeldBoard({a["ok"], a["pass"]})

    assert boot_with(board_of) == ""
    assert Recorder.made == []
