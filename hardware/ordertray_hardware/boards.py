"""All boards by name, and which of them belong to a tray, to one without boards, and to the lamps of a Pi."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ordertray_hardware.button_board import BUTTON_BOARD
from ordertray_hardware.circuit import Board
from ordertray_hardware.lamp_board import LAMP_BOARD
from ordertray_hardware.tray_board import TRAY_BOARD

BOARDS: Final[Mapping[str, Board]] = MappingProxyType(
    {board.name: board for board in (TRAY_BOARD, BUTTON_BOARD, LAMP_BOARD)}
)
SETS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"tray": ("tray", "buttons"), "no-board": (), "lamps": ("lamps",)}
)
