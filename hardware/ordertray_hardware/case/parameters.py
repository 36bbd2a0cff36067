"""Every dimension of the case in one place, in millimetres. Pure: no geometry kernel needed.

The origin is the middle of the tray on the table; side A sits at negative y and sees x from left to right, side B is
side A turned half round. z = 0 is the underside.
"""

from dataclasses import dataclass
from typing import Final

from ordertray_hardware import button_board, pins

Point = tuple[float, float]

STRIP_PIXELS: Final = 16
ROWS: Final = 2


@dataclass(frozen=True, slots=True)
class CaseParameters:
    """Dimensions of the tray. Change one and every part, check and picture follows."""

    # Outside.
    width: float = 214.0
    depth: float = 200.0
    corner_radius: float = 7.0
    wall: float = 2.4
    floor: float = 2.0
    inside_height: float = 24.0
    lid: float = 5.0
    bed: float = 220.0
    brim: float = 3.0
    """What fits around the tray on the bed: a brim of 3 mm, no skirt beside it."""

    # Screws: M3 throughout, cutting their own thread.
    screw_hole: float = 3.4
    screw_pilot: float = 2.5
    screw_head: float = 6.4
    post_radius: float = 4.5
    pilot_in_lid: float = 4.0
    lid_screws: tuple[Point, ...] = ((101.0, 94.0), (-101.0, 94.0), (101.0, -94.0), (-101.0, -94.0), (22.0, -94.0),
                                     (-22.0, 94.0))  # fmt: skip
    foot_diameter: float = 10.4
    foot_recess: float = 0.6
    foot_places: tuple[Point, ...] = ((85.0, 85.0), (-85.0, 85.0), (85.0, -85.0), (-85.0, -85.0))

    # The carrier board.
    carrier_left: float = -104.0
    carrier_far: float = 34.5
    bootsel: Point = (14.44, 31.44)
    """Middle of the Pico's BOOTSEL key, in millimetres of the carrier board."""
    bootsel_hole: float = 4.6
    standoff: float = 4.0
    standoff_radius: float = 3.5
    board: float = 1.6
    usb_slot_width: float = 13.0
    usb_slot_bottom: float = 13.5
    dc_slot_width: float = 12.0
    dc_slot_bottom: float = 8.5
    switch_slot_width: float = 8.0
    lamp_slot_width: float = 3.5
    low_slot_bottom: float = 7.4
    tie_slot: Point = (2.2, 3.6)
    """A slot for a cable tie: width and height; two of them hold a cable to the wall."""
    tie_pairs: tuple[tuple[float, float, float], ...] = ((43.0, 49.0, 6.0), (43.0, 49.0, 14.0))
    """Two places along the wall and the height of each pair of slots."""

    # Reader and pad (middle of side A's pad).
    pad: Point = (64.0, -59.0)
    pad_diameter: float = 56.0
    pad_thickness: float = 1.2
    pad_ring_depth: float = 0.4
    reader_gap: float = 2.0
    reader_board: float = 1.6
    cradle_ledge: float = 1.6
    cradle_ledge_width: float = 2.0
    cradle_rim: float = 2.0
    cradle_play: float = 0.3
    cradle_ears: Point = (34.0, 25.0)
    ear_radius: float = 4.6
    ear_under_head: float = 2.9

    # Pixels: 144 a metre.
    pixel_pitch: float = 1000.0 / 144.0
    row_pitch: float = 13.4
    strip_width: float = 12.0
    strip_film: float = 0.35
    pixel_size: float = 5.0
    pixel_height: float = 1.6
    pixel_reach: float = 0.7
    channel: float = 5.4
    strips: Point = (-41.0, -50.5)
    diffuser: float = 1.0
    diffuser_play: float = 0.2
    diffuser_margin: float = 0.75
    holder_under: float = 1.65
    holder_ears: Point = (59.5, 16.5)
    holder_ear_radius: float = 3.5

    # Buttons (middle of side A's row).
    keys: Point = (-41.0, -82.0)
    cap: float = 11.4
    cap_radius: float = 2.0
    cap_play: float = 0.3
    cap_flange: float = 14.2
    cap_flange_height: float = 1.2
    cap_rise: float = 1.8
    cap_slack: float = 0.3

    # Wells for order tokens.
    token_diameter: float = 25.0
    token_thickness: float = 3.0
    well_diameter: float = 26.4
    well_depth: float = 3.2
    wells: tuple[int, int] = (6, 2)
    well_pitch: Point = (31.0, 30.4)
    notch_diameter: float = 10.0

    # Engraving.
    letter_height: float = 3.2
    letter_stroke: float = 0.6
    letter_depth: float = 0.6

    # What a 0.4 mm nozzle prints well.
    thinnest: float = 0.8
    steepest_deg: float = 45.0
    longest_bridge: float = 12.0

    @property
    def lid_bottom(self) -> float:
        """Height of the lid's underside."""
        return self.floor + self.inside_height

    @property
    def height(self) -> float:
        """Height of the tray without feet and caps."""
        return self.lid_bottom + self.lid

    @property
    def carrier_top(self) -> float:
        """Height of the carrier board's upper face."""
        return self.floor + self.standoff + self.board

    @property
    def key_board_top(self) -> float:
        """Height of a button board's upper face: its plungers touch the resting caps."""
        return self.lid_bottom - self.cap_slack - self.cap_flange_height - button_board.SWITCH_HEIGHT_MM

    @property
    def strip_length(self) -> float:
        """Length of a row of pixels."""
        return STRIP_PIXELS * self.pixel_pitch

    @property
    def film_top(self) -> float:
        """Height of the upper face of the strips' film: the pixels stand into their channels by `pixel_reach`."""
        return self.lid_bottom - (self.pixel_height - self.pixel_reach)

    @property
    def token_to_antenna(self) -> float:
        """Plastic and air between a token on the pad and the antenna."""
        return self.pad_thickness + self.reader_gap

    def carrier_point(self, x_mm: float, y_mm: float) -> Point:
        """Carrier board coordinates (from the upper left corner, y downwards) to the tray's."""
        return self.carrier_left + x_mm, self.carrier_far - y_mm

    def key_board_point(self, x_mm: float, y_mm: float) -> Point:
        """Side A's button board coordinates to the tray's."""
        return (
            self.keys[0] - button_board.WIDTH_MM / 2 + x_mm,
            self.keys[1] + button_board.KEY_CENTRE_Y_MM - y_mm,
        )

    def key_places(self) -> tuple[Point, ...]:
        """Middles of side A's buttons, in the order of their names."""
        return tuple(self.key_board_point(x, y) for x, y in button_board.key_centres_mm())

    def pixel_place(self, index: int) -> Point:
        """Middle of side A's pixel `index` (0 to 31): row 0-15 nearer to the player."""
        row, column = divmod(index, STRIP_PIXELS)
        x = self.strips[0] + (column - (STRIP_PIXELS - 1) / 2) * self.pixel_pitch
        y = self.strips[1] + (row - (ROWS - 1) / 2) * self.row_pitch
        return x, y

    def well_places(self) -> tuple[Point, ...]:
        """Middles of the wells of both sides."""
        columns, rows = self.wells
        return tuple(
            ((column - (columns - 1) / 2) * self.well_pitch[0], (row - (rows - 1) / 2) * self.well_pitch[1])
            for row in range(rows)
            for column in range(columns)
        )

    def lone_labels(self) -> tuple[tuple[str, Point], ...]:
        """Engraved words that are on the tray once, and their middles: what the hole over the Pico is for."""
        x, y = self.carrier_point(*self.bootsel)
        return (("BOOT", (x - 4.0, y - 5.7)),)

    def labels(self) -> tuple[tuple[str, Point], ...]:
        """Side A's engraved words and their middles."""
        near = self.strips[1] - self.row_pitch / 2 - 10.2
        far = self.strips[1] + self.row_pitch / 2 + 10.2
        spans = (
            ("GROUP 1", 0, 9, near), ("LT", 10, 11, near), ("TAC", 12, 13, near), ("T", 14, 14, near),
            ("L", 15, 15, near),
            ("GROUP 2", 0, 9, far), ("IMP", 10, 11, far), ("ARO", 12, 13, far), ("R", 14, 14, far), ("NL", 15, 15, far),
        )  # fmt: skip
        words = [
            (word, ((self.pixel_place(first)[0] + self.pixel_place(last)[0]) / 2, y)) for word, first, last, y in spans
        ]
        words += [
            (name.upper(), (x, y - self.cap / 2 - 4.2))
            for name, (x, y) in zip(pins.BUTTONS, self.key_places(), strict=True)
        ]
        return tuple(words)


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of reader module, flat side up: outline, antenna's middle from its own middle, parts below it."""

    name: str
    length: float
    width: float
    antenna_offset: float
    parts_below: float


