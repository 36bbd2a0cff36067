"""The only module that touches the hardware: pins, SPI, strips, buzzer, watchdog, serial port, restart.

Everything comes from the modules `machine` and, where there is one, `rp2`. The virtual tray puts its own `machine`
into `sys.modules` before this is used, so this file runs there too; CPython can import it, and use it likewise.
Sources: RP2040 data sheet 2.8.7 and 4.7 (watchdog), RP2350 data sheet 12.9; MicroPython documentation of `machine`,
`rp2`; WS2812B data sheet (timing).
"""

import os
import select
import sys
from binascii import hexlify

from . import const
from .clock import MICROPYTHON

try:
    import machine  # type: ignore[import-not-found, unused-ignore]
except ImportError:  # CPython without a virtual tray: the module can be imported, a Board cannot be made
    pass
try:
    import rp2  # type: ignore[import-not-found, unused-ignore]
except ImportError:  # no Pico: strips go by the built-in driver
    rp2 = None  # type: ignore[assignment, unused-ignore]

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

WATCHDOG_MS = const(8000)  # the RP2040 can count 8388 ms at most
# Watchdog registers, by their base address; +0x3000 writes "clear these bits" (RP2040 data sheet 2.1.2).
_WATCHDOG_RP2040 = const(0x40058000)
_WATCHDOG_RP2350 = const(0x400D8000)
_CLEAR = const(0x3000)
_ENABLE = 1 << 30
_SCRATCH0 = const(0x0C)  # keeps its value over a watchdog reset; the SDK uses 4 to 7 only
# What the program leaves there: why it restarts, or that it runs (then only the watchdog can have ended it).
_CAUSES = {0x0DD1: "crash", 0x0DD2: "command", 0x0DD3: "interrupt", 0x0DD4: "watchdog"}

# SIO: the levels of GP0 to GP29, the same on both chips (RP2040 data sheet 2.3.1.7, RP2350 data sheet 3.1.11).
_GPIO_IN = const(0xD0000004)

# WS2812B: a bit is 1250 ns; 0 is high for 220..380 ns, 1 for 580..1000 ns; low for 280 us or more latches.
_BIT_NS = (375, 875, 750, 500)
_CHUNK = const(64)


class Board:
    """The tray's hardware, wired as `config` says (a checked configuration)."""

    def __init__(self, config: "dict[str, Any]") -> None:
        self._config = config
        self._spi: "Any" = None
        self._strips = 0
        self._heap_size = 0
        self._program: "Any" = None
        if machine.reset_cause() == machine.PWRON_RESET:
            self.reset_cause = "power"
        else:
            self.reset_cause = _CAUSES.get(_scratch(), "reset")  # machine.reset() at the prompt leaves nothing
        _scratch(0)
        self.unique_id = hexlify(machine.unique_id()).decode().upper()
        self.serial = SerialPort()

    def random_nonce(self) -> str:
        """Eight hex digits that differ from boot to boot."""
        return hexlify(os.urandom(4)).decode()

    def heap(self) -> "tuple[int, int]":
        """(free, used) bytes of the heap; (0, 0) where there is no such figure (CPython)."""
        import gc

        if not MICROPYTHON:
            return 0, 0
        free = gc.mem_free()
        if not self._heap_size:  # asked once: each of the two walks over the whole heap
            self._heap_size = free + gc.mem_alloc()
        return free, self._heap_size - free

    def bus(self, reader: "dict[str, Any]") -> "Bus":
        """The SPI bus as one reader sees it (see readers/__init__.py); `reader` is an entry of config.readers."""
        pin = machine.Pin
        if self._spi is None:
            lines = self._config["spi"]
            for other in self._config["readers"]:
                pin(other["cs"], pin.OUT, value=1)
            self._spi = machine.SPI(
                lines["id"],
                baudrate=self._config["spi_hz"],
                polarity=0,
                phase=0,
                bits=8,
                firstbit=machine.SPI.MSB,
                sck=pin(lines["sck"]),
                mosi=pin(lines["mosi"]),
                miso=pin(lines["miso"]),
            )
        select_pin = pin(reader["cs"], pin.OUT, value=1)
        reset_pin = pin(reader["rst"], pin.OUT, value=1) if reader["rst"] is not None else None
        irq_pin = pin(reader["irq"], pin.IN, pin.PULL_UP) if reader["irq"] is not None else None
        return Bus(self._spi, select_pin, reset_pin, irq_pin)

    def contacts(self, pins: "list[int]") -> "Contacts":
        """Push buttons to ground on these pins."""
        return Contacts(pins)

    def strip(self, pin: int, count: int) -> "Any":
        """A WS2812 strip: by PIO and DMA where the port has both, else by the built-in driver.

        It has write(grb) and `dropped`, how often a write had to be left out because the last one was still going out.
        """
        number = self._strips
        self._strips += 1
        line = machine.Pin(pin, machine.Pin.OUT, value=0)
        if rp2 is None or not hasattr(rp2, "DMA"):
            return _BitstreamStrip(line)
        if self._program is None:
            self._program = _ws2812_program()
        return _PioStrip(self._program, number, line, count)

    def tone(self, pin: "int | None") -> "Any":
        """The buzzer on this pin, None without one."""
        return None if pin is None else _Tone(pin)

    def light(self, on: bool) -> None:
        """The little LED on the board itself."""
        machine.Pin(25, machine.Pin.OUT, value=1 if on else 0)

    def watchdog(self) -> "Any":
        """Start the watchdog (WATCHDOG_MS); it has feed(). Only the module's stop_watchdog() ends it."""
        _leave("watchdog")
        return machine.WDT(timeout=WATCHDOG_MS)


