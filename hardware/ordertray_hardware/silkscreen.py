"""Finds a readable place on the silkscreen for every reference and label. Needs KiCad's `pcbnew` module.

Each text tries the places around its part, nearest first, and takes the first that touches no pad, no other text, no
drawing of a footprint and not the edge.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pcbnew

from ordertray_hardware.circuit import Board, Part, pin_label

_AROUND: Final = sorted(
    ((dx / 4, dy / 4) for dx in range(-12, 13) for dy in range(-12, 13)), key=lambda step: (math.hypot(*step), step)
)
"""A legend may give way by as much as 3 mm."""
Box = tuple[float, float, float, float]
_MARGIN_MM: Final = 0.15
_SIZE_MM: Final = 0.9
_PIN_SIZE_MM: Final = 0.8
_STROKE: Final = 0.15
_TELLS_ITSELF: Final = ("buttons", "to the carrier", "to the Raspberry Pi", "passes the header on")
"""Connectors without words beside their pins: a ribbon with a key joins them, no wire is put on by hand."""
_LARGE_MM: Final = 12.0
_BODY_MM: Final = 6.5
"""Room between the outlines of a quarter watt resistor's ends."""
_SILK: Final = (pcbnew.F_SilkS, pcbnew.B_SilkS)


@dataclass(slots=True)
class Surface:
    """The boxes that are taken on one side's silkscreen, in board mm."""

    width_mm: float
    height_mm: float
    taken: list[Box] = field(default_factory=list)

    def free(self, box: Box) -> bool:
        """Whether a box lies on the board and touches nothing."""
        left, top, right, bottom = box
        edge = 0.6
        if left < edge or top < edge or right > self.width_mm - edge or bottom > self.height_mm - edge:
            return False
        return not any(
            left < other[2] and right > other[0] and top < other[3] and bottom > other[1] for other in self.taken
        )


@dataclass(slots=True)
class Printer:
    """What all placements share: the board, both sides' surfaces, and KiCad's coordinates."""

    made: Any
    surfaces: tuple[Surface, Surface]
    point: Callable[[float, float], Any]
    to_mm: Callable[[Any], tuple[float, float]]

    def box_of(self, item: Any, grow_mm: float = _MARGIN_MM) -> Box:
        """The box around an item, a margin wider."""
        box = item.GetBoundingBox()
        low, high = self.to_mm(box.GetPosition()), self.to_mm(box.GetEnd())
        return low[0] - grow_mm, low[1] - grow_mm, high[0] + grow_mm, high[1] + grow_mm

    def text(self, words: str, size_mm: float, angle_deg: float, *, back: bool = False) -> Any:
        """Add a text; it still has to be placed."""
        text = pcbnew.PCB_TEXT(self.made)
        text.SetText(words)
        text.SetLayer(pcbnew.B_SilkS if back else pcbnew.F_SilkS)
        text.SetMirrored(back)
        _style(text, size_mm)
        text.SetTextAngleDegrees(angle_deg)
        self.made.Add(text)
        return text


def place_texts(
    board: Board, made: Any, point: Callable[[float, float], Any], to_mm: Callable[[Any], tuple[float, float]]
) -> None:
    """Put references, values and legends on the silkscreen of a placed and routed board."""
    surfaces = (Surface(board.width_mm, board.height_mm), Surface(board.width_mm, board.height_mm))
    printer = Printer(made, surfaces, point, to_mm)
    for pad in made.GetPads():
        for surface in surfaces:
            surface.taken.append(printer.box_of(pad, 0.2))
    for footprint in made.GetFootprints():
        for item in footprint.GraphicalItems():
            if item.GetLayer() in _SILK:
                surfaces[_SILK.index(item.GetLayer())].taken += _stroke_boxes(item, to_mm)
    for place in board.polarity_marks:
        surfaces[0].taken.append(_polarity(made, place, point))
    for legend in board.legends:
        text = printer.text(legend.text, legend.height_mm, legend.rotation_deg, back=legend.back)
        surface = surfaces[legend.back]
        for dx, dy in _AROUND:
            text.SetPosition(point(legend.x_mm + dx, legend.y_mm + dy))
            box = printer.box_of(text)
            if surface.free(box):
                surface.taken.append(box)
                break
        else:
            raise ValueError(f"{board.name}: the legend {legend.text!r} does not fit where it is to stand")
    footprints = {str(footprint.GetReference()): footprint for footprint in made.GetFootprints()}
    for part in board.parts:
        if part.symbol.startswith("Connector:TestPoint"):
            _beside(part, footprints[part.ref], printer)
    for part in board.parts:
        if (
            part.symbol.startswith("Connector_Generic:Conn_0") and not part.value.startswith(_TELLS_ITSELF)
        ) or part.symbol.endswith("Screw_Terminal_01x03"):
            _name_pins(part, footprints[part.ref], printer)
    for part in board.parts:
        footprint = footprints[part.ref]
        reference = footprint.Reference()
        if part.ref.startswith(("H", "TP")) or part.ref in board.unnamed:
            reference.SetVisible(False)
        elif part.symbol == "Device:R" or "TO-92" in part.footprint:
            _as_a_pair(part, footprint, printer)
            continue
        else:
            _style(reference, _SIZE_MM)
            _seek(reference, footprint, printer, back=part.board.back)
        if part.silk and not part.symbol.startswith("Connector:TestPoint"):
            label = printer.text(part.silk, _SIZE_MM, 0, back=part.board.back)
            _seek(label, footprint, printer, back=part.board.back)


