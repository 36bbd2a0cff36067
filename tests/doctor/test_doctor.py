"""The doctor shows each fault it knows when that fault is staged, with the command that mends it."""

from __future__ import annotations

import os
import pwd
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordertray.doctor import Facts, Level, PortFacts, examine, gather
from ordertray.journal import Journal
from ordertray.messages import translator

PICO = PortFacts("/dev/ttyACM0", (0x2E8A, 0x0005), "E6616408432B7A2E")
HELLO = {"fw": "0.1.0", "mp": "1.28.0", "proto": [1, 0], "faults": [], "errors": []}
TRAY: dict[str, Any] = {
    "name": "tray1", "state": "online", "port": "/dev/ttyACM0", "error": "", "hello": HELLO,
    "readers": {"A": {"health": "ok"}, "B": {"health": "ok"}},
}  # fmt: skip
WELL = Facts(ports=(PICO,), status={"summary": "all is well", "trays": [TRAY]}, gpio_libraries=())


def tray(**changes: Any) -> Facts:
    """A machine whose tray is not well."""
    return replace(WELL, status={"summary": "", "trays": [{**TRAY, **changes}]})


def faults(facts: Facts) -> list[tuple[str, str]]:
    """Texts and mending commands of all faults."""
    return [(f"{f.what}: {f.text}", " ".join(f.mend)) for f in examine(facts) if f.level is Level.FAULT]


def test_a_machine_that_is_well_has_no_faults() -> None:
    assert faults(WELL) == []
    assert all(finding.level is Level.OK for finding in examine(WELL))


STAGED = [
    ("old python", replace(WELL, python=(3, 9)), "3.9", "apt-get install python3"),
    ("configuration", replace(WELL, configuration_fault="line 3: no"), "line 3", "ordertray.toml"),
    ("clock never set", replace(WELL, now_s=0), "1970-01-01", "timedatectl"),
    ("clock behind", replace(WELL, last_entry_s=WELL.now_s + 9999), "before the last entry", "timedatectl"),
    ("damaged record", replace(WELL, record_fault="is damaged"), "is damaged", "record salvage"),
    ("folder", replace(WELL, folder_writable=False), "may not write", "chown player"),
    ("full disk", replace(WELL, free_bytes=1_000_000), "1 MB", "apt-get"),
    ("group", replace(WELL, groups=frozenset(), ports=(replace(PICO, may_open=False),)), "not in group dialout",
     "usermod -aG dialout player"),
    ("mode", replace(WELL, ports=(replace(PICO, may_open=False),)), "may not write to it", "ordertray install"),
    ("holder", replace(WELL, status=None, ports=(replace(PICO, held_by=("minicom (process 42)",)),)),
     "held by minicom", "kill 42"),
    ("boot loader", replace(WELL, ports=(), boot_loader=True), "boot loader", "ordertray flash"),
    ("modem manager", replace(WELL, modem_manager=True, udev_rule=False), "will talk to trays", "ordertray install"),
    ("protocol", tray(state="incompatible", hello={**HELLO, "proto": [2, 0]}), "protocol 2.0", "ordertray flash"),
    ("tray away", tray(state="looking", error="looked for x; found y"), "looked for x", "ordertray status"),
    ("micropython", tray(hello={**HELLO, "mp": "1.24.1"}), "MicroPython 1.24.1", "ordertray flash"),
    ("tray configuration", tray(hello={**HELLO, "faults": ["config: pin 40"]}), "pin 40", "ordertray flash"),
    ("reader", tray(readers={"B": {"health": "failed"}}), "reader B is failed", "cable"),
    ("stuck", tray(readers={"B": {"health": "failed", "why": "no-reset-line"}}), "no reset line", "plug it in again"),
    ("two gpio libraries", replace(WELL, gpio_libraries=("RPi.GPIO", "rpi-lgpio")), "overwrite", "pip uninstall"),
    ("no gpio library", replace(WELL, lamps=True, model="Raspberry Pi 5 Model B"), "rpi-lgpio", "pip install"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "text", "mend"), [row[1:] for row in STAGED], ids=[row[0] for row in STAGED])
