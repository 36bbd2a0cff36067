"""Copper that no design rule looks at, checked on the built boards; and the gerbers, read back by other software."""

import csv
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray_hardware import drawing
from ordertray_hardware.bill import ASSEMBLY_COLUMNS
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.circuit import REVISION


@pytest.fixture(scope="module")
def copper(in_workshop: Callable[[str], Any], outputs: Path) -> dict[str, dict[str, list[str]]]:
    """Board to the findings of each check."""
    found: dict[str, dict[str, list[str]]] = in_workshop(
        f"""
import pcbnew
from ordertray_hardware import copper
from ordertray_hardware.boards import BOARDS
result = {{}}
for name, board in BOARDS.items():
    made = pcbnew.LoadBoard({str(outputs / "boards")!r} + f"/{{name}}/{{name}}.kicad_pcb")
    result[name] = {{
        "metal": copper.under_metal(made), "rings": copper.thin_rings(made), "joints": copper.sharp_joints(made),
        "power": copper.broken_power_paths(board, made), "capacitors": copper.far_capacitors(made),
    }}
"""
    )
    return found


@pytest.mark.parametrize("check", ["metal", "rings", "joints", "power", "capacitors"])
@pytest.mark.parametrize("name", BOARDS)
def test_copper_is_as_it_should_be(name: str, check: str, copper: dict[str, dict[str, list[str]]]) -> None:
    assert copper[name][check] == []


def test_the_copper_checks_can_fail(in_workshop: Callable[[str], Any], outputs: Path) -> None:
    """A via under a tab, another under a screw, a fat drill, a sharp joint, a thinned power track: each is seen."""
    found = in_workshop(
        f"""
import pcbnew
from ordertray_hardware import copper
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.layout import point
made = pcbnew.LoadBoard({str(outputs / "boards/tray/tray.kicad_pcb")!r})
q1 = made.FindFootprintByReference("Q1")
hole = next(pad for pad in q1.Pads() if not pad.GetNumber())
def via(where):
    one = pcbnew.PCB_VIA(made)
    one.SetPosition(where)
    one.SetDrill(pcbnew.FromMM(0.4))
    one.SetWidth(pcbnew.FromMM(0.8))
    one.SetNet(made.FindNet("GND"))
    made.Add(one)
via(hole.GetPosition() - pcbnew.VECTOR2I_MM(6, 0))
via(made.FindFootprintByReference("H1").GetPosition() + pcbnew.VECTOR2I_MM(3, 0))
pad = next(iter(made.FindFootprintByReference("R1").Pads()))
pad.SetDrillSize(pcbnew.VECTOR2I_MM(1.4, 1.4))
for end in ((1.0, 0.0), (1.0, 0.3)):
    track = pcbnew.PCB_TRACK(made)
    track.SetStart(point(50, 40))
    track.SetEnd(point(50 + end[0], 40 + end[1]))
    track.SetNet(made.FindNet("GND"))
    track.SetLayer(pcbnew.F_Cu)
    made.Add(track)
for track in made.GetTracks():
    if track.GetNetname() == "DC_SAFE" and track.GetClass() == "PCB_TRACK":
        track.SetWidth(pcbnew.FromMM(0.3))
result = [copper.under_metal(made), copper.thin_rings(made), copper.sharp_joints(made),
          copper.broken_power_paths(BOARDS["tray"], made)]
"""
    )
    metal, rings, joints, power = found
    assert any(line.startswith("Q1") for line in metal) and any(line.startswith("H1") for line in metal)
    assert [line.split(":")[0] for line in rings] == ["R1 1"]
    assert any("GND at 50.00, 40.00: 17 degrees" in line for line in joints)
    assert any(line.startswith("DC_SAFE") for line in power)


