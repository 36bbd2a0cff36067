"""A picture for every step of the guide: what it adds is in colour, what was there before is grey. Needs build123d."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import trimesh

from ordertray_hardware import steps
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.case import checks, envelopes, parts
from ordertray_hardware.case.parameters import READERS, CaseParameters
from ordertray_hardware.case.populated import bare, bodies
from ordertray_hardware.case.render import Model, render

_GREY: Final = (186, 190, 196)
_NEW: Final = (232, 120, 40)
_COARSE: Final = (0.2, 0.5)
_WIDTH: Final = 620


def _grey(models: Iterable[Model]) -> list[Model]:
    return [Model(model.triangles, _GREY) for model in models]


def _pads(refs: Iterable[str], report: dict[str, Any]) -> list[Model]:
    """Test points have no body: a short peg stands for the probe's place."""
    found = []
    for entry in report["parts"]:
        if entry["ref"] in refs:
            x0, y0, x1, y1 = entry["box_mm"]
            peg = trimesh.creation.cylinder(1.2, 1.2, sections=20)
            peg.apply_translation(((x0 + x1) / 2, -(y0 + y1) / 2, 2.2))
            found.append(Model(peg.triangles, _NEW))
    return found


def _bright(models: Iterable[Model]) -> list[Model]:
    """In colour: black bodies would not stand out, so they take the colour of what is new."""
    return [Model(m.triangles, _NEW if max(m.colour) < 90 else m.colour) for m in models]


def solder_pictures(built: Path, target: Path) -> None:
    """Draw step-3-1.png and so on, and the pictures of the finished carrier, into `target`."""
    target.mkdir(parents=True, exist_ok=True)
    board = BOARDS["tray"]
    report = json.loads((built / "tray" / "tray.json").read_text(encoding="utf-8"))
    before: list[str] = []
    for number, refs in enumerate(steps.SOLDERING, 1):
        there = [model for ref in before if ref not in refs for model in bodies(board, ref, report, pico=False)]
        new = [model for ref in refs for model in bodies(board, ref, report, pico=False)]
        render(
            [bare(board), *_grey(there), *_bright(new)],
            target / f"step-3-{number}.png",
            width=_WIDTH,
            azimuth_deg=-82,
            elevation_deg=63,
        )
        before += [ref for ref in refs if ref not in before]
    for name, picture in steps.ON_THE_BOARD.items():
        models = [bare(board)]
        for ref in before:
            own = bodies(board, ref, report, pico=picture.with_pico)
            if ref == "U1" and ref in picture.refs:
                models += [*_grey(own[:-1]), Model(own[-1].triangles, _NEW)]  # the key is the last of its bodies
            else:
                models += _bright(own) if ref in picture.refs else _grey(own)
        models += _pads([ref for ref in picture.refs if ref.startswith("TP")], report)
        render(models, target / f"step-{name}.png", width=_WIDTH, azimuth_deg=-82, elevation_deg=63)


def _models(shape: Any, colour: tuple[int, int, int], *, over: bool = False) -> list[Model]:
    """Meshes of a shape's solids; `over` lays the tray on its face."""
    found = []
    for solid in shape.solids():
        triangles = checks.mesh_of(solid, *_COARSE).triangles
        found.append(Model(triangles * np.array([1.0, -1.0, -1.0]) if over else triangles, colour))
    return found


def closing_pictures(built: Path, target: Path, p: CaseParameters) -> None:
    """Draw the pictures of step 7 into `target`."""
    target.mkdir(parents=True, exist_ok=True)
    lid, base, holder = parts.make_lid(p), parts.make_base(p), parts.make_holder(p)
    cradle = parts.make_cradle(p, READERS[0])

    def both(shape: Any, colour: tuple[int, int, int]) -> list[Model]:
        return [*_models(shape, colour, over=True), *_models(parts.turned(shape), colour, over=True)]

    lying = _models(lid, _GREY, over=True)
    holders = both(holder, _NEW)
    render([*lying, *holders], target / "step-7-1.png", width=_WIDTH, azimuth_deg=-68, elevation_deg=50)
    readers = [m for one in envelopes.readers(p, READERS[0]) for m in _models(one.shape, one.colour, over=True)]
    render(
        [*lying, *_grey(holders), *both(cradle, _NEW), *readers],
        target / "step-7-2.png",
        width=_WIDTH,
        azimuth_deg=-68,
        elevation_deg=50,
    )
    tub = _models(base, _GREY)
    inside = [m for one in envelopes.boards(p, built) for m in _models(one.shape, one.colour)]
    render([*tub, *inside], target / "step-7-3.png", width=_WIDTH, azimuth_deg=-68, elevation_deg=50)
    plugs = [m for one in envelopes.plugs(p) for m in _models(one.shape, _NEW)]
    render([*tub, *_grey(inside), *plugs], target / "step-7-4.png", width=_WIDTH, azimuth_deg=195, elevation_deg=24)
    caps = []
    cap = parts.make_cap(p, p.key_places()[0])
    first = np.array(p.key_places()[0])
    for place in p.key_places():
        moved = [Model(m.triangles + np.array([*(np.array(place) - first), 0.0]), _NEW) for m in _models(cap, _NEW)]
        caps += moved + [Model(m.triangles * np.array([-1.0, -1.0, 1.0]), _NEW) for m in moved]
    diffuser = parts.make_diffuser(p)
    plates = [*_models(diffuser, (238, 238, 228)), *_models(parts.turned(diffuser), (238, 238, 228))]
    lifted = [Model(m.triangles + np.array([0.0, 0.0, 22.0]), m.colour) for m in [*_models(lid, _GREY), *caps]]
    lifted += [Model(m.triangles + np.array([0.0, 0.0, 40.0]), m.colour) for m in plates]
    render([*tub, *_grey(inside), *lifted], target / "step-7-5.png", width=_WIDTH, azimuth_deg=-68, elevation_deg=50)
