"""What a test run says last: what was left out, and what brings it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from left_out import BESIDES, KINDS, last_words
from pico.pico_helpers import REASON

ROOT = Path(__file__).parents[1]


def test_a_run_that_left_nothing_out_says_so() -> None:
    assert "Nothing was left out" in last_words([])[0]


def test_what_was_left_out_is_counted_and_told_with_its_command() -> None:
    first, second, *_ = last_words([REASON, REASON])
    assert first.startswith("Left out: 2 tests on an emulated Pico")
    assert "ORDERTRAY_UF2=" in second and "make unit TESTS=tests/pico" in second


def test_a_reason_that_nobody_thought_of_is_told_as_it_is() -> None:
    assert "for another reason: the moon" in last_words(["the moon"])[0]


@pytest.mark.parametrize("command", [command for _, _, command in KINDS] + [command for _, command in BESIDES])
def test_every_command_that_is_named_exists(command: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"make ([\w-]+)", command):
        assert re.search(rf"^(?:[\w-]+ )*{target}(?: [\w-]+)*:", makefile, re.MULTILINE), target
    for word in shlex.split(command):
        if word.startswith(("TESTS=", "hardware/")):
            assert (ROOT / word.removeprefix("TESTS=")).exists(), word


def test_only_a_run_of_all_tests_has_last_words() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "tests/test_left_out.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Longer than a test run" not in done.stdout