def _polarity(made: Any, place: tuple[float, float], point: Callable[[float, float], Any]) -> Box:
    """Draw the sign of a plug with its plus in the middle; return the box it takes."""
    x, y = place
    r, reach = 1.0, 3.3
    lines = [
        ((x - reach + r, y), (x - 0.9, y)), ((x, y), (x + reach - r, y)),
        ((x - reach - 0.6, y), (x - reach + 0.6, y)), ((x + reach - 0.6, y), (x + reach + 0.6, y)),
        ((x + reach, y - 0.6), (x + reach, y + 0.6)),
    ]  # fmt: skip
    for start, end in lines:
        line = pcbnew.PCB_SHAPE(made, pcbnew.SHAPE_T_SEGMENT)
        line.SetStart(point(*start))
        line.SetEnd(point(*end))
        _add_line(made, line)
    for middle, radius in (((x - reach, y), r), ((x + reach, y), r), ((x, y), 0.25)):
        circle = pcbnew.PCB_SHAPE(made, pcbnew.SHAPE_T_CIRCLE)
        circle.SetCenter(point(*middle))
        circle.SetEnd(point(middle[0] + radius, middle[1]))
        _add_line(made, circle)
    arc = pcbnew.PCB_SHAPE(made, pcbnew.SHAPE_T_ARC)
    arc.SetArcGeometry(point(x + 0.6, y - 0.65), point(x - 0.9, y), point(x + 0.6, y + 0.65))
    _add_line(made, arc)
    return x - reach - r - 0.2, y - r - 0.2, x + reach + r + 0.2, y + r + 0.2


def _add_line(made: Any, shape: Any) -> None:
    shape.SetLayer(pcbnew.F_SilkS)
    shape.SetWidth(pcbnew.FromMM(_STROKE))
    made.Add(shape)


def _stroke_boxes(item: Any, to_mm: Callable[[Any], tuple[float, float]]) -> list[Box]:
    """Boxes along a drawn line (a whole box around a circle or an outline would forbid its inside)."""
    if item.GetClass() == "PCB_SHAPE" and item.GetShape() == pcbnew.SHAPE_T_SEGMENT:
        half = pcbnew.ToMM(item.GetWidth()) / 2 + _MARGIN_MM
        (x0, y0), (x1, y1) = to_mm(item.GetStart()), to_mm(item.GetEnd())
        pieces = max(1, int(max(abs(x1 - x0), abs(y1 - y0)) / 1.0))
        boxes = []
        for index in range(pieces):
            ax, ay = x0 + (x1 - x0) * index / pieces, y0 + (y1 - y0) * index / pieces
            bx, by = x0 + (x1 - x0) * (index + 1) / pieces, y0 + (y1 - y0) * (index + 1) / pieces
            boxes.append((min(ax, bx) - half, min(ay, by) - half, max(ax, bx) + half, max(ay, by) + half))
        return boxes
    box = item.GetBoundingBox()
    low, high = to_mm(box.GetPosition()), to_mm(box.GetEnd())
    return [(low[0] - _MARGIN_MM, low[1] - _MARGIN_MM, high[0] + _MARGIN_MM, high[1] + _MARGIN_MM)]


