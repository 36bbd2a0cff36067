"""Colour is never the only sign: whatever can stand at one place of a strip, on a page or in a heap of discs differs by
pattern, place, shape or brightness too, for deuteranopes, protanopes, tritanopes and on a grey screen.
"""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import pytest

from lights.colour_vision import VISIONS, Light, lightness, linear, luminance
from ordertray.lights import render
from ordertray.lights.bars import CellKind, Segment, pack
from ordertray.lights.layout import FIELD, FIELDS
from ordertray.lights.rendering import ORDER_COLOURS
from ordertray.lights.state import SIDES, Count
from ordertray.tokens.symbols import SYMBOLS
from ordertray_firmware.pixels import DIM_LEVEL, LEVELS, PALETTE

#: A step of lightness (CIE L*) that is seen at a glance, side by side.
STEP = 12.0
SHAPES = files("ordertray.web").joinpath("static", "shapes.js").read_text("utf-8")
STYLE = files("ordertray.web").joinpath("static", "page.css").read_text("utf-8")
VIEWS = pytest.mark.parametrize("vision", VISIONS)

#: Everything that one field of a strip can show for long: (meaning, colour, effect). Bars of orders: see below.
MEANINGS = {
    "turn": [("ready", "w", "s"), ("order running", "w", "b"), ("to move on", "w", "p"), ("nobody's", "w", "d")],
    "link": [
        ("online", "g", "s"), ("slow", "o", "p"), ("reader out of order", "o", "b"), ("offline", "r", "b"),
        ("none", ".", "s"),
    ],
    "aro": [
        ("open", "c", "p"), ("declared", "c", "s"), ("second touch", "w", "f"), ("once more", "w", "q"),
        ("none", ".", "s"),
    ],
    "retreat": [("Retreat", "r", "b"), ("none", ".", "s")],
    "loss_of_lieutenant": [("lost", "o", "s"), ("none", ".", "s")],
}  # fmt: skip


def light(colour: str, effect: str) -> Light:
    """A pixel's light. LEDs are switched on and off quickly: half the level is half the light."""
    if colour == ".":
        return 0.0, 0.0, 0.0
    share = DIM_LEVEL / LEVELS if effect == "d" else 1.0
    red, green, blue = (part / 255 * share for part in PALETTE[colour])
    return red, green, blue


def told_apart(one: tuple[str, str], other: tuple[str, str], vision: str) -> bool:
    """By pattern, or by a step of brightness."""
    if one[1] != other[1] and "." not in (one[0], other[0]) and {one[1], other[1]} != {"s", "d"}:
        return True
    see = VISIONS[vision]
    return abs(lightness(see(light(*one))) - lightness(see(light(*other)))) >= STEP


@VIEWS
@pytest.mark.parametrize("field", MEANINGS)
def test_what_one_lamp_can_mean(field: str, vision: str) -> None:
    for (one, *first), (other, *second) in combinations(MEANINGS[field], 2):
        assert told_apart((first[0], first[1]), (second[0], second[1]), vision), (field, one, other)


@VIEWS
def test_left_and_spent_orders(vision: str) -> None:
    for colour in ORDER_COLOURS.values():
        assert told_apart((colour, "s"), (colour, "d"), vision), colour
        assert told_apart((colour, "d"), (".", "s"), vision), colour
        assert told_apart((colour, "p"), (colour, "s"), vision), colour


def test_irregular_orders_are_told_by_their_place() -> None:
    """Green and yellow are one colour to many: a dark pixel stands before Irregular orders, and before no others."""
    for regular in range(10):
        for irregular in range(1, 10 - regular):
            segments = [
                Segment("1", "regular", Count(regular, regular)),
                Segment("1", "irregular", Count(irregular, irregular)),
            ]
            cells = pack(segments, FIELD["group1"].length, apart="irregular")
            place = next(n for n, cell in enumerate(cells) if cell.kind == "irregular")
            assert cells[place - 1].what is CellKind.GAP and place == regular + 1
    assert pack([Segment("1", "regular", Count(3, 3))], 10, apart="irregular")[0].kind == "regular"


def test_the_other_kinds_of_order_have_fields_of_their_own() -> None:
    own = {"lieutenant", "tactical", "impetuous"}
    assert own <= {field.name for field in FIELDS}
    assert set(ORDER_COLOURS) == {"regular", "irregular", *own}


def test_the_meanings_are_those_that_are_shown() -> None:
    """What `render` shows before a game is among them, so the list above is no invention."""
    dark = render({"edition": "n5", "seats": {}, "active": None, "over": False}, {"A": "offline", "B": "online"})
    for seat in SIDES:
        colours, effects = dark.letters(seat)
        for field, meanings in MEANINGS.items():
            pixel = FIELD[field].first
            shown = (colours[pixel], effects[pixel])
            assert shown[0] == "." or shown in {(colour, effect) for _, colour, effect in meanings}, (field, shown)


def path_of(kind: str) -> str:
    found = re.search(rf'^  {kind}: "([^"]+)"', SHAPES, re.M)
    assert found is not None, kind
    return found.group(1)


def test_every_kind_has_a_shape_of_its_own_on_the_page_and_on_labels() -> None:
    kinds = [*ORDER_COLOURS, "command", "state", "trooper"]
    assert len({path_of(kind) for kind in kinds}) == len(kinds)
    assert path_of("A") != path_of("B")  # a circle and a square, each with its letter
    marks = [(symbol.outline, symbol.letter) for symbol in SYMBOLS.values()]
    assert len({outline for outline, _ in marks}) == len(marks) == len({letter for _, letter in marks})


@VIEWS
def test_shapes_and_letters_stand_out_from_their_ground(vision: str) -> None:
    see = VISIONS[vision]
    for symbol in SYMBOLS.values():
        fill, ink = (see((red**2.2, green**2.2, blue**2.2)) for red, green, blue in (symbol.fill, symbol.ink))
        assert contrast(fill, ink) >= 3, symbol.letter
    for block in re.findall(r"\{([^{}]*--regular:[^{}]*)\}", STYLE):
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for kind in [*ORDER_COLOURS, "command", "state", "trooper", "a", "b", "go", "danger"]:
            for ground in ("card", "sunk"):
                assert contrast(see(linear(colours[kind])), see(linear(colours[ground]))) >= 3, (kind, ground)
        for text, ground in (
            ("on-aro", "aro"),
            ("on-loss", "loss"),
            ("on-go", "go"),
            ("ink", "card"),
            ("soft", "card"),
        ):
            assert contrast(see(linear(colours[text])), see(linear(colours[ground]))) >= 4.5, (text, ground)


def contrast(one: Light, other: Light) -> float:
    """WCAG's ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
