"""What goes wrong when a tray is flashed, and what it needs of MicroPython."""

from __future__ import annotations

from typing import Final

from ..link import LinkError

LEAST_MICROPYTHON: Final = (1, 28, 0)


class FlashError(LinkError):
    """The tray could not be flashed; the text says at what point and what to do."""
