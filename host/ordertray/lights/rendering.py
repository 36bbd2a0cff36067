"""`render`: from the public view and the link to the frame that all lamps show. One pure function, no clock.

What a player must see from across the table, and by what besides colour:

- Orders left are bright and stand first; a spent one stays as a dim pixel; where no order ever was it is dark.
  Green Regular, then - after one dark pixel where there is room - yellow Irregular orders of the same group (ORD-03).
  The dark pixel stands before them even if there are no Regular ones: who cannot tell green from yellow goes by that.
- The turn pixel is lit on one side only: steady = an order may be spent, blinking = an order is running, pulsing = that
  side has to move the game on (a phase without orders, or its turn waits to be begun). Red instead
  of white while that side is in Retreat, orange in the Impetuous Phase.
- The ARO pair is lit on the reactive side only, pulsing while the window is open; its second pixel stands still once an
  ARO is declared. So active and reactive lamps are never alike.
- Retreat blinks red in the corner, and Loss of Lieutenant (which it brings, RET-03) stands beside it.
- A pulsing pixel at the end of a row of orders: there are more than fit.
- What the table asks of a side: the ARO pair flashes white while the first of two touches waits for its second.
  Whatever is quick asks "once more?": the pair, of the disc just laid down; the orders left, of ending their phase;
  the spent ones, of a disc spent before. A quick turn pixel: the clock runs low. Both upper bars run: may the last
  touch be taken back?
- While it is nobody's turn, and nobody's next, both turn pixels are dim; after the game the bars chase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from ordertray.lights.bars import Cell, CellKind, Segment, pack
from ordertray.lights.frame import OFF, PIXELS, LampFrame, Pixel, Strip
from ordertray.lights.layout import FIELD
from ordertray.lights.state import FIRST_GROUP, Count, Group, LinkState, SideState, TableState, read_view

ORDER_COLOURS: Final = {
    "regular": "g",
    "irregular": "y",
    "lieutenant": "p",
    "tactical": "b",
    "impetuous": "o",
}
_CELL_EFFECTS: Final = {CellKind.LEFT: "s", CellKind.SPENT: "d", CellKind.MORE: "p"}
_LINK_PIXELS: Final[Mapping[LinkState, Pixel]] = {
    "online": Pixel("g", "s"),
    "stale": Pixel("o", "p"),
    "fault": Pixel("o", "b"),
    "offline": Pixel("r", "b"),
    "absent": OFF,
}
_AFTER_THE_GAME: Final = Pixel("w", "c")
_TURN_EFFECTS: Final = {"ready": "s", "order": "b", "housekeeping": "p"}


def render(
    view: Mapping[str, object], link: Mapping[str, str], asks: Mapping[str, str] = MappingProxyType({})
) -> LampFrame:
    """Render a public view (JSON of design.md), the link states and what is asked of both seats to both strips.

    `link`, `asks`: see `ordertray.lights.state.read_view`. Raises ValueError for a link state that is none.
    """
    return render_state(read_view(view, link, asks))


def render_state(table: TableState) -> LampFrame:
    """Render a `TableState`; `render` without the reading of the view."""
    return LampFrame(_strip(table.a, table), _strip(table.b, table), table)


def _strip(side: SideState, table: TableState) -> Strip:
    pixels = [OFF] * PIXELS
    if table.over:
        for name in ("group1", "group2"):
            _fill(pixels, name, (_AFTER_THE_GAME,) * FIELD[name].length)
    else:
        _fill(pixels, "group1", _bar(FIELD["group1"].length, _parts(side.first_group)))
        _fill(pixels, "group2", _bar(FIELD["group2"].length, _parts(side.further_groups)))
        for name, count in (
            ("lieutenant", side.lieutenant), ("tactical", side.tactical), ("impetuous", side.impetuous)
        ):  # fmt: skip
            _fill(pixels, name, _bar(FIELD[name].length, (("", name, count.total, count.left),)))
    pixels[FIELD["turn"].first] = _turn_pixel(side, table)
    pixels[FIELD["link"].first] = _LINK_PIXELS[side.link]
    if side.aro_open:
        _fill(pixels, "aro", (Pixel("c", "p"), Pixel("c", "s" if side.aro_declared else "p")))
    if side.retreat:
        pixels[FIELD["retreat"].first] = Pixel("r", "b")
    # Retreat brings Loss of Lieutenant (RET-03), whatever order the two are announced in.
    if side.loss_of_lieutenant or side.retreat:
        pixels[FIELD["loss_of_lieutenant"].first] = Pixel("o", "s")
    if side.asks and not table.over:
        _ask(pixels, side.asks)
    return tuple(pixels)


def _ask(pixels: list[Pixel], asks: str) -> None:
    """Lay what is asked over what the strip shows."""
    what, *which = asks.split()
    if what in ("touch", "again"):
        _fill(pixels, "aro", (Pixel("w", "f" if what == "touch" else "q"),) * FIELD["aro"].length)
    elif what == "consent":
        _fill(pixels, "group1", (Pixel("p", "c"),) * FIELD["group1"].length)
    elif what == "orders":
        for name in ("group1", "group2", "lieutenant", "tactical"):
            _quicken(pixels, name, "s")
    elif what == "spent":
        kind, *group = which
        name = kind if kind == "lieutenant" else "group1" if group == [FIRST_GROUP] else "group2"
        _quicken(pixels, name, "d")
    elif what == "time":
        turn = FIELD["turn"].first
        pixels[turn] = Pixel(pixels[turn].colour if pixels[turn] != OFF else "w", "q")


def _quicken(pixels: list[Pixel], name: str, effect: str) -> None:
    """The pixels of a field that have this effect, but for borders, ask once more."""
    for place in FIELD[name].pixels:
        if pixels[place].effect == effect and pixels[place].colour != "w":
            pixels[place] = Pixel(pixels[place].colour, "q")


def _fill(pixels: list[Pixel], name: str, shown: Strip) -> None:
    first = FIELD[name].first
    pixels[first : first + len(shown)] = shown


def _parts(groups: Sequence[Group]) -> tuple[tuple[str, str, int, int], ...]:
    """The segments of these groups as plain values."""
    return tuple((s.group, s.kind, s.count.total, s.count.left) for group in groups for s in group_segments(group))


# A tap changes one bar, and the counts on a table are few: most bars have been drawn before.
@lru_cache(maxsize=512)
def _bar(length: int, parts: tuple[tuple[str, str, int, int], ...]) -> Strip:
    """A bar of `length` pixels with the segments (group, kind, total, left)."""
    segments = [Segment(group, kind, Count(total, left)) for group, kind, total, left in parts]
    return tuple(_cell_pixel(cell) for cell in pack(segments, length, apart="irregular"))


def group_segments(group: Group) -> list[Segment]:
    """The two segments of a combat group's bar."""
    kinds: tuple[tuple[str, Count], ...] = (("regular", group.regular), ("irregular", group.irregular))
    return [Segment(group.name, kind, count) for kind, count in kinds]


def _cell_pixel(cell: Cell) -> Pixel:
    if cell.what is CellKind.BORDER:
        return Pixel("w", "d")
    if cell.kind:
        return Pixel(ORDER_COLOURS[cell.kind], _CELL_EFFECTS[cell.what])
    return OFF


def _turn_pixel(side: SideState, table: TableState) -> Pixel:
    if table.waiting:
        return Pixel("w", "d")
    if side.turn == "none":
        return OFF
    colour = "r" if side.retreat else "o" if table.phase == "impetuous" else "w"
    return Pixel(colour, _TURN_EFFECTS[side.turn])
