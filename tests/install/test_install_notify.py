"""Telling systemd, over a real datagram socket."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from ordertray.service.notify import ALIVE, READY, notify, watchdog_interval_ms
from patience import patience


@pytest.mark.parametrize("abstract", [False, True])
def test_states_arrive_as_one_datagram(abstract: bool, tmp_path: Path) -> None:
    name = f"@ordertray-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name[1:] if abstract else name)
        manager.settimeout(patience(5))
        assert notify(READY, "STATUS=playing", environment={"NOTIFY_SOCKET": name})
        assert manager.recv(100) == b"READY=1\nSTATUS=playing"


def test_nobody_to_tell_is_no_fault(tmp_path: Path) -> None:
    assert not notify(ALIVE, environment={})
    assert not notify(ALIVE, environment={"NOTIFY_SOCKET": "nonsense"})
    assert not notify(ALIVE, environment={"NOTIFY_SOCKET": str(tmp_path / "gone")})


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 15_000),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"}, 15_000),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
    ],
)
def test_watchdog_is_told_twice_as_often_as_asked(environment: dict[str, str], expected: int | None) -> None:
    assert watchdog_interval_ms(environment, process=42) == expected
