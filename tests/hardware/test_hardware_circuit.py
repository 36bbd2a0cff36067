"""The tables of the circuits: sound in themselves, and electrically sane."""

from dataclasses import replace

import pytest

from ordertray_firmware import config
from ordertray_firmware.pixels import CHANNEL_MA, IDLE_MA
from ordertray_hardware import electrical, pins
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.circuit import check

TRAY = BOARDS["tray"]
LAMPS = BOARDS["lamps"]


@pytest.mark.parametrize("name", BOARDS)
def test_tables_are_sound(name: str) -> None:
    assert check(BOARDS[name]) == []


def test_faults_of_a_table_are_all_named() -> None:
    part = TRAY.part("R1")
    lonely = replace(part, ref="R99", nets={"1": "NOWHERE", "2": "GND"})
    off = replace(part, ref="R98", board=replace(part.board, x_mm=TRAY.width_mm + 1))
    found = check(replace(TRAY, parts=(*TRAY.parts, part, lonely, off)))
    assert len(found) == 3
    assert any("R1 appears twice" in fault for fault in found)
    assert any("NOWHERE has only R99" in fault for fault in found)
    assert any("R98 stands off the board" in fault for fault in found)


def test_no_pin_is_used_twice() -> None:
    assert electrical.shared_gpios() == []


def test_a_pin_used_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "BUZZER", pins.PIXELS["A"])
    assert electrical.shared_gpios() == [f"GP{pins.PIXELS['A']}"]


def test_pins_left_alone_are_left_alone() -> None:
    pico = TRAY.part("U1").nets
    for number in pins.PICO_LEFT_OPEN:
        assert str(number) not in pico
    for gpio in pins.LEFT_ALONE:
        net = pico[str(pins.PICO_PHYSICAL[gpio])]
        assert [ref for ref, _pin in TRAY.nets()[net] if ref != "U1"] == ["J8"]


def test_the_firmware_can_reset_select_and_hear_each_reader() -> None:
    for side, header in (("A", "J2"), ("B", "J3")):
        for line in pins.READER_LINES:
            net = f"{side}_{line.upper()}"
            pico_pin = str(pins.PICO_PHYSICAL[pins.READERS[side][line]])
            assert TRAY.part("U1").nets[pico_pin] == net
            at_reader = net.replace("RST", "RESET")
            assert at_reader in TRAY.part(header).nets.values()
            # A reset line on a module's reset *output* meets a kilohm: 3.3 mA, which neither minds.
            if line == "rst":
                assert electrical.pulled_to(TRAY, at_reader) == {net}
                series = next(p for p in TRAY.parts if set(p.nets.values()) == {net, at_reader})
                assert 3.3 / electrical.ohms(series.value) < 4e-3
        reset = next(r["rst"] for r in config.default_config()["readers"] if r["pad"] == side)
        assert TRAY.part("U1").nets[str(pins.PICO_PHYSICAL[reset])] == f"{side}_RST"


def test_lines_rest_where_they_should_while_the_pico_boots() -> None:
    for side in pins.SIDES:
        for line in pins.READER_LINES:
            assert "+3V3" in electrical.pulled_to(TRAY, f"{side}_{line.upper()}")
        assert "GND" in electrical.pulled_to(TRAY, f"{side}_PIXELS_3V3")
    assert "GND" in electrical.pulled_to(TRAY, "BUZZER")
    assert electrical.pulled_to(TRAY, "Q1_GATE") == {"GND"}
    assert "+3V3" in electrical.pulled_to(LAMPS, "OUTPUT_ENABLE")
    assert electrical.pulled_to(LAMPS, "CLOCK") == {"CHAIN_CLOCK"}


def test_a_plug_in_the_wrong_header_feeds_nothing() -> None:
    """All ribbons have the same plug: no wire of one header with a supply may meet more than an open pin elsewhere."""
    ribbons = [part for part in TRAY.parts if part.item == "ribbon-header-10"]
    assert len(ribbons) == 4
    for one in ribbons:
        for other in ribbons:
            for pin, net in one.nets.items():
                if net in ("+3V3", "VBUS_FUSED"):
                    assert other.nets.get(pin, net) == net, (one.ref, other.ref, pin)
    keys = BOARDS["buttons"].part("J1").nets
    for side, ref in (("A", "J4"), ("B", "J5")):
        assert {pin: net.removeprefix(f"{side}_") for pin, net in TRAY.part(ref).nets.items()} == dict(keys)


def test_nothing_but_the_switched_rail_holds_much_charge() -> None:
    """What hangs on VBUS and the jack at once is small; the 2000 uF stand behind Q3."""
    for net in ("VBUS", "VBUS_FUSED", "DC_IN", "DC_FUSED", "DC_SAFE"):
        assert not [p.ref for p in TRAY.parts if p.symbol.startswith("Device:C") and net in p.nets.values()], net