def test_each_staged_fault_is_shown_with_what_mends_it(facts: Facts, text: str, mend: str) -> None:
    found = faults(facts)
    assert len(found) == 1, found
    assert text in found[0][0] and mend in found[0][1]


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (replace(WELL, clock_synchronised=False), "not set by the network"),
        (replace(WELL, ports=()), "no tray is plugged in"),
        (replace(WELL, status=None), "is not running"),
        (replace(WELL, micropython_interpreter=False), "runs on Python"),
        (tray(hello={**HELLO, "errors": ["ValueError in app"]}), "ValueError in app"),
    ],
)
def test_what_works_all_the_same_is_a_note(facts: Facts, text: str) -> None:
    assert faults(facts) == []
    assert any(text in finding.text for finding in examine(facts) if finding.level is Level.NOTE)


def test_a_port_held_by_our_own_service_is_no_fault() -> None:
    assert faults(replace(WELL, ports=(replace(PICO, held_by=("ordertray (process 7)",)),))) == []


def test_several_faults_are_shown_together_and_in_spanish_too() -> None:
    sick = replace(WELL, free_bytes=0, modem_manager=True, udev_rule=False, now_s=0)
    assert len(faults(sick)) == 3
    english, spanish = (
        [f.text for f in found if f.level is Level.FAULT] for found in (examine(sick), examine(sick, translator("es")))
    )
    assert len(spanish) == 3 and not set(spanish) & set(english)


def test_only_a_damaged_record_is_to_be_salvaged(tmp_path: Path) -> None:
    """Each kind of record that cannot be read, as it lies on the disk, with the command that is right for it."""

    def staged(name: str, *statements: str) -> Path:
        path = tmp_path / name
        with Journal.open(path) as journal:
            journal.new_game(at_ms=0, edition="n5", options={}, armies={"A": "", "B": ""})
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.close()
        return path

    alien = tmp_path / "alien.sqlite3"
    alien.write_bytes(b"no database at all, but long enough to look at" * 20)
    damaged = staged("damaged.sqlite3")
    data = bytearray(damaged.read_bytes())
    data[4096 : 4096 + 64] = bytes(64)
    damaged.write_bytes(data)
    for record, told, mend in (
        (staged("newer.sqlite3", "PRAGMA user_version = 99"), "newer order tray", "sudo sh "),
        (staged("older.sqlite3", "PRAGMA user_version = 1"), "older version", "ordertray run --record"),
        (alien, "is not a record", "ordertray run --record"),
        (damaged, "is damaged", "ordertray record salvage"),
    ):
        facts = gather(record)
        (fault,) = faults(
            replace(WELL, record=record, record_fault=facts.record_fault, record_trouble=facts.record_trouble)
        )
        assert told in fault[0] and fault[1].startswith(mend), fault


@pytest.mark.parametrize("how", [KeyError("uid not found: 54321"), OSError("No username set in the environment")])
def test_a_user_without_a_name_is_told_by_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: Exception
) -> None:
    """As in a container that was given just a number; Python says so in two ways, before and since 3.13."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(number: int) -> object:
        raise how

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert gather(tmp_path / "record.sqlite3").user == str(os.getuid())


def test_the_facts_of_this_machine_can_be_gathered(tmp_path: Path) -> None:
    facts = gather(tmp_path / "not" / "yet" / "record.sqlite3")
    assert facts.python >= (3, 11) and facts.free_bytes > 0 and facts.folder_writable
    assert facts.status is None and facts.record_fault is None
    broken = tmp_path / "broken.sqlite3"
    broken.write_bytes(b"no database at all, but long enough to look at" * 20)
    assert "broken.sqlite3" in str(gather(broken).record_fault)
