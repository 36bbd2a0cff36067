"""All pads of a tray: whose turn it is, and what lies where.

**Turns.** One pad at a time has its antenna on, as long as the chips are quick enough for that. But no pad waits for
another's chip: one whose tags have forgotten the last look waits a few milliseconds (`_PATIENCE_US`) for the other's
antenna to go off, and then begins beside it. So it does not matter how long a chip takes to find a tag, or whether it
hangs. Where only one pad works, its antenna stays on while nothing lies there: that is quicker still.

A reader in trouble has no turn; getting it back to work (ladder.py) goes on beside the other pads' turns, a short piece
at each step. A look at an empty pad allocates next to nothing, and few functions that it passes through keep more names
than MicroPython holds on its stack (11 words, handlers of try included; beyond that a call takes memory for a while):
two pads make a hundred looks a second.
"""

from ordertray_firmware import const
from ordertray_firmware.readers import ABSENT, FAILED, NONE, OK, STARTING, TAG, ReaderFault, TagFault, tagkinds
from ordertray_firmware.readers.ladder import Ladder
from ordertray_firmware.readers.presence import Presence

# How a pad is searched; config.json may force one.
AUTO = "auto"
TURNS = "turns"  # antenna off between looks
FIELD = "field"  # antenna on while nothing lies there, one look after the other
CHIP = "chip"  # antenna on, the chip searches by itself; FIELD where it cannot
WAYS = (AUTO, TURNS, FIELD, CHIP)

# A tag needs this long without field to forget that it was selected (ISO/IEC 14443-3: 5.1 ms).
_GAP_US = const(5200)
# So long a pad that could begin waits for another's antenna to go off; each pad beyond the second has a turn more.
_PATIENCE_US = const(6000)
_TURN_US = const(9000)
# A look that has taken so long is not waited for at all.
_LONG_LOOK_US = const(20000)
# A disc that has lain so long is left lying: looked at less often, or both antennas would be on much of the time.
_LAIN_MS = const(1000)
_REST_US = const(30000)
_IDLE_US = const(5000)
# A tag that has lain so long may be asked what it is.
_NAME_AFTER_MS = const(400)
_MAX_KINDS = const(64)
# Looks that an NDEF request waits for a tag.
_REQUEST_LOOKS = const(5)
# A pad on which nothing was found for so long has its reader configured anew: some go deaf without a sign.
QUIET_MS = const(60000)

# Where a pad stands.
_RESTING = const(0)
_LOOKING = const(1)
_CLOSING = const(2)


