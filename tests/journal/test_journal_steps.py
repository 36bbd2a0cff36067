"""What is recorded is read back; a step is whole or not there; a tap counts once."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from journal.journal_files import ARMIES, AT_MS, BOARD, drafts, filled, new_game, step, tap
from ordertray.journal import (
    AlreadyRecordedError,
    Draft,
    Journal,
    JournalError,
    JournalLockedError,
    JournalReader,
    Tap,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records" / "ordertray.db"


def test_what_was_recorded_is_read_back_after_reopening(path: Path) -> None:
    with Journal.open(path) as journal:
        assert journal.games() == [] and journal.open_game() is None
        game = new_game(journal)
        written = [entry for number in range(1, 6) for entry in step(journal, game, number, size=number % 3 + 1)]
        assert [entry.number for entry in written] == list(range(1, len(written) + 1))
    with Journal.open(path) as journal:
        row = journal.open_game()
        assert row is not None
        assert (row.id, row.edition, row.options, row.armies) == (game, "n5", {"rounds": 3}, ARMIES)
        assert (row.started_ms, row.seats, row.entries) == (AT_MS, {"A": {"pad": "A"}}, len(written))
        assert list(journal.entries(game)) == written
        assert list(journal.entries(game, after=4)) == written[4:]
        assert journal.last_number(game) == len(written)
        # And it goes on where it was.
        (entry,) = step(journal, game, 6)
        assert entry.number == len(written) + 1
        assert journal.verify() == len(written) + 1


def test_a_tap_counts_once(path: Path) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        assert journal.outcome(tap(1)) is None
        journal.record(game, drafts(1), at_ms=AT_MS, tap=tap(1), outcome={"ok": True, "entries": 1})
        journal.record(game, [], at_ms=AT_MS, tap=tap(2), outcome={"ok": False, "rule": "ACT-07"})
        journal.refuse(tap(3), {"ok": False, "why": "unknown tag"}, at_ms=AT_MS)
        before = list(journal.entries(game))
        for number in (1, 2, 3):
            with pytest.raises(AlreadyRecordedError, match=f"tap {number} of boot 9f3c01aa of board {BOARD}"):
                journal.record(game, drafts(9), at_ms=AT_MS, tap=tap(number))
            with pytest.raises(AlreadyRecordedError):
                journal.refuse(tap(number), {}, at_ms=AT_MS)
        assert list(journal.entries(game)) == before
        # The same number of another boot, or of another board, is another tap.
        journal.record(game, drafts(2), at_ms=AT_MS, tap=tap(1, nonce="00000002"))
        journal.record(game, drafts(3), at_ms=AT_MS, tap=Tap("OTHER", "9f3c01aa", 1))
        assert len(list(journal.entries(game))) == len(before) + 2
    with JournalReader.open(path) as reader:
        assert reader.outcome(tap(1)) == {"ok": True, "entries": 1}
        assert reader.outcome(tap(2)) == {"ok": False, "rule": "ACT-07"}
        assert reader.outcome(tap(3)) == {"ok": False, "why": "unknown tag"}


@pytest.mark.parametrize("bad", [{1, 2}, math.nan, b"bytes"])
def test_what_is_no_json_leaves_nothing_of_its_step(path: Path, bad: object) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        with pytest.raises((TypeError, ValueError)):
            journal.record(game, [*drafts(1), Draft(2, "A next", "A", [bad])], at_ms=AT_MS, tap=tap(1))
        with pytest.raises((TypeError, ValueError)):
            journal.record(game, drafts(1), at_ms=AT_MS, tap=tap(1), outcome={"why": bad})
        with pytest.raises((TypeError, ValueError)):
            journal.refuse(tap(1), {"why": bad}, at_ms=AT_MS)
        assert list(journal.entries(game)) == [] and journal.outcome(tap(1)) is None
        assert step(journal, game, 1)[0].number == 1


def test_a_step_and_the_seats_are_one_commit(path: Path) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        journal.record(game, drafts(1), at_ms=AT_MS, tap=tap(1), seats={"A": {"pace": "full"}})
        with pytest.raises(AlreadyRecordedError):
            journal.record(game, drafts(2), at_ms=AT_MS, tap=tap(1), seats={"A": {"pace": "express"}})
        assert journal.game(game).seats == {"A": {"pace": "full"}}
        journal.set_seats(game, {"B": {}})
        assert journal.game(game).seats == {"B": {}}


def test_a_game_ends_and_the_next_one_is_resumed(path: Path) -> None:
    with Journal.open(path) as journal:
        first, second = new_game(journal), new_game(journal, AT_MS + 5)
        assert journal.open_game() == journal.game(second)
        journal.end_game(second, {"over": "rounds"}, at_ms=AT_MS + 9)
        assert journal.open_game() == journal.game(first)
        assert (journal.game(second).ended_ms, journal.game(second).result) == (AT_MS + 9, {"over": "rounds"})
        journal.reopen_game(second)
        assert journal.open_game() == journal.game(second)
        assert (journal.game(second).ended_ms, journal.game(second).result) == (None, None)


def test_a_step_that_ends_the_game_or_takes_its_end_back_is_one_commit(path: Path) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        journal.record(game, drafts(1), at_ms=AT_MS + 1, tap=tap(1), result={"over": "rounds"})
        assert (journal.game(game).ended_ms, journal.game(game).result) == (AT_MS + 1, {"over": "rounds"})
        for again in ({"reopen": True}, {"result": {"over": "other"}}):
            with pytest.raises(AlreadyRecordedError):
                journal.record(game, drafts(2), at_ms=AT_MS + 2, tap=tap(1), **again)
            assert journal.game(game).result == {"over": "rounds"}
        journal.record(game, drafts(2), at_ms=AT_MS + 2, tap=tap(2), reopen=True)
        assert (journal.game(game).ended_ms, journal.game(game).result) == (None, None)
        assert journal.verify() == 2


def test_a_game_that_is_not_there(path: Path) -> None:
    with Journal.open(path) as journal:
        for attempt in (
            lambda: journal.game(7),
            lambda: journal.record(7, drafts(1), at_ms=AT_MS, tap=tap(1)),
            lambda: journal.set_seats(7, {}),
            lambda: journal.end_game(7, {}, at_ms=AT_MS),
            lambda: journal.reopen_game(7),
        ):
            with pytest.raises(JournalError, match="has no game 7"):
                attempt()
        assert journal.outcome(tap(1)) is None


def test_the_second_writer_is_told_who_the_first_is(path: Path) -> None:
    script = """
        import sys
        from ordertray.journal import Journal
        journal = Journal.open(sys.argv[1])
        print("held", flush=True)
        sys.stdin.read()
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None and holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(JournalLockedError, match=rf"written to by process {holder.pid} \(.*\) since 20\d\d-"):
            Journal.open(path)
        with JournalReader.open(path) as reader:  # reading is free
            assert reader.games() == []
        holder.kill()
        holder.wait()
    Journal.open(path).close()  # a lock does not outlive its process


