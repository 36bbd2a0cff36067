"""A tray's three boards on one panel: carrier and two button boards one above the other, rails above and below.

All three are equally wide, so straight scored lines part them. The panel is put together from the built boards with
KiKit, which keeps their copper as it is, and exported like them. Needs `pcbnew` and KiKit.
"""

import sys
from pathlib import Path
from typing import Final

import pcbnew
from kikit.panelize import Origin, Panel

from ordertray_hardware.boards import BOARDS, SETS
from ordertray_hardware.fabrication import SCORES_LAYER, check_panel, plot

RAIL_MM: Final = 5.0
NAME: Final = "tray-panel"


def boards_on_panel() -> list[str]:
    """Names from above to below, each as often as a tray needs it."""
    return [name for name in SETS["tray"] for _copy in range(BOARDS[name].copies)]


def cuts_mm() -> list[float]:
    """Where the panel is scored: distances from its upper edge to the edges of boards."""
    places = [RAIL_MM]
    for name in boards_on_panel():
        places.append(round(places[-1] + BOARDS[name].height_mm, 3))
    return places


def size_mm() -> tuple[float, float]:
    """Width and height of the panel."""
    widths = {BOARDS[name].width_mm for name in boards_on_panel()}
    if len(widths) != 1:
        raise ValueError(f"boards of a panel must be equally wide: {sorted(widths)}")
    return widths.pop(), cuts_mm()[-1] + RAIL_MM


def make_panel(built: Path, folder: Path) -> Path:
    """Write the panel of the boards in `built`/NAME as `folder`/tray-panel.kicad_pcb, checked; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{NAME}.kicad_pcb"
    pcbnew.KIID.SeedGenerator(1)
    first = built / "tray" / "tray.kicad_pcb"
    panel = Panel(str(target))
    panel.inheritDesignSettings(pcbnew.LoadBoard(str(first)))
    panel.inheritProperties(pcbnew.LoadBoard(str(first)))
    for name, top_mm in zip(boards_on_panel(), cuts_mm(), strict=False):
        panel.appendBoard(
            str(built / name / f"{name}.kicad_pcb"), pcbnew.VECTOR2I_MM(40.0, 40.0 + top_mm), origin=Origin.TopLeft,
            tolerance=pcbnew.FromMM(10), netRenamer=_net, refRenamer=_reference, inheritDrc=False,
        )  # fmt: skip
    panel.makeRailsTb(pcbnew.FromMM(RAIL_MM))
    for place_mm in cuts_mm():
        panel.addVCutH(pcbnew.FromMM(40.0 + place_mm))
    panel.save(reconstructArcs=True)
    check_panel(target)
    return target


def _net(board: int, net: str) -> str:
    return f"{board}-{net}"


def _reference(_board: int, reference: str) -> str:
    """As it is: what is printed on a board must be what the guide says."""
    return reference


if __name__ == "__main__":
    try:
        built, target = Path(sys.argv[1]), Path(sys.argv[2])
        plot(make_panel(built, built / "panel"), target, SCORES_LAYER)
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
