"""Texts in the player's language: plain gettext at run time, the source's English where there is no catalogue.

Mark a text with `_()` where `_ = translator(language)`, or with `N_()` where a constant is only named and translated
later. Texts with numbers go through `ngettext(language)`. Fields are `{named}`, filled by `.format` after translating.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

DOMAIN = "ordertray"
LOCALE_DIRECTORY = Path(__file__).parent / "locale"
SOURCE_LANGUAGE = "en"

Translator = Callable[[str], str]
PluralTranslator = Callable[[str, str, int], str]


def N_(message: str) -> str:  # noqa: N802 - the name every extractor knows
    """Mark a constant for extraction; it is translated where it is shown."""
    return message


def identity(message: str) -> str:
    """The translator of the source language."""
    return message


def languages() -> tuple[str, ...]:
    """The languages there are texts in, the source language first."""
    found = sorted(path.parent.parent.name for path in LOCALE_DIRECTORY.glob(f"*/LC_MESSAGES/{DOMAIN}.[pm]o"))
    return (SOURCE_LANGUAGE, *dict.fromkeys(name for name in found if name != SOURCE_LANGUAGE))


@lru_cache(maxsize=16)
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == SOURCE_LANGUAGE:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, LOCALE_DIRECTORY, languages=[language], fallback=True)


def translator(language: str = SOURCE_LANGUAGE) -> Translator:
    """Give the function that translates one text into `language` ("es", "es_ES"); the source text where it has none."""
    catalogue = _catalogue(normalised(language))

    def translate_text(message: str) -> str:
        # gettext answers "" with the catalogue's header.
        return catalogue.gettext(message) if message else ""

    return translate_text


translate = translator


def ngettext(language: str = SOURCE_LANGUAGE) -> PluralTranslator:
    """Give the function `(singular, plural, count) -> text` for `language`."""
    return _catalogue(normalised(language)).ngettext


def normalised(name: str) -> str:
    """The language of a locale name that we have texts in ("es_ES.UTF-8" -> "es"), else the source language."""
    stem = name.split(".")[0].split("@")[0].replace("-", "_")
    known = languages()
    for candidate in (stem, stem.split("_")[0].lower()):
        if candidate in known:
            return candidate
    return SOURCE_LANGUAGE


def detect_language(environment: Mapping[str, str] | None = None) -> str:
    """The player's language: `ORDERTRAY_LANGUAGE`, else as gettext (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`)."""
    values = os.environ if environment is None else environment
    known = languages()
    for variable in ("ORDERTRAY_LANGUAGE", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for name in values.get(variable, "").split(":"):
            stem = name.split(".")[0].split("@")[0].replace("-", "_").split("_")[0].lower()
            if stem in known:
                return stem
        if values.get(variable):
            return SOURCE_LANGUAGE
    return SOURCE_LANGUAGE
