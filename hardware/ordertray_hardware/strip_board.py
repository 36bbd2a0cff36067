"""The strip board of the no-board variant: buffer, pull-ups, sounder, fuse, and where shared wires part. Pure.

Strips run from left to right, rows are counted from the top, columns from the left, both from 1. Every wire of a reader
goes to this board, so that no pin of the Pico takes two. The strips of this variant live on USB alone, without a jack:
so there is nothing to plug in wrong, and with 10 uF nothing that pulls a port down.
"""

from dataclasses import dataclass
from typing import Final

ROWS: Final = 24
COLUMNS: Final = 30
Hole = tuple[int, int]
"""Column and row."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A part or wire between two holes."""

    name: str
    what: str
    one: Hole
    other: Hole

    @property
    def is_link(self) -> bool:
        """Whether it joins its ends: a bare wire."""
        return self.what == "link"


READER_ROWS: Final = ("SCK", "MISO", "MOSI", "CS", "3V3", "GND", "IRQ", "RST")
READER_COLUMNS: Final = {"A": 2, "B": 29}
PICO_COLUMNS: Final = {"A": 9, "B": 22}
OWN_ROWS: Final = (4, 7, 8)
"""CS, IRQ, RST: every reader's own, so these strips are cut in the middle."""

HEADERS: Final[dict[tuple[str, str], Hole]] = {
    **{("READER " + side, net if row not in OWN_ROWS else f"{side}_{net}"): (column, row)
       for side, column in READER_COLUMNS.items() for row, net in enumerate(READER_ROWS, 1)},
    # The shared lines of the Pico come in on side A's header, on side B's only what is that reader's own.
    **{("PICO", net if row not in OWN_ROWS else f"A_{net}"): (PICO_COLUMNS["A"], row)
       for row, net in enumerate(READER_ROWS, 1)},
    **{("PICO", f"B_{READER_ROWS[row - 1]}"): (PICO_COLUMNS["B"], row) for row in OWN_ROWS},
    ("PICO", "A_PIXELS"): (6, 11), ("PICO", "B_PIXELS"): (6, 14), ("PICO", "BUZZER"): (6, 21),
    ("PICO", "VBUS"): (2, 19),
    ("STRIP A", "+5V"): (28, 18), ("STRIP A", "DATA"): (9, 9), ("STRIP A", "GND"): (28, 17),
    ("STRIP B", "+5V"): (29, 18), ("STRIP B", "DATA"): (9, 20), ("STRIP B", "GND"): (29, 17),
    ("SOUNDER", "+5V"): (26, 18), ("SOUNDER", "LOW"): (26, 22),
}  # fmt: skip
"""Who is soldered or plugged where: (thing, net) to hole."""

PARTS: Final = (
    # 10 kOhm from CS, IRQ, RST of each side to 3V3.
    *(Fitted(f"R{side}{row}", "10k", (column + step, row), (column + step, 5))
      for side, column in (("A", 3), ("B", 25)) for step, row in enumerate(OWN_ROWS)),
    Fitted("C1", "100u", (12, 5), (12, 6)), Fitted("C2", "100n", (18, 5), (18, 6)),
    # The buffer: 1 to 7 in column 14, 14 to 8 in column 17, rows 10 to 16.
    Fitted("L1", "link", (13, 10), (13, 17)), Fitted("L2", "link", (12, 13), (12, 17)),
    Fitted("L3", "link", (11, 16), (11, 17)),
    Fitted("L4", "link", (18, 10), (18, 18)), Fitted("L5", "link", (19, 11), (19, 18)),
    Fitted("L6", "link", (20, 14), (20, 18)),
    Fitted("L7", "link", (21, 12), (21, 17)), Fitted("L8", "link", (22, 15), (22, 17)),
    Fitted("L9", "link", (30, 6), (30, 17)),
    Fitted("C3", "100n", (23, 17), (23, 18)), Fitted("C4", "10u", (24, 18), (24, 17)),
    Fitted("R3", "10k", (7, 11), (7, 17)), Fitted("R4", "10k", (8, 14), (8, 17)),
    Fitted("R5", "330", (10, 12), (10, 9)), Fitted("R6", "330", (10, 15), (10, 20)),
    Fitted("F1", "0.7 A", (4, 19), (4, 18)),
    Fitted("R9", "1k", (8, 21), (8, 23)), Fitted("R10", "10k", (5, 21), (5, 17)),
    Fitted("R11", "1k", (25, 18), (25, 22)), Fitted("L10", "link", (16, 24), (16, 17)),
)  # fmt: skip
CUTS: Final = (*((15, row) for row in OWN_ROWS), *((15, row) for row in range(10, 17)))
"""Holes at which a strip is cut through."""
PINS: Final[dict[tuple[str, str | int], Hole]] = {
    **{("U2", number): (14, 9 + number) for number in range(1, 8)},
    **{("U2", number): (17, 24 - number) for number in range(8, 15)},
    ("Q2", "E"): (17, 24), ("Q2", "B"): (17, 23), ("Q2", "C"): (17, 22),
}  # fmt: skip
"""Legs of the buffer (74AHCT125, by number) and of the transistor (2N3904)."""


