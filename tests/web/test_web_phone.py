"""A seat's page on a phone, for one hand: nothing to scroll for, nothing too small, and it speaks up."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

from playwright.sync_api import Browser, Locator, Page, expect

from web.browser_helpers import Host, Visitor, browsing, hosting, visiting

ROOT = Path(__file__).parents[2]
ARMIES = ("--a", str(ROOT / "examples/blue.toml"), "--b", str(ROOT / "examples/red.toml"))
PHONES = {"large": {"width": 390, "height": 844}, "small": {"width": 360, "height": 640}}
SIZES = pytest.mark.parametrize("size", PHONES.values(), ids=list(PHONES))

#: Whether a finger that comes down on the middle of the element hits it, as the page stands.
IN_REACH = """node => {
  const box = node.getBoundingClientRect();
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return Boolean(hit) && (node === hit || node.contains(hit)) && box.top >= 0 && box.bottom <= innerHeight;
}"""

#: What can be touched, and how large it is.
TARGETS = """() => [...document.querySelectorAll("button, select, summary, a[href], input, label.tick")]
  .filter(node => node.checkVisibility() && !node.closest(".skip") && !node.closest("label.tick input"))
  .filter(node => !(node.matches("input[type=checkbox]")) && !node.matches(".skip"))
  .map(node => { const box = node.getBoundingClientRect();
    return {what: node.outerHTML.slice(0, 120), width: box.width, height: box.height}; })
  .filter(one => one.width && one.height)"""

#: What a phone would do, written down instead.
RECORDER = """
  globalThis.done = [];
  navigator.vibrate = pattern => { done.push("vibrate " + pattern); return true; };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    done.push("tone " + this.frequency.value);
    return start.apply(this, when);
  };
"""
LOCK = """
  Object.defineProperty(navigator, "wakeLock", {configurable: true, value: {request: async () => {
    done.push("awake");
    return {released: false, release: async function () { this.released = true; done.push("asleep"); }};
  }}});
