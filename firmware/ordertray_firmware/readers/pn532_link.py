"""Commands of the PN532 over SPI: send, acknowledge, answer, give up. Facts: user manual UM0701-02, chapter 6.

One habit keeps the chip's best-known trouble away: a command that was left without its answer is cancelled by an ACK
frame before the next command goes out. What the commands mean is in pn532.py.
"""

from ordertray_firmware import const
from ordertray_firmware.readers import ReaderFault
from ordertray_firmware.readers import pn532_frames as frames

DATA_WRITE = const(0x01)
_STATUS_READ = const(0x02)
_DATA_READ = const(0x03)

# A healthy chip acknowledges in well under a millisecond. During a look another pad may wait, so be short; one that
# proves to be slower is granted more. While nobody waits, be patient (the manual's host waits 15 ms).
_ACK_US = const(3000)
PATIENT_ACK_US = const(20000)
ANSWER_US = const(60000)

STEP_US = const(300)
# An answer that is so late is asked for less often: each look at the chip costs the Pico up to half a millisecond.
_LONG_US = const(5000)
_LONG_STEP_US = const(1000)
# After a command was cancelled.
_SETTLE_US = const(200)
# So many floating status bytes running, and there is no chip.
_FLOATING_LOOKS = const(4)
# With an interrupt line that stays high: ask over SPI at this pace all the same (it may not be connected).
_DISTRUST_US = const(1200)
_LONG_DISTRUST_US = const(10000)

_ACK_LENGTH = const(6)
_SHORTEST_ANSWER = const(9)
# As they come off the bus, behind one byte that belongs to no frame.
_DATA_READ_LINE = frames.REVERSED[_DATA_READ]
ACK_LINE = b"\xff" + frames.turned(frames.ACK_FRAME)

# What a command under way waits for.
_CANCELLING = const(0)
_ACK = const(1)
_NOT_YET = const(2)
_ANSWER = const(3)
# go_on(): the answer is there, or (no fault) the time it was given is over.
DONE = const(-1)


