"""The printed parts, each modelled where it sits in the tray. Needs build123d."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from build123d import Align, Axis, Box, Cone, Cylinder, Location, Pos, RectangleRounded, Rotation, chamfer, extrude

from ordertray_hardware import button_board, tray_board
from ordertray_hardware.case.lettering import word_solids
from ordertray_hardware.case.parameters import (
    READERS,
    ROWS,
    STRIP_PIXELS,
    CaseParameters,
    Point,
    Reader,
    half_turn,
)

_BOTTOM = (Align.CENTER, Align.CENTER, Align.MIN)
_TOP = (Align.CENTER, Align.CENTER, Align.MAX)


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed part: how many, how it is turned onto the bed, its colour in pictures, its lift when exploded."""

    name: str
    shape: Any
    count: int
    upside_down: bool
    colour: tuple[int, int, int]
    lift: float
    copies: tuple[Any, ...]


def _slab(width: float, depth: float, radius: float, bottom: float, top: float) -> Any:
    return Pos(0, 0, bottom) * extrude(RectangleRounded(width, depth, radius), amount=top - bottom)


def _peg(place: Point, radius: float, bottom: float, top: float) -> Any:
    return Pos(place[0], place[1], bottom) * Cylinder(radius, top - bottom, align=_BOTTOM)


def _block(place: Point, size: Point, bottom: float, top: float) -> Any:
    return Pos(place[0], place[1], bottom) * Box(size[0], size[1], top - bottom, align=_BOTTOM)


def _both(places: Iterable[Point]) -> list[Point]:
    """Side A's places and side B's."""
    side_a = list(places)
    return side_a + [half_turn(place) for place in side_a]


def make_base(p: CaseParameters) -> Any:
    """The tub: posts for the lid, standoffs for the boards, slots for the cables, recesses for the feet."""
    inner = (p.width - 2 * p.wall, p.depth - 2 * p.wall)
    base = _slab(p.width, p.depth, p.corner_radius, 0, p.lid_bottom)
    base -= _slab(*inner, p.corner_radius - p.wall, p.floor, p.lid_bottom + 1)
    solids: list[Any] = [_peg(place, p.post_radius, p.floor, p.lid_bottom) for place in p.lid_screws]
    holes: list[Any] = [_peg(place, p.screw_pilot / 2, p.lid_bottom - 12, p.lid_bottom) for place in p.lid_screws]
    standoff_top = p.floor + p.standoff
    for corner in tray_board.HOLES_MM:
        place = p.carrier_point(*corner)
        solids.append(_peg(place, p.standoff_radius, p.floor, standoff_top))
        holes.append(_peg(place, p.screw_pilot / 2, standoff_top - 4.8, standoff_top))
    key_seat = p.key_board_top - p.board
    for place in _both(p.key_board_point(*hole) for hole in button_board.HOLES_MM):
        solids.append(_peg(place, p.standoff_radius, p.floor, key_seat))
        holes.append(_peg(place, p.screw_pilot / 2, key_seat - 8, key_seat))
    for bottom, width, y_mm in slots(p):
        place = (-p.width / 2, p.carrier_point(0, y_mm)[1])
        holes.append(_block(place, (4 * p.wall, width), bottom, p.lid_bottom + 1))
    for near, far, bottom in p.tie_pairs:
        width, height = p.tie_slot
        holes += [_block((-p.width / 2, y), (4 * p.wall, width), bottom, bottom + height) for y in (near, far)]
    holes += [_peg(place, p.foot_diameter / 2, 0, p.foot_recess) for place in p.foot_places]
    # The posts reach into the rounded corners: cut off what would stand out of the wall.
    hull = _slab(p.width, p.depth, p.corner_radius, 0, p.lid_bottom)
    return ((base + solids) & hull) - holes


def slots(p: CaseParameters) -> tuple[tuple[float, float, float], ...]:
    """Bottom, width and carrier board y of the cable slots; they are open above, so they need no bridge."""
    pico = tray_board.TRAY_BOARD.part("U1").board
    jack = tray_board.TRAY_BOARD.part("J1").board
    switch = tray_board.TRAY_BOARD.part("SW1").board
    lamps = [tray_board.TRAY_BOARD.part(ref).board.y_mm for ref in ("D3", "D4")]
    return (
        (p.usb_slot_bottom, p.usb_slot_width, pico.y_mm - 17.78 / 2),
        (p.dc_slot_bottom, p.dc_slot_width, jack.y_mm),
        # The lever moves from 1 to 3 mm beyond the switch's first pin.
        (p.low_slot_bottom, p.switch_slot_width, switch.y_mm + 2.0),
        *((p.low_slot_bottom, p.lamp_slot_width, y_mm) for y_mm in lamps),
    )


