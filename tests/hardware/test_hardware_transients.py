"""The first milliseconds, simulated by ngspice from the boards' own tables: wrong supplies, plugging in, edges.

What the guide calls protected is what these show; limits are those of the parts' data sheets, named beside them.
"""

import os
import shutil

import pytest

from ordertray_hardware import simulation, thermal
from ordertray_hardware.spice import SimulationError, elements, farads, node, simulate

STRIP_LIMIT_V = 5.3
"""WS2812B: most volts on a pixel."""
RESISTOR_W = 0.25
STARTING_USB_C = 50e-6
"""USB 2.0, 7.2.4.1: charge that a device may take at plug-in (10 uF at 5 V)."""


@pytest.fixture(autouse=True)
def _ngspice() -> None:
    """Locally a machine without ngspice may go on; CI installs it, so there it is a fault."""
    if shutil.which("ngspice") is None:
        if os.environ.get("CI"):
            pytest.fail("ngspice is missing: run hardware/install-tools.sh")
        pytest.skip("ngspice is missing: run hardware/install-tools.sh")


@pytest.mark.parametrize("volts", [9.0, 12.0, 15.0, 20.0])
def test_too_many_volts_reach_nothing_and_light_a_lamp(volts: float) -> None:
    waves = simulation.wrong_supply(volts)
    assert waves.highest("strips") < 0.1
    assert waves.last("too_high_a") > 1e-3
    # Nothing in the way grows warm: the surge diode sleeps, the resistor of the lamp stays within its quarter watt.
    assert waves.mean("d1_w", 0.3, 0.4) < 1e-3
    assert waves.last("r14_w") < RESISTOR_W
    # SUP53P06-20: 20 V between gate and source.
    assert waves.lowest("q1_gate") > -10
    assert abs(waves.last("supply_a")) < 0.05


@pytest.mark.parametrize("volts", [-5.0, -9.0, -15.0, -20.0])
def test_a_reversed_supply_reaches_nothing_and_lights_its_lamp(volts: float) -> None:
    waves = simulation.wrong_supply(volts)
    assert waves.lowest("strips") > -0.1 and waves.highest("strips") < 0.1
    assert waves.lowest("safe") > -1.0
    assert waves.last("reversed_a") > 1e-3
    assert waves.last("r23_w") < RESISTOR_W
    assert waves.lowest("vbus", 0.05) > 4.9


def test_every_protecting_part_stays_cooler_than_its_data_sheet_allows() -> None:
    found = thermal.warmths()
    assert {"D1", "R14", "R23", "Q3", "U3", "D8", "Q1, Q3", "U9 of the lamp board"} == {one.part for one in found}
    for one in found:
        assert one.celsius < one.limit_c - 25, one
    # It can fail: the resistor of the lamp at twice the voltage.
    (r14,) = (one for one in found if one.part == "R14")
    assert thermal.INSIDE_C + 4 * r14.rise_k > r14.limit_c


def test_a_wrong_supply_does_not_touch_usb() -> None:
    waves = simulation.wrong_supply(12.0, "USB")
    assert waves.highest("vbus") < 5.1
    assert waves.last("too_high_a") > 1e-3
    assert waves.last("strips") < 0.5


def test_a_supply_that_fails_under_way_is_cut_off() -> None:
    """Twelve volts where five were, within ten microseconds and from a hard source: the rail sees 6 V, not 12."""
    waves = simulation.exchanged_supply(12.0)
    assert waves.highest("strips", 1.4) < 6.2
    assert waves.last("strips") < 1.0
    # The clip of the 2000 uF takes less than a tenth of a joule, which a TO-220 does not notice.
    assert waves.integral("q3_w", 1.49) < 0.1


@pytest.mark.parametrize("load_ohms", [3.4, 20.0])
def test_a_supply_that_creeps_upwards_is_cut_off_before_it_hurts(load_ohms: float) -> None:
    waves = simulation.creeping_supply(load_ohms)
    assert waves.highest("strips") < 5.6
    assert waves.last("strips") < 0.1
    assert waves.last("too_high_a") > 1e-3
    # No long stay half open: what Q3 turns into heat after a second of creeping would warm it by less than a kelvin.
    assert waves.integral("q3_w", 1.3) < 1.0


