"""The PN532 driver against the simulated chip: frames, outcomes, and every way the chip goes wrong."""

from firmware.plain import raises
from firmware.reader_rig import Bench, finish
from ordertray.sim.chips import Ntag, Tag, make_tag
from ordertray_firmware.readers import (
    CHECKSUM,
    NONE,
    PHONE,
    TAG,
    TWO_TAGS,
    UNREADABLE,
    ReaderFault,
    TagFault,
    pn532,
    pn532_link,
)
from ordertray_firmware.readers import pn532_frames as frames
from ordertray_firmware.readers.waiting import advanced

try:
    from collections.abc import Generator
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

ON_BOTH_INTERPRETERS = True


def test_frames_are_built_as_the_manual_shows_them() -> None:
    buffer = bytearray(32)
    length = frames.build(buffer, 0x02, b"")
    assert bytes(buffer[:length]) == b"\x00\x00\xff\x02\xfe\xd4\x02\x2a\x00"
    assert "too long" in raises(ValueError, lambda: frames.build(buffer, 0x40, bytes(40)))
    assert "too long" in raises(ValueError, lambda: frames.build(bytearray(300), 0x40, bytes(254)))


def test_frames_are_found_behind_any_preamble() -> None:
    answer = b"\x00\x00\xff\x06\xfa\xd5\x03\x32\x01\x06\x07\xe8\x00"
    for extra in range(60):
        data = bytearray(bytes(extra) + answer)
        what, start, end = frames.find(data, len(data))
        assert (what, bytes(data[start:end])) == (frames.DATA, b"\xd5\x03\x32\x01\x06\x07")
    assert frames.find(bytearray(100), 100)[0] == frames.BAD
    assert frames.find(bytearray(frames.ACK_FRAME), 6)[0] == frames.ACK
    assert frames.find(bytearray(frames.NACK_FRAME), 6)[0] == frames.NACK
    assert frames.find(bytearray(b"\x00\x00\xff\x01\xff\x7f\x81\x00"), 8)[0] == frames.ERROR


def test_what_is_recognised_whole_is_what_the_long_way_finds() -> None:
    for line, what, body in (
        (pn532_link.ACK_LINE, frames.ACK, b""),
        (pn532._NO_TARGET_LINE, frames.DATA, b"\xd5\x4b\x00"),
        (pn532._FIELD_IS_OFF_LINE, frames.DATA, b"\xd5\x33"),
    ):
        # Filled up to the shortest answer, it was read behind one byte that says nothing.
        plain = bytearray(b"\xff" + frames.turned(line[1:]))
        assert line[0] == 0xFF
        found, start, end = frames.find(plain, len(plain))
        assert (found, bytes(plain[start:end])) == (what, body)
    for on_the_bus, code, params in (
        (pn532._PACKED_LOOK, 0x4A, b"\x02\x00"),
        (pn532._PACKED_FIELD_OFF, 0x32, b"\x01\x00"),
    ):
        built = bytearray(len(on_the_bus))
        length = frames.build(built, code, params)
        assert frames.turned(on_the_bus) == b"\x01" + bytes(built[:length])


def test_a_frame_cut_short_asks_for_the_rest_and_one_wrong_bit_is_noticed() -> None:
    answer = b"\x00\x00\xff\x06\xfa\xd5\x03\x32\x01\x06\x07\xe8\x00"
    for length in range(len(answer) - 1):
        assert frames.find(bytearray(answer), length)[0] == frames.SHORT
    for byte in range(3, 12):
        for bit in range(8):
            data = bytearray(answer)
            data[byte] ^= 1 << bit
            assert frames.find(data, len(data))[0] in (frames.BAD, frames.SHORT), (byte, bit)


def test_start_wakes_a_sleeping_chip_and_tells_its_version() -> None:
    bench = Bench("pn532")
    assert bench.chip.powered_mode == "asleep"
    bench.start()
    assert bench.driver.version == "1.6"
    assert bench.chip.sam_configured and not bench.chip.field_on


