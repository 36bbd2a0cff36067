"""What a trooper is called: by its id, or, while it is a marker, as `marker-N` by everybody but its owner (INF).

Inside the core ids are used. What players say is translated on its way in, what they see on its way out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import actions as a
from . import events as e
from .game import Game
from .seats import SEATS, Seat

MARKER = "marker-"


def has_markers(game: Game, seat: Seat) -> bool:
    """Whether the list of `seat` has troopers that begin as markers."""
    return bool(game.army(seat).markers)


def marker_place(game: Game, seat: Seat, name: str) -> int | None:
    """The place of the trooper that is, or was, called `marker-N`; None for any other name."""
    if not name.startswith(MARKER):
        return None
    army = game.army(seat)
    return next((army.index[name_] for name_, n in army.markers.items() if name == f"{MARKER}{n}"), None)


def public_name(game: Game, seat: Seat, place: int) -> str:
    """What everybody calls a trooper."""
    marker = game.side(seat).troopers[place].marker
    return f"{MARKER}{marker}" if marker else game.army(seat).troopers[place].id


def names_for(game: Game, seat: Seat, viewer: Seat | None) -> dict[str, str]:
    """What `viewer` (None: the public) calls those troopers of `seat` that are not called by their ids."""
    if viewer is seat or not has_markers(game, seat):
        return {}
    army, side = game.army(seat), game.side(seat)
    stands = ((name, side.troopers[army.index[name]].marker) for name in army.markers)
    return {name: f"{MARKER}{marker}" for name, marker in stands if marker}


def from_own_words(game: Game, action: a.Action) -> a.Action:
    """`action` with its own side's markers called by their ids, whatever they were called."""
    seat: Seat | None = getattr(action, "seat", None)
    if seat is None or not has_markers(game, seat):
        return action
    changes: dict[str, Any] = {}
    if isinstance(name := getattr(action, "trooper", None), str) and getattr(action, "owner", seat) is seat:
        changes["trooper"] = _own(game, seat, name)
    for field in ("troopers", "others"):
        if names := getattr(action, field, ()):
            changes[field] = tuple(_own(game, seat, name) for name in names)
    changed = {field: value for field, value in changes.items() if value != getattr(action, field)}
    return replace(action, **changed) if changed else action


def _own(game: Game, seat: Seat, name: str) -> str:
    place = marker_place(game, seat, name) if isinstance(name, str) else None
    return name if place is None else game.army(seat).troopers[place].id


# --- on the way out --------------------------------------------------------------------------------------------------


def event_for(game: Game, event: e.Event, viewer: Seat | None) -> e.Event:
    """`event`, which happened in `game`, with markers called what `viewer` calls them."""
    names = {seat: names_for(game, seat, viewer) for seat in SEATS}
    if not (names[Seat.A] or names[Seat.B]) or isinstance(event, e.Revealed):
        return event
    if isinstance(event, e.Undone):
        return event if event.action is None else replace(event, action=_line(event.action, names))
    seat = getattr(event, "owner", getattr(event, "seat", None))
    if seat is None:
        return event
    own, other = names[seat], names[seat.other]
    changes: dict[str, Any] = {}
    if isinstance(name := getattr(event, "trooper", None), str):
        changes["trooper"] = own.get(name, name)
    for field in ("troopers", "others"):
        if found := getattr(event, field, ()):
            changes[field] = tuple(own.get(name, name) for name in found)
    if isinstance(event, e.OrdersCounted):
        for field in ("irregular", "fixed", "tactical", "impetuous"):
            changes[field] = {own.get(name, name): count for name, count in getattr(event, field).items()}
    if isinstance(event, e.AroDeclared) and event.target is not None:
        changes["target"] = other.get(event.target, event.target)
    if isinstance(event, e.AroDelayed):
        changes["markers"] = tuple(other.get(name, name) for name in event.markers)
    if isinstance(event, e.OrderSpent) and event.captive is not None:
        changes["captive"] = reference_for(event.captive, names)
    if found := getattr(event, "idle", ()):
        changes["idle"] = tuple(reference_for(name, names) for name in found)
    return replace(event, **changes)


def reference_for(reference: str, names: dict[Seat, dict[str, str]]) -> str:
    """A trooper as `SEAT:ID`, called as it is by those who know it by these names."""
    seat, _, name = reference.partition(":")
    return f"{seat}:{names[Seat(seat)].get(name, name)}" if seat in ("A", "B") else reference


def _line(line: str, names: dict[Seat, dict[str, str]]) -> str:
    """A line of the script, its markers called by these names."""
    words = line.split(" ")
    seat = Seat(words[0]) if words[0] in ("A", "B") else None
    if seat is None or words[1:2] == ["reveal"]:
        return line
    aimed = False
    said = []
    quoted = False
    for word in words:
        plain = not quoted and '"' not in word
        quoted ^= word.count('"') % 2 == 1
        if plain and ":" in word:
            word = reference_for(word, names)
        elif plain:
            word = names[seat.other if aimed else seat].get(word, word)
        aimed = word == ">"
        said.append(word)
    return " ".join(said)