def stop_watchdog() -> None:
    """Switch the watchdog off, so that the prompt is not cut off: by its register, MicroPython has no call."""
    machine.mem32[_watchdog_base() + _CLEAR] = _ENABLE
    _scratch(0)


def every_second(call: "Any") -> "Any":
    """A timer that calls `call` with itself every second, or None where there is none; it has deinit()."""
    timer = getattr(machine, "Timer", None)
    return None if timer is None else timer(period=1000, mode=timer.PERIODIC, callback=call)


def restart(cause: str) -> None:
    """Reset the chip; `cause` ("crash", "command" or "interrupt") is the reset cause of the next HELLO."""
    _leave(cause)
    machine.reset()


def _leave(cause: str) -> None:
    """Note the reset cause of the next start."""
    for mark in _CAUSES:
        if _CAUSES[mark] == cause:
            _scratch(mark)


def _scratch(value: "int | None" = None) -> int:
    """Read, or write, the register that outlives a reset."""
    address = _watchdog_base() + _SCRATCH0
    if value is not None:
        machine.mem32[address] = value
        return value
    number: int = machine.mem32[address]
    return number


def _watchdog_base() -> int:
    name = getattr(sys.implementation, "_machine", "")
    return _WATCHDOG_RP2350 if "RP2350" in name else _WATCHDOG_RP2040


class Bus:
    """What a reader driver takes: see ordertray_firmware.readers. One SPI block serves all readers.

    select, deselect, write and write_readinto are MicroPython's own methods: a method of ours around each would take
    the Pico longer than what it does.
    """

    def __init__(self, spi: "Any", select_pin: "Any", reset_pin: "Any", irq_pin: "Any") -> None:
        self.select = select_pin.low
        self.deselect = select_pin.high
        self.write = spi.write
        self.write_readinto = spi.write_readinto
        self.can_reset = reset_pin is not None
        self._reset = reset_pin
        self._irq = irq_pin

    def reset(self, level: bool) -> None:
        """Drive the chip's reset line."""
        if self._reset is not None:
            self._reset.value(1 if level else 0)

    def irq(self) -> "bool | None":
        """True while the chip pulls its interrupt line low; None when it is not wired."""
        return None if self._irq is None else not self._irq.value()


class Contacts:
    """Push buttons to ground with the chip's own pull-ups, read all at once from the chip's input register."""

    def __init__(self, pins: "list[int]") -> None:
        pin = machine.Pin
        for number in pins:
            pin(number, pin.IN, pin.PULL_UP)
        self._bits = [1 << number for number in pins]
        self._all = 0
        for bit in self._bits:
            self._all |= bit
        self._registers = machine.mem32

    def mask(self) -> int:
        """Bit i is 1 while contact i is closed."""
        closed = ~self._registers[_GPIO_IN] & self._all
        mask = 0
        if closed:
            at = 1
            for bit in self._bits:
                if closed & bit:
                    mask |= at
                at <<= 1
        return mask


