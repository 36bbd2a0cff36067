"""Where labels lie on a sheet: plain paper to be cut or punched, or sheets of pre-cut round labels by name. Pure.

Measures of the pre-cut sheets are their makers' (part numbers in the names): diameter, labels across and down, the
upper left label's distance from the paper's edges, and from one label to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ordertray.messages import N_

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
SMALLEST_MM, LARGEST_MM = 18, 50  # of a disc: below, no phone reads its code; above, it fits on no pad

MARGIN_MM = 7.0
FOOT_MM = 9.0  # the line with the ruler
GAP_MM = 4.0  # between discs: two bleeds and the cut marks


class SheetError(ValueError):
    """The sheet cannot be made; `text` (marked for translation) says why, with `params` for its fields."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template.format(**params))
        self.template = template
        self.params = params


@dataclass(frozen=True)
class Grid:
    """A sheet of round labels. Lengths in millimetres; `left` and `top` from the paper's edge to the first label."""

    paper: str
    disc_mm: float
    columns: int
    rows: int
    left_mm: float
    top_mm: float
    across_mm: float
    down_mm: float
    precut: bool = True

    @property
    def places(self) -> list[tuple[float, float]]:
        """Centres of the labels of one page, from its lower left corner, row by row from the top."""
        height = PAPERS_MM[self.paper][1]
        first_x, first_y = self.left_mm + self.disc_mm / 2, height - self.top_mm - self.disc_mm / 2
        return [
            (first_x + column * self.across_mm, first_y - row * self.down_mm)
            for row in range(self.rows)
            for column in range(self.columns)
        ]

    @property
    def bleed_mm(self) -> float:
        """How far the colour may run beyond the cut: not into the next label."""
        return max(0.0, min(0.7, (min(self.across_mm, self.down_mm) - self.disc_mm) / 2 - 0.1))

    def moved(self, right_mm: float, down_mm: float) -> Grid:
        """The same, for a printer that is off: moved to the right and down."""
        return replace(self, left_mm=self.left_mm + right_mm, top_mm=self.top_mm + down_mm)


#: Pre-cut sheets, by maker and part number.
SHEETS: dict[str, Grid] = {
    "rayfilm-2525k": Grid("a4", 25, 7, 10, 8.5, 10.0, 28.0, 28.0),
    "endisch-6500024": Grid("a4", 24, 7, 10, 12.0, 15.0, 27.0, 27.0),
    "endisch-6500030": Grid("a4", 30, 6, 8, 8.75, 19.75, 32.5, 32.5),
    "onlinelabels-ol1025": Grid("letter", 25.4, 7, 9, 9.525, 12.7, 28.575, 28.575),
    "onlinelabels-ol1245": Grid("letter", 22.2, 8, 10, 7.95, 14.3, 25.4, 25.4),
    "sheetlabels-sl114": Grid("letter", 25.4, 7, 9, 9.525, 12.7, 28.575, 28.575),
}


def plain_grid(paper: str, disc_mm: float) -> Grid:
    """As many discs as a plain sheet holds, with cut marks between them. Raises `SheetError` for other sizes."""
    if paper not in PAPERS_MM or not SMALLEST_MM <= disc_mm <= LARGEST_MM:
        template = N_("labels are for A4 or Letter paper, and discs of {smallest} to {largest} mm")
        raise SheetError(template, smallest=SMALLEST_MM, largest=LARGEST_MM)
    width, height = PAPERS_MM[paper]
    pitch = disc_mm + GAP_MM
    columns = int((width - 2 * MARGIN_MM + GAP_MM) // pitch)
    rows = int((height - 2 * MARGIN_MM - FOOT_MM + GAP_MM) // pitch)
    left = (width - (columns - 1) * pitch - disc_mm) / 2
    top = (height - FOOT_MM - (rows - 1) * pitch - disc_mm) / 2
    return Grid(paper, disc_mm, columns, rows, left, top, pitch, pitch, precut=False)


def sheet_named(name: str) -> Grid:
    """A pre-cut sheet. Raises `SheetError` naming those there are."""
    if name.lower() not in SHEETS:
        raise SheetError(N_("no sheet of labels {name}; known are {known}"), name=name, known=", ".join(SHEETS))
    return SHEETS[name.lower()]
