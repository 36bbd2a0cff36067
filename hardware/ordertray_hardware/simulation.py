"""What happens in the first milliseconds: wrong supplies, plugging in, edges. Simulated with ngspice from the tables.

`python -m ordertray_hardware.simulation` prints every figure; hardware/README.md has them as a table and the tests
hold them against the parts' limits. Nothing here was measured on a board.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from ordertray_hardware.boards import BOARDS
from ordertray_hardware.spice import Waves, elements, node, simulate

TRAY: Final = BOARDS["tray"]
POWER_PARTS: Final = (
    "F1", "F2", "Q1", "R1", "D8", "D1", "D4", "D7", "R23", "JP1", "Q3", "C8", "C9", "R19", "R20", "R18", "Q4", "R21",
    "R22", "Q5", "R17", "R16", "U3", "R12", "R13", "D6", "D3", "R15", "R14", "C1", "C2", "D2", "R2", "C3",
)  # fmt: skip
"""Everything between jack, USB and strips."""
RECORD: Final = {
    "strips": f"v({node('+5V')})", "jack": f"v({node('DC_IN')})", "safe": f"v({node('DC_SAFE')})",
    "vbus": f"v({node('VBUS')})", "supply_a": "vjack#branch", "usb_a": "vusb#branch",
    "too_high_a": "-1*vd3#branch", "reversed_a": "-1*vd4#branch",
    "q1_gate": f"v({node('Q1_GATE')})-v({node('DC_SAFE')})", "q3_gate": f"v({node('Q3_GATE')})-v({node('STRIP_IN')})",
    "q1_w": f"(v({node('DC_FUSED')})-v({node('DC_SAFE')}))*vjack#branch*-1",
    "q3_v": f"v({node('STRIP_IN')})-v({node('+5V')})",
    "q3_w": f"(v({node('STRIP_IN')})-v({node('+5V')}))*vq3#branch",
    "over_v": f"v({node('OVER')})",
    "d1_w": f"v({node('DC_SAFE')})*vd1#branch",
    "r14_w": f"(v({node('OVER_LAMP_K')})-v({node('OVER')}))^2/1200",
    "r23_w": f"(v({node('D7_CATHODE')})-v({node('DC_FUSED')}))^2/1500",
}  # fmt: skip

JACK_OHMS: Final = 0.1
"""Supply and cable together: low, so that little limits the current."""
USB_OHMS: Final = 0.15
"""Port and cable."""
STRIP_IDLE_OHMS: Final = 78.0
"""64 dark pixels of 1 mA at 5 V."""


def tray_power(
    jack: str, usb: str, pico_3v3: str, *, jumper: str, load_ohms: float, until_s: float, vto: float = -2.0,
    step_s: float = 0.0, refs: Sequence[str] = POWER_PARTS, extra: Sequence[str] = (),
    record: Mapping[str, str] = RECORD,
) -> Waves:  # fmt: skip
    """Simulate the carrier's power with SPICE sources (`dc 0`) at the jack, at USB, as the Pico's 3.3 V."""
    lines = [
        *elements(TRAY, refs, jumper),
        f"vjack jsrc 0 {jack}", f"rjack jsrc jl {JACK_OHMS}", f"ljack jl {node('DC_IN')} 0.5u",
        f"cjack {node('DC_IN')} 0 100p",
        f"vusb usrc 0 {usb}", f"rusb usrc {node('VBUS')} {USB_OHMS}", f"cusb {node('VBUS')} 0 100n",
        f"v3v3 {node('+3V3')} 0 {pico_3v3}",
        f"rload {node('+5V')} 0 {load_ohms}",
        *extra,
    ]  # fmt: skip
    return simulate(lines, record, until_s, vto=vto, step_s=step_s)


def plugged(volts: float, at_s: float = 1e-3) -> str:
    """A supply plugged in: up within ten microseconds."""
    return f"pwl(0 0 {at_s:g} 0 {at_s + 1e-5:g} {volts:g})"


@cache
def wrong_supply(volts: float, jumper: str = "DC") -> Waves:
    """A supply of any voltage and sign plugged into the jack while the tray runs on USB."""
    return tray_power(
        plugged(volts, 0.1), "dc 5", "dc 3.3", jumper=jumper, load_ohms=STRIP_IDLE_OHMS, until_s=0.4, step_s=1e-4
    )  # fmt: skip


@cache
def exchanged_supply(volts: float) -> Waves:
    """The strips run on 5 V, then the supply's voltage jumps: a supply exchanged under way, or one that fails."""
    jack = f"pwl(0 0 1m 0 1.01m 5 1.5 5 1.50001 {volts:g})"
    return tray_power(jack, "dc 5", "dc 3.3", jumper="DC", load_ohms=20.0, until_s=1.6, step_s=2e-4)


