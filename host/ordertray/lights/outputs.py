"""Where a frame goes: the protocol of lamp outputs, and several outputs as one.

An output is told a frame when the game changes and the time when it has asked for it; it has no clock and no thread of
its own. It must never stop the game: `LampOutputs` drops one that fails, once and loudly, and the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, Self

from ordertray.lights.frame import LampFrame

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
