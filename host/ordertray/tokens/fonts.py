"""The labels' font: Roboto (Apache licence), which has the letters of Latin, Greek and Cyrillic names.

It is embedded in the PDF, so that every printer draws the same. A letter that it lacks is replaced by its plain form
where there is one, else by "?", and reported.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REGULAR, BOLD = "Roboto", "Roboto-Bold"
_FILES = {REGULAR: "Roboto-Regular.ttf", BOLD: "Roboto-Bold.ttf"}


@cache
def registered() -> bool:
    """Make the font known to reportlab, once. Raises `ImportError` without the extra `labels`."""
    from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
    from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]

    for name in _FILES:
        pdfmetrics.registerFont(TTFont(name, str(_file(name))))
    return True


def _file(name: str) -> Path:
    found = find_spec("font_roboto")
    if found is None or found.origin is None:
        raise ImportError("font_roboto")
    return Path(found.origin).parent / "files" / _FILES[name]


@cache
def _letters() -> frozenset[int]:
    from reportlab.pdfbase import pdfmetrics

    registered()
    face: Any = pdfmetrics.getFont(REGULAR).face
    return frozenset(face.charToGlyph)


def printable_text(text: str) -> str:
    """The text in letters that the font has."""
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if ord(letter) in _letters():
        return letter
    plain = "".join(c for c in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(c))
    return plain if plain and all(ord(c) in _letters() for c in plain) else "?"


def unprintable(text: str) -> str:
    """The letters of a text that come out as "?"."""
    return "".join(sorted({letter for letter in text if _letter(letter) == "?" and letter != "?"}))
