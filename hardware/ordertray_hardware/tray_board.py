"""The tray's carrier board: Pico on a socket, two readers, two button boards, two pixel strips, buzzer, power.

Power. The Pico and the readers live on the host's USB cable. The strips live on `+5V`, which the jumper JP1 takes
either from USB (fused with 0.5 A: right for the firmware's default limit) or from a 5 V supply at the jack (fused with
2 A, protected against reverse polarity by Q1 and against a wrong supply by D1). A jumper cannot sit in two places, so
neither source can ever feed back into the other.
"""

from typing import Final

from ordertray_hardware import pins
from ordertray_hardware.circuit import Board, Frame, Legend, Part
from ordertray_hardware.parts import (
    ceramic,
    electrolytic,
    led,
    mounting_hole,
    on_board,
    on_sheet,
    pin_header,
    resistor,
    test_point,
)

WIDTH_MM: Final = 100.0
HEIGHT_MM: Final = 75.0

READER_HEADER: Final = ("READER_SCK", "SPI_MISO", "READER_MOSI", "{side}_CS", "+3V3", "GND", "{side}_IRQ", "{side}_RST")
"""Order of the pins on a reader's header: that of the common red PN532 module."""
BUTTON_HEADER: Final = ("GND", *(f"{{side}}_{name.upper()}" for name in pins.BUTTONS))


def _for_side(names: tuple[str, ...], side: str) -> tuple[str, ...]:
    return tuple(name.format(side=side) for name in names)


def _controller() -> list[Part]:
    nets = {str(pins.PICO_PHYSICAL[gpio]): net for net, gpio in pins.pico_nets().items()}
    nets |= {str(pin): "GND" for pin in pins.PICO_GROUNDS}
    nets |= {str(pins.PICO_VBUS): "VBUS", str(pins.PICO_3V3): "+3V3"}
    nets |= {str(pins.PICO_PHYSICAL[0]): "UART_TX", str(pins.PICO_PHYSICAL[1]): "UART_RX"}
    pico = Part(
        "U1", "MCU_Module:RaspberryPi_Pico", "Module:RaspberryPi_Pico_Common_THT", "Pico or Pico 2", "pico", nets,
        (on_sheet((28, 55)),), on_board((3.81, 36.83, 90)), 13.0,
    )  # fmt: skip
    debug = pin_header("J8", "UART0", ("GND", "UART_TX", "UART_RX"), (44, 41), (38.1, 8.89, 270), angled=False)
    return [pico, debug]


def _power() -> list[Part]:
    jack = Part(
        "J1", "Connector:Barrel_Jack", "Connector_BarrelJack:BarrelJack_Horizontal", "5 V 2.1 mm", "barrel-jack",
        {"1": "DC_IN", "2": "GND"}, (on_sheet((9, 13)),), on_board((13.97, 46.355)), 11.0,
    )  # fmt: skip
    jack_fuse = Part(
        "F1", "Device:Polyfuse", "Fuse:Fuse_Bourns_MF-RHT200", "2 A", "ptc-2a", {"1": "DC_IN", "2": "DC_FUSED"},
        (on_sheet((25, 12, 90)),), on_board((19.05, 49.53, 90)), 12.0, "2A",
    )  # fmt: skip
    usb_fuse = Part(
        "F2", "Device:Polyfuse", "Fuse:Fuse_Bourns_MF-RHT050", "0.5 A", "ptc-0a5", {"1": "VBUS", "2": "VBUS_FUSED"},
        (on_sheet((14, 26, 90)),), on_board((45.72, 57.15)), 9.0, "0.5A",
    )  # fmt: skip
    reverse = Part(
        "Q1", "Transistor_FET:Q_PMOS_GDS", "Package_TO_SOT_THT:TO-220-3_Horizontal_TabDown", "NDP6020P", "p-mosfet",
        {"1": "Q1_GATE", "2": "DC_FUSED", "3": "DC_SAFE"},
        (on_sheet((40, 13, 90)),), on_board((24.13, 43.815, 270)), 5.0,
    )  # fmt: skip
    clamp = Part(
        "D1", "Device:D_Zener", "Diode_THT:D_DO-15_P10.16mm_Horizontal", "P6KE6V8A", "tvs",
        {"1": "DC_SAFE", "2": "GND"},
        (on_sheet((54, 15, 270)),), on_board((24.13, 53.975)), 4.0,
    )  # fmt: skip
    jumper = Part(
        "JP1", "Jumper:Jumper_3_Open", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
        "USB - strips - DC",
        "jumper-3", {"1": "VBUS_FUSED", "2": "+5V", "3": "DC_SAFE"},
        (on_sheet((36, 27, 180)),), on_board((49.53, 43.815)), 8.5,
    )  # fmt: skip
    bulk = ("1000u", "capacitor-1000u", "CP_Radial_D8.0mm_P3.50mm", 12.5, "+5V")
    return [
        jack, jack_fuse, usb_fuse, reverse,
        resistor("R1", "10k", "Q1_GATE", "GND", (46, 20), (44.45, 53.975, 180)),
        clamp, jumper,
        electrolytic("C1", *bulk, (60, 14), (58.42, 67.945)),
        electrolytic("C2", *bulk, (66, 14), (58.42, 6.35)),
        led("D2", "strips on", "led-green-3mm", "D2_ANODE", "GND", (66, 26, 90), (46.99, 4.445), "D3.0mm"),
        resistor("R2", "1k", "+5V", "D2_ANODE", (60, 25), (50.8, 8.89, 180)),
    ]  # fmt: skip


