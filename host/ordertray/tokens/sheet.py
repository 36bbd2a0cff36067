"""The label sheet: a PDF of round stickers, to be cut out or punched. The same labels give the same bytes each time."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ordertray.messages import N_, translator
from ordertray.tokens.labels import Label
from ordertray.tokens.model import KIND_NAMES, TokenKind
from ordertray.tokens.ndef import NTAG213_BYTES
from ordertray.tokens.symbols import SYMBOLS, Symbol

if TYPE_CHECKING:
    Canvas = Any

POINTS_PER_MM = 72 / 25.4
PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
DISCS_MM = (25, 30)

_MARGIN_MM = 7.0
_FOOT_MM = 9.0  # the line with the ruler
_GAP_MM = 4.0  # between discs: two bleeds and the cut marks
_BLEED_MM = 0.7  # colour beyond the cut, so that a cut a little off shows no white
_RING = 0.065  # width of the coloured ring, as a part of the disc
_QR = 0.40  # side of the QR code, likewise
_QR_DOWN = 0.03  # how far its middle lies below the disc's, likewise
_QUIET_MODULES = 2
_FONT, _BOLD = "Helvetica", "Helvetica-Bold"

Progress = Callable[[int, int], None]


class SheetError(ValueError):
    """The sheet cannot be made; the message (marked for translation) says why."""


def sheet_places(paper: str, disc_mm: int) -> list[tuple[float, float]]:
    """Centres of the discs of one page in millimetres from the lower left corner, row by row from the top."""
    width, height = PAPERS_MM[paper]
    pitch = disc_mm + _GAP_MM
    columns = int((width - 2 * _MARGIN_MM + _GAP_MM) // pitch)
    rows = int((height - 2 * _MARGIN_MM - _FOOT_MM + _GAP_MM) // pitch)
    left = (width - (columns - 1) * pitch) / 2
    top = height - (height - _FOOT_MM - (rows - 1) * pitch) / 2
    return [(left + column * pitch, top - row * pitch) for row in range(rows) for column in range(columns)]


def unprintable(text: str) -> str:
    """The letters of a name which the labels' font (Helvetica, Windows-1252) lacks."""
    return "".join(sorted({letter for letter in text if not _has(letter)}))


