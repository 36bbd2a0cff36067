"""Enrolment end to end: discs on the virtual tray's pads, the real firmware, the serial link, the registry on disk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ordertray.link import BoardSpec, NoAnswerError, TrayEvent, TrayLink
from ordertray.sim import VirtualTray
from ordertray.tokens.enrolment import begin
from ordertray.tokens.exchange import Answer, Pause, Placed, Refused, Removed, Skip, Snapshot, Undo
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.ndef import role_in
from ordertray.tokens.registry import TokenRegistry, load_registry
from ordertray.tokens.runner import EnrolmentRunner, answer_of, event_of, snapshot_of
from ordertray.tokens.store import TokenStore
from ordertray.tokens.virtual import virtual_uid

ROLES = (Role(TokenKind.REGULAR, 1, 1), Role(TokenKind.LIEUTENANT, None, 1), Role(TokenKind.TROOPER, 2, None, "nomad"))
UIDS = [virtual_uid(f"end to end {number}") for number in range(6)]
DEADLINE_S = 20.0


class Enrolling:
    """An enrolment under way at a virtual tray, and the hand that lays discs down."""

    def __init__(
        self,
        tray: VirtualTray,
        runner: EnrolmentRunner,
        link: TrayLink,
        said: list[str],
        events: list[Mapping[str, Any]],
    ) -> None:
        self.tray = tray
        self.runner = runner
        self.link = link
        self.said = said
        self.events = events

    async def until(self, what: str) -> None:
        """Wait until the player is told this; forget all up to it."""
        await self.tray.wait_for_async(lambda: any(what in text for text in self.said), DEADLINE_S, f"told {what!r}")
        place = next(index for index, text in enumerate(self.said) if what in text)
        del self.said[: place + 1]

    async def lay(self, uid: str, told: str, pad: str = "A", **tag: Any) -> None:
        """Lay a disc down, wait for what is told, take it off again."""
        self.tray.place(pad, uid, **tag)
        await self.until(told)
        self.tray.remove(pad)
        await self.tray.wait_for_async(lambda: pad not in self.runner.state.lying, DEADLINE_S, f"{pad} free")


@contextlib.asynccontextmanager
async def enrolling(store: TokenStore, *, write: bool) -> AsyncIterator[Enrolling]:
    """Ana enrols on pad A of a virtual tray; Ben has a disc already."""
    said: list[str] = []
    begun = begin("Ana", "A", ROLES, store.load("Ana"), store.others("Ana"), write_records=write)
    runner = EnrolmentRunner(begun, store.save, lambda say: said.append(say.text()))
    events: list[Mapping[str, Any]] = []

    async def on_event(event: TrayEvent) -> None:
        await runner.on_event(event)
        events.append(event.body)

    async with VirtualTray() as tray:
        link = TrayLink(BoardSpec("virtual", url=tray.url), on_event, on_snapshot=runner.on_snapshot)
        running = asyncio.create_task(link.run())
        try:
            await asyncio.wait_for(link.wait_online(), DEADLINE_S)
            runner.start(link)
            yield Enrolling(tray, runner, link, said, events)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


def test_a_set_of_discs_is_enrolled_written_and_saved(tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    store.save(TokenRegistry([Token(UIDS[5], Role(TokenKind.COMMAND, None, 1), "Ben")], "Ben"))

    async def play() -> None:
        async with enrolling(store, write=True) as at:
            await at.until("lay on pad A: Regular, group 1, number 1")
            await at.tray.wait_for_async(lambda: at.tray.colours("A")[0] == "g", DEADLINE_S, "the pixel that asks")
            await at.lay(UIDS[5], "this disc belongs to Ben (Command, number 1)")
            await at.lay("08A1B2C3", "this is a phone", tag="phone")
            await at.lay(UIDS[4], "lay the disc on pad A", pad="B")
            await at.lay(UIDS[0], "Regular, group 1, number 1: done")
            assert load_registry(store.path("Ana")).get(UIDS[0]) == Token(UIDS[0], ROLES[0], "Ana")
            await at.lay(UIDS[0], "this disc is Regular, group 1, number 1 already")
            await at.tray.wait_for_async(lambda: at.tray.colours("A")[10] == "p", DEADLINE_S, "the Lieutenant's pixel")
            # The record is on the disc, as any reader finds it.
            at.tray.place("B", UIDS[0])
            await at.until("lay the disc on pad A")
            answer = answer_of(await at.link.command({"c": "ndef-read", "pad": "B"}))
            assert answer.ok and role_in(answer.message) == ROLES[0]
            at.tray.remove("B")
            await at.lay(UIDS[1], "Lieutenant, number 1: done", tag="ntag215")
            at.tray.press("A", "pass")
            await at.until("taken back: Lieutenant, number 1")
            at.tray.release("A", "pass")
            await at.tray.wait_for_async(lambda: at.events[-1].get("edge") == "up", DEADLINE_S, "PASS let go")
            at.tray.click("A", "pass")
            await at.until("stick a tag to it and lay it on pad A: Trooper, nomad, group 2")
            at.tray.click("A", "ok")
            await at.until("paused after 1 of 3 discs")
            await at.lay(UIDS[2], "enrolling is paused")
            at.tray.click("A", "ok")
            await at.until("stick a tag")
            await at.lay(UIDS[2], "Trooper, nomad, group 2: done")
            await at.lay(UIDS[3], "all 3 discs are enrolled")
            assert at.runner.over.is_set()

    asyncio.run(play())
    found = load_registry(store.path("Ana"))
    assert [(token.uid, token.role) for token in found] == [
        (UIDS[0], ROLES[0]),
        (UIDS[2], ROLES[2]),
        (UIDS[3], ROLES[1]),
    ]


def test_enrolling_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = TokenStore(tmp_path)

    async def first() -> None:
        async with enrolling(store, write=False) as at:
            await at.lay(UIDS[0], "Regular, group 1, number 1: done")

    async def second() -> None:
        async with enrolling(store, write=False) as at:
            await at.until("lay on pad A: Lieutenant, number 1")
            await at.lay(UIDS[1], "Lieutenant, number 1: done")

    asyncio.run(first())
    asyncio.run(second())
    assert [token.role for token in store.load("Ana")] == list(ROLES[:2])


@pytest.mark.parametrize(
    ("body", "event"),
    [
        ({"e": "placed", "pad": "B", "uid": "04", "tag": "ntag213"}, Placed("B", "04")),
        ({"e": "removed", "pad": "A", "uid": "04"}, Removed("A")),
        ({"e": "refused", "pad": "A", "why": "phone"}, Refused("A", "phone")),
        ({"e": "button", "side": "A", "button": "pass", "edge": "up"}, Skip()),
        ({"e": "button", "side": "A", "button": "pass", "edge": "up", "held": True}, None),
        ({"e": "button", "side": "A", "button": "pass", "edge": "hold"}, Undo()),
        ({"e": "button", "side": "A", "button": "ok", "edge": "up"}, Pause()),
        ({"e": "button", "side": "A", "button": "ok", "edge": "down"}, None),
        ({"e": "button", "side": "B", "button": "ok", "edge": "up"}, None),
        ({"e": "button", "side": "A", "button": "aro", "edge": "up"}, None),
        ({"e": "placed", "pad": "A", "uid": None}, None),
        ({"e": "of another version"}, None),
        ({}, None),
    ],
)
def test_a_trays_events_as_enrolment_takes_them(body: dict[str, Any], event: object) -> None:
    assert event_of(body, "A") == event


def test_snapshots_and_answers_as_enrolment_takes_them() -> None:
    assert snapshot_of({"pads": {"A": {"uid": "04", "tag": "x"}, "B": None}}) == Snapshot({"A": "04"})
    assert snapshot_of({"pads": 7}) == snapshot_of({}) == Snapshot({})
    assert answer_of({"ok": True, "uid": "04", "ndef": "D101"}) == Answer(True, "", "04", b"\xd1\x01")
    assert answer_of({"ok": False, "why": "locked", "uid": None}) == Answer(False, "locked")
    assert answer_of({"ok": True, "ndef": "xyz"}) == Answer(False, "unreadable")


class FakeTray:
    """A tray that never answers."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def show(self, strips: Any) -> None:
        """Keep it."""
        self.shown.append(strips)

    def feedback(self, side: str, do: str) -> bool:
        """Nothing to do."""
        return True

    async def command(self, body: Any) -> dict[str, Any]:
        """The time is up at once."""
        raise NoAnswerError("no answer")


