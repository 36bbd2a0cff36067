"""What happens to a step when something around it fails or goes away: it is played as it was recorded, or refused."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordertray.games import store
from ordertray.journal import Journal, JournalError, JournalFullError
from ordertray.lights import render
from ordertray.rules import Seat, parse_action, public_view
from ordertray.service import table_service as service_module
from ordertray.table import Table
from ordertray.table.asking import asks_of
from ordertray.tokens.model import TokenKind
from patience import patience
from service.service_helpers import Bench, begun, bench_on

A, B = Seat


def run(work: Coroutine[Any, Any, None]) -> None:
    """One test's coroutine."""
    asyncio.run(asyncio.wait_for(work, patience(60)))


class SlowDisk:
    """Holds the journal's next commit until it is let go."""

    def __init__(self, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        record = journal.record

        def slow(*arguments: Any, **options: Any) -> Any:
            self.begun.set()
            assert self.go.wait(30)
            return record(*arguments, **options)

        monkeypatch.setattr(journal, "record", slow)


def recorded(bench: Bench) -> list[str]:
    """The actions on disk."""
    return [entry.action for entry in bench.journal.entries(bench.service.game_number)]


def agrees(bench: Bench) -> bool:
    """Whether the game that is played is the game on disk."""
    row = bench.journal.game(bench.service.game_number)
    return store.resume(bench.journal, row) == bench.service.table


def test_a_page_that_is_closed_while_its_step_is_written_leaves_record_and_game_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        disk = SlowDisk(bench.journal, monkeypatch)
        asking = asyncio.create_task(bench.service.act(parse_action("A start"), {"by": "page"}))
        assert await asyncio.to_thread(disk.begun.wait, patience(30))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        disk.go.set()
        await bench.service.on_event(bench.held(A, "ok"))  # waits for its turn
        assert recorded(bench)[0] == "A start"
        assert agrees(bench)

    run(work())


def test_a_clean_stop_waits_for_the_step_that_is_being_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        running = asyncio.create_task(bench.service.run())
        disk = SlowDisk(bench.journal, monkeypatch)
        tapping = asyncio.create_task(bench.service.on_event(bench.held(A, "ok")))
        assert await asyncio.to_thread(disk.begun.wait, patience(30))
        asyncio.get_running_loop().call_later(0.05, disk.go.set)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert tapping.done()
        assert recorded(bench) and agrees(bench)
        late = asyncio.create_task(bench.service.on_event(bench.held(A, "pass")))
        done, _ = await asyncio.wait([late], timeout=0.1)
        assert not done, "a tap after the end must not be acknowledged"
        late.cancel()

    run(work())


def test_a_touch_that_breaks_the_rules_program_is_refused_once_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        broken = bench.held(A, "ok")

        def breaks(table: Table, what: object) -> Any:
            raise ZeroDivisionError("staged")

        with monkeypatch.context() as staged:
            staged.setattr(service_module, "touch", breaks)
            await bench.service.on_event(broken)
        outcome = bench.notices[-1].outcome
        assert outcome is not None and outcome.refusal is not None and outcome.refusal.code == "fault"
        await bench.service.on_event(broken)  # delivered again: known, not judged again
        assert bench.game.position == 0
        await bench.service.on_event(bench.held(A, "ok"))
        assert bench.game.position > 0 and agrees(bench)

    run(work())


def test_a_watcher_that_fails_stops_neither_the_game_nor_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        bench.service._listeners.insert(0, lambda notice: 1 // 0)  # type: ignore[arg-type]
        await bench.service.on_event(bench.held(A, "ok"))
        assert bench.game.position > 0 and bench.notices[-1].what == "position"

    run(work())


def test_spent_discs_and_an_asked_consent_outlive_the_host(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        disc = bench.disc(A, TokenKind.REGULAR, 1)
        await bench.service.on_event(bench.placed(disc))
        spent = bench.game
        bench = bench.reopened(tmp_path / "r.sqlite3")
        bench.nonce = "00000002"
        await bench.service.on_event(bench.placed(disc))
        refused = bench.notices[-1].outcome
        assert refused is not None and refused.refusal is not None and refused.refusal.code == "disc-spent"
        bench = bench.reopened(tmp_path / "r.sqlite3")
        bench.nonce = "00000003"
        await bench.service.on_event(bench.held(B, "pass"))
        bench = bench.reopened(tmp_path / "r.sqlite3")
        bench.nonce = "00000004"
        assert bench.service.frame is not None and bench.service.frame.b[0].effect == "c"  # it is asked still
        assert bench.game == spent
        await bench.service.on_event(bench.pressed(A, "ok"))
        assert bench.game.state.order is None and bench.game.position > spent.position

    run(work())


def without_times(table: Table) -> Table:
    """The table as any clock may show it."""
    return replace(table, pending=tuple(replace(one, until_ms=None) for one in table.pending))


@pytest.mark.parametrize("kind", [TokenKind.STATE, TokenKind.TROOPER])
def test_a_first_touch_that_waits_for_a_second_outlives_the_host(tmp_path: Path, kind: TokenKind) -> None:
    """It was acknowledged, so it must count: the second touch means the same as without the cut."""

    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        await bench.service.on_event(bench.placed(bench.disc(A, kind)))
        waiting = bench.service.table
        assert waiting is not None and waiting.pending
        bench = bench.reopened(tmp_path / "r.sqlite3")
        bench.nonce = "00000002"
        resumed = bench.service.table
        assert resumed is not None and without_times(resumed) == without_times(waiting)
        second = TokenKind.TROOPER if kind is TokenKind.STATE else TokenKind.REGULAR
        await bench.service.on_event(bench.placed(bench.disc(A, second)))
        after = bench.service.table
        assert after is not None and not after.pending and after.game.position > waiting.game.position
        again = bench.reopened(tmp_path / "r.sqlite3").service.table
        assert again is not None and without_times(again) == without_times(after)

    run(work())


@pytest.mark.parametrize("game_on", [True, False])
def test_a_tap_that_comes_again_is_known_even_when_the_disk_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game_on: bool
) -> None:
    """Its answer is the one it had, not that it could not be written: else the player would do it again."""

    async def work() -> None:
        bench = (begun if game_on else bench_on)(tmp_path / "r.sqlite3")
        signals: list[tuple[str, str]] = []
        monkeypatch.setattr(bench.service, "_signal", lambda board, side, do: signals.append((side, do)))
        tap = bench.held(A, "ok")
        await bench.service.on_event(tap)
        notices = len(bench.notices)
        with monkeypatch.context() as staged:

            def full(*_: object, **__: object) -> None:
                raise JournalFullError("staged: no room")

            staged.setattr(bench.journal, "record", full)
            staged.setattr(bench.journal, "refuse", full)
            await bench.service.on_event(tap)
        await bench.service.on_event(tap)
        assert signals == [("A", "ok" if game_on else "refused")] * 3
        assert len(bench.journal.taps()) == 1 and len(bench.notices) == notices

    run(work())


def test_a_tap_in_the_record_whose_outcome_cannot_be_read_is_refused_not_played_again(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        tap = bench.held(A, "ok")
        await bench.service.on_event(tap)
        position, notices = bench.game.position, len(bench.notices)
        bench.journal._connection.execute("UPDATE taps SET mark = mark + 1")
        await bench.service.on_event(tap)
        assert bench.game.position == position
        assert len(bench.notices) == notices, "it is known for an old tap, not refused for the disk's sake"

    run(work())


def test_the_lamps_are_those_of_the_public_view_at_every_step(tmp_path: Path) -> None:
    """The service draws from less than the whole view, and not anew if nothing has changed."""

    async def work() -> None:
        bench, choose = begun(tmp_path / "r.sqlite3"), random.Random(5)
        assert bench.service.table is not None
        discs = [token.uid for token in bench.service.table.tokens]
        frames = set()
        for _ in range(150):
            seat = choose.choice((A, B))
            await bench.service.on_event(
                choose.choice(
                    (bench.held(seat, "ok"), bench.held(seat, "pass"), *[bench.placed(u, seat) for u in discs])
                )
            )
            asks = asks_of(bench.service.table)
            assert bench.service.frame == render(public_view(bench.game), bench.service.link_states(), asks)
            frames.add(bench.service.frame)
        assert len(frames) > 10

    run(work())


@pytest.mark.parametrize("game_on", [True, False])
def test_a_tap_that_the_disk_does_not_take_is_refused_not_held_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game_on: bool
) -> None:
    async def work() -> None:
        bench = (begun if game_on else bench_on)(tmp_path / "r.sqlite3")
        signals: list[tuple[str, str]] = []
        monkeypatch.setattr(bench.service, "_signal", lambda board, side, do: signals.append((side, do)))

        def full(*_: object, **__: object) -> None:
            raise JournalFullError("staged: no room")

        with monkeypatch.context() as staged:
            staged.setattr(bench.journal, "record", full)
            staged.setattr(bench.journal, "refuse", full)
            await bench.service.on_event(bench.held(A, "ok"))  # returns: it is acknowledged
        assert signals == [("A", "refused")]
        assert bench.journal.taps() == []

    run(work())


def test_a_record_that_the_rules_no_longer_read_is_told_and_left_alone(tmp_path: Path) -> None:
    bench = begun(tmp_path / "r.sqlite3")
    row = bench.journal.game(1)
    for seats in (
        {"pace": "hurried"}, {"tokens": {"A": "not = ["}}, {"tokens": 3}, {"waiting": 4},
        {"waiting": {"pending": [{"seat": "C"}]}},
    ):  # fmt: skip
        bench.journal.set_seats(1, {**row.seats, **seats})
        with pytest.raises(store.StoreError, match="game 1 cannot be resumed"):
            store.resume(bench.journal, bench.journal.game(1))
    bench.journal.set_seats(1, row.seats)
    assert store.resume(bench.journal, bench.journal.game(1)) == bench.service.table


def test_the_record_that_is_taken_away_under_the_service_refuses_every_tap(tmp_path: Path) -> None:
    """The worst of disks: each write fails for a reason nobody foresaw. The game stays where it is."""

    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        position = bench.game.position
        bench.journal._connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_INSERT else sqlite3.SQLITE_OK
        )
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        assert bench.game.position == position
        outcome = bench.notices[-1].outcome
        assert outcome is not None and outcome.refusal is not None and outcome.refusal.code == "no-record"
        bench.journal._connection.set_authorizer(None)
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        assert bench.game.position > position and agrees(bench)
        with pytest.raises(JournalError):
            bench.journal.game(99)

    run(work())
