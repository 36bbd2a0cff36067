"""How long a test waits for something before it says that it never comes: one measure for all tests.

A test waits for a condition, never for a time. Its deadline only ends a run in which the condition will never hold, so
it may be long; written are the seconds that a quick, idle machine needs at the very most, and `patience` stretches them
by what this machine is measured to need: once, at the start of the run (`tests/conftest.py`), and by how many others
want its cores whenever a deadline is set. Child processes have it as `ORDERTRAY_PATIENCE`; the virtual tray heeds it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

VARIABLE: Final = "ORDERTRAY_PATIENCE"
#: Starting an interpreter with a few modules takes so long on a quick machine with nothing else to do.
USUAL_S: Final = 0.1
LEAST: Final = 3.0
MOST: Final = 60.0


def measure() -> float:
    """How much longer than usual this machine takes now: `LEAST` to `MOST`. Takes a moment."""
    began = time.monotonic()
    for _ in range(3):
        subprocess.run([sys.executable, "-c", "import asyncio, json, sqlite3"], check=True)
    return min(max(LEAST, LEAST * (time.monotonic() - began) / 3 / USUAL_S), MOST)


def stretch() -> float:
    """By how much a deadline is stretched now."""
    measured = float(os.environ.get(VARIABLE) or LEAST)
    waiting_for_a_core = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(max(measured, LEAST * waiting_for_a_core), MOST)


def patience(seconds: float) -> float:
    """The deadline for what a quick, idle machine does within `seconds`."""
    return seconds * stretch()


def wait_until(condition: Callable[[], object], what: str = "", seconds: float = 10) -> None:
    """Wait until it is so. AssertionError with `what` when it never comes."""
    limit_s = patience(seconds)
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"waited {limit_s:.0f} s for {what or 'a condition'}"
        time.sleep(0.01)


async def until(condition: Callable[[], object], what: str = "", seconds: float = 10) -> None:
    """`wait_until` in an event loop, which goes on meanwhile."""
    limit_s = patience(seconds)
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"waited {limit_s:.0f} s for {what or 'a condition'}"
        await asyncio.sleep(0.005)
