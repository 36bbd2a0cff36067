"""Checks of a built board's copper that KiCad's rules do not model. Needs KiCad's `pcbnew` module.

They look at the copper itself, not at the keep-outs that were asked for: under metal parts and screws, rings, sharp
joints, and whether the wide tracks of a power net really lead from pad to pad.
"""

import math
from collections.abc import Iterable
from typing import Any, Final

import pcbnew

from ordertray_hardware.circuit import Board
from ordertray_hardware.layout import LAYERS, point, to_mm

RING_MM: Final = 0.2
SCREW_HEAD_MM: Final = 3.5
_STEP_MM: Final = 0.25
_LEGS_MM: Final = 3.9
"""Of a TO-220 lying on its back, what is nearer to the middle of its pads than this is legs, not metal."""
_METAL: Final = "TO-220-3_Horizontal_TabDown"

Point = tuple[float, float]


def _grid(left: float, top: float, right: float, bottom: float) -> Iterable[Point]:
    for row in range(int((bottom - top) / _STEP_MM) + 1):
        for column in range(int((right - left) / _STEP_MM) + 1):
            yield left + column * _STEP_MM, top + row * _STEP_MM


def copper_at(made: Any, layer: int, place: Point) -> str:
    """What copper lies at a place of a layer: a net, or "" for none. Pads are not looked at."""
    where = point(*place)
    for zone in made.Zones():
        if not zone.GetIsRuleArea() and zone.IsOnLayer(layer) and zone.HitTestFilledArea(layer, where):
            return f"pour of {zone.GetNetname()}"
    for track in made.GetTracks():
        if track.IsOnLayer(layer) and track.HitTest(where):
            return f"track of {track.GetNetname()}"
    return ""


def under_metal(made: Any) -> list[str]:
    """Copper on the front below the metal backs of lying transistors, and on both layers around screws."""
    found = []
    for footprint in made.GetFootprints():
        name = str(footprint.GetFPID().GetLibItemName())
        ref = str(footprint.GetReference())
        if name == _METAL:
            pads = [to_mm(pad.GetPosition()) for pad in footprint.Pads() if pad.GetNumber()]
            hole = next(to_mm(pad.GetPosition()) for pad in footprint.Pads() if not pad.GetNumber())
            xs, ys = [], []
            for item in footprint.GraphicalItems():
                if item.GetLayer() == pcbnew.F_Fab and item.GetClass() == "PCB_SHAPE":
                    box = item.GetBoundingBox()
                    for corner in (to_mm(box.GetPosition()), to_mm(box.GetEnd())):
                        xs.append(corner[0])
                        ys.append(corner[1])
            middle = pads[1]
            length = math.dist(middle, hole)
            along = ((hole[0] - middle[0]) / length, (hole[1] - middle[1]) / length)
            for place in _grid(min(xs), min(ys), max(xs), max(ys)):
                far = (place[0] - middle[0]) * along[0] + (place[1] - middle[1]) * along[1]
                if far > _LEGS_MM and (what := copper_at(made, pcbnew.F_Cu, place)):
                    found.append(f"{ref}: {what} below the metal at {place[0]:.2f}, {place[1]:.2f}")
                    break
            found += _around(made, ref, hole, LAYERS)
        elif name.startswith("MountingHole"):
            found += _around(made, ref, to_mm(footprint.GetPosition()), LAYERS)
    return found


def _around(made: Any, ref: str, middle: Point, layers: Iterable[int]) -> list[str]:
    r = SCREW_HEAD_MM
    for layer in layers:
        for place in _grid(middle[0] - r, middle[1] - r, middle[0] + r, middle[1] + r):
            if math.dist(place, middle) <= r and (what := copper_at(made, layer, place)):
                side = "front" if layer == pcbnew.F_Cu else "back"
                return [f"{ref}: {what} on the {side} below the screw at {place[0]:.2f}, {place[1]:.2f}"]
    return []


def thin_rings(made: Any, least_mm: float = RING_MM) -> list[str]:
    """Plated holes whose ring of copper is thinner than a cheap board house advises."""
    found = []
    for pad in made.GetPads():
        if pad.GetAttribute() == pcbnew.PAD_ATTRIB_PTH:
            size, drill = pad.GetSize(), pad.GetDrillSize()
            ring = min(size.x - drill.x, size.y - drill.y) / 2
            if pcbnew.ToMM(ring) < least_mm - 1e-6:
                found.append(f"{pad.GetParentFootprint().GetReference()} {pad.GetNumber()}: {pcbnew.ToMM(ring):.3f} mm")
    for track in made.GetTracks():
        if track.GetClass() == "PCB_VIA":
            ring = (track.GetWidth(pcbnew.F_Cu) - track.GetDrillValue()) / 2
            if pcbnew.ToMM(ring) < least_mm - 1e-6:
                found.append(f"via of {track.GetNetname()}: {pcbnew.ToMM(ring):.3f} mm")
    return found


