"""Secrets, PINs, sessions, and what stands before every request."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ordertray.web.doing.roles import ROLES
from ordertray.web.serving.access import SESSION_S, Access
from ordertray.web.serving.addresses import WebError, base_address, bound_socket
from ordertray.web.serving.keys import KeysError, load_keys, new_keys, save_keys
from ordertray.web.serving.pace import Bucket, Buckets
from ordertray.web.serving.server import WebOptions, serving
from patience import patience
from web.web_helpers import API, Served, finish, run, served


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.s = 1000.0

    def __call__(self) -> float:
        return self.s


def access(clock: Clock) -> Access:
    return Access(new_keys(), now_s=clock)


def test_keys_are_made_once_and_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    keys = load_keys(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_keys(path) == keys
    assert len(set(access(Clock()).pins.values())) == 3
    assert not any(secret in repr(keys) for secret in keys.secrets.values())


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"secrets":{"A":"x"}}', "\x00"])
def test_a_spoilt_file_of_keys_is_told_without_showing_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(text + "SECRETWORD" if text else text)
    with pytest.raises(KeysError) as caught:
        load_keys(path)
    assert str(path) in str(caught.value) and "SECRETWORD" not in str(caught.value)


def test_a_session_has_its_roles_until_it_expires_or_the_secret_is_renewed() -> None:
    clock = Clock()
    one = access(clock)
    session = one.session({"A", "table"})
    assert one.roles(session) == {"A", "table"}
    clock.s += SESSION_S - 1
    assert one.roles(session) == {"A", "table"}
    one.keys = one.keys.renewed("A")
    assert one.roles(session) == {"table"}
    both = one.session({"B", "table"}, session)  # another role does not begin its time anew
    clock.s += 2
    assert one.roles(session) == one.roles(both) == frozenset()


def test_a_session_knows_no_time_of_day_and_can_be_ended_alone() -> None:
    """A Pi without a clock wakes up in the past and gets the time mid-game; a copied cookie is to be ended."""
    clock = Clock()
    one = access(clock)
    session, other = one.session({"A"}), one.session({"A"})
    again = Access(one.keys, now_s=lambda: -1e9)  # a new start of the service: any clock
    assert again.roles(session) == {"A"}
    assert again.revoke(session) and again.roles(session) == frozenset() and again.roles(other) == {"A"}
    assert not again.revoke("made.up") and not again.revoke(None)


@given(st.text(max_size=200))
def test_no_made_up_session_opens_anything(text: str) -> None:
    assert access(Clock()).roles(text) == frozenset()


@given(st.data())
def test_no_changed_session_opens_anything(data: st.DataObject) -> None:
    one = access(Clock())
    session = one.session({"B"})
    place = data.draw(st.integers(0, len(session) - 1))
    letter = data.draw(st.characters(codec="ascii", categories=("L", "N")).filter(lambda c: c != session[place]))
    changed = session[:place] + letter + session[place + 1 :]
    # The last letter of base64 holds spare bits: only a session that decodes to the same bytes may still open.
    if one.roles(changed):
        assert place in (len(session) - 1, session.index(".") - 1)
        assert one.roles(changed) == {"B"}


def test_pins_are_guessed_slowly() -> None:
    clock = Clock()
    one = access(clock)
    wrong = next(f"{n:06}" for n in range(10) if f"{n:06}" not in one.pins.values())
    assert one.open_by_pin(one.pins["B"], "10.0.0.7") == "B"
    tries = 0
    while one.may_guess("10.0.0.9"):
        assert one.open_by_pin(wrong, "10.0.0.9") is None
        tries += 1
    assert tries == 5
    assert one.may_guess("10.0.0.10")
    clock.s += 25
    assert one.may_guess("10.0.0.9")
    for _ in range(2):
        for n in range(60):  # from all addresses together
            if one.may_guess(f"10.0.1.{n}"):
                one.open_by_pin(wrong, f"10.0.1.{n}")
                tries += 1
    # Each address its first, and twenty besides.
    assert tries <= 5 + 60 + 25 and not one.may_guess("10.0.1.7")
    # That many guess shuts nobody out: neither an address that has not guessed yet, nor one that was right before.
    assert one.may_guess("10.0.2.1") and one.may_guess("10.0.0.7")
    for n in range(500):  # but addresses cost nothing, so that has an end
        one.open_by_pin(wrong, f"10.9.{n // 250}.{n % 250}")
    assert not one.may_guess("10.0.3.1") and one.may_guess("10.0.0.7")
    # Whoever has the link is never kept out by others' guessing.
    assert one.open_by_secret(one.keys.secrets["A"]) == "A"


def test_buckets_of_many_addresses_stay_few() -> None:
    buckets = Buckets(1, 1, most=10)
    for n in range(100):
        buckets.of(str(n)).take(0)
    assert len(buckets._buckets) == 10
    assert not buckets.of("99").take(0) and buckets.of("0").take(0)


@given(st.floats(0.1, 50), st.integers(1, 20), st.lists(st.floats(0, 5), max_size=40))
def test_a_bucket_never_gives_more_than_its_pace(per_s: float, burst: int, gaps: list[float]) -> None:
    bucket, now_s, taken = Bucket(per_s, burst), 0.0, 0
    for gap in gaps:
        now_s += gap
        taken += bucket.take(now_s)
        assert taken <= burst + per_s * now_s + 1e-6


def test_a_seat_is_opened_by_secret_or_pin_and_kept_in_a_careful_cookie(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        keys = page.opened.access.keys
        async with page.client() as client:
            opened = await client.post(f"{API}/session", json={"secret": keys.secrets["A"]})
            assert opened.json()["opened"] == "A" and opened.json()["roles"] == ["A"]
            cookie = opened.headers["set-cookie"].lower()
            assert "httponly" in cookie and "samesite=strict" in cookie
            spaced = f"{page.opened.access.pins['B'][:3]} {page.opened.access.pins['B'][3:]}"
            assert (await client.post(f"{API}/session", json={"pin": spaced})).json()["roles"] == ["A", "B"]
            assert (await client.get(f"{API}/session")).json()["roles"] == ["A", "B"]
            assert (await client.delete(f"{API}/session")).json()["roles"] == []
            assert (await client.get(f"{API}/session")).json()["roles"] == []

    run(story, tmp_path)


def test_wrong_secrets_are_refused_limited_and_logged_without_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def story(page: Served) -> None:
        keys = page.opened.access.keys
        async with page.client() as client:
            for body in ({"secret": "no-such-secret-1"}, {"pin": "wrong-pin-1"}, {}, {"pin": "wrong-pin-2"}):
                answer = await client.post(f"{API}/session", json=body)
                assert (answer.status_code, answer.json()["error"]) == (403, "wrong-secret")
            statuses = [(await client.post(f"{API}/session", json={"pin": "000"})).status_code for _ in range(6)]
            assert statuses[-1] == 429
            assert (await client.post(f"{API}/session", json={"secret": keys.secrets["A"]})).status_code == 200
            async with page.live("A", "A") as live:
                await live.next("state")
        for word in (*keys.secrets.values(), *page.opened.access.pins.values(), "no-such-secret-1", "wrong-pin-1"):
            assert word not in caplog.text
        assert "wrong PIN from 127.0.0.1" in caplog.text

    run(story, tmp_path)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:80"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "a b"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-length": "70000"}, 413),
    ],
)
def test_requests_of_strangers_never_reach_the_table(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    async def story(page: Served) -> None:
        async with page.client("A") as client:
            content = b"x" * int(headers.get("content-length", "0")) or b'{"line":"A start"}'
            sent = {"content-type": "application/json", **headers}
            answer = await client.post(f"{API}/actions", content=content, headers=sent)
            assert answer.status_code == status
            assert page.game.position == 0
            own = {"origin": page.opened.base, "sec-fetch-site": "same-origin"}
            assert (await client.post(f"{API}/actions", json={"line": "A start"}, headers=own)).json()["ok"]

    run(story, tmp_path)


def test_a_large_body_without_a_length_is_cut_off(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(40):
                yield b"x" * 4096

        async with page.client("A") as client:
            headers = {"content-type": "application/json"}
            try:
                answer = await client.post(f"{API}/actions", content=pieces(), headers=headers)
                assert answer.status_code == 413
            except httpx.NetworkError:
                pass  # cut off while we were still writing
            assert (await client.get(f"{API}/session")).status_code == 200

    run(story, tmp_path)


def test_a_socket_of_another_origin_or_host_is_refused(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        cookie = f"ordertray_{page.port}={page.opened.access.session({'A'})}"
        url = f"ws://127.0.0.1:{page.port}{API}/live?view=A"
        foreign = f"ws://evil.example{API}/live?view=A"
        for address, headers in (
            (url, {"origin": "http://evil.example"}),
            (foreign, {"origin": "http://evil.example"}),
        ):
            with pytest.raises(InvalidStatus) as caught:
                async with connect(
                    address, host="127.0.0.1", port=page.port, additional_headers={"cookie": cookie, **headers}
                ):
                    pass
            assert caught.value.response.status_code == 403
        async with connect(url, additional_headers={"cookie": cookie, "origin": page.opened.base}) as socket:
            assert json.loads(await socket.recv())["type"] == "hello"

    run(story, tmp_path)


def test_a_seats_socket_is_closed_to_others_and_when_its_secret_is_renewed(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        for roles in ((), ("B",), ("table",)):
            with pytest.raises(ConnectionClosed) as caught:
                async with page.live("A", *roles) as live:
                    await live.next("state")
            assert caught.value.rcvd is not None and caught.value.rcvd.code == 4403
        async with page.live("A", "A") as live, page.client("table") as client:
            await live.next("state")
            await client.post(f"{API}/keys/renew", json={"role": "A"})
            with pytest.raises(ConnectionClosed):
                async with asyncio.timeout(patience(5)):
                    while True:
                        await live.next("beat")

    run(story, tmp_path)


@pytest.mark.parametrize("message", ["x", "[]", "{}", '{"drawn":"1"}', "9" * 9000])
def test_nonsense_on_a_socket_closes_that_socket_only(tmp_path: Path, message: str) -> None:
    async def story(page: Served) -> None:
        async with page.live() as other, page.live() as live:
            await live.next("state")
            await other.next("state")
            await live.socket.send(message)
            with pytest.raises(ConnectionClosed):
                async with asyncio.timeout(patience(5)):
                    while True:
                        await live.socket.recv()
            await page.play("A start")
            assert (await other.next("state"))["position"] == 1

    run(story, tmp_path)


def test_many_changes_in_a_row_are_slowed_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordertray.web.serving.guard.CHANGES_PER_S", 0.001)  # however slow this machine is today

    async def story(page: Served) -> None:
        async with page.client("A") as client:
            posts = (client.post(f"{API}/clock", json={"paused": False}) for _ in range(150))
            statuses = {answer.status_code for answer in await asyncio.gather(*posts)}
        assert statuses == {200, 429}

    run(story, tmp_path)


def test_ten_phones_of_one_address_open_their_pages_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a club's router or a proxy all have one address; no page may lack a file because others opened too."""
    monkeypatch.setattr("ordertray.web.serving.guard.REQUESTS_PER_S", 0.001)  # however long the opening takes here
    static = files("ordertray.web").joinpath("static").iterdir()
    names = [entry.name for entry in static if entry.name.endswith((".js", ".css"))]

    async def story(page: Served) -> None:
        async with page.client("A") as client:
            for _ in range(10):
                statuses = {(await client.get(f"/static/{name}")).status_code for name in names}
                assert statuses == {200} and (await client.get(f"{API}/state")).status_code == 200

    run(story, tmp_path)


