"""The tray's carrier board: Pico on a socket, two readers, two button boards, two pixel strips, buzzer, power.

Power. The Pico and the readers live on the host's USB cable. The strips live on `+5V`, which the jumper JP1 takes
either from USB (fused with 0.7 A: right for the firmware's default limit) or from a 5 V supply at the jack (fused with
2 A). A jumper cannot sit in two places, so neither source can ever feed back into the other.

A wrong supply is cut off, not shunted. Q1 blocks a reversed one (D4 lights). Q3 is the strips' switch: open until the
Pico's 3.3 V is there (Q4), closed slowly so that the bulk capacitors charge over tens of milliseconds (C8, C9, R18),
opened at once by Q5 when U3 sees more than 5.5 V at the jack (D3 lights). `simulation.py` shows what that is worth.
"""

from typing import Final

from ordertray_hardware import pins
from ordertray_hardware.circuit import (
    LICENCE,
    PROJECT,
    REVISION,
    REVISION_DATE,
    Board,
    Drawn,
    Frame,
    Legend,
    OnBoard,
    Part,
    around_screw,
)
from ordertray_hardware.parts import (
    ceramic,
    electrolytic,
    led,
    mounting_hole,
    on_board,
    on_sheet,
    pin_header,
    power_transistor,
    resistor,
    ribbon_header,
    small_diode,
    test_point,
    transistor,
    under_tab,
)

WIDTH_MM: Final = 100.0
HEIGHT_MM: Final = 85.0

READER_HEADER: Final = (
    "VBUS_FUSED", "+3V3", "GND", "READER_SCK", "GND", "SPI_MISO", "READER_MOSI", "{side}_CS", "{side}_IRQ",
    "{side}_RESET",
)  # fmt: skip
"""Wires of a reader's ribbon, 1 (red) to 10. The clock lies between grounds. A reader takes 5 V or 3.3 V, never both.
"""
BUTTON_HEADER: Final = (
    "", "", "GND", *(f"{{side}}_{name.upper()}" for name in pins.BUTTONS[:4]), "",
    *(f"{{side}}_{name.upper()}" for name in pins.BUTTONS[4:]),
)  # fmt: skip
"""Wires of a button board's ribbon. Where a reader's has its supplies this one has nothing: a plug in the wrong header
feeds nothing."""


_EDGE_X_MM: Final = 86.0
"""Pin 1 of the headers at the right edge: their mouths end flush with the board."""


def _for_side(names: tuple[str, ...], side: str) -> tuple[str, ...]:
    return tuple(name.format(side=side) for name in names)


SOCKET_MM: Final = 8.5
PICO_PLASTIC_MM: Final = 2.54
PICO_BOARD_MM: Final = 1.0
PICO_USB_MM: Final = 2.8
PICO_HEIGHT_MM: Final = SOCKET_MM + PICO_PLASTIC_MM + PICO_BOARD_MM + PICO_USB_MM
"""Socket, the plastic of the Pico's own header, its board, its USB socket (the highest part)."""


