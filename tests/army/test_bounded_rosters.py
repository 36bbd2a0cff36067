"""Rosters that were made to cost time: each is refused or read at once, and of many faults the first are shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ordertray.army.roster import RosterError, parse_roster
from ordertray.army.sheet import parse_csv
from ordertray.files.problems import MOST_SHOWN
from ordertray.files.tables import MOST_ROSTER, UnreadableError, parse_toml

COSTLY = {
    "dots": ".".join("a" * 31_000) + "=1",
    "quoted dots": ".".join(['"a"'] * 15_000) + "=1",
    "dots in an inline table": "x = {" + ".".join("a" * 30_000) + " = 1}",
    "a heading of dots": "[" + ".".join("a" * 30_000) + "]",
    "headings": "\n".join(f"[a{number}]" for number in range(8_000)),
    "entries": "[[trooper]]\n" * 5_000,
    "keys": "\n".join(f"k{number} = 1" for number in range(6_000)),
    "brackets": "x = " + "[" * 60_000,
    "a long key": "k" * 60_000 + " = 1",
    "a great number": "points = 0x" + "f" * 60_000,
    "many digits": "points = " + "9" * 60_000,
    "quotes": 'x = "' + '\\"' * 30_000,
    "spaces": " " * 60_000 + "x",
    "commas": "id," + "," * 60_000,
}


SCRIPT = """
import resource
from army.test_bounded_rosters import COSTLY
from ordertray.army.roster import RosterError, parse_roster
from ordertray.army.sheet import parse_csv
for name, text in COSTLY.items():
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 4, resource.RLIM_INFINITY))
    print(name, flush=True)
    for parse in (parse_roster, parse_csv):
        try:
            parse(text, "x")
        except RosterError as error:
            assert len(str(error)) < 30_000
        else:
            raise SystemExit("taken")
"""


def test_a_roster_that_was_made_to_cost_time_does_not() -> None:
    """In a process that may use a few seconds of a core for each (the worst took minutes)."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )  # fmt: skip
    last = done.stdout.splitlines()[-1]
    assert (done.returncode, last) == (0, list(COSTLY)[-1]), f"{last}: {done.stderr[-600:]}"


@pytest.mark.parametrize("parse", [parse_roster, parse_csv])
def test_far_too_much_is_not_read_at_all(parse: object) -> None:
    with pytest.raises(RosterError, match="far too big"):
        parse("#" * (MOST_ROSTER + 1), "x")  # type: ignore[operator]


def test_of_many_faults_the_first_are_shown() -> None:
    with pytest.raises(RosterError) as caught:
        parse_roster("\n".join(f"k{number} = 1" for number in range(3_000)), "x")
    text = str(caught.value)
    assert len(caught.value.problems) > 1000
    assert len(text.splitlines()) == 1 + MOST_SHOWN + 1 and text.splitlines()[-1].strip().startswith("and ")


def test_keys_as_they_are_in_our_files_pass() -> None:
    parse_toml("a.b.c = 1\n# " + "." * 200 + '\nx = "' + "." * 200 + "\"\ny = '...........................'\n")
    with pytest.raises(UnreadableError):
        parse_toml(".".join("a" * 50) + " = 1")
