"""Install into real Debian roots, made by debootstrap, boot them, take it back: `make install-check` (root, minutes).

Not part of `make test`, which does the same in a small root of its own: this takes a package mirror and root's rights.
Here everything is the suite's own: its Python and pip, its sysusers, its `systemd-analyze verify`, and its systemd,
which is started as process 1 of namespaces of its own. The tests of a root build on each other, in their order.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from lights.gpio_harness.benches import chip_environment
from lights.gpio_harness.build import MODEL_SOURCE, build_harness
from lights.test_lamp_registers import OPENING
from ordertray.install.layout import INSTALLER
from ordertray.install.perform import perform, this_machine
from ordertray.install.plan import plan_install, plan_uninstall
from patience import patience

PROJECT = Path(__file__).parents[2]
ENVIRONMENT = Path("/opt/ordertray")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PI_4, PI_5 = "Raspberry Pi 4 Model B Rev 1.5", "Raspberry Pi 5 Model B Rev 1.0"
LIBRARY_OF = {PI_4: "RPi.GPIO", PI_5: "rpi-lgpio"}
EXTRAS = "web,labels,nfc,flash,sim"
EMULATOR = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
PIS = {"bookworm": ("3.11", "manylinux_2_31_aarch64"), "trixie": ("3.13", "manylinux_2_34_aarch64")}


@dataclass(frozen=True)
class Debian:
    """A root of a suite, as a machine that is switched off."""

    root: Path
    suite: str

    def inside(self, *command: str, status: int = 0, variables: dict[str, str] | None = None) -> str:
        """Run a command in the root, whose status must be `status`; all it says."""
        clean = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        clean |= {"PIP_CERT": "/mnt/certificates.crt", "DEBIAN_FRONTEND": "noninteractive"} | (variables or {})
        # Variables are set in there: one that names a library to preload is none of chroot's own.
        inner = ["env", "-i", *(f"{name}={value}" for name, value in clean.items()), *command]
        done = subprocess.run(["chroot", str(self.root), *inner], capture_output=True, text=True, check=False)
        assert done.returncode == status, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def install(self, *arguments: str, status: int = 0) -> str:
        """`install.sh`, which lies in the root together with the wheels, without the service."""
        return self.inside("sh", "/mnt/dist/install.sh", "--no-service", *arguments, status=status)


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


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `install.sh`, this version's wheel in it, and a newer one's in `newer/`."""
    folder = tmp_path_factory.mktemp("releases")
    shutil.copy(INSTALLER, folder)
    clone = folder / "clone"
    for name in ("host", "firmware", "examples", "pyproject.toml", "README.md", "LICENSE"):
        copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
        copy(PROJECT / name, clone / name) if (PROJECT / name).is_dir() else shutil.copy(PROJECT / name, clone / name)
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(clone), "--wheel-dir"]
    run(*wheel, str(folder))
    version = clone / "firmware/ordertray_firmware/__init__.py"
    version.write_text(re.sub(r'__version__ = ".*"', '__version__ = "9.0.0"', version.read_text()))
    run(*wheel, str(folder / "newer"))
    shutil.rmtree(clone)
    return folder


@pytest.fixture(scope="module", params=["bookworm", "trixie", *(["trixie-arm64"] if EMULATOR.exists() else [])])
def debian(
    request: pytest.FixtureRequest, releases: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Debian]:
    """A minimal Debian of a suite, with the group that Raspberry Pi OS adds, the files of a release at hand."""
    assert shutil.which("debootstrap"), "apt-get install debootstrap"
    suite, _, machine = request.param.partition("-")
    root = tmp_path_factory.mktemp("debian") / request.param
    kind = [f"--arch={machine}"] if machine else []
    packages = "--include=systemd,udev,passwd,python3-minimal,util-linux"
    run("debootstrap", "--variant=minbase", *kind, packages, suite, str(root), debian_mirror())
    with (root / "etc/group").open("a") as groups:
        groups.write("gpio:x:960:\n")
    shutil.copytree(releases, root / "mnt/dist")
    shutil.copy(CERTIFICATES, root / "mnt/certificates.crt")
    run("mount", "--bind", "/dev", str(root / "dev"))
    run("mount", "-t", "proc", "proc", str(root / "proc"))
    found = Debian(root, request.param)
    try:
        found.inside("apt-get", "update", "-qq")
        yield found
    finally:
        run("umount", str(root / "dev"), str(root / "proc"))
        shutil.rmtree(root)


