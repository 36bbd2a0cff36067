"""The configuration file of the host: `ordertray.toml`, checked whole, every fault with its line.

Its keys, what they mean and their defaults stand in `setting_keys.py`, and in host/README.md from there.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files.problems import Problem, in_file_order, printable
from ..files.tables import Lines, Table
from ..lights.lamp_config import LampConfig, LampConfigError, parse_lamp_config
from ..messages import N_, detect_language, languages
from ..table import Pace, Seating, SeatingError
from .places import SettingsError, default_record, find_settings, read_settings


@dataclass(frozen=True)
class Settings:
    """What the host is told once and for all. Command line options win over it."""

    language: str = "en"
    pace: Pace = Pace.EXPRESS
    record: Path = field(default_factory=default_record)
    ports: tuple[str, ...] = ()
    seating: Seating = field(default_factory=Seating)
    lamps: LampConfig | None = None
    source: Path | None = None
    host: str = "127.0.0.1"
    http_port: int | None = None
    tls: bool = False
    names: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    virtual: bool = False


def load_settings(path: Path | None = None) -> Settings:
    """Read the configuration at `path`, or wherever it is found; defaults where there is none.

    Raises `SettingsError` with every fault.
    """
    path = path or find_settings()
    if path is None:
        return Settings(language=detect_language())
    values, text = read_settings(path)
    return parse_settings(values, text, path)


_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")


def parse_settings(values: Mapping[str, Any], text: str, path: Path) -> Settings:
    """Settings from the TOML table `values`, read from `text`. Raises `SettingsError` with every fault."""
    problems: list[Problem] = []
    lines = Lines(text, "", 0)
    table = Table(values, problems, "", lambda key: lines.of(None, key))
    table.ignore("boards", "lamps")
    language = table.choice("language", languages(), detect_language())
    pace = Pace(table.choice("pace", tuple(Pace), Pace.EXPRESS))
    record = table.text("record")
    ports = table.words("ports", (), others=True)
    virtual = table.flag("virtual")
    host = table.text("host") or "127.0.0.1"
    http_port = table.whole("http_port", 0, minimum=1, maximum=65535) or None
    tls = table.flag("tls")
    names = table.words("names", (), others=True)
    for name in names:
        if not _HOST_NAME.fullmatch(name):
            table.fault("names", N_("{found} is no name of a host"), found=printable(name))
    proxies = table.words("trusted_proxies", (), others=True)
    for proxy in proxies:
        try:
            ipaddress.ip_address(proxy)
        except ValueError:
            table.fault("trusted_proxies", N_("{found} is no address"), found=printable(proxy))
    seating = Seating()
    boards = values.get("boards", {})
    if not isinstance(boards, Mapping):
        table.fault("boards", N_("must be a table: [boards.ID]"))
    else:
        try:
            seating = Seating.from_config(boards)
        except SeatingError as error:
            problems.extend(Problem("", "{text}", {"text": problem}) for problem in error.problems)
    lamps = None
    if isinstance(values.get("lamps"), Mapping):
        try:
            lamps = parse_lamp_config(values["lamps"])
        except LampConfigError as error:
            problems.extend(error.problems)
    elif "lamps" in values:
        table.fault("lamps", N_("must be a table: [lamps]"))
    table.finish()
    if problems:
        raise SettingsError(str(path), in_file_order(problems))
    where = Path(record) if record else default_record()
    return Settings(language, pace, where, ports, seating, lamps, path, host, http_port, tls, names, proxies, virtual)
