"""The station over simulated chips: turns, latencies, presence end to end, and the health ladder."""

import sys

from firmware.reader_rig import Rig, finish, median, other_pads_delay_us, tap_latencies_us
from ordertray.sim.chips import Dice, make_tag

try:
    from collections.abc import Generator
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

ON_BOTH_INTERPRETERS = True

ALIKE = (("pn532", "pn532"), ("mfrc522", "mfrc522"))
UNLIKE = (("pn532", "mfrc522"), ("mfrc522", "pn532"))
#: MicroPython takes eight times as long: each chip on each pad there, every pair and moment on CPython.
SLOW = sys.implementation.name == "micropython"
KINDS = UNLIKE if SLOW else ALIKE + UNLIKE
MOMENTS_US = range(0, 18000, 4500 if SLOW else 1500)
X = "04A1B2C3D4E5F6"
Y = "04FFFFFFFFFFFF"


def test_each_pad_is_polled_every_20_ms() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(2000)
        for index in (0, 1):
            assert max(rig.gaps_us(index, 300000)) <= 20000, chips
        assert rig.events == []
        assert [pad["health"] for pad in rig.station.describe()] == ["ok", "ok"]


def test_no_step_holds_the_loop_for_5_ms() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(300)
        rig.pads[0].put(make_tag("ntag213"))
        rig.pads[1].put(make_tag("phone"))
        rig.run_ms(500)
        # A chip that hangs leaves its antenna as it was.
        rig.chips[1].fault("hang")
        rig.run_ms(500)
        assert rig.longest_step_us < 5000, (chips, rig.longest_step_us)


def test_from_tag_to_event_on_a_pn532() -> None:
    for chips in (("pn532", "pn532"), ("pn532", "mfrc522")):
        found = tap_latencies_us(chips, 40)
        assert median(found) <= 20000 and max(found) <= 40000, (chips, median(found), max(found))


def test_from_tag_to_event_on_an_mfrc522() -> None:
    for chips in (("mfrc522", "mfrc522"), ("mfrc522", "pn532")):
        found = tap_latencies_us(chips, 40)
        assert median(found) <= 25000 and max(found) <= 60000, (chips, median(found), max(found))


def test_a_dead_reader_costs_the_other_no_more_than_5_ms() -> None:
    for chips, faults in (
        (("pn532", "pn532"), ("dead", "hang", "brown-out", "no-ack", "bad-checksum", "nack", "error-frame")),
        (("pn532", "mfrc522"), ("dead", "hang", "brown-out", "stuck", "frozen")),
        (("mfrc522", "pn532"), ("dead", "hang", "brown-out", "no-ack")),
    ):
        for fault in faults:
            for moment_us in MOMENTS_US:
                delay = other_pads_delay_us(chips, fault, 1200, moment_us)
                assert delay <= 5000, (chips, fault, moment_us, delay)


def test_a_chip_that_acknowledges_and_never_answers_costs_the_other_little_and_once() -> None:
    rig = Rig("pn532", "pn532").run_ms(1000)
    healthy = max(rig.gaps_us(0, 300000))
    for moment_us in MOMENTS_US:
        # A look at a tag takes as long: the other pad is not looked at later than beside a tag that lies there.
        assert healthy + other_pads_delay_us(("pn532", "pn532"), "no-answer", 1200, moment_us) <= 24000
    rig.chips[1].fault("no-answer")
    rig.run_ms(200)
    assert max(rig.gaps_us(0, rig.now_us() - 100000)) <= healthy


def test_two_readers_that_fail_at_once_both_come_back() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(500)
        for chip in rig.chips:
            chip.fault("brown-out")
        rig.run_ms(3000)
        assert [pad["health"] for pad in rig.station.describe()] == ["ok", "ok"], chips
        for index in (0, 1):
            assert max(rig.gaps_us(index, rig.now_us() - 500000)) <= 20000, chips


