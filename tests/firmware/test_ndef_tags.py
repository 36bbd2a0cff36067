"""NDEF messages through the station: read, write with read-back, and every way a tag says no."""

from firmware.reader_rig import Rig
from ordertray.sim.chips import Ntag, make_tag

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

ON_BOTH_INTERPRETERS = True

CHIPS = ("pn532", "mfrc522")
X = "04A1B2C3D4E5F6"
TEXT = b"\xd1\x01\x0eT\x02enorder token"


def ask(rig: Rig, *work: object) -> "dict[str, object]":
    """The station's one answer to a request to pad A."""
    answers: "list[dict[str, object]]" = []
    rig.station.request("A", work, answers.append)
    for _step in range(20000):
        if answers:
            break
        rig.step()
    rig.run_ms(40)
    assert len(answers) == 1, answers
    return answers[0]


def lift(rig: Rig) -> None:
    """Take what lies on pad A away, for good."""
    rig.pads[0].take()
    rig.run_ms(400)


def rig_with(chip: str, kind: str) -> "tuple[Rig, Ntag]":
    rig = Rig(chip, "mfrc522").run_ms(200)
    tag = rig.pads[0].put(make_tag(kind))
    rig.run_ms(300)
    return rig, tag


def test_write_and_read_back_on_every_ntag() -> None:
    for chip in CHIPS:
        for kind in ("ntag213", "ntag215", "ntag216"):
            rig, tag = rig_with(chip, kind)
            assert ask(rig, "read") == {"ok": True, "uid": X, "tag": kind, "ndef": ""}
            for message in (TEXT, b"", bytes(range(100)), TEXT):
                answer = ask(rig, "write", message)
                assert answer == {"ok": True, "uid": X, "tag": kind, "ndef": message.hex().upper()}
                assert ask(rig, "read")["ndef"] == message.hex().upper()
            # Nobody saw the tag come or go meanwhile.
            assert rig.taps() == ["placed " + X]
            # The lock control block of the 213 is still there.
            assert kind != "ntag213" or bytes(tag.memory[16:21]) == b"\x01\x03\xa0\x0c\x34"


def test_long_messages_need_three_length_bytes() -> None:
    for chip in CHIPS:
        rig, _tag = rig_with(chip, "ntag216")
        for size in (254, 255, 256, 600):
            message = bytes([number * 7 % 256 for number in range(size)])
            assert ask(rig, "write", message)["ok"] is True
            assert ask(rig, "read")["ndef"] == message.hex().upper()


def test_the_last_byte_fits_and_one_more_does_not() -> None:
    for chip in CHIPS:
        rig, tag = rig_with(chip, "ntag213")
        room = 144 - 5 - 2
        assert ask(rig, "write", bytes(room))["ok"] is True
        before = bytes(tag.memory)
        assert ask(rig, "write", bytes(room + 1)) == {"ok": False, "why": "too-long", "uid": X}
        assert bytes(tag.memory) == before


def test_locked_tags_are_left_alone() -> None:
    for chip in CHIPS:
        for place, value in ((10, 0x20), (15, 0x0F), (0x28 * 4, 0x01)):
            rig, tag = rig_with(chip, "ntag213")
            tag.memory[place] |= value
            before = bytes(tag.memory)
            assert ask(rig, "write", bytes(60)) == {"ok": False, "why": "locked", "uid": X}
            assert bytes(tag.memory) == before
            assert ask(rig, "read")["ok"] is True


def test_a_worn_page_is_found_by_reading_back() -> None:
    for chip in CHIPS:
        rig, tag = rig_with(chip, "ntag213")
        tag.worn_pages.append(8)
        assert ask(rig, "write", TEXT) == {"ok": False, "why": "verify", "uid": X}


def test_a_tag_pulled_away_while_it_is_written_keeps_no_half_message() -> None:
    for chip in CHIPS:
        whys = set()
        for frames in range(0, 45, 4):
            rig, tag = rig_with(chip, "ntag213")
            ask(rig, "write", b"the old message, which is longer")
            tag.pull_after(frames)
            answer = ask(rig, "write", TEXT)
            whys.add(answer.get("why", "ok"))
            tag.pull_after(-1)
            lift(rig)
            rig.run_ms(500)
            rig.pads[0].put(tag)
            rig.run_ms(200)
            left = ask(rig, "read")["ndef"]
            assert left in (b"the old message, which is longer".hex().upper(), "", TEXT.hex().upper()), left
        assert whys <= {"unreadable", "no-tag", "ok", "checksum"} and "unreadable" in whys, whys


def test_what_is_no_type_2_tag_or_no_tag_at_all() -> None:
    for chip in CHIPS:
        rig = Rig(chip, "mfrc522").run_ms(200)
        assert ask(rig, "read") == {"ok": False, "why": "no-tag"}
        rig.pads[0].put(make_tag("phone"))
        assert ask(rig, "read") == {"ok": False, "why": "phone"}
        lift(rig)
        rig.pads[0].put(make_tag("classic"))
        assert ask(rig, "write", TEXT) == {"ok": False, "why": "not-type-2", "uid": "DEADBEEF"}
        lift(rig)
        rig.pads[0].put(make_tag("bad-read"))
        assert ask(rig, "read")["why"] == "checksum"
        lift(rig)
        blank: "Any" = make_tag("ntag213")
        blank.memory[12:16] = bytes(4)
        rig.pads[0].put(blank)
        assert ask(rig, "read")["why"] == "not-type-2"
        lift(rig)
        none: "Any" = make_tag("ntag215", "04010101010101")
        none.memory[16:20] = b"\xfe\x00\x00\x00"
        rig.pads[0].put(none)
        assert ask(rig, "read")["why"] == "no-message"
        assert ask(rig, "write", TEXT)["ok"] is True


def test_damaged_memory_never_sends_the_reader_astray() -> None:
    for chip in CHIPS:
        for first_bytes in (
            b"\x03\xff\xff\xff",
            b"\x03\xc8\x00\x00",
            b"\x01\xff\x80\x00",
            b"\x44\xfe\x00\x00",
            bytes(4),
        ):
            rig, tag = rig_with(chip, "ntag213")
            tag.memory[16:160] = bytes(144)
            tag.memory[16:20] = first_bytes
            assert ask(rig, "read") == {"ok": False, "why": "no-message", "uid": X}, first_bytes
            assert rig.words("A") == ["ok"]


def test_requests_that_cannot_be() -> None:
    rig = Rig("pn532", "mfrc522", absent=(1,)).run_ms(1500)
    answers: "list[dict[str, object]]" = []
    rig.station.request("C", ("read",), answers.append)
    rig.station.request("B", ("read",), answers.append)
    rig.station.request("A", ("erase",), answers.append)
    rig.station.request("A", ("write",), answers.append)
    rig.station.request("A", (), answers.append)
    rig.station.request("A", ("read",), answers.append)
    rig.station.request("A", ("read",), answers.append)
    assert [answer["why"] for answer in answers] == [
        "no-pad",
        "reader-absent",
        "bad-request",
        "bad-request",
        "bad-request",
        "busy",
    ]


def test_a_reader_that_dies_in_the_middle_gives_an_answer() -> None:
    for chip in CHIPS:
        for wait_ms in range(0, 60, 7):
            rig, _tag = rig_with(chip, "ntag213")
            answers: "list[dict[str, object]]" = []
            rig.station.request("A", ("write", bytes(120)), answers.append)
            rig.run_ms(wait_ms)
            rig.chips[0].fault("dead")
            rig.run_ms(300)
            assert [answer["why"] for answer in answers] == ["reader-fault"], (chip, wait_ms, answers)
