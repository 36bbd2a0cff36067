"""PN532 on SPI. Facts: PN532 user manual UM0701-02, its data sheet, and AN10609 (C106).

Two habits keep its well-known troubles away: a command that was left without its answer is cancelled by an ACK frame
before the next command goes out, and the antenna goes off after every look, which returns every tag to IDLE (the
chip asks with REQA, which a tag left selected does not answer).
"""

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
from ordertray_firmware.readers.waiting import advanced, pause

_DATA_WRITE = 0x01
_STATUS_READ = 0x02
_DATA_READ = 0x03

_GET_FIRMWARE_VERSION = 0x02
_WRITE_REGISTER = 0x08
_SET_PARAMETERS = 0x12
_SAM_CONFIGURATION = 0x14
_RF_CONFIGURATION = 0x32
_IN_DATA_EXCHANGE = 0x40
_IN_COMMUNICATE_THRU = 0x42
_IN_LIST_PASSIVE_TARGET = 0x4A

# Time-outs of a data exchange, as RFConfiguration item 2 codes them: 1.6 ms, 12.8 ms (EEPROM writes take 4 to 10).
_QUICK = 0x05
_UNHURRIED = 0x08

# CIU registers: frames without check bytes, bits of the last byte (UM0701-02, 7.2.5; MFRC522 data sheet for the bits).
_RAW = b"\x63\x02\x00\x63\x03\x00"
_SEVEN_BITS = b"\x63\x3d\x07"
_EIGHT_BITS = b"\x63\x3d\x00"

# An empty pad is answered always equally fast; so much later, and something must have answered the chip.
_SUSPICIOUS_US = 300
_SUSPICIOUS_LOOKS = 2

_WUPA = 0x52
_READ = 0x30
_WRITE = 0xA2
_GET_VERSION = 0x60

# Wake-up: chip select low for T_osc_start (data sheet: at most 2 ms).
_WAKE_US = 2200
# RSTPDN: far more than the data sheet's minimum; then the time the chip takes to start.
_RESET_US = 1000
_BOOT_US = 5000

# A healthy chip acknowledges in well under a millisecond. During a look the other pad waits, so be short;
# while nobody waits, be patient (the manual's host waits 15 ms).
_ACK_US = 3000
_PATIENT_ACK_US = 20000
_ANSWER_US = 20000
_CLOSE_US = 3000
# An empty pad is answered about 6 ms after the ACK, one tag after 13, two after 21. A chip that is late is cancelled,
# so that a hung one costs the other pad little; if it then proves alive it is granted more.
_LOOK_US = 14200
_MORE_LOOK_US = 14000
_MAX_LOOK_US = 40000
_LOOK_DECAY_US = 100
_EXCHANGE_US = 20000

_STEP_US = 300
# After a command was cancelled.
_SETTLE_US = 200
# So many floating status bytes running, and there is no chip.
_FLOATING_LOOKS = 4
# With an interrupt line that stays high: ask over SPI at this pace all the same (it may not be connected).
_DISTRUST_US = 1200
# Field on: InListPassiveTarget answers no sooner after the command.
_FIELD_US = 5500
# By so much the moment at which an empty pad's answer is looked for moves from look to look (see _nothing).
_SOONER_US = 12
_LATER_US = 100

# Status of InDataExchange (UM0701-02, 7.1): the ones that mean a spoilt answer.
_COLLISION = 0x06
_SPOILT = (0x02, 0x03, 0x04, 0x05, 0x06, 0x0B, 0x23)
_ACK_LENGTH = 6
_SHORTEST_ANSWER = 9

