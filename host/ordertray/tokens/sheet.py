"""The label sheet: a PDF of round stickers, to be cut, punched or peeled off. The same labels give the same bytes."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ordertray.files.extras import install_command
from ordertray.messages import N_, translator
from ordertray.tokens.fonts import BOLD, REGULAR, printable_text, registered
from ordertray.tokens.grids import GAP_MM, MARGIN_MM, PAPERS_MM, Grid, SheetError, plain_grid
from ordertray.tokens.labels import Label
from ordertray.tokens.model import KIND_NAMES, TokenKind
from ordertray.tokens.ndef import NTAG213_BYTES
from ordertray.tokens.symbols import SYMBOLS, Symbol

if TYPE_CHECKING:
    Canvas = Any

POINTS_PER_MM = 72 / 25.4
PREVIEW_DPI = 150

_RING = 0.065  # width of the coloured ring, as a part of the disc
_QR = 0.40  # side of the QR code, likewise
_QR_DOWN = 0.0  # how far its middle lies below the disc's, likewise
_QUIET_MODULES = 2

Progress = Callable[[int, int], None]


def label_sheet(
    labels: Sequence[Label],
    *,
    grid: Grid | None = None,
    first: int = 1,
    language: str = "en",
    title: str = "",
    progress: Progress | None = None,
) -> bytes:
    """Draw labels as a PDF of as many pages as they need, at true size.

    `grid` is the sheet (A4 and discs of 25 mm without it), `first` the place of the first label on its first page,
    counted from 1, for sheets of which some are used up; `progress(done, all)` is told after each label. Raises
    `SheetError` without labels, for a place that the sheet does not have, or without the extra `labels`.
    """
    grid = grid or plain_grid("a4", 25)
    places = grid.places
    if not labels:
        raise SheetError(N_("there is no label to print"))
    if not 1 <= first <= len(places):
        raise SheetError(N_("this sheet has the places 1 to {last}"), last=len(places))
    if long := [label for label in labels if len(label.uri) > NTAG213_BYTES]:
        raise SheetError(N_("an id is too long for a disc: {id}"), id=long[0].role.trooper)
    try:
        from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

        registered()
    except ImportError:
        raise SheetError(N_("labels need one more package: {command}"), command=install_command("labels")) from None
    _ = translator(language)
    pages = math.ceil((first - 1 + len(labels)) / len(places))
    file = io.BytesIO()
    # invariant: no date and no random id in the file.
    canvas = Canvas(file, pagesize=tuple(side * POINTS_PER_MM for side in PAPERS_MM[grid.paper]), invariant=1)
    canvas.setTitle(_("Order tokens"))
    canvas.setCreator("ordertray")
    for index, label in enumerate(labels):
        place = first - 1 + index
        x, y = places[place % len(places)]
        canvas.saveState()
        canvas.scale(POINTS_PER_MM, POINTS_PER_MM)
        canvas.translate(x, y)
        draw_label(canvas, label, grid, language)
        canvas.restoreState()
        if progress:
            progress(index + 1, len(labels))
        if (place + 1) % len(places) == 0 or index + 1 == len(labels):
            if not grid.precut:
                _foot(canvas, grid.paper, title, place // len(places) + 1, pages, language)
            canvas.showPage()
    canvas.save()
    return file.getvalue()


def preview(pdf: bytes) -> list[bytes]:
    """The pages of a sheet as PNG pictures. Raises `SheetError` without the extra `labels`."""
    try:
        import pypdfium2  # type: ignore[import-untyped]
    except ImportError:
        raise SheetError(N_("pictures need one more package: {command}"), command=install_command("labels")) from None
    document = pypdfium2.PdfDocument(pdf)
    pictures = []
    for page in document:
        file = io.BytesIO()
        page.render(scale=PREVIEW_DPI / 72).to_pil().save(file, format="PNG")
        pictures.append(file.getvalue())
    document.close()
    return pictures


def draw_label(canvas: Canvas, label: Label, grid: Grid, language: str = "en") -> None:
    """Draw one label around the origin; the canvas' unit is the millimetre."""
    _ = translator(language)
    disc_mm = grid.disc_mm
    role, symbol = label.role, SYMBOLS[label.role.kind]
    radius = disc_mm / 2
    inner = radius - _RING * disc_mm
    if not grid.precut:
        _cut_marks(canvas, radius + grid.bleed_mm)
    canvas.setFillColorRGB(*symbol.fill)
    canvas.circle(0, 0, radius + grid.bleed_mm, stroke=0, fill=1)
    canvas.setFillGray(1)
    canvas.circle(0, 0, inner, stroke=0, fill=1)

    side, down = _QR * disc_mm, _QR_DOWN * disc_mm
    _qr_code(canvas, label.uri, side, -down)
    size = 0.105 * disc_mm
    _symbol(canvas, symbol, inner - 0.015 * disc_mm - size, size)

    canvas.setFillGray(0)
    beside = (side / 2 + inner) / 2
    width = inner - side / 2 - 0.04 * disc_mm
    if role.group is not None:
        _fitted(canvas, f"G{role.group}", -beside, -0.045 * disc_mm, BOLD, 0.135 * disc_mm, width)
    if label.number is not None:
        _fitted(canvas, str(label.number), beside, -0.045 * disc_mm, BOLD, 0.135 * disc_mm, width)
    kind = _(KIND_NAMES[role.kind])
    lines = [line for line in label.lines if line]
    if not lines:
        lines = [kind.upper()]
    elif role.kind is not TokenKind.TROOPER:
        lines.append(kind)
    _text_block(canvas, lines, -side / 2 - down, inner, disc_mm)


