"""The emulated Pico's own parts, without MicroPython's image: wiring, times, strips, flash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rp2040py.gpio_pin import GPIOPinState
from rp2040py.rp2040 import RP2040

from ordertray.sim.pico import EmulatedPico, PicoError, build_flash, read_flash
from ordertray.sim.pico.hardware import Hardware
from ordertray.sim.pico.strip import PioPacer, Strip
from ordertray_firmware.config import default_config

HIGH, LOW = GPIOPinState.HIGH, GPIOPinState.LOW


def test_what_is_put_on_the_flash_is_read_back() -> None:
    files = {"main.py": b"pass\n", "folder/deep/x.mpy": bytes(range(256)) * 40, "folder/empty": b""}
    image = build_flash(files)
    assert len(image) == 1408 * 1024
    assert read_flash(image) == files


def test_an_image_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    bad = tmp_path / "bad.uf2"
    bad.write_bytes(b"x" * 512)
    for path in (bad, tmp_path / "none.uf2"):
        with pytest.raises(PicoError, match=path.name):
            EmulatedPico(path)


def test_a_wiring_with_faults_is_refused_with_all_of_them(tmp_path: Path) -> None:
    with pytest.raises(PicoError, match=r"brightness.*colour|colour.*brightness"):
        EmulatedPico(tmp_path / "unread.uf2", config={"brightness": 0, "colour": 1})


def pulse(mcu: RP2040, strip: Strip, high_ns: float, low_ns: float) -> None:
    """One pulse on the strip's line, by the clock alone."""
    strip._edge(HIGH, LOW)
    mcu.clock.tick(high_ns)
    strip._edge(LOW, HIGH)
    mcu.clock.tick(low_ns)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.binary(min_size=3, max_size=12), min_size=1, max_size=4))
def test_pulses_by_the_data_sheet_are_the_bytes(pictures: list[bytes]) -> None:
    mcu = RP2040()
    seen: list[bytes] = []
    faults: list[str] = []
    strip = Strip(mcu, 14, lambda grb, _at: seen.append(grb), faults.append)
    for picture in pictures:
        for byte in picture:
            for bit in range(7, -1, -1):
                high_ns = 750.0 if byte >> bit & 1 else 375.0
                pulse(mcu, strip, high_ns, 1250 - high_ns)
        mcu.clock.tick(300_000)
    assert seen == pictures
    assert faults == []


@pytest.mark.parametrize(("high_ns", "low_ns"), [(480.0, 770.0), (100.0, 1150.0), (375.0, 40_000.0)])
def test_pulses_that_no_strip_understands_are_a_fault(high_ns: float, low_ns: float) -> None:
    mcu = RP2040()
    seen: list[bytes] = []
    faults: list[str] = []
    strip = Strip(mcu, 14, lambda grb, _at: seen.append(grb), faults.append)
    for _bit in range(24):
        pulse(mcu, strip, high_ns, low_ns)
    mcu.clock.tick(300_000)
    assert seen == []
    assert len(faults) == 1
    assert "pin 14" in faults[0]


class Bench:
    """A chip with the tray's hardware on it, whose registers the test writes."""

    def __init__(self, **chips: str) -> None:
        self.mcu = RP2040()
        self.hardware = Hardware(self.mcu, default_config(), chips)
        for pin in (17, 20, 22, 26):  # both select and reset lines, driven high
            self.mcu.gpio[pin].ctrl = 5
            self.drive(pin, 1)
        spi = self.mcu.spi[0]
        spi.write_uint32(0x00, 0x0007)  # 8 bits
        spi.write_uint32(0x10, 62)  # 125 MHz / 62
        spi.write_uint32(0x04, 2)

    def drive(self, pin: int, level: int) -> None:
        """Set an output of SIO."""
        sio = self.mcu.sio
        sio.gpio_output_enable |= 1 << pin
        sio.gpio_value = sio.gpio_value & ~(1 << pin) | level << pin
        self.mcu.gpio[pin].check_for_updates()

    def transfer(self, data: bytes) -> bytes:
        """Bytes through SPI0, as slow as the bus is."""
        spi, answer = self.mcu.spi[0], bytearray()
        for byte in data:
            spi.write_uint32(0x08, byte)
            while not spi.read_uint32(0x0C) & 4:
                self.mcu.clock.tick(100)
            answer.append(spi.read_uint32(0x08))
        return bytes(answer)


def test_each_select_line_reaches_its_own_chip_at_the_speed_of_the_bus() -> None:
    bench = Bench(A="mfrc522", B="none")
    bench.mcu.clock.tick(5e6)
    version_register = bytes((0x80 | 0x37 << 1, 0))
    begun_ns = bench.mcu.clock.nanos
    assert bench.transfer(version_register) == b"\xff\xff"  # nobody is selected
    assert 2 * 3900 <= bench.mcu.clock.nanos - begun_ns <= 2 * 4200
    bench.drive(17, 0)
    assert bench.transfer(version_register)[1] in (0x91, 0x92)
    bench.drive(17, 1)
    bench.drive(22, 0)
    assert bench.transfer(version_register) == b"\xff\xff"  # nothing is plugged in there
    assert bench.hardware.problems == []


def test_two_chips_selected_at_once_are_a_problem() -> None:
    bench = Bench()
    bench.drive(17, 0)
    bench.drive(22, 0)
    assert bench.hardware.problems == ["two chips are selected at once"]


def test_the_reset_line_holds_its_chip() -> None:
    bench = Bench(A="mfrc522")
    bench.drive(20, 0)
    assert bench.hardware.chips["A"].in_reset
    assert not bench.hardware.chips["B"].in_reset
    bench.drive(20, 1)
    assert not bench.hardware.chips["A"].in_reset


def test_buttons_close_to_ground_against_the_pull_up() -> None:
    bench = Bench()
    bench.mcu.gpio[2].pad_value = 0x40 | 8
    read = bench.mcu.sio.read_uint32
    assert int(read(4)) & 1 << 2
    bench.hardware.contact("A", "basic", True)
    assert not int(read(4)) & 1 << 2
    bench.hardware.contact("A", "basic", False)
    assert int(read(4)) & 1 << 2
    with pytest.raises(KeyError):
        bench.hardware.contact("A", "none", True)


def test_pio_rests_until_it_has_something_to_do() -> None:
    mcu = RP2040()
    pacer = PioPacer(mcu)
    pio = mcu.pio[0]
    pio.stopped = False
    mcu.dma.channels[0].write_uint32(0x00, 0)
    pacer._wake()
    mcu.clock.tick(10_000)
    assert pio.stopped
    pio.machines[0].enabled = True
    pio.notify_due(pio.cycle_fp)
    pacer.look()
    assert not pio.stopped
