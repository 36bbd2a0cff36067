"""Simulated reader chips and tags. They model the chips' manuals and answer SPI bytes; they know no driver.

They run on CPython and on MicroPython (the simulated board lives inside the interpreter). Time comes from an injected
clock with `ticks_us()`, `ticks_diff(later, earlier)`, `sleep_us(us)` (MicroPython's `time` module is one); a chip works
out what happened since it was last touched, so nothing runs in the background.

Use::

    pad = Pad()                              # where tags lie
    chip = make_chip("pn532", pad, clock)    # or "mfrc522"
    chip.select(); reply = chip.exchange(b"\\x40"); chip.deselect()    # bytes as on the wire, full duplex
    chip.reset(level); chip.irq()            # RSTPDN / NRSTPD; True while the interrupt line is pulled low
    chip.fault("hang"); chip.fault("hang", on=False); chip.faults()    # names and help of every fault
    pad.put(make_tag("ntag213", uid="04A1B2C3D4E5F6")); pad.take(); pad.take(uid="04A1B2C3D4E5F6")

    bus = SimulatedBus(chip, clock)          # the `Bus` protocol of ordertray_firmware.readers, ready for a driver
    clock = Clock(); clock.advance_us(1000)  # time moved by hand, for tests
"""

from .bus import SimulatedBus
from .chip import Chip, Dice
from .mfrc522 import Mfrc522Chip
from .pn532 import Pn532Chip
from .rf import Pad
from .tags import TAG_KINDS, Classic, Ntag, Phone, Tag, make_tag
from .timeline import Clock, Timeline

__all__ = (
    "CHIPS",
    "TAG_KINDS",
    "Chip",
    "Classic",
    "Clock",
    "Dice",
    "Mfrc522Chip",
    "Ntag",
    "Pad",
    "Phone",
    "Pn532Chip",
    "SimulatedBus",
    "Tag",
    "Timeline",
    "make_chip",
    "make_tag",
)

CHIPS = {"pn532": Pn532Chip, "mfrc522": Mfrc522Chip}


def make_chip(name: str, pad: Pad, clock: "Clock") -> Chip:
    """A chip by name ("pn532", "mfrc522"); ValueError for any other."""
    if name == "pn532":
        return Pn532Chip(pad, clock)
    if name == "mfrc522":
        return Mfrc522Chip(pad, clock)
    raise ValueError("unknown chip: " + repr(name))