# What an empty pad says all day, and what is said to it, ready for the bus: taking frames apart and putting them
# together byte by byte is most of the Pico's work otherwise. Whatever looks different goes the long way.
_LOOK_PARAMS = b"\x02\x00"
_FIELD_OFF_PARAMS = b"\x01\x00"
_PACKED_LOOK = frames.packed(_IN_LIST_PASSIVE_TARGET, _LOOK_PARAMS)
_PACKED_FIELD_OFF = frames.packed(_RF_CONFIGURATION, _FIELD_OFF_PARAMS)
# The same as they come off the bus, behind one byte that belongs to no frame.
_DATA_READ_LINE = frames.REVERSED[_DATA_READ]
_ACK_LINE = b"\xff" + frames.turned(frames.ACK_FRAME)
_NO_TARGET_LINE = b"\xff" + frames.turned(b"\x00\x00\xff\x03\xfd\xd5\x4b\x00\xe0")
_FIELD_IS_OFF_LINE = b"\xff" + frames.turned(b"\x00\x00\xff\x02\xfe\xd5\x33\xf8\x00")
_NOTHING_THERE = Sighting(NONE)

# What a command under way waits for.
_CANCELLING = 0
_ACK = 1
_NOT_YET = 2
_ANSWER = 3
# advance(): nothing more to wait for.
_DONE = -1


