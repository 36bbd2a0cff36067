"""Opening the lamps of the configuration, or saying once why there are none."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ordertray.lights.frame import LampFrame
from ordertray.lights.gpio_lamps import GpioLamps
from ordertray.lights.lamp_config import LampConfig
from ordertray.lights.outputs import LampOutput
from ordertray.lights.pin_backends import LampsUnavailableError, PinBackend, RPiPins

log = logging.getLogger(__name__)


class NoLamps:
    """The output of a machine without pins: does nothing, and knows why (`reason`)."""

    name = "no lamps"

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        self.reason = reason

    def show(self, frame: LampFrame, now_ms: int) -> None:
        """Nothing."""

    def tick(self, now_ms: int) -> None:
        """Nothing."""

    def next_tick_ms(self, now_ms: int) -> int | None:
        """Never."""
        return None

    def lamp_test(self, now_ms: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def open_lamps(config: LampConfig, *, backend: Callable[[], PinBackend] = RPiPins) -> LampOutput:
    """Open the lamps on the Pi's pins. Where there are no pins: one warning in the log, and a `NoLamps`."""
    try:
        return GpioLamps(backend(), config)
    except LampsUnavailableError as error:
        log.warning("no lamps on pins: %s", error)
        return NoLamps(str(error))
