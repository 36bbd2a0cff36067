"""board.py where no virtual tray reaches: strips by PIO and DMA, the serial port at its limits, registers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from firmware.pio_model import Pin, Rp2
from ordertray.sim.inside.ws2812 import pulses_to_bytes
from ordertray_firmware import board
from ordertray_firmware.board import Board, SerialPort
from ordertray_firmware.config import default_config


class Registers(dict[int, int]):
    """mem32: unknown registers read 0."""

    def __missing__(self, address: int) -> int:
        return 0


class FakeMachine(SimpleNamespace):
    """The parts of `machine` that a Board touches when it is made."""

    def __init__(self, cause: int = 1) -> None:
        super().__init__(
            PWRON_RESET=1,
            Pin=Pin,
            mem32=Registers(),
            reset_cause=lambda: cause,
            unique_id=lambda: bytes.fromhex("e6616408430a1b2c"),
            WDT=lambda timeout: timeout,
            resets=[],
        )
        self.reset = lambda: self.resets.append(dict(self.mem32))


@pytest.fixture
def pico(monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """A board whose `machine` is a fake."""
    machine = FakeMachine()
    monkeypatch.setattr(board, "machine", machine, raising=False)
    monkeypatch.setattr(board, "SerialPort", object)
    return machine


def pulses(wave: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """(high, low) pairs of a waveform that starts low; the last low lasts until the strip latches."""
    levels = [level for level, _span in wave]
    assert levels == [0, 1] * (len(levels) // 2) + [0] * (len(levels) % 2)
    spans = [span for _level, span in wave[1:]]
    if len(spans) % 2:
        spans.append(0)
    spans[-1] += 300_000
    return list(zip(spans[::2], spans[1::2]))


class TestPioStrip:
    @pytest.mark.parametrize("grb", [bytes(range(96)), b"\x00" * 96, b"\xff" * 96, b"\xaa\x55\x01\x80" * 24])
    def test_the_strip_reads_every_byte_within_its_timing(
        self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch, grb: bytes
    ) -> None:
        rp2 = Rp2()
        monkeypatch.setattr(board, "rp2", rp2)
        tray = Board(default_config())
        a, b = tray.strip(14, 32), tray.strip(15, 32)
        a.write(bytearray(grb))
        b.write(bytearray(reversed(grb)))
        assert [pin for pin, _wave in rp2.waves] == [14, 15]
        assert pulses_to_bytes(pulses(rp2.waves[0][1])) == grb
        assert pulses_to_bytes(pulses(rp2.waves[1][1])) == bytes(reversed(grb))
        assert rp2.programs == 1  # both state machines share it

    def test_a_picture_that_comes_too_soon_is_left_out_and_the_one_on_its_way_is_untouched(
        self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rp2 = Rp2()
        monkeypatch.setattr(board, "rp2", rp2)
        strip = Board(default_config()).strip(14, 2)
        picture = bytearray(b"\x10\x20\x30\x40\x50\x60")
        strip.write(picture)
        picture[0] = 0xFF  # the next picture is being made while the last one goes out
        rp2.channels[0].busy = True
        strip.write(picture)
        assert strip.dropped == 1
        assert len(rp2.waves) == 1
        assert pulses_to_bytes(pulses(rp2.waves[0][1])) == b"\x10\x20\x30\x40\x50\x60"

    def test_without_pio_the_built_in_driver_sends_pulses_that_the_strip_takes(
        self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(board, "rp2", None)
        sent: list[tuple[int, tuple[int, int, int, int], bytes]] = []
        pico.bitstream = lambda pin, _kind, timing, data: sent.append((pin.number, timing, bytes(data)))
        Board(default_config()).strip(14, 2).write(bytearray(b"\x01\x02\x03"))
        ((pin, (high_0, low_0, high_1, low_1), data),) = sent
        wave = []
        for byte in data:
            for bit in range(7, -1, -1):
                wave.append((high_1, low_1) if byte >> bit & 1 else (high_0, low_0))
        wave[-1] = (wave[-1][0], 300_000)
        assert pin == 14
        assert pulses_to_bytes(wave) == b"\x01\x02\x03"


class TestRestart:
    SCRATCH = 0x40058000 + 0x0C

    @pytest.mark.parametrize("cause", ["crash", "command", "interrupt"])
    def test_the_next_start_knows_why(self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch, cause: str) -> None:
        assert Board(default_config()).reset_cause == "power"
        board.restart(cause)
        (registers,) = pico.resets
        after = FakeMachine(cause=3)
        after.mem32.update(registers)
        monkeypatch.setattr(board, "machine", after)
        assert Board(default_config()).reset_cause == cause
        assert Board(default_config()).reset_cause == "reset"  # told once

    def test_a_reset_while_the_program_runs_was_the_watchdog(
        self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert Board(default_config()).watchdog() <= 8388
        after = FakeMachine(cause=3)
        after.mem32.update(pico.mem32)
        monkeypatch.setattr(board, "machine", after)
        assert Board(default_config()).reset_cause == "watchdog"

    def test_stopping_the_watchdog_clears_its_enable_bit_and_leaves_no_cause(self, pico: FakeMachine) -> None:
        Board(default_config()).watchdog()
        board.stop_watchdog()
        assert pico.mem32[0x40058000 + 0x3000] == 1 << 30
        assert pico.mem32[self.SCRATCH] == 0

    def test_a_pico_2_has_them_elsewhere(self, pico: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
        name = SimpleNamespace(_machine="Raspberry Pi Pico2 with RP2350", name="micropython")
        monkeypatch.setattr("sys.implementation", name)
        board.stop_watchdog()
        assert pico.mem32[0x400D8000 + 0x3000] == 1 << 30


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SerialPort, int, int]]:
    """A serial port on pipes, the end to write what it reads, and the end to read what it writes."""
    host_out, tray_in = os.pipe()[::-1]
    host_in, tray_out = os.pipe()
    os.set_blocking(host_in, False)
    with open(tray_in) as standard_in, open(tray_out, "w") as standard_out:
        monkeypatch.setattr("sys.stdin", standard_in)
        monkeypatch.setattr("sys.stdout", standard_out)
        yield SerialPort(), host_out, host_in
    os.close(host_out)
    os.close(host_in)


class TestSerialPort:
    def test_reads_what_is_there_and_no_more(self, ends: tuple[SerialPort, int, int]) -> None:
        port, out, _in = ends
        assert port.read() == b""
        os.write(out, b"~H")
        assert port.read() == b"~H"
        assert port.read() == b""
        os.write(out, b"x" * 200)
        chunks = [port.read() for _ in range(5)]
        assert [len(chunk) for chunk in chunks] == [64, 64, 64, 8, 0]
        assert port.read_byte() == -1
        os.write(out, b"\r\x01")
        assert (port.read_byte(), port.read()) == (13, b"\x01")

    def test_a_full_port_never_blocks_and_nothing_is_lost(self, ends: tuple[SerialPort, int, int]) -> None:
        port, _out, host_in = ends
        sent = b""
        for number in range(1000):
            if not port.idle:
                break
            line = b"%04d" % number + b"." * 96
            port.write(line)
            sent += line
        assert not port.idle
        assert port.stalls == 1
        for _again in range(50):
            assert not port.flush()
        got = b""
        while not port.flush() or len(got) < len(sent):
            got += os.read(host_in, 700)
        assert got == sent

    def test_short_writes_are_gone_on_with_byte_by_byte(
        self, ends: tuple[SerialPort, int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        port, _out, host_in = ends
        sizes: list[int] = []
        real: Any = port._out

        class Short:
            def write(self, data: bytes) -> int:
                sizes.append(len(data))
                return int(real.write(data[:10]))

        monkeypatch.setattr(port, "_out", Short())
        line = bytes(range(32, 127)) * 3
        port.write(line)
        assert os.read(host_in, 4096) == line
        assert sizes[0] == 64
        assert sizes[1:65] == [1] * 64
        assert sizes[65] == 64  # and back to chunks

    def test_dropping_the_line_in_hand(self, ends: tuple[SerialPort, int, int]) -> None:
        port, _out, host_in = ends
        while port.idle:
            port.write(b"x" * 100)
        port.drop()
        assert port.idle
        os.read(host_in, 1 << 20)
        assert port.write(b"fresh\n")
        assert os.read(host_in, 100) == b"fresh\n"
