"""The `[lamps]` table of the configuration: which lamp sits on which pin. Checked whole, every fault at once. Pure.

[lamps]
active_low = false            # true for all single lamps, or a list: ["link", "A.aro"]
map = "sound"                 # other pins than the default ones: GPIO18 to 21 are left to a sound card on I2S
[lamps.pins]                  # BCM numbers; leave the table out for the map's pins, or `pins = false` for none
link = 26
A.aro = 18
[lamps.chain]                 # leave it out for the map's chain, or `chain = false` for none
data = 13
clock = 19
latch = 6
output_enable = 5             # optional
active_low = false            # lamps between an output and the supply
bars = ["A.group1", "A.group2", "A.irregular", "A.lieutenant", "A.tactical"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from ordertray.files.problems import Problem, printable
from ordertray.lights.pins import (
    BARS,
    CHAIN_LINES,
    CHAIN_LINES_NEEDED,
    DEFAULT_MAP,
    HEADER,
    IDENTIFICATION_EEPROM,
    LAMPS,
    MAPS,
    SERIAL_CONSOLE,
    Bar,
)
from ordertray.messages import N_

_LAMP_NAMES: Final = tuple(lamp.name for lamp in LAMPS)
_LINE_NAMES: Final = tuple(line.name for line in CHAIN_LINES)
_BARS_BY_NAME: Final = {bar.name: bar for bar in BARS}
_ALLOWED_PINS: Final = tuple(sorted(set(HEADER) - set(SERIAL_CONSOLE)))


class LampConfigError(ValueError):
    """The `[lamps]` table is faulty; `problems` has every fault with its place."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Keep the problems."""
        super().__init__("; ".join(problem.text() for problem in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class LampPin:
    """A single lamp: its name, its BCM pin, whether a low level lights it."""

    name: str
    bcm: int
    active_low: bool = False


@dataclass(frozen=True, slots=True)
class ChainConfig:
    """The shift register chain: BCM pins of its lines, whether a low output lights a lamp, and its bars in order."""

    data: int
    clock: int
    latch: int
    output_enable: int | None
    active_low: bool
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class LampConfig:
    """All lamps on the Pi's pins."""

    lamps: tuple[LampPin, ...]
    chain: ChainConfig | None
    map: str = DEFAULT_MAP

    @property
    def pins(self) -> tuple[int, ...]:
        """Every BCM pin in use."""
        lamps = tuple(lamp.bcm for lamp in self.lamps)
        if self.chain is None:
            return lamps
        enable = () if self.chain.output_enable is None else (self.chain.output_enable,)
        return (*lamps, self.chain.data, self.chain.clock, self.chain.latch, *enable)


def parse_lamp_config(table: Mapping[str, object]) -> LampConfig:
    """Read the `[lamps]` table (as `tomllib` gives it). Raises LampConfigError with every fault of it."""
    reader = _Reader()
    config = reader.read(table)
    if config is None:
        raise LampConfigError(tuple(reader.problems))
    return config


class _Reader:
    """Collects problems and pins while it reads."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._users: dict[int, str] = {}
        self._map = MAPS[DEFAULT_MAP]

    def read(self, table: Mapping[str, object]) -> LampConfig | None:
        self._unknown("lamps", table, ("map", "active_low", "pins", "chain"))
        self._choose_map(table.get("map", DEFAULT_MAP))
        pins = self._pins(table.get("pins", True))
        low = self._active_low(table.get("active_low", False), tuple(pins))
        chain = self._chain(table.get("chain", True))
        if self.problems:
            return None
        lamps = tuple(LampPin(name, bcm, name in low) for name, bcm in pins.items())
        return LampConfig(lamps, chain, str(table.get("map", DEFAULT_MAP)))

    def fault(self, place: str, template: str, **params: object) -> None:
        """Note a fault; `template` is marked with `N_()`."""
        self.problems.append(Problem(place, template, params))

    def _unknown(self, place: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
        for name in table:
            if name not in known:
                self.fault(f"{place}.{name}", N_("no such name; there are: {known}"), known=", ".join(known) or "-")

    def _choose_map(self, value: object) -> None:
        if isinstance(value, str) and value in MAPS:
            self._map = MAPS[value]
        else:
            self.fault("lamps.map", N_("{found} is no map of pins; there are: {known}"),
                       found=printable(value), known=", ".join(MAPS))  # fmt: skip

    def _pins(self, value: object) -> dict[str, int]:
        if value is True:
            return {lamp.name: self._pin(f"lamps.pins.{lamp.name}", self._map[lamp.name]) for lamp in LAMPS}
        if value is False:
            return {}
        if not isinstance(value, Mapping):
            self.fault("lamps.pins", N_("must be a table of pins, or false for none"))
            return {}
        named = dict(_flatten(cast("Mapping[str, object]", value)))
        self._unknown("lamps.pins", named, _LAMP_NAMES)
        return {name: self._pin(f"lamps.pins.{name}", bcm) for name, bcm in named.items() if name in _LAMP_NAMES}

    def _pin(self, place: str, value: object) -> int:
        """Check one pin and that nobody else has it; the number, or 0 after a fault."""
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(place, N_("must be a BCM pin number (whole number), not {value}"), value=printable(value))
            return 0
        if value in SERIAL_CONSOLE:
            self.fault(place, N_("GPIO{bcm} is the serial console; take another pin"), bcm=value)
        elif value in IDENTIFICATION_EEPROM:
            self.fault(
                place, N_("GPIO{bcm} is kept for the board's identification EEPROM; take another pin"), bcm=value
            )
        elif value not in HEADER:
            self.fault(
                place,
                N_("{bcm} is no GPIO pin of the header; BCM numbers are meant: {first} to {last}"),
                bcm=value,
                first=_ALLOWED_PINS[0],
                last=_ALLOWED_PINS[-1],
            )
        elif value in self._users:
            self.fault(place, N_("GPIO{bcm} is in use already, by {other}"), bcm=value, other=self._users[value])
        else:
            self._users[value] = place
        return value

    def _active_low(self, value: object, lamps: tuple[str, ...]) -> frozenset[str]:
        if isinstance(value, bool):
            return frozenset(lamps if value else ())
        names = _names(value)
        if names is None:
            self.fault("lamps.active_low", N_("must be true, false or a list of lamp names"))
            return frozenset()
        for name in names:
            if name not in lamps:
                self.fault(
                    "lamps.active_low",
                    N_("there is no lamp {name} here; there are: {known}"),
                    name=printable(name),
                    known=", ".join(lamps) or "-",
                )
        return frozenset(names)

    def _chain(self, value: object) -> ChainConfig | None:
        if value is False:
            return None
        if value is True:
            value = {line.name: self._map[f"chain.{line.name}"] for line in CHAIN_LINES}
        if not isinstance(value, Mapping):
            self.fault("lamps.chain", N_("must be a table, or false for none"))
            return None
        table = cast("Mapping[str, object]", value)
        self._unknown("lamps.chain", table, (*_LINE_NAMES, "active_low", "bars"))
        for name in CHAIN_LINES_NEEDED:
            if name not in table:
                self.fault(f"lamps.chain.{name}", N_("is missing; the chain needs {needed}"),
                           needed=", ".join(CHAIN_LINES_NEEDED))  # fmt: skip
        lines = {name: self._pin(f"lamps.chain.{name}", table[name]) for name in _LINE_NAMES if name in table}
        active_low = table.get("active_low", False)
        if not isinstance(active_low, bool):
            self.fault("lamps.chain.active_low", N_("must be true or false"))
        bars = self._bars(table.get("bars", list(_BARS_BY_NAME)))
        if self.problems:
            return None
        return ChainConfig(
            lines["data"], lines["clock"], lines["latch"], lines.get("output_enable"), bool(active_low), bars
        )

    def _bars(self, value: object) -> tuple[Bar, ...]:
        place = "lamps.chain.bars"
        names = _names(value)
        if not names:
            self.fault(place, N_("must be a list of one or more bars: {known}"), known=", ".join(_BARS_BY_NAME))
            return ()
        for name in dict.fromkeys(names):
            if name not in _BARS_BY_NAME:
                self.fault(place, N_("there is no bar {name}; there are: {known}"),
                           name=printable(name), known=", ".join(_BARS_BY_NAME))  # fmt: skip
            elif names.count(name) > 1:
                self.fault(place, N_("{name} stands here more than once"), name=name)
        return tuple(_BARS_BY_NAME[name] for name in names if name in _BARS_BY_NAME)


def _names(value: object) -> tuple[str, ...] | None:
    """A list of texts, or None where it is none."""
    return tuple(value) if isinstance(value, list) and all(isinstance(name, str) for name in value) else None


def _flatten(table: Mapping[str, object], prefix: str = "") -> list[tuple[str, object]]:
    """`{"A": {"aro": 18}}` and `{"A.aro": 18}` alike."""
    flat: list[tuple[str, object]] = []
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat += _flatten(cast("Mapping[str, object]", value), f"{prefix}{name}.")
        else:
            flat.append((f"{prefix}{name}", value))
    return flat


DEFAULT_LAMPS: Final = parse_lamp_config({})
"""All lamps and the whole chain on the default pins."""
