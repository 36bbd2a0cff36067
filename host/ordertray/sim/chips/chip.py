"""What every simulated SPI chip has: chip select, a byte stream, reset, interrupt line, faults, and lazy time."""

from .timeline import Timeline


class Dice:
    """Small repeatable pseudo-random numbers, the same on both interpreters."""

    def __init__(self, seed: int = 1) -> None:
        self._state = (seed * 2654435761 + 12345) & 0xFFFFFFFF

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        self._state = (self._state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self._state >> 8) % limit

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 cases."""
        return self.below(100) < percent


# Name of a fault -> one line of help; chips add their own.
CHIP_FAULTS = {
    "dead": "no power or no wire: the data line floats high, nothing is heard",
    "hang": "the chip's processor stops until a hard reset",
    "glitch": "percent=N: that share of the bytes to the host comes with a wrong bit (seed=N)",
    "miss": "percent=N: that share of frames on the air is not heard by the tags (seed=N)",
    "brown-out": "once: supply dips, the chip starts afresh and has forgotten its configuration",
    "deaf": "the receiver hears nothing any more, though the bus is well, until a reset",
    "no-reset-pin": "the reset line is not connected",
}


class Chip:
    """Base of the simulated reader chips.

    Subclasses answer `_byte(value)` for each byte of a transaction, `_start()` and `_end()` of one, `_power_up()`,
    and `advance()`, which settles everything up to now. Nothing runs in the background.
    """

    name = "chip"
    FAULTS = CHIP_FAULTS

    def __init__(self, pad: "Pad", clock: "Clock") -> None:
        self.pad = pad
        self.timeline = Timeline(clock)
        self._faults: dict[str, dict[str, int]] = {}
        self._glitch_dice = Dice()
        self._miss_dice = Dice()
        self.selected = False
        self.in_reset = False
        self.transactions = 0
        pad.watch(self.advance)

    # Faults.

    def faults(self) -> "dict[str, str]":
        """Every fault this chip knows, with a line of help."""
        return dict(self.FAULTS)

    def fault(self, name: str, on: bool = True, **params: int) -> None:
        """Inject a fault, or end it with on=False; ValueError for a name not in faults()."""
        if name not in self.FAULTS:
            raise ValueError("this chip has no fault " + repr(name) + "; it has: " + ", ".join(sorted(self.FAULTS)))
        self.advance()
        if name == "brown-out":
            if on:
                self._power_up()
            return
        had = name in self._faults
        if on:
            self._faults[name] = dict(params)
        elif had:
            del self._faults[name]
        if name == "glitch":
            self._glitch_dice = Dice(params.get("seed", 1))
        elif name == "miss":
            self._miss_dice = Dice(params.get("seed", 1))
            percent = params.get("percent", 50)
            self.pad.deafen((lambda: self._miss_dice.chance(percent)) if on else None)
        elif name == "dead":
            if on:
                self._power_down()
            elif had:
                self._power_up()

    def has_fault(self, name: str) -> bool:
        """Whether that fault is on."""
        return name in self._faults

    def fault_param(self, name: str, param: str, default: int) -> int:
        """A parameter of a fault that is on, or the default."""
        return self._faults.get(name, {}).get(param, default)

    # Lines.

    def select(self) -> None:
        """Chip select goes low."""
        if self.selected:
            return
        self.selected = True
        self.transactions += 1
        if not self.has_fault("dead") and not self.in_reset:
            self.advance()
            self._start()

    def deselect(self) -> None:
        """Chip select goes high."""
        if not self.selected:
            return
        self.selected = False
        if not self.has_fault("dead") and not self.in_reset:
            self.advance()
            self._end()

    def exchange(self, data: "bytes | bytearray | memoryview") -> bytearray:
        """Clock bytes through, most significant bit first; gives what came back, as many bytes."""
        reply = bytearray(len(data))
        if not self.selected or self.in_reset or self.has_fault("dead"):
            for index in range(len(data)):
                reply[index] = 0xFF
            return reply
        self.advance()
        for index in range(len(data)):
            value = self._byte(data[index])
            if "glitch" in self._faults and self._glitch_dice.chance(self.fault_param("glitch", "percent", 5)):
                value ^= 1 << self._glitch_dice.below(8)
            reply[index] = value
        return reply

    def reset(self, level: bool) -> None:
        """The reset line: False holds the chip in reset, True lets it start."""
        if self.has_fault("no-reset-pin"):
            return
        self.advance()
        if not level and not self.in_reset:
            self.in_reset = True
            self._faults.pop("hang", None)
            self._faults.pop("deaf", None)
            self._power_down()
        elif level and self.in_reset:
            self.in_reset = False
            if not self.has_fault("dead"):
                self._power_up()

    def irq(self) -> bool:
        """True while the interrupt line is pulled low."""
        if self.in_reset or self.has_fault("dead"):
            return False
        self.advance()
        return self._interrupt()

    def advance(self) -> None:
        """Settle what happened until now."""

    # For subclasses.

    def _start(self) -> None:
        pass

    def _byte(self, value: int) -> int:
        return 0xFF

    def _end(self) -> None:
        pass

    def _interrupt(self) -> bool:
        return False

    def _power_up(self) -> None:
        pass

    def _power_down(self) -> None:
        self.pad.field(False, self.timeline.now())


TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rf import Pad
    from .timeline import Clock
