"""Short forms for parts that appear many times; each returns a `Part` with its library names and height filled in."""

from typing import Final

from ordertray_hardware.circuit import SCREW_CLEAR_MM, Keepout, OnBoard, OnSheet, Part

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
    # 1.2k is printed 1k2: shorter, and no point to get lost.
    silk = value[:-1].replace(".", value[-1]) if "." in value else value
    return Part(ref, "Device:R", RESISTOR_FOOTPRINT, value, item, nets, (on_sheet(sheet),), on_board(board), 2.6, silk)


def ceramic(ref: str, positive: str, sheet: Place, board: Place, ground: str = "GND", value: str = "100n") -> Part:
    """A ceramic capacitor, 100 nF if nothing else is said."""
    footprint = "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm"
    nets = {"1": positive, "2": ground}
    item = f"capacitor-{value}"
    return Part(ref, "Device:C", footprint, value, item, nets, (on_sheet(sheet),), on_board(board), 5.5, value)


def transistor(ref: str, kind: str, item: str, nets: dict[str, str], sheet: Place, board: Place) -> Part:
    """A small transistor or reference (`kind` is its symbol) in TO-92, legs spread to 2.54 mm for wide rings."""
    footprint = "Package_TO_SOT_THT:TO-92_Inline_Wide"
    name = kind.split(":")[1]
    return Part(
        ref, kind, footprint, name, item, nets, (on_sheet(sheet),), on_board(board), 6.5, name.removesuffix("LP")
    )


def power_transistor(ref: str, nets: dict[str, str], sheet: Place, board: Place) -> Part:
    """A P-channel MOSFET lying on its back; no screw holds it (it stays below 0.1 W)."""
    footprint = "Package_TO_SOT_THT:TO-220-3_Horizontal_TabDown"
    symbol = "Transistor_FET:Q_PMOS_GDS"
    name = "SUP53P06-20"
    return Part(ref, symbol, footprint, name, "p-mosfet", nets, (on_sheet(sheet),), on_board(board), 5.0, name)


def under_tab(x_mm: float, y_mm: float) -> tuple[Keepout, Keepout]:
    """Copper-free boxes for a `power_transistor` turned by 270 degrees: its metal back lies on the board.

    A mask is no insulator, so the front has none under the metal, and the back none under the tab's hole, for whoever
    puts a screw there all the same.
    """
    metal = Keepout(x_mm + 2.9, y_mm - 2.9, x_mm + 20.4, y_mm + 8.0, (0,), "metal back of a TO-220")
    hole_x, hole_y, r = x_mm + 16.66, y_mm + 2.54, SCREW_CLEAR_MM
    hole = Keepout(hole_x - r, hole_y - r, hole_x + r, hole_y + r, (1,), "hole of a TO-220's tab")
    return metal, hole


def small_diode(ref: str, symbol: str, item: str, anode: str, cathode: str, sheet: Place, board: Place) -> Part:
    """A glass diode, lying; pin 1 is the cathode."""
    footprint = "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal"
    value = symbol.split(":")[1] if not symbol.startswith("Device:") else item.removeprefix("zener-").upper()
    nets = {"1": cathode, "2": anode}
    return Part(ref, symbol, footprint, value, item, nets, (on_sheet(sheet),), on_board(board), 2.4)


def ribbon_header(ref: str, value: str, nets: tuple[str, ...], sheet: Place, board: OnBoard) -> Part:
    """A shrouded 2x5 header at a right angle: its key lets the ribbon's plug in one way only. "" leaves a pin open."""
    footprint = "Connector_IDC:IDC-Header_2x05_P2.54mm_Horizontal"
    named = {str(index): net for index, net in enumerate(nets, 1) if net}
    symbol = "Connector_Generic:Conn_02x05_Odd_Even"
    return Part(ref, symbol, footprint, value, "ribbon-header-10", named, (on_sheet(sheet),), board, 9.2)


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


def led(
    ref: str, value: str, item: str, anode: str, cathode: str, sheet: Place, board: Place, size: str, silk: str = ""
) -> Part:
    """A light-emitting diode, 3 or 5 mm ("D3.0mm", "D5.0mm"); pin 1 is the cathode."""
    nets = {"1": cathode, "2": anode}
    height_mm = 6.0 if size == "D3.0mm" else 9.5
    place = (on_sheet(sheet),)
    footprint = f"LED_THT:LED_{size}"
    return Part(ref, "Device:LED", footprint, value, item, nets, place, on_board(board), height_mm, silk)


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
