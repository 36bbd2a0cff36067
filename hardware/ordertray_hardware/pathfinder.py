"""The inner loop of the router: A* over cells, layers and directions, compiled by numba.

A state is a cell, a layer and the direction in which a track arrived there (eight of them, or none: at a pad, behind a
via). Knowing the direction lets the search pay for bends and refuse to turn back by more than a right angle, so that
no joint is sharper than that. Profiled before it was compiled: 9 of 10 seconds of a board went into this loop.
"""

import heapq
import math
from typing import Any, Final

import numba
import numpy as np

DX: Final = np.array((1, 1, 0, -1, -1, -1, 0, 1), np.int64)
DY: Final = np.array((0, 1, 1, 1, 0, -1, -1, -1), np.int64)
NO_DIRECTION: Final = 8
ALL_DIRECTIONS: Final = 0xFF
_DIRECTIONS: Final = 9
_AGAINST_GRAIN: Final = 1.25
"""The front prefers lying tracks, the back standing ones, so that they get past each other."""
_BEND: Final = np.array((0.0, 0.15, 0.9), np.float64)
"""Cost of a turn by 0, 45 and 90 degrees, in cells."""
_MOST_GOALS_TO_GUESS: Final = 12


def _least_distance(column: int, row: int, goal_columns: Any, goal_rows: Any) -> float:
    """Least distance in cells to any goal; 0 where there are too many to ask each."""
    best = 1e18
    for index in range(goal_columns.size):
        dx, dy = abs(column - goal_columns[index]), abs(row - goal_rows[index])
        distance = dx + dy - 0.5857864 * min(dx, dy)
        best = min(best, distance)
    return best if best < 1e17 else 0.0


_guess: Any = numba.njit(cache=True)(_least_distance)


def _find_path(
    columns: int,
    rows: int,
    starts: Any,
    ways_out: Any,
    goals: Any,
    goal_columns: Any,
    goal_rows: Any,
    open_cells: Any,
    open_middles: Any,
    via_open: Any,
    cost: Any,
    middle_cost: Any,
    via_cost: Any,
) -> Any:
    """Return the cheapest way from a start to a goal as flat cell numbers (layer, row, column); empty if there is none.

    `starts` are flat cell numbers, `ways_out` the directions (a bit each) in which a track may leave them. The maps
    are flat: `open_cells`, `open_middles`, `cost` and `middle_cost` by layer, row, column; `via_open` and `via_cost`
    by row, column. The middles are those of the diagonal steps between cells.
    """
    layer_size = columns * rows
    best = np.full(2 * layer_size * _DIRECTIONS, np.inf)
    before = np.full(2 * layer_size * _DIRECTIONS, -1, np.int32)
    done = np.zeros(2 * layer_size * _DIRECTIONS, np.uint8)
    out = np.zeros(2 * layer_size, np.uint8)
    guessing_columns, guessing_rows = goal_columns, goal_rows
    if goal_columns.size > _MOST_GOALS_TO_GUESS:
        guessing_columns, guessing_rows = goal_columns[:0], goal_rows[:0]
    heap = [(0.0, 0, 0)]
    heap.clear()
    ticket = 0
    for index in range(starts.size):
        cell = starts[index]
        out[cell] |= ways_out[index]
        state = cell * _DIRECTIONS + NO_DIRECTION
        if best[state] > 0.0:
            best[state] = 0.0
            flat = cell % layer_size
            heapq.heappush(
                heap, (_guess(flat % columns, flat // columns, guessing_columns, guessing_rows), ticket, state)
            )
            ticket += 1
    while len(heap) > 0:
        _estimate, _ticket, state = heapq.heappop(heap)
        if done[state]:
            continue
        done[state] = 1
        cell, arrived = state // _DIRECTIONS, state % _DIRECTIONS
        if goals[cell]:
            length = 1
            walk = state
            while before[walk] >= 0:
                walk = before[walk]
                length += 1
            path = np.empty(length, np.int64)
            walk = state
            for index in range(length - 1, -1, -1):
                path[index] = walk // _DIRECTIONS
                walk = before[walk]
            return path
        layer, flat = cell // layer_size, cell % layer_size
        row, column = flat // columns, flat % columns
        so_far = best[state]
        for direction in range(8):
            turn = 0
            if arrived == NO_DIRECTION:
                if before[state] < 0 and not (out[cell] >> direction) & 1:
                    continue
            else:
                turn = abs(direction - arrived)
                turn = min(turn, 8 - turn)
                if turn > 2:
                    continue
            dx, dy = DX[direction], DY[direction]
            next_column, next_row = column + dx, row + dy
            if next_column < 0 or next_row < 0 or next_column >= columns or next_row >= rows:
                continue
            neighbour = cell + dy * columns + dx
            if not open_cells[neighbour]:
                continue
            dear = cost[neighbour] + _BEND[turn]
            step = 1.0
            if dx != 0 and dy != 0:
                middle = layer * layer_size + (row + (dy - 1) // 2) * columns + column + (dx - 1) // 2
                if not open_middles[middle]:
                    continue
                dear += middle_cost[middle]
                step = math.sqrt(2.0)
            if (layer == 0 and dx == 0) or (layer == 1 and dy == 0):
                step *= _AGAINST_GRAIN
            target = neighbour * _DIRECTIONS + direction
            total = so_far + step + dear
            if not done[target] and total < best[target]:
                best[target] = total
                before[target] = state
                heapq.heappush(
                    heap, (total + _guess(next_column, next_row, guessing_columns, guessing_rows), ticket, target)
                )
                ticket += 1
        if via_open[flat] and open_cells[(1 - layer) * layer_size + flat]:
            target = ((1 - layer) * layer_size + flat) * _DIRECTIONS + NO_DIRECTION
            total = so_far + via_cost[flat]
            if not done[target] and total < best[target]:
                best[target] = total
                before[target] = state
                heapq.heappush(heap, (total + _guess(column, row, guessing_columns, guessing_rows), ticket, target))
                ticket += 1
    return np.empty(0, np.int64)


find_path: Any = numba.njit(cache=True)(_find_path)
