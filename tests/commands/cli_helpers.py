"""Run `ordertray` as a user does: a process of its own, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import patience

EXAMPLES = Path(__file__).parents[2] / "examples"
RED, BLUE = str(EXAMPLES / "red.toml"), str(EXAMPLES / "blue.toml")
COMMAND = (sys.executable, "-m", "ordertray")


def environment(home: Path) -> dict[str, str]:
    """Nothing of this machine's settings, English, and everything written below `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORDERTRAY_", "LC_", "LANG"))}
    return {**kept, "HOME": str(home), "ORDERTRAY_HOME": str(home), "ORDERTRAY_LANGUAGE": "en", "COLUMNS": "120"}


def ordertray(home: Path, *arguments: str, stdin: str = "", status: int = 0) -> str:
    """Run to the end; the output (both streams). Fails unless it ends with `status`, and on any traceback."""
    done = subprocess.run(
        [*COMMAND, *arguments], input=stdin, capture_output=True, text=True, env=environment(home),
        timeout=patience(60), check=False,
    )  # fmt: skip
    both = done.stdout + done.stderr
    assert "Traceback" not in both, both
    assert done.returncode == status, f"status {done.returncode}: {both}"
    return both
