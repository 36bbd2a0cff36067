"""Frames of the PN532 (user manual UM0701-02, 6.2.1): building and finding them. No bus, no waiting."""

from ordertray_firmware import const

ACK = "ack"
NACK = "nack"
DATA = "data"
ERROR = "error"
BAD = "bad"
SHORT = "short"

ACK_FRAME = b"\x00\x00\xff\x00\xff\x00"
NACK_FRAME = b"\x00\x00\xff\xff\x00\x00"

# How many bytes before the start code are taken for a preamble.
MAX_PREAMBLE = const(64)

TO_CHIP = const(0xD4)
FROM_CHIP = const(0xD5)


def _reversed_bits() -> bytes:
    table = bytearray(256)
    for value in range(256):
        result = 0
        for bit in range(8):
            if value & (1 << bit):
                result |= 0x80 >> bit
        table[value] = result
    return bytes(table)


# The chip sends and takes the least significant bit first, the Pico's SPI the other way round.
REVERSED = _reversed_bits()


def reverse_in_place(buffer: bytearray, length: int) -> None:
    """Turn the bit order of the first `length` bytes round."""
    table = REVERSED
    for index in range(length):
        buffer[index] = table[buffer[index]]


def build(into: "bytearray | memoryview", code: int, params: bytes) -> int:
    """Write the frame of a command into a bytearray, bits not reversed; gives its length.

    ValueError when the body does not fit a normal frame (254 bytes with code) or the buffer.
    """
    body = len(params) + 2
    if body > 255 or body + 7 > len(into):
        raise ValueError("command too long")
    into[0] = 0x00
    into[1] = 0x00
    into[2] = 0xFF
    into[3] = body
    into[4] = (-body) & 0xFF
    into[5] = TO_CHIP
    into[6] = code
    total = TO_CHIP + code
    at = 7
    for value in params:
        into[at] = value
        total += value
        at += 1
    into[at] = (-total) & 0xFF
    into[at + 1] = 0x00
    return at + 2


def packed(code: int, params: bytes) -> bytes:
    """A whole command as it goes over the bus: with the byte that says "write", bits turned round."""
    line = bytearray(len(params) + 10)
    line[0] = 0x01
    length = build(memoryview(line)[1:], code, params)
    reverse_in_place(line, length + 1)
    return bytes(line)


def turned(plain: bytes) -> bytes:
    """These bytes with their bits turned round."""
    line = bytearray(plain)
    reverse_in_place(line, len(line))
    return bytes(line)


def find(data: bytearray, length: int) -> "tuple[str, int, int]":
    """Find a frame in the first `length` bytes: (what, start, end) with data[start:end] being TFI and its data.

    what: ACK, NACK, DATA, ERROR (the chip's syntax error frame), BAD (a checksum is wrong, or no frame where one must
    be), SHORT (more bytes are needed; `end` then says how many at least).
    """
    at = 0
    while True:
        if at + 1 >= length:
            return (BAD, 0, 0) if length > MAX_PREAMBLE else (SHORT, 0, length + 4)
        if data[at] == 0x00 and data[at + 1] == 0xFF:
            break
        at += 1
        if at > MAX_PREAMBLE:
            return (BAD, 0, 0)
    at += 2
    if at + 2 > length:
        return (SHORT, 0, at + 2)
    size = data[at]
    check = data[at + 1]
    if size == 0x00 and check == 0xFF:
        return (ACK, 0, 0)
    if size == 0xFF and check == 0x00:
        return (NACK, 0, 0)
    if (size + check) & 0xFF or size == 0:
        return (BAD, 0, 0)
    start = at + 2
    end = start + size
    if end + 1 > length:
        return (SHORT, 0, end + 1)
    if sum(memoryview(data)[start : end + 1]) & 0xFF:
        return (BAD, 0, 0)
    if size == 1 and data[start] == 0x7F:
        return (ERROR, 0, 0)
    if data[start] != FROM_CHIP or size < 2:
        return (BAD, 0, 0)
    return (DATA, start, end)
