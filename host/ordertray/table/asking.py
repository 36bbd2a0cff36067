"""What each side's strip asks: the one place that says which lamps a waiting touch gets."""

from __future__ import annotations

from .model import Pending, Table


def asks_of(table: Table) -> dict[str, str]:
    """What the strips ask, by seat; the words are those of `lights.state.SideState.asks`."""
    if table.consent is not None:
        return {"A": "consent", "B": "consent"}
    return {str(pending.seat): _asks(pending) for pending in table.pending}


def _asks(pending: Pending) -> str:
    if pending.what == "next":
        return "orders"
    if pending.what == "spent":
        return f"spent {pending.word}"
    return "again" if pending.what == "state" and pending.disc is not None else "touch"
