"""Short tunes on the buzzer, played by the clock; what makes the sound is handed in."""

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

# (frequency in Hz or 0 for a pause, duration in ms)
TUNES = {
    "ok": ((2000, 40),),
    "refused": ((220, 260),),
    "undo": ((1200, 70), (800, 70), (500, 110)),
    "window": ((1500, 60), (0, 40), (1500, 60)),
    "boot": ((900, 50), (1400, 70)),
    "phase": ((900, 80), (1200, 80)),
    "fault": ((300, 120), (0, 60), (300, 120)),
}


class Buzzer:
    """Plays one tune at a time; a new one replaces the old.

    output: has tone(hz) and silence(); None or `on=False` keeps the tray silent.
    """

    def __init__(self, output: "Any", on: bool = True) -> None:
        self.on = on
        self._output = output
        self._tune: "tuple[tuple[int, int], ...] | None" = None
        self._step = 0
        self._next_ms = 0

    def play(self, name: str, now_ms: int) -> bool:
        """Start the tune of this name. False when there is none of that name."""
        tune = TUNES.get(name)
        if tune is None:
            return False
        if self.on and self._output is not None:
            self._tune = tune
            self._step = 0
            self._next_ms = now_ms
            self.update(now_ms)
        return True

    def update(self, now_ms: int) -> None:
        """Go on with the tune: call every few milliseconds."""
        if self._tune is None or now_ms < self._next_ms:
            return
        if self._step >= len(self._tune):
            self._tune = None
            self._output.silence()
            return
        hz, length_ms = self._tune[self._step]
        self._step += 1
        self._next_ms = now_ms + length_ms
        if hz:
            self._output.tone(hz)
        else:
            self._output.silence()
