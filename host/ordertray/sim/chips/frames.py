"""What a tag and an antenna have in common: frames of ISO/IEC 14443-3 type A at 106 kbit/s, their check bytes.

Times follow from the standard: one bit is 128 carrier periods (9.44 us), a byte is nine bits with its parity, the
answer comes after a frame delay of about 86 us (an answer after an EEPROM write: milliseconds, told by the tag).
"""

BIT_NS = 9440
FRAME_DELAY_US = 86
# A tag forgets that it was selected once its supply has drained. The standard allows 5.1 ms for that.
DRAIN_US = 3000


def crc_a(data: "bytes | bytearray") -> bytes:
    """The two check bytes of ISO/IEC 14443-3 type A (preset 6363h), low byte first."""
    crc = 0x6363
    for byte in data:
        byte ^= crc & 0xFF
        byte = (byte ^ (byte << 4)) & 0xFF
        crc = (crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4)
    return bytes((crc & 0xFF, (crc >> 8) & 0xFF))


def frame_us(bits: int) -> int:
    """Microseconds on the air of a frame of `bits` data bits (parity and start/end of frame included)."""
    return (bits + bits // 8 + 2) * BIT_NS // 1000


class Answer:
    """What came back: `bits` data bits, least significant bit of each byte first.

    collision: index of the first bit in which two tags differed, or None.
    parity_error: the tags' frames were of different length or otherwise spoilt.
    delay_us: from the end of the question to the start of the answer.
    """

    def __init__(
        self,
        data: "bytes | bytearray",
        bits: int,
        collision: "int | None" = None,
        parity_error: bool = False,
        delay_us: int = FRAME_DELAY_US,
    ) -> None:
        self.data = bytes(data)
        self.bits = bits
        self.collision = collision
        self.parity_error = parity_error
        self.delay_us = delay_us

    def __repr__(self) -> str:
        return f"Answer({self.data!r}, {self.bits} bits, collision {self.collision!r})"
