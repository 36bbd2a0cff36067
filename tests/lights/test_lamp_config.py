"""The `[lamps]` table: every fault at once, each with its place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.lights import pins
from ordertray.lights.lamp_config import DEFAULT_LAMPS, LampConfigError, LampPin, parse_lamp_config
from ordertray.lights.pins import (
    BARS,
    HEADER,
    IDENTIFICATION_EEPROM,
    LAMPS,
    MAPS,
    SERIAL_CONSOLE,
    chain_outputs,
    pin_table,
    registers_needed,
)


def faults(text: str) -> list[str]:
    """The problems of a `[lamps]` table written as TOML."""
    with pytest.raises(LampConfigError) as caught:
        parse_lamp_config(tomllib.loads(text))
    return [problem.text() for problem in caught.value.problems]


def test_every_fault_is_told_at_once_with_its_place() -> None:
    told = faults(
        """
        brightness = 3
        active_low = ["B.aro", "A.aro"]
        [pins]
        A.aro = 14
        A.retreat = 0
        A.active = 40
        A.disco = 5
        B.retreat = 23
        B.active = 23
        link = "26"
        [chain]
        data = 23
        clock = true
        speed = 9
        bars = ["A.group1", "A.group1", "A.group9"]
        """
    )
    assert told == [
        "lamps.brightness: no such name; there are: map, active_low, pins, chain",
        "lamps.pins.A.disco: no such name; there are: " + ", ".join(lamp.name for lamp in LAMPS),
        "lamps.pins.A.aro: GPIO14 is the serial console; take another pin",
        "lamps.pins.A.retreat: GPIO0 is kept for the board's identification EEPROM; take another pin",
        "lamps.pins.A.active: 40 is no GPIO pin of the header; BCM numbers are meant: 2 to 27",
        "lamps.pins.B.active: GPIO23 is in use already, by lamps.pins.B.retreat",
        'lamps.pins.link: must be a BCM pin number (whole number), not "26"',
        'lamps.active_low: there is no lamp "B.aro" here; there are: '
        "A.aro, A.retreat, A.active, B.retreat, B.active, link",
        "lamps.chain.speed: no such name; there are: data, clock, latch, output_enable, active_low, bars",
        "lamps.chain.latch: is missing; the chain needs data, clock, latch",
        "lamps.chain.data: GPIO23 is in use already, by lamps.pins.B.retreat",
        "lamps.chain.clock: must be a BCM pin number (whole number), not true",
        "lamps.chain.bars: A.group1 stands here more than once",
        'lamps.chain.bars: there is no bar "A.group9"; there are: ' + ", ".join(bar.name for bar in BARS),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("map = 'displays'", 'lamps.map: "displays" is no map of pins; there are: default, sound'),
        ("map = 2", "lamps.map: 2 is no map of pins; there are: default, sound"),
        ("pins = 3", "lamps.pins: must be a table of pins, or false for none"),
        ("chain = 'yes'", "lamps.chain: must be a table, or false for none"),
        ("active_low = 1", "lamps.active_low: must be true, false or a list of lamp names"),
        ("active_low = [1]", "lamps.active_low: must be true, false or a list of lamp names"),
        (
            "[chain]\ndata = 2\nclock = 3\nlatch = 4\nactive_low = 'no'",
            "lamps.chain.active_low: must be true or false",
        ),
        (
            "[chain]\ndata = 2\nclock = 3\nlatch = 4\nbars = []",
            "lamps.chain.bars: must be a list of one or more bars: " + ", ".join(bar.name for bar in BARS),
        ),
    ],
)
def test_values_of_the_wrong_kind(text: str, told: str) -> None:
    assert told in faults(text)


def test_both_spellings_of_a_lamp_are_one() -> None:
    nested = parse_lamp_config(tomllib.loads("chain = false\n[pins]\nA.aro = 5\n[pins.B]\naro = 6"))
    quoted = parse_lamp_config(tomllib.loads("chain = false\n[pins]\n'A.aro' = 5\n'B.aro' = 6"))
    assert nested == quoted
    assert nested.lamps == (LampPin("A.aro", 5), LampPin("B.aro", 6))
    assert nested.pins == (5, 6)


def test_active_low_for_all_or_for_some() -> None:
    assert all(lamp.active_low for lamp in parse_lamp_config({"active_low": True}).lamps)
    some = parse_lamp_config({"active_low": ["link"]})
    assert [lamp.name for lamp in some.lamps if lamp.active_low] == ["link"]


def test_an_empty_table_is_the_default_map() -> None:
    assert parse_lamp_config({}) == DEFAULT_LAMPS
    assert DEFAULT_LAMPS.chain is not None
    assert DEFAULT_LAMPS.chain.bars == BARS


def test_default_pins_are_dark_while_the_pi_boots() -> None:
    """GPIO0 to 8 are pulled up at reset, GPIO9 to 27 down (BCM2835 ARM Peripherals, table 6-31)."""
    for name in MAPS:
        config = parse_lamp_config({"map": name})
        assert config.chain is not None and config.chain.output_enable is not None
        assert all(lamp.bcm > 8 for lamp in config.lamps) and config.chain.output_enable <= 8


def test_the_second_map_leaves_i2s_to_a_sound_card() -> None:
    """GPIO18 to 21: PCM in all its alternatives on the header (BCM2835 ARM Peripherals, table 6-31)."""
    assert {18, 19, 20, 21} & set(DEFAULT_LAMPS.pins), "then no second map is needed"
    second = parse_lamp_config({"map": "sound"})
    assert not {18, 19, 20, 21} & set(second.pins)
    assert len(set(second.pins)) == len(DEFAULT_LAMPS.pins)
    assert not {2, 3, *range(7, 12), 14, 15} & set(second.pins), "I2C, SPI and the console keep their pins"


def test_header_is_a_one_to_one_map_without_power_and_ground() -> None:
    power_and_ground = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}
    identification = {27, 28}
    assert sorted(HEADER.values()) == sorted(set(range(1, 41)) - power_and_ground - identification)
    assert sorted(HEADER) == list(range(2, 28))


def test_chain_outputs_number_every_lamp_of_every_bar() -> None:
    outputs = chain_outputs()
    assert registers_needed() == 8
    assert [output.number for output in outputs] == list(range(64))
    assert (outputs[9].bar, outputs[9].lamp, outputs[9].register, outputs[9].output) == ("A.group1", 9, 1, "QB")
    assert {output.bar for output in outputs if output.register < 4} == {b.name for b in BARS if b.name[0] == "A"}


names = [lamp.name for lamp in LAMPS]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(names), st.integers(-2, 60), max_size=9))
def test_a_pin_map_is_taken_exactly_if_every_pin_is_free_gpio(chosen: dict[str, int]) -> None:
    good = set(HEADER) - set(SERIAL_CONSOLE) - set(IDENTIFICATION_EEPROM)
    bad = [name for name, pin in chosen.items() if pin not in good]
    doubles = len([pin for pin in chosen.values() if pin in good]) - len(
        {pin for pin in chosen.values() if pin in good}
    )
    if bad or doubles:
        with pytest.raises(LampConfigError) as caught:
            parse_lamp_config({"pins": chosen, "chain": False})
        assert len(caught.value.problems) == len(bad) + doubles
    else:
        assert {lamp.name: lamp.bcm for lamp in parse_lamp_config({"pins": chosen, "chain": False}).lamps} == chosen


def test_the_readmes_have_the_pin_table_as_it_is() -> None:
    lights = Path(pins.__file__).parent
    for readme in (lights / "README.md", lights.parents[1] / "README.md"):
        assert pin_table() in readme.read_text(encoding="utf-8"), readme
    assert pin_table("sound") in (lights / "README.md").read_text(encoding="utf-8")