def _controller() -> list[Part]:
    nets = {str(pins.PICO_PHYSICAL[gpio]): net for net, gpio in pins.pico_nets().items()}
    nets |= {str(pin): "GND" for pin in pins.PICO_GROUNDS}
    nets |= {str(pins.PICO_VBUS): "VBUS", str(pins.PICO_3V3): "+3V3", str(pins.PICO_3V3_EN): "PICO_EN"}
    nets |= {str(pins.PICO_PHYSICAL[0]): "UART_TX", str(pins.PICO_PHYSICAL[1]): "UART_RX"}
    pico = Part(
        "U1", "MCU_Module:RaspberryPi_Pico", "Module:RaspberryPi_Pico_Common_THT", "Pico or Pico 2", "pico", nets,
        (on_sheet((28, 55)),), on_board((3.81, 36.83, 90)), PICO_HEIGHT_MM,
    )  # fmt: skip
    debug = pin_header("J8", "UART0", ("GND", "UART_TX", "UART_RX"), (44, 41), (39.37, 6.985, 270), angled=False)
    switch = Part(
        "SW1", "Switch:SW_SPDT", "Button_Switch_THT:SW_Slide_SPDT_Angled_CK_OS102011MA1Q", "tray off",
        "slide-switch", {"1": "GND", "2": "PICO_EN"}, (on_sheet((40, 72)),), on_board((2.5, 58.0, 270)), 5.0,
    )  # fmt: skip
    return [pico, debug, switch]


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
        "F2", "Device:Polyfuse", "Fuse:Fuse_Bourns_MF-RHT070", "0.7 A", "ptc-0a7", {"1": "VBUS", "2": "VBUS_FUSED"},
        (on_sheet((14, 24, 90)),), on_board((46.6, 57.1)), 9.0, "0.7A",
    )  # fmt: skip
    reverse = power_transistor(
        "Q1", {"1": "Q1_GATE", "2": "DC_FUSED", "3": "DC_SAFE"}, (40, 13, 90), (24.13, 43.815, 270)
    )  # fmt: skip
    surge = Part(
        "D1", "Device:D_Zener", "Diode_THT:D_DO-15_P10.16mm_Horizontal", "P6KE24A", "tvs",
        {"1": "DC_SAFE", "2": "GND"},
        (on_sheet((60, 15, 270)),), on_board((24.13, 53.975)), 4.0,
    )  # fmt: skip
    jumper = Part(
        "JP1", "Jumper:Jumper_3_Open", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
        "USB - strips - DC",
        "jumper-3", {"1": "VBUS_FUSED", "2": "STRIP_IN", "3": "DC_SAFE"},
        (on_sheet((36, 24)),), on_board((49.53, 43.815)), 8.5,
    )  # fmt: skip
    return [
        jack, jack_fuse, usb_fuse, reverse, surge, jumper,
        resistor("R1", "10k", "Q1_GATE", "GND", (46, 20), (44.45, 53.975, 180)),
        small_diode("D8", "Device:D_Zener", "zener-6v8", "Q1_GATE", "DC_SAFE", (53, 17, 270), (24.13, 57.785)),
        led("D4", "REVERSED", "led-red-3mm", "GND", "D4_CATHODE", (60, 26, 180), (2.54, 73.7), "D3.0mm", "REVERSED"),
        small_diode("D7", "Diode:1N4148", "diode-1n4148", "D4_CATHODE", "D7_CATHODE", (60, 29, 180), (14.0, 75.0)),
        resistor("R23", "1.5k", "D7_CATHODE", "DC_FUSED", (60, 32, 90), (14.0, 79.2)),
    ]  # fmt: skip


