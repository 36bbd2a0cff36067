"""The typed bodies of the API: what each endpoint takes, checked in one place and shown at /api. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...text import MOST_NAME, shown, text_fault


class BodyError(ValueError):
    """A body that is not what the endpoint takes; the text names every fault."""


@dataclass(frozen=True)
class Field:
    """One field of a JSON body. `choices`: the only values, if not empty; `most`: longest text or largest number;
    `lines`: a text of several lines.
    """

    name: str
    type: type
    about: str
    required: bool = True
    choices: tuple[str, ...] = ()
    most: int = MOST_NAME
    lines: bool = False

    def fault(self, value: object) -> str | None:
        """What is wrong with a value; None if nothing is."""
        # bool is an int to Python, not to JSON.
        if not isinstance(value, self.type) or (self.type is int and isinstance(value, bool)):
            return f"{self.name}: must be {TYPE_NAMES[self.type]}"
        if self.choices and value not in self.choices:
            return f"{self.name}: must be one of {', '.join(self.choices)}"
        if isinstance(value, str) and (wrong := text_fault(value, self.most, lines=self.lines)) is not None:
            return f"{self.name}: {wrong[0].format(**wrong[1])}"
        if isinstance(value, int) and not isinstance(value, bool) and not 0 <= value <= self.most:
            return f"{self.name}: must be 0 to {self.most}"
        return None

    def schema(self) -> dict[str, Any]:
        """The field in JSON Schema."""
        shown: dict[str, Any] = {"type": _SCHEMA_TYPES[self.type], "description": self.about}
        if self.choices:
            shown["enum"] = list(self.choices)
        elif self.type is str:
            shown["maxLength"] = self.most
        elif self.type is int:
            shown |= {"minimum": 0, "maximum": self.most}
        return shown


TYPE_NAMES: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}
_SCHEMA_TYPES: Mapping[type, str] = {str: "string", int: "integer", bool: "boolean"}


def checked(fields: Sequence[Field], body: object) -> dict[str, Any]:
    """The body, if it has exactly these fields. Raises `BodyError` naming every fault."""
    if not isinstance(body, dict):
        raise BodyError("the body must be a JSON object")
    known = {field.name: field for field in fields}
    faults = [f"{name}: is missing" for name, field in known.items() if field.required and name not in body]
    for name, value in body.items():
        if name not in known:
            faults.append(f"{shown(name, 40)!r}: is not known here; known are {', '.join(known) or 'none'}")
        elif (fault := known[name].fault(value)) is not None:
            faults.append(fault)
    if faults:
        raise BodyError("; ".join(faults))
    return body