def event(**body: Any) -> TrayEvent:
    """An event of a tray."""
    return TrayEvent("board", "nonce", 1, body)


def test_a_full_disk_changes_nothing_and_ends_with_the_reason() -> None:
    def full(_registry: TokenRegistry) -> None:
        raise OSError(28, "No space left on device")

    async def play() -> EnrolmentRunner:
        runner = EnrolmentRunner(begin("Ana", "A", ROLES, TokenRegistry(owner="Ana")), full, lambda _say: None)
        runner.start(FakeTray())
        await runner.on_event(event(e="placed", pad="A", uid=UIDS[0]))
        return runner

    runner = asyncio.run(play())
    assert runner.over.is_set() and runner.failed is not None and runner.failed.strerror == "No space left on device"
    assert len(runner.state.registry) == 0 and runner.state.asked == ROLES[0]


def test_a_tray_that_does_not_answer_asks_for_the_disc_again() -> None:
    said: list[str] = []

    async def play() -> None:
        told = asyncio.Event()

        def say(something: Any) -> None:
            said.append(something.text())
            if "long enough" in said[-1]:
                told.set()

        begun = begin("Ana", "A", ROLES, TokenRegistry(owner="Ana"), write_records=True)
        runner = EnrolmentRunner(begun, lambda _registry: None, say)
        runner.start(FakeTray())
        await runner.on_event(event(e="placed", pad="A", uid=UIDS[0]))
        await asyncio.wait_for(told.wait(), DEADLINE_S)
        assert runner.state.writing is None and runner.state.asked == ROLES[0]

    asyncio.run(play())
