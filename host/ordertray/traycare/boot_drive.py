"""A Pico in BOOTSEL mode: a small drive with INFO_UF2.TXT on it, which takes a UF2 file and restarts with it."""

from __future__ import annotations

import os
import re
import string
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .errors import FlashError

MARK: Final = "INFO_UF2.TXT"
NAME: Final = "ordertray.uf2"
#: What such a drive is called, by which Linux finds one that nothing has mounted.
LABELS: Final = ("RPI-RP2", "RP2350")


@dataclass(frozen=True)
class BootDrive:
    """A drive of a board in BOOTSEL mode, and what it says it is ("RPI-RP2", "RP2350")."""

    folder: Path
    board_id: str


def boot_drives(folders: Iterable[Path] | None = None) -> list[BootDrive]:
    """Every board that waits in BOOTSEL mode, among `folders` or wherever this system mounts drives."""
    found = []
    for folder in mounted_folders() if folders is None else folders:
        try:
            text = (folder / MARK).read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        if told := re.search(r"^Board-ID:\s*(\S+)", text, re.MULTILINE):
            found.append(BootDrive(folder, told[1]))
    return found


def mounted_folders() -> Iterator[Path]:
    """Folders where drives are mounted; on Linux, one that nothing has mounted is mounted first, as far as may be."""
    if sys.platform == "win32":
        yield from (Path(f"{letter}:\\") for letter in string.ascii_uppercase)
    elif sys.platform == "darwin":
        yield from Path("/Volumes").glob("*")
    else:
        _mount_waiting()
        for line in _mounts().splitlines():
            _device, folder, kind, *_rest = line.split()
            if kind == "vfat":
                yield Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), folder))


def _mounts() -> str:
    """What is mounted, as Linux tells it; nothing where it does not."""
    try:
        return Path("/proc/mounts").read_text(errors="replace")
    except OSError:
        return ""


def _mount_waiting() -> None:
    """Raspberry Pi OS Lite mounts no drives: udisks does on request, where it is installed and lets this user."""
    mounted = _mounts()
    for device in waiting_devices():
        if f"{device.resolve()} " not in mounted:
            try:
                subprocess.run(
                    ["udisksctl", "mount", "--no-user-interaction", "-b", str(device.resolve())],
                    capture_output=True, check=False, timeout=20,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError):
                continue


def waiting_devices(folder: Path = Path("/dev/disk/by-label")) -> list[Path]:
    """Block devices of boards in BOOTSEL mode, mounted or not (Linux)."""
    return [folder / label for label in LABELS if (folder / label).exists()]


def copy_to(drive: BootDrive, data: bytes, board_id: str) -> None:
    """Copy a UF2 file onto the drive; the board restarts with it by itself.

    Raises FlashError for a board of another kind, or when the drive goes before it has all of it.
    """
    if drive.board_id != board_id:
        raise FlashError(f"{drive.folder}: this board is {drive.board_id}, the image is for {board_id}; take its own")
    done = 0
    try:
        with (drive.folder / NAME).open("wb", buffering=0) as file:
            while done < len(data):
                done += file.write(data[done : done + 64 * 1024])
            os.fsync(file.fileno())
    except OSError as error:
        # The board leaves as soon as it has the last block: what fails after that is its leaving.
        if done < len(data):
            raise FlashError(
                f"{drive.folder}: {error.strerror or error} after {done} of {len(data)} bytes; "
                "hold BOOTSEL while plugging it in, and run the same command again"
            ) from error


def none_found() -> str:
    """Why there is no drive to copy to, and the way out."""
    if devices := waiting_devices():
        return (
            f"a board waits in BOOTSEL mode ({devices[0]}), but its drive is not mounted: "
            f"sudo mount {devices[0]} /mnt, then the same command with --drive /mnt"
        )
    return "no board in BOOTSEL mode: hold BOOTSEL while plugging it in; or write a file to drag onto it with -o FILE"
