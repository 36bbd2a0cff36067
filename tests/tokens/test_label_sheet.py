"""The label sheet, rendered and looked at: every QR code read back at its place, sizes, colours, identical bytes."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]
import pytest
import zxingcpp  # type: ignore[import-untyped, unused-ignore]
from PIL import Image

from messages_workflow import compile_catalogue
from ordertray import messages
from ordertray.rules.army import Army
from ordertray.tokens.labels import Label, labels_for, starter_labels
from ordertray.tokens.model import Role, TokenKind
from ordertray.tokens.sheet import DISCS_MM, PAPERS_MM, SheetError, label_sheet, sheet_places, unprintable
from ordertray.tokens.symbols import SYMBOLS

DOTS_PER_MM = 300 / 25.4


def rendered(pdf: bytes) -> list[Image.Image]:
    """The pages as pictures of 300 dots an inch, as a good printer would print them."""
    document = pypdfium2.PdfDocument(pdf)
    pages = [page.render(scale=300 / 72).to_pil().convert("RGB") for page in document]
    document.close()
    return pages


def codes(page: Image.Image) -> dict[str, tuple[float, float]]:
    """Each QR code's text and its middle in millimetres from the lower left corner."""
    found = {}
    for code in zxingcpp.read_barcodes(page):
        assert code.text not in found
        corners = [code.position.top_left, code.position.bottom_right]
        x, y = (sum(getattr(corner, axis) for corner in corners) / 2 / DOTS_PER_MM for axis in ("x", "y"))
        found[code.text] = (x, page.height / DOTS_PER_MM - y)
    return found


def colour_at(page: Image.Image, x_mm: float, y_mm: float) -> tuple[float, ...]:
    """The colour at a point, red, green and blue from 0 to 1."""
    pixel = page.getpixel((round(x_mm * DOTS_PER_MM), round(page.height - y_mm * DOTS_PER_MM)))
    assert isinstance(pixel, tuple)
    return tuple(round(part / 255, 2) for part in pixel)


def check_page(page: Image.Image, labels: Sequence[Label], paper: str, disc_mm: int) -> None:
    """Every code is there once, in the middle of its own disc; every ring has its kind's colour out to the bleed."""
    found = codes(page)
    assert sorted(found) == sorted(label.uri for label in labels)
    for label, (x, y) in zip(labels, sheet_places(paper, disc_mm), strict=False):
        code_x, code_y = found[label.uri]
        assert abs(code_x - x) < 0.3 and abs(code_y - y) < 0.05 * disc_mm
        expected = pytest.approx(SYMBOLS[label.role.kind].fill, abs=0.02)
        for radius in (disc_mm / 2 - 0.5, disc_mm / 2 + 0.5):
            assert colour_at(page, x - radius * 0.8, y - radius * 0.6) == expected
        assert colour_at(page, x - 0.8 * (disc_mm / 2 + 1.5), y - 0.6 * (disc_mm / 2 + 1.5)) == (1, 1, 1)
        mark = [colour_at(page, x + disc_mm / 2 + 1.4, y + step / 20) for step in range(-4, 5)]
        assert min(sum(pixel) for pixel in mark) < 1.5  # the cut mark on the right


