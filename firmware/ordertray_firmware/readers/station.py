"""All pads of a tray: whose turn it is, and what lies where.

Turns: one pad at a time has its antenna on. A reader in trouble gives up its turn at once; getting it back to work
(ladder.py) goes on beside the other pads' turns, a short piece at each step, so that it costs them next to nothing.
"""

from ordertray_firmware.readers import ABSENT, FAILED, NONE, OK, TAG, ReaderFault, TagFault, ndef, tagkinds
from ordertray_firmware.readers.ladder import Ladder
from ordertray_firmware.readers.presence import Presence

# A tag needs this long without field to forget that it was selected (ISO/IEC 14443-3: 5.1 ms).
_GAP_US = 5200
_IDLE_US = 5000
_MAX_KINDS = 64
# Looks that an NDEF request waits for a tag.
_REQUEST_LOOKS = 5


class _Pad:
    """One pad: its reader, what lies on it, and what was asked of it."""

    def __init__(self, name: str, driver: "Driver", clock: "Clock", emit: "Emit") -> None:
        self.name = name
        self.driver = driver
        self.presence = Presence(clock)
        self.ladder = Ladder(driver, clock, self._health_changed)
        self.closed_us = clock.ticks_us()
        self.request: tuple[Work, Done] | None = None
        self.request_looks = 0
        self._emit = emit

    def _health_changed(self, health: str, was: str, why: str) -> None:
        if health != OK:
            self.give_up()
        counters = dict(self.ladder.counters)
        self._emit("L", {"pad": self.name, "health": health, "was": was, "why": why, "counters": counters})

    def give_up(self) -> None:
        """The reader failed: whatever was counted so far proves nothing (unknown is not removed)."""
        self.presence.unknown()
        self.answer({"ok": False, "why": "reader-fault"})

    def tell(self, events: "list[Event]") -> None:
        """Pass events of this pad on."""
        for event in events:
            event["pad"] = self.name
            self._emit("T", event)

    def answer(self, answer: "Event") -> None:
        """The request is done with."""
        if self.request is not None:
            done = self.request[1]
            self.request = None
            done(answer)


