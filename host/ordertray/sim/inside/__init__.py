"""What runs inside the virtual tray's interpreter, MicroPython or CPython: the simulated Pico under the real firmware.

Imported there as `sim.inside` (the folder above `sim` is put on the path), so that it drags nothing of the host along.
"""