@pytest.mark.parametrize("disc_mm", DISCS_MM)
@pytest.mark.parametrize("paper", PAPERS_MM)
def test_every_code_is_read_back_from_the_rendered_sheet(red: Army, paper: str, disc_mm: int) -> None:
    labels = labels_for(red)
    pages = rendered(label_sheet(labels, paper=paper, disc_mm=disc_mm, title=red.name))
    per_page = len(sheet_places(paper, disc_mm))
    assert len(pages) == -(-len(labels) // per_page)
    for number, page in enumerate(pages):
        assert (page.width / DOTS_PER_MM, page.height / DOTS_PER_MM) == pytest.approx(PAPERS_MM[paper], abs=0.2)
        check_page(page, labels[number * per_page : (number + 1) * per_page], paper, disc_mm)


def test_labels_speak_spanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its own compiled catalogue: the installed one may be of yesterday.
    shutil.copytree(messages.LOCALE_DIRECTORY, tmp_path / "locale")
    compile_catalogue(tmp_path / "locale" / "es" / "LC_MESSAGES" / "ordertray.po")
    monkeypatch.setattr(messages, "LOCALE_DIRECTORY", tmp_path / "locale")
    messages._catalogue.cache_clear()
    try:
        sheets = {language: label_sheet(starter_labels(), language=language) for language in ("en", "es")}
    finally:
        messages._catalogue.cache_clear()
    texts = {}
    for language, sheet in sheets.items():
        document = pypdfium2.PdfDocument(sheet)
        texts[language] = document[0].get_textpage().get_text_range()
        document.close()
    for english, spanish in (
        ("LIEUTENANT", "TENIENTE"),
        ("TACTICAL", "TÁCTICA"),
        ("COMMAND", "MANDO"),
        ("STATE", "ESTADO"),
    ):
        assert english in texts["en"] and spanish not in texts["en"]
        assert spanish in texts["es"] and english not in texts["es"]
    assert "imprimir al 100 %" in texts["es"]


def test_the_starter_set_has_thirty_labels_and_needs_no_army() -> None:
    labels = starter_labels()
    kinds = Counter(label.role.kind for label in labels)
    assert len(labels) == len(set(labels)) == 30
    assert kinds[TokenKind.REGULAR] == 20 and set(kinds) == set(TokenKind) - {TokenKind.IMPETUOUS, TokenKind.TROOPER}
    for group in (1, 2):
        assert [label.role.number for label in labels if label.role.group == group] == list(range(1, 11))
    (page,) = rendered(label_sheet(labels))
    check_page(page, labels, "a4", 25)


def test_more_labels_than_a_page_holds_go_on_the_next(blue: Army) -> None:
    labels = [*labels_for(blue), *(Label(Role(TokenKind.COMMAND, None, number)) for number in range(10, 30))]
    told: list[tuple[int, int]] = []
    pages = rendered(label_sheet(labels, progress=lambda done, all_: told.append((done, all_))))
    assert len(pages) == 2
    per_page = len(sheet_places("a4", 25))
    read = [text for page in pages for text in codes(page)]
    assert sorted(read) == sorted(label.uri for label in labels)
    assert len(codes(pages[0])) == per_page
    assert told == [(done, len(labels)) for done in range(1, len(labels) + 1)]


def test_the_same_labels_give_the_same_bytes(red: Army) -> None:
    first = label_sheet(labels_for(red), title=red.name)
    assert first == label_sheet(labels_for(red), title=red.name)
    assert first != label_sheet(labels_for(red), title="other")


@pytest.mark.parametrize("disc_mm", DISCS_MM)
def test_discs_stay_on_the_page_and_apart(disc_mm: int) -> None:
    for paper, (width, height) in PAPERS_MM.items():
        places = sheet_places(paper, disc_mm)
        assert len(places) >= 30
        assert all(x - disc_mm / 2 >= 7 and x + disc_mm / 2 <= width - 6.9 for x, _y in places)
        assert all(y - disc_mm / 2 >= 14 and y + disc_mm / 2 <= height - 5 for _x, y in places)
        distances = [((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for ax, ay in places for bx, by in places]
        assert min(distance for distance in distances if distance) >= disc_mm + 4 - 1e-9


def test_long_and_foreign_names_fit_and_are_reported() -> None:
    labels = [Label(Role(TokenKind.TROOPER, 1, None, "x" * 60), "Ñandú of the endless name that goes on and on"), Label(
        Role(TokenKind.IRREGULAR, 1, None, "ł"), "Łukasz Δ")]  # fmt: skip
    assert unprintable("".join(label.name for label in labels)) == "ŁΔ"
    (page,) = rendered(label_sheet(labels, disc_mm=30))
    check_page(page, labels, "a4", 30)


@pytest.mark.parametrize(
    ("labels", "sizes", "message"),
    [
        ([], {}, "no label"),
        (starter_labels(), {"paper": "a5"}, "A4 or Letter"),
        (starter_labels(), {"disc_mm": 20}, "25 or 30 mm"),
        ([Label(Role(TokenKind.TROOPER, trooper="x" * 5000))], {}, "too long for a disc"),
    ],
)
def test_what_cannot_be_printed_is_refused(labels: Sequence[Label], sizes: dict[str, object], message: str) -> None:
    with pytest.raises(SheetError, match=message):
        label_sheet(labels, **sizes)  # type: ignore[arg-type]
