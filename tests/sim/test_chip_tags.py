"""The simulated tags by their data sheets, and what several of them sound like together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.sim.chips import TAG_KINDS, Ntag, Pad, Phone, Tag, Timeline, make_tag
from ordertray.sim.chips.frames import Answer, crc_a, frame_us
from ordertray.sim.chips.rf import superpose
from ordertray.sim.chips.timeline import Clock


def powered(*tags: Tag) -> Pad:
    pad = Pad()
    for tag in tags:
        pad.put(tag)
    pad.field(True, 0)
    return pad


def select(pad: Pad, tag: Tag, now_us: int = 10000) -> None:
    assert pad.transmit(b"\x52", 7, now_us) is not None
    for level in range((len(tag.uid) - 4) // 3 + 1):
        frame = bytes((0x93 + 2 * level, 0x70)) + tag.level_bytes(level)
        assert pad.transmit(frame + crc_a(frame), 72, now_us) is not None
    assert tag.state == "active"


def ask(pad: Pad, body: bytes) -> Answer | None:
    return pad.transmit(body + crc_a(body), (len(body) + 2) * 8, 10000)


def test_crc_a_of_the_standard() -> None:
    # ISO/IEC 14443-3, annex B: 00 00 gives A0 1E; 12 34 gives 26 CF.
    assert crc_a(b"\x00\x00") == b"\xa0\x1e"
    assert crc_a(b"\x12\x34") == b"\x26\xcf"


def test_times_agree_with_the_data_sheet() -> None:
    # NTAG21x: the READ command lasts 368 us, its answer 1548 us.
    assert abs(frame_us(32) - 368) < 12
    assert abs(frame_us(144) - 1548) < 12


@pytest.mark.parametrize(
    ("kind", "pages", "size", "storage"),
    [("ntag213", 45, 18, 0x0F), ("ntag215", 135, 62, 0x11), ("ntag216", 231, 109, 0x13)],
)
def test_memory_of_the_ntags(kind: str, pages: int, size: int, storage: int) -> None:
    tag = Ntag(kind)
    pad = powered(tag)
    select(pad, tag)
    first = ask(pad, b"\x30\x00")
    assert first is not None and first.data[:3] + first.data[4:8] == tag.uid
    # Check bytes over cascade tag and UID, as the data sheet places them.
    assert first.data[3] == 0x88 ^ first.data[0] ^ first.data[1] ^ first.data[2]
    assert first.data[8] == first.data[4] ^ first.data[5] ^ first.data[6] ^ first.data[7]
    assert first.data[12:16] == bytes((0xE1, 0x10, size, 0x00))
    version = ask(pad, b"\x60")
    assert version is not None and version.data[:8] == bytes((0, 4, 4, 2, 1, 0, storage, 3))
    last = ask(pad, bytes((0x30, pages - 1)))
    assert last is not None and last.data[4:8] == first.data[:4], "READ rolls over to page 0"
    beyond = ask(pad, bytes((0x30, pages)))
    assert beyond is not None and beyond.bits == 4 and beyond.data[0] != 0x0A
    assert tag.state == "idle", "a NAK ends the ACTIVE state"


def test_write_locks_and_one_way_pages() -> None:
    tag = Ntag("ntag213")
    pad = powered(tag)
    select(pad, tag)
    done = ask(pad, b"\xa2\x06wxyz")
    assert done is not None and (done.bits, done.data[0]) == (4, 0x0A) and done.delay_us >= 4000
    assert bytes(tag.memory[24:28]) == b"wxyz"
    ask(pad, b"\xa2\x03\x00\x00\x00\x0f")
    assert bytes(tag.memory[12:16]) == b"\xe1\x10\x12\x0f", "the capability container is or-ed"
    ask(pad, b"\xa2\x02\xff\xff\x40\x00")
    assert bytes(tag.memory[8:10]) != b"\xff\xff" and tag.locked(6) and not tag.locked(7)
    refused = ask(pad, b"\xa2\x06abcd")
    assert refused is not None and refused.data[0] != 0x0A
    assert bytes(tag.memory[24:28]) == b"wxyz"
    select(pad, tag)
    ask(pad, b"\xa2\x28\x02\x00\x00\x00")
    assert tag.locked(18) and tag.locked(19) and not tag.locked(17) and not tag.locked(20)


def test_wrong_check_bytes_from_the_reader_are_silence() -> None:
    tag = Ntag()
    pad = powered(tag)
    select(pad, tag)
    assert pad.transmit(b"\x30\x00\x00\x00", 32, 10000) is None
    assert tag.state == "idle"


def test_a_short_gap_in_the_field_is_survived_a_long_one_is_not() -> None:
    tag = Ntag()
    pad = powered(tag)
    select(pad, tag)
    pad.field(False, 20000)
    pad.field(True, 21000)
    assert pad.transmit(b"\x30\x00" + crc_a(b"\x30\x00"), 32, 30000) is not None
    pad.field(False, 40000)
    pad.field(True, 46000)
    assert tag.state == "idle"


def test_phone_changes_its_number() -> None:
    tag = Phone()
    pad = powered(tag)
    first = tag.uid
    pad.field(False, 10000)
    pad.field(True, 20000)
    assert tag.uid != first and tag.uid[0] == first[0] == 0x08


def test_make_tag_and_bad_uids() -> None:
    assert {make_tag(kind).kind for kind in TAG_KINDS} >= {"ntag213", "ntag215", "ntag216", "phone"}
    for bad in ("0102", "0102030405", b"\x01" * 8):
        with pytest.raises(ValueError, match="UID has 4, 7 or 10 bytes"):
            Tag(bad)
    with pytest.raises(ValueError, match="7 bytes"):
        Ntag("ntag213", "01020304")
    with pytest.raises(ValueError, match="ntag999"):
        make_tag("ntag999")


BYTES = st.binary(min_size=5, max_size=5)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(BYTES, min_size=1, max_size=4))
def test_superposition_is_true_up_to_the_first_difference(frames: list[bytes]) -> None:
    heard = superpose([Answer(frame, 40) for frame in frames])
    assert heard is not None
    if len(set(frames)) == 1:
        assert heard.collision is None and heard.data == frames[0]
        return
    bits = [[frame[index >> 3] >> (index & 7) & 1 for index in range(40)] for frame in frames]
    first = next(index for index in range(40) if len({row[index] for row in bits}) > 1)
    assert heard.collision == first
    for index in range(first):
        assert heard.data[index >> 3] >> (index & 7) & 1 == bits[0][index]


def test_silence_and_frames_of_unequal_length() -> None:
    assert superpose([]) is None
    heard = superpose([Answer(b"\x0a", 4), Answer(b"\x0a\x00", 16)])
    assert heard is not None and heard.collision == 4 and heard.parity_error


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 1 << 28), max_size=30), st.integers(0, 1 << 30))
def test_the_timeline_never_wraps(steps: list[int], start: int) -> None:
    clock = Clock(start)
    timeline = Timeline(clock)
    total = 0
    for step in steps:
        clock.advance_us(step)
        total += step
        assert timeline.now() == total
