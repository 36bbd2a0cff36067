"""Which rhythm each lamp on the Pi's pins keeps for a table: single lamps and bars. Pure.

The same facts as the pixel strip, said with lamps that have one colour and no dim: a spent order is dark, and Irregular
orders have a bar of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ordertray.lights.bars import CellKind, Segment, pack
from ordertray.lights.pins import BARS, LAMPS, Bar
from ordertray.lights.rhythm import Rhythm
from ordertray.lights.state import SIDES, SideState, TableState, Turn

_TURN_RHYTHMS: Final[dict[Turn, Rhythm]] = {
    "none": Rhythm.OFF,
    "ready": Rhythm.STEADY,
    "order": Rhythm.BLINK,
    "housekeeping": Rhythm.PULSE,
}
_CELL_RHYTHMS: Final = {CellKind.LEFT: Rhythm.STEADY, CellKind.MORE: Rhythm.BLINK}


def lamp_rhythms(table: TableState) -> dict[str, Rhythm]:
    """The rhythm of every single lamp, by its name in `pins.LAMPS`."""
    rhythms: dict[str, Rhythm] = {}
    for name in SIDES:
        side = table.side(name)
        rhythms[f"{name}.aro"] = Rhythm.PULSE if side.aro_open else Rhythm.OFF
        rhythms[f"{name}.retreat"] = Rhythm.ALARM if side.retreat else Rhythm.OFF
        # Retreat brings Loss of Lieutenant (RET-03).
        lost = side.loss_of_lieutenant or side.retreat
        rhythms[f"{name}.loss_of_lieutenant"] = Rhythm.STEADY if lost else Rhythm.OFF
        rhythms[f"{name}.active"] = Rhythm.FLASH if table.over else _TURN_RHYTHMS[side.turn]
    rhythms["link"] = _link_rhythm(table)
    assert set(rhythms) == {lamp.name for lamp in LAMPS}
    return rhythms


def _link_rhythm(table: TableState) -> Rhythm:
    """One lamp for both sides: the worse one counts."""
    states = {table.a.link, table.b.link} - {"absent"}
    if not states:
        return Rhythm.OFF
    if "offline" in states:
        return Rhythm.BLINK
    return Rhythm.STEADY if states == {"online"} else Rhythm.PULSE


def bar_rhythms(table: TableState, bars: Sequence[Bar] = BARS) -> list[Rhythm]:
    """The rhythm of every output of the chain, bar after bar."""
    rhythms: list[Rhythm] = []
    for bar in bars:
        seat, _, what = bar.name.partition(".")
        side = table.a if seat == "A" else table.b
        segments = [] if table.over else _segments(side, what)
        rhythms += [_CELL_RHYTHMS.get(cell.what, Rhythm.OFF) for cell in pack(segments, bar.length)]
    return rhythms


def _segments(side: SideState, what: str) -> list[Segment]:
    if what == "irregular":
        return [Segment(group.name, what, group.irregular) for group in side.groups]
    if what == "lieutenant":
        return [Segment("", what, side.lieutenant)]
    if what == "tactical":
        return [Segment("", what, side.tactical)]
    groups = side.first_group if what == "group1" else side.further_groups
    return [Segment(group.name, "regular", group.regular) for group in groups]
