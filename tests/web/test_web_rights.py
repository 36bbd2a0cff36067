"""Each endpoint, each live view, each role, each state of the game: what the table of rights says is what is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from ordertray import rules
from ordertray.rules import Options
from ordertray.web.serving.endpoints import endpoints
from ordertray.web.serving.gate import Gate
from ordertray.web.serving.guard import Guard
from patience import patience
from web.rights import README, ROLES, STATES, TRIES, Try, written
from web.web_helpers import API, Served, finish, run, served


async def to_the_end(page: Served) -> None:
    """Play until the game is over."""
    while page.game.state.over is None:
        state = page.game.state
        seat = state.active or rules.public_view(page.game)["to_start"]
        await page.play(f"{seat} start" if state.active is None else f"{seat} next")


@asynccontextmanager
async def at(folder: Path, state: str) -> AsyncIterator[Served]:
    """A served page in a state of the game, both seats having a roster set up."""
    async with served(folder, begin=state != "none", options=Options(rounds=1)) as page:
        async with page.client("table") as client:
            for seat in "AB":
                await client.post(f"{API}/setup/roster", json={"seat": seat, "kind": "example"})
        if state == "on":
            await page.to_orders()
            await page.play("undo")
        if state in ("over", "final"):
            await to_the_end(page)
        if state == "final":
            assert await page.service.finish()
        yield page


async def came_of(page: Served, one: Try, role: str) -> str:
    """The letter of what came of a try."""
    roles = () if role == "nobody" else (role,)
    if one.method == "LIVE":
        try:
            async with page.live(one.path.rpartition("=")[2], *roles) as live:
                await live.next("state")
        except ConnectionClosed as closed:
            assert closed.rcvd is not None
            return "n" if closed.rcvd.code == 4403 else str(closed.rcvd.code)
        return "y"
    async with page.client(*roles) as client:
        body = one.body if one.method == "POST" else None
        answer = await client.request(one.method, API + one.path, json=body)
    letters = {200: "y", 403: "n", 404: "-", 409: "-"}
    return letters.get(answer.status_code, f"{answer.status_code} {answer.text}")


@pytest.mark.parametrize("state", STATES)
def test_what_is_done_is_what_the_table_of_rights_says(
    tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rights are asked for here, not how often: each try comes on a connection of its own.
    monkeypatch.setattr(Guard, "_paced", lambda *_, **__: True)
    monkeypatch.setattr(Gate, "_comes_in", lambda *_: True)

    async def work() -> None:
        async with at(tmp_path / "shared", state) as page:
            for one in TRIES:
                for role in ROLES:
                    wanted = one.may[role][STATES.index(state)]
                    if not one.changes or wanted != "y":
                        assert await came_of(page, one, role) == wanted, (state, one.what, role)
        number = 0
        for one in TRIES:
            for role in ROLES:
                if one.changes and one.may[role][STATES.index(state)] == "y":
                    number += 1
                    async with at(tmp_path / str(number), state) as page:
                        assert await came_of(page, one, role) == "y", (state, one.what, role)

    asyncio.run(asyncio.wait_for(work(), patience(240)))


def test_no_endpoint_is_without_its_rights(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        from ordertray.web.doing.api import Api

        api = Api(page.opened.page, page.opened.hub, None, None)  # type: ignore[arg-type]
        known = {one.endpoint for one in TRIES}
        assert {f"{endpoint.method} {endpoint.path}" for endpoint in endpoints(api)} <= known

    run(story, tmp_path)


def test_the_readme_has_the_table_of_rights() -> None:
    text = README.read_text("utf-8")
    assert written(text) == text, "make rights-table"


# --- rights do not rest on what the grantee can undo ----------------------------------------------------------------


async def secrets_seen_by(page: Served, seat: str) -> bool:
    """Whether a seat can read the other's roster anywhere."""
    other = "A" if seat == "B" else "B"
    async with page.client(seat) as client:
        found = ""
        for path in (
            "/games/1/record.json",
            "/games/current/record.json",
            "/games/1/script.txt",
            "/games/1/statistics",
        ):
            found += (await client.get(API + path)).text
        found += (await client.get(f"{API}/state?view={seat}")).text
    return f"veiled{other.lower()}" in found


async def over_read_undo(page: Served, client_of: Callable[..., object]) -> None:
    """The last turn's player brings the game to its end, looks, and takes it back."""
    await to_the_end(page)
    assert not await secrets_seen_by(page, "B")
    async with page.client("B") as client:
        for path in ("/game/end", "/game/start"):
            await client.post(API + path, json={})
        assert not await secrets_seen_by(page, "B")
        assert (await client.post(f"{API}/actions", json={"line": "B undo"})).json()["ok"]
    assert page.game.state.over is None and not await secrets_seen_by(page, "B")


async def end_alone(page: Served, client_of: Callable[..., object]) -> None:
    """A seat that is losing wants out, or to look."""
    await page.to_orders()
    position = page.game.position
    async with page.client("B") as client:
        answer = (await client.post(f"{API}/game/end", json={})).json()
        assert (answer["ended"], answer["agreed"]) == (False, ["B"])
        assert (await client.post(f"{API}/game/start", json={})).status_code == 409
    assert page.game.position == position and not await secrets_seen_by(page, "B")


