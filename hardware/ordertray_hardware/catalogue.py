"""What a tray is made of: maker and part number where a part has them, alternatives, price, smallest real order.

Honesty about sources: no distributor was asked. Part numbers and order numbers were looked up in what others publish
(bills of materials, schematics and libraries in public repositories); `seen` says how often. What was not found there
has no order number here, and the bill says so. Prices are the author's estimates in euros with tax, without shipping.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

PRICES_OF: Final = "2026-12"
NUMBERS_OF: Final = "2026-12-01"
"""When part numbers and order numbers were looked up in public bills of materials."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to buy.

    `maker` is "" where any maker's will do; `number` then is what to search for. `pack` is the smallest order that
    shops really take, in pieces, and `price_eur` is that of one piece when so many are bought. `orders` are the numbers
    by which distributors sell it, as public bills name them. `seen` says where the part number itself was found:
    "several" or "one" public bill or library, "" for none (then it is from memory).
    """

    description: str
    number: str
    alternatives: str
    price_eur: float
    maker: str = ""
    pack: int = 1
    seen: str = ""
    orders: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_part(self) -> bool:
        """Whether a distributor of parts sells it under its maker's number."""
        return bool(self.maker) and self.maker not in ("any board house", "Elechouse and its copies", "NXP")


def _orders(mouser: str = "", digikey: str = "", tme: str = "") -> Mapping[str, str]:
    numbers = {"Mouser": mouser, "Digi-Key": digikey, "TME": tme}
    return MappingProxyType({name: number for name, number in numbers.items() if number})


def _resistor(value: str, code: str, alternatives: str = "", digikey: str = "") -> Item:
    """A metal film resistor of 1 %, sold in tens. Mouser numbers all of the maker's parts alike."""
    number = f"MFR-25FBF52-{code}"
    orders = {"Mouser": f"603-{number}"} if code in _RESISTORS_AT_MOUSER else {}
    orders |= {"Digi-Key": digikey} if digikey else {}
    seen = "" if code in _RESISTORS_NOT_SEEN else "several"
    return Item(
        f"Resistor {value}, 1 %, 1/4 W, 0207", number, alternatives, 0.05, "Yageo", 10, seen, MappingProxyType(orders)
    )


_RESISTORS_AT_MOUSER: Final = frozenset({"33R", "100R", "330R", "470R", "1K", "2K2", "4K7", "10K", "22K", "220K"})
"""Of these the order number itself stands in a public bill."""
_RESISTORS_NOT_SEEN: Final = frozenset({"2M2"})


