"""One typical turn of ten orders as touches: what the bench plays on tray and page, and what `tests/table` checks.

Nine plain orders: six Move + BS Attack with one ARO, a Lieutenant order and a Regular one of Move + BS Attack without
an ARO, a Long skill; and a Coordinated Order of four. Then a casualty, and a mis-touch taken back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ordertray.rules import Army, Seat, Trooper
from ordertray.table import Pace

A, B = Seat
WAYS = ("count", "record", "full")
"""Express, orders counted only; express, AROs and second skills recorded; full, every step."""
KINDS = ("begin", "attack", "lieutenant", "no ARO", "long", "coordinated", "casualty", "mis-touch", "end")
PLAIN = ("attack", "lieutenant", "no ARO", "long")

#: Touches of cardboard tokens: flipped, laid down, turned.
CARDBOARD = {"begin": 0, "attack": 1, "lieutenant": 1, "no ARO": 1, "long": 1, "coordinated": 2, "casualty": 1,
             "mis-touch": 1, "end": 0}  # fmt: skip
#: What was to be reached (both sides together), by way: the nine plain orders, and the others.
TARGETS = {
    "count": {"nine": 9, "coordinated": 3, "casualty": 2, "mis-touch": 1},
    "record": {"nine": 24, "coordinated": 6, "casualty": 2, "mis-touch": 1},
}


@dataclass(frozen=True)
class One:
    """One touch: a disc's name (as beside a virtual tray) or a key, held or not."""

    seat: Seat
    disc: str = ""
    key: str = ""
    held: bool = False


@dataclass(frozen=True)
class Part:
    """What one order, or another thing that happens in a turn, takes."""

    kind: str
    touches: tuple[One, ...]


def army(letter: str) -> Army:
    """Ten Regulars in one group."""
    return Army(letter, 200, tuple(Trooper(f"{letter}{n}", cost=20, lieutenant=n == 1) for n in range(1, 11)))


def pace_of(way: str) -> Pace:
    """The pace that a way of playing needs."""
    return Pace.FULL if way == "full" else Pace.EXPRESS


def _disc(disc: str, seat: Seat = A) -> One:
    return One(seat, disc=disc)


def _key(key: str, seat: Seat = A) -> One:
    return One(seat, key=key)


def _hold(key: str) -> One:
    return One(A, key=key, held=True)


def _order(kind: str, way: str, number: int) -> tuple[One, ...]:
    spent = _disc("lieutenant" if kind == "lieutenant" else "regular g1")
    reacts = (_disc(f"trooper b{number + 2}", B),) if kind == "attack" else ()
    if way == "count":
        return (spent,)
    if way == "record":
        return (spent, *reacts, _key("long" if kind == "long" else "short"))
    if kind == "long":
        return (spent, _key("long"), _key("pass", B), _key("ok"))
    return (spent, _key("basic"), *reacts, _key("pass", B), _key("short"), _key("ok"))


def _coordinated(way: str) -> tuple[One, ...]:
    if way == "count":
        return (_disc("command"), _key("ok"), _disc("regular g1"))
    declared = (_disc("command"), *(_disc(f"trooper a{n}") for n in range(2, 6)), _disc("regular g1"))
    return declared if way == "record" else (*declared, _key("basic"), _key("pass", B), _key("short"), _key("ok"))


def turn(way: str) -> Iterator[Part]:
    """The whole turn, one part after the other."""
    holds = 1 if way != "full" else 4  # full: begin, and each step
    yield Part("begin", (_hold("ok"),) * holds)
    for number in range(6):
        yield Part("attack", _order("attack", way, number))
    yield Part("coordinated", _coordinated(way))
    for kind in ("lieutenant", "no ARO", "long"):
        yield Part(kind, _order(kind, way, 0))
    yield Part("casualty", (_disc("state"), One(A, disc="B:trooper b10")))
    yield Part("mis-touch", (_hold("pass"),))
    yield Part("end", (_hold("ok"),) * (2 if way != "full" else 3))  # one Regular order is left: asked once more


def cost(parts: list[Part]) -> dict[str, tuple[int, int, int]]:
    """By kind: touches of A, of B, and how many of these are holds; of one order where there are several."""
    found: dict[str, tuple[int, int, int]] = {}
    for part in parts:
        of = [sum(one.seat is seat for one in part.touches) for seat in Seat]
        found[part.kind] = (of[0], of[1], sum(one.held for one in part.touches))
    return found


def nine(parts: list[Part]) -> int:
    """Touches of the nine plain orders, both sides together."""
    return sum(len(part.touches) for part in parts if part.kind in PLAIN)
