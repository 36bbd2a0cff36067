"""Armies on the page: what the data did not know is asked for, discs belong to people, army data is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

from playwright.sync_api import Browser, expect

from army.made_up_data import code_of, write_folder
from ordertray.army import settings
from ordertray.army.code_writing import encode
from ordertray.army.codes import CodeGroup, Member
from ordertray.journal import Journal
from ordertray.messages import identity
from ordertray.rules import Seat
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import TokenRegistry
from ordertray.tokens.store import TokenStore
from ordertray.tokens.virtual import virtual_uid
from ordertray.web.doing.filling import army_data_lines
from ordertray.web.doing.setup import Setup, SetupError
from web.browser_helpers import browsing, hosting, visiting

A, B = Seat.A, Seat.B
BOSS = {
    "trooper": "unknown", "name": "Boss", "type": "HI", "cost": "31", "training": "regular", "lieutenant": True,
    "skills": "nco, courage", "deploy": "table",
}  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "settings_path", lambda: tmp_path / "army.toml")


def shown(setup: Setup, seat: Seat = A) -> dict[str, object]:
    """What the page shows to the seat of its own set-up."""
    seats = setup.view(str(seat), identity)["seats"]
    assert isinstance(seats, dict)
    return dict(seats[str(seat)])


def test_a_list_may_not_play_before_it_is_filled_in(tmp_path: Path) -> None:
    setup = Setup(tmp_path, False, dict)
    setup.load(A, "code", encode(code_of(Member(1, 1, 1))), "", "A")
    setup.load(B, "quick", "3", "", "B")
    assert shown(setup)["ready"] is False and not setup.drafts[A].problems
    with Journal.open(tmp_path / "r.sqlite3") as journal:
        with pytest.raises(SetupError) as caught:
            setup.begin(journal, at_ms=5)
        assert caught.value.text(identity) == "Seat A's list is not complete: 1 entries are to be filled in."
        for wrong, said in (
            ({"name": " "}, "needs a name"),
            ({"cost": "many"}, "number of points"),
            ({"cost": "7.25"}, "number of points"),
            ({"cost": "7.5"}, "halves are for Code One only"),
            ({"type": "XX"}, "Choose type"),
            ({"lieutenant": False}, "the list has no Lieutenant"),
            ({"trooper": "nobody"}, "Nothing is to be filled in there"),
            ({"skills": "ncoo"}, 'did you mean "nco"'),
        ):
            with pytest.raises(SetupError) as caught:
                setup.fill(A, {**BOSS, **wrong})
            assert said in caught.value.text(identity)
        setup.fill(A, BOSS)
        assert shown(setup)["ready"] is True and shown(setup)["to_fill_in"] == []
        _number, table = setup.begin(journal, at_ms=5)
        (boss,) = table.game.army(A).troopers
        assert (boss.id, boss.cost, boss.lieutenant) == ("boss", 31.0, True) and boss.skills == {"nco", "courage"}


def test_a_peripheral_bought_by_itself_asks_for_its_controller_only(tmp_path: Path) -> None:
    setup = Setup(tmp_path, False, dict)
    settings.remember_data(write_folder(tmp_path / "data"))
    groups = (CodeGroup((Member(11, 1, 3),)), CodeGroup((Member(14, 1, 1), Member(13, 1, 1))))
    setup.load(A, "code", encode(code_of(groups=groups)), "", "A")
    (entry,) = setup.view("A", identity)["seats"]["A"]["to_fill_in"]
    assert entry["id"] == "medbot" and [one for one, _name in entry["controllers"]] == ["ember", "ghost-celik"]
    assert shown(setup)["data"] == "961.json 7.25400.12"
    with pytest.raises(SetupError):
        setup.fill(A, {"trooper": "medbot", "controller": "medbot"})
    setup.fill(A, {"trooper": "medbot", "controller": "ember"})
    army = setup.drafts[A].army
    assert army is not None and (army.troopers[1].controller, army.troopers[1].group) == ("ember", 1)


def test_army_data_is_told_and_remembered(tmp_path: Path) -> None:
    assert "no army data is known yet" in army_data_lines("", identity)[0]
    folder = write_folder(tmp_path / "data")
    lines = army_data_lines(str(folder), identity)
    assert "3 files of armies, n5, version 7.25400.12" in lines[1]
    assert army_data_lines("", identity) == lines


def test_discs_belong_to_people_whatever_seat_they_take(tmp_path: Path) -> None:
    disc = Token(virtual_uid("1"), Role(TokenKind.IRREGULAR, None, 1), "Лена")
    TokenStore(tmp_path / "tokens").save(TokenRegistry([disc], "Лена"))
    setup = Setup(tmp_path, False, dict)
    setup.load_tokens()
    army = 'points=9\n[[trooper]]\nid="x"\ncost=1\nlieutenant=true\n'
    army += '[[trooper]]\nid="wild"\nname="Wild"\ncost=1\ntraining="irregular"'
    setup.load(B, "file", army, "x.toml", "B")
    assert shown(setup, B)["discs"] == 0 and shown(setup, B)["owner"] == "B"
    setup.choose({"name_b": "Лена"})
    assert shown(setup, B)["discs"] == 1 and shown(setup, B)["owner"] == "Лена"
    assert shown(setup, B)["bound"] == [
        {"kind": "irregular", "number": 1, "trooper": "wild", "choices": [["wild", "Wild"]]}
    ]
    setup.choose({"name_b": "Ana", "name_a": "Лена"})
    assert (shown(setup)["discs"], shown(setup, B)["discs"]) == (1, 0)


def test_a_player_chooses_whom_a_disc_stands_for_and_the_other_gets_what_is_left(tmp_path: Path) -> None:
    discs = [Token(virtual_uid(str(n)), Role(TokenKind.IRREGULAR, None, n), "A") for n in (1, 2)]
    TokenStore(tmp_path / "tokens").save(TokenRegistry(discs, "A"))
    setup = Setup(tmp_path, False, dict)
    setup.load_tokens()
    army = 'points=9\n[[trooper]]\nid="x"\ncost=1\nlieutenant=true\n'
    army += "".join(f'[[trooper]]\nid="wild-{n}"\ncost=1\ntraining="irregular"\n' for n in "ab")
    setup.load(A, "file", army, "x.toml", "A")

    def standing() -> list[str | None]:
        return [token.trooper for token in setup.discs(A)]

    assert standing() == ["wild-a", "wild-b"]
    setup.bind(A, "irregular", 1, "wild-b")
    assert standing() == ["wild-b", "wild-a"]
    for wrong in (("irregular", 3, "wild-a"), ("irregular", 1, "x"), ("tactical", 1, "x")):
        with pytest.raises(SetupError):
            setup.bind(A, *wrong)
    setup.load(A, "file", army, "x.toml", "A")
    assert standing() == ["wild-a", "wild-b"]


def test_discs_that_the_page_kept_by_seat_are_still_known(tmp_path: Path) -> None:
    text = 'owner = "A"\n[[token]]\nuid = "04A1B2C3D4E5F6"\nkind = "state"\n'
    (tmp_path / "discs-A.toml").write_text(text)
    setup = Setup(tmp_path, False, dict)
    setup.load_tokens()
    assert len(setup.tokens[A]) == 1
    setup.choose({"name_a": "Ana"})
    assert len(setup.tokens[A]) == 0


def test_a_code_is_filled_in_and_played_in_the_browser(browser: Browser, tmp_path: Path) -> None:
    with hosting(tmp_path, tray=False) as host, visiting(browser, host.link("table", view="setup")) as table:
        page = table.page
        page.locator("#code-A").fill(f"`{encode(code_of(Member(1, 1, 1)))}`")
        page.locator('[data-key="code-go-A"]').click()
        form = page.locator(".filling")
        expect(form).to_be_visible()
        page.screenshot(path=str(tmp_path / "fill.png"), full_page=True)
        expect(page.locator('[data-key="start"]')).to_be_disabled()
        expect(page.locator("main")).to_contain_text("Seat A: the roster is there, but not all of it is filled in.")
        for key, value in (("name", "Boss"), ("cost", "31")):
            form.locator(f'[data-key="fill-A-unknown-{key}"]').fill(value)
        form.locator('[data-key="fill-A-unknown-lieutenant"]').check()
        form.locator('[data-key="fill-A-unknown-go"]').click()
        expect(form).to_have_count(0)
        page.locator('[data-key="start"]').click()
        table.hint("begins")
        assert json.loads(page.evaluate("fetch('/api/v1/state?view=A').then(r => r.text())"))
