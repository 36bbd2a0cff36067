"""A grid router for small two-layer boards: A*, with tracks in the way torn up and laid again.

Knows nothing of KiCad: shapes go in, polylines come out, and the same input gives the same output.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ordertray_hardware.pathfinder import ALL_DIRECTIONS, DX, DY, find_path

Cell = tuple[int, int, int]
"""Column, row, layer (0 front, 1 back)."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """Copper, or a place forbidden to it: a stroke of `width_mm` from `start` to `end`, or the box between them."""

    start: Point
    end: Point
    width_mm: float = 0.0
    box: bool = False


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A shape on some layers that belongs to `net`, or to nobody (None)."""

    net: str | None
    layers: tuple[int, ...]
    shape: Shape


@dataclass(frozen=True, slots=True)
class Terminal:
    """The middle of a pad that a net must reach on any of `layers`; a thin track will do if `thin`."""

    place: Point
    layers: tuple[int, ...]
    thin: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Widths and distances in mm."""

    grid_mm: float
    track_mm: float
    clearance_mm: float
    via_mm: float
    via_hole_mm: float
    edge_mm: float


@dataclass(slots=True)
class Route:
    """What joins one net: tracks (layer, start, end) and vias."""

    tracks: list[tuple[int, Point, Point]] = field(default_factory=list)
    vias: list[Point] = field(default_factory=list)

    def length_mm(self) -> float:
        """Length of all tracks."""
        return sum(math.dist(start, end) for _layer, start, end in self.tracks)


@dataclass(slots=True)
class _Maps:
    """Where a net may go, flat (layer, row, column), and what it costs there."""

    open_cells: Any
    open_middles: Any
    via_open: Any
    cost: Any
    middle_cost: Any
    via_cost: Any


_THIN: Final = "~thin"


def net_of(entry: str) -> str:
    """The net of an entry of the routes: a wide net's thin branches are an entry of their own."""
    return entry.removesuffix(_THIN)


def _sibling(entry: str) -> str:
    return entry.removesuffix(_THIN) if entry.endswith(_THIN) else entry + _THIN


class UnroutableError(Exception):
    """No way was found; the message names the nets."""


_VIA_COST: Final = 8.0
_CROSSING_COST: Final = 40.0
_TIDY_VIA_COST: Final = 16.0
"""Vias weigh more once everything lies: a detour of a centimetre is better than a hole."""
_TIDY_ROUNDS: Final = 4
_WORTH_A_ROUND: Final = 8.0
_DIRECTION_OF: Final = {(int(dx), int(dy)): index for index, (dx, dy) in enumerate(zip(DX, DY, strict=True))}
_FREE: Final = 0
_SHARED: Final = -1
_VIA: Final = "via"
_ROUNDS: Final = 40


