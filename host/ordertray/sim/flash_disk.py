"""The file system on a Pico's flash: littlefs, as MicroPython lays it out; by default as on its RPI_PICO image."""

from __future__ import annotations

from collections.abc import Mapping

from littlefs import LittleFS, UserContext

#: MicroPython, ports/rp2/boards/RPI_PICO: the last 1408 KB of 2 MB.
FLASH_BYTES = 2 * 1024 * 1024
BLOCK_BYTES = 4096
BLOCKS = 352
START = FLASH_BYTES - BLOCKS * BLOCK_BYTES


def build_flash(files: Mapping[str, bytes], blocks: int = BLOCKS) -> bytes:
    """A file system image (blocks * BLOCK_BYTES bytes) with these files, path -> contents: the same for the same files.

    Raises littlefs.LittleFSError where they do not fit.
    """
    context = UserContext(buffsize=blocks * BLOCK_BYTES)
    disk = _disk(context, mount=True, blocks=blocks)
    for path, data in files.items():
        folder = path.rpartition("/")[0]
        if folder:
            disk.makedirs(folder, exist_ok=True)
        with disk.open(path, "wb") as file:
            file.write(data)
    disk.unmount()
    return bytes(context.buffer)


def read_flash(image: bytes | bytearray) -> dict[str, bytes]:
    """Every file in a file system image, path -> contents. Raises littlefs.LittleFSError if there is none."""
    context = UserContext(buffsize=len(image))
    context.buffer[:] = image
    disk = _disk(context, mount=False, blocks=len(image) // BLOCK_BYTES)
    disk.mount()
    found = {}
    for folder, _folders, names in disk.walk("/"):
        for name in names:
            path = f"{folder.rstrip('/')}/{name}"
            with disk.open(path, "rb") as file:
                found[path.lstrip("/")] = bytes(file.read())
    disk.unmount()
    return found


def _disk(context: UserContext, mount: bool, blocks: int) -> LittleFS:
    return LittleFS(
        context=context,
        mount=mount,
        block_size=BLOCK_BYTES,
        block_count=blocks,
        prog_size=256,
    )
