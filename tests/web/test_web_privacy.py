"""Nothing private reaches anybody else: checked in what is sent, at every step of games that do all sorts of things."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ordertray import rules
from ordertray.rules import Seat
from ordertray.rules import actions as a
from ordertray.table import TagTap
from web.web_helpers import API, A, B, Served, run

#: Keys that only a seat's own part may have.
PRIVATE_KEYS = {"cost", "victory_points", "retreat_threshold", "retreat_margin", "points", "deploy", "training", "army"}


def leaks(page: Served, text: str, other: Seat, revealed: frozenset[str] = frozenset()) -> list[str]:
    """Private facts of `other` in a text for somebody else. `revealed`: seen before they were taken back."""
    game = page.game
    found = [f"NAME-{other}"] if f"NAME-{other}" in text else []
    hidden = [
        listed.id
        for listed, trooper in zip(game.army(other).troopers, game.side(other).troopers, strict=True)
        if trooper.place == "off"
    ]
    found += [trooper for trooper in hidden if trooper in text and trooper not in revealed]
    found += sorted(keys_of(json.loads(text)) & PRIVATE_KEYS)
    return found


def keys_of(value: Any) -> set[str]:
    """Every key of nested objects; a seat's own part is left out."""
    if isinstance(value, dict):
        return {key for key in value if key != "seat"} | set().union(
            *(keys_of(one) for key, one in value.items() if key not in ("seat", "setup"))
        )
    if isinstance(value, list):
        return set().union(*(keys_of(one) for one in value))
    return set()


def lines(game: rules.Game, chance: random.Random) -> Iterator[a.Action]:
    """An action of either seat, of a family drawn first: else records of states would be nearly all."""
    legal = [action for seat in Seat for action in rules.legal_actions(game, seat)]
    kinds = sorted({type(action).__name__ for action in legal})
    kind = chance.choice(kinds)
    yield chance.choice([action for action in legal if type(action).__name__ == kind])


@pytest.mark.rule("INF")
@pytest.mark.parametrize("seed", range(4))
def test_nothing_private_is_in_what_others_are_sent(tmp_path: Path, seed: int) -> None:
    async def story(page: Served) -> None:
        chance = random.Random(seed)
        revealed: frozenset[str] = frozenset()
        await page.to_orders()
        for _ in range(60):
            if page.game.state.over is not None:
                break
            action = next(lines(page.game, chance))
            if isinstance(action, a.Undo) and chance.random() < 0.7:
                continue
            await page.service.act(action, {"by": "page"})
            revealed |= {trooper for seat in Seat for trooper in rules.views.on_table(page.game, seat)}
            for language in ("en", "es"):
                for view in ("public", "table"):
                    text = json.dumps(page.opened.page.state(view, language))
                    assert [leak for seat in Seat for leak in leaks(page, text, seat, revealed)] == [], action
                for seat in Seat:
                    text = json.dumps(page.opened.page.state(str(seat), language))
                    assert leaks(page, text, seat.other, revealed) == [], action

    run(story, tmp_path)


@pytest.mark.rule("LOL-05")
def test_the_lieutenant_is_its_players_secret_until_its_order_announces_it(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()

        def told(view: str) -> object:
            return page.opened.page.state(view, "en")["public"]["seats"]["A"]["lieutenant"]["trooper"]

        own = page.opened.page.state("A", "en")["seat"]
        assert own["lieutenant"] == "a1" and told("public") is None and told("B") is None
        assert "lieutenant" not in json.dumps(page.opened.page.state("public", "en")["discs"]["A"][0])
        await page.play("A spend lieutenant a1")
        assert told("public") == "a1" and told("B") == "a1"

    run(story, tmp_path)


def test_a_hidden_troopers_tag_is_not_shown_when_it_is_tapped(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        table = page.service.table
        assert table is not None
        tag = next(token for token in table.tokens if token.trooper == "veileda" and token.kind == "trooper")
        from ordertray.link import TrayEvent

        body = {"e": "placed", "pad": "A", "uid": tag.uid, "tag": "ntag213"}
        await page.service.on_event(TrayEvent("E6616408432B7A2E", "9f3c01aa", 1, body, "tray"))
        table = page.service.table
        assert table is not None and [pending.word for pending in table.pending] == ["veileda"]
        own, public = (page.opened.page.state(view, "en") for view in ("A", "public"))
        assert own["pending"][0]["word"] == "veileda" and own["touch"]["disc"] == "trooper veileda"
        assert public["pending"] == [{"seat": "A", "what": "actor", "word": None, "troopers": [], "again": False}]
        assert public["touch"]["disc"] == "?"
        assert TagTap(A, tag.uid).uid not in json.dumps(public)

    run(story, tmp_path)


def test_the_number_of_discs_tells_nothing_about_hidden_troopers(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        discs = page.opened.page.state("public", "en")["discs"]["A"]
        regular = [disc for disc in discs if disc["kind"] == "regular"]
        assert [(disc["disc"], disc["total"]) for disc in regular] == [("regular g1", 3), ("regular g2", 2)]
        assert {disc["trooper"] for disc in discs if disc["kind"] == "trooper"} == {f"a{n}" for n in range(1, 7)}
        own = page.opened.page.state("A", "en")["discs"]["A"]
        assert {"veileda"} == {disc["trooper"] for disc in own if disc.get("hidden")}

    run(story, tmp_path)


def test_a_roster_is_shown_to_its_seat_and_to_whoever_brought_it(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client("A") as client:
            await client.post(f"{API}/setup/roster", json={"seat": "A", "kind": "example"})

        def shown(view: str) -> object:
            return page.opened.page.state(view, "en")["setup"]["seats"]["A"].get("army")

        assert shown("A") == "NAME-A" and shown("B") is None and shown("table") is None
        async with page.client("table") as client:
            await client.post(f"{API}/setup/roster", json={"seat": "A", "kind": "example"})
        assert shown("A") == "NAME-A" and shown("B") is None and shown("table") == "NAME-A"

    run(story, tmp_path, begin=False)


def test_a_private_reason_is_told_to_its_player_only(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        async with page.client("A") as client:
            answer = (await client.post(f"{API}/actions", json={"line": "A spend irregular veileda"})).json()
        assert not answer["ok"]
        own, other, public = (page.opened.page.state(view, "en")["refusal"] for view in ("A", "B", "public"))
        assert own["text"] == answer["message"]
        assert other["text"] == public["text"]
        if "veileda" in own["text"]:
            assert public["text"] == "The action was refused."

    run(story, tmp_path)


def test_two_seats_and_a_spectator_live(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.live("A", "A") as one, page.live("B", "B") as two, page.live() as spectator:
            for live in (one, two, spectator):
                await live.next("state")
            await page.to_orders()
            await page.play("A arrive veileda", "A spend regular g1 a2", "A skill basic", "B aro b1")
            last = page.game.position
            for live, seat in ((one, A), (two, B)):
                state = await live.until(lambda state: bool(state["position"] == last))
                assert state["seat"]["seat"] == seat
                assert leaks(page, json.dumps(state), seat.other) == []
            state = await spectator.until(lambda state: bool(state["position"] == last))
            assert "seat" not in state and "setup" not in state
            assert [leak for seat in Seat for leak in leaks(page, json.dumps(state), seat)] == []

    run(story, tmp_path)
