"""The catalogues as they stand in the source, whatever was compiled last."""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import ordertray.rules
from ordertray.messages import LOCALE_DIRECTORY

LANGUAGES = ("en", "es")


@cache
def catalogue(language: str) -> Catalog:
    """The catalogue of a language, read from its `.po` file."""
    path = LOCALE_DIRECTORY / language / "LC_MESSAGES" / "ordertray.po"
    return read_po(io.BytesIO(path.read_bytes()), locale=language)


@cache
def translator(language: str) -> Callable[[str], str]:
    """What `ordertray.messages.translator` will give once the catalogue is compiled."""
    if language == "en":
        return str
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled).gettext


@cache
def marked_in_rules() -> tuple[str, ...]:
    """Every text that the rules core marks for the catalogues."""
    folder = Path(ordertray.rules.__file__).parent
    found = {message for _, _, message, _, _ in extract_from_dir(folder, keywords={"N_": None})}
    return tuple(sorted(message for message in found if isinstance(message, str)))
