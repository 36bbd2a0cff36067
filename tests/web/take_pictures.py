"""Take the README's pictures of the page: `make page-pictures` (needs chromium). No test; for when the page changes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from web.browser_helpers import Host, Visitor, browsing, hosting, visiting

MOST_BYTES = 200_000
ROOT = Path(__file__).parents[2]
ARMIES = ("--a", str(ROOT / "examples/blue.toml"), "--b", str(ROOT / "examples/red.toml"))


def act(table: Visitor, *lines: str) -> None:
    """Send lines of the game script as the page does."""
    for line in lines:
        answer = table.page.evaluate(
            "line => fetch('/api/v1/actions', {method: 'POST', headers: {'content-type': 'application/json'},"
            " body: JSON.stringify({line})}).then(answer => answer.json())",
            line,
        )
        assert answer["ok"], (line, answer)


def in_an_order(table: Visitor) -> None:
    """A's turn, an ARO window open, an ARO declared."""
    act(table, "A start")
    while table.page.locator(".phase").inner_text() != "Orders Phase":
        act(table, "A next")
        table.page.wait_for_timeout(150)
    act(table, "A spend regular g1 watch1", "A skill basic", "B pass", "A skill short", "B pass", "A resolve", "A done")
    act(table, "A spend regular g2", "A skill basic", "B pass", "A end", "A resolve", "A done")
    act(
        table,
        "A spend lieutenant marshal",
        'A skill "Move"',
        'B aro sergeant "BS Attack" by lof',
        'B aro walker "Dodge"',
    )
    table.page.wait_for_timeout(400)


def in_retreat(table: Visitor) -> None:
    """B in Retreat in its own turn."""
    act(table, "B pass", "A end", "A resolve", "A done")
    for trooper in (
        "furnace",
        "captain",
        "walker",
        "ghost",
        "guard",
        "sergeant",
        "surgeon",
        "kettle",
        "rider",
        "line1",
    ):
        if trooper != "ghost":
            act(table, f"B state {trooper} dead")
    act(table, "B state ghost dead")
    while table.page.locator(".hint").inner_text().find("B begins") < 0:
        act(table, "A next")
        table.page.wait_for_timeout(150)
    act(table, "B start")
    while table.page.locator(".phase").inner_text() != "Orders Phase":
        act(table, "B next")
        table.page.wait_for_timeout(150)


@contextmanager
def page(host: Host, name: str, folder: Path, **options: object) -> Iterator[Visitor]:
    """A page, whose picture is taken at the end."""
    with browsing() as browser, visiting(browser, host.link("table", "A", "B"), **options) as visitor:
        yield visitor
        path = folder / f"{name}.png"
        visitor.page.screenshot(path=path)
        assert path.stat().st_size < MOST_BYTES, (name, path.stat().st_size)
        print(path, path.stat().st_size)


def main(folder: Path) -> None:
    """Take them all."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, hosting(Path(place), *ARMIES) as host:
        size = {"width": 1280, "height": 860}
        with page(host, "page-table", folder, viewport=size, color_scheme="dark") as table:
            in_an_order(table)
        phone = {"width": 390, "height": 844}
        with page(host, "page-phone", folder, viewport=phone, color_scheme="light", is_mobile=True) as table:
            table.page.goto(f"{host.base}?view=B")
            table.page.locator(".now .acts").first.wait_for()
        with page(host, "page-tv", folder, viewport={"width": 1600, "height": 900}, color_scheme="dark") as table:
            in_retreat(table)
            act(table, "B spend irregular nomad", "B skill basic")
            table.page.goto(f"{host.base}?view=board")
            table.page.locator(".alarm.retreat").wait_for()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
