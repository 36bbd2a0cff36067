"""Live pages: the newest state, never a queue; slow pages cost the table nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ordertray.web.showing.hub import WINDOW, Client
from patience import patience
from web.web_helpers import Live, Served, finish, run, served


def test_a_change_reaches_a_page_with_its_choices(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.live("A", "A") as live:
            assert (await live.next("state"))["position"] == 0
            assert (await live.next("choices"))["choices"]["turn"] == ["start"]
            await page.play("A start")
            assert (await live.next("state"))["position"] == 1
            choices = await live.next("choices")
            assert (choices["position"], "next" in choices["choices"]["turn"]) == (1, True)

    run(story, tmp_path)


def test_a_page_that_does_not_draw_gets_no_queue_and_then_the_newest(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.live() as live:
            seen = [json.loads(await live.socket.recv())["type"], json.loads(await live.socket.recv())["position"]]
            assert seen == ["hello", 0]
            await page.to_orders()
            for _ in range(20):
                await page.play("A spend regular g1 a2", "undo")
            # Nothing is acknowledged: at most `WINDOW` states came, however much happened. Then a beat, and no more.
            async with asyncio.timeout(patience(10)):
                kinds: list[str] = []
                while kinds[-1:] != ["beat"]:
                    kinds.append(json.loads(await live.socket.recv())["type"])
            states = [kind for kind in kinds if kind == "state"]
            assert len(states) == WINDOW - 1
            await live.socket.send(json.dumps({"drawn": 1}))
            live.drawn = 1
            assert (await live.next("state"))["position"] == page.game.position

    run(story, tmp_path)


def test_a_page_that_never_reads_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
        request = (
            f"GET /api/v1/live?view=public HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        writer.write(request.encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 101")
        async with page.live() as live:
            await live.next("state")
            await page.to_orders()
            for _ in range(30):
                await page.play("A spend regular g1 a2", "undo")
            state = await live.until(lambda state: bool(state["position"] == page.game.position))
            assert state["position"] == page.game.position
        writer.close()

    run(story, tmp_path)


def test_a_client_cannot_acknowledge_what_was_not_sent() -> None:
    async def work() -> None:
        client = Client("public", "en", lambda: True, sent=2)
        for number in (99, 0, -1):
            client.acknowledge(number)
        assert client.drawn == 0
        client.acknowledge(2)
        client.acknowledge(1)
        assert client.drawn == 2

    finish(work())


def test_a_restart_is_picked_up_with_the_same_session_and_history(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(tmp_path) as page:
            await page.to_orders()
            await page.play("A spend regular g1 a2", "A skill basic", "B pass", "undo")
            before = page.opened.page.state("A", "en")
            session = page.opened.access.session({"A"})
        async with served(tmp_path) as page:
            assert page.opened.access.roles(session) == {"A"}
            after = page.opened.page.state("A", "en")
            assert after["position"] == before["position"] and after["public"] == before["public"]
            texts = [[(item["text"], item["undone"]) for item in state["history"]] for state in (before, after)]
            assert texts[0] == texts[1]
            async with page.live("A", "A") as live:
                assert isinstance(live, Live)
                assert (await live.next("state"))["position"] == before["position"]

    finish(work())


def test_too_many_pages_are_turned_away(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        hub = page.opened.hub
        crowd = [Client("public", "en", lambda: True) for _ in range(200)]
        hub.clients.update(crowd)
        async with page.live() as live:
            await live.socket.wait_closed()
            assert live.socket.close_code == 4429
        hub.clients.difference_update(crowd)
        async with page.live() as live:
            assert (await live.next("state"))["position"] == 0

    run(story, tmp_path)
