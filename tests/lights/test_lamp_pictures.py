"""The strips drawn: in a terminal, and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from lights.views import BOTH_ONLINE, count, order, seat, view
from ordertray.lights import LampFrame, frame_to_svg, frame_to_text, render
from ordertray.lights.frame import EFFECTS
from ordertray.lights.layout import FIELDS
from ordertray.lights.picture import INKS
from ordertray.lights.terminal import SHAPES, legend_to_text

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def frame() -> LampFrame:
    a = seat(pools={"1": count(6, 4), "2": count(4)}, lieutenant=count(1), tactical=count(2, 1))
    b = seat(irregular=count(7), retreat=True, loss_of_lieutenant=True)
    return render(view(a=a, b=b, order=order(open_window=True)), BOTH_ONLINE)


def test_terminal_rows_line_up_and_show_effects_by_shape(frame: LampFrame) -> None:
    lines = frame_to_text(frame).plain.split("\n")
    assert lines == [
        " A   Group 1 ●●●●○○····   Lt ●·  Tac ●○  Turn ◉  Link ●",
        "     Group 2 ●●●●······  Imp ··  ARO ··   Ret ·   LoL ·",
        "",
        " B   Group 1 ·●●●●●●●··   Lt ··  Tac ··  Turn ·  Link ●",
        "     Group 2 ··········  Imp ··  ARO ◆◆   Ret ◉   LoL ●",
    ]


def test_terminal_cells_carry_their_colours(frame: LampFrame) -> None:
    text = frame_to_text(frame)
    styles = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert styles["◆"] == "bold cyan1"
    assert {str(span.style) for span in text.spans if text.plain[span.start] == "○"} == {
        "dim green3",
        "dim dodger_blue1",
    }


def test_each_effect_has_a_shape_of_its_own_and_is_explained() -> None:
    assert set(SHAPES) == set(EFFECTS)
    assert len(set(SHAPES.values())) == len(SHAPES)
    assert all(shape in legend_to_text().plain for shape in SHAPES.values())


def test_labels_are_translated_in_text_and_picture(frame: LampFrame) -> None:
    def shout(message: str) -> str:
        return message.upper()

    assert "GROUP 1" in frame_to_text(frame, translate=shout).plain
    svg = frame_to_svg(frame, translate=shout)
    assert ">GROUP 1<" in svg and "ARO WINDOW OPEN" in svg and "Retreat!" not in svg


def test_picture_is_well_formed_and_the_same_each_time(frame: LampFrame) -> None:
    svg = frame_to_svg(frame)
    assert svg == frame_to_svg(frame)
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for field in FIELDS:
        assert texts.count(field.label) == 2, field.name
    assert "its turn: an order is running" in texts
    assert "ARO window open · Retreat! · Loss of Lieutenant" in texts


def test_picture_draws_each_pixel_of_the_frame(frame: LampFrame) -> None:
    panels = [group for group in ElementTree.fromstring(frame_to_svg(frame)) if group.tag == f"{SVG}g"][:2]
    for side, panel in zip((frame.a, frame.b), panels, strict=True):
        drawn = [element.get("fill") for element in panel.iter(f"{SVG}rect") if element.find(f"{SVG}title") is not None]
        assert drawn == [INKS[pixel.colour] for pixel in side if pixel.colour != "."]
