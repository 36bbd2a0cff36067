"""`ordertray demo`: an example turn by real taps on the virtual tray, then the tray is yours."""

from .play import run_demo

__all__ = ["run_demo"]
