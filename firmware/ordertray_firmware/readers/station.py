"""All pads of a tray: whose turn it is, and what lies where.

Turns: one pad at a time has its antenna on. A reader in trouble gives up its turn at once; getting it back to work
(ladder.py) goes on beside the other pads' turns, a short piece at each step, so that it costs them next to nothing.
A look at an empty pad allocates next to nothing, and few functions that it passes through keep more names than
MicroPython holds on its stack (11 words, handlers of try included; beyond that a call takes memory for a while): two
pads make a hundred looks a second.
"""

from ordertray_firmware.readers import ABSENT, FAILED, NONE, OK, TAG, ReaderFault, TagFault, ndef, tagkinds
from ordertray_firmware.readers.ladder import Ladder
from ordertray_firmware.readers.presence import Presence

# A tag needs this long without field to forget that it was selected (ISO/IEC 14443-3: 5.1 ms).
_GAP_US = 5200
# A pad that was in trouble begins no later than this after another's turn, or that one's next would have to wait.
_NEAR_US = 1500
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
        self.looking = False
        # Its reader was in trouble until now.
        self.back = False
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
        # Whether some ladder has something to do.
        self._climbing = True
        # The pad whose turn it is; its look goes on by the driver's advance() or, when it became more, by these steps.
        self._turn: _Pad | None = None
        # The pad before, whose antenna has been told to go off and that has yet to say that it did.
        self._leaving: _Pad | None = None
        self._leaving_due = 0
        self._longer: Steps[None] | None = None
        self._turn_due = 0
        self._last = -1

    # The loop.

    def step(self) -> int:
        """One short piece of work; gives the microseconds until the next is due (0 to 5000)."""
        wait = self._climb() if self._climbing else _IDLE_US
        if self._leaving is not None:
            wait = min(wait, self._leave(self._leaving))
        if self._turn is None:
            left = self._choose()
            if self._turn is None:
                return min(wait, left)
        else:
            left = self._clock.ticks_diff(self._turn_due, self._clock.ticks_us())
            if left > 0:
                return min(wait, left)
        return min(wait, self._work(self._turn))

    def _climb(self) -> int:
        """Carry on every ladder that has something to do; the wait until the next."""
        wait = _IDLE_US
        self._climbing = False
        for pad in self._pads:
            if pad.ladder.climbing():
                self._climbing = True
                wait = min(wait, pad.ladder.step())
        return wait

    def _choose(self) -> int:
        """Give the turn to the next pad that is well and whose tags have forgotten the last look; the wait if none."""
        wait = _IDLE_US
        count = len(self._pads)
        index = self._last
        now = self._clock.ticks_us()
        for _pad in self._pads:
            index = (index + 1) % count
            pad = self._pads[index]
            if self._climbing and pad.ladder.climbing():
                # Its antenna may have been on until now.
                pad.closed_us = now
                continue
            if self._leaving is not None and (pad is self._leaving or not pad.driver.SLOW_FIELD):
                break
            left = _GAP_US - self._clock.ticks_diff(now, pad.closed_us)
            if left > 0:
                wait = min(wait, left)
                continue
            if pad.back and self._next_is_near(pad, now):
                continue
            self._last = index
            self._turn = pad
            pad.back = False
            break
        return wait

    def _next_is_near(self, back: _Pad, now: int) -> bool:
        """Whether the other pad's turn comes so soon that one that has just come back must not delay it.

        Two or more others leave no pause between their turns, so that there is nothing to wait for.
        """
        others = 0
        near = False
        for pad in self._pads:
            if pad is not back and not pad.back and not pad.ladder.climbing():
                others += 1
                near = self._clock.ticks_diff(now, pad.closed_us) > _NEAR_US
        return near and others == 1

    def _work(self, pad: _Pad) -> int:
        """A piece of a pad's turn; the wait until the next."""
        try:
            if self._longer is not None:
                try:
                    wish = next(self._longer)
                except StopIteration:
                    self._longer = None
                    return self._close(pad)
            else:
                if pad.looking:
                    wish = pad.driver.advance()
                else:
                    pad.looking = True
                    pad.driver.begin_look(pad.presence.uid)
                    wish = pad.driver.advance()
                if wish < 0:
                    return self._looked(pad)
        except ReaderFault as fault:
            self._failed(pad, fault.why)
            return 0
        self._turn_due = self._clock.ticks_add(self._clock.ticks_us(), wish)
        return wish

    def _failed(self, pad: _Pad, why: str) -> None:
        self._longer = None
        if self._turn is pad:
            self._over(pad)
        self._fault(pad, why)

    def _looked(self, pad: _Pad) -> int:
        """The look is done: pass on what it found, and either do what else is wanted or close."""
        sighting = pad.driver.sighting
        pad.ladder.proven()
        if sighting.outcome != NONE or pad.request is not None:
            return self._found(pad, sighting)
        events = pad.presence.see(sighting, self._clock.ticks_ms())
        if events:
            pad.tell(events)
        return self._close(pad)

    def _found(self, pad: _Pad, sighting: "Sighting") -> int:
        """Something was found, or is asked for."""
        if sighting.uid is not None and sighting.outcome == TAG:
            sighting.tag = self._kinds.get(sighting.uid) or sighting.tag
        before = pad.presence.uid
        events = pad.presence.see(sighting, self._clock.ticks_ms())
        if events:
            pad.tell(events)
        lies = pad.presence.uid
        unnamed = lies is not None and lies != before and lies == sighting.uid and sighting.tag == tagkinds.TYPE_2
        if unnamed or pad.request is not None:
            self._longer = self._look_closer(pad, sighting, lies if unnamed else None)
            self._turn_due = self._clock.ticks_us()
            return 0
        return self._close(pad)

    def _close(self, pad: _Pad) -> int:
        """Antenna off. The next pad need not wait for the answer if its own goes on as slowly as this one goes off."""
        pad.driver.begin_close()
        wish = pad.driver.advance()
        self._over(pad)
        if wish >= 0:
            self._leaving = pad
            self._leaving_due = self._clock.ticks_add(pad.closed_us, wish)
        # No time to lose: on with the next pad at once, if it can be.
        left = self._choose()
        if self._turn is not None:
            left = self._work(self._turn)
        return min(left, wish) if self._leaving is pad else left

    def _leave(self, pad: _Pad) -> int:
        """Hear that the antenna of the turn before is off; the wait until the next look at it."""
        left = self._clock.ticks_diff(self._leaving_due, self._clock.ticks_us())
        if left > 0:
            return left
        try:
            wish = pad.driver.advance()
        except ReaderFault as fault:
            self._leaving = None
            self._fault(pad, fault.why)
            return 0
        now = self._clock.ticks_us()
        if wish < 0:
            pad.closed_us = now
            self._leaving = None
            return _IDLE_US
        self._leaving_due = self._clock.ticks_add(now, wish)
        return wish

    def _over(self, pad: _Pad) -> None:
        """The turn is over."""
        pad.closed_us = self._clock.ticks_us()
        pad.looking = False
        self._turn = None

    def _fault(self, pad: _Pad, why: str) -> None:
        self._climbing = pad.back = True
        if why == "late":
            pad.ladder.late()
            return
        pad.give_up()
        pad.ladder.fault(why)

    # What a look may lead to.

    def _look_closer(self, pad: _Pad, sighting: "Sighting", unnamed: "str | None") -> "Steps[None]":
        readable = True
        if unnamed is not None:
            readable = yield from self._identify(pad, unnamed)
        if pad.request is not None and readable:
            yield from self._serve(pad, sighting, pad.request[0])

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
    from ordertray_firmware.readers.protocols import Clock, Done, Driver, Emit, Event, Steps, Work
