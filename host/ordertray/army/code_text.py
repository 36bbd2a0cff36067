"""The forms an army code travels in: bare, in a link, percent-encoded, unpadded, wrapped, in a chat's sentence.

A code proves itself (its framing must consume every byte), so looking for it generously is safe: every stretch of the
text that could be one is tried, and `codes.decode` takes the reading that there is exactly one of.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from ordertray.messages import N_, Translator, identity

MAXIMUM_CHARACTERS = 20_000  # a list of 25 troopers is some 300 characters
_SHORTEST = 16  # letters: an army of one trooper has some 30
_MOST_PARTS = 60  # a code may come in so many pieces: lines of a mail, blanks for each "+"
_MOST_BEGINNINGS = 40
_BETWEEN_LINES = " \t\r\n>`|*\\\"'\u201c\u201d"
_LINK = re.compile(r"/list/", re.IGNORECASE)
_CODE_RUN = re.compile(r"[A-Za-z0-9+/=%_-]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe0f\ufeff]")


class ArmyCodeError(ValueError):
    """A text is no army code, or has no single reading. `text(translate)` gives the message in another language."""

    def __init__(self, template: str, **params: object) -> None:
        self.template = template
        self.params = params
        super().__init__(self.text())

    def text(self, translate: Translator = identity) -> str:
        """The message in the language of `translate`."""
        params = {
            name: value.text(translate) if isinstance(value, ArmyCodeError | Readings) else value
            for name, value in self.params.items()
        }
        if isinstance(what := params.get("what"), str):
            params["what"] = translate(what)
        return translate(self.template).format(**params)


@dataclass(frozen=True)
class Readings:
    """What each framing made of a code, for the message."""

    entries: tuple[tuple[str, ArmyCodeError | str], ...]

    def text(self, translate: Translator) -> str:
        """One line per framing."""
        return "\n".join(
            f"  {name}: {result.text(translate) if isinstance(result, ArmyCodeError) else result}"
            for name, result in self.entries
        )


def bytes_of(text: str) -> bytes:
    """The bytes behind a bare code in the standard alphabet. Raises `ArmyCodeError` saying what is wrong with it."""
    if wrong := re.search(r"[^A-Za-z0-9+/=]", text):
        hint = N_("'{character}' at place {place} cannot stand in an army code")
        raise ArmyCodeError(hint, character=wrong.group().encode("unicode_escape").decode(), place=wrong.start() + 1)
    body = text.rstrip("=")
    if "=" in body:
        raise ArmyCodeError(N_("'=' may only end an army code: this is garbled, or more than one code"))
    if len(body) % 4 == 1:
        raise ArmyCodeError(N_("this army code is cut short: {count} characters are not whole bytes"), count=len(body))
    data = base64.b64decode(body + "=" * (-len(body) % 4))
    if base64.b64encode(data).decode("ascii").rstrip("=") != body:
        raise ArmyCodeError(N_("this army code is cut short or garbled: its last character has stray bits"))
    return data


def candidates(text: str) -> list[str]:
    """Every stretch of a pasted text that could be a code, in the standard alphabet, the likeliest first.

    Raises `ArmyCodeError` for a text that has none: empty, far too long, a link to something else.
    """
    if len(text) > MAXIMUM_CHARACTERS:
        raise ArmyCodeError(N_("{count} characters are far too many for an army code"), count=len(text))
    plain = _INVISIBLE.sub("", text).replace("\u00a0", " ").strip()
    if not plain:
        raise ArmyCodeError(N_("there is no army code here: the text is empty"))
    found = {form: None for stretch in _stretches(plain) for form in _forms(stretch) if form}
    long = [form for form in found if len(form) >= _SHORTEST]
    likely = sorted(long or found, key=lambda form: (not _begins_a_code(form), -len(form)))
    if long and (_begins_a_code(likely[0]) or "://" not in plain):
        return likely
    if links := _LINK.findall(plain):
        key = re.split(r"[^A-Za-z0-9]", plain.rsplit(links[-1], 1)[1], maxsplit=1)[0]
        if not key:
            raise ArmyCodeError(N_("there is no army code here: nothing stands after '{marker}'"), marker="/list/")
        if len(key) < _SHORTEST:
            template = N_(
                "'{key}' is a list's number on the builder's server, not its code: open it there, copy its code"
            )
            raise ArmyCodeError(template, key=key)
    elif "://" in plain:
        raise ArmyCodeError(N_("this link holds no army code: nothing after '{marker}'"), marker="/list/")
    if not likely:
        raise ArmyCodeError(N_("there is no army code in this text"))
    return likely


def _stretches(plain: str) -> Iterator[str]:
    """Runs of letters that a code may have, alone and with those after them: lines of a mail, blanks for each "+"."""
    runs = list(_CODE_RUN.finditer(plain))
    yield from (run.group() for run in runs)
    beginnings = 0
    for first, run in enumerate(runs):
        if not any(map(_begins_a_code, _forms(run.group()))):
            continue
        beginnings += 1
        if beginnings > _MOST_BEGINNINGS:
            return
        joined = with_plus = run.group()
        following = runs[first : first + _MOST_PARTS]
        for before, after in itertools.pairwise(following):
            between = plain[before.end() : after.start()]
            if between.strip(_BETWEEN_LINES):
                break
            joined += after.group()
            with_plus += ("+" if between == " " else "") + after.group()
            yield from {joined, with_plus}


def _begins_a_code(form: str) -> bool:
    """Whether the first letters say: a number, then a short text of plain letters, as a sectorial's slug is."""
    if len(form) < 8:
        return False
    head = base64.b64decode(form[: min(len(form), 12) // 4 * 4].replace("=", "A"))
    place = 1 if head[0] < 128 else 2
    slug = head[place + 1 : place + 1 + head[place]]
    return 0 < head[place] < 64 and all(32 < letter < 127 for letter in slug)


def _forms(stretch: str) -> Iterator[str]:
    """What a stretch can mean: with the percent signs read, in the standard alphabet, without what sticks to it."""
    if link := list(_LINK.finditer(stretch)):
        stretch = stretch[link[-1].end() :]
    for _ in range(3):  # links get encoded again on their way through chats
        if "%" not in stretch:
            break
        stretch = unquote(stretch)
    body = re.split(r"[^A-Za-z0-9+/=_-]", stretch, maxsplit=1)[0]
    for form in (body, body.strip("_-"), body.rstrip("/"), body.strip("/_-")):
        standard = form.replace("-", "+").replace("_", "/")
        yield standard
        if 0 < (end := standard.find("=")) < len(standard.rstrip("=")):
            yield standard[:end]  # "...%3D7": something got behind the padding
