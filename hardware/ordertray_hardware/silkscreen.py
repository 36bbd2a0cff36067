"""Finds a readable place on the silkscreen for every reference and label. Needs KiCad's `pcbnew` module.

Each text tries the places around its part, nearest first, and takes the first that touches no pad, no other text, no
drawing of a footprint and not the edge.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pcbnew

from ordertray_hardware.circuit import Board, Part

Box = tuple[float, float, float, float]
_MARGIN_MM: Final = 0.15
_SIZE_MM: Final = 0.9
_PIN_SIZE_MM: Final = 0.8
_STROKE: Final = 0.15


@dataclass(slots=True)
class Surface:
    """The boxes that are taken on the front silkscreen, in board mm."""

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


def place_texts(
    board: Board, made: Any, point: Callable[[float, float], Any], to_mm: Callable[[Any], tuple[float, float]]
) -> None:
    """Put references, values and legends on the silkscreen of a placed and routed board."""
    surface = Surface(board.width_mm, board.height_mm)

    def box_of(item: Any, grow_mm: float = _MARGIN_MM) -> Box:
        box = item.GetBoundingBox()
        low, high = to_mm(box.GetPosition()), to_mm(box.GetEnd())
        return low[0] - grow_mm, low[1] - grow_mm, high[0] + grow_mm, high[1] + grow_mm

    for pad in made.GetPads():
        surface.taken.append(box_of(pad, 0.2))
    for footprint in made.GetFootprints():
        for item in footprint.GraphicalItems():
            if item.GetLayer() == pcbnew.F_SilkS:
                surface.taken += _stroke_boxes(item, to_mm)
    for legend in board.legends:
        text = _text(made, legend.text, legend.height_mm, legend.rotation_deg)
        text.SetPosition(point(legend.x_mm, legend.y_mm))
        surface.taken.append(box_of(text))
    footprints = {str(footprint.GetReference()): footprint for footprint in made.GetFootprints()}
    for part in board.parts:
        if part.symbol.startswith("Connector_Generic:Conn_01x") or part.symbol.endswith("Screw_Terminal_01x03"):
            _name_pins(part, made, footprints[part.ref], surface, point, to_mm, box_of)
    for part in board.parts:
        footprint = footprints[part.ref]
        reference = footprint.Reference()
        if part.ref.startswith(("H", "TP")) or part.ref in board.unnamed:
            reference.SetVisible(False)
        else:
            _style(reference, _SIZE_MM)
            _seek(reference, footprint, surface, point, to_mm, box_of)
        if part.silk:
            label = _text(made, part.silk, _SIZE_MM, 0)
            _seek(label, footprint, surface, point, to_mm, box_of)


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


def _text(made: Any, words: str, size_mm: float, angle_deg: float) -> Any:
    text = pcbnew.PCB_TEXT(made)
    text.SetText(words)
    text.SetLayer(pcbnew.F_SilkS)
    _style(text, size_mm)
    text.SetTextAngleDegrees(angle_deg)
    made.Add(text)
    return text


def _seek(
    text: Any,
    footprint: Any,
    surface: Surface,
    point: Callable[[float, float], Any],
    to_mm: Callable[[Any], tuple[float, float]],
    box_of: Callable[[Any], Box],
) -> None:
    """Move a text to the best free place around its footprint; hide it where there is none."""
    court = footprint.GetCourtyard(pcbnew.F_CrtYd).BBox()
    (left, top), (right, bottom) = to_mm(court.GetPosition()), to_mm(court.GetEnd())
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    for angle in (0, 90):
        text.SetTextAngleDegrees(angle)
        text.SetPosition(point(0, 0))
        box = box_of(text)
        half_width, half_height = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
        spots = [(middle_x, middle_y)]
        for gap in (0.1, 0.6, 1.2, 1.8):
            for slide in (0.0, -0.25, 0.25, -0.5, 0.5):
                x, y = middle_x + slide * (right - left), middle_y + slide * (bottom - top)
                spots += [
                    (x, top - half_height - gap), (x, bottom + half_height + gap),
                    (left - half_width - gap, y), (right + half_width + gap, y),
                ]  # fmt: skip
        for x, y in spots:
            text.SetPosition(point(x, y))
            box = box_of(text)
            if surface.free(box):
                surface.taken.append(box)
                return
    raise ValueError(f"no room on the silkscreen for {text.GetText()!r} beside {footprint.GetReference()}")


def _name_pins(
    part: Part,
    made: Any,
    footprint: Any,
    surface: Surface,
    point: Callable[[float, float], Any],
    to_mm: Callable[[Any], tuple[float, float]],
    box_of: Callable[[Any], Box],
) -> None:
    """Write the short name of each pin of a connector beside it, on the side away from its body."""
    pads = {str(pad.GetNumber()): to_mm(pad.GetPosition()) for pad in footprint.Pads()}
    numbers = list(part.nets)
    (x0, y0), (x1, y1) = pads[numbers[0]], pads[numbers[-1]]
    upright = abs(y1 - y0) > abs(x1 - x0)
    pitch_mm = max(abs(y1 - y0), abs(x1 - x0)) / (len(numbers) - 1)
    labels = [
        (_text(made, pin_label(part.nets[number]), _PIN_SIZE_MM, 0 if upright or pitch_mm > 4 else 90), *pads[number])
        for number in numbers
    ]
    # All labels of a connector in one line: the nearest distance at which every one of them has room.
    for gap in (1.1 + 0.25 * step for step in range(40)):
        for sign in (-1, 1):
            boxes = []
            for text, x, y in labels:
                box = box_of(text)
                reach = (box[2] - box[0]) / 2 if upright else (box[3] - box[1]) / 2
                spot = (x + sign * (gap + reach), y) if upright else (x, y + sign * (gap + reach))
                text.SetPosition(point(*spot))
                boxes.append(box_of(text))
            if all(surface.free(box) for box in boxes):
                surface.taken += boxes
                return
    raise ValueError(f"no room on the silkscreen for the pins of {part.ref}")


def pin_label(net: str) -> str:
    """The word printed beside a pin: the net without its side and without what the connector itself tells."""
    for prefix in ("A_", "B_", "READER_", "SPI_", "UART_"):
        net = net.removeprefix(prefix)
    return net.lstrip("+")