def test_thin_branches_of_wide_nets_carry_little() -> None:
    """Only resistors, signal diodes, test points, a gate's capacitor and chips hang on thin tracks of a power net."""
    small = ("Device:R", "Device:R_Network06", "Device:C", "Device:Buzzer", "Connector:TestPoint", "Diode:1N4148",
             "74xx:74AHCT125", "74xx:74HC595", "Transistor_BJT:2N3906")  # fmt: skip
    for board in BOARDS.values():
        for ref, _pin in board.thin_pins:
            part = board.part(ref)
            assert part.symbol in small or part.item == "zener-6v8", ref


def test_each_strip_has_series_resistor_and_reservoir() -> None:
    for side in pins.SIDES:
        assert electrical.pulled_to(TRAY, f"{side}_DATA") == {f"{side}_PIXELS_5V"}
    bulk = [part for part in TRAY.parts if part.item == "capacitor-1000u"]
    assert len(bulk) == 2
    assert all(part.nets == {"1": "+5V", "2": "GND"} for part in bulk)
    reservoirs = [part for part in TRAY.parts if part.item == "capacitor-100u"]
    assert len(reservoirs) == 2
    assert all(part.nets == {"1": "+3V3", "2": "GND"} for part in reservoirs)


@pytest.mark.parametrize("name", BOARDS)
def test_every_chip_has_its_decoupling(name: str) -> None:
    board = BOARDS[name]
    chips = [part for part in board.parts if part.symbol.startswith("74xx:")]
    for chip in chips:
        supply = chip.nets[max(chip.nets, key=int)]
        near = [
            part
            for part in board.parts
            if part.item == "capacitor-100n"
            and supply in part.nets.values()
            and abs(part.board.x_mm - chip.board.x_mm) < 25
            and abs(part.board.y_mm - chip.board.y_mm) < 12
        ]
        assert near, chip.ref


def test_no_input_floats() -> None:
    buffer = TRAY.part("U2").nets
    for inputs in ("1", "2", "4", "5", "9", "10", "12", "13"):
        assert inputs in buffer
    for number in range(1, 9):
        assert {"10", "11", "12", "13", "14"} <= set(LAMPS.part(f"U{number}").nets)


def test_the_default_limit_is_the_one_reckoned_with() -> None:
    assert config.NUMBERS["current_limit_ma"][0] == electrical.USB_STRIP_MA
    assert electrical.PIXEL_FULL_MA == 3 * CHANNEL_MA
    assert electrical.PIXEL_IDLE_MA == IDLE_MA
    counts = [side["pixels"]["count"] for side in config.default_config()["sides"].values()]
    assert sum(counts) == electrical.PIXELS


def test_currents_stay_within_limits() -> None:
    loads = electrical.tray_loads(electrical.USB_STRIP_MA, from_usb=True)
    loads += electrical.tray_loads(electrical.JACK_LIMIT_MA, from_usb=False)
    loads += electrical.lamp_loads()
    assert [load for load in loads if not load.fits] == []


def test_strips_without_a_limit_would_be_noticed() -> None:
    everything_white = electrical.PIXELS * electrical.PIXEL_FULL_MA
    for from_usb in (True, False):
        names = [load.what for load in electrical.tray_loads(everything_white, from_usb=from_usb) if not load.fits]
        assert any("F2" in name or "F1" in name for name in names)


def test_fuses_in_the_table_are_those_reckoned_with() -> None:
    for ref, hold_ma in electrical.FUSE_HOLD_MA.items():
        assert float(TRAY.part(ref).value.removesuffix(" A")) * 1000 == hold_ma


def test_logic_levels_are_understood() -> None:
    assert [level.line for level in electrical.levels() if not level.understood] == []


def test_a_strip_driven_straight_from_the_pico_would_be_noticed() -> None:
    level = electrical.Level("Pico to WS2812B", 2.62, 0.7 * 5.0, 0.5, 1.5, 3.3, 5.5)
    assert not level.understood


def test_power_tracks_carry_what_their_fuse_lets_through() -> None:
    """A resettable fuse may pass twice its hold current for a while."""
    for net, fuse in (
        ("DC_IN", "F1"),
        ("DC_FUSED", "F1"),
        ("DC_SAFE", "F1"),
        ("STRIP_IN", "F1"),
        ("+5V", "F1"),
        ("VBUS_FUSED", "F2"),
    ):
        assert electrical.track_limit_ma(TRAY.track_widths_mm[net]) >= 2 * electrical.FUSE_HOLD_MA[fuse]
    assert electrical.track_limit_ma(TRAY.track_widths_mm["+3V3"]) >= electrical.PICO_3V3_OUT_MA


@pytest.mark.parametrize(("value", "ohms"), [("330", 330.0), ("4.7k", 4700.0), ("2.2M", 2.2e6)])
def test_resistances_are_read(value: str, ohms: float) -> None:
    assert electrical.ohms(value) == ohms


def test_what_is_no_resistance_is_refused() -> None:
    with pytest.raises(ValueError, match="100n"):
        electrical.ohms("100n")
