"""Draw every picture of the page anew: `make page-pictures` (needs chromium). No test; for when the page changes.

docs/page-table.png, and docs/pages/NAME-LANGUAGE-THEME.png for phone, tablet, desk, television and overlay.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from web.browser_helpers import Host, Visitor, browsing, hosting, visiting

MOST_BYTES = 120_000
ROOT = Path(__file__).parents[2]
ARMIES = ("--a", str(ROOT / "examples/blue.toml"), "--b", str(ROOT / "examples/red.toml"))
PHONE, TABLET, DESK, SCREEN = (390, 844), (820, 1180), (1440, 900), (1920, 1080)
FALLEN = ("furnace", "captain", "walker", "guard", "sergeant", "surgeon", "kettle", "rider", "line1", "ghost")


@dataclass(frozen=True)
class Picture:
    """One picture of a moment: the view, its size, and what is touched before."""

    name: str
    view: str
    size: tuple[int, int]
    touch: tuple[str, ...] = ()


ACTING = (
    Picture("phone-acting", "A", PHONE),
    Picture("phone-casualty", "A", PHONE, ('[data-key="A:watch2"]',)),
    Picture("tablet", "A", TABLET),
)
REACTING = (
    Picture("phone-reacting", "B", PHONE),
    Picture("desk", "A", DESK),
    Picture("table", "table", DESK),
    Picture("television", "board", SCREEN),
    Picture("overlay", "overlay", SCREEN),
)
RETREAT = (Picture("phone-retreat", "B", PHONE), Picture("television-retreat", "board", SCREEN))
OVER = (Picture("phone-result", "A", PHONE), Picture("television-result", "board", SCREEN))


def draw(browser: Browser, host: Host, folder: Path, pictures: Iterable[Picture]) -> None:
    """Draw these in both themes and both languages."""
    for picture in pictures:
        for language in ("en", "es"):
            for theme in ("dark", "light"):
                if picture.name == "overlay" and theme == "light":
                    continue  # it has no theme
                take(browser, host, folder / f"{picture.name}-{language}-{theme}.png", picture, language, theme)


def take(browser: Browser, host: Host, path: Path, picture: Picture, language: str, theme: str) -> None:
    """Take one picture, with few colours: such files are small."""
    roles = (picture.view,) if picture.view in "AB" else ("table",) if picture.view == "table" else ()
    width, height = picture.size
    options = {"viewport": {"width": width, "height": height}, "color_scheme": theme, "is_mobile": width < 500}
    address = host.link(*roles, view=f"{picture.view}&language={language}")
    with visiting(browser, address, **options) as visitor:
        visitor.wait(lambda: visitor.states(), "a state")
        visitor.page.wait_for_timeout(600)
        for selector in picture.touch:
            visitor.page.locator(selector).first.click()
            visitor.page.wait_for_timeout(300)
        taken = visitor.page.screenshot(omit_background=picture.view == "overlay")
    image: Image.Image = Image.open(io.BytesIO(taken))
    if picture.view == "overlay":
        image = image.crop((0, 880, *picture.size))
    image.quantize(96, method=Image.Quantize.FASTOCTREE).save(path, optimize=True)
    assert path.stat().st_size < MOST_BYTES, (path, path.stat().st_size)
    print(path.name, path.stat().st_size, flush=True)


def begin(table: Visitor) -> None:
    """A game with the players' names, A's turn begun."""
    assert table.ask("POST", "/setup", {"name_a": "Ana", "name_b": "Ben"})["ok"]
    assert table.ask("POST", "/game/start", {})["ok"]
    table.to_orders("A")
    table.act("A spend regular g1 watch1", "A skill basic", "B pass", "A skill short", "B pass", "A resolve", "A done")
    table.act("A spend regular g2", "A skill basic", "B pass", "A end", "A resolve", "A done")


def main(folder: Path) -> None:
    """Take them all."""
    pages = folder / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        hosting(Path(place), *ARMIES, tray=False) as host,
        browsing() as browser,
        visiting(browser, host.link("table", "A", "B")) as table,
    ):
        begin(table)
        draw(browser, host, pages, ACTING)
        table.act("A spend lieutenant marshal", 'A skill "Move"', 'B aro sergeant "BS Attack" by lof')
        table.act('B aro walker "Dodge"')
        draw(browser, host, pages, REACTING)
        take(browser, host, folder / "page-table.png", Picture("table", "table", (1280, 860)), "en", "dark")
        table.act("B pass", "A end", "A resolve", "A done", *(f"B state {trooper} dead" for trooper in FALLEN))
        table.to_orders("B")
        draw(browser, host, pages, RETREAT)
        while not (view := table.ask("GET", "/state")["public"])["over"]:
            seat = view["active"] or view["to_start"]
            table.act(f"{seat} next" if view["active"] else f"{seat} start")
        table.act("A score 6", "B score 3")
        draw(browser, host, pages, OVER)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
