"""Optional clocks: each player's, and the round's for the whole table. Pure: the time is given.

A player's clock runs for whoever the game waits for (`table.waiting`). Undo gives the time back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...rules import Seat
from ...table import Table
from ...table.waiting import waits_for

#: So many touches can be taken back with their time.
MOST_MARKS = 40


@dataclass
class Clocks:
    """Both players' clocks and the round's. `limit_ms`, `round_limit_ms` None: no such clock is used.

    `warn_ms`: so long before its end a clock warns; 0: never. All times are monotonic milliseconds.
    """

    limit_ms: int | None = None
    used_ms: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(Seat, 0))
    paused: bool = False
    running: Seat | None = None
    round_limit_ms: int | None = None
    round_used_ms: int = 0
    warn_ms: int = 0
    warned: set[str] = field(default_factory=set)
    """Whose clocks have warned: `A`, `B`, `round`."""
    _since_ms: int = 0
    _on: bool = False
    _marks: list[tuple[int, int, int]] = field(default_factory=list)
    """For each touch that stands, the newest last: its number, and what both clocks had used when it was made."""

    @property
    def used(self) -> bool:
        """Whether there is any clock."""
        return self.limit_ms is not None or self.round_limit_ms is not None

    def follow(self, table: Table | None, now_ms: int) -> bool:
        """The game has moved on; whether another clock runs now."""
        self._settle(now_ms)
        depth = 0 if table is None else len(table.touches)
        while self._marks and self._marks[-1][0] > depth:  # taken back, and the time with it
            _, a_ms, b_ms = self._marks.pop()
            self.used_ms = {Seat.A: a_ms, Seat.B: b_ms}
        if depth and (not self._marks or self._marks[-1][0] < depth):
            self._marks.append((depth, self.used_ms[Seat.A], self.used_ms[Seat.B]))
            del self._marks[:-MOST_MARKS]
        seat = None if table is None else waits_for(table)
        changed = seat is not self.running
        self.running = seat
        self._on = table is not None and table.game.state.over is None and table.game.state.turns > 0
        return changed

    def _settle(self, now_ms: int) -> None:
        span_ms = now_ms - self._since_ms
        self._since_ms = now_ms
        if self.paused:
            return
        if self.running is not None:
            self.used_ms[self.running] += span_ms
        if self._on:
            self.round_used_ms += span_ms

    def pause(self, paused: bool, now_ms: int) -> None:
        """Stop all clocks, or let them go on."""
        self._settle(now_ms)
        self.paused = paused

    def _left_ms(self) -> dict[str, int]:
        """What is left on each clock that runs now."""
        if self.paused:
            return {}
        left: dict[str, int] = {}
        if self.limit_ms is not None and self.running is not None:
            left[str(self.running)] = self.limit_ms - self.used_ms[self.running]
        if self.round_limit_ms is not None and self._on:
            left["round"] = self.round_limit_ms - self.round_used_ms
        return left

    def warn(self, now_ms: int) -> list[str]:
        """The clocks that have just come to their warning: `A`, `B`, `round`. Each once, until time is given back."""
        self._settle(now_ms)
        for seat in Seat:
            if self.limit_ms is not None and self.limit_ms - self.used_ms[seat] > self.warn_ms:
                self.warned.discard(str(seat))
        if not self.warn_ms:
            return []
        new = [name for name, left in self._left_ms().items() if left <= self.warn_ms and name not in self.warned]
        self.warned.update(new)
        return new

    def next_warning_ms(self, now_ms: int) -> int | None:
        """In how many milliseconds `warn` is to be asked again; None: not before something changes."""
        self._settle(now_ms)
        if not self.warn_ms:
            return None
        spans = [left - self.warn_ms for name, left in self._left_ms().items() if name not in self.warned]
        return max(0, min(spans)) if spans else None

    def view(self, now_ms: int) -> dict[str, Any] | None:
        """What the page shows; it counts on from there by itself. None without clocks."""
        if not self.used:
            return None
        self._settle(now_ms)
        limit_ms = self.round_limit_ms
        return {
            "limit_ms": self.limit_ms,
            "used_ms": {str(seat): used for seat, used in self.used_ms.items()},
            "running": None if self.running is None else str(self.running),
            "paused": self.paused,
            "warn_ms": self.warn_ms,
            "warned": sorted(self.warned),
            "round": None
            if limit_ms is None
            else {"limit_ms": limit_ms, "used_ms": self.round_used_ms, "on": self._on},
        }

    def kept(self, now_ms: int) -> dict[str, Any] | None:
        """What the record keeps, so that a restart loses nothing."""
        view = self.view(now_ms)
        return None if view is None else {**view, "marks": [list(mark) for mark in self._marks]}

    @classmethod
    def from_kept(cls, kept: Mapping[str, Any] | None, now_ms: int) -> Clocks:
        """The clocks as they were kept, paused: nobody thinks while the host is down. None: no clocks."""
        if not isinstance(kept, Mapping):
            return cls(_since_ms=now_ms)
        limit_ms, round_clock = kept["limit_ms"], kept.get("round") or {}
        return cls(
            None if limit_ms is None else int(limit_ms),
            {seat: int(kept["used_ms"][str(seat)]) for seat in Seat},
            True,
            None,
            round_clock.get("limit_ms"),
            int(round_clock.get("used_ms", 0)),
            int(kept.get("warn_ms", 0)),
            set(kept.get("warned", ())),
            now_ms,
            False,
            [(int(number), int(a_ms), int(b_ms)) for number, a_ms, b_ms in kept.get("marks", ())],
        )
