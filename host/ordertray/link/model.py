"""What a link hands to the application, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class TrayEvent:
    """An event or snapshot from a tray, to be dealt with durably before the handler returns.

    `board`, `nonce` and `sequence` name it for ever: the same three again are the same event, delivered again.
    """

    board: str
    nonce: str
    sequence: int
    body: Mapping[str, Any]
    link: str = ""


@dataclass
class TrayStatus:
    """What `ordertray status` shows of one tray. `round_trip_ms` is -1 before it was measured."""

    name: str
    looked_for: str
    state: str  # looking, opening, greeting, online, incompatible, stopped
    port: str = ""
    error: str = ""  # why there is no session
    board: str = ""
    hello: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""  # that its firmware is another than this host's, and what to do
    health: Mapping[str, Any] = field(default_factory=dict)
    readers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by pad: chip, version, health, counters
    counters: Mapping[str, int] = field(default_factory=dict)
    round_trip_ms: int = -1
    resend_ms: int = 0
    queued: int = 0
    unhandled: int = 0
    opened: int = 0
    handler_failures: int = 0
    trace: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The status as JSON."""
        return asdict(self)


EventHandler = Callable[[TrayEvent], Awaitable[None]]


async def no_handler(event: TrayEvent) -> None:
    """Nobody cares."""
