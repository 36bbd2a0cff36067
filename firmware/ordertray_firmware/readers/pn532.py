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
from ordertray_firmware.readers.waiting import Deadline, pause

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
# So many floating status bytes running, and there is no chip.
_FLOATING_LOOKS = 4
# With an interrupt line that stays high: ask over SPI at this pace all the same (it may not be connected).
_DISTRUST_US = 1200
# Field on: InListPassiveTarget answers no sooner.
_FIELD_US = 5000

# Status of InDataExchange (UM0701-02, 7.1): the ones that mean a spoilt answer.
_COLLISION = 0x06
_SPOILT = (0x02, 0x03, 0x04, 0x05, 0x06, 0x0B, 0x23)
_ACK_LENGTH = 6
_SHORTEST_ANSWER = 9

# What an empty pad says all day, and what is said to it, ready for the bus: taking frames apart and putting them
# together byte by byte is most of the Pico's work otherwise. Whatever looks different goes the long way.
_LOOK_PARAMS = b"\x02\x00"
_FIELD_OFF_PARAMS = b"\x01\x00"
_PACKED = {
    _LOOK_PARAMS: (_IN_LIST_PASSIVE_TARGET, frames.packed(_IN_LIST_PASSIVE_TARGET, _LOOK_PARAMS)),
    _FIELD_OFF_PARAMS: (_RF_CONFIGURATION, frames.packed(_RF_CONFIGURATION, _FIELD_OFF_PARAMS)),
}
_NO_TARGET = b"\x00\x00\xff\x03\xfd\xd5\x4b\x00\xe0"
_FIELD_IS_OFF = b"\x00\x00\xff\x02\xfe\xd5\x33\xf8\x00"
# Bytes as they come off the bus: (the same plain, what find() says about them behind one byte).
_KNOWN = {
    frames.turned(frames.ACK_FRAME): (frames.ACK_FRAME, (frames.ACK, 0, 0)),
    frames.turned(_NO_TARGET): (_NO_TARGET, (frames.DATA, 6, 9)),
    frames.turned(_FIELD_IS_OFF): (_FIELD_IS_OFF, (frames.DATA, 6, 8)),
}