def _strip_switch() -> list[Part]:
    """The strips' switch Q3: slow to close, quick to open."""
    bulk = ("1000u", "capacitor-1000u", "CP_Radial_D8.0mm_P3.50mm", 12.5, "+5V")
    return [
        power_transistor("Q3", {"1": "Q3_GATE", "2": "+5V", "3": "STRIP_IN"}, (140, 73, 90), (55.5, 59.1, 270)),
        ceramic("C8", "STRIP_IN", (127, 74), (54.5, 70.0), "Q3_GATE", "1u"),
        ceramic("C9", "+5V", (156, 74), (62.5, 70.0), "Q3_SLOW"),
        resistor("R19", "2.2M", "STRIP_IN", "Q3_GATE", (118, 74), (24.13, 62.1)),
        resistor("R20", "10k", "Q3_SLOW", "Q3_GATE", (165, 74), (24.13, 65.5)),
        resistor("R18", "220k", "Q3_GATE", "Q4_COLLECTOR", (174, 74), (24.13, 68.9)),
        transistor("Q4", "Transistor_BJT:2N3904", "npn", {"1": "GND", "2": "Q4_BASE", "3": "Q4_COLLECTOR"},
                   (131, 88), (45.6, 62.4)),
        resistor("R21", "22k", "+3V3", "Q4_BASE", (118, 90), (24.13, 72.3)),
        resistor("R22", "22k", "Q4_BASE", "GND", (143, 90), (24.13, 75.7)),
        transistor("Q5", "Transistor_BJT:2N3906", "pnp", {"1": "STRIP_IN", "2": "Q5_BASE", "3": "Q3_GATE"},
                   (168, 88), (45.6, 68.9)),
        resistor("R17", "680", "STRIP_IN", "Q5_BASE", (154, 90), (34.6, 61.2)),
        resistor("R16", "2.2k", "Q5_BASE", "OVER", (181, 90), (34.6, 64.6)),
        transistor("U3", "Reference_Voltage:TL431LP", "tl431", {"1": "OVER_REF", "2": "GND", "3": "OVER"},
                   (144, 106, 90), (45.6, 75.4)),
        resistor("R12", "12k", "DC_SAFE", "OVER_REF", (118, 106), (34.6, 68.0)),
        resistor("R13", "10k", "OVER_REF", "GND", (127, 106), (34.6, 71.4)),
        led("D3", "TOO HIGH", "led-red-3mm", "OVER_LAMP", "OVER_LAMP_K", (168, 106, 90), (2.54, 69.0), "D3.0mm",
            "TOO HIGH"),
        small_diode("D6", "Diode:1N4148", "diode-1n4148", "DC_SAFE", "OVER_LAMP", (157, 106, 90), (14.0, 69.5)),
        resistor("R15", "4.7k", "OVER_LAMP", "OVER_LAMP_K", (179, 106), (34.6, 74.8)),
        resistor("R14", "1.2k", "OVER_LAMP_K", "OVER", (190, 106), (34.6, 78.2)),
        electrolytic("C1", *bulk, (188, 74), (58.42, 77.9)),
        electrolytic("C2", *bulk, (198, 74), (58.42, 6.35)),
        led("D2", "strips on", "led-green-3mm", "D2_ANODE", "GND", (206, 91, 90), (46.99, 4.445), "D3.0mm"),
        resistor("R2", "1k", "+5V", "D2_ANODE", (196, 90), (52.07, 8.255, 180)),
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
        on_board((62.8, 29.4)), 5.0,
    )  # fmt: skip
    strip = ("Connector:Screw_Terminal_01x03",
             "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-3-5.08_1x03_P5.08mm_Horizontal")  # fmt: skip
    return [
        buffer,
        ceramic("C3", "+5V", (157, 18), (73.4, 37.6, 90)),
        resistor("R3", "10k", "A_PIXELS_3V3", "GND", (80, 20), (62.7, 50.8)),
        resistor("R4", "10k", "B_PIXELS_3V3", "GND", (85, 20), (62.7, 17.78)),
        resistor("R5", "330", "A_PIXELS_5V", "A_DATA", (121, 12, 90), (62.7, 54.0)),
        resistor("R6", "330", "B_PIXELS_5V", "B_DATA", (121, 24, 90), (62.7, 13.97)),
        Part("J6", *strip, "strip A", "screw-terminal-3", {"1": "+5V", "2": "A_DATA", "3": "GND"},
             (on_sheet((136, 12)),), on_board((68.58, 79.2)), 10.5, "strip A"),
        Part("J7", *strip, "strip B", "screw-terminal-3", {"1": "+5V", "2": "B_DATA", "3": "GND"},
             (on_sheet((136, 24)),), on_board((78.74, 6.35, 180)), 10.5, "strip B"),
    ]  # fmt: skip


def _readers() -> list[Part]:
    reservoir = ("100u", "capacitor-100u", "CP_Radial_D5.0mm_P2.50mm", 11.5, "+3V3")
    pull_ups = {"1": "+3V3", "2": "B_CS", "3": "B_IRQ", "4": "B_RST", "5": "A_CS", "6": "A_IRQ", "7": "A_RST"}
    return [
        ribbon_header("J2", "reader A", _for_side(READER_HEADER, "A"), (90, 46), OnBoard(_EDGE_X_MM, 36.83)),
        ribbon_header("J3", "reader B", _for_side(READER_HEADER, "B"), (90, 66), OnBoard(_EDGE_X_MM, 15.24)),
        # In series, so that a reset line on a module's reset output (RSTO) hurts neither.
        resistor("R24", "1k", "A_RST", "A_RESET", (80, 72, 90), (33.6, 13.3)),
        resistor("R25", "1k", "B_RST", "B_RESET", (80, 75, 90), (44.0, 13.3)),
        resistor("R7", "33", "SPI_SCK", "READER_SCK", (66, 43, 90), (62.7, 21.59)),
        resistor("R8", "33", "SPI_MOSI", "READER_MOSI", (66, 49, 90), (62.7, 25.4)),
        Part(
            "RN1", "Device:R_Network06", "Resistor_THT:R_Array_SIP7", "6 x 10k", "resistor-network-6x10k", pull_ups,
            (on_sheet((64, 64)),), on_board((73.3, 13.97, 270)), 6.0, "6x10k",
        ),
        electrolytic("C4", *reservoir, (105, 45), (80.2, 52.4)),
        ceramic("C5", "+3V3", (107.5, 52), (76.0, 53.6, 90)),
        electrolytic("C6", *reservoir, (105, 63), (80.2, 30.3)),
        ceramic("C7", "+3V3", (107.5, 71), (76.6, 33.2, 90)),
    ]  # fmt: skip