CATALOGUE: Final[Mapping[str, Item]] = MappingProxyType(
    {
        # Modules.
        "pico": Item(
            "Microcontroller module with pin headers",
            "Pico H (SC0917)",
            "Pico 2 with headers; Pico with 2 loose 1x20 headers",
            5.50,
            "Raspberry Pi",
            seen="several",
            orders=_orders(mouser="358-SC0917", digikey="2648-SC0917-ND"),
        ),
        "socket-20": Item(
            "Female header 1x20, 2.54 mm, 8.5 mm high",
            "PPTC201LFBN-RC",
            "any 1x20, 8.5 mm high; cut from 1x40",
            0.90,
            "Sullins",
            seen="several",
            orders=_orders(digikey="S7018-ND"),
        ),
        "reader": Item(
            "NFC reader module, SPI, red, 43 x 40 mm",
            "PN532 NFC RFID module V3",
            "RC522 module (blue, 60 x 39 mm)",
            8.00,
            "Elechouse and its copies",
        ),
        "strip-16": Item(
            "WS2812B strip, 144 a metre, 12 mm, bare, 16 pixels (111 mm)",
            "WS2812B 144/m IP30",
            "SK6812 RGB 144/m",
            2.80,
            "",
            9,
        ),
        # Carrier board.
        "pcb-tray": Item(
            "Carrier board, 100 x 85 mm, 2 layers, 1.6 mm",
            "fab/tray.zip",
            "no-board variant",
            1.60,
            "any board house",
            5,
        ),
        "74ahct125": Item(
            "Quad buffer with TTL inputs, DIP-14",
            "SN74AHCT125N",
            "74HCT125, DIP-14",
            0.70,
            "Texas Instruments",
            seen="several",
            orders=_orders(mouser="595-SN74AHCT125N", digikey="296-4655-5-ND"),
        ),
        "p-mosfet": Item(
            "P-channel MOSFET 60 V, gate 20 V, 25 mOhm at 4.5 V, TO-220",
            "SUP53P06-20-E3",
            "any P-channel TO-220 of 40 V or more, gate 20 V, below 60 mOhm at 4.5 V",
            2.60,
            "Vishay",
            seen="several",
            orders=_orders(tme="SUP53P06-20-E3"),
        ),
        "npn": Item(
            "NPN transistor, TO-92, E-B-C",
            "2N3904BU",
            "BC337 turned round (C-B-E)",
            0.12,
            "onsemi",
            seen="several",
            orders=_orders(mouser="512-2N3904BU", digikey="2N3904FS-ND"),
        ),
        "pnp": Item(
            "PNP transistor, TO-92, E-B-C",
            "2N3906BU",
            "BC327 turned round (C-B-E)",
            0.12,
            "onsemi",
            seen="several",
            orders=_orders(mouser="512-2N3906BU", digikey="2N3906FS-ND"),
        ),
        "tl431": Item(
            "Adjustable reference 2.495 V, 1 % or better, TO-92, REF-A-K",
            "TL431ACLPG",
            "TL431BCLPG (0.4 %)",
            0.40,
            "onsemi",
            seen="several",
        ),
        "tvs": Item(
            "Transient suppressor 24 V, unidirectional, DO-15",
            "P6KE24A",
            "1.5KE24A bends to fit",
            0.40,
            "Littelfuse",
            seen="several",
        ),
        "zener-6v8": Item(
            "Zener diode 6.8 V, 0.5 W, DO-35", "BZX79-C6V8", "BZX55C6V8", 0.06, "Nexperia", 10, seen="several"
        ),
        "diode-1n4148": Item(
            "Diode 100 V, DO-35",
            "1N4148",
            "1N914",
            0.04,
            "onsemi",
            10,
            seen="several",
            orders=_orders(mouser="512-1N4148", digikey="1N4148FS-ND"),
        ),
        "ptc-2a": Item(
            "Resettable fuse, hold 2 A, 30 V, 5.1 mm pitch",
            "MF-RHT200/32-0",
            "RHEF200; MF-R185",
            0.70,
            "Bourns",
            seen="several",
            orders=_orders(mouser="652-MF-RHT200/32-2", digikey="118-MF-RHT200/32-0-ND"),
        ),
        "ptc-0a7": Item(
            "Resettable fuse, hold 0.7 A, 30 V, 5.1 mm pitch",
            "MF-RHT070",
            "RHEF070; MF-R075",
            0.50,
            "Bourns",
            seen="several",
        ),
        "barrel-jack": Item(
            "DC jack 5.5 x 2.1 mm, board mount",
            "PJ-102A",
            "DC-005 2.1",
            0.80,
            "Same Sky (CUI)",
            seen="several",
            orders=_orders(mouser="490-PJ-102A", digikey="CP-102A-ND"),
        ),
        "jumper-3": Item(
            "Pin header 1x3 with one 2 A shunt", "1x3 header and 2.54 shunt", "cut from 1x40", 0.20, "", 5
        ),
        "slide-switch": Item(
            "Slide switch, right angle, 2 mm pitch",
            "OS102011MA1QN1",
            "SS-12D00 on wires",
            0.90,
            "C&K",
            seen="several",
            orders=_orders(mouser="611-OS102011MA1QN1", digikey="CKN9559-ND"),
        ),
        "screw-terminal-3": Item(
            "Screw terminal 3-way, 5.08 mm",
            "MKDS 1,5/3-5,08 (1715734)",
            "any 3-way 5.08 mm",
            1.10,
            "Phoenix Contact",
            seen="several",
            orders=_orders(mouser="651-1715734", digikey="277-1264-ND"),
        ),
        "ribbon-header-10": Item(
            "Box header 2x5 with key, right angle, 2.54 mm",
            "SBH11-PBPC-D05-RA-BK",
            "any DC3-10P, right angle",
            0.45,
            "Sullins",
            5,
            seen="several",
        ),
        "capacitor-1000u": Item(
            "Electrolytic 1000 uF, 6.3 V, 8 x 11.5 mm",
            "EEU-FR0J102",
            "470 uF 10 V, 8 x 11.5 mm",
            0.35,
            "Panasonic",
            seen="several",
            orders=_orders(mouser="667-EEU-FR0J102"),
        ),
        "capacitor-100u": Item(
            "Electrolytic 100 uF, 10 V, 5 x 11 mm",
            "EEU-FR1A101",
            "47 uF to 220 uF of the same size",
            0.15,
            "Panasonic",
            seen="several",
        ),
        "capacitor-100n": Item(
            "Ceramic 100 nF, 50 V, X7R, 5 mm pitch",
            "K104K15X7RF53H5",
            "any 100 nF, 5 mm",
            0.08,
            "Vishay",
            10,
            seen="several",
            orders=_orders(mouser="594-K104K15X7RF53H5"),
        ),
        "capacitor-1u": Item(
            "Ceramic 1 uF, 50 V, X7R, 5 mm pitch",
            "RDER71H105K2M1H03A",
            "any 1 uF X7R, 5 mm, 25 V or more",
            0.25,
            "Murata",
            seen="several",
            orders=_orders(digikey="490-9146-1-ND"),
        ),
        "piezo": Item(
            "Piezo sounder without electronics, 12 mm, 5 mm pitch",
            "PS1240P02BT",
            "any passive 12 mm piezo",
            0.70,
            "TDK",
            seen="several",
            orders=_orders(mouser="810-PS1240P02BT", digikey="445-2525-1-ND"),
        ),
        "resistor-33": _resistor("33 Ohm", "33R", "22 to 47 Ohm"),
        "resistor-100": _resistor("100 Ohm", "100R", "82 to 150 Ohm", digikey="100XBK-ND"),
        "resistor-330": _resistor("330 Ohm", "330R", "220 to 470 Ohm"),
        "resistor-470": _resistor("470 Ohm", "470R", "330 to 680 Ohm", digikey="MFR-25FBF52-470R-ND"),
        "resistor-680": _resistor("680 Ohm", "680R"),
        "resistor-1k": _resistor("1 kOhm", "1K", digikey="1.00KXBK-ND"),
        "resistor-1.2k": _resistor("1.2 kOhm", "1K2"),
        "resistor-1.5k": _resistor("1.5 kOhm", "1K5", "1.2 to 2.2 kOhm", digikey="1.50KXBK-ND"),
        "resistor-2.2k": _resistor("2.2 kOhm", "2K2"),
        "resistor-4.7k": _resistor("4.7 kOhm", "4K7"),
        "resistor-10k": _resistor("10 kOhm", "10K", digikey="10.0KXBK-ND"),
        "resistor-12k": _resistor("12 kOhm", "12K", digikey="MFR-25FBF52-12K-ND"),
        "resistor-22k": _resistor("22 kOhm", "22K", "10 to 33 kOhm", digikey="MFR-25FBF52-22K-ND"),
        "resistor-220k": _resistor("220 kOhm", "220K"),
        "resistor-2.2m": _resistor("2.2 MOhm", "2M2"),
        "resistor-network-6x10k": Item(
            "Resistor network 6 x 10 kOhm, common pin, SIP-7",
            "4607X-101-103LF",
            "7 pins, star, 10k",
            0.30,
            "Bourns",
            seen="several",
            orders=_orders(digikey="4607X-101-103LF-ND"),
        ),
        "led-green-3mm": Item("LED 3 mm green, clear type of 2 mA", "LED 3mm green 2mA", "any 3 mm", 0.08, "", 10),
        "led-red-3mm": Item("LED 3 mm red", "LED 3mm red", "any 3 mm", 0.08, "", 10),
        "pin-header-3-straight": Item("Pin header 1x3, straight", "1x3 2.54", "cut from 1x40", 0.10, "", 5),
        # Button boards.
        "pcb-buttons": Item(
            "Button board, 100 x 26 mm, 2 layers, 1.6 mm", "fab/buttons.zip", "strip board", 1.20, "any board house", 5
        ),
        "key-6mm": Item(
            "Key 6 x 6 mm, 5.0 mm high, 4 pins",
            "B3F-1022",
            "any 6 x 6 x 5 mm, 1.6 N",
            0.30,
            "Omron",
            10,
            seen="several",
        ),
        # What no circuit shows.
        "ribbon-10": Item(
            "Ribbon cable 10-way 30 cm with two 2x5 sockets",
            "IDC ribbon 2x5 30cm",
            "10-way ribbon and two 2x5 sockets, pressed in a vice",
            1.20,
        ),
        "header-8-angled": Item(
            "Pin header 1x8, right angle, for a reader",
            "1x8 angled 2.54",
            "solder the wires to the module",
            0.20,
            "",
            5,
        ),
        "strip-wire": Item("Stranded wire 0.25 mm2, three colours, 1 m each", "LiYv 0.25", "", 1.50),
        "supply-5v": Item(
            "Power supply 5 V, 2 A or more, 5.5 x 2.1 mm, centre positive",
            "GST18E05-P1J",
            "none: strips from USB",
            11.00,
            "Mean Well",
            seen="one",
        ),
        "usb-cable": Item("USB data cable for the Pico (micro-B)", "USB A to micro-B, data", "", 3.00),
        "screw-m3x6": Item("Self-tapping or machine screw M3 x 6, pan head", "M3x6", "", 0.04, "", 50),
        "screw-m3x12": Item("Countersunk screw M3 x 12", "M3x12 CSK", "M3 x 10", 0.05, "", 20),
        "foam-tape": Item("Foam tape 2 mm thick, 12 mm wide, 20 cm", "foam tape 2mm", "", 0.50, "", 5),
        "cable-tie": Item("Cable tie 2.5 x 100 mm", "cable tie 2.5x100", "", 0.03, "", 100),
        "feet": Item("Rubber foot, self-adhesive, 10 mm", "bumper 10mm", "", 0.10, "", 8),
        "disc": Item("Token blank 25 x 3 mm, wood or acrylic", "round disc 25x3", "game counters", 0.15, "", 30),
        "tag": Item("NFC sticker NTAG213, 25 mm or less, not for metal", "NTAG213 25mm", "NTAG215", 0.25, "NXP", 30),
        "label-sheet": Item("Label sheet, A4, for the discs", "A4 label sheet", "paper and glue", 0.50, "", 10),
        "filament": Item("PLA or PETG, gram", "PETG 1.75", "", 0.025, "", 1000),
        "glue": Item("Glue for plastic, a few drops", "cyanoacrylate 3 g", "two-part epoxy", 2.00),
        "solder": Item("Solder with flux, 10 g", "Sn60Pb40 or SnCu, 0.7 mm", "", 2.00, "", 10),
        "heat-shrink": Item("Heat-shrink tube 3 mm, 20 cm", "heat shrink 3mm", "insulating tape", 0.50, "", 5),
        # Without boards.
        "strip-board": Item("Strip board, 30 holes by 24 strips or larger", "strip board 2.54", "", 2.50),
        "pin-header-40": Item("Pin header 1x40, to cut", "1x40 2.54", "", 0.60),
        "jumper-wires": Item("Jumper wires female-female 20 cm, 40 of them", "Dupont F-F 20cm", "", 3.00),
        # Pi lamp board.
        "pcb-lamps": Item(
            "Lamp board, 124 x 113 mm, 2 layers, 1.6 mm", "fab/lamps.zip", "", 4.00, "any board house", 5
        ),
        "74hc595": Item(
            "8-bit shift register, DIP-16",
            "SN74HC595N",
            "74HC595, any maker",
            0.45,
            "Texas Instruments",
            seen="several",
            orders=_orders(mouser="595-SN74HC595N", digikey="296-1600-5-ND"),
        ),
        "resistor-network-8x680": Item(
            "Resistor network 8 x 680 Ohm, common pin, SIP-9",
            "4609X-101-681LF",
            "470 to 1000 Ohm",
            0.35,
            "Bourns",
            seen="one",
        ),
        "resistor-network-4x470": Item(
            "Resistor network 4 x 470 Ohm, common pin, SIP-5", "4605X-101-471LF", "330 to 680 Ohm", 0.25, "Bourns"
        ),
        "led-yellow-3mm": Item("LED 3 mm yellow", "LED 3mm yellow", "any 3 mm", 0.08, "", 10),
        "led-green-5mm": Item("LED 5 mm green", "LED 5mm green", "any 5 mm", 0.10, "", 10),
        "led-yellow-5mm": Item("LED 5 mm yellow", "LED 5mm yellow", "any 5 mm", 0.10, "", 10),
        "led-red-5mm": Item("LED 5 mm red", "LED 5mm red", "any 5 mm", 0.10, "", 10),
        "idc-header-40": Item(
            "Box header 2x20, straight",
            "SBH11-PBPC-D20-ST-BK",
            "any 2x20 box header",
            0.90,
            "Sullins",
            seen="several",
            orders=_orders(digikey="S9175-ND"),
        ),
        "ribbon-40": Item("Ribbon cable 40-way with two sockets, 20 cm", "GPIO ribbon 40", "", 2.50),
        "ldo-3v3": Item(
            "Regulator 3.3 V, 250 mA, TO-92, GND-IN-OUT",
            "MCP1700-3302E/TO",
            "MCP1702-3302E/TO",
            0.60,
            "Microchip",
            seen="several",
            orders=_orders(mouser="579-MCP1700-3302E/TO", digikey="MCP1700-3302E/TO-ND"),
        ),
        "pin-header-2x20": Item("Pin header 2x20, straight, 2.54 mm", "2x20 2.54", "cut from 2x40", 0.50, "", 1),
        "capacitor-10u": Item("Electrolytic 10 uF, 16 V, 5 x 11 mm", "10u 16V", "10 to 47 uF", 0.15),
        "socket-dip-14": Item("DIP-14 socket", "DIP-14 socket", "none", 0.20, "", 5),
        "socket-dip-16": Item("DIP-16 socket", "DIP-16 socket", "none", 0.20, "", 8),
    }
)

