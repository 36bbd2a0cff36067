"""Games as files: a recorded game to JSON and back, checked entry by entry."""

from __future__ import annotations

import json
from typing import Any

from . import rules, store
from .army.problems import FileError
from .journal import Draft, GameRow, Journal, JournalReader
from .rules import Refusal

FORMAT = "ordertray-game"
VERSION = 1


class TransferError(Exception):
    """A file that is no recorded game of ours; the text says where it stops being one."""


def export_game(reader: JournalReader, row: GameRow) -> dict[str, Any]:
    """A recorded game as JSON: what it began with, every entry with its events, cause and time, and how it ended."""
    return {
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
        row = GameRow(
            0, int(data["started_ms"]), str(data["edition"]), dict(data["options"]), dict(data["armies"]),
            dict(data["seats"]), None, None, len(data["entries"]),
        )  # fmt: skip
        game = store.first_position(row)
    except (KeyError, TypeError, ValueError, AttributeError, store.StoreError, FileError) as fault:
        raise TransferError(f"the beginning of the game is faulty: {fault}") from None
    drafts, times = [], []
    for number, entry in enumerate(data["entries"], 1):
        try:
            action = rules.parse_action(entry["action"])
            outcome = rules.play(game, action)
            if isinstance(outcome, Refusal):
                raise ValueError(f"refused by {outcome.rule}")
            game, events = outcome
            if [rules.to_json(event) for event in events] != entry["events"]:
                raise ValueError("its events are not what the action leads to")
            cause = dict(entry["cause"])
            int(cause.get("touch", 0))
            drafts.append(Draft(game.position, entry["action"], str(entry["seat"]), entry["events"], cause))
            times.append(int(entry["at_ms"]))
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise TransferError(f"entry {number}: {fault}; nothing was imported") from None
    result, ended_ms = data.get("result"), data.get("ended_ms")
    return journal.add_game(
        started_ms=row.started_ms, edition=row.edition, options=row.options, armies=row.armies, seats=row.seats,
        drafts=list(zip(drafts, times, strict=True)),
        ended=(ended_ms, result) if isinstance(result, dict) and isinstance(ended_ms, int) else None,
    )  # fmt: skip


def _read(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise TransferError(f"is not JSON ({fault})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TransferError("is not a game exported by `ordertray record export`")
    if data.get("version") != VERSION:
        raise TransferError(f"is of version {data.get('version')!r}; this version reads {VERSION}")
    if not isinstance(data.get("entries"), list):
        raise TransferError("has no entries")
    return data
