"""Simulated tags: NTAG213/215/216 by their data sheet, MIFARE Classic (UID only), phones, and bad copies.

States and transitions are those of ISO/IEC 14443-3 (PICC state diagram, type A): POWER-OFF, IDLE, READY, ACTIVE and
HALT; READY and ACTIVE reached from HALT fall back to HALT, not to IDLE.
"""

from .frames import DRAIN_US, Answer, crc_a

OFF = "off"
IDLE = "idle"
READY = "ready"
ACTIVE = "active"
HALT = "halt"

REQA = 0x26
WUPA = 0x52
SELECT_CODES = (0x93, 0x95, 0x97)
CASCADE_TAG = 0x88

# How long a tag needs in the field before it listens. The standard grants it 5 ms; most take far less.
STARTUP_US = 4500
# EEPROM programming time of one page (NTAG21x data sheet: 4.1 ms typical for write).
WRITE_US = 4100


class Tag:
    """A tag as the air interface sees it: UID with its cascade levels, ATQA, SAK; no memory.

    uid: 4, 7 or 10 bytes, or their hex digits.
    """

    kind = "plain"

    def __init__(self, uid: "bytes | str", atqa: int = 0x0004, sak: int = 0x08) -> None:
        self.uid = bytes.fromhex(uid) if isinstance(uid, str) else bytes(uid)
        if len(self.uid) not in (4, 7, 10):
            raise ValueError("a UID has 4, 7 or 10 bytes, not " + str(len(self.uid)))
        self.atqa = atqa
        self.sak = sak
        self.startup_us = STARTUP_US
        self.state = OFF
        self.pulled = False
        self._frames_left = -1
        self._level = 0
        self._rest = IDLE
        self._powered = False
        self._since_us = 0
        self._off_us = 0
        self._spoil_bcc = 0
        self._spoil_crc = 0
        self._spoil_length = 0

    @property
    def uid_text(self) -> str:
        """The UID as upper-case hex."""
        return self.uid.hex().upper()

    # What a test can do to a tag.

    def pull_after(self, frames: int) -> None:
        """The player lifts the tag: it answers `frames` more frames, then it is out of reach."""
        self._frames_left = frames

    def spoil(self, bcc: int = 0, crc: int = 0, from_length: int = 0) -> None:
        """A bad copy: xor the BCC bytes or the CRC of its answers (those of at least `from_length` data bytes)."""
        self._spoil_bcc = bcc
        self._spoil_crc = crc
        self._spoil_length = from_length

    def enter(self) -> None:
        """The tag comes into reach of an antenna, unpowered."""
        self.pulled = False
        self._powered = False
        self.state = OFF
        self._off_us = -DRAIN_US

    # The air interface.

    def field(self, on: bool, now_us: int) -> None:
        """The field goes on or off at `now_us`; a short gap does not make the tag forget its state."""
        if on == self._powered:
            return
        self._powered = on
        if on:
            if self.state == OFF or now_us - self._off_us >= DRAIN_US:
                self.state = IDLE
                self._rest = IDLE
                self._since_us = now_us
                self.power_up()
        else:
            self._off_us = now_us

    def power_up(self) -> None:
        """Called when the tag starts afresh."""

    def receive(self, frame: bytes, bits: int, now_us: int) -> "Answer | None":
        """One frame from the reader; the answer or None for silence."""
        if not self._powered or now_us - self._since_us < self.startup_us:
            return None
        if self._frames_left == 0:
            self.pulled = True
            return None
        answer = self._dispatch(frame, bits)
        if answer is not None and self._frames_left > 0:
            self._frames_left -= 1
        return answer

    def _fall_back(self) -> None:
        self.state = self._rest

    def _dispatch(self, frame: bytes, bits: int) -> "Answer | None":
        if bits == 7:
            return self._request(frame[0] & 0x7F)
        if self.state == READY and frame and frame[0] in SELECT_CODES:
            return self._select(frame, bits)
        if self.state == ACTIVE and bits % 8 == 0 and len(frame) >= 3:
            body, check = frame[:-2], frame[-2:]
            if crc_a(body) != check:
                self._fall_back()
                return None
            if body == b"\x50\x00":
                self.state = HALT
                self._rest = HALT
                return None
            answer = self.command(body)
            if answer is None:
                self._fall_back()
            return answer
        if self.state in (READY, ACTIVE):
            self._fall_back()
        return None

    def _request(self, code: int) -> "Answer | None":
        wakes = (self.state == IDLE and code in (REQA, WUPA)) or (self.state == HALT and code == WUPA)
        if not wakes:
            if self.state in (READY, ACTIVE):
                self._fall_back()
            return None
        self._rest = self.state
        self.state = READY
        self._level = 0
        return Answer(bytes((self.atqa & 0xFF, self.atqa >> 8)), 16)

    def level_bytes(self, level: int) -> bytes:
        """The five bytes of a cascade level: three UID bytes after the cascade tag, or the last four, and the BCC."""
        last = (len(self.uid) - 4) // 3
        start = level * 3
        part = bytes((CASCADE_TAG,)) + self.uid[start : start + 3] if level < last else self.uid[start : start + 4]
        return part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3] ^ self._spoil_bcc,))

    def _select(self, frame: bytes, bits: int) -> "Answer | None":
        if frame[0] != SELECT_CODES[self._level] or len(frame) < 2:
            return None
        mine = self.level_bytes(self._level)
        if frame[1] == 0x70 and len(frame) == 9:
            if crc_a(frame[:7]) != frame[7:] or frame[2:7] != mine:
                self._fall_back()
                return None
            if self._level < (len(self.uid) - 4) // 3:
                self._level += 1
                return self.with_crc(bytes((self.sak | 0x04,)))
            self.state = ACTIVE
            return self.with_crc(bytes((self.sak & ~0x04,)))
        known = ((frame[1] >> 4) - 2) * 8 + (frame[1] & 0x0F)
        if known < 0 or known > 39:
            return None
        for index in range(known):
            byte = 2 + (index >> 3)
            if (frame[byte] >> (index & 7)) & 1 != (mine[index >> 3] >> (index & 7)) & 1:
                return None
        rest = bytearray(5)
        for index in range(known, 40):
            if (mine[index >> 3] >> (index & 7)) & 1:
                rest[(index - known) >> 3] |= 1 << ((index - known) & 7)
        length = (40 - known + 7) // 8
        return Answer(rest[:length], 40 - known)

    def with_crc(self, data: bytes) -> Answer:
        """An answer with its check bytes (spoilt ones if so told)."""
        check = bytearray(crc_a(data))
        if len(data) >= self._spoil_length:
            check[0] ^= self._spoil_crc
        return Answer(data + bytes(check), (len(data) + 2) * 8)

    def nak(self, code: int) -> Answer:
        """A four-bit refusal; the tag leaves the ACTIVE state (NTAG21x data sheet, ACK and NAK)."""
        self._fall_back()
        return Answer(bytes((code & 0x0F,)), 4)

    def command(self, body: bytes) -> "Answer | None":
        """A command in the ACTIVE state, check bytes removed; None for silence."""
        return None


