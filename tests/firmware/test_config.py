"""config.json: every fault named by its place, defaults for whatever is wrong, never a dead tray."""

import json

from firmware.plain import Dice
from ordertray_firmware.buttons import button_names
from ordertray_firmware.config import FREE_PINS, check, default_config, load, load_file, used_pins

try:
    from typing import Any
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True


def usable(config: "dict[str, Any]") -> None:
    """What every configuration must be, however bad the file was."""
    assert set(config) == set(default_config())
    pins = [pin for _place, pin in used_pins(config)]
    assert len(pins) == len(set(pins))
    assert all(pin in FREE_PINS for pin in pins)
    assert 0 < len(config["sides"]) <= 2
    total = 0
    for side in config["sides"]:
        part = config["sides"][side]
        total += len(part["buttons"])
        assert 1 <= part["pixels"]["count"] <= 64
        assert 0 < len(part["name"]) <= 24
    assert total <= 16
    assert 1 <= config["brightness"] <= 100
    assert config["current_limit_ma"] >= 100
    for reader in config["readers"]:
        assert reader["chip"] in ("pn532", "mfrc522")


def test_the_built_in_configuration_is_right_and_complete() -> None:
    config, faults = load(None)
    assert faults == []
    usable(config)
    again, faults = check(default_config())
    assert faults == []
    assert again == config


def test_the_built_in_pins_are_those_of_the_circuit() -> None:
    config = default_config()
    assert config["spi"] == {"id": 0, "sck": 18, "mosi": 19, "miso": 16}
    assert [config["sides"]["A"]["buttons"][name] for name in button_names(config["sides"]["A"]["buttons"])] == [
        2,
        3,
        4,
        5,
        6,
        7,
    ]
    assert [config["sides"]["B"]["buttons"][name] for name in ("basic", "short", "long", "aro", "pass", "ok")] == [
        8,
        9,
        10,
        11,
        12,
        13,
    ]
    assert [config["sides"][side]["pixels"]["pin"] for side in "AB"] == [14, 15]
    assert [(r["cs"], r["rst"], r["irq"]) for r in config["readers"]] == [(17, 20, 21), (22, 26, 27)]
    assert config["buzzer"]["pin"] == 28


def test_a_broken_file_means_the_defaults_and_one_fault() -> None:
    for text in ("", "{", "[1, 2]", "null", "\x00\xff", '{"brightness": ', "[" * 300):
        config, faults = load(text)
        assert config == default_config(), text
        assert len(faults) == 1, text
        assert faults[0].startswith("config: ")


def test_every_fault_is_named_by_its_place_at_once() -> None:
    _config, faults = check(
        {
            "brightness": 0,
            "gamma": "much",
            "search": ["auto"],
            "volume": 3,
            "spi": {"id": 0, "sck": 5},
            "readers": [{"pad": "A", "chip": "rc522", "cs": 99}, 7],
            "sides": {"A": {"name": "", "pixels": {"count": 1000}}, "X": {}},
            "buzzer": {"on": 1},
        }
    )
    text = "\n".join(faults)
    for place in (
        "brightness",
        "gamma",
        "search",
        "volume",
        "spi.sck",
        "readers[0].chip",
        "readers[0].cs",
        "readers[1]",
        "sides.A.name",
        "sides.A.pixels.count",
        "sides.X",
        "buzzer.on",
    ):
        assert "config: %s:" % place in text, place


def test_good_values_survive_beside_bad_ones() -> None:
    config, faults = check({"brightness": 55, "hold_ms": -1, "sides": {"A": {"name": "Nomads"}, "B": {"name": 3}}})
    assert len(faults) == 2
    assert config["brightness"] == 55
    assert config["hold_ms"] == 1000
    assert config["sides"]["A"]["name"] == "Nomads"
    assert config["sides"]["B"]["name"] == "B"


def test_a_pin_used_twice_is_named_and_the_built_in_wiring_comes_back() -> None:
    wanted = {"brightness": 10, "sides": {"A": {"pixels": {"pin": 18}}, "B": {}}}
    config, faults = check(wanted)
    assert any("sides.A.pixels.pin: pin 18 is already spi.sck" in fault for fault in faults)
    assert config["sides"] == default_config()["sides"]
    assert config["brightness"] == 10


def test_other_wiring_is_taken() -> None:
    config, faults = check(
        {
            "readers": [{"pad": "A", "chip": "mfrc522", "cs": 1, "rst": None, "irq": None}],
            "sides": {"A": {"buttons": {"ok": 2, "pass": 3, "extra": 4}, "pixels": {"pin": 14, "count": 16}}},
            "buzzer": {"pin": None},
        }
    )
    assert faults == []
    assert len(config["readers"]) == 1
    assert config["readers"][0]["chip"] == "mfrc522"
    assert button_names(config["sides"]["A"]["buttons"]) == ["pass", "ok", "extra"]
    assert config["buzzer"]["pin"] is None
    usable(config)


def test_a_limit_below_what_dark_pixels_take_is_raised_and_told() -> None:
    sides = {side: {"pixels": {"count": 64, "pin": pin}} for side, pin in (("A", 14), ("B", 15))}
    config, faults = check({"current_limit_ma": 120, "sides": sides})
    assert len(faults) == 1 and "current_limit_ma" in faults[0]
    assert config["current_limit_ma"] == 256


def test_whatever_stands_in_the_file_the_tray_gets_a_usable_configuration() -> None:
    junk = [None, True, -1, 0, 3, 17, 28, 99, 1.5, "", "A", "pn532", [], {}, [{}], {"pin": 18}]  # type: list[Any]
    places = [
        ("brightness",),
        ("current_limit_ma",),
        ("gamma",),
        ("search",),
        ("spi",),
        ("spi", "id"),
        ("spi", "miso"),
        ("readers",),
        ("sides",),
        ("sides", "A"),
        ("sides", "A", "buttons"),
        ("sides", "B", "buttons", "ok"),
        ("sides", "A", "pixels"),
        ("sides", "B", "pixels", "pin"),
        ("buzzer",),
        ("buzzer", "pin"),
        ("debounce_ms",),
    ]  # type: list[tuple[str, ...]]
    for seed in range(300):
        dice = Dice(seed)
        wanted = default_config()
        for _fault in range(1 + dice.below(3)):
            place = places[dice.below(len(places))]
            at = wanted  # type: Any
            for key in place[:-1]:
                at = at.get(key) if isinstance(at, dict) else None
            if isinstance(at, dict):
                at[place[-1]] = junk[dice.below(len(junk))]
        if dice.below(3) == 0:
            wanted["readers"] = [{"pad": junk[dice.below(len(junk))], "cs": junk[dice.below(len(junk))]}]
        config, _faults = load(json.dumps(wanted))
        usable(config)
        _again, faults = check(config)
        assert faults == [], (seed, faults)


def test_a_missing_file_is_no_fault_and_an_unreadable_one_is() -> None:
    config, faults = load_file("no-such-file.json")
    assert config == default_config() and faults == []
    config, faults = load_file(".")  # a folder
    assert config == default_config()
    assert len(faults) == 1