class Station:
    """See the package for its API. pads: list of (name, driver); emit(kind, body) must not block."""

    def __init__(self, pads: "list[tuple[str, Driver]]", clock: "Clock", emit: "Emit") -> None:
        self._clock = clock
        self._pads = [_Pad(name, driver, clock, emit) for name, driver in pads]
        # Kinds of tags by UID: what needed a look into the tag's memory.
        self._kinds: dict[str, str] = {}
        self._turn: Steps[None] | None = None
        self._turn_pad: _Pad | None = None
        self._turn_due = 0
        self._last = -1

    # The loop.

    def step(self) -> int:
        """One short piece of work; gives the microseconds until the next is due (0 to 5000)."""
        wait = _IDLE_US
        for pad in self._pads:
            if pad.ladder.climbing():
                wait = min(wait, pad.ladder.step())
        if self._turn is None:
            wait = min(wait, self._choose())
        if self._turn is not None and self._turn_pad is not None:
            wait = min(wait, self._step_turn(self._turn, self._turn_pad))
        return wait

    async def run(self, sleep_ms: "SleepMs") -> None:
        """Step for ever; sleep_ms is asyncio.sleep_ms, or another coroutine function that takes milliseconds."""
        while True:
            await sleep_ms(self.step() // 1000)

    def _left_us(self, due: int) -> int:
        return max(0, self._clock.ticks_diff(due, self._clock.ticks_us()))

    def _choose(self) -> int:
        """Give the turn to the next pad that is well and whose tags have forgotten the last look; the wait if none.

        When there is one, its own first step says how long to wait.
        """
        wait = _IDLE_US
        count = len(self._pads)
        for offset in range(1, count + 1):
            index = (self._last + offset) % count
            pad = self._pads[index]
            if pad.ladder.climbing():
                # Its antenna may have been on until now.
                pad.closed_us = self._clock.ticks_us()
                continue
            left = self._left_us(self._clock.ticks_add(pad.closed_us, _GAP_US))
            if left:
                wait = min(wait, left)
                continue
            self._last = index
            self._turn_pad = pad
            self._turn = self._look(pad)
            self._turn_due = self._clock.ticks_us()
            break
        return wait

    def _step_turn(self, turn: "Steps[None]", pad: _Pad) -> int:
        left = self._left_us(self._turn_due)
        if left:
            return left
        try:
            wish = next(turn)
        except StopIteration:
            pad.closed_us = self._clock.ticks_us()
            self._turn = None
            return 0
        except ReaderFault as fault:
            pad.closed_us = self._clock.ticks_us()
            self._turn = None
            self._fault(pad, fault.why)
            return 0
        self._turn_due = self._clock.ticks_add(self._clock.ticks_us(), wish)
        return wish

    def _fault(self, pad: _Pad, why: str) -> None:
        if why == "late":
            pad.ladder.late()
            return
        pad.give_up()
        pad.ladder.fault(why)

    # A turn.

    def _look(self, pad: _Pad) -> "Steps[None]":
        sighting = yield from pad.driver.look(pad.presence.uid)
        pad.ladder.proven()
        if sighting.uid is not None and sighting.outcome == TAG:
            sighting.tag = self._kinds.get(sighting.uid) or sighting.tag
        before = pad.presence.uid
        pad.tell(pad.presence.see(sighting, self._clock.ticks_ms()))
        lies = pad.presence.uid
        readable = True
        if lies is not None and lies != before and lies == sighting.uid and sighting.tag == tagkinds.TYPE_2:
            readable = yield from self._identify(pad, lies)
        if pad.request is not None and readable:
            yield from self._serve(pad, sighting, pad.request[0])
        yield from pad.driver.close()

    def _identify(self, pad: _Pad, uid: str) -> "Steps[bool]":
        """After the event is out: which NTAG it is, for the snapshot and for the next time. False: it did not say."""
        try:
            kind = yield from pad.driver.identify()
        except TagFault as fault:
            pad.tell(pad.presence.complain(fault.why, self._clock.ticks_ms()))
            return False
        if len(self._kinds) >= _MAX_KINDS:
            self._kinds.clear()
        self._kinds[uid] = kind
        pad.presence.name_kind(kind)
        return True

    # NDEF on request.

    def request(self, pad_name: str, work: "Work", done: "Done") -> None:
        """Have ("read",) or ("write", message) done with the tag on that pad; see the package."""
        pad = None
        for each in self._pads:
            if each.name == pad_name:
                pad = each
        if pad is None:
            done({"ok": False, "why": "no-pad"})
        elif pad.request is not None:
            done({"ok": False, "why": "busy"})
        elif pad.ladder.health in (ABSENT, FAILED):
            done({"ok": False, "why": "reader-" + pad.ladder.health})
        elif not work or work[0] not in ("read", "write") or (work[0] == "write" and len(work) != 2):
            done({"ok": False, "why": "bad-request"})
        else:
            pad.request = (work, done)
            pad.request_looks = 0

    def _serve(self, pad: _Pad, sighting: "Sighting", work: "Work") -> "Steps[None]":
        if sighting.outcome != TAG or sighting.uid is None:
            pad.request_looks += 1
            if pad.request_looks >= _REQUEST_LOOKS:
                pad.answer({"ok": False, "why": "no-tag" if sighting.outcome == NONE else sighting.outcome})
            return
        try:
            if not tagkinds.is_type_2_kind(sighting.tag):
                raise TagFault("not-type-2")
            if work[0] == "read":
                message = yield from ndef.read_message(pad.driver)
            else:
                message = bytes(work[1])
                yield from ndef.write_message(pad.driver, message)
        except TagFault as fault:
            pad.answer({"ok": False, "why": fault.why, "uid": sighting.uid})
            return
        kind = self._kinds.get(sighting.uid) or sighting.tag
        pad.answer({"ok": True, "uid": sighting.uid, "tag": kind, "ndef": message.hex().upper()})

    # What others ask.

    def snapshot(self) -> "Event":
        """What lies on each pad as far as known, and how each reader is."""
        pads: dict[str, Event | None] = {}
        health = {}
        for pad in self._pads:
            seen = pad.presence
            pads[pad.name] = None if seen.uid is None else {"uid": seen.uid, "tag": seen.tag}
            health[pad.name] = pad.ladder.health
        return {"pads": pads, "health": health}

    def describe(self) -> "list[Event]":
        """The readers for HELLO."""
        return [
            {"pad": pad.name, "chip": pad.driver.chip, "version": pad.driver.version, "health": pad.ladder.health}
            for pad in self._pads
        ]

    def counters(self) -> "dict[str, dict[str, int]]":
        """Counters by pad."""
        return {pad.name: dict(pad.ladder.counters) for pad in self._pads}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers import Sighting
    from ordertray_firmware.readers.protocols import Clock, Done, Driver, Emit, Event, SleepMs, Steps, Work
