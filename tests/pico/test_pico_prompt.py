"""The prompt's guard on the port itself: a second terminal that hears what the prompt writes, and a soft timer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ordertray.sim.pico import EmulatedPico
from pico.pico_forks import ForkHost
from pico.pico_helpers import firmware, image

pytestmark = pytest.mark.pico

# The firmware's own guard, of a prompt that comes at once, with a shorter patience.
MAIN = b"from ordertray_firmware import prompt\nprompt.LIMIT_MS = 1500\nprompt.guard()\n"


@pytest.fixture
def pico() -> Iterator[EmulatedPico]:
    """A Pico at its guarded prompt."""
    with EmulatedPico(image(), files={**firmware(), "main.py": MAIN}) as pico:
        host = ForkHost(pico)
        host.wait(lambda: b"stay()" in b"".join(data for _at, data in pico.sent), 5, "the prompt")
        yield pico


def type_in(pico: EmulatedPico, text: bytes) -> None:
    """Type at the prompt."""
    pico._to_tray += text


def test_it_restarts_when_nobody_types_and_not_while_somebody_does(pico: EmulatedPico) -> None:
    for key in b"1+2":
        pico.run_for(0.9)
        type_in(pico, bytes([key]))
    assert pico.boots == 1
    begun_s = pico.now_s
    pico.run_until(lambda: pico.boots == 2, 6, "the restart")
    assert 1.4 <= pico.now_s - begun_s <= 4


def test_stay_keeps_the_prompt(pico: EmulatedPico) -> None:
    type_in(pico, b"stay()\r")
    pico.run_for(4)
    type_in(pico, b"print(6*7)\r")
    pico.run_for(0.3)
    assert pico.boots == 1 and "42" in pico.log
