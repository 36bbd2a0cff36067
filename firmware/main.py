"""Started by MicroPython at power-on: runs the order tray, or leaves the prompt to whoever asked for it."""

try:
    from ordertray_firmware.boot import main
except KeyboardInterrupt:
    # So early there is nothing yet that could tell a person's Ctrl-C from noise: the second one counts.
    import time

    import machine

    print("order tray: Ctrl-C once more for the prompt; it starts again in 2 s")
    time.sleep(2)
    machine.reset()

main()
