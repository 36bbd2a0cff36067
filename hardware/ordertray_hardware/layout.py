"""Makes a routed KiCad board from a `Board` and the netlist of its schematic. Needs KiCad's `pcbnew` module."""

import json
import zlib
from pathlib import Path
from typing import Any, Final

import pcbnew

from ordertray_hardware.circuit import CLEARANCE_MM, TRACK_MM, VIA_HOLE_MM, VIA_MM, Board
from ordertray_hardware.router import Obstacle, Router, Rules, Shape, Terminal, net_of
from ordertray_hardware.sexpr import child, children, parse, word
from ordertray_hardware.silkscreen import place_texts

FOOTPRINTS: Final = Path("/usr/share/kicad/footprints")
LAYERS: Final = (pcbnew.F_Cu, pcbnew.B_Cu)
ORIGIN_MM: Final = (40.0, 40.0)
"""Where the board's corner lies on KiCad's page."""
EDGE_MM: Final = 0.5
_ZONE_INSET_MM: Final = 0.5
_ZONE_CLEARANCE_MM: Final = 0.3
_STITCH_MM: Final = 7.62


def point(x_mm: float, y_mm: float) -> Any:
    """Board millimetres to KiCad's units."""
    return pcbnew.VECTOR2I_MM(ORIGIN_MM[0] + x_mm, ORIGIN_MM[1] + y_mm)


def to_mm(vector: Any) -> tuple[float, float]:
    """KiCad's units to board millimetres."""
    return pcbnew.ToMM(vector.x) - ORIGIN_MM[0], pcbnew.ToMM(vector.y) - ORIGIN_MM[1]


