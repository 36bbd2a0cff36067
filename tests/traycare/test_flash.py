"""`flash`: mpremote writes the compiled firmware over the virtual tray's serial port, and the tray runs it from there.

Not shown here, for want of a Pico: the USB port that vanishes and comes back at a reset (the virtual tray's stays), the
size of the real flash, and RP2 as the platform.
"""

from __future__ import annotations

import importlib.util
import os
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ordertray.link import LinkError
from ordertray.sim import VirtualTray
from ordertray.traycare import flash as flash_module
from ordertray.traycare.errors import FlashError
from ordertray.traycare.flash import MAIN, FlashReport, build_files
from ordertray_firmware import __version__
from patience import patience
from sim.sim_host import SimHost

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("micropython_unix") is None, reason="no MicroPython interpreter here"
)
FIRMWARE = Path(__file__).parents[2] / "firmware"


@pytest.fixture(autouse=True)
def patient_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of `flash` are for a Pico that has its computer to itself."""
    monkeypatch.setattr(flash_module, "READ_S", patience(flash_module.READ_S))


def flash(port: str, *, hello_s: float | None = None, prompt_s: float | None = None, **options: Any) -> FlashReport:
    """`flash_module.flash` with deadlines that stretch with the machine."""
    hello_s = patience(flash_module.HELLO_S) if hello_s is None else hello_s
    prompt_s = patience(flash_module.PROMPT_S) if prompt_s is None else prompt_s
    return flash_module.flash(port, hello_s=hello_s, prompt_s=prompt_s, **options)


@pytest.fixture
def tray() -> Iterator[VirtualTray]:
    with VirtualTray(interpreter="micropython") as tray:
        yield tray


def test_what_is_written_is_the_whole_package_and_main() -> None:
    files = build_files()
    sources = {
        path.relative_to(FIRMWARE).with_suffix(".mpy").as_posix() for path in FIRMWARE.rglob("*_firmware/**/*.py")
    }
    assert set(files) == sources | {"main.py"}
    assert (FIRMWARE / "main.py").read_text() == MAIN
    assert all(data[:1] == b"M" for name, data in files.items() if name.endswith(".mpy"))


def test_flash_update_verify(tray: VirtualTray, tmp_path: Path) -> None:
    config = tmp_path / "mine.json"
    config.write_text('{"brightness": 77}')
    steps: list[tuple[str, int, int]] = []
    report = flash(tray.url, config=config, any_board=True, progress=lambda *step: steps.append(step))
    assert set(report.written) == set(build_files()) | {"config.json"}
    assert report.hello["id"] == report.board == "E6616408430A1B2C"
    assert any("HELLO" in line for line in report.lines())
    done = [step[1] for step in steps if step[2]]
    assert done == sorted(done)
    assert done[-1] == steps[-2][2] == report.written_bytes
    # It runs from the flash: compiled files, no source, the configuration in force.
    assert not list(tray.flash.glob("ordertray_firmware/**/*.py"))
    with SimHost(tray) as host:
        host.online()
        assert host.command("config")["config"]["brightness"] == 77

    # Nothing to do: nothing is written, the configuration stays.
    again = flash(tray.url, any_board=True)
    assert again.written == []
    assert set(again.unchanged) == set(build_files())
    assert (tray.flash / "config.json").exists()

    # What differs is named, and only that is written.
    (tray.flash / "ordertray_firmware" / "buzzer.mpy").unlink()
    (tray.flash / "ordertray_firmware" / "pixels.mpy").write_bytes(b"half")
    (tray.flash / "ordertray_firmware" / "pixels.py").write_text("# an old one would win over the compiled one\n")
    looked = flash(tray.url, verify=True, any_board=True, hello_s=0.5)
    assert looked.written == []
    assert {
        "missing ordertray_firmware/buzzer.mpy",
        "differs ordertray_firmware/pixels.mpy",
        "surplus ordertray_firmware/pixels.py",
    } <= set(looked.differences)
    assert "does not say HELLO" in looked.differences[-1]
    mended = flash(tray.url, any_board=True)
    assert set(mended.written) == {"ordertray_firmware/buzzer.mpy", "ordertray_firmware/pixels.mpy"}
    assert mended.removed == ["ordertray_firmware/pixels.py"]
    assert flash(tray.url, verify=True, any_board=True).differences == []


def test_a_tray_in_the_middle_of_a_session_can_be_flashed(tray: VirtualTray) -> None:
    with SimHost(tray) as host:
        host.online()
    assert flash(tray.url, any_board=True).hello["fw"] == __version__


def test_another_board_is_left_alone(tray: VirtualTray) -> None:
    with pytest.raises(FlashError, match="not a Raspberry Pi Pico; nothing was written"):
        flash(tray.url)
    assert not (tray.flash / "main.py").exists()


def test_a_configuration_with_faults_is_refused_with_all_of_them(tmp_path: Path) -> None:
    config = tmp_path / "mine.json"
    config.write_text('{"brightness": 0, "colour": 1}')
    with pytest.raises(FlashError) as caught:
        build_files(config=config)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{config}: ") for line in lines)
    with pytest.raises(FlashError, match="No such file"):
        build_files(config=tmp_path / "none.json")


def test_a_file_that_does_not_compile_is_named(tmp_path: Path) -> None:
    package = tmp_path / "ordertray_firmware"
    package.mkdir()
    (package / "__init__.py").write_text("x = 1\n")
    (package / "broken.py").write_text("def f(:\n")
    with pytest.raises(FlashError, match=r"mpy-cross refuses .*broken\.py"):
        build_files(package)


def test_a_port_without_micropython_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    try:
        monkeypatch.setattr(flash_module, "READ_S", 0.2)
        with pytest.raises(FlashError, match="no MicroPython prompt there"):
            flash(os.ttyname(slave), prompt_s=0.3)
    finally:
        os.close(master)
        os.close(slave)


def test_a_port_that_is_not_there_is_told() -> None:
    with pytest.raises(LinkError, match="/dev/no-such-tray: it is not there"):
        flash("/dev/no-such-tray")


class AnsweringBoard:
    """A board that says what it is told to say."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def eval(self, _expression: str) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (
            ("micropython", (1, 26, 1), "rp2", "Raspberry Pi Pico with RP2040", 0x1306, b"e6"),
            "needs MicroPython 1.28.0",
        ),
        (("circuitpython", (9, 0, 0), "RP2040", "", 0, b"e6"), "found circuitpython 9.0.0"),
        (("micropython", (1, 28, 0), "esp32", "ESP32 module", 0x2B06, b"e6"), "this is ESP32 module, not a Raspberry"),
        (("micropython", (1, 28, 0), "rp2", "Raspberry Pi Pico with RP2040", 0x0207, b"e6"), "takes compiled files of"),
        (OSError("line noise"), "does not say what it is"),
    ],
)
def test_a_board_that_cannot_take_it_is_told_why(answer: object, text: str) -> None:
    with pytest.raises(FlashError, match=text):
        flash_module._look(AnsweringBoard(answer), "port", False, build_files())


def test_a_pico_is_taken() -> None:
    answer = ("micropython", (1, 28, 0), "rp2", "Raspberry Pi Pico with RP2040", 0x1306, b"e6616408430a1b2c")
    report = flash_module._look(AnsweringBoard(answer), "port", False, build_files())
    assert (report.board, report.micropython) == ("E6616408430A1B2C", "1.28.0")


def test_a_flash_that_fills_up_names_the_file() -> None:
    class FullBoard:
        def fs_isdir(self, _name: str) -> bool:
            return True

        def fs_writefile(self, *_arguments: Any) -> None:
            raise OSError(28, "No space left on device")

    report = FlashReport("port", "E6", "1.28.0", "Pico")
    with pytest.raises(FlashError, match=r"while writing a/b\.mpy: .*No space left"):
        flash_module._write(FullBoard(), {"a/b.mpy": b"x"}, [], report, lambda *_step: None)
