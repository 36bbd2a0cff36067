"""Damage to a record: a killed host's files, ways to spoil one of them, and what may come of it.

    python -m journal.damage [--mutants 10000] [--seed N]        (make fuzz)

Whatever happens to one file, the record says so or reads as it was written; and what a salvage makes of it can be read,
and says what it is.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from journal.journal_files import ARMIES, AT_MS, drafts, step
from ordertray.journal import Entry, GameRow, Journal, JournalError, JournalReader, Tap
from ordertray.journal.salvage import salvage

PAGE = 4096
WAL_HEADER = 32
WAL_FRAME = 24 + PAGE
NAME = "record.db"
FILES = (NAME, f"{NAME}-wal", f"{NAME}.end")

Files = dict[str, bytes]
Contents = tuple[list[GameRow], list[tuple[Tap, object]], dict[int, list[Entry]]]


def killed(folder: Path, steps: int = 60) -> tuple[Files, Files]:
    """The files of a host that was killed after so many touches, and those of an earlier moment."""
    path = folder / NAME
    with Journal.open(path) as journal:
        for _ in range(2):
            game = journal.new_game(
                at_ms=AT_MS, edition="n5", options={"rounds": 3}, armies={**ARMIES, "A": ARMIES["A"] * 40}
            )
            for number in range(1, 25):
                journal.record(game, drafts(number, 2), at_ms=AT_MS)
            journal.end_game(game, {"over": "rounds"}, at_ms=AT_MS + 1)
        game = journal.new_game(at_ms=AT_MS, edition="n5", options={}, armies=ARMIES)
        early: Files = {}
        for number in range(1, steps + 1):
            step(journal, game, number)
            if number == steps // 2:
                early = read(folder)
        files = read(folder)
    return files, early


def read(folder: Path) -> Files:
    """The files of a record."""
    return {name: (folder / name).read_bytes() for name in FILES}


def laid(files: Files, folder: Path) -> Path:
    """Files in an empty folder, as a power cut would leave them: without lock and shared memory."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / NAME


def contents(reader: JournalReader) -> Contents:
    """Everything that a record says, each entry checked."""
    games = reader.games()
    return games, list(reader.taps()), {game.id: list(reader.entries(game.id)) for game in games}


def judged(path: Path, good: Contents) -> str:
    """`told` or `harmless`. Raises AssertionError if what is read is something else, and nothing says so."""
    try:
        with Journal.open(path) as journal:
            journal.verify()
            found = contents(journal)
            doubts = journal.doubts()
    except JournalError as error:
        assert NAME in str(error), error
        return "told"
    if doubts:
        _is_part(found, good, None)
        return "told"
    assert found == good, "silently another record"
    return "harmless"


def _is_part(found: Contents, good: Contents, doubted: set[int | None] | None) -> None:
    """What was found is what was written, up to some place; `doubted`: the games that may be others than they were."""
    rows = {row.id: row for row in good[0]}
    for row in found[0]:
        entries = found[2][row.id]
        assert entries == good[2][row.id][: len(entries)], f"game {row.id}: other entries"
        if doubted is None or None in doubted or row.id in doubted:
            continue
        assert row == rows[row.id], f"game {row.id}: another row, and no word of it"
    kept = {str(tap): outcome for tap, outcome in good[1]}
    assert all(kept[str(tap)] == outcome for tap, outcome in found[1]), "other taps"


def saved_honestly(path: Path, good: Contents) -> str:
    """What a salvage makes of it: `saved`, `in part` or `nothing`. Raises AssertionError if it says too little."""
    new = path.with_name("saved.db")
    new.unlink(missing_ok=True)
    try:
        saved = salvage(path, new, at_ms=AT_MS)
    except JournalError as error:
        assert NAME in str(error) and not new.exists(), error
        return "nothing"
    with JournalReader.open(new) as reader:
        assert reader.verify() == saved.entries
        found = contents(reader)
        doubts = reader.doubts()
        assert [str(doubt) for doubt in doubts][-len(saved.faults) :] == saved.faults or not saved.faults
        _is_part(found, good, {doubt.game for doubt in doubts})
    if found != good:
        assert saved.faults, "something is lost, and nothing says so"
    with Journal.open(new) as journal:  # it can be played on from there
        assert journal.verify() == saved.entries
        assert [doubt.what for doubt in journal.doubts()] == [doubt.what for doubt in doubts]
    return "in part" if saved.faults else "saved"