async def begin_and_end(page: Served, client_of: Callable[..., object]) -> None:
    """Nothing was played: then it can be left by anybody, and nothing is to be read."""
    async with page.client("B") as client:
        assert (await client.post(f"{API}/game/end", json={})).json()["ended"]
        assert (await client.post(f"{API}/game/start", json={})).json()["game"] == 2
        for number in ("1", "2", "current"):
            assert (await client.get(f"{API}/games/{number}/record.json")).status_code in (403, 404, 409)


@pytest.mark.parametrize("way", [over_read_undo, end_alone, begin_and_end])
def test_no_seat_alone_reads_the_others_secrets(tmp_path: Path, way: Callable[..., Awaitable[None]]) -> None:
    async def story(page: Served) -> None:
        await way(page, page.client)

    run(story, tmp_path, options=Options(rounds=1))


def test_both_together_end_a_game_and_then_it_is_final(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await to_the_end(page)
        async with page.client("A") as a, page.client("B") as b:
            assert not (await a.post(f"{API}/game/end", json={})).json()["ended"]
            state = (await b.get(f"{API}/state?view=B")).json()
            assert state["end"] == {"agreed": ["A"], "final": False}
            assert not (await a.post(f"{API}/game/end", json={"do": "withdraw"})).json()["agreed"]
            assert not (await b.post(f"{API}/game/end", json={})).json()["ended"]
            assert (await a.post(f"{API}/game/end", json={})).json()["ended"]
            answer = (await b.post(f"{API}/actions", json={"line": "B undo"})).json()
            assert not answer["ok"] and answer["code"] == "final" and "confirmed" in answer["message"]
            assert page.game.state.over is not None
            assert (await b.get(f"{API}/games/current/record.json")).json()["armies"]["A"]
        assert await secrets_seen_by(page, "B")

    run(story, tmp_path, options=Options(rounds=1))


def test_an_agreement_ends_when_somebody_plays_on(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        await page.to_orders()
        async with page.client("A") as a, page.client("B") as b:
            await a.post(f"{API}/game/end", json={})
            await page.play("A next")
            assert (await b.post(f"{API}/game/end", json={})).json() == {"ok": True, "ended": False, "agreed": ["B"]}
            assert (await a.post(f"{API}/game/end", json={})).json()["ended"]
        assert page.service.table is None
        assert page.journal.game(1).result == {"over": "ended", "round": 1}

    run(story, tmp_path)


def test_a_game_that_cannot_be_begun_leaves_the_last_one_alone(tmp_path: Path) -> None:
    """One act, one commit: a game is in the record whole or not at all."""

    async def work() -> None:
        async with at(tmp_path, "final") as page, page.client("A") as client:
            page.journal._connection.execute("PRAGMA query_only = 1")
            assert (await client.post(f"{API}/game/start", json={})).status_code == 409
            assert page.service.final and page.game.state.over is not None
            page.journal._connection.execute("PRAGMA query_only = 0")
            assert len(page.journal.games()) == 1
            both = await asyncio.gather(*(client.post(f"{API}/game/start", json={}) for _ in range(2)))
            assert sorted(answer.status_code for answer in both)[0] == 200
            assert page.journal.game(page.service.game_number).seats["names"] == {}
            assert page.journal.open_game() is not None

    finish(work())


def test_enrolling_is_not_ended_by_the_other_seat(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client("A") as a, page.client("B") as b:
            assert (await a.post(f"{API}/enrolment", json={"do": "start", "seat": "A"})).json()["ok"]
            assert (await b.post(f"{API}/enrolment", json={"do": "start", "seat": "B"})).status_code == 403
            assert (await b.post(f"{API}/enrolment", json={"do": "stop"})).status_code == 403
            assert (await a.post(f"{API}/enrolment", json={"do": "stop"})).json()["ok"]

    run(story, tmp_path)


def test_half_a_character_and_other_texts_that_are_none(tmp_path: Path) -> None:
    """21 bytes in a name shut out both seats; now they are refused where they come in, in every field of every body."""

    async def story(page: Served) -> None:
        async with page.client("A", "table") as client:
            for bad in ("\\ud800", "\\udc00x", "a\\u001b[31m", "a\\u0000", "a\\u202eb", "a\\u2028b"):
                for path, field in (
                    ("/setup", f'{{"name_a":"{bad}"}}'),
                    ("/setup/roster", f'{{"seat":"A","kind":"quick","text":"5","name":"{bad}"}}'),
                    ("/setup/roster", f'{{"seat":"A","kind":"file","text":"{bad}","name":"x"}}'),
                    ("/actions", f'{{"line":"{bad}"}}'),
                    ("/session", f'{{"secret":"{bad}"}}'),
                    ("/tray/tap", f'{{"pad":"A","disc":"{bad}"}}'),
                    ("/setup", f'{{"{bad}":1}}'),
                ):
                    headers = {"content-type": "application/json"}
                    answer = await client.post(API + path, content=field, headers=headers)
                    assert answer.status_code == 400, (path, field, answer.text)
                    assert "\x1b" not in answer.text and "\u202e" not in answer.json()["message"]
            for view in ("A", "table"):
                assert (await client.get(f"{API}/state?view={view}")).status_code == 200
            file = "\ufeffname = 'X'\r\npoints = 1\r\n"
            body = {"seat": "A", "kind": "file", "text": file, "name": "Ñandú 🦄.toml"}
            assert (await client.post(f"{API}/setup/roster", json=body)).status_code == 200

    run(story, tmp_path)
