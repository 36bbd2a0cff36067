"""Every number of the rules has its tests, in every edition, and the table in the README says so."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE
from rules.rule_numbers import RULES, Rule
from rules.rule_table import ABSENT, README, Shown, collect, missing, shown_by, table, with_table


@pytest.fixture(scope="module")
def shown() -> list[Shown]:
    return collect()


def test_every_rule_has_a_test_in_every_edition(shown: list[Shown]) -> None:
    assert missing(shown) == []


def test_the_table_in_the_readme_is_current(shown: list[Shown]) -> None:
    text = README.read_text(encoding="utf-8")
    assert with_table(text, table(shown)) == text, "run make rules-table"


def test_a_number_without_a_test_is_found(shown: list[Shown]) -> None:
    """In an edition that has the rule, and in one that has it not; so is a number that is none."""
    rules = {"ORD-04": RULES["ORD-04"], "ORD-99": Rule("made up"), "ORD-98": Rule("made up", CODEONE)}
    of_one = [one for one in shown if one.rule == "ORD-04"] + [Shown("ORD-98", "codeone", "x", False)]
    problems = missing(of_one, rules)
    assert [problem for problem in problems if "ORD-04" in problem] == []
    assert len([problem for problem in problems if "ORD-99" in problem]) == len(ALL)
    assert len([problem for problem in problems if "ORD-98" in problem]) == 1 + 3
    assert missing([Shown("ORD-97", "n5", "x", False)], {}) == ["ORD-97: no such rule number"]
    assert missing([one._replace(absent=True) for one in of_one[:1]], {"ORD-04": RULES["ORD-04"]})


def test_what_a_mark_says() -> None:
    """The editions come from the parameter of that name, wherever it stands, or from the mark, or are the default."""

    @pytest.mark.parametrize(("kind", "edition"), [("x", "n4"), pytest.param("y", "n5")])
    @pytest.mark.rule("ORD-01", "ORD-02")
    def one() -> None: ...

    @pytest.mark.rule("INF", editions=("codeone",), absent=True)
    @pytest.mark.rule("SEQ-01")
    def two() -> None: ...

    assert {(s.rule, s.edition) for s in shown_by("t", vars(one)["pytestmark"])} == {
        (rule, edition) for rule in ("ORD-01", "ORD-02") for edition in ("n4", "n5")
    }
    assert set(shown_by("t", vars(two)["pytestmark"])) == {
        Shown("INF", "codeone", "t", True),
        Shown("SEQ-01", "n5", "t", False),
    }
    made = table([Shown("ORD-04", "n5", "test_file::test_name", False)], {"ORD-04": RULES["ORD-04"]})
    assert made.splitlines()[-1].startswith("| ORD-04 | ") and "test_file: name" in made and ABSENT in made
