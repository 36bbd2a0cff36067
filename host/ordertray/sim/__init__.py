"""The virtual tray: the real firmware on a simulated board, for people and tests alike.

    from ordertray.sim import VirtualTray

    with VirtualTray() as tray:
        ...                       # tray.url is a serial port for pyserial
        tray.tap("A", "04A1B2C3D4E5F6")

Nothing is imported before it is asked for: this package is also entered by the interpreter inside the virtual tray,
which has none of the host's modules.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .tray import VirtualTray as VirtualTray
    from .tray import VirtualTrayError as VirtualTrayError

__all__ = ("VirtualTray", "VirtualTrayError")


def __getattr__(name: str) -> object:
    if name in __all__:
        from . import tray

        return getattr(tray, name)
    raise AttributeError(name)
