"""A `machine` module for the simulated Pico: what `ordertray_firmware.board` uses of MicroPython's, wired to a World.

`install(world)` puts it into `sys.modules` under that name, before the firmware is imported.
"""

import sys

from .ws2812 import decode

# Values as on the rp2 port.
PWRON_RESET = 1
WDT_RESET = 3

_WATCHDOG_BASES = (0x40058000, 0x400D8000)
_CLEAR = 0x3000
_SCRATCH0 = 0x0C
_GPIO_IN = 0xD0000004
_ENABLE = 1 << 30


class _Board:
    """Where the simulated peripherals find their World."""

    world: "World | None" = None


def install(world: "World") -> None:
    """From now on `import machine` gives this module, wired to `world`."""
    _Board.world = world
    sys.modules["machine"] = sys.modules[__name__]


def _world() -> "World":
    if _Board.world is None:
        raise RuntimeError("install(world) comes first")
    return _Board.world


def unique_id() -> bytes:
    """The flash chip's number."""
    return _world().unique_id


def reset_cause() -> int:
    """PWRON_RESET or WDT_RESET; machine.reset() counts as the latter, as on the real chip."""
    return PWRON_RESET if _world().power_on else WDT_RESET


def reset() -> None:
    """Reset the chip: whoever holds the virtual tray ends this process and starts a fresh one."""
    _world().tell({"reset": 1})
    while True:
        _world().clock.sleep_us(50000)


class Pin:
    """A GPIO pin. Outputs that are wired to a reader chip drive it; inputs read buttons and interrupt lines."""

    IN = 0
    OUT = 1
    PULL_UP = 1
    PULL_DOWN = 2

    def __init__(self, number: int, mode: int = -1, pull: int = -1, value: "int | None" = None) -> None:
        if not 0 <= number <= 29:
            raise ValueError("invalid pin")
        self.number = number
        self._mode = mode
        self._pull = pull
        self._level = 0
        if value is not None:
            self.value(value)

    def value(self, level: "int | None" = None) -> "int | None":
        """Read the pin, or drive it."""
        world = _world()
        if level is None:
            world.service()
            chip = world.by_irq.get(self.number)
            if chip is not None:
                return 0 if chip.irq() else 1
            if self._mode == Pin.IN:
                return 0 if world.closed(self.number) else (1 if self._pull == Pin.PULL_UP else 0)
            return self._level
        self._level = 1 if level else 0
        chip = world.by_select.get(self.number)
        if chip is not None:
            if level:
                chip.deselect()
            else:
                chip.select()
        chip = world.by_reset.get(self.number)
        if chip is not None:
            chip.reset(bool(level))
        return None

    def low(self) -> None:
        """Drive the pin low."""
        self.value(0)

    def high(self) -> None:
        """Drive the pin high."""
        self.value(1)


class SPI:
    """An SPI block as controller. Every selected chip hears; two that answer at once pull the line low together."""

    MSB = 0
    LSB = 1

    def __init__(
        self,
        number: int,
        baudrate: int = 1000000,
        polarity: int = 0,
        phase: int = 0,
        bits: int = 8,
        firstbit: int = 0,
        sck: "Pin | None" = None,
        mosi: "Pin | None" = None,
        miso: "Pin | None" = None,
    ) -> None:
        if number not in (0, 1):
            raise ValueError(f"SPI({number}) doesn't exist")
        if firstbit != SPI.MSB:
            raise NotImplementedError("LSB")  # as the rp2 port does
        if polarity or phase or bits != 8:
            raise ValueError("the simulated chips speak SPI mode 0 with 8 bits")

    def write(self, data: "bytes | bytearray | memoryview") -> None:
        """Clock bytes out."""
        _exchange(data)

    def write_readinto(self, data: "bytes | bytearray | memoryview", into: "bytearray | memoryview") -> None:
        """Clock bytes out and in."""
        if len(data) != len(into):
            raise ValueError("buffers must be the same length")
        into[:] = _exchange(data)


def _exchange(data: "bytes | bytearray | memoryview") -> "bytes | bytearray":
    world = _world()
    world.service()
    reply = None
    for pin in world.by_select:
        chip = world.by_select[pin]
        if chip.selected:
            answer = chip.exchange(bytes(data))
            if reply is None:
                reply = answer
            else:
                for i in range(len(reply)):
                    reply[i] &= answer[i]
    return b"\xff" * len(data) if reply is None else reply


class PWM:
    """A PWM output; only the buzzer uses one, so what it tells is a tone."""

    def __init__(self, pin: Pin) -> None:
        self._pin = pin
        self._hz = 0
        self._duty = 0

    def freq(self, hz: int) -> None:
        """Set the frequency; the rp2 port takes 8 Hz and more."""
        if hz < 8:
            raise ValueError("freq too small")
        self._hz = hz
        self._tell()

    def duty_u16(self, duty: int) -> None:
        """Set the share of the time that the pin is high, of 65535."""
        self._duty = duty
        self._tell()

    def deinit(self) -> None:
        """Stop."""
        self.duty_u16(0)

    def _tell(self) -> None:
        _world().tell({"tone": self._hz if self._duty else 0})


class WDT:
    """The watchdog: the holder of the virtual tray counts, so that a program that hangs cannot stop it."""

    def __init__(self, id: int = 0, timeout: int = 5000) -> None:
        if timeout > 8388:
            raise ValueError("timeout exceeds 8388")
        _world().tell({"wdt": timeout})

    def feed(self) -> None:
        """Start the count anew."""
        _world().tell({"feed": 1})


def _inputs() -> int:
    """The levels of all pins with a button or an interrupt line; the others read high."""
    world = _world()
    world.service()
    levels = (1 << 30) - 1
    for pin in world.contacts:
        if world.closed(pin):
            levels &= ~(1 << pin)
    for pin in world.by_irq:
        if world.by_irq[pin].irq():
            levels &= ~(1 << pin)
    return levels


class _Registers:
    """`mem32`, as far as the firmware uses it: input levels, the watchdog's control and scratch registers."""

    def __getitem__(self, address: int) -> int:
        if address == _GPIO_IN:
            return _inputs()
        for base in _WATCHDOG_BASES:
            if address == base + _SCRATCH0:
                return _world().scratch
        raise ValueError(f"no model of register 0x{address:08x}")

    def __setitem__(self, address: int, value: int) -> None:
        for base in _WATCHDOG_BASES:
            if address == base + _SCRATCH0:
                _world().scratch = value
                _world().tell({"scratch": value})
                return
            if address == base + _CLEAR and value == _ENABLE:
                _world().tell({"wdt": 0})
                return
        raise ValueError(f"no model of register 0x{address:08x}")


mem32 = _Registers()


def bitstream(pin: Pin, encoding: int, timing: "tuple[int, int, int, int]", data: "bytes | bytearray") -> None:
    """Send bits as pulses; on the other end of the pin is a WS2812 strip."""
    world = _world()
    world.service()
    world.show(pin.number, decode(timing, data))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import World