"""
NO_LOCK = 'delete Navigator.prototype.wakeLock; Object.defineProperty(navigator, "wakeLock", {value: undefined});'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path, *ARMIES, tray=False) as running:
        yield running


def phone(size: dict[str, int]) -> dict[str, Any]:
    return {"viewport": size, "has_touch": True, "is_mobile": True}


def thumb(visitor: Visitor, what: str | Locator) -> None:
    """Touch something that is in sight and in reach without scrolling; and scroll nothing."""
    found = visitor.page.locator(what) if isinstance(what, str) else what
    expect(found.first).to_be_visible()
    # What may be done arrives a moment after the state; then it must lie where it is, not where one could scroll it to.
    visitor.wait(lambda: found.first.evaluate(IN_REACH), f"{what} to be in reach", 5)
    found.first.tap()
    scrolled = "[scrollY, document.querySelector('.seat-middle').scrollTop]"
    assert visitor.page.evaluate(scrolled) == [0, 0], "something was scrolled"


def until(page: Page, condition: str) -> None:
    """Wait for something in the page. (The page's own policy forbids what playwright's waiting does: `eval`.)"""
    end = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(50)


def position(visitor: Visitor) -> int:
    return int(visitor.states()[-1]["position"])


def moved(visitor: Visitor, before: int) -> None:
    visitor.wait(lambda: position(visitor) != before, "the game to move on")


@SIZES
def test_a_whole_turn_of_ten_orders_without_scrolling(browser: Browser, host: Host, size: dict[str, int]) -> None:
    with (
        visiting(browser, host.link("A"), **phone(size)) as ana,
        visiting(browser, host.link("B"), **phone(size)) as ben,
    ):
        expect(ana.page.locator(".seat-next .primary")).to_contain_text("Begin")
        touches = 0
        while "Orders Phase" not in ana.page.locator(".top-where").inner_text():
            before = position(ana)
            thumb(ana, '.seat-dock [data-key="Aoktrue"]')
            moved(ana, before)
            touches += 1
            assert touches <= 3  # begin; after the count the other side may use a token (CMD-02); the Impetuous Phase
        spent = 0
        discs = ["regular g1"] * 6 + ["regular g2"] * 2 + ["lieutenant", "regular g1"]
        for disc in discs:
            before = position(ana)
            thumb(ana, f'.seat-dock [data-key="A {disc}"]')
            moved(ana, before)
            spent += 1
            if spent in (2, 5):  # Move + BS Attack, one ARO
                expect(ben.page.locator(".seat-hint.aro")).to_be_visible()
                thumb(ben, '[data-key="aro sergeant"]')
                expect(ben.page.locator(".pick.on")).to_contain_text("Sergeant")
                before = position(ana)
                thumb(ana, '.seat-dock [data-key="Ashortfalse"]')
                moved(ana, before)
        assert spent == 10
        history = ana.states()[-1]["history"]
        assert len([one for one in history if "order" in one["text"].lower()]) >= 10
        before = position(ana)
        thumb(ana, '[data-key="undo"]')
        moved(ana, before)
        thumb(ana, f'.seat-dock [data-key="A {discs[-1]}"]')
        expect(ana.page.locator(".seat-line.seat-A .line-count").first).to_contain_text("2")


def test_a_thumb_quicker_than_the_answer_loses_nothing_and_a_double_tap_counts_once(
    browser: Browser, host: Host
) -> None:
    with visiting(browser, host.link("A"), **phone(PHONES["large"])) as ana:
        held: list[tuple[Any, Any]] = []
        # The host has done it and says so on the websocket; the answer itself is still on its way.
        ana.page.route("**/api/v1/touch*", lambda route: held.append((route, route.fetch())))
        before = position(ana)
        begin = ana.page.locator('.seat-dock [data-key="Aoktrue"]')
        begin.dispatch_event("click")
        begin.dispatch_event("click")  # of the same picture: a finger that shook
        moved(ana, before)
        before = position(ana)
        thumb(ana, '.seat-dock [data-key="Aoktrue"]')
        moved(ana, before)
        ana.wait(lambda: len(held) == 2, "both touches to be done, and the second of one picture not to be sent")
        for route, response in held:
            route.fulfill(response=response)


@SIZES
def test_a_casualty_is_two_touches_and_nothing_is_too_small(browser: Browser, host: Host, size: dict[str, int]) -> None:
    def all_large_enough(visitor: Visitor, state: str) -> None:
        small = [one for one in visitor.page.evaluate(TARGETS) if one["height"] < 43.5 or one["width"] < 43.5]
        assert small == [], state
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= size["width"], state

    with (
        visiting(browser, host.link("B"), **phone(size)) as ben,
        visiting(browser, host.link("A", "B")) as table,
    ):
        expect(ben.page.locator(".trooper")).to_have_count(15)
        # Which disc is whom can be seen.
        expect(ben.page.locator('[data-key="B:furnace"]')).to_contain_text("disc ")
        all_large_enough(ben, "before the turn")
        table.to_orders("A")
        expect(ben.page.locator(".top-where")).to_contain_text("Orders Phase")
        # Own: the last of the list; the opponent's: by its tab.
        thumb(ben, '[data-key="B:furnace"]')
        all_large_enough(ben, "a trooper's sheet")
        ben.page.locator('.sheet [data-line="B state furnace unconscious"]').tap()
        expect(ben.page.locator('[data-key="B:furnace"].hurt')).to_contain_text("Unconscious")
        expect(ben.page.locator('[data-key="tab-hurt"]')).to_contain_text("1")
        thumb(ben, '[data-key="tab-theirs"]')
        thumb(ben, '[data-key="A:watch2"]')
        ben.page.locator('.sheet [data-line="B state A:watch2 dead"]').tap()
        expect(ben.page.locator('[data-key="A:watch2"].gone')).to_be_visible()
        thumb(ben, '[data-key="tab-hurt"]')
        expect(ben.page.locator(".trooper")).to_have_count(2)

        table.act("A spend regular g1", 'A skill "Move"')
        expect(ben.page.locator(".seat-hint.aro")).to_be_visible()
        all_large_enough(ben, "reacting")
        # Whoever has reacted comes first the next time; nothing jumps while the window is open.
        names = ben.page.locator(".pick-name[data-key^='aro ']")
        expect(names.first).to_be_visible()
        order = [one.get_attribute("data-key") for one in names.all()]
        thumb(ben, '[data-key="aro nomad"]')
        expect(ben.page.locator(".pick.on")).to_have_count(1)
        assert [one.get_attribute("data-key") for one in names.all()] == order
        thumb(ben, ".seat-next .primary")
        expect(ben.page.locator(".seat-hint.aro")).to_have_count(0)
        table.act("A end", "A resolve", "A done", "A spend regular g1", 'A skill "Move"')
        expect(names.first).to_have_attribute("data-key", "aro nomad")
        thumb(ben, ".menu-button")
        all_large_enough(ben, "the menu")
        expect(ben.page.locator("#menu nav")).to_be_visible()


def test_the_phone_calls_its_player_and_stays_awake(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("A", "B")) as table:
        context = browser.new_context(locale="en-GB", **phone(PHONES["large"]))
        context.add_init_script(RECORDER + LOCK)
        page = context.new_page()
        page.goto(host.link("B"))
        expect(page.locator(".seat-view.seat-B")).to_be_visible()
        page.locator(".seat-hint").tap()  # browsers give sound to pages that have been touched
        assert "awake" in page.evaluate("done")
        table.to_orders("A")
        expect(page.locator(".top-where")).to_contain_text("Orders Phase")
        assert not [one for one in page.evaluate("done") if "tone" in one or "vibrate" in one]
        table.act("A spend regular g1", 'A skill "Move"')
        expect(page).to_have_title("● ARO! – Order tray: Seat B")
        heard = page.evaluate("done")
        assert "vibrate 120,60,120" in heard and len([one for one in heard if one.startswith("tone")]) == 2
        table.act("B pass", "A end", "A resolve", "A done")
        expect(page).to_have_title("Order tray: Seat B")
        # What is chosen stays chosen.
        page.locator(".menu-button").tap()
        page.locator(".attention-fold summary").tap()
        for name in ("sound", "vibrate", "awake"):
            page.locator(f'[data-key="attention-{name}"]').uncheck()
        assert page.evaluate("done").count("asleep") >= 1
        page.reload()
        expect(page.locator(".seat-view.seat-B")).to_be_visible()
        page.locator(".seat-hint").tap()
        table.act("A spend regular g1", 'A skill "Move"')
        expect(page).to_have_title("● ARO! – Order tray: Seat B")
        assert [one for one in page.evaluate("done") if one != "asleep"] == []
        context.close()


def test_a_clock_that_runs_low_is_heard_once_by_whose_it_is(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("A", "B", "table")) as table:
        for question in (
            ("/game/end", {}),
            ("/setup", {"clock_minutes": 1, "warning_minutes": 1}),
            ("/game/start", {}),
        ):
            answer = table.ask("POST", *question)
            assert answer["ok"], (question, answer)
        phones: dict[str, Page] = {}
        for seat in ("A", "B"):
            context = browser.new_context(locale="en-GB", **phone(PHONES["large"]))
            context.add_init_script(RECORDER)
            phones[seat] = context.new_page()
            phones[seat].goto(host.link(seat))
            phones[seat].locator(".seat-hint").tap()  # browsers sound after a first touch only
        table.to_orders("A")
        table.act("A spend regular g1", 'A skill "Move"')
        until(phones["A"], "done.includes('tone 660')")
        table.act("B pass", "A end", "A resolve", "A done", "A spend regular g1", 'A skill "Move"')
        expect(phones["B"].locator(".seat-hint.aro")).to_be_visible()
        heard = [one for one in phones["A"].evaluate("done") if one in ("tone 660", "tone 880", "vibrate 200,100,200")]
        assert heard == ["vibrate 200,100,200", "tone 660", "tone 880", "tone 660"]
        assert "vibrate 200,100,200" not in phones["B"].evaluate("done")
        for one in phones.values():
            one.context.close()


def test_spectators_are_not_called_and_plain_http_has_another_way_to_stay_awake(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("A", "B")) as table:
        context = browser.new_context(locale="en-GB", **phone(PHONES["large"]))
        context.add_init_script(RECORDER + LOCK)
        page = context.new_page()
        page.goto(host.base)
        expect(page.locator(".hero")).to_be_visible()
        page.locator(".hero").tap()
        table.to_orders("A")
        table.act("A spend regular g1", 'A skill "Move"')
        expect(page.locator(".hint.aro")).to_be_visible()
        assert page.evaluate("done") == [] and page.title() == "Order tray"
        context.close()

        context = browser.new_context(locale="en-GB", **phone(PHONES["large"]))
        context.add_init_script(NO_LOCK)
        page = context.new_page()
        page.goto(host.link("B"))
        expect(page.locator(".seat-view.seat-B")).to_be_visible()
        page.locator(".seat-hint").tap()
        until(page, "document.querySelector('video.awake')?.currentTime > 0")
        assert page.evaluate("document.querySelector('video.awake').muted")
        context.close()


def test_it_is_installed_as_an_app_and_says_so_when_its_host_is_away(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("A"), **phone(PHONES["large"])) as ana:
        manifest = ana.page.request.get(f"{host.base}static/page.webmanifest").json()
        for icon in manifest["icons"]:
            answer = ana.page.request.get(host.base.rstrip("/") + icon["src"])
            assert answer.ok and answer.headers["content-type"] == icon["type"]
            if icon["type"] == "image/png":
                width, height = struct.unpack(">II", answer.body()[16:24])
                assert icon["sizes"] == f"{width}x{height}" and len(answer.body()) < 20_000
        until(ana.page, "navigator.serviceWorker.getRegistration().then(one => Boolean(one?.active))")
        ana.page.reload()
        expect(ana.page.locator(".seat-view")).to_be_visible()
        kept = ana.page.evaluate(
            "caches.open('ordertray-shell-1').then(one => one.keys())"
            ".then(all => all.map(one => new URL(one.url).pathname))"
        )
        assert "/" in kept and "/static/seat.js" in kept and "/api/v1/texts" in kept
        assert not [path for path in kept if "session" in path or "state" in path]
        host.stop()
        ana.page.reload()
        expect(ana.page.locator(".unreachable")).to_contain_text("The table does not answer", timeout=15_000)
        host.start()
        expect(ana.page.locator(".seat-view")).to_be_visible(timeout=20_000)


def to_the_end(table: Visitor) -> None:
    """Every turn begun and ended, nothing played."""
    while not (view := table.ask("GET", "/state")["public"])["over"]:
        table.act(f"{view['to_start']} start" if view["active"] is None else f"{view['active']} next")


def test_the_end_of_an_evening(browser: Browser, tmp_path: Path) -> None:
    with (
        hosting(tmp_path, "--quick", "3", "0", tray=False) as host,
        visiting(browser, host.link("A"), accept_downloads=True, **phone(PHONES["large"])) as ana,
        visiting(browser, host.link("B"), **phone(PHONES["large"])) as ben,
        visiting(browser, host.link("A", "B")) as table,
        visiting(browser, f"{host.base}?view=board") as screen,
    ):
        to_the_end(table)
        expect(ana.page.locator(".result")).to_contain_text("A draw")
        for visitor, seat, points in ((ana, "A", 2), (ben, "B", 1)):
            for number in range(1, points + 1):
                visitor.page.locator(f'[data-key="score-{seat}1"]').tap()
                expect(visitor.page.locator(".score .big-number")).to_have_text(str(number))
        expect(screen.page.locator(".result-who")).to_contain_text("Player A has won")
        expect(screen.page.locator(".result-by")).to_contain_text("Objective Points")
        ana.page.locator('[data-key="confirm"]').tap()
        expect(ben.page.locator(".result")).to_contain_text("A")
        expect(ana.page.locator('[data-key="slip"]')).to_have_count(0)  # the other has not confirmed it
        ben.page.locator('[data-key="confirm"]').tap()
        expect(ana.page.locator('[data-key="slip"]')).to_be_visible()
        with ana.page.expect_download() as saved:
            ana.page.locator('[data-key="slip"]').tap()
        picture = Path(saved.value.path()).read_bytes()
        assert picture[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", picture[16:24]) == (900, 1000)
        with ana.page.expect_download() as saved:
            ana.page.locator('[data-key="slip-json"]').tap()
        facts = json.loads(Path(saved.value.path()).read_text("utf-8"))
        assert (facts["winner"], facts["by"]) == ("A", "objective")
        assert [facts["seats"][seat]["objective_points"] for seat in "AB"] == [2, 1]
        assert facts["seats"]["A"]["orders"] == 0 and facts["seats"]["B"]["lost"] == 0
        listed = ana.ask("GET", "/games")["games"][0]
        assert listed["result"]["winner"] == "A" and listed["result"]["objective"] == {"A": 2, "B": 1}
        assert set(listed["armies"]) == {"A", "B"}
        ana.page.locator('[data-key="rematch"]').tap()
        expect(ana.page.locator(".result")).to_be_hidden()
        expect(ana.page.locator(".seat-next .primary")).to_contain_text("Begin")
