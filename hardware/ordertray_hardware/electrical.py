"""Electrical arithmetic on the tables: current per rail, logic levels, resistors. Pure.

Figures are the worst cases of the data sheets named beside them; where makers differ, the hungrier one counts.
"""

import re
from dataclasses import dataclass
from typing import Final

from ordertray_hardware import pins
from ordertray_hardware.circuit import Board
from ordertray_hardware.lamp_board import BAR_VALUE, SINGLE_VALUE

PIXELS: Final = 64
PIXEL_FULL_MA: Final = 60.0
"""WS2812B: three channels of 20 mA."""
PIXEL_IDLE_MA: Final = 1.0

USB_MA: Final = 500.0
"""USB 2.0: what a host must give a configured device."""
PICO_MA: Final = 95.0
"""RP2040 busy with flash and USB, from VBUS (Pico datasheet, chapter on power: 93 mA at the most)."""
PICO_3V3_OUT_MA: Final = 300.0
"""What the Pico datasheet allows to take from 3V3(OUT)."""
PICO_PIN_TOTAL_MA: Final = 50.0
"""RP2040 datasheet: all GPIOs together."""
READER_ACTIVE_MA: Final = 150.0
"""PN532 with its field on, data sheet limit; an MFRC522 takes 100 mA."""
READER_IDLE_MA: Final = 25.0
"""A PN532 waiting with its field off."""
REGULATOR_EFFICIENCY: Final = 0.85
"""The Pico's buck-boost converter between 100 and 300 mA."""
READER_ACTIVE_MA_AT_5V: Final = READER_ACTIVE_MA * 3.3 / 5.0 / REGULATOR_EFFICIENCY
READER_IDLE_MA_AT_5V: Final = READER_IDLE_MA * 3.3 / 5.0 / REGULATOR_EFFICIENCY
USB_SHORT_MA: Final = 1200.0
"""What the port's switch of a Pi 3 or 4 lets through (all its ports together); fuses of computers are slower still. A
host that counts by 500 mA does so over far longer than milliseconds."""
BUZZER_MA: Final = 8.0
"""A piezo with 1 kOhm across it, at 5 V."""

PTC_DERATING_40C: Final = 0.83
"""A resettable fuse in a warm case holds less than its name says (Bourns MF-R tables, 40 °C)."""
FUSE_HOLD_MA: Final = {"F1": 2000.0, "F2": 700.0}
JACK_MA: Final = 2500.0
"""2.1 mm barrel jacks are rated 2.5 A and more."""
JUMPER_MA: Final = 2000.0
"""2.54 mm shunts are rated 2 A and more."""
TERMINAL_MA: Final = 10000.0
SUPPLY_MA: Final = 2000.0
"""The 5 V supply in the bill of materials."""
STRIPS_LAMP_MA: Final = 3.0
"""D2, which shows that the strips have power."""
USB_STRIP_MA: Final = 250.0
"""The firmware's default `current_limit_ma` (a test compares): right for USB."""
JACK_LIMIT_MA: Final = 1500.0
"""Highest `current_limit_ma` that the guide allows with a supply at the jack."""

PI_GPIO_TOTAL_MA: Final = 50.0
"""BCM283x: all GPIOs together."""
PI_GPIO_MA: Final = 16.0
HC595_TOTAL_MA: Final = 70.0
"""74HC595: through the supply pin."""
HC595_OUTPUT_MA: Final = 6.0
LDO_MA: Final = 250.0
"""MCP1700."""
LED_FORWARD_V: Final = 1.8
"""The lowest of the red, yellow and green lamps in the bill of materials: most current."""


@dataclass(frozen=True, slots=True)
class Load:
    """Current against limit, both in mA."""

    what: str
    current_ma: float
    limit_ma: float

    @property
    def fits(self) -> bool:
        """Whether the current stays within the limit."""
        return self.current_ma <= self.limit_ma


def tray_loads(limit_ma: float, *, from_usb: bool) -> list[Load]:
    """Loads of the tray with the strips limited to `limit_ma`, fed from USB or from the jack."""
    rail_3v3 = READER_ACTIVE_MA + READER_IDLE_MA
    # Power through the converter: 3.3 V out, 5 V in.
    readers_at_5v = rail_3v3 * 3.3 / 5.0 / REGULATOR_EFFICIENCY
    own = PICO_MA + readers_at_5v + BUZZER_MA
    loads = [
        Load("+3V3 from the Pico: one reader transmitting, one waiting", rail_3v3, PICO_3V3_OUT_MA),
        Load("+3V3 for milliseconds: both antennas on together", 2 * READER_ACTIVE_MA, PICO_3V3_OUT_MA),
        Load("jumper JP1", limit_ma, JUMPER_MA),
        Load("terminal of one strip", limit_ma, TERMINAL_MA),
    ]
    if from_usb:
        loads.append(Load("USB: Pico, readers, buzzer, strips", own + limit_ma + STRIPS_LAMP_MA, USB_MA))
        both = own + READER_ACTIVE_MA_AT_5V - READER_IDLE_MA_AT_5V + limit_ma + STRIPS_LAMP_MA
        loads.append(Load("USB for milliseconds: both antennas on together", both, USB_SHORT_MA))
        loads.append(Load("F2, warm", BUZZER_MA + limit_ma + STRIPS_LAMP_MA, FUSE_HOLD_MA["F2"] * PTC_DERATING_40C))
    else:
        loads.append(Load("USB: Pico, readers, buzzer", own, USB_MA))
        loads.append(Load("F1, warm", limit_ma + STRIPS_LAMP_MA, FUSE_HOLD_MA["F1"] * PTC_DERATING_40C))
        loads.append(Load("jack J1", limit_ma, JACK_MA))
        loads.append(Load("5 V supply", limit_ma, SUPPLY_MA))
    return loads


