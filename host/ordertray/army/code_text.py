"""The forms an army code travels in: bare, in a link, percent-encoded, unpadded, wrapped; and what is wrong with it."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import unquote

from ordertray.messages import N_, Translator, identity

MAXIMUM_CHARACTERS = 20_000  # a list of 25 troopers is some 300 characters


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
    """The bytes behind a code, a link, or either with URL encoding."""
    if len(text) > MAXIMUM_CHARACTERS:
        raise ArmyCodeError(N_("{count} characters are far too many for an army code"), count=len(text))
    stripped = text.strip().lstrip("\ufeff").strip("\"'<>")
    marker = "/list/"
    if "://" in stripped or marker in stripped:
        if marker not in stripped:
            raise ArmyCodeError(N_("this link holds no army code: nothing after '{marker}'"), marker=marker)
        stripped = re.split(r"[?#]", stripped.rsplit(marker, 1)[1])[0]
    for _ in range(3):  # links get encoded again on their way through chats
        if "%" not in stripped:
            break
        stripped = unquote(stripped)
    stripped = re.sub(r"[ \t]*[\r\n]+[ \t]*", "", stripped).strip()
    if not stripped:
        raise ArmyCodeError(N_("there is no army code here: the text is empty"))
    if wrong := re.search(r"[^A-Za-z0-9+/=]", stripped):
        hint = N_("'{character}' at place {place} cannot stand in an army code")
        if wrong.group() == " ":
            hint = N_("there is a blank at place {place}: a '+' of the code was lost on its way")
        raise ArmyCodeError(hint, character=wrong.group().encode("unicode_escape").decode(), place=wrong.start() + 1)
    body = stripped.rstrip("=")
    if "=" in body or len(stripped) - len(body) > 2:
        raise ArmyCodeError(N_("'=' may only end an army code, at most twice: this is garbled, or more than one code"))
    if len(body) % 4 == 1:
        raise ArmyCodeError(N_("this army code is cut short: {count} characters are not whole bytes"), count=len(body))
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except binascii.Error:  # pragma: no cover - excluded by the checks above, kept as the one way out
        raise ArmyCodeError(N_("this army code is not Base64")) from None
    if base64.b64encode(data).decode("ascii").rstrip("=") != body:
        raise ArmyCodeError(N_("this army code is cut short or garbled: its last character has stray bits"))
    return data
