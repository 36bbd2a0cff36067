"""`make mutants`: what share of small changes to the code a room's own tests notice.

    make mutants                                  the four rooms that promise a share, 40 changes each
    make mutants ROOMS=table ARGS='--sample 100'  one room, a larger sample
    make mutants ROOMS=rules ARGS='--seed 7'      another sample; the same seed draws the same changes
    make mutants ROOMS=rules ARGS='--at rules/evolving.py:120'   every change at that line
    make mutants ROOMS=table ARGS='--all'         every change there is (long)

The tree is copied once for each worker, out of the way; a change is made there, the room's tests run with `-x`, the
quickest file first, and the change is taken back. A run that uses far more CPU time than the unchanged room (a loop
without end) counts as noticed. Status 1 if a room is below its promise, 2 if its tests fail unchanged.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mutants.changes import Change, changes_of

ROOT: Final = Path(__file__).parents[2]
LEFT_BEHIND: Final = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", ".*_cache", ".hypothesis", "__pycache__", "*.pyc", ".lint-imports.log"
)
# A change may make tests slower without being wrong; a loop without end goes far beyond this.
PATIENCE_FACTOR: Final = 4
PATIENCE_S: Final = 30


@dataclass(frozen=True)
class Room:
    """A room: the files that are changed, the tests that must notice, and the share that it promises (percent)."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    promise_percent: int = 0


_LIGHTS: Final = [
    "bars",
    "frame",
    "layout",
    "rendering",
    "rhythm",
    "signals",
    "state",
    "lamp_config",
    "terminal",
    "picture",
]
ROOMS: Final[dict[str, Room]] = {
    "rules": Room(("host/ordertray/rules/**/*.py",), ("tests/rules",), 95),
    "table": Room(("host/ordertray/table/**/*.py",), ("tests/table",), 90),
    "lights": Room(tuple(f"host/ordertray/lights/{name}.py" for name in _LIGHTS), ("tests/lights",), 90),
    "wire": Room(("firmware/ordertray_firmware/wire.py",), ("tests/link",), 90),
    # No promise yet: run by name.
    "link": Room(
        ("host/ordertray/link/**/*.py", "firmware/ordertray_firmware/link.py"), ("tests/link",)
    ),
    "army": Room(("host/ordertray/army/**/*.py",), ("tests/army",)),
    "tokens": Room(("host/ordertray/tokens/**/*.py",), ("tests/tokens",)),
    "journal": Room(("host/ordertray/journal/**/*.py",), ("tests/journal",)),
    "files": Room(("host/ordertray/files/**/*.py",), ("tests/files", "tests/army")),
    "firmware": Room(("firmware/ordertray_firmware/**/*.py",), ("tests/firmware", "tests/link")),
}  # fmt: skip
PROMISING: Final = [name for name, room in ROOMS.items() if room.promise_percent]


@dataclass(frozen=True)
class Mutant:
    """A change to one file of the tree."""

    file: str
    change: Change

    def __str__(self) -> str:
        before, after = (" ".join(text.split()) for text in (self.change.before, self.change.after))
        return f"{self.file}:{self.change.line}: {before}  ->  {after}"


