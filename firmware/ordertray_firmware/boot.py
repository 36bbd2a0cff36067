"""From power-on to the running program, and back to the prompt when a person wants it.

- OK and PASS of one side held at power-on: no program, the plain prompt (the escape; the watchdog is not running yet).
- Ctrl-C: the program ends and the prompt comes, for a person who presses Enter and for tools such as mpremote, which
  send a carriage return. A lone Ctrl-C byte from a modem probe or a noisy cable is followed by neither: then, or when
  the next thing is a frame of the host, the tray starts again by itself. So it does at the prompt when nobody types
  (prompt.py).
"""

from . import const, tidying

# isort: split
from . import clock, pixels
from .app import RED_MS, App, describe_error
from .board import Board, SerialPort, restart, stop_watchdog
from .clock import Uptime
from .faultlog import FaultLog

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

ESCAPE = ("ok", "pass")
ESCAPE_SAMPLES = const(10)
PROMPT_MS = const(10000)


def main() -> bool:
    """Run the tray. True: leave it to the prompt. Otherwise it does not return: the chip resets."""
    try:
        cause = start()
        if not cause:
            return True
    except KeyboardInterrupt:
        try:
            stop_watchdog()
            if wants_prompt(SerialPort(), Uptime(clock)):
                from . import prompt

                prompt.guard()
                return True
        except KeyboardInterrupt:  # the second one: no doubt
            stop_watchdog()
            return True
        cause = "interrupt"
    restart(cause)
    return False


def load_file() -> "tuple[dict[str, Any], list[str]]":
    """config.load_file(), and no trace of it left in memory: it is a tenth of the program, and is needed once."""
    from . import config

    found = config.load_file()
    del config
    tidying.forget("config")
    return found


def start() -> str:
    """Set everything up and run until the tray must restart. The answer is the cause; "" when the escape is held."""
    config, faults = load_file()
    fault_log = FaultLog()
    uptime = Uptime(clock)
    try:
        board = Board(config)
    except Exception as error:  # the wiring is right on paper and the port still does not take it
        faults.append("config: %s: the built-in configuration is used" % describe_error(error))
        from .config import default_config

        config = default_config()
        board = Board(config)
    if escape_held(board, config):
        print("order tray: OK and PASS are held, so no program; press the reset button to start it")
        return ""
    try:
        app = App(board, config, faults, fault_log)
        tidying.loaded()
        cause: str = app.run()
        if cause == "crash":
            show_crash(app)
    except Exception as error:  # not the loop's fault: the start's
        fault_log.add("start: %s" % describe_error(error), uptime.now_ms())
        clock.sleep_us(RED_MS * 1000)
        cause = "crash"
    return cause


def escape_held(board: "Any", config: "dict[str, Any]") -> bool:
    """Whether both escape buttons of any one side are pressed now, for 20 ms on end."""
    for side in config["sides"]:
        buttons = config["sides"][side]["buttons"]
        if all(name in buttons for name in ESCAPE):
            contacts = board.contacts([buttons[name] for name in ESCAPE])
            for _sample in range(ESCAPE_SAMPLES):
                if contacts.mask() != 3:
                    break
                clock.sleep_us(2000)
            else:
                return True
    return False


def show_crash(app: App) -> None:
    """All strips red for a moment, so that a restart is not taken for a player's doing."""
    app.lamps.mode = pixels.ONLINE
    for side in app.sides:
        count = app.config["sides"][side]["pixels"]["count"]
        app.lamps.set_frame(side, "r" * count, "s" * count)
    app.show()
    clock.sleep_us(RED_MS * 1000)


def wants_prompt(serial: "Any", uptime: "Any", limit_ms: int = PROMPT_MS) -> bool:
    """After a Ctrl-C: is there somebody? A carriage return or a control character says so; a frame or silence does not.

    Takes no byte too many: what follows the carriage return is for the prompt.
    """
    print("order tray: stopped by Ctrl-C. Press Enter for the prompt; it starts again by itself in 10 s.")
    begun_ms = uptime.now_ms()
    while uptime.now_ms() - begun_ms < limit_ms:
        byte = serial.read_byte()
        if byte == 0x7E:
            return False
        if 0 <= byte < 0x20 and byte != 0x0A:
            return True
        if byte < 0:
            clock.sleep_us(2000)
    return False
