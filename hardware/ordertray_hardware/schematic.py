"""Writes a KiCad 9 schematic from a `Board`: every pin ends in a label, a power symbol or a no-connect mark."""

import itertools
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from ordertray_hardware.circuit import (
    GRID_MM,
    POWER_NETS,
    REVISION,
    REVISION_DATE,
    Board,
    Drawn,
    Frame,
    OnSheet,
    Part,
)
from ordertray_hardware.sexpr import Text, Tree, child, children, dump, parse, word

LIBRARIES: Final = Path("/usr/share/kicad/symbols")
_NAMESPACE: Final = uuid.UUID("b7c1a3de-5d0f-4a52-9f0e-6f7264657274")
_STUB_MM: Final = 2.54
_AXES: Final = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}


def stable_uuid(*path: str) -> str:
    """Return the same identifier for the same path on every machine."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(path)))


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin of a library symbol: its place in mm (y upwards) and the direction it points to, towards the body."""

    number: str
    name: str
    x_mm: float
    y_mm: float
    angle_deg: int
    kind: str


@cache
def _library(name: str) -> dict[str, Tree]:
    path = LIBRARIES / f"{name}.kicad_sym"
    return {str(word(symbol)): symbol for symbol in children(parse(path.read_text(encoding="utf-8")), "symbol")}


def _properties(symbol: Tree) -> dict[str, Tree]:
    return {word(entry): entry for entry in children(symbol, "property")}


@cache
def _symbol_cached(library_id: str) -> str:
    return dump(_load_symbol(library_id), 1)


def load_symbol(library_id: str) -> Tree:
    """Return the symbol "Library:Name" as it is embedded in a sheet. Raises KeyError if the library lacks it."""
    return parse(_symbol_cached(library_id))


def _load_symbol(library_id: str) -> Tree:
    library, name = library_id.split(":")
    symbol = _library(library)[name]
    base_name = next((word(entry) for entry in children(symbol, "extends")), None)
    if base_name is None:
        return ["symbol", Text(library_id), *symbol[2:]]
    # An alias holds only its own properties; a sheet needs it laid flat onto its parent.
    base = _library(library)[base_name]
    drawing: Tree = [
        entry for entry in base[2:] if isinstance(entry, list) and entry[0] not in ("property", "symbol", "extends")
    ]
    units: Tree = [
        ["symbol", Text(word(unit).replace(base_name, name, 1)), *unit[2:]] for unit in children(base, "symbol")
    ]
    merged: Tree = list((_properties(base) | _properties(symbol)).values())
    return ["symbol", Text(library_id), *drawing, *merged, *units]


def symbol_pins(symbol: Tree) -> dict[int, list[Pin]]:
    """Unit number to its pins; unit 0 holds those shared by all units. Alternative body styles are left out."""
    found: dict[int, list[Pin]] = {}
    for unit in children(symbol, "symbol"):
        number, style = (int(part) for part in word(unit).split("_")[-2:])
        if style > 1:
            continue
        for pin in children(unit, "pin"):
            at = child(pin, "at")
            found.setdefault(number, []).append(
                Pin(
                    word(child(pin, "number")),
                    word(child(pin, "name")),
                    float(word(at, 1)),
                    float(word(at, 2)),
                    int(float(word(at, 3))),
                    word(pin),
                )
            )
    return found


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _at(x_mm: float, y_mm: float, angle_deg: float | None = None) -> Tree:
    return ["at", _number(x_mm), _number(y_mm), *([] if angle_deg is None else [_number(angle_deg)])]


def _font(size_mm: float = 1.27, *extra: "Tree | str", bold: bool = False) -> Tree:
    size: Tree = ["size", _number(size_mm), _number(size_mm)]
    font: Tree = ["font", size]
    if bold:
        font.append(["bold", "yes"])
    return ["effects", font, *extra]


def _field_offset_mm(library_id: str, *, turned: bool) -> dict[str, tuple[float, float]]:
    """Where reference and value of a small part go, from its middle; empty where the library's own places are good."""
    if library_id in ("Device:R", "Device:C", "Device:C_Polarized", "Device:LED", "Device:Polyfuse", "Device:D_Zener"):
        lying = library_id in ("Device:LED", "Device:D_Zener")
        if turned != lying:
            return {"Reference": (0, -2.8), "Value": (0, 2.9)}
        return {"Reference": (2.8, -1.1), "Value": (2.8, 1.1)}
    if library_id.startswith("Transistor") and turned:
        return {"Reference": (0, -8.2), "Value": (0, -6.0)}
    return {}