def test_a_reader_back_from_trouble_has_its_turn_again_among_any_number_of_pads() -> None:
    mixed = ("pn532", "mfrc522", "mfrc522", "pn532")
    for chips in (("pn532",) * 3, ("mfrc522",) * 3, ("pn532",) * 4, ("mfrc522",) * 4, mixed, ("pn532",), ("mfrc522",)):
        for index in range(len(chips)):
            rig = Rig(*chips).run_ms(200)
            rig.chips[index].fault("brown-out")
            rig.run_ms(700)
            assert [pad["health"] for pad in rig.station.describe()] == ["ok"] * len(chips), (chips, index)
            counts = [len([when for when in looks if when >= rig.now_us() - 400000]) for looks in rig.looks]
            assert max(counts) - min(counts) <= 2, (chips, index, counts)


def test_a_line_that_says_ready_for_ever_does_not_hold_the_loop() -> None:
    # An interrupt line that is low (a reader without supply pulls it), or a data line that stands in for "ready".
    for irq, level in ((True, 0x00), (True, 0xFF), (False, 0x80), (False, 0xFE)):
        for chip in ("pn532", "mfrc522"):
            rig = Rig(chip, "pn532", irq=irq).run_ms(500)
            bus = rig.buses[1]
            read = bus.write_readinto

            def stuck(line: "Any", into: "Any", read: "Any" = read, level: int = level) -> None:
                read(line, into)
                for at in range(len(into)):
                    into[at] = level

            bus.write_readinto = stuck  # type: ignore[method-assign]
            if irq:
                bus.irq = lambda: True  # type: ignore[method-assign]
            rig.longest_step_us = 0
            began = rig.now_us()
            rig.run_ms(3000)
            assert rig.words("B")[-1] == "failed"
            assert rig.longest_step_us < 5000, (chip, irq, level, rig.longest_step_us)
            assert max(rig.gaps_us(0, began)) <= 20000, (chip, irq, level, max(rig.gaps_us(0, began)))


def test_an_absent_reader_costs_the_other_nothing() -> None:
    for chips in KINDS:
        rig = Rig(*chips, absent=(1,)).run_ms(3000)
        assert max(rig.gaps_us(0, 100000)) <= 20000
        assert rig.station.snapshot()["health"] == {"A": "ok", "B": "absent"}
        rig.pads[0].put(make_tag("ntag213"))
        rig.run_ms(100)
        assert rig.taps() == ["placed " + X]


def test_a_reader_plugged_in_later_comes_to_life() -> None:
    for chips in KINDS:
        rig = Rig(*chips, absent=(1,)).run_ms(7000)
        assert rig.words("B") == ["absent"]
        rig.chips[1].fault("dead", on=False)
        rig.run_ms(5000)
        assert rig.words("B") == ["absent", "ok"]
        rig.pads[1].put(make_tag("ntag213", Y))
        rig.run_ms(100)
        assert rig.taps() == ["placed " + Y]


def test_a_tag_left_on_a_pad_gives_one_event() -> None:
    for chips in KINDS:
        for kind, uid in (("ntag215", X), ("classic", "DEADBEEF")):
            rig = Rig(*chips).run_ms(200)
            rig.pads[0].put(make_tag(kind))
            rig.run_ms(8000)
            assert rig.taps() == ["placed " + uid]
            rig.pads[0].take()
            rig.run_ms(1000)
            assert rig.taps() == ["placed " + uid, "removed " + uid]


def test_a_lone_pad_sees_a_lying_tag_at_every_look() -> None:
    # No other pad's turn lies between two looks: the gap without field must be kept all the same.
    for chip in ("pn532", "mfrc522"):
        rig = Rig(chip).run_ms(200)
        rig.pads[0].put(make_tag("ntag213"))
        rig.run_ms(3000)
        assert rig.taps() == ["placed " + X]
        assert max(rig.gaps_us(0, 300000)) < 60000


