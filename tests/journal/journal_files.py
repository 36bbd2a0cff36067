"""Helpers of the journal's tests: a record with some steps in it."""

from __future__ import annotations

from pathlib import Path

from ordertray.journal import Draft, Entry, Journal, JournalReader, Tap

AT_MS = 1_790_000_000_000
BOARD = "E6616408432A1B2C"
ARMIES = {"A": 'name = "Sword"\n', "B": "gr4Kbm9t"}


def new_game(journal: Journal, at_ms: int = AT_MS) -> int:
    """A game to write into."""
    return journal.new_game(at_ms=at_ms, edition="n5", options={"rounds": 3}, armies=ARMIES, seats={"A": {"pad": "A"}})


def tap(sequence: int, nonce: str = "9f3c01aa") -> Tap:
    """A tap of the one board."""
    return Tap(BOARD, nonce, sequence)


def drafts(number: int, size: int = 1) -> list[Draft]:
    """What one touch did: `size` entries that tell their step."""
    return [
        Draft(
            position=10 * number + part,
            action=f"A spend regular g1 T{part} # {number}",
            seat="A",
            events=[{"e": "spent", "step": number, "note": "ñ ~ \u2603"}],
            cause={"by": "tap", "board": BOARD, "sequence": number, "button": "ok"},
        )
        for part in range(size)
    ]


def step(journal: Journal, game: int, number: int, size: int = 1) -> list[Entry]:
    """Record one step."""
    return journal.record(game, drafts(number, size), at_ms=AT_MS + number, tap=tap(number))


def filled(path: Path, steps: int) -> None:
    """A closed record with one game of so many steps of one entry."""
    with Journal.open(path) as journal:
        game = new_game(journal)
        for number in range(1, steps + 1):
            step(journal, game, number)


def contents(path: Path) -> list[object]:
    """Everything that a record says."""
    with JournalReader.open(path) as reader:
        games = reader.games()
        return [games, reader.taps(), [list(reader.entries(game.id)) for game in games]]
