"""The MFRC522 driver against the simulated chip: outcomes, tag states, and every way the chip goes wrong."""

from firmware.reader_rig import Bench, finish
from ordertray.sim.chips import Tag, make_chip, make_tag
from ordertray_firmware.readers import CHECKSUM, NONE, PHONE, TAG, TWO_TAGS, UNREADABLE, TagFault

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

ON_BOTH_INTERPRETERS = True


def test_start_tells_originals_from_copies() -> None:
    for version, expected in (
        (0x91, "0x91 (1.0)"),
        (0x92, "0x92 (2.0)"),
        (0x88, "0x88 (copy)"),
        (0x12, "0x12 (copy)"),
        (0xB2, "0xB2 (copy)"),
    ):
        bench = Bench("mfrc522", version=version).start()
        assert bench.driver.version == expected
        bench.pad.put(make_tag("ntag213"))
        assert bench.look().uid == "04A1B2C3D4E5F6"


def test_each_kind_of_tag_has_its_outcome() -> None:
    for kind, uid, tag in (
        ("ntag213", "04A1B2C3D4E5F6", "type2"),
        ("ntag215", "04A1B2C3D4E5F6", "type2"),
        ("classic", "DEADBEEF", "mifare-classic-1k"),
    ):
        bench = Bench("mfrc522").start()
        bench.pad.put(make_tag(kind))
        seen = bench.look()
        assert (seen.outcome, seen.uid, seen.tag) == (TAG, uid, tag)
        assert not bench.chip.field_on
        bench.pad.take()
        assert bench.look().outcome == NONE


def test_phone_and_bad_copies() -> None:
    for kind, outcome in (("phone", PHONE), ("bad-bcc", CHECKSUM), ("bad-crc", CHECKSUM)):
        bench = Bench("mfrc522").start()
        bench.pad.put(make_tag(kind))
        assert [bench.look().outcome for _look in range(3)] == [outcome] * 3


def test_uids_are_never_cut_and_the_check_byte_is_no_part_of_them() -> None:
    bench = Bench("mfrc522").start()
    for uid in ("01020304", "04112233445566", "04000000000000", "0411223344556677889A"):
        bench.pad.put(Tag(uid))
        assert bench.look().uid == uid
        bench.pad.take()


def test_two_tags_collide_wherever_they_differ() -> None:
    for first, second in (
        ("04A1B2C3D4E5F6", "04A1B2C3D4E5F7"),
        ("04A1B2C3D4E5F6", "05A1B2C3D4E5F6"),
        ("04A1B2C3D4E5F6", "DEADBEEF"),
        ("DEADBEEF", "DEADBEEE"),
    ):
        bench = Bench("mfrc522").start()
        for uid in (first, second):
            bench.pad.put(Tag(uid, 0x0044 if len(uid) == 14 else 0x0004))
        assert bench.look().outcome == TWO_TAGS
        assert bench.look(first).outcome == TWO_TAGS


def test_a_weak_second_tag_is_found_once_the_first_is_silent() -> None:
    bench = Bench("mfrc522").start()
    bench.pad.put(make_tag("ntag213", "04A1B2C3D4E5F6"))
    weak: "Any" = make_tag("classic")
    bench.pad.put(weak)
    answer = weak.receive

    def drowned(frame: bytes, bits: int, now_us: int) -> object:
        # Heard only when the other does not speak at the same time.
        strong = bench.pad.tags[0]
        return answer(frame, bits, now_us) if strong.state == "halt" else None

    weak.receive = drowned
    assert bench.look().outcome == TWO_TAGS


def test_a_halted_tag_is_seen_again_although_the_field_stays_on() -> None:
    bench = Bench("mfrc522").start()
    tag = bench.pad.put(make_tag("ntag213"))
    for _look in range(5):
        assert bench.do(bench.driver.look("04A1B2C3D4E5F6")).outcome == TAG
        assert tag.state == "halt"
        assert bench.chip.field_on


def test_identify_tells_the_ntags_apart() -> None:
    for kind in ("ntag213", "ntag215", "ntag216"):
        for blank in (False, True):
            bench = Bench("mfrc522").start()
            tag = bench.pad.put(make_tag(kind))
            if blank:
                tag.memory[12:16] = bytes(4)
            assert bench.do(bench.driver.look()).outcome == TAG
            assert bench.do(bench.driver.identify()) == kind


