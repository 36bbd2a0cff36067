"""The tray's configuration: `config.json` on its flash.

Every fault is found and named by its place; a faulty value falls back to its default, a broken file to all defaults.
So the tray always starts, and says what it did not like.
"""

import json

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

from .buttons import MAXIMUM, NAMES, button_names

FILE = "config.json"
CHIPS = ("pn532", "mfrc522")
# How the pads are searched: see readers/station.py.
SEARCHES = ("auto", "turns", "field", "chip")
SIDES = ("A", "B")

# Pins of a Pico that are free for the tray: 23, 24, 25 and 29 serve the board itself.
FREE_PINS = tuple(range(23)) + (26, 27, 28)
# RP2040 data sheet, table 2 (GPIO functions): pins that can carry each line of each SPI block.
SPI_PINS: "dict[int, dict[str, tuple[int, ...]]]" = {
    0: {"sck": (2, 6, 18, 22), "mosi": (3, 7, 19), "miso": (0, 4, 16, 20)},
    1: {"sck": (10, 14, 26), "mosi": (11, 15, 27), "miso": (8, 12, 28)},
}

NUMBERS = {
    # name: (default, least, most)
    "brightness": (40, 1, 100),
    "current_limit_ma": (250, 100, 4000),
    "debounce_ms": (8, 4, 50),
    "hold_ms": (1000, 300, 5000),
    "spi_hz": (2000000, 100000, 5000000),
}


def default_config() -> "dict[str, Any]":
    """A fresh copy of the built-in configuration (the wiring of hardware/)."""
    sides = {}
    for number, side in enumerate(SIDES):
        first = 2 + 6 * number
        sides[side] = {
            "name": side,
            "buttons": {name: first + i for i, name in enumerate(NAMES)},
            "pixels": {"pin": 14 + number, "count": 32},
        }
    config: "dict[str, Any]" = {name: NUMBERS[name][0] for name in NUMBERS}
    config["gamma"] = 2.2
    config["search"] = SEARCHES[0]
    config["spi"] = {"id": 0, "sck": 18, "mosi": 19, "miso": 16}
    config["readers"] = [
        {"pad": "A", "chip": "pn532", "cs": 17, "rst": 20, "irq": 21},
        {"pad": "B", "chip": "pn532", "cs": 22, "rst": 26, "irq": 27},
    ]
    config["sides"] = sides
    config["buzzer"] = {"pin": 28, "on": True}
    return config


def load(text: "str | None") -> "tuple[dict[str, Any], list[str]]":
    """(config, faults) from the text of the file; None (no file) is the default configuration without a fault."""
    if text is None:
        return default_config(), []
    try:
        given = json.loads(text)
    except (ValueError, MemoryError, RuntimeError) as error:
        return default_config(), ["config: not JSON (%s): the built-in configuration is used" % error]
    return check(given)


def load_file(path: str = FILE) -> "tuple[dict[str, Any], list[str]]":
    """(config, faults) from a file; see load()."""
    try:
        with open(path) as file:
            text = file.read()
    except OSError as error:
        if error.errno == 2:  # no such file: a tray with no wishes of its own
            return load(None)
        return default_config(), ["config: cannot be read (%s): the built-in configuration is used" % error]
    except (ValueError, MemoryError) as error:  # UnicodeError: flash full of noise
        return default_config(), ["config: not text (%s): the built-in configuration is used" % error]
    return load(text)


def check(given: "Any") -> "tuple[dict[str, Any], list[str]]":
    """(config, faults): every value of `given` that is right, the default for every other.

    `config` has always every key and is always usable: pins are free ones, and none is used twice.
    """
    config = default_config()
    faults: "list[str]" = []
    if not isinstance(given, dict):
        return config, ["config: must be an object: the built-in configuration is used"]
    for key in given:
        if key not in config:
            faults.append("config: %s: unknown key" % key)
    for key in NUMBERS:
        _default, least, most = NUMBERS[key]
        config[key] = _number(given, key, config[key], least, most, key, faults)
    config["gamma"] = _gamma(given, config["gamma"], faults)
    search = given.get("search", config["search"])
    if search in SEARCHES:
        config["search"] = search
    else:
        faults.append("config: search: must be auto, turns, field or chip: auto is used")
    for part, fill in (("spi", _spi), ("readers", _readers), ("sides", _sides), ("buzzer", _buzzer)):
        if part in given:
            config[part] = fill(given[part], config[part], faults)
    pixels = sum(config["sides"][side]["pixels"]["count"] for side in config["sides"])
    if config["current_limit_ma"] < 2 * pixels:
        faults.append(
            "config: current_limit_ma: %d pixels take %d mA when dark: at least %d" % (pixels, pixels, 2 * pixels)
        )
        config["current_limit_ma"] = 2 * pixels
    doubles = _doubles(config)
    if doubles:
        faults.extend(doubles)
        fallback = default_config()
        for part in ("spi", "readers", "sides", "buzzer"):
            config[part] = fallback[part]
        faults.append("config: pins used twice: the built-in wiring is used")
    return config, faults


