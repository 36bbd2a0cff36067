"""Public views for the lamp tests: the JSON of design.md, built from a line or two."""

from __future__ import annotations

from typing import Any

View = dict[str, Any]
BOTH_ONLINE = {"A": "online", "B": "online"}


def count(total: int, left: int | None = None) -> dict[str, int]:
    """`{"total", "left"}`; nothing spent where `left` is not given."""
    return {"total": total, "left": total if left is None else left}


def seat(**changes: Any) -> View:
    """A seat with no orders at all, but for `changes`."""
    return {
        "pools": {},
        "irregular": count(0),
        "lieutenant": count(0),
        "tactical": count(0),
        "impetuous": count(0),
        "command_tokens": 4,
        "retreat": False,
        "loss_of_lieutenant": False,
    } | changes


def view(*, a: View | None = None, b: View | None = None, **changes: Any) -> View:
    """A's Orders Phase in round 1, no order running, but for `changes`."""
    return {
        "edition": "n5",
        "round": 1,
        "active": "A",
        "phase": "orders",
        "step": "",
        "seats": {"A": a or seat(), "B": b or seat()},
        "order": None,
        "over": False,
    } | changes


def order(*, open_window: bool = False, declared: list[Any] | None = None, step: str = "1.2") -> View:
    """A running Regular order."""
    return {
        "kind": "regular",
        "trooper": "alfa",
        "step": step,
        "skills": ["Move"],
        "aro": {"open": open_window, "declared": declared or [], "passed": []},
    }