class _Pad:
    """One pad: its reader, what lies on it, and what was asked of it."""

    def __init__(self, name: str, driver: "Driver", clock: "Clock", emit: "Emit") -> None:
        self.name = name
        self.driver = driver
        self.presence = Presence(clock)
        self.ladder = Ladder(driver, clock, self._health_changed)
        self.stage = _RESTING
        # When it wants to be gone on with; when its look began; when its antenna went off, and how long it stays off.
        self.due = self.began_us = self.closed_us = clock.ticks_us()
        self.gap_us = _GAP_US
        # Its look has become more than the driver's advance().
        self.longer: Steps[None] | None = None
        self.request: tuple[Work, Done] | None = None
        self.request_looks = 0
        # Since when the same tag has lain here, or nothing has.
        self.since_ms = clock.ticks_ms()
        # The tag that did not say what it is.
        self.nameless: str | None = None
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
    """See the package for its API. pads: list of (name, driver); emit(kind, body) must not block; way: one of WAYS."""

    def __init__(self, pads: "list[tuple[str, Driver]]", clock: "Clock", emit: "Emit", way: str = AUTO) -> None:
        self._clock = clock
        self._way = way
        self._pads = [_Pad(name, driver, clock, emit) for name, driver in pads]
        self._patience_us = _PATIENCE_US + max(0, len(pads) - 2) * _TURN_US
        # Kinds of tags by UID: what needed a look into the tag's memory.
        self._kinds: dict[str, str] = {}
        # Whether some ladder has something to do, and whether one pad works alone.
        self._climbing = True
        self._alone = len(pads) == 1
        self._next = 0
        #: After so long without a find a pad's reader is configured anew.
        self.quiet_ms = QUIET_MS
        #: Looks that began while another antenna was on.
        self.overlaps = 0

    # The loop.

    def step(self) -> int:
        """One short piece of work; gives the microseconds until the next is due (0 to 5000)."""
        wait = self._climb() if self._climbing else _IDLE_US
        ticks_diff = self._clock.ticks_diff
        now = self._clock.ticks_us()
        index, worked = self._next, False
        for _pad in self._pads:
            index = index + 1 if index + 1 < len(self._pads) else 0
            pad = self._pads[index]
            left = ticks_diff(pad.due, now) if pad.stage else self._rest(pad, now)
            if left <= 0:
                if worked:
                    return 0
                worked = True
                self._next = index
                left = self._work(pad)
            if left < wait:
                wait = left
        return wait

    def _climb(self) -> int:
        """Carry on every ladder that has something to do; the wait until the next."""
        wait = _IDLE_US
        well = 0
        for pad in self._pads:
            if pad.ladder.climbing():
                wait = min(wait, pad.ladder.step())
                # Its antenna may have been on until now.
                pad.closed_us = self._clock.ticks_us()
            if not pad.ladder.climbing():
                well += 1
        self._climbing = well < len(self._pads)
        self._alone = well == 1
        return wait

    def _rest(self, pad: _Pad, now: int) -> int:
        """How long a pad whose antenna is off must wait until its look may begin."""
        if self._climbing and pad.ladder.climbing():
            return _IDLE_US
        left = pad.gap_us - self._clock.ticks_diff(now, pad.closed_us)
        if left > 0 or self._is_free(pad, now):
            return left
        return left + self._patience_us

    def _is_free(self, pad: _Pad, now: int) -> bool:
        """Whether no other antenna is on, or will be once this pad's is; long looks are not waited for."""
        for other in self._pads:
            if other.stage and other is not pad:
                if other.stage == _LOOKING:
                    if self._clock.ticks_diff(now, other.began_us) < _LONG_LOOK_US:
                        return False
                elif not (other.driver.SLOW_FIELD and pad.driver.SLOW_FIELD):
                    return False
        return len(self._pads) < 3 or not self._is_late(pad)

    def _is_late(self, pad: _Pad) -> bool:
        """Whether some other pad has waited longer."""
        ticks_diff = self._clock.ticks_diff
        now = self._clock.ticks_us()
        waited = ticks_diff(now, pad.closed_us) - pad.gap_us
        for other in self._pads:
            if not other.stage and other is not pad and not other.ladder.climbing():
                if ticks_diff(now, other.closed_us) - other.gap_us > waited:
                    return True
        return False

    def _work(self, pad: _Pad) -> int:
        """A piece of a pad's turn; the wait until the next."""
        try:
            if pad.longer is not None:
                try:
                    wish = next(pad.longer)
                except StopIteration:
                    pad.longer = None
                    return self._close(pad)
            else:
                if not pad.stage:
                    pad.began_us = self._clock.ticks_us()
                    if not self._is_free(pad, pad.began_us):
                        self.overlaps += 1
                    pad.stage = _LOOKING
                    pad.driver.begin_look(pad.presence.uid)
                wish = pad.driver.advance()
                if wish < 0:
                    return self._looked(pad) if pad.stage == _LOOKING else self._closed(pad)
        except ReaderFault as fault:
            self._fault(pad, fault.why)
            return 0
        pad.due = self._clock.ticks_add(self._clock.ticks_us(), wish)
        return wish

    def _looked(self, pad: _Pad) -> int:
        """The look is done: pass on what it found, and either do what else is wanted or close."""
        sighting = pad.driver.sighting
        pad.ladder.proven()
        if sighting.outcome != NONE or pad.request is not None:
            return self._found(pad, sighting)
        now_ms = self._clock.ticks_ms()
        if pad.presence.quiet:
            if self._clock.ticks_diff(now_ms, pad.since_ms) >= self.quiet_ms:
                return self._renew(pad, now_ms)
            if self._way != TURNS and (self._alone or self._way != AUTO):
                return self._stay(pad)
            return self._close(pad)
        pad.gap_us = _GAP_US
        events = pad.presence.see(sighting, now_ms)
        if events:
            pad.tell(events)
            pad.since_ms = now_ms
        return self._close(pad)

    def _stay(self, pad: _Pad) -> int:
        """Look again at once, the antenna on: nothing was found that would have to be left alone for a while."""
        if self._way != FIELD and pad.driver.SEARCHES:
            pad.driver.begin_search()
        else:
            pad.driver.begin_look(None, True)
        pad.due = self._clock.ticks_us()
        return 0

    def _renew(self, pad: _Pad, now_ms: int) -> int:
        """Nothing was found for a minute: nothing lies there, or the reader has gone deaf."""
        pad.since_ms = now_ms
        self._over(pad)
        self._climbing = True
        pad.ladder.renew()
        return 0

    def _found(self, pad: _Pad, sighting: "Sighting") -> int:
        """Something was found, or is asked for."""
        if sighting.uid is not None and sighting.outcome == TAG:
            sighting.tag = self._kinds.get(sighting.uid) or sighting.tag
        now_ms = self._clock.ticks_ms()
        events = pad.presence.see(sighting, now_ms)
        if events:
            pad.tell(events)
            pad.since_ms = now_ms
            pad.nameless = None
        lies = pad.presence.uid
        lain_ms = self._clock.ticks_diff(now_ms, pad.since_ms)
        rests = lies is not None and lies == sighting.uid and lain_ms >= _LAIN_MS
        pad.gap_us = _REST_US if rests else _GAP_US
        if pad.request is not None:
            pad.longer = self._serve(pad, sighting, pad.request[0])
        elif lain_ms >= _NAME_AFTER_MS and pad.presence.tag == tagkinds.TYPE_2 and self._may_name(pad, sighting):
            pad.longer = self._identify(pad, sighting.uid)
        else:
            return self._close(pad)
        pad.due = self._clock.ticks_us()
        return 0

    def _may_name(self, pad: _Pad, sighting: "Sighting") -> bool:
        """Naming takes a while and is worth little: only where nobody else wants anything."""
        if sighting.uid is None or sighting.uid != pad.presence.uid or sighting.uid == pad.nameless:
            return False
        for other in self._pads:
            if other is not pad and not (other.presence.quiet or other.gap_us == _REST_US):
                return False
        return True

    def _close(self, pad: _Pad) -> int:
        """Antenna off. No time to lose: the next pad comes at once, if it can."""
        pad.stage = _CLOSING
        pad.driver.begin_close()
        wish = pad.driver.advance()
        if wish < 0:
            return self._closed(pad)
        pad.due = self._clock.ticks_add(self._clock.ticks_us(), wish)
        return 0

    def _closed(self, pad: _Pad) -> int:
        self._over(pad)
        return 0

    def _over(self, pad: _Pad) -> None:
        """The turn is over."""
        pad.closed_us = self._clock.ticks_us()
        pad.stage = _RESTING
        pad.longer = None

    def _fault(self, pad: _Pad, why: str) -> None:
        self._over(pad)
        self._climbing = True
        if why == "late":
            pad.ladder.late()
            return
        pad.give_up()
        pad.ladder.fault(why)

    def _identify(self, pad: _Pad, uid: "str | None") -> "Steps[None]":
        """Which NTAG it is, for the snapshot and for the next time. No matter if it does not say."""
        if uid is None:
            return
        try:
            kind = yield from pad.driver.identify()
        except TagFault:
            pad.nameless = uid
            pad.ladder.counters["nameless"] += 1
            return
        self._name(pad, uid, kind)

    def _name(self, pad: _Pad, uid: str, kind: str) -> None:
        if len(self._kinds) >= _MAX_KINDS:
            self._kinds.clear()
        self._kinds[uid] = kind
        if uid == pad.presence.uid:
            pad.presence.name_kind(kind)

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
        elif pad.ladder.health in (STARTING, ABSENT, FAILED):
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
        from ordertray_firmware.readers import ndef

        try:
            if not tagkinds.is_type_2_kind(sighting.tag):
                raise TagFault("not-type-2")
            if sighting.uid not in self._kinds:
                self._name(pad, sighting.uid, (yield from pad.driver.identify()))
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
        readers = []
        for pad in self._pads:
            ladder = pad.ladder
            reader = {"pad": pad.name, "chip": pad.driver.chip, "version": pad.driver.version, "health": ladder.health}
            if ladder.why:
                reader["why"] = ladder.why
            readers.append(reader)
        return readers

    def figures(self) -> "dict[str, dict[str, int]]":
        """How long each pad's chip takes, and how often it was asked."""
        found = {}
        for pad in self._pads:
            found[pad.name] = pad.driver.figures()
            found[pad.name]["polls"] = pad.ladder.counters["polls"]
        return found

    def counters(self) -> "dict[str, dict[str, int]]":
        """Counters by pad."""
        return {pad.name: dict(pad.ladder.counters) for pad in self._pads}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers import Sighting
    from ordertray_firmware.readers.protocols import Clock, Done, Driver, Emit, Event, Steps, Work