class Workshop:
    """A copy of the tree in which tests run, changed or not. One thread uses it at a time."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        shutil.copytree(ROOT, self.tree, ignore=LEFT_BEHIND)

    def run(self, tests: list[str], cpu_limit_s: int | None = None, *options: str) -> tuple[bool, str, float]:
        """Run these tests: whether all passed, what was printed, CPU seconds of the whole."""
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        environment["PYTHONPATH"] = os.pathsep.join(str(self.tree / part) for part in ("host", "firmware", "tests"))
        tested = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "mutants.quickly"]
        limited = ["sh", "-c", f'ulimit -t {cpu_limit_s or "unlimited"} && exec "$@"', "sh"]
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            # A test that waits for what never comes: a limit of CPU time alone does not end it.
            done = subprocess.run(
                [*limited, *tested, *options, *tests], cwd=self.tree, env=environment, capture_output=True, text=True,
                check=False, timeout=None if cpu_limit_s is None else 10 * cpu_limit_s,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False, "timed out", 0.0
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
        return done.returncode == 0, done.stdout + done.stderr, used

    def notices(self, mutant: Mutant, tests: list[str], cpu_limit_s: int) -> bool:
        """Whether some test fails with this change made."""
        path = self.tree / mutant.file
        original = path.read_text("utf-8")
        path.write_text(mutant.change.applied_to(original), "utf-8")
        try:
            return not self.run(tests, cpu_limit_s)[0]
        finally:
            path.write_text(original, "utf-8")


def quickest_first(room: Room, printed: str) -> list[str]:
    """The test files of a room, by how long each took in a run with `--durations=0`."""
    took: defaultdict[str, float] = defaultdict(float)
    for seconds, name in re.findall(r"^([\d.]+)s \w+ +(tests/\S+?\.py)::", printed, re.MULTILINE):
        took[name] += float(seconds)
    files = [
        path.relative_to(ROOT).as_posix()
        for folder in room.tests
        for path in sorted((ROOT / folder).glob("test_*.py"))
    ]  # fmt: skip
    return sorted(files, key=lambda name: took[name])


def mutants_of(room: Room) -> list[Mutant]:
    """Every change that can be made in a room, in the order of files and lines."""
    files = sorted({path for pattern in room.files for path in ROOT.glob(pattern)})
    return [
        Mutant(path.relative_to(ROOT).as_posix(), change)
        for path in files
        for change in changes_of(path.read_text("utf-8"))
    ]


def chosen(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """The changes that the options ask for."""
    if options.at:
        file, _, line = options.at.rpartition(":")
        return [mutant for mutant in mutants if mutant.file.endswith(file) and mutant.change.line == int(line)]
    if options.all or options.sample >= len(mutants):
        return mutants
    return random.Random(options.seed).sample(mutants, options.sample)


def try_room(name: str, shops: list[Workshop], options: argparse.Namespace) -> int:
    """Try a room and print what went unnoticed; returns the status it asks for."""
    room = ROOMS[name]
    every = mutants_of(room)
    picked = chosen(every, options)
    folders = [folder for folder in room.tests if (ROOT / folder).is_dir()]
    passed, printed, baseline_s = shops[0].run(folders, None, "--durations=0", "-vv")
    if not passed:
        print(printed[-4000:], f"\n{name}: its tests fail without any change", sep="")
        return 2
    tests = quickest_first(room, printed)
    cpu_limit_s = int(PATIENCE_FACTOR * baseline_s) + PATIENCE_S
    drawn = "all" if len(picked) == len(every) else f"{len(picked)} of {len(every)}, seed {options.seed}"
    print(f"{name}: changes tried: {drawn}; the tests take {baseline_s:.0f} s of CPU", flush=True)
    free, guard = list(shops), threading.Lock()

    def attempt(mutant: Mutant) -> bool:
        with guard:
            shop = free.pop()
        try:
            noticed = shop.notices(mutant, tests, cpu_limit_s)
        finally:
            with guard:
                free.append(shop)
        if not noticed:
            print(f"  unnoticed  {mutant}", flush=True)
        return noticed

    began = time.monotonic()
    with ThreadPoolExecutor(len(shops)) as pool:
        noticed = sum(pool.map(attempt, picked))
    share = 100 * noticed / max(1, len(picked))
    enough = share >= room.promise_percent
    promise = f", promised {room.promise_percent} %" if room.promise_percent else ""
    verdict = "" if enough else "  TOO FEW"
    took_s = time.monotonic() - began
    print(f"{name}: {noticed} of {len(picked)} noticed, {share:.0f} %{promise}{verdict} ({took_s:.0f} s)", flush=True)
    return 0 if enough or options.at else 1


def main() -> int:
    """Read the options, try the rooms."""
    parser = argparse.ArgumentParser(prog="make mutants", description="What share of small changes the tests notice.")
    parser.add_argument(
        "rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; default {' '.join(PROMISING)}"
    )
    parser.add_argument("--sample", type=int, default=40, help="changes a room (40)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (1)")
    parser.add_argument("--all", action="store_true", help="every change there is")
    parser.add_argument("--at", metavar="FILE:LINE", help="every change at that line")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies of the tree at work at a time")
    options = parser.parse_args()
    if unknown := sorted(set(options.rooms) - set(ROOMS)):
        parser.error(f"no such room: {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    with tempfile.TemporaryDirectory(prefix="ordertray-mutants-") as folder:
        shops = [Workshop(Path(folder) / str(number)) for number in range(max(1, options.jobs))]
        return max(try_room(name, shops, options) for name in options.rooms or PROMISING)


if __name__ == "__main__":
    raise SystemExit(main())
