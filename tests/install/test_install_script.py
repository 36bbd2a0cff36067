"""`install.sh` says what it would do: which system packages on which board, and what it refuses. Changes nothing here.

Debian's package tools are stand-ins that know what they are told; `make install-check` runs it for real.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ordertray.install.layout import INSTALLER

PI_4, PI_5 = "Raspberry Pi 4 Model B Rev 1.5", "Raspberry Pi 5 Model B Rev 1.0"
Run = Callable[..., subprocess.CompletedProcess[str]]

DPKG_QUERY = """#!/bin/sh
for name; do :; done
case " $INSTALLED " in *" $name "*) printf installed ;; *) exit 1 ;; esac
"""
APT_CACHE = """#!/bin/sh
for name; do :; done
case " $AVAILABLE " in *" $name "*) echo "  Candidate: 1.0" ;; *) echo "  Candidate: (none)" ;; esac
"""


@pytest.fixture
def dry_run(tmp_path: Path) -> Run:
    """Runs the script with --dry-run where Debian has some packages and the machine some of them."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("dpkg-query", DPKG_QUERY), ("apt-cache", APT_CACHE), ("apt-get", "#!/bin/sh\nexit 1\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)

    def run(*arguments: str, installed: str = "", available: str = "") -> subprocess.CompletedProcess[str]:
        variables = {"INSTALLED": installed, "AVAILABLE": available, "PATH": f"{tools}:{os.environ['PATH']}"}
        return subprocess.run(
            ["sh", str(INSTALLER), "--dry-run", *arguments],
            env=os.environ | variables, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


BOTH = "python3 python3-venv python3-rpi.gpio python3-rpi-lgpio"


@pytest.mark.parametrize(
    ("model", "installed", "available", "needs", "extras"),
    [
        ("", "", BOTH, "python3 python3-venv", "sim]"),
        (PI_4, "", BOTH, "python3 python3-venv python3-rpi.gpio", "sim]"),
        (PI_5, "", BOTH, "python3 python3-venv python3-rpi-lgpio", "sim]"),
        (PI_4, "python3-rpi-lgpio", BOTH, "python3 python3-venv python3-rpi-lgpio", "sim]"),
        (PI_5, "python3-rpi.gpio", BOTH, "python3 python3-venv python3-rpi-lgpio", "sim]"),
        (PI_4, "", "python3-venv", "python3 python3-venv gcc libc6-dev python3-dev", "sim,pi]"),
        (PI_5, "", "python3-venv", "python3 python3-venv gcc libc6-dev python3-dev swig", "sim,pi5]"),
    ],
    ids=[
        "no Pi",
        "Pi 4",
        "Pi 5",
        "Pi 4 with rpi-lgpio",
        "Pi 5 with RPi.GPIO",
        "Pi 4, not packaged",
        "Pi 5, not packaged",
    ],
)
def test_each_board_gets_its_library_from_debian_where_debian_has_it(
    dry_run: Run, model: str, installed: str, available: str, needs: str, extras: str
) -> None:
    done = dry_run("--model", model, installed=installed, available=available)
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert f"needs from the system: {needs}\n" in said
    missing = [name for name in needs.split() if name not in installed.split()]
    assert f"+ apt-get install --yes --no-install-recommends {' '.join(missing)}\n" in said
    assert said.index("apt-get install") < said.index("-m venv"), "system packages come first"
    assert extras in said
    assert "--system-site-packages /opt/ordertray" in said


def test_a_system_that_knows_no_packages_yet_is_asked_to_look(dry_run: Run) -> None:
    assert "+ apt-get update --quiet" in dry_run().stdout
    assert "apt-get" not in dry_run(installed="python3 python3-venv").stdout


def test_without_a_network_pip_takes_everything_from_a_folder(dry_run: Run, tmp_path: Path) -> None:
    wheel = tmp_path / "ordertray-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"")
    said = dry_run("--wheels", str(tmp_path), str(wheel), installed="python3 python3-venv").stdout
    pips = [line for line in said.splitlines() if " -m pip " in line]
    assert len(pips) == 2 and all(f"--no-index --find-links {tmp_path}" in line for line in pips)
    assert all(str(wheel) in line for line in pips), "the program is named by its file, never by its name alone"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--nonsense"], "no such option: --nonsense"),
        (["--gpio", "magic"], "it is one of apt, pip, none"),
        (["--model"], "--model wants a value"),
        (["/nowhere.whl"], "/nowhere.whl: there is no such file"),
        (["/tmp"], "neither a .whl file nor a clone"),
        (["a.whl", "b.whl"], "one source only"),
        (["--wheels", "/nowhere"], "--wheels /nowhere: there is no such folder"),
        (["--gpio", "apt", "--model", PI_5], "Debian has no package of these here"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_it_cannot_do_is_one_clear_message(dry_run: Run, arguments: list[str], told: str) -> None:
    done = dry_run(*arguments, available="python3-venv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and told in done.stderr


def test_it_changes_nothing_for_whoever_is_not_root() -> None:
    """The first thing it asks; here as another user where the tests are run as root, who need not see our folders."""
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    text = INSTALLER.read_text(encoding="utf-8")
    done = subprocess.run([*as_nobody, "sh", "-s"], input=text, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "run it as root" in done.stderr


def test_help_is_the_head_of_the_script(dry_run: Run) -> None:
    said = dry_run("--help").stdout
    assert "sudo sh install.sh" in said and "--wheels FOLDER" in said and "set -eu" not in said
