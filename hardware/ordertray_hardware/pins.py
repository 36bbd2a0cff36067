"""One truth for pins: which net sits on which pin of the Pico and of the Raspberry Pi.

Schematics, wiring diagrams and the tables of the guide are made from here; the firmware's and the host's
defaults are compared with it by `tests/hardware/test_hardware_pins.py`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SIDES: Final = ("A", "B")
BUTTONS: Final = ("basic", "short", "long", "aro", "pass", "ok")
READER_LINES: Final = ("cs", "rst", "irq")

SPI: Final[Mapping[str, int]] = MappingProxyType({"sck": 18, "mosi": 19, "miso": 16})
READERS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "A": MappingProxyType({"cs": 17, "rst": 20, "irq": 21}),
        "B": MappingProxyType({"cs": 22, "rst": 26, "irq": 27}),
    }
)
BUTTON_GPIOS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "A": MappingProxyType({name: 2 + index for index, name in enumerate(BUTTONS)}),
        "B": MappingProxyType({name: 8 + index for index, name in enumerate(BUTTONS)}),
    }
)
PIXELS: Final[Mapping[str, int]] = MappingProxyType({"A": 14, "B": 15})
BUZZER: Final = 28
ON_BOARD_LED: Final = 25
LEFT_ALONE: Final = frozenset({0, 1})
"""GP0 and GP1 stay free: UART0, for whoever debugs with a serial adapter."""

PICO_PHYSICAL: Final[Mapping[int, int]] = MappingProxyType(
    {
        0: 1,
        1: 2,
        2: 4,
        3: 5,
        4: 6,
        5: 7,
        6: 9,
        7: 10,
        8: 11,
        9: 12,
        10: 14,
        11: 15,
        12: 16,
        13: 17,
        14: 19,
        15: 20,
        16: 21,
        17: 22,
        18: 24,
        19: 25,
        20: 26,
        21: 27,
        22: 29,
        26: 31,
        27: 32,
        28: 34,
    }
)
"""GPIO number to pin of the module's edge (Raspberry Pi Pico datasheet, chapter 2.1; the same on a Pico 2)."""
PICO_VBUS: Final = 40
PICO_3V3: Final = 36
PICO_3V3_EN: Final = 37
"""Pulled up on the module; the tray's switch pulls it down and with it everything off."""
PICO_GROUNDS: Final = (3, 8, 13, 18, 23, 28, 38)
PICO_LEFT_OPEN: Final[Mapping[int, str]] = MappingProxyType(
    {
        30: "RUN: the module pulls it up",
        33: "AGND: joined to GND on the module; joining it here too makes a loop",
        35: "ADC_VREF: fed on the module",
        39: "VSYS: fed from VBUS on the module",
    }
)


def pico_nets() -> dict[str, int]:
    """Net name to GPIO for every line of the tray that ends on the Pico."""
    nets = {f"SPI_{name.upper()}": gpio for name, gpio in SPI.items()}
    for side in SIDES:
        nets |= {f"{side}_{line.upper()}": READERS[side][line] for line in READER_LINES}
        nets |= {f"{side}_{name.upper()}": BUTTON_GPIOS[side][name] for name in BUTTONS}
        nets[f"{side}_PIXELS_3V3"] = PIXELS[side]
    nets["BUZZER"] = BUZZER
    return nets


# The Raspberry Pi's lamps ------------------------------------------------------------------------------------

PI_PHYSICAL: Final[Mapping[int, int]] = MappingProxyType(
    {
        2: 3,
        3: 5,
        4: 7,
        14: 8,
        15: 10,
        17: 11,
        18: 12,
        27: 13,
        22: 15,
        23: 16,
        24: 18,
        10: 19,
        9: 21,
        25: 22,
        11: 23,
        8: 24,
        7: 26,
        0: 27,
        1: 28,
        5: 29,
        6: 31,
        12: 32,
        13: 33,
        19: 35,
        16: 36,
        26: 37,
        20: 38,
        21: 40,
    }
)
"""BCM number to pin of the 40-pin header (the same on every Pi since the Model B+)."""
PI_5V: Final = (2, 4)
PI_3V3: Final = (1, 17)
PI_GROUNDS: Final = (6, 9, 14, 20, 25, 30, 34, 39)
PI_RESERVED: Final[Mapping[int, str]] = MappingProxyType(
    {
        0: "HAT identification EEPROM",
        1: "HAT identification EEPROM",
        2: "I2C, pulled up on the Pi",
        3: "I2C, pulled up on the Pi",
        14: "serial console",
        15: "serial console",
    }
)

PI_LAMPS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "A.aro": 18,
        "A.retreat": 23,
        "A.loss_of_lieutenant": 24,
        "A.active": 25,
        "B.aro": 12,
        "B.retreat": 16,
        "B.loss_of_lieutenant": 20,
        "B.active": 21,
        "link": 26,
    }
)
"""Single lamps: name in the host's configuration to BCM number; a high level lights them."""
PI_CHAIN: Final[Mapping[str, int]] = MappingProxyType({"data": 13, "clock": 19, "latch": 6, "output_enable": 5})
"""Lines of the 74HC595 chain to BCM number; output enable is on when low."""
PI_MOVED: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "A.aro": (18, 17),
        "B.loss_of_lieutenant": (20, 27),
        "B.active": (21, 22),
        "chain.clock": (19, 4),
    }
)
"""What the second map (`[lamps] map = "sound"`) moves: from the first map's pin to its own; a jumper each."""
BARS: Final[Mapping[str, int]] = MappingProxyType(
    {
        f"{side}.{name}": length
        for side in SIDES
        for name, length in (("group1", 10), ("group2", 10), ("irregular", 8), ("lieutenant", 2), ("tactical", 2))
    }
)
"""Bars of lamps on the chain in its order, with their lengths; the first output of the first chip comes first."""
OUTPUTS_PER_CHIP: Final = 8


def chain_lamps() -> list[str]:
    """Name of the lamp on each output of the chain, in the order of the chain: "A.group1.1", "A.group1.2", ..."""
    return [f"{bar}.{lamp}" for bar, length in BARS.items() for lamp in range(1, length + 1)]


def lamp_net(name: str) -> str:
    """Net of a single lamp or of a chain line: "A.aro" is A_ARO."""
    return name.replace(".", "_").upper()
