"""The lamp frame: two strips of 32 pixels, each a colour and an effect, with the state they were made from.

A frame is whole and idempotent: showing it twice is showing it once, and a tray that missed ten frames needs only the
eleventh. Letters are those of the wire (firmware/PROTOCOL.md). Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ordertray.lights.state import SIDES, Side, TableState

PIXELS: Final = 32
PIXELS_PER_ROW: Final = 16

COLOURS: Final = {
    ".": "off",
    "w": "white",
    "r": "red",
    "g": "green",
    "b": "blue",
    "y": "yellow",
    "o": "orange",
    "p": "purple",
    "c": "cyan",
}
EFFECTS: Final = {
    ".": "off",
    "s": "steady",
    "d": "dim",
    "b": "blink",
    "p": "pulse",
    "c": "chase",
    "f": "flash",
    "q": "quick",
}


@dataclass(frozen=True, slots=True)
class Pixel:
    """One pixel: a letter of `COLOURS` and one of `EFFECTS`; both "." or neither. Raises ValueError for others."""

    colour: str
    effect: str

    def __post_init__(self) -> None:
        """Check the letters."""
        if self.colour not in COLOURS or self.effect not in EFFECTS:
            raise ValueError(f"no such pixel: colour {self.colour!r}, effect {self.effect!r}")
        if (self.colour == ".") != (self.effect == "."):
            raise ValueError(f"a pixel is off in both or in neither: {self.colour!r}, {self.effect!r}")


OFF: Final = Pixel(".", ".")
Strip = tuple[Pixel, ...]


@dataclass(frozen=True, slots=True)
class LampFrame:
    """What all lamps of the table show: strips `a` and `b` of `PIXELS` pixels, and the `table` they say it of."""

    a: Strip
    b: Strip
    table: TableState

    def __post_init__(self) -> None:
        """Check the lengths. Raises ValueError."""
        for side in SIDES:
            if len(self.strip(side)) != PIXELS:
                raise ValueError(f"strip {side} has {len(self.strip(side))} pixels, not {PIXELS}")

    def strip(self, side: Side) -> Strip:
        """The pixels of one side, 0 to 31."""
        return self.a if side == "A" else self.b

    def letters(self, side: Side) -> tuple[str, str]:
        """The strip of one side as 32 colour letters and 32 effect letters."""
        strip = self.strip(side)
        return "".join(pixel.colour for pixel in strip), "".join(pixel.effect for pixel in strip)

    def wire(self, frame_id: int) -> dict[str, object]:
        """The body of an `F` message: `{"f": id, "A": [colours, effects], "B": [colours, effects]}`."""
        return {"f": frame_id, "A": list(self.letters("A")), "B": list(self.letters("B"))}
