"""How to get an optional part of the program: the command, for the very interpreter that runs."""

from __future__ import annotations

import shlex
import sys


def install_command(extra: str) -> str:
    """The command that installs an extra into this program's own environment.

    Another environment's `pip` would ask a package index for a name of which nobody says that it is ours.
    """
    return f"{shlex.quote(sys.executable or 'python3')} -m pip install 'ordertray[{extra}]'"
