"""One file to drag onto a Pico: MicroPython's own image and the tray's files, joined.

Sources: the UF2 format (github.com/microsoft/uf2: 512 bytes a block, 256 of them data); the Pico SDK's binary info
(`pico/binary_info/structure.h`), in which MicroPython says its version and where on the flash its file system lies
(`ports/rp2/main.c`, a block device named MicroPython). So nothing of a board's layout is known here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ordertray.files.extras import install_command
from ordertray.traycare.errors import LEAST_MICROPYTHON, FlashError

BLOCK: Final = struct.Struct("<8I476sI")
MAGIC: Final = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
HAS_FAMILY: Final = 0x2000
PAYLOAD_BYTES: Final = 256
#: UF2 family: what INFO_UF2.TXT of a board in its boot loader says of itself, and its name.
FAMILIES: Final = {
    0xE48BFF56: ("RPI-RP2", "Raspberry Pi Pico (RP2040)"),
    0xE48BFF59: ("RP2350", "Raspberry Pi Pico 2 (RP2350)"),
}
FLASH_BEGIN: Final = 0x10000000
FLASH_PAGE_BYTES: Final = 4096
_INFO_BEGIN, _INFO_END = 0x7188EBF2, 0xE71AA390
_BLOCK_DEVICE, _ID_AND_STRING = 7, 6
_PROGRAM_VERSION = 0x11A9BC3A
_LARGEST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Image:
    """MicroPython's image: its family, the blocks of other families before it, its pages, and what it says of itself.

    `pages` maps an address to its 256 bytes. `files_begin` and `files_bytes` say where the file system lies.
    """

    family: int
    before: tuple[bytes, ...]
    pages: Mapping[int, bytes]
    version: str
    files_begin: int
    files_bytes: int

    @property
    def board(self) -> str:
        """The board it is for."""
        return FAMILIES[self.family][1]


def read_image(path: Path) -> Image:
    """Read MicroPython's image. Raises FlashError for what is none, is too old, or says nothing of its file system."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise FlashError(f"{path}: far too large to be an image of MicroPython")
        data = path.read_bytes()
    except OSError as error:
        raise FlashError(f"{path}: {error.strerror or error}") from error
    if not data or len(data) % BLOCK.size:
        raise FlashError(f"{path}: no UF2 file ({len(data)} bytes); take RPI_PICO-*.uf2 from micropython.org")
    family, before, pages = 0, [], {}
    for number in range(len(data) // BLOCK.size):
        raw = data[number * BLOCK.size : (number + 1) * BLOCK.size]
        one, two, flags, address, size, _number, _total, kind, payload, three = BLOCK.unpack(raw)
        if (one, two, three) != MAGIC or size != PAYLOAD_BYTES or not flags & HAS_FAMILY:
            raise FlashError(
                f"{path}: no UF2 file of a Pico (block {number}); take RPI_PICO-*.uf2 from micropython.org"
            )
        if kind not in FAMILIES:
            # Such as the first block of a Pico 2's images, which mends a fault of its boot loader (RP2350-E10).
            before.append(raw)
        elif family not in (0, kind):
            raise FlashError(f"{path}: for two kinds of boards at once")
        else:
            family = kind
            pages[address] = payload[:PAYLOAD_BYTES]
    if not family:
        raise FlashError(f"{path}: for no board that a tray is made of ({', '.join(n for _, n in FAMILIES.values())})")
    version, begin, size = _told(path, pages)
    return Image(family, tuple(before), pages, version, begin, size)


def joined(image: Image, files: Mapping[str, bytes]) -> bytes:
    """The image with a file system of `files` behind it, as one UF2 file. Raises FlashError where they do not fit.

    Every block of the file system is in it, the empty ones too: on a board that had one before, old blocks would
    count as newer ones.
    """
    try:
        from littlefs import LittleFSError

        from ordertray.sim.flash_disk import build_flash
    except ImportError as error:
        raise FlashError(f"littlefs-python is not installed: {install_command('flash')}") from error
    try:
        system = build_flash(files, image.files_bytes // FLASH_PAGE_BYTES)
    except LittleFSError as error:
        need = sum(len(data) for data in files.values())
        raise FlashError(f"{need} bytes do not fit into {image.files_bytes} of the board's flash ({error})") from error
    pages = dict(image.pages)
    for offset in range(0, len(system), PAYLOAD_BYTES):
        pages[image.files_begin + offset] = system[offset : offset + PAYLOAD_BYTES]
    blocks = list(image.before)
    for number, address in enumerate(sorted(pages)):
        payload = pages[address].ljust(476, b"\0")
        head = (*MAGIC[:2], HAS_FAMILY, address, PAYLOAD_BYTES, number, len(pages), image.family)
        blocks.append(BLOCK.pack(*head, payload, MAGIC[2]))
    return b"".join(blocks)


def _told(path: Path, pages: Mapping[int, bytes]) -> tuple[str, int, int]:
    """What the image's binary info says: MicroPython's version, begin and bytes of its file system."""
    memory = _Memory(pages)
    version, place = "", None
    try:
        begin, end = memory.info()
        for entry in range(begin, end, 4):
            address = memory.word(entry)
            kind = memory.word(address) & 0xFFFF
            if kind == _ID_AND_STRING and memory.word(address + 4) == _PROGRAM_VERSION:
                version = memory.text(memory.word(address + 8))
            elif kind == _BLOCK_DEVICE and memory.text(memory.word(address + 4)) == "MicroPython":
                place = memory.word(address + 8), memory.word(address + 12)
    except KeyError as error:
        raise FlashError(f"{path}: does not say of itself what it is; is it MicroPython for a Pico?") from error
    if place is None:
        raise FlashError(f"{path}: does not say where its files lie; is it MicroPython for a Pico?")
    first, size = place
    last_page = max(pages)
    if first % FLASH_PAGE_BYTES or size % FLASH_PAGE_BYTES or not size or first <= last_page:
        raise FlashError(f"{path}: says that its files lie at 0x{first:08x}, {size} bytes: that cannot be")
    numbers = version.lstrip("v").split("-")[0].split(".")
    if not all(part.isdigit() for part in numbers) or tuple(map(int, numbers)) < LEAST_MICROPYTHON:
        least = ".".join(map(str, LEAST_MICROPYTHON))
        raise FlashError(f"{path}: MicroPython {version or 'of no version'}; the tray needs {least} or newer")
    return version, first, size


class _Memory:
    """The pages as the board's memory. What is in none of them is a KeyError."""

    def __init__(self, pages: Mapping[int, bytes]) -> None:
        self._pages = pages

    def byte(self, address: int) -> int:
        base = address - address % PAYLOAD_BYTES
        return self._pages[base][address - base]

    def word(self, address: int) -> int:
        return int.from_bytes(bytes(self.byte(address + offset) for offset in range(4)), "little")

    def text(self, address: int) -> str:
        found = bytearray()
        while (byte := self.byte(address)) and len(found) < 64:
            found.append(byte)
            address += 1
        return found.decode("ascii", "replace")

    def info(self) -> tuple[int, int]:
        """Begin and end of the table of binary info: the header lies in the first kilobyte."""
        for address in range(FLASH_BEGIN, FLASH_BEGIN + 1024, 4):
            if self.word(address) == _INFO_BEGIN and self.word(address + 16) == _INFO_END:
                return self.word(address + 4), self.word(address + 8)
        raise KeyError("no binary info")
