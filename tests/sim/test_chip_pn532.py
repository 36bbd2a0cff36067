"""The simulated PN532 by itself: bytes as in the user manual, no driver."""

from __future__ import annotations

import pytest

from ordertray.sim.chips import Clock, Pad, Pn532Chip, make_tag
from ordertray.sim.chips.pn532 import build_frame, reverse_bits

ACK = b"\x00\x00\xff\x00\xff\x00"
LIST_ONE = b"\xd4\x4a\x01\x00"


class Host:
    """Speaks to the chip in the manual's bit order."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.pad = Pad()
        self.chip = Pn532Chip(self.pad, self.clock)

    def pass_ms(self, milliseconds: float) -> None:
        self.clock.advance_us(int(milliseconds * 1000))

    def raw(self, data: bytes) -> bytes:
        self.chip.select()
        back = self.chip.exchange(bytes(reverse_bits(byte) for byte in data))
        self.chip.deselect()
        return bytes(reverse_bits(byte) for byte in back)

    def send(self, body: bytes) -> None:
        self.raw(b"\x01" + build_frame(body))

    def ready(self) -> bool:
        return self.raw(b"\x02\x00")[1] == 0x01

    def fetch(self, length: int = 40) -> bytes:
        return self.raw(b"\x03" + bytes(length))[1:]

    def wake(self) -> None:
        self.pass_ms(5)
        self.chip.select()
        self.pass_ms(2.1)
        self.chip.deselect()
        self.ask(b"\xd4\x14\x01\x00\x01")

    def ask(self, body: bytes, wait_ms: float = 100) -> bytes:
        """The answer's TFI and data."""
        self.send(body)
        self.pass_ms(1)
        assert self.fetch().startswith(ACK)
        self.pass_ms(wait_ms)
        assert self.ready(), "no answer"
        answer = self.fetch()
        assert answer[:3] == b"\x00\x00\xff" and (answer[3] + answer[4]) & 0xFF == 0
        body = answer[5 : 5 + answer[3]]
        assert (sum(body) + answer[5 + answer[3]]) & 0xFF == 0
        return body


@pytest.fixture
def host() -> Host:
    host = Host()
    host.wake()
    return host


def test_asleep_until_chip_select_was_low_long_enough() -> None:
    host = Host()
    host.pass_ms(5)
    host.send(b"\xd4\x02")
    host.pass_ms(20)
    assert not host.chip.commands, "the first command woke it and was lost"
    host.send(b"\xd4\x02")
    host.pass_ms(1)
    assert host.chip.commands == [0x02] and host.fetch().startswith(ACK)


def test_firmware_version_byte_by_byte(host: Host) -> None:
    host.send(b"\xd4\x02")
    assert not host.ready()
    host.pass_ms(1)
    assert host.ready() and host.chip.irq()
    assert host.fetch(6) == ACK
    host.pass_ms(1)
    assert host.fetch(14) == b"\x00\x00\xff\x06\xfa\xd5\x03\x32\x01\x06\x07\xe8\x00\x00"
    assert not host.chip.irq()


@pytest.mark.parametrize(
    "frame",
    [
        b"\x00\x00\xff\x02\xfd\xd4\x02\x2a\x00",  # length checksum
        b"\x00\x00\xff\x02\xfe\xd4\x02\x2b\x00",  # data checksum
        b"\x00\x00\xff\x02\xfe\xd4",  # cut short
        b"\x00\x00\xff\x02\xfe\xd5\x02\x29\x00",  # not from a host
        b"",
    ],
)
def test_spoilt_frames_of_the_host_are_not_answered(host: Host, frame: bytes) -> None:
    host.raw(b"\x01" + frame)
    host.pass_ms(50)
    assert not host.ready()


def test_unknown_command_and_wrong_parameters_get_the_error_frame(host: Host) -> None:
    for body in (b"\xd4\x99", b"\xd4\x32\x05\x00", b"\xd4\x4a\x03\x00"):
        host.send(body)
        host.pass_ms(1)
        host.fetch()
        host.pass_ms(5)
        assert host.fetch(8) == b"\x00\x00\xff\x01\xff\x7f\x81\x00"


