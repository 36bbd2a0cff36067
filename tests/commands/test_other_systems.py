"""On Windows: what works without a serial port and a Unix terminal works there, the rest says so in one sentence.

Windows is played here by taking away what it lacks: modules, functions, signals. What pyserial and
platformdirs need here is loaded before, since for Windows they bring their own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ordertray.commands.main import COMMANDS, POSIX_ONLY

HIDDEN_MODULES = ("fcntl", "termios", "tty", "pty", "grp", "pwd", "resource", "syslog", "crypt")
MISSING_OF_OS = ("getuid", "geteuid", "getgid", "getegid", "getgroups", "pwrite", "O_CLOEXEC", "chown", "mkfifo")
WINDOWS = f"""
import asyncio, os, platformdirs.unix, serial, serial.tools.list_ports, signal, socket, subprocess, sys
for name in {HIDDEN_MODULES!r}:
    sys.modules[name] = None
for name in {MISSING_OF_OS!r}:
    delattr(os, name)
del signal.SIGHUP, signal.SIGQUIT, socket.AF_UNIX, asyncio.start_unix_server
sys.argv[1:] = sys.argv[2:]
from ordertray.commands.main import main
main()
"""
EXAMPLES = Path(__file__).parents[2] / "examples"
RED, BLUE = str(EXAMPLES / "red.toml"), str(EXAMPLES / "blue.toml")


def on_windows(*arguments: str, folder: Path, text: str = "", status: int = 0) -> str:
    command = [sys.executable, "-c", WINDOWS, "ordertray", *arguments]
    environment = os.environ | {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    done = subprocess.run(command, input=text, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def test_a_game_is_played_from_a_script(tmp_path: Path) -> None:
    assert "round 1" in on_windows("play", "--a", RED, "--b", BLUE, folder=tmp_path, text="A start\nA next\n").lower()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--help"], "Play a game script"),
        (["army", "check", RED], ""),
        (["army", "show", RED], "Regular"),
        (["tokens", "labels", "-o", "labels.pdf"], "labels.pdf"),
        (["config", "show"], "http_port"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_what_needs_no_port_and_no_terminal_works(arguments: list[str], told: str, tmp_path: Path) -> None:
    assert told in on_windows(*arguments, folder=tmp_path)


def test_a_record_that_is_not_there_yet_is_told(tmp_path: Path) -> None:
    assert "there is no record yet" in on_windows("record", "list", folder=tmp_path, status=2)


@pytest.mark.parametrize("name", ["run", "doctor"])
def test_what_does_not_work_says_so_in_one_sentence(name: str, tmp_path: Path) -> None:
    said = on_windows(name, folder=tmp_path, status=2)
    assert said.count("\n") == 1 and "needs Linux or macOS" in said and "WSL" in said


def test_flashing_over_a_port_says_so_and_one_file_is_made_all_the_same(tmp_path: Path) -> None:
    assert "needs Linux or macOS" in on_windows("flash", folder=tmp_path, status=2)
    (tmp_path / "x.uf2").write_bytes(b"no image")
    assert "no UF2 file" in on_windows("flash", "--image", "x.uf2", "-o", "y.uf2", folder=tmp_path, status=2)


def test_every_such_command_is_one() -> None:
    assert set(COMMANDS) >= POSIX_ONLY
