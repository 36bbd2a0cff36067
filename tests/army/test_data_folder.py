"""Finding army data: by id, by slug, by content; the metadata, the Reinforcements; what is no data, or another's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from army.made_up_data import (
    IRREGULAR,
    NBSP,
    REGULAR,
    SLUG,
    SPANISH_NAMES,
    TACTICAL,
    code_of,
    content_of,
    group,
    imported,
    metadata_content,
    option,
    sectorial_content,
    unit,
    write_folder,
)
from ordertray.army.codes import ArmyCode, CodeGroup, Member
from ordertray.army.data_files import ArmyDataError
from ordertray.army.data_folder import open_army_data
from ordertray.army.importing import import_army

CODE = ArmyCode(901, "made-up", "Test", 300, (CodeGroup((Member(1, 1, 1),)),))
N4 = unit(1, group(1, option(orders=(REGULAR, IRREGULAR), skills=[{"id": 213}])), factions=[])
N5 = unit(1, group(1, option(orders=(REGULAR, TACTICAL), skills=[{"id": 213}])), factions=[])
PLAIN = unit(1, group(1, option()), factions=[])


def put(folder: Path, **files: object) -> Path:
    """A data folder; texts are written as they are."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name.replace('_', '-')}.json").write_text(text)
    return folder


@pytest.mark.parametrize("name", ["901", "units-901", "901_en", "made_up", "N5_made_up_2026"])
def test_a_file_is_found_by_id_or_slug(tmp_path: Path, name: str) -> None:
    put(tmp_path, **{name: {"units": [PLAIN]}, "1901": {"units": [N4]}, "other": {"units": [N4]}})
    assert Path(open_army_data(tmp_path, CODE).source).stem == name.replace("_", "-")


def test_the_edition_chooses_among_files(tmp_path: Path) -> None:
    put(tmp_path, **{"901-old": {"units": [N4]}, "901-new": {"units": [N5]}})
    assert open_army_data(tmp_path, CODE, edition="n4-2020").source.endswith("901-old.json")
    with pytest.raises(ArmyDataError, match=r"files fit .*901-new.json: n5, 901-old.json: n4.* or say --edition"):
        open_army_data(tmp_path, CODE)
    with pytest.raises(ArmyDataError, match=r"another edition than codeone \(901-new.json: n5, 901-old.json: n4\)"):
        open_army_data(tmp_path, CODE, edition="codeone")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"line 1, 901.json: this is not JSON"),
        ('{\n"units": [}', r"line 2, 901.json: this is not JSON: Expecting value \(column 11\)"),
        ("[1]", "it is no object"),
        ("7", "it is no object"),
        ({}, r"no list 'units' \(it has -\)"),
        ({"skills": [], "weapons": []}, r"no list 'units' \(it has skills, weapons\)"),
        ({"units": {}}, "no list 'units'"),
        ({"units": []}, "no list 'units'"),
        (
            {"units": [1, {"id": "x"}, {"id": 3}]},
            r"(?s)units\[0\]: not a unit.*\[1\].*\[2\]: unit 3 has no list",
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"units": ' + "9" * 5000 + "}", "this is not JSON"),
        ("\ufeff{}", "no list 'units'"),
    ],
)
def test_what_is_no_army_data_is_refused_in_one_message(tmp_path: Path, content: object, message: str) -> None:
    put(tmp_path, **{"901": content})
    for place in (tmp_path, tmp_path / "901.json"):
        with pytest.raises(ArmyDataError, match=message):
            open_army_data(place, CODE)


def test_an_unknown_sectorial_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path, other={"units": [PLAIN]})
    with pytest.raises(ArmyDataError, match=r'no file for sectorial 901 "made-up": name it 901.json.*other.json'):
        open_army_data(tmp_path, CODE)
    with pytest.raises(ArmyDataError, match="no such file or folder"):
        open_army_data(tmp_path / "none", CODE)


def test_files_in_another_encoding_are_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "901.json").write_bytes('{"units": "ñ"}'.encode("cp1252"))
    with pytest.raises(
        ArmyDataError, match=r"line 1, 901.json: not UTF-8 .*'ñ' in Windows-1252.*save the file as UTF-8"
    ):
        open_army_data(tmp_path, CODE)


def test_of_several_versions_the_newest_is_taken_and_said(tmp_path: Path) -> None:
    old, new = ({"units": [N5], "version": version} for version in ("7.2520.465", "7.25125.348"))
    put(tmp_path, **{"901": old, "901-b": new})
    put(tmp_path / "x", **{"901-a": old, "901-b": new})
    assert open_army_data(tmp_path, CODE).source.endswith("901.json")  # the name that fits best
    data = open_army_data(tmp_path / "x", CODE)
    assert data.source.endswith("901-b.json")
    assert "901-b.json was taken, the newest" in data.warnings[0].text()