def _engraving(p: CaseParameters, words: Iterable[tuple[str, Point]], turned: bool) -> list[Any]:
    cuts = []
    for word, place in words:
        x, y = half_turn(place) if turned else place
        where = Location((x, y, p.height - p.letter_depth), (0, 0, 180 if turned else 0))
        cuts += [where * solid for solid in word_solids(word, p.letter_height, p.letter_stroke, p.letter_depth + 1)]
    return cuts


def make_lid(p: CaseParameters) -> Any:
    """The plate: wells, pads, light channels, button holes, engraved words. Flat below, so it prints as it lies."""
    lid = _slab(p.width, p.depth, p.corner_radius, p.lid_bottom, p.height)
    lid = chamfer(lid.faces().sort_by(Axis.Z)[-1].outer_wire().edges(), 0.8)
    cuts: list[Any] = []
    for place in p.lid_screws:
        cuts.append(_peg(place, p.screw_hole / 2, p.lid_bottom - 1, p.height + 1))
        sink = (p.screw_head - p.screw_hole) / 2
        cuts.append(
            Pos(place[0], place[1], p.height)
            * Cone(p.screw_hole / 2, p.screw_head / 2, sink, align=_TOP)
        )  # fmt: skip
    for x, y in p.well_places():
        cuts.append(_peg((x, y), p.well_diameter / 2, p.height - p.well_depth, p.height + 1))
        # A notch towards the owner, to push a disc up by its edge.
        notch_y = y + (1 if y > 0 else -1) * (p.well_diameter / 2 - 2.2)
        cuts.append(_peg((x, notch_y), p.notch_diameter / 2, p.height - p.well_depth, p.height + 1))
    for place in _both([p.pad]):
        dish = p.lid_bottom + p.pad_thickness
        cuts.append(_peg(place, p.pad_diameter / 2, dish, p.height + 1))
        ring = _peg(place, p.token_diameter / 2 + 1.8, dish - p.pad_ring_depth, dish + 1)
        cuts.append(ring - _peg(place, p.token_diameter / 2 + 0.8, dish - p.pad_ring_depth - 1, dish + 2))
        cuts += [
            _peg((place[0] + dx, place[1] + dy), p.screw_pilot / 2, p.lid_bottom, p.lid_bottom + p.pilot_in_lid)
            for dx, dy in _corners(p.cradle_ears)
        ]
    cuts.append(_peg(p.carrier_point(*p.bootsel), p.bootsel_hole / 2, p.lid_bottom - 1, p.height + 1))
    for place in _both([p.strips]):
        size = (p.strip_length + 2 * p.diffuser_margin, (ROWS - 1) * p.row_pitch + 2 * 6.5 + 2 * p.diffuser_margin)
        cuts.append(_block(place, size, p.height - p.diffuser, p.height + 1))
        cuts += [
            _peg((place[0] + dx, place[1] + dy), p.screw_pilot / 2, p.lid_bottom, p.lid_bottom + p.pilot_in_lid)
            for dx, dy in _corners(p.holder_ears)
        ]
    for place in _both(p.pixel_place(index) for index in range(ROWS * STRIP_PIXELS)):
        cuts.append(_block(place, (p.channel, p.channel), p.lid_bottom - 1, p.height))
    hole = p.cap + 2 * p.cap_play
    for place in _both(p.key_places()):
        cuts.append(Pos(*place) * _slab(hole, hole, p.cap_radius + p.cap_play, p.lid_bottom - 1, p.height + 1))
    cuts += _engraving(p, p.labels(), turned=False) + _engraving(p, p.labels(), turned=True)
    cuts += _engraving(p, p.lone_labels(), turned=False)
    return lid - cuts


JOINT_Y: Final = -0.1
"""Where the lid's halves meet: a hair off the middle, for the hole over BOOTSEL."""
JOINT_DEEP: Final = 1.0
JOINT_THICK: Final = 1.7
JOINT_PLAY: Final = 0.1


