"""Presence: one placed and one removed event for each real placing, whatever the reader stutters."""

from firmware.plain import Dice, FakeClock
from ordertray_firmware.readers import CHECKSUM, NONE, PHONE, TAG, TWO_TAGS, UNREADABLE, Sighting
from ordertray_firmware.readers.presence import Presence

ON_BOTH_INTERPRETERS = True

X = "04A1B2C3D4E5F6"
Y = "04FFFFFFFFFFFF"


class Watch:
    """A presence looked at every 18 ms."""

    def __init__(self, start_ms: int = 0) -> None:
        self.clock = FakeClock(start_ms)
        self.presence = Presence(self.clock)
        self.events: "list[str]" = []

    def see(self, outcome: str, uid: "str | None" = None, looks: int = 1, step_ms: int = 18) -> "list[str]":
        """So many equal looks; the events in short, as far as they are new."""
        before = len(self.events)
        for _look in range(looks):
            self.clock.ms += step_ms
            sighting = Sighting(outcome, uid, "type2" if outcome == TAG else None)
            for event in self.presence.see(sighting, self.clock.ticks_ms()):
                self.events.append(event["e"] + " " + (event["why"] if event["e"] == "refused" else event["uid"]))
        return self.events[before:]


def test_placed_at_first_sight_and_removed_once_gone() -> None:
    watch = Watch()
    assert watch.see(NONE, looks=10) == []
    assert watch.see(TAG, X) == ["placed " + X]
    assert watch.see(TAG, X, looks=100) == []
    assert watch.see(NONE, looks=16) == []
    assert watch.see(NONE, looks=3) == ["removed " + X]
    assert watch.see(NONE, looks=100) == []
    assert watch.see(TAG, X) == ["placed " + X]


def test_three_misses_are_needed_however_long_they_take() -> None:
    watch = Watch()
    watch.see(TAG, X)
    assert watch.see(NONE, looks=2, step_ms=5000) == []
    assert watch.see(NONE, looks=1, step_ms=5000) == ["removed " + X]


def test_300_ms_are_needed_however_many_misses_they_hold() -> None:
    watch = Watch()
    watch.see(TAG, X)
    assert watch.see(NONE, looks=300, step_ms=1) == []
    assert watch.see(NONE, looks=2, step_ms=1) == ["removed " + X]


def test_hours_of_lying_give_one_event() -> None:
    watch = Watch()
    dice = Dice(7)
    # Six hours, looked at four times a second, with a stutter of up to three misses now and then.
    for _look in range(6 * 3600 * 4):
        watch.clock.ms += 230
        if dice.below(50) == 0:
            watch.see(NONE, looks=dice.below(4), step_ms=20)
        watch.see(TAG, X, step_ms=20)
    assert watch.events == ["placed " + X]


def test_the_clock_may_wrap_at_any_moment() -> None:
    for start in range((1 << 30) - 600, (1 << 30) + 50, 37):
        watch = Watch(start)
        watch.see(TAG, X, looks=3)
        watch.see(NONE, looks=3)
        watch.see(TAG, X, looks=3)
        watch.see(NONE, looks=20)
        watch.see(TAG, Y, looks=3)
        watch.see(NONE, looks=20)
        assert watch.events == ["placed " + X, "removed " + X, "placed " + Y, "removed " + Y], start


def test_another_tag_is_placed_at_once_and_the_first_removed() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=20)
    assert watch.see(NONE, looks=4) == []
    assert watch.see(TAG, Y, looks=100) == ["removed " + X, "placed " + Y]


def test_two_tags_seen_in_turn_do_not_flood() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=20)
    for _look in range(200):
        watch.see(TAG, Y)
        watch.see(TAG, X)
    assert watch.events == ["placed " + X, "removed " + X, "placed " + Y, "refused two-tags"]


def test_two_tags_hold_the_one_that_was_there() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=20)
    assert watch.see(TWO_TAGS, looks=500) == ["refused two-tags"]
    assert watch.see(TAG, X, looks=100) == []
    assert watch.see(TWO_TAGS, looks=5) == ["refused two-tags"]
    assert watch.see(NONE, looks=100) == ["removed " + X]


def test_two_tags_lifted_one_after_the_other_place_nothing() -> None:
    watch = Watch()
    assert watch.see(TWO_TAGS, looks=50) == ["refused two-tags"]
    assert watch.see(TAG, Y, looks=10) == []
    assert watch.see(NONE, looks=100) == []


def test_the_one_of_two_that_stays_counts_after_a_while() -> None:
    watch = Watch()
    watch.see(TWO_TAGS, looks=50)
    assert watch.see(TAG, Y, looks=15) == []
    assert watch.see(TAG, Y, looks=15) == ["placed " + Y]
    watch.see(TWO_TAGS, looks=5)
    assert watch.see(TAG, X, looks=40) == ["removed " + Y, "placed " + X]


def test_a_phone_is_refused_once_though_its_number_changes() -> None:
    watch = Watch()
    for number in range(300):
        watch.see(PHONE, "08%06X" % number)
    assert watch.events == ["refused phone"]
    watch.see(NONE, looks=30)
    assert watch.see(PHONE, "08123456", looks=5) == ["refused phone"]


def test_spoilt_answers_while_a_tag_comes_near_are_swallowed() -> None:
    watch = Watch()
    assert watch.see(UNREADABLE) == []
    assert watch.see(TAG, X) == ["placed " + X]


def test_a_tag_pulled_away_in_the_middle_is_shown() -> None:
    watch = Watch()
    watch.see(UNREADABLE)
    assert watch.see(NONE) == ["refused unreadable"]
    assert watch.see(NONE, looks=100) == []


def test_a_bad_copy_is_shown_once_while_it_lies_there() -> None:
    watch = Watch()
    assert watch.see(CHECKSUM, looks=300) == ["refused checksum"]
    watch.see(NONE, looks=30)
    assert watch.see(CHECKSUM, looks=300) == ["refused checksum"]


def test_noise_holds_a_tag_for_a_while_but_not_for_ever() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=10)
    assert watch.see(CHECKSUM, looks=60) == []
    assert watch.see(TAG, X) == []
    assert watch.see(CHECKSUM, looks=200) == ["removed " + X, "refused checksum"]


def test_a_fault_of_the_reader_is_unknown_not_removed() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=10)
    watch.see(NONE, looks=16)
    watch.presence.unknown()
    watch.clock.ms += 3600 * 1000
    assert watch.see(NONE, looks=2) == [] and watch.presence.uid == X
    assert watch.see(TAG, X) == []
    watch.presence.unknown()
    assert watch.see(NONE, looks=19) == ["removed " + X]


def test_another_tag_after_a_fault() -> None:
    watch = Watch()
    watch.see(TAG, X, looks=10)
    watch.presence.unknown()
    watch.clock.ms += 60000
    assert watch.see(TAG, Y, looks=50) == ["removed " + X, "placed " + Y]
