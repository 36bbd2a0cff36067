"""The doctor's judgement of the facts: pure, one finding per thing looked at, each fault with the way to mend it."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ordertray.link.versions import judged
from ordertray_firmware.link import PROTOCOL
from ordertray_firmware.readers.ladder import NO_RESET

from ..files.extras import install_command, pip_command
from ..install.layout import INSTALLER, WHEEL
from ..journal import JournalDamagedError, JournalNewerError, JournalOlderError, NotAJournalError
from ..lights.gpio_library import gpio_library_report
from ..messages import N_, identity
from .facts import Facts, PortFacts

OLDEST_MICROPYTHON = (1, 28)
#: No tray is older than this: a clock before it has never been set (2026-01-01).
YOUNGEST_PAST_S = 1_767_225_600
#: Room for many seasons of games; below it somebody should know.
LITTLE_ROOM_BYTES = 50_000_000


class Level(StrEnum):
    """How bad it is: `ok`, `note` (it works all the same), `fault`."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, in words, and the commands that mend it."""

    what: str
    level: Level
    text: str
    mend: tuple[str, ...] = ()


Translator = Callable[[str], str]


def examine(facts: Facts, translate: Translator = identity) -> list[Finding]:
    """Everything the doctor knows, in the order in which to mend it."""
    return [
        finding
        for check in (_python, _configuration, _clock, _record, _disk, _group, _ports, _modem_manager, _service,
                      _trays, _gpio, _virtual)
        for finding in check(facts, translate)
    ]  # fmt: skip


def _python(facts: Facts, _: Translator) -> Iterator[Finding]:
    if facts.python >= (3, 11):
        yield Finding("Python", Level.OK, "{}.{}".format(*facts.python))
    else:
        text = _(N_("{version} is too old; 3.11 or newer is needed")).format(version="{}.{}".format(*facts.python))
        yield Finding("Python", Level.FAULT, text, ("sudo apt-get install python3",))


def _configuration(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("configuration"))
    if facts.configuration_fault is None:
        yield Finding(what, Level.OK, _(N_("can be used")))
    else:
        yield Finding(what, Level.FAULT, facts.configuration_fault, ("sudoedit /etc/ordertray/ordertray.toml",))


def _clock(facts: Facts, _: Translator) -> Iterator[Finding]:
    what, mend = _(N_("clock")), ("sudo timedatectl set-ntp true",)
    shown = time.strftime("%Y-%m-%d %H:%M", time.gmtime(facts.now_s))
    if facts.now_s < YOUNGEST_PAST_S:
        yield Finding(what, Level.FAULT, _(N_("{now} UTC cannot be right")).format(now=shown), mend)
    elif facts.last_entry_s is not None and facts.last_entry_s > facts.now_s + 60:
        text = _(N_("{now} UTC is before the last entry of the record")).format(now=shown)
        yield Finding(what, Level.FAULT, text, mend)
    elif facts.clock_synchronised is False:
        yield Finding(what, Level.NOTE, _(N_("{now} UTC, not set by the network")).format(now=shown), mend)
    else:
        yield Finding(what, Level.OK, f"{shown} UTC")


def _record(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("record"))
    if facts.record_fault is not None:
        yield Finding(what, Level.FAULT, facts.record_fault, (_mend_of(facts),))
    elif not facts.folder_writable:
        text = _(N_("{user} may not write to {folder}")).format(user=facts.user, folder=facts.record.parent)
        yield Finding(what, Level.FAULT, text, (f"sudo chown {facts.user} {facts.record.parent}",))
    else:
        yield Finding(what, Level.OK, str(facts.record))


def _mend_of(facts: Facts) -> str:
    """What mends a record that cannot be read: only a damaged one is to be salvaged."""
    if issubclass(facts.record_trouble, JournalNewerError):
        return f"sudo sh {shlex.quote(str(INSTALLER))} {WHEEL}"
    if issubclass(facts.record_trouble, JournalOlderError):
        return f"ordertray run --record {facts.record}"
    if issubclass(facts.record_trouble, NotAJournalError):
        return f"ordertray run --record {facts.record.with_name('games.sqlite3')}"
    if issubclass(facts.record_trouble, JournalDamagedError):
        return f"ordertray record salvage saved.sqlite3 --record {facts.record}"
    return f"sudo chown {facts.user} {facts.record}"


def _disk(facts: Facts, _: Translator) -> Iterator[Finding]:
    what, megabytes = _(N_("disk")), facts.free_bytes // 1_000_000
    if facts.free_bytes < LITTLE_ROOM_BYTES:
        text = _(N_("only {megabytes} MB are free where the record lies")).format(megabytes=megabytes)
        yield Finding(what, Level.FAULT, text, ("sudo apt-get clean",))
    else:
        yield Finding(what, Level.OK, _(N_("{megabytes} MB free")).format(megabytes=megabytes))


def _group(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("permission"))
    shut = [port for port in facts.ports if port.is_pico and not port.may_open]
    if not shut:
        yield Finding(what, Level.OK, _(N_("{user} may open the trays' ports")).format(user=facts.user))
    for port in shut:
        if port.group in facts.groups:
            text = _(N_("{device}: group {group} may not write to it")).format(device=port.device, group=port.group)
            yield Finding(what, Level.FAULT, text, ("sudo ordertray install",))
        else:
            text = _(N_("{device}: {user} is not in group {group}")).format(
                device=port.device, user=facts.user, group=port.group
            )
            yield Finding(what, Level.FAULT, text, (f"sudo usermod -aG {port.group} {facts.user}",))


