"""Gathering texts and checking catalogues, on a small package made for the test."""

from __future__ import annotations

from pathlib import Path

import pytest

import messages_workflow as workflow

SOURCE = """
_ = translator("es")
plural = ngettext("es")
_("Hello, {name}")
N_("Regular")
translate("State")
plural("{count} disc", "{count} discs", 2)
_(variable)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with four texts and a complete Spanish catalogue."""
    (tmp_path / "module.py").write_text(SOURCE)
    workflow.update(["es"], tmp_path)
    translate(tmp_path, "Hello, {name}", "Hola, {name}")
    translate(tmp_path, "Regular", "Regular")
    translate(tmp_path, "State", "Estado")
    text = workflow.catalogue_path("es", tmp_path).read_text()
    for number, form in enumerate(("{count} disco", "{count} de discos", "{count} discos")):
        text = text.replace(f'msgstr[{number}] ""', f'msgstr[{number}] "{form}"')
    workflow.catalogue_path("es", tmp_path).write_text(text)
    return tmp_path


def translate(package: Path, source: str, target: str) -> None:
    """Fill in a text of the Spanish catalogue."""
    path = workflow.catalogue_path("es", package)
    text = path.read_text()
    head, tail = text.split(f'msgid "{source}"\nmsgstr "', 1)
    path.write_text(f'{head}msgid "{source}"\nmsgstr "{target}"{tail[tail.index(chr(34)) + 1 :]}')


def test_a_complete_catalogue_has_no_problems_and_updating_changes_nothing(package: Path) -> None:
    assert list(workflow.problems(package)) == []
    before = workflow.catalogue_path("es", package).read_bytes()
    workflow.update((), package)
    assert workflow.catalogue_path("es", package).read_bytes() == before
    assert "Generated-By" not in before.decode() and "module.py" not in before.decode()


def test_the_catalogue_speaks_through_gettext(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ordertray import messages

    workflow.update((), package)
    monkeypatch.setattr(messages, "LOCALE_DIRECTORY", workflow.locale_directory(package))
    messages._catalogue.cache_clear()
    try:
        assert messages.languages() == ("en", "es")
        assert messages.translator("es_MX.UTF-8")("Hello, {name}").format(name="Ana") == "Hola, Ana"
        plural = messages.ngettext("es")
        assert [plural("{count} disc", "{count} discs", n).format(count=n) for n in (1, 5)] == ["1 disco", "5 discos"]
        assert messages.translator("en")("State") == "State"
    finally:
        messages._catalogue.cache_clear()


def test_a_new_text_makes_the_files_stale_and_then_untranslated(package: Path) -> None:
    (package / "module.py").write_text(SOURCE + '_("New")\n')
    stale = list(workflow.problems(package))
    assert stale[:2] == ["ordertray.pot: stale; run `make messages`", "es: stale; run `make messages`"]
    workflow.update((), package)
    assert list(workflow.problems(package)) == ["es: not translated: 'New'"]
    assert 'msgstr "Hola, {name}"' in workflow.catalogue_path("es", package).read_text()


def test_a_text_that_is_gone_leaves_the_catalogue(package: Path) -> None:
    (package / "module.py").write_text(SOURCE.replace('N_("Regular")', ""))
    workflow.update((), package)
    assert "Regular" not in workflow.catalogue_path("es", package).read_text()
    assert list(workflow.problems(package)) == []


@pytest.mark.parametrize("target", ["Hola", "Hola, {nombre}", "Hola, {name} {name2}", "Hola, {name"])
def test_other_fields_than_the_source_has_are_a_problem(package: Path, target: str) -> None:
    translate(package, "Hello, {name}", target)
    (problem,) = workflow.problems(package)
    assert problem.startswith("es: fields ") and problem.endswith("instead of ['name']: 'Hello, {name}'")


def test_a_missing_plural_form_is_a_problem(package: Path) -> None:
    path = workflow.catalogue_path("es", package)
    path.write_text(path.read_text().replace("{count} de discos", ""))
    assert list(workflow.problems(package)) == ["es: not translated: '{count} disc'"]


def test_the_command_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert workflow.main(["frobnicate"]) == 2
    assert "check" in capsys.readouterr().err
