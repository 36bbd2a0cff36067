"""Every picture that a page shows can be seen: an empty file stood among them once."""

from __future__ import annotations

from pathlib import Path

import pytest

Image = pytest.importorskip("PIL.Image", reason="needs pillow (make setup)")
ROOT = Path(__file__).parents[1]
PICTURES = sorted(path for folder in ("docs", "hardware/pictures") for path in (ROOT / folder).rglob("*.png"))


def test_every_picture_opens_and_shows_something() -> None:
    assert len(PICTURES) > 60
    empty = []
    for path in PICTURES:
        try:
            with Image.open(path) as picture:
                shades = picture.convert("RGBA").convert("L").getextrema()
        except OSError:
            shades = (0, 0)
        if shades[0] == shades[1]:
            empty.append(str(path.relative_to(ROOT)))
    assert empty == []
