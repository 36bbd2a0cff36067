"""The label sheet, rendered and looked at: every QR code read back at its place, sizes, colours, identical bytes."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pytest
import zxingcpp  # type: ignore[import-untyped, unused-ignore]
from PIL import Image

from messages_workflow import compile_catalogue
from ordertray import messages
from ordertray.rules.army import Army, Trooper
from ordertray.tokens.fonts import printable_text, unprintable
from ordertray.tokens.grids import PAPERS_MM, SHEETS, Grid, SheetError, plain_grid, sheet_named
from ordertray.tokens.labels import Label, labels_for, starter_labels
from ordertray.tokens.model import Role, TokenKind
from ordertray.tokens.sheet import label_sheet, preview
from ordertray.tokens.symbols import SYMBOLS
from ordertray.tokens.virtual import disc_numbers

DOTS_PER_MM = 300 / 25.4
DISCS_MM = (25, 30)


def rendered(pdf: bytes) -> list[Image.Image]:
    """The pages as pictures of 300 dots an inch, as a good printer would print them."""
    document = pypdfium2.PdfDocument(pdf)
    pages = [page.render(scale=300 / 72).to_pil().convert("RGB") for page in document]
    document.close()
    return pages


def qr_codes(page: Image.Image) -> list[Any]:
    """What a phone would read; of stripes in between the library makes bar codes now and then."""
    return [code for code in zxingcpp.read_barcodes(page) if code.format == zxingcpp.BarcodeFormat.QRCode]


def codes(page: Image.Image) -> dict[str, tuple[float, float]]:
    """Each QR code's text and its middle in millimetres from the lower left corner."""
    found = {}
    for code in qr_codes(page):
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


def check_page(page: Image.Image, labels: Sequence[Label], grid: Grid, first: int = 1) -> None:
    """Every code is there once, in the middle of its own disc; every ring has its kind's colour out to the bleed."""
    found = codes(page)
    assert sorted(found) == sorted(label.uri for label in labels)
    for label, (x, y) in zip(labels, grid.places[first - 1 :], strict=False):
        code_x, code_y = found[label.uri]
        assert abs(code_x - x) < 0.3 and abs(code_y - y) < 0.05 * grid.disc_mm
        expected = pytest.approx(SYMBOLS[label.role.kind].fill, abs=0.02)
        for radius in (grid.disc_mm / 2 - 0.5, grid.disc_mm / 2 + 0.6 * grid.bleed_mm):
            assert colour_at(page, x - radius * 0.8, y - radius * 0.6) == expected
        away = 0.9 * grid.disc_mm / 2 + grid.bleed_mm + 2
        assert colour_at(page, x - 0.707 * away - 1, y - 0.707 * away - 1) == (1, 1, 1)
        mark = [colour_at(page, x + grid.disc_mm / 2 + 1.1, y + step / 20) for step in range(-4, 5)]
        if not grid.precut:
            assert min(sum(pixel) for pixel in mark) < 1.5  # the cut mark on the right


