"""How warm the parts get that protect, switch and regulate: simulated power times thermal resistance. Needs ngspice.

Sensibly means: steady power is reckoned to its steady end, however long that takes; a pulse as if none of its heat left
the chip. Thermal resistances and limits are the data sheets', quoted from memory; nothing was measured.
"""

from dataclasses import dataclass
from typing import Final

from ordertray_hardware import electrical, pins, simulation
from ordertray_hardware.lamp_board import BAR_VALUE

INSIDE_C: Final = 40.0
"""Air in the closed case on a warm day."""
SUPPLY_V: Final = 20.0
"""The worst supply that the guide speaks of; whoever plugs it in may leave it in for ever."""

AXIAL_K_PER_W: Final = 340.0
"""Quarter watt resistor: 0.25 W at 70 C of air, nothing at 155 C."""
AXIAL_LIMIT_C: Final = 155.0
TO_92_K_PER_W: Final = 200.0
TO_220_K_PER_W: Final = 62.0
"""In still air, without a heat sink."""
DO_35_K_PER_W: Final = 400.0
DIE_MJ_PER_K: Final = 5.0
"""Silicon alone of a MOSFET in TO-220: some 10 mm2 of 0.3 mm."""
MOSFET_OHMS: Final = 0.025 * 1.6
"""SUP53P06-20 at 4.5 V, hot."""
MCP1700_K_PER_W: Final = 132.0


@dataclass(frozen=True, slots=True)
class Warmth:
    """A part in its worst case: power in W (or energy in mJ), what it rises by, and how hot it may get."""

    part: str
    case: str
    load: str
    rise_k: float
    limit_c: float

    @property
    def celsius(self) -> float:
        """Its temperature in a warm case."""
        return INSIDE_C + self.rise_k


def _steady(part: str, case: str, watts: float, kelvin_per_watt: float, limit_c: float) -> Warmth:
    return Warmth(part, case, f"{watts * 1000:.0f} mW", watts * kelvin_per_watt, limit_c)


def _pulse(part: str, case: str, joules: float, limit_c: float) -> Warmth:
    return Warmth(part, case, f"{joules * 1000:.0f} mJ", joules * 1000 / DIE_MJ_PER_K, limit_c)


def warmths() -> list[Warmth]:
    """Every part between a supply and what it feeds, at its worst."""
    high, low = simulation.wrong_supply(SUPPLY_V), simulation.wrong_supply(-SUPPLY_V)
    wrong, reversed_ = f"{SUPPLY_V:.0f} V at the jack, for ever", f"-{SUPPLY_V:.0f} V at the jack, for ever"
    gate_v = -high.last("q1_gate")
    lamp_a = high.last("too_high_a")
    base_a = high.last("safe") / electrical.ohms(simulation.TRAY.part("R16").value)
    amperes = electrical.JACK_LIMIT_MA / 1000
    lamps_a = electrical.lamp_current_ma(electrical.ohms(BAR_VALUE)) * len(pins.chain_lamps()) / 1000
    return [
        _steady("D1", wrong, high.mean("d1_w", 0.3, 0.4), 75.0, 175.0),
        _steady("R14", wrong, high.last("r14_w"), AXIAL_K_PER_W, AXIAL_LIMIT_C),
        _steady("R23", reversed_, low.last("r23_w"), AXIAL_K_PER_W, AXIAL_LIMIT_C),
        _steady("U3", wrong, (lamp_a + base_a) * high.last("over_v"), TO_92_K_PER_W, 150.0),
        _steady("D8", wrong, gate_v * (high.last("safe") - gate_v) / 10e3, DO_35_K_PER_W, 175.0),
        _steady("Q1, Q3", f"{amperes:g} A through them, for ever", amperes**2 * MOSFET_OHMS, TO_220_K_PER_W, 175.0),
        _pulse("Q3", "5 V become 12 V", simulation.exchanged_supply(12).integral("q3_w", 1.49), 175.0),
        _pulse("Q3", "the supply creeps to 7 V, 1.5 A", simulation.creeping_supply(3.4).integral("q3_w", 1.3), 175.0),
        _steady("U9 of the lamp board", "all lamps lit, 5.25 V", (5.25 - 3.3) * lamps_a, MCP1700_K_PER_W, 125.0),
    ]