def _style(text: Any, size_mm: float) -> None:
    text.SetTextSize(pcbnew.VECTOR2I_MM(size_mm, size_mm))
    text.SetTextThickness(pcbnew.FromMM(_STROKE))
    text.SetHorizJustify(pcbnew.GR_TEXT_H_ALIGN_CENTER)
    text.SetVertJustify(pcbnew.GR_TEXT_V_ALIGN_CENTER)
    text.SetKeepUpright(False)


def _beside(part: Part, footprint: Any, printer: Printer) -> None:
    """Write a test point's word level with its pad and right beside it: no neighbour can claim it."""
    (pad,) = footprint.Pads()
    x, y = printer.to_mm(pad.GetPosition())
    for size_mm in (_SIZE_MM, _PIN_SIZE_MM):
        text = printer.text(part.silk, size_mm, 0)
        box = printer.box_of(text)
        half = (box[2] - box[0]) / 2
        for sign in (1, -1):
            for gap in (1.16, 1.3, 1.6):
                text.SetPosition(printer.point(x + sign * (gap + half), y))
                box = printer.box_of(text)
                if printer.surfaces[0].free(box):
                    printer.surfaces[0].taken.append(box)
                    return
        printer.made.Delete(text)
    raise ValueError(f"no room on the silkscreen beside {part.ref} for {part.silk!r}")


def _as_a_pair(part: Part, footprint: Any, printer: Printer) -> None:
    """Print name and value side by side: into a resistor's outline, above or below a small transistor.

    Close rows of parts leave no room between them for two words, and a word between two rows may be either's.
    """
    reference = footprint.Reference()
    _style(reference, _PIN_SIZE_MM)
    value = printer.text(part.silk, _PIN_SIZE_MM, 0)
    pads = [printer.to_mm(pad.GetPosition()) for pad in footprint.Pads()]
    (x0, y0), (x1, y1) = pads[0], pads[-1]
    middle_x, middle_y = (x0 + x1) / 2, (y0 + y1) / 2
    upright = abs(y1 - y0) > abs(x1 - x0)
    sizes = []
    for text in (reference, value):
        text.SetTextAngleDegrees(0)
        box = printer.box_of(text, 0.0)
        sizes.append((box[2] - box[0], box[3] - box[1]))
    gap = 0.3
    width = sizes[0][0] + gap + sizes[1][0]
    shifts = (-width / 2 + sizes[0][0] / 2, width / 2 - sizes[1][0] / 2)
    resistor = part.symbol == "Device:R"
    if resistor and width > _BODY_MM:
        raise ValueError(f"{part.ref} {part.silk} is too long for the outline of a resistor")
    court = footprint.GetCourtyard(pcbnew.F_CrtYd).BBox()
    top, bottom = printer.to_mm(court.GetPosition())[1], printer.to_mm(court.GetEnd())[1]
    half = sizes[0][1] / 2
    steps = [0.05 * step - 0.4 for step in range(30)]
    aways = [end for step in steps for end in (bottom + half + step - middle_y, top - half - step - middle_y)]
    for away in (0.0,) if resistor else aways:
        boxes = []
        for text, shift in zip((reference, value), shifts, strict=True):
            text.SetTextAngleDegrees(90 if upright else 0)
            place = (middle_x, middle_y - shift) if upright else (middle_x + shift, middle_y + away)
            text.SetPosition(printer.point(*place))
            boxes.append(printer.box_of(text, 0.0))
        if resistor or all(printer.surfaces[0].free(box) for box in boxes):
            printer.surfaces[0].taken += boxes
            return
    _seek(reference, footprint, printer, back=False)
    _seek(value, footprint, printer, back=False)


