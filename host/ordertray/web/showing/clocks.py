"""Optional player clocks: how long each has thought. They run for whoever has to act. Pure: the time is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...rules import Seat


def thinking(view: Mapping[str, Any] | None) -> Seat | None:
    """Who has to act in a public view: the reactive player while the ARO window is open, else whose turn it is."""
    if view is None or view["over"] or view["active"] is None:
        return None
    active = Seat(view["active"])
    order = view["order"]
    return active.other if order is not None and order["aro"]["open"] else active


@dataclass
class Clocks:
    """Both players' clocks. `limit_ms` None: no clocks are used. All times are monotonic milliseconds."""

    limit_ms: int | None = None
    used_ms: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(Seat, 0))
    paused: bool = False
    running: Seat | None = None
    _since_ms: int = 0

    def follow(self, view: Mapping[str, Any] | None, now_ms: int) -> bool:
        """The game has moved on; whether another clock runs now."""
        return self._run(thinking(view), now_ms)

    def _run(self, seat: Seat | None, now_ms: int) -> bool:
        self._settle(now_ms)
        changed = seat is not self.running
        self.running = seat
        return changed

    def _settle(self, now_ms: int) -> None:
        if self.running is not None and not self.paused:
            self.used_ms[self.running] += now_ms - self._since_ms
        self._since_ms = now_ms

    def pause(self, paused: bool, now_ms: int) -> None:
        """Stop both clocks, or let them go on."""
        self._settle(now_ms)
        self.paused = paused

    def view(self, now_ms: int) -> dict[str, Any] | None:
        """What the page shows; it counts on from there by itself. None without clocks."""
        if self.limit_ms is None:
            return None
        self._settle(now_ms)
        return {
            "limit_ms": self.limit_ms,
            "used_ms": {str(seat): used for seat, used in self.used_ms.items()},
            "running": None if self.running is None else str(self.running),
            "paused": self.paused,
        }

    def kept(self, now_ms: int) -> dict[str, Any] | None:
        """What the record keeps, so that a restart loses nothing."""
        return self.view(now_ms)

    @classmethod
    def from_kept(cls, kept: Mapping[str, Any] | None, now_ms: int) -> Clocks:
        """The clocks as they were kept, paused: nobody thinks while the host is down. None: no clocks."""
        if not isinstance(kept, Mapping):
            return cls(_since_ms=now_ms)
        used = {seat: int(kept["used_ms"][str(seat)]) for seat in Seat}
        return cls(int(kept["limit_ms"]), used, True, None, now_ms)