class Sheet:
    """One schematic sheet under construction."""

    def __init__(self, board: Board) -> None:
        """Begin an empty sheet for `board`."""
        self.board = board
        self.root = stable_uuid(board.name, "root")
        self.symbols: dict[str, Tree] = {}
        self.body: Tree = []
        self._power_count = 0
        self._drawn = {pin: wire.net for wire in board.drawn for pin in wire.pins()}
        self._ends: dict[tuple[str, str], tuple[float, float]] = {}

    def symbol_uuid(self, ref: str, unit: int) -> str:
        """Return the identifier of a placed unit."""
        return stable_uuid(self.board.name, ref, str(unit))

    def _symbol(self, library_id: str) -> Tree:
        return self.symbols.setdefault(library_id, load_symbol(library_id))

    def _instance(
        self,
        ref: str,
        library_id: str,
        place: OnSheet,
        value: str,
        footprint: str,
        *,
        hide_ref: bool,
        hide_value: bool,
        in_bom: bool,
    ) -> list[tuple[Pin, float, float, int]]:
        """Place one unit; return its pins with their places on the sheet and the direction away from the body."""
        symbol = self._symbol(library_id)
        x0_mm, y0_mm = place.column * GRID_MM, place.row * GRID_MM
        cosine, sine = _AXES[place.rotation_deg]

        def on_sheet(x_mm: float, y_mm: float) -> tuple[float, float]:
            return (
                round(x0_mm + x_mm * cosine - y_mm * sine, 2),
                round(y0_mm - (x_mm * sine + y_mm * cosine), 2),
            )

        by_unit = symbol_pins(symbol)
        pins = by_unit.get(place.unit, []) + by_unit.get(0, [])
        library_properties = _properties(symbol)

        def shown(name: str, text: str, hide: bool) -> Tree:
            source = library_properties[name]
            at = child(source, "at")
            x_mm, y_mm = on_sheet(float(word(at, 1)), float(word(at, 2)))
            # KiCad turns a field with its symbol, so a turned symbol needs the field turned back to read level.
            turned = place.rotation_deg in (90, 270)
            angle = (int(float(word(at, 3))) + (90 if turned else 0)) % 180
            effects = next(children(source, "effects"), _font())
            justify = list(children(effects, "justify"))
            offset = _field_offset_mm(library_id, turned=turned).get(name)
            if offset is not None:
                x_mm, y_mm, angle = round(x0_mm + offset[0], 2), round(y0_mm + offset[1], 2), 90 if turned else 0
                # KiCad mirrors the justification of some turns.
                level = "right" if place.rotation_deg in (90, 180) else "left"
                justify = [["justify", level]] if offset[0] else []
            extra: Tree = [*justify]
            if hide or list(children(effects, "hide")) or list(children(source, "hide")):
                extra.append(["hide", "yes"])
            return ["property", Text(name), Text(text), _at(x_mm, y_mm, angle), _font(1.27, *extra)]

        pin_list: Tree = []
        for pin in pins:
            identifier = stable_uuid(self.symbol_uuid(ref, place.unit), pin.number)
            pin_list.append(["pin", Text(pin.number), ["uuid", Text(identifier)]])
        self.body.append(
            [
                "symbol",
                ["lib_id", Text(library_id)],
                _at(x0_mm, y0_mm, place.rotation_deg),
                ["unit", str(place.unit)],
                ["exclude_from_sim", "no"],
                ["in_bom", "yes" if in_bom else "no"],
                ["on_board", "yes"],
                ["dnp", "no"],
                ["uuid", Text(self.symbol_uuid(ref, place.unit))],
                shown("Reference", ref, hide_ref),
                shown("Value", value, hide_value),
                shown("Footprint", footprint, True),
                shown("Datasheet", "~", True),
                *pin_list,
                [
                    "instances",
                    [
                        "project",
                        Text(self.board.name),
                        ["path", Text(f"/{self.root}"), ["reference", Text(ref)], ["unit", str(place.unit)]],
                    ],
                ],
            ]
        )
        return [(pin, *on_sheet(pin.x_mm, pin.y_mm), (pin.angle_deg + place.rotation_deg + 180) % 360) for pin in pins]

    def place(self, part: Part) -> None:
        """Draw all units of a part with the ends of their pins."""
        for place in part.sheet:
            ends = self._instance(
                part.ref,
                part.symbol,
                place,
                part.value,
                part.footprint,
                hide_ref=False,
                hide_value=part.sheet[-1] != place,  # once is enough for a chip of several gates
                in_bom=part.item is not None,
            )
            seen: set[tuple[float, float]] = set()
            for pin, x_mm, y_mm, outwards_deg in ends:
                # Stacked pins (the seven grounds of a Pico) share one end.
                if (x_mm, y_mm) not in seen:
                    seen.add((x_mm, y_mm))
                    self._end(part, pin, x_mm, y_mm, outwards_deg)

    def _end(self, part: Part, pin: Pin, x_mm: float, y_mm: float, outwards_deg: int) -> None:
        net = part.nets.get(pin.number)
        key = (part.ref, pin.number)
        if net is None:
            if pin.kind != "no_connect":
                mark = stable_uuid(self.board.name, *key, "open")
                self.body.append(["no_connect", _at(x_mm, y_mm), ["uuid", Text(mark)]])
            return
        dx, dy = _AXES[outwards_deg]
        x_end_mm, y_end_mm = round(x_mm + dx * _STUB_MM, 2), round(y_mm - dy * _STUB_MM, 2)
        self._wire(x_mm, y_mm, x_end_mm, y_end_mm, *key)
        self._ends[key] = (x_end_mm, y_end_mm)
        if key in self._drawn:
            return
        if net in POWER_NETS:
            upright_deg = 270 if net == "GND" else 90
            self._power(net, x_end_mm, y_end_mm, (outwards_deg - upright_deg) % 360)
            return
        self._label(net, x_end_mm, y_end_mm, outwards_deg, *key)

    def _label(self, net: str, x_mm: float, y_mm: float, outwards_deg: int, *key: str) -> None:
        side = "right" if outwards_deg in (180, 270) else "left"
        self.body.append(
            [
                "global_label",
                Text(net),
                ["shape", "passive"],
                _at(x_mm, y_mm, outwards_deg),
                ["fields_autoplaced", "yes"],
                _font(1.27, ["justify", side]),
                ["uuid", Text(stable_uuid(self.board.name, *key, "label"))],
            ]
        )

    def draw(self, wire: Drawn) -> None:
        """Draw a wire between pins that have been placed. Raises KeyError for one that has not."""
        places: list[tuple[float, float]] = []
        for one, other in wire.path:
            if isinstance(one, str):
                places.append(self._ends[one, str(other)])
                continue
            x_mm = places[-1][0] if one is None else round(one * GRID_MM, 2)
            y_mm = places[-1][1] if other is None else round(float(other) * GRID_MM, 2)
            places.append((x_mm, y_mm))
        for number, (start, end) in enumerate(itertools.pairwise(places)):
            if start[0] != end[0] and start[1] != end[1]:
                raise ValueError(f"{self.board.name}: the wire {wire.net} is not level from {start} to {end}")
            # A junction in the middle needs the wire to end there.
            cuts = [
                (x, y)
                for x, y in ((round(c * GRID_MM, 2), round(r * GRID_MM, 2)) for c, r in wire.junctions)
                if min(start[0], end[0]) <= x <= max(start[0], end[0])
                and min(start[1], end[1]) <= y <= max(start[1], end[1])
            ]
            stops = sorted({start, end, *cuts}, reverse=start > end)
            for piece, (a, b) in enumerate(itertools.pairwise(stops)):
                self._wire(*a, *b, "drawn", wire.net, f"{places[0]}", f"{number}.{piece}")
        for column, row in wire.junctions:
            key = stable_uuid(self.board.name, "junction", f"{column},{row}")
            self.body.append(["junction", _at(column * GRID_MM, row * GRID_MM), ["diameter", "0"],
                              ["color", "0", "0", "0", "0"], ["uuid", Text(key)]])  # fmt: skip
        if wire.flag is not None:
            column, row, angle = wire.flag
            self._label(wire.net, round(column * GRID_MM, 2), round(row * GRID_MM, 2), angle, "drawn", wire.net)

    def _wire(self, x0_mm: float, y0_mm: float, x1_mm: float, y1_mm: float, *key: str) -> None:
        points: Tree = ["pts", ["xy", _number(x0_mm), _number(y0_mm)], ["xy", _number(x1_mm), _number(y1_mm)]]
        stroke: Tree = ["stroke", ["width", "0"], ["type", "default"]]
        self.body.append(["wire", points, stroke, ["uuid", Text(stable_uuid(self.board.name, *key, "wire"))]])

    def _power(self, net: str, x_mm: float, y_mm: float, rotation_deg: int) -> None:
        self._power_count += 1
        place = OnSheet(x_mm / GRID_MM, y_mm / GRID_MM, rotation_deg)
        ref = f"#PWR{self._power_count:03}"
        self._instance(ref, f"power:{net}", place, net, "", hide_ref=True, hide_value=False, in_bom=True)

    def flag(self, net: str, column: float, row: float) -> None:
        """Tell the rule checker that `net` is fed from outside (through a connector or a fuse)."""
        self._power_count += 1
        ref = f"#FLG{self._power_count:03}"
        upside_down = 0 if net != "GND" else 180
        ends = self._instance(
            ref, "power:PWR_FLAG", OnSheet(column, row, upside_down), "PWR_FLAG", "",
            hide_ref=True, hide_value=True, in_bom=True,
        )  # fmt: skip
        _pin, x_mm, y_mm, _direction = ends[0]
        x_end_mm = round(x_mm + _STUB_MM, 2)
        self._wire(x_mm, y_mm, x_end_mm, y_mm, ref)
        if net in POWER_NETS:
            self._power(net, x_end_mm, y_mm, 0)
            return
        label = stable_uuid(self.board.name, ref, "label")
        self.body.append(
            ["global_label", Text(net), ["shape", "passive"], _at(x_end_mm, y_mm, 0), ["fields_autoplaced", "yes"],
             _font(1.27, ["justify", "left"]), ["uuid", Text(label)]]
        )  # fmt: skip

    def frame(self, frame: Frame) -> None:
        """Draw a dashed box with its title above and its note below."""
        left, top, right, bottom = (
            edge * GRID_MM for edge in (frame.left, frame.top, frame.right, frame.bottom)
        )  # fmt: skip
        self.body.append(
            [
                "rectangle",
                ["start", _number(left), _number(top)],
                ["end", _number(right), _number(bottom)],
                ["stroke", ["width", "0.2"], ["type", "dash"], ["color", "120", "120", "120", "1"]],
                ["fill", ["type", "none"]],
                ["uuid", Text(stable_uuid(self.board.name, "frame", frame.title))],
            ]
        )
        self._text(frame.title, left + 1.5, top + 4.2, 2.2, bold=True)
        for number, line in enumerate(reversed(frame.note.splitlines())):
            self._text(line, left + 1.5, bottom - 1.6 - 2.2 * number, 1.3, bold=False)

    def _text(self, text: str, x_mm: float, y_mm: float, size_mm: float, *, bold: bool) -> None:
        key = stable_uuid(self.board.name, "text", text, _number(x_mm), _number(y_mm))
        justify: Tree = ["justify", "left", "bottom"]
        self.body.append(
            ["text", Text(text), ["exclude_from_sim", "no"], _at(x_mm, y_mm, 0), _font(size_mm, justify, bold=bold),
             ["uuid", Text(key)]]
        )  # fmt: skip

    def document(self) -> str:
        """Return the whole file."""
        title: Tree = ["title_block", ["title", Text(self.board.title)], ["rev", Text(REVISION)],
                       ["date", Text(REVISION_DATE)], ["company", Text("Order tray")]]  # fmt: skip
        library: Tree = ["lib_symbols", *(self.symbols[key] for key in sorted(self.symbols))]
        tree: Tree = [
            "kicad_sch",
            ["version", "20250114"],
            ["generator", Text("ordertray_hardware")],
            ["generator_version", Text("9.0")],
            ["uuid", Text(self.root)],
            ["paper", Text(self.board.paper)],
            title,
            library,
            *self.body,
            ["sheet_instances", ["path", Text("/"), ["page", Text("1")]]],
            ["embedded_fonts", "no"],
        ]
        return dump(tree) + "\n"


def write_schematic(board: Board, path: Path) -> None:
    """Write the schematic of `board` to `path`. Raises KeyError if KiCad's libraries lack a symbol."""
    sheet = Sheet(board)
    for frame in board.frames:
        sheet.frame(frame)
    for part in board.parts:
        sheet.place(part)
    for wire in board.drawn:
        sheet.draw(wire)
    for net, column, row in board.flags:
        sheet.flag(net, column, row)
    path.write_text(sheet.document(), encoding="utf-8")
