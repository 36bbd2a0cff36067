"""The gettext helper: which language, and what happens without a catalogue."""

from __future__ import annotations

import pytest

from ordertray import messages


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "es_ES.UTF-8"}, "es"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANGUAGE": "fr:es", "LANG": "en_GB.UTF-8"}, "es"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "fr_FR"}, "en"),
        ({"ORDERTRAY_LANGUAGE": "es", "LC_ALL": "en_GB"}, "es"),
    ],
)
def test_language_is_taken_from_the_environment(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "languages", lambda: ("en", "es"))
    assert messages.detect_language(environment) == expected


def test_a_text_without_translation_is_shown_as_written() -> None:
    assert messages.translator("xx")("no catalogue has this text") == "no catalogue has this text"
    assert messages.ngettext("xx")("one", "many", 2) == "many"
    assert messages.translator("es")("") == ""