def _buttons() -> list[Part]:
    return [
        ribbon_header("J4", "buttons A", _for_side(BUTTON_HEADER, "A"), (124, 48), OnBoard(_EDGE_X_MM, 58.42)),
        ribbon_header("J5", "buttons B", _for_side(BUTTON_HEADER, "B"), (146, 48), OnBoard(16.0, 14.0, 90)),
    ]


def _buzzer() -> list[Part]:
    sounder = Part(
        "BZ1", "Device:Buzzer", "Buzzer_Beeper:Buzzer_TDK_PS1240P02BT_D12.2mm_H6.5mm", "piezo", "piezo",
        {"1": "VBUS_FUSED", "2": "BUZZER_LOW"}, (on_sheet((44, 90)),), on_board((12.065, 60.325)), 7.0,
    )  # fmt: skip
    return [
        sounder,
        transistor("Q2", "Transistor_BJT:2N3904", "npn", {"1": "GND", "2": "Q2_BASE", "3": "BUZZER_LOW"},
                   (32, 96), (72.0, 69.8)),
        resistor("R9", "1k", "BUZZER", "Q2_BASE", (18, 96, 90), (34.6, 81.6)),
        resistor("R10", "10k", "BUZZER", "GND", (41, 105), (24.13, 82.5)),
        resistor("R11", "1k", "VBUS_FUSED", "BUZZER_LOW", (11, 91), (24.13, 79.1)),
    ]  # fmt: skip


_TEST_POINTS: Final = (
    ("TP1", "GND", ""), ("TP2", "VBUS", ""), ("TP3", "READER_MOSI", "MOSI"), ("TP4", "SPI_MISO", "MISO"),
    ("TP5", "DC_SAFE", "DC"), ("TP6", "+5V", "5V"), ("TP7", "+3V3", "3V3"), ("TP8", "READER_SCK", "SCK"),
    ("TP9", "A_CS", "CS A"), ("TP10", "B_CS", "CS B"), ("TP11", "A_PIXELS_5V", "PIX A"),
    ("TP12", "B_PIXELS_5V", "PIX B"),
)  # fmt: skip


_TEST_POINT_X_MM: Final = 56.1
HOLES_MM: Final = ((4.0, 4.0), (WIDTH_MM - 4, 4.0), (4.0, HEIGHT_MM - 4), (WIDTH_MM - 4, HEIGHT_MM - 4))