@pytest.mark.parametrize("vto", [-1.0, -2.0, -3.0])
def test_plugging_in_takes_little_from_usb(vto: float) -> None:
    """Whatever the threshold of the MOSFET: the port sees 50 uC at once, and then a current it may give."""
    waves = simulation.usb_plug_in(vto)
    assert -waves.integral("usb_a", 0.0, 0.02) < STARTING_USB_C
    assert -waves.lowest("usb_a", 0.002) < 0.4
    assert waves.lowest("vbus", 0.002) > 4.75
    assert waves.last("strips") > 4.8


def test_without_the_switch_the_port_would_collapse() -> None:
    """The check can fail: C1 and C2 straight behind the fuse, as revision A had them."""
    refs = [ref for ref in simulation.POWER_PARTS if ref not in ("Q3", "Q5")]
    bridge = [f"rbridge {node('STRIP_IN')} {node('+5V')} 0.01"]
    waves = simulation.tray_power(
        "dc 0", simulation.plugged(5.0), "dc 3.3", jumper="USB", load_ohms=78.0, until_s=0.02, refs=refs, extra=bridge,
        record={"usb_a": "vusb#branch"},
    )  # fmt: skip
    assert -waves.integral("usb_a") > 100 * STARTING_USB_C
    assert -waves.lowest("usb_a") > 2.0


@pytest.mark.parametrize("volts", [4.75, 5.0, 5.25])
def test_a_right_supply_is_let_through(volts: float) -> None:
    waves = simulation.good_supply(volts)
    assert waves.last("strips") > volts - 0.1
    assert waves.highest("too_high_a") < 1e-4
    assert waves.highest("strips") < STRIP_LIMIT_V


def test_strips_go_dark_without_the_pico() -> None:
    waves = simulation.pico_unplugged()
    assert waves.lowest("strips", 1.4, 1.5) > 4.5
    assert waves.when("strips", 1.0, rising=False, after_s=1.5) - 1.5 < 4.0


def test_the_strips_edge() -> None:
    """WS2812B asks for 0.7 of its supply; its shortest pulse is 220 ns, so the edge must be far shorter."""
    waves = simulation.strip_edge()
    rise_s = waves.when("din", 3.5, after_s=20e-9) - waves.when("din", 0.5, after_s=20e-9)
    assert rise_s < 100e-9
    assert waves.highest("din") < 5.0 + 0.5
    assert waves.lowest("din") > -0.5


def test_the_sounder() -> None:
    """Q2 holds 40 V; the piezo is driven with most of 5 V at 4 kHz, and USB sees milliamperes."""
    waves = simulation.buzzer()
    assert waves.highest("collector", 0.5e-3) < 6.0
    assert waves.highest("piezo", 0.5e-3) - waves.lowest("piezo", 0.5e-3) > 3.0
    assert -waves.mean("usb_a", 0.5e-3, 2e-3) < 8e-3


def test_the_chains_clock_rings_little() -> None:
    """Chips of 3.3 V: no more than their supply and half a volt, no second edge within the forbidden zone."""
    waves = simulation.chain_clock()
    for place in ("first", "last"):
        assert waves.highest(place) < 3.3 + 0.5
        assert waves.lowest(place) > -0.5
        crossed = waves.when(place, 2.31, after_s=10e-9)
        assert waves.lowest(place, crossed + 3e-9, 60e-9) > 2.0, place


def test_a_clock_without_its_resistor_would_be_noticed() -> None:
    assert simulation.chain_clock(0.01).highest("last") > 3.3 + 0.5


def test_bars_stay_dark_while_the_pis_own_supply_rises() -> None:
    """Output enable never comes near its low limit (0.3 of 3.3 V) until the Pi itself pulls it down."""
    waves = simulation.output_enable()
    assert waves.lowest("oe_over_supply", 0.2e-3, 39e-3) > -0.6
    assert waves.lowest("oe", 6e-3, 39e-3) > 0.7 * 3.3
    assert waves.last("oe") < 0.5


def test_the_direct_wire_of_revision_a_would_be_noticed() -> None:
    assert simulation.output_enable(direct=True).lowest("oe", 6e-3, 19e-3) < 0.99


def test_what_has_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="no model for BZ1"):
        elements(simulation.TRAY, ["BZ1"])
    with pytest.raises(ValueError, match="10x"):
        farads("10x")
    with pytest.raises(SimulationError):
        simulate(["v1 a 0 dc 1"], {"nothing": "v(nowhere)"}, 1e-3)
