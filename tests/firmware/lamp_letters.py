"""The table of lamp letters in firmware/PROTOCOL.md, for the tests of both ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "firmware" / "PROTOCOL.md"


@dataclass(frozen=True, slots=True)
class LampLetters:
    """What the page says: letter -> (red, green, blue), letter -> name of the colour and effect, pixel -> meaning."""

    palette: dict[str, tuple[int, int, int]]
    colours: dict[str, str]
    effects: dict[str, str]
    effect_words: dict[str, str]
    patterns: dict[str, str]


def read_page(page: str | None = None) -> LampLetters:
    """Read the two tables. Raises ValueError for a letter or pattern that stands there twice."""
    text = PAGE.read_text(encoding="utf-8") if page is None else page
    letters = re.search(r"^```lamps\n(.*?)^```$", text, re.M | re.S)
    patterns = re.search(r"^```patterns\n(.*?)^```$", text, re.M | re.S)
    assert letters is not None and patterns is not None, "no table of lamps in PROTOCOL.md"
    found = LampLetters({}, {}, {}, {}, {})
    for line in letters[1].splitlines():
        if not line:
            continue
        what, letter, name, rest = line.split(None, 3)
        table = found.colours if what == "colour" else found.effects
        if letter in table:
            raise ValueError(f"twice: {line}")
        table[letter] = name
        if what == "colour":
            red, green, blue = map(int, rest.split())
            found.palette[letter] = (red, green, blue)
        else:
            found.effect_words[letter] = rest
    for line in patterns[1].splitlines():
        pixel, meaning = line.split(None, 1)
        if pixel in found.patterns:
            raise ValueError(f"twice: {line}")
        found.patterns[pixel] = meaning
    return found
