"""The simulated MFRC522 by itself: registers as in the data sheet, no driver."""

from __future__ import annotations

import pytest

from ordertray.sim.chips import Clock, Mfrc522Chip, Pad, make_chip, make_tag
from ordertray.sim.chips import mfrc522 as m
from ordertray.sim.chips.frames import crc_a


class Host:
    """Registers over SPI."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pad = Pad()
        self.chip = Mfrc522Chip(self.pad, self.clock)
        self.clock.advance_us(2000)

    def write(self, register: int, *values: int) -> None:
        self.chip.select()
        self.chip.exchange(bytes((register << 1, *values)))
        self.chip.deselect()

    def read(self, *registers: int) -> list[int]:
        self.chip.select()
        back = self.chip.exchange(bytes([0x80 | register << 1 for register in registers] + [0]))
        self.chip.deselect()
        return list(back[1:])

    def field(self) -> None:
        self.write(m.TX_ASK, 0x40)
        self.write(m.TX_CONTROL, 0x83)
        self.clock.advance_us(5000)

    def exchange(self, data: bytes, last_bits: int = 0, wait_us: int = 5000) -> bytes | None:
        self.write(m.COMMAND, m.IDLE)
        self.write(m.COM_IRQ, 0x7F)
        self.write(m.FIFO_LEVEL, 0x80)
        self.write(m.FIFO_DATA, *data)
        self.write(m.COMMAND, m.TRANSCEIVE)
        self.write(m.BIT_FRAMING, 0x80 | last_bits)
        self.clock.advance_us(wait_us)
        irq, level = self.read(m.COM_IRQ, m.FIFO_LEVEL)
        if not irq & m.IRQ_RX:
            return None
        return bytes(self.read(*[m.FIFO_DATA] * level))


@pytest.fixture
def host() -> Host:
    return Host()


def test_values_after_reset(host: Host) -> None:
    assert host.read(m.VERSION, m.COMMAND, m.MODE, m.TX_CONTROL, m.COM_IRQ) == [0x92, 0x20, 0x3F, 0x80, 0x14]
    for name, value in m.VERSIONS.items():
        chip = Mfrc522Chip(Pad(), host.clock, name)
        host.clock.advance_us(2000)
        chip.select()
        assert chip.exchange(bytes((0x80 | m.VERSION << 1, 0)))[1] == value
        chip.deselect()


def test_fifo(host: Host) -> None:
    host.write(m.FIFO_DATA, *range(64))
    assert host.read(m.FIFO_LEVEL, m.ERROR) == [64, 0]
    host.write(m.FIFO_DATA, 1)
    assert host.read(m.FIFO_LEVEL, m.ERROR) == [64, m.ERR_OVERFLOW]
    assert host.read(m.FIFO_DATA, m.FIFO_DATA, m.FIFO_LEVEL) == [0, 1, 62]
    host.write(m.FIFO_LEVEL, 0x80)
    assert host.read(m.FIFO_LEVEL, m.FIFO_DATA, m.ERROR) == [0, 0, 0]


def test_interrupt_bits_are_set_and_cleared_by_the_mark_bit(host: Host) -> None:
    host.write(m.COM_IRQ, 0x7F)
    assert host.read(m.COM_IRQ) == [0x00]
    host.write(m.COM_IRQ, 0x80 | 0x21)
    assert host.read(m.COM_IRQ) == [0x21]
    assert not host.chip.irq()
    host.write(m.COM_I_EN, 0x80 | 0x20)
    assert host.chip.irq()
    host.write(m.COM_IRQ, 0x20)
    assert host.read(m.COM_IRQ) == [0x01] and not host.chip.irq()


@pytest.mark.parametrize("preset", [0, 1, 2, 3])
def test_crc_coprocessor(host: Host, preset: int) -> None:
    host.write(m.MODE, 0x3C | preset)
    host.write(m.FIFO_DATA, *b"\x30\x04")
    host.write(m.DIV_IRQ, 0x04)
    host.write(m.COMMAND, m.CALC_CRC)
    assert host.read(m.DIV_IRQ)[0] & 0x04 == 0
    host.clock.advance_us(50)
    assert host.read(m.DIV_IRQ)[0] & 0x04
    result = bytes(host.read(m.CRC_LOW, m.CRC_HIGH))
    if preset == 1:
        # The check bytes of READ 04, as printed in many a data sheet's example.
        assert result == crc_a(b"\x30\x04") == b"\x26\xee"
    else:
        assert result != crc_a(b"\x30\x04")


@pytest.mark.parametrize(("prescaler", "reload", "expected_us"), [(169, 39, 1000), (169, 199, 5000), (3390, 1, 1000)])
def test_timer(host: Host, prescaler: int, reload: int, expected_us: int) -> None:
    host.write(m.T_MODE, prescaler >> 8)
    host.write(m.T_PRESCALER, prescaler & 0xFF)
    host.write(m.T_RELOAD_HIGH, reload >> 8)
    host.write(m.T_RELOAD_LOW, reload & 0xFF)
    host.write(m.COM_IRQ, 0x7F)
    host.write(m.CONTROL, 0x40)
    host.clock.advance_us(expected_us * 98 // 100)
    assert not host.read(m.COM_IRQ)[0] & m.IRQ_TIMER
    host.clock.advance_us(expected_us * 4 // 100)
    assert host.read(m.COM_IRQ)[0] & m.IRQ_TIMER
    host.write(m.COM_IRQ, 0x7F)
    host.write(m.CONTROL, 0x40)
    host.write(m.CONTROL, 0x80)
    host.clock.advance_us(expected_us * 2)
    assert not host.read(m.COM_IRQ)[0] & m.IRQ_TIMER, "stopped"


def test_request_and_the_states_of_a_tag(host: Host) -> None:
    tag = host.pad.put(make_tag("ntag213"))
    assert host.exchange(b"\x26", 7) is None, "no field"
    host.field()
    assert host.exchange(b"\x26", 7) == b"\x44\x00" and tag.state == "ready"
    assert host.exchange(b"\x26", 7) is None and tag.state == "idle"
    host.exchange(b"\x26", 7)
    for code in (0x93, 0x95):
        part = host.exchange(bytes((code, 0x20)))
        assert part is not None and len(part) == 5
        frame = bytes((code, 0x70)) + part
        answer = host.exchange(frame + crc_a(frame))
        assert answer is not None and answer[0] == (0x04 if code == 0x93 else 0x00)
    assert tag.state == "active"
    assert host.exchange(b"\x50\x00" + crc_a(b"\x50\x00")) is None and tag.state == "halt"
    assert host.exchange(b"\x26", 7) is None, "a halted tag does not hear REQA"
    assert host.exchange(b"\x52", 7) == b"\x44\x00", "but WUPA"
    assert host.exchange(b"\x26", 7) is None and tag.state == "halt", "and falls back to HALT, not to IDLE"


def test_tags_need_time_in_the_field_and_full_modulation(host: Host) -> None:
    host.pad.put(make_tag("classic"))
    host.write(m.TX_CONTROL, 0x83)
    host.clock.advance_us(6000)
    assert host.exchange(b"\x26", 7) is None, "10 % modulation"
    host.write(m.TX_ASK, 0x40)
    assert host.exchange(b"\x26", 7) == b"\x04\x00"
    host.write(m.TX_CONTROL, 0x80)
    host.clock.advance_us(6000)
    host.write(m.TX_CONTROL, 0x83)
    assert host.exchange(b"\x26", 7) is None, "too early"
    assert host.exchange(b"\x26", 7) == b"\x04\x00"


def test_check_bytes_by_the_chip(host: Host) -> None:
    host.pad.put(make_tag("classic"))
    host.field()
    host.exchange(b"\x26", 7)
    host.write(m.TX_MODE, 0x80)
    host.write(m.RX_MODE, 0x80)
    part = b"\xde\xad\xbe\xef\x22"
    assert host.exchange(b"\x93\x70" + part) == b"\x08"
    assert host.read(m.ERROR, m.CONTROL) == [0, 0]
    host.pad.take()
    host.pad.put(make_tag("bad-crc"))
    host.write(m.TX_CONTROL, 0x80)
    host.clock.advance_us(6000)
    host.field()
    host.write(m.RX_MODE, 0x00)
    host.exchange(b"\x26", 7)
    host.write(m.RX_MODE, 0x80)
    host.exchange(b"\x93\x70\xc0\xff\xee\x02\xd3")
    assert host.read(m.ERROR)[0] & m.ERR_CRC and host.read(m.COM_IRQ)[0] & m.IRQ_ERR


def test_collision_and_its_position(host: Host) -> None:
    host.pad.put(make_tag("classic", "01000000"))
    host.pad.put(make_tag("classic", "01080000"))
    host.field()
    assert host.exchange(b"\x26", 7) == b"\x04\x00" and host.read(m.ERROR) == [0]
    answer = host.exchange(b"\x93\x20")
    assert host.read(m.ERROR) == [m.ERR_COLL]
    # First unequal bit: bit 3 of the second byte, the twelfth of the frame.
    assert host.read(m.COLL)[0] & 0x3F == 12
    assert answer is not None and answer[0] == 0x01
    # Going on with that bit set finds one of them (the host's part of the anticollision loop).
    rest = host.exchange(b"\x93\x34\x01\x08", 4)
    assert rest is not None and host.read(m.ERROR) == [0]


def test_timer_ends_a_silent_exchange_and_stops_for_an_answer(host: Host) -> None:
    for register, value in ((m.T_MODE, 0x80), (m.T_PRESCALER, 169), (m.T_RELOAD_LOW, 39)):
        host.write(register, value)
    host.field()
    assert host.exchange(b"\x26", 7, wait_us=900) is None
    assert not host.read(m.COM_IRQ)[0] & m.IRQ_TIMER
    host.clock.advance_us(400)
    assert host.read(m.COM_IRQ)[0] & m.IRQ_TIMER
    host.pad.put(make_tag("classic"))
    host.clock.advance_us(6000)
    assert host.exchange(b"\x26", 7) == b"\x04\x00"
    assert not host.read(m.COM_IRQ)[0] & m.IRQ_TIMER


def test_the_answer_takes_its_time(host: Host) -> None:
    host.pad.put(make_tag("classic"))
    host.field()
    assert host.exchange(b"\x26", 7, wait_us=200) is None
    host.clock.advance_us(300)
    assert host.read(m.COM_IRQ)[0] & m.IRQ_RX


def test_soft_and_hard_reset(host: Host) -> None:
    host.write(m.T_PRESCALER, 169)
    host.field()
    host.write(m.COMMAND, m.SOFT_RESET)
    host.clock.advance_us(1000)
    assert host.read(m.T_PRESCALER) == [0] and not host.chip.field_on
    host.write(m.T_PRESCALER, 169)
    host.chip.reset(False)
    assert host.read(m.VERSION) == [0xFF]
    host.chip.reset(True)
    assert host.read(m.VERSION) == [0x00], "not ready yet"
    host.clock.advance_us(2000)
    assert host.read(m.VERSION, m.T_PRESCALER) == [0x92, 0]


def test_every_fault_can_be_put_on_and_taken_off(host: Host) -> None:
    host.pad.put(make_tag("classic"))
    for name in host.chip.faults():
        host.chip.fault(name)
        host.field()
        host.exchange(b"\x26", 7)
        host.chip.fault(name, on=False)
        host.chip.reset(False)
        host.chip.reset(True)
        host.clock.advance_us(6000)
        host.field()
        assert host.exchange(b"\x26", 7) == b"\x04\x00", name


def test_make_chip_knows_its_chips(host: Host) -> None:
    assert make_chip("mfrc522", Pad(), host.clock).name == "mfrc522"
    assert make_chip("pn532", Pad(), host.clock).name == "pn532"
    with pytest.raises(ValueError, match="rc522x"):
        make_chip("rc522x", Pad(), host.clock)
