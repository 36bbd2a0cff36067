"""Builds the register model and the real RPi.GPIO extension, and fetches the real rpi-lgpio and lgpio's Python half.

Once per machine, outside the development environment.
"""

from __future__ import annotations

import fcntl
import hashlib
import platform
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

RPI_GPIO_VERSION = "0.7.1"
RPI_LGPIO_VERSION, LGPIO_VERSION = "0.6", "0.2.2.0"
CHIP_MODEL = Path(__file__).with_name("chip_model")
MODEL_SOURCE = Path(__file__).with_name("bcm283x_gpio.c")
BUILD_ROOT = Path(__file__).parents[3] / "build" / "gpio-harness"
KNOWN_MACHINES = ("x86_64", "aarch64")


class HarnessError(RuntimeError):
    """The harness cannot be set up here; the message says what failed and what to install."""


@dataclass(frozen=True, slots=True)
class Harness:
    """What was built: the preloaded `model`, and the `site` directory that holds `RPi`."""

    model: Path
    site: Path


def build_harness(root: Path = BUILD_ROOT) -> Harness:
    """Build what is not built yet; safe for several test processes at a time. Raises HarnessError, never skips."""
    check_machine(platform.system(), platform.machine())
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return Harness(_model(root), _extension(root))


def fetch_chip_library(root: Path = BUILD_ROOT) -> Path:
    """The folder with the real rpi-lgpio and the Python half of lgpio; its C half is left out (`chip_model` stands in).

    Nothing in it is of one machine or of one Python, so any platform's wheel will do. Raises HarnessError.
    """
    root.mkdir(parents=True, exist_ok=True)
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _chip_library(root)


def _chip_library(root: Path) -> Path:
    site = root / f"rpi-lgpio-{RPI_LGPIO_VERSION}-lgpio-{LGPIO_VERSION}"
    if not site.exists():
        unfinished = site.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        built = ["--no-deps", "--only-binary=:all:", "--platform", "manylinux_2_34_x86_64", "--python-version", "3.11"]
        names = [f"rpi-lgpio=={RPI_LGPIO_VERSION}", f"lgpio=={LGPIO_VERSION}"]
        _run([*pip, "--target", str(unfinished), *built, *names], f"fetch rpi-lgpio {RPI_LGPIO_VERSION}")
        for binary in unfinished.glob("_lgpio*.so"):
            binary.unlink()
        unfinished.rename(site)
    return site


def check_machine(system: str, machine: str) -> None:
    """Raises HarnessError on machines whose register accesses the model cannot see."""
    if system != "Linux" or machine not in KNOWN_MACHINES:
        raise HarnessError(
            f"the GPIO register model runs on Linux on {' or '.join(KNOWN_MACHINES)}, not on {system} on {machine}: "
            "the lamps cannot be proven at register level here"
        )


def _model(root: Path) -> Path:
    digest = hashlib.sha256(MODEL_SOURCE.read_bytes()).hexdigest()[:16]
    library = root / f"bcm283x-{platform.machine()}-{digest}.so"
    if not library.exists():
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise HarnessError("no C compiler for the GPIO register model: apt-get install gcc libc6-dev")
        unfinished = library.with_suffix(".unfinished")
        options = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC"]
        _run([compiler, *options, "-o", str(unfinished), str(MODEL_SOURCE), "-ldl"], "compile the GPIO register model")
        unfinished.rename(library)
    return library


def _extension(root: Path) -> Path:
    """RPi.GPIO from its source package, since no other machine's build of it would run here."""
    tag = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    site = root / f"RPi.GPIO-{RPI_GPIO_VERSION}-{tag}"
    if not site.exists():
        unfinished = site.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        source = ["--no-deps", "--no-binary", "RPi.GPIO", f"RPi.GPIO=={RPI_GPIO_VERSION}"]
        _run([*pip, "--target", str(unfinished), *source], f"build RPi.GPIO {RPI_GPIO_VERSION} from source")
        if not list((unfinished / "RPi").glob("_GPIO*.so")):
            raise HarnessError(f"pip made no RPi.GPIO extension in {unfinished}")
        unfinished.rename(site)
    return site


def _run(command: list[str], what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise HarnessError(
            f"could not {what} (needs gcc, libc6-dev, the Python headers and, once, the package registry):\n"
            f"{' '.join(command)}\n{done.stdout}{done.stderr}"
        )