@pytest.mark.parametrize("disc_mm", DISCS_MM)
@pytest.mark.parametrize("paper", PAPERS_MM)
def test_every_code_is_read_back_from_the_rendered_sheet(red: Army, paper: str, disc_mm: int) -> None:
    labels = labels_for(red)
    grid = plain_grid(paper, disc_mm)
    pages = rendered(label_sheet(labels, grid=grid, title=red.name))
    per_page = len(grid.places)
    assert len(pages) == -(-len(labels) // per_page)
    for number, page in enumerate(pages):
        assert (page.width / DOTS_PER_MM, page.height / DOTS_PER_MM) == pytest.approx(PAPERS_MM[paper], abs=0.2)
        check_page(page, labels[number * per_page : (number + 1) * per_page], grid)


def test_named_labels_say_whom_a_regular_disc_stands_for(red: Army) -> None:
    numbers = disc_numbers(red)
    discs = {(label.role.group, label.role.number): label.name for label in labels_for(red, named=True)
             if label.role.kind is TokenKind.REGULAR}  # fmt: skip
    assert len(discs) == len(numbers)
    for trooper in red.troopers:
        if trooper.id in numbers:
            assert discs[trooper.group, numbers[trooper.id]] == (trooper.name or trooper.id).partition(", ")[0]
    assert all(not label.name for label in labels_for(red) if label.role.kind is TokenKind.REGULAR)


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
    check_page(page, labels, plain_grid("a4", 25))


def test_more_labels_than_a_page_holds_go_on_the_next(blue: Army) -> None:
    labels = [*labels_for(blue), *(Label(Role(TokenKind.COMMAND, None, number)) for number in range(10, 30))]
    told: list[tuple[int, int]] = []
    pages = rendered(label_sheet(labels, progress=lambda done, all_: told.append((done, all_))))
    assert len(pages) == 2
    per_page = len(plain_grid("a4", 25).places)
    read = [text for page in pages for text in codes(page)]
    assert sorted(read) == sorted(label.uri for label in labels)
    assert len(codes(pages[0])) == per_page
    assert told == [(done, len(labels)) for done in range(1, len(labels) + 1)]


def test_the_same_labels_give_the_same_bytes(red: Army) -> None:
    first = label_sheet(labels_for(red), title=red.name)
    assert first == label_sheet(labels_for(red), title=red.name)
    assert first != label_sheet(labels_for(red), title="other")


@pytest.mark.parametrize("disc_mm", [22, 25, 28, 30])
def test_discs_stay_on_the_page_and_apart(disc_mm: int) -> None:
    for paper, (width, height) in PAPERS_MM.items():
        places = plain_grid(paper, disc_mm).places
        assert len(places) >= 30
        assert all(x - disc_mm / 2 >= 6.9 and x + disc_mm / 2 <= width - 6.9 for x, _y in places)
        assert all(y - disc_mm / 2 >= 14 and y + disc_mm / 2 <= height - 5 for _x, y in places)
        assert apart(places) >= disc_mm + 4 - 1e-9


def apart(places: Sequence[tuple[float, float]]) -> float:
    """The least distance of two centres."""
    distances = [((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for ax, ay in places for bx, by in places]
    return float(min(distance for distance in distances if distance))


@pytest.mark.parametrize("name", SHEETS)
def test_pre_cut_sheets_fit_their_paper_and_are_read_back(red: Army, name: str) -> None:
    grid = sheet_named(name.upper())
    width, height = PAPERS_MM[grid.paper]
    assert len(grid.places) == grid.columns * grid.rows and apart(grid.places) > grid.disc_mm + 2 * grid.bleed_mm
    margins = [(x - grid.disc_mm / 2, width - x - grid.disc_mm / 2) for x, _y in grid.places]
    assert abs(min(left for left, _ in margins) - min(right for _, right in margins)) < 1  # in the middle
    assert all(y - grid.disc_mm / 2 > 0 and y + grid.disc_mm / 2 < height for _x, y in grid.places)
    labels = labels_for(red)[:9]
    first = len(grid.places) - 4
    one, two = rendered(label_sheet(labels, grid=grid, first=first))
    check_page(one, labels[:5], grid, first)
    check_page(two, labels[5:], grid)


def test_a_sheet_can_be_moved_begun_anywhere_and_looked_at_first() -> None:
    grid = plain_grid("a4", 25)
    moved = grid.moved(1.5, -2)
    assert moved.places[0] == pytest.approx((grid.places[0][0] + 1.5, grid.places[0][1] + 2))
    labels = starter_labels()[:1]
    pdf = label_sheet(labels, grid=moved, first=8)
    (page,) = rendered(pdf)
    check_page(page, labels, moved, 8)
    (picture,) = preview(pdf)
    assert Image.open(io.BytesIO(picture)).size == (1241, 1754)
    for first in (0, len(grid.places) + 1):
        with pytest.raises(SheetError, match=f"places 1 to {len(grid.places)}"):
            label_sheet(labels, grid=grid, first=first)


def test_names_keep_their_letters_whatever_script_and_others_are_reported() -> None:
    names = "SĀCHĀ Yáozǎo Ōban Łukasz Çelik Дозорный Π-WELL GŪIJIĂ"
    assert unprintable(names) == "" and printable_text(names) == names
    assert unprintable("Ana 鷹?") == "鷹" and printable_text("Ȟ鷹") in ("Ȟ?", "H?")
    labels = [Label(Role(TokenKind.TROOPER, 1, None, "x" * 60), "Ñandú of the endless name that goes on and on"),
              Label(Role(TokenKind.TROOPER, 1, None, "d"), "Дозорный", "Тяжёлый пулемёт", 2)]  # fmt: skip
    pdf = label_sheet(labels)
    check_page(rendered(pdf)[0], labels, plain_grid("a4", 25))
    document = pypdfium2.PdfDocument(pdf)
    text = document[0].get_textpage().get_text_range()
    document.close()
    assert "Дозорный" in text and "Тяжёлый" in text and "Ñandú of the" in text


def test_what_distinguishes_comes_first_and_no_two_labels_of_a_set_look_alike(red: Army) -> None:
    troopers = [
        Trooper("jackal", "JACKAL, Shotgun", lieutenant=True),
        Trooper("jackal-2", "JACKAL, Rocket Launcher"),
        Trooper("jackal-3", "JACKAL, Rocket Launcher"),
        *(Trooper(f"wild-{n}", "Wild One", training="irregular", skills=frozenset({"impetuous"})) for n in range(4)),
    ]
    labels = labels_for(Army("", 300, tuple(troopers)))
    tags = [label for label in labels if label.role.kind is TokenKind.TROOPER]
    assert [(label.lines, label.number) for label in tags[:3]] == [
        (("Shotgun", "JACKAL"), None),
        (("Rocket Launcher", "JACKAL"), 1),
        (("Rocket Launcher", "JACKAL"), 2),
    ]
    for found in (labels, labels_for(red), starter_labels()):
        seen = Counter((label.role.kind, label.role.group, label.number, label.lines) for label in found)
        assert max(seen.values()) == 1


@pytest.mark.parametrize(
    ("labels", "grid", "message"),
    [
        ([], ("a4", 25), "no label"),
        (starter_labels(), ("a5", 25), "A4 or Letter"),
        (starter_labels(), ("a4", 12), "discs of 18 to 50 mm"),
        ([Label(Role(TokenKind.TROOPER, trooper="x" * 5000))], ("a4", 25), "too long for a disc"),
    ],
)
def test_what_cannot_be_printed_is_refused(labels: Sequence[Label], grid: tuple[str, float], message: str) -> None:
    with pytest.raises(SheetError, match=message):
        label_sheet(labels, grid=plain_grid(*grid))
    with pytest.raises(SheetError, match="no sheet of labels x-1; known are rayfilm-2525k"):
        sheet_named("x-1")
