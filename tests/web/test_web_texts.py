"""Every text of the page exists, in both languages; and what the page draws is what the tray does."""

from __future__ import annotations

import ast
import gzip
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from ordertray.lights.layout import FIELDS
from ordertray.messages import languages, translator
from ordertray.rules import EDITIONS
from ordertray.rules.army import DEPLOYMENTS, TRAININGS
from ordertray.table import BUTTONS, guide, told
from ordertray.web.doing import setup
from ordertray.web.showing import pathway, telling
from ordertray.web.showing.texts import keys, texts
from ordertray_firmware import pixels

ENTRIES = [entry for entry in files("ordertray.web").joinpath("static").iterdir() if not entry.name.endswith(".png")]
STATIC = {entry.name: entry.read_text("utf-8") for entry in ENTRIES}
SCRIPTS = "\n".join(text for name, text in STATIC.items() if name.endswith(".js"))

#: What a `${...}` in a key may become.
FILLED = {
    "team": ("aro", "join", "leave"),
    "attention": ("awake", "sound", "vibrate"),
    "button": (*BUTTONS, "pass.held", "ok.held"),
    "field": tuple(key for field in FIELDS for key in (field.name, f"{field.name}.title")),
    "fill": (
        "name",
        "type",
        "cost",
        "training",
        "lieutenant",
        "skills",
        "deploy",
        "controller",
        *TRAININGS,
        *DEPLOYMENTS,
    ),
    "link": ("offline", "stale", "fault", "absent"),
    "station": ("done", "now", "todo", "none"),
}

#: Spanish words that are the English ones.
SAME_IN_SPANISH = {"ARO", "OK", "PIN", "PASS", "BASIC", "SHORT", "LONG"}


def used_keys() -> set[str]:
    found = set(re.findall(r'\bt\(\s*"([^"]+)"', SCRIPTS))
    found |= set(re.findall(r'#panel\("([^"]+)"', SCRIPTS))
    for one, other in re.findall(r'\bt\([^()]*\? "([^"]+)" : "([^"]+)"', SCRIPTS):
        found |= {one, other}
    for template in re.findall(r"\bt\(`([^`$]+)\.\$\{", SCRIPTS):
        found |= {f"{template}.{word}" for word in FILLED[template]}
    return found


def test_every_key_that_the_page_uses_has_a_text() -> None:
    assert len(used_keys()) > 150
    assert used_keys() - set(texts("en")) == set()


def test_every_text_is_used() -> None:
    quoted = set(re.findall(r'"([a-z][\w.-]*)"', SCRIPTS)) | used_keys()
    families = {"kind", "phase", "state", "reaction", "token", "over", "skill", "field"}
    unused = {key for key, _ in keys() if key not in quoted and key.partition(".")[0] not in families}
    assert unused == set()


def marked(module: object) -> set[str]:
    """The texts that a module marks with N_()."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))  # type: ignore[attr-defined]
    return {
        str(node.args[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "N_"
        if isinstance(node.args[0], ast.Constant)
    }


@pytest.mark.parametrize("language", [name for name in languages() if name != "en"])
def test_no_text_of_the_page_is_missing_in_another_language(language: str) -> None:
    translate = translator(language)
    everything = {text for _, text in keys()}
    for module in (guide, told, pathway, setup, telling):
        everything |= marked(module)
    missing = sorted(text for text in everything if text and translate(text) == text and text not in SAME_IN_SPANISH)
    # Names of skills and of editions are often the same in Spanish play: the catalogue says so on purpose.
    names = {skill.name for edition in EDITIONS.values() for skill in edition.chart.values()}
    catalogue = Path(str(files("ordertray.messages"))) / "locale" / language / "LC_MESSAGES" / "ordertray.po"
    said_so = set(re.findall(r'msgid "([^"]+)"\nmsgstr "\1"', catalogue.read_text("utf-8")))
    assert [text for text in missing if text not in names | said_so] == []
    for text in everything:
        wanted = set(re.findall(r"\{(\w+)\}", text))
        assert set(re.findall(r"\{(\w+)\}", translate(text))) == wanted, text


def test_the_strip_is_laid_out_as_the_real_one() -> None:
    block = STATIC["tray.js"].partition("export const FIELDS = [")[2].partition("];")[0]
    drawn = [(name, int(first), int(length)) for name, first, length in re.findall(r'\["(\w+)", (\d+), (\d+)\]', block)]
    assert drawn == [(field.name, field.first, field.length) for field in FIELDS]


def test_effects_have_the_firmwares_times() -> None:
    css = STATIC["table.css"]
    assert f"fx-blink {pixels.BLINK_MS}ms" in css and f"fx-pulse {pixels.PULSE_MS}ms" in css
    assert f"fx-flash {pixels.FLASH_MS}ms" in css and f"fx-blink {pixels.QUICK_MS}ms" in css
    assert f"CHASE_MS = {pixels.CHASE_MS};" in STATIC["tray.js"]
    assert f"REFUSED_MS = {pixels.REFUSE_MS};" in STATIC["tray.js"]
    assert f"fx-refused {pixels.REFUSE_MS // 2}ms" in css
    for letter in pixels.COLOURS.strip("."):
        assert f".ink-{letter} " in css


def test_nothing_is_loaded_from_elsewhere_and_all_of_it_is_small() -> None:
    for name, text in STATIC.items():
        outside = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
        assert outside == set(), name
    # As it is sent: compressed, with the pictures and the longest of the texts.
    sent = [gzip.compress(text.encode()) for text in STATIC.values()]
    sent += [
        entry.read_bytes() for entry in files("ordertray.web").joinpath("static").iterdir() if entry not in ENTRIES
    ]
    sent.append(max(json.dumps(texts(language)).encode() for language in languages()))
    assert sum(map(len, sent)) < 150_000


def test_every_module_that_the_page_imports_is_there_and_announced() -> None:
    imported = set(re.findall(r'from "\./([\w.]+)"', SCRIPTS))
    assert imported <= set(STATIC)
    announced = set(re.findall(r'modulepreload" href="/static/([\w.]+)"', STATIC["index.html"]))
    assert announced == imported