# --- ways to spoil a file -------------------------------------------------------------------------------------------


def every_page_and_frame(files: Files, early: Files) -> Iterator[tuple[str, Files]]:
    """Each page of the database and each frame of the log: zeroes, another's content, its own of an earlier time."""
    for name, head, size in ((NAME, 0, PAGE), (f"{NAME}-wal", WAL_HEADER, WAL_FRAME)):
        data = files[name]
        for at in range(head, len(data), size):
            page = data[at : at + size]
            others = {"zero": bytes(len(page)), "next": data[at + size : at + 2 * size] or data[head : head + size]}
            others["earlier"] = early[name][at : at + size]
            for how, other in others.items():
                if len(other) == len(page) and other != page:
                    yield f"{name} {how} page at {at}", {**files, name: data[:at] + other + data[at + len(page) :]}


def every_truncation(files: Files) -> Iterator[tuple[str, Files]]:
    """Each file cut at its pages and within them; and gone."""
    for name, size in ((NAME, PAGE), (f"{NAME}-wal", WAL_FRAME), (f"{NAME}.end", 256)):
        data = files[name]
        for at in sorted({0, 1, 17, *range(WAL_HEADER, len(data), size), *range(size // 2, len(data), size)}):
            if at < len(data):
                yield f"{name} cut at {at}", {**files, name: data[:at]}
        yield f"{name} gone", {other: content for other, content in files.items() if other != name}


def mutant(files: Files, early: Files, rng: random.Random) -> tuple[str, Files]:
    """One random fault in one of the files."""
    name = rng.choice((NAME, NAME, f"{NAME}-wal", f"{NAME}-wal", f"{NAME}.end"))
    data = bytearray(files[name])
    at = rng.randrange(len(data))
    sector = slice(at & ~511, (at & ~511) + 512)
    few, some, many = (slice(at, min(at + size, len(data))) for size in (4, 64, 300))
    ways: dict[str, Callable[[], object]] = {
        "bit": lambda: data.__setitem__(at, data[at] ^ 1 << rng.randrange(8)),
        "byte": lambda: data.__setitem__(at, rng.randrange(256)),
        "text": lambda: data.__setitem__(few, rng.choice((b"\xff\xfe\xff\xfe", b'"}]0', b"0000", bytes(4)))),
        "run": lambda: data.__setitem__(many, rng.randbytes(len(data[many]))),
        "cut": lambda: data.__delitem__(slice(at, None)),
        "hole": lambda: data.__setitem__(sector, bytes(len(data[sector]))),
        "earlier": lambda: data.__setitem__(sector, early[name][sector] or data[sector]),
        "moved": lambda: data.__setitem__(some, data[at // 2 : at // 2 + len(data[some])]),
    }
    how = rng.choice(tuple(ways))
    ways[how]()
    return f"{name} {how} at {at}", {**files, name: bytes(data)}


def tried(what: str, files: Files, good: Contents, folder: Path) -> str:
    """Judge one damaged record and what is saved of it. Raises AssertionError naming the damage."""
    try:
        told = judged(laid(files, folder / "opened"), good)
        saved = saved_honestly(laid(files, folder / "saved"), good)
        assert told == "told" or saved == "saved", "harmless, but not all of it was saved"
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    return f"{told}, {saved}"


def good_contents(files: Files, folder: Path) -> Contents:
    """What the files say before any damage."""
    with Journal.open(laid(files, folder / "good")) as journal:
        assert not journal.doubts()
        return contents(journal)


def main() -> None:
    """Spoil records at random, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    chosen = parser.parse_args()
    rng, came, began = random.Random(chosen.seed), Counter[str](), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "live").mkdir()
        files, early = killed(folder / "live")
        good = good_contents(files, folder)
        for what, spoilt in (*every_page_and_frame(files, early), *every_truncation(files)):
            came[tried(what, spoilt, good, folder)] += 1
        for number in range(chosen.mutants):
            what, spoilt = mutant(files, early, rng)
            came[tried(f"seed {chosen.seed}, mutant {number}: {what}", spoilt, good, folder)] += 1
    total = sum(came.values())
    print(f"record: {total} damaged records (seed {chosen.seed}, {time.monotonic() - began:.0f} s): silently wrong 0")
    for outcome, count in came.most_common():
        print(f"  {outcome}: {count}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