def test_each_kind_of_tag_has_its_outcome() -> None:
    expected = {
        "ntag213": (TAG, "04A1B2C3D4E5F6", "type2"),
        "ntag216": (TAG, "04A1B2C3D4E5F6", "type2"),
        "classic": (TAG, "DEADBEEF", "mifare-classic-1k"),
    }
    for kind, (outcome, uid, tag) in expected.items():
        for irq in (True, False):
            bench = Bench("pn532", irq).start()
            bench.pad.put(make_tag(kind))
            seen = bench.look()
            assert (seen.outcome, seen.uid, seen.tag) == (outcome, uid, tag)
            assert not bench.chip.field_on
            bench.pad.take()
            assert bench.look().outcome == NONE


def test_a_phone_is_told_from_a_tag() -> None:
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("phone"))
    seen = bench.look()
    assert seen.outcome == PHONE and seen.uid is not None and seen.uid[:2] == "08" and len(seen.uid) == 8


def test_uids_are_never_cut_and_never_grow() -> None:
    bench = Bench("pn532").start()
    for uid in ("01020304", "04112233445566", "04000000000000", "0411223344556677889A"):
        bench.pad.put(Tag(uid))
        assert bench.look().uid == uid
        bench.pad.take()


def test_two_tags_on_one_pad() -> None:
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("ntag213", "04A1B2C3D4E5F6"))
    bench.pad.put(make_tag("ntag213", "04A1B2C3D4E5F7"))
    assert bench.look().outcome == TWO_TAGS
    assert bench.look("04A1B2C3D4E5F6").outcome == TWO_TAGS


def test_how_long_a_look_may_take_is_learned_from_the_chip() -> None:
    bench = Bench("pn532").start()
    first_us = bench.driver.look_us
    assert first_us > 200000
    assert bench.look().outcome == NONE
    assert bench.driver.look_us == first_us  # an empty pad says nothing about tags
    bench.pad.put(make_tag("ntag213"))
    assert bench.look().outcome == TAG
    quick_us = bench.driver.look_us
    assert quick_us == 180000
    bench.chip.timing["look"] += 100000
    assert bench.look().outcome == TAG
    slow_us = bench.driver.look_us
    assert 220000 < slow_us < 240000
    bench.chip.timing["look"] -= 100000
    for _look in range(300):
        bench.look()
    assert bench.driver.look_us == slow_us  # kept for the run


def test_a_chip_that_has_become_much_slower_is_late_once_and_found_then() -> None:
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("ntag213"))
    assert bench.look().outcome == TAG
    bench.chip.timing["look"] += 180000
    assert bench.fault(bench.driver.look()) == "late"
    bench.do(bench.driver.settle())
    bench.clock.advance_us(6000)
    for _look in range(3):
        assert bench.look().outcome == TAG
    assert bench.driver.look_us > 380000


def test_a_chip_that_never_answers_a_look_is_late_and_then_at_fault() -> None:
    bench = Bench("pn532").start()
    whys = []
    for _look in range(5):
        bench.chip.fault("no-answer")
        whys.append(bench.fault(bench.driver.look()))
        bench.chip.fault("no-answer", on=False)
        bench.do(bench.driver.settle())
    assert whys == ["late", "late", "late", "no-answer", "no-answer"]


def test_a_chip_that_is_slow_to_acknowledge_is_granted_that_once_it_has_shown_life() -> None:
    bench = Bench("pn532").start()
    bench.chip.timing["ack"] = 8000
    assert bench.fault(bench.driver.look()) == "no-ack"
    bench.do(bench.driver.settle())
    for _look in range(3):
        assert bench.look().outcome == NONE