class Router:
    """Routes the nets of one board."""

    def __init__(self, width_mm: float, height_mm: float, rules: Rules, widths_mm: Mapping[str, float]) -> None:
        """Prepare an empty board with its upper left corner at (0, 0)."""
        self.rules = rules
        self.columns = math.floor(width_mm / rules.grid_mm) + 1
        self.rows = math.floor(height_mm / rules.grid_mm) + 1
        y, x = np.mgrid[0 : self.rows, 0 : self.columns] * rules.grid_mm
        # Each map exists twice: on the cells, and on the middles of the diagonal steps between them, where a track
        # passes closer to a corner than at either end.
        self._lattices = ((x, y), (x + rules.grid_mm / 2, y + rules.grid_mm / 2))
        self._widths = dict(widths_mm)
        self._numbers: dict[str, int] = {}
        classes = {self._width(net) for net in widths_mm} | {rules.track_mm}
        self._classes: list[float | str] = [*sorted(classes), _VIA]
        shape = (2, 2, self.rows, self.columns)  # lattice, layer, row, column
        self._static: dict[float | str, Any] = {key: np.zeros(shape, np.int32) for key in self._classes}
        self._count: dict[float | str, Any] = {key: np.zeros(shape, np.int16) for key in self._classes}
        self._history: Any = np.zeros(shape[1:], np.float32)
        self._laid: dict[str, dict[float | str, Any]] = {}
        self._keep_off = ""
        self._roots: dict[str, Sequence[Terminal]] = {}
        self.routes: dict[str, Route] = {}
        for key in self._classes:
            self._forbid_edge(key, width_mm, height_mm)

    def _width(self, net: str) -> float:
        return self._widths.get(net, self.rules.track_mm)

    def _number(self, net: str | None) -> int:
        if net is None:
            return _SHARED
        return self._numbers.setdefault(net_of(net), len(self._numbers) + 1)

    def _reach(self, key: float | str) -> float:
        """Half the width of what is to pass, with its clearance."""
        half = self.rules.via_mm / 2 if isinstance(key, str) else key / 2
        return half + self.rules.clearance_mm

    def _forbid_edge(self, key: float | str, width_mm: float, height_mm: float) -> None:
        inset = self._reach(key) - self.rules.clearance_mm + self.rules.edge_mm - 1e-6
        for lattice, (x, y) in enumerate(self._lattices):
            outside = (x < inset) | (y < inset) | (x > width_mm - inset) | (y > height_mm - inset)
            self._static[key][lattice][:, outside] = _SHARED

    def _covered(self, shape: Shape, reach_mm: float, lattice: int = 0) -> tuple[tuple[slice, slice], Any]:
        """The window of points nearer than `reach_mm` to the shape, and which points of it those are.

        A track passes between two points closer than at either: half a step for what is round; at the corner of a box
        only a diagonal can, whose points lie closer.
        """
        (x0, y0), (x1, y1) = shape.start, shape.end
        grid = self.rules.grid_mm
        reach = math.hypot(reach_mm, grid * 0.36) if shape.box else math.hypot(reach_mm + shape.width_mm / 2, grid / 2)
        low_x, high_x = min(x0, x1) - reach, max(x0, x1) + reach
        low_y, high_y = min(y0, y1) - reach, max(y0, y1) + reach
        window = (
            slice(max(0, math.floor(low_y / grid) - 1), max(0, min(self.rows, math.ceil(high_y / grid) + 1))),
            slice(max(0, math.floor(low_x / grid) - 1), max(0, min(self.columns, math.ceil(high_x / grid) + 1))),
        )
        x, y = (points[window] for points in self._lattices[lattice])
        if shape.box:
            dx = np.maximum(np.maximum(min(x0, x1) - x, x - max(x0, x1)), 0)
            dy = np.maximum(np.maximum(min(y0, y1) - y, y - max(y0, y1)), 0)
            to_corner = np.hypot(
                np.minimum(abs(x - min(x0, x1)), abs(x - max(x0, x1))),
                np.minimum(abs(y - min(y0, y1)), abs(y - max(y0, y1))),
            )
            return window, np.hypot(dx, dy) < np.where(to_corner < grid, reach, reach_mm) - 1e-6
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1) if length else 0.0
        return window, np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < reach - 1e-6

    def _on_line(self, start: Point, end: Point, lattice: int) -> tuple[tuple[slice, slice], Any]:
        """The window of points that lie on a track's middle, and which points of it those are."""
        (x0, y0), (x1, y1) = start, end
        grid = self.rules.grid_mm
        window = (
            slice(
                max(0, math.floor(min(y0, y1) / grid) - 1), max(0, min(self.rows, math.ceil(max(y0, y1) / grid) + 1))
            ),
            slice(
                max(0, math.floor(min(x0, x1) / grid) - 1), max(0, min(self.columns, math.ceil(max(x0, x1) / grid) + 1))
            ),
        )
        x, y = (points[window] for points in self._lattices[lattice])
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1) if length else 0.0
        return window, np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < grid * 0.01

    def add(self, obstacle: Obstacle) -> None:
        """Put fixed copper or a keep-out on the board."""
        number = self._number(obstacle.net)
        for key in self._classes:
            for lattice in (0, 1):
                window, near = self._covered(obstacle.shape, self._reach(key), lattice)
                for layer in obstacle.layers:
                    self._claim(self._static[key][lattice, layer], window, near, number)
        # A via in or right beside a pad would put two holes side by side.
        window, near = self._covered(obstacle.shape, self.rules.clearance_mm + self.rules.via_hole_mm / 2)
        for layer in (0, 1):
            self._claim(self._static[_VIA][0, layer], window, near, _SHARED)

    def add_keepout(self, layers: Sequence[int], shape: Shape) -> None:
        """Forbid tracks and vias in a shape on some layers; their copper may reach its edge."""
        for key in self._classes:
            reach = self._reach(key) - self.rules.clearance_mm + 0.01
            for lattice in (0, 1):
                window, near = self._covered(shape, reach, lattice)
                # A via is copper on both layers.
                for layer in (0, 1) if isinstance(key, str) else layers:
                    self._claim(self._static[key][lattice, layer], window, near, _SHARED)

    @staticmethod
    def _claim(owners: Any, window: tuple[slice, slice], near: Any, number: int) -> None:
        part = owners[window]
        taken = near & (part != _FREE) & (part != number)
        part[near & (part == _FREE)] = number
        part[taken] = _SHARED

    def cell(self, place: Point) -> tuple[int, int]:
        """Return the grid cell nearest to a place."""
        return round(place[0] / self.rules.grid_mm), round(place[1] / self.rules.grid_mm)

    def place(self, column: int, row: int) -> Point:
        """Return where a cell lies, in mm."""
        return round(column * self.rules.grid_mm, 4), round(row * self.rules.grid_mm, 4)

    def route_all(self, terminals: Mapping[str, Sequence[Terminal]], poured: str = "") -> dict[str, Route]:
        """Join the terminals of every net. Raises UnroutableError with the nets for which there was no way.

        The net `poured` comes last, since copper will be poured for it anyway; once it lies, nothing may cross it.
        """

        def span(net: str) -> float:
            xs, ys = zip(*(terminal.place for terminal in terminals[net]), strict=True)
            return float(max(xs) - min(xs) + max(ys) - min(ys))

        terminals = self._apart(terminals, poured)
        nets = [net for net in terminals if net != poured]
        queue = deque(sorted(nets, key=lambda net: (-self._width(net), span(net), net)))
        budget = _ROUNDS * len(terminals)
        self._drain(queue, terminals, budget)
        if poured in terminals:
            torn = self._route(poured, terminals[poured], polite=True)
            queue.extend(torn)
            self._keep_off = poured
            self._drain(queue, terminals, budget)
            self._keep_off = ""
        self._tidy(terminals, _TIDY_ROUNDS)
        return self.routes

    def _apart(self, terminals: Mapping[str, Sequence[Terminal]], poured: str) -> dict[str, Sequence[Terminal]]:
        """Make the thin branches of wide nets entries of their own, beginning at any of the net's wide terminals."""
        found: dict[str, Sequence[Terminal]] = {}
        for net, ends in terminals.items():
            wide = [end for end in ends if not end.thin]
            thin = [end for end in ends if end.thin]
            if net == poured or not wide or not thin or self._width(net) <= self.rules.track_mm:
                found[net] = ends
                continue
            if len(wide) > 1:
                found[net] = wide
            found[net + _THIN] = thin
            self._roots[net + _THIN] = wide
        return found

    def _drain(self, queue: deque[str], terminals: Mapping[str, Sequence[Terminal]], budget: int) -> None:
        rips = 0
        while queue:
            net = queue.popleft()
            torn = self._route(net, terminals[net])
            rips += len(torn)
            if rips > budget:
                raise UnroutableError(", ".join(sorted([*torn, *queue])))
            queue.extend(torn)

    def _route(self, net: str, terminals: Sequence[Terminal], *, polite: bool = False) -> list[str]:
        """Lay one net; return the nets that had to be torn up for it (if `polite`, only where no detour helps)."""
        crossing_cost = _CROSSING_COST * (5 if polite else 1)
        return self._commit(net, self._find(net, terminals, crossing_cost, self._via_cost(net, _VIA_COST))[0])

    def _via_cost(self, net: str, cost: float) -> float:
        """A via is the narrow place of a wide track: the wider, the dearer."""
        return cost * max(1.0, 2.0 * self._width(net) / self.rules.track_mm - 1.0)

    def _find(
        self, net: str, terminals: Sequence[Terminal], crossing_cost: float, via_cost: float
    ) -> tuple[Route, float]:
        """Return a route for one net as the board is now, and its cost. Raises UnroutableError."""
        maps = self._maps(net, crossing_cost, via_cost)
        route = Route()
        roots, waiting = self._roots.get(net, ()), list(terminals)
        if not roots:
            roots, waiting = terminals[:1], list(terminals[1:])
        joined: dict[tuple[int, int], Point] = {self.cell(root.place): root.place for root in roots}
        tree: dict[Cell, int] = {
            (*self.cell(root.place), layer): ALL_DIRECTIONS for root in roots for layer in root.layers
        }
        while waiting:
            goals = {(*self.cell(terminal.place), layer): terminal for terminal in waiting for layer in terminal.layers}
            path = self._search(tree, goals, maps)
            if path is None:
                raise UnroutableError(f"{net}: no way to {waiting[0].place}")
            reached = goals[path[-1]]
            joined[self.cell(reached.place)] = reached.place
            self._lay(route, path, joined)
            for via in route.vias:
                window, near = self._covered(Shape(via, via), self.rules.via_hole_mm + 0.3)
                maps.via_open[window] &= ~near
            self._grow(tree, path)
            tree |= {(*self.cell(reached.place), layer): ALL_DIRECTIONS for layer in reached.layers}
            waiting.remove(reached)
        return route, route.length_mm() / self.rules.grid_mm + via_cost * len(route.vias) + 0.5 * len(route.tracks)

    @staticmethod
    def _grow(tree: dict[Cell, int], path: Sequence[Cell]) -> None:
        """Add a path to what has been joined: a branch may leave it at a right angle or flatter, never sharper."""
        for index, cell in enumerate(path):
            ways = tree.get(cell, ALL_DIRECTIONS)
            for other in (*path[max(0, index - 1) : index], *path[index + 1 : index + 2]):
                if other[2] != cell[2]:
                    continue
                step = (other[0] - cell[0], other[1] - cell[1])
                taken = _DIRECTION_OF[step]
                for turn in (-1, 0, 1):
                    ways &= ~(1 << (taken + turn) % 8)
            tree[cell] = ways

    def _maps(self, net: str, crossing_cost: float, via_cost: float) -> "_Maps":
        """Where a net may go now, and what it costs there."""
        key = self._width(net)
        number = self._number(net)
        own = self._static[key]
        free = (own == _FREE) | (own == number)
        kept = self._laid.get(self._keep_off)
        if kept is not None and net != self._keep_off:
            free &= ~kept[key]
        via_own = self._static[_VIA][0]
        via_open = ((via_own == _FREE) | (via_own == number)).all(axis=0)
        if kept is not None and net != self._keep_off:
            via_open &= ~kept[_VIA][0].any(axis=0)
        counts, via_counts = self._count[key], self._count[_VIA][0]
        sibling = self._laid.get(_sibling(net))
        if sibling is not None:
            counts, via_counts = counts - sibling[key], via_counts - sibling[_VIA][0]
        via_crossings, crossings = via_counts.max(axis=0), counts
        if math.isinf(crossing_cost):
            free &= crossings == 0
            via_open &= via_crossings == 0
            cost = np.zeros(crossings.shape)
            via_costs = np.full(via_crossings.shape, via_cost)
        else:
            cost = 0.2 * self._history[None] + (crossings > 0) * (crossing_cost + self._history[None])
            via_costs = via_cost + crossing_cost * (via_crossings > 0)
        return _Maps(
            free[0].reshape(-1).astype(np.uint8), free[1].reshape(-1).astype(np.uint8), via_open,
            cost[0].reshape(-1).astype(np.float64), cost[1].reshape(-1).astype(np.float64),
            via_costs.reshape(-1).astype(np.float64),
        )  # fmt: skip

    def _tidy(self, terminals: Mapping[str, Sequence[Terminal]], rounds: int) -> None:
        """Take up each net in turn and lay it again where that makes it shorter or saves vias; nothing may cross."""
        for _round in range(rounds):
            saved = 0.0
            for net in sorted(self.routes, key=lambda net: (-self.routes[net].length_mm(), net)):
                old, via_cost = self.routes[net], self._via_cost(net, _TIDY_VIA_COST)
                before = old.length_mm() / self.rules.grid_mm + via_cost * len(old.vias) + 0.5 * len(old.tracks)
                self._take_up(net)
                try:
                    new, after = self._find(net, terminals[net], math.inf, via_cost)
                except UnroutableError:
                    new, after = old, before
                if after < before - 1e-9:
                    saved += before - after
                    torn = self._commit(net, new)
                else:
                    torn = self._commit(net, old)
                # Ends of tracks run off the grid, so what lay well may be found too close when it is laid again.
                self._drain(deque(torn), terminals, _ROUNDS)
            if saved < _WORTH_A_ROUND:
                return

    def _take_up(self, net: str) -> None:
        for one in self._classes:
            self._count[one] -= self._laid[net][one]
        del self._laid[net]
        del self.routes[net]

    def _search(
        self,
        starts: Mapping[Cell, int],
        goals: Iterable[Cell],
        maps: "_Maps",
    ) -> list[Cell] | None:
        columns, rows = self.columns, self.rows
        wanted = np.zeros(2 * rows * columns, np.uint8)
        places = sorted({(column, row) for column, row, _layer in goals})
        for column, row, layer in goals:
            wanted[self._flat(column, row, layer)] = 1
        numbers = np.array([self._flat(*cell) for cell in starts], np.int64)
        ways_out = np.array(list(starts.values()), np.uint8)
        goal_columns = np.array([column for column, _row in places], np.int64)
        goal_rows = np.array([row for _column, row in places], np.int64)
        path = find_path(
            columns, rows, numbers, ways_out, wanted, goal_columns, goal_rows, maps.open_cells, maps.open_middles,
            maps.via_open.reshape(-1), maps.cost, maps.middle_cost, maps.via_cost,
        )  # fmt: skip
        if not len(path):
            return None
        layer_size = columns * rows
        return [(int(n % layer_size % columns), int(n % layer_size // columns), int(n // layer_size)) for n in path]

    def _flat(self, column: int, row: int, layer: int) -> int:
        return (layer * self.rows + row) * self.columns + column

    def _lay(self, route: Route, path: Sequence[Cell], joined: Mapping[tuple[int, int], Point]) -> None:
        """Turn cells into straight tracks and vias; ends run to the true middle of their pads."""
        self._split(route, path[0])
        for end in (path[0], path[-1]):
            middle = joined.get(end[:2])
            place = self.place(*end[:2])
            if middle is not None and math.dist(middle, place) > 1e-3:
                route.tracks.append((end[2], place, middle))
        corner = path[0]
        for index in range(1, len(path)):
            here, earlier = path[index], path[index - 1]
            if here[2] != earlier[2]:
                self._track(route, corner, earlier)
                route.vias.append(self.place(*here[:2]))
                corner = here
                continue
            after = path[index + 1] if index + 1 < len(path) else None
            step = (here[0] - earlier[0], here[1] - earlier[1])
            if after is None or after[2] != here[2] or (after[0] - here[0], after[1] - here[1]) != step:
                self._track(route, corner, here)
                corner = here

    def _split(self, route: Route, junction: Cell) -> None:
        """Cut the track on which a branch begins, so that the three meet end to end."""
        place = self.place(*junction[:2])
        for index, (layer, start, end) in enumerate(route.tracks):
            through = math.dist(start, place) + math.dist(place, end) - math.dist(start, end) < 1e-6
            if layer == junction[2] and through and place not in (start, end):
                route.tracks[index : index + 1] = [(layer, start, place), (layer, place, end)]
                return

    def _track(self, route: Route, start: Cell, end: Cell) -> None:
        if start[:2] != end[:2]:
            route.tracks.append((start[2], self.place(*start[:2]), self.place(*end[:2])))

    def _commit(self, net: str, route: Route) -> list[str]:
        """Enter a route into the maps; tear up whatever it runs into."""
        key = self._width(net)
        width_mm = self._width(net)
        shape = (2, 2, self.rows, self.columns)
        marks: dict[float | str, Any] = {one: np.zeros(shape, bool) for one in self._classes}
        bare: Any = np.zeros(shape, bool)
        for lattice in (0, 1):
            for layer, start, end in route.tracks:
                for one in self._classes:
                    window, near = self._covered(Shape(start, end, width_mm), self._reach(one), lattice)
                    marks[one][lattice, layer][window] |= near
                window, near = self._on_line(start, end, lattice)
                bare[lattice, layer][window] |= near
            for via in route.vias:
                for one in self._classes:
                    window, near = self._covered(Shape(via, via, self.rules.via_mm), self._reach(one), lattice)
                    marks[one][lattice][:, window[0], window[1]] |= near
        hit = []
        for other, laid in self._laid.items():
            if other == _sibling(net):
                continue
            meets = bool((laid[key] & bare).any())
            for via in route.vias:
                column, row = self.cell(via)
                meets = meets or bool(laid[_VIA][0, :, row, column].any())
            if meets:
                hit.append(other)
        for other in hit:
            self._take_up(other)
        for one in self._classes:
            self._count[one] += marks[one]
        self._laid[net] = marks
        self.routes[net] = route
        if hit:
            # Places that were fought over become dearer, so that the quarrel ends.
            self._history[bare[0]] += 1.5
        return hit

    def free_for_via(self, place: Point, net: str) -> bool:
        """Whether a via of `net` may stand at a place, all routes laid."""
        column, row = self.cell(place)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return False
        owners = self._static[_VIA][0, :, row, column]
        return bool(((owners == _FREE) | (owners == self._number(net))).all()) and not bool(
            self._count[_VIA][0, :, row, column].any()
        )
