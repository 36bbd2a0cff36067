"""Which GPIO library a machine needs, which it has, and the commands that mend the difference.

Two distributions install the same module `RPi.GPIO`: RPi.GPIO itself, which writes the registers of a BCM283x or
BCM2711 (up to a Pi 4), and rpi-lgpio, which a Pi 5 needs, since its pins sit behind another chip. rpi-lgpio works on
older boards too, only slower. Installed together they overwrite each other's files, so that is never right.

Raspberry Pi OS has both as packages, `python3-rpi.gpio` and `python3-rpi-lgpio`, of which one can be installed; the
environment that `install.sh` makes sees them. In an environment that does not, pip installs (and compiles) them. The
extra `pi` chooses by the kernel's release: Raspberry Pi OS runs a Pi 5 on a kernel flavour of its own (`rpi-2712`, from
rpi-update `v8-16k`) unless told otherwise. Where that guess fails (another distribution, a kernel chosen by hand), this
report says so and gives the commands. Pure, but for the functions at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from ordertray.files.extras import pip_command
from ordertray.messages import N_, identity

REGISTER_LIBRARY: Final = "RPi.GPIO"
CHIP_LIBRARY: Final = "rpi-lgpio"
LIBRARIES: Final = (REGISTER_LIBRARY, CHIP_LIBRARY)
DEBIAN: Final = {REGISTER_LIBRARY: "python3-rpi.gpio", CHIP_LIBRARY: "python3-rpi-lgpio"}
"""Raspberry Pi OS's packages of them."""
MODEL_FILE: Final = Path("/proc/device-tree/model")

_PI_5_KIND: Final = ("Raspberry Pi 5", "Raspberry Pi Compute Module 5", "Raspberry Pi 500")


@dataclass(frozen=True, slots=True)
class GpioLibraryReport:
    """What `ordertray doctor` says of the GPIO library.

    `model` is the board's own name for itself ("" where there is none), `needed` the distribution it needs (None: no
    Pi), `installed` those found. `verdict` is one sentence; `mend` the commands that put it right, empty when `ok`.
    """

    model: str
    needed: str | None
    installed: tuple[str, ...]
    ok: bool
    verdict: str
    mend: tuple[str, ...]


def gpio_library_report(
    model: str,
    installed: tuple[str, ...],
    *,
    pip: str,
    own: tuple[str, ...] | None = None,
    sees_system: bool = False,
    translate: Callable[[str], str] = identity,
) -> GpioLibraryReport:
    """Judge a machine by `/proc/device-tree/model` and the installed distributions (see `installed_libraries`).

    `pip` is the command that installs here; `own` are those of `installed` that pip put here, not Debian (all, where it
    is not said); `sees_system`: Debian's packages are seen here.
    """
    model = model.strip("\0 \n")
    needed = needed_library(model)
    both = len(installed) > 1
    ok = not both and (needed is None or installed in ((needed,), (CHIP_LIBRARY,)))
    fields = {"model": model, "needed": needed or "", "installed": installed[0] if installed else ""}
    return GpioLibraryReport(
        model,
        needed,
        installed,
        ok,
        translate(_verdict(needed, installed)).format(**fields),
        () if ok else _mend(needed, installed if own is None else own, pip, sees_system),
    )


def needed_library(model: str) -> str | None:
    """The distribution a board needs, by the text of `/proc/device-tree/model`; None where it is no Raspberry Pi."""
    if not model.startswith("Raspberry Pi"):
        return None
    return CHIP_LIBRARY if model.startswith(_PI_5_KIND) else REGISTER_LIBRARY


def _verdict(needed: str | None, installed: tuple[str, ...]) -> str:
    if len(installed) > 1:
        return N_("RPi.GPIO and rpi-lgpio are both installed and overwrite each other: only one may be")
    if needed is None:
        return N_("this is no Raspberry Pi: no GPIO library is needed, lamps on pins stay off")
    if not installed:
        return N_("no GPIO library is installed: {model} needs {needed} for lamps on its pins")
    if installed == (CHIP_LIBRARY,) and needed == REGISTER_LIBRARY:
        return N_("{installed} is installed, which works on {model} too; {needed} is faster there")
    if installed != (needed,):
        return N_("{installed} is installed, but {model} needs {needed}")
    return N_("{installed} is installed, as {model} needs it")


def _mend(needed: str | None, own: tuple[str, ...], pip: str, sees_system: bool) -> tuple[str, ...]:
    """Remove what is wrong; then install afresh, since the two own the same files and removing one tears the other."""
    remove = (f"{pip} uninstall --yes {' '.join(own)}",) if own else ()
    if needed is None:
        return remove
    if sees_system:
        return (*remove, f"sudo apt-get install {DEBIAN[needed]}")  # apt removes the other one by itself
    return (*remove, f"{pip} install --force-reinstall {needed}")


def installed_libraries(*, own: bool = False) -> tuple[str, ...]:
    """The GPIO distributions in this Python environment: pip's and Debian's, or with `own` pip's alone."""
    found: list[str] = []
    for name in LIBRARIES:
        try:
            place = metadata.distribution(name).locate_file("")
        except metadata.PackageNotFoundError:
            continue
        if not own or Path(str(place)).is_relative_to(sys.prefix):
            found.append(name)
    return tuple(found)


def sees_system_packages() -> bool:
    """Whether this interpreter sees what Debian installs: it is the system's, or its environment was made so."""
    if sys.prefix == sys.base_prefix:
        return Path("/usr/lib/python3/dist-packages") in map(Path, sys.path)
    try:
        lines = Path(sys.prefix, "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    told = dict(line.replace(" ", "").partition("=")[::2] for line in lines)
    return told.get("include-system-site-packages", "").lower() == "true"


def way_to_a_library() -> tuple[str, ...]:
    """The commands that bring this board's GPIO library to the interpreter that runs."""
    needed = needed_library(board_model()) or REGISTER_LIBRARY
    return _mend(needed, (), pip_command(), sees_system_packages())


def board_model(path: Path = MODEL_FILE) -> str:
    """The board's name for itself, "" where the machine has none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\0 \n")
    except OSError:
        return ""
