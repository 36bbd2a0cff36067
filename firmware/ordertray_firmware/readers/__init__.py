"""NFC readers of the tray: drivers, presence, health, and the station that polls them in turn.

Everything that waits is a plain generator (an "operation", `Steps`). It yields how many microseconds it would like to
sleep (0: call me again as soon as you like) and returns its result; it holds its deadlines by the injected clock. So
one operation can be stepped from the app's loop, from a test with a virtual clock, and beside another operation, with
the same code. What the station does all day, looking at pads and closing again, the drivers offer without a generator
as well (begin_look, begin_close, advance), so that an empty pad makes no garbage. Between two steps an operation keeps
the bus for well under 5 ms and leaves every chip select high.

Use on the tray::

    readers = [("A", make_reader("pn532", bus_a, time)), ("B", make_reader("mfrc522", bus_b, time))]
    station = Station(readers, time, emit)
    while True:
        delay_us = station.step()
        time.sleep_us(delay_us)

`station.step()` does one short piece of work and says when it wants to be called again (microseconds, 0 to 5000).

The types are in protocols.py.

Clock (MicroPython's `time` module is one):
    ticks_ms() -> int, ticks_us() -> int   wrapping counters
    ticks_diff(later, earlier) -> int      signed difference, wrap safe
    ticks_add(ticks, delta) -> int
    sleep_us(us) -> None                   blocking; used for at most 2500 us, to wake a PN532

Bus (board.py gives one for each reader, the simulated board another):
    select() -> None        chip select low. The bus is then this reader's until deselect(); no yield in between.
    deselect() -> None      chip select high; harmless when it is high already
    write(line) -> None, write_readinto(line, into) -> None
                            as MicroPython's SPI: clocks out all bytes most significant bit first, SPI mode 0; the
                            second puts the bytes that came back into a buffer of the same length, which may be `line`.
                            2 MHz suits both chips on short wires (PN532 at most 5 MHz, MFRC522 at most 10 MHz).
    reset(level) -> None    drives RSTPDN / NRSTPD: False holds the chip in reset, True lets it run; nothing when the
                            line is not wired
    can_reset: bool         whether that line is wired
    irq() -> bool | None    True while the chip pulls its interrupt line (low), False while it does not,
                            None when the line is not wired (the driver then asks over SPI)

Events: `emit(kind, body)` is called from inside step() and must not block. Kinds and bodies are those of the wire:
    ("T", {"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "type2"})
                            goes out before the tag's memory is read: "ntag213" and the like appear in snapshot() once
                            the tag has lain for 400 ms and nobody taps, and in the event from the next placing on
    ("T", {"e": "removed", "pad": "A", "uid": "04A1B2C3D4E5F6"})
    ("T", {"e": "refused", "pad": "A", "why": "two-tags" | "phone" | "unreadable" | "checksum"})
    ("L", {"pad": "B", "health": "failed", "was": "reset", "why": "no-answer", "counters": {...}})   on every change

Station:
    step() -> int
    snapshot() -> {"pads": {"A": {"uid": ..., "tag": ...} | None}, "health": {"A": "ok"}}
    describe() -> [{"pad": "A", "chip": "pn532", "version": "1.6", "health": "ok"}, ...]     for HELLO; "why" with it
                            while it is not well
    counters() -> {"A": {"polls": 0, "faults": 0, "late": 0, "retries": 0, "soft_resets": 0, "hard_resets": 0,
                         "failures": 0, "recoveries": 0, "renewals": 0, "nameless": 0}, ...}
    request(pad, work, done)  NDEF for enrolment: `work` is ("read",) or ("write", message_bytes); carried out in that
                            pad's next turn; done(answer) gets {"ok": True, "uid":, "tag":, "ndef": hex} or
                            {"ok": False, "why": "no-tag" | "two-tags" | "phone" | "unreadable" | "checksum" |
                            "not-type-2" | "no-message" | "locked" | "too-long" | "verify" | "busy" | "no-pad" |
                            "bad-request" | "reader-fault" | "reader-failed" | "reader-absent"}
    overlaps                looks that began while another antenna was on (see station.py)

Health words (wire): "starting" (not heard of yet), "absent" (has not answered since boot), "ok", "retry", "reset",
"failed".
"""

# Outcomes of one look at a pad.
NONE = "none"
TAG = "tag"
TWO_TAGS = "two-tags"
PHONE = "phone"
UNREADABLE = "unreadable"
CHECKSUM = "checksum"

# Health of a reader.
STARTING = "starting"
ABSENT = "absent"
OK = "ok"
RETRY = "retry"
RESET = "reset"
FAILED = "failed"


class ReaderFault(Exception):  # noqa: N818 - a fault of the world, not an error of the program
    """The reader chip itself does not do its part.

    `why`: "no-chip", "no-ack", "no-answer", "late", "nack", "bad-frame", "bad-answer", "refused-command", "forgot",
    "bad-crc-unit" or "not-a-pn532".
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class TagFault(Exception):  # noqa: N818 - as above
    """The chip is well, the tag is not: `why` is an outcome (UNREADABLE, CHECKSUM) or a word of request()."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Sighting:
    """What one look at a pad found.

    outcome: NONE, TAG, TWO_TAGS, PHONE, UNREADABLE or CHECKSUM.
    uid: upper-case hex when one tag answered (TAG, PHONE), else None.
    tag: kind of tag as far as its selection tells ("type2", "mifare-classic-1k", "iso14443-4", ...), else None.
    """

    def __init__(self, outcome: str, uid: "str | None" = None, tag: "str | None" = None) -> None:
        self.outcome = outcome
        self.uid = uid
        self.tag = tag

    def __repr__(self) -> str:
        return "Sighting(%r, %r, %r)" % (self.outcome, self.uid, self.tag)


def make_reader(chip: str, bus: "Bus", clock: "Clock") -> "Driver":
    """A driver by chip name ("pn532", "mfrc522"); ValueError for any other name. Loads only the module it needs."""
    if chip == "pn532":
        from ordertray_firmware.readers.pn532 import Pn532

        return Pn532(bus, clock)
    if chip == "mfrc522":
        from ordertray_firmware.readers.mfrc522 import Mfrc522

        return Mfrc522(bus, clock)
    raise ValueError("unknown reader chip: " + repr(chip))


def Station(  # noqa: N802
    pads: "list[tuple[str, Driver]]", clock: "Clock", emit: "Emit", way: str = "auto"
) -> "_Station":
    """The station over `pads`, a list of (pad name, driver); its class is in station.py and loads at first use."""
    from ordertray_firmware.readers.station import Station as _Station

    return _Station(pads, clock, emit, way)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers.protocols import Bus, Clock, Driver, Emit
    from ordertray_firmware.readers.station import Station as _Station
