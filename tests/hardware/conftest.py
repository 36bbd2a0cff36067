"""The outputs of the hardware, built once for all tests that look at them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WORKSHOP_PYTHON = ROOT / "build" / "hardware-venv" / "bin" / "python"


def _without_tools(reason: str) -> None:
    """Locally a machine without KiCad may go on; CI installs the tools, so there it is a fault."""
    message = f"hardware not built: {reason}; run hardware/install-tools.sh"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def workshop() -> Path:
    """The Python that has KiCad's and the case's modules; skips (fails in CI) where it is missing."""
    done = subprocess.run(
        [ROOT / "hardware" / "install-tools.sh", "--check"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        _without_tools(done.stdout.strip())
    return WORKSHOP_PYTHON


@pytest.fixture(scope="session")
def in_workshop(workshop: Path) -> Callable[[str], Any]:
    """Runs a script in the workshop's Python and returns, through JSON, what it has put into `result`."""

    def run(script: str) -> Any:
        code = f"import json\n{script}\nprint('RESULT ' + json.dumps(result))"
        done = subprocess.run(
            [str(workshop), "-W", "ignore", "-c", code],
            cwd=ROOT / "hardware",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))
        return json.loads(line.removeprefix("RESULT "))

    return run


@pytest.fixture(scope="session")
def outputs(workshop: Path) -> Path:
    """build/hardware with everything in it but the guide's pictures.

    The build stops at its first fault, so a finding fails here by name.
    """
    done = subprocess.run(
        ["nice", "-n", "10", str(workshop), "-m", "ordertray_hardware", "files"],
        cwd=ROOT / "hardware",
        capture_output=True,
        text=True,
        check=False,
    )
    sys.stdout.write(done.stdout)
    if done.returncode:
        pytest.fail(f"the hardware does not build:\n{done.stderr[-4000:]}")
    return ROOT / "build" / "hardware"