def test_the_chip_searches_by_itself_until_it_finds_something_or_a_second_is_over() -> None:
    for irq in (True, False):
        bench = Bench("pn532", irq).start()
        before = bench.clock.ticks_us()
        for _search in range(2):
            bench.driver.begin_search()
            assert bench.do(advanced(bench.driver)) is None
            assert bench.driver.sighting.outcome == NONE and bench.chip.field_on
        assert 2000000 <= bench.clock.ticks_us() - before < 2050000
        bench.driver.begin_search()
        for _step in range(100):
            bench.clock.advance_us(max(0, bench.driver.advance()))
        bench.pad.put(make_tag("ntag213"))
        before = bench.clock.ticks_us()
        bench.do(advanced(bench.driver))
        assert bench.driver.sighting.uid == "04A1B2C3D4E5F6"
        assert bench.clock.ticks_us() - before < 20000
        bench.do(bench.driver.close())
        bench.pad.take()
        # And is told to look once again.
        assert bench.look().outcome == NONE
        assert bench.chip._max_retries == 0


def test_a_tag_that_lies_there_is_seen_at_every_look() -> None:
    # The chip asks with REQA, which a tag left selected does not hear: without antenna off every second look is blind.
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("ntag213"))
    assert [bench.look("04A1B2C3D4E5F6").outcome for _look in range(10)] == [TAG] * 10


def test_identify_tells_the_ntags_apart() -> None:
    for kind in ("ntag213", "ntag215", "ntag216"):
        for blank in (False, True):
            bench = Bench("pn532").start()
            tag = bench.pad.put(make_tag(kind))
            if blank:
                # No capability container: GET_VERSION tells.
                tag.memory[12:16] = bytes(4)
            assert bench.do(bench.driver.look()).outcome == TAG
            assert bench.do(bench.driver.identify()) == kind


def test_a_bad_copy_is_told_by_hand() -> None:
    for kind in ("bad-bcc", "bad-crc"):
        bench = Bench("pn532").start()
        assert bench.look().outcome == NONE
        bench.pad.put(make_tag(kind))
        outcomes = [bench.look().outcome for _look in range(4)]
        assert CHECKSUM in outcomes and set(outcomes) == {NONE, CHECKSUM}, outcomes


def test_spoilt_memory_is_a_checksum_fault() -> None:
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("bad-read"))
    assert bench.do(bench.driver.look()).outcome == TAG
    try:
        bench.do(bench.driver.identify())
    except TagFault as fault:
        assert fault.why == CHECKSUM
    else:
        raise AssertionError("read in spite of wrong check bytes")


def test_a_tag_pulled_away_at_any_moment_leaves_no_half_truth() -> None:
    for frames_answered in range(14):
        bench = Bench("pn532").start()
        tag = bench.pad.put(make_tag("ntag213"))
        tag.pull_after(frames_answered)
        seen = bench.do(bench.driver.look())
        assert seen.outcome in (TAG, NONE, UNREADABLE)
        if seen.outcome == TAG:
            assert seen.uid == "04A1B2C3D4E5F6"
            try:
                assert bench.do(bench.driver.identify()) == "ntag213"
            except TagFault as fault:
                assert fault.why == UNREADABLE
        bench.do(bench.driver.close())


def test_a_stale_answer_is_not_taken_for_the_next_commands() -> None:
    bench = Bench("pn532").start()
    bench.chip.fault("echo-stale")
    assert bench.do(bench.driver.command(0x02, b"")) == b"\x32\x01\x06\x07"
    assert bench.driver.stale_answers == 1


def test_a_command_given_up_is_cancelled_before_the_next() -> None:
    for steps in range(1, 30):
        bench = Bench("pn532").start()
        bench.pad.put(make_tag("ntag213"))
        look = bench.driver.look()
        for _step in range(steps):
            bench.clock.advance_us(max(next(look, 0), 50))
        look.close()
        assert not bench.chip.selected
        assert bench.do(bench.driver.command(0x02, b"")) == b"\x32\x01\x06\x07"
        assert bench.driver.stale_answers == 0


def test_the_chip_is_told_never_to_wait_for_ever() -> None:
    bench = Bench("pn532").start()
    assert bench.chip._max_retries == 0
    before = bench.clock.ticks_us()
    assert bench.do(bench.driver.look()).outcome == NONE
    assert bench.clock.ticks_us() - before < 9000