def make_board(board: Board, netlist: Path, target: Path) -> dict[str, Any]:
    """Place, route and pour `board`; write the .kicad_pcb and return a report for the tests and the case.

    The netlist (KiCad's own export of the schematic) is the source of nets and of the links between symbols and
    footprints, so that the board can only be what the schematic says. Raises UnroutableError.
    """
    pcbnew.KIID.SeedGenerator(zlib.crc32(board.name.encode()))
    made = pcbnew.BOARD()
    nets = parse(netlist.read_text(encoding="utf-8"))
    pads = _place(board, made, nets)
    _outline(board, made)
    _forbid(board, made)
    router = Router(
        board.width_mm,
        board.height_mm,
        Rules(board.route_grid_mm, TRACK_MM, CLEARANCE_MM + 0.01, VIA_MM, VIA_HOLE_MM, EDGE_MM + 0.05),
        board.track_widths_mm,
    )
    terminals = _fill_router(board, made, router)
    for keepout in board.keepouts:
        low, high = (keepout.left_mm, keepout.top_mm), (keepout.right_mm, keepout.bottom_mm)
        router.add_keepout(keepout.layers, Shape(low, high, box=True))
    routes = router.route_all(terminals, poured="GND")
    for entry, route in routes.items():
        net = net_of(entry)
        width_mm = board.track_widths_mm.get(entry, TRACK_MM)
        for layer, start, end in route.tracks:
            _track(made, net, layer, start, end, width_mm)
        for place in route.vias:
            _via(made, net, place)
    stitches = _stitch(board, made, router)
    for part in board.parts:
        for number in part.solid_ground:
            for pad in pads[part.ref, number]:
                pad.SetLocalZoneConnection(pcbnew.ZONE_CONNECTION_FULL)
    _pour(board, made)
    place_texts(board, made, point, to_mm)
    # Filling needs the project's rules, which come only with a board that was loaded from its file.
    pcbnew.SaveBoard(str(target), made, True)
    made = pcbnew.LoadBoard(str(target))
    pcbnew.ZONE_FILLER(made).Fill(made.Zones())
    stitches -= _drop_lonely(made, stitches)
    pcbnew.ZONE_FILLER(made).Fill(made.Zones())
    pcbnew.SaveBoard(str(target), made, True)
    report = {
        "name": board.name,
        "width_mm": board.width_mm,
        "height_mm": board.height_mm,
        "nets": len(terminals),
        "tracks": sum(len(route.tracks) for route in routes.values()),
        "vias": sum(len(route.vias) for route in routes.values()) + len(stitches),
        "narrowest_mm": _narrowest(made),
        "parts": _envelopes(board, made),
        "holes": [to_mm(f.GetPosition()) for f in made.GetFootprints() if f.GetReference().startswith("H")],
    }
    target.with_suffix(".json").write_text(json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return report


def _place(board: Board, made: Any, nets: Any) -> dict[tuple[str, str], list[Any]]:
    pads: dict[tuple[str, str], list[Any]] = {}
    loaded: dict[str, Any] = {}
    for entry in children(child(nets, "components"), "comp"):
        part = board.part(word(child(entry, "ref")))
        library, name = part.footprint.split(":")
        # Reading a library takes a tenth of a second: once is enough.
        if part.footprint not in loaded:
            loaded[part.footprint] = pcbnew.FootprintLoad(str(FOOTPRINTS / f"{library}.pretty"), name)
        if loaded[part.footprint] is None:
            raise KeyError(f"KiCad's libraries have no footprint {part.footprint}")
        footprint = pcbnew.Cast_to_FOOTPRINT(loaded[part.footprint].Duplicate())
        footprint.SetFPID(pcbnew.LIB_ID(library, name))
        footprint.SetReference(part.ref)
        footprint.SetValue(part.value)
        footprint.SetPosition(point(part.board.x_mm, part.board.y_mm))
        made.Add(footprint)
        if part.board.back:
            footprint.Flip(footprint.GetPosition(), pcbnew.FLIP_DIRECTION_LEFT_RIGHT)
        footprint.SetOrientationDegrees(part.board.rotation_deg)
        sheet = child(entry, "sheetpath")
        path = word(child(sheet, "tstamps")) + word(child(entry, "tstamps"))
        footprint.SetPath(pcbnew.KIID_PATH(path))
        footprint.SetExcludedFromBOM(part.item is None)
        if part.item is None:
            footprint.SetExcludedFromPosFiles(True)
        for pad in footprint.Pads():
            pads.setdefault((part.ref, pad.GetNumber()), []).append(pad)
    for entry in children(child(nets, "nets"), "net"):
        net = pcbnew.NETINFO_ITEM(made, word(child(entry, "name")))
        made.Add(net)
        for node in children(entry, "node"):
            for pad in pads.get((word(child(node, "ref")), word(child(node, "pin"))), []):
                pad.SetNet(net)
    return pads


def _outline(board: Board, made: Any) -> None:
    """A rectangle with rounded corners, drawn as lines and arcs."""
    width, height, radius = board.width_mm, board.height_mm, board.corner_mm
    shift = radius * (1 - 2**-0.5)
    lines = (
        ((radius, 0), (width - radius, 0)),
        ((width, radius), (width, height - radius)),
        ((width - radius, height), (radius, height)),
        ((0, height - radius), (0, radius)),
    )
    arcs = (
        ((0, radius), (shift, shift), (radius, 0)),
        ((width - radius, 0), (width - shift, shift), (width, radius)),
        ((width, height - radius), (width - shift, height - shift), (width - radius, height)),
        ((radius, height), (shift, height - shift), (0, height - radius)),
    )
    for start, end in lines:
        edge = pcbnew.PCB_SHAPE(made, pcbnew.SHAPE_T_SEGMENT)
        edge.SetStart(point(*start))
        edge.SetEnd(point(*end))
        _add_edge(made, edge)
    for first, middle, last in arcs:
        edge = pcbnew.PCB_SHAPE(made, pcbnew.SHAPE_T_ARC)
        edge.SetArcGeometry(point(*first), point(*middle), point(*last))
        _add_edge(made, edge)


def _forbid(board: Board, made: Any) -> None:
    """Enter the keep-outs as rule areas, so that pours leave them out and DRC watches them."""
    for number, keepout in enumerate(board.keepouts, 1):
        for layer in keepout.layers:
            area = pcbnew.ZONE(made)
            area.SetIsRuleArea(True)
            area.SetDoNotAllowCopperPour(True)
            area.SetDoNotAllowTracks(True)
            area.SetDoNotAllowVias(True)
            area.SetDoNotAllowPads(False)
            area.SetDoNotAllowFootprints(False)
            area.SetLayer(LAYERS[layer])
            area.SetZoneName(f"keepout {number} {'front' if layer == 0 else 'back'}: {keepout.why}")
            outline = area.Outline()
            outline.NewOutline()
            for corner in (
                (keepout.left_mm, keepout.top_mm), (keepout.right_mm, keepout.top_mm),
                (keepout.right_mm, keepout.bottom_mm), (keepout.left_mm, keepout.bottom_mm),
            ):  # fmt: skip
                outline.Append(point(*corner))
            made.Add(area)


def _add_edge(made: Any, edge: Any) -> None:
    edge.SetLayer(pcbnew.Edge_Cuts)
    edge.SetWidth(pcbnew.FromMM(0.1))
    made.Add(edge)


def _box(item: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    box = item.GetBoundingBox()
    return to_mm(box.GetPosition()), to_mm(box.GetEnd())


def _fill_router(board: Board, made: Any, router: Router) -> dict[str, list[Terminal]]:
    """Give pads and keep-outs to the router; return what has to be joined."""
    terminals: dict[str, list[Terminal]] = {}
    for pad in made.GetPads():
        layers = tuple(index for index in (0, 1) if pad.IsOnLayer(LAYERS[index]))
        low, high = _box(pad)
        middle = to_mm(pad.GetPosition())
        net = pad.GetNetname() or None
        if pad.GetShape() == pcbnew.PAD_SHAPE_CIRCLE:
            shape = Shape(middle, middle, high[0] - low[0])
        else:
            shape = Shape(low, high, box=True)
        drilled_only = pad.GetAttribute() == pcbnew.PAD_ATTRIB_NPTH
        router.add(Obstacle(None if drilled_only else net, layers or (0, 1), shape))
        if net and not drilled_only:
            thin = (str(pad.GetParentFootprint().GetReference()), str(pad.GetNumber())) in board.thin_pins
            terminals.setdefault(net, []).append(Terminal(middle, layers, thin))
    for footprint in made.GetFootprints():
        for zone in footprint.Zones():
            if zone.GetIsRuleArea() and zone.GetDoNotAllowTracks():
                low, high = _box(zone)
                router.add(Obstacle(None, (0, 1), Shape(low, high, box=True)))
    return {net: ends for net, ends in terminals.items() if len(ends) > 1}


def _track(made: Any, net: str, layer: int, start: tuple[float, float], end: tuple[float, float], width: float) -> None:
    track = pcbnew.PCB_TRACK(made)
    track.SetStart(point(*start))
    track.SetEnd(point(*end))
    track.SetWidth(pcbnew.FromMM(width))
    track.SetLayer(LAYERS[layer])
    track.SetNet(made.FindNet(net))
    made.Add(track)


def _via(made: Any, net: str, place: tuple[float, float]) -> None:
    via = pcbnew.PCB_VIA(made)
    via.SetPosition(point(*place))
    via.SetDrill(pcbnew.FromMM(VIA_HOLE_MM))
    via.SetWidth(pcbnew.FromMM(VIA_MM))
    via.SetNet(made.FindNet(net))
    made.Add(via)


def _stitch(board: Board, made: Any, router: Router) -> set[tuple[int, int]]:
    """Join the two ground pours with vias all over the board; return where, in KiCad's units."""
    places: set[tuple[int, int]] = set()
    for row in range(1, int(board.height_mm / _STITCH_MM) + 1):
        for column in range(1, int(board.width_mm / _STITCH_MM) + 1):
            place = router.place(*router.cell((column * _STITCH_MM, row * _STITCH_MM)))
            if router.free_for_via(place, "GND"):
                _via(made, "GND", place)
                where = point(*place)
                places.add((where.x, where.y))
    return places


def _drop_lonely(made: Any, stitches: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Remove the stitching vias that the pours do not reach on both layers; return their places."""
    lonely: set[tuple[int, int]] = set()
    zones = [zone for zone in made.Zones() if not zone.GetIsRuleArea()]
    for via in [track for track in made.GetTracks() if track.GetClass() == "PCB_VIA"]:
        place = via.GetPosition()
        if (place.x, place.y) in stitches and not all(
            any(zone.IsOnLayer(layer) and zone.HitTestFilledArea(layer, place) for zone in zones) for layer in LAYERS
        ):
            lonely.add((place.x, place.y))
            made.Delete(via)
    return lonely


def _pour(board: Board, made: Any) -> None:
    inset = _ZONE_INSET_MM
    corners = (
        (inset, inset),
        (board.width_mm - inset, inset),
        (board.width_mm - inset, board.height_mm - inset),
        (inset, board.height_mm - inset),
    )
    for layer in LAYERS:
        zone = pcbnew.ZONE(made)
        zone.SetLayer(layer)
        zone.SetNet(made.FindNet("GND"))
        zone.SetZoneName(f"ground {'front' if layer == pcbnew.F_Cu else 'back'}")
        outline = zone.Outline()
        outline.NewOutline()
        for corner in corners:
            outline.Append(point(*corner))
        zone.SetPadConnection(pcbnew.ZONE_CONNECTION_THERMAL)
        zone.SetLocalClearance(pcbnew.FromMM(_ZONE_CLEARANCE_MM))
        zone.SetMinThickness(pcbnew.FromMM(0.4))
        zone.SetThermalReliefGap(pcbnew.FromMM(0.3))
        zone.SetThermalReliefSpokeWidth(pcbnew.FromMM(0.6))
        made.Add(zone)


def _narrowest(made: Any) -> dict[str, float]:
    """Net to the width of its narrowest track, in mm."""
    found: dict[str, float] = {}
    for track in made.GetTracks():
        if track.GetClass() == "PCB_TRACK":
            width = round(pcbnew.ToMM(track.GetWidth()), 3)
            found[track.GetNetname()] = min(width, found.get(track.GetNetname(), width))
    return found


def _envelopes(board: Board, made: Any) -> list[dict[str, Any]]:
    """For each part the box of its courtyard and its height, in mm from the board's corner, y downwards."""
    found = []
    for footprint in sorted(made.GetFootprints(), key=lambda one: str(one.GetReference())):
        part = board.part(footprint.GetReference())
        side = pcbnew.B_CrtYd if part.board.back else pcbnew.F_CrtYd
        box = footprint.GetCourtyard(side).BBox()
        low, high = to_mm(box.GetPosition()), to_mm(box.GetEnd())
        found.append(
            {
                "ref": part.ref,
                "box_mm": [round(v, 3) for v in (*low, *high)],
                "height_mm": part.height_mm,
                "back": part.board.back,
            }
        )
    return found
