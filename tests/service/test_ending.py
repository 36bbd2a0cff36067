"""Signals: whichever, whenever, lamps dark, socket file gone, status 0, within two seconds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from commands.cli_helpers import COMMAND, environment
from ordertray.sim.tray import VirtualTray
from patience import patience

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ended(process: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, float]:
    """Send a signal; the status, and how long it took."""
    began = time.monotonic()
    process.send_signal(number)
    return process.wait(patience(30)), time.monotonic() - began


@pytest.mark.parametrize("number", SIGNALS)
def test_each_signal_is_a_clean_end(tmp_path: Path, number: signal.Signals) -> None:
    record = tmp_path / "record.sqlite3"
    with VirtualTray() as tray, (tmp_path / "log").open("wb") as log:
        command = [
            *COMMAND,
            "run",
            "--http-port",
            "0",
            "--port",
            tray.url,
            "--quick",
            "10",
            "4",
            "--record",
            str(record),
        ]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(tmp_path))
        try:
            tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
            assert ended(process, number)[0] == 0
            tray.wait_for(lambda: set(tray.colours("A")) <= {"."}, 5, "a dark strip")
        finally:
            process.kill()
            process.wait()
    assert not list(tmp_path.glob("*.control"))
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_it_starts_is_a_clean_end(tmp_path: Path, number: signal.Signals) -> None:
    rng = random.Random(int(number))
    for attempt in range(3):
        command = [*COMMAND, "run", "--no-tray", "--http-port", "0", "--quick", "3", "1", "--new"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(tmp_path))
        assert process.stderr is not None
        began = time.monotonic()
        # As soon as it listens to signals at all, and then at any moment of the start.
        while not _hears(process.pid, number):
            assert time.monotonic() - began < patience(60) and process.poll() is None
            time.sleep(0.01)
        time.sleep(rng.random() * attempt * 0.5)
        status, _ = ended(process, number)
        said = process.stderr.read().decode()
        assert (status, "Traceback" in said) == (0, False), said
        process.stderr.close()
        assert not list(tmp_path.glob("*.control"))


def _hears(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal (its own, where Python has one for it too)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = int(status.partition("SigCgt:\t")[2].split()[0], 16)
    # SIGTERM and SIGHUP have none in a bare Python: when they have, ours are in place, all three.
    return bool(caught >> signal.SIGTERM - 1 & caught >> signal.SIGHUP - 1 & 1) and bool(caught >> number - 1 & 1)


def test_a_terminal_that_is_closed_is_a_clean_end(tmp_path: Path) -> None:
    """As closing the window of an SSH session is: the signal, and nowhere to write to any more."""
    import pty

    ours, theirs = pty.openpty()
    record = tmp_path / "record.sqlite3"
    with VirtualTray() as tray:
        command = [*COMMAND, "run", "--no-web", "--port", tray.url, "--quick", "10", "4", "--record", str(record)]
        process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(tmp_path), start_new_session=True
        )
        os.close(theirs)
        try:
            tray.wait_for(lambda: tray.colours("A")[15] == "g", 60, "the link lamp")
            os.close(ours)
            process.send_signal(signal.SIGHUP)
            assert process.wait(patience(30)) == 0
            tray.wait_for(lambda: set(tray.colours("A")) <= {"."}, 5, "a dark strip")
        finally:
            process.kill()
            process.wait()
    assert not list(tmp_path.glob("*.control"))


def test_what_may_be_otherwise_soon_has_a_status_of_its_own(tmp_path: Path) -> None:
    """Systemd tries again after 75, and not after 2, which says that somebody must mend something."""
    (tmp_path / "file").write_text("no folder")
    for arguments, status in (
        (("--record", str(tmp_path / "file" / "r.sqlite3")), 75),
        (("--host", "192.0.2.77", "--http-port", "1"), 75),
        (("--record", str(tmp_path / "file")), 2),
        (("--config", str(tmp_path / "file")), 2),
    ):
        command = [*COMMAND, "run", "--no-tray", *arguments]
        done = subprocess.run(
            command, capture_output=True, env=environment(tmp_path), timeout=patience(60), check=False
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (status, False), done.stderr