TOOLS: Final = (
    "soldering iron",
    "side cutters",
    "multimeter with diode test",
    "cross-head screwdriver for M3",
    "wire stripper",
    "printer for plastic, bed 220 x 220 mm",
    "vice (for the sockets of ribbon cables made by yourself)",
)
"""Used, not used up: in no bill's total."""

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
                "ribbon-10": 3,
                "header-8-angled": 2,
                "strip-wire": 1,
                "supply-5v": 1,
                "usb-cable": 1,
                "screw-m3x6": 26,
                "screw-m3x12": 6,
                "foam-tape": 1,
                "cable-tie": 2,
                "feet": 4,
                "disc": 30,
                "tag": 30,
                "label-sheet": 1,
                "glue": 1,
                "solder": 1,
                "heat-shrink": 1,
                "filament": 380,
            }
        ),
        "no-board": MappingProxyType(
            {
                "pico": 1,
                "strip-board": 1,
                "pin-header-40": 2,
                "jumper-wires": 2,
                "74ahct125": 1,
                "socket-dip-14": 1,
                "npn": 1,
                "piezo": 1,
                "ptc-0a7": 1,
                "resistor-10k": 9,
                "resistor-330": 2,
                "resistor-1k": 2,
                "capacitor-100u": 1,
                "capacitor-10u": 1,
                "capacitor-100n": 2,
                "key-6mm": 12,
                "reader": 2,
                "strip-16": 4,
                "strip-wire": 1,
                "usb-cable": 1,
                "screw-m3x6": 16,
                "screw-m3x12": 6,
                "foam-tape": 2,
                "cable-tie": 2,
                "feet": 4,
                "disc": 30,
                "tag": 30,
                "label-sheet": 1,
                "glue": 1,
                "solder": 1,
                "heat-shrink": 1,
                "filament": 380,
            }
        ),
        "lamps": MappingProxyType(
            {
                "pcb-lamps": 1,
                "socket-dip-16": 8,
                "ribbon-40": 1,
                "screw-m3x12": 4,
                "feet": 4,
                "filament": 130,
            }
        ),
    }
)
"""What a set needs beside the parts of its circuits: quantities by item."""
