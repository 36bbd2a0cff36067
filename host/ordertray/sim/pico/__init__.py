"""The emulated Pico: MicroPython's own image and the tray's firmware on rp2040py, with the simulated table around it.

Where the virtual tray (ordertray.sim.tray) runs the firmware on the unix interpreter, here the machine code of the
image runs on an emulated RP2040: SPI, PIO, DMA, USB, watchdog and flash are those of the chip. It is slower than life;
its own clock counts. See README.md.
"""

from ..flash_disk import build_flash, read_flash
from .emulated import EmulatedPico, PicoError
from .timing import EmulatedClock, run_with

__all__ = ("EmulatedClock", "EmulatedPico", "PicoError", "build_flash", "read_flash", "run_with")