def lamp_loads() -> list[Load]:
    """Loads of the lamp board with every lamp lit."""
    single = lamp_current_ma(ohms(SINGLE_VALUE))
    bar = lamp_current_ma(ohms(BAR_VALUE))
    lamps = len(pins.chain_lamps())
    return [
        Load("one GPIO of the Pi", single, PI_GPIO_MA),
        Load("all GPIOs of the Pi", single * len(pins.PI_LAMPS), PI_GPIO_TOTAL_MA),
        Load("one output of a 74HC595", bar, HC595_OUTPUT_MA),
        Load("one 74HC595", bar * pins.OUTPUTS_PER_CHIP, HC595_TOTAL_MA),
        Load("regulator U9", bar * lamps, LDO_MA),
    ]


def lamp_current_ma(resistor_ohms: float, supply_v: float = 3.3) -> float:
    """Current of a lamp behind a resistor."""
    return (supply_v - LED_FORWARD_V) / resistor_ohms * 1000


def ohms(value: str) -> float:
    """Resistance of a value as printed ("330", "10k"). Raises ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(k|M)?", value)
    if match is None:
        raise ValueError(f"not a resistance: {value!r}")
    return float(match[1]) * {None: 1.0, "k": 1e3, "M": 1e6}[match[2]]


@dataclass(frozen=True, slots=True)
class Level:
    """A driven line: what the driver gives at least and at most, what the receiver needs."""

    line: str
    high_v: float
    needed_high_v: float
    low_v: float
    allowed_low_v: float
    highest_v: float
    allowed_v: float

    @property
    def understood(self) -> bool:
        """Whether both levels are read right and nothing is over-driven."""
        read_right = self.high_v >= self.needed_high_v and self.low_v <= self.allowed_low_v
        return read_right and self.highest_v <= self.allowed_v


def levels() -> list[Level]:
    """Every border between two supplies or two makers' chips.

    Sources: RP2040 datasheet (2.62 V and 0.5 V at 4 mA), 74AHCT125 (TTL inputs; 4.5 V supply), WS2812B (0.7 and 0.3 of
    the supply), PN532 and MFRC522 (0.7 and 0.3 of 3.3 V), 74HC595 at 3.3 V, BCM283x (2.4 V, 0.4 V).
    """
    return [
        Level("Pico to 74AHCT125", 2.62, 2.0, 0.5, 0.8, 3.3, 5.5),
        Level("74AHCT125 to WS2812B at 5.25 V", 5.25 - 0.4, 0.7 * 5.25, 0.44, 0.3 * 5.25, 5.25, 5.25 + 0.5),
        Level("Pico to reader", 2.62, 0.7 * 3.3, 0.5, 0.3 * 3.3, 3.3, 3.6),
        Level("reader to Pico", 3.3 - 0.4, 2.0, 0.4, 0.8, 3.3, 3.6),
        # A red PN532 V3 holds RSTPDN by 10k and 20k from its supply (2.2 V at 3.3 V, by users' measurements); the Pico
        # drives it through R24 or R25. That 0.4 V below the supply counts as high is from memory of the data sheet.
        Level("Pico through 1 kOhm to RSTPDN", *_rstpdn(3.3), 3.3, 3.6),
        Level("Pi to 74HC595 at 3.3 V", 2.4, 0.7 * 3.3, 0.4, 0.3 * 3.3, 3.3, 3.8),
    ]


def _rstpdn(supply_v: float) -> tuple[float, float, float, float]:
    """High, needed high, low, allowed low of a reader's reset: a lightly loaded pin against the module's divider."""
    divider_v, divider_ohms, series_ohms = supply_v * 20 / 30, 20e3 / 3, 1e3
    share = series_ohms / (series_ohms + divider_ohms)
    pin_high_v, pin_low_v = 3.3 - 0.05, 0.05
    high_v = pin_high_v + (divider_v - pin_high_v) * share
    low_v = pin_low_v + (divider_v - pin_low_v) * share
    return round(high_v, 3), 3.3 - 0.4, round(low_v, 3), 0.4


def shared_gpios() -> list[str]:
    """Pins used twice, on the Pico and on the Pi; an empty list is what we want."""
    found = []
    for what, used in (
        ("GP", list(pins.pico_nets().values())),
        ("GPIO", [*pins.PI_LAMPS.values(), *pins.PI_CHAIN.values()]),
    ):
        found += [f"{what}{pin}" for pin in sorted({pin for pin in used if used.count(pin) > 1})]
    return found


def pulled_to(board: Board, net: str) -> set[str]:
    """Nets to which `net` is tied by a resistor (single ones and networks with a common pin)."""
    found: set[str] = set()
    for part in board.parts:
        if part.symbol == "Device:R" and net in part.nets.values():
            found |= set(part.nets.values()) - {net}
        if part.symbol.startswith("Device:R_Network") and net in part.nets.values():
            found.add(part.nets["1"])
    return found


def track_limit_ma(width_mm: float, rise_k: float = 20.0, copper_um: float = 35.0) -> float:
    """Current that an outer track carries while it warms by `rise_k` (IPC-2221, chapter 6.2)."""
    area_square_mils = (width_mm / 0.0254) * (copper_um / 25.4)
    return float(0.048 * rise_k**0.44 * area_square_mils**0.725 * 1000)