def test_long_preambles_are_read_through() -> None:
    for extra in (1, 5, 11, 12, 13, 30, 60):
        bench = Bench("pn532").start()
        bench.chip.fault("long-preamble", bytes=extra)
        bench.pad.put(make_tag("ntag213"))
        assert bench.look().uid == "04A1B2C3D4E5F6"


def test_a_spoilt_frame_is_asked_for_again_once() -> None:
    bench = Bench("pn532").start()
    bench.pad.put(make_tag("ntag213"))
    bench.chip.fault("bad-checksum", count=1)
    assert bench.look().uid == "04A1B2C3D4E5F6"
    assert bench.driver.resent == 1
    bench.chip.fault("bad-checksum")
    assert bench.fault(bench.driver.look()) == "bad-frame"


def test_every_fault_ends_in_time_with_its_word_and_chip_select_high() -> None:
    words = {
        "dead": ("no-chip",),
        "hang": ("no-chip",),
        "no-ack": ("no-ack",),
        "no-answer": ("late", "no-answer"),
        "nack": ("nack",),
        "bad-checksum": ("bad-frame",),
        "bad-length": ("bad-frame",),
        "error-frame": ("refused-command",),
        "brown-out": ("no-chip", "no-ack"),
    }
    for name in sorted(words):
        for irq in (True, False):
            bench = Bench("pn532", irq).start()
            bench.chip.fault(name)
            before = bench.clock.ticks_us()
            why = bench.fault(bench.driver.look())
            assert why in words[name], (name, why)
            assert bench.clock.ticks_us() - before < (250000 if name == "no-answer" else 16000), name


def test_chip_select_is_high_after_an_error_in_the_middle_of_a_transfer() -> None:
    bench = Bench("pn532").start()

    def broken(write: object, read_into: object = None) -> None:
        raise KeyboardInterrupt

    bench.bus.write = bench.bus.write_readinto = broken
    for _attempt in range(2):
        try:
            finish(bench.clock, bench.driver.look())
        except KeyboardInterrupt:
            pass
        assert not bench.chip.selected


def test_another_chip_is_not_taken_for_a_pn532() -> None:
    bench = Bench("pn532")
    bench.chip._get_firmware_version = lambda params: iter_bytes(b"\x07\x00\x00\x00")
    assert bench.fault(bench.driver.start()) == "not-a-pn532"


def iter_bytes(data: bytes) -> "Generator[int, None, bytes]":
    """A command of the chip that gives this."""
    yield 0
    return data


def test_the_reset_line_ends_a_hang() -> None:
    bench = Bench("pn532").start()
    bench.chip.fault("hang")
    assert bench.fault(bench.driver.start()) == "no-chip"
    bench.do(bench.driver.hard_reset())
    bench.start()
    assert bench.look().outcome == NONE


def test_an_interrupt_line_that_breaks_later_is_found_out() -> None:
    bench = Bench("pn532").start()
    bench.bus.irq = lambda: False
    bench.pad.put(make_tag("ntag213"))
    assert bench.look().uid == "04A1B2C3D4E5F6"


def test_write_goes_to_the_tag_and_a_refusal_is_a_tag_fault() -> None:
    bench = Bench("pn532").start()
    tag = bench.pad.put(make_tag("ntag213"))
    assert isinstance(tag, Ntag)
    bench.do(bench.driver.look())
    bench.do(bench.driver.activate())
    bench.do(bench.driver.write(4, b"abcd"))
    assert bytes(tag.memory[16:20]) == b"abcd"
    tag.memory[10] = 0xF0
    try:
        bench.do(bench.driver.write(5, b"abcd"))
    except TagFault as fault:
        assert fault.why == UNREADABLE
    else:
        raise AssertionError("wrote a locked page")


def test_make_reader_knows_its_chips() -> None:
    from ordertray_firmware.readers import make_reader

    assert "rc522" in raises(ValueError, lambda: make_reader("rc522", None, None))  # type: ignore[arg-type]
    assert issubclass(ReaderFault, Exception)