def test_a_second_writer_in_the_same_process_is_refused_too(path: Path) -> None:
    with Journal.open(path), pytest.raises(JournalLockedError):
        Journal.open(path)
    Journal.open(path).close()


def test_many_readers_while_a_game_is_written(path: Path) -> None:
    """Each reader sees whole steps only, in order, and never fewer than it saw before."""
    steps, size = 120, 3
    with Journal.open(path) as journal:
        game = new_game(journal)
        done = threading.Event()
        faults: list[str] = []
        seen = [0] * 4

        def read(which: int) -> None:
            with JournalReader.open(path) as reader:
                while True:
                    last = done.is_set()
                    entries = list(reader.entries(game))
                    if len(entries) % size or len(entries) < seen[which]:
                        faults.append(f"{len(entries)} after {seen[which]}")
                    if len(reader.taps()) * size < len(entries):
                        faults.append("entries without their tap")
                    seen[which] = len(entries)
                    if last:
                        return

        readers = [threading.Thread(target=read, args=(which,)) for which in range(len(seen))]
        for thread in readers:
            thread.start()
        for number in range(1, steps + 1):
            step(journal, game, number, size)
        done.set()
        for thread in readers:
            thread.join()
        assert faults == []
        assert seen == [steps * size] * len(seen)


def test_writers_of_several_threads_wait_for_one_another(path: Path) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        threads = [
            threading.Thread(target=lambda first=first: [step(journal, game, first + i) for i in range(20)])
            for first in (100, 200, 300)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        entries = list(journal.entries(game))
        assert [entry.number for entry in entries] == list(range(1, 61))


def test_a_follower_sees_that_something_changed(path: Path) -> None:
    with Journal.open(path) as journal:
        game = new_game(journal)
        with JournalReader.open(path) as reader:
            before = reader.changes()
            assert reader.changes() == before
            step(journal, game, 1)
            assert reader.changes() != before


def test_reading_what_is_not_there_yet(path: Path) -> None:
    with pytest.raises(JournalError, match="no record yet"):
        JournalReader.open(path)
    assert not path.parent.exists()


def test_closing_twice_and_reading_after(path: Path) -> None:
    filled(path, 1)
    reader = JournalReader.open(path)
    reader.close()
    reader.close()
    with pytest.raises(JournalError):
        reader.games()