def test_what_lies_there_at_power_up_is_told() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        rig.pads[1].put(make_tag("ntag216", Y))
        rig.run_ms(600)
        assert rig.taps("B") == ["placed " + Y]
        assert rig.station.snapshot()["pads"] == {"A": None, "B": {"uid": Y, "tag": "ntag216"}}


def test_a_known_tag_is_named_at_its_next_placing() -> None:
    rig = Rig("pn532", "mfrc522").run_ms(200)
    tag = make_tag("ntag215")
    for pad in (0, 1, 0):
        rig.pads[pad].put(tag)
        rig.run_ms(600)
        rig.pads[pad].take()
        rig.run_ms(600)
    assert [body["tag"] for _when, body in rig.events if body["e"] == "placed"] == ["type2", "ntag215", "ntag215"]


def test_the_same_uid_on_two_pads_is_two_tags() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(200)
        rig.pads[0].put(make_tag("ntag213"))
        rig.pads[1].put(make_tag("ntag213"))
        rig.run_ms(500)
        assert rig.taps("A") == ["placed " + X] and rig.taps("B") == ["placed " + X]
        rig.pads[0].take()
        rig.run_ms(800)
        assert rig.taps("A") == ["placed " + X, "removed " + X] and rig.taps("B") == ["placed " + X]


def test_two_tags_with_the_same_uid_on_one_pad_are_one() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(200)
        twins = [make_tag("ntag213"), make_tag("ntag213")]
        for tag in twins:
            rig.pads[0].put(tag)
        rig.run_ms(800)
        assert rig.taps() == ["placed " + X]
        rig.pads[0].tags.remove(twins[0])
        rig.run_ms(800)
        assert rig.taps() == ["placed " + X]
        rig.pads[0].take()
        rig.run_ms(800)
        assert rig.taps() == ["placed " + X, "removed " + X]


def test_each_refusal_is_shown_once_on_each_chip() -> None:
    for chips in KINDS:
        for kinds, why in (
            (("phone",), "phone"),
            (("bad-bcc",), "checksum"),
            (("bad-crc",), "checksum"),
            (("classic", "ntag213"), "two-tags"),
        ):
            rig = Rig(*chips).run_ms(300)
            # Two tags make a PN532 late: then both antennas may be on for a moment.
            for kind in kinds:
                rig.pads[0].put(make_tag(kind))
            rig.run_ms(3000)
            rig.pads[0].take()
            rig.run_ms(1000)
            assert rig.taps() == ["refused " + why], (chips, kinds, rig.taps())
            assert rig.words("A") == ["ok"]


def test_a_tag_whose_memory_is_spoilt_is_placed_and_nothing_else_is_said() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(300)
        for placing in (1, 2):
            rig.pads[0].put(make_tag("bad-read"))
            rig.run_ms(2000)
            # Asked once for each placing.
            assert rig.station.counters()["A"]["nameless"] == placing
            rig.pads[0].take()
            rig.run_ms(800)
        assert rig.taps() == ["placed 04C0FFEE010203", "removed 04C0FFEE010203"] * 2


def test_a_tap_that_counted_is_not_refused_however_early_the_disc_is_lifted() -> None:
    for chips in KINDS:
        for lying_ms in range(14, 60, 2):
            rig = Rig(*chips).run_ms(300 + lying_ms % 7)
            rig.pads[0].put(make_tag("ntag213"))
            rig.run_ms(lying_ms)
            rig.pads[0].take()
            rig.run_ms(1000)
            whole: tuple[list[str], ...] = ([], ["refused unreadable"], ["placed " + X, "removed " + X])
            assert rig.taps() in whole, (chips, lying_ms, rig.taps())


def test_a_tag_pulled_away_in_mid_read() -> None:
    for chips in KINDS:
        seen = set()
        for frames in range(1, 12):
            rig = Rig(*chips).run_ms(300)
            rig.pads[0].put(make_tag("ntag213")).pull_after(frames)
            rig.run_ms(1500)
            seen.add(tuple(rig.taps()))
            assert rig.taps() in (
                [],
                ["refused unreadable"],
                ["placed " + X, "removed " + X],
            ), (chips, frames, rig.taps())
            assert rig.words("A") == ["ok"]
        assert ("placed " + X, "removed " + X) in seen, (chips, seen)


