"""The record cut short, the disk full, seen from the game: it ends at the last acknowledged tap or later."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from commands.cli_helpers import COMMAND, environment, ordertray
from commands.test_run_command import bright, disc, service
from ordertray.games import store
from ordertray.journal import Journal, JournalReader
from ordertray.rules import Seat
from ordertray.table import Table
from ordertray.tokens.model import TokenKind
from patience import patience
from service.service_helpers import Bench, begun
from soak.wire_tap import HeardTray

A, B = Seat
WAL_HEADER = 32
WAL_FRAME = 24 + 4096


async def a_lively_turn(bench: Bench) -> None:
    """Taps of every kind: orders, reactions, refusals, first touches that wait, undo, the other turn."""
    for do in (
        bench.held(A, "ok"),
        bench.placed(bench.disc(A, TokenKind.REGULAR, 1)),
        bench.placed(bench.disc(B, TokenKind.TROOPER), B),
        bench.placed(bench.disc(A, TokenKind.STATE)),
        bench.placed(bench.disc(A, TokenKind.TROOPER)),
        bench.placed("04AABBCCDDEEFF"),
        bench.placed(bench.disc(A, TokenKind.REGULAR, 2)),
        bench.event(e="button", side="B", button="pass", edge="up"),
        bench.held(A, "pass"),
        bench.placed(bench.disc(A, TokenKind.REGULAR, 1)),
        bench.event(e="refused", pad="A", why="two-tags"),
        bench.held(A, "ok"),
        bench.held(B, "ok"),
        bench.placed(bench.disc(B, TokenKind.REGULAR, 1), B),
    ):
        await bench.service.on_event(do)


def test_the_log_cut_at_every_page_gives_the_game_of_the_last_acknowledged_tap(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite3"
    wal = path.with_name(path.name + "-wal")
    bench = begun(path)
    after: list[tuple[int, Table | None]] = [(wal.stat().st_size, bench.service.table)]
    on_touch = bench.service._on_touch

    async def noting(*arguments: object) -> None:
        await on_touch(*arguments)  # type: ignore[arg-type]
        after.append((wal.stat().st_size, bench.service.table))

    bench.service._on_touch = noting  # type: ignore[method-assign, assignment]
    # All of it in the log: as it is when the disk is slow and nothing has been written into the database yet.
    bench.journal.seal = lambda: None  # type: ignore[method-assign]
    bench.journal._connection.execute("PRAGMA wal_autocheckpoint = 0")
    asyncio.run(a_lively_turn(bench))
    assert all(size < later for (size, _), (later, _) in pairwise(after)), "each tap is a commit of its own"
    end = wal.stat().st_size
    tables = 0
    for cut in range(after[0][0], end + 1, WAL_FRAME):
        folder = tmp_path / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(path, folder / path.name)
        (folder / wal.name).write_bytes(wal.read_bytes()[:cut])
        wanted = [table for size, table in after if size <= cut][-1]
        with Journal.open(folder / path.name) as journal:
            assert store.resume(journal, journal.game(1)) == wanted, cut
        tables += 1
    assert tables > len(after)
    bench.journal.close()


#: A file system of its own with little room: in a name space, so that it needs no rights and leaves nothing behind.
SMALL_DISK = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'


def in_a_small_disk(folder: Path) -> list[str]:
    """The beginning of a command that runs with an empty 4 MB disk mounted on `folder`. Skips where that may not be."""
    command = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--user", "--map-root-user"])]
    command += ["sh", "-c", SMALL_DISK, str(folder)]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, text=True, timeout=patience(30), check=False)
        why = done.stderr.strip() if done.returncode else ""
    except OSError as error:
        why = str(error)
    if why:
        pytest.skip(f"this user may not mount a small disk (the next test does without): {why}")
    return command


def without_log(record: Path) -> None:
    """Empty the log into the database: what room it has would take some more steps."""
    with contextlib.closing(sqlite3.connect(record)) as connection:
        connection.execute("SELECT count(*) FROM games").fetchone()  # it knows of the log only when it has read
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)


def test_a_disk_that_is_really_full_refuses_taps_visibly_and_the_game_goes_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    """The real service on a file system that somebody else fills to the last byte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [*in_a_small_disk(disk), *COMMAND]
    with HeardTray() as tray, (tmp_path / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*command, "run", "--no-web", "--port", tray.url, "--quick", "10", "4"],
            stdout=log, stderr=log, env=environment(disk),
        )  # fmt: skip
        try:
            inside = Path(f"/proc/{process.pid}/root{disk}")

            def copied() -> list[str]:
                """The actions in a copy of the record as it lies there, every row of it whole."""
                kept = tmp_path / "copy"
                shutil.rmtree(kept, ignore_errors=True)
                kept.mkdir()
                for name in ("record.sqlite3", "record.sqlite3-wal"):
                    shutil.copy(inside / name, kept)
                with Journal.open(kept / "record.sqlite3") as journal:
                    journal.verify()
                    return [entry.action for entry in journal.entries(1)]

            def lay(number: int) -> None:
                tray.remove("A")
                tray.place("A", disc("A", number))

            tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
            tray.hold("A", "ok")
            tray.wait_for(lambda: bright(tray) == 10, 30, "ten orders")
            lay(1)
            tray.wait_for(lambda: bright(tray) == 9, 30, "nine orders")
            tray.wait_for(lambda: tray.tone_hz == 0 and tray.wire.quiet, 30, "silence")
            refused, left, number = 0, 9, 1
            while refused < 2:
                before, refusals, number = copied(), tray.refusals, number + 1
                assert number < 10, "the disk takes everything"
                # To the last byte, again and again: the log's own room is soon used up, and what it gives up is taken.
                with pytest.raises(OSError, match="No space left"), (inside / "hog").open("ab", buffering=0) as hog:
                    while True:
                        hog.write(bytes(4096))
                lay(number)
                tray.wait_for(lambda: tray.refusals > refusals or bright(tray) == left - 1, 30, "an answer")  # noqa: B023
                tray.wait_for(lambda: tray.tone_hz == 0 and tray.wire.quiet, 30, "silence")
                assert process.poll() is None
                if tray.refusals > refusals:
                    refused += 1
                    assert copied() == before
                    tray.wait_for(lambda: bright(tray) == left, 30, "the same orders, after the red blink")  # noqa: B023
                else:
                    left -= 1
            (inside / "hog").unlink()
            lay(10)
            tray.wait_for(lambda: bright(tray) == left - 1, 30, "one order less")
            tray.wait_for(lambda: tray.wire.quiet, 30, "quiet")
            after = copied()
        finally:
            process.kill()
            process.wait(patience(20))
    spent = "A spend regular g1"
    assert after[: len(before)] == before and after.count(spent) == before.count(spent) + 1
    told = (tmp_path / "log.txt").read_text()
    assert "database or disk is full" in told and "make room on the disk" in told and "Traceback" not in told


