"""PN532 on SPI: what it is told, and what its answers mean. Facts: user manual UM0701-02, data sheet, AN10609 (C106).

The antenna goes off after every look that may have found something, which returns every tag to IDLE (the chip asks with
REQA, which a tag left selected does not answer).

**No time of the chip is taken for known.** Nobody has published how long it takes to find a tag. A look is given up
only after twice the slowest answer that this very chip has given in this run; until it has shown how quick it is with
a tag, after longer than any that was ever reported. The station does not let another pad wait for it.
"""

from ordertray_firmware import const
from ordertray_firmware.readers import (
    CHECKSUM,
    NONE,
    PHONE,
    TAG,
    TWO_TAGS,
    UNREADABLE,
    ReaderFault,
    Sighting,
    TagFault,
    tagkinds,
)
from ordertray_firmware.readers import pn532_frames as frames
from ordertray_firmware.readers.pn532_link import DONE, Pn532Link
from ordertray_firmware.readers.waiting import advanced, pause

_GET_FIRMWARE_VERSION = const(0x02)
_WRITE_REGISTER = const(0x08)
_SET_PARAMETERS = const(0x12)
_SAM_CONFIGURATION = const(0x14)
_RF_CONFIGURATION = const(0x32)
_IN_DATA_EXCHANGE = const(0x40)
_IN_COMMUNICATE_THRU = const(0x42)
_IN_LIST_PASSIVE_TARGET = const(0x4A)

# Time-outs of a data exchange, as RFConfiguration item 2 codes them: 1.6 ms, 12.8 ms (EEPROM writes take 4 to 10).
_QUICK = const(0x05)
_UNHURRIED = const(0x08)
# RFConfiguration item 5: attempts to activate beside the first; FF is for ever.
_ONCE = const(0x00)
_FOR_EVER = const(0xFF)

# CIU registers: frames without check bytes, bits of the last byte (UM0701-02, 7.2.5; MFRC522 data sheet for the bits).
_RAW = b"\x63\x02\x00\x63\x03\x00"
_SEVEN_BITS = b"\x63\x3d\x07"
_EIGHT_BITS = b"\x63\x3d\x00"

# An empty pad is answered about equally fast; so much later twice running, and something may have answered the chip.
_SUSPICIOUS_US = const(300)
_SUSPICIOUS_LOOKS = const(2)
# Where that proves nothing again and again, the chip is just so: be less and less suspicious.
_MOST_SUSPICIOUS_LOOKS = const(64)

_WUPA = const(0x52)
_READ = const(0x30)
_WRITE = const(0xA2)
_GET_VERSION = const(0x60)

# Wake-up: chip select low for T_osc_start (data sheet: at most 2 ms).
_WAKE_US = const(2200)
# RSTPDN: far more than the data sheet's minimum; then the time the chip takes to start.
_RESET_US = const(1000)
_BOOT_US = const(5000)

_SLOW_ACK_US = const(15000)
_CLOSE_US = const(60000)
_EXCHANGE_US = const(20000)
# A look is given up after twice the slowest answer so far, within these bounds; first after the third. The least is
# more than any report of a single slow answer (over 100 ms): giving up a good look costs more than a hung chip does.
_LEAST_LOOK_US = const(180000)
_MOST_LOOK_US = const(400000)
_FIRST_LOOK_US = const(240000)
# So many looks in a row that were given up after the most: the chip obeys, but looks for nothing.
_HOPELESS = const(3)
# The chip searching by itself is asked anew after so long: a hung one does not say so.
_SEARCH_US = const(1000000)

# No answer comes sooner after the command.
_SOONEST_US = const(1000)
# Where an empty pad's answer is looked for at first: field just switched on, field on already.
_GUARDED_US = const(5500)
# By so much the moment at which an empty pad's answer is looked for moves from look to look (see _nothing).
_SOONER_US = const(12)
_LATER_US = const(100)

# Status of InDataExchange (UM0701-02, 7.1): the ones that mean a spoilt answer.
_COLLISION = const(0x06)
_SPOILT = (0x02, 0x03, 0x04, 0x05, 0x06, 0x0B, 0x23)

