"""The service: durable before acknowledged, never twice, and exactly where it was after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ordertray.games import store
from ordertray.journal import JournalReader
from ordertray.rules import Seat, actions, public_view
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from patience import patience
from service.service_helpers import BOARD, Bench, begun, bench_on

A, B = Seat


def run(work: Coroutine[Any, Any, None]) -> None:
    """One test's coroutine."""
    asyncio.run(asyncio.wait_for(work, patience(30)))


async def turn_with_two_orders(bench: Bench) -> None:
    await bench.service.on_event(bench.held(A, "ok"))
    for _ in range(2):
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))


def test_a_tap_is_on_disk_when_it_is_answered(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await turn_with_two_orders(bench)
        with JournalReader.open(tmp_path / "r.sqlite3") as reader:  # another connection: only what is committed
            recorded = [entry.action for entry in reader.entries(bench.service.game_number)]
        assert recorded[:4] == ["A start", "A next", "A next", "A next"]
        assert recorded.count("A spend regular g1") == 2

    run(work())


def test_a_restart_finds_game_undo_and_pace_exactly_as_they_were(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3", Pace.FULL)
        for _ in range(4):
            await bench.service.on_event(bench.held(A, "ok"))
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        before = bench.service.table
        after = bench.reopened(tmp_path / "r.sqlite3").service
        assert before is not None and after.table is not None
        assert after.table == before
        assert after.table.game.position == before.game.position
        await after.act(actions.Undo(), {"by": "page"})
        assert after.table.game.state.order is None

    run(work())


def test_touches_after_a_restart_do_not_join_those_before_it(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await turn_with_two_orders(bench)
        bench = bench.reopened(tmp_path / "r.sqlite3")
        bench.nonce = "00000002"
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 2)))
        before = bench.service.table
        bench = bench.reopened(tmp_path / "r.sqlite3")
        assert bench.service.table == before

    run(work())


def test_a_tap_delivered_again_is_not_played_again(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        tap = bench.placed(bench.disc(A, TokenKind.REGULAR, 1))
        await bench.service.on_event(tap)
        game = bench.game
        bench = bench.reopened(tmp_path / "r.sqlite3")  # the host died between commit and acknowledgement
        await bench.service.on_event(tap)
        assert bench.game == game and bench.game.position == game.position

    run(work())


def test_a_refused_tap_delivered_again_is_not_judged_again(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        early = bench.placed(bench.disc(A, TokenKind.REGULAR, 1))
        await bench.service.on_event(early)  # no turn is under way: refused, and the player saw it
        await bench.service.on_event(bench.held(A, "ok"))
        position = bench.game.position
        await bench.service.on_event(early)  # now it would be accepted
        assert bench.game.position == position

    run(work())


def test_what_cannot_be_written_is_visibly_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        pages = bench.journal._connection.execute("PRAGMA page_count").fetchone()[0]
        bench.journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        for number in count():  # a few entries still fit in the pages there are
            position = bench.game.position
            make = actions.ClearState if number % 2 else actions.RecordState
            if not (await bench.service.act(make(A, A, "r1-1", "prone"), {"by": "page"})).accepted:
                break
        outcome = bench.notices[-1].outcome
        assert outcome is not None and outcome.refusal is not None and outcome.refusal.code == "no-record"
        assert bench.game.position == position
        bench.journal._connection.execute("PRAGMA max_page_count = 1073741823")
        again = bench.reopened(tmp_path / "r.sqlite3")
        assert again.game.position == position

    run(work())


def test_without_a_game_taps_are_refused_and_remembered(tmp_path: Path) -> None:
    async def work() -> None:
        bench = bench_on(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.placed("04AABBCCDDEEFF"))
        ((_, outcome),) = bench.journal.taps()
        assert outcome["ok"] is False

    run(work())


@pytest.mark.parametrize("why", ["two-tags", "phone", "unreadable", "checksum"])
def test_what_the_pad_could_not_read_is_told_and_changes_nothing(tmp_path: Path, why: str) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.on_event(bench.event(e="refused", pad="B", why=why))
        outcome = bench.notices[-1].outcome
        assert outcome is not None and outcome.refusal is not None
        assert (outcome.refusal.rule, outcome.refusal.code, outcome.side) == ("TRAY", why, B)
        assert bench.game.position == 0

    run(work())


def test_the_end_of_the_battle_closes_the_record_and_undo_opens_it_again(tmp_path: Path) -> None:
    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await bench.service.act(actions.SetOption("rounds", "1"), {"by": "page"})
        for _ in range(12):  # orders are left, and the other side has its moments: some turns are ended twice or more
            view = public_view(bench.game)
            if not view["over"]:
                await bench.service.on_event(bench.held(Seat(view["active"] or view["to_start"]), "ok"))
        assert public_view(bench.game)["over"] == "rounds"
        assert bench.journal.open_game() is None
        await bench.service.on_event(bench.held(B, "pass"))
        assert public_view(bench.game)["over"] is False
        bench = bench.reopened(tmp_path / "r.sqlite3")
        assert bench.game.state.active is B

    run(work())


def test_the_script_of_a_recorded_game_replays_it(tmp_path: Path) -> None:
    from ordertray.rules import parse_action, play

    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await turn_with_two_orders(bench)
        await bench.service.on_event(bench.held(A, "pass"))
        row = bench.journal.game(bench.service.game_number)
        game = store.first_position(row)
        for line in store.script_of(bench.journal, row).splitlines():
            if not line.startswith("#"):
                outcome = play(game, parse_action(line))
                assert isinstance(outcome, tuple)
                game = outcome[0]
        assert game == bench.game

    run(work())


def test_a_record_that_knows_less_than_the_tray_was_told_says_so(tmp_path: Path) -> None:
    """The last guard: a card that lost everything written lately, the count beside the record too."""

    async def work() -> None:
        bench = begun(tmp_path / "r.sqlite3")
        await turn_with_two_orders(bench)
        board, nonce = BOARD, bench.nonce
        await bench.service.on_event(bench.event(e="removed", pad="A"))  # no touch, and acknowledged all the same
        told = bench.service.journal.last_told
        await bench.service._writer.call(lambda: None)
        assert told(board, nonce) == 4
        await bench.service._compare(board, nonce, 4)
        assert bench.service.doubts == []
        await bench.service._compare(board, "another", 9)  # of that boot nothing is known
        assert bench.service.doubts == []
        await bench.service._compare(board, nonce, 7)
        assert "up to 3 touches may be missing" in bench.service.doubts[0]
        assert len(bench.journal.doubts(bench.service.game_number)) == 1
        await bench.service._compare(board, nonce, 7)  # told once
        assert len(bench.service.doubts) == 1

    run(work())
