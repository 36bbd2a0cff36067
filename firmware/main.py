"""Started by MicroPython at power-on: runs the order tray, or leaves the prompt to whoever asked for it."""

from ordertray_firmware.boot import main

main()