@cache
def creeping_supply(load_ohms: float) -> Waves:
    """A supply that creeps from 5 to 7 V within a second while the strips draw current."""
    return tray_power(
        "pwl(0 0 1m 0 1.01m 5 1.2 5 2.2 7)", "dc 5", "dc 3.3", jumper="DC", load_ohms=load_ohms, until_s=2.3,
        step_s=5e-4,
    )  # fmt: skip


def usb_plug_in(vto: float) -> Waves:
    """The tray plugged into USB, the strips living on it; the Pico's 3.3 V comes 2 ms later."""
    return tray_power(
        "dc 0", plugged(5.0), "pwl(0 0 3m 0 3.1m 3.3)", jumper="USB", load_ohms=STRIP_IDLE_OHMS, until_s=1.0, vto=vto,
        step_s=2e-4,
    )  # fmt: skip


def good_supply(volts: float, vto: float = -2.0) -> Waves:
    """A right supply plugged in before the Pico runs."""
    return tray_power(
        plugged(volts), "dc 0", "pwl(0 0 50m 0 51m 3.3)", jumper="DC", load_ohms=STRIP_IDLE_OHMS, until_s=1.2, vto=vto,
        step_s=4e-4,
    )  # fmt: skip


def pico_unplugged() -> Waves:
    """The strips run on the jack at full current, then the Pico loses its power at 1.5 s."""
    return tray_power(
        plugged(5.0), "pwl(0 5 1.5 5 1.501 0)", "pwl(0 3.3 1.5 3.3 1.501 0)", jumper="DC", load_ohms=20.0, until_s=6.0,
        step_s=2e-3,
    )  # fmt: skip


def strip_edge() -> Waves:
    """One data edge: buffer, series resistor, half a metre of wire, the first pixel's input."""
    lines = [
        *elements(TRAY, ["R5"]),
        # 74AHCT125 at 5 V: about 25 Ohm, 3 ns.
        "vdrive drive 0 pulse(0 5 20n 3n 3n 400n 2u)", f"rdrive drive {node('A_PIXELS_5V')} 25",
        # Wire beside its ground: 0.7 uH/m and 50 pF/m.
        f"lwire {node('A_DATA')} din 0.35u", "cwire din 0 25p", "cdin din 0 15p", "rdin din 0 100k",
    ]  # fmt: skip
    return simulate(lines, {"din": "v(din)"}, 1e-6, step_s=1e-9)


def buzzer() -> Waves:
    """The sounder at 4 kHz: Q2, R9, R10, R11 and a piezo of 20 nF."""
    lines = [
        *elements(TRAY, ["F2", "Q2", "R9", "R10", "R11"]),
        "vusb usrc 0 dc 5", f"rusb usrc {node('VBUS')} {USB_OHMS}", f"cusb {node('VBUS')} 0 100n",
        f"vgpio {node('BUZZER')} 0 pulse(0 3.3 0.1m 10n 10n 125u 250u)",
        f"cpiezo {node('VBUS_FUSED')} {node('BUZZER_LOW')} 20n",
    ]  # fmt: skip
    record = {
        "collector": f"v({node('BUZZER_LOW')})", "usb_a": "vusb#branch",
        "piezo": f"v({node('VBUS_FUSED')})-v({node('BUZZER_LOW')})",
    }  # fmt: skip
    return simulate(lines, record, 2e-3, step_s=1e-6)


LAMPS: Final = BOARDS["lamps"]
CHIPS: Final = 8
CHIP_INPUT_F: Final = 6e-12


def chain_clock(series_ohms: float | None = None) -> Waves:
    """One clock edge: the Pi's pin, 20 cm of ribbon, R3, the board's track with eight inputs along it.

    The Pi's pad is taken as 25 Ohm and 1 ns (its strongest), ribbon and track as lines of 110 and 80 Ohm.
    """
    series = elements(LAMPS, ["R3"])
    if series_ohms is not None:
        series = [f"rr3 {node('CHAIN_CLOCK')} {node('CLOCK')} {series_ohms}"]
    lines = [
        "vpin pin 0 pulse(0 3.3 10n 1n 1n 100n 400n)", "rpin pin a 25",
        f"tribbon a 0 {node('CHAIN_CLOCK')} 0 z0=110 td=1n", f"cheader {node('CHAIN_CLOCK')} 0 2p", *series,
    ]  # fmt: skip
    here = node("CLOCK")
    for chip in range(CHIPS):
        lines += [f"t{chip} {here} 0 c{chip} 0 z0=80 td=0.35n", f"cin{chip} c{chip} 0 {CHIP_INPUT_F}"]
        here = f"c{chip}"
    record = {"first": "v(c0)", "last": f"v(c{CHIPS - 1})"}
    return simulate(lines, record, 60e-9, step_s=0.1e-9)


