"""Both ends of the protocol, one property at a time, in a time that the test makes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.link.host_end import HostEnd
from ordertray_firmware import link, wire
from ordertray_firmware.link import (
    DOWN,
    ECHO,
    HELLO_MS,
    OFFLINE_MS,
    PING_MS,
    QUEUE,
    REFUSED,
    RESEND_MAX_MS,
    UP,
    WANTED,
    WINDOW,
    TrayEnd,
    session_tag,
    ticks_add,
    ticks_diff,
)

HELLO: dict[str, Any] = {"id": "E6616408432A1B2C", "fw": "0.1.0"}


def lines(end: link.TrayEnd | HostEnd, now_ms: int) -> list[bytes]:
    """Everything an end has to say now."""
    out = []
    while (line := end.take(now_ms)) is not None:
        out.append(line)
        assert len(out) < 100, "talks without end"
    return out


def decoded(data: list[bytes]) -> list[wire.Frame]:
    return [piece for piece in wire.Decoder().feed(b"".join(data)) if isinstance(piece, wire.Frame)]


class Pair:
    """Two ends and a clean line."""

    def __init__(self, start_ms: int = 0) -> None:
        self.now_ms = start_ms
        self.tray = TrayEnd(HELLO, "9f3c01aa", start_ms)
        self.host = HostEnd("seed", "test", start_ms)
        self.tray_items: list[link.Item] = []
        self.host_items: list[link.Item] = []

    def talk(self, span_ms: int = 0, up: bool = True, down: bool = True) -> None:
        """Let time pass and carry what is said; a direction that is not up loses it."""
        end_ms = self.now_ms + span_ms
        while True:
            for _ in range(50):
                host, tray = lines(self.host, self.now_ms), lines(self.tray, self.now_ms)
                if not host and not tray:
                    break
                self.tray_items += self.tray.feed(b"".join(host) if down else b"", self.now_ms)
                self.host_items += self.host.feed(b"".join(tray) if up else b"", self.now_ms)
            self.tray_items += self.tray.tick(self.now_ms)
            self.host_items += self.host.tick(self.now_ms)
            if self.now_ms >= end_ms:
                return
            self.now_ms = min(end_ms, self.now_ms + 5)

    def connect(self) -> Pair:
        self.talk()
        assert self.tray.snapshot({"pads": {}}, self.now_ms) is not None
        self.talk()
        self.host.commit(1)
        self.talk()
        assert self.tray.online and self.host.online and self.tray.acknowledged == 1
        self.tray_items.clear()
        self.host_items.clear()
        return self

    def names(self, items: list[link.Item]) -> list[str]:
        return [item[0] for item in items]


@given(st.integers(0, 2**31), st.integers(-(2**28), 2**28))
@settings(derandomize=True, max_examples=100, deadline=None, database=None)
def test_ticks_across_the_wrap(at_ms: int, span_ms: int) -> None:
    assert ticks_diff(ticks_add(at_ms, span_ms), at_ms) == span_ms
    assert ticks_diff((at_ms + span_ms) & 0x3FFFFFFF, at_ms & 0x3FFFFFFF) == span_ms


@pytest.mark.parametrize("start_ms", [0, 2**30 - 1, 2**30 - 700, 5 * 2**30 - 3000, 123_456_789])
def test_a_session_across_the_wrap_of_the_clock(start_ms: int) -> None:
    pair = Pair(start_ms).connect()
    for number in range(20):
        assert pair.tray.event({"n": number}, pair.now_ms) == number + 2
        pair.talk(60)
        pair.host.commit(number + 2)
        pair.talk(240)
    assert pair.tray.acknowledged == 21
    assert pair.names(pair.host_items) == ["T"] * 20
    assert pair.tray.counters.resent == pair.host.counters.resent == 0
    assert pair.names(pair.tray_items) == []


def test_nothing_is_acknowledged_before_commit() -> None:
    pair = Pair().connect()
    pair.tray.event({"n": 1}, pair.now_ms)
    pair.talk(1500)
    assert pair.names(pair.host_items) == ["T"]  # once, though it was sent again
    assert pair.tray.counters.resent > 0 and pair.host.counters.duplicate == pair.tray.counters.resent
    assert pair.tray.queued == 1
    pair.host.commit(2)
    pair.talk()
    assert pair.tray.queued == 0
    # A commit of what was never handed out, or long ago, changes nothing.
    for sequence in (99, 1, 0, -5):
        pair.host.commit(sequence)
    pair.talk()
    assert pair.tray.acknowledged == 2 and pair.tray.counters.alien == 0


def test_window_and_queue_are_bounded_and_a_full_queue_asks_for_a_snapshot() -> None:
    pair = Pair().connect()
    taken = [pair.tray.event({"n": number}, pair.now_ms) for number in range(QUEUE + 10)]
    assert taken == [*range(2, QUEUE + 1), *[None] * 11]
    assert pair.tray.counters.overflow == 11 and pair.tray.queued == QUEUE - 1
    assert len(decoded(lines(pair.tray, pair.now_ms))) == WINDOW
    pair.talk(400)
    assert len(pair.host_items) == WINDOW and WANTED not in pair.names(pair.tray_items)
    for sequence in range(2, QUEUE + 1):
        pair.host.commit(sequence)
        pair.talk()
        if WANTED in pair.names(pair.tray_items):
            break
    # Half of it is free: now is the time. The snapshot tells how much it stands for.
    assert pair.tray.queued < QUEUE // 2
    assert pair.tray.snapshot({"pads": {}}, pair.now_ms) == QUEUE + 1
    pair.tray_items.clear()
    pair.talk(50)
    assert WANTED not in pair.names(pair.tray_items)
    while pair.tray.queued:
        pair.host.commit(pair.host_items[-1][1])
        pair.talk()
    assert pair.host_items[-1] == ("S", QUEUE + 1, {"pads": {}, "lost": 11})
    assert [item[1] for item in pair.host_items] == list(range(2, QUEUE + 2))


def test_the_snapshot_has_its_place_in_a_full_queue() -> None:
    pair = Pair().connect()
    while pair.tray.event({}, pair.now_ms) is not None:
        pass
    assert pair.tray.snapshot({}, pair.now_ms) is not None
    assert pair.tray.queued == QUEUE
    assert pair.tray.snapshot({}, pair.now_ms) is None


def test_time_out_follows_the_measured_round_trip() -> None:
    pair = Pair().connect()
    pair.tray.event({"n": 0}, pair.now_ms)
    sequence = 2
    for _ in range(30):
        pair.talk(120)
        pair.host.commit(sequence)
        pair.talk()
        sequence = pair.tray.event({}, pair.now_ms) or 0
    assert 110 <= pair.tray.round_trip_ms <= 130
    assert 120 <= pair.tray.resend_ms <= 200
    resent = pair.tray.counters.resent
    pair.talk(pair.tray.resend_ms - 20)
    assert pair.tray.counters.resent == resent
    pair.talk(40)
    assert pair.tray.counters.resent == resent + 1


def test_time_out_doubles_up_to_its_bound_and_an_ambiguous_round_trip_is_not_measured() -> None:
    pair = Pair().connect()
    before = pair.tray.round_trip_ms
    pair.tray.event({}, pair.now_ms)
    sent_at = []
    for _ in range(2400):
        pair.now_ms += 5
        pair.tray.feed(b"".join(lines(pair.host, pair.now_ms)), pair.now_ms)
        said = [frame.kind for frame in decoded(lines(pair.tray, pair.now_ms))]
        pair.host.feed(wire.encode("P", 0, 0, session_tag(pair.host.nonce, "9f3c01aa"), {}), pair.now_ms)
        sent_at += [pair.now_ms] * said.count("T")
    gaps = [later - earlier for earlier, later in pairwise(sent_at)]
    assert gaps == sorted(gaps) and gaps[-1] == pytest.approx(RESEND_MAX_MS, abs=10) and len(gaps) > 5
    pair.tray.feed(wire.encode("A", 0, 2, session_tag(pair.host.nonce, "9f3c01aa"), {}), pair.now_ms)
    assert pair.tray.acknowledged == 2 and pair.tray.round_trip_ms == before


def test_lamps_newest_wins_and_one_at_a_time_is_under_way() -> None:
    pair = Pair().connect()
    for number in range(50):
        pair.host.show({"f": number})
    pair.talk(down=False)
    for number in range(50, 100):
        pair.host.show({"f": number})
    assert pair.host.queued == 1
    pair.talk(1000)
    assert [body["f"] for what, _, body in pair.tray_items if what == "F"] == [49, 99]
    assert pair.host.idle


def test_feedback_and_commands_are_bounded_and_lamps_keep_their_place() -> None:
    pair = Pair().connect()
    pair.host.show({"f": 1})
    sent = [pair.host.send("B", {"n": number}) for number in range(QUEUE + 5)]
    assert sent.count(None) == 6 and pair.host.counters.overflow == 6
    pair.talk(1000)
    assert pair.names(pair.tray_items).count("B") == QUEUE - 1
    assert ("F", QUEUE, {"f": 1}) in pair.tray_items


def test_lamps_are_shown_again_in_every_session_and_feedback_is_not() -> None:
    pair = Pair().connect()
    pair.host.show({"f": 7})
    pair.talk(100)
    pair.tray_items.clear()
    pair.talk(50, down=False)
    pair.host.send("B", {})
    pair.talk(20, down=False, up=False)
    pair.host_items += pair.host.restart("test", pair.now_ms)
    pair.talk(300)
    assert [what for what, _, _ in pair.tray_items if what in "FB"] == ["F"]


def test_silence_makes_the_tray_refuse_and_the_host_look_again() -> None:
    pair = Pair().connect()
    pair.talk(OFFLINE_MS - 10, down=False)
    assert pair.tray.online and pair.tray.event({"n": 1}, pair.now_ms) == 2  # a short gap is bridged
    pair.talk(20 + PING_MS, down=False)
    assert not pair.tray.online and (DOWN, 0, {"why": "no host"}) in pair.tray_items
    # The host, which hears and only is not heard, is told at once.
    assert not pair.host.online and (DOWN, 0, {"why": "the board had lost the session"}) in pair.host_items
    assert pair.tray.event({"n": 2}, pair.now_ms) is None and pair.tray.snapshot({}, pair.now_ms) is None
    pair.host_items.clear()
    pair.talk(HELLO_MS + 10)
    assert pair.tray.online and pair.host.online
    assert WANTED in pair.names(pair.tray_items)
    assert [item for item in pair.host_items if item[0] == "T"] == [("T", 2, {"n": 1})]


def test_a_host_that_hears_nothing_ends_the_session_after_three_pings() -> None:
    pair = Pair().connect()
    began_ms = pair.now_ms
    while pair.host.online:
        pair.talk(5, up=False)
    assert (DOWN, 0, {"why": "no answer to 3 pings"}) in pair.host_items
    assert 3 * PING_MS <= pair.now_ms - began_ms <= 4 * PING_MS + 20


def test_pings_come_at_their_period_and_are_answered_with_their_number() -> None:
    pair = Pair().connect()
    sent = []
    for _ in range(1100):
        pair.now_ms += 10
        frames = lines(pair.host, pair.now_ms)
        sent += [(pair.now_ms, frame) for frame in decoded(frames) if frame.kind == "P"]
        pair.tray.feed(b"".join(frames), pair.now_ms)
        answer = lines(pair.tray, pair.now_ms)
        assert [f.body for f in decoded(answer) if f.kind == "P"] == [f.body for f in decoded(frames) if f.kind == "P"]
        pair.host.feed(b"".join(answer), pair.now_ms)
    assert 10 <= len(sent) <= 12 and [frame.body["n"] for _, frame in sent] == list(range(1, len(sent) + 1))
    assert PING_MS % 2 == 1 and 900 < PING_MS < 1100


@pytest.mark.parametrize("number", [10**300, -1, "x", None, [], 2**30])
def test_a_ping_with_a_strange_number_is_answered(number: object) -> None:
    pair = Pair().connect()
    tag = session_tag(pair.host.nonce, "9f3c01aa")
    pair.tray.feed(wire.encode("P", 0, 0, tag, {"n": number}), pair.now_ms)
    assert [frame.kind for frame in decoded(lines(pair.tray, pair.now_ms))] == ["P"]


def test_a_host_without_the_chance_to_write_notices_too() -> None:
    pair = Pair().connect()
    items = pair.host.tick(pair.now_ms + 5 * PING_MS)
    assert pair.names(items) == [DOWN]


def test_a_restarted_board_is_greeted_anew_and_its_numbers_begin_again() -> None:
    pair = Pair().connect()
    pair.tray = TrayEnd(HELLO, "00000002", pair.now_ms)
    pair.talk(20)
    assert (DOWN, 0, {"why": "the board restarted"}) in pair.host_items
    assert pair.host.online and pair.host.tray_nonce == "00000002"
    assert pair.tray.event({}, pair.now_ms) == 1


def test_frames_of_another_session_are_dropped() -> None:
    pair = Pair().connect()
    tag = session_tag(pair.host.nonce, "9f3c01aa")
    assert pair.host.feed(wire.encode("T", 2, 0, tag ^ 1, {"n": 1}), pair.now_ms) == []
    assert pair.host.counters.stale == 1
    assert pair.tray.feed(wire.encode("F", 1, 0, tag ^ 1, {"f": 1}), pair.now_ms) == []
    assert pair.tray.counters.stale == 1
    # And whoever sent it is told which session there is, but not at any rate it likes.
    heard: list[wire.Frame] = []
    for _ in range(100):
        pair.now_ms += 10
        pair.tray.feed(wire.encode("P", 0, 0, tag ^ 1, {}), pair.now_ms)
        heard += [frame for frame in decoded(lines(pair.tray, pair.now_ms)) if frame.kind == "H"]
    assert 2 <= len(heard) <= 3 and heard[0].body["to"] == pair.host.nonce
    assert pair.tray.online


def test_all_before_the_answering_hello_is_discarded() -> None:
    pair = Pair()
    pair.talk(up=False)
    tag = session_tag(pair.host.nonce, "9f3c01aa")
    pair.tray.snapshot({}, 0)
    early = lines(pair.tray, 300)
    assert early and pair.host.feed(b"".join(early), 300) == []
    pair.talk(1000)
    assert pair.host.online and tag
    assert [item[0] for item in pair.host_items] == [UP, "S"]


def test_an_acknowledgement_of_what_was_never_sent_is_ignored() -> None:
    pair = Pair().connect()
    tag = session_tag(pair.host.nonce, "9f3c01aa")
    for number in range(12):
        pair.tray.event({"n": number}, pair.now_ms)
    lines(pair.tray, pair.now_ms)  # eight of them are under way
    for ack in (2 + WINDOW, 50, wire.SEQUENCE_LAST):
        pair.tray.feed(wire.encode("A", 0, ack, tag, {}), pair.now_ms)
        assert pair.tray.acknowledged == 1
    assert pair.tray.counters.alien == 3
    pair.tray.feed(wire.encode("A", 0, 5, tag, {}), pair.now_ms)
    assert pair.tray.acknowledged == 5
    # After a rewind, what was sent before may still be acknowledged.
    pair.now_ms += 3000
    pair.tray.take(pair.now_ms)
    pair.tray.feed(wire.encode("A", 0, 9, tag, {}), pair.now_ms)
    assert pair.tray.acknowledged == 9


def test_another_major_version_is_refused_by_both_sides() -> None:
    tray = TrayEnd(HELLO, "9f3c01aa")
    lines(tray, 0)
    items = tray.feed(wire.encode("H", 0, 0, 0, {"proto": [2, 0], "nonce": "aa", "sw": "x"}), 10)
    assert items[0][0] == DOWN and "protocol 2, this tray 1" in items[0][2]["why"]
    assert tray.event({}, 10) is None
    (answer,) = decoded(lines(tray, 10))
    assert answer.body["to"] == "aa" and answer.body["proto"] == [1, 0]

    host = HostEnd("seed", "test")
    lines(host, 0)
    newer = {"proto": [2, 0], "nonce": "bb", "to": host.nonce, "base": 1, **HELLO}
    items = host.feed(wire.encode("H", 0, 0, 0, newer), 10)
    assert [item[0] for item in items] == [REFUSED] and "protocol 2, this host 1" in items[0][2]["why"]
    assert host.feed(wire.encode("H", 0, 0, 0, newer), 20) == []  # said once
    assert lines(host, 5000) == [] and not host.online
    # The board is flashed and comes back.
    host.feed(wire.encode("H", 0, 0, 0, {**newer, "proto": [1, 0], "nonce": "cc"}), 6000)
    assert [frame.kind for frame in decoded(lines(host, 6000))] == ["H"]


def test_another_minor_version_is_no_obstacle() -> None:
    host = HostEnd("seed", "test")
    lines(host, 0)
    minor = {"proto": [1, 99], "nonce": "bb", "to": host.nonce, "base": 1, "new": {"field": 1}, **HELLO}
    assert host.feed(wire.encode("H", 0, 0, 0, minor), 10)[0][0] == UP
    tag = session_tag(host.nonce, "bb")
    # A sequenced kind nobody knows yet: handed on, acknowledged when committed; an unsequenced one: ignored.
    assert host.feed(wire.encode("Q", 0, 0, tag, {}) + wire.encode("X", 1, 0, tag, {}), 10) == [("X", 1, {})]


def test_our_own_words_are_an_echo_and_no_tray() -> None:
    host = HostEnd("seed", "test")
    (line,) = lines(host, 0)
    assert host.feed(line, 1) == [(ECHO, 0, {})]
    tray = TrayEnd(HELLO, "9f3c01aa")
    (line,) = lines(tray, 0)
    assert tray.feed(line, 1) == [] and tray.counters.alien == 1


hellos = st.dictionaries(
    st.sampled_from(("proto", "nonce", "to", "base", "id", "fw")),
    st.none()
    | st.booleans()
    | st.integers(-5, 2**40)
    | st.text(max_size=20)
    | st.lists(st.none() | st.integers(-1, 3) | st.text(max_size=3), max_size=3),
)
frames = st.builds(
    wire.Frame,
    st.sampled_from("HATSLPFBCX"),
    st.integers(0, 40) | st.integers(0, wire.SEQUENCE_LAST),
    st.integers(0, 40) | st.integers(0, wire.SEQUENCE_LAST),
    st.sampled_from((0, 1)),  # 1: the session's own tag
    hellos,
)


@given(st.lists(frames, max_size=25), st.lists(st.integers(0, 1500), min_size=25, max_size=25), st.booleans())
@settings(derandomize=True, max_examples=200, deadline=None, database=None)
def test_no_sequence_of_frames_makes_an_end_raise(sent: list[wire.Frame], waits: list[int], connected: bool) -> None:
    pair = Pair()
    if connected:
        pair.connect()
    for frame, wait_ms in zip(sent, waits, strict=False):
        pair.now_ms += wait_ms
        for end in (pair.tray, pair.host):
            tag = end._session if frame.session else 0
            end.feed(wire.encode(frame.kind, frame.sequence, frame.ack, tag, frame.body), pair.now_ms)
            assert lines(end, pair.now_ms) is not None
            assert end.queued <= QUEUE and end.due_ms(pair.now_ms) >= 0
            end.trace()


@given(st.binary(max_size=300))
@settings(derandomize=True, max_examples=100, deadline=None, database=None)
def test_no_bytes_make_an_end_raise(data: bytes) -> None:
    pair = Pair().connect()
    for end in (pair.tray, pair.host):
        end.feed(data, pair.now_ms)
        end.port_changed()
    pair.talk(3000)
    assert pair.tray.online and pair.host.online


def test_a_long_hello_is_shortened_until_it_fits() -> None:
    tray = TrayEnd({**HELLO, "errors": ["e" * 200 + str(n) for n in range(50)], "faults": ["f" * 300] * 2}, "aa")
    (frame,) = decoded(lines(tray, 0))
    assert 0 < len(frame.body["errors"]) < 50 and frame.body["errors"][-1].endswith("e49")
    tray = TrayEnd({**HELLO, "errors": ["e" * 3000], "faults": ["f" * 3000]}, "aa")
    (frame,) = decoded(lines(tray, 0))
    assert "faults" not in frame.body and frame.body["fw"] == "0.1.0"
    tray = TrayEnd({**HELLO, "readers": ["r" * 3000]}, "aa")
    (frame,) = decoded(lines(tray, 0))
    assert set(frame.body) == {"proto", "nonce", "to", "base", "id", "fw"}


def test_when_all_sequences_are_used_up_the_tray_takes_a_new_nonce() -> None:
    pair = Pair().connect()
    pair.tray._base = wire.SEQUENCE_LAST - 1
    pair.host._received = pair.host._ack = wire.SEQUENCE_LAST - 2
    assert pair.tray.event({"n": 1}, pair.now_ms) == wire.SEQUENCE_LAST - 1
    assert pair.tray.event({"n": 2}, pair.now_ms) == wire.SEQUENCE_LAST
    assert pair.tray.event({"n": 3}, pair.now_ms) is None
    pair.talk(10)
    pair.host.commit(wire.SEQUENCE_LAST)
    pair.talk(1200)
    assert pair.tray.nonce != "9f3c01aa" and pair.host.tray_nonce == pair.tray.nonce
    assert pair.tray.online and pair.tray.event({"n": 4}, pair.now_ms) == 1
    pair.talk(10)
    assert [body for what, _, body in pair.host_items if what == "T"] == [{"n": 1}, {"n": 2}, {"n": 4}]


def test_before_its_sequences_end_the_host_begins_a_new_session() -> None:
    pair = Pair().connect()
    pair.host._base = wire.SEQUENCE_LAST - QUEUE
    pair.tray._received = pair.tray._ack = wire.SEQUENCE_LAST - QUEUE - 1
    pair.host.send("B", {})
    pair.talk(1200)
    assert (DOWN, 0, {"why": "sequence numbers used up"}) in pair.host_items
    assert pair.host.online and pair.tray.online and pair.host._base < 10


def test_health_is_sent_once_and_the_newest_replaces_one_that_waits() -> None:
    pair = Pair().connect()
    pair.tray.health({"n": 1})
    pair.tray.health({"n": 2})
    pair.talk(50)
    assert pair.host_items == [("L", 0, {"n": 2})]


def test_trace_and_counters_tell_what_went_over_the_line() -> None:
    pair = Pair().connect()
    pair.host.feed(b"some text\r\n~T 000002 broken\n", pair.now_ms)
    pair.tray.event({"e": "placed"}, pair.now_ms)
    pair.talk(10)
    trace = pair.host.trace()
    assert [line.split()[1] for line in trace].count("<") >= 3
    assert any(" > H " in line and '"proto":[1,0]' in line for line in trace)
    assert any(" # " in line and "some text" in line for line in trace)
    assert any(" ! cut short" in line or " ! checksum" in line for line in trace)
    assert any(" < T 2/0" in line and "placed" in line for line in trace)
    for number in range(300):
        pair.host.feed(b"x\n", pair.now_ms)
        assert len(pair.host.trace()) <= 100, number
    counters = pair.host.counters.as_dict()
    assert set(counters) == set(link.Counters.NAMES)
    assert counters["text"] == 301 and counters["bad"] == 1 and counters["sessions"] == 1
    assert pair.tray.trace() == []  # the Pico keeps none unless it is asked to


def test_due_tells_when_to_come_back() -> None:
    pair = Pair()
    assert pair.host.due_ms(0) == 0 and pair.tray.due_ms(0) == 0
    lines(pair.host, 0)
    assert pair.host.due_ms(0) == HELLO_MS and pair.host.due_ms(HELLO_MS + 5) == 0
    pair = Pair().connect()
    assert 0 < pair.tray.due_ms(pair.now_ms) <= OFFLINE_MS
    assert pair.host.due_ms(pair.now_ms) <= PING_MS
    pair.tray.event({}, pair.now_ms)
    assert pair.tray.due_ms(pair.now_ms) == 0
    lines(pair.tray, pair.now_ms)
    assert pair.tray.due_ms(pair.now_ms) == pair.tray.resend_ms
    pair.host.show({})
    assert pair.host.due_ms(pair.now_ms) == 0