def strip_of(hole: Hole) -> Hole:
    """The piece of strip that a hole lies on: its row, and how many cuts of that row lie to its left."""
    column, row = hole
    return row, sum(1 for cut_column, cut_row in CUTS if cut_row == row and cut_column < column)


def nets() -> list[set[tuple[str, str | int]]]:
    """What is joined with what, by strips and links: sets of (thing, net or leg), parts as (name, "1" or "2")."""
    joined: dict[Hole, Hole] = {}

    def root(piece: Hole) -> Hole:
        while piece in joined:
            piece = joined[piece]
        return piece

    for part in PARTS:
        if part.is_link and (one := root(strip_of(part.one))) != (other := root(strip_of(part.other))):
            joined[one] = other
    found: dict[Hole, set[tuple[str, str | int]]] = {}
    ends: list[tuple[tuple[str, str | int], Hole]] = [*HEADERS.items(), *PINS.items()]
    for part in PARTS:
        if not part.is_link:
            ends += [((part.name, "1"), part.one), ((part.name, "2"), part.other)]
    for end, hole in ends:
        found.setdefault(root(strip_of(hole)), set()).add(end)
    return list(found.values())


def faults() -> list[str]:
    """What cannot be built: two legs in one hole, a leg in a cut, a hole off the board."""
    holes: dict[Hole, str] = {}
    wrong = []
    places = [(f"{thing} {net}", hole) for (thing, net), hole in [*HEADERS.items(), *PINS.items()]]
    places += [(part.name, hole) for part in PARTS for hole in (part.one, part.other)]
    for what, hole in places:
        if hole in holes:
            wrong.append(f"{what} and {holes[hole]} share hole {hole}")
        holes[hole] = what
        if hole in CUTS:
            wrong.append(f"{what} stands on a cut at {hole}")
        if not (1 <= hole[0] <= COLUMNS and 1 <= hole[1] <= ROWS):
            wrong.append(f"{what} lies off the board")
    return wrong


_PITCH: Final = 34


