"""Games as files: a recorded game to JSON and back, checked entry by entry."""

from __future__ import annotations

import json
from typing import Any

from .. import rules
from ..files.problems import FileError
from ..journal import Draft, Entry, GameRow, Journal, JournalReader
from ..rules import Refusal
from . import store

FORMAT = "ordertray-game"
VERSION = 1


class TransferError(Exception):
    """A file that is no recorded game of ours; the text says where it stops being one."""


def export_game(reader: JournalReader, row: GameRow) -> dict[str, Any]:
    """A recorded game as JSON: what it began with, every entry with its events, cause and time, and how it ended."""
    # Only where there are any: a file without doubts is as it always was.
    doubts = [{"at_ms": doubt.at_ms, "what": doubt.what} for doubt in reader.doubts(row.id)]
    return {
        **({"doubts": doubts} if doubts else {}),
        "format": FORMAT,
        "version": VERSION,
        "started_ms": row.started_ms,
        "edition": row.edition,
        "options": row.options,
        "armies": dict(row.armies),
        "seats": row.seats,
        "ended_ms": row.ended_ms,
        "result": row.result,
        "entries": [
            {
                "number": entry.number,
                "position": entry.position,
                "action": entry.action,
                "seat": entry.seat,
                "events": list(entry.events),
                "cause": entry.cause,
                "at_ms": entry.at_ms,
            }
            for entry in reader.entries(row.id)
        ],
        "script": store.script_of(reader, row),
    }


def import_game(journal: Journal, text: str) -> int:
    """Record the game in `text` (from `export_game`); its new number. Nothing is written unless all of it is sound.

    Every action is judged again from the first position and must give the events that the file has.
    Raises `TransferError` with the place of the first fault, `JournalError` if it cannot be written.
    """
    data = _read(text)
    try:
        options, armies, seats = (_table(data, key) for key in ("options", "armies", "seats"))
        row = GameRow(
            0, _whole(data, "started_ms"), _text(data, "edition"), options, armies, seats, None, None,
            len(data["entries"]),
        )  # fmt: skip
        ended = _ended(data)
        doubts = [(_whole(doubt, "at_ms"), _text(doubt, "what")[:500]) for doubt in data.get("doubts", [])]
        game = store.first_position(row)
    except (*_FAULTS, store.StoreError, FileError) as fault:
        raise TransferError(f"the beginning of the game is faulty: {fault}") from None
    entries: list[Entry] = []
    for number, entry in enumerate(data["entries"], 1):
        try:
            action = rules.parse_action(_text(entry, "action"))
            outcome = rules.play(game, action)
            if isinstance(outcome, Refusal):
                raise ValueError(f"refused by {outcome.rule}")
            game, events = outcome
            if tuple(rules.from_json(event) for event in entry["events"]) != events:
                raise ValueError("its events are not what the action leads to")
            cause = _table(entry, "cause")
            entries.append(
                Entry(
                    0, number, game.position, entry["action"], _text(entry, "seat"), entry["events"], cause,
                    _whole(entry, "at_ms"),
                )
            )  # fmt: skip
        except _FAULTS as fault:
            raise TransferError(f"entry {number}: {fault}; nothing was imported") from None
    try:
        store.resumed(row, iter(entries))  # discs, pace and touches too must be such that the game can go on
    except store.StoreError as fault:
        raise TransferError(f"{fault.__cause__}; nothing was imported") from None
    drafts = [(Draft(entry.position, entry.action, entry.seat, entry.events, entry.cause), entry.at_ms)
              for entry in entries]  # fmt: skip
    return journal.add_game(
        started_ms=row.started_ms, edition=row.edition, options=row.options, armies=row.armies, seats=row.seats,
        drafts=drafts, ended=ended, doubts=doubts,
    )  # fmt: skip


#: What unsound values lead to when they are looked at as if they were sound.
_FAULTS = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
#: The year 9999: later times cannot be shown.
_LAST_MS = 253_370_764_800_000


def _whole(table: Any, key: str) -> int:
    value = table[key]
    if type(value) is not int or not 0 <= value < _LAST_MS:
        raise ValueError(f"{key}: {value!r} is no time in milliseconds")
    return value


def _text(table: Any, key: str) -> str:
    value = table[key]
    if not isinstance(value, str):
        raise ValueError(f"{key}: {value!r} is no text")
    return value


def _table(data: Any, key: str) -> dict[str, Any]:
    value = data[key]
    if not isinstance(value, dict):
        raise ValueError(f"{key}: {value!r} is no table")
    return value


def _ended(data: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
    if data.get("result") is None and data.get("ended_ms") is None:
        return None
    return _whole(data, "ended_ms"), _table(data, "result")


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _read(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_no_number)
        json.dumps(data, ensure_ascii=False).encode()  # half a character can be written in JSON, but not kept
    except (ValueError, RecursionError) as fault:
        raise TransferError(f"is not JSON ({fault})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TransferError("is not a game exported by `ordertray record export`")
    if data.get("version") != VERSION:
        raise TransferError(f"is of version {data.get('version')!r}; this version reads {VERSION}")
    if not isinstance(data.get("entries"), list):
        raise TransferError("has no entries")
    return data