def test_a_stuttering_spot_gives_one_placed_and_one_removed() -> None:
    for chips in KINDS:
        rig = Rig(*chips).run_ms(200)
        rig.chips[0].fault("miss", percent=6)
        rig.pads[0].put(make_tag("ntag213"))
        rig.run_ms(6000)
        rig.pads[0].take()
        rig.run_ms(1000)
        taps = [tap for tap in rig.taps() if not tap.startswith("refused")]
        assert taps == ["placed " + X, "removed " + X]
        assert len(rig.taps()) <= 4


def test_the_clocks_may_wrap() -> None:
    # Both the microseconds and the milliseconds wrap in the middle.
    for chips in KINDS:
        rig = Rig(*chips, start_us=(1 << 30) * 1000 - 700000)
        rig.run_ms(300)
        rig.pads[0].put(make_tag("ntag213"))
        rig.run_ms(600)
        rig.pads[0].take()
        rig.run_ms(600)
        assert rig.taps() == ["placed " + X, "removed " + X]
        assert max(rig.gaps_us(1, (1 << 30) * 1000 - 500000)) < 60000
        assert rig.words("A") == ["ok"] and rig.words("B") == ["ok"]
    # The microseconds alone wrap every 18 minutes.
    rig = Rig("pn532", "mfrc522", start_us=(1 << 30) - 300000).run_ms(600)
    assert max(rig.gaps_us(0, (1 << 30) - 100000)) <= 20000


def test_a_hung_reader_is_reset_by_its_line_at_once() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        rig.run_ms(300)
        rig.chips[1].fault("hang")
        rig.run_ms(1500)
        assert rig.words("B") == ["ok", "reset", "ok"], rig.words("B")
        assert rig.words("A") == ["ok"]
        counters = rig.station.counters()["B"]
        # At the first sign: its antenna may be on.
        assert counters["faults"] == 1 and counters["soft_resets"] == 0 and counters["hard_resets"] == 1


