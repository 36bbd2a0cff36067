"""The tool that tries the tests: what it changes, and what it leaves alone."""

from __future__ import annotations

import pytest

from mutants.changes import changes_of


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a = b < c\n", ["a = (b <= c)\n"]),
        ("a = b in c\n", ["a = (b not in c)\n"]),
        ("a = b and c\n", ["a = (b or c)\n"]),
        ("a = 'ä' if b else c\n", ["a = 'ä' if (not (b)) else c\n"]),
        ("a = not b\n", ["a = (b)\n"]),
        ("a = True\n", ["a = False\n"]),
        ("a = b + 1\n", ["a = (b - 1)\n", "a = b + 2\n"]),
        ("a = [b for b in c if b]\n", ["a = [b for b in c if (not (b))]\n"]),
        ("if a is None:\n    pass\n", ["if (a is not None):\n    pass\n"]),
    ],
)
def test_each_change_is_made_in_the_text_and_nowhere_else(source: str, after: list[str]) -> None:
    assert [change.applied_to(source) for change in changes_of(source)] == after
    for changed in after:
        compile(changed, "changed", "exec")


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: Literal[1]) -> Literal[2]: ...\n",
        "@dataclass(frozen=True)\nclass A: ...\n",
        "a: Final[Literal[1]]\n",
        "raise ValueError(1 + a)\n",
        "assert a == 1\n",
        "if TYPE_CHECKING:\n    a = 1\n",
        "a = f'{b}' + 'c'\n",
        '"""Words and 1 number."""\n',
    ],
)
def test_what_says_nothing_about_behaviour_is_left_alone(source: str) -> None:
    assert changes_of(source) == []
