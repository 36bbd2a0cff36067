"""`ordertray demo`: an example turn by real taps on the virtual tray, then the tray is yours."""

from .play import example_armies, run_demo

__all__ = ["example_armies", "run_demo"]