def _ports(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("port"))
    picos = [port for port in facts.ports if port.is_pico]
    if not picos:
        if facts.boot_loader:
            text = _(N_("a Pico waits in its boot loader, without MicroPython"))
            way = _(N_("with MicroPython's .uf2 for it, from micropython.org:"))
            mend = (way, "ordertray flash --image RPI_PICO.uf2")
            yield Finding(what, Level.FAULT, text, mend)
        else:
            others = ", ".join(port.device for port in facts.ports) or "-"
            text = _(N_("no tray is plugged in (serial ports: {others})")).format(others=others)
            yield Finding(what, Level.NOTE, text, ("ordertray run --virtual --quick 10 4",))
    for port in picos:
        yield _port(port, facts, _)


def _port(port: PortFacts, facts: Facts, _: Translator) -> Finding:
    what = _(N_("port"))
    service = any(tray.get("port") == port.device for tray in (facts.status or {}).get("trays", ()))
    if port.held_by and not service:
        text = _(N_("{device} is held by {holders}")).format(device=port.device, holders=", ".join(port.held_by))
        numbers = [match.group(1) for holder in port.held_by if (match := re.search(r"process (\d+)", holder))]
        return Finding(what, Level.FAULT, text, tuple(f"kill {number}" for number in numbers))
    text = _(N_("{device}: a Pico, serial number {serial}")).format(device=port.device, serial=port.serial or "-")
    return Finding(what, Level.OK, text)


def _modem_manager(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = "ModemManager"
    if facts.modem_manager and not facts.udev_rule:
        text = _(N_("is running and will talk to trays when they are plugged in"))
        yield Finding(what, Level.FAULT, text, ("sudo ordertray install",))
    elif facts.modem_manager:
        yield Finding(what, Level.OK, _(N_("is running, kept off trays by our rule")))
    else:
        yield Finding(what, Level.OK, _(N_("is not running")))


def _service(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("service"))
    if facts.status is None:
        mend = ("ordertray run", *(("sudo -u ordertray ordertray doctor",) if facts.anothers_service else ()))
        yield Finding(what, Level.NOTE, _(N_("is not running on this record")), mend)
    else:
        yield Finding(what, Level.OK, str(facts.status.get("summary")))


def _trays(facts: Facts, _: Translator) -> Iterator[Finding]:
    for tray in (facts.status or {}).get("trays", ()):
        yield from _tray(tray, _)


def _tray(tray: Mapping[str, Any], _: Translator) -> Iterator[Finding]:
    what, hello = _(N_("tray {name}")).format(name=tray.get("name")), tray.get("hello") or {}
    if tray.get("state") == "incompatible":
        proto = ".".join(str(number) for number in hello.get("proto", ()))
        text = _(N_("speaks protocol {theirs}, this host {ours}")).format(theirs=proto, ours="{}.{}".format(*PROTOCOL))
        yield Finding(what, Level.FAULT, text, ("ordertray flash",))
        return
    if tray.get("state") != "online":
        yield Finding(what, Level.FAULT, str(tray.get("error") or tray.get("state")), ("ordertray status --frames",))
        return
    if (version := _version(hello.get("mp"))) is not None and version < OLDEST_MICROPYTHON:
        text = _(N_("runs MicroPython {version}; {oldest} or newer is needed")).format(
            version=hello.get("mp"), oldest="{}.{}".format(*OLDEST_MICROPYTHON)
        )
        mend = (_(N_("hold BOOTSEL while plugging it in, copy the new .uf2 to its drive, then:")), "ordertray flash")
        yield Finding(what, Level.FAULT, text, mend)
    for fault in hello.get("faults", ()):
        yield Finding(what, Level.FAULT, str(fault), ("ordertray flash",))
    for pad, reader in (tray.get("readers") or {}).items():
        if reader.get("health") in ("failed", "absent"):
            text = _(N_("reader {pad} is {health}")).format(pad=pad, health=reader.get("health"))
            way_out = _(N_("check its cable; it comes back by itself"))
            if reader.get("why") == NO_RESET:
                text = _(N_("reader {pad} hangs, and no reset line is wired that could wake it")).format(pad=pad)
                way_out = _(
                    N_("unplug the tray and plug it in again; wire RST (rst in config.json) against the next time")
                )
            yield Finding(what, Level.FAULT, text, (way_out,))
    if advice := judged(hello, _):
        yield Finding(what, Level.NOTE, advice, ("ordertray flash",))
    for error in hello.get("errors", ()):
        yield Finding(what, Level.NOTE, _(N_("has restarted after: {error}")).format(error=error))
    yield Finding(what, Level.OK, _(N_("online, firmware {version}")).format(version=hello.get("fw")))


def _version(text: object) -> tuple[int, int] | None:
    match = re.match(r"v?(\d+)\.(\d+)", str(text))
    return (int(match.group(1)), int(match.group(2))) if match else None


def _gpio(facts: Facts, _: Translator) -> Iterator[Finding]:
    report = gpio_library_report(
        facts.model,
        facts.gpio_libraries,
        pip=pip_command(),
        own=facts.own_gpio_libraries,
        sees_system=facts.sees_system_packages,
        translate=_,
    )
    level = Level.OK if report.ok else Level.FAULT if facts.lamps or len(facts.gpio_libraries) > 1 else Level.NOTE
    yield Finding("GPIO", level, report.verdict, report.mend)


def _virtual(facts: Facts, _: Translator) -> Iterator[Finding]:
    what = _(N_("virtual tray"))
    if facts.micropython_interpreter:
        yield Finding(what, Level.OK, _(N_("runs on the MicroPython interpreter")))
    else:
        text = _(N_("runs on Python, as the MicroPython interpreter is not installed"))
        yield Finding(what, Level.NOTE, text, (install_command("sim"),) if facts.interpreter_is_to_be_had else ())
