"""Who we are, for messages and the commands that mend something."""

from __future__ import annotations

import getpass
import os


def user_name() -> str:
    """The user's name; its number where it has none, as in a container that was given just a number."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # Python before 3.13, since then, and where there are no such lists
        return str(os.getuid()) if hasattr(os, "getuid") else "user"
