"""The table rule -> tests, per edition: read off the marks of the tests here, written into the README of the rules.

    python tests/rules/rule_table.py            # print what is missing or stale; status 1 if anything is
    python tests/rules/rule_table.py --write    # rewrite the table in the README (make rules-table)

A test counts for the rules of its `@pytest.mark.rule("ORD-04", ...)` in the editions of its parameter `edition`, or of
the mark's own `editions=(...)`; with neither, in the default edition. `absent=True`: it shows that the rule is not
there.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parent
README = TESTS.parents[1] / "host" / "ordertray" / "rules" / "README.md"
BEGIN, END = "<!-- rule table: begin (make rules-table) -->", "<!-- rule table: end -->"
ABSENT = "not in this edition"

sys.path.insert(0, str(TESTS.parent))

from ordertray.rules import DEFAULT_EDITION, EDITIONS  # noqa: E402
from rules.rule_numbers import RULES, Rule  # noqa: E402


class Shown(NamedTuple):
    """One test that shows one rule in one edition, or that the edition lacks it."""

    rule: str
    edition: str
    test: str
    absent: bool


def collect(folder: Path = TESTS) -> list[Shown]:
    """Everything that the marked tests of `folder` show."""
    found: list[Shown] = []
    for path in sorted(folder.glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(f"rule_table_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("test_") and getattr(function, "__module__", None) == spec.name:
                found += shown_by(f"{path.stem}::{name}", getattr(function, "pytestmark", []))
    return found


def shown_by(test: str, marks: Iterable[Any]) -> Iterator[Shown]:
    """What one test shows, by its marks."""
    marks = list(marks)
    played = [edition for mark in marks if mark.name == "parametrize" for edition in editions_of(*mark.args[:2])]
    for mark in marks:
        if mark.name != "rule":
            continue
        for rule in mark.args:
            for edition in dict.fromkeys(mark.kwargs.get("editions") or played or (DEFAULT_EDITION.id,)):
                yield Shown(rule, edition, test, bool(mark.kwargs.get("absent")))


def editions_of(names: Any, values: Any) -> list[str]:
    """The editions among the values of one parametrisation; none if it has no parameter `edition`."""
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    if "edition" not in listed:
        return []
    place = listed.index("edition")
    rows = [getattr(value, "values", value) for value in values]
    return [row if isinstance(row, str) else row[place] for row in rows]


def missing(shown: Iterable[Shown], rules: dict[str, Rule] = RULES) -> list[str]:
    """What the tests fail to show: a rule in an edition that has it, its absence in one that has not."""
    shown = list(shown)
    here = {(one.rule, one.edition) for one in shown if not one.absent}
    gone = {(one.rule, one.edition) for one in shown if one.absent}
    problems = [f"{rule}: no such rule number" for rule in sorted({one.rule for one in shown} - set(rules))]
    for number, rule in rules.items():
        for edition in EDITIONS:
            if edition in rule.editions and (number, edition) not in here:
                problems.append(f"{number} ({rule.about}): no test in {edition}")
            if edition not in rule.editions and (number, edition) not in gone:
                problems.append(f"{number} ({rule.about}): no test that {edition} is without it")
            if edition in rule.editions and (number, edition) in gone:
                problems.append(f"{number}: a test says that {edition} is without it, the list of rules that it has it")
    return problems


def table(shown: Iterable[Shown], rules: dict[str, Rule] = RULES) -> str:
    """The table in Markdown. Cells count tests; the last column names them."""
    shown = list(shown)
    head = ("rule", "about", *EDITIONS, "tests")
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for number, rule in rules.items():
        mine = [one for one in shown if one.rule == number]
        cells = []
        for edition in EDITIONS:
            tests = {one.test for one in mine if one.edition == edition and not one.absent}
            cells.append(str(len(tests)) if edition in rule.editions else ABSENT)
        files: dict[str, list[str]] = {}
        for test in dict.fromkeys(one.test for one in mine):
            stem, _, name = test.partition("::")
            files.setdefault(stem, []).append(name.removeprefix("test_"))
        named = "; ".join(f"{stem}: {', '.join(names)}" for stem, names in files.items())
        lines.append("| " + " | ".join((number, rule.about, *cells, named)) + " |")
    return "\n".join(lines)


def with_table(text: str, made: str) -> str:
    """The README `text` with `made` between its marks. Raises `ValueError` for a text without them."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{README.name} has no lines {BEGIN!r} and {END!r}")
    return f"{head}{BEGIN}\n{made}\n{END}{tail}"


def main(arguments: list[str]) -> int:
    """The command. Status 0 when the table is complete and current."""
    shown = collect()
    problems = missing(shown)
    text = README.read_text(encoding="utf-8")
    current = with_table(text, table(shown))
    if "--write" in arguments and current != text:
        README.write_text(current, encoding="utf-8")
    elif current != text:
        problems.append(f"{README.name}: the rule table is stale; run make rules-table")
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(RULES)} rules, {len({one.test for one in shown})} tests, {len(EDITIONS)} editions: complete")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
