"""How to get an optional part of the program: the command, for the very interpreter that runs."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import metadata

NAME = "ordertray"


def install_command(extra: str) -> str:
    """The command that installs what an extra needs into this program's own environment.

    It names the packages of the extra, not this program: it is in no package index, and whoever took its name there
    would have his code run. Another environment's `pip` would miss this one.
    """
    wanted = " ".join(shlex.quote(requirement) for requirement in requirements(extra))
    return f"{pip_command()} install {wanted}"


def pip_command() -> str:
    """`pip` of the interpreter that runs."""
    return f"{shlex.quote(sys.executable or 'python3')} -m pip"


def requirements(extra: str) -> list[str]:
    """What an extra needs, as this program's own metadata say it, without the machines for which it is needed.

    Raises `ValueError` for an extra that there is not.
    """
    try:
        declared = metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        # Run from a folder that was never installed: there is nothing to add to but that folder.
        return [f".[{extra}]"]
    of_extra = re.compile(rf"\bextra\s*==\s*['\"]{re.escape(extra)}['\"]")
    found = [line.partition(";")[0].strip() for line in declared if of_extra.search(line.partition(";")[2])]
    if not found:
        raise ValueError(f"there is no extra {extra}")
    return found
