"""One version for all: it stands once, in the firmware, and everybody has it from there."""

from __future__ import annotations

import re
from pathlib import Path

from commands.cli_helpers import ordertray
from ordertray_firmware import __version__

ROOT = Path(__file__).parents[1]


def test_the_host_says_the_firmwares_version(tmp_path: Path) -> None:
    assert ordertray(tmp_path, "--version") == f"ordertray {__version__}\n"


def test_the_wheel_is_built_with_it() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "firmware/ordertray_firmware/__init__.py"


def test_files_that_documents_name_are_of_this_version() -> None:
    for page in (
        *ROOT.glob("*.md"),
        *ROOT.glob("host/**/*.md"),
        *ROOT.glob("firmware/**/*.md"),
        *ROOT.glob("hardware/*.md"),
    ):
        named = re.findall(r"ordertray-(\d+\.\d+\.\d+)-py3-none-any\.whl", page.read_text("utf-8"))
        assert set(named) <= {__version__}, page


def test_the_changelog_tells_what_is_new_in_it() -> None:
    headings = re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == __version__
