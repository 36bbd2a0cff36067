"""`kill -9` of a process that writes, at moments it does not choose: what it said was recorded is recorded, once."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from pathlib import Path

from journal.journal_files import BOARD
from ordertray.journal import Journal, Tap

CYCLES = 25
# Takes up where the record ends, as a service would: each tap is judged, recorded, and only then said to be done.
WRITER = """
    import sys
    sys.path.insert(0, sys.argv[2])
    from journal.journal_files import drafts, tap, AT_MS
    from ordertray.journal import AlreadyRecordedError, Journal
    journal = Journal.open(sys.argv[1])
    row = journal.open_game()
    game = row.id if row else journal.new_game(at_ms=AT_MS, edition="n5", options={}, armies={"A": "", "B": ""})
    number = journal.last_number(game) // 3
    if number:  # the tray delivers the last tap again: it has not heard that it was recorded
        try:
            journal.record(game, drafts(number, 3), at_ms=AT_MS, tap=tap(number))
            print("doubled", flush=True)
        except AlreadyRecordedError:
            pass
    while True:
        number += 1
        journal.record(game, drafts(number, 3), at_ms=AT_MS, tap=tap(number))
        print(number, flush=True)
"""


def test_killed_again_and_again_while_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    rng = random.Random(4)
    acknowledged = 0
    for _ in range(CYCLES):
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(Path(__file__).parents[1])],
            stdout=subprocess.PIPE,
            text=True,
        ) as writer:
            assert writer.stdout is not None
            for _ in range(rng.randrange(1, 60)):
                said = writer.stdout.readline().strip()
                assert said.isdigit(), said
                acknowledged = int(said)
            writer.kill()
            # What was in the pipe had been said before the kill.
            for said in writer.stdout.read().split("\n")[:-1]:
                acknowledged = int(said)
        with Journal.open(path) as journal:
            entries = list(journal.entries(1))
            assert len(entries) % 3 == 0
            steps = len(entries) // 3
            assert acknowledged <= steps <= acknowledged + 1
            positions = [10 * n + part for n in range(1, steps + 1) for part in range(3)]
            assert [entry.position for entry in entries] == positions
            assert [tap for tap, _ in journal.taps()] == [Tap(BOARD, "9f3c01aa", n) for n in range(1, steps + 1)]
    assert acknowledged > 10 * CYCLES
