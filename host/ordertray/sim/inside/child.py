"""The program of the virtual tray's process: `child.py PORT TOKEN FIRMWARE_FOLDER ORDERTRAY_FOLDER`.

Puts the simulated `machine` in place and then does what MicroPython does at power-on: runs `main.py` from the flash
(the current folder) if it is there, else the firmware as shipped. Returns to the prompt when the firmware does.
"""

import sys


def run(port: int, token: str, firmware: str, ordertray: str) -> None:
    """Boot the tray; `port` and `token` are those of the control channel."""
    sys.path.insert(0, "")
    sys.path.append(firmware)
    sys.path.append(ordertray)
    from sim.inside import machine_model  # type: ignore[import-not-found, unused-ignore]
    from sim.inside.world import World  # type: ignore[import-not-found, unused-ignore]

    from ordertray_firmware import clock

    world = World(clock, port, token)
    machine_model.install(world)
    world.wait()
    version = sys.implementation.version
    world.tell({"up": sys.implementation.name, "version": [version[0], version[1], version[2]]})
    try:
        with open("main.py"):
            flashed = True
    except OSError:
        flashed = False
    try:
        if flashed:
            __import__("main")
        else:
            from ordertray_firmware.boot import main

            main()
    except KeyboardInterrupt:  # before the program was ready for it; main.py on the flash deals with that itself
        machine_model.reset()
    except Exception as error:  # as on the Pico: the error is shown, and then there is the prompt
        if hasattr(sys, "print_exception"):
            sys.print_exception(error)
        else:
            print(type(error).__name__, error)
    world.tell({"prompt": 1})


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4])
    if sys.implementation.name != "micropython":
        # MicroPython goes on to its prompt (-i). CPython has no such prompt: Ctrl-D restarts.
        print("no prompt on this interpreter; Ctrl-D restarts")
        while sys.stdin.buffer.read(1) not in (b"\x04", b""):
            pass