def test_a_brown_out_is_noticed_and_repaired() -> None:
    for chips in KINDS:
        for moment_us in range(0, 18000, 3000):
            rig = Rig(*chips)
            rig.run_ms(300 + moment_us // 1000)
            rig.pads[1].put(make_tag("ntag213", Y))
            rig.run_ms(200)
            rig.chips[1].fault("brown-out")
            rig.run_ms(1000)
            assert rig.words("B")[-1] == "ok" and "failed" not in rig.words("B")
            assert rig.taps() == ["placed " + Y], rig.taps()
            rig.pads[1].take()
            rig.run_ms(800)
            assert rig.taps() == ["placed " + Y, "removed " + Y]


def test_a_fault_is_unknown_and_not_removed() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        rig.pads[1].put(make_tag("ntag213", Y))
        rig.run_ms(500)
        rig.chips[1].fault("dead")
        rig.run_ms(20000)
        assert rig.taps() == ["placed " + Y]
        assert rig.words("B")[-1] == "failed"
        assert rig.station.snapshot()["pads"]["B"]["uid"] == Y
        rig.chips[1].fault("dead", on=False)
        rig.run_ms(6000)
        assert rig.words("B")[-1] == "ok"
        assert rig.taps() == ["placed " + Y]
        # And taken while the reader was dead:
        rig.chips[1].fault("dead")
        rig.run_ms(1000)
        rig.pads[1].take()
        rig.run_ms(1000)
        assert rig.taps() == ["placed " + Y]
        rig.chips[1].fault("dead", on=False)
        rig.run_ms(6000)
        assert rig.taps() == ["placed " + Y, "removed " + Y]


def test_failed_backs_off_and_tries_for_ever() -> None:
    for chip in ("pn532", "mfrc522"):
        rig = Rig("pn532", chip)
        rig.run_ms(300)
        rig.chips[1].fault("no-reset-pin")
        rig.chips[1].fault("hang")
        rig.run_ms(60000)
        assert rig.words("B") == ["ok", "reset", "failed"]
        attempts = rig.station.counters()["B"]["hard_resets"]
        assert 14 <= attempts <= 22, attempts
        assert max(rig.gaps_us(0, 1000000)) <= 20000
        rig.chips[1].fault("hang", on=False)
        rig.run_ms(5000)
        assert rig.words("B")[-1] == "ok"


def test_a_reader_that_fails_again_after_every_reset_ends_in_back_off() -> None:
    # It starts well each time, and every look fails.
    rig = Rig("mfrc522", "mfrc522")
    rig.run_ms(300)

    def broken(known: "str | None" = None, on: bool = False) -> None:
        from ordertray_firmware.readers import ReaderFault

        raise ReaderFault("no-answer")

    whole = rig.drivers[1].begin_look
    rig.drivers[1].begin_look = broken
    rig.run_ms(10000)
    assert rig.words("B") == ["ok", "reset", "failed"]
    assert rig.station.counters()["B"]["faults"] < 15
    rig.drivers[1].begin_look = whole
    rig.run_ms(5000)
    assert rig.words("B")[-1] == "ok"


def test_two_antennas_are_never_on_together() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        dice = Dice(3)
        for _round in range(60):
            pad = rig.pads[dice.below(2)]
            if pad.tags:
                pad.take()
            else:
                pad.put(make_tag(("ntag213", "classic", "phone")[dice.below(3)]))
            rig.run_ms(dice.below(120))
        assert rig.words("A") == ["ok"] and rig.words("B") == ["ok"]


def test_noise_on_the_line_never_invents_a_tag_or_ends_the_loop() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        rig.run_ms(300)
        rig.chips[1].fault("glitch", percent=1, seed=5)
        rig.run_ms(4000)
        assert [tap for tap in rig.taps() if tap.startswith("placed")] == [], rig.taps()
        rig.chips[1].fault("glitch", on=False)
        rig.run_ms(6000)
        assert rig.words("B")[-1] == "ok"
        rig.pads[1].put(make_tag("ntag213", Y))
        rig.run_ms(900)
        assert "placed " + Y in rig.taps()


def test_four_pads_take_turns() -> None:
    rig = Rig("pn532", "mfrc522", "pn532", "mfrc522").run_ms(2000)
    counts = [len(looks) for looks in rig.looks]
    assert max(counts) - min(counts) <= 2
    rig.pads[3].put(make_tag("ntag213"))
    rig.run_ms(200)
    assert rig.taps("D") == ["placed " + X]


def test_finish_tells_an_operation_that_does_not_end() -> None:
    rig = Rig("pn532")

    def endless() -> "Generator[int, None, None]":
        while True:
            yield 1000

    try:
        finish(rig.clock, endless(), 10)
    except AssertionError as error:
        assert "does not end" in str(error)
    else:
        raise AssertionError("the rig would hang")


def test_polling_does_not_grow_the_heap() -> None:
    import gc

    from firmware.reader_rig import COSTS
    from ordertray.sim.chips import Clock, Pad, SimulatedBus, make_chip
    from ordertray_firmware.readers import Station, make_reader

    clock = Clock()
    pads = [Pad(), Pad()]
    readers = []
    for name, chip, pad in (("A", "pn532", pads[0]), ("B", "mfrc522", pads[1])):
        readers.append((name, make_reader(chip, SimulatedBus(make_chip(chip, pad, clock), clock), clock)))
    station = Station(readers, clock, lambda kind, body: None)
    tags = [make_tag("ntag213"), make_tag("classic")]

    def play(rounds: int) -> None:
        for number in range(rounds):
            for pad, tag in zip(pads, tags):
                if number % 2:
                    pad.take()
                else:
                    pad.put(tag)
            end = clock.ticks_us() + 400000
            while clock.ticks_us() < end:
                clock.advance_us(COSTS["step_us"] + station.step() // 1000 * 1000)

    def used() -> int:
        gc.collect()
        if hasattr(gc, "mem_alloc"):
            return gc.mem_alloc()  # type: ignore[no-any-return]
        import tracemalloc

        if not tracemalloc.is_tracing():
            tracemalloc.start()
        return tracemalloc.get_traced_memory()[0]

    play(4)
    used()
    play(2)
    before = used()
    play(16)
    # Counters are numbers; nothing else may stay behind.
    assert used() - before < 1500, used() - before


def test_a_chip_that_acknowledges_looks_and_has_forgotten_how_is_configured_anew() -> None:
    for way in ("turns", "auto"):
        rig = Rig("pn532", "pn532", way=way).run_ms(300)
        rig.pads[1].put(make_tag("ntag213", Y))
        rig.run_ms(100)
        began = rig.now_us()
        rig.chips[1].fault("forgotten")
        rig.run_ms(350)
        assert rig.chips[1].sam_configured
        assert rig.words("B") == ["ok"] and rig.station.counters()["B"]["late"] == 1
        assert max(rig.gaps_us(0, began)) <= 22000
        rig.pads[1].take()
        rig.run_ms(800)
        assert rig.taps("B") == ["placed " + Y, "removed " + Y]


def test_a_reader_that_went_deaf_without_a_sign_hears_again_after_the_quiet_time() -> None:
    for chips in KINDS:
        for reset_wired in (True, False):
            if chips[1] == "pn532" and not reset_wired:
                continue  # a PN532 is cured by its reset line only
            rig = Rig(*chips)
            for index in (0, 1):
                rig.buses[index].can_reset = rig.drivers[index].can_reset = reset_wired
            rig.station.quiet_ms = 3000
            rig.run_ms(500)
            rig.chips[1].fault("deaf")
            rig.run_ms(3500)
            assert rig.station.counters()["B"]["renewals"] == 1
            assert rig.words("B") == ["ok"], "nothing is known to be wrong"
            rig.pads[1].put(make_tag("ntag213", Y))
            rig.run_ms(100)
            assert rig.taps("B") == ["placed " + Y], (chips, reset_wired)
            # And it cost neither pad more than a look.
            assert max(rig.gaps_us(0, 1000000)) <= 45000 and max(rig.gaps_us(1, 1000000)) <= 45000


def test_a_register_that_lost_its_value_is_noticed_at_the_next_look_the_gain_too() -> None:
    for register in (0x26, 0x11, 0x15, 0x2A, 0x2B):
        rig = Rig("pn532", "mfrc522").run_ms(500)
        rig.chips[1].registers[register] ^= 0x10
        rig.run_ms(100)
        assert rig.words("B") == ["ok", "retry", "reset", "ok"], register
        rig.pads[1].put(make_tag("ntag213", Y))
        rig.run_ms(100)
        assert rig.taps("B") == ["placed " + Y]


def test_a_pad_with_something_on_it_is_left_alone() -> None:
    rig = Rig("pn532", "mfrc522")
    assert rig.station.quiet_ms == 60000
    rig.station.quiet_ms = 3000
    rig.run_ms(300)
    rig.pads[0].put(make_tag("ntag213"))
    rig.run_ms(4000)
    assert rig.station.counters()["A"]["renewals"] == 0 and rig.station.counters()["B"]["renewals"] == 1
    assert rig.taps() == ["placed " + X]


def test_a_reader_is_starting_until_it_has_answered_or_has_not() -> None:
    for chips in KINDS:
        rig = Rig(*chips, absent=(1,))
        assert rig.station.snapshot()["health"] == {"A": "starting", "B": "starting"}
        assert [reader["health"] for reader in rig.station.describe()] == ["starting"] * 2
        rig.run_ms(300)
        assert rig.station.snapshot()["health"] == {"A": "ok", "B": "absent"}
