"""Stands in for the C half of lgpio, below the real `lgpio` and the real rpi-lgpio: a GPIO chip that is a file.

Follows lgpio 0.2.2.0, `lgGpio.c`: a pin that is an output already is claimed as one again without a change of its
level; claiming what another process holds is GPIO_BUSY; writing to a pin that is none's makes it an output. A pin that
is given back stays as it was, as the Pi's kernel driver leaves it (`persist_gpio_outputs`). Loaded by its name alone,
from this folder on PYTHONPATH; set by environment variables:

GPIO_MODEL_LOG        file with a line for each change: CLOCK_MONOTONIC ns, "claim" | "write" | "release", pin, level;
                      a pin is as the last line about it says, beyond the end of the program
GPIO_MODEL_CHIPS      numbers of the chips there are, "0" unless told otherwise (a Pi 5 has had its pins on chip 4)
GPIO_MODEL_DENY       if set, no chip may be opened, as for a user outside group gpio (lgpio says the same as for none)
GPIO_MODEL_BUSY       pins another process or an overlay holds: "18,19"
GPIO_MODEL_BAD_WRITE  pins whose writes fail, as when a chip goes away
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

OKAY = 0
BAD_WRITE, CANNOT_OPEN_CHIP, GPIO_BUSY, GPIO_NOT_ALLOCATED, BAD_GPIO_NUMBER = -77, -78, -79, -80, -73
TEXTS = {
    BAD_GPIO_NUMBER: "bad GPIO number",
    BAD_WRITE: "can not set GPIO",
    CANNOT_OPEN_CHIP: "can not open gpiochip",
    GPIO_BUSY: "GPIO busy",
    GPIO_NOT_ALLOCATED: "GPIO not allocated",
}
INPUT, OUTPUT = 1, 2
LINES = 54
#: Kernel's flags of a line in lgpio's mode: an output.
IS_OUTPUT = 2

#: Modes of the pins that this process holds; of every pin, whether it is an output, and its level.
_ours: dict[int, int] = {}
_pins: dict[int, tuple[bool, bool]] = {}

_log = os.open(os.environ["GPIO_MODEL_LOG"], os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
for _line in os.fdopen(os.dup(_log)):
    _, _kind, _gpio, _level = _line.split()
    _pins[int(_gpio)] = (_kind != "release", _level == "1")


def _numbers(name: str, default: str = "") -> set[int]:
    return {int(word) for word in os.environ.get(name, default).split(",") if word}


def _change(kind: str, gpio: int, level: bool) -> None:
    _pins[gpio] = (kind != "release", level)
    os.write(_log, b"%d %s %d %d\n" % (time.monotonic_ns(), kind.encode(), gpio, level))


def _now(gpio: int) -> tuple[bool, bool]:
    return _pins.get(gpio, (False, False))


def _gpiochip_open(number: int) -> int:
    denied = bool(os.environ.get("GPIO_MODEL_DENY"))
    return CANNOT_OPEN_CHIP if denied or number not in _numbers("GPIO_MODEL_CHIPS", "0") else 0


def _gpiochip_close(handle: int) -> int:
    _ours.clear()
    return OKAY


def _gpio_get_mode(handle: int, gpio: int) -> int:
    return (IS_OUTPUT if _now(gpio)[0] else 0) | _ours.get(gpio, 0) << 8


def _claim(gpio: int, mode: int) -> int:
    if not 0 <= gpio < LINES:
        return BAD_GPIO_NUMBER
    if gpio in _numbers("GPIO_MODEL_BUSY"):
        return GPIO_BUSY
    _ours[gpio] = mode
    return OKAY


def _gpio_claim_input(handle: int, flags: int, gpio: int) -> int:
    if _ours.get(gpio) == INPUT:
        return OKAY
    status = _claim(gpio, INPUT)
    if status == OKAY:
        _change("release", gpio, _now(gpio)[1])
    return status


def _gpio_claim_output(handle: int, flags: int, gpio: int, level: int) -> int:
    if _ours.get(gpio) == OUTPUT:
        return OKAY
    status = _claim(gpio, OUTPUT)
    if status == OKAY:
        _change("claim", gpio, bool(level))
    return status


def _gpio_free(handle: int, gpio: int) -> int:
    return OKAY if _ours.pop(gpio, 0) else GPIO_NOT_ALLOCATED


def _gpio_read(handle: int, gpio: int) -> int:
    return int(_now(gpio)[1])


def _gpio_write(handle: int, gpio: int, level: int) -> int:
    if gpio in _numbers("GPIO_MODEL_BAD_WRITE"):
        return BAD_WRITE
    if _ours.get(gpio) != OUTPUT:
        return _gpio_claim_output(handle, 0, gpio, level)
    _change("write", gpio, bool(level))
    return OKAY


def _notify_open() -> int:
    """A pipe in the working directory, or in LG_WD, where lgpio goes for good (`lgNotify.c`, `lgUtil.c`)."""
    if "LG_WD" in os.environ:
        os.chdir(os.environ["LG_WD"])
    if not os.access(".", os.W_OK) or os.environ.get("GPIO_MODEL_READ_ONLY"):
        return -22
    with tempfile.TemporaryDirectory(dir=".") as folder:
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        Path(".lgd-nfy0").unlink(missing_ok=True)
        pipe.rename(".lgd-nfy0")
    return 0


def _error_text(status: int) -> str:
    return TEXTS.get(status, f"error {status}")
