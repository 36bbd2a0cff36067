"""The lowest versions that pyproject.toml admits, as constraints for pip: what is declared is what is tested.

python tests/supply/lowest.py > lowest.txt        (make lowest: installs them and runs the tests that use them)
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
#: What the host runs with; tools for development are of no interest to those who install.
EXTRAS = ("web", "tls", "sim", "labels", "nfc", "flash")


def requirements() -> list[str]:
    """All requirements of the host: its own and those of its extras."""
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    found = list(project["dependencies"])
    for extra in EXTRAS:
        found += project["optional-dependencies"][extra]
    return [one for one in found if not one.startswith("ordertray")]


def lowest() -> dict[str, str]:
    """The lowest version of each, by name. Raises ValueError for a requirement without one, or without an upper end."""
    found: dict[str, str] = {}
    for one in requirements():
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=([0-9.]+)[^;]*,\s*<[0-9.]+", one)
        if match is None:
            raise ValueError(f"{one}: needs a lowest version and an end")
        found[match[1]] = match[2]
    return found


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in lowest().items()))
