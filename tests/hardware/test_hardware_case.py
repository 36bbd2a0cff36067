"""The case: parameters that fit together, parts that print, room for everything, no stray light."""

import hashlib
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from ordertray_hardware import tables, tray_board
from ordertray_hardware.case.parameters import CaseParameters, faults
from ordertray_hardware.catalogue import BESIDE_THE_CIRCUIT

P = CaseParameters()


@pytest.fixture(scope="module")
def report(outputs: Path) -> dict[str, Any]:
    """The report of the build."""
    found: dict[str, Any] = json.loads((outputs / "case" / "report.json").read_text(encoding="utf-8"))
    return found


def test_the_parameters_agree_with_each_other() -> None:
    assert faults(P) == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"width": 216.0}, "brim"),
        ({"channel": 6.5}, "between pixels"),
        ({"channel": 4.5}, "narrower than the pixels"),
        ({"pad_thickness": 1.0}, "ring"),
        ({"well_depth": 4.5}, "wells"),
        ({"well_diameter": 24.0}, "tokens"),
        ({"inside_height": 12.0}, "button boards"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(change: dict[str, float], word: str) -> None:
    found = faults(replace(P, **change))  # type: ignore[arg-type]
    assert any(word in fault for fault in found), found


def test_a_token_comes_close_enough_to_the_antenna() -> None:
    """Makers promise 20 mm and more with 25 mm tags; the case takes the smaller part of it."""
    assert P.pad_thickness <= 1.2
    assert P.token_to_antenna <= 5.0


def test_pixels_lie_at_the_pitch_of_the_strip() -> None:
    places = [P.pixel_place(index) for index in range(32)]
    for row in (places[:16], places[16:]):
        for first, second in itertools.pairwise(row):
            assert second[0] - first[0] == pytest.approx(1000 / 144)
    assert {y for _x, y in places[:16]} == {P.strips[1] - P.row_pitch / 2}
    assert {y for _x, y in places[16:]} == {P.strips[1] + P.row_pitch / 2}


def test_the_report_is_of_these_parameters(report: dict[str, Any]) -> None:
    assert report["parameters"] == json.loads(json.dumps(asdict(P)))


def test_every_part_is_one_closed_body_that_fits_the_bed(report: dict[str, Any]) -> None:
    assert {"base", "lid", "diffuser", "strip-holder", "button-cap"} < set(report["parts"])
    for name, part in report["parts"].items():
        assert part["watertight"], name
        assert part["bodies"] == 1, name
        assert part["size_mm"][0] <= P.bed and part["size_mm"][1] <= P.bed, name


def test_nothing_needs_support(report: dict[str, Any]) -> None:
    for name, part in report["parts"].items():
        for patch in part["overhangs"]:
            assert not patch["sloping"], (name, patch)
            assert patch["bridge_mm"] <= P.longest_bridge, (name, patch)


def test_no_wall_is_too_thin(report: dict[str, Any]) -> None:
    for name, part in report["parts"].items():
        assert part["thinnest_mm"] >= P.thinnest - 0.01, (name, part["thinnest_at"])


LAMP_REPORT_PARTS = {"lamp-tub", "lamp-lid", "lamp-diffuser-outer", "lamp-diffuser-inner", "lamp-diffuser-link"}


def test_the_lamp_boards_case_prints_and_holds_it(outputs: Path) -> None:
    """Board with sockets, shunts, the ribbon's plug and a HAT below it; no support, no wall too thin."""
    found = json.loads((outputs / "case" / "lamp-report.json").read_text(encoding="utf-8"))
    assert set(found["parts"]) == LAMP_REPORT_PARTS
    assert found["fit"] == []
    for name, part in found["parts"].items():
        assert part["watertight"] and part["bodies"] == 1, name
        assert part["thinnest_mm"] >= P.thinnest - 0.01, (name, part["thinnest_at"])
        for patch in part["overhangs"]:
            assert not patch["sloping"] and patch["bridge_mm"] <= P.longest_bridge, (name, patch)


def test_each_lamp_has_its_chamber(in_workshop: Callable[[str], Any]) -> None:
    """73 lamps, each in the middle of its own bore, within a diffuser; bores keep a wall between them."""
    found = in_workshop(
        """
from ordertray_hardware.case import lamp_case
lamps = [(lamp.x, lamp.y, lamp.bore) for lamp in lamp_case.lamps()]
fields = [(one.left, one.low, one.right, one.high) for one in lamp_case.fields()]
result = [lamps, fields]
"""
    )
    lamps, fields = found
    assert len(lamps) == 73
    for index, (x, y, bore) in enumerate(lamps):
        assert (
            sum(left < x - bore / 2 and x + bore / 2 < right and low < y < high for left, low, right, high in fields)
            == 1
        )
        for u, v, other in lamps[index + 1 :]:
            assert math.dist((x, y), (u, v)) - bore / 2 - other / 2 >= P.thinnest


def test_the_lids_halves_are_the_lid(report: dict[str, Any]) -> None:
    """Together as much plastic as the whole one, but for the play of the tongue; each fits half a bed."""
    parts = report["parts"]
    halves = parts["lid-half-a"]["volume_cm3"] + parts["lid-half-b"]["volume_cm3"]
    assert halves == pytest.approx(parts["lid"]["volume_cm3"], rel=0.005)
    for name in ("lid-half-a", "lid-half-b"):
        assert parts[name]["size_mm"][1] < 102


def test_everything_has_room(report: dict[str, Any]) -> None:
    assert report["fit"] == {"pn532": [], "mfrc522": []}


def test_the_pico_stands_as_high_as_its_parts() -> None:
    """Socket, plastic of the Pico's own header, board, USB socket; the plug comes through its slot with room below."""
    assert pytest.approx(8.5 + 2.54 + 1.0 + 2.8) == tray_board.PICO_HEIGHT_MM
    plug_middle = P.carrier_top + tray_board.PICO_HEIGHT_MM - tray_board.PICO_USB_MM / 2
    assert plug_middle - 4.0 > P.usb_slot_bottom
    assert plug_middle + 4.0 < P.lid_bottom


def test_bootsel_is_reached_through_the_lid() -> None:
    """The hole stands over the key, away from wells, screws and the edge."""
    x, y = P.carrier_point(*P.bootsel)
    for well_x, well_y in P.well_places():
        assert math.dist((x, y), (well_x, well_y)) > P.well_diameter / 2 + P.bootsel_hole / 2 + P.thinnest
    assert abs(x) + P.bootsel_hole / 2 < P.width / 2 - P.wall


def test_light_stays_in_its_channel(report: dict[str, Any]) -> None:
    assert report["light"] == {"own": 1.0, "foreign": 0.0}


def test_the_checks_can_fail(in_workshop: Callable[[str], Any]) -> None:
    """Two boxes in one place, a table top, a thin plate, a lid without walls: each check must see its fault."""
    found = in_workshop(
        """
from build123d import Align, Box, Pos
from ordertray_hardware.case import checks
from ordertray_hardware import tables, tray_board
from ordertray_hardware.catalogue import BESIDE_THE_CIRCUIT
from ordertray_hardware.case.parameters import CaseParameters
one, other = checks.Body("one", Box(10, 10, 10)), checks.Body("other", Pos(5, 0, 0) * Box(10, 10, 10))
apart = checks.Body("apart", Pos(30, 0, 0) * Box(10, 10, 10))
table = checks.mesh_of(Box(6, 6, 20) + Pos(0, 0, 12) * Box(40, 40, 4))
bridge = checks.overhangs(table, 45)
thin = checks.mesh_of(Box(30, 30, 0.5))
p = CaseParameters()
slab = Pos(0, 0, p.height + 3) * Box(200, 200, 1)
result = {
    "shared": [pair.volume_mm3 for pair in checks.overlaps([one], [other, apart])],
    "bridge": [patch.bridge_mm for patch in bridge],
    "thin": checks.thinnest_wall(thin, samples=2000)[0],
    "light": checks.stray_light(checks.mesh_of(slab), p),
}
""",
    )
    assert found["shared"] == [pytest.approx(500, abs=0.1)]
    assert found["bridge"] == [pytest.approx(40, abs=0.1)]
    assert found["thin"] == pytest.approx(0.5, abs=0.01)
    assert found["light"] == [1.0, 1.0]


def test_the_same_parameters_give_the_same_files(in_workshop: Callable[[str], Any], outputs: Path) -> None:
    """The strip holder, made again: identical STL bytes."""
    digest = in_workshop(
        """
import hashlib
import numpy as np
from ordertray_hardware.case import checks
from ordertray_hardware import tables, tray_board
from ordertray_hardware.catalogue import BESIDE_THE_CIRCUIT
from ordertray_hardware.case.parameters import CaseParameters
from ordertray_hardware.case.parts import make_holder
mesh = checks.mesh_of(make_holder(CaseParameters()))
mesh.apply_translation(-np.array([*mesh.bounds.mean(axis=0)[:2], mesh.bounds[0][2]]))
result = hashlib.sha256(mesh.export(file_type="stl")).hexdigest()
""",
    )
    assert digest == hashlib.sha256((outputs / "case" / "strip-holder.stl").read_bytes()).hexdigest()


def test_print_times_are_of_these_parts(report: dict[str, Any], outputs: Path) -> None:
    """The slicer runs on request only (`make slice`); what it said must be about the parts as they are now."""
    slices = json.loads(tables.SLICES.read_text(encoding="utf-8"))
    lamps = json.loads((outputs / "case" / "lamp-report.json").read_text(encoding="utf-8"))
    parts = {**report["parts"], **lamps["parts"]}
    assert set(slices) == set(parts)
    for name, part in parts.items():
        assert slices[name]["pieces"] == part["count"], name
        assert slices[name]["volume_cm3"] == pytest.approx(part["volume_cm3"], rel=0.01), f"{name}: run make slice"
        left, top, right, bottom = slices[name]["room_mm"]
        assert left >= 0 and top >= 0 and right <= P.bed and bottom <= P.bed, name
    halves = slices["lid-half-a"]["minutes"], slices["lid-half-b"]["minutes"]
    assert max(halves) < 0.6 * slices["lid"]["minutes"], "a failed half costs half"
    grams = {name: part["pieces"] * part["grams"] for name, part in slices.items() if name not in tables.NOT_IN_A_TRAY}
    assert sum(g for name, g in grams.items() if name.startswith("lamp-")) <= BESIDE_THE_CIRCUIT["lamps"]["filament"]
    tray = sum(g for name, g in grams.items() if not name.startswith("lamp-"))
    assert tray <= BESIDE_THE_CIRCUIT["tray"]["filament"]
