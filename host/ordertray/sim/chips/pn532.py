"""PN532 on SPI, after its user manual (UM0701-02) and data sheet: frames, sleep, commands. On the air: pn532_air.py.

What the manuals leave open, and the times in `TIMING`, are this model's assumptions (see README.md). The chip's
firmware is modelled as a process (a generator that yields microseconds) which is run lazily up to the present.
"""

from .chip import CHIP_FAULTS
from .pn532_air import Pn532Air, Target

# Microseconds. Change an entry of `chip.timing` to try other silicon.
TIMING = {
    "osc_start": 2000,  # wake-up by chip select low (data sheet: T_osc_start, at most 2 ms)
    "boot": 2000,  # RSTPDN high or power-up until the chip can be woken
    "ack": 500,  # end of a command frame until the ACK can be fetched
    "command": 400,  # overhead of any command
    "rf_on_guard": 5000,  # field on until the first request (ISO/IEC 14443-3: 5 ms)
    "exchange": 450,  # the 80C51's overhead for one exchange on the air
    "look": 0,  # InListPassiveTarget: before it does anything ...
    "empty": 0,  # ... before it reports that there is nothing,
    "found": 0,  # ... or what there is
    "silence": 300,  # waiting for an answer that does not come, in anticollision
    "data_timeout": 5000,  # the same in a data exchange, unless configured
    "retry_gap": 5000,  # between two attempts of InListPassiveTarget
}

_ACK = b"\x00\x00\xff\x00\xff\x00"
_ERROR = b"\x00\x00\xff\x01\xff\x7f\x81\x00"

# Where the chip is.
_BOOTING = "booting"
_ASLEEP = "asleep"
_WAKING = "waking"
_AWAKE = "awake"


def reverse_bits(value: int) -> int:
    """A byte with its bits in the other order: the PN532 sends the least significant bit first."""
    value = ((value & 0xF0) >> 4) | ((value & 0x0F) << 4)
    value = ((value & 0xCC) >> 2) | ((value & 0x33) << 2)
    return ((value & 0xAA) >> 1) | ((value & 0x55) << 1)


def build_frame(body: "bytes | bytearray", preamble: int = 1, spoil: int = 0) -> bytes:
    """A normal information frame around TFI and data; `spoil` is xored into the data checksum."""
    total = 0
    for byte in body:
        total += byte
    head = bytes(preamble) + b"\x00\xff" + bytes((len(body), (-len(body)) & 0xFF))
    return head + bytes(body) + bytes((((-total) & 0xFF) ^ spoil, 0x00))


PN532_FAULTS = dict(CHIP_FAULTS)
PN532_FAULTS.update(
    {
        "no-answer": "commands are acknowledged, their answers never come",
        "no-ack": "commands are carried out without ACK or answer",
        "nack": "a NACK frame comes instead of the ACK",
        "bad-checksum": "count=N: that many frames to the host have a wrong data checksum (without count: all)",
        "bad-length": "the length checksum of information frames is wrong",
        "long-preamble": "bytes=N: frames to the host start with that many extra zero bytes",
        "slow": "us=N: every command takes that much longer",
        "error-frame": "every command is answered by the error frame",
        "forgotten": "once: the supply dips so that the chip stays awake and has forgotten its configuration",
        "echo-stale": "once: an answer of an old InListPassiveTarget waits to be fetched",
    }
)


