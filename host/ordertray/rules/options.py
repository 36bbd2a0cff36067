"""Options of a game: who begins, its length, what the mission changes (RET-02, RET-13, SEQ-01, ITS, REI)."""

from __future__ import annotations

from collections.abc import Iterator
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
    "its": (),
    "reinforcements": (),
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
    reinforcements: bool = False

    def with_option(self, name: str, value: str | None) -> Options | None:
        """These options with one more set, or None if `name` or `value` is none that the notation knows.

        `its` sets what tournament missions usually say: a turn begun in Retreat ends the game at its end (ITS).
        """
        match name, value:
            case "first", "A" | "B":
                return replace(self, first=Seat(value))
            case "rounds", str() if value.isascii() and value.isdigit() and 1 <= int(value) <= MAX_ROUNDS:
                return replace(self, rounds=int(value))
            case "no-retreat", None:
                return replace(self, retreat=False)
            case "no-lieutenant-loss", None:
                return replace(self, lieutenant_loss=False)
            case "retreat-ends-game" | "its", None:
                return replace(self, retreat_ends_game=True)
            case "retreat-base", "limit" | "list":
                return replace(self, retreat_base=value)
            case "reinforcements", None:
                return replace(self, reinforcements=True)
        return None

    def as_set(self) -> Iterator[tuple[str, str | None]]:
        """Names and values of the options that are not as they are by default: `with_option` of each gives these."""
        default = Options()
        if self.first is not default.first:
            yield "first", str(self.first)
        if self.rounds != default.rounds:
            yield "rounds", str(self.rounds)
        if self.retreat_base != default.retreat_base:
            yield "retreat-base", self.retreat_base
        for name, is_set in (
            ("no-retreat", not self.retreat),
            ("no-lieutenant-loss", not self.lieutenant_loss),
            ("retreat-ends-game", self.retreat_ends_game),
            ("reinforcements", self.reinforcements),
        ):
            if is_set:
                yield name, None
