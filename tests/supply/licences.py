"""The licences of what the host runs with, as the installed packages state them, one line each."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from supply.lowest import requirements


def licence(name: str) -> str:
    """What a package says of its licence; nothing if it says nothing."""
    said: Any = metadata.metadata(name)
    classifiers = [c.rpartition(" :: ")[2] for c in said.get_all("Classifier") or () if c.startswith("License ::")]
    written = (said.get("License") or "").strip().partition("\n")[0]
    return str(said.get("License-Expression") or ", ".join(classifiers) or written)


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
        waiting += [want for want in wants if "extra ==" not in want]
    return sorted(found)


if __name__ == "__main__":
    for package in needed():
        print(f"{package} {metadata.version(package)}: {licence(package) or 'says none: look at its source'}")
