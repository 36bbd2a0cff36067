"""The tests leave alone what belongs to the person who runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ASKED = (
    "from ordertray.army.settings import settings_path\n"
    "from ordertray.service.places import default_record, find_settings\n"
    "from ordertray.tokens.store import default_directory\n"
    "print(settings_path(), default_record(), default_directory(), find_settings())\n"
)


def test_settings_discs_and_record_of_the_user_are_out_of_sight_for_every_process_of_a_run() -> None:
    told = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True).stdout.split()
    *places, settings = told
    assert settings == "None"
    for place in places:
        assert Path(place).is_relative_to(Path(os.environ["XDG_CONFIG_HOME"]).parent)
    assert Path(os.environ["XDG_CONFIG_HOME"]).parent.name.startswith("ordertray-home-")