class Pn532Chip(Pn532Air):
    """The simulated PN532. Public for tests: `timing`, `powered_mode`, `field_on`, `commands` (the last 32 codes)."""

    name = "pn532"
    FAULTS = PN532_FAULTS

    def __init__(self, pad: "Pad", clock: "Clock", version: int = 0x0106) -> None:
        super().__init__(pad, clock)
        self.timing = dict(TIMING)
        self.version = version
        self.commands: list[int] = []
        self._power_up()

    # Power.

    def _power_up(self) -> None:
        now = self.timeline.now()
        self.pad.field(False, now)
        self._mode = _BOOTING
        self._mode_until = now + self.timing["boot"]
        self.sam_configured = False
        self._irq_enabled = True
        self._max_retries = 0xFF
        self._auto_rats = True
        self._data_timeout_us = self.timing["data_timeout"]
        self._out: list[tuple[int, bytes]] = []
        self._last_frame = b""
        self._process: Iterator[int] | None = None
        self._process_due = 0
        self._queue: list[bytes] = []
        self._targets: list[Target] = []
        self._active: Target | None = None
        self._sleepy = False
        self._direction = -1
        self._rx = bytearray()
        self._reading = b""
        self._read_at = 0
        self._registers: dict[int, int] = {}

    def _power_down(self) -> None:
        self._power_up()

    def fault(self, name: str, on: bool = True, **params: int) -> None:
        """As Chip.fault; "echo-stale" puts an old answer in the way at once, "forgotten" leaves the chip awake."""
        if name == "forgotten":
            self.advance()
            if on:
                self._power_up()
                self._mode = _AWAKE
            return
        if name == "echo-stale":
            self.advance()
            if on:
                self._out.append((self.timeline.now(), build_frame(b"\xd5\x4b\x00")))
            return
        super().fault(name, on, **params)

    @property
    def field_on(self) -> bool:
        """Whether the antenna is on."""
        return self.pad.field_on

    @property
    def powered_mode(self) -> str:
        """booting, asleep, waking or awake."""
        self.advance()
        return self._mode

    # SPI.

    def _start(self) -> None:
        self._direction = -1
        self._rx = bytearray()
        self._reading = b""
        self._read_at = 0
        if self._mode == _ASLEEP:
            self._mode = _WAKING
            self._mode_until = self.timeline.now() + self.timing["osc_start"]

    def _byte(self, value: int) -> int:
        if self._mode != _AWAKE or self.has_fault("hang"):
            return 0xFF
        value = reverse_bits(value)
        if self._direction < 0:
            self._direction = value
            if value == 0x03 and self._ready():
                self._reading = self._out[0][1]
            return 0x00
        if self._direction == 0x01:
            self._rx.append(value)
            return 0x00
        if self._direction == 0x02:
            return reverse_bits(0x01 if self._ready() else 0x00)
        if self._direction == 0x03:
            at = self._read_at
            self._read_at += 1
            return reverse_bits(self._reading[at]) if at < len(self._reading) else 0x00
        return 0x00

    def _end(self) -> None:
        if self._mode != _AWAKE or self.has_fault("hang"):
            return
        if self._direction == 0x01:
            self._take_frame(bytes(self._rx))
        elif self._direction == 0x03 and self._reading and self._read_at > 1:
            # Fetched as a whole or given up: the frame is gone. The last answer can be asked for again by NACK.
            self._out.pop(0)
            if self._sleepy and not self._out:
                # PowerDown: once its answer is fetched.
                self._sleepy = False
                self._mode = _ASLEEP
        self._direction = -1

    def _ready(self) -> bool:
        return bool(self._out) and self._out[0][0] <= self.timeline.now()

    def _interrupt(self) -> bool:
        return self._mode == _AWAKE and self._irq_enabled and not self.has_fault("hang") and self._ready()

    def _take_frame(self, data: bytes) -> None:
        """A write transaction has ended: find the frame in it (UM0701-02, 6.2.1)."""
        start = data.find(b"\x00\xff")
        if start < 0 or start + 4 > len(data):
            return
        length, check = data[start + 2], data[start + 3]
        if length == 0x00 and check == 0xFF:  # ACK from the host: abort
            self._process = None
            self._queue = []
            self._out = []
            return
        if length == 0xFF and check == 0x00:  # NACK from the host: say it again
            if self._last_frame:
                self._out.insert(0, (self.timeline.now() + 100, self._dress(self._last_frame)))
            return
        body = data[start + 4 : start + 4 + length]
        if (length + check) & 0xFF or len(body) != length or len(data) < start + 5 + length:
            return
        total = data[start + 4 + length]
        for byte in body:
            total += byte
        if total & 0xFF or length < 2 or body[0] != 0xD4:
            return
        self.commands.append(body[1])
        if len(self.commands) > 32:
            self.commands.pop(0)
        if self.has_fault("no-ack"):
            return
        now = self.timeline.now()
        if self.has_fault("nack"):
            self._out.append((now + self.timing["ack"], b"\x00\x00\xff\xff\x00\x00"))
            return
        self._out.append((now + self.timing["ack"], self._stretch(_ACK)))
        if self._process is None:
            self._begin(bytes(body[1:]), now + self.timing["ack"])
        else:
            # Not cancelled: the old command goes on and answers first.
            self._queue.append(bytes(body[1:]))

    def _stretch(self, frame: bytes) -> bytes:
        if self.has_fault("long-preamble"):
            return bytes(self.fault_param("long-preamble", "bytes", 12)) + frame
        return frame

    def _dress(self, frame: bytes) -> bytes:
        """A frame for the host with the faults that spoil it."""
        if self.has_fault("bad-checksum") and len(frame) > 8:
            left = self.fault_param("bad-checksum", "count", -1)
            if left != 0:
                frame = frame[:-2] + bytes((frame[-2] ^ 0x24,)) + frame[-1:]
                if left > 0:
                    self._faults["bad-checksum"]["count"] = left - 1
        if self.has_fault("bad-length") and len(frame) > 8:
            at = frame.find(b"\x00\xff") + 3
            frame = frame[:at] + bytes((frame[at] ^ 0x11,)) + frame[at + 1 :]
        return self._stretch(frame)

    # The chip's own processor.

    def _begin(self, command: bytes, at_us: int) -> None:
        self._process = self._run(command)
        self._process_due = at_us

    def advance(self) -> None:
        """Run the chip's processor up to now."""
        now = self.timeline.now()
        if self.in_reset or self.has_fault("dead"):
            return
        if self._mode in (_BOOTING, _WAKING) and now >= self._mode_until:
            self._mode = _ASLEEP if self._mode == _BOOTING else _AWAKE
            if self.selected and self._mode == _ASLEEP:
                self._mode = _WAKING
                self._mode_until = now + self.timing["osc_start"]
        if self.has_fault("hang"):
            return
        while self._process is not None and self._process_due <= now:
            try:
                self._process_due += next(self._process)
            except StopIteration:
                self._process = None
                if self._queue:
                    self._begin(self._queue.pop(0), self._process_due)

    def _reply(self, body: bytes) -> None:
        """The answer of the running command is ready."""
        frame = build_frame(body)
        self._last_frame = frame
        self._out.append((self._process_due, self._dress(frame)))

    def _run(self, command: bytes) -> "Iterator[int]":
        code, params = command[0], command[1:]
        yield self.timing["command"] + self.fault_param("slow", "us", 0)
        if self.has_fault("no-answer"):
            return
        if self.has_fault("error-frame"):
            self._out.append((self._process_due, self._dress(_ERROR)))
            return
        known = {
            0x00: self._diagnose,
            0x02: self._get_firmware_version,
            0x04: self._get_general_status,
            0x06: self._read_register,
            0x08: self._write_register,
            0x12: self._set_parameters,
            0x14: self._sam_configuration,
            0x16: self._power_down_command,
            0x32: self._rf_configuration,
            0x40: self._in_data_exchange,
            0x42: self._in_communicate_thru,
            0x44: self._in_release,
            0x4A: self._in_list_passive_target,
            0x52: self._in_release,
        }
        handler = known.get(code)
        # Before SAMConfiguration the chip is in its low battery mode and does no RF work (AN10609, C106). It was seen
        # to acknowledge such commands and to say nothing more.
        if handler is not None and code >= 0x40 and not self.sam_configured:
            return
        if handler is None:
            self._out.append((self._process_due, self._dress(_ERROR)))
            return
        result = yield from handler(params)
        if result is None:
            self._out.append((self._process_due, self._dress(_ERROR)))
            return
        self._reply(bytes((0xD5, code + 1)) + result)
        self._sleepy = code == 0x16

    # Commands without RF. Each is a generator that returns the answer's data, or None for a syntax error.

    def _diagnose(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        return params if params[:1] == b"\x00" else None

    def _get_firmware_version(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        return bytes((0x32, self.version >> 8, self.version & 0xFF, 0x07))

    def _get_general_status(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        data = bytearray((0x00, 0x00, len(self._targets)))
        for target in self._targets:
            data += bytes((target.number, 0x00, 0x00, 0x10))
        data.append(0x00)
        return bytes(data)

    def _read_register(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 50
        if len(params) % 2:
            return None
        data = bytearray()
        for at in range(0, len(params), 2):
            data.append(self._registers.get((params[at] << 8) | params[at + 1], 0))
        return bytes(data)

    def _write_register(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 50
        if len(params) % 3:
            return None
        for at in range(0, len(params), 3):
            self._registers[(params[at] << 8) | params[at + 1]] = params[at + 2]
        return b""

    def _set_parameters(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        if len(params) != 1:
            return None
        self._auto_rats = bool(params[0] & 0x10)
        return b""

    def _sam_configuration(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        if not params or params[0] not in (1, 2, 3, 4):
            return None
        self.sam_configured = True
        self._irq_enabled = len(params) < 3 or params[2] == 1
        return b""

    def _power_down_command(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 0
        self.pad.field(False, self._process_due)
        return b"\x00"

    def _rf_configuration(self, params: bytes) -> "Generator[int, None, bytes | None]":
        yield 50
        lengths = {1: 1, 2: 3, 4: 1, 5: 3, 10: 11, 11: 8, 12: 3, 13: 9}
        if not params or lengths.get(params[0]) != len(params) - 1:
            return None
        if params[0] == 1:
            on = bool(params[1] & 0x01)
            self.pad.field(on, self._process_due)
            if not on:
                self._targets = []
                self._active = None
        elif params[0] == 2 and 1 <= params[3] <= 16:
            self._data_timeout_us = 100 << (params[3] - 1)
        elif params[0] == 5:
            self._max_retries = params[3]
        return b""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from .rf import Pad
    from .timeline import Clock
