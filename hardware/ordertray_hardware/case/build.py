"""Makes the case: STL and STEP of every part, pictures, and a report of all checks as JSON. Needs build123d."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import trimesh
from build123d import export_step

from ordertray_hardware.case import checks, envelopes, lamp_case
from ordertray_hardware.case.parameters import READERS, CaseParameters, faults
from ordertray_hardware.case.parts import Printed, printed_parts
from ordertray_hardware.case.render import Model, render

_COARSE: Final = (0.2, 0.5)
"""Distance and angle of triangulation for pictures."""
_TOUCHING_MM3: Final = 0.05
"""Faces that lie on each other share this much by rounding."""


def build_case(boards: Path, target: Path, p: CaseParameters | None = None) -> dict[str, Any]:
    """Build all parts into `target`, check them against the boards in `boards`, return the report.

    Raises ValueError when the parameters contradict themselves.
    """
    p = p or CaseParameters()
    if wrong := faults(p):
        raise ValueError("; ".join(wrong))
    target.mkdir(parents=True, exist_ok=True)
    parts = printed_parts(p)
    report: dict[str, Any] = {"parts": {}, "parameters": asdict(p)}
    in_place: dict[str, trimesh.Trimesh] = {}
    for part in parts:
        letters_from = p.height - p.letter_depth - 0.05 if part.name.startswith("lid") else float("inf")
        in_place[part.name], report["parts"][part.name] = _write(part, target, letters_from, p.steepest_deg)
    report["fit"] = _fit(p, parts, boards)
    own, foreign = checks.stray_light(in_place["lid"], p)
    report["light"] = {"own": own, "foreign": foreign}
    _pictures(p, parts, boards, target)
    (target / "report.json").write_text(json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return report


def build_lamp_case(built: Path, target: Path) -> dict[str, Any]:
    """Build the lamp board's case for the board in `built` into `target`, check it and draw it; return the report."""
    target.mkdir(parents=True, exist_ok=True)
    parts = lamp_case.printed_parts()
    report: dict[str, Any] = {"parts": {}}
    letters_from = lamp_case.height() - lamp_case.LETTER_DEPTH - 0.05
    for part in parts:
        is_lid = part.name == "lamp-lid"
        _mesh, report["parts"][part.name] = _write(part, target, letters_from if is_lid else float("inf"), 45.0)
    inside = lamp_case.board_solids(built)
    bodies = [checks.Body(f"{part.name} {n}", shape) for part in parts for n, shape in enumerate(part.copies, 1)]
    things = [checks.Body(f"board and its parts {n}", shape) for n, (shape, _colour) in enumerate(inside)]
    pairs = checks.overlaps(bodies, things)
    for index, one in enumerate(bodies):
        pairs += checks.overlaps([one], bodies[index + 1 :])
    report["fit"] = checks.names(pair for pair in pairs if pair.volume_mm3 > _TOUCHING_MM3)
    assembled, exploded = [], []
    for part in parts:
        for shape in part.copies:
            triangles = checks.mesh_of(shape, *_COARSE).triangles
            assembled.append(Model(triangles, part.colour))
            exploded.append(Model(triangles + np.array([0, 0, part.lift * 1.5]), part.colour))
    for shape, colour in inside:
        for solid in shape.solids():
            exploded.append(Model(checks.mesh_of(solid, *_COARSE).triangles + np.array([0, 0, 18]), colour))
    render(assembled, target / "lamp-assembled.png", width=900, azimuth_deg=-68, elevation_deg=48)
    render(exploded, target / "lamp-exploded.png", width=800, azimuth_deg=-58, elevation_deg=24)
    (target / "lamp-report.json").write_text(json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return report


def _write(part: Printed, target: Path, letters_from: float, steepest_deg: float) -> tuple[trimesh.Trimesh, Any]:
    """Write a part's STL and STEP as it is printed; return its mesh in place and what was found on it."""
    mesh = checks.mesh_of(part.shape)
    printed = mesh.copy()
    if part.upside_down:
        printed.apply_transform(np.diag([1.0, -1.0, -1.0, 1.0]))
    # Before the checks: they leave normals behind that the file would take, bits apart from fresh ones.
    lying = printed.copy()
    printed.apply_translation(-np.array([*printed.bounds.mean(axis=0)[:2], printed.bounds[0][2]]))
    (target / f"{part.name}.stl").write_bytes(printed.export(file_type="stl"))
    export_step(part.shape, str(target / f"{part.name}.step"), timestamp="2026-01-01T00:00:00")
    return mesh, _examine(part, mesh, lying, letters_from, steepest_deg)


def _examine(
    part: Printed, mesh: trimesh.Trimesh, printed: trimesh.Trimesh, letters_from: float, steepest_deg: float
) -> dict[str, Any]:
    thickness, place = checks.thinnest_wall(mesh, letters_from)
    return {
        "count": part.count,
        "size_mm": [round(float(side), 2) for side in mesh.extents],
        "volume_cm3": round(float(mesh.volume) / 1000, 2),
        "watertight": bool(mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0),
        "bodies": int(mesh.body_count),
        "triangles": len(mesh.faces),
        "overhangs": [asdict(patch) for patch in checks.overhangs(printed, steepest_deg)],
        "thinnest_mm": round(thickness, 3),
        "thinnest_at": place,
    }


def _fit(p: CaseParameters, parts: tuple[Printed, ...], boards: Path) -> dict[str, list[str]]:
    """For each kind of reader, what shares room with what (empty lists are what we want)."""
    common = [*envelopes.boards(p, boards), *envelopes.strips(p), *envelopes.plugs(p), *envelopes.tokens(p)]
    things = [checks.Body(one.name, one.shape) for one in common]
    bodies = {
        part.name: [checks.Body(f"{part.name} {n}", shape) for n, shape in enumerate(part.copies, 1)] for part in parts
    }
    fit = {}
    for reader in READERS:
        printed = [
            body
            for name, copies in bodies.items()
            if not name.startswith("reader-cradle") or name.endswith(reader.name)
            for body in copies
        ]
        everything = [*printed, *things, *(checks.Body(one.name, one.shape) for one in envelopes.readers(p, reader))]
        pairs: list[checks.Overlap] = []
        for index, one in enumerate(everything):
            pairs += checks.overlaps([one], everything[index + 1 :])
        fit[reader.name] = checks.names(pair for pair in pairs if pair.volume_mm3 > _TOUCHING_MM3)
    return fit


def _pictures(p: CaseParameters, parts: tuple[Printed, ...], boards: Path, target: Path) -> None:
    used = [part for part in parts if not part.name.endswith("mfrc522")]
    things = [*envelopes.boards(p, boards), *envelopes.readers(p, READERS[0]), *envelopes.strips(p)]
    assembled: list[Model] = []
    exploded: list[Model] = []

    def add(triangles: Any, colour: tuple[int, int, int], lift: float) -> None:
        assembled.append(Model(triangles, colour))
        exploded.append(Model(triangles + np.array([0, 0, lift * 1.5]), colour))

    for part in used:
        for shape in part.copies:
            mesh = checks.mesh_of(shape, *_COARSE)
            add(mesh.triangles, part.colour, part.lift)
    for thing in things:
        for solid in thing.shape.solids():
            add(checks.mesh_of(solid, *_COARSE).triangles, thing.colour, thing.lift)
    discs = [checks.mesh_of(solid).triangles for solid in envelopes.tokens(p)[0].shape.solids()]
    assembled += [Model(triangles, (86, 150, 96)) for triangles in discs[: len(discs) // 2] + discs[-1:]]
    render(assembled, target / "assembled.png", width=1100, azimuth_deg=-68, elevation_deg=48)
    render(exploded, target / "exploded.png", width=900, azimuth_deg=-58, elevation_deg=24)
