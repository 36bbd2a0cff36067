"""`firmware/package.json`: everything the tray needs, and mpremote's `mip` can install it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ordertray.sim import VirtualTray
from ordertray_firmware import __version__
from patience import patience
from sim.sim_host import SimHost

FIRMWARE = Path(__file__).parents[2] / "firmware"


def test_every_file_is_listed_under_its_own_name() -> None:
    package = json.loads((FIRMWARE / "package.json").read_text())
    there = {path.relative_to(FIRMWARE).as_posix() for path in FIRMWARE.rglob("*.py")}
    listed = [name for name, _url in package["urls"]]
    assert sorted(listed) == sorted(there), "firmware/package.json: add or remove these lines"
    assert all(name == url for name, url in package["urls"])
    assert package["version"] == __version__


@pytest.mark.skipif(importlib.util.find_spec("micropython_unix") is None, reason="no MicroPython interpreter here")
def test_mip_installs_a_tray_that_runs() -> None:
    with VirtualTray(interpreter="micropython") as tray:
        tray.wait_for(lambda: "b" in tray.colours("A"), what="the boot pattern")
        command = [sys.executable, "-m", "mpremote", "connect", tray.url, "resume"]
        command += ["mip", "install", "--target", ".", str(FIRMWARE / "package.json")]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=patience(120),
            check=False,
            env={**os.environ, "PYTHONWARNINGS": ""},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert (tray.flash / "main.py").read_text() == (FIRMWARE / "main.py").read_text()
        tray.reset()
        tray.wait_for(lambda: tray.boots == 2)
        with SimHost(tray) as host:
            assert host.online()["fw"] == __version__
