"""Firmware of the order tray: MicroPython 1.28 or newer on a Raspberry Pi Pico or Pico 2."""

__version__ = "0.1.0"
