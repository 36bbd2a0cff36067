"""Texts of the page, by key. placeholder"""

from __future__ import annotations

from ..messages import translator

TEXTS: dict[str, str] = {}


def texts(language: str) -> dict[str, str]:
    """All texts."""
    translate = translator(language)
    return {key: translate(text) for key, text in TEXTS.items()}
