"""The two sides of the table."""

from __future__ import annotations

from enum import StrEnum


class Seat(StrEnum):
    """A player's side of the tray. Which seat plays first is an option of the game, not its letter."""

    A = "A"
    B = "B"

    @property
    def other(self) -> Seat:
        """The opponent's seat."""
        return Seat.B if self is Seat.A else Seat.A

    @property
    def place(self) -> int:
        """0 for A, 1 for B: the place of this seat in a pair."""
        return 0 if self is Seat.A else 1


SEATS: tuple[Seat, Seat] = (Seat.A, Seat.B)
