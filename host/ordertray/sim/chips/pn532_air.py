"""What a PN532 does on the air when it is told to: find tags bit by bit, select them, exchange with them.

The chip's own firmware, as processes (generators that yield microseconds); user manual UM0701-02, chapter 7, and
ISO/IEC 14443-3. How it is talked to is in pn532.py.
"""

from .chip import Chip
from .frames import FRAME_DELAY_US, Answer, crc_a, frame_us
from .tags import REQA, WUPA

# Registers of the contactless interface unit, as Read/WriteRegister address them.
CIU_TX_MODE = 0x6302
CIU_RX_MODE = 0x6303
CIU_BIT_FRAMING = 0x633D


class Target:
    """A target the chip has listed: number, UID, SENS_RES, SEL_RES, ATS."""

    def __init__(self, number: int, uid: bytes, sens_res: bytes, sel_res: int) -> None:
        self.number = number
        self.uid = uid
        self.sens_res = sens_res
        self.sel_res = sel_res
        self.ats = b""


class Pn532Air(Chip):
    """The half of the simulated PN532 that faces the antenna."""

    timing: "dict[str, int]"
    _targets: "list[Target]"
    _active: "Target | None"
    _registers: "dict[int, int]"
    _process_due: int
    _max_retries: int
    _auto_rats: bool
    _data_timeout_us: int

    def _send(self, frame: bytes, bits: int, silence_us: int) -> "Generator[int, None, Answer | None]":
        """One exchange on the air; takes the time it takes."""
        yield self.timing["exchange"] + frame_us(bits)
        answer = None if self.has_fault("deaf") else self.pad.transmit(frame, bits, self._process_due)
        if answer is None or answer.delay_us > silence_us + FRAME_DELAY_US:
            yield silence_us
            return None
        yield answer.delay_us + frame_us(answer.bits)
        return answer

    def _checked(self, body: bytes, silence_us: int) -> "Generator[int, None, tuple[int, bytes]]":
        """An exchange with check bytes: (status of UM0701-02 7.1, data without them)."""
        answer = yield from self._send(body + crc_a(body), (len(body) + 2) * 8, silence_us)
        if answer is None:
            return 0x01, b""
        if answer.collision is not None:
            return 0x06, b""
        if answer.bits == 4:
            return (0x00, b"") if answer.data[0] == 0x0A else (0x13, b"")
        if answer.bits < 24 or crc_a(answer.data[:-2]) != answer.data[-2:]:
            return 0x02, b""
        return 0x00, answer.data[:-2]

    def _request(self, code: int) -> "Generator[int, None, bytes]":
        answer = yield from self._send(bytes((code,)), 7, self.timing["silence"])
        return b"" if answer is None else answer.data

    def _anticollision(self, sens_res: bytes, number: int) -> "Generator[int, None, Target | None]":
        """Find one tag bit by bit and select it, through the cascade; None when it goes wrong."""
        uid = b""
        for code in (0x93, 0x95, 0x97):
            known = bytearray(5)
            count = 0
            for _attempt in range(33):
                frame = bytes((code, ((2 + count // 8) << 4) | (count % 8))) + bytes(known[: (count + 7) // 8])
                answer = yield from self._send(frame, 16 + count, self.timing["silence"])
                if answer is None:
                    return None
                upto = answer.bits if answer.collision is None else answer.collision + 1
                for index in range(min(upto, 40 - count)):
                    at = count + index
                    known[at >> 3] &= ~(1 << (at & 7)) & 0xFF
                    if (answer.data[index >> 3] >> (index & 7)) & 1 or index == answer.collision:
                        known[at >> 3] |= 1 << (at & 7)
                count += upto
                if answer.collision is None:
                    break
            if count != 40 or known[0] ^ known[1] ^ known[2] ^ known[3] != known[4]:
                return None
            status, sak = yield from self._checked(bytes((code, 0x70)) + bytes(known), self.timing["silence"])
            if status or len(sak) != 1:
                return None
            if not sak[0] & 0x04:
                return Target(number, uid + bytes(known[:4]), sens_res, sak[0])
            uid += bytes(known[1:4])
        return None

    def _halt(self) -> "Generator[int, None, None]":
        yield from self._send(b"\x50\x00" + crc_a(b"\x50\x00"), 32, self.timing["silence"])
        self._active = None

    def _in_list_passive_target(self, params: bytes) -> "Generator[int, None, bytes | None]":
        """106 kbit/s type A only; other modulations find nothing."""
        if len(params) < 2 or not 1 <= params[0] <= 2:
            return None
        yield self.timing["look"]
        self._targets = []
        self._active = None
        self._type_a_registers()
        if not self.pad.field_on:
            self.pad.field(True, self._process_due)
            yield self.timing["rf_on_guard"]
        tries = 0
        while True:
            while params[1] == 0 and len(self._targets) < params[0]:
                if self._targets:
                    yield from self._halt()
                sens_res = yield from self._request(REQA)
                if not sens_res:
                    break
                target = yield from self._anticollision(sens_res, len(self._targets) + 1)
                if target is None:
                    break
                self._targets.append(target)
                self._active = target
            if self._targets or (self._max_retries != 0xFF and tries >= self._max_retries):
                break
            tries += 1
            yield self.timing["retry_gap"]
        yield self.timing["found" if self._targets else "empty"]
        data = bytearray((len(self._targets),))
        for target in self._targets:
            if target.sel_res & 0x20 and self._auto_rats and target is self._active:
                _status, target.ats = yield from self._checked(b"\xe0\x50", self._data_timeout_us)
            # SENS_RES goes out with its high byte first.
            data += bytes((target.number, target.sens_res[1], target.sens_res[0], target.sel_res, len(target.uid)))
            data += target.uid + target.ats
        return bytes(data)

    def _activate(self, number: int) -> "Generator[int, None, Target | None]":
        """The target of that number made the active one again, if it is not."""
        wanted = None
        for target in self._targets:
            if target.number == number:
                wanted = target
        if wanted is None or wanted is self._active:
            return wanted
        if self._active is not None:
            yield from self._halt()
        sens_res = yield from self._request(WUPA)
        if not sens_res:
            return None
        uid = wanted.uid
        for code in (0x93, 0x95, 0x97):
            if len(uid) > 4:
                part, uid = b"\x88" + uid[:3], uid[3:]
            else:
                part, uid = uid, b""
            part += bytes((part[0] ^ part[1] ^ part[2] ^ part[3],))
            status, _sak = yield from self._checked(bytes((code, 0x70)) + part, self.timing["silence"])
            if status:
                return None
            if not uid:
                break
        self._active = wanted
        return wanted

    def _in_data_exchange(self, params: bytes) -> "Generator[int, None, bytes | None]":
        if len(params) < 2:
            return None
        if not any(target.number == params[0] & 0x0F for target in self._targets):
            return b"\x27"
        self._type_a_registers()
        target = yield from self._activate(params[0] & 0x0F)
        if target is None:
            return b"\x01"
        status, data = yield from self._checked(params[1:], self._data_timeout_us)
        if status:
            self._active = None
        return bytes((status,)) + data

    def _in_communicate_thru(self, params: bytes) -> "Generator[int, None, bytes | None]":
        """Raw: check bytes and short frames as the CIU registers say, which the host may have written."""
        if not params:
            return None
        frame = params
        bits = len(params) * 8
        last_bits = self._registers.get(CIU_BIT_FRAMING, 0) & 0x07
        if last_bits:
            bits -= 8 - last_bits
        elif self._registers.get(CIU_TX_MODE, 0) & 0x80:
            frame += crc_a(params)
            bits += 16
        answer = yield from self._send(frame, bits, self._data_timeout_us)
        if answer is None:
            return b"\x01"
        if answer.collision is not None:
            return b"\x06"
        if not self._registers.get(CIU_RX_MODE, 0) & 0x80:
            return b"\x00" + answer.data
        if answer.bits < 24 or crc_a(answer.data[:-2]) != answer.data[-2:]:
            return b"\x02"
        return b"\x00" + answer.data[:-2]

    def _type_a_registers(self) -> None:
        """The firmware's own commands leave the CIU set for frames with check bytes."""
        self._registers[CIU_TX_MODE] = 0x80
        self._registers[CIU_RX_MODE] = 0x80
        self._registers[CIU_BIT_FRAMING] = 0x00

    def _in_release(self, params: bytes) -> "Generator[int, None, bytes | None]":
        if len(params) != 1:
            return None
        if self._active is not None:
            yield from self._halt()
        self._targets = []
        return b"\x00"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