def sharp_joints(made: Any) -> list[str]:
    """Places away from pads and vias where two tracks of a net meet at less than a right angle."""
    ends: dict[tuple[str, int, int, int], list[Point]] = {}
    vias = set()
    for track in made.GetTracks():
        if track.GetClass() == "PCB_VIA":
            vias.add((track.GetPosition().x, track.GetPosition().y))
            continue
        start, end = track.GetStart(), track.GetEnd()
        for here, there in ((start, end), (end, start)):
            key = (str(track.GetNetname()), track.GetLayer(), here.x, here.y)
            ends.setdefault(key, []).append((there.x - here.x, there.y - here.y))
    pads = list(made.GetPads())
    found = []
    for (net, layer, x, y), ways in sorted(ends.items()):
        if len(ways) < 2 or (x, y) in vias:
            continue
        here = pcbnew.VECTOR2I(x, y)
        if any(pad.IsOnLayer(layer) and pad.HitTest(here) for pad in pads):
            continue
        for index, one in enumerate(ways):
            for other in ways[index + 1 :]:
                cosine = (one[0] * other[0] + one[1] * other[1]) / (math.hypot(*one) * math.hypot(*other))
                if cosine > 0.02:
                    place = to_mm(here)
                    angle = math.degrees(math.acos(min(1.0, cosine)))
                    found.append(f"{net} at {place[0]:.2f}, {place[1]:.2f}: {angle:.0f} degrees")
    return found


def broken_power_paths(board: Board, made: Any) -> list[str]:
    """Power nets whose wide pads are not all joined by tracks of the asked-for width alone."""
    found = []
    for net, width_mm in board.track_widths_mm.items():
        if net == "GND":
            continue  # poured on both sides
        pads = [pad for pad in made.GetPads() if pad.GetNetname() == net]
        pads = [
            pad
            for pad in pads
            if (str(pad.GetParentFootprint().GetReference()), str(pad.GetNumber())) not in board.thin_pins
        ]
        tracks = [
            track
            for track in made.GetTracks()
            if track.GetNetname() == net
            and (track.GetClass() == "PCB_VIA" or pcbnew.ToMM(track.GetWidth()) >= width_mm - 1e-6)
        ]
        things = [*pads, *tracks]
        group = list(range(len(things)))

        def root(index: int, group: list[int] = group) -> int:
            while group[index] != index:
                index = group[index]
            return index

        for index, track in enumerate(tracks, len(pads)):
            places = [track.GetPosition()] if track.GetClass() == "PCB_VIA" else [track.GetStart(), track.GetEnd()]
            for other, thing in enumerate(things):
                if other != index and any(
                    thing.HitTest(place) and (thing.IsOnLayer(track.GetLayer()) or track.GetClass() == "PCB_VIA")
                    for place in places
                ):
                    group[root(index)] = root(other)
        if len({root(index) for index in range(len(pads))}) > 1:
            apart = sorted(f"{pad.GetParentFootprint().GetReference()}.{pad.GetNumber()}" for pad in pads)
            found.append(f"{net}: {', '.join(apart)} are not joined by {width_mm} mm")
    return found


def far_capacitors(made: Any, most_mm: float = 12.0) -> list[str]:
    """Chips whose supply pin has no 100 nF pad of the same net within reach."""
    found = []
    pads = list(made.GetPads())
    for footprint in made.GetFootprints():
        if str(footprint.GetValue()) not in ("74AHCT125", "74HC595"):
            continue
        supply = max((pad for pad in footprint.Pads()), key=lambda pad: int(pad.GetNumber()))
        near = min(
            math.dist(to_mm(pad.GetPosition()), to_mm(supply.GetPosition()))
            for pad in pads
            if pad.GetNetname() == supply.GetNetname() and str(pad.GetParentFootprint().GetValue()) == "100n"
        )
        if near > most_mm:
            found.append(f"{footprint.GetReference()}: nearest 100 nF is {near:.1f} mm away")
    return found
