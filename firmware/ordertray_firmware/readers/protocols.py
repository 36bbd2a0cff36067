"""Types of the readers, for the type checker only: nothing imports this on the tray."""

from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeAlias, TypeVar

from ordertray_firmware.readers import Sighting

T = TypeVar("T")
Steps: TypeAlias = Generator[int, None, T]
Buffer: TypeAlias = bytes | bytearray | memoryview
Event: TypeAlias = dict[str, Any]
Emit: TypeAlias = Callable[[str, Event], None]
Done: TypeAlias = Callable[[Event], None]
Work: TypeAlias = tuple[Any, ...]


class Ticks(Protocol):
    """What counts with ticks but does not look at the clock."""

    def ticks_diff(self, __later: int, __earlier: int) -> int:
        """Signed difference."""
        ...


class Clock(Protocol):
    """MicroPython's `time` module is one; see the package."""

    def ticks_ms(self) -> int:
        """Wrapping milliseconds."""
        ...

    def ticks_us(self) -> int:
        """Wrapping microseconds."""
        ...

    def ticks_diff(self, __later: int, __earlier: int) -> int:
        """Signed difference."""
        ...

    def ticks_add(self, __ticks: int, __delta: int) -> int:
        """Moved reading."""
        ...

    def sleep_us(self, __microseconds: int) -> None:
        """Block."""
        ...


class Bus(Protocol):
    """One reader's share of the SPI bus and its two lines; see the package."""

    def select(self) -> None:
        """Chip select low."""
        ...

    def deselect(self) -> None:
        """Chip select high."""
        ...

    def write(self, __line: Buffer) -> None:
        """Send, whatever comes back."""
        ...

    def write_readinto(self, __line: Buffer, __into: bytearray | memoryview) -> None:
        """Full duplex, as many bytes as both have; they may be the same."""
        ...

    #: Whether the reset line is wired.
    can_reset: bool

    def reset(self, level: bool) -> None:
        """False holds the chip in reset."""
        ...

    def irq(self) -> bool | None:
        """True while the chip pulls the line, None when it is not wired."""
        ...


class Driver(Protocol):
    """What Pn532 and Mfrc522 have in common.

    After look() close() must follow; after a fault settle(), or a reset and start(). Look and close are there twice:
    as operations, and for the station, which polls all day, as begin_look(), begin_close() and advance(). These raise
    the same ReaderFaults.
    """

    #: The field goes on only some time after begin_look(), and later than another such chip's that was told before to
    #: close goes off.
    SLOW_FIELD: bool
    #: The chip can search by itself (begin_search).
    SEARCHES: bool
    #: hard_reset() does something.
    can_reset: bool
    chip: str
    version: str
    sighting: Sighting

    def start(self) -> Steps[None]:
        """Wake, identify, configure; antenna off."""
        ...

    def soft_reset(self) -> Steps[None]:
        """Reset by command."""
        ...

    def hard_reset(self) -> Steps[None]:
        """Reset by its line."""
        ...

    def settle(self) -> Steps[None]:
        """Cancel, antenna off, still there?"""
        ...

    def figures(self) -> dict[str, int]:
        """How long the chip takes."""
        ...

    def look(self, known: str | None = None) -> Steps[Sighting]:
        """Antenna on, what is there?"""
        ...

    def begin_look(self, known: str | None = None, on: bool = False) -> None:
        """Begin what look() does; `on`: the antenna has stayed on since a look that found nothing."""
        ...

    def begin_search(self) -> None:
        """As begin_look(None, True), but the chip goes on until it finds something, for a second at most."""
        ...

    def begin_close(self) -> None:
        """Begin what close() does."""
        ...

    def advance(self) -> int:
        """Carry it on: microseconds until the next call, -1 at its end; then `sighting` is what the look found."""
        ...

    def activate(self) -> Steps[None]:
        """Make the tag just seen listen to read() and write()."""
        ...

    def identify(self) -> Steps[str]:
        """Which type 2 tag it is."""
        ...

    def read(self, page: int) -> Steps[bytes]:
        """16 bytes."""
        ...

    def write(self, page: int, data: Buffer) -> Steps[None]:
        """Four bytes."""
        ...

    def close(self) -> Steps[None]:
        """Antenna off."""
        ...
