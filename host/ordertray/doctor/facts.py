"""What the doctor looks at: one value with all facts of the machine, so that every fault can be staged in a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serial.tools import list_ports

from ..install import layout
from ..journal import JournalDamagedError, JournalError, JournalReader
from ..lights.gpio_library import board_model, installed_libraries, sees_system_packages
from ..link import PICO, holders, user_name
from ..service.asking import NotRunningError, ask
from ..service.places import is_anothers_service
from ..sim.process import has_package

#: A Pico in its boot loader: a drive, no serial port.
BOOT_LOADER = (0x2E8A, 0x0003)


@dataclass(frozen=True)
class PortFacts:
    """A serial port: its device, USB identity, who may open it, who has it open."""

    device: str
    usb: tuple[int, int] | None = None
    serial: str | None = None
    may_open: bool = True
    group: str = "dialout"
    held_by: tuple[str, ...] = ()

    @property
    def is_pico(self) -> bool:
        """Whether it has the USB identity of MicroPython on a Pico."""
        return self.usb == PICO


@dataclass(frozen=True)
class Facts:
    """This machine, as far as it matters. Times are Unix seconds, sizes bytes."""

    python: tuple[int, int] = (3, 11)
    user: str = "player"
    groups: frozenset[str] = frozenset({"dialout"})
    linux: bool = True
    now_s: float = 1_800_000_000
    clock_synchronised: bool | None = True
    record: Path = Path("record.sqlite3")
    record_fault: str | None = None
    record_trouble: type[JournalError] = JournalDamagedError
    """Of what kind `record_fault` is."""
    last_entry_s: float | None = None
    folder_writable: bool = True
    free_bytes: int = 10_000_000_000
    ports: tuple[PortFacts, ...] = ()
    boot_loader: bool = False
    modem_manager: bool = False
    udev_rule: bool = True
    status: Mapping[str, Any] | None = None
    configuration_fault: str | None = None
    lamps: bool = False
    model: str = ""
    gpio_libraries: tuple[str, ...] = ()
    own_gpio_libraries: tuple[str, ...] | None = None
    sees_system_packages: bool = False
    anothers_service: bool = False
    micropython_interpreter: bool = True
    interpreter_is_to_be_had: bool = True


def gather(record: Path, *, configuration_fault: str | None = None, lamps: bool = False) -> Facts:
    """The facts of this machine. Looks and asks; changes nothing, opens no port."""
    found = list(list_ports.comports())
    return Facts(
        python=sys.version_info[:2],
        user=user_name(),
        groups=_groups(),
        linux=sys.platform == "linux",
        now_s=time.time(),
        clock_synchronised=_synchronised(),
        record=record,
        **_record_facts(record),
        folder_writable=_writable(record.parent),
        free_bytes=_free(record.parent),
        ports=tuple(_port(port.device, port.vid, port.pid, port.serial_number) for port in found),
        boot_loader=_boot_loader(),
        modem_manager=_runs("ModemManager"),
        udev_rule=Path(layout.UDEV_RULES).is_file(),
        status=_status(record),
        configuration_fault=configuration_fault,
        lamps=lamps,
        model=board_model(),
        gpio_libraries=installed_libraries(),
        own_gpio_libraries=installed_libraries(own=True),
        sees_system_packages=sees_system_packages(),
        anothers_service=is_anothers_service(),
        interpreter_is_to_be_had=has_package(),
        micropython_interpreter=shutil.which("micropython", path=f"{Path(sys.executable).parent}:{os.defpath}")
        is not None,
    )


def _groups() -> frozenset[str]:
    import grp

    names = set()
    for number in {*os.getgroups(), os.getegid()}:
        try:
            names.add(grp.getgrgid(number).gr_name)
        except KeyError:
            names.add(str(number))
    return frozenset(names)


def _port(device: str, vid: int | None, pid: int | None, serial: str | None) -> PortFacts:
    import grp

    try:
        group = grp.getgrgid(Path(device).stat().st_gid).gr_name
    except (OSError, KeyError):
        group = "dialout"
    usb = None if vid is None or pid is None else (vid, pid)
    may_open = os.access(device, os.R_OK | os.W_OK)
    return PortFacts(device, usb, serial, may_open, group, tuple(str(holder) for holder in holders(device)))


def _record_facts(record: Path) -> dict[str, Any]:
    if not record.exists():
        return {}
    try:
        with JournalReader.open(record) as reader:
            times = [entry.at_ms for game in reader.games()[-1:] for entry in reader.entries(game.id)]
            reader.verify()
    except JournalError as error:
        return {"record_fault": str(error), "record_trouble": type(error)}
    return {"last_entry_s": max(times) / 1000 if times else None}


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _writable(folder: Path) -> bool:
    return os.access(_existing(folder.absolute()), os.W_OK | os.X_OK)


def _free(folder: Path) -> int:
    return shutil.disk_usage(_existing(folder.absolute())).free


def _synchronised() -> bool | None:
    """Whether the system says that its clock is right; None where it cannot say."""
    try:
        said = subprocess.run(
            ["timedatectl", "show", "--property=NTPSynchronized", "--value"],
            capture_output=True, text=True, timeout=5, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return {"yes": True, "no": False}.get(said)


def _runs(command: str) -> bool:
    for process in Path("/proc").glob("[0-9]*/comm"):
        try:
            if process.read_text().strip() == command:
                return True
        except OSError:
            continue
    return False


def _boot_loader() -> bool:
    for device in Path("/sys/bus/usb/devices").glob("*"):
        try:
            identity = tuple(int((device / name).read_text(), 16) for name in ("idVendor", "idProduct"))
        except (OSError, ValueError):
            continue
        if identity == BOOT_LOADER:
            return True
    return False


def _status(record: Path) -> Mapping[str, Any] | None:
    try:
        return ask(record, "status")
    except NotRunningError:
        return None
