"""The small parts of a position line: names, numbers, lists, and values written as `key=value`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from ..game import NO_ORDERS, Count


class Codec(NamedTuple):
    """How a value is written and read."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]


def name(text: str) -> str:
    """A text with everything that parts a line percent-encoded."""
    return quote(text, safe="") or "-" if text != "-" else "%2D"


def unname(text: str) -> str:
    """The text that `name` wrote."""
    return "" if text == "-" else unquote(text)


def number(text: str) -> int:
    """A number of up to six digits."""
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise ValueError(f"{text!r} is no number")
    return int(text)


def flag(text: str) -> bool:
    """0 or 1."""
    if text not in ("0", "1"):
        raise ValueError(f"{text!r} is neither 0 nor 1")
    return text == "1"


def one_of(text: str, choices: Iterable[str]) -> str:
    """One of these words."""
    if text not in (known := tuple(choices)):
        raise ValueError(f"{text!r} is none of {', '.join(known)}")
    return text


def parts(text: str, separator: str) -> list[str]:
    """The parts of a list; `-` is an empty one."""
    return [] if text == "-" else text.split(separator)


def joined(values: Iterable[object], separator: str) -> str:
    """Values as a list; `-` for none."""
    return separator.join(str(value) for value in values) or "-"


def maybe(text: str) -> str | None:
    """A word; None for `-`."""
    return None if text == "-" else text


def some(value: object) -> str:
    """A value; `-` for None."""
    return "-" if value is None else str(value)


def count(value: Count) -> str:
    """`left:total`."""
    return f"{value.left}:{value.total}"


def uncount(text: str) -> Count:
    """The count that `count` wrote."""
    left, separator, total = text.partition(":")
    value = Count(number(total if separator else ""), number(left))
    if value.left > value.total:
        raise ValueError(f"{text!r}: more left than there were")
    return value if value.total else NO_ORDERS


def write_fields(value: Any, codecs: Mapping[str, Codec], separator: str) -> str:
    """The fields of a named tuple as `key=value`, those left out that have their default."""
    defaults = value._field_defaults
    return joined(
        (
            f"{key}={codec.write(getattr(value, key))}"
            for key, codec in codecs.items()
            if key not in defaults or getattr(value, key) != defaults[key]
        ),
        separator,
    )


def read_fields(text: str, codecs: Mapping[str, Codec], separator: str, needed: Iterable[str] = ()) -> dict[str, Any]:
    """The values that `write_fields` wrote. Raises `ValueError` for unknown, double and missing keys, by name."""
    found: dict[str, Any] = {}
    for part in parts(text, separator):
        key, equals, value = part.partition("=")
        if not equals or key not in codecs:
            raise ValueError(f"{key!r} is unknown; known are {', '.join(codecs)}")
        if key in found:
            raise ValueError(f"{key} is given twice")
        try:
            found[key] = codecs[key].read(value)
        except (ValueError, IndexError, KeyError) as fault:
            raise ValueError(f"{key}: {fault}") from None
    for key in needed:
        if key not in found:
            raise ValueError(f"{key} is missing")
    return found


def many(codec: Codec, separator: str) -> Codec:
    """A tuple of such values."""
    return Codec(
        lambda values: joined(map(codec.write, values), separator),
        lambda text: tuple(codec.read(part) for part in parts(text, separator)),
    )


WORD = Codec(some, maybe)
PLAIN = Codec(str, str)
NUMBER = Codec(str, number)
FLAG = Codec(lambda value: "1" if value else "0", flag)
COUNT = Codec(count, uncount)
NAME = Codec(lambda value: "-" if value is None else name(value), lambda text: None if text == "-" else unname(text))
MAYBE_NUMBER = Codec(some, lambda text: None if text == "-" else number(text))
PLACES = many(NUMBER, "+")
WORDS = many(PLAIN, "+")


def word(choices: Iterable[str]) -> Codec:
    """One of these words, or None."""
    known = tuple(choices)
    return Codec(some, lambda text: None if text == "-" else one_of(text, known))
