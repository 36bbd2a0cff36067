"""The strips in a terminal: coloured cells, readable without colour too, since every effect has its own shape. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.text import Text

from ordertray.lights.frame import LampFrame, Pixel, Strip
from ordertray.lights.layout import ROWS, Field
from ordertray.lights.state import SIDES, Side
from ordertray.messages import N_, identity

SHAPES: Final = {".": "·", "s": "●", "d": "○", "b": "◉", "p": "◆", "c": "▶", "f": "✦", "q": "◎"}
LEGEND: Final = (
    ("s", N_("lit")),
    ("d", N_("spent")),
    ("b", N_("blinking")),
    ("p", N_("pulsing")),
    ("c", N_("running")),
    ("f", N_("flashing")),
    ("q", N_("blinking fast")),
    (".", N_("dark")),
)
_STYLES: Final = {
    ".": "grey35",
    "w": "bright_white",
    "r": "red1",
    "g": "green3",
    "b": "dodger_blue1",
    "y": "yellow1",
    "o": "dark_orange",
    "p": "medium_purple1",
    "c": "cyan1",
}
_SEPARATOR: Final = "  "


def frame_to_text(frame: LampFrame, *, translate: Callable[[str], str] = identity) -> Text:
    """Draw both strips as a `rich` text of five lines: two rows of side A, an empty line, two rows of side B.

    A pixel is one character: its shape says the effect (see `SHAPES`), its style the colour. `translate` translates the
    labels. `str(text)` or `.plain` gives it without colours.
    """
    labels = {field.name: translate(field.label) for row in ROWS for field in row}
    # Columns of both rows line up, so that a player finds a lamp by its place.
    widths = [max(len(labels[upper.name]), len(labels[lower.name])) for upper, lower in zip(*ROWS, strict=True)]
    text = Text()
    for side in SIDES:
        if side != SIDES[0]:
            text.append("\n\n")
        _draw_side(text, side, frame.strip(side), labels, widths)
    return text


def legend_to_text(*, translate: Callable[[str], str] = identity) -> Text:
    """One line that explains the shapes."""
    return Text(_SEPARATOR.join(f"{SHAPES[letter]} {translate(name)}" for letter, name in LEGEND), style="dim")


def _draw_side(text: Text, side: Side, strip: Strip, labels: dict[str, str], widths: list[int]) -> None:
    for number, row in enumerate(ROWS):
        text.append("\n" if number else "")
        text.append(f" {side} " if number == 0 else "   ", style="bold reverse" if number == 0 else "")
        for field, width in zip(row, widths, strict=True):
            text.append(f"{_SEPARATOR}{labels[field.name]:>{width}} ", style="dim")
            _draw_field(text, field, strip, _columns(field))


def _columns(field: Field) -> int:
    """Cells of the wider of the two fields above each other."""
    place = next(row.index(field) for row in ROWS if field in row)
    return max(row[place].length for row in ROWS)


def _draw_field(text: Text, field: Field, strip: Strip, columns: int) -> None:
    for number in field.pixels:
        text.append(SHAPES[strip[number].effect], style=_style(strip[number]))
    text.append(" " * (columns - field.length))


def _style(pixel: Pixel) -> str:
    weight = "dim " if pixel.effect == "d" else "bold blink " if pixel.effect in "bq" else ""
    if pixel.effect in "pcf":
        weight = "bold "
    return weight + _STYLES[pixel.colour]
