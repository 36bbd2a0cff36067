"""Which pixel shows what: one table, read by the renderer, the terminal, the picture and the tests.

Two rows of 16 for each side. The upper row is the first group and the orders outside the pools; the lower row the
further groups and everything that calls for attention. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ordertray.messages import N_


@dataclass(frozen=True, slots=True)
class Field:
    """A run of pixels that shows one thing: `label` is short (below a pixel), `title` says it in full."""

    name: str
    first: int
    length: int
    label: str
    title: str

    @property
    def pixels(self) -> range:
        """The pixel numbers of the field."""
        return range(self.first, self.first + self.length)


FIELDS: Final = (
    Field("group1", 0, 10, N_("Group 1"), N_("Orders of combat group 1: Regular, then Irregular")),
    Field("lieutenant", 10, 2, N_("Lt"), N_("Lieutenant orders")),
    Field("tactical", 12, 2, N_("Tac"), N_("Tactical orders")),
    Field("turn", 14, 1, N_("Turn"), N_("Whose turn it is")),
    Field("link", 15, 1, N_("Link"), N_("Link to the tray")),
    Field("group2", 16, 10, N_("Group 2"), N_("Orders of combat group 2 and further ones")),
    Field("impetuous", 26, 2, N_("Imp"), N_("Impetuous orders")),
    Field("aro", 28, 2, N_("ARO"), N_("ARO window")),
    Field("retreat", 30, 1, N_("Ret"), N_("Retreat!")),
    Field("loss_of_lieutenant", 31, 1, N_("LoL"), N_("Loss of Lieutenant")),
)
FIELD: Final = {field.name: field for field in FIELDS}
ROWS: Final = (FIELDS[:5], FIELDS[5:])
