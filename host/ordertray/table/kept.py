"""What the record keeps of a table besides its actions, as plain values: touches, and what waits for a second one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..rules import Seat, format_action, parse_action
from .model import Consent, Made, Meant, Pending, Table

Json = dict[str, Any]


def made_to_json(made: Made, back: str) -> Json:
    """A touch, as its first entry in the record bears it; `back`: who took it back there, empty if nobody did."""
    kept: Json = {"code": made.meant.code, "count": made.count, "turn": made.turn, "position": made.position}
    kept |= {"seat": str(made.seat)} if made.seat is not None else {}
    kept |= {"params": dict(made.meant.params)} if made.meant.params else {}
    kept |= {"disc": made.disc} if made.disc is not None else {}
    kept |= {"replaced": [format_action(action) for action in made.replaced]} if made.replaced else {}
    return kept | ({"back": back} if back else {})


def made_from_json(kept: Mapping[str, Any]) -> tuple[Made, str]:
    """The touch and who took it back. Raises KeyError, TypeError or ValueError for what is none."""
    seat = kept.get("seat")
    made = Made(
        None if seat is None else Seat(seat),
        int(kept["count"]),
        Meant(str(kept["code"]), dict(kept.get("params", {}))),
        kept.get("disc"),
        int(kept.get("turn", 0)),
        tuple(parse_action(line) for line in kept.get("replaced", ())),
        int(kept.get("position", 0)),
    )
    return made, str(kept.get("back", ""))


def waiting_to_json(table: Table) -> Json:
    """What waits at the table; empty if nothing does."""
    kept: Json = {}
    if table.pending:
        kept["pending"] = [_pending_to_json(pending) for pending in table.pending]
    if table.consent is not None:
        kept["consent"] = {"asker": str(table.consent.asker), "until_ms": table.consent.until_ms}
    if table.asked:
        kept["asked"] = True
    return kept


def _pending_to_json(pending: Pending) -> Json:
    return {**asdict(pending), "seat": str(pending.seat), "troopers": list(pending.troopers)}


def with_waiting(table: Table, kept: Mapping[str, Any] | None) -> Table:
    """The table with what waited when it was recorded. Raises KeyError, TypeError or ValueError for what is none."""
    if not kept:
        return table
    consent = kept.get("consent")
    return replace(
        table,
        pending=tuple(_pending_from_json(one) for one in kept.get("pending", ())),
        consent=None if consent is None else Consent(Seat(consent["asker"]), _time(consent["until_ms"])),
        asked=bool(kept.get("asked")) and table.window_open(),
    )


def _pending_from_json(kept: Mapping[str, Any]) -> Pending:
    troopers: Sequence[Any] = kept.get("troopers", ())
    return Pending(
        Seat(kept["seat"]),
        str(kept["what"]),
        kept.get("word"),
        tuple(str(trooper) for trooper in troopers),
        kept.get("disc"),
        _time(kept.get("until_ms")),
    )


def _time(kept: Any) -> int | None:
    return None if kept is None else int(kept)
