"""A finished game in numbers: orders by round, group, kind and trooper, AROs, time per turn. From the record; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...journal import Entry
from ...rules import Event, Seat
from ...rules import events as e
from ...table import Step

#: A pause longer than this between two actions is no thinking: the players were away (record without clocks).
LONGEST_THOUGHT_MS = 30 * 60_000


@dataclass
class _Turn:
    seat: str
    round: int
    orders: int = 0
    aros: int = 0
    ms: int = 0


@dataclass
class _Sums:
    orders: dict[str, Counter[str]] = field(default_factory=lambda: {str(seat): Counter() for seat in Seat})
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: {str(seat): Counter() for seat in Seat})
    groups: dict[str, Counter[str]] = field(default_factory=lambda: {str(seat): Counter() for seat in Seat})
    troopers: dict[str, Counter[str]] = field(default_factory=lambda: {str(seat): Counter() for seat in Seat})
    aros: dict[str, Counter[str]] = field(default_factory=lambda: {str(seat): Counter() for seat in Seat})


def statistics(played: Iterable[tuple[Entry, Step]], started_ms: int) -> dict[str, Any]:
    """Count a game. `played`: its entries with their steps, in order; what undo took back does not count."""
    steps = standing(played)
    turns: list[_Turn] = []
    sums = _Sums()
    last_ms = steps[0][0] if steps else started_ms
    for at_ms, events in steps:
        if turns:
            turns[-1].ms += max(0, min(at_ms - last_ms, LONGEST_THOUGHT_MS))
        last_ms = at_ms
        for event in events:
            _count(event, turns, sums)
    return {
        "turns": [vars(turn) for turn in turns],
        "seats": {
            str(seat): {
                "orders": sum(sums.kinds[seat].values()),
                "aros": sum(sums.aros[seat].values()),
                "rounds": dict(sorted(sums.orders[seat].items(), key=lambda item: int(item[0]))),
                "kinds": dict(sums.kinds[seat].most_common()),
                "groups": dict(sorted(sums.groups[seat].items(), key=lambda item: int(item[0]))),
                "troopers": dict(sums.troopers[seat].most_common()),
                "aro_troopers": dict(sums.aros[seat].most_common()),
                "ms": sum(turn.ms for turn in turns if turn.seat == seat),
            }
            for seat in Seat
        },
    }


def standing(played: Iterable[tuple[Entry, Step]]) -> list[tuple[int, tuple[Event, ...]]]:
    """(Unix time in ms, events) of the actions that were not taken back."""
    stack: list[tuple[int, tuple[Event, ...]]] = []
    for entry, step in played:
        if any(isinstance(event, e.Undone) for event in step.events):
            if stack:
                stack.pop()
        else:
            stack.append((entry.at_ms, step.events))
    return stack


def _count(event: Event, turns: list[_Turn], sums: _Sums) -> None:
    match event:
        case e.TurnStarted(seat=seat, round=number):
            turns.append(_Turn(str(seat), number))
        case e.OrderSpent(seat=seat, kind=kind, group=group, troopers=troopers):
            if turns:
                turns[-1].orders += 1
                sums.orders[seat][str(turns[-1].round)] += 1
            sums.kinds[seat][kind] += 1
            if group is not None:
                sums.groups[seat][str(group)] += 1
            sums.troopers[seat].update(troopers)
        case e.TrooperNamed(seat=seat, trooper=trooper):
            sums.troopers[seat][trooper] += 1
        case e.AroDeclared(seat=seat, trooper=trooper):
            if turns:
                turns[-1].aros += 1
            sums.aros[seat][trooper or "?"] += 1
