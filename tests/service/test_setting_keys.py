"""The configuration's one table of keys agrees with what is read, and `ordertray config` with the table."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import tomllib
from pathlib import Path

import pytest

from ordertray.commands.main import main
from ordertray.lights.lamp_config import LampConfigError, parse_lamp_config
from ordertray.service.places import MACHINE_SETTINGS, SettingsError, find_settings, is_anothers_service
from ordertray.service.setting_keys import KEYS, VARIABLES, Key, commented_file, key_table
from ordertray.service.settings import Settings, parse_settings

HOST = Path(__file__).parents[2] / "host"


def config(*arguments: str, home: Path, status: int = 0, **variables: str) -> str:
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ({"XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home / "data")} | variables).items():
            patch.setenv(name, value)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), pytest.raises(SystemExit) as ended:
            main(["config", *arguments])
    assert ended.value.code == status, said.getvalue()
    return said.getvalue()


def test_the_table_has_every_key_that_is_read_and_no_other(tmp_path: Path) -> None:
    fields = {field.name for field in dataclasses.fields(Settings)} - {"source"}
    assert {key.name for key in KEYS if "." not in key.name} == fields - {"seating"} | {"boards"}
    with pytest.raises(SettingsError) as caught:
        parse_settings({"zzz": 1}, "zzz = 1", tmp_path / "x.toml")
    known = re.findall(r"known are (.*)", str(caught.value))[0].split(", ")
    assert set(known) == {key.name for key in KEYS if "." not in key.name}
    with pytest.raises(LampConfigError) as refused:
        parse_lamp_config({"zzz": 1})
    lamps = {key.name.removeprefix("lamps.") for key in KEYS if key.name.startswith("lamps.")}
    assert set(str(refused.value).partition("there are: ")[2].split(", ")) == lamps


@pytest.mark.parametrize("key", KEYS, ids=[key.name for key in KEYS])
def test_each_example_can_be_used(key: Key, tmp_path: Path) -> None:
    text = ("[lamps]\n" if key.name.startswith("lamps.") else "") + key.example
    changed = parse_settings(tomllib.loads(text), text, tmp_path / "x.toml")
    empty = parse_settings({}, "", tmp_path / "x.toml")
    assert changed != empty, "it changes nothing"


def test_the_readme_has_the_table() -> None:
    assert key_table() in (HOST / "README.md").read_text(encoding="utf-8")


def test_every_variable_is_read_somewhere_and_every_one_read_is_told() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in HOST.rglob("*.py") if path.name != "setting_keys.py")
    read = set(re.findall(r"environ(?:\.get\(|\[)\"(ORDERTRAY_\w+)\"", source)) | {"ORDERTRAY_LANGUAGE"}
    assert set(VARIABLES) == read - {"ORDERTRAY_PATIENCE"}, "PATIENCE is the tests' own"


def test_a_file_to_begin_with_means_the_defaults_and_all_its_lines_can_be_used(tmp_path: Path) -> None:
    text = commented_file()
    assert tomllib.loads(text) == {}
    lines = [line[2:] if re.match(r"# (\[|[\w.]+ = )", line) else line for line in text.splitlines()]
    bare = "\n".join(lines)
    everything = parse_settings(tomllib.loads(bare), bare, tmp_path / "x.toml")
    assert everything.http_port == 8765 and everything.lamps is not None and everything.seating.boards
    assert set(tomllib.loads(bare)) == {key.name for key in KEYS if "." not in key.name}


def test_show_says_where_each_value_comes_from(tmp_path: Path) -> None:
    told = config("show", home=tmp_path, ORDERTRAY_LANGUAGE="es", ORDERTRAY_HOME=str(tmp_path / "games"))
    assert re.search(r"language +\"es\" +ORDERTRAY_LANGUAGE", told)
    assert re.search(r"record +\".*games/record.sqlite3\" +ORDERTRAY_HOME", told)
    file = tmp_path / "ordertray/ordertray.toml"
    file.parent.mkdir()
    file.write_text(
        'pace = "full"\n\nhttp_port = 9000\n[boards.ab12]\nA = "B"\n[lamps]\nchain = false\n[lamps.pins]\nlink = 5\n'
    )
    keys = {row["key"]: row for row in json.loads(config("show", "--json", home=tmp_path))["keys"]}
    assert keys["pace"] == {"key": "pace", "value": '"full"', "from": f"{file}:1"}
    assert (keys["http_port"]["value"], keys["http_port"]["from"]) == ("9000", f"{file}:3")
    assert (keys["boards"]["value"], keys["boards"]["from"]) == ("AB12: A = B", f"{file}:4")
    assert keys["lamps"]["from"] == f"{file}:6"
    assert (keys["lamps.chain"]["value"], keys["lamps.chain"]["from"]) == ("false", f"{file}:7")
    assert (keys["lamps.pins"]["value"], keys["lamps.pins"]["from"]) == ("link 5", f"{file}:8")
    assert keys["host"]["from"] == "default" and keys["lamps.map"]["from"] == "default"


def test_check_tells_every_fault_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('pace = "slow"\nhttp_port = 0\n')
    told = config("check", "--config", str(file), home=tmp_path, status=2)
    assert "line 1" in told and "line 2" in told
    file.write_text('pace = "full"\n')
    assert "can be used" in config("check", "--config", str(file), home=tmp_path)
    assert "there is no such file" in config("check", "--config", str(tmp_path / "no.toml"), home=tmp_path, status=2)


def test_init_writes_one_and_overwrites_none(tmp_path: Path) -> None:
    path = tmp_path / "ordertray/ordertray.toml"
    assert config("init", home=tmp_path).strip() == str(path)
    assert "can be used" in config("check", home=tmp_path)
    path.write_text('pace = "full"\n')
    assert "--force" in config("init", home=tmp_path, status=2)
    assert path.read_text() == 'pace = "full"\n'
    config("init", "--force", home=tmp_path)
    assert path.read_text() == commented_file()


def test_the_services_configuration_is_found_by_those_who_may_read_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from ordertray.install import layout
    from ordertray.service import places

    assert str(MACHINE_SETTINGS) == str(layout.CONFIGURATION) and str(layout.STATE_DIRECTORY) == places.MACHINE_HOME
    assert find_settings() is None, "the tests' own folders hide the machine's"
    theirs = tmp_path / "etc/ordertray.toml"
    theirs.parent.mkdir()
    theirs.write_text("")
    monkeypatch.setattr(places, "MACHINE_SETTINGS", theirs)
    monkeypatch.delenv("XDG_CONFIG_DIRS")
    assert find_settings() == theirs
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert find_settings() is None, "a file for others is none of ours"
    assert is_anothers_service()
    monkeypatch.setenv("HOME", places.MACHINE_HOME)
    assert not is_anothers_service()
