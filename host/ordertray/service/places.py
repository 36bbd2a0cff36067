"""Where things lie on this machine: the configuration file, and the record of games.

Apart from `settings`, so that a command that only wants to know where the record is loads neither table nor lamps.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from platformdirs import site_config_path, user_config_path, user_data_path

from ..files.problems import FileError, Problem
from ..files.tables import Lines, Table, UnreadableError, parse_toml, read_text

APPLICATION = "ordertray"
FILE_NAME = "ordertray.toml"
#: The service's home, where its record and its discs are.
MACHINE_HOME = "/var/lib/ordertray"
#: What `ordertray install` writes and the service runs with.
MACHINE_SETTINGS = Path("/etc/ordertray", FILE_NAME)


class SettingsError(FileError):
    """A configuration that cannot be used; all its faults at once."""


def default_record() -> Path:
    """Where the record of games lies: below `ORDERTRAY_HOME` if set, else where the system keeps programs' data."""
    home = os.environ.get("ORDERTRAY_HOME")
    return (Path(home) if home else user_data_path(APPLICATION)) / "record.sqlite3"


def find_settings() -> Path | None:
    """The configuration file: `ORDERTRAY_CONFIG`, else the user's, else the machine's; None if there is none.

    The machine's are those of `XDG_CONFIG_DIRS` and, where that is not set, the service's, for those who may read it.
    """
    if named := os.environ.get("ORDERTRAY_CONFIG"):
        return Path(named)
    for folder in (user_config_path(APPLICATION), site_config_path(APPLICATION)):
        if (path := folder / FILE_NAME).is_file():
            return path
    if "XDG_CONFIG_DIRS" not in os.environ and os.access(MACHINE_SETTINGS, os.R_OK):
        return MACHINE_SETTINGS
    return None


def is_anothers_service() -> bool:
    """Whether this machine has the service installed, with a record that is not this user's."""
    return MACHINE_SETTINGS.parent.is_dir() and os.environ.get("HOME") != MACHINE_HOME


def read_settings(path: Path) -> tuple[dict[str, Any], str]:
    """The configuration's values, unchecked, and its text. Raises `SettingsError` for what is no TOML file."""
    try:
        text = read_text(path)
        return parse_toml(text), text
    except UnreadableError as error:
        raise SettingsError(str(path), [error.problem]) from None


def record_path() -> Path:
    """Where the configuration says that the record of games lies; its other faults do not matter here.

    Raises `SettingsError`.
    """
    path = find_settings()
    if path is None:
        return default_record()
    values, text = read_settings(path)
    problems: list[Problem] = []
    lines = Lines(text, "", 0)
    named = Table(values, problems, "", lambda key: lines.of(None, key)).text("record")
    if problems:
        raise SettingsError(str(path), problems)
    return Path(named) if named else default_record()
