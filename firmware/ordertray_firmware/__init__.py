"""Firmware of the order tray: MicroPython 1.28 or newer on a Raspberry Pi Pico or Pico 2."""

__version__ = "0.1.0"


def const(value: int) -> int:
    """A whole number that does not change. MicroPython's compiler knows the word and puts the number where it is used.

    A name that begins with an underscore then takes no memory at all.
    """
    return value