def tree(root: Path) -> dict[str, bytes | str]:
    """Every file of the system, but for the backups that the user database tools leave, and what Python compiles."""
    found: dict[str, bytes | str] = {}
    for place in ("etc", "opt", "usr/lib/systemd", "usr/lib/udev", "var/lib"):
        for path in (root / place).rglob("*"):
            name = str(path.relative_to(root))
            if (
                re.fullmatch(r"etc/(\.pwd\.lock|\.updated|(passwd|shadow|group|gshadow)-)", name)
                or path.suffix == ".pyc"
            ):
                continue
            if path.is_symlink():
                found[name] = str(path.readlink())
            elif path.is_file():
                found[name] = path.read_bytes()
    return found


@pytest.fixture(autouse=True)
def only_what_an_emulator_can(request: pytest.FixtureRequest) -> None:
    """Under qemu an installation takes ten minutes: that of a Pi 4 is enough, and its unit."""
    if "arm64" in request.node.name and not re.search(r"one_command.*Pi 4|unit_is_right", request.node.name):
        pytest.skip("arm64 is emulated: too slow for all, and no systemd as process 1")


def test_a_dry_run_tells_everything_and_changes_nothing(debian: Debian) -> None:
    before = tree(debian.root)
    said = debian.inside("sh", "/mnt/dist/install.sh", "--dry-run", "--model", PI_4)
    assert "needs from the system: python3 python3-venv" in said and "there is no systemd here" in said
    assert tree(debian.root) == before


@pytest.mark.parametrize("model", [PI_4, PI_5])
def test_one_command_installs_it_with_the_boards_gpio_library(debian: Debian, model: str) -> None:
    said = debian.install("--model", model)
    needs = next(line for line in said.splitlines() if "needs from the system:" in line)
    assert said.index(needs) < said.index("+ /usr/bin/python3 -m venv") if model == PI_4 else True
    apts = {"python3-rpi.gpio", "python3-rpi-lgpio"} & set(needs.split())
    if debian.suite == "trixie-arm64" and model == PI_4:
        assert apts == {"python3-rpi.gpio"}, "Debian has it for this machine"
    else:
        assert apts or "gcc" in needs, needs
    libraries = "from ordertray.lights.gpio_library import *; print(installed_libraries())"
    assert debian.inside("/opt/ordertray/bin/python3", "-c", libraries) == f"('{LIBRARY_OF[model]}',)\n"
    assert debian.inside("ordertray", "--version").startswith("ordertray 0.")
    assert not re.search(r"pip\S* install [^/-]*\bordertray\b", said), "a name was asked from an index"
    _lamps_light(debian, model)


def _lamps_light(debian: Debian, model: str) -> None:
    """The library that was installed, on the model of what it moves: registers, or a GPIO chip."""
    place = debian.root / "mnt/model"
    place.mkdir(exist_ok=True)
    if model == PI_4:
        if debian.suite.endswith("arm64"):
            shutil.copy(MODEL_SOURCE, place)
            debian.inside("apt-get", "install", "--yes", "-qq", "--no-install-recommends", "gcc", "libc6-dev")
            compiled = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-o", "/mnt/model/model.so")
            debian.inside("gcc", *compiled, f"/mnt/model/{MODEL_SOURCE.name}", "-ldl")
        else:
            shutil.copy(build_harness().model, place / "model.so")
        variables = {"LD_PRELOAD": "/mnt/model/model.so", "GPIO_MODEL_REGISTERS": "/mnt/model/registers.bin",
                     "GPIO_MODEL_LOG": "/mnt/model/registers.log", "GPIO_MODEL_CHIP": "bcm2711"}  # fmt: skip
    else:
        stand_in, _ = chip_environment(Path("/"), place)["PYTHONPATH"].split(os.pathsep)
        shutil.copytree(stand_in, place / "chip", dirs_exist_ok=True)
        variables = {"GPIO_MODEL_LOG": "/mnt/model/chip.log", "RPI_LGPIO_REVISION": "c04170",
                     "PYTHONPATH": "/mnt/model/chip", "LG_WD": "/mnt/model"}  # fmt: skip
    opened = OPENING.replace(
        "print(open_lamps(DEFAULT_LAMPS).name)", "with open_lamps(DEFAULT_LAMPS) as lamps: print(lamps.name)"
    )
    said = debian.inside("/opt/ordertray/bin/python3", "-c", opened, variables=variables)
    assert said == "lamps on the Pi's pins\n"
    log = place / ("registers.log" if model == PI_4 else "chip.log")
    assert len(log.read_text().splitlines()) > 100, "nothing was written to any pin"


