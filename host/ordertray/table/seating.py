"""Which pad, button and strip of which board belongs to which seat.

One tray between the players serves both sides by default. A table may also have one tray per player; then the
configuration gives each board's sides to seats, by the board's unique id:

    [boards.E6616408432B7A2E]
    A = "A"          # this board's side A is seat A's; its side B is nobody's
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..rules import Refusal, Seat
from .model import BUTTONS, ButtonPress, TagTap, Touch
from .reasons import refused

#: Why a pad could not give a UID, as the tray says it.
PAD_REFUSALS = frozenset({"two-tags", "phone", "unreadable", "checksum"})

#: Buttons whose hold is something else: they act on release. The others act on being pressed.
HOLDABLE = frozenset({"short", "pass", "ok"})


class SeatingError(ValueError):
    """A seating that cannot be; `problems` are all its faults."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Seating:
    """Seats of boards. `boards` maps a board's unique id to the seats of its sides; others serve both sides."""

    boards: Mapping[str, Mapping[str, Seat]] = field(default_factory=dict)

    @classmethod
    def from_config(cls, table: Mapping[str, object]) -> Seating:
        """Read the `boards` table of the configuration. Raises `SeatingError` with every fault."""
        problems: list[str] = []
        boards: dict[str, dict[str, Seat]] = {}
        for board, sides in table.items():
            if not isinstance(sides, Mapping):
                problems.append(f'boards.{board}: needs sides, like A = "A"')
                continue
            seats: dict[str, Seat] = {}
            for side, seat in sides.items():
                if side not in ("A", "B"):
                    problems.append(f"boards.{board}.{side}: a board has the sides A and B")
                elif seat not in ("A", "B"):
                    problems.append(f'boards.{board}.{side}: {seat!r} is no seat; write "A" or "B"')
                else:
                    seats[side] = Seat(str(seat))
            boards[board.upper()] = seats
        if problems:
            raise SeatingError(problems)
        return cls(boards)

    def sides(self, board: str) -> Mapping[str, Seat]:
        """The seats of a board's sides."""
        return self.boards.get(board.upper(), {"A": Seat.A, "B": Seat.B})


def touch_of(
    seating: Seating, board: str, body: Mapping[str, object], *, one_pad: bool = False
) -> tuple[str, Touch | Refusal] | None:
    """The touch that a tray's event is, with the side of the board to answer on; None where it means nothing.

    `one_pad`: the table has one pad only.

    `body` is that of a `T` frame (firmware/PROTOCOL.md). Meaningless are removals, presses that a release or a hold
    will explain, and anything a newer tray may say.
    """
    kind = body.get("e")
    side = str(body.get("side" if kind == "button" else "pad"))
    if kind == "button":
        press = _press(body)
        if press is None:
            return None
        seat = seating.sides(board).get(side)
        return side, refused("no-seat") if seat is None else ButtonPress(seat, *press)
    if kind not in ("placed", "refused"):
        return None
    seat = seating.sides(board).get(side)
    if seat is None:
        return side, refused("no-seat")
    if kind == "placed":
        return side, TagTap(seat, str(body.get("uid")), one_pad)
    why = str(body.get("why"))
    return side, refused(why if why in PAD_REFUSALS else "unreadable")


def _press(body: Mapping[str, object]) -> tuple[str, bool] | None:
    """The button and whether it was held; None for an edge that means nothing by itself."""
    button, edge = body.get("button"), body.get("edge")
    if button not in BUTTONS:
        return None
    if button in HOLDABLE:
        if edge == "hold":
            return str(button), True
        if edge == "up" and not body.get("held"):
            return str(button), False
        return None
    return (str(button), False) if edge == "down" else None
