"""`value`: small immutable records, such as actions and events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """A dataclass that compares and hashes by its fields, and that nobody changes.

    Type checkers hold to that. At run time nothing does: a dataclass that is `frozen` takes three times as long to
    make, and one or two of these are made for each action of a game.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