READERS: Final = (
    Reader("pn532", 42.7, 40.4, 0.0, 4.0),
    Reader("mfrc522", 60.0, 39.5, 8.5, 4.5),
)
"""The common red PN532 module (43 x 40 mm) and the common blue RC522 module (60 x 39 mm), flat side up,
parts below. Measure yours: these boards come from many makers."""


def half_turn(place: Point) -> Point:
    """Side A's place to side B's."""
    return -place[0], -place[1]


def faults(p: CaseParameters) -> list[str]:
    """What contradicts itself in a set of parameters, before any geometry is made."""
    found = []
    if max(p.width, p.depth) + 2 * p.brim > p.bed:
        found.append(f"the tray ({p.width:g} x {p.depth:g}) with its brim is larger than the printer's bed ({p.bed:g})")
    if p.pixel_pitch - p.channel < p.thinnest:
        found.append(f"walls between pixels would be {p.pixel_pitch - p.channel:.2f}, thinner than {p.thinnest:g}")
    if p.channel < p.pixel_size:
        found.append("the channels are narrower than the pixels")
    if p.pad_thickness - p.pad_ring_depth < p.thinnest - 1e-9:
        found.append("the ring leaves the pad thinner than the printer can")
    if p.lid - p.well_depth < p.thinnest or p.lid - p.pilot_in_lid < p.thinnest:
        found.append("wells or screw holes come too close to the lid's other face")
    if p.well_diameter <= p.token_diameter:
        found.append("tokens do not fit their wells")
    if p.key_board_top - p.board - p.floor < p.standoff:
        found.append("no room under the button boards")
    return found