def test_no_rf_work_before_sam_configuration() -> None:
    host = Host()
    host.pass_ms(5)
    host.chip.select()
    host.pass_ms(2.1)
    host.chip.deselect()
    assert host.ask(b"\xd4\x02")[1] == 0x03
    host.send(LIST_ONE)
    host.pass_ms(1)
    host.fetch()
    host.pass_ms(50)
    # Acknowledged, and then nothing.
    assert not host.chip.irq() and host.fetch(8) == bytes(8)


def test_list_passive_target_waits_for_ever_unless_configured(host: Host) -> None:
    host.send(LIST_ONE)
    host.pass_ms(1)
    host.fetch()
    host.pass_ms(60000)
    assert not host.ready()
    host.pad.put(make_tag("classic"))
    host.pass_ms(50)
    assert host.fetch(20)[5:17] == b"\xd5\x4b\x01\x01\x00\x04\x08\x04\xde\xad\xbe\xef"
    host.pad.take()
    assert host.ask(b"\xd4\x32\x05\xff\x01\x02") == b"\xd5\x33"
    assert host.ask(LIST_ONE, 30) == b"\xd5\x4b\x00"


def test_an_uncancelled_command_answers_in_the_next_ones_place(host: Host) -> None:
    host.send(LIST_ONE)
    host.pass_ms(1)
    host.fetch()
    host.send(b"\xd4\x02")
    host.pass_ms(200)
    assert host.fetch(6) == ACK
    host.pad.put(make_tag("classic"))
    host.pass_ms(50)
    assert host.fetch()[5:7] == b"\xd5\x4b", "the old command's answer comes first"
    assert host.fetch()[5:7] == b"\xd5\x03"


def test_an_ack_from_the_host_cancels(host: Host) -> None:
    host.send(LIST_ONE)
    host.pass_ms(1)
    host.fetch()
    host.raw(b"\x01" + ACK)
    host.pad.put(make_tag("classic"))
    host.pass_ms(200)
    assert not host.ready()
    assert host.ask(b"\xd4\x02")[:2] == b"\xd5\x03"


def test_a_nack_from_the_host_repeats_the_answer(host: Host) -> None:
    first = host.ask(b"\xd4\x02")
    host.raw(b"\x01\x00\x00\xff\xff\x00\x00")
    host.pass_ms(1)
    assert host.fetch()[5:11] == first


def test_seven_byte_uid_with_sens_res_high_byte_first(host: Host) -> None:
    host.pad.put(make_tag("ntag213"))
    assert host.ask(LIST_ONE) == b"\xd5\x4b\x01\x01\x00\x44\x00\x07\x04\xa1\xb2\xc3\xd4\xe5\xf6"


def test_a_tag_left_active_is_missed_every_second_time(host: Host) -> None:
    """REQA sends an active tag back to IDLE without an answer; known from the field with 7-byte UIDs."""
    host.ask(b"\xd4\x32\x05\x00\x00\x00")
    host.pad.put(make_tag("ntag213"))
    assert [host.ask(LIST_ONE)[2] for _time in range(6)] == [1, 0, 1, 0, 1, 0]


def test_two_targets_and_exchange_with_each(host: Host) -> None:
    host.pad.put(make_tag("ntag213", "04A1B2C3D4E5F6"))
    host.pad.put(make_tag("ntag215", "04A1B2C3D4E5F7"))
    answer = host.ask(b"\xd4\x4a\x02\x00")
    assert answer[2] == 2
    sizes = {host.ask(b"\xd4\x40" + bytes((number, 0x30, 3)))[2:][2 + 1] for number in (1, 2, 1)}
    assert sizes == {0x12, 0x3E}
    assert host.ask(b"\xd4\x40\x03\x30\x03")[2] == 0x27


