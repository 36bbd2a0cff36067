"""Every refusal names its rule and its reason, in words a player understands, in both languages."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import ordertray.rules
from ordertray.rules import EDITIONS, Refusal, explain, explain_to_others
from ordertray.rules.game import TROOPER_STATES
from ordertray.rules.refusals import REASONS, REFUSED, STALE
from ordertray.rules.words import PHASES, REACTIONS, STATES
from rules.catalogues import LANGUAGES, catalogue, marked_in_rules, translator
from rules.playing import ALL, ENEMY, Game, army
from rules.rule_numbers import RULES


def fields(text: str) -> set[str]:
    """The names of the fields of a template."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def refusals_in_source() -> Iterator[tuple[str, str, set[str]]]:
    """Rule, code and parameter names of each `Refusal(...)` of the core whose rule and code are written out."""
    folder = Path(ordertray.rules.__file__).parent
    for path in (*sorted(folder.rglob("*.py")), folder.parent / "games" / "script.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal"):
                continue
            rule, code = (arg.value if isinstance(arg, ast.Constant) else None for arg in node.args[:2])
            given = node.args[2] if len(node.args) > 2 else None
            names = (
                {key.value for key in given.keys if isinstance(key, ast.Constant)}
                if isinstance(given, ast.Dict)
                else set()
            )
            if code is not None:
                yield str(rule or ""), str(code), {str(name) for name in names}


def test_every_refusal_names_a_rule_that_there_is() -> None:
    rules = {rule for rule, _, _ in refusals_in_source() if rule and rule != "STALE"}
    assert rules <= set(RULES)
    assert len(rules) > 30


def test_every_refusal_has_its_words_and_every_words_a_refusal() -> None:
    """And the words ask for nothing that the refusal does not say."""
    used: dict[str, list[set[str]]] = {}
    for _, code, names in refusals_in_source():
        used.setdefault(code, []).append(names)
    assert set(REASONS) - set(used) == {"step", "window-open"}, "these are given by name"
    assert set(used) - set(REASONS) == set()
    for code, given in used.items():
        for names in given:
            assert fields(REASONS[code]) <= names, code


def all_params(code: str, edition: str) -> Iterator[dict[str, object]]:
    """Parameters for each word that the reason may hold."""
    labels = tuple(EDITIONS[edition].label_names.values())
    choices = {
        "state": TROOPER_STATES, "phase": EDITIONS[edition].phases, "label": labels, "first": labels, "second": labels,
        "by": tuple(REACTIONS), "name": ("Move", "BS Attack", "Look Out!", "Dance"),
    }  # fmt: skip
    plain: dict[str, object] = dict.fromkeys(fields(REASONS[code]), 3)
    yield plain | {name: choices[name][0] for name in plain if name in choices}
    for name in plain:
        for value in choices.get(name, ()):
            yield plain | {other: choices[other][0] for other in plain if other in choices} | {name: value}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("edition", ALL)
def test_every_reason_in_words(language: str, edition: str) -> None:
    """No field is left open, no English word left in a Spanish sentence."""
    words = (*PHASES.values(), *STATES.values(), *REACTIONS.values(), *EDITIONS[edition].label_names.values())
    english = {word for word in words if translator("es")(word) != word}
    for code in REASONS:
        for params in all_params(code, edition):
            refusal = Refusal("ORD-01", code, params)
            told = explain(refusal, translator(language))
            assert told and not {"{", "}"} & set(told)
            assert explain_to_others(refusal, translator(language)) == told
            if language == "es":
                assert told != explain(refusal)
                assert not [word for word in english if f" {word}" in told], told
            secret = Refusal("ORD-01", code, params, private=True)
            assert explain_to_others(secret, translator(language)) == translator(language)(REFUSED)


def test_everything_marked_is_translated() -> None:
    """With the same fields, nothing fuzzy, nothing empty."""
    assert len(marked_in_rules()) > 150
    for text in marked_in_rules():
        message = catalogue("es").get(text)
        assert message is not None, f"not in the catalogue: {text!r}; run make messages"
        translated = message.string
        assert isinstance(translated, str) and translated, f"not translated: {text!r}"
        assert not message.fuzzy, text
        assert fields(translated) == fields(text), text


def test_every_word_that_players_read_is_marked() -> None:
    marked = set(marked_in_rules())
    assert set(STATES) == set(TROOPER_STATES)
    assert set(REACTIONS) == set().union(*(edition.aro_reasons for edition in EDITIONS.values()))
    assert set(PHASES) == set().union(*(edition.phases for edition in EDITIONS.values()))
    for edition in EDITIONS.values():
        assert {*edition.label_names.values(), edition.title} <= marked
        assert {skill.name for skill in edition.chart.values()} <= marked


def test_the_terms_of_the_game_in_spanish() -> None:
    spanish = translator("es")
    game = Game("n5", army("cap lieutenant", "t1"), ENEMY)
    game.script.translate = spanish
    game.play("A start")
    assert game.refused("A spend regular g1", "SEQ-02") == (
        "Las Órdenes se consumen en la Fase de Órdenes; esta es la Fase Táctica."
    )
    game.go_on("A", "orders")
    game.play("B state A:t1 unconscious")
    assert game.refused("A spend regular g1 t1", "STA-01") == "t1 está Inconsciente."
    game.play("A spend regular g1 cap")
    assert game.refused('A skill long "Dodge"', "ACT-01") == "Esquivar es una Habilidad Corta."
    game.play("A skill basic")
    assert game.refused('B aro u1 "Move"', "ACT-11") == "Mover no se puede usar en ORA."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_trooper_named_like_a_word_keeps_its_name(language: str) -> None:
    """Ids are the players' own and never translated, though they may look like a word of ours."""
    game = Game("n5", army("cap lieutenant", "Dead", "Move"), ENEMY)
    game.script.translate = translator(language)
    game.begin("A")
    game.play("B state A:Dead dead")
    assert game.refused("A spend regular g1 Dead", "STA-01").startswith("Dead ")
    game.play("B state A:Move dead")
    assert game.refused("A spend regular g1 Move", "STA-01").startswith("Move ")


@pytest.mark.parametrize("edition", ALL)
def test_a_stale_line_says_where_the_game_stands(edition: str) -> None:
    game = Game(edition, ENEMY)
    game.play("A start")
    message = game.refused("@0 A next", STALE)
    assert "0" in message and "1" in message
