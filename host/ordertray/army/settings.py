"""What the army commands remember between runs: where the player keeps his army data."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from ordertray.files.tables import UnreadableError, parse_toml, read_text
from ordertray.files.writing import quoted, write_whole


def settings_path() -> Path:
    """The file, in the user's own configuration directory."""
    return platformdirs.user_config_path("ordertray") / "army.toml"


def remembered_data() -> Path | None:
    """The data folder of last time, if it is still there; a spoilt file counts as none."""
    try:
        place = parse_toml(read_text(settings_path())).get("data")
    except UnreadableError:
        return None
    return Path(place) if isinstance(place, str) and Path(place).exists() else None


def remember_data(place: Path) -> None:
    """Remember the data folder. Raises `OSError`."""
    comment = "# Where the player keeps army data (ordertray army decode --data)."
    write_whole(settings_path(), f"{comment}\ndata = {quoted(str(place.resolve()))}\n")