def test_a_tag_pulled_away_at_any_moment_leaves_no_half_truth() -> None:
    outcomes = set()
    for frames_answered in range(14):
        bench = Bench("mfrc522").start()
        tag = bench.pad.put(make_tag("ntag213"))
        tag.pull_after(frames_answered)
        seen = bench.do(bench.driver.look())
        outcomes.add(seen.outcome)
        if seen.outcome == TAG:
            assert seen.uid == "04A1B2C3D4E5F6"
            try:
                assert bench.do(bench.driver.identify()) == "ntag213"
            except TagFault as fault:
                assert fault.why == UNREADABLE
        bench.do(bench.driver.close())
    assert outcomes == {NONE, UNREADABLE, TAG}


def test_every_fault_ends_in_time_with_its_word_and_chip_select_high() -> None:
    words = {"dead": "no-answer", "hang": "no-answer", "stuck": "no-answer", "brown-out": ("forgot", "no-answer")}
    for name in sorted(words):
        bench = Bench("mfrc522").start()
        bench.chip.fault(name)
        before = bench.clock.ticks_us()
        why = bench.fault(bench.driver.look())
        assert why in words[name], (name, why)
        assert bench.clock.ticks_us() - before < 13000, name
    for value in (0x00, 0xFF, 0x92, 0x5A):
        bench = Bench("mfrc522").start()
        bench.chip.fault("frozen", value=value)
        assert bench.fault(bench.driver.look()) in ("no-answer", "forgot")


def test_a_chip_lost_in_the_middle_of_a_look_is_never_taken_for_a_tag() -> None:
    for kind in (None, "ntag213"):
        for name in ("dead", "hang", "stuck", "frozen", "brown-out"):
            for steps in range(1, 60):
                bench = Bench("mfrc522").start()
                if kind:
                    bench.pad.put(make_tag(kind))
                look = bench.driver.look()
                seen = None
                try:
                    for step in range(400):
                        if step == steps:
                            bench.chip.fault(name, value=0xFF)
                        bench.clock.advance_us(max(next(look), 50))
                except StopIteration as stop:
                    seen = stop.value
                except Exception as fault:
                    assert getattr(fault, "why", "") in ("no-answer", "forgot"), fault
                assert not bench.chip.selected
                if seen is not None and name in ("dead", "stuck", "frozen"):
                    assert seen.outcome in ((NONE, TAG) if kind else (NONE,)), (name, steps, seen)


def test_chip_select_is_high_after_an_error_in_the_middle_of_a_transfer() -> None:
    bench = Bench("mfrc522").start()

    def broken(write: object, read_into: object = None) -> None:
        raise KeyboardInterrupt

    bench.bus.write = bench.bus.write_readinto = broken
    try:
        finish(bench.clock, bench.driver.look())
    except KeyboardInterrupt:
        pass
    assert not bench.chip.selected


def test_a_copy_whose_crc_unit_is_broken_is_refused() -> None:
    bench = Bench("mfrc522")
    happen = bench.chip._happen

    def wrong(when: int, what: str, answer: object) -> None:
        happen(when, what, answer)
        if what == "crc":
            bench.chip.registers[0x22] ^= 1

    bench.chip._happen = wrong
    assert bench.fault(bench.driver.start()) == "bad-crc-unit"


def test_resets_bring_it_back() -> None:
    bench = Bench("mfrc522").start()
    bench.chip.fault("brown-out")
    bench.clock.advance_us(5000)
    assert bench.fault(bench.driver.look()) == "forgot"
    bench.do(bench.driver.soft_reset())
    bench.start()
    assert bench.look().outcome == NONE
    bench.chip.fault("hang")
    bench.do(bench.driver.hard_reset())
    bench.start()
    assert bench.look().outcome == NONE


def test_an_empty_line_is_no_chip() -> None:
    bench = Bench("mfrc522")
    bench.chip.fault("dead")
    assert bench.fault(bench.driver.start()) == "no-answer"
    assert make_chip("mfrc522", bench.pad, bench.clock).name == "mfrc522"


def test_write_and_its_refusal() -> None:
    bench = Bench("mfrc522").start()
    tag = bench.pad.put(make_tag("ntag213"))
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