def svg() -> str:
    """Draw the board from its component side; strips lie below, cuts are crosses."""
    width, height = (COLUMNS + 12) * _PITCH, (ROWS + 3) * _PITCH

    def at(hole: Hole) -> tuple[float, float]:
        return (hole[0] + 4) * _PITCH, (hole[1] + 1) * _PITCH

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="DejaVu Sans" '
        'font-size="15">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for row in range(1, ROWS + 1):
        x, y = at((1, row))
        length = (COLUMNS - 1) * _PITCH + 24
        out.append(f'<rect x="{x - 12}" y="{y - 11}" width="{length}" height="22" rx="8" fill="#e8cf9f"/>')
        out.append(f'<text x="{x - 3.6 * _PITCH}" y="{y + 5}" fill="#777">{row}</text>')
        for column in range(1, COLUMNS + 1):
            cx, cy = at((column, row))
            out.append(f'<circle cx="{cx}" cy="{cy}" r="3" fill="white"/>')
    for column in range(1, COLUMNS + 1):
        x, _y = at((column, 1))
        out.append(f'<text x="{x}" y="{0.8 * _PITCH}" fill="#777" text-anchor="middle">{column}</text>')
    for hole in CUTS:
        x, y = at(hole)
        out.append(f'<rect x="{x - 8}" y="{y - 12}" width="16" height="24" fill="white"/>')
        out.append(f'<path d="M{x - 7} {y - 7}L{x + 7} {y + 7}M{x - 7} {y + 7}L{x + 7} {y - 7}" stroke="#c00" '
                   'stroke-width="3"/>')  # fmt: skip
    x, y = at((14, 10))
    out.append(f'<rect x="{x - 12}" y="{y - 14}" width="{3 * _PITCH + 24}" height="{6 * _PITCH + 28}" rx="5" '
               'fill="#333" fill-opacity="0.85"/>')  # fmt: skip
    out.append(f'<text x="{x + 1.5 * _PITCH}" y="{y + 3 * _PITCH}" fill="white" text-anchor="middle">U2</text>')
    out.append(f'<text x="{x + 1.5 * _PITCH}" y="{y + 4 * _PITCH}" fill="white" text-anchor="middle">74AHCT125</text>')
    x, y = at((17, 23))
    out.append(f'<rect x="{x - 16}" y="{y - _PITCH - 12}" width="32" height="{2 * _PITCH + 24}" rx="14" fill="#333" '
               'fill-opacity="0.85"/>')  # fmt: skip
    out.append(f'<text x="{x + 20}" y="{y + 5}" fill="#333">Q2 (E below)</text>')
    for (thing, leg), hole in PINS.items():
        x, y = at(hole)
        out.append(f'<circle cx="{x}" cy="{y}" r="6" fill="#ddd"/>')
        if leg in (1, 8, 14, "E", "B", "C"):
            out.append(f'<text x="{x}" y="{y + 4}" font-size="11" text-anchor="middle">{leg}</text>')
        del thing
    for part in PARTS:
        (x0, y0), (x1, y1) = at(part.one), at(part.other)
        colour = {"link": "#333", "100u": "#1769aa", "10u": "#1769aa", "100n": "#c77700"}.get(part.what, "#2a7d4f")
        out.append(f'<path d="M{x0} {y0}L{x1} {y1}" stroke="{colour}" stroke-width="{4 if part.is_link else 8}" '
                   'stroke-opacity="0.8"/>')  # fmt: skip
        out += [f'<circle cx="{x}" cy="{y}" r="6" fill="{colour}"/>' for x, y in ((x0, y0), (x1, y1))]
        if not part.is_link:
            middle = (x0 + x1) / 2 + 6, (y0 + y1) / 2 + 5
            out.append(f'<text x="{middle[0]}" y="{middle[1]}" font-size="12" paint-order="stroke" stroke="white" '
                       f'stroke-width="3">{part.what}</text>')  # fmt: skip
    for (thing, net), hole in HEADERS.items():
        x, y = at(hole)
        colour = {"PICO": "#7b1fa2", "SOUNDER": "#b26a00"}.get(
            thing, "#1565c0" if thing.startswith("READER") else "#00796b"
        )
        out.append(f'<rect x="{x - 8}" y="{y - 8}" width="16" height="16" fill="{colour}"/>')
        if thing.startswith("READER") and thing.endswith("A"):
            out.append(
                f'<text x="{x - 22}" y="{y + 5}" text-anchor="end" fill="{colour}">A {net.removeprefix("A_")}</text>'
            )
        elif thing.startswith("READER") or hole[0] > 24:
            shift = {26: 150, 28: 75}.get(hole[0], 0) if hole[1] in (17, 18) else 0
            word = "buzzer" if thing == "SOUNDER" else thing.lower() if shift or hole[1] in (17, 18) else thing[-1]
            out.append(f'<text x="{at((COLUMNS, 1))[0] + 16 + shift}" y="{y + 5}" font-size="13" '
                       f'fill="{colour}">{word.replace("strip ", "")} {net.removeprefix("B_")}</text>')  # fmt: skip
        else:
            out.append(
                f'<text x="{x + 11}" y="{y + 5}" font-size="12" fill="{colour}" paint-order="stroke" '
                f'stroke="white" stroke-width="3">{"Pico" if thing == "PICO" else thing.lower()} {net}</text>'
            )
    out.append("</svg>")
    return "\n".join(out) + "\n"
