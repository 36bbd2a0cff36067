"""The page in a real browser, on the virtual tray with the firmware on the real interpreter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

from playwright.sync_api import Browser, expect

from patience import patience
from web.browser_helpers import Host, Visitor, hosting, visiting
from web.web_helpers import army as secret_army

GROUP_1, GROUP_2, TURN, LINK, ARO = (0, 10), (16, 10), (14, 1), (15, 1), (28, 2)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path) as running:
        yield running


def shows(visitor: Visitor, seat: str, place: tuple[int, int], wanted: str) -> None:
    seen: list[str] = []

    def right() -> bool:
        seen.append(visitor.lit(seat, *place))
        return seen[-1] == wanted

    visitor.wait(right, f"{place} of {seat} to show {wanted}", 10, lambda: seen[-1])


def test_a_whole_turn_is_played_by_clicking_on_the_tray(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("table")) as table:
        table.hint("A begins: hold OK")
        assert "key=" not in table.page.url  # the secret has left the address
        table.begin("A")
        shows(table, "A", GROUP_1, "gggg......")
        shows(table, "A", GROUP_2, "gg........")
        shows(table, "A", TURN, "w")

        table.tap("A", "regular g1")
        expect(table.page.locator(".hint.aro")).to_be_visible()
        shows(table, "A", GROUP_1, "gggG......")
        shows(table, "B", ARO, "cc")
        table.tap("B", "trooper r1-2")
        expect(table.page.locator(".declared")).to_contain_text("r1-2")
        table.press("B", "pass")
        shows(table, "B", ARO, "..")

        table.tap("A", "regular g2")
        expect(table.page.locator(".hint.aro")).to_be_visible()
        table.press("A", "long")  # said by voice, corrected: it was a Long Skill
        expect(table.page.locator(".station").nth(1)).to_contain_text("LONG")
        table.press("B", "pass")
        table.press("A", "ok")
        table.hint("A lays down an order disc")

        for _ in range(1):
            table.tap("A", "regular g2")
            expect(table.page.locator(".hint.aro")).to_be_visible()
            table.press("B", "pass")
        table.tap("A", "regular g2")  # its pool is dry
        expect(table.page.locator(".refusal")).to_contain_text("ORD-17")
        expect(table.page.locator(".refusal")).to_contain_text("No Regular order is left in group 2.")
        shows(table, "A", GROUP_2, "GG........")

        table.hold("A", "pass")  # undo, of what B did: B is asked
        table.hint("May the last touch be taken back?")
        table.press("B", "ok")
        expect(table.page.locator(".history li").first).to_contain_text("A took back what B did, who agreed: PASS")
        table.press("B", "pass")
        table.hold("A", "ok")
        table.hint("Orders are left")
        table.hold("A", "ok")
        table.hint("B begins: hold OK")
        shows(table, "A", GROUP_1, "GGGG......")
        table.begin("B")
        shows(table, "B", GROUP_1, "gggg......")


def test_a_newcomer_plays_a_turn_by_what_glows(browser: Browser, host: Host) -> None:
    """Whoever only ever presses the first thing the page offers gets through a whole turn."""
    with visiting(browser, host.link("table")) as table:
        for _ in range(80):
            state = table.states()[-1] if table.states() else None
            if state is None or state["public"] is None:
                table.page.wait_for_timeout(50)
                continue
            if state["public"]["active"] is None and state["public"]["to_start"] == "B":
                break
            do = state["hint"]["do"][0]
            if "disc" in do:
                glowing = table.half(do["side"]).locator(".disc.glow").first
                glowing.click()
            else:
                table.page.locator(".touches .primary").first.click()
            # A hand is no quicker than this, and presses again what the tray has not taken.
            for _ in range(40):
                table.page.wait_for_timeout(100)
                if table.states()[-1]["position"] != state["position"]:
                    break
        table.hint("B begins: hold OK")
        spent = [item for item in table.states()[-1]["history"] if "order" in item["text"]]
        assert len(spent) >= 6


def test_two_seats_and_a_spectator_and_nothing_private_in_the_spectators_traffic(
    browser: Browser, tmp_path: Path
) -> None:
    from ordertray.army.roster import format_army
    from ordertray.rules import Seat

    paths = {seat: tmp_path / f"{seat}.toml" for seat in Seat}
    for seat, path in paths.items():
        path.write_text(format_army(secret_army(seat)))
    with (
        hosting(tmp_path, "--a", str(paths[Seat.A]), "--b", str(paths[Seat.B])) as host,
        visiting(browser, host.link("A")) as ana,
        visiting(browser, host.link("B")) as ben,
        visiting(browser, host.base) as spectator,
    ):
        expect(ana.page.locator(".army")).to_contain_text("NAME-A-7")
        expect(ana.page.locator(".points")).to_contain_text("150")
        expect(spectator.page.get_by_role("button", name="Seat A")).to_have_count(0)
        ana.page.locator('.now [data-key="Aoktrue"]').click()
        while not ana.page.locator('[data-line="A spend regular g1"]').count():
            position = ana.states()[-1]["position"]
            ana.page.locator('.now [data-key="Aoktrue"]').click()
            ana.wait(lambda: ana.states()[-1]["position"] > position, "the next step")  # noqa: B023
            ana.page.wait_for_timeout(100)
        ana.page.locator('[data-line="A spend regular g1"]').click()
        expect(ben.page.locator('[data-key="aro b2"]')).to_be_visible()  # one touch: some ARO
        ben.page.locator('[data-key="more b2"]').click()  # which one: on its sheet
        ben.page.locator(
            '.sheet [data-line="B aro b2 \\"Dodge\\" > a2"], .sheet [data-line="B aro b2 \\"Dodge\\""]'
        ).click()
        expect(spectator.page.locator(".declared")).to_contain_text("Dodge")
        ben.page.locator('.now [data-key="Bpassfalse"]').click()
        expect(spectator.page.locator(".hint.aro")).to_have_count(0)
        # A state: whose troopers, the trooper, the state.
        ana.page.locator('[data-key="tab-theirs"]').click()
        ana.page.locator('[data-key="B:b5"]').click()
        ana.page.locator('[data-line="A state B:b5 unconscious"]').click()
        expect(spectator.page.locator(".history")).to_contain_text("B:b5 → Unconscious")
        ben.wait(lambda: ben.states()[-1]["position"] == ana.states()[-1]["position"], "both seats to agree")

        heard = {name: "\n".join(visitor.received) for name, visitor in
                 (("ana", ana), ("ben", ben), ("spectator", spectator))}  # fmt: skip
        assert "NAME-A-7" in heard["ana"] and "NAME-B-7" in heard["ben"]
        for name, secrets in (
            ("spectator", ("NAME-", "veiled")),
            ("ana", ("NAME-B", "veiledb")),
            ("ben", ("NAME-A", "veileda")),
        ):
            for secret in secrets:
                assert secret not in heard[name], (name, secret)
        for key in ("victory_points", "retreat_margin", '"cost"'):
            assert key in heard["ana"] and key not in heard["spectator"]
        keys = json.loads((host.folder / "page-keys.json").read_text())
        for word in (*keys["secrets"].values(), *host.pins().values()):
            assert word not in host.log


def test_the_page_says_when_it_is_stale_and_comes_back_after_a_restart(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("table")) as table:
        table.begin("A")
        table.tap("A", "regular g1")
        expect(table.page.locator(".hint.aro")).to_be_visible()
        position = table.states()[-1]["position"]
        host.stop()
        expect(table.page.locator(".stale")).to_be_visible(timeout=1000 * patience(10))
        expect(table.page.locator(".stale")).to_contain_text("No connection")
        host.start()
        expect(table.page.locator(".stale")).to_be_hidden(timeout=1000 * patience(20))
        shows(table, "B", LINK, "g")  # the page is back before the tray's link is
        assert table.states()[-1]["position"] == position
        table.press("B", "pass")  # still the same session, still the same game
        table.wait(lambda: table.states()[-1]["position"] > position, "the game to go on")
        expect(table.page.locator(".hint.aro")).to_have_count(0)


def test_a_seat_is_opened_by_its_pin(browser: Browser, host: Host) -> None:
    pins = host.pins()
    with visiting(browser, host.base) as guest:
        guest.page.get_by_role("button", name="Open a seat").click()
        guest.page.get_by_label("PIN").fill("000000" if pins["B"] != "000000" else "000001")
        guest.page.get_by_role("button", name="Open", exact=True).click()
        expect(guest.page.locator("dialog [role=alert]")).to_contain_text("opens nothing")
        guest.page.get_by_label("PIN").fill(pins["B"])
        guest.page.get_by_role("button", name="Open", exact=True).click()
        expect(guest.page.locator(".seat-view.seat-B")).to_be_visible()


def test_a_game_is_set_up_played_out_and_shown_on_the_page(browser: Browser, host: Host, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.toml"
    faulty.write_text('points = "many"\n[[trooper]]\nid = "x"\ncost = -3\ntraining = "wild"\n')
    with visiting(browser, host.link("table", "A", "B", view="setup")) as table:
        page = table.page
        page.locator("#file-A").set_input_files(faulty)
        for line in ("line 1", "line 4", "line 5"):
            expect(page.locator(".roster.seat-A .problems")).to_contain_text(line)
        for seat in "AB":
            page.locator(f"#quick-{seat}").fill("3 1")
            page.locator(f'[data-key="quick-go-{seat}"]').click()
        expect(page.locator(".roster.seat-A")).to_contain_text("4 troopers")
        page.locator("#option-rounds").fill("1")
        page.locator("#option-rounds").blur()
        page.locator("#name-A").fill("Ana")
        page.locator("#name-A").blur()
        page.locator("#option-clock_minutes").fill("45")
        page.locator("#option-clock_minutes").blur()
        table.wait(lambda: table.states()[-1]["setup"]["clock_minutes"] == 45, "the options to be taken")
        page.locator('[data-key="start"]').click()
        table.hint("Ana begins: hold OK")
        expect(page.locator(".clock").first).to_contain_text("45:00")
        for seat in "AB":
            table.begin(seat)
            table.tap(seat, "regular g1")
            expect(page.locator(".hint.aro")).to_be_visible()
            table.hold(seat, "ok")
            table.hint("Orders are left")
            table.hold(seat, "ok")
            table.hint("B begins" if seat == "A" else "The battle is over")
        page.get_by_role("button", name="Record").click()
        page.get_by_role("button", name="Confirm the end").click()
        expect(page.locator(".totals")).to_contain_text("Ana")
        expect(page.locator(".chart")).to_have_count(6)
        with page.expect_download() as saved:
            page.get_by_role("link", name="Game script").click()
        assert "A spend regular g1" in Path(saved.value.path()).read_text()
        with page.expect_download() as saved:
            page.get_by_role("link", name="Record (JSON)").click()
        assert json.loads(Path(saved.value.path()).read_text())["result"]["over"] == "rounds"
        page.get_by_role("button", name="Set-up").click()
        page.locator('[data-key="start"]').click()
        table.hint("begins: hold OK")


def test_discs_are_enrolled_by_tapping_on_the_page(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("table", view="setup")) as table:
        page = table.page
        page.locator('[data-key="enrol-A"]').click()
        expect(page.locator(".enrol-asks")).to_contain_text("Regular, group 1, number 1")
        page.locator('.enrol-tray .half.seat-A [data-disc="blank"]').click()
        expect(page.locator(".enrol-asks")).to_contain_text("number 2", timeout=1000 * patience(10))
        page.locator('[data-key="enrol-skip"]').click()
        expect(page.locator(".enrol-asks")).to_contain_text("number 3")
        page.locator('[data-key="enrol-stop"]').click()
        expect(page.locator(".enrolment")).to_be_hidden()
        text = (host.folder / "tokens" / "a.toml").read_text()
        assert 'kind = "regular"' in text and text.count("[[token]]") == 1


def test_the_page_speaks_spanish_and_remembers_it(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("table")) as table:
        table.page.locator(".tools select").select_option("es")
        table.hint("Empieza A: mantén OK")
        table.page.reload()
        table.hint("Empieza A: mantén OK")
        assert table.page.locator("html").get_attribute("lang") == "es"


def test_keyboard_alone_plays_an_order(browser: Browser, host: Host) -> None:
    with visiting(browser, host.link("table")) as table:
        page = table.page
        table.hint("A begins")
        page.locator(".half.seat-A .button-ok").focus()
        page.keyboard.down("Enter")
        page.wait_for_timeout(1250)
        page.keyboard.up("Enter")
        table.past_the_count("A")
        page.locator('.half.seat-A [data-disc="regular g1"]').focus()
        page.keyboard.press("Enter")
        expect(page.locator(".hint.aro")).to_be_visible()
        page.locator(".half.seat-B .button-pass").focus()
        page.keyboard.down(" ")
        page.wait_for_timeout(120)
        page.keyboard.up(" ")
        expect(page.locator(".hint.aro")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, tmp_path: Path, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    with (
        hosting(tmp_path, "--a", "examples/blue.toml", "--b", "examples/red.toml") as host,
        visiting(browser, host.link("table", "A", "B"), color_scheme=scheme) as table,
    ):
        table.begin("A", "Impetuous Phase")
        table.tap("A", "impetuous corsair")
        expect(table.page.locator(".hint.aro")).to_be_visible()
        for view in ("table", "A", "B", "setup", "after", "board"):
            table.page.goto(f"{host.base}?view={view}")
            expect(table.page.locator("main > *").first).to_be_visible()
            table.page.wait_for_timeout(300)
            found = Axe().run(table.page).response["violations"]
            serious = [
                (one["id"], [node["html"][:160] for node in one["nodes"]][:4])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], view


def test_the_page_fits_a_phone(browser: Browser, host: Host) -> None:
    size = {"width": 360, "height": 740}
    with visiting(browser, host.link("table", "A", "B"), viewport=size, has_touch=True, is_mobile=True) as phone:
        phone.hint("A begins")
        for view in ("table", "A", "setup", "after"):
            phone.page.goto(f"{host.base}?view={view}")
            expect(phone.page.locator("main > *").first).to_be_visible()
            width = phone.page.evaluate("document.documentElement.scrollWidth")
            assert width <= size["width"], view
            # Big enough for a finger.
            low = phone.page.evaluate(
                "[...document.querySelectorAll('main button:not([disabled])')].filter(b => b.offsetParent)"
                ".map(b => b.getBoundingClientRect()).filter(r => r.height && r.height < 30).length"
            )
            assert low == 0, view
