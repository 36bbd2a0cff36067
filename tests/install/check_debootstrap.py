"""Install into real Debian roots, made by debootstrap, and take it back: `make install-check` (root, some minutes).

Not part of `make test`, which does the same in a small root of its own: this takes a package mirror and root's rights.
Here everything of systemd is the suite's own: its sysusers, its `systemd-analyze verify`, trixie's `udevadm verify`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ordertray.install.perform import perform, this_machine
from ordertray.install.plan import plan_install, plan_uninstall

SUITES = ("bookworm", "trixie")
ENVIRONMENT = Path("/opt/ordertray")


def run(*command: str) -> str:
    """Run a command that must succeed; its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def debian_mirror() -> str:
    """Where this machine takes Debian's packages from."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Created-By: Packages")
    places = [line for line in listed.splitlines() if "security" not in line]
    assert places, "apt knows no Debian mirror"
    return places[0]


@pytest.fixture(scope="module", params=SUITES)
def debian(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A minimal Debian of a suite, with the group that Raspberry Pi OS adds and an environment at its place."""
    assert shutil.which("debootstrap"), "apt-get install debootstrap"
    root = tmp_path_factory.mktemp("debian") / request.param
    packages = "--include=systemd,udev,passwd,python3-minimal"
    run("debootstrap", "--variant=minbase", packages, request.param, str(root), debian_mirror())
    with (root / "etc/group").open("a") as groups:
        groups.write("gpio:x:960:\n")
    programs = root / ENVIRONMENT.relative_to("/") / "bin"
    programs.mkdir(parents=True)
    (programs / "python3").symlink_to("/usr/bin/python3")
    (programs / "ordertray").write_text("#!/bin/sh\n")
    (programs / "ordertray").chmod(0o755)
    yield root
    shutil.rmtree(root)


def tree(root: Path) -> dict[str, bytes | str]:
    """Every file of the system, but for the backups that the user database tools leave."""
    found: dict[str, bytes | str] = {}
    for place in ("etc", "opt", "usr/lib/systemd", "usr/lib/udev", "var/lib"):
        for path in (root / place).rglob("*"):
            name = str(path.relative_to(root))
            if re.fullmatch(r"etc/(\.pwd\.lock|\.updated|(passwd|shadow|group|gshadow)-)", name):
                continue
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file():
                found[name] = path.read_bytes()
    return found


def test_install_verify_uninstall(debian: Path) -> None:
    before = tree(debian)
    perform(plan_install(this_machine(debian, ENVIRONMENT)), root=debian, say=lambda line: None)
    groups = run("chroot", str(debian), "id", "-nG", "ordertray").split()
    assert set(groups) == {"ordertray", "dialout", "gpio"}
    assert run("chroot", str(debian), "systemd-analyze", "verify", "ordertray.service") == ""
    level = run(
        "chroot", str(debian), "systemd-analyze", "security", "--offline=yes", "--no-pager", "ordertray.service"
    )
    assert float(re.findall(r"exposure level.*: ([\d.]+)", level)[0]) < 2.5
    rules = "/etc/udev/rules.d/70-ordertray.rules"
    if debian.name != "bookworm":  # its udevadm cannot verify rules yet
        assert "1 udev rules files have been checked" in run("chroot", str(debian), "udevadm", "verify", rules)
    perform(plan_uninstall(this_machine(debian)), root=debian, say=lambda line: None)
    assert tree(debian) == before
