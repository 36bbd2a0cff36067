"""MFRC522 on SPI. Facts: MFRC522 data sheet (registers, chapter 9; commands, chapter 10), ISO/IEC 14443-3.

Every look wakes with WUPA and ends with HLTA: a tag that was halted hears WUPA, one that was left selected hears
neither REQA nor WUPA. The chip's own timer ends each exchange; a clock deadline stands behind it in case it does not.
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
from ordertray_firmware.readers.waiting import Deadline, advanced, pause

_COMMAND = const(0x01)
_COM_IRQ = const(0x04)
_DIV_IRQ = const(0x05)
_ERROR = const(0x06)
_FIFO_DATA = const(0x09)
_FIFO_LEVEL = const(0x0A)
_CONTROL = const(0x0C)
_BIT_FRAMING = const(0x0D)
_COLL = const(0x0E)
_MODE = const(0x11)
_TX_MODE = const(0x12)
_RX_MODE = const(0x13)
_TX_CONTROL = const(0x14)
_TX_ASK = const(0x15)
_CRC_HIGH = const(0x21)
_CRC_LOW = const(0x22)
_RF_CFG = const(0x26)
_T_MODE = const(0x2A)
_T_PRESCALER = const(0x2B)
_T_RELOAD_HIGH = const(0x2C)
_T_RELOAD_LOW = const(0x2D)
_VERSION = const(0x37)

_IDLE = const(0x00)
_CALC_CRC = const(0x03)
_TRANSCEIVE = const(0x0C)
_SOFT_RESET = const(0x0F)

_IRQ_RX = const(0x20)
_IRQ_TIMER = const(0x01)
_ERR_COLLISION = const(0x08)
_ERR_CRC = const(0x04)
_ERR_SPOILT = const(0x17)

_REQA = const(0x26)
_WUPA = const(0x52)
_CASCADE = (0x93, 0x95, 0x97)
_CASCADE_TAG = const(0x88)

# Timer: TAuto, prescaler 169: 40 kHz, 25 us a tick.
_TICK_US = const(25)
# In anticollision a tag answers after 91 us at most (ISO/IEC 14443-3, 6.2.1.1); the timer ends at its first bit.
_SHORT_TICKS = const(16)
_READ_TICKS = const(200)
_WRITE_TICKS = const(480)
# Behind the chip's timer.
_SPARE_US = const(2500)

_FIELD_US = const(5000)
# Between two looks with the antenna on.
_PACE_US = const(1000)
_RESET_US = const(1000)
_BOOT_US = const(3000)
_STEP_US = const(250)

# Registers that a brown-out would reset, read back at every look, with their values. Receiver gain 38 dB: copies and
# small stickers need more than the 33 dB after reset.
_WITNESS = ((_T_MODE, 0x80), (_T_PRESCALER, 169), (_TX_ASK, 0x40), (_MODE, 0x3D), (_RF_CFG, 0x58))


def _request(registers: "tuple[int, ...]") -> bytes:
    """What to send to read these registers in one transaction."""
    return bytes([0x80 | register << 1 for register in registers]) + b"\x00"


# Asked all the time: how an exchange stands, and whether the chip is there with its configuration.
_OUTCOME = _request((_COM_IRQ, _ERROR, _FIFO_LEVEL, _CONTROL))
_STATE = _request((_VERSION, _WITNESS[0][0], _WITNESS[1][0], _WITNESS[2][0], _WITNESS[3][0], _WITNESS[4][0]))
# What a healthy chip of each version says, behind one byte that belongs to no register.
_WELL = bytes([value for _register, value in _WITNESS])

# An empty pad is all the same all day: what is said to the chip then, ready for the bus (register and value).
_FIELD_ON = bytes((_TX_CONTROL << 1, 0x83))
_FIELD_OFF = bytes((_TX_CONTROL << 1, 0x80))
_STOP = bytes((_COMMAND << 1, _IDLE))
_CLEAR_IRQ = bytes((_COM_IRQ << 1, 0x7F))
_FLUSH_FIFO = bytes((_FIFO_LEVEL << 1, 0x80))
_GO = bytes((_COMMAND << 1, _TRANSCEIVE))
_WAKE = bytes((_WUPA,))
_NOTHING_THERE = Sighting(NONE)

# Where a look stands.
_FIELD_RISES = const(0)
_ASKED = const(1)
_CLOSING = const(2)
# advance(): nothing more to wait for.
_DONE = const(-1)

# CalcCRC over 6 bytes with preset 6363h, to see that the coprocessor works.
_CRC_SAMPLE = b"\x30\x04\x12\x34\x56\x78"

_GENUINE = {0x91: "0x91 (1.0)", 0x92: "0x92 (2.0)"}


class Mfrc522:
    """Driver; see the package for its API. `bus` and `clock` are the protocols described there."""

    SLOW_FIELD = False
    SEARCHES = False
    chip = "mfrc522"

    def __init__(self, bus: "Bus", clock: "Clock") -> None:
        self.version = ""
        self.can_reset = bus.can_reset
        self._bus = bus
        self._clock = clock
        #: What the look that advance() has brought to its end found.
        self.sighting = _NOTHING_THERE
        self._stage = _CLOSING
        self._since = 0
        self._longer: Steps[Sighting] | None = None
        self._known: str | None = None
        self._out = bytearray(66)
        self._out_view = memoryview(self._out)
        # How the last exchange was set up: ticks, check bytes out, check bytes in; -1 for unknown. Compared at each
        # exchange; the shadow saves transactions when it changes.
        self._manner = -1
        # The exchange under way: since when, and how long the chip may take.
        self._asked_at = 0
        self._limit_us = 0
        self._pair = bytearray(2)
        self._burst = bytearray(7)
        self._outcome = bytearray(len(_OUTCOME))
        self._state = bytearray(len(_STATE))
        self._rise_us = _FIELD_US
        self._fifo = bytearray(65)
        self._shadow: dict[int, int] = {}
        self._version_byte = 0
        # Result of the last exchange.
        self._length = 0
        self._last_bits = 0
        self._error = 0
        # The cascade levels of the tag last seen, five bytes each.
        self._parts: list[bytes] = []

    # SPI (data sheet 8.1.2). Every transaction ends with chip select high, whatever happens in it.

    def _send(self, line: "Buffer") -> None:
        self._bus.select()
        try:
            self._bus.write(line)
        finally:
            self._bus.deselect()

    def _swap(self, buffer: "bytearray | memoryview") -> None:
        """Send what is in the buffer and put what comes back in its place."""
        self._bus.select()
        try:
            self._bus.write_readinto(buffer, buffer)
        finally:
            self._bus.deselect()

    def _put(self, register: int, value: int) -> None:
        pair = self._pair
        pair[0] = register << 1
        pair[1] = value
        self._send(pair)

    def _set(self, register: int, value: int) -> None:
        """As _put, saving the transaction when the register holds that value already."""
        if self._shadow.get(register) != value:
            self._put(register, value)
            self._shadow[register] = value

    def _get(self, *registers: int) -> bytearray:
        """Read up to five registers in one transaction; gives the buffer, values from index 1 on."""
        burst = self._burst
        count = len(registers)
        for index in range(count):
            burst[index] = 0x80 | (registers[index] << 1)
        burst[count] = 0
        view = memoryview(burst)[: count + 1]
        self._swap(view)
        return burst

    # Exchanges with a tag.

    def _exchange(
        self, data: bytes, ticks: int, last_bits: int = 0, crc_out: bool = False, crc_in: bool = False
    ) -> "Steps[bool]":
        """Send `data` and wait for the answer: True when one came (see _length, _last_bits, _error), False for none.

        ticks: how long the tag may take, in timer ticks. ReaderFault when the chip does not end it by itself.
        """
        self._say(data, ticks, last_bits, crc_out, crc_in)
        # No answer comes sooner than after one byte of ours, the tag's pause and two bytes of its own.
        yield _STEP_US
        heard = self._heard()
        while heard is None:
            yield _STEP_US
            heard = self._heard()
        return heard

    def _say(self, data: bytes, ticks: int, last_bits: int, crc_out: bool, crc_in: bool) -> None:
        """Begin an exchange."""
        manner = ticks << 2 | (2 if crc_out else 0) | (1 if crc_in else 0)
        if manner != self._manner:
            self._manner = -1
            self._set(_TX_MODE, 0x80 if crc_out else 0x00)
            self._set(_RX_MODE, 0x80 if crc_in else 0x00)
            self._set(_T_RELOAD_HIGH, ticks >> 8)
            self._set(_T_RELOAD_LOW, ticks & 0xFF)
            self._manner = manner
        out, size, pair = self._out, len(data), self._pair
        out[0] = _FIFO_DATA << 1
        out[1 : 1 + size] = data
        pair[0] = _BIT_FRAMING << 1
        pair[1] = 0x80 | last_bits
        bus = self._bus
        select, write, deselect = bus.select, bus.write, bus.deselect
        # One guard around them all: each transaction for itself takes MicroPython twice as long.
        try:
            for line in (_STOP, _CLEAR_IRQ, _FLUSH_FIFO, self._out_view[: 1 + size], _GO, pair):
                select()
                write(line)
                deselect()
        finally:
            deselect()
        # On the air at 85 us a byte both ways, then the tag's own time.
        self._limit_us = ticks * _TICK_US + size * 100 + 18 * 100 + _SPARE_US
        self._asked_at = self._clock.ticks_us()

    def _heard(self) -> "bool | None":
        """How the exchange stands: an answer came, none came, or (None) it is still under way."""
        burst = self._outcome
        burst[:] = _OUTCOME
        self._swap(burst)
        flags = burst[1]
        # Bit 7 cannot be read as one, the FIFO holds 64: a floating line, not a register.
        if flags & 0x80 or burst[3] > 64:
            raise ReaderFault("no-answer")
        if flags & _IRQ_RX:
            self._error = burst[2]
            self._length = burst[3]
            self._last_bits = burst[4] & 0x07
            return True
        if flags & _IRQ_TIMER:
            return False
        if self._clock.ticks_diff(self._clock.ticks_us(), self._asked_at) >= self._limit_us:
            raise ReaderFault("no-answer")
        return None

    def _received(self) -> bytes:
        """The bytes of the last answer."""
        count = min(self._length, 64)
        buffer = self._fifo
        for index in range(count):
            buffer[index] = 0x80 | (_FIFO_DATA << 1)
        buffer[count] = 0
        view = memoryview(buffer)[: count + 1]
        self._swap(view)
        return bytes(view[1:])

    # Life of the chip.

    def _check(self) -> None:
        """Is it there, and has it kept its configuration? One transaction."""
        state = self._state
        state[:] = _STATE
        self._swap(state)
        if state[1] in (0x00, 0xFF) or state[1] != self._version_byte:
            raise ReaderFault("no-answer")
        if state[2:] != _WELL:
            raise ReaderFault("forgot")

    def start(self) -> "Steps[None]":
        """Identify (version register), configure, try the CRC coprocessor, antenna off."""
        self._shadow = {}
        self._manner = -1
        self._version_byte = self._get(_VERSION)[1]
        if self._version_byte in (0x00, 0xFF):
            raise ReaderFault("no-answer")
        genuine = _GENUINE.get(self._version_byte)
        self.version = genuine or "0x%02X (copy)" % self._version_byte
        self._put(_COMMAND, _IDLE)
        self._put(_TX_CONTROL, 0x80)
        for register, value in _WITNESS:
            self._put(register, value)
        # Bits after a collision read as zero.
        self._put(_COLL, 0x00)
        self._check()
        yield from self._try_crc()

    def _try_crc(self) -> "Steps[None]":
        self._put(_COMMAND, _IDLE)
        self._put(_DIV_IRQ, 0x04)
        self._put(_FIFO_LEVEL, 0x80)
        self._out[0] = _FIFO_DATA << 1
        self._out[1 : 1 + len(_CRC_SAMPLE)] = _CRC_SAMPLE
        self._send(memoryview(self._out)[: 1 + len(_CRC_SAMPLE)])
        self._put(_COMMAND, _CALC_CRC)
        deadline = Deadline(self._clock, 5000)
        while not self._get(_DIV_IRQ)[1] & 0x04:
            if deadline.passed():
                raise ReaderFault("no-answer")
            yield _STEP_US
        self._put(_COMMAND, _IDLE)
        burst = self._get(_CRC_LOW, _CRC_HIGH)
        if (burst[1], burst[2]) != tagkinds.crc_a(_CRC_SAMPLE):
            raise ReaderFault("bad-crc-unit")

    def soft_reset(self) -> "Steps[None]":
        """The SoftReset command; antenna off with it."""
        self._shadow = {}
        self._manner = -1
        self._put(_COMMAND, _SOFT_RESET)
        yield from pause(self._clock, _BOOT_US)

    def hard_reset(self) -> "Steps[None]":
        """NRSTPD low and high again."""
        self._shadow = {}
        self._manner = -1
        self._bus.deselect()
        self._bus.reset(False)
        try:
            yield from pause(self._clock, _RESET_US)
        finally:
            self._bus.reset(True)
        yield from pause(self._clock, _BOOT_US)

    def settle(self) -> "Steps[None]":
        """After a fault in a look: stop, antenna off, and see whether it is there."""
        self._put(_COMMAND, _IDLE)
        self._put(_TX_CONTROL, 0x80)
        self._check()
        yield 0

    def figures(self) -> "dict[str, int]":
        """Nothing: what this chip takes is set by its own timer."""
        return {}

    # Looking.

    def look(self, known: "str | None" = None) -> "Steps[Sighting]":
        """Antenna on and look; gives a Sighting. The tag is halted afterwards. close() must follow."""
        self.begin_look(known)
        yield from advanced(self)
        return self.sighting

    def begin_look(self, known: "str | None" = None, on: bool = False) -> None:
        """The same for advance(). on: the antenna has stayed on since a look that found nothing."""
        self._check()
        if on:
            self._rise_us = _PACE_US
        else:
            self._rise_us = _FIELD_US
            self._send(_FIELD_ON)
        self._since = self._clock.ticks_us()
        self._stage = _FIELD_RISES
        self._longer = None
        self._known = known

    def begin_search(self) -> None:
        """This chip cannot search by itself."""
        self.begin_look(None, True)

    def begin_close(self) -> None:
        """close() for advance()."""
        self._send(_FIELD_OFF)
        self._stage = _CLOSING
        self._longer = None

    def advance(self) -> int:
        """Carry begin_look() or begin_close() on: microseconds until the next call, or -1 at its end (see sighting).

        Up to the first answer it is no generator: an empty pad makes no garbage.
        """
        if self._longer is not None:
            return self._advance_longer()
        if self._stage == _CLOSING:
            return _DONE
        if self._stage == _FIELD_RISES:
            # The standard grants a tag 5 ms in the field before it must listen.
            left = self._rise_us - self._clock.ticks_diff(self._clock.ticks_us(), self._since)
            if left > 0:
                return left
            self._say(_WAKE, _SHORT_TICKS, 7, False, False)
            self._stage = _ASKED
            return _STEP_US
        heard = self._heard()
        if heard is None:
            return _STEP_US
        if not heard:
            self.sighting = _NOTHING_THERE
            return _DONE
        self._longer = self._select_it()
        return self.advance()

    def _advance_longer(self) -> int:
        assert self._longer is not None
        try:
            return next(self._longer)
        except StopIteration as stop:
            self._longer = None
            self.sighting = stop.value
            return _DONE

    def _select_it(self) -> "Steps[Sighting]":
        """A tag has answered: which one, and is it alone?"""
        # Two kinds of tag at once differ in their ATQA already.
        if self._error & _ERR_COLLISION:
            return Sighting(TWO_TAGS)
        try:
            uid, sak = yield from self._select()
        except TagFault as fault:
            return Sighting(fault.why)
        text = tagkinds.uid_text(uid)
        if tagkinds.is_phone(uid):
            return Sighting(PHONE, text, None)
        yield from self._halt()
        if text != self._known:
            # The first tag is silenced: does a second, weaker one speak up?
            if (yield from self._exchange(bytes((_REQA,)), _SHORT_TICKS, 7)):
                return Sighting(TWO_TAGS)
        return Sighting(TAG, text, tagkinds.kind_by_sak(sak))

    def activate(self) -> "Steps[None]":
        """Make the tag just seen listen to read() and write(): wake it and select it by its UID."""
        there = yield from self._exchange(bytes((_WUPA,)), _SHORT_TICKS, 7)
        if not there:
            # A tag that was active already is sent back to its start by the first WUPA, without a word.
            there = yield from self._exchange(bytes((_WUPA,)), _SHORT_TICKS, 7)
        if not there:
            raise TagFault(UNREADABLE)
        for level in range(len(self._parts)):
            yield from self._select_level(_CASCADE[level], self._parts[level])

    def _select(self) -> "Steps[tuple[bytes, int]]":
        """Anticollision and selection through the cascade: (uid, sak). TagFault(TWO_TAGS, CHECKSUM or UNREADABLE)."""
        uid = b""
        self._parts = []
        for code in _CASCADE:
            there = yield from self._exchange(bytes((code, 0x20)), _SHORT_TICKS)
            if not there:
                raise TagFault(UNREADABLE)
            if self._error & _ERR_COLLISION:
                raise TagFault(TWO_TAGS)
            if self._error & _ERR_SPOILT or self._length != 5:
                raise TagFault(CHECKSUM)
            part = self._received()
            # The fifth byte is the check byte, never part of the UID.
            if part[0] ^ part[1] ^ part[2] ^ part[3] != part[4]:
                raise TagFault(CHECKSUM)
            sak = yield from self._select_level(code, part)
            self._parts.append(part)
            # The SAK alone says whether more UID follows; a byte 88 further on is a byte like any other.
            if not sak & 0x04:
                return uid + part[:4], sak
            if part[0] != _CASCADE_TAG:
                raise TagFault(CHECKSUM)
            uid += part[1:4]
        raise TagFault(CHECKSUM)

    def _select_level(self, code: int, part: bytes) -> "Steps[int]":
        """SELECT with all five bytes of a cascade level; gives the SAK."""
        there = yield from self._exchange(bytes((code, 0x70)) + part, _SHORT_TICKS, 0, True, True)
        if not there:
            raise TagFault(UNREADABLE)
        if self._error & _ERR_COLLISION:
            raise TagFault(TWO_TAGS)
        if self._error & _ERR_SPOILT or self._length != 1:
            raise TagFault(CHECKSUM)
        return self._received()[0]

    def _halt(self) -> "Steps[None]":
        """HLTA: no answer is the answer."""
        yield from self._exchange(b"\x50\x00", _SHORT_TICKS, 0, True, False)

    def identify(self) -> "Steps[str]":
        """Which type 2 tag it is that was just seen ("ntag213" ...); TagFault when it cannot be read."""
        yield from self.activate()
        kind = tagkinds.kind_by_pages((yield from self.read(3)))
        if kind is None:
            there = yield from self._exchange(bytes((0x60,)), _READ_TICKS, 0, True, True)
            version = self._received() if there and not self._error & _ERR_SPOILT and not self._last_bits else b""
            kind = tagkinds.kind_by_version(version)
        return kind

    def read(self, page: int) -> "Steps[bytes]":
        """16 bytes from `page` on (READ); TagFault when the tag does not give them."""
        there = yield from self._exchange(bytes((0x30, page)), _READ_TICKS, 0, True, True)
        if not there or self._last_bits == 4:
            raise TagFault(UNREADABLE)
        if self._error & (_ERR_SPOILT | _ERR_COLLISION) or self._length != 16:
            raise TagFault(CHECKSUM)
        return self._received()

    def write(self, page: int, data: "Buffer") -> "Steps[None]":
        """Four bytes to `page` (WRITE); TagFault when the tag refuses or is gone."""
        there = yield from self._exchange(bytes((0xA2, page)) + bytes(data), _WRITE_TICKS, 0, True, False)
        if not there or self._last_bits != 4 or self._received()[0] & 0x0F != 0x0A:
            raise TagFault(UNREADABLE)

    def close(self) -> "Steps[None]":
        """Antenna off."""
        self.begin_close()
        yield 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Buffer, Bus, Clock, Steps
