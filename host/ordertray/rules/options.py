"""Options of a game: who begins, its length, what the mission changes (RET-02, RET-13, SEQ-01)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .seats import Seat

#: Options by their name in the notation, and the values each takes (empty: none).
OPTION_VALUES: dict[str, tuple[str, ...]] = {
    "first": ("A", "B"),
    "rounds": (),
    "no-retreat": (),
    "no-lieutenant-loss": (),
    "retreat-ends-game": (),
    "retreat-base": ("limit", "list"),
}

MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one game. `retreat_base` is what a quarter is taken of: the points limit, or the list's total."""

    first: Seat = Seat.A
    rounds: int = 3
    retreat: bool = True
    lieutenant_loss: bool = True
    retreat_ends_game: bool = False
    retreat_base: str = "limit"

    def with_option(self, name: str, value: str | None) -> Options | None:
        """These options with one more set, or None if `name` or `value` is none that the notation knows."""
        match name, value:
            case "first", "A" | "B":
                return replace(self, first=Seat(value))
            case "rounds", str() if value.isascii() and value.isdigit() and 1 <= int(value) <= MAX_ROUNDS:
                return replace(self, rounds=int(value))
            case "no-retreat", None:
                return replace(self, retreat=False)
            case "no-lieutenant-loss", None:
                return replace(self, lieutenant_loss=False)
            case "retreat-ends-game", None:
                return replace(self, retreat_ends_game=True)
            case "retreat-base", "limit" | "list":
                return replace(self, retreat_base=value)
        return None