def test_two_files_of_one_version_that_differ_are_refused(tmp_path: Path) -> None:
    put(tmp_path, **{"901-a": {"units": [N5], "version": "7.1.1"}, "901-b": {"units": [PLAIN, N5], "version": "7.1.1"}})
    with pytest.raises(ArmyDataError, match="several files fit"):
        open_army_data(tmp_path, CODE)


@pytest.mark.parametrize("slugs", [False, True])
def test_a_folder_by_ids_or_by_slugs_with_its_reinforcements(tmp_path: Path, slugs: bool) -> None:
    write_folder(tmp_path, slugs=slugs)
    groups = (CodeGroup((Member(11, 1, 3), Member(13, 1, 1))), CodeGroup((Member(82, 1, 1),), reinforcement=True))
    code = code_of(groups=groups)
    data = open_army_data(tmp_path, code)  # its slug is a part of another one's
    assert Path(data.source).stem == (SLUG if slugs else "961")
    found = import_army(code, data)
    assert [t.deploy for t in found.army.troopers] == ["table", "hidden", "reinforcement"]
    assert found.problems() == ()


def test_reinforcements_that_are_not_here_are_named(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "969.json").unlink()
    code = code_of(groups=(CodeGroup((Member(11, 1, 3),)), CodeGroup((Member(82, 1, 1),), reinforcement=True)))
    data = open_army_data(tmp_path, code)
    assert "are in another file, which is not here: save it as 969.json (Late Embers)" in data.warnings[0].text()
    assert import_army(code, data).to_fill_in == {"unknown"}


@pytest.mark.parametrize("name", ["download", "army data (3).json", "x.txt", "y.JSON"])
def test_files_under_any_name_are_known_by_their_units(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(sectorial_content()))
    (tmp_path / "z.json").write_text(json.dumps(content_of(unit(91, group(1, option()), factions=[962]))))
    (tmp_path / "notes.json").write_text("[")
    code = code_of(Member(11, 1, 3))
    assert Path(open_army_data(tmp_path, code).source).name == name


def test_another_sectorial_is_refused_by_name(tmp_path: Path) -> None:
    write_folder(tmp_path)
    message = "this is the data of sectorial 962 Upper Ember; the code is of 961"
    with pytest.raises(ArmyDataError, match=message):
        open_army_data(tmp_path / "962.json", code_of(Member(91, 1, 1)))
    (tmp_path / "962.json").rename(tmp_path / "mine.json")
    with pytest.raises(ArmyDataError, match=message):
        open_army_data(tmp_path / "mine.json", code_of(Member(91, 1, 1)))
    assert open_army_data(tmp_path / "961.json", code_of(Member(11, 1, 3))).units


def test_codeones_codes_find_codeones_data(tmp_path: Path) -> None:
    half = unit(1, group(1, option(points=1.5)), factions=[961])
    put(tmp_path, **{SLUG: sectorial_content(), "10961": content_of(half)})
    code = ArmyCode(10961, SLUG, "", 15, (CodeGroup((Member(1, 1, 1),)),))
    assert open_army_data(tmp_path, code).edition == "codeone"
    assert open_army_data(tmp_path, code_of(Member(11, 1, 3))).edition == "n5"
    (tmp_path / "10961.json").unlink()
    with pytest.raises(ArmyDataError, match="another edition than codeone"):
        open_army_data(tmp_path, code)


@pytest.mark.parametrize("names", [{}, SPANISH_NAMES, {238: "", 213: "???"}])
def test_hidden_is_hidden_whatever_language_the_names_are_in(tmp_path: Path, names: dict[int, str]) -> None:
    write_folder(tmp_path)
    (tmp_path / "metadata.json").write_text(json.dumps(metadata_content(names)), "utf-8")
    data = open_army_data(tmp_path, code_of(Member(13, 1, 1)))
    assert imported(data, Member(13, 1, 1)).army.troopers[0].deploy == "hidden"
    assert NBSP not in imported(data, Member(11, 1, 1)).army.troopers[0].name


def test_spoilt_metadata_is_a_warning(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "metadata.json").write_text("[")
    data = open_army_data(tmp_path, code_of(Member(13, 1, 1)))
    assert data.warnings[0].text() == "line 1, metadata.json: this is not JSON: Expecting value (column 2)"
