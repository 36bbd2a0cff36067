"""What a board is: parts, the net on each of their pins, and where they stand on the sheet and on the board.

One table of these makes the schematic, the board, the bill of materials and the electrical checks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

POWER_NETS: Final = frozenset({"GND", "+5V", "+3V3", "VBUS"})
"""Nets drawn as power symbols; every other net is drawn as a label."""

GRID_MM: Final = 2.54

REVISION: Final = "B"
REVISION_DATE: Final = "2026-12"
REVISIONS: Final = (
    ("A", "2026-11", "first drawing; never ordered"),
    ("B", "2026-12", "supplies that are wrong are cut off, not shunted; soft start; keyed plugs; switch; words"),
)
"""Every revision with its month and what it changed."""
LICENCE: Final = "MIT"
PROJECT: Final = "ordertray"
"""What to search for: the name of the package."""


@dataclass(frozen=True, slots=True)
class OnSheet:
    """Where one unit of a part is drawn: columns and rows of 2.54 mm, turned counter-clockwise."""

    column: float
    row: float
    rotation_deg: int = 0
    unit: int = 1


@dataclass(frozen=True, slots=True)
class OnBoard:
    """Where a part's origin (mostly its pin 1) stands: mm from the board's upper left corner, y downwards."""

    x_mm: float
    y_mm: float
    rotation_deg: int = 0
    back: bool = False
    """Soldered from the back: turned over, then turned in its plane as KiCad does it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a circuit.

    `symbol` and `footprint` are names of KiCad's own libraries; `nets` gives the net of each connected pin by pin
    number, every other pin is marked as open on purpose. `item` is the part's key in the catalogue, None for what is
    only copper or a hole. `height_mm` is the height above the board, for the fit in the case.
    """

    ref: str
    symbol: str
    footprint: str
    value: str
    item: str | None
    nets: Mapping[str, str]
    sheet: tuple[OnSheet, ...]
    board: OnBoard
    height_mm: float
    silk: str = ""
    solid_ground: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A titled box on the sheet, in columns and rows."""

    title: str
    left: float
    top: float
    right: float
    bottom: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A wire drawn through on the sheet instead of labels at its ends.

    `path` runs from place to place: a pin (reference, number), or a place in columns and rows of which either may be
    None for "as before". `flag` is where the net's name is written on it, and the angle, once for the whole sheet.
    """

    net: str
    path: tuple[tuple[str, str] | tuple[float | None, float | None], ...]
    flag: tuple[float, float, int] | None = None
    junctions: tuple[tuple[float, float], ...] = ()

    def pins(self) -> tuple[tuple[str, str], ...]:
        """The pins that it joins."""
        return tuple((str(one), str(other)) for one, other in self.path if isinstance(one, str))


@dataclass(frozen=True, slots=True)
class Legend:
    """Text on a board's silkscreen: position of its middle in mm, height, angle, side."""

    text: str
    x_mm: float
    y_mm: float
    height_mm: float = 1.2
    rotation_deg: int = 0
    back: bool = False


@dataclass(frozen=True, slots=True)
class Keepout:
    """A box without copper (pads excepted): corners in mm, layers 0 (front) and 1 (back), and why."""

    left_mm: float
    top_mm: float
    right_mm: float
    bottom_mm: float
    layers: tuple[int, ...]
    why: str


SCREW_CLEAR_MM: Final = 3.6
"""No copper nearer than this to the middle of an M3 screw: its head or washer reaches 3.5 mm."""


def around_screw(x_mm: float, y_mm: float) -> Keepout:
    """Both layers under a screw's head and under the post or nut on its other side."""
    r = SCREW_CLEAR_MM
    return Keepout(x_mm - r, y_mm - r, x_mm + r, y_mm + r, (0, 1), "head of a screw M3")


@dataclass(frozen=True, slots=True)
class Board:
    """A circuit with its board; parts in `unnamed` get no reference on the silkscreen."""

    name: str
    title: str
    paper: str
    width_mm: float
    height_mm: float
    parts: tuple[Part, ...]
    frames: tuple[Frame, ...] = ()
    drawn: tuple[Drawn, ...] = ()
    flags: tuple[tuple[str, float, float], ...] = ()
    legends: tuple[Legend, ...] = ()
    keepouts: tuple[Keepout, ...] = ()
    polarity_marks: tuple[tuple[float, float], ...] = ()
    """Where the symbol for a plug with its plus in the middle is printed: its middle, in mm."""
    track_widths_mm: Mapping[str, float] = field(default_factory=dict)
    thin_pins: frozenset[tuple[str, str]] = frozenset()
    """Pins (reference, number) of a wide net that carry next to nothing: a thin track will do."""
    route_grid_mm: float = 0.635
    corner_mm: float = 3.0
    copies: int = 1
    unnamed: frozenset[str] = frozenset()

    def part(self, ref: str) -> Part:
        """Return the part called `ref`. Raises KeyError if there is none."""
        for part in self.parts:
            if part.ref == ref:
                return part
        raise KeyError(ref)

    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """Net name to its (reference, pin number) pairs, in the order of the table."""
        found: dict[str, list[tuple[str, str]]] = {}
        for part in self.parts:
            for pin, net in part.nets.items():
                found.setdefault(net, []).append((part.ref, pin))
        return found


def pin_label(net: str) -> str:
    """The word printed beside a pin: the net without its side and without what the connector itself tells."""
    net = {"VBUS_FUSED": "5V", "RESET": "RST"}.get(net.removeprefix("A_").removeprefix("B_"), net)
    for prefix in ("A_", "B_", "READER_", "SPI_", "UART_"):
        net = net.removeprefix(prefix)
    return net.lstrip("+")


TRACK_MM: Final = 0.3
CLEARANCE_MM: Final = 0.2
VIA_MM: Final = 0.8
VIA_HOLE_MM: Final = 0.4
"""What every cheap board house makes (0.15 mm track and space, 0.3 mm holes), with room to spare."""


def check(board: Board) -> list[str]:
    """Return the faults of a table itself: doubled references, nets with a single pin, parts off the board."""
    faults = []
    refs = [part.ref for part in board.parts]
    faults += [f"{board.name}: {ref} appears twice" for ref in sorted({r for r in refs if refs.count(r) > 1})]
    for net, pins in board.nets().items():
        if len(pins) < 2:
            faults.append(f"{board.name}: net {net} has only {pins[0][0]} pin {pins[0][1]}")
    for part in board.parts:
        if not (0 <= part.board.x_mm <= board.width_mm and 0 <= part.board.y_mm <= board.height_mm):
            faults.append(f"{board.name}: {part.ref} stands off the board")
    return faults