def used_pins(config: "dict[str, Any]") -> "list[tuple[str, int]]":
    """[(place, pin)] of every pin that a configuration uses."""
    used = [("spi." + line, config["spi"][line]) for line in ("sck", "mosi", "miso")]
    for i, reader in enumerate(config["readers"]):
        for line in ("cs", "rst", "irq"):
            if reader[line] is not None:
                used.append(("readers[%d].%s" % (i, line), reader[line]))
    for side in sorted(config["sides"]):
        part = config["sides"][side]
        used.append(("sides.%s.pixels.pin" % side, part["pixels"]["pin"]))
        for name in button_names(part["buttons"]):
            used.append(("sides.%s.buttons.%s" % (side, name), part["buttons"][name]))
    if config["buzzer"]["pin"] is not None:
        used.append(("buzzer.pin", config["buzzer"]["pin"]))
    return used


def _doubles(config: "dict[str, Any]") -> "list[str]":
    faults = []
    places: "dict[int, str]" = {}
    for place, pin in used_pins(config):
        if pin in places:
            faults.append("config: %s: pin %d is already %s" % (place, pin, places[pin]))
        else:
            places[pin] = place
    return faults


def _is_number(value: "Any") -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(
    given: "dict[str, Any]", key: str, default: int, least: int, most: int, place: str, faults: "list[str]"
) -> int:
    if key not in given:
        return default
    value: int = given[key]
    if not _is_number(value) or not least <= value <= most:
        faults.append("config: %s: must be a whole number from %d to %d: %d is used" % (place, least, most, default))
        return default
    return value


