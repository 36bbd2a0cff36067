"""Minutes of a reader's life in virtual time: too long to be run on MicroPython as well."""

from firmware.reader_rig import Rig, short_taps_seen
from firmware.test_reader_station import KINDS


def test_a_hung_reader_without_a_reset_line_is_told_in_a_plain_word_and_tried_for_ever() -> None:
    for chips in KINDS:
        rig = Rig(*chips)
        rig.buses[1].can_reset = rig.drivers[1].can_reset = False
        rig.run_ms(300)
        rig.chips[1].fault("hang")
        rig.run_ms(20000)
        assert rig.words("B")[-1] == "failed"
        assert rig.health[-1][1]["why"] == rig.station.describe()[1]["why"] == "no-reset-line"
        counters = rig.station.counters()["B"]
        assert counters["hard_resets"] == 0 and counters["soft_resets"] >= 5
        # A supply that was switched off and on.
        rig.chips[1].fault("hang", on=False)
        rig.chips[1].fault("brown-out")
        rig.run_ms(5000)
        assert rig.words("B")[-1] == "ok" and "why" not in rig.station.describe()[1]


def test_short_taps_are_seen_while_the_other_pad_is_busy() -> None:
    for chips in KINDS:
        seen, count = short_taps_seen(chips, 15)
        assert seen * 100 >= count * 95, (chips, seen, count)