@pytest.fixture(scope="module")
def read_back(in_workshop: Callable[[str], Any], outputs: Path) -> dict[str, dict[str, Any]]:
    """The archives as gerbonara reads them."""
    found: dict[str, dict[str, Any]] = in_workshop(
        f"""
import warnings
warnings.simplefilter("ignore")
from pathlib import Path
from gerbonara import LayerStack
result = {{}}
for name in {[*sorted(BOARDS), "tray-panel"]!r}:
    stack = LayerStack.open(Path({str(outputs / "fab")!r}) / name)
    (x0, y0), (x1, y1) = stack.outline.bounding_box()
    plated = [drill for layer in [stack.drill_pth] if layer for drill in layer.objects]
    unplated = [drill for layer in [stack.drill_npth] if layer for drill in layer.objects]
    result[name] = {{
        "size": [x1 - x0, y1 - y0],
        "layers": sorted(" ".join(key) for key in stack.graphic_layers),
        "objects": {{" ".join(key): len(layer.objects) for key, layer in stack.graphic_layers.items()}},
        "plated": len(plated), "unplated": len(unplated),
        "smallest": min(getattr(drill.aperture, "diameter", 9) for drill in plated),
        "inside": all(
            x0 <= getattr(d, "x", getattr(d, "x1", x0)) <= x1 and y0 <= getattr(d, "y", getattr(d, "y1", y0)) <= y1
            for d in plated + unplated
        ),
    }}
"""
    )
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_the_drawing_counts_the_holes_that_are_drilled(
    name: str, read_back: dict[str, dict[str, Any]], outputs: Path
) -> None:
    """Its drill table against gerbonara's reading of the same files, its hole list against the board's table."""
    found = {
        kind: drawing.drills((outputs / "fab" / name / f"{name}-{kind}.drl").read_text(encoding="utf-8"))
        for kind in ("PTH", "NPTH")
    }
    assert found["PTH"].total() == read_back[name]["plated"]
    assert found["NPTH"].total() == read_back[name]["unplated"]
    board = BOARDS[name]
    picture = drawing.svg(board, found["PTH"], found["NPTH"])
    for part in board.parts:
        if part.symbol == "Mechanical:MountingHole":
            assert f"({part.board.x_mm:g}, {part.board.y_mm:g})" in picture
    for word in (f"{board.width_mm:g}", f"{board.height_mm:g}", f"revision {REVISION}", "FR-4", "35 um"):
        assert word in picture
    assert (outputs / "fab" / f"{name}-drawing.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(ValueError, match="inches"):
        drawing.drills("M48\nINCH\n")


def test_the_panel_holds_a_tray_and_nothing_more(read_back: dict[str, dict[str, Any]], outputs: Path) -> None:
    """Carrier and two button boards: as many holes as they have together, as high as they are with two rails."""
    panel, tray, buttons = (read_back[name] for name in ("tray-panel", "tray", "buttons"))
    assert panel["size"][0] == pytest.approx(BOARDS["tray"].width_mm, abs=0.15)
    high = BOARDS["tray"].height_mm + 2 * BOARDS["buttons"].height_mm + 2 * 5.0
    assert panel["size"][1] == pytest.approx(high, abs=0.15)
    for kind in ("plated", "unplated"):
        assert panel[kind] == tray[kind] + 2 * buttons[kind]
    assert panel["inside"]
    # Four scored lines at the edges of the boards, where DRC keeps copper half a millimetre away.
    scores = (outputs / "fab" / "tray-panel" / "tray-panel-User_Comments.gbr").read_text(encoding="utf-8")
    lines = re.findall(r"X(-?\d+)Y(-?\d+)D02\*\nX(-?\d+)Y(-?\d+)D01\*", scores)
    level = {int(y0) / 1e6 for x0, y0, x1, y1 in lines if y0 == y1 and abs(int(x0) - int(x1)) > 100e6}
    tops = sorted(round(max(level) - y, 3) for y in level)
    assert tops == [0.0, 85.0, 111.0, 137.0]


@pytest.mark.parametrize("name", BOARDS)
def test_the_archive_is_read_back_by_other_software(
    name: str, read_back: dict[str, dict[str, Any]], outputs: Path
) -> None:
    board, seen = BOARDS[name], read_back[name]
    # The outline's stroke is 0.1 mm wide.
    assert seen["size"][0] == pytest.approx(board.width_mm, abs=0.15)
    assert seen["size"][1] == pytest.approx(board.height_mm, abs=0.15)
    for layer in ("top copper", "bottom copper", "top mask", "bottom mask", "top silk", "bottom silk"):
        assert seen["objects"].get(layer, 0) > 0, layer
    report = json.loads((outputs / "boards" / name / f"{name}.json").read_text(encoding="utf-8"))
    assert seen["plated"] > report["vias"] + sum(len(part.nets) for part in board.parts) - 1
    holes = sum(part.symbol == "Mechanical:MountingHole" for part in board.parts)
    assert seen["unplated"] >= holes
    assert seen["smallest"] >= 0.4 - 1e-6
    assert seen["inside"]


@pytest.mark.parametrize("name", BOARDS)
def test_plated_and_unplated_holes_come_apart_and_without_g85(name: str, outputs: Path) -> None:
    with zipfile.ZipFile(outputs / "fab" / f"{name}.zip") as packed:
        drills = {entry: packed.read(entry).decode() for entry in packed.namelist() if entry.endswith(".drl")}
    assert sorted(re.sub(r"^.*-", "", entry) for entry in drills) == ["NPTH.drl", "PTH.drl"]
    assert not any("G85" in text for text in drills.values())


@pytest.mark.parametrize("name", BOARDS)
def test_an_assembly_house_gets_its_two_lists(name: str, outputs: Path) -> None:
    folder = outputs / "fab" / "assembly"
    with (folder / f"{name}-bill.csv").open(newline="", encoding="utf-8") as file:
        bill = list(csv.DictReader(file))
    with (folder / f"{name}-positions.csv").open(newline="", encoding="utf-8") as file:
        places = list(csv.DictReader(file))
    assert tuple(bill[0]) == ASSEMBLY_COLUMNS
    assert list(places[0]) == ["Designator", "Mid X", "Mid Y", "Layer", "Rotation"]
    bought = {part.ref for part in BOARDS[name].parts if part.item}
    assert {row["Designator"] for row in places} == bought
    assert {ref for row in bill for ref in row["Designator"].split(",")} == bought
    assert all(row["Part Number"] for row in bill)
    for row in places:
        x, y = float(row["Mid X"]) - 40, -float(row["Mid Y"]) - 40
        assert -15 < x < BOARDS[name].width_mm + 15 and -15 < y < BOARDS[name].height_mm + 15, row
        assert row["Layer"] == ("Bottom" if BOARDS[name].part(row["Designator"]).board.back else "Top")


@pytest.mark.parametrize("name", BOARDS)
def test_a_page_shows_where_each_part_goes(name: str, outputs: Path) -> None:
    page = (outputs / "fab" / f"{name}-bill.html").read_text(encoding="utf-8")
    assert "pcbdata" in page
    assert (outputs / "fab" / f"{name}-drill-map.pdf").read_bytes().startswith(b"%PDF")