# What an empty pad says all day, and what is said to it, ready for the bus: taking frames apart and putting them
# together byte by byte is most of the Pico's work otherwise. Whatever looks different goes the long way.
_FIELD_OFF_PARAMS = b"\x01\x00"
_PACKED_LOOK = frames.packed(_IN_LIST_PASSIVE_TARGET, b"\x02\x00")
_PACKED_FIELD_OFF = frames.packed(_RF_CONFIGURATION, _FIELD_OFF_PARAMS)
# The same as they come off the bus, behind one byte that belongs to no frame.
_NO_TARGET_LINE = b"\xff" + frames.turned(b"\x00\x00\xff\x03\xfd\xd5\x4b\x00\xe0")
_FIELD_IS_OFF_LINE = b"\xff" + frames.turned(b"\x00\x00\xff\x02\xfe\xd5\x33\xf8\x00")
_NOTHING_THERE = Sighting(NONE)


class Pn532(Pn532Link):
    """Driver; see the package for its API. `bus` and `clock` are the protocols described there."""

    SLOW_FIELD = True
    SEARCHES = True
    chip = "pn532"

    def __init__(self, bus: "Bus", clock: "Clock") -> None:
        super().__init__(bus, clock)
        self.version = ""
        #: What the look that advance() has brought to its end found.
        self.sighting = _NOTHING_THERE
        # begin_look() and begin_close(): what advance() carries on; the steps of a look that became longer.
        self._closing = False
        self._longer: Steps[Sighting | None] | None = None
        self._searching = False
        self._target = 0
        # How long a look may take, the slowest answer of this run, and how many looks in a row were given up.
        self.look_us = _FIRST_LOOK_US
        self._slowest_us = 0
        self._given_up = 0
        # How long the last look took that found one tag, or two.
        self._found_us = self._two_us = 0
        self._timeout = 0
        self._attempts = _ONCE
        # Where an empty pad's answer is looked for, and the shortest it took: after the field went on, and with it on.
        self._on = 0
        self._due_us = [_GUARDED_US, _SOONEST_US]
        self._empty_us = [_MOST_LOOK_US, _MOST_LOOK_US]
        self._suspicious = 0
        self._suspicious_looks = _SUSPICIOUS_LOOKS
        # How long the look took that made suspicious.
        self._slow_us = 0
        # A command was not acknowledged in time.
        self._unheard = False
        self._last_answer = b""
        self._last_sighting = _NOTHING_THERE

    def too_late(self, acknowledgement: bool) -> ReaderFault:
        """A look that is late is cancelled, and the next is given more time; only one that never ends is a fault."""
        if acknowledgement:
            self._unheard = self._ack_us == self.quick_ack_us
            return ReaderFault("no-ack")
        if self._code != _IN_LIST_PASSIVE_TARGET:
            return ReaderFault("no-answer")
        self._given_up = self._given_up + 1 if self.look_us == _MOST_LOOK_US else 0
        # Until the next tag has shown how slow it has become.
        self.look_us = _MOST_LOOK_US
        if self._given_up >= _HOPELESS:
            return ReaderFault("no-answer")
        self.abort()
        return ReaderFault("late")

    # Life of the chip.

    def start(self) -> "Steps[None]":
        """Wake, identify, configure, antenna off (AN10609: SAMConfiguration leaves the low battery mode)."""
        self._bus.select()
        try:
            self._clock.sleep_us(_WAKE_US)
        finally:
            self._bus.deselect()
        self.abort()
        yield from pause(self._clock, 500)
        # Normal mode, no time-out, interrupt line in use.
        yield from self.command(_SAM_CONFIGURATION, b"\x01\x00\x01")
        answer = yield from self.command(_GET_FIRMWARE_VERSION, b"")
        if len(answer) != 4 or answer[0] != 0x32:
            raise ReaderFault("not-a-pn532")
        self.version = "%d.%d" % (answer[1], answer[2])
        if self._unheard:
            # It may have been only slow to acknowledge.
            self.quick_ack_us = _SLOW_ACK_US
            self._unheard = False
        # No automatic RATS: a phone is told from its UID, its ATS would only cost time.
        yield from self.command(_SET_PARAMETERS, b"\x00")
        # Never wait for ever.
        yield from self._set_attempts(_ONCE)
        self._timeout = 0
        yield from self._set_timeout(_UNHURRIED)
        yield from self.command(_RF_CONFIGURATION, _FIELD_OFF_PARAMS)
        self._target = 0

    def soft_reset(self) -> "Steps[None]":
        """Cancel and let the chip settle; start() then wakes and configures it anew."""
        self._pending = False
        self.abort()
        yield from pause(self._clock, 1000)

    def hard_reset(self) -> "Steps[None]":
        """RSTPDN low and high again."""
        self._bus.deselect()
        self._bus.reset(False)
        try:
            yield from pause(self._clock, _RESET_US)
        finally:
            self._bus.reset(True)
        yield from pause(self._clock, _BOOT_US)
        self._pending = False
        self._irq_seen = False

    def settle(self) -> "Steps[None]":
        """After a fault or a late look, while nobody waits: cancel, configure anew, antenna off.

        Anew, because a chip whose supply dipped answers commands as if nothing were, and looks at nothing.
        """
        yield from self.start()

    def figures(self) -> "dict[str, int]":
        """What this very chip took, in microseconds from the command: see `ordertray measure`. 0: not seen yet."""
        empty_us = self._empty_us[0]
        return {
            "acknowledge_us": self.acknowledged_us,
            "empty_us": 0 if empty_us == _MOST_LOOK_US else empty_us,
            "found_us": self._found_us,
            "two_us": self._two_us,
            "limit_us": self.look_us,
        }

    # Looking.

    def look(self, known: "str | None" = None) -> "Steps[Sighting]":
        """Antenna on (by the command itself) and look; gives a Sighting. close() must follow.

        ReaderFault("late") while a longer look may still succeed; settle() must follow then.
        """
        self.begin_look(known)
        yield from advanced(self)
        return self.sighting

    def begin_look(self, known: "str | None" = None, on: bool = False) -> None:
        """The same for advance(). on: the antenna has stayed on since the look before."""
        self._target = 0
        self._closing = self._searching = False
        self._on = 1 if on else 0
        if self._attempts != _ONCE:
            self._longer = self._set_attempts(_ONCE)
        else:
            self._longer = None
            self._list()

    def begin_search(self) -> None:
        """As begin_look(), but the chip goes on by itself until it finds something, or for a second."""
        self._target = 0
        self._closing = False
        self._searching = True
        if self._attempts != _FOR_EVER:
            self._longer = self._set_attempts(_FOR_EVER)
        else:
            self._longer = None
            self._list()

    def _list(self) -> None:
        if self._searching:
            limit_us, first_wait_us = _SEARCH_US, _SOONEST_US
        else:
            # Not asked before an empty pad's answer is due: each look at the chip costs the Pico some 400 us.
            limit_us, first_wait_us = self.look_us, self._due_us[self._on]
        self.begin(_IN_LIST_PASSIVE_TARGET, _PACKED_LOOK, _NO_TARGET_LINE, limit_us, self.quick_ack_us, first_wait_us)
        self.endless = self._searching

    def begin_close(self) -> None:
        """close() for advance()."""
        self._closing = True
        self._longer = None
        self.begin(_RF_CONFIGURATION, _PACKED_FIELD_OFF, _FIELD_IS_OFF_LINE, _CLOSE_US, self.quick_ack_us, 0)

    def advance(self) -> int:
        """Carry begin_look() or begin_close() on: microseconds until the next call, or -1 at its end (see sighting)."""
        if self._longer is not None:
            return self._advance_longer()
        wait = self.go_on()
        if wait != DONE or self._closing:
            return wait
        if self._searching:
            if not self.body_start:
                self.sighting = _NOTHING_THERE
                return DONE
        else:
            self._given_up = 0
        if not self.body_start or self.body_end <= self.body_start + 2 or not self.rx[self.body_start + 2]:
            return self._nothing()
        return self._something()

    def _advance_longer(self) -> int:
        assert self._longer is not None
        try:
            return next(self._longer)
        except StopIteration as stop:
            self._longer = None
            if stop.value is None:
                # It was configured for this look.
                self._list()
                return 0
            self.sighting = stop.value
            return DONE

    def _learn(self, found: bool) -> None:
        """How long this chip takes: the slowest answer of the run sets the limit, once one with a tag has been seen."""
        if self.took_us > self._slowest_us:
            self._slowest_us = self.took_us
        limit = min(max(2 * self._slowest_us, _LEAST_LOOK_US), _MOST_LOOK_US)
        if found or limit > self.look_us:
            self.look_us = limit

    def _something(self) -> int:
        """The chip lists a target or two."""
        self._suspicious = 0
        self._learn(True)
        answer = bytes(self._rx_view[self.body_start + 2 : self.body_end])
        # A tag that lies there says the same every time.
        if answer != self._last_answer:
            self._last_sighting = self._listed(answer)
            self._last_answer = answer
        if answer[0] == 1:
            self._target = answer[1]
            self._found_us = self.took_us
        else:
            self._target = 0
            self._two_us = self.took_us
        self.sighting = self._last_sighting
        return DONE

    def _listed(self, answer: bytes) -> Sighting:
        """What the answer of InListPassiveTarget says, with a target or two in it."""
        if answer[0] > 1:
            return Sighting(TWO_TAGS)
        # Tg, SENS_RES (2), SEL_RES, length of the UID, UID (UM0701-02, 7.3.5)
        if len(answer) < 6 or answer[5] not in (4, 7, 10) or len(answer) < 6 + answer[5]:
            raise ReaderFault("bad-answer")
        sak = answer[4]
        uid = answer[6 : 6 + answer[5]]
        text = tagkinds.uid_text(uid)
        if tagkinds.is_phone(uid):
            return Sighting(PHONE, text, None)
        return Sighting(TAG, text, tagkinds.kind_by_sak(sak))

    def _nothing(self) -> int:
        """The chip lists no target: true, or a tag it dropped without a word (a bad copy, a weak tag)?"""
        on, took = self._on, self.took_us
        if took > self._slowest_us:
            self._learn(False)
        shortest, due = self._empty_us[on], self._due_us[on]
        slow = self.took_more_than_us > shortest + _SUSPICIOUS_US
        # The shortest ever, but forgetting slowly.
        self._empty_us[on] = min(shortest + 5, took)
        # Looked for when it has just come: each look that finds it there moves the next a little forward, and each that
        # comes too soon, and costs a second one, a little back.
        if self.first_time:
            self._due_us[on] = max(_SOONEST_US, due - _SOONER_US)
        else:
            self._due_us[on] = min(due + _LATER_US, took)
        self._suspicious = self._suspicious + 1 if slow else 0
        self._slow_us = took
        self.sighting = _NOTHING_THERE
        if self._suspicious < self._suspicious_looks:
            return DONE
        self._suspicious = 0
        self._longer = self._raw_look()
        return next(self._longer)

    def _raw_look(self) -> "Steps[Sighting | None]":
        """Do the first steps of ISO/IEC 14443-3 by hand, so that what goes wrong can be told."""
        sighting = yield from self._by_hand()
        if sighting.outcome == NONE:
            # It just takes that long now.
            self._empty_us[self._on] = self._slow_us
            self._suspicious_looks = min(2 * self._suspicious_looks, _MOST_SUSPICIOUS_LOOKS)
        else:
            self._suspicious_looks = _SUSPICIOUS_LOOKS
        return sighting

    def _by_hand(self) -> "Steps[Sighting]":
        yield from self._set_timeout(_QUICK)
        yield from self.command(_WRITE_REGISTER, _RAW + _SEVEN_BITS, ack_us=self.quick_ack_us)
        # The chip left the tag half selected: the first WUPA may only send it back to its start.
        status, data = yield from self._through(bytes((_WUPA,)))
        if status == 0x01:
            status, data = yield from self._through(bytes((_WUPA,)))
        if status == 0x01:
            return Sighting(NONE)
        if status == _COLLISION:
            return Sighting(TWO_TAGS)
        yield from self.command(_WRITE_REGISTER, _EIGHT_BITS, ack_us=self.quick_ack_us)
        status, data = yield from self._through(b"\x93\x20")
        if status == _COLLISION:
            return Sighting(TWO_TAGS)
        if status == 0x01:
            return Sighting(UNREADABLE)
        if status or len(data) != 5 or data[0] ^ data[1] ^ data[2] ^ data[3] != data[4]:
            return Sighting(CHECKSUM)
        frame = b"\x93\x70" + data
        status, data = yield from self._through(frame + bytes(tagkinds.crc_a(frame)))
        if status == 0x01:
            return Sighting(UNREADABLE)
        if status or len(data) != 3 or tagkinds.crc_a(data[:1]) != (data[1], data[2]):
            return Sighting(CHECKSUM)
        return Sighting(UNREADABLE)

    def _through(self, frame: bytes) -> "Steps[tuple[int, bytes]]":
        answer = yield from self.command(_IN_COMMUNICATE_THRU, frame, _EXCHANGE_US, self.quick_ack_us)
        if not answer:
            raise ReaderFault("bad-answer")
        return answer[0] & 0x3F, answer[1:]

    def _set_timeout(self, code: int) -> "Steps[None]":
        if self._timeout != code:
            self._timeout = 0
            yield from self.command(_RF_CONFIGURATION, bytes((0x02, 0x00, 0x0B, code)), ack_us=self.quick_ack_us)
            self._timeout = code

    def _set_attempts(self, more: int) -> "Steps[Sighting | None]":
        """How often InListPassiveTarget tries again when it finds nothing (item 5). Gives None."""
        self._attempts = -1
        yield from self.command(_RF_CONFIGURATION, bytes((0x05, 0x00, 0x00, more)))
        self._attempts = more
        return None

    def activate(self) -> "Steps[None]":
        """Make the tag just seen listen to read() and write(): the chip selects it by itself, but needs patience."""
        yield from self._set_timeout(_UNHURRIED)

    def identify(self) -> "Steps[str]":
        """Which type 2 tag it is that was just seen ("ntag213" ...); TagFault when it cannot be read."""
        yield from self.activate()
        kind = tagkinds.kind_by_pages((yield from self.read(3)))
        if kind is None:
            # No capability container (a blank or a foreign tag): ask the tag itself.
            status, version = yield from self._through(bytes((_GET_VERSION,)))
            kind = tagkinds.kind_by_version(b"" if status else version)
        return kind

    def _exchange(self, data: bytes) -> "Steps[bytes]":
        answer = yield from self.command(
            _IN_DATA_EXCHANGE, bytes((self._target,)) + data, _EXCHANGE_US, self.quick_ack_us, first_wait_us=1900
        )
        if not answer:
            raise ReaderFault("bad-answer")
        status = answer[0] & 0x3F
        if status in _SPOILT:
            raise TagFault(CHECKSUM)
        if status:
            raise TagFault(UNREADABLE)
        return answer[1:]

    def read(self, page: int) -> "Steps[bytes]":
        """16 bytes from `page` on (READ); TagFault when the tag does not give them."""
        data = yield from self._exchange(bytes((_READ, page)))
        if len(data) != 16:
            raise TagFault(UNREADABLE)
        return data

    def write(self, page: int, data: "Buffer") -> "Steps[None]":
        """Four bytes to `page` (WRITE); TagFault when the tag refuses or is gone."""
        yield from self._exchange(bytes((_WRITE, page)) + bytes(data))

    def close(self) -> "Steps[None]":
        """Antenna off (RFConfiguration item 1)."""
        self.begin_close()
        yield from advanced(self)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Buffer, Bus, Clock, Steps
