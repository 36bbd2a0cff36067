"""NFC readers of the tray: drivers, presence, health, and the station that polls them in turn.

Everything that waits is a plain generator (an "operation"). It yields how many microseconds it would like to sleep
(0: call me again as soon as you like) and returns its result; it never sleeps itself and holds its deadlines by the
injected clock. So one operation can be stepped from asyncio on the Pico, from a test with a virtual clock, and beside
another operation, with the same code. Between two yields an operation keeps the bus for well under 5 ms and always
leaves every chip select high.

Use on the tray::

    station = Station([("A", make_reader("pn532", bus_a, time)), ("B", make_reader("mfrc522", bus_b, time))], time, emit)
    while True:
        delay_us = station.step()
        await asyncio.sleep_ms(delay_us // 1000)   # 0 lets the other tasks run and comes straight back

`station.step()` does one short piece of work and says when it wants to be called again (microseconds, 0 to 5000).
`station.run(asyncio.sleep_ms)` is that loop as a coroutine.

Clock (duck-typed; MicroPython's `time` module is one):
    ticks_ms() -> int, ticks_us() -> int   wrapping counters
    ticks_diff(later, earlier) -> int      signed difference, wrap safe
    ticks_add(ticks, delta) -> int
    sleep_us(us) -> None                   blocking; used for at most 2500 us, at wake-up and reset only

Bus (duck-typed; board.py gives one for each reader, the simulated board another):
    select() -> None        chip select low. The bus is then this reader's until deselect(); no yield in between.
    deselect() -> None      chip select high; harmless when it is high already
    transfer(write, read_into=None) -> None
                            full duplex: clocks out len(write) bytes most significant bit first, SPI mode 0. With
                            `read_into` (same length) the bytes that came back are put there; it may be `write` itself.
                            2 MHz suits both chips on short wires (PN532 at most 5 MHz, MFRC522 at most 10 MHz).
    reset(level) -> None    drives RSTPDN / NRSTPD: False holds the chip in reset, True lets it run; nothing if not wired
    irq() -> bool | None    True while the chip pulls its interrupt line (low), False while it does not,
                            None when the line is not wired (the driver then asks over SPI)

Events: `emit(kind, body)` is called from inside step() and must not block. Kinds and bodies are those of the wire:
    ("T", {"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "ntag213"})
    ("T", {"e": "removed", "pad": "A", "uid": "04A1B2C3D4E5F6"})
    ("T", {"e": "refused", "pad": "A", "why": "two-tags" | "phone" | "unreadable" | "checksum"})
    ("L", {"pad": "B", "health": "failed", "was": "reset", "why": "no-answer", "counters": {...}})   on every change

Driver (Pn532, Mfrc522; every method marked * is a generator to step or to `yield from`):
    chip: str               "pn532" or "mfrc522"
    version: str            chip version once started, such as "1.6" or "0x92"; "" before
    start()* -> None        wakes, identifies and configures the chip, antenna off; raises ReaderFault
    poll(known=None)* -> Sighting
                            antenna on, look, antenna off. A tag whose UID equals `known` is not identified again.
    soft_reset()* , hard_reset()* -> None    the reset alone; start() must follow
    open()* -> Sighting     as poll, but leaves antenna and tag active for read/write; close() must follow
    read(page)* -> bytes    16 bytes from a type 2 tag; raises TagFault
    write(page, data)*      4 bytes to a type 2 tag; raises TagFault
    close()* -> None        antenna off

Station:
    step() -> int, run(sleep_ms) coroutine
    snapshot() -> {"pads": {"A": {"uid": ..., "tag": ...} | None}, "health": {"A": "ok"}}
    describe() -> [{"pad": "A", "chip": "pn532", "version": "1.6", "health": "ok"}, ...]     for HELLO
    counters() -> {"A": {"polls": 0, "faults": 0, "retries": 0, "soft_resets": 0, "hard_resets": 0, "failures": 0,
                         "recoveries": 0}, ...}
    request(pad, work, done)  NDEF for enrolment: `work` is ("read",) or ("write", message_bytes); carried out in that
                            pad's next turn; done(answer) gets {"ok": True, "uid":, "tag":, "ndef": hex} or
                            {"ok": False, "why": "no-tag" | "two-tags" | ... | "locked" | "too-long" | "busy" | ...}
    antennas stay off while a pad is in trouble; at most one antenna is on at any time.

Health words (wire): "absent" (never answered since boot), "ok", "retry", "reset", "failed".
"""

# Outcomes of one look at a pad.
NONE = "none"
TAG = "tag"
TWO_TAGS = "two-tags"
PHONE = "phone"
UNREADABLE = "unreadable"
CHECKSUM = "checksum"

# Health of a reader.
ABSENT = "absent"
OK = "ok"
RETRY = "retry"
RESET = "reset"
FAILED = "failed"


class ReaderFault(Exception):
    """The reader chip itself does not do its part: `why` is a short word such as "no-ack", "no-answer", "bad-frame"."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class TagFault(Exception):
    """The chip is well, the tag is not: `why` is an outcome (UNREADABLE, CHECKSUM) or "locked", "not-type-2"."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class Sighting:
    """What one look at a pad found.

    outcome: NONE, TAG, TWO_TAGS, PHONE, UNREADABLE or CHECKSUM.
    uid: upper-case hex when one tag answered (TAG, PHONE), else None.
    tag: kind of tag ("ntag213", "ntag215", "ntag216", "type2", "mifare-classic-1k", "iso14443-4", ...), None when not
        asked for (the UID was the known one) or not known.
    """

    def __init__(self, outcome, uid=None, tag=None):
        self.outcome = outcome
        self.uid = uid
        self.tag = tag

    def __repr__(self):
        return "Sighting(%r, %r, %r)" % (self.outcome, self.uid, self.tag)


def make_reader(chip, bus, clock):
    """A driver by chip name ("pn532", "mfrc522"); ValueError for any other name. Loads only the module it needs."""
    if chip == "pn532":
        from ordertray_firmware.readers.pn532 import Pn532

        return Pn532(bus, clock)
    if chip == "mfrc522":
        from ordertray_firmware.readers.mfrc522 import Mfrc522

        return Mfrc522(bus, clock)
    raise ValueError("unknown reader chip: " + repr(chip))


def Station(pads, clock, emit):  # noqa: N802 - reads as the class it makes, which loads late
    """See ordertray_firmware.readers.station.Station; `pads` is a list of (pad name, driver)."""
    from ordertray_firmware.readers.station import Station as _Station

    return _Station(pads, clock, emit)


def sighting(outcome, uid=None, tag=None):
    """Short for Sighting(...)."""
    return Sighting(outcome, uid, tag)
