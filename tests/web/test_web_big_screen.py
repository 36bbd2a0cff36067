"""The television: every word is large enough for three metres, in every state of a game. The overlay for streams."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

from playwright.sync_api import Browser, expect

from web.browser_helpers import Host, Visitor, hosting, visiting

#: A set of 43 inches is 941 mm wide; people sit 3 m away; what is read at a glance needs 16 minutes of arc.
SET_MM, DISTANCE_MM, LEAST_ARC_MINUTES = 941.0, 3000.0, 16.0
SCREEN = {"width": 1920, "height": 1080}
ROOT = Path(__file__).parents[2]

#: Every text that is seen, the height of its capital letters in pixels, and whether it lies on the screen.
SEEN = """() => {
  const context = document.createElement("canvas").getContext("2d"), found = [];
  for (const node of document.querySelectorAll("main *")) {
    const text = [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data.trim()).join("");
    const box = node.getBoundingClientRect();
    if (!text || !box.width || !box.height) continue;
    const style = getComputedStyle(node);
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const scale = node instanceof SVGElement ? box.height / parseFloat(style.fontSize) * .86 : 1;
    found.push({text, cap: context.measureText("H").actualBoundingBoxAscent * scale, svg: node instanceof SVGElement,
      right: box.right, bottom: box.bottom, top: box.top});
  }
  return found;
}"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    armies = ("--a", str(ROOT / "examples/blue.toml"), "--b", str(ROOT / "examples/red.toml"))
    with hosting(tmp_path_factory.mktemp("big"), *armies, tray=False) as running:
        yield running


def arc_minutes(cap_px: float) -> float:
    """The angle under which capital letters of so many pixels are seen."""
    mm = cap_px * SET_MM / SCREEN["width"]
    return math.degrees(math.atan(mm / DISTANCE_MM)) * 60


def check(screen: Visitor, state: str) -> None:
    screen.page.wait_for_timeout(150)
    seen: list[dict[str, Any]] = screen.page.evaluate(SEEN)
    assert len(seen) > 5, state
    for one in seen:
        if not one["svg"]:  # the letter in a seat's mark stands beside its name
            assert arc_minutes(one["cap"]) >= LEAST_ARC_MINUTES, (state, one)
        assert one["bottom"] <= SCREEN["height"] + 1 and one["top"] >= -1 and one["right"] <= SCREEN["width"] + 1, (
            state,
            one,
        )
    size = screen.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert size == [SCREEN["width"], SCREEN["height"]], state


def test_every_word_on_a_television_can_be_read_from_three_metres(browser: Browser, host: Host) -> None:
    with (
        visiting(browser, host.link("table", "A", "B")) as table,
        visiting(browser, f"{host.base}?view=board", viewport=SCREEN) as screen,
        visiting(browser, f"{host.base}?view=overlay", viewport=SCREEN) as overlay,
    ):
        sides = screen.page.locator(".board-side")
        expect(sides.first).to_contain_text("is next")
        check(screen, "before the turn")
        table.to_orders("A")
        expect(screen.page.locator(".board-head h1")).to_have_text("Orders Phase")
        check(screen, "orders")
        # The digits that are looked at most are the largest thing there is: 200 px.
        digits = screen.page.locator(".board-side.wide .board-count b").first
        assert float(digits.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")) >= 200
        wide, narrow = (
            screen.page.locator(one).bounding_box() for one in (".board-side.wide", ".board-side:not(.wide)")
        )
        assert wide is not None and narrow is not None and 1.8 < wide["width"] / narrow["width"] < 2.2

        table.act("A spend regular g1 watch1", 'A skill "Move"', 'B aro sergeant "BS Attack"', 'B aro walker "Dodge"')
        expect(screen.page.locator(".board-side.reacting")).to_contain_text("Dodge")
        check(screen, "ARO window")
        # Who reacts is told by a word, a place and the whole panel's brightness, not by a hue.
        assert screen.page.locator(".board-flag.aro").inner_text() == "ARO"

        # The overlay's contract (README, "For streams").
        page = overlay.page
        expect(
            page.locator('.overlay-side[data-seat="B"][data-aro="true"] .overlay-flag[data-flag="aro"]')
        ).to_be_visible()
        expect(page.locator('.overlay-side[data-seat="A"][data-turn="true"] .overlay-name')).to_be_visible()
        pool = page.locator('.overlay-side[data-seat="A"] .overlay-pool[data-kind="regular"][data-group="1"]')
        left = screen.states()[-1]["public"]["seats"]["A"]["pools"]["1"]["left"]
        expect(pool).to_have_attribute("data-left", str(left))
        expect(pool.locator(".overlay-count")).to_have_text(str(left))
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
        page.add_style_tag(content=".overlay { --overlay-text-size: 40px; --overlay-paper: rgb(1 2 3); }")
        assert page.locator(".overlay").evaluate("node => getComputedStyle(node).fontSize") == "40px"
        assert page.locator(".overlay-middle").evaluate("n => getComputedStyle(n).backgroundColor") == "rgb(1, 2, 3)"

        table.act("B pass", "A end", "A resolve", "A done")
        for trooper in ("furnace", "captain", "walker", "guard", "sergeant", "surgeon", "kettle", "rider", "line1"):
            table.act(f"B state {trooper} dead")
        expect(screen.page.locator(".board-side.seat-B")).to_contain_text("and 4 more")
        check(screen, "losses")
        table.to_orders("B")
        expect(screen.page.locator(".board-flag.retreat")).to_be_visible()
        check(screen, "Retreat!")
        for code in ("es",):
            screen.page.goto(f"{host.base}?view=board&language={code}")
            expect(screen.page.locator(".board-flag.retreat")).to_be_visible()
            check(screen, f"Retreat! in {code}")


def test_the_overlay_is_described_as_it_is() -> None:
    """Every class, attribute and variable of the README is there, and none that a style could use is missing."""
    static = ROOT / "host/ordertray/web/static"
    readme = (ROOT / "host/ordertray/web/README.md").read_text().partition("## For streams")[2].partition("\n## ")[0]
    script = (static / "overlay.js").read_text()
    style = (static / "board.css").read_text()
    classes = set(re.findall(r'class: "(overlay[\w-]*)', script))
    assert classes == set(re.findall(r"`\.(overlay[\w-]*)`", readme))
    variables = set(re.findall(r"var\((--overlay-[\w-]+)", style)) - {"--overlay-size"}
    assert variables == set(re.findall(r"`(--overlay-[\w-]+)`", readme))
    for attribute in re.findall(r"`data-(\w+)`", readme):
        assert f'"data-{attribute}"' in script or f"dataset.{attribute}" in script, attribute
