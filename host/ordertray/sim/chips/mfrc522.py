"""MFRC522 on SPI, after its data sheet: registers, FIFO, timer, CRC coprocessor, interrupt bits, RF exchanges.

Modelled: what a reader of type A tags touches (register pages 0 to 3). Not modelled: MFAuthent and ciphers, the test
registers, UART and I2C, the self test.
"""

from .chip import CHIP_FAULTS, Chip
from .frames import Answer, crc_a, frame_us

# Registers.
COMMAND, COM_I_EN, DIV_I_EN, COM_IRQ, DIV_IRQ, ERROR = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
STATUS1, STATUS2, FIFO_DATA, FIFO_LEVEL, WATER_LEVEL = 0x07, 0x08, 0x09, 0x0A, 0x0B
CONTROL, BIT_FRAMING, COLL = 0x0C, 0x0D, 0x0E
MODE, TX_MODE, RX_MODE, TX_CONTROL, TX_ASK = 0x11, 0x12, 0x13, 0x14, 0x15
CRC_HIGH, CRC_LOW, RF_CFG = 0x21, 0x22, 0x26
T_MODE, T_PRESCALER, T_RELOAD_HIGH, T_RELOAD_LOW, T_COUNTER_HIGH, T_COUNTER_LOW = 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F
VERSION = 0x37

# ComIrqReg bits.
IRQ_TX, IRQ_RX, IRQ_IDLE, IRQ_ERR, IRQ_TIMER = 0x40, 0x20, 0x10, 0x02, 0x01
# ErrorReg bits.
ERR_WR, ERR_OVERFLOW, ERR_COLL, ERR_CRC, ERR_PARITY, ERR_PROTOCOL = 0x80, 0x10, 0x08, 0x04, 0x02, 0x01
# Commands.
IDLE, MEM, RANDOM, CALC_CRC, TRANSMIT, NO_CHANGE, RECEIVE, TRANSCEIVE, AUTHENT, SOFT_RESET = (
    0x0,
    0x1,
    0x2,
    0x3,
    0x4,
    0x7,
    0x8,
    0xC,
    0xE,
    0xF,
)

# Values after reset that are not zero (data sheet, section 9.3; the tuning registers that no type A reader touches
# are left at zero here).
RESET_VALUES = {
    COMMAND: 0x20,
    COM_I_EN: 0x80,
    COM_IRQ: 0x14,
    STATUS1: 0x21,
    WATER_LEVEL: 0x08,
    CONTROL: 0x10,
    COLL: 0x80 | 0x20,
    MODE: 0x3F,
    TX_CONTROL: 0x80,
    CRC_HIGH: 0xFF,
    CRC_LOW: 0xFF,
    RF_CFG: 0x48,
}

# Version register: the original's two, and what copies answer.
VERSIONS = {"v1": 0x91, "v2": 0x92, "fm17522": 0x88, "copy-12": 0x12, "copy-b2": 0xB2}

# Microseconds.
TIMING = {
    "boot": 1000,  # NRSTPD high until the oscillator is stable and registers can be used
    "soft_reset": 200,
    "crc_byte": 1,
    "transmit": 10,
}


MFRC522_FAULTS = dict(CHIP_FAULTS)
MFRC522_FAULTS.update(
    {
        "stuck": "commands never finish: no interrupt bit is ever set, the timer stands",
        "frozen": "every register reads the same value (value=N)",
    }
)