def output_enable(*, direct: bool = False) -> Waves:
    """The board's 3.3 V up at 5 ms, the Pi's at 20 ms, its program pulling output enable low at 40 ms.

    The Pi's pin is clamped to its own rail until then. `direct` leaves Q1 out, as revision A had it.
    """
    pin, oe = node("CHAIN_OUTPUT_ENABLE"), node("OUTPUT_ENABLE")
    lines = [
        *elements(LAMPS, ["R2"]),
        *(elements(LAMPS, ["R4", "Q1"]) if not direct else [f"rwire {pin} {oe} 0.1"]),
        f"vboard {node('+3V3')} 0 pwl(0 0 1m 0 5m 3.3)", f"vpi {node('PI_3V3')} 0 pwl(0 0 20m 0 22m 3.3)",
        f"dclamp {pin} {node('PI_3V3')} 1n4148", f"rpull {pin} {node('PI_3V3')} 50k",
        f"cpin {pin} 0 10p", f"coe {oe} 0 60p",
        # The pin's driver: open until 40 ms, then 30 Ohm to ground.
        "vgate gate 0 pwl(0 0 40m 0 40.01m 1)", f"sdrive {pin} 0 gate 0 driver",
        ".model driver sw(vt=0.5 vh=0.1 ron=30 roff=1g)",
    ]  # fmt: skip
    record = {"oe": f"v({oe})", "oe_over_supply": f"v({oe})-v({node('+3V3')})"}
    return simulate(lines, record, 50e-3, step_s=2e-5)


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the guide's table of transients: what happens, what was computed, the limit and where it stands."""

    event: str
    computed: str
    limit: str


def figures() -> list[Figure]:
    """Run everything and return the guide's table."""
    found = []
    for volts in (9, 12, 15, 20):
        waves = wrong_supply(volts)
        found.append(
            Figure(
                f"{volts} V at the jack",
                f"strips {waves.highest('strips') * 1000:.0f} mV, lamp TOO HIGH "
                f"{waves.last('too_high_a') * 1000:.1f} mA, R14 {waves.last('r14_w') * 1000:.0f} mW, D1 "
                f"{waves.mean('d1_w', 0.3, 0.4) * 1000:.0f} mW",
                "pixels 5.3 V, R14 250 mW, D1 5 W",
            )
        )
    for volts in (-5, -15, -20):
        waves = wrong_supply(volts)
        found.append(
            Figure(
                f"{volts} V at the jack",
                f"strips {abs(waves.lowest('strips')) * 1000:.0f} mV, lamp REVERSED "
                f"{waves.last('reversed_a') * 1000:.1f} mA, R23 {waves.last('r23_w') * 1000:.0f} mW",
                "R23 250 mW, Q1 60 V",
            )
        )
    waves = exchanged_supply(12)
    found.append(
        Figure(
            "5 V become 12 V within 10 us, hard source",
            f"strips {waves.highest('strips', 1.4):.1f} V at most, falling "
            f"at once; Q3 {waves.integral('q3_w', 1.49) * 1000:.0f} mJ",
            "pixels 5.3 V: over it for some tens of ms",
        )
    )
    waves = creeping_supply(3.4)
    found.append(
        Figure(
            "the supply creeps from 5 to 7 V, 1.5 A",
            f"cut off at {waves.highest('strips'):.2f} V; Q3 {waves.integral('q3_w', 1.3) * 1000:.0f} mJ",
            "pixels 5.3 V by the data sheet, most stand more",
        )
    )
    for vto in (-1.0, -2.0, -3.0):
        waves = usb_plug_in(vto)
        found.append(
            Figure(
                f"plugged into USB, threshold of Q3 {-vto:.0f} V",
                f"{-waves.integral('usb_a', 0, 0.02) * 1e6:.1f} uC in "
                f"20 ms, later {-waves.lowest('usb_a', 0.002) * 1000:.0f} mA at most, VBUS never below "
                f"{waves.lowest('vbus', 0.002):.2f} V",
                "50 uC, 400 mA beside the Pico",
            )
        )
    dark_s = pico_unplugged().when("strips", 1.0, rising=False, after_s=1.5) - 1.5
    found.append(
        Figure(
            "the Pico loses its power",
            f"strips dark after {dark_s:.1f} s",
            "4 s",
        )
    )
    waves = strip_edge()
    rise_ns = (waves.when("din", 3.5, after_s=20e-9) - waves.when("din", 0.5, after_s=20e-9)) * 1e9
    found.append(
        Figure("an edge at the first pixel", f"{rise_ns:.0f} ns, {waves.highest('din'):.2f} V at most", "100 ns, 5.5 V")
    )
    waves = chain_clock()
    found.append(
        Figure(
            "clock of the lamp board",
            f"{waves.highest('last'):.2f} V at most at the last chip",
            "3.8 V",
        )
    )
    waves = output_enable()
    found.append(
        Figure(
            "output enable while the Pi's 3.3 V rises",
            f"never below {waves.lowest('oe', 6e-3, 39e-3):.2f} V",
            "low begins at 0.99 V",
        )
    )
    return found


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.event}: {figure.computed} (limit: {figure.limit})")
    sys.exit(0)
