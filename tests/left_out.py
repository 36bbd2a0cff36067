"""The last words of a test run: what was left out, in plain words, and the command that brings it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

#: (what stands in the reason of a skipped test, what that means, what brings it).
KINDS: Final = (
    (
        "ORDERTRAY_UF2",
        "on an emulated Pico: no MicroPython image here (firmware/README.md says where there is one)",
        "ORDERTRAY_UF2=image.uf2 make unit TESTS=tests/pico",
    ),
    (
        "chromium",
        "of the page in a browser: no chromium here",
        "sudo apt-get install chromium && make unit TESTS=tests/web",
    ),
    ("playwright", "of the page in a browser: no playwright here", "make setup && make unit TESTS=tests/web"),
    (
        "install-tools.sh",
        "of boards and case: KiCad and its tools are not here",
        "hardware/install-tools.sh && make unit TESTS=tests/hardware",
    ),
    (
        "MicroPython interpreter",
        "of the firmware on the real interpreter: there is none for this machine",
        "make test, on a Linux machine with x86_64",
    ),
    (
        "ORDERTRAY_ARMY_DATA",
        "against army data as the publisher has it: none is named, and none comes with the project",
        "ORDERTRAY_ARMY_DATA=folder make unit TESTS=tests/army",
    ),
    (
        "ORDERTRAY_DIST",
        "of all that is to be downloaded, built twice: too long for every run",
        "make dist && ORDERTRAY_DIST=1 make unit TESTS=tests/dist",
    ),
    (
        "small disk",
        "on a disk that is really full: this user may not mount one",
        "sudo make unit TESTS=tests/service",
    ),
)

#: What is too long for a test run, whatever the machine has.
BESIDES: Final = (
    ("10,000 stories of a bad line, 300 power cuts", "make soak"),
    ("the installation in real Debian systems", "sudo make install-check"),
    ("do the tests notice small changes to the code", "make mutants"),
    ("how fast and how large", "make bench"),
    ("the build guide's pictures, drawn anew", "make hardware-pictures"),
)


def last_words(reasons: Iterable[str]) -> list[str]:
    """Lines for a person. `reasons`: why each skipped test was skipped."""
    counts: Counter[tuple[str, str]] = Counter()
    for reason in reasons:
        known = ((what, command) for sign, what, command in KINDS if sign in reason)
        counts[next(known, (f"for another reason: {reason}", ""))] += 1
    lines = [] if counts else ["Nothing was left out: every test there is was run."]
    for (what, command), count in counts.items():
        lines.append(f"Left out: {count} {'test' if count == 1 else 'tests'} {what}.")
        if command:
            lines.append(f"          They come with:  {command}")
    lines.append("Longer than a test run:  " + ";  ".join(f"{command} ({what})" for what, command in BESIDES))
    return lines
