"""The two sides of the table."""

from __future__ import annotations

from enum import StrEnum


class Seat(StrEnum):
    """A player's side of the tray. Which seat plays first is an option of the game, not its letter."""

    A = "A"
    B = "B"

    # Plain attributes, not properties: the core asks for them at every step.
    other: Seat
    """The opponent's seat."""
    place: int
    """0 for A, 1 for B: the place of this seat in a pair."""


Seat.A.other, Seat.A.place = Seat.B, 0
Seat.B.other, Seat.B.place = Seat.A, 1

SEATS: tuple[Seat, Seat] = (Seat.A, Seat.B)