def _seek(text: Any, footprint: Any, printer: Printer, *, back: bool) -> None:
    """Move a text to the best free place around its footprint."""
    court = footprint.GetCourtyard(pcbnew.B_CrtYd if back else pcbnew.F_CrtYd).BBox()
    (left, top), (right, bottom) = printer.to_mm(court.GetPosition()), printer.to_mm(court.GetEnd())
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    surface = printer.surfaces[back]
    for size_mm, angle in ((_SIZE_MM, 0), (_PIN_SIZE_MM, 0), (_SIZE_MM, 90), (_PIN_SIZE_MM, 90)):
        _style(text, size_mm)
        text.SetTextAngleDegrees(angle)
        text.SetPosition(printer.point(0, 0))
        box = printer.box_of(text)
        half_width, half_height = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
        spots = [(middle_x, middle_y)]
        if min(right - left, bottom - top) > _LARGE_MM:
            # A large body has room for its second word in its outer thirds.
            third_x, third_y = ((right - left) / 3, 0.0) if right - left > bottom - top else (0.0, (bottom - top) / 3)
            spots += [(middle_x + sign * third_x, middle_y + sign * third_y) for sign in (-1, 1)]
        for gap in (0.1, -0.25, 0.6, 1.2, 1.8):
            for slide in (0.0, -0.25, 0.25, -0.5, 0.5):
                x, y = middle_x + slide * (right - left), middle_y + slide * (bottom - top)
                spots += [
                    (x, top - half_height - gap), (x, bottom + half_height + gap),
                    (left - half_width - gap, y), (right + half_width + gap, y),
                ]  # fmt: skip
        for x, y in spots:
            text.SetPosition(printer.point(x, y))
            box = printer.box_of(text)
            if surface.free(box):
                surface.taken.append(box)
                return
    raise ValueError(f"no room on the silkscreen for {text.GetText()!r} beside {footprint.GetReference()}")


def _name_pins(part: Part, footprint: Any, printer: Printer) -> None:
    """Write the short name of each pin of a connector beside it, on the side away from its body."""
    pads = {str(pad.GetNumber()): printer.to_mm(pad.GetPosition()) for pad in footprint.Pads()}
    if "Conn_02x" in part.symbol:
        _two_rows(part, pads, printer)
        return
    back = part.board.back
    surface = printer.surfaces[back]
    numbers = list(part.nets)
    (x0, y0), (x1, y1) = pads[numbers[0]], pads[numbers[-1]]
    upright = abs(y1 - y0) > abs(x1 - x0)
    pitch_mm = max(abs(y1 - y0), abs(x1 - x0)) / (len(numbers) - 1)
    labels = [
        (
            printer.text(pin_label(part.nets[number]), _PIN_SIZE_MM, 0 if upright or pitch_mm > 4 else 90, back=back),
            *pads[number],
        )
        for number in numbers
    ]
    # All labels of a connector in one line: the nearest distance at which every one of them has room.
    for gap in (1.1 + 0.25 * step for step in range(40)):
        for sign in (-1, 1):
            boxes = []
            for text, x, y in labels:
                box = printer.box_of(text)
                reach = (box[2] - box[0]) / 2 if upright else (box[3] - box[1]) / 2
                spot = (x + sign * (gap + reach), y) if upright else (x, y + sign * (gap + reach))
                text.SetPosition(printer.point(*spot))
                boxes.append(printer.box_of(text))
            if all(surface.free(box) for box in boxes):
                surface.taken += boxes
                return
    raise ValueError(f"no room on the silkscreen for the pins of {part.ref}")


def _two_rows(part: Part, pads: dict[str, tuple[float, float]], printer: Printer) -> None:
    """Name the pins of a shrouded header on the open side of its pads: a line for each pair, the odd pin first."""
    (x1, y1), (x2, y2), (x9, y9) = pads["1"], pads["2"], pads["9"]
    upright = abs(y9 - y1) > abs(x9 - x1)
    side = (x1 - x2, y1 - y2)
    length = max(abs(side[0]), abs(side[1]))
    away = (side[0] / length, side[1] / length)
    back = part.board.back
    surface = printer.surfaces[back]
    labels = []
    for number in ("1", "3", "5", "7", "9"):
        pair = [pin_label(part.nets[one]) if one in part.nets else "-" for one in (number, str(int(number) + 1))]
        text = printer.text(" ".join(pair), _PIN_SIZE_MM, 0 if upright else 90, back=back)
        labels.append((text, *pads[number]))
    for gap in (1.1 + 0.25 * step for step in range(24)):
        boxes = []
        for text, x, y in labels:
            box = printer.box_of(text)
            reach = (box[2] - box[0]) / 2 if upright else (box[3] - box[1]) / 2
            text.SetPosition(printer.point(x + away[0] * (gap + reach), y + away[1] * (gap + reach)))
            boxes.append(printer.box_of(text))
        if all(surface.free(box) for box in boxes):
            surface.taken += boxes
            return
    raise ValueError(f"no room on the silkscreen for the pins of {part.ref}")
