"""What a tray is made of: every item with a part number any distributor understands, alternatives and a price.

Prices are the author's estimates for single pieces, in euros with tax, without shipping; they are no quotes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

PRICES_OF: Final = "2026-11"


@dataclass(frozen=True, slots=True)
class Item:
    """Something to buy: generic description, number to search for, alternatives, price of one piece in euros."""

    description: str
    number: str
    alternatives: str
    price_eur: float


CATALOGUE: Final[Mapping[str, Item]] = MappingProxyType(
    {
        # Modules.
        "pico": Item(
            "Microcontroller module with pin headers",
            "Raspberry Pi Pico H",
            "Pico 2; Pico with 2 loose 1x20 headers",
            5.50,
        ),
        "socket-20": Item("Female header 1x20, 2.54 mm, 8.5 mm high", "1x20 female header 2.54", "cut from 1x40", 0.60),
        "reader": Item(
            "NFC reader module, SPI, with antenna",
            "PN532 module with RSTPDN on its header",
            "red PN532 V3 (see the guide about its reset); RC522 module",
            8.00,
        ),
        "strip-16": Item(
            "WS2812B strip, 144 a metre, 12 mm, bare, 16 pixels (111 mm)",
            "WS2812B 144/m IP30",
            "SK6812 RGB 144/m",
            2.80,
        ),
        # Carrier board.
        "pcb-tray": Item("Carrier board, 100 x 75 mm, 2 layers, 1.6 mm", "fab/tray.zip", "no-board variant", 3.00),
        "74ahct125": Item("Quad buffer with TTL inputs, DIP-14", "SN74AHCT125N", "74HCT125, DIP-14", 0.70),
        "p-mosfet": Item("P-channel MOSFET, 0.1 Ohm at 4.5 V gate, TO-220", "NDP6020P", "SUP53P06-20", 1.60),
        "npn": Item("NPN transistor, TO-92, E-B-C", "2N3904", "BC337 turned round (C-B-E)", 0.10),
        "tvs": Item("Transient suppressor, 5.8 V, unidirectional, DO-15", "P6KE6V8A", "1.5KE6V8A bends to fit", 0.40),
        "ptc-2a": Item("Resettable fuse, hold 2 A, 5.1 mm pitch", "MF-RHT200", "RHEF200; MF-R185", 0.70),
        "ptc-0a5": Item("Resettable fuse, hold 0.5 A, 5.1 mm pitch", "MF-RHT050", "MF-R050; RXEF050", 0.50),
        "barrel-jack": Item("DC jack 5.5 x 2.1 mm, board mount", "DC-005 2.1", "PJ-102A", 0.60),
        "jumper-3": Item("Pin header 1x3 with one 2 A shunt", "1x3 header and 2.54 shunt", "cut from 1x40", 0.20),
        "screw-terminal-3": Item("Screw terminal 3-way, 5.08 mm", "MKDS 1,5/3-5,08", "any 3-way 5.08 mm", 0.80),
        "capacitor-1000u": Item(
            "Electrolytic 1000 uF, 6.3 V, 8 x 11.5 mm", "1000u 6V3 105C", "470 uF 10 V, 8 x 11.5 mm", 0.35
        ),
        "capacitor-100u": Item(
            "Electrolytic 100 uF, 10 V, 5 x 11 mm", "100u 10V", "47 uF to 220 uF of the same size", 0.10
        ),
        "capacitor-100n": Item("Ceramic 100 nF, 5 mm pitch", "100n X7R 50V", "any 100 nF, 5 mm", 0.08),
        "piezo": Item(
            "Piezo sounder without electronics, 12 mm, 5 mm pitch", "PS1240P02BT", "any passive 12 mm piezo", 0.70
        ),
        "resistor-33": Item("Resistor 33 Ohm, 1/4 W", "33R 0207", "22 to 47 Ohm", 0.05),
        "resistor-330": Item("Resistor 330 Ohm, 1/4 W", "330R 0207", "220 to 470 Ohm", 0.05),
        "resistor-470": Item("Resistor 470 Ohm, 1/4 W", "470R 0207", "330 to 680 Ohm", 0.05),
        "resistor-1k": Item("Resistor 1 kOhm, 1/4 W", "1k 0207", "", 0.05),
        "resistor-10k": Item("Resistor 10 kOhm, 1/4 W", "10k 0207", "4.7 to 22 kOhm", 0.05),
        "resistor-network-6x10k": Item(
            "Resistor network 6 x 10 kOhm, common pin, SIP-7", "4607X-101-103", "7 pins, star, 10k", 0.30
        ),
        "led-green-3mm": Item("LED 3 mm green, clear type of 2 mA", "LED 3mm green", "any 3 mm", 0.08),
        "pin-header-8-angled": Item("Pin header 1x8, right angle", "1x8 angled 2.54", "cut from 1x40", 0.20),
        "pin-header-7-angled": Item("Pin header 1x7, right angle", "1x7 angled 2.54", "cut from 1x40", 0.20),
        "pin-header-3-straight": Item("Pin header 1x3, straight", "1x3 2.54", "cut from 1x40", 0.10),
        # Button boards.
        "pcb-buttons": Item("Button board, 106 x 20 mm, 2 layers, 1.6 mm", "fab/buttons.zip", "strip board", 1.50),
        "key-6mm": Item("Key 6 x 6 mm, 5.0 mm high, 4 pins", "TS-1102 6x6x5", "any 6 x 6 x 5 mm, 1.6 N", 0.10),
        # What no circuit shows.
        "jumper-wires": Item("Jumper wires female-female 20 cm, 40 of them", "Dupont F-F 20cm", "", 3.00),
        "strip-wire": Item("Stranded wire 0.25 mm2, three colours, 1 m each", "LiYv 0.25", "", 1.50),
        "supply-5v": Item(
            "Power supply 5 V, 2 A or more, 5.5 x 2.1 mm, centre positive", "5V 3A 2.1mm", "none: strips from USB", 9.00
        ),
        "usb-cable": Item("USB data cable for the Pico (micro-B)", "USB A to micro-B, data", "", 3.00),
        "screw-m3x6": Item("Self-tapping or machine screw M3 x 6, pan head", "M3x6", "", 0.04),
        "screw-m3x12": Item("Countersunk screw M3 x 12", "M3x12 CSK", "M3 x 10", 0.05),
        "foam-tape": Item("Foam tape 2 mm thick, 12 mm wide, 20 cm", "foam tape 2mm", "", 0.50),
        "feet": Item("Rubber foot, self-adhesive, 10 mm", "bumper 10mm", "", 0.10),
        "disc": Item("Token blank 25 x 3 mm, wood or acrylic", "round disc 25x3", "game counters", 0.15),
        "tag": Item("NFC sticker NTAG213, 25 mm or less, not for metal", "NTAG213 25mm", "NTAG215", 0.25),
        "filament": Item("PLA or PETG, gram", "PETG 1.75", "", 0.025),
        # Pi lamp board.
        "pcb-lamps": Item("Lamp board, 124 x 108 mm, 2 layers, 1.6 mm", "fab/lamps.zip", "", 4.00),
        "74hc595": Item("8-bit shift register, DIP-16", "SN74HC595N", "74HC595, any maker", 0.45),
        "resistor-network-8x680": Item(
            "Resistor network 8 x 680 Ohm, common pin, SIP-9", "4609X-101-681", "470 to 1000 Ohm", 0.35
        ),
        "resistor-network-4x470": Item(
            "Resistor network 4 x 470 Ohm, common pin, SIP-5", "4605X-101-471", "330 to 680 Ohm", 0.25
        ),
        "led-yellow-3mm": Item("LED 3 mm yellow", "LED 3mm yellow", "any 3 mm", 0.08),
        "led-red-3mm": Item("LED 3 mm red", "LED 3mm red", "any 3 mm", 0.08),
        "led-green-5mm": Item("LED 5 mm green", "LED 5mm green", "any 5 mm", 0.10),
        "led-yellow-5mm": Item("LED 5 mm yellow", "LED 5mm yellow", "any 5 mm", 0.10),
        "led-red-5mm": Item("LED 5 mm red", "LED 5mm red", "any 5 mm", 0.10),
        "idc-header-40": Item("Box header 2x20, straight", "2x20 IDC box header", "2x20 pin header", 0.60),
        "ribbon-40": Item("Ribbon cable 40-way with two sockets, 20 cm", "GPIO ribbon 40", "", 2.50),
        "ldo-3v3": Item("Regulator 3.3 V, 800 mA, TO-220, GND-OUT-IN", "LM1117T-3.3", "LD1117V33", 0.80),
        "capacitor-10u": Item("Electrolytic 10 uF, 16 V, 5 x 11 mm", "10u 16V", "10 to 47 uF", 0.08),
        "socket-dip-14": Item("DIP-14 socket", "DIP-14 socket", "none", 0.20),
        "socket-dip-16": Item("DIP-16 socket", "DIP-16 socket", "none", 0.20),
    }
)

BESIDE_THE_CIRCUIT: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "tray": MappingProxyType(
            {
                "pcb-tray": 1,
                "pcb-buttons": 2,
                "socket-20": 2,
                "socket-dip-14": 1,
                "reader": 2,
                "strip-16": 4,
                "jumper-wires": 1,
                "strip-wire": 1,
                "supply-5v": 1,
                "usb-cable": 1,
                "screw-m3x6": 26,
                "screw-m3x12": 6,
                "foam-tape": 1,
                "feet": 4,
                "disc": 30,
                "tag": 30,
                "filament": 420,
            }
        ),
        "lamps": MappingProxyType({"pcb-lamps": 1, "socket-dip-16": 8, "ribbon-40": 1}),
    }
)
"""What a set needs beside the parts of its circuits: quantities by item."""
