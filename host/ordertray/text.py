"""One border for text: what comes in from outside is checked here, and what goes out is quoted here. Pure.

From outside: the page, rosters, army data, the wire, tags, files, the environment. A text is Unicode scalar values (no
half characters, which JSON can write and nothing can store), of a bounded length, without characters that steer a
terminal, forge a line of a log or turn the direction of writing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ordertray.messages import N_

#: What a name of anything may have at most; a line of a log or terminal shows no more of a stranger's text.
MOST_NAME = 200
MOST_SHOWN = 100

_LINE_ENDS = "\n\r\t"
#: They steer the direction of writing or end a line, so what is shown would not be what is there.
_INVISIBLE = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\ufffe\uffff")


def belongs(character: str, *, lines: bool = False) -> bool:
    """Whether a character may stand in a text; with `lines`, in one of several lines."""
    code = ord(character)
    if code < 0x20:
        return lines and character in _LINE_ENDS
    return not (0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or character in _INVISIBLE)


def text_fault(text: str, most: int = MOST_NAME, *, lines: bool = False) -> tuple[str, dict[str, object]] | None:
    """What is wrong with a text from outside, as a message id and its parameters; None if nothing is."""
    if len(text) > most:
        return N_("longer than {most} characters"), {"most": most}
    # Nearly every text is of plain characters: asked of all at once.
    if text.isascii() and text.isprintable():
        return None
    for place, character in enumerate(text, 1):
        if character == "\ufeff" and lines and place == 1:  # how some editors begin a file
            continue
        if not belongs(character, lines=lines):
            return N_("character {place} (U+{code}) does not belong in a text"), {
                "place": place,
                "code": f"{ord(character):04X}",
            }
    return None


def shown(value: object, most: int = MOST_SHOWN, *, lines: bool = False) -> str:
    """A text of somebody else's as a log or terminal may have it: what steers is written out, the rest of it cut off.

    With `lines`, ends of lines stay (a message of several lines).
    """
    text = str(value)
    if len(text) > most:
        text = text[: most - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    # A carriage return may end a line of a file; on a terminal it lets what follows stand over what was there.
    stays = (belongs(c, lines=lines) and c != "\r" for c in text)
    return "".join(c if ok else c.encode("unicode_escape").decode("ascii") for c, ok in zip(text, stays, strict=True))


def scalar(value: Any, most: int = MOST_NAME) -> Any:
    """JSON from outside with all its texts as they may be kept: cut, and with U+FFFD for what does not belong.

    For what must be taken as it comes, such as what a tray says of itself. What is no JSON is shown as text.
    """
    if isinstance(value, str):
        if len(value) <= most and value.isascii() and value.isprintable():
            return value
        return "".join(c if belongs(c) else "\ufffd" for c in value[:most])
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {scalar(str(key), most): scalar(of, most) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return [scalar(of, most) for of in value]
    return scalar(str(value), most)
