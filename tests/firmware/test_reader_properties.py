"""What must hold whatever happens: stuttering presence, and drivers against chips under random faults."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.plain import FakeClock
from firmware.reader_rig import Bench, Rig
from ordertray.sim.chips import Pn532Chip, Tag, make_tag
from ordertray_firmware.readers import CHECKSUM, NONE, PHONE, TAG, TWO_TAGS, UNREADABLE, Sighting
from ordertray_firmware.readers import pn532_frames as frames
from ordertray_firmware.readers.presence import Presence

CI = settings(max_examples=150, derandomize=True, deadline=None)
FEW = settings(max_examples=25, derandomize=True, deadline=None)

UIDS = ("04A1B2C3D4E5F6", "04FFFFFFFFFFFF", "DEADBEEF")
OUTCOMES = st.one_of(
    st.sampled_from(UIDS).map(lambda uid: (TAG, uid)),
    st.sampled_from((NONE, NONE, TWO_TAGS, UNREADABLE, CHECKSUM)).map(lambda outcome: (outcome, None)),
    st.just((PHONE, "08112233")),
)


@CI
@given(
    looks=st.lists(st.tuples(OUTCOMES, st.integers(1, 200), st.booleans()), max_size=80),
    start=st.integers((1 << 30) - 5000, (1 << 30) + 10),
)
def test_placed_and_removed_always_alternate(looks: list[tuple[tuple[str, str | None], int, bool]], start: int) -> None:
    clock = FakeClock(start)
    presence = Presence(clock)
    lying = None
    for (outcome, uid), after_ms, fault in looks:
        clock.ms += after_ms
        if fault:
            presence.unknown()
        for event in presence.see(Sighting(outcome, uid), clock.ticks_ms()):
            if event["e"] == "placed":
                assert lying is None
                assert outcome == TAG and event["uid"] == uid
                lying = event["uid"]
            elif event["e"] == "removed":
                assert event["uid"] == lying
                lying = None
        assert presence.uid == lying


@CI
@given(st.lists(st.tuples(st.integers(1, 290), st.integers(1, 2000)), min_size=1, max_size=40))
def test_stutter_shorter_than_300_ms_is_never_seen(stutter: list[tuple[int, int]]) -> None:
    """Real placings: misses of less than 300 ms, then hits; one placed at the start, one removed at the end."""
    clock = FakeClock((1 << 30) - 1000)
    presence = Presence(clock)
    events = []

    def look(sighting: Sighting, span_ms: int) -> None:
        passed = 0
        while passed < span_ms:
            step = min(18, span_ms - passed)
            clock.ms += step
            passed += step
            events.extend(presence.see(sighting, clock.ticks_ms()))

    look(Sighting(TAG, UIDS[0]), 1)
    for missed_ms, seen_ms in stutter:
        look(Sighting(NONE), missed_ms)
        look(Sighting(TAG, UIDS[0]), seen_ms)
    assert [event["e"] for event in events] == ["placed"]
    look(Sighting(NONE), 400)
    assert [event["e"] for event in events] == ["placed", "removed"]


@CI
@given(st.lists(OUTCOMES, max_size=400))
def test_refusals_do_not_flood(outcomes: list[tuple[str, str | None]]) -> None:
    """At one look every 18 ms no cause is shown again before it has been away for 300 ms."""
    clock = FakeClock()
    presence = Presence(clock)
    last: dict[str, int] = {}
    shown: list[str] = []
    for outcome, uid in outcomes:
        clock.ms += 18
        for event in presence.see(Sighting(outcome, uid), clock.ticks_ms()):
            if event["e"] == "refused":
                why = event["why"]
                if shown and shown[-1] == why:
                    assert clock.ms - last[why] >= 300
                last[why] = clock.ms
                shown.append(why)


@CI
@given(st.binary(max_size=120))
def test_no_bytes_whatever_break_the_search_for_a_frame(data: bytes) -> None:
    what, start, end = frames.find(bytearray(data), len(data))
    assert what in (frames.ACK, frames.NACK, frames.DATA, frames.ERROR, frames.BAD, frames.SHORT)
    if what == frames.DATA:
        assert 0 < start < end < len(data) and data[start] == frames.FROM_CHIP
    elif what == frames.SHORT:
        assert end > len(data)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    uid=st.one_of(
        st.binary(min_size=4, max_size=4), st.binary(min_size=7, max_size=7), st.just(bytes(3) + b"\x88" * 4)
    ),
    chip=st.sampled_from(("pn532", "mfrc522")),
)
def test_every_uid_is_read_as_it_is(uid: bytes, chip: str) -> None:
    bench = Bench(chip).start()
    bench.pad.put(Tag(uid))
    seen = bench.look()
    assert seen.uid == uid.hex().upper()
    assert seen.outcome == (PHONE if len(uid) == 4 and uid[0] == 0x08 else TAG)


FAULTS = {
    "pn532": sorted(set(Pn532Chip.FAULTS) - {"no-reset-pin"}),
    "mfrc522": ["brown-out", "dead", "frozen", "glitch", "hang", "miss", "stuck"],
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("fault", "heal", "put", "take", "wait", "pull")),
        st.integers(0, 1),
        st.integers(0, 1000),
        st.integers(1, 120),
    ),
    min_size=1,
    max_size=14,
)


@FEW
@given(chips=st.tuples(*[st.sampled_from(("pn532", "mfrc522"))] * 2), steps=STEPS)
def test_random_faults_never_end_the_loop_and_everything_comes_back(
    chips: tuple[str, str], steps: list[tuple[str, int, int, int]]
) -> None:
    rig = Rig(*chips)
    rig.run_ms(100)
    kinds = ("ntag213", "classic", "phone", "ntag216", "bad-read")
    number = 0
    for what, pad, choice, span_ms in steps:
        chip = rig.chips[pad]
        names = FAULTS[chips[pad]]
        if what == "fault":
            chip.fault(names[choice % len(names)], percent=5, count=3, us=2000, bytes=choice % 60, value=choice % 256)
        elif what == "heal":
            for name in names:
                chip.fault(name, on=False)
        elif what == "put":
            number += 1
            kind = kinds[choice % len(kinds)]
            rig.pads[pad].put(make_tag(kind, f"04{number:012X}" if kind.startswith("ntag") else None))
        elif what == "take":
            rig.pads[pad].take()
        elif what == "pull":
            for tag in rig.pads[pad].tags:
                tag.pull_after(choice % 8)
        rig.run_ms(span_ms)
    # Events of each pad are well formed at any time.
    for name in "AB":
        lying = None
        for tap in rig.taps(name):
            if tap.startswith("placed"):
                assert lying is None
                lying = tap[7:]
            elif tap.startswith("removed"):
                assert tap[8:] == lying
                lying = None
    # And once all is well again, a tag is seen within the longest back-off.
    for pad, chip in enumerate(rig.chips):
        for name in FAULTS[chips[pad]]:
            chip.fault(name, on=False)
        rig.pads[pad].take()
    rig.run_ms(6500)
    assert rig.station.snapshot()["health"] == {"A": "ok", "B": "ok"}
    assert rig.station.snapshot()["pads"] == {"A": None, "B": None}
    for pad in (0, 1):
        rig.pads[pad].put(make_tag("ntag213", f"0400000000000{pad}"))
    rig.run_ms(450)
    assert rig.taps("A")[-1] == "placed 04000000000000"
    assert rig.taps("B")[-1] == "placed 04000000000001"