class Mfrc522Chip(Chip):
    """The simulated MFRC522. Public for tests: `registers`, `fifo`, `timing`, `field_on`.

    version: one of VERSIONS, or the number the version register gives.
    """

    name = "mfrc522"
    FAULTS = MFRC522_FAULTS

    def __init__(self, pad: "Pad", clock: "Clock", version: "str | int" = "v2") -> None:
        super().__init__(pad, clock)
        self.timing = dict(TIMING)
        self.version = VERSIONS[version] if isinstance(version, str) else version
        self._power_up()

    # Power.

    def _power_up(self) -> None:
        now = self.timeline.now()
        self.pad.field(False, now)
        self._clear_registers()
        self._ready_us = now + self.timing["boot"]

    def _power_down(self) -> None:
        self._power_up()

    def _clear_registers(self) -> None:
        self.registers = bytearray(64)
        for register, value in RESET_VALUES.items():
            self.registers[register] = value
        self.fifo = bytearray()
        self._address = -1
        self._reading = False
        self._command = IDLE
        self._waiting_to_send = False
        # The next thing that will happen: (when, what, answer).
        self._events: list[tuple[int, str, Answer | None]] = []
        self._timer_due = -1

    @property
    def field_on(self) -> bool:
        """Whether the antenna is on."""
        return self.pad.field_on

    # SPI (data sheet 8.1.2): address byte first; a write goes on to the same register, a read names the next one.

    def _start(self) -> None:
        self._address = -1

    def _byte(self, value: int) -> int:
        if self.has_fault("hang") or self.timeline.now() < self._ready_us:
            return 0x00
        if self._address < 0:
            self._reading = bool(value & 0x80)
            self._address = (value >> 1) & 0x3F
            return 0x00
        if not self._reading:
            self._write(self._address, value)
            return 0x00
        result = self._read(self._address)
        self._address = (value >> 1) & 0x3F
        return result

    def _read(self, register: int) -> int:
        if self.has_fault("frozen"):
            return self.fault_param("frozen", "value", 0x00)
        if register == FIFO_DATA:
            if self.fifo:
                value = self.fifo[0]
                self.fifo = self.fifo[1:]
                return value
            return 0x00
        if register == FIFO_LEVEL:
            return len(self.fifo)
        if register == COMMAND:
            return (self.registers[COMMAND] & 0x30) | self._command
        if register == VERSION:
            return self.version
        if register == CONTROL:
            return self.registers[CONTROL] & 0x07
        if register == STATUS1:
            return 0x21 | (0x08 if self._timer_due >= 0 else 0)
        if register in (T_COUNTER_HIGH, T_COUNTER_LOW):
            left = 0
            if self._timer_due >= 0:
                left = max(0, (self._timer_due - self.timeline.now()) * self._reload() // max(1, self._timer_us()))
            return (left >> 8) & 0xFF if register == T_COUNTER_HIGH else left & 0xFF
        return self.registers[register]

    def _write(self, register: int, value: int) -> None:
        now = self.timeline.now()
        if register in (COM_IRQ, DIV_IRQ):
            marked = value & 0x7F
            if value & 0x80:
                self.registers[register] |= marked
            else:
                self.registers[register] &= ~marked & 0xFF
        elif register == FIFO_DATA:
            if len(self.fifo) >= 64:
                self.registers[ERROR] |= ERR_OVERFLOW
            else:
                self.fifo.append(value)
        elif register == FIFO_LEVEL:
            if value & 0x80:
                self.fifo = bytearray()
                self.registers[ERROR] &= ~ERR_OVERFLOW & 0xFF
        elif register == COMMAND:
            self._set_command(value, now)
        elif register == CONTROL:
            if value & 0x80:
                self._timer_due = -1
            if value & 0x40:
                self._timer_due = now + self._timer_us()
        elif register == BIT_FRAMING:
            self.registers[BIT_FRAMING] = value & 0x7F
            if value & 0x80 and self._command == TRANSCEIVE and self._waiting_to_send:
                self._transmit(now)
        elif register == TX_CONTROL:
            self.registers[TX_CONTROL] = value
            self.pad.field(bool(value & 0x03), now)
        elif register == COLL:
            self.registers[COLL] = (self.registers[COLL] & 0x7F) | (value & 0x80)
        elif register in (ERROR, STATUS1, CRC_HIGH, CRC_LOW, T_COUNTER_HIGH, T_COUNTER_LOW, VERSION):
            pass
        else:
            self.registers[register] = value

    # Commands.

    def _set_command(self, value: int, now: int) -> None:
        command = value & 0x0F
        self.registers[COMMAND] = value & 0x30
        if command == NO_CHANGE:
            return
        self._events = []
        self._waiting_to_send = False
        self._command = command
        if command == SOFT_RESET:
            self._faults.pop("deaf", None)
            self.pad.field(False, now)
            self._clear_registers()
            self._ready_us = now + self.timing["soft_reset"]
        elif command == CALC_CRC:
            # Runs on whatever is in the FIFO until Idle is written.
            preset = {0: 0x0000, 1: 0x6363, 2: 0xA671, 3: 0xFFFF}[self.registers[MODE] & 0x03]
            crc = preset
            for byte in self.fifo:
                crc = _crc_step(crc, byte)
            done = now + self.timing["crc_byte"] * (len(self.fifo) + 1)
            self.fifo = bytearray()
            self._events.append((done, "crc", Answer(bytes((crc & 0xFF, crc >> 8)), 16)))
        elif command == TRANSCEIVE:
            self._waiting_to_send = True
            self.registers[ERROR] &= ERR_WR | ERR_OVERFLOW
        elif command == TRANSMIT:
            self._waiting_to_send = True
            self._transmit(now)
        elif command in (MEM, RANDOM, AUTHENT):
            self._events.append((now + 10, "idle", None))

    def _transmit(self, now: int) -> None:
        self._waiting_to_send = False
        frame = bytes(self.fifo)
        self.fifo = bytearray()
        last_bits = self.registers[BIT_FRAMING] & 0x07
        bits = len(frame) * 8 if last_bits == 0 else (len(frame) - 1) * 8 + last_bits
        if self.registers[TX_MODE] & 0x80 and last_bits == 0:
            frame += crc_a(frame)
            bits += 16
        end = now + self.timing["transmit"] + frame_us(bits)
        heard = None
        # Type A tags hear 100 % modulation only.
        if frame and self.pad.field_on and self.registers[TX_ASK] & 0x40:
            heard = None if self.has_fault("deaf") else self.pad.transmit(frame, bits, end)
        self._events.append((end, "sent", None))
        if self._command == TRANSCEIVE and heard is not None:
            begins = end + heard.delay_us
            self._events.append((begins, "receiving", None))
            self._events.append((begins + frame_us(heard.bits), "received", heard))

    def _reload(self) -> int:
        return (self.registers[T_RELOAD_HIGH] << 8) | self.registers[T_RELOAD_LOW]

    def _timer_us(self) -> int:
        prescaler = ((self.registers[T_MODE] & 0x0F) << 8) | self.registers[T_PRESCALER]
        return (2 * prescaler + 1) * (self._reload() + 1) * 100 // 1356

    def advance(self) -> None:
        """Settle transmission, reception and the timer up to now."""
        if self.in_reset or self.has_fault("dead") or self.has_fault("hang"):
            return
        now = self.timeline.now()
        if self.has_fault("stuck"):
            return
        while True:
            event_due = self._events[0][0] if self._events else -1
            if 0 <= self._timer_due <= now and (event_due < 0 or self._timer_due < event_due):
                self._timer_fires()
            elif 0 <= event_due <= now:
                self._happen(*self._events.pop(0))
            else:
                break

    def _timer_fires(self) -> None:
        self.registers[COM_IRQ] |= IRQ_TIMER
        # TAutoRestart
        self._timer_due = self._timer_due + self._timer_us() if self.registers[T_MODE] & 0x10 else -1

    def _happen(self, when: int, what: str, answer: "Answer | None") -> None:
        if what == "crc" and answer is not None:
            self.registers[CRC_LOW], self.registers[CRC_HIGH] = answer.data[0], answer.data[1]
            self.registers[DIV_IRQ] |= 0x04
        elif what == "idle":
            self._command = IDLE
            self.registers[COM_IRQ] |= IRQ_IDLE
        elif what == "sent":
            self.registers[COM_IRQ] |= IRQ_TX
            if self.registers[T_MODE] & 0x80:
                self._timer_due = when + self._timer_us()
            if self._command == TRANSMIT:
                self._command = IDLE
                self.registers[COM_IRQ] |= IRQ_IDLE
        elif what == "receiving":
            # TAuto: the timer stops with the first bits received.
            if self.registers[T_MODE] & 0x80:
                self._timer_due = -1
        elif what == "received" and answer is not None:
            self._receive(answer)

    def _receive(self, answer: Answer) -> None:
        error = 0
        data = answer.data
        bits = answer.bits
        if answer.collision is not None:
            error |= ERR_COLL
            # Position counted from 1 in this frame; 32 reads as 0, beyond is not valid.
            position = answer.collision + 1
            valid = position <= 32
            self.registers[COLL] = (self.registers[COLL] & 0x80) | (0 if valid else 0x20) | (position & 0x1F)
            if not self.registers[COLL] & 0x80:
                kept = bytearray(data)
                for index in range(answer.collision, bits):
                    kept[index >> 3] &= ~(1 << (index & 7)) & 0xFF
                data = bytes(kept)
        else:
            self.registers[COLL] = (self.registers[COLL] & 0x80) | 0x20
        if answer.parity_error:
            error |= ERR_PARITY
        if self.registers[RX_MODE] & 0x80:
            if bits < 24 or bits % 8 or crc_a(data[:-2]) != data[-2:]:
                error |= ERR_CRC
            if bits >= 24 and bits % 8 == 0:
                data = data[:-2]
                bits -= 16
        if len(self.fifo) + len(data) > 64:
            error |= ERR_OVERFLOW
            data = data[: 64 - len(self.fifo)]
        self.fifo += data
        self.registers[CONTROL] = (self.registers[CONTROL] & 0xF8) | (bits % 8)
        self.registers[ERROR] = (self.registers[ERROR] & (ERR_WR | ERR_OVERFLOW)) | error
        self.registers[COM_IRQ] |= IRQ_RX
        if error:
            self.registers[COM_IRQ] |= IRQ_ERR

    def _interrupt(self) -> bool:
        enabled = self.registers[COM_IRQ] & self.registers[COM_I_EN] & 0x7F
        return bool(enabled)


def _crc_step(crc: int, byte: int) -> int:
    byte ^= crc & 0xFF
    byte = (byte ^ (byte << 4)) & 0xFF
    return ((crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4)) & 0xFFFF


TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rf import Pad
    from .timeline import Clock
