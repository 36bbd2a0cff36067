"""A recorded game as a file: out and in again, or nothing at all with the place of the fault."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ordertray.games import store
from ordertray.games.transfer import TransferError, export_game, import_game
from ordertray.journal import Journal
from ordertray.rules import Seat, actions
from ordertray.tokens.model import TokenKind
from service.service_helpers import begun

A, B = Seat


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A short game with an undo and a secret in it."""
    path = tmp_path_factory.mktemp("transfer") / "r.sqlite3"

    async def work() -> dict[str, Any]:
        bench = begun(path)
        await bench.service.on_event(bench.held(A, "ok"))
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        await bench.service.on_event(bench.held(A, "pass"))
        await bench.service.act(actions.RecordState(B, A, "r1-2", "prone"), {"by": "page"})
        data = export_game(bench.journal, bench.journal.game(bench.service.game_number))
        bench.journal.close()
        return data

    return asyncio.run(work())


def test_an_imported_game_is_the_game_that_was_exported(exported: dict[str, Any], tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other.sqlite3") as journal:
        number = import_game(journal, json.dumps(exported))
        again = export_game(journal, journal.game(number))
        assert again == exported | {"script": again["script"]}
        assert store.resume(journal, journal.game(number)).game.position == exported["entries"][-1]["position"]
        assert journal.verify() == len(exported["entries"])


def test_a_game_imported_twice_is_there_twice(exported: dict[str, Any], tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other.sqlite3") as journal:
        assert [import_game(journal, json.dumps(exported)) for _ in range(2)] == [1, 2]


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("format",), "something", "not a game"),
        (("version",), 99, "version 99"),
        (("entries",), 3, "no entries"),
        (("edition",), "n9", "beginning"),
        (("armies", "A"), "points = 1", "beginning"),
        (("options",), {"first": "C"}, "beginning"),
        (("entries", 2, "action"), "A dance", "entry 3"),
        (("entries", 2, "action"), "B next", "entry 3"),
        (("entries", 3, "events"), [], "entry 4"),
        (("entries", 4, "at_ms"), "noon", "entry 5"),
        (("entries", 0), None, "entry 1"),
        (("seats", "pace"), "hurried", "'hurried' is not a valid Pace"),
        (("seats", "tokens"), {"A": "uid = ["}, "discs of seat A"),
        (("entries", 1, "cause", "touch"), "first", "nothing was imported"),
        (("started_ms",), 10**30, "no time"),
        (("ended_ms",), "noon", "no time"),
        (("options", "rounds"), "3", "rounds"),
        (("options", "rounds"), float("nan"), "NaN is no number"),
        (("armies", "A"), "name = '\ud800'", "not JSON"),
    ],
)
def test_a_faulty_file_is_refused_with_its_place_and_nothing_is_written(
    exported: dict[str, Any], tmp_path: Path, path: tuple[str | int, ...], value: object, word: str
) -> None:
    data = copy.deepcopy(exported)
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with Journal.open(tmp_path / "other.sqlite3") as journal:
        with pytest.raises(TransferError, match=word):
            import_game(journal, json.dumps(data))
        assert journal.games() == []


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00", "[" * 100_000])
def test_what_is_no_json_of_ours_is_refused(tmp_path: Path, text: str) -> None:
    with Journal.open(tmp_path / "other.sqlite3") as journal, pytest.raises(TransferError):
        import_game(journal, text)