class Classic(Tag):
    """MIFARE Classic 1K: answers with its UID; every memory command wants a key first."""

    kind = "mifare-classic-1k"

    def __init__(self, uid: "bytes | str" = "DEADBEEF") -> None:
        super().__init__(uid, 0x0004, 0x08)

    def command(self, body: bytes) -> "Answer | None":
        """READ and WRITE without authentication get a NAK."""
        if body[0] in (0x30, 0xA0):
            return self.nak(0x4)
        return None


class Phone(Tag):
    """A phone in card emulation: a random UID 08xxxxxx, another one at each power-up, and ISO/IEC 14443-4."""

    kind = "phone"

    def __init__(self, seed: int = 1) -> None:
        super().__init__(b"\x08\x00\x00\x01", 0x0004, 0x20)
        self._seed = seed

    def power_up(self) -> None:
        """A new random UID."""
        self._seed = (self._seed * 1103515245 + 12345) & 0x7FFFFFFF
        self.uid = bytes((0x08, (self._seed >> 16) & 0xFF, (self._seed >> 8) & 0xFF, self._seed & 0xFF))

    def command(self, body: bytes) -> "Answer | None":
        """RATS gets a short ATS."""
        if body[0] == 0xE0:
            return self.with_crc(b"\x05\x78\x80\x70\x02")
        return None


# Pages, dynamic lock page, CC size byte, storage size byte of GET_VERSION, pages per dynamic lock bit.
NTAG_LAYOUTS = {
    "ntag213": (45, 0x28, 0x12, 0x0F, 2),
    "ntag215": (135, 0x82, 0x3E, 0x11, 16),
    "ntag216": (231, 0xE2, 0x6D, 0x13, 16),
}