def test_a_full_disk_refuses_taps_visibly_and_the_game_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """The real service, whose files may suddenly grow no more."""
    record = tmp_path / "record.sqlite3"
    with HeardTray() as tray, service(tmp_path, tray, "--quick", "10", "4") as process:

        def recorded() -> list[str]:
            with JournalReader.open(record) as reader:
                return [entry.action for entry in reader.entries(1)]

        def lay(number: int) -> None:
            tray.remove("A")
            tray.place("A", disc("A", number))

        tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
        tray.hold("A", "ok")
        tray.wait_for(lambda: bright(tray) == 10, 30, "ten orders")
        lay(1)
        tray.wait_for(lambda: bright(tray) == 9, 30, "nine orders")
        tray.wait_for(lambda: tray.tone_hz == 0 and tray.wire.quiet, 30, "silence")
        before = recorded()
        without_log(record)
        size = 6000  # of the log and of what the service says: not room for a step
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, hard))
        for number in (2, 3):
            refusals = tray.refusals
            lay(number)
            tray.wait_for(lambda refusals=refusals: tray.refusals > refusals, 30, "the low tone of a refusal")  # type: ignore[misc]
            tray.wait_for(lambda: tray.tone_hz == 0 and tray.wire.quiet, 30, "silence")
            assert recorded() == before and process.poll() is None
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        lay(4)
        tray.wait_for(lambda: bright(tray) == 8, 30, "eight orders")
        log = (tmp_path / "log.txt").read_text()
        assert "make room on the disk" in log and "Traceback" not in log
    after = recorded()
    assert after[: len(before)] == before and after.count("A spend regular g1") == 2
    assert "all whole" in ordertray(tmp_path, "record", "check")
