"""Many runs of the bad line, with printed counts: `python -m ordertray.sim.soak --runs 10000`.

Each run is one seed; a failing one is repeated alone with `--seed N --runs 1`. Every 200th run has the firmware's end
in the real MicroPython interpreter, every 100th writes into a real journal; 0 turns either off.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ordertray.journal import Draft, Journal, Tap
from ordertray_firmware import link

from .bad_line import FAULT_NAMES
from .far_end import Interpreter
from .faults import BOARD, MakeTray, World, story

STEPS = 30


class JournalLedger:
    """The harness's ledger on the real journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._game = journal.new_game(at_ms=0, edition="n5", options={}, armies={"A": "", "B": ""})
        self._numbers: list[int] = []

    def known(self, nonce: str, sequence: int) -> bool:
        """Whether this tap is in."""
        return self._journal.outcome(Tap(BOARD, nonce, sequence)) is not None

    def record(self, nonce: str, sequence: int, number: int) -> None:
        """Put a tap in, durably."""
        draft = Draft(number, f"A tap {number}", "A", [{"n": number}])
        self._journal.record(self._game, [draft], at_ms=number, tap=Tap(BOARD, nonce, sequence))
        self._numbers.append(number)

    def numbers(self) -> list[int]:
        """The taps in their order, as they were recorded."""
        return self._numbers

    def verify(self) -> None:
        """What is on disk is what was recorded."""
        found = [entry.position for entry in self._journal.entries(self._game)]
        if found != self._numbers:
            raise AssertionError(f"the journal holds {found}, recorded were {self._numbers}")


@contextlib.contextmanager
def _journal_ledger() -> Iterator[JournalLedger]:
    with tempfile.TemporaryDirectory() as folder, Journal.open(Path(folder) / "soak.db") as journal:
        yield JournalLedger(journal)


def run(
    seed: int, *, steps: int = STEPS, in_interpreter: bool = False, in_journal: bool = False
) -> tuple[Counter[str], str]:
    """One run; answers its counts and, if a promise was broken or an end raised, the traceback."""
    failure = ""
    with contextlib.ExitStack() as stack:
        make: MakeTray = stack.enter_context(Interpreter()).boot if in_interpreter else link.TrayEnd
        ledger = stack.enter_context(_journal_ledger()) if in_journal else None
        world = World(seed, make, ledger)
        try:
            story(world, steps)
            if ledger is not None:
                ledger.verify()
        except Exception:  # whatever it is, it is what we are here to find
            failure = traceback.format_exc()
    counts = world.counts
    recorded = world.ledger.numbers()
    acknowledged = [number for boot in world.boots for sequence, number in boot.taken if sequence <= boot.acknowledged]
    counts["runs"] += 1
    counts["failed"] += bool(failure)
    counts["taps"] += world.taps
    counts["recorded"] += len(recorded)
    counts["acknowledged"] += len(acknowledged)
    counts["lost"] += len(set(acknowledged) - set(recorded))
    counts["doubled"] += len(recorded) - len(set(recorded))
    counts["on MicroPython"] += in_interpreter
    counts["with a journal"] += in_journal
    return counts, failure


FAULTS = (
    *FAULT_NAMES,
    *("stall tray", "stall host", "reset board", "kill host", "unplug", "rename"),
)


def _task(task: tuple[int, int, bool, bool]) -> tuple[int, Counter[str], str]:
    seed, steps, in_interpreter, in_journal = task
    return seed, *run(seed, steps=steps, in_interpreter=in_interpreter, in_journal=in_journal)


def report(counts: Counter[str], seconds: float) -> str:
    """The counts in words."""
    faults = sum(counts[name] for name in FAULTS)
    lines = [
        f"{counts['runs']} runs ({counts['on MicroPython']} on MicroPython, {counts['with a journal']} with a journal) "
        f"in {seconds:.0f} s, {counts['failed']} failed",
        f"{faults} faults injected: " + ", ".join(f"{name} {counts[name]}" for name in FAULTS),
        f"{counts['taps']} taps: {counts['recorded']} recorded, {counts['acknowledged']} acknowledged, "
        f"{counts['refused']} visibly refused, {counts['recognised again']} delivered again and recognised",
        f"{counts['sessions']} sessions, {counts['lost sessions']} lost on the way",
        f"lost {counts['lost']}, doubled {counts['doubled']}",
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run and report; answers the exit status: 0 if every promise was kept, 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m ordertray.sim.soak", description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first run's seed")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--interpreter-every", type=int, default=200)
    parser.add_argument("--journal-every", type=int, default=100)
    options = parser.parse_args(arguments)

    def every(number: int, period: int) -> bool:
        return period > 0 and number % period == period // 2

    tasks = [
        (seed, options.steps, every(seed, options.interpreter_every), every(seed, options.journal_every))
        for seed in range(options.seed, options.seed + options.runs)
    ]
    began = time.monotonic()
    counts: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for number, (seed, found, failure) in enumerate(pool.imap_unordered(_task, tasks, chunksize=10), 1):
            counts.update(found)
            if failure:
                print(f"seed {seed} failed:\n{failure}", flush=True)
            if number % 1000 == 0:
                print(f"{number} of {len(tasks)} runs, {counts['failed']} failed", flush=True)
    print(report(counts, time.monotonic() - began))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
