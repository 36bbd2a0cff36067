"""The API over real HTTP: actions, refusals, roles, faulty requests, its own documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ordertray import rules
from ordertray.rules import Seat
from web.web_helpers import API, Served, finish, run, served


def test_an_action_is_played_and_a_refused_one_names_its_rule(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client("A", "B") as client:
            answer = await client.post(f"{API}/actions", json={"line": "@0 A start"})
            assert answer.json() == {"ok": True, "position": 1, "waits": False}
            refused = (await client.post(f"{API}/actions", json={"line": "B start"})).json()
            assert (refused["ok"], refused["rule"], refused["position"]) == (False, "SEQ-01", 1)
            assert refused["message"]
            state = (await client.get(f"{API}/state")).json()
            assert (state["refusal"]["rule"], state["refusal"]["text"]) == (refused["rule"], refused["message"])
            spanish = (await client.get(f"{API}/state?language=es")).json()
            assert spanish["refusal"]["text"] != refused["message"]

    run(story, tmp_path)


def test_a_stale_action_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.play("A start")
        before = page.game
        async with page.client("A") as client:
            answer = (await client.post(f"{API}/actions", json={"line": "@0 A next"})).json()
        assert (answer["ok"], answer["rule"], answer["code"]) == (False, "STALE", "stale")
        assert page.game is before

    run(story, tmp_path)


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("actions", {"line": "A dance"}, 400, "not-in-notation"),
        ("actions", {"line": ""}, 400, "not-in-notation"),
        ("actions", {"line": "show"}, 400, "not-in-notation"),
        ("actions", {"line": 7}, 400, "bad-body"),
        ("actions", {}, 400, "bad-body"),
        ("actions", [1], 400, "bad-body"),
        ("actions", {"line": "A start", "and": 1}, 400, "bad-body"),
        ("actions", {"line": "A " + "x" * 500}, 400, "bad-body"),
        ("setup", {"edition": "n3"}, 400, "bad-option"),
        ("setup", {"rounds": 0}, 400, "bad-option"),
        ("setup", {"rounds": True}, 400, "bad-body"),
        ("setup", {"retreat": 1}, 400, "bad-body"),
        ("setup", {"first": "C"}, 400, "bad-body"),
        ("setup/roster", {"seat": "A", "kind": "song"}, 400, "bad-body"),
        ("enrolment", {"do": "skip"}, 409, "not-enrolling"),
        ("enrolment", {"do": "start"}, 400, "bad-body"),
        ("tray/tap", {"pad": "A", "disc": "regular g1"}, 409, "no-virtual-tray"),
        ("tray/button", {"side": "A", "button": "ok", "edge": "click"}, 409, "no-virtual-tray"),
        ("nothing", {}, 404, "not-found"),
    ],
)
def test_faulty_requests_get_a_status_and_a_reason_and_break_nothing(
    tmp_path: Path, path: str, body: Any, status: int, error: str
) -> None:
    async def story(page: Served) -> None:
        before = page.game
        async with page.client("A", "B", "table") as client:
            answer = await client.post(f"{API}/{path}", json=body)
            assert (answer.status_code, answer.json()["error"]) == (status, error)
            assert answer.json()["message"]
            assert (await client.get(f"{API}/state")).status_code == 200
        assert page.game is before

    run(story, tmp_path)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 3000, b'{"line": "A start"'])
def test_malformed_json_is_a_bad_request(tmp_path: Path, content: bytes) -> None:
    async def story(page: Served) -> None:
        async with page.client("A") as client:
            headers = {"content-type": "application/json"}
            answer = await client.post(f"{API}/actions", content=content, headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (400, "not-json")
            form = await client.post(f"{API}/actions", data={"line": "A start"})
            assert form.status_code == 415

    run(story, tmp_path)


@pytest.mark.parametrize(
    ("method", "path", "body", "roles", "enough"),
    [
        ("POST", "actions", {"line": "A start"}, ("B", "table"), ("A",)),
        ("POST", "setup", {"rounds": 2}, (), ("B",)),
        ("POST", "setup", {"name_a": "Ana"}, ("B",), ("A",)),
        ("POST", "setup/roster", {"seat": "A", "kind": "example"}, ("B",), ("table",)),
        ("POST", "keys/renew", {"role": "A"}, ("A", "B"), ("table",)),
        ("GET", "choices?seat=A", None, ("B", "table"), ("A",)),
        ("GET", "state?view=A", None, ("B", "table"), ("A",)),
        ("GET", "state?view=table", None, ("A", "B"), ("table",)),
        ("GET", "games", None, (), ("B",)),
        ("POST", "clock", {"paused": True}, (), ("A",)),
    ],
)
def test_what_is_not_yours_is_forbidden_on_the_server(
    tmp_path: Path, method: str, path: str, body: Any, roles: tuple[str, ...], enough: tuple[str, ...]
) -> None:
    async def story(page: Served) -> None:
        for given, status in ((roles, 403), ((), 403), (enough, 200)):
            async with page.client(*given) as client:
                answer = await client.request(method, f"{API}/{path}", json=body)
                assert answer.status_code == status, (given, answer.text)

    run(story, tmp_path)


def test_a_program_opens_a_seat_by_its_secret(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        secret = page.opened.access.keys.secrets["A"]
        for token, status in ((secret, 200), (secret[:-1], 403), ("x", 403)):
            async with page.client(authorization=f"Bearer {token}") as client:
                assert (await client.get(f"{API}/choices?seat=A")).status_code == status

    run(story, tmp_path)


def test_undo_from_the_page_takes_back_the_last_action_and_shows_it(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.play("A start", "A next")
        async with page.client("A") as client:
            assert (await client.post(f"{API}/actions", json={"line": "@2 undo"})).json()["ok"]
            history = (await client.get(f"{API}/state")).json()["history"]
        assert page.game.state.step == "executive"
        assert history[0]["undo"] and history[0]["text"].startswith("A took back: Orders counted")
        assert history[1]["undone"]

    run(story, tmp_path)


@pytest.mark.rule("ACT-20")
def test_what_the_other_side_did_is_taken_back_with_its_consent_only(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client("A") as a, page.client("B") as b:
            for _ in range(9):
                if page.game.state.phase == "orders":
                    break
                assert (await a.post(f"{API}/touch", json={"seat": "A", "key": "ok", "hold": True})).json()["ok"]
            answer = (await a.post(f"{API}/touch", json={"seat": "A", "disc": "regular g1"})).json()
            assert answer["told"] == "Regular order, group 1"
            spent = page.game
            answer = (await b.post(f"{API}/actions", json={"line": "undo"})).json()
            assert answer["waits"] and answer["told"] == "B asks to take back A's last touch"
            assert page.game is spent
            state = (await a.get(f"{API}/state?view=A")).json()
            assert state["consent"] == "B" and state["hint"]["do"][0]["label"] == "Yes, take it back"
            answer = (await a.post(f"{API}/touch", json={"seat": "A", "key": "ok"})).json()
            assert answer["ok"] and page.game.state.order is None
            state = (await b.get(f"{API}/state?view=B")).json()
            assert state["history"][0]["text"] == "B took back what A did, who agreed: Regular order, group 1"

    run(story, tmp_path)


def test_a_whole_order_is_one_touch_of_a_page_and_pressed_twice_it_is_one(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        async with page.client("A") as client:
            touches = {"seat": "A", "disc": "regular g1", "at": page.game.position}
            assert (await client.post(f"{API}/touch", json=touches)).json()["ok"]
            twice = (await client.post(f"{API}/touch", json=touches)).json()
            assert (twice["ok"], twice["code"]) == (False, "pressed-twice")
            short = {"seat": "A", "key": "short", "at": page.game.position}
            assert (await client.post(f"{API}/touch", json=short)).json()["told"] == "SHORT: second skill"
            named = {"seat": "A", "disc": "regular g1", "trooper": "a2", "at": page.game.position}
            assert (await client.post(f"{API}/touch", json=named)).json()["ok"]
            assert rules.public_view(page.game)["order"]["trooper"] == "a2"
            for body, status in (
                ({"seat": "A"}, 400), ({"seat": "A", "disc": "regular g1", "key": "ok"}, 400),
                ({"seat": "A", "disc": "nonsense"}, 400), ({"seat": "B", "key": "pass"}, 403),
            ):  # fmt: skip
                assert (await client.post(f"{API}/touch", json=body)).status_code == status, body
        assert page.game.side(Seat.A).pools[0][1].left == 1

    run(story, tmp_path)


def test_the_api_is_documented_where_it_is_served(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client() as client:
            text = (await client.get("/api")).text
            described = (await client.get("/api/openapi.json")).json()
            for path, methods in described["paths"].items():
                for method in methods:
                    assert f"{method.upper()} {path}" in text
                    url = path.replace("{game}", "1")
                    answer = await client.request(method, url, json={} if method == "post" else None)
                    assert answer.status_code not in (404, 405, 500), (method, path)
            assert "/api/v1/live" in text

    run(story, tmp_path)


def test_choices_are_the_legal_actions_of_the_seat(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        async with page.client("A") as client:
            answer = (await client.get(f"{API}/choices?seat=A")).json()
            assert answer["position"] == page.game.position
            spends = {(one["kind"], one["group"]) for one in answer["choices"]["spend"]}
            assert ("regular", 1) in spends and ("regular", 2) in spends
        async with page.client("B") as client:
            assert (await client.get(f"{API}/choices?seat=B")).json()["choices"]["spend"] == []

    run(story, tmp_path)


def test_a_state_is_small_enough_for_a_slow_wireless_network(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        await page.play("A spend regular g1 a1")
        for view in ("public", "A"):
            assert len(json.dumps(page.opened.page.state(view, "en"))) < 20_000
        assert page.game.state.active is Seat.A

    run(story, tmp_path)


def test_a_game_is_started_left_and_started_again_and_the_ended_one_is_on_record(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client("A", "B", "table") as client:
            assert (await client.post(f"{API}/game/start", json={})).json()["error"] == "not-set-up"
            for seat in "AB":
                await client.post(f"{API}/setup/roster", json={"seat": seat, "kind": "example"})
            await client.post(f"{API}/setup", json={"name_a": "Ana", "clock_minutes": 5})
            first = (await client.post(f"{API}/game/start", json={})).json()["game"]
            state = (await client.get(f"{API}/state")).json()
            assert state["names"] == {"A": "Ana"} and state["clock"]["limit_ms"] == 300_000
            await page.to_orders()
            assert (await client.post(f"{API}/game/start", json={})).json()["error"] == "game-on"
            assert (await client.get(f"{API}/games/{first}/record.json")).status_code == 403
            assert (await client.post(f"{API}/game/end", json={})).json()["ok"]
            state = (await client.get(f"{API}/state")).json()
            assert (state["public"], state["history"], state["clock"], state["names"]) == (None, [], None, {})
            record = (await client.get(f"{API}/games/{first}/record.json")).json()
            assert record["result"]["over"] == "ended" and record["actions"][0]["line"] == "A start"
            script = (await client.get(f"{API}/games/{first}/script.txt")).text
            assert script.splitlines()[1] == "A start"
            second = (await client.post(f"{API}/game/start", json={})).json()["game"]
            assert second == first + 1
            games = (await client.get(f"{API}/games")).json()["games"]
            assert [(game["game"], game["ended_ms"] is None) for game in games] == [(second, True), (first, False)]
        async with page.client() as guest:
            assert (await guest.get(f"{API}/games/{first}/record.json")).status_code == 403
            assert (await guest.get(f"{API}/games/{first}/statistics")).status_code == 200
            for name in ("0", "99", "x", "-1"):
                assert (await guest.get(f"{API}/games/{name}/statistics")).status_code == 404

    run(story, tmp_path, begin=False)


def test_clocks_are_kept_with_the_game_and_stand_still_after_a_restart(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(tmp_path) as page:
            page.opened.page.clocks.change(limit_ms=60_000)
            await page.to_orders()
            async with page.client("B") as client:
                assert (await client.post(f"{API}/clock", json={"paused": True})).json()["ok"]
                assert (await client.get(f"{API}/state")).json()["clock"]["paused"]
                await client.post(f"{API}/clock", json={"paused": False})
        async with served(tmp_path) as page:
            clock = page.opened.page.state("public", "en")["clock"]
            assert clock["limit_ms"] == 60_000 and clock["paused"] and clock["running"] == "A"

    finish(work())
