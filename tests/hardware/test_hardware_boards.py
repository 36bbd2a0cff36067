"""The boards as KiCad sees them: no finding at any severity, wide enough tracks, the same bytes every time."""

import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray_hardware.boards import BOARDS
from ordertray_hardware.circuit import TRACK_MM
from ordertray_hardware.sexpr import Text, Tree, dump, parse


@pytest.mark.parametrize("name", BOARDS)
def test_no_finding_at_any_severity(name: str, outputs: Path) -> None:
    folder = outputs / "boards" / name
    erc = (folder / "erc.rpt").read_text(encoding="utf-8")
    drc = (folder / "drc.rpt").read_text(encoding="utf-8")
    for report in (erc, drc):
        assert "Report includes: Errors, Warnings, Exclusions" in report
    assert re.search(r"ERC messages: 0 +Errors 0 +Warnings 0", erc)
    assert "Found 0 DRC violations" in drc
    assert "Found 0 unconnected pads" in drc
    assert "Found 0 Footprint errors" in drc


@pytest.mark.parametrize("name", BOARDS)
def test_rules_that_the_checks_go_by_are_not_switched_off(name: str, outputs: Path) -> None:
    project = json.loads((outputs / "boards" / name / f"{name}.kicad_pro").read_text(encoding="utf-8"))
    assert "rule_severities" not in project["board"]["design_settings"]
    assert "erc" not in project
    assert project["board"]["design_settings"]["rules"]["min_clearance"] >= 0.2


@pytest.mark.parametrize("name", BOARDS)
def test_tracks_are_as_wide_as_asked(name: str, outputs: Path) -> None:
    report = json.loads((outputs / "boards" / name / f"{name}.json").read_text(encoding="utf-8"))
    board = BOARDS[name]
    for net, narrowest in report["narrowest_mm"].items():
        # A net with thin branches is wide where it counts: see test_hardware_copper.py.
        thin = any(net in board.part(ref).nets.values() for ref, _pin in board.thin_pins)
        assert narrowest >= (TRACK_MM if thin else board.track_widths_mm.get(net, TRACK_MM)), net
    # KiCad itself ties a header's two pins of the same unused supply together.
    routed = {net for net in report["narrowest_mm"] if not net.startswith("unconnected-")}
    assert routed == {net for net, ends in board.nets().items() if len(ends) > 1}


def test_the_same_table_gives_the_same_bytes(in_workshop: Callable[[str], Any], outputs: Path, tmp_path: Path) -> None:
    """Schematic, netlist-driven board and fabrication files of the button board, built again elsewhere."""
    result = in_workshop(
        f"""
from pathlib import Path
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.fabrication import build_board, fabricate
folder = Path({str(tmp_path)!r})
build_board(BOARDS["buttons"], folder / "boards" / "buttons")
fabricate(BOARDS["buttons"], folder / "boards" / "buttons", folder / "fab")
result = "built"
""",
    )
    assert result == "built"
    for name in ("boards/buttons/buttons.kicad_sch", "boards/buttons/buttons.kicad_pcb", "fab/buttons.zip"):
        again, before = (hashlib.sha256((root / name).read_bytes()).hexdigest() for root in (tmp_path, outputs))
        assert again == before, name


@pytest.mark.parametrize("name", BOARDS)
def test_the_board_house_gets_all_layers(name: str, outputs: Path) -> None:
    with zipfile.ZipFile(outputs / "fab" / f"{name}.zip") as packed:
        names = packed.namelist()
        text = "".join(packed.read(entry).decode() for entry in names)
    for layer in ("F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Silkscreen", "B_Silkscreen", "Edge_Cuts"):
        assert any(layer in entry for entry in names), layer
    assert any(entry.endswith(".drl") for entry in names)
    assert set(re.findall(r"\d{4}-\d\d-\d\dT", text)) <= {"2026-01-01T"}


def test_a_board_with_a_fault_does_not_get_through(in_workshop: Callable[[str], Any], tmp_path: Path) -> None:
    """The gate must be able to close: one key on top of another, and a net that KiCad's rules refuse."""
    result = in_workshop(
        f"""
from dataclasses import replace
from pathlib import Path
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.fabrication import CheckFailedError, build_board
board = BOARDS["buttons"]
on_top = tuple(replace(p, board=replace(board.part("SW1").board, x_mm=board.part("SW1").board.x_mm + 3))
               if p.ref == "SW2" else p for p in board.parts)
unfed = replace(board, flags=())
result = []
for number, wrong in enumerate((replace(board, parts=on_top), unfed)):
    try:
        build_board(wrong, Path({str(tmp_path)!r}) / "boards" / str(number))
        result.append("passed")
    except CheckFailedError as error:
        result.append(str(error))
    except Exception as error:
        result.append(type(error).__name__ + str(error))
""",
    )
    assert "passed" not in result
    assert "power_pin_not_driven" in result[1]


def test_kicads_format_survives_reading_and_writing() -> None:
    numbers: Tree = []
    for number in range(40):
        numbers.append(["d", str(number)])
    tree: Tree = ["a", Text('quoted "word" \\ and (brackets)'), ["b", "1.5", Text("")], ["c", *numbers]]
    assert parse(dump(tree)) == tree
    for broken in ("(a", "a)", "(a) (b)", ""):
        with pytest.raises(ValueError):
            parse(broken)