class SerialPort:
    """The USB serial port as MicroPython gives it: `sys.stdin.buffer` and `sys.stdout.buffer`.

    Reading waits for all bytes asked for, so one byte is read, and only after poll said that there is one. Writing may
    stop short, and waits up to half a second when a host that holds the port open does not read: after such a write the
    port is written byte by byte, each after a poll, until a chunk went through.
    """

    def __init__(self) -> None:
        # CPython's buffers read ahead of what was asked for; MicroPython has no such layer.
        self._in: "Any" = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        self._out: "Any" = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
        self._poll_in: "Any" = select.poll()
        self._poll_in.register(sys.stdin, select.POLLIN)
        # MicroPython's own kind of poll() makes no list: the port is looked at 500 times a second.
        self._look: "Any" = getattr(self._poll_in, "ipoll", self._poll_in.poll)
        self._poll_out: "Any" = select.poll()
        self._poll_out.register(sys.stdout, select.POLLOUT)
        # One byte costs the Pico some 40 us; more at once would keep the buttons waiting.
        self._buffer = bytearray(64)
        self._view = memoryview(self._buffer)
        self._careful = 0
        self._pending = b""
        self._sent = 0
        self.stalls = 0

    def read(self) -> bytes:
        """What has come in: up to 64 bytes, often none."""
        for _ready in self._look(0):
            return self._read()
        return b""

    def _read(self) -> bytes:
        # Names of its own: each byte of a picture passes here, and MicroPython looks attributes up anew each time.
        look, read, buffer = self._look, self._in.read, self._buffer
        size, room = 0, len(buffer)
        while True:
            byte = read(1)
            if not byte:
                break
            buffer[size] = byte[0]
            size += 1
            if size == room:
                break
            for _ready in look(0):
                break
            else:
                break
        return bytes(self._view[:size])

    def read_byte(self) -> int:
        """The next byte, or -1 when none has come."""
        if not self._poll_in.poll(0):
            return -1
        byte = self._in.read(1)
        return byte[0] if byte else -1

    @property
    def idle(self) -> bool:
        """True when the last line has gone out whole."""
        return not self._pending

    def write(self, line: bytes) -> bool:
        """Take one line, when idle, and send what the port takes now. True when it has gone out whole."""
        self._pending = line
        self._sent = 0
        return self.flush()

    def flush(self) -> bool:
        """Go on with the line in hand. True when it has gone out whole."""
        while self._pending:
            if not self._poll_out.poll(0):
                if not self._careful:
                    self.stalls += 1
                self._careful = _CHUNK
                return False
            size = 1 if self._careful else _CHUNK
            chunk = self._pending[self._sent : self._sent + size]
            wrote = self._out.write(chunk) or 0
            self._sent += wrote
            if wrote < len(chunk):
                self.stalls += 1
                self._careful = _CHUNK
            elif self._careful:
                self._careful -= 1
            if self._sent >= len(self._pending):
                self._pending = b""
        return True

    def drop(self) -> None:
        """Forget the line in hand (no host is there to read it)."""
        self._pending = b""
        self._sent = 0


class _BitstreamStrip:
    """A strip by `machine.bitstream`, the built-in driver: holds interrupts off for 30 us a pixel on the Pico."""

    def __init__(self, line: "Any") -> None:
        self._line = line
        self.dropped = 0

    def write(self, grb: bytearray) -> None:
        """Send the bytes; returns when they are out."""
        machine.bitstream(self._line, 0, _BIT_NS, grb)


def _ws2812_program() -> "Any":
    """The PIO program: 10 cycles a bit, three of them high, three the bit, four low; stalls low.

    At 8 MHz that is 375 ns, 375 ns and 500 ns.
    """

    # The names in the function are the assembler's; the decorator puts them in place while it runs it.
    @rp2.asm_pio(  # type: ignore[untyped-decorator, unused-ignore]
        out_init=rp2.PIO.OUT_LOW,
        set_init=rp2.PIO.OUT_LOW,
        out_shiftdir=rp2.PIO.SHIFT_LEFT,
        autopull=True,
        pull_thresh=8,
    )
    def program() -> None:
        wrap_target()  # type: ignore # noqa: F821
        out(x, 1)[1]  # type: ignore # noqa: F821
        set(pins, 1)[2]  # type: ignore # noqa: F821
        mov(pins, x)[2]  # type: ignore # noqa: F821
        set(pins, 0)[1]  # type: ignore # noqa: F821
        wrap()  # type: ignore # noqa: F821

    return program


class _PioStrip:
    """A strip by a PIO state machine that DMA feeds: no interrupt is held off and no time is spent.

    DMA writes single bytes. The bus repeats a byte in all four lanes of the FIFO's word, so the topmost byte, which the
    state machine shifts out first, is the right one (RP2040 data sheet 2.1.4).
    """

    def __init__(self, program: "Any", number: int, line: "Any", count: int) -> None:
        self._copy = bytearray(count * 3)
        self._machine = rp2.StateMachine(number, program, freq=8000000, out_base=line, set_base=line)
        self._machine.active(1)
        self._dma = rp2.DMA()
        request = (number >> 2 << 3) + (number & 3)  # DREQ_PIO0_TX0 is 0, DREQ_PIO1_TX0 is 8
        self._control = self._dma.pack_ctrl(size=0, inc_read=True, inc_write=False, treq_sel=request)
        self.dropped = 0

    def write(self, grb: bytearray) -> None:
        """Start sending the bytes and return. Left out while the last ones are still on their way."""
        if self._dma.active():
            self.dropped += 1
            return
        self._copy[:] = grb
        self._dma.config(read=self._copy, write=self._machine, count=len(self._copy), ctrl=self._control, trigger=True)


class _Tone:
    """A passive buzzer by PWM at half duty."""

    def __init__(self, pin: int) -> None:
        self._pin = machine.Pin(pin, machine.Pin.OUT, value=0)
        self._pwm: "Any" = None

    def tone(self, hz: int) -> None:
        """Sound at this frequency until silence()."""
        if self._pwm is None:
            self._pwm = machine.PWM(self._pin)
        self._pwm.freq(hz)
        self._pwm.duty_u16(32768)

    def silence(self) -> None:
        """No sound, the pin low."""
        if self._pwm is not None:
            self._pwm.duty_u16(0)
