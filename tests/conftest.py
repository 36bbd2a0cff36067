"""What all tests share: how patient they are on this machine, measured once at the start of a run."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import sharing
from left_out import last_words
from patience import VARIABLE, measure, patience

# How long an example takes says something of the machine, not of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Measure the machine; workers and child processes get the answer in their environment. Nobody's home is read."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = f"{measure():.1f}"
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in its background so; the programs under test must hear Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        _move_out(Path(tempfile.mkdtemp(prefix="ordertray-home-")))


def _move_out(home: Path) -> None:
    """Whoever runs the tests may play as well: his settings, discs and record are neither read nor written."""
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in ("ORDERTRAY_HOME", "ORDERTRAY_CONFIG"):
        os.environ.pop(name, None)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS"):
        (home / name.lower()).mkdir()
        os.environ[name] = str(home / name.lower())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """What costs much to set up is set up once: its tests go to one worker, unless `--dist` says otherwise."""
    return sharing.scheduler(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture(scope="session", autouse=True)
def patient_browser_checks() -> None:
    """What the page must show may take as long as everything else."""
    import sys

    if "playwright.sync_api" in sys.modules:
        from playwright.sync_api import expect

        expect.set_options(timeout=1000 * patience(10))


_skipped: list[str] = []


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember why a whole file was left out."""
    _remember(report)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember why a test was left out."""
    _remember(report)


def _remember(report: pytest.CollectReport | pytest.TestReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        _skipped.append(report.longrepr[2].removeprefix("Skipped: "))


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last words, after pytest's own; only of a run of all tests, and of the process that started it."""
    whole = config.args in (["tests"], [str(config.rootpath / "tests")])
    if whole and not hasattr(config, "workerinput") and not config.option.collectonly:
        print("\n".join(last_words(_skipped)))


def pytest_report_header() -> str:
    """How patient this run is."""
    return f"patience: {os.environ[VARIABLE]} times what a quick machine needs ({VARIABLE})"