def test_antenna_by_rf_configuration(host: Host) -> None:
    host.ask(b"\xd4\x32\x01\x01")
    assert host.chip.field_on
    host.ask(b"\xd4\x32\x01\x00")
    assert not host.chip.field_on
    host.ask(b"\xd4\x32\x05\x00\x00\x00")
    host.ask(LIST_ONE)
    assert host.chip.field_on, "the command puts it on by itself"


def test_an_exchange_with_a_tag_that_is_gone_times_out(host: Host) -> None:
    host.pad.put(make_tag("ntag213"))
    host.ask(LIST_ONE)
    host.pad.take()
    assert host.ask(b"\xd4\x40\x01\x30\x03") == b"\xd5\x41\x01"


def test_a_phone_sends_its_ats_unless_told_not_to(host: Host) -> None:
    host.pad.put(make_tag("phone"))
    host.ask(b"\xd4\x32\x05\x00\x00\x00")
    with_ats = host.ask(LIST_ONE)
    host.ask(b"\xd4\x32\x01\x00")
    host.ask(b"\xd4\x12\x00")
    without = host.ask(LIST_ONE)
    assert len(with_ats) == len(without) + 5 and without[8] == 0x08
    assert with_ats[8:12] != without[8:12], "random at each power-up"


def test_power_down_sleeps_and_chip_select_wakes(host: Host) -> None:
    assert host.ask(b"\xd4\x16\xf0") == b"\xd5\x17\x00"
    assert host.chip.powered_mode == "asleep"
    host.send(b"\xd4\x02")
    assert host.chip.powered_mode == "waking"
    host.pass_ms(3)
    assert host.ask(b"\xd4\x02")[:2] == b"\xd5\x03", "and nothing was forgotten"


def test_reset_line_and_brown_out_forget_the_configuration(host: Host) -> None:
    for what in ("reset", "brown-out"):
        host.ask(b"\xd4\x32\x05\x00\x00\x00")
        if what == "reset":
            host.chip.reset(False)
            assert host.fetch(3) == b"\xff\xff\xff"
            host.chip.reset(True)
        else:
            host.chip.fault("brown-out")
        host.wake()
        host.send(LIST_ONE)
        host.pass_ms(1)
        host.fetch()
        host.pass_ms(1000)
        assert not host.ready(), "retries for ever again"
        host.raw(b"\x01" + ACK)


def test_faults_show_on_the_wire(host: Host) -> None:
    chip = host.chip
    chip.fault("long-preamble", bytes=9)
    host.send(b"\xd4\x02")
    host.pass_ms(1)
    assert host.fetch(15) == bytes(9) + ACK
    host.pass_ms(1)
    assert host.fetch(20)[9:14] == b"\x00\x00\xff\x06\xfa"
    chip.fault("long-preamble", on=False)
    chip.fault("bad-checksum", count=1)
    host.send(b"\xd4\x02")
    host.pass_ms(1)
    host.fetch()
    host.pass_ms(1)
    assert sum(host.fetch(13)[5:12]) & 0xFF != 0
    assert host.ask(b"\xd4\x02")[:2] == b"\xd5\x03"
    chip.fault("hang")
    host.send(b"\xd4\x02")
    host.pass_ms(50)
    assert not host.ready()
    chip.reset(False)
    chip.reset(True)
    host.wake()
    with pytest.raises(ValueError, match="no fault 'smoke'"):
        chip.fault("smoke")
    assert set(chip.faults()) >= {"dead", "hang", "brown-out", "long-preamble", "bad-checksum", "no-answer"}


def test_every_fault_can_be_put_on_and_taken_off(host: Host) -> None:
    host.pad.put(make_tag("ntag213"))
    for name in host.chip.faults():
        host.chip.fault(name)
        host.send(LIST_ONE)
        host.pass_ms(30)
        host.fetch()
        host.chip.fault(name, on=False)
        host.chip.reset(False)
        host.chip.reset(True)
        host.wake()
        assert host.ask(LIST_ONE)[2] == 1, name