class Pn532Link:
    """One command at a time. `bus` and `clock` are the protocols of the package.

    begin() sends one and go_on() carries it on without a generator, so that an empty pad makes no garbage; command()
    is both as an operation. The body of an answer is rx[body_start:body_end].
    """

    def __init__(self, bus: "Bus", clock: "Clock") -> None:
        self.can_reset = bus.can_reset
        self.stale_answers = 0
        self.resent = 0
        #: How long the chip took for the last answer: between these two, for it may be asked for late.
        self.took_us = 0
        self.took_more_than_us = 0
        #: How long it took for the last acknowledgement.
        self.acknowledged_us = 0
        #: Whether the answer was there when it was asked for first.
        self.first_time = False
        self._bus = bus
        self._clock = clock
        self._tx = bytearray(272)
        self.rx = bytearray(288)
        view = memoryview(self.rx)
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
        # The end of its time is no fault: it is cancelled, and has found nothing.
        self.endless = False
        # From when on it is asked for less often.
        self._long_us = _LONG_US
        self._again = True
        self._sent_at = 0
        self._not_ready_us = 0
        # How long a chip may take to acknowledge while another pad waits.
        self.quick_ack_us = _ACK_US
        # Where its answer lies in rx; nothing (0, 0) when it was the expected one.
        self.body_start = 0
        self.body_end = 0
        self._irq_seen = False
        # With an interrupt line that stays high: since when, if ever, it has not been doubted.
        self._trusting = False
        self._trusted_at = 0
        self._floating = 0

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

        The body of a DATA frame is rx[body_start:body_end]; (0, 0) stands for the `expected` line, which is not
        taken apart. What goes out meanwhile does not matter: the chip looks at the first byte only.
        """
        self._bus.select()
        try:
            self.rx[0] = _DATA_READ_LINE
            self._bus.write_readinto(piece, piece)
            # What came while the chip was told to speak belongs to no frame.
            self.rx[0] = 0xFF
            if piece != expected:
                return self._take_apart(len(piece))
        finally:
            self._bus.deselect()
        self.body_start = self.body_end = 0
        return frames.ACK if expected is ACK_LINE else frames.DATA

    def _take_apart(self, want: int) -> str:
        """Go on in that transaction: so many bytes are in rx, and as many more are read as the frame needs."""
        rx, have, table = self.rx, 1, frames.REVERSED
        while True:
            for index in range(have, want):
                rx[index] = table[rx[index]]
            have = want
            what, self.body_start, self.body_end = frames.find(rx, have)
            if what != frames.SHORT:
                return what
            want = self.body_end
            if want > len(rx):
                return frames.BAD
            more = self._rx_view[have:want]
            self._bus.write_readinto(more, more)

    def _send_plain(self, frame: bytes) -> None:
        """An ACK (abort) or NACK (say again) frame from the host."""
        tx, length = self._tx, 1 + len(frame)
        tx[0] = DATA_WRITE
        tx[1:length] = frame
        frames.reverse_in_place(tx, length)
        self._send(memoryview(tx)[:length])

    def abort(self) -> None:
        """Cancel whatever the chip is doing (UM0701-02, 6.2.1.3). Not a generator: one short transaction."""
        self._send_plain(frames.ACK_FRAME)
        self._pending = False

    def begin(
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
        self.endless = False
        self._long_us = first_wait_us + _LONG_US
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

    def go_on(self) -> int:
        """Carry the command on: microseconds until it is worth trying again, or DONE. ReaderFault when it fails."""
        clock = self._clock
        while True:
            now = clock.ticks_us()
            left = self._limit_us - clock.ticks_diff(now, self._since)
            stage = self._stage
            if stage == _CANCELLING:
                if left > 0:
                    return left
                self._submit()
                return STEP_US
            if stage == _NOT_YET:
                left = self._first_wait_us - clock.ticks_diff(now, self._sent_at)
                if left > 0:
                    return left
                self._stage = _ANSWER
                continue
            if not self._arrived(now):
                self._not_ready_us = now
                self.first_time = False
                if left <= 0:
                    if self.endless and stage == _ANSWER:
                        self.abort()
                        self.body_start = self.body_end = 0
                        return DONE
                    raise self.too_late(stage == _ACK)
                step = _LONG_STEP_US if clock.ticks_diff(now, self._since) > self._long_us else STEP_US
                return step if left > step else left
            if stage == _ACK:
                what = self._fetch(self._ack_piece, ACK_LINE)
                if what == frames.ACK:
                    self.acknowledged_us = clock.ticks_diff(now, self._sent_at)
                    self._wait_for(_ANSWER, self._answer_us)
                    self.first_time = True
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
                return STEP_US
            self.took_us = clock.ticks_diff(now, self._sent_at)
            self.took_more_than_us = clock.ticks_diff(self._not_ready_us, self._sent_at)
            what = self._fetch(self._answer_piece, self._expected)
            if what == frames.DATA:
                if not self.body_start or self.rx[self.body_start + 1] == self._code + 1:
                    self._pending = False
                    return DONE
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
            return STEP_US

    def too_late(self, acknowledgement: bool) -> ReaderFault:
        """What the time-out means, of the acknowledgement or of the answer."""
        return ReaderFault("no-ack" if acknowledgement else "no-answer")

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
        elif self._clock.ticks_diff(now, self._trusted_at) >= (
            _LONG_DISTRUST_US if self._clock.ticks_diff(now, self._since) > self._long_us else _DISTRUST_US
        ):
            self._trusting = False
            return self._ready()
        return False

    def command(
        self,
        code: int,
        params: bytes,
        answer_us: int = ANSWER_US,
        ack_us: int = PATIENT_ACK_US,
        first_wait_us: int = 0,
    ) -> "Steps[bytes]":
        """One command: gives the answer's data (after its code) as bytes; ReaderFault when the chip does not do it.

        first_wait_us: so soon after the command the answer is not ready, so do not ask.
        """
        tx = self._tx
        tx[0] = DATA_WRITE
        length = 1 + frames.build(memoryview(tx)[1:], code, params)
        # A copy: cancelling the command before this one needs the buffer.
        line = frames.turned(bytes(memoryview(tx)[:length]))
        self.begin(code, line, b"", answer_us, ack_us, first_wait_us)
        wait = self.go_on()
        while wait != DONE:
            yield wait
            wait = self.go_on()
        return bytes(self._rx_view[self.body_start + 2 : self.body_end])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Buffer, Bus, Clock, Steps
