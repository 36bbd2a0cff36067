"""Who has agreed that the game is at its end, or is left as it is: both seats, or the table.

The record with all its secrets opens only when the game can no longer be played on. So the end must not be something
that one seat can bring about, read behind, and take back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...rules import Seat
from ...service.table_service import TableService
from .roles import TABLE


class Ending:
    """The agreement about the game that is on. It holds for the position it was made at: whoever plays on breaks it."""

    def __init__(self, service: TableService) -> None:
        self._service = service
        self._agreed: frozenset[Seat] = frozenset()
        self._of: tuple[int, int] = (0, 0)

    def _now(self) -> tuple[int, int]:
        table = self._service.table
        return (0, 0) if table is None else (self._service.game_number, table.game.position)

    @property
    def agreed(self) -> frozenset[Seat]:
        """The seats that have agreed, as things stand."""
        return self._agreed if self._of == self._now() else frozenset()

    def agree(self, roles: Collection[str]) -> bool:
        """Somebody with these roles agrees; whether that settles it."""
        self._agreed, self._of = self.agreed | {seat for seat in Seat if str(seat) in roles}, self._now()
        return TABLE in roles or len(self._agreed) == len(Seat)

    def withdraw(self, roles: Collection[str]) -> None:
        """Somebody with these roles wants to play on after all."""
        self._agreed, self._of = self.agreed - {seat for seat in Seat if str(seat) in roles}, self._now()

    def view(self) -> dict[str, Any] | None:
        """What pages show: who has agreed, and whether the end is final; None without a game."""
        if self._service.table is None:
            return None
        return {"agreed": sorted(str(seat) for seat in self.agreed), "final": self._service.final}