def test_update_back_and_an_update_that_fails(debian: Debian) -> None:
    empty = debian.root / "mnt/empty"
    empty.mkdir()
    first = debian.inside("ordertray", "--version")
    said = debian.install(
        "--wheels", "/mnt/empty", f"/mnt/dist/newer/{_wheel(debian, 'newer').name}", "--extras", "web,tls", status=2
    )
    assert "this command failed" in said
    assert debian.inside("ordertray", "--version") == first, "what failed has changed nothing"
    debian.install(f"/mnt/dist/newer/{_wheel(debian, 'newer').name}")
    assert debian.inside("ordertray", "--version") == "ordertray 9.0.0\n"
    debian.install(f"/opt/ordertray/wheels/{_wheel(debian).name}")
    assert debian.inside("ordertray", "--version") == first
    assert len(list((debian.root / "opt/ordertray/wheels").iterdir())) == 2


def _wheel(debian: Debian, folder: str = ".") -> Path:
    (found,) = (debian.root / "mnt/dist" / folder).glob("*.whl")
    return found


def test_without_a_network_from_a_folder_of_wheels(debian: Debian) -> None:
    wheel = f"/mnt/dist/{_wheel(debian).name}[{EXTRAS}]"
    pip = ("/opt/ordertray/bin/python3", "-m", "pip", "--quiet")
    debian.inside(*pip, "wheel", "--use-pep517", "--no-deps", "--wheel-dir", "/mnt/wheels", "font-roboto<0.1")
    debian.inside(
        *pip, "download", "--only-binary=:all:", "--find-links", "/mnt/wheels", "--dest", "/mnt/wheels", wheel
    )
    shutil.rmtree(debian.root / "opt/ordertray")
    install = ["sh", "/mnt/dist/install.sh", "--no-service", "--wheels", "/mnt/wheels"]
    run("unshare", "--net", "chroot", str(debian.root), *install)
    assert debian.inside("ordertray", "--version").startswith("ordertray 0.")
    debian.inside("ordertray", "tokens", "labels", "-o", "/mnt/labels.pdf")
    assert (debian.root / "mnt/labels.pdf").read_bytes()[:5] == b"%PDF-"


def test_the_unit_is_right_and_uninstall_takes_all_back(debian: Debian) -> None:
    before = tree(debian.root)
    perform(plan_install(this_machine(debian.root, ENVIRONMENT)), root=debian.root, say=lambda line: None)
    assert set(debian.inside("id", "-nG", "ordertray").split()) == {"ordertray", "dialout", "gpio"}
    if not debian.suite.endswith("arm64"):  # systemd's tools want more of a kernel than the emulator has
        assert debian.inside("systemd-analyze", "verify", "ordertray.service") == ""
        unit = ("systemd-analyze", "security", "--offline=yes", "--no-pager", "ordertray.service")
        assert float(re.findall(r"exposure level.*: ([\d.]+)", debian.inside(*unit))[0]) < 2.5
    rules = "/etc/udev/rules.d/70-ordertray.rules"
    if debian.suite != "bookworm":  # its udevadm cannot verify rules yet
        assert "1 udev rules files have been checked" in debian.inside("udevadm", "verify", rules)
    perform(plan_uninstall(this_machine(debian.root)), root=debian.root, say=lambda line: None)
    assert tree(debian.root) == before


def test_a_read_only_disk_is_tried_again_later(debian: Debian) -> None:
    debian.inside("mkdir", "-p", "/mnt/home")
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec chroot "$@"'
    service = ["env", "HOME=/mnt/home", "ordertray", "run", "--no-tray", "--no-web"]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", str(debian.root), str(debian.root), *service],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 75, done.stderr
    assert "Traceback" not in done.stderr and "ead-only" in done.stderr


BOOT = """
set -e
root=$1
mount --make-rprivate /
umount -l "$root/dev" "$root/proc"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for place in run tmp dev; do mount -t tmpfs tmpfs "$root/$place"; done
for name in null zero full random urandom tty; do cp -a "/dev/$name" "$root/dev/$name"; done
mkdir -p "$root/dev/pts" "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts"
exec chroot "$root" env -i container=chroot PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --log-target=console
"""


