"""An emulated Pico with the tray's firmware on it, for those who have MicroPython's image."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ordertray.sim.pico import EmulatedPico
from ordertray.traycare.flash import build_files

REASON = "ORDERTRAY_UF2 is not set: the emulated Pico needs MicroPython's image (firmware/README.md says where it is)"


def image() -> Path:
    """The image; skips the test without one."""
    path = os.environ.get("ORDERTRAY_UF2")
    if not path:
        pytest.skip(REASON)
    assert Path(path).is_file(), f"ORDERTRAY_UF2={path}: no such file"
    return Path(path)


@functools.cache
def firmware() -> dict[str, bytes]:
    """main.py and the compiled package, as `ordertray flash` puts them on the board."""
    return build_files()


def flashed_pico(config: dict[str, Any] | None = None, **options: Any) -> EmulatedPico:
    """A Pico with the unmodified firmware on its flash, and `config` as its config.json and its wiring; powered on."""
    files = dict(firmware())
    if config is not None:
        files["config.json"] = json.dumps(config).encode()
    return EmulatedPico(image(), files=files, config=config, **options)
