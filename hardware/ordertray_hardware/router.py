"""A grid router for small two-layer boards: A*, with tracks in the way torn up and laid again.

Knows nothing of KiCad: shapes go in, polylines come out, and the same input gives the same output.
"""

import heapq
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

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
    """The middle of a pad that a net must reach on any of `layers`."""

    place: Point
    layers: tuple[int, ...]


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


class UnroutableError(Exception):
    """No way was found; the message names the nets."""


_VIA_COST: Final = 8.0
_CROSSING_COST: Final = 40.0
_AGAINST_GRAIN: Final = 1.25
_STEPS: Final = tuple(
    (dx, dy, math.hypot(dx, dy)) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
)
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
        self.routes: dict[str, Route] = {}
        for key in self._classes:
            self._forbid_edge(key, width_mm, height_mm)

    def _width(self, net: str) -> float:
        return self._widths.get(net, self.rules.track_mm)

    def _number(self, net: str | None) -> int:
        if net is None:
            return _SHARED
        return self._numbers.setdefault(net, len(self._numbers) + 1)

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
        """The window of points nearer than `reach_mm` to the shape, and which points of it those are."""
        (x0, y0), (x1, y1) = shape.start, shape.end
        reach = reach_mm + shape.width_mm / 2
        grid = self.rules.grid_mm
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
            return window, np.hypot(dx, dy) < reach - 1e-6
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1) if length else 0.0
        return window, np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < reach - 1e-6

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

        nets = [net for net in terminals if net != poured]
        queue = deque(sorted(nets, key=lambda net: (-self._width(net), span(net), net)))
        budget = _ROUNDS * len(terminals)
        self._drain(queue, terminals, budget)
        if poured in terminals:
            torn = self._route(poured, terminals[poured], polite=True)
            queue.extend(torn)
            self._keep_off = poured
            self._drain(queue, terminals, budget)
        return self.routes

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
        key = self._width(net)
        number = self._number(net)
        own = self._static[key]
        free = (own == _FREE) | (own == number)
        kept = self._laid.get(self._keep_off)
        if kept is not None and net != self._keep_off:
            free &= ~kept[key]
        open_cells = free.reshape(-1).tobytes()
        via_own = self._static[_VIA][0]
        via_open_array = ((via_own == _FREE) | (via_own == number)).all(axis=0)
        if kept is not None and net != self._keep_off:
            via_open_array &= ~kept[_VIA][0].any(axis=0)
        via_crossings = self._count[_VIA][0].max(axis=0).astype(np.float64)
        crossings = self._count[key].astype(np.float64)
        fought = np.broadcast_to(self._history[None], crossings.shape)
        crossing_cost = _CROSSING_COST * (5 if polite else 1)
        cost = (0.2 * fought + (crossings > 0) * (crossing_cost + fought)).reshape(-1).tolist()
        via_cost = (_VIA_COST + crossing_cost * (via_crossings > 0)).reshape(-1).tolist()
        route = Route()
        start = terminals[0]
        joined: dict[tuple[int, int], Point] = {self.cell(start.place): start.place}
        tree: list[Cell] = [(*self.cell(start.place), layer) for layer in start.layers]
        waiting = list(terminals[1:])
        while waiting:
            via_open = via_open_array.reshape(-1).tobytes()
            goals = {(*self.cell(terminal.place), layer): terminal for terminal in waiting for layer in terminal.layers}
            path = self._search(tree, goals, open_cells, via_open, cost, via_cost)
            if path is None:
                raise UnroutableError(f"{net}: no way to {waiting[0].place}")
            reached = goals[path[-1]]
            joined[self.cell(reached.place)] = reached.place
            self._lay(route, path, joined)
            for via in route.vias:
                window, near = self._covered(Shape(via, via), self.rules.via_hole_mm + 0.3)
                via_open_array[window] &= ~near
            tree += path + [(*self.cell(reached.place), layer) for layer in reached.layers]
            waiting.remove(reached)
        return self._commit(net, route)

    def _search(
        self,
        starts: Iterable[Cell],
        goals: Mapping[Cell, Terminal],
        open_cells: bytes,
        via_open: bytes,
        cost: Sequence[float],
        via_cost: Sequence[float],
    ) -> list[Cell] | None:
        columns, rows = self.columns, self.rows
        layer_size = columns * rows
        middles = 2 * layer_size
        goal_places = sorted({(column, row) for column, row, _layer in goals})
        if len(goal_places) > 8:
            goal_places = []  # many goals: plain Dijkstra is quicker than the guess

        def guess(column: int, row: int) -> float:
            best = 1e9
            for goal_column, goal_row in goal_places:
                dx, dy = abs(column - goal_column), abs(row - goal_row)
                distance = dx + dy - 0.5858 * (dx if dx < dy else dy)
                if distance < best:
                    best = distance
            return best if goal_places else 0.0

        goal_numbers = {layer * layer_size + row * columns + column: 1 for column, row, layer in goals}
        best: dict[int, float] = {}
        before: dict[int, int] = {}
        heap: list[tuple[float, int, int]] = []
        ticket = 0
        for column, row, layer in starts:
            index = layer * layer_size + row * columns + column
            best[index] = 0.0
            ticket += 1
            heap.append((guess(column, row), ticket, index))
        heapq.heapify(heap)
        done: set[int] = set()
        while heap:
            _estimate, _ticket, index = heapq.heappop(heap)
            if index in done:
                continue
            done.add(index)
            if index in goal_numbers:
                return self._trace(index, before)
            layer, flat = divmod(index, layer_size)
            row, column = divmod(flat, columns)
            so_far = best[index]
            for dx, dy, length in _STEPS:
                next_column, next_row = column + dx, row + dy
                if not (0 <= next_column < columns and 0 <= next_row < rows):
                    continue
                neighbour = index + dy * columns + dx
                if not open_cells[neighbour] or neighbour in done:
                    continue
                dear = cost[neighbour]
                if dx and dy:
                    middle = middles + layer * layer_size + (row + (dy - 1) // 2) * columns + column + (dx - 1) // 2
                    if not open_cells[middle]:
                        continue
                    dear += cost[middle]
                # The front prefers lying tracks, the back standing ones, so that they get past each other.
                if (layer == 0 and dx == 0) or (layer == 1 and dy == 0):
                    length *= _AGAINST_GRAIN
                total = so_far + length + dear
                if total < best.get(neighbour, 1e9):
                    best[neighbour] = total
                    before[neighbour] = index
                    ticket += 1
                    heapq.heappush(heap, (total + guess(next_column, next_row), ticket, neighbour))
            if via_open[flat]:
                neighbour = (1 - layer) * layer_size + flat
                total = so_far + via_cost[flat]
                if neighbour not in done and total < best.get(neighbour, 1e9):
                    best[neighbour] = total
                    before[neighbour] = index
                    ticket += 1
                    heapq.heappush(heap, (total + guess(column, row), ticket, neighbour))
        return None

    def _trace(self, index: int, before: Mapping[int, int]) -> list[Cell]:
        layer_size = self.columns * self.rows
        path = []
        while True:
            layer, flat = divmod(index, layer_size)
            row, column = divmod(flat, self.columns)
            path.append((column, row, layer))
            if index not in before:
                return path[::-1]
            index = before[index]

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
                window, near = self._covered(Shape(start, end), self.rules.grid_mm * 0.01, lattice)
                bare[lattice, layer][window] |= near
            for via in route.vias:
                for one in self._classes:
                    window, near = self._covered(Shape(via, via, self.rules.via_mm), self._reach(one), lattice)
                    marks[one][lattice][:, window[0], window[1]] |= near
        hit = []
        for other, laid in self._laid.items():
            meets = bool((laid[key] & bare).any())
            for via in route.vias:
                column, row = self.cell(via)
                meets = meets or bool(laid[_VIA][0, :, row, column].any())
            if meets:
                hit.append(other)
        for other in hit:
            for one in self._classes:
                self._count[one] -= self._laid[other][one]
            del self._laid[other]
            del self.routes[other]
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
