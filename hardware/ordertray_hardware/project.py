"""Writes what must lie beside a schematic: the project file with its rules, and the tables of libraries."""

import json
from pathlib import Path
from typing import Any, Final

from ordertray_hardware.circuit import CLEARANCE_MM, TRACK_MM, VIA_HOLE_MM, VIA_MM, Board

SHARE: Final = Path("/usr/share/kicad")

_DESIGN_RULES: Final[dict[str, float]] = {
    "min_clearance": 0.2,
    # Not checked: a neck of the ground pour may be as narrow as it likes, tracks join all ground pads.
    "min_connection": 0.0,
    "min_copper_edge_clearance": 0.5,
    "min_hole_clearance": 0.25,
    "min_hole_to_hole": 0.25,
    "min_silk_clearance": 0.0,
    "min_text_height": 0.8,
    "min_text_thickness": 0.12,
    "min_through_hole_diameter": 0.3,
    "min_track_width": 0.2,
    "min_via_annular_width": 0.15,
    "min_via_diameter": 0.6,
    # Every ground pad is joined by a track as well, so one spoke of the pour is enough (and easier to solder).
    "min_resolved_spokes": 1,
    "solder_mask_to_copper_clearance": 0.0,
}
"""Wider than what cheap board houses ask for, so that any of them will do."""


def write_project(board: Board, folder: Path) -> None:
    """Write NAME.kicad_pro, sym-lib-table and fp-lib-table for `board` into `folder`."""
    net_class: dict[str, str | float] = {
        "name": "Default",
        "clearance": CLEARANCE_MM,
        "track_width": TRACK_MM,
        "via_diameter": VIA_MM,
        "via_drill": VIA_HOLE_MM,
        "priority": 2147483647,
        # In mils; without them the schematic's wires are drawn with no width at all.
        "wire_width": 6,
        "bus_width": 12,
        "line_style": 0,
    }
    project: dict[str, Any] = {
        "meta": {"filename": f"{board.name}.kicad_pro", "version": 3},
        "board": {"design_settings": {"rules": _DESIGN_RULES}},
        "net_settings": {"classes": [net_class], "meta": {"version": 4}},
    }
    text = json.dumps(project, indent=2, sort_keys=True) + "\n"
    (folder / f"{board.name}.kicad_pro").write_text(text, encoding="utf-8")
    symbols = sorted({part.symbol.split(":")[0] for part in board.parts} | {"power"})
    footprints = sorted({part.footprint.split(":")[0] for part in board.parts})
    _table(folder / "sym-lib-table", "sym_lib_table", {name: f"symbols/{name}.kicad_sym" for name in symbols})
    _table(folder / "fp-lib-table", "fp_lib_table", {name: f"footprints/{name}.pretty" for name in footprints})


def _table(path: Path, kind: str, libraries: dict[str, str]) -> None:
    rows = "".join(
        f'  (lib (name "{name}")(type "KiCad")(uri "{SHARE / place}")(options "")(descr ""))\n'
        for name, place in libraries.items()
    )
    path.write_text(f"({kind}\n  (version 7)\n{rows})\n", encoding="utf-8")
