"""`ordertray flash` and the ways back to the prompt, on the emulated Pico: USB, flash chip, watchdog, resets."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ordertray.link import open_port
from ordertray.sim.pico import EmulatedPico
from ordertray.traycare import flash as flash_module
from ordertray.traycare.flash import FlashReport, build_files, flash
from ordertray.traycare.image import joined, read_image
from patience import patience
from pico.pico_helpers import flashed_pico, image

pytestmark = pytest.mark.pico
# The emulator takes 15 to 100 times as long as a Pico.
PATIENCE_S = 400.0


@pytest.fixture(autouse=True)
def emulated_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of `flash` are for a Pico at its own speed."""
    monkeypatch.setattr(flash_module, "READ_S", PATIENCE_S)


def flash_patiently(pico: EmulatedPico, **options: object) -> FlashReport:
    """flash() with limits that suit the emulator."""
    return flash(pico.url, hello_s=PATIENCE_S, prompt_s=PATIENCE_S, **options)  # type: ignore[arg-type]


def test_a_fresh_pico_is_flashed_and_verified_and_says_hello(tmp_path: Path) -> None:
    config = tmp_path / "mine.json"
    config.write_text('{"brightness": 77}')
    with EmulatedPico(image()) as pico:
        # As from the shop: MicroPython alone, its file system not yet made.
        pico.start()
        pico.wait_for(lambda: pico.boots, PATIENCE_S, "USB to come up")
        report = flash_patiently(pico, config=config)
        assert report.machine == "Raspberry Pi Pico with RP2040"
        assert report.micropython >= "1.28.0"
        assert set(report.written) == set(build_files()) | {"config.json"}
        assert report.hello["reset"] in ("reset", "power")
        assert {reader["pad"] for reader in report.hello["readers"]} == {"A", "B"}
        assert report.hello["faults"] == []
        assert pico.boots == 2  # the restart took the port away and brought it back
        on_board = pico.files()
        assert on_board["config.json"] == config.read_bytes()
        assert {name: on_board[name] for name in build_files()} == build_files()
        again = flash_patiently(pico, verify=True)
        assert again.written == again.differences == []
        assert pico.boots == 3


def test_one_file_dragged_onto_a_pico_is_a_tray(tmp_path: Path) -> None:
    """`ordertray flash --image ... -o ...`: the emulated Pico starts from that file alone, and says HELLO."""
    config = tmp_path / "mine.json"
    config.write_text('{"brightness": 66}')
    whole = tmp_path / "ordertray.uf2"
    whole.write_bytes(joined(read_image(image()), build_files(config=config)))
    with EmulatedPico(whole) as pico:
        pico.run_until(lambda: b'"faults":[]' in b"".join(data for _at, data in pico.sent), 10, "HELLO without a fault")
        assert pico.files() == {**build_files(), "config.json": config.read_bytes()}


def talk(pico: EmulatedPico, port_bytes: bytes, until: Callable[[bytes], object]) -> bytes:
    """Write to the port and read until the condition on what has come holds."""
    port = open_port(pico.url)
    heard = b""
    end = time.monotonic() + patience(PATIENCE_S)
    try:
        os.write(port.fileno, port_bytes)
        while not until(heard):
            assert time.monotonic() < end, heard
            if select.select([port.fileno], [], [], 0.05)[0]:
                heard += port.read()
    finally:
        port.close()
    return heard


def test_ctrl_c_rescues_the_board_and_the_watchdog_leaves_the_prompt_alone() -> None:
    with flashed_pico() as pico:
        pico.start()
        pico.wait_for(lambda: any(b"~H" in data for _at, data in pico.sent), PATIENCE_S, "HELLO")
        heard = talk(pico, b"\x03\r", lambda heard: b">>> " in heard)
        assert b"stopped by Ctrl-C" in heard
        heard = talk(pico, b"print(6*7)\r", lambda heard: b"\n42" in heard)
        at_s = pico.now_s
        # The watchdog counts 8 s at most; the sleeping prompt is emulated quickly.
        pico.wait_for(lambda: pico.now_s > at_s + 9, PATIENCE_S, "nine seconds at the prompt")
        assert pico.boots == 1


def test_ok_and_pass_held_at_power_on_leave_the_prompt() -> None:
    with flashed_pico() as pico:
        pico.press("B", "ok")
        pico.press("B", "pass")
        pico.start()
        pico.wait_for(lambda: pico.boots, PATIENCE_S, "USB to come up")
        talk(pico, b"\r", lambda heard: b">>> " in heard)
        assert not any(b"~H" in data for _at, data in pico.sent)
        assert pico.hardware.spi_bytes == 0


def test_a_firmware_that_hangs_is_ended_by_the_watchdog_and_says_so() -> None:
    with flashed_pico() as pico:
        # A button task that never gives the loop back once the first button is pressed.
        hang = b"import time\nfrom ordertray_firmware import app\nsample_once = app.Buttons.sample\n"
        hang += b"def sample(self, bits, now_ms):\n"
        hang += b"    while bits == 1:\n        time.sleep_ms(50)\n    return sample_once(self, bits, now_ms)\n"
        hang += b"app.Buttons.sample = sample\n"
        pico.write_file("main.py", hang + pico.files()["main.py"])
        pico.run_until(lambda: any(b"~H" in data for _at, data in pico.sent), 5, "HELLO")
        pico.run_for(0.3)
        pico.press("A", "basic")
        hung_s = pico.now_s
        pico.run_until(lambda: pico.boots > 1, 12, "the watchdog to bite")
        assert 6 < pico.now_s - hung_s < 10
        pico.release("A", "basic")
        pico.sent.clear()
        pico.run_until(lambda: b'"proto"' in b"".join(data for _at, data in pico.sent), 5, "HELLO again")
        assert b'"reset":"watchdog"' in b"".join(data for _at, data in pico.sent)
