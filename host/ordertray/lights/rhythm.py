"""How an on/off lamp says more than on and off: slow rhythms, told apart by eye. Pure; the clock is the caller's.

No pulse width modulation: a lamp is switched a few times a second at most, which Linux can do without flicker.
A rhythm begins with its "on" at the moment it is set, so news is never late by half a period.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Rhythm(Enum):
    """What a lamp does."""

    OFF = "off"
    STEADY = "steady"
    BLINK = "blink"
    """Even: half a second on, half a second off. Something is running, or wrong."""
    PULSE = "pulse"
    """Long on, short off. Open, waiting for a player."""
    ALARM = "alarm"
    """Two quick flashes and a pause. Retreat."""
    FLASH = "flash"
    """A short flash every two seconds. The game is over."""


_TURNS_MS: Final[dict[Rhythm, tuple[int, ...]]] = {
    Rhythm.BLINK: (500, 500),
    Rhythm.PULSE: (800, 200),
    Rhythm.ALARM: (125, 125, 125, 625),
    Rhythm.FLASH: (100, 1900),
}
"""On, off, on, off ... in milliseconds."""


def is_lit(rhythm: Rhythm, elapsed_ms: int) -> bool:
    """Whether the lamp is on, `elapsed_ms` after the rhythm was set (0 or more)."""
    turns = _TURNS_MS.get(rhythm)
    if turns is None:
        return rhythm is Rhythm.STEADY
    return _turn(turns, elapsed_ms)[0] % 2 == 0


def next_change_ms(rhythm: Rhythm, elapsed_ms: int) -> int | None:
    """In how many milliseconds the lamp changes next; None if it never does."""
    turns = _TURNS_MS.get(rhythm)
    return None if turns is None else _turn(turns, elapsed_ms)[1]


def _turn(turns: tuple[int, ...], elapsed_ms: int) -> tuple[int, int]:
    """Number of the turn within the period, and what is left of it."""
    place = elapsed_ms % sum(turns)
    for number, length in enumerate(turns):
        if place < length:
            return number, length - place
        place -= length
    raise AssertionError("a place within the period lies in one of its turns")