def make_lid_halves(lid: Any, p: CaseParameters) -> tuple[Any, Any]:
    """The lid in two prints, side A's and side B's half: a tongue of B in a groove of A, to be glued.

    Between the two rows of wells nothing crosses the middle, so the joint is straight.
    """
    reach = p.width
    middle = (p.lid_bottom + p.height) / 2
    half_a = lid & _block((0, JOINT_Y - reach / 2), (2 * reach, reach), p.lid_bottom - 1, p.height + 1)
    half_b = lid & _block((0, JOINT_Y + reach / 2), (2 * reach, reach), p.lid_bottom - 1, p.height + 1)

    def bar(play: float) -> Any:
        size = (p.width - 20 + 2 * play, 2 * (JOINT_DEEP + play))
        thick = JOINT_THICK / 2 + play
        return _block((0, JOINT_Y), size, middle - thick, middle + thick)

    return half_a - bar(JOINT_PLAY), half_b + bar(0.0)


def _corners(half: Point) -> list[Point]:
    return [(sx * half[0], sy * half[1]) for sx in (-1, 1) for sy in (-1, 1)]


def make_diffuser(p: CaseParameters) -> Any:
    """Side A's translucent plate over the light channels."""
    width = p.strip_length + 2 * p.diffuser_margin - 2 * p.diffuser_play
    depth = (ROWS - 1) * p.row_pitch + 13 + 2 * p.diffuser_margin - 2 * p.diffuser_play
    return _block(p.strips, (width, depth), p.height - p.diffuser, p.height)


def make_holder(p: CaseParameters) -> Any:
    """Side A's bar that presses both strips against the lid."""
    groove_floor = p.film_top - p.strip_film
    bottom = groove_floor - p.holder_under
    length = p.strip_length + 12
    depth = (ROWS - 1) * p.row_pitch + p.strip_width + 4.8
    holder = _block(p.strips, (length, depth), bottom, p.lid_bottom)
    ears = [(p.strips[0] + dx, p.strips[1] + dy) for dx, dy in _corners(p.holder_ears)]
    holder += [_peg(place, p.holder_ear_radius, bottom, p.lid_bottom) for place in ears]
    cuts: list[Any] = []
    stops: list[Any] = []
    for row in range(ROWS):
        y = p.pixel_place(row * STRIP_PIXELS)[1]
        cuts.append(_block((p.strips[0], y), (length + 10, p.strip_width + 0.4), groove_floor, p.lid_bottom + 1))
        # Two stops at the end of pixel 0 put every pixel under its channel; the wires pass between them.
        end = p.strips[0] - p.strip_length / 2 - 1.2
        stops += [_block((end, y + dy), (2.0, 2.4), groove_floor, p.film_top + 0.4) for dy in (-5.0, 5.0)]
    cuts += [_peg(place, p.screw_hole / 2, bottom - 1, p.lid_bottom + 1) for place in ears]
    return (holder - cuts) + stops


def make_cradle(p: CaseParameters, reader: Reader) -> Any:
    """Side A's frame that holds a reader under the pad, its antenna `reader_gap` below the lid."""
    top = p.lid_bottom
    seat = top - p.reader_gap - p.reader_board
    bottom = seat - p.cradle_ledge
    middle = (p.pad[0] - reader.antenna_offset, p.pad[1])
    pocket = (reader.length + 2 * p.cradle_play, reader.width + 2 * p.cradle_play)
    outer = (pocket[0] + 2 * p.cradle_rim, pocket[1] + 2 * p.cradle_rim)
    ears = [(p.pad[0] + dx, p.pad[1] + dy) for dx, dy in _corners(p.cradle_ears)]
    frame = _block(middle, outer, bottom, top)
    # Arms along both long sides carry the ears.
    for sign in (-1, 1):
        y = p.pad[1] + sign * (outer[1] / 2 + p.cradle_ears[1]) / 2
        arm = p.cradle_ears[1] - outer[1] / 2 + p.ear_radius * 2
        frame += _block((p.pad[0], y), (2 * p.cradle_ears[0] + 2 * p.ear_radius, arm), bottom, top)
    window = (pocket[0] - 2 * p.cradle_ledge_width, pocket[1] - 2 * p.cradle_ledge_width)
    cuts: list[Any] = [_block(middle, pocket, seat, top + 1), _block(middle, window, bottom - 1, top + 1)]
    for place in ears:
        cuts.append(_peg(place, p.screw_hole / 2, bottom - 1, top + 1))
        cuts.append(_peg(place, p.screw_head / 2 + 0.2, bottom - 1, top - p.ear_under_head))
    return frame - cuts


