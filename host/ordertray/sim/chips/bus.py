"""The SPI bus between a driver and a simulated chip, and what its use costs in time."""


class SimulatedBus:
    """The `Bus` protocol of ordertray_firmware.readers in front of a simulated chip.

    Several buses may share one `line`: then a driver that leaves its chip select low is caught at the next select.
    With a clock moved by hand, `byte_us` and `call_us` let each transfer cost time as on the Pico; on real time
    leave them at 0.
    """

    def __init__(
        self,
        chip: "Chip",
        clock: "Clock",
        byte_us: int = 0,
        call_us: int = 0,
        line: "list[SimulatedBus] | None" = None,
        irq_wired: bool = True,
    ) -> None:
        self.chip = chip
        self.irq_wired = irq_wired
        self.can_reset = True
        self._clock = clock
        self._byte_us = byte_us
        self._call_us = call_us
        self._line = line
        self.transfers = 0
        self.clashes = 0

    def select(self) -> None:
        """Chip select low; two chips selected at once are counted in `clashes`."""
        if self._line is not None:
            self.clashes += len([other for other in self._line if other is not self])
            if self not in self._line:
                self._line.append(self)
        self.chip.select()

    def deselect(self) -> None:
        """Chip select high."""
        if self._line is not None and self in self._line:
            self._line.remove(self)
        if self._call_us:
            self._clock.sleep_us(self._call_us)
        self.chip.deselect()

    def write(self, line: "bytes | bytearray | memoryview") -> None:
        """Send; see the protocol."""
        self._exchange(line)

    def write_readinto(self, line: "bytes | bytearray | memoryview", into: "bytearray | memoryview") -> None:
        """Full duplex; see the protocol."""
        into[:] = self._exchange(line)

    def _exchange(self, line: "bytes | bytearray | memoryview") -> "bytes | bytearray":
        if self._byte_us:
            self._clock.sleep_us(self._byte_us * len(line))
        self.transfers += 1
        return self.chip.exchange(line)

    def reset(self, level: bool) -> None:
        """The reset line, if it is wired (`can_reset`)."""
        if self.can_reset:
            self.chip.reset(level)

    def irq(self) -> "bool | None":
        """The interrupt line, None when it is not wired."""
        return self.chip.irq() if self.irq_wired else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from .chip import Chip
    from .timeline import Clock
