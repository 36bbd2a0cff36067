"""What all tests share: how patient they are on this machine, measured once at the start of a run."""

from __future__ import annotations

import os

import pytest

from patience import VARIABLE, measure, patience


def pytest_configure(config: pytest.Config) -> None:
    """Measure the machine; workers and child processes get the answer in their environment."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = f"{measure():.1f}"


@pytest.fixture(scope="session", autouse=True)
def patient_browser_checks() -> None:
    """What the page must show may take as long as everything else."""
    import sys

    if "playwright.sync_api" in sys.modules:
        from playwright.sync_api import expect

        expect.set_options(timeout=1000 * patience(10))


def pytest_report_header() -> str:
    """How patient this run is."""
    return f"patience: {os.environ[VARIABLE]} times what a quick machine needs ({VARIABLE})"
