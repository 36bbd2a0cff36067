"""The guide's steps: which parts each soldering step adds, and what each picture of a step shows. Pure.

The pictures are drawn from here (`case/step_pictures.py`), and a test holds the guide's numbered sentences against it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


def _refs(kind: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{kind}{number}" for number in range(first, last + 1))


SOLDERING: Final[tuple[tuple[str, ...], ...]] = (
    (*_refs("R", 1, 25), "D1", "D6", "D7", "D8"),
    ("U2", "C3", "C5", "C7", "C8", "C9", "RN1"),
    ("Q1", "Q3", "Q2", "Q4", "Q5", "U3", "D2", "D3", "D4"),
    ("J2", "J3", "J4", "J5", "J8", "JP1", "SW1", "J6", "J7", "F1", "F2", "BZ1"),
    ("C4", "C6", "C1", "C2"),
    ("J1", "U1"),
    ("U2",),
)
"""References that each numbered step of "3. Solder" adds to the carrier.

U2 is its socket first and the chip at the end; U1 in step 6 is only its two sockets.
"""


@dataclass(frozen=True, slots=True)
class OnTheBoard:
    """A picture of the finished carrier with some parts in colour: what a step measures, presses or plugs."""

    title: str
    refs: tuple[str, ...]
    with_pico: bool


ON_THE_BOARD: Final[Mapping[str, OnTheBoard]] = MappingProxyType(
    {
        "4-measure": OnTheBoard(
            "where step 4 measures: test points, jack, JP1, SW1 and the three lamps",
            (*_refs("TP", 1, 12), "J1", "JP1", "SW1", "D2", "D3", "D4"),
            with_pico=False,
        ),
        "5-flash": OnTheBoard("BOOTSEL on the Pico, and SW1", ("U1", "SW1"), with_pico=True),
        "6-connect": OnTheBoard(
            "where the cables go: readers J3 and J2, buttons J5 and J4, strips J7 and J6",
            _refs("J", 2, 7),
            with_pico=True,
        ),
    }
)

CLOSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "7-1": "the lid on its face, strip holders screwed on",
        "7-2": "readers in their cradles under the pads",
        "7-3": "carrier and button boards on their posts",
        "7-4": "the left wall: slots for plugs, switch, lamps and cable ties",
        "7-5": "caps from below, lid on, diffusers in",
    }
)
"""Pictures of step 7, by the number of its sentence."""