def test_answers_carry_the_headers_that_keep_the_page_its_own(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        async with page.client() as client:
            for path in ("/", "/static/main.js", f"{API}/state", "/nothing"):
                headers = (await client.get(path)).headers
                assert "default-src 'none'" in headers["content-security-policy"]
                assert "unsafe" not in headers["content-security-policy"]
                assert headers["x-content-type-options"] == "nosniff"

    run(story, tmp_path)


def test_everything_is_open_on_loopback_only(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(tmp_path) as page:
            options = WebOptions(tmp_path, host="0.0.0.0", port=0, everything_open=True)
            with pytest.raises(WebError, match="loopback"):
                async with serving(page.service, options):
                    pass
            open_on_loopback = WebOptions(tmp_path, port=0, everything_open=True)
            async with serving(page.service, open_on_loopback) as opened, httpx.AsyncClient() as client:
                session = (await client.get(f"{opened.base}{API}/session")).json()
                assert session["roles"] == sorted(ROLES)

    finish(work())


def test_a_port_that_is_taken_is_told_and_the_usual_one_gives_way() -> None:
    first = bound_socket("127.0.0.1", 0)
    port = first.getsockname()[1]
    try:
        with pytest.raises(WebError, match="--http-port"):
            bound_socket("127.0.0.1", port)
        with bound_socket("127.0.0.1", None) as usual, bound_socket("127.0.0.1", None) as other:
            assert usual.getsockname()[1] != other.getsockname()[1]
    finally:
        first.close()
    with pytest.raises(WebError):
        bound_socket("192.0.2.77", 0)
    assert base_address("::1", 80) == "http://[::1]:80"


def test_links_keep_the_secret_where_browsers_do_not_send_it(tmp_path: Path) -> None:
    async def story(page: Served) -> None:
        for role in ROLES:
            base, _, fragment = page.opened.link(role).partition("#")
            assert base == f"{page.opened.base}/" and page.opened.access.keys.secrets[role] in fragment

    run(story, tmp_path)


def test_keys_that_cannot_be_kept_stop_the_page_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(KeysError):
        save_keys(new_keys(), tmp_path / "keys.json" / "below-a-file" / "x") if (
            (tmp_path / "keys.json").write_text("x")
        ) else None