def _text_block(canvas: Canvas, lines: Sequence[str], top: float, inner: float, disc_mm: float) -> None:
    """Two lines in the segment of the disc below `top`: what is too long for one goes on in the second."""
    size = 0.088 * disc_mm
    second = 0.075 * disc_mm
    y = top - 0.85 * size
    y_second = y - 1.08 * second
    room, room_second = _room(y, size, inner), _room(y_second, second, inner)
    wrapped = [printable_text(line) for line in lines]
    if len(wrapped) == 1 and canvas.stringWidth(wrapped[0], BOLD, 0.85 * size) > room:
        wrapped = _halves(canvas, wrapped[0], size, room)
    _fitted(canvas, wrapped[0], 0, y, BOLD, size, room)
    if len(wrapped) > 1:
        font = BOLD if len(lines) == 1 else REGULAR
        _fitted(canvas, wrapped[1], 0, y_second, font, second, room_second)


def _room(y: float, size: float, inner: float) -> float:
    """The chord of the disc at the foot of a line of text."""
    return 2 * math.sqrt(max(inner**2 - (y - 0.15 * size) ** 2, 0)) - 0.06 * inner


def _halves(canvas: Canvas, text: str, size: float, room: float) -> list[str]:
    """A long name on two lines: as many words as fit on the first; a single long word stays whole."""
    words = text.split()
    for count in range(len(words) - 1, 0, -1):
        line = " ".join(words[:count])
        if count == 1 or canvas.stringWidth(line, BOLD, 0.85 * size) <= room:
            return [line, " ".join(words[count:])]
    return [text]


def _cut_marks(canvas: Canvas, edge: float) -> None:
    """Four ticks outside the bleed that point at the cut."""
    canvas.setStrokeGray(0)
    canvas.setLineWidth(0.1)
    near, far = edge + 0.2, edge + GAP_MM / 2 - 0.7
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
    canvas.setFont(BOLD, letter_mm)
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
    text = printable_text(text)
    smallest = 0.7 * size
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
    canvas.translate(MARGIN_MM, MARGIN_MM)
    canvas.setStrokeGray(0)
    canvas.setFillGray(0)
    canvas.setLineWidth(0.15)
    canvas.line(0, 0, 50, 0)
    for tick in range(0, 51, 10):
        canvas.line(tick, 0, tick, 2 if tick % 50 == 0 else 1.2)
    text = _("50 mm: print at 100 %, without fitting to the page")
    parts = [text, *([title] if title else []), f"{page}/{pages}"]
    _left(canvas, "  ·  ".join(parts), 53, 0, 3.0, PAPERS_MM[paper][0] - 2 * MARGIN_MM - 53)
    canvas.restoreState()


def _left(canvas: Canvas, text: str, x: float, y: float, size: float, room: float) -> None:
    text = printable_text(text)
    while canvas.stringWidth(text, REGULAR, size) > room:
        size *= 0.97
    canvas.setFont(REGULAR, size)
    canvas.drawString(x, y, text)