def _has(letter: str) -> bool:
    try:
        letter.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def label_sheet(
    labels: Sequence[Label],
    *,
    paper: str = "a4",
    disc_mm: int = 25,
    language: str = "en",
    title: str = "",
    progress: Progress | None = None,
) -> bytes:
    """Draw labels as a PDF of as many pages as they need, at true size.

    `paper` is a key of `PAPERS_MM`, `disc_mm` one of `DISCS_MM`; `progress(done, all)` is told after each label.
    Raises `SheetError` for other sizes, without labels, or without the extra `labels`.
    """
    if paper not in PAPERS_MM or disc_mm not in DISCS_MM:
        raise SheetError(N_("labels are for A4 or Letter paper, and discs of 25 or 30 mm"))
    if not labels:
        raise SheetError(N_("there is no label to print"))
    if long := [label for label in labels if len(label.uri) > NTAG213_BYTES]:
        raise SheetError(N_("an id is too long for a disc: {id}").format(id=long[0].role.trooper))
    try:
        from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
    except ImportError:
        raise SheetError(N_("labels need one more package: pip install 'ordertray[labels]'")) from None
    _ = translator(language)
    places = sheet_places(paper, disc_mm)
    pages = math.ceil(len(labels) / len(places))
    file = io.BytesIO()
    # invariant: no date and no random id in the file.
    canvas = Canvas(file, pagesize=tuple(side * POINTS_PER_MM for side in PAPERS_MM[paper]), invariant=1)
    canvas.setTitle(_("Order tokens"))
    canvas.setCreator("ordertray")
    for index, label in enumerate(labels):
        x, y = places[index % len(places)]
        canvas.saveState()
        canvas.scale(POINTS_PER_MM, POINTS_PER_MM)
        canvas.translate(x, y)
        draw_label(canvas, label, disc_mm, language)
        canvas.restoreState()
        if progress:
            progress(index + 1, len(labels))
        if (index + 1) % len(places) == 0 or index + 1 == len(labels):
            _foot(canvas, paper, title, index // len(places) + 1, pages, language)
            canvas.showPage()
    canvas.save()
    return file.getvalue()


def draw_label(canvas: Canvas, label: Label, disc_mm: int, language: str = "en") -> None:
    """Draw one label around the origin; the canvas' unit is the millimetre."""
    _ = translator(language)
    role, symbol = label.role, SYMBOLS[label.role.kind]
    radius = disc_mm / 2
    inner = radius - _RING * disc_mm
    _cut_marks(canvas, radius)
    canvas.setFillColorRGB(*symbol.fill)
    canvas.circle(0, 0, radius + _BLEED_MM, stroke=0, fill=1)
    canvas.setFillGray(1)
    canvas.circle(0, 0, inner, stroke=0, fill=1)

    side, down = _QR * disc_mm, _QR_DOWN * disc_mm
    _qr_code(canvas, label.uri, side, -down)
    size = 0.125 * disc_mm
    _symbol(canvas, symbol, inner - 0.015 * disc_mm - size, size)

    canvas.setFillGray(0)
    beside = (side / 2 + inner) / 2
    width = inner - side / 2 - 0.04 * disc_mm
    if role.group is not None:
        _fitted(canvas, f"G{role.group}", -beside, -0.075 * disc_mm, _BOLD, 0.135 * disc_mm, width)
    if role.number is not None:
        _fitted(canvas, str(role.number), beside, -0.075 * disc_mm, _BOLD, 0.135 * disc_mm, width)
    kind, name = _(KIND_NAMES[role.kind]), label.name or (role.state or "")
    # The name has the longer line; a trooper's tag needs no other.
    lines = [(name, _BOLD, 0.085 * disc_mm)] if name else [(kind.upper(), _BOLD, 0.078 * disc_mm)]
    if name and role.kind is not TokenKind.TROOPER:
        lines.append((kind, _FONT, 0.07 * disc_mm))
    y = -side / 2 - down - 0.066 * disc_mm
    for text, font, size in lines:
        room = 2 * math.sqrt(max(inner**2 - (y - 0.01 * disc_mm) ** 2, 0)) - 0.04 * disc_mm
        _fitted(canvas, text, 0, y, font, size, room)
        y -= 0.072 * disc_mm


def _cut_marks(canvas: Canvas, radius: float) -> None:
    """Four ticks outside the bleed that point at the cut."""
    canvas.setStrokeGray(0)
    canvas.setLineWidth(0.1)
    near, far = radius + _BLEED_MM + 0.2, radius + _GAP_MM / 2
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        canvas.line(dx * near, dy * near, dx * far, dy * far)


def _symbol(canvas: Canvas, symbol: Symbol, y: float, size: float) -> None:
    """The mark of a kind in a circle of radius `size` around (0, `y`), its letter in the middle of the shape."""
    canvas.setFillColorRGB(*symbol.fill)
    if symbol.outline:
        path = canvas.beginPath()
        for number, (dx, dy) in enumerate(symbol.outline):
            (path.lineTo if number else path.moveTo)(dx * size, y + dy * size)
        path.close()
        canvas.drawPath(path, stroke=0, fill=1)
    else:
        canvas.circle(0, y, size, stroke=0, fill=1)
    canvas.setFillColorRGB(*symbol.ink)
    letter_mm = size * 1.05
    canvas.setFont(_BOLD, letter_mm)
    canvas.drawCentredString(0, y - 0.36 * letter_mm + symbol.letter_up * size, symbol.letter)


def _qr_code(canvas: Canvas, text: str, side: float, middle: float) -> None:
    """A QR code with side length `side`, its quiet zone included, around (0, `middle`)."""
    import segno

    rows = segno.make(text, error="m", micro=False, boost_error=False).matrix
    count = len(rows)
    module = side / (count + 2 * _QUIET_MODULES)
    half = count * module / 2
    canvas.setFillGray(0)
    for j, row in enumerate(rows):
        i = 0
        while i < count:  # one box per run: fewer seams, smaller files
            start = i
            while i < count and row[i]:
                i += 1
            if i > start:
                left, low = start * module - half, middle + half - (j + 1) * module
                canvas.rect(left, low, (i - start) * module, module, stroke=0, fill=1)
            i += 1


def _fitted(canvas: Canvas, text: str, x: float, y: float, font: str, size: float, room: float) -> None:
    """One centred line, made smaller and then shorter until it fits into `room` millimetres."""
    text = "".join(letter if _has(letter) else "?" for letter in text)
    smallest = 0.75 * size
    while size > smallest and canvas.stringWidth(text, font, size) > room:
        size -= 0.02 * size
    if canvas.stringWidth(text, font, size) > room:
        while text and canvas.stringWidth(text + "…", font, size) > room:
            text = text[:-1]
        text = text.rstrip() + "…"
    canvas.setFont(font, size)
    canvas.drawCentredString(x, y, text)


def _foot(canvas: Canvas, paper: str, title: str, page: int, pages: int, language: str) -> None:
    """A ruler of 50 mm, to see that the printer did not scale, and what sheet this is."""
    _ = translator(language)
    canvas.saveState()
    canvas.scale(POINTS_PER_MM, POINTS_PER_MM)
    canvas.translate(_MARGIN_MM, _MARGIN_MM)
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    canvas.setLineWidth(0.15)
    canvas.line(0, 0, 50, 0)
    for tick in range(0, 51, 10):
        canvas.line(tick, 0, tick, 2 if tick % 50 == 0 else 1.2)
    text = _("50 mm: print at 100 %, without fitting to the page")
    parts = [text, *([title] if title else []), f"{page}/{pages}"]
    _left(canvas, "  ·  ".join(parts), 53, 0, 3.0, PAPERS_MM[paper][0] - 2 * _MARGIN_MM - 53)
    canvas.restoreState()


def _left(canvas: Canvas, text: str, x: float, y: float, size: float, room: float) -> None:
    text = "".join(letter if _has(letter) else "?" for letter in text)
    while canvas.stringWidth(text, _FONT, size) > room:
        size *= 0.97
    canvas.setFont(_FONT, size)
    canvas.drawString(x, y, text)
