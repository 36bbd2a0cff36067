"""Which port is the board? By its USB serial number, by the Pico's USB identity, or by a configured URL.

Ports are only listed, never opened to see what answers: another device on another port is none of our business.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from ordertray.link.errors import BoardNotFoundError

# The USB identity of MicroPython on a Pico or Pico 2 (Raspberry Pi's vendor id).
PICO = (0x2E8A, 0x0005)


@dataclass(frozen=True)
class BoardSpec:
    """How to find one board.

    `name`: for messages and configuration. `url`: a device path or pyserial URL, used as it is. Otherwise `serial`: the
    USB serial number, which on a Pico is the board's unique id. With neither: the only Pico there is.
    """

    name: str = "tray"
    serial: str | None = None
    url: str | None = None
    identity: tuple[int, int] = PICO

    def __str__(self) -> str:
        if self.url:
            return f"the port {self.url}"
        what = f"a MicroPython board (USB {self.identity[0]:04x}:{self.identity[1]:04x})"
        return f"{what} with serial number {self.serial}" if self.serial else what


def describe(port: ListPortInfo) -> str:
    """A port in a list of what was found."""
    parts = [port.device]
    if port.vid is not None and port.pid is not None:
        parts.append(f"USB {port.vid:04x}:{port.pid:04x}")
        if port.serial_number:
            parts.append(f"serial number {port.serial_number}")
    text = port.product or port.description
    if text and text != "n/a":
        parts.append(text)
    return parts[0] + (f" ({', '.join(parts[1:])})" if len(parts) > 1 else "")


class BoardFinder:
    """Finds boards among the ports of this machine. `comports` lists them (pyserial's, unless a test has its own)."""

    def __init__(self, comports: Callable[[], Iterable[ListPortInfo]] = list_ports.comports) -> None:
        self._comports = comports

    def find(self, spec: BoardSpec, taken: Collection[str] = ()) -> str:
        """The URL to open for the board, leaving out ports `taken` by other boards.

        Raises BoardNotFoundError, which says what was looked for and what was found.
        """
        if spec.url:
            if "://" not in spec.url and not Path(spec.url).exists():
                raise BoardNotFoundError(f"looked for {spec}: it is not there; found {self._list(self._all())}")
            return spec.url
        ports = self._all()
        ours = [port for port in ports if self._matches(port, spec) and port.device not in taken]
        if not ours:
            raise BoardNotFoundError(f"looked for {spec}; found {self._list(ports)}")
        if len(ours) > 1 and not spec.serial:
            raise BoardNotFoundError(
                f"looked for {spec}; found several: {self._list(ours)}; "
                "name one by its serial number in the configuration"
            )
        return ours[0].device

    def boards(self, identity: tuple[int, int] = PICO) -> list[BoardSpec]:
        """A spec for each attached board with that USB identity and a serial number."""
        return [
            BoardSpec(name=port.serial_number, serial=port.serial_number, identity=identity)
            for port in self._all()
            if (port.vid, port.pid) == identity and port.serial_number
        ]

    def _all(self) -> list[ListPortInfo]:
        return sorted(self._comports(), key=lambda port: port.device)

    @staticmethod
    def _matches(port: ListPortInfo, spec: BoardSpec) -> bool:
        if spec.serial:
            return port.serial_number is not None and port.serial_number.upper() == spec.serial.upper()
        return (port.vid, port.pid) == spec.identity

    @staticmethod
    def _list(ports: list[ListPortInfo]) -> str:
        return "; ".join(describe(port) for port in ports) or "no serial port at all"