def _pixels() -> list[Part]:
    buffer_nets = {"1": "GND", "2": "A_PIXELS_3V3", "3": "A_PIXELS_5V", "4": "GND", "5": "B_PIXELS_3V3",
                   "6": "B_PIXELS_5V", "7": "GND", "14": "+5V"}  # fmt: skip
    # The two gates left over: inputs tied down, outputs switched off.
    buffer_nets |= {"9": "GND", "10": "+5V", "12": "GND", "13": "+5V"}
    buffer = Part(
        "U2", "74xx:74AHCT125", "Package_DIP:DIP-14_W7.62mm", "74AHCT125", "74ahct125", buffer_nets,
        (
            on_sheet((100, 12), 1), on_sheet((100, 24), 2), on_sheet((145, 12), 3), on_sheet((145, 24), 4),
            on_sheet((152, 18), 5),
        ),
        on_board((62.23, 38.1, 90)), 5.0,
    )  # fmt: skip
    strip = ("Connector:Screw_Terminal_01x03",
             "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-3-5.08_1x03_P5.08mm_Horizontal")  # fmt: skip
    return [
        buffer,
        ceramic("C3", "+5V", (157, 18), (64.77, 42.545)),
        resistor("R3", "10k", "A_PIXELS_3V3", "GND", (80, 20), (66.04, 46.355)),
        resistor("R4", "10k", "B_PIXELS_3V3", "GND", (85, 20), (66.04, 17.78)),
        resistor("R5", "330", "A_PIXELS_5V", "A_DATA", (121, 12, 90), (66.04, 50.8)),
        resistor("R6", "330", "B_PIXELS_5V", "B_DATA", (121, 24, 90), (66.04, 13.97)),
        Part("J6", *strip, "strip A", "screw-terminal-3", {"1": "+5V", "2": "A_DATA", "3": "GND"},
             (on_sheet((136, 12)),), on_board((68.58, 67.945)), 10.5),
        Part("J7", *strip, "strip B", "screw-terminal-3", {"1": "+5V", "2": "B_DATA", "3": "GND"},
             (on_sheet((136, 24)),), on_board((78.74, 6.35, 180)), 10.5),
    ]  # fmt: skip


def _readers() -> list[Part]:
    reservoir = ("100u", "capacitor-100u", "CP_Radial_D5.0mm_P2.50mm", 11.5, "+3V3")
    pull_ups = {"1": "+3V3", "2": "B_CS", "3": "B_IRQ", "4": "B_RST", "5": "A_CS", "6": "A_IRQ", "7": "A_RST"}
    return [
        pin_header("J2", "reader A", _for_side(READER_HEADER, "A"), (88, 46), (88.9, 36.83), angled=True),
        pin_header("J3", "reader B", _for_side(READER_HEADER, "B"), (88, 64), (88.9, 15.24), angled=True),
        resistor("R7", "33", "SPI_SCK", "READER_SCK", (66, 43, 90), (66.04, 21.59)),
        resistor("R8", "33", "SPI_MOSI", "READER_MOSI", (66, 49, 90), (66.04, 25.4)),
        Part(
            "RN1", "Device:R_Network06", "Resistor_THT:R_Array_SIP7", "6 x 10k", "resistor-network-6x10k", pull_ups,
            (on_sheet((64, 64)),), on_board((81.915, 26.67, 270)), 6.0, "6x10k",
        ),
        electrolytic("C4", *reservoir, (98, 45), (78.74, 55.245)),
        ceramic("C5", "+3V3", (104, 45), (76.835, 48.895)),
        electrolytic("C6", *reservoir, (98, 63), (78.74, 16.51)),
        ceramic("C7", "+3V3", (104, 63), (76.835, 22.86)),
    ]  # fmt: skip


def _buttons() -> list[Part]:
    return [
        pin_header("J4", "buttons A", _for_side(BUTTON_HEADER, "A"), (122, 48), (38.1, 63.5, 270), angled=True),
        pin_header("J5", "buttons B", _for_side(BUTTON_HEADER, "B"), (145, 48), (11.43, 10.795, 90), angled=True),
    ]


