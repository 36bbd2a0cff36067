"""Which port is the board, and how a port that cannot be opened is explained."""

from __future__ import annotations

import errno
import os
import tty
from pathlib import Path
from typing import Any

import pytest
import serial
from serial.tools.list_ports_common import ListPortInfo

from ordertray.link import (
    BoardFinder,
    BoardNotFoundError,
    BoardSpec,
    LinkError,
    PortBusyError,
    PortDeniedError,
    PortLostError,
    holders,
    open_port,
)
from ordertray.link.port import _explain


def port(device: str, ids: tuple[int, int] | None = None, number: str | None = None, product: str = "") -> ListPortInfo:
    info = ListPortInfo(device, skip_link_detection=True)
    if ids is not None:
        info.vid, info.pid = ids
    info.serial_number = number
    info.product = product or None
    return info


PICO = (0x2E8A, 0x0005)
PORTS = [
    port("/dev/ttyUSB0", (0x10C4, 0xEA60), "0001", "CP2102 USB to UART"),
    port("/dev/ttyACM1", PICO, "E6616408432A1B2C", "Board in FS mode"),
    port("/dev/ttyACM0", PICO, "E66164084311FFFF", "Board in FS mode"),
    port("/dev/ttyS0"),
]


def finder(ports: list[ListPortInfo] = PORTS) -> BoardFinder:
    return BoardFinder(lambda: ports)


def test_by_serial_number_whatever_the_port_is_called() -> None:
    assert finder().find(BoardSpec(serial="E6616408432A1B2C")) == "/dev/ttyACM1"
    assert finder().find(BoardSpec(serial="e6616408432a1b2c")) == "/dev/ttyACM1"


def test_the_only_pico_there_is() -> None:
    assert finder(PORTS[:2]).find(BoardSpec()) == "/dev/ttyACM1"
    assert finder().find(BoardSpec(), taken={"/dev/ttyACM1"}) == "/dev/ttyACM0"
    with pytest.raises(BoardNotFoundError) as told:
        finder().find(BoardSpec())
    assert "found several" in str(told.value) and "E6616408432A1B2C" in str(told.value)
    assert "/dev/ttyUSB0" not in str(told.value)


@pytest.mark.parametrize(
    ("spec", "ports", "expected"),
    [
        (
            BoardSpec(serial="AB"),
            PORTS,
            ["serial number AB", "2e8a:0005", "/dev/ttyACM0", "CP2102", "10c4:ea60", "ttyS0"],
        ),
        (BoardSpec(), [PORTS[0]], ["looked for a MicroPython board", "found /dev/ttyUSB0"]),
        (BoardSpec(), [], ["found no serial port at all"]),
        (BoardSpec(url="/dev/none"), PORTS, ["looked for the port /dev/none", "is not there", "/dev/ttyACM1"]),
    ],
)
def test_it_says_what_was_looked_for_and_found(spec: BoardSpec, ports: list[ListPortInfo], expected: list[str]) -> None:
    with pytest.raises(BoardNotFoundError) as told:
        finder(ports).find(spec)
    for words in expected:
        assert words in str(told.value)


def test_a_configured_url_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    assert finder([]).find(BoardSpec(url=str(tmp_path / "tty"))) == str(tmp_path / "tty")
    assert finder([]).find(BoardSpec(url="socket://127.0.0.1:1")) == "socket://127.0.0.1:1"


def test_boards_with_the_identity_of_a_pico() -> None:
    assert [spec.serial for spec in finder().boards()] == ["E66164084311FFFF", "E6616408432A1B2C"]
    assert finder([port("/dev/ttyACM0", PICO)]).boards() == []


def test_finding_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a port was opened to look")

    monkeypatch.setattr(serial, "serial_for_url", refuse)
    monkeypatch.setattr(serial.Serial, "open", refuse)
    finder().find(BoardSpec(serial="E6616408432A1B2C"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("/dev/no-such-port", "there is no such port"),
        ("socket://127.0.0.1:1", "socket://127.0.0.1:1"),
        ("socket://nowhere", "socket://nowhere"),
        ("loop://", "use a device path or socket://"),
        ("nonsense://x", "nonsense://x"),
        ("/dev/null", "/dev/null"),
    ],
)
def test_a_port_that_cannot_be_opened(url: str, words: str) -> None:
    with pytest.raises(LinkError) as told:
        open_port(url)
    assert words in str(told.value)


def test_a_port_that_may_not_be_opened_says_which_group_may(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    error = _explain(str(tmp_path / "tty"), serial.SerialException(errno.EACCES, "Permission denied"))
    assert isinstance(error, PortDeniedError) and "usermod -aG" in str(error)
    error = _explain("/dev/none", serial.SerialException(errno.EBUSY, "busy"))
    assert isinstance(error, PortBusyError) and "another process" in str(error)


def test_a_port_opens_for_one_only_and_says_when_it_is_gone() -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    opened = open_port(path)
    with pytest.raises(PortBusyError, match="held by"):
        open_port(path)
    os.write(master, b"hello")
    assert opened.read() == b"hello"
    assert opened.write(b"there") == 5 and os.read(master, 10) == b"there"
    # A full line takes what it takes and does not block.
    taken = [opened.write(b"x" * 4096) for _ in range(20)]
    assert taken[0] > 0 and taken[-1] == 0
    os.close(slave)
    os.close(master)
    with pytest.raises(PortLostError, match=path):
        for _ in range(9):
            opened.read()
    with pytest.raises(PortLostError, match=path):
        opened.write(b"x")
    opened.close()


def test_holders_of_what_is_no_device(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert holders(str(tmp_path / "file")) == holders("/dev/no-such-port") == []