class Ntag(Tag):
    """NTAG213, 215 or 216 (NXP data sheet): pages of four bytes, lock bits, CC, READ, WRITE, GET_VERSION, FAST_READ."""

    LAYOUTS = NTAG_LAYOUTS

    def __init__(self, kind: str = "ntag213", uid: "bytes | str" = "04A1B2C3D4E5F6") -> None:
        super().__init__(uid, 0x0044, 0x00)
        if len(self.uid) != 7:
            raise ValueError("an NTAG has a UID of 7 bytes")
        self.kind = kind
        self.pages, self.lock_page, size, self._storage, self._per_bit = self.LAYOUTS[kind]
        memory = bytearray(self.pages * 4)
        memory[0:3] = self.uid[0:3]
        memory[3] = CASCADE_TAG ^ self.uid[0] ^ self.uid[1] ^ self.uid[2]
        memory[4:8] = self.uid[3:7]
        memory[8] = self.uid[3] ^ self.uid[4] ^ self.uid[5] ^ self.uid[6]
        memory[9] = 0x48
        memory[12:16] = bytes((0xE1, 0x10, size, 0x00))
        # As delivered: the 213 carries a lock control TLV before the empty message.
        empty = b"\x01\x03\xa0\x0c\x34\x03\x00\xfe" if kind == "ntag213" else b"\x03\x00\xfe\x00"
        memory[16 : 16 + len(empty)] = empty
        memory[self.lock_page * 4 + 3] = 0xBD
        memory[(self.lock_page + 1) * 4 : (self.lock_page + 1) * 4 + 4] = b"\x04\x00\x00\xff"
        self.memory = memory
        self.writes = 0
        self.worn_pages: list[int] = []

    def locked(self, page: int) -> bool:
        """Whether lock bits forbid writing that page."""
        static = self.memory[10] | (self.memory[11] << 8)
        if 3 <= page <= 15:
            return bool(static & (1 << page))
        if 16 <= page < self.lock_page:
            at = self.lock_page * 4
            dynamic = self.memory[at] | (self.memory[at + 1] << 8)
            return bool(dynamic & (1 << ((page - 16) // self._per_bit)))
        return False

    def command(self, body: bytes) -> "Answer | None":
        """READ, FAST_READ, WRITE, GET_VERSION."""
        code = body[0]
        if code == 0x30 and len(body) == 2:
            return self._read(body[1])
        if code == 0x3A and len(body) == 3:
            return self._fast_read(body[1], body[2])
        if code == 0xA2 and len(body) == 6:
            return self._write(body[1], body[2:])
        if code == 0x60 and len(body) == 1:
            return self.with_crc(bytes((0x00, 0x04, 0x04, 0x02, 0x01, 0x00, self._storage, 0x03)))
        return None

    def _read(self, page: int) -> Answer:
        if page >= self.pages:
            return self.nak(0x0)
        data = bytearray()
        for offset in range(4):
            at = ((page + offset) % self.pages) * 4
            data += self.memory[at : at + 4]
        return self.with_crc(bytes(data))

    def _fast_read(self, first: int, last: int) -> Answer:
        if first > last or last >= self.pages:
            return self.nak(0x0)
        return self.with_crc(bytes(self.memory[first * 4 : last * 4 + 4]))

    def _write(self, page: int, data: bytes) -> Answer:
        if page < 2 or page >= self.pages or self.locked(page):
            return self.nak(0x0)
        at = page * 4
        if page == 2:
            self.memory[at + 2] |= data[2]
            self.memory[at + 3] |= data[3]
        elif page in (3, self.lock_page):
            for index in range(4):
                self.memory[at + index] |= data[index]
        elif page not in self.worn_pages:
            self.memory[at : at + 4] = data
        self.writes += 1
        return Answer(b"\x0a", 4, delay_us=WRITE_US)


def make_tag(kind: str = "ntag213", uid: "bytes | str | None" = None) -> Tag:
    """A tag by name: ntag213, ntag215, ntag216, classic, phone, bad-bcc, bad-crc, bad-read; ValueError otherwise.

    bad-bcc: copies a 4-byte UID with a wrong check byte; bad-crc: every answer has wrong check bytes; bad-read: an
    NTAG whose UID reads well but whose memory comes with wrong check bytes.
    """
    if kind in Ntag.LAYOUTS:
        return Ntag(kind, "04A1B2C3D4E5F6" if uid is None else uid)
    if kind == "classic":
        return Classic("DEADBEEF" if uid is None else uid)
    if kind == "phone":
        return Phone()
    if kind == "bad-bcc":
        tag: Tag = Classic("C0FFEE01" if uid is None else uid)
        tag.spoil(bcc=0x5A)
        return tag
    if kind == "bad-crc":
        tag = Classic("C0FFEE02" if uid is None else uid)
        tag.spoil(crc=0x81)
        return tag
    if kind == "bad-read":
        tag = Ntag("ntag213", "04C0FFEE010203" if uid is None else uid)
        tag.spoil(crc=0x81, from_length=4)
        return tag
    raise ValueError("unknown kind of tag: " + repr(kind))


TAG_KINDS = ("ntag213", "ntag215", "ntag216", "classic", "phone", "bad-bcc", "bad-crc", "bad-read")
