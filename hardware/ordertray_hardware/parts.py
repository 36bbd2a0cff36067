"""Short forms for parts that appear many times; each returns a `Part` with its library names and height filled in."""

from typing import Final

from ordertray_hardware.circuit import OnBoard, OnSheet, Part

RESISTOR_FOOTPRINT: Final = "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal"

Place = tuple[float, float] | tuple[float, float, int]


def on_sheet(place: Place, unit: int = 1) -> OnSheet:
    """Columns and rows of 2.54 mm, and the rotation if it is not 0."""
    return OnSheet(place[0], place[1], place[2] if len(place) == 3 else 0, unit)


def on_board(place: Place) -> OnBoard:
    """Millimetres, and the rotation if it is not 0."""
    return OnBoard(place[0], place[1], place[2] if len(place) == 3 else 0)


def resistor(ref: str, value: str, one: str, two: str, sheet: Place, board: Place) -> Part:
    """A quarter watt resistor, lying."""
    nets = {"1": one, "2": two}
    item = f"resistor-{value.lower()}"
    return Part(ref, "Device:R", RESISTOR_FOOTPRINT, value, item, nets, (on_sheet(sheet),), on_board(board), 2.6, value)


def ceramic(ref: str, positive: str, sheet: Place, board: Place, ground: str = "GND") -> Part:
    """A 100 nF decoupling capacitor."""
    footprint = "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm"
    nets = {"1": positive, "2": ground}
    return Part(
        ref, "Device:C", footprint, "100n", "capacitor-100n", nets, (on_sheet(sheet),), on_board(board), 5.5, "100n"
    )


def electrolytic(
    ref: str, value: str, item: str, footprint: str, height_mm: float, positive: str, sheet: Place, board: Place
) -> Part:
    """An electrolytic capacitor between `positive` and GND."""
    nets = {"1": positive, "2": "GND"}
    name = f"Capacitor_THT:{footprint}"
    place = (on_sheet(sheet),)
    return Part(ref, "Device:C_Polarized", name, value, item, nets, place, on_board(board), height_mm, value)


def test_point(ref: str, net: str, sheet: Place, board: Place, name: str = "") -> Part:
    """A bare pad with a hole, for a probe or a loop of wire."""
    footprint = "TestPoint:TestPoint_THTPad_D2.0mm_Drill1.0mm"
    label = name or net
    place = (on_sheet(sheet),)
    return Part(ref, "Connector:TestPoint", footprint, label, None, {"1": net}, place, on_board(board), 0.5, label)


def mounting_hole(ref: str, sheet: Place, board: Place) -> Part:
    """A hole for an M3 screw."""
    footprint = "MountingHole:MountingHole_3.2mm_M3"
    return Part(
        ref, "Mechanical:MountingHole", footprint, "M3", None, {}, (on_sheet(sheet),), on_board(board), 2.5
    )  # fmt: skip


def led(ref: str, value: str, item: str, anode: str, cathode: str, sheet: Place, board: Place, size: str) -> Part:
    """A light-emitting diode, 3 or 5 mm ("D3.0mm", "D5.0mm"); pin 1 is the cathode."""
    nets = {"1": cathode, "2": anode}
    height_mm = 6.0 if size == "D3.0mm" else 9.5
    place = (on_sheet(sheet),)
    return Part(ref, "Device:LED", f"LED_THT:LED_{size}", value, item, nets, place, on_board(board), height_mm)


def pin_header(
    ref: str, value: str, nets: tuple[str, ...], sheet: Place, board: Place, *, angled: bool, item: str = ""
) -> Part:
    """A one-row 2.54 mm pin header, upright or at a right angle; pin 1 first."""
    count = len(nets)
    kind = "Horizontal" if angled else "Vertical"
    footprint = f"Connector_PinHeader_2.54mm:PinHeader_1x{count:02}_P2.54mm_{kind}"
    named = {str(index): net for index, net in enumerate(nets, 1)}
    key = item or f"pin-header-{count}-{'angled' if angled else 'straight'}"
    height_mm = 3.0 if angled else 8.5
    symbol = f"Connector_Generic:Conn_01x{count:02}"
    return Part(ref, symbol, footprint, value, key, named, (on_sheet(sheet),), on_board(board), height_mm)
