"""Pins, below the lamps: a small protocol, the RPi.GPIO backend and a recording one.

The lamps know levels; which library moves them is decided here alone (the idea of gpiozero's pin factories).
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from .gpio_library import way_to_a_library
from .pins import SOUND_CARD

log = logging.getLogger(__name__)


class LampsUnavailableError(OSError):
    """There are no pins to be had here; the message says why and the way out."""


class PinBackend(Protocol):
    """Output pins by BCM number. Levels: True is high."""

    def claim(self, levels: Mapping[int, bool]) -> None:
        """Make pins outputs, each with its level from the first moment on (no glitch in between)."""

    def write(self, bcm: int, high: bool) -> None:
        """Set the level of a claimed pin."""

    def release(self) -> None:
        """Make all claimed pins inputs again. May be called again."""


@dataclass(slots=True)
class RecordingPins:
    """A backend that keeps what happened, in order: `events` of ("claim" | "write" | "release", bcm, level).

    Holds the rules that the real block enforces silently or by crashing: writing to a pin that is not claimed raises.
    """

    events: list[tuple[str, int, bool]] = field(default_factory=list)
    levels: dict[int, bool] = field(default_factory=dict)

    def claim(self, levels: Mapping[int, bool]) -> None:
        """Note the claims."""
        for bcm, level in levels.items():
            if bcm in self.levels:
                raise ValueError(f"GPIO{bcm} is claimed already")
            self.levels[bcm] = level
            self.events.append(("claim", bcm, level))

    def write(self, bcm: int, high: bool) -> None:
        """Note the write."""
        if bcm not in self.levels:
            raise ValueError(f"GPIO{bcm} is not claimed")
        self.levels[bcm] = high
        self.events.append(("write", bcm, high))

    def release(self) -> None:
        """Note the releases."""
        for bcm in list(self.levels):
            self.events.append(("release", bcm, self.levels.pop(bcm)))


class GatedPins:
    """A backend that drops writes once it is released.

    A signal may close the lamps in the middle of a write; what was interrupted then goes on and must do no harm.
    """

    def __init__(self, backend: PinBackend) -> None:
        """Stand before `backend`; open until `release`."""
        self._backend = backend
        self._open = True

    def claim(self, levels: Mapping[int, bool]) -> None:
        """Pass it on."""
        self._backend.claim(levels)

    def write(self, bcm: int, high: bool) -> None:
        """Pass it on while open."""
        if self._open:
            self._backend.write(bcm, high)

    def release(self) -> None:
        """Close the gate, release the pins."""
        self._open = False
        self._backend.release()


class RPiPins:
    """The Pi's own pins through the `RPi.GPIO` module: RPi.GPIO up to a Pi 4, rpi-lgpio on a Pi 5.

    Raises LampsUnavailableError when the module is missing, says that this is no Pi, or may not touch the pins. The two
    libraries raise what they like for it (rpi-lgpio lets through `lgpio.error`, which is a plain `Exception`), so
    whatever they raise before the first lamp is lit means: no lamps.
    """

    def __init__(self) -> None:
        """Load the library; no pin is touched yet."""
        self._gpio = _load_library()
        self._claimed: list[int] = []

    def claim(self, levels: Mapping[int, bool]) -> None:
        """Claim pins one by one, each with its level; RPi.GPIO sets the level before it makes the pin an output."""
        for bcm, level in levels.items():
            try:
                self._gpio.setup(bcm, self._gpio.OUT, initial=self._gpio.HIGH if level else self._gpio.LOW)
            except Exception as error:
                self.release()
                raise LampsUnavailableError(_why_no_pin(bcm, error)) from error
            self._claimed.append(bcm)

    def write(self, bcm: int, high: bool) -> None:
        """Set one pin."""
        self._gpio.output(bcm, high)

    def release(self) -> None:
        """Inputs again, and only ours: another program's pins are left alone. One that fails keeps none of the rest."""
        claimed, self._claimed = self._claimed, []
        for bcm in claimed:
            try:
                self._gpio.cleanup(bcm)
            except Exception as error:
                log.warning("GPIO%d could not be released: %s", bcm, _said(error))


def _load_library() -> Any:
    """The module `RPi.GPIO`, set to BCM numbers, its warnings off (a pin left over from a crash is taken over)."""
    try:
        gpio = importlib.import_module("RPi.GPIO")
        gpio.setwarnings(False)
        gpio.setmode(gpio.BCM)
    except ModuleNotFoundError as error:
        raise LampsUnavailableError(
            f"no GPIO library is installed; on a Raspberry Pi: {' && '.join(way_to_a_library())}"
        ) from error
    except Exception as error:
        raise LampsUnavailableError(_why_no_library(error)) from error
    return gpio


_NO_RIGHT: Final = "put the user in group gpio: sudo usermod -aG gpio $USER"


def _why_no_library(error: Exception) -> str:
    """Why `RPi.GPIO` cannot be used at all, and the way out."""
    said = _said(error)
    if "different mode" in said:
        return f"another part of this program uses RPi.GPIO with header numbers ({said})"
    if "gpiochip" in said:
        return f"the GPIO chip cannot be opened ({said}); where /dev/gpiochip0 is there, {_NO_RIGHT}"
    if ".lgd-nfy" in said:
        return f"rpi-lgpio may not write into its working folder ({said}); name another one in the variable LG_WD"
    return f"the GPIO library finds no Raspberry Pi here ({said})"


def _why_no_pin(bcm: int, error: Exception) -> str:
    """Why a pin cannot be had, and the way out."""
    said = _said(error)
    if "busy" in said.lower():
        if bcm in SOUND_CARD:
            return (
                f"GPIO{bcm} is held by another program or an overlay ({said}); "
                'beside a sound card write map = "sound" in [lamps], which has other pins'
            )
        return (
            f"GPIO{bcm} is held by another program or an overlay ({said}); "
            "name another pin in [lamps.pins], or free it (dtoverlay in /boot/firmware/config.txt)"
        )
    if "SOC peripheral base" in said:
        return f"RPi.GPIO does not know this board ({said}); a Pi 5 needs rpi-lgpio: see `ordertray doctor`"
    return f"the pins may not be used (GPIO{bcm}: {said}); {_NO_RIGHT}"


def _said(error: Exception) -> str:
    """What a library's exception says, in one line, without the quotes that lgpio puts around it."""
    return " ".join(str(error).split()).strip("'\"") or type(error).__name__