class Pn532:
    """Driver; see the package for its API. `bus` and `clock` are the protocols described there."""

    SLOW_FIELD = True
    chip = "pn532"

    def __init__(self, bus: "Bus", clock: "Clock") -> None:
        self.version = ""
        #: What the look that advance() has brought to its end found.
        self.sighting = _NOTHING_THERE
        self.stale_answers = 0
        self.resent = 0
        self._bus = bus
        self._clock = clock
        self._tx = bytearray(272)
        self._rx = bytearray(288)
        view = memoryview(self._rx)
        self._rx_view = view
        # Pieces of it that are read again and again: a Pico has no time to make them anew.
        self._ack_piece = view[: _ACK_LENGTH + 1]
        self._answer_piece = view[: _SHORTEST_ANSWER + 1]
        self._status = bytearray(2)
        # A command is under way whose answer was not fetched: cancel it before anything else.
        self._pending = False
        # The command under way: where it stands, its code, its time-outs and since when they run.
        self._stage = _CANCELLING
        self._code = 0
        self._line: Buffer = b""
        self._expected = b""
        self._answer_us = 0
        self._ack_us = 0
        self._first_wait_us = 0
        self._since = 0
        self._limit_us = 0
        self._again = True
        self._first_look = False
        self._sent_at = 0
        # Where its answer lies in rx; nothing (0, 0) when it was the expected one.
        self._start = 0
        self._end = 0
        # begin_look() and begin_close(): what advance() carries on; the steps of a look that became longer.
        self._closing = False
        self._longer: Steps[Sighting] | None = None
        self._target = 0
        self._look_us = _LOOK_US
        self._late = False
        self._irq_seen = False
        # With an interrupt line that stays high: since when, if ever, it has not been doubted.
        self._trusting = False
        self._trusted_at = 0
        self._timeout = 0
        self._floating = 0
        # How long the chip took for the last answer (between which two moments it came, for we may ask late), and the
        # shortest for an empty pad so far.
        self._not_ready_us = 0
        self._took_us = 0
        self._took_more_than_us = 0
        self._empty_us = _MAX_LOOK_US
        self._due_us = _FIELD_US
        self._suspicious = 0
        self._last_answer = b""
        self._last_sighting = _NOTHING_THERE

    # SPI. Every transaction ends with chip select high, whatever happens in it.

    def _send(self, line: "Buffer") -> None:
        self._bus.select()
        try:
            self._bus.write(line)
        finally:
            self._bus.deselect()

    def _ready(self) -> bool:
        status = self._status
        status[0] = frames.REVERSED[_STATUS_READ]
        status[1] = 0
        self._bus.select()
        try:
            self._bus.write_readinto(status, status)
        finally:
            self._bus.deselect()
        # Only bit 0 (sent first) is defined. All ones is a line that nobody drives; it may be so for a moment only.
        if status[1] == 0xFF:
            self._floating += 1
            if self._floating >= _FLOATING_LOOKS:
                self._floating = 0
                raise ReaderFault("no-chip")
            return False
        self._floating = 0
        return status[1] & 0x80 != 0

    def _fetch(self, piece: memoryview, expected: bytes) -> str:
        """Read one frame in one transaction, at first as much as `piece` holds; gives what it is (see frames.find).

        The body of a DATA frame is rx[_start:_end]; (0, 0) stands for the `expected` line, which is not taken apart.
        What goes out meanwhile does not matter: the chip looks at the first byte only.
        """
        self._bus.select()
        try:
            self._rx[0] = _DATA_READ_LINE
            self._bus.write_readinto(piece, piece)
            # What came while the chip was told to speak belongs to no frame.
            self._rx[0] = 0xFF
            if piece != expected:
                return self._take_apart(len(piece))
        finally:
            self._bus.deselect()
        self._start = self._end = 0
        return frames.ACK if expected is _ACK_LINE else frames.DATA

    def _take_apart(self, want: int) -> str:
        """Go on in that transaction: so many bytes are in rx, and as many more are read as the frame needs."""
        rx, have, table = self._rx, 1, frames.REVERSED
        while True:
            for index in range(have, want):
                rx[index] = table[rx[index]]
            have = want
            what, self._start, self._end = frames.find(rx, have)
            if what != frames.SHORT:
                return what
            want = self._end
            if want > len(rx):
                return frames.BAD
            more = self._rx_view[have:want]
            self._bus.write_readinto(more, more)

    def _send_plain(self, frame: bytes) -> None:
        """An ACK (abort) or NACK (say again) frame from the host."""
        tx, length = self._tx, 1 + len(frame)
        tx[0] = _DATA_WRITE
        tx[1:length] = frame
        frames.reverse_in_place(tx, length)
        self._send(memoryview(tx)[:length])

    def abort(self) -> None:
        """Cancel whatever the chip is doing (UM0701-02, 6.2.1.3). Not a generator: one short transaction."""
        self._send_plain(frames.ACK_FRAME)
        self._pending = False

    # Commands. One is begun and then advanced, without a generator of its own: an empty pad makes no garbage.

    def _begin(
        self, code: int, line: "Buffer", expected: bytes, answer_us: int, ack_us: int, first_wait_us: int
    ) -> None:
        """A command by its packed `line`; `expected`: the line of the answer that is not worth a closer look."""
        self._code = code
        self._line = line
        self._expected = expected
        self._answer_us = answer_us
        self._ack_us = ack_us
        self._first_wait_us = first_wait_us
        self._again = True
        if self._pending:
            self.abort()
            self._wait_for(_CANCELLING, _SETTLE_US)
        else:
            self._submit()

    def _submit(self) -> None:
        self._pending = True
        self._send(self._line)
        self._wait_for(_ACK, self._ack_us)
        self._sent_at = self._since

    def _wait_for(self, stage: int, limit_us: int) -> None:
        self._stage = stage
        self._limit_us = limit_us
        self._since = self._clock.ticks_us()
        self._trusting = False

    def _go_on(self) -> int:
        """Carry the command on: microseconds until it is worth trying again, or _DONE. ReaderFault when it fails."""
        clock = self._clock
        while True:
            now = clock.ticks_us()
            left = self._limit_us - clock.ticks_diff(now, self._since)
            stage = self._stage
            if stage == _CANCELLING:
                if left > 0:
                    return left
                self._submit()
                return _STEP_US
            if stage == _NOT_YET:
                left = self._first_wait_us - clock.ticks_diff(now, self._sent_at)
                if left > 0:
                    return left
                self._stage = _ANSWER
                continue
            if not self._arrived(now):
                self._not_ready_us = now
                self._first_look = False
                if left <= 0:
                    raise self._too_late()
                return _STEP_US if left > _STEP_US else left
            if stage == _ACK:
                what = self._fetch(self._ack_piece, _ACK_LINE)
                if what == frames.ACK:
                    self._wait_for(_ANSWER, self._answer_us)
                    self._first_look = True
                    if self._first_wait_us:
                        self._stage = _NOT_YET
                    continue
                if what == frames.DATA:
                    # The answer of a command that was never cancelled: not ours.
                    self.stale_answers += 1
                elif what == frames.NACK:
                    raise ReaderFault("nack")
                if left <= 0:
                    raise ReaderFault("no-ack")
                # Not at once: a line that is stuck says "ready" for ever, and the loop has more to do.
                return _STEP_US
            self._took_us = clock.ticks_diff(now, self._sent_at)
            self._took_more_than_us = clock.ticks_diff(self._not_ready_us, self._sent_at)
            what = self._fetch(self._answer_piece, self._expected)
            if what == frames.DATA:
                if not self._start or self._rx[self._start + 1] == self._code + 1:
                    self._pending = False
                    return _DONE
                self.stale_answers += 1
            elif what == frames.ERROR:
                self._pending = False
                raise ReaderFault("refused-command")
            elif self._again:
                # Spoilt on the way: ask for it once more.
                self._again = False
                self.resent += 1
                self._send_plain(frames.NACK_FRAME)
            else:
                raise ReaderFault("bad-frame")
            if left <= 0:
                raise ReaderFault("bad-frame")
            return _STEP_US

    def _too_late(self) -> ReaderFault:
        """What the time-out means. A look that may yet succeed with more time is cancelled."""
        if self._stage == _ACK:
            return ReaderFault("no-ack")
        if self._code == _IN_LIST_PASSIVE_TARGET and self._look_us < _MAX_LOOK_US:
            self._late = True
            self.abort()
            return ReaderFault("late")
        return ReaderFault("no-answer")

    def _arrived(self, now: int) -> bool:
        """Whether a frame can be fetched."""
        line = self._bus.irq()
        if line:
            self._irq_seen = True
            return True
        if line is None or not self._irq_seen or self._floating:
            return self._ready()
        # An interrupt line that stays high may not be connected: ask over SPI now and then all the same.
        if not self._trusting:
            self._trusting = True
            self._trusted_at = now
        elif self._clock.ticks_diff(now, self._trusted_at) >= _DISTRUST_US:
            self._trusting = False
            return self._ready()
        return False

    def command(
        self,
        code: int,
        params: bytes,
        answer_us: int = _ANSWER_US,
        ack_us: int = _PATIENT_ACK_US,
        first_wait_us: int = 0,
    ) -> "Steps[bytes]":
        """One command: gives the answer's data (after its code) as bytes; ReaderFault when the chip does not do it.

        first_wait_us: so soon after the command the answer is not ready, so do not ask.
        """
        tx = self._tx
        tx[0] = _DATA_WRITE
        length = 1 + frames.build(memoryview(tx)[1:], code, params)
        # A copy: cancelling the command before this one needs the buffer.
        line = frames.turned(bytes(memoryview(tx)[:length]))
        self._begin(code, line, b"", answer_us, ack_us, first_wait_us)
        wait = self._go_on()
        while wait != _DONE:
            yield wait
            wait = self._go_on()
        return bytes(self._rx_view[self._start + 2 : self._end])

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
        # No automatic RATS: a phone is told from its UID, its ATS would only cost time.
        yield from self.command(_SET_PARAMETERS, b"\x00")
        # Item 5: never wait for ever. One attempt to activate.
        yield from self.command(_RF_CONFIGURATION, b"\x05\x00\x00\x00")
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
        """After a fault or a late look, while nobody waits: cancel, antenna off. Who does this was only slow."""
        self._pending = True
        yield from self.command(_RF_CONFIGURATION, _FIELD_OFF_PARAMS)
        if self._late:
            self._look_us = min(self._look_us + _MORE_LOOK_US, _MAX_LOOK_US)
            self._late = False

    # Looking.

    def look(self, known: "str | None" = None) -> "Steps[Sighting]":
        """Antenna on (by the command itself) and look; gives a Sighting. close() must follow.

        ReaderFault("late") while a longer look may still succeed; settle() must follow then.
        """
        self.begin_look(known)
        yield from advanced(self)
        return self.sighting

    def begin_look(self, known: "str | None" = None) -> None:
        """The same for advance()."""
        self._target = 0
        self._closing = False
        self._longer = None
        # Not asked before an empty pad's answer is due: each look at the chip costs the Pico some 400 us.
        self._begin(_IN_LIST_PASSIVE_TARGET, _PACKED_LOOK, _NO_TARGET_LINE, self._look_us, _ACK_US, self._due_us)

    def begin_close(self) -> None:
        """close() for advance()."""
        self._closing = True
        self._longer = None
        self._begin(_RF_CONFIGURATION, _PACKED_FIELD_OFF, _FIELD_IS_OFF_LINE, _CLOSE_US, _ACK_US, 0)

    def advance(self) -> int:
        """Carry begin_look() or begin_close() on: microseconds until the next call, or -1 at its end (see sighting)."""
        if self._longer is not None:
            return self._advance_longer()
        wait = self._go_on()
        if wait != _DONE or self._closing:
            return wait
        self._look_us = max(_LOOK_US, self._look_us - _LOOK_DECAY_US)
        if not self._start or self._end <= self._start + 2 or not self._rx[self._start + 2]:
            return self._nothing()
        return self._something()

    def _advance_longer(self) -> int:
        assert self._longer is not None
        try:
            return next(self._longer)
        except StopIteration as stop:
            self._longer = None
            self.sighting = stop.value
            return _DONE

    def _something(self) -> int:
        """The chip lists a target or two."""
        self._suspicious = 0
        answer = bytes(self._rx_view[self._start + 2 : self._end])
        # A tag that lies there says the same every time.
        if answer != self._last_answer:
            self._last_sighting = self._listed(answer)
            self._last_answer = answer
        self._target = answer[1] if answer[0] == 1 else 0
        self.sighting = self._last_sighting
        return _DONE

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
        slow = self._took_more_than_us > self._empty_us + _SUSPICIOUS_US
        # The shortest ever, but forgetting slowly.
        self._empty_us = min(self._empty_us + 5, self._took_us)
        # Looked for when it has just come: each look that finds it there moves the next a little forward, and each that
        # comes too soon, and costs a second one, a little back.
        if self._first_look:
            self._due_us = max(_FIELD_US, self._due_us - _SOONER_US)
        else:
            self._due_us = min(self._due_us + _LATER_US, self._took_us)
        self._suspicious = self._suspicious + 1 if slow else 0
        self.sighting = _NOTHING_THERE
        if self._suspicious < _SUSPICIOUS_LOOKS:
            return _DONE
        self._suspicious = 0
        self._longer = self._raw_look()
        return next(self._longer)

    def _raw_look(self) -> "Steps[Sighting]":
        """Do the first steps of ISO/IEC 14443-3 by hand, so that what goes wrong can be told."""
        yield from self._set_timeout(_QUICK)
        yield from self.command(_WRITE_REGISTER, _RAW + _SEVEN_BITS, ack_us=_ACK_US)
        # The chip left the tag half selected: the first WUPA may only send it back to its start.
        status, data = yield from self._through(bytes((_WUPA,)))
        if status == 0x01:
            status, data = yield from self._through(bytes((_WUPA,)))
        if status == 0x01:
            return Sighting(NONE)
        if status == _COLLISION:
            return Sighting(TWO_TAGS)
        yield from self.command(_WRITE_REGISTER, _EIGHT_BITS, ack_us=_ACK_US)
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
        answer = yield from self.command(_IN_COMMUNICATE_THRU, frame, _EXCHANGE_US, _ACK_US)
        if not answer:
            raise ReaderFault("bad-answer")
        return answer[0] & 0x3F, answer[1:]

    def _set_timeout(self, code: int) -> "Steps[None]":
        if self._timeout != code:
            yield from self.command(_RF_CONFIGURATION, bytes((0x02, 0x00, 0x0B, code)), ack_us=_ACK_US)
            self._timeout = code

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
            _IN_DATA_EXCHANGE, bytes((self._target,)) + data, _EXCHANGE_US, _ACK_US, first_wait_us=1900
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
