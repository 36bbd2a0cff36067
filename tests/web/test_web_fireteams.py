"""Fireteams, markers and Reinforcements by a thumb: what only the page offers besides the tray's discs and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

from playwright.sync_api import Browser, expect

from ordertray.army.roster import format_army
from ordertray.rules import Army, Trooper
from web.browser_helpers import Visitor, browsing, hosting, visiting

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


def roster(seat: str, folder: Path) -> str:
    """Five in a group, a marker, and two that come late."""
    low = seat.lower()
    five = [Trooper(f"{low}{n}", name=f"Man {n}", cost=30, lieutenant=n == 1) for n in range(1, 6)]
    camo = Trooper(f"{low}camo", name="Ghost", cost=30, deploy="marker")
    late = [Trooper(f"{low}late{n}", name=f"Late {n}", cost=30, group=2, deploy="reinforcement") for n in (1, 2)]
    path = folder / f"{seat}.toml"
    path.write_text(format_army(Army(f"Army {seat}", 250, (*five, camo, *late), "n5")))
    return str(path)


def line(visitor: Visitor, text: str) -> None:
    """Touch the control that stands for a line of the script."""
    visitor.page.locator(f"[data-line='{text}']").first.tap()


def fold(visitor: Visitor, key: str) -> None:
    visitor.page.locator(f'details[data-key="{key}"] summary').tap()


def test_a_team_is_formed_reacts_in_one_touch_and_reinforcements_are_called(browser: Browser, tmp_path: Path) -> None:
    armies = ("--a", roster("A", tmp_path), "--b", roster("B", tmp_path))
    with (
        hosting(tmp_path, *armies, tray=False) as host,
        visiting(browser, host.link("A", "B")) as table,
        visiting(browser, host.link("B"), **PHONE) as ben,
        visiting(browser, host.link("A"), **PHONE) as ana,
    ):
        # Before the first turn: a team of three, the Leader first.
        fold(ben, "teams")
        ben.page.locator('[data-key="team-form"]').tap()
        for one in ("b2", "b3", "b4"):
            ben.page.locator(f'.sheet [data-key="pick {one}"]').tap()
        ben.page.locator('.sheet [data-key="team-go"]').tap()
        expect(ben.page.locator(".history")).to_contain_text("Fireteam")
        # The turn rests where Reinforcements are called; in the first round it is too early, and no button is there.
        table.act("A start")
        expect(ana.page.locator("[data-line='A reinforce']")).to_have_count(0)
        table.to_orders("A")
        table.act("A spend regular g1 a2", 'A skill "Move"')
        # One touch for the reactions of three.
        ben.page.locator('[data-key="more b3"]').tap()
        line(ben, 'B aro b3 b2 b4 "Dodge" > a2')
        ben.wait(lambda: len(ben.states()[-1]["public"]["order"]["aro"]["declared"]) == 3, "three reactions")
        table.act("B pass", "A end", "A resolve", "A done")
        # A marker is one no more.
        ana.page.locator('[data-key="A:acamo"]').tap()
        line(ana, "A reveal acamo")
        expect(ben.page.locator(".history")).to_contain_text("acamo")
        # A lossy game: the section may come, and comes by one touch.
        for trooper in ("a2", "a3", "a4"):
            table.act(f"B state A:{trooper} dead")
        for seat in ("A", "B"):
            table.to_orders(seat)
            while table.ask("GET", "/state")["public"]["active"] == seat:
                table.act(f"{seat} next")
        table.act("A start")
        line(ana, "A reinforce")
        ana.wait(lambda: ana.states()[-1]["public"]["seats"]["A"]["reinforcements"] == "called", "the section to come")