def make_cap(p: CaseParameters, place: Point) -> Any:
    """A button cap at rest: its flange lies on the plunger, a hair below the lid."""
    flange_bottom = p.lid_bottom - p.cap_slack - p.cap_flange_height
    flange = _slab(p.cap_flange, p.cap_flange, p.cap_radius, flange_bottom, flange_bottom + p.cap_flange_height)
    top = p.height + p.cap_rise
    shaft = _slab(p.cap, p.cap, p.cap_radius, flange_bottom, top)
    shaft = chamfer(shaft.faces().sort_by(Axis.Z)[-1].outer_wire().edges(), 0.6)
    return Pos(*place) * (flange + shaft)


def make_coupon(p: CaseParameters) -> Any:
    """A piece of lid with one well, two channels and one button hole: the fits to try before nine hours of lid."""
    coupon = Pos(0, 0, p.lid_bottom) * extrude(RectangleRounded(64, 34, 3), amount=p.lid)
    well = (-16.0, 0.0)
    cuts = [_peg(well, p.well_diameter / 2, p.height - p.well_depth, p.height + 1)]
    cuts += [
        _block((6 + p.pixel_pitch * index, -8.0), (p.channel, p.channel), p.lid_bottom - 1, p.height + 1)
        for index in range(2)
    ]
    hole = p.cap + 2 * p.cap_play
    cuts.append(Pos(17, 5) * _slab(hole, hole, p.cap_radius + p.cap_play, p.lid_bottom - 1, p.height + 1))
    return coupon - cuts


def make_pico_stand(p: CaseParameters) -> Any:
    """A block for the Pico of the no-board variant: it lies on two ledges, its plug level with the slot in the wall.

    The ledges reach 2 mm under the module's short ends, between its rows of holes.
    """
    length, board = 51.0, tray_board.PICO_BOARD_MM
    plug = p.carrier_top + tray_board.PICO_HEIGHT_MM - tray_board.PICO_USB_MM / 2
    seat = plug - tray_board.PICO_USB_MM / 2 - board - p.floor - 2.0  # 2 mm of foam tape below
    stand = Pos(0, 0, 0) * Box(length + 5, 14, 2.0, align=_BOTTOM)
    for sign in (-1, 1):
        end = sign * (length / 2 - 1.0)
        stand += _block((end + sign * 1.1, 0), (6.2, 14), 0, seat)
        # A lip at the far end alone: the near one carries the USB socket's overhang.
        if sign > 0:
            stand += _block((length / 2 + 1.6 + 0.2, 0), (2.4, 14), 0, seat + board + 0.6)
    return stand


def turned(shape: Any) -> Any:
    """Side A's shape to side B's."""
    return Rotation(0, 0, 180) * shape


def printed_parts(p: CaseParameters) -> tuple[Printed, ...]:
    """Every part to print; the readers' cradles in both kinds, of which a builder prints one twice."""
    holder, diffuser = make_holder(p), make_diffuser(p)
    cradles = {reader.name: make_cradle(p, reader) for reader in READERS}
    cap = make_cap(p, p.key_places()[0])
    first = p.key_places()[0]
    caps = [Pos(x - first[0], y - first[1]) * cap for x, y in p.key_places()]
    base, lid = make_base(p), make_lid(p)
    half_a, half_b = make_lid_halves(lid, p)
    return (
        Printed("base", base, 1, False, (72, 84, 104), 0, (base,)),
        Printed("lid", lid, 1, False, (92, 108, 132), 62, (lid,)),
        Printed("diffuser", diffuser, 2, False, (238, 238, 228), 78, (diffuser, turned(diffuser))),
        Printed("strip-holder", holder, 2, False, (150, 160, 172), 26, (holder, turned(holder))),
        *(
            Printed(f"reader-cradle-{name}", cradle, 2, False, (150, 160, 172), 30, (cradle, turned(cradle)))
            for name, cradle in cradles.items()
        ),
        Printed("lid-half-a", half_a, 1, False, (92, 108, 132), 0, ()),
        Printed("lid-half-b", half_b, 1, False, (92, 108, 132), 0, ()),
        Printed("coupon", make_coupon(p), 1, False, (92, 108, 132), 0, ()),
        Printed("pico-stand", make_pico_stand(p), 1, False, (92, 108, 132), 0, ()),
        Printed("button-cap", cap, 12, False, (226, 150, 60), 46, (*caps, *(turned(one) for one in caps))),
    )


def parts_by_name(parts: Iterable[Printed]) -> Mapping[str, Printed]:
    """The parts by their names."""
    return {part.name: part for part in parts}
