"""The lamps on a Raspberry Pi's header: which there are, and the pin of each by default.

One table, read by the configuration, the README and the wiring diagram in `hardware/` (a test compares them). Numbers
are BCM numbers (GPIO18), not places on the header; `HEADER` translates. Pure data.

Why these pins. A Pi's GPIO0 to GPIO8 are pulled up and GPIO9 to GPIO27 pulled down until a program sets them (BCM2835
ARM Peripherals, section 6.2, "Pull" of table 6-31). A lamp is lit by a high level, so lamps sit on pulled-down pins and
stay dark while the Pi boots; the output enable of the shift registers is lit by a low level, so it sits on a pulled-up
pin and keeps the bars dark too. Each side's lamps and the chain are neighbours on the header with a ground beside them.
I2C, SPI, the serial console and the identification EEPROM keep their pins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ordertray.messages import N_


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp of its own on one pin: `name` as in the configuration, `bcm` its pin by default, `title` in full."""

    name: str
    bcm: int
    title: str


@dataclass(frozen=True, slots=True)
class ChainLine:
    """A control line of the shift register chain; `chip_pin` is the 74HC595's own name for it."""

    name: str
    bcm: int
    chip_pin: str
    title: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of lamps on the chain: one output a lamp."""

    name: str
    length: int
    title: str


@dataclass(frozen=True, slots=True)
class ChainOutput:
    """One output of the chain: register 0 is the one next to the Pi, `output` is "QA" to "QH"."""

    number: int
    register: int
    output: str
    bar: str
    lamp: int


LAMPS: Final = (
    Lamp("A.aro", 18, N_("Side A: ARO window open")),
    Lamp("A.retreat", 23, N_("Side A: Retreat!")),
    Lamp("A.loss_of_lieutenant", 24, N_("Side A: Loss of Lieutenant")),
    Lamp("A.active", 25, N_("Side A: its turn")),
    Lamp("B.aro", 12, N_("Side B: ARO window open")),
    Lamp("B.retreat", 16, N_("Side B: Retreat!")),
    Lamp("B.loss_of_lieutenant", 20, N_("Side B: Loss of Lieutenant")),
    Lamp("B.active", 21, N_("Side B: its turn")),
    Lamp("link", 26, N_("Link to the tray")),
)

CHAIN_LINES: Final = (
    ChainLine("data", 13, "SER", N_("Shift registers: data")),
    ChainLine("clock", 19, "SRCLK", N_("Shift registers: clock")),
    ChainLine("latch", 6, "RCLK", N_("Shift registers: latch")),
    ChainLine("output_enable", 5, "/OE", N_("Shift registers: output enable (low = on)")),
)
SOUND_CARD: Final = (18, 19, 20, 21)
"""I2S, which a sound card on the header takes."""
DEFAULT_MAP: Final = "default"
MAPS: Final = {
    DEFAULT_MAP: {lamp.name: lamp.bcm for lamp in LAMPS} | {f"chain.{line.name}": line.bcm for line in CHAIN_LINES},
    # Leaves GPIO18 to 21 to a sound card on I2S. The rule is the same: lamps on pulled-down pins, /OE on a pulled-up.
    # Four lines move, no more: the lamp board has a jumper for each.
    "sound": {
        "A.aro": 17, "A.retreat": 23, "A.loss_of_lieutenant": 24, "A.active": 25,
        "B.aro": 12, "B.retreat": 16, "B.loss_of_lieutenant": 27, "B.active": 22,
        "link": 26,
        "chain.data": 13, "chain.clock": 4, "chain.latch": 6, "chain.output_enable": 5,
    },
}  # fmt: skip
"""Name of a map -> pin of every lamp and line: what `[lamps] map` chooses where no pins are named."""

CHAIN_LINES_NEEDED: Final = ("data", "clock", "latch")

BARS: Final = (
    Bar("A.group1", 10, N_("Side A: pool of combat group 1")),
    Bar("A.group2", 10, N_("Side A: pool of combat group 2 and further ones")),
    Bar("A.irregular", 8, N_("Side A: Irregular orders")),
    Bar("A.lieutenant", 2, N_("Side A: Lieutenant orders")),
    Bar("A.tactical", 2, N_("Side A: Tactical orders")),
    Bar("B.group1", 10, N_("Side B: pool of combat group 1")),
    Bar("B.group2", 10, N_("Side B: pool of combat group 2 and further ones")),
    Bar("B.irregular", 8, N_("Side B: Irregular orders")),
    Bar("B.lieutenant", 2, N_("Side B: Lieutenant orders")),
    Bar("B.tactical", 2, N_("Side B: Tactical orders")),
)

HEADER: Final = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10, 16: 36,
    17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""BCM number -> place on the 40-pin header, for every pin that reaches it as general input/output."""

SERIAL_CONSOLE: Final = (14, 15)
IDENTIFICATION_EEPROM: Final = (0, 1)

OUTPUTS_PER_REGISTER: Final = 8


def chain_outputs(bars: tuple[Bar, ...] = BARS) -> tuple[ChainOutput, ...]:
    """Every output of the chain in its order; the bars lie one behind the other, output 0 next to the Pi."""
    places = [(bar.name, lamp) for bar in bars for lamp in range(bar.length)]
    return tuple(
        ChainOutput(
            number,
            number // OUTPUTS_PER_REGISTER,
            f"Q{'ABCDEFGH'[number % OUTPUTS_PER_REGISTER]}",
            name,
            lamp,
        )
        for number, (name, lamp) in enumerate(places)
    )


def registers_needed(bars: tuple[Bar, ...] = BARS) -> int:
    """How many 74HC595 the bars take."""
    return -(-sum(bar.length for bar in bars) // OUTPUTS_PER_REGISTER)


def pin_table(name: str = DEFAULT_MAP) -> str:
    """The pins of a map as a Markdown table, in the order of the header; the README contains it (a test compares)."""
    bcm_of = MAPS[name]
    rows = [(bcm_of[lamp.name], f"`{lamp.name}`", lamp.title, "") for lamp in LAMPS]
    for line in CHAIN_LINES:
        rows.append((bcm_of[f"chain.{line.name}"], f"`chain.{line.name}`", line.title, f"74HC595 {line.chip_pin}"))
    lines = ["| header pin | BCM | name | lamp or line | goes to |", "|---:|---:|---|---|---|"]
    for bcm, name, title, goes_to in sorted(rows, key=lambda row: HEADER[row[0]]):
        lines.append(f"| {HEADER[bcm]} | GPIO{bcm} | {name} | {title} | {goes_to or 'lamp driver'} |")
    return "\n".join(lines) + "\n"
