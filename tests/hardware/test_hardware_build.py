"""The build itself: what is made anew when something changes, and the router's promises on a bare board."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ordertray_hardware import __main__ as build
from ordertray_hardware.boards import BOARDS


def test_a_change_of_one_board_makes_only_that_board_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {step: build.source_digest(step) for step in build.STEPS}
    tray = BOARDS["tray"]
    moved = replace(tray, parts=tuple(replace(p, value="2.2k") if p.ref == "R1" else p for p in tray.parts))
    monkeypatch.setattr(build, "BOARDS", {**BOARDS, "tray": moved})
    stale = {step for step, digest in before.items() if build.source_digest(step) != digest}
    assert {"board-tray", "fab-tray", "pictures-tray", "case"} <= stale
    assert not stale & {f"{kind}-{name}" for kind in ("board", "fab", "pictures") for name in ("buttons", "lamps")}


def test_the_digest_does_not_depend_on_the_order_of_sets() -> None:
    assert build.stable(frozenset({"b", "a", "c"})) == build.stable(frozenset({"c", "b", "a"}))
    assert build.stable({"a": frozenset({1})}) != build.stable({"a": frozenset({2})})


def test_the_router_joins_everything_without_sharp_turns(in_workshop: Callable[[str], Any]) -> None:
    """Nets that cross each other, one of them wide with a thin branch: joined, no turn beyond a right angle."""
    routes = in_workshop(
        """
from ordertray_hardware.router import Router, Rules, Terminal, Obstacle, Shape
router = Router(50, 40, Rules(0.635, 0.3, 0.21, 0.8, 0.4, 0.55), {"wide": 1.5})
terminals = {}
def pad(net, x, y, thin=False):
    router.add(Obstacle(net, (0, 1), Shape((x, y), (x, y), 1.6)))
    terminals.setdefault(net, []).append(Terminal((x, y), (0, 1), thin))
for number in range(7):
    pad(f"n{number}", 5.08, 5.08 + 2.54 * number)
    pad(f"n{number}", 45.72, 5.08 + 2.54 * (6 - number))
pad("wide", 5.08, 30.48)
pad("wide", 45.72, 30.48)
pad("wide", 25.4, 35.56, True)
found = router.route_all(terminals)
result = {net: [route.tracks, route.vias] for net, route in found.items()}
"""
    )
    assert set(routes) == {*(f"n{number}" for number in range(7)), "wide", "wide~thin"}
    for net, (tracks, _vias) in routes.items():
        ends: dict[tuple[int, tuple[float, float]], list[tuple[float, float]]] = {}
        for layer, start, end in tracks:
            ends.setdefault((layer, tuple(start)), []).append((end[0] - start[0], end[1] - start[1]))
            ends.setdefault((layer, tuple(end)), []).append((start[0] - end[0], start[1] - end[1]))
        for (layer, place), ways in ends.items():
            if len(ways) == 2:
                (ax, ay), (bx, by) = ways
                cosine = (ax * bx + ay * by) / (math.hypot(ax, ay) * math.hypot(bx, by))
                assert cosine < 0.02, (net, layer, place)


def test_a_net_without_a_way_is_named(in_workshop: Callable[[str], Any]) -> None:
    message = in_workshop(
        """
from ordertray_hardware.router import Router, Rules, Terminal, Obstacle, Shape, UnroutableError
router = Router(30, 20, Rules(0.635, 0.3, 0.21, 0.8, 0.4, 0.55), {})
router.add_keepout((0, 1), Shape((14, 0), (16, 20), box=True))
for x in (5.08, 25.4):
    router.add(Obstacle("a", (0, 1), Shape((x, 10.16), (x, 10.16), 1.6)))
try:
    router.route_all({"a": [Terminal((5.08, 10.16), (0, 1)), Terminal((25.4, 10.16), (0, 1))]})
    result = "routed"
except UnroutableError as error:
    result = str(error)
"""
    )
    assert message.startswith("a: no way to")
