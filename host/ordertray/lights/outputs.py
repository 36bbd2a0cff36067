"""Where a frame goes: the protocol of lamp outputs, the tray's strip, and several outputs as one.

An output is told a frame when the game changes and the time when it has asked for it; it has no clock and no thread of
its own. It must never stop the game: `LampOutputs` drops one that fails, once and loudly, and the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

from ordertray.lights.frame import PIXELS, LampFrame
from ordertray.lights.state import Side

log = logging.getLogger(__name__)


class LampOutput(Protocol):
    """Something that shows lamp frames. Times are monotonic milliseconds of the caller's clock, never going back."""

    @property
    def name(self) -> str:
        """What it is, for messages."""

    def show(self, frame: LampFrame, now_ms: int) -> None:
        """Show a frame, at once."""

    def tick(self, now_ms: int) -> None:
        """Do what is due by now (blinking, lamp test)."""

    def next_tick_ms(self, now_ms: int) -> int | None:
        """In how many milliseconds `tick` is wanted; None = not before the next `show` or `lamp_test`."""

    def lamp_test(self, now_ms: int) -> None:
        """Begin a lamp test; frames shown meanwhile appear when it is over."""

    def close(self) -> None:
        """All lamps off, everything released. May be called again."""


class StripOutput:
    """The pixel strips of one tray: gives the body of an `F` message to `send` whenever the strips change.

    `seats` says whose lamps each strip of this board shows: `{"A": "A", "B": "B"}` for a tray between the players,
    `{"A": "B"}` for a player's own tray; a strip that is not named stays dark. Effects are animated by the tray itself,
    so nothing is ever due.
    """

    def __init__(
        self,
        send: Callable[[dict[str, object]], None],
        seats: Mapping[Side, Side] | None = None,
        *,
        name: str = "tray strip",
    ) -> None:
        """Keep the way out; nothing is sent before the first `show`."""
        self.name = name
        self._send = send
        self._seats: Mapping[Side, Side] = {"A": "A", "B": "B"} if seats is None else seats
        self._frame_id = 0
        self._shown: tuple[list[str], list[str]] | None = None

    def show(self, frame: LampFrame, now_ms: int) -> None:
        """Send the frame if it differs from the last one sent."""
        wanted = (self._letters(frame, "A"), self._letters(frame, "B"))
        if wanted != self._shown:
            self._shown = wanted
            self._frame_id += 1
            self._send({"f": self._frame_id, "A": wanted[0], "B": wanted[1]})

    def forget(self) -> None:
        """The tray may show anything (it was reset or away): send the next frame whatever it is."""
        self._shown = None

    def _letters(self, frame: LampFrame, strip: Side) -> list[str]:
        seat = self._seats.get(strip)
        return ["." * PIXELS] * 2 if seat is None else list(frame.letters(seat))

    def tick(self, now_ms: int) -> None:
        """Nothing is ever due."""

    def next_tick_ms(self, now_ms: int) -> int | None:
        """Never."""
        return None

    def lamp_test(self, now_ms: int) -> None:
        """The tray has a test of its own (`selftest` command); nothing here."""

    def close(self) -> None:
        """Send a dark frame, if anything was shown."""
        if self._shown is not None:
            self._shown = None
            self._frame_id += 1
            dark = ["." * PIXELS] * 2
            self._send({"f": self._frame_id, "A": dark, "B": dark})


class LampOutputs:
    """Several outputs as one. One that raises is reported, closed and left out from then on; the rest go on."""

    name = "all lamps"

    def __init__(self, outputs: Sequence[LampOutput]) -> None:
        """Take over the outputs: closing this closes them."""
        self._outputs = list(outputs)

    @property
    def working(self) -> tuple[LampOutput, ...]:
        """The outputs that have not failed."""
        return tuple(self._outputs)

    def show(self, frame: LampFrame, now_ms: int) -> None:
        """Show the frame on each."""
        self._each(lambda output: output.show(frame, now_ms))

    def tick(self, now_ms: int) -> None:
        """Tick each."""
        self._each(lambda output: output.tick(now_ms))

    def next_tick_ms(self, now_ms: int) -> int | None:
        """The soonest that one of them wants."""
        due = [ms for ms in (output.next_tick_ms(now_ms) for output in self._outputs) if ms is not None]
        return min(due, default=None)

    def lamp_test(self, now_ms: int) -> None:
        """Test each."""
        self._each(lambda output: output.lamp_test(now_ms))

    def close(self) -> None:
        """Close each, whatever the others do."""
        self._each(lambda output: output.close())
        self._outputs.clear()

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _each(self, action: Callable[[LampOutput], None]) -> None:
        for output in tuple(self._outputs):
            try:
                action(output)
            except Exception:
                log.exception("%s failed and is left out from now on; the game goes on", output.name)
                self._outputs.remove(output)
                self._close_quietly(output)

    @staticmethod
    def _close_quietly(output: LampOutput) -> None:
        try:
            output.close()
        except Exception:
            # It has failed before and was reported; a lamp that cannot be switched off is not worth a second report.
            log.debug("%s could not be closed either", output.name, exc_info=True)