class Pn532:
    """Driver; see the package for its API. `bus` and `clock` are the protocols described there."""

    chip = "pn532"

    def __init__(self, bus: "Bus", clock: "Clock") -> None:
        self.version = ""
        self.stale_answers = 0
        self.resent = 0
        self._bus = bus
        self._clock = clock
        self._tx = bytearray(272)
        self._rx = bytearray(288)
        self._status = bytearray(2)
        # A command is under way whose answer was not fetched: cancel it before anything else.
        self._pending = False
        self._target = 0
        self._look_us = _LOOK_US
        self._late = False
        self._irq_seen = False
        self._timeout = 0
        self._floating = 0
        # How long the chip took for the last answer (between which two moments it came, for we may ask late), and the
        # shortest for an empty pad so far.
        self._not_ready_us = 0
        self._took_us = 0
        self._took_more_than_us = 0
        self._empty_us = _MAX_LOOK_US
        self._suspicious = 0

    # SPI. Every transaction ends with chip select high, whatever happens in it.

    def _write(self, length: int) -> None:
        """Send tx[0:length] (direction byte included) with its bits turned round."""
        frames.reverse_in_place(self._tx, length)
        self._send(memoryview(self._tx)[:length])

    def _send(self, line: "Buffer") -> None:
        self._bus.select()
        try:
            self._bus.transfer(line)
        finally:
            self._bus.deselect()

    def _ready(self) -> bool:
        status = self._status
        status[0] = frames.REVERSED[_STATUS_READ]
        status[1] = 0
        self._bus.select()
        try:
            self._bus.transfer(status, status)
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

    def _fetch(self, first: int) -> "tuple[str, int, int]":
        """Read one frame in one transaction, `first` bytes at first: (what, start, end), body in rx[start:end].

        What goes out meanwhile does not matter: the chip looks at the first byte only.
        """
        rx = self._rx
        view = memoryview(rx)
        self._bus.select()
        try:
            rx[0] = frames.REVERSED[_DATA_READ]
            have = 0
            want = first + 1
            while True:
                piece = view[have:want]
                self._bus.transfer(piece, piece)
                if have == 0:
                    # What came while the chip was told to speak belongs to no frame.
                    rx[0] = 0xFF
                    known = _KNOWN.get(bytes(view[1:want]))
                    if known is not None:
                        view[1:want] = known[0]
                        return known[1]
                for index in range(have, want):
                    rx[index] = frames.REVERSED[rx[index]]
                have = want
                found = frames.find(rx, have)
                if found[0] != frames.SHORT:
                    return found
                want = found[2]
                if want > len(rx):
                    return (frames.BAD, 0, 0)
        finally:
            self._bus.deselect()

    def _send_plain(self, frame: bytes) -> None:
        """An ACK (abort) or NACK (say again) frame from the host."""
        self._tx[0] = _DATA_WRITE
        self._tx[1 : 1 + len(frame)] = frame
        self._write(1 + len(frame))

    def abort(self) -> None:
        """Cancel whatever the chip is doing (UM0701-02, 6.2.1.3). Not a generator: one short transaction."""
        self._send_plain(frames.ACK_FRAME)
        self._pending = False

    def _wait(self, limit_us: int, why: str) -> "Steps[None]":
        """Until a frame can be fetched; ReaderFault(why) at the deadline."""
        deadline = Deadline(self._clock, limit_us)
        distrust = None
        while True:
            line = self._bus.irq()
            if line:
                self._irq_seen = True
                return
            if line is None or not self._irq_seen or self._floating:
                if self._ready():
                    return
            elif distrust is None:
                distrust = Deadline(self._clock, _DISTRUST_US)
            elif distrust.passed():
                if self._ready():
                    return
                distrust = None
            self._not_ready_us = self._clock.ticks_us()
            if deadline.passed():
                raise ReaderFault(why)
            yield min(_STEP_US, deadline.left_us())

    def command(
        self,
        code: int,
        params: bytes,
        answer_us: int = _ANSWER_US,
        ack_us: int = _PATIENT_ACK_US,
        first_wait_us: int = 0,
    ) -> "Steps[bytes]":
        """One command: gives the answer's data (after its code) as bytes; ReaderFault when the chip does not do it.

        first_wait_us: the answer is not ready before that, so do not ask.
        """
        if self._pending:
            self.abort()
            yield from pause(self._clock, 200)
        self._pending = True
        packed = _PACKED.get(params)
        if packed is not None and packed[0] == code:
            self._send(packed[1])
        else:
            self._tx[0] = _DATA_WRITE
            self._write(1 + frames.build(memoryview(self._tx)[1:], code, params))
        started = self._clock.ticks_us()
        deadline = Deadline(self._clock, ack_us)
        while True:
            yield from self._wait(deadline.left_us(), "no-ack")
            what, _start, _end = self._fetch(_ACK_LENGTH)
            if what == frames.ACK:
                break
            if what == frames.DATA:
                # The answer of a command that was never cancelled: not ours.
                self.stale_answers += 1
            elif what == frames.NACK:
                raise ReaderFault("nack")
            if deadline.passed():
                raise ReaderFault("no-ack")
        deadline = Deadline(self._clock, answer_us)
        if first_wait_us:
            yield from pause(self._clock, first_wait_us)
        again = True
        while True:
            yield from self._wait(deadline.left_us(), "no-answer")
            self._took_us = self._clock.ticks_diff(self._clock.ticks_us(), started)
            self._took_more_than_us = self._clock.ticks_diff(self._not_ready_us, started)
            what, start, end = self._fetch(_SHORTEST_ANSWER)
            if what == frames.DATA:
                if self._rx[start + 1] == code + 1:
                    self._pending = False
                    return bytes(memoryview(self._rx)[start + 2 : end])
                self.stale_answers += 1
            elif what == frames.ERROR:
                self._pending = False
                raise ReaderFault("refused-command")
            elif again:
                # Spoilt on the way: ask for it once more.
                again = False
                self.resent += 1
                self._send_plain(frames.NACK_FRAME)
            else:
                raise ReaderFault("bad-frame")
            if deadline.passed():
                raise ReaderFault("bad-frame")

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
        yield from self.command(_RF_CONFIGURATION, b"\x01\x00")
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
        yield from self.command(_RF_CONFIGURATION, b"\x01\x00")
        if self._late:
            self._look_us = min(self._look_us + _MORE_LOOK_US, _MAX_LOOK_US)
            self._late = False

    # Looking.

    def look(self, known: "str | None" = None) -> "Steps[Sighting]":
        """Antenna on (by the command itself) and look; gives a Sighting. close() must follow.

        ReaderFault("late") while a longer look may still succeed; settle() must follow then.
        """
        self._target = 0
        try:
            answer = yield from self.command(
                _IN_LIST_PASSIVE_TARGET, _LOOK_PARAMS, self._look_us, _ACK_US, first_wait_us=_FIELD_US
            )
        except ReaderFault as fault:
            if fault.why == "no-answer" and self._look_us < _MAX_LOOK_US:
                self._late = True
                self.abort()
                raise ReaderFault("late")
            raise
        self._look_us = max(_LOOK_US, self._look_us - _LOOK_DECAY_US)
        if not answer or answer[0] == 0:
            return (yield from self._nothing())
        self._suspicious = 0
        if answer[0] > 1:
            return Sighting(TWO_TAGS)
        # Tg, SENS_RES (2), SEL_RES, length of the UID, UID (UM0701-02, 7.3.5)
        if len(answer) < 6 or answer[5] not in (4, 7, 10) or len(answer) < 6 + answer[5]:
            raise ReaderFault("bad-answer")
        self._target = answer[1]
        sak = answer[4]
        uid = answer[6 : 6 + answer[5]]
        text = tagkinds.uid_text(uid)
        if tagkinds.is_phone(uid):
            return Sighting(PHONE, text, None)
        return Sighting(TAG, text, tagkinds.kind_by_sak(sak))

    def _nothing(self) -> "Steps[Sighting]":
        """The chip lists no target: true, or a tag it dropped without a word (a bad copy, a weak tag)?"""
        slow = self._took_more_than_us > self._empty_us + _SUSPICIOUS_US
        # The shortest ever, but forgetting slowly.
        self._empty_us = min(self._empty_us + 5, self._took_us)
        self._suspicious = self._suspicious + 1 if slow else 0
        if self._suspicious < _SUSPICIOUS_LOOKS:
            return Sighting(NONE)
        self._suspicious = 0
        return (yield from self._raw_look())

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
            _IN_DATA_EXCHANGE, bytes((self._target,)) + data, _EXCHANGE_US, _ACK_US, first_wait_us=1500
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
        yield from self.command(_RF_CONFIGURATION, _FIELD_OFF_PARAMS, _CLOSE_US, _ACK_US)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Buffer, Bus, Clock, Steps
