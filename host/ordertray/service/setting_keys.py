"""Every key of `ordertray.toml`, once: meaning, default, example. README, `ordertray config` and tests read it here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..files.tables import Lines
from ..lights.lamp_config import LampConfig
from ..lights.pins import CHAIN_LINES, LAMPS
from ..messages import N_, Translator, identity
from .settings import Settings

LANGUAGE_VARIABLES: Final = ("ORDERTRAY_LANGUAGE", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
VARIABLES: Final = {
    "ORDERTRAY_CONFIG": N_("the configuration file to use"),
    "ORDERTRAY_HOME": N_("folder of the record and of the discs' files, instead of the user's data folder"),
    "ORDERTRAY_LANGUAGE": N_("language of texts, before the system's own variables"),
}
"""Environment variables that a person may set."""


@dataclass(frozen=True)
class Key:
    """A key: its name (a table's keys as `lamps.pins`), its default in words, an example as written, its meaning."""

    name: str
    default: str
    example: str
    meaning: str

    @property
    def is_table(self) -> bool:
        """Whether it is a table of its own, which stands at the end of the file."""
        return self.example.startswith("[")


KEYS: Final = (
    Key("language", N_("the system's"), 'language = "es"', N_("language of the page and of what the service says")),
    Key("pace", '"express"', 'pace = "full"', N_("one touch an order, or every step of it")),
    Key("record", N_("the user's data folder"), 'record = "/srv/games/record.sqlite3"', N_("the record of all games")),
    Key("ports", N_("every Pico"), 'ports = ["/dev/ordertray"]', N_("serial ports or addresses of trays")),
    Key("virtual", "false", "virtual = true",
        N_("a virtual tray instead of a real one, to try the service without one")),
    Key("host", '"127.0.0.1"', 'host = "0.0.0.0"',
        N_("address the page is served at: this machine alone, or the whole network")),
    Key("http_port", N_("8765, or a free one"), "http_port = 8765", N_("port of the page")),
    Key("tls", "false", "tls = true", N_("https, by a certificate authority of this table's own")),
    Key("names", "[]", 'names = ["tray.club.example"]', N_("further names by which the page may be asked for")),
    Key("trusted_proxies", "[]", 'trusted_proxies = ["127.0.0.1"]',
        N_("addresses whose word counts on who asks, and whether by https")),
    Key("boards", N_("one tray serves both seats"), '[boards.E6616408432B7A2E]\nA = "A"',
        N_("seats of a tray, by its board's id; others serve both")),
    Key("lamps", N_("none"), "[lamps]", N_("lamps on the Pi's own pins: see lights/README.md")),
    Key("lamps.map", '"default"', 'map = "sound"', N_("pins where none are named; sound: beside a sound card on I2S")),
    Key("lamps.active_low", "false", 'active_low = ["link"]', N_("lamps that a low level lights: all, or these")),
    Key("lamps.pins", N_("the map's"), "pins = { link = 26 }",
        N_("BCM number of each lamp; false for no lamps of their own")),
    Key("lamps.chain", N_("the map's"), "chain = false",
        N_("lines and bars of the shift registers; false for none")),
)  # fmt: skip


def key_table() -> str:
    """The keys as a Markdown table; host/README.md contains it (a test compares)."""
    lines = ["| key | default | example | what it is |", "|---|---|---|---|"]
    for key in KEYS:
        example = "<br>".join(f"`{line}`" for line in key.example.splitlines())
        lines.append(f"| `{key.name}` | {key.default} | {example} | {key.meaning} |")
    lines += ["", "| environment variable | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in VARIABLES.items()]
    return "\n".join(lines) + "\n"


def commented_file(translate: Translator = identity) -> str:
    """A configuration file with every key in it, as a comment: the defaults hold until somebody takes a `#` away."""
    _ = translate
    lines = ["# " + _("The order tray's configuration. What is left out has its default.")]
    lines.append("# " + _("`ordertray config check` says what is wrong with it, `ordertray config show` what holds."))
    in_lamps = [key for key in KEYS if key.name.startswith("lamps.")]
    for key in KEYS:
        if key in in_lamps:
            continue
        lines += ["", f"# {_(key.meaning)} ({_('default')}: {_(key.default)})"]
        lines += [f"# {line}" for line in key.example.splitlines()]
    for key in in_lamps:
        if key.name in ("lamps.map", "lamps.active_low"):
            lines.append(f"# {key.name.partition('.')[2] + ' = ' + key.default:<28} # {_(key.meaning)}")
    pins = [f"# {lamp.name} = {lamp.bcm}" for lamp in LAMPS]
    chain = [f"# {line.name} = {line.bcm}" for line in CHAIN_LINES]
    return "\n".join([*lines, "# [lamps.pins]", *pins, "# [lamps.chain]", *chain]) + "\n"


@dataclass(frozen=True)
class Shown:
    """A key as it holds: its value as the file would write it, and where that comes from."""

    key: str
    value: str
    origin: str


def shown(settings: Settings, values: Mapping[str, Any], text: str, translate: Translator = identity) -> list[Shown]:
    """Every key as it holds. `values` and `text` are those of the file `settings` were read from; empty for none."""
    lines = Lines(text, "", 0)
    found = []
    for key in KEYS:
        name, _, inner = key.name.partition(".")
        if inner and settings.lamps is None:
            continue
        table = values.get(name)
        written = table is not None if not inner else isinstance(table, Mapping) and inner in table
        if written:
            line = lines.of(None, name) or _line_of_table(text, key.name) or _line_of_table(text, name)
            origin = f"{settings.source}:{line}" if line else str(settings.source)
        else:
            origin = _origin_of_default(key.name, settings, translate)
        found.append(Shown(key.name, _value(key.name, settings, translate), origin))
    return found


def _line_of_table(text: str, name: str) -> int | None:
    """The line where a table begins, or its key `inner =` behind it."""
    outer, _, inner = name.partition(".")
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([\w.\"'-]+)\s*\]", line):
            if header[1] == name or (not inner and header[1].startswith(f"{name}.")):
                return number
            inside = header[1] == outer
        elif inside and inner and re.match(rf"\s*{inner}\s*=", line):
            return number
    return None


def _origin_of_default(name: str, settings: Settings, translate: Translator) -> str:
    if name == "language":
        variable = next((variable for variable in LANGUAGE_VARIABLES if os.environ.get(variable)), None)
        return variable or translate(N_("default"))
    if name == "record" and os.environ.get("ORDERTRAY_HOME"):
        return "ORDERTRAY_HOME"
    return translate(N_("default"))


def _value(name: str, settings: Settings, translate: Translator) -> str:
    lamps = settings.lamps
    if name == "boards":
        boards = settings.seating.boards
        sides = [
            f"{board}: " + ", ".join(f"{side} = {seat}" for side, seat in of.items()) for board, of in boards.items()
        ]
        return "; ".join(sides) or translate(N_("one tray serves both seats"))
    if name.startswith("lamps"):
        return _lamps_value(name, lamps, translate)
    value = getattr(settings, name)
    if name == "ports" and not value:
        return translate(N_("every Pico"))
    if name == "http_port" and value is None:
        return translate(N_("8765, or a free one"))
    return _as_written(value)


def _lamps_value(name: str, lamps: LampConfig | None, translate: Translator) -> str:
    if lamps is None:
        return translate(N_("none"))
    match name:
        case "lamps":
            return translate(N_("{count} pins of this machine")).format(count=len(lamps.pins))
        case "lamps.pins":
            return ", ".join(f"{lamp.name} {lamp.bcm}" for lamp in lamps.lamps) or "false"
        case "lamps.active_low":
            return ", ".join(lamp.name for lamp in lamps.lamps if lamp.active_low) or "false"
        case "lamps.chain":
            chain = lamps.chain
            if chain is None:
                return "false"
            enable = "" if chain.output_enable is None else f", output_enable {chain.output_enable}"
            return f"data {chain.data}, clock {chain.clock}, latch {chain.latch}{enable}"
    return lamps.map


def _as_written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, Path)):
        return f'"{value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(_as_written(item) for item in value) + "]"
    return str(value)