@contextlib.contextmanager
def booted(debian: Debian) -> Iterator[Callable[..., str]]:
    """The root with its own systemd as process 1; gives a function that runs a command in there."""
    outer = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", "--cgroup", "--kill-child", "sh", "-c", BOOT, "sh",
         str(debian.root)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
    (first,) = until(lambda: children.read_text().split(), "no process 1")

    def inside(*command: str, user: str = "root") -> str:
        entry = ["nsenter", "-t", first, "-m", "-p", "-u", "-i", "-C", "chroot", str(debian.root)]
        as_user = ["runuser", "-u", user, "--"] if user != "root" else []
        home = "/var/lib/ordertray" if user != "root" else "/root"
        done = subprocess.run(
            [*entry, "env", "-i", f"HOME={home}", "PATH=/usr/sbin:/usr/bin:/usr/local/bin", *as_user, *command],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    try:
        until(lambda: "running" in inside("systemctl", "is-system-running"), "the system does not come up")
        yield inside
    finally:
        outer.kill()
        outer.wait()


Found = TypeVar("Found")


def until(look: Callable[[], Found], otherwise: str) -> Found:
    """What `look` finds as soon as it finds something."""
    end = time.monotonic() + patience(60)
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.1)
    raise AssertionError(otherwise)


def test_the_system_boots_and_the_service_plays(debian: Debian) -> None:
    perform(plan_install(this_machine(debian.root, ENVIRONMENT)), root=debian.root, say=lambda line: None)
    with (debian.root / "etc/ordertray/ordertray.toml").open("a") as configuration:
        configuration.write("[lamps]\n")
    text = (debian.root / "etc/ordertray/ordertray.toml").read_text()
    (debian.root / "etc/ordertray/ordertray.toml").write_text("virtual = true\n" + text)
    with booted(debian) as inside:
        until(lambda: inside("systemctl", "is-active", "ordertray") == "active\n", "the service does not start")
        log = inside("journalctl", "--unit=ordertray", "--no-pager")
        assert log.count("no lamps on pins:") == 1 and "Traceback" not in log
        until(lambda: "http://" in inside("ordertray", "links", user="ordertray"), "no links")
        until(lambda: "online" in inside("ordertray", "status", user="ordertray"), "no virtual tray")
        assert "sudo -u ordertray ordertray links" in inside("ordertray", "links")
        number = inside("systemctl", "show", "--property=MainPID", "--value", "ordertray").strip()
        inside("systemctl", "kill", "--signal=KILL", "ordertray")
        again = ("systemctl", "show", "--property=MainPID", "--value", "ordertray")
        until(lambda: inside(*again).strip() not in ("0", number), "it is not started again")
        said = inside("sh", "/mnt/dist/install.sh", "--uninstall")
        assert inside("systemctl", "is-active", "ordertray") == "inactive\n", said
    assert not (debian.root / "opt/ordertray").exists() and not (debian.root / "usr/local/bin/ordertray").is_symlink()
    assert (debian.root / "etc/ordertray/ordertray.toml").exists(), "it was edited, and is kept"
    assert (debian.root / "var/lib/ordertray").is_dir(), "the games are kept"


@pytest.mark.parametrize("suite", PIS)
def test_every_package_has_a_wheel_for_a_pi(releases: Path, tmp_path: Path, suite: str) -> None:
    """Resolved for a Pi as install/README.md says; what is left is Debian's GPIO library."""
    version, platform = PIS[suite]
    (wheel,) = releases.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    run(*pip, "wheel", "--use-pep517", "--no-deps", "--wheel-dir", str(tmp_path), "font-roboto<0.1")
    run(*pip, "install", "--dry-run", "--ignore-installed", "--only-binary=:all:", "--find-links", str(tmp_path),
        "--target", str(tmp_path / "pi"), "--python-version", version, "--platform", platform,
        "--platform", "manylinux2014_aarch64", f"{wheel}[web,labels,nfc,flash,tls]")  # fmt: skip


@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_the_wheel_is_installed_as_a_tool(releases: Path, tmp_path: Path, tool: str) -> None:
    (wheel,) = releases.glob("*.whl")
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    run(str(tmp_path / "venv/bin/python"), "-m", "pip", "install", "--quiet", tool)
    commands = tmp_path / "bin"
    places = {
        "UV_TOOL_DIR": "tools",
        "UV_TOOL_BIN_DIR": "bin",
        "PIPX_HOME": "pipx",
        "PIPX_BIN_DIR": "bin",
        "HOME": "home",
    }
    environment = os.environ | {name: str(tmp_path / place) for name, place in places.items()}
    install = ["uv", "tool", "install"] if tool == "uv" else ["pipx", "install"]
    command = [str(tmp_path / "venv/bin" / install[0]), *install[1:], f"{wheel}[labels]"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run(str(commands / "ordertray"), "--version").startswith("ordertray 0.")
    run(str(commands / "ordertray"), "tokens", "labels", "-o", str(tmp_path / "labels.pdf"))
    assert (tmp_path / "labels.pdf").read_bytes()[:5] == b"%PDF-"