def _gamma(given: "dict[str, Any]", default: float, faults: "list[str]") -> float:
    value = given.get("gamma", default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1 <= value <= 3:
        faults.append("config: gamma: must be a number from 1 to 3: %s is used" % default)
        return default
    return value


def _pin(
    given: "dict[str, Any]", key: str, default: "int | None", place: str, faults: "list[str]", optional: bool = False
) -> "int | None":
    """A pin number; None where the line may be left unwired."""
    if key not in given:
        return default
    value: "int | None" = given[key]
    if value is None and optional:
        return None
    if not _is_number(value) or value not in FREE_PINS:
        faults.append("config: %s.%s: must be a pin from 0 to 22 or 26 to 28: %s is used" % (place, key, default))
        return default
    return value


def _text(given: "dict[str, Any]", key: str, default: str, place: str, faults: "list[str]") -> str:
    value = given.get(key, default)
    if not isinstance(value, str) or not 0 < len(value) <= 24:
        faults.append("config: %s.%s: must be a text of 1 to 24 letters: %s is used" % (place, key, default))
        return default
    return value


def _unknown(given: "dict[str, Any]", known: "Any", place: str, faults: "list[str]") -> None:
    for key in given:
        if key not in known:
            faults.append("config: %s.%s: unknown key" % (place, key))


def _spi(given: "Any", default: "dict[str, Any]", faults: "list[str]") -> "dict[str, Any]":
    if not isinstance(given, dict):
        faults.append("config: spi: must be an object: the built-in one is used")
        return default
    _unknown(given, default, "spi", faults)
    spi = dict(default)
    spi.update(given)
    if not _is_number(spi["id"]) or spi["id"] not in SPI_PINS:
        faults.append("config: spi.id: must be 0 or 1: the built-in SPI lines are used")
        return default
    for line in ("sck", "mosi", "miso"):
        pins = SPI_PINS[spi["id"]][line]
        if not _is_number(spi[line]) or spi[line] not in pins:
            allowed = ", ".join(str(pin) for pin in pins)
            faults.append(
                "config: spi.%s: SPI%d has this line on %s: the built-in SPI lines are used"
                % (line, spi["id"], allowed)
            )
            return default
    return {line: spi[line] for line in default}


def _readers(given: "Any", default: "list[dict[str, Any]]", faults: "list[str]") -> "list[dict[str, Any]]":
    if not isinstance(given, list) or len(given) > 4:
        faults.append("config: readers: must be a list of at most 4: the built-in ones are used")
        return default
    readers: "list[dict[str, Any]]" = []
    for i, entry in enumerate(given):
        place = "readers[%d]" % i
        if not isinstance(entry, dict):
            faults.append("config: %s: must be an object: left out" % place)
            continue
        _unknown(entry, ("pad", "chip", "cs", "rst", "irq"), place, faults)
        pad = entry.get("pad")
        base = None
        for known in default:
            if known["pad"] == pad:
                base = known
        if not isinstance(pad, str) or not 0 < len(pad) <= 8:
            faults.append("config: %s.pad: must be a text of 1 to 8 letters: this reader is left out" % place)
            continue
        if any(reader["pad"] == pad for reader in readers):
            faults.append("config: %s.pad: %s is there already: this reader is left out" % (place, pad))
            continue
        if base is None and "cs" not in entry:
            faults.append("config: %s.cs: is missing: this reader is left out" % place)
            continue
        chip = entry.get("chip", "pn532")
        if chip not in CHIPS:
            faults.append("config: %s.chip: must be pn532 or mfrc522: pn532 is used" % place)
            chip = "pn532"
        reader = {"pad": pad, "chip": chip}
        good = True
        for line in ("cs", "rst", "irq"):
            before = len(faults)
            fallback = base[line] if base else None
            reader[line] = _pin(entry, line, fallback, place, faults, optional=line != "cs")
            good = good and (line != "cs" or base is not None or len(faults) == before)
        if good:
            readers.append(reader)
    return readers


def _sides(given: "Any", default: "dict[str, Any]", faults: "list[str]") -> "dict[str, Any]":
    if not isinstance(given, dict) or not 0 < len(given) <= 2:
        faults.append("config: sides: must be an object with one or two sides: the built-in ones are used")
        return default
    sides = {}
    total = 0
    for side in given:
        place = "sides.%s" % side
        entry = given[side]
        if side not in default:
            faults.append("config: %s: the sides are A and B: left out" % place)
            continue
        if not isinstance(entry, dict):
            faults.append("config: %s: must be an object: the built-in one is used" % place)
            sides[side] = default[side]
            continue
        _unknown(entry, ("name", "buttons", "pixels"), place, faults)
        base = default[side]
        buttons = _buttons(entry.get("buttons", base["buttons"]), base["buttons"], place + ".buttons", faults)
        total += len(buttons)
        pixels = entry.get("pixels", base["pixels"])
        if not isinstance(pixels, dict):
            faults.append("config: %s.pixels: must be an object: the built-in one is used" % place)
            pixels = base["pixels"]
        _unknown(pixels, ("pin", "count"), place + ".pixels", faults)
        sides[side] = {
            "name": _text(entry, "name", base["name"], place, faults),
            "buttons": buttons,
            "pixels": {
                "pin": _pin(pixels, "pin", base["pixels"]["pin"], place + ".pixels", faults),
                "count": _number(pixels, "count", 32, 1, 64, place + ".pixels.count", faults),
            },
        }
    if not sides or total > MAXIMUM:
        faults.append("config: sides: at most %d buttons in all: the built-in sides are used" % MAXIMUM)
        return default
    return sides


def _buttons(given: "Any", default: "dict[str, int]", place: str, faults: "list[str]") -> "dict[str, int]":
    if not isinstance(given, dict):
        faults.append("config: %s: must be an object: the built-in one is used" % place)
        return default
    buttons: "dict[str, int]" = {}
    for name in button_names(given):
        if not 0 < len(name) <= 12:
            faults.append("config: %s.%s: names have 1 to 12 letters: left out" % (place, name))
            continue
        pin = _pin(given, name, default.get(name), place, faults)
        if pin is not None:
            buttons[name] = pin
    return buttons


def _buzzer(given: "Any", default: "dict[str, Any]", faults: "list[str]") -> "dict[str, Any]":
    if not isinstance(given, dict):
        faults.append("config: buzzer: must be an object: the built-in one is used")
        return default
    _unknown(given, default, "buzzer", faults)
    on = given.get("on", default["on"])
    if not isinstance(on, bool):
        faults.append("config: buzzer.on: must be true or false: %s is used" % default["on"])
        on = default["on"]
    return {"pin": _pin(given, "pin", default["pin"], "buzzer", faults, optional=True), "on": on}
