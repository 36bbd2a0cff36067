"""What is to be downloaded: the same bytes each time, every file told, and what is left out named.

The whole of it twice is `ORDERTRAY_DIST=1 make unit TESTS=tests/dist`; a default run tries its parts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import make_dist
from make_dist import Dist, DistError, section, undated
from ordertray.traycare.flash import build_files
from ordertray_firmware import __version__

ROOT = Path(__file__).parents[2]
EPOCH_S = 1_790_000_000


def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs/build_site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dist(folder: Path) -> Dist:
    folder.mkdir()
    return Dist(folder, __version__, EPOCH_S)


def test_the_firmwares_archives_are_the_same_each_time_and_what_flash_puts_there(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        one = dist(tmp_path / name)
        make_dist.firmware(one)
        made.append({path.name: path.read_bytes() for path in one.out.iterdir()})
    assert made[0] == made[1]
    with zipfile.ZipFile(io.BytesIO(made[0][f"ordertray-firmware-{__version__}.zip"])) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == build_files()
    with zipfile.ZipFile(io.BytesIO(made[0][f"ordertray-firmware-{__version__}-mip.zip"])) as archive:
        package = json.loads(archive.read("package.json"))
        assert package["version"] == __version__
        assert set(archive.namelist()) == {"package.json", *(place for _, place in package["urls"])}


def test_one_version_for_host_firmware_and_boards(tmp_path: Path) -> None:
    one = dist(tmp_path / "a")
    one.add("install.sh", b"#!/bin/sh\n", "installs")
    make_dist.hardware(one, None, cheap=True)
    told = make_dist.manifest(one)
    parts = told["parts"]
    assert told["version"] == parts["host"] == parts["firmware"] == parts["boards"]["version"] == __version__
    assert parts["boards"]["revision"] in (ROOT / "hardware/README.md").read_text(encoding="utf-8")
    assert told["files"] == [
        {"name": "install.sh", "bytes": 10, "sha256": hashlib.sha256(b"#!/bin/sh\n").hexdigest(), "what": "installs"}
    ]
    assert [left["brings_it"] for left in told["left_out"]] == ["make dist"]
    assert "boards and case" in told["left_out"][0]["what"]


def test_whoever_sees_these_files_alone_is_told_where_to_begin(tmp_path: Path) -> None:
    one = dist(tmp_path / "a")
    make_dist.firmware(one)
    make_dist.hardware(one, None, cheap=True)
    told = make_dist.start_here(one).decode()
    assert "sudo sh install.sh" in told and f"ordertray-site-{__version__}.zip" in told
    assert all(f"| {path.name} |" in told for path in one.out.iterdir())
    assert "Left out: boards and case" in told


def test_what_was_built_of_the_hardware_is_taken_and_what_is_missing_is_named(tmp_path: Path) -> None:
    built = tmp_path / "built"
    for place, data in (
        ("fab/tray.zip", b"PK"),
        ("fab/tray-notes.txt", b"notes"),
        ("case/base.stl", b"solid"),
        ("case/base.step", b"ISO-10303-21;\nFILE_NAME('base','2026-12-01T06:00:00',('x'));\nENDSEC;\nDATA;"),
        ("boards/tray/schematic.pdf", b"%PDF-1.5\n/CreationDate (D:20261201060000+00'00')\n"),
    ):
        (built / place).parent.mkdir(parents=True, exist_ok=True)
        (built / place).write_bytes(data)
    one = dist(tmp_path / "a")
    make_dist.hardware(one, built, cheap=False)
    names = {path.name for path in one.out.iterdir()}
    revision = make_dist.manifest(one)["parts"]["boards"]["revision"]
    assert f"ordertray-tray-rev{revision}.zip" in names and f"ordertray-case-{__version__}.zip" in names
    assert one.what[f"ordertray-tray-rev{revision}-notes.txt"] == "tray board: notes"
    assert b"20260921" in (one.out / f"ordertray-tray-rev{revision}-schematic.pdf").read_bytes()
    assert f"ordertray-lamps-rev{revision}.zip" in {left["what"] for left in one.left_out}


def test_a_folder_of_somebody_elses_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("three years")
    with pytest.raises(make_dist.DistError, match="no folder that was made here"):
        make_dist.make(tmp_path, cheap=True)
    assert (tmp_path / "thesis.txt").read_text() == "three years"


def test_a_date_of_making_gives_way_to_that_of_the_sources() -> None:
    pdf = b"%PDF-1.4 /CreationDate (D:20261201060000) /ModDate (D:20261201060000)"
    assert undated(pdf, EPOCH_S) == undated(pdf.replace(b"060000", b"070000"), EPOCH_S) != pdf
    assert len(undated(pdf, EPOCH_S)) == len(pdf), "its table of places stays right"
    assert undated(b"PK 2026-12-01T06:00:00", EPOCH_S) == b"PK 2026-12-01T06:00:00"


def test_the_page_that_is_printed_is_in_the_readme() -> None:
    assert "PASS held" in section(ROOT / "host/ordertray/table/README.md", "The page beside the tray")
    with pytest.raises(DistError, match="has no section 'Nothing'"):
        section(ROOT / "README.md", "Nothing")


def test_no_link_of_any_page_leads_nowhere(tmp_path: Path) -> None:
    """Files, folders and headings, in every Markdown file of the project; `make site` builds it as well."""
    site().gather(tmp_path)
    contents = (tmp_path / "index.md").read_text(encoding="utf-8")
    for page in (
        "hardware/README",
        "host/ordertray/install/README",
        "docs/rules-core",
        "firmware/PROTOCOL",
        "CHANGELOG",
    ):
        assert f"\n{page}\n" in contents, "it has a place in the contents"
    every = {str(page.with_suffix("")) for page in site().pages()} - {"README"}
    assert every <= set(contents.splitlines()), "every page has"
    assert "### `parse_action(" in (tmp_path / "library/rules.md").read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    faults: list[str] = []
    text = "[a](nowhere.md) [b](host/README.md#no-such) [c](#none) `[d](code.md)` [e](https://example.org)\n"
    module = site()
    module.rewritten(Path("README.md"), text, set(), faults)
    assert [fault.split(": ", 1)[1] for fault in faults] == [
        "nowhere.md leads nowhere",
        "host/README.md#no-such: there is no such heading",
        "#none: there is no such heading",
    ]


def test_the_workflow_of_a_forge_says_what_is_run_here() -> None:
    text = (ROOT / ".github/workflows/build.yml").read_text(encoding="utf-8")
    commands = re.findall(r"run: (.+)", text)
    assert ".ci/run" in commands and "make dist" in commands
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {command.split()[1] for command in commands if command.startswith("make ")} <= set(targets)


@pytest.mark.skipif(not os.environ.get("ORDERTRAY_DIST"), reason="ORDERTRAY_DIST is not set: all of dist/, twice")
def test_everything_twice_is_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        command = [sys.executable, str(ROOT / "host/make_dist.py"), "--cheap", "--out", str(tmp_path / name)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        made.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert made[0] == made[1]
    assert any(name.endswith(".whl") for name in made[0]) and any(name.endswith(".tar.gz") for name in made[0])
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path / "a", check=True)
