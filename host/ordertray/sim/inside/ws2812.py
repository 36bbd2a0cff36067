"""What a WS2812B makes of the pulses it is sent (data sheet, "data transfer time")."""

# Nanoseconds, least and most: high time of a 0, high time of a 1, low time after a 0, low time after a 1.
HIGH_0 = (220, 380)
HIGH_1 = (580, 1000)
LOW_0 = (580, 1000)
LOW_1 = (220, 1000)
# A low this long latches what came before.
LATCH_NS = 280000


def read_bit(high_ns: int) -> int:
    """The bit that a pulse of this length is taken for, or -1 when the data sheet promises nothing."""
    if HIGH_0[0] <= high_ns <= HIGH_0[1]:
        return 0
    if HIGH_1[0] <= high_ns <= HIGH_1[1]:
        return 1
    return -1


def decode(timing: "tuple[int, int, int, int]", data: "bytes | bytearray") -> bytes:
    """The bytes that the strip latches from `machine.bitstream` pulses.

    timing: (high of 0, low of 0, high of 1, low of 1) in nanoseconds. Pulses that the data sheet does not allow give
    noise: all bits inverted, so that a wrong timing shows.
    """
    high_0, low_0, high_1, low_1 = timing
    good = (
        read_bit(high_0) == 0
        and read_bit(high_1) == 1
        and LOW_0[0] <= low_0 <= LOW_0[1]
        and LOW_1[0] <= low_1 <= LOW_1[1]
    )
    if good:
        return bytes(data)
    return bytes([byte ^ 0xFF for byte in data])


def pulses_to_bytes(pulses: "list[tuple[int, int]]") -> bytes:
    """Bytes from a list of (high, low) times in nanoseconds, up to the latch; ValueError names the first bad pulse."""
    out = bytearray()
    value = 0
    count = 0
    for index, (high_ns, low_ns) in enumerate(pulses):
        bit = read_bit(high_ns)
        least, most = LOW_1 if bit == 1 else LOW_0
        if bit < 0 or low_ns < least or (most < low_ns < LATCH_NS):
            raise ValueError(f"pulse {index}: {high_ns} ns high, {low_ns} ns low")
        value = value << 1 | bit
        count += 1
        if count == 8:
            out.append(value)
            value = count = 0
        if low_ns >= LATCH_NS:
            break
    return bytes(out)