def _test_points_and_holes() -> list[Part]:
    found = [
        test_point(
            ref, net, (58 + 9 * (index % 6), 86 + 11 * (index // 6)), (_TEST_POINT_X_MM, 17.78 + 3.175 * index), name
        )
        for index, (ref, net, name) in enumerate(_TEST_POINTS)
    ]
    found += [mounting_hole(f"H{number}", (50 + 9 * number, 108), corner) for number, corner in enumerate(HOLES_MM, 1)]
    return found


_POWER_TRACK_MM: Final = 1.5

TRAY_BOARD: Final = Board(
    name="tray",
    title="Order tray: carrier board",
    paper="A2",
    width_mm=WIDTH_MM,
    height_mm=HEIGHT_MM,
    parts=tuple(
        _controller() + _power() + _strip_switch() + _pixels() + _readers() + _buttons() + _buzzer()
        + _test_points_and_holes()
    ),
    frames=(
        Frame("Power", 5, 5, 72, 35, "JP1 feeds the strips from USB (limit 250 mA) or from the jack (5 V, 2 A fuse).\n"
              "Q1 blocks a supply of wrong polarity, and D4 lights. D1 is for surges alone: it sleeps below 22 V."),
        Frame("The strips' switch", 112, 64, 218, 120, "Q3 closes slowly (C9) once the Pico's 3.3 V is there (Q4).\n"
              "Above 5.5 V at the jack U3 conducts: D3 lights, Q5 opens Q3 within a tenth of a millisecond.\n"
              "D6 keeps U3 out of the way while the strips live on USB and the jack is empty."),
        Frame("Pixels: 3.3 V to 5 V", 74, 5, 160, 34, "Series resistors sit at the buffer, bulk capacitors at the "
              "terminals; pull-downs keep the strips dark until the firmware runs."),
        Frame("Controller", 5, 36, 50, 78, "GP0 and GP1 are left for a serial adapter. SW1 switches all off."),
        Frame("Readers (SPI, PN532 or MFRC522)", 52, 36, 110, 78, "Pull-ups keep both readers unselected and out of "
              "reset while the Pico boots.\nThe reservoirs feed the bursts of the antenna drivers."),
        Frame("Buttons", 112, 36, 160, 62, "Active low; the pull-ups are in the Pico."),
        Frame("Buzzer", 5, 80, 50, 111, "R10 keeps it silent while the Pico boots."),
        Frame("Test points and holes", 52, 80, 110, 111),
    ),
    # The way of the power, to be followed with a finger: jack or USB, jumper, switch.
    drawn=(
        Drawn("DC_IN", (("J1", "1"), ("F1", "1")), (18, 12, 90)),
        Drawn("DC_FUSED", (("F1", "2"), ("Q1", "2")), (32, 12, 90)),
        Drawn("DC_SAFE", (("Q1", "3"), (60, None), ("D1", "1")), (60, 12, 0), ((50, 12), (53, 12))),
        Drawn("DC_SAFE", (("D8", "1"), (None, 12))),
        Drawn("DC_SAFE", (("JP1", "3"), (50, None), (None, 12))),
        Drawn("VBUS_FUSED", (("F2", "2"), ("JP1", "1")), (24, 24, 90)),
        Drawn("STRIP_IN", (("R19", "1"), (None, 69), (143, None), ("Q3", "3")), (134, 69, 90), ((127, 69),)),
        Drawn("STRIP_IN", (("C8", "1"), (None, 69))),
    ),
    flags=(("+5V", 207, 73), ("STRIP_IN", 207, 78)),
    legends=(
        Legend(f"ORDER TRAY  rev {REVISION}", 88.0, 78.0, 1.0),
        Legend("5V ONLY", 8.5, 39.9, 1.0),
        # In the outer third of each header's own outline: between two of them a word would be either's.
        Legend("reader A", 95.2, 36.0, 0.9), Legend("reader B", 95.2, 14.4, 0.9),
        Legend("buttons A", 95.2, 57.6, 0.9), Legend("buttons B", 14.9, 5.0, 0.9),
        Legend("USB", 46.2, 43.4, 1.0), Legend("DC", 46.5, 49.2, 1.0),
        Legend("ON", 7.3, 63.6, 1.0), Legend("OFF", 7.6, 56.4, 1.0),
        Legend(f"Order tray, carrier board, revision {REVISION}, {REVISION_DATE}", 28.0, 24.0, 1.0, back=True),
        Legend(f"{PROJECT}: hardware/README.md, licence {LICENCE}", 28.0, 27.0, 1.0, back=True),
        Legend("JACK: 5 V ONLY, CENTRE PLUS", 28.0, 30.0, 1.0, back=True),
    ),
    polarity_marks=((18.5, 40.1),),
    keepouts=(
        *under_tab(24.13, 43.815), *under_tab(55.5, 59.1), *(around_screw(x_mm, y_mm) for x_mm, y_mm in HOLES_MM),
    ),
    thin_pins=frozenset(
        {
            ("D8", "1"), ("D6", "2"), ("R12", "1"), ("TP5", "1"), ("R17", "1"), ("R19", "1"), ("C8", "1"), ("Q5", "1"),
            ("C9", "1"), ("R2", "1"), ("TP6", "1"), ("C3", "1"), ("U2", "14"), ("U2", "10"), ("U2", "13"),
            ("R23", "2"), ("TP2", "1"), ("R11", "1"), ("BZ1", "1"), ("R21", "1"), ("RN1", "1"), ("TP7", "1"),
        }
    ),
    track_widths_mm={"+5V": _POWER_TRACK_MM, "DC_IN": _POWER_TRACK_MM, "DC_FUSED": _POWER_TRACK_MM,
                     "DC_SAFE": _POWER_TRACK_MM, "STRIP_IN": _POWER_TRACK_MM, "VBUS": 1.0, "VBUS_FUSED": 1.0,
                     "+3V3": 0.8, "GND": 0.5},
)  # fmt: skip
