"""How much the record holds, kept apart from it: so that a missing end can be told.

Marks tell of a changed middle. Of a log that was cut short (a card that said "written" and had not) they tell nothing:
what is left is whole. So a small file beside the record counts along. It is written after each commit, without waiting
for the disk (that costs microseconds), and synchronised at each end of turn. It can only be behind the record, or as
far; if it is ahead, something is missing.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

from ordertray.journal.model import Tap
from ordertray.journal.private import private_mode

# One write of one size: it is there whole or not at all, as far as anything short of a power cut goes.
_SIZE = 2048
MOST_BOARDS = 8


@dataclass(frozen=True)
class Counts:
    """What the record holds: games, entries, taps; `last` is the last entry's game, number and mark.

    `boards`: what each tray was told is dealt with: the nonce of its boot, and a sequence in it.
    """

    games: int = 0
    entries: int = 0
    taps: int = 0
    last: tuple[int, int, int] = (0, 0, 0)
    boards: Mapping[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Missing:
    """How many of each the record has lost at its end; `game`: the one whose last entries they are, if it is known."""

    games: int
    entries: int
    taps: int
    game: int | None = None

    def __str__(self) -> str:
        parts = [
            f"{count} {one if count == 1 else many}"
            for count, one, many in (
                (self.taps, "touch", "touches"), (self.entries, "entry", "entries"), (self.games, "game", "games"),
            ) if count
        ]  # fmt: skip
        of = "" if self.game is None else f" of game {self.game}"
        return (
            f"the last {' and '.join(parts)}{of} are missing: they were written, and the disk does not have them; "
            "compare with the table, and play on from what is there"
        )


def path_of(record: Path) -> Path:
    """The file beside a record."""
    return record.parent / f"{record.name}.end"


def read(record: Path) -> Counts | None:
    """The counts beside a record; None if there are none or they cannot be made out."""
    try:
        with path_of(record).open("rb") as file:
            text, _, check = file.read(_SIZE).decode("ascii").rstrip(" \n\0").rpartition(" ")
        if int(check, 16) != crc32(text.encode()):
            return None
        kept = json.loads(text)
        last = kept["last"]
        boards = {str(board): (str(of[0]), int(of[1])) for board, of in kept["boards"].items()}
        return Counts(
            int(kept["games"]), int(kept["entries"]), int(kept["taps"]),
            (int(last[0]), int(last[1]), int(last[2])), boards,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


class EndMark:
    """The file, for the record's one writer. A failure to write it is none of the record's: it is a guard, no more."""

    def __init__(self, record: Path) -> None:
        self.counts: Counts | None = None
        """None until all that is there was counted: nothing is written before that."""
        self._descriptor = -1
        with contextlib.suppress(OSError):
            self._descriptor = os.open(path_of(record), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, private_mode())

    def begin(self, counts: Counts) -> None:
        """From here on, count along."""
        self.counts = counts
        self._write(counts)

    def follow(self, added: Sequence[int], last: tuple[int, int, int] | None, tap: Tap | None) -> None:
        """A commit was made: so many games, entries and taps more."""
        was = self.counts
        if was is not None:
            games, entries, taps = added
            boards = was.boards if tap is None else _with(was.boards, tap)
            self.begin(Counts(was.games + games, was.entries + entries, was.taps + taps, last or was.last, boards))

    def told(self, tap: Tap) -> None:
        """A tray is about to be told that its events up to this one are dealt with."""
        if self.counts is not None:
            self.begin(replace(self.counts, boards=_with(self.counts.boards, tap)))

    def last_told(self, board: str, nonce: str) -> int:
        """Up to which event of this boot the tray was told so; 0 if that is not known."""
        known, sequence = ("", 0) if self.counts is None else self.counts.boards.get(board, ("", 0))
        return sequence if known == nonce else 0

    def _write(self, counts: Counts) -> None:
        """Keep the counts; they need not be on disk when this returns."""
        boards = list(counts.boards.items())[-MOST_BOARDS:]
        kept = {
            "games": counts.games,
            "entries": counts.entries,
            "taps": counts.taps,
            "last": counts.last,
            "boards": {board[:32]: (nonce[:16], sequence) for board, (nonce, sequence) in boards},
        }
        text = json.dumps(kept, separators=(",", ":"))
        line = f"{text} {crc32(text.encode()):08x}".encode("ascii")
        if self._descriptor >= 0 and len(line) < _SIZE:
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, line.ljust(_SIZE - 1) + b"\n", 0)

    def synchronise(self) -> None:
        """Have it on disk."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _with(boards: Mapping[str, tuple[str, int]], tap: Tap) -> dict[str, tuple[str, int]]:
    """The boards, with what one of them is told; the one heard last stands last."""
    others = {name: of for name, of in boards.items() if name != tap.board}
    return {**others, tap.board: (tap.nonce, tap.sequence)}