def _buzzer() -> list[Part]:
    transistor = Part(
        "Q2", "Transistor_BJT:2N3904", "Package_TO_SOT_THT:TO-92_Inline", "2N3904", "npn",
        {"1": "GND", "2": "Q2_BASE", "3": "BUZZER_LOW"}, (on_sheet((32, 96)),), on_board((43.18, 71.9)), 5.5,
    )  # fmt: skip
    sounder = Part(
        "BZ1", "Device:Buzzer", "Buzzer_Beeper:Buzzer_TDK_PS1240P02BT_D12.2mm_H6.5mm", "piezo", "piezo",
        {"1": "VBUS_FUSED", "2": "BUZZER_LOW"}, (on_sheet((44, 90)),), on_board((12.065, 60.325)), 7.0,
    )  # fmt: skip
    return [
        transistor, sounder,
        resistor("R9", "1k", "BUZZER", "Q2_BASE", (18, 96, 90), (42.545, 61.3)),
        resistor("R10", "10k", "BUZZER", "GND", (41, 105), (42.545, 64.4)),
        resistor("R11", "1k", "VBUS_FUSED", "BUZZER_LOW", (11, 91), (42.545, 67.5)),
    ]  # fmt: skip


_TEST_POINTS: Final = (
    ("TP1", "GND", ""), ("TP2", "VBUS", ""), ("TP3", "READER_MOSI", "MOSI"), ("TP4", "SPI_MISO", "MISO"),
    ("TP5", "DC_SAFE", "DC"), ("TP6", "+5V", "5V"), ("TP7", "+3V3", "3V3"), ("TP8", "READER_SCK", "SCK"),
    ("TP9", "A_CS", "CS A"), ("TP10", "B_CS", "CS B"), ("TP11", "A_PIXELS_5V", "PIX A"),
    ("TP12", "B_PIXELS_5V", "PIX B"),
)  # fmt: skip


def _test_points_and_holes() -> list[Part]:
    found = [
        test_point(ref, net, (58 + 9 * (index % 6), 86 + 11 * (index // 6)), (56.515, 17.78 + 3.175 * index), name)
        for index, (ref, net, name) in enumerate(_TEST_POINTS)
    ]
    corners = ((4.0, 4.0), (WIDTH_MM - 4, 4.0), (4.0, HEIGHT_MM - 4), (WIDTH_MM - 4, HEIGHT_MM - 4))
    found += [mounting_hole(f"H{number}", (50 + 9 * number, 108), corner) for number, corner in enumerate(corners, 1)]
    return found


_POWER_TRACK_MM: Final = 1.5

TRAY_BOARD: Final = Board(
    name="tray",
    title="Order tray: carrier board",
    paper="A3",
    width_mm=WIDTH_MM,
    height_mm=HEIGHT_MM,
    parts=tuple(
        _controller() + _power() + _pixels() + _readers() + _buttons() + _buzzer() + _test_points_and_holes()
    ),
    frames=(
        Frame("Power", 5, 5, 72, 34, "JP1 feeds the strips from USB (limit 250 mA) or from the jack (5 V, 2 A fuse).\n"
              "Q1 blocks a supply of wrong polarity, D1 and F1 one of too many volts."),
        Frame("Pixels: 3.3 V to 5 V", 74, 5, 160, 34, "Series resistors sit at the buffer, bulk capacitors at the "
              "terminals; pull-downs keep the strips dark until the firmware runs."),
        Frame("Controller", 5, 36, 50, 78, "GP0 and GP1 are left for a serial adapter."),
        Frame("Readers (SPI, PN532 or MFRC522)", 52, 36, 110, 78, "Pull-ups keep both readers unselected and out of "
              "reset while the Pico boots.\nThe reservoirs feed the bursts of the antenna drivers."),
        Frame("Buttons", 112, 36, 160, 62, "Active low; the pull-ups are in the Pico."),
        Frame("Buzzer", 5, 80, 50, 111, "R10 keeps it silent while the Pico boots."),
        Frame("Test points and holes", 52, 80, 110, 111),
    ),
    flags=(("+5V", 49, 27),),
    legends=(
        Legend("ORDER TRAY  rev A", 88.5, 61.5, 1.0),
    ),
    track_widths_mm={"+5V": _POWER_TRACK_MM, "DC_IN": _POWER_TRACK_MM, "DC_FUSED": _POWER_TRACK_MM,
                     "DC_SAFE": _POWER_TRACK_MM, "VBUS": 1.0, "VBUS_FUSED": 1.0, "+3V3": 0.8, "GND": 0.5},
)  # fmt: skip
