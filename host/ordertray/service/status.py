"""What `ordertray status` is answered: the game, and of each tray the link's counters, readers and last frames."""

from __future__ import annotations

from typing import Any

from .. import rules
from .table_service import TableService


def status_of(service: TableService) -> dict[str, Any]:
    """The status as JSON. Nothing private is in it: it is what the table may see, and the trays."""
    table = service.table
    return {
        "game": service.game_number if table is not None else None,
        "position": table.game.position if table is not None else None,
        "summary": rules.summary(table.game) if table is not None else "no game is on",
        "pace": str(table.pace) if table is not None else None,
        "seats": service.link_states(),
        "doubts": list(service.doubts),
        "trays": [] if service.trays is None else [status.as_dict() for status in service.trays.status()],
    }
