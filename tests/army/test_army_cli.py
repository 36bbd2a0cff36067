"""`ordertray army ...`: what a player types and sees."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from typer.testing import CliRunner, Result

from army.made_up_data import code_of, write_folder
from ordertray.army.code_writing import encode
from ordertray.army.codes import CodeGroup, Member, decode
from ordertray.army.roster import load_army, read_roster
from ordertray.army.schema import roster_schema
from ordertray.army.sheet import read_csv
from ordertray.commands.army import app, code_json, encode_json
from ordertray.commands.army_shown import orders_of
from ordertray.commands.shared import EditionName
from ordertray.rules.army import Trooper
from ordertray.rules.editions import CODEONE, EDITIONS, N4, N5

EXAMPLES = Path(__file__).parents[2] / "examples"
CODE = (EXAMPLES / "army-code.txt").read_text().strip()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings, who reads English, in a folder of his own."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("ORDERTRAY_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object, text: str | None = None, status: int = 0) -> Result:
    """Run a command; its status must be `status`."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=text)
    assert result.exit_code == status, result.output
    return result


@pytest.mark.parametrize("command", ["decode", "encode", "check", "show", "convert", "new", "schema", "fill", "data"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = run(command, "--help").output
    assert "Example:" in text and f"ordertray army {command}" in text


def test_from_a_code_and_data_to_a_roster(home: Path) -> None:
    result = run("decode", CODE, "--data", EXAMPLES / "army-data", "-o", "mine.toml")
    assert "Cinder Column: sectorial 901 cinder-column, 300 points, framing V1" in result.stdout
    assert "soot-ghost: group 1, member 10, deploy: it may begin off the table (hidden)" in result.stderr
    assert load_army(home / "mine.toml").total_points == 300
    # The folder is remembered, the file is not overwritten.
    assert "exists already" in run("decode", CODE, "-o", "mine.toml", status=2).stderr
    run("decode", CODE, "-o", "again.csv")
    run("convert", "again.csv", "again.toml")
    assert load_army(home / "again.toml") == load_army(home / "mine.toml")
    run("decode", CODE, "-o", "mine.toml", "--force")


def test_a_code_from_standard_input_and_without_data(home: Path) -> None:
    result = run("decode", "-", "-o", "mine.toml", text=f"https://army.example/army/list/{CODE}\n")
    assert "no army data is given" in result.stderr and "point --data at the folder" in result.stderr
    assert "to correct: the list has no Lieutenant" in result.stderr
    assert "unknown-14" in (home / "mine.toml").read_text()
    checked = run("check", "mine.toml", status=2)
    assert "mine.toml: not ready to play: 14 troopers, 0 of 300 points so far" in checked.stdout
    assert "the list has no Lieutenant" in checked.stdout
    assert "14 of 14 entries are to be filled in before the list may play: unknown, unknown-2," in checked.stderr
    assert "ordertray army fill mine.toml" in checked.stderr


def test_with_data_the_list_is_shown_as_a_player_knows_it(home: Path) -> None:
    write_folder(home / "data")
    members = (
        Member(11, 1, 3),
        Member(11, 1, 4),
        Member(11, 1, 2),
        Member(13, 1, 1),
        Member(14, 1, 1),
        Member(99, 1, 1),
    )
    result = run("decode", encode(code_of(*members)), "--data", "data", "-o", "mine.toml", "--edition", "n5")
    for part in ("Test: 73 of 300 points", "Cinder Cannon, Flare Pistol", "EMBER, Cinder Cannon", "└ ", "hidden",
                 "to be filled in", "5 Regular, 1 Lieutenant", "5 troopers"):  # fmt: skip
        assert part in result.stdout, part
    assert "1 of 6 entries are to be filled in before the list may play: unknown" in result.stderr
    assert "unknown: group 1, member 6: unit 99 is not in this data" in result.stderr
    # A Lieutenant is not to be told from the others by its name.
    assert "EMBER (Lieutenant)" not in result.stdout


def test_fill_asks_for_what_the_data_did_not_know_and_leaves_the_rest_of_the_file(home: Path) -> None:
    write_folder(home / "data")
    members = (Member(11, 1, 3), Member(13, 1, 1), Member(99, 1, 1), Member(98, 1, 1))
    run("decode", encode(code_of(*members)), "--data", "data", "-o", "mine.toml")
    before = (home / "mine.toml").read_text()
    run("fill", "mine.toml", text="Late Comer\nHI\n33\nregular\nnco\ntable\n", status=1)  # stopped in the second one
    half = read_roster(home / "mine.toml").army
    assert [t.incomplete for t in half.troopers] == [False, False, False, True]
    result = run("fill", "mine.toml", text="Second\n\n7,5\n7\nirregular\n\nairborne\n")
    assert "! a number of at least 0" in result.output and "nothing is left to be filled in" in result.output
    army = load_army(home / "mine.toml")
    assert army.troopers[2:] == (
        Trooper("late-comer", "Late Comer", "HI", 33, skills=frozenset({"nco"})),
        Trooper("second", "Second", "LI", 7, training="irregular", deploy="airborne"),
    )
    assert "it may begin off the table (hidden)" in (home / "mine.toml").read_text()
    assert before.count("#") > (home / "mine.toml").read_text().count("#") > 0
    assert "good: 4 troopers" in run("check", "mine.toml").stdout


def test_fill_asks_for_the_controller_of_a_peripheral_that_was_bought_by_itself(home: Path) -> None:
    write_folder(home / "data")
    code = code_of(groups=(CodeGroup((Member(11, 1, 3),)), CodeGroup((Member(11, 1, 1), Member(14, 1, 1)))))
    run("decode", encode(code), "--data", "data", "-o", "mine.csv")
    assert "not ready" in run("check", "mine.csv", status=2).stdout
    assert "to be filled in" in run("show", "mine.csv").stdout
    run("fill", "mine.csv", text="nobody\nember\n")
    army = read_csv(home / "mine.csv").army
    assert (army.troopers[2].controller, army.troopers[2].group, army.troopers[2].own_cost) == ("ember", 1, True)


def test_data_is_remembered_and_told_with_version_and_age(home: Path) -> None:
    assert 'your browser shows it (F12, "Network")' in run("data").stdout
    write_folder(home / "data")
    (home / "data" / "other.json").write_text("[")
    text = run("data", home / "data").stdout
    assert "3 files of armies, n5, version 7.25400.12, saved 0 days ago" in text
    assert "Late Embers" in text and "Ember League" in text and "other.json: this is not JSON" in text
    assert run("data").stdout == text
    (home / "empty").mkdir()
    assert "no file with army data is here" in run("data", "empty", status=2).stdout
    assert "there is no such file or folder" in run("data", "none", status=2).stderr


def test_a_folder_that_fails_is_not_remembered(home: Path) -> None:
    (home / "empty").mkdir()
    result = run("decode", CODE, "--data", "empty", "-o", "mine.toml", status=2)
    assert "no file for sectorial 901" in result.stderr
    assert not (home / "mine.toml").exists()
    assert "no army data:" in run("decode", CODE).stderr


def test_a_remembered_folder_that_is_gone_or_spoilt_is_forgotten(home: Path) -> None:
    shutil.copytree(EXAMPLES / "army-data", home / "data")
    run("decode", CODE, "--data", "data")
    shutil.rmtree(home / "data")
    assert "no army data:" in run("decode", CODE).stderr
    (home / "xdg_config_home" / "ordertray" / "army.toml").write_text("data = [")
    assert "no army data:" in run("decode", CODE).stderr


def test_a_garbled_code_is_one_message_and_status_2() -> None:
    result = run("decode", CODE[:60], status=2)
    assert result.stdout == "" and "none of the known framings" in result.stderr
    assert "sectorial 901, 'cinder-column', list 'Cinder Column', 300 points, 2 groups" in result.stderr


def test_codes_survive_the_way_to_json_and_back(home: Path) -> None:
    text = run("decode", CODE, "--json").stdout
    (home / "list.json").write_text(text)
    assert run("encode", "list.json").stdout.strip() == CODE
    assert run("encode", "-", text=text).stdout.strip() == CODE
    assert decode(run("encode", "list.json", "--url").stdout) == decode(CODE)
    assert encode_json(json.dumps(code_json(decode(CODE)))) == decode(CODE)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "7", '{"groups": [{"members": [{"unit": true}]}]}', "[" * 100_000, '{"groups": 7}', "\udcff"],
)
def test_what_is_no_code_as_json_is_refused(home: Path, text: str) -> None:
    (home / "list.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert "not the JSON of an army code" in run("encode", "list.json", status=2).stderr
    assert "none.json" in run("encode", "none.json", status=2).stderr


def test_numbers_too_big_for_a_code_are_refused(home: Path) -> None:
    value = {**code_json(decode(CODE)), "points": 99999}
    (home / "list.json").write_text(json.dumps(value))
    assert "points limit 99999 does not fit" in run("encode", "list.json", status=2).stderr


def test_check_lists_every_fault_of_every_file(home: Path) -> None:
    (home / "bad.toml").write_text("points = 0\n[[trooper]]\nid = 1\n")
    (home / "open.toml").write_text('points = 300\n[[trooper]]\nid = "a"\nlieutenant = true\n')
    result = run("check", EXAMPLES / "red.toml", "bad.toml", "none.toml", "open.toml", status=2)
    assert "red.toml: good: 14 troopers, 300 of 300 points" in result.stdout
    assert "open.toml: good: 1 troopers, 0 of 300 points\n  line 2, trooper 1" in result.stdout
    assert "bad.toml: 3 problem(s)" in result.stderr and "none.toml: 1 problem(s)" in result.stderr


def test_check_names_a_disc_that_two_rosters_share(home: Path) -> None:
    for name in ("a.toml", "b.toml"):
        (home / name).write_text('points = 1\n[[trooper]]\nid = "x"\ncost=0\nlieutenant = true\ntag = "04A1B2C3D4E5F6"')
    assert "disc 04A1B2C3D4E5F6 is in a.toml and in b.toml" in run("check", "a.toml", "b.toml", status=2).stderr


def test_show_is_a_table_for_each_group() -> None:
    text = run("show", EXAMPLES / "red.toml").stdout
    for part in (
        "Cinder Column: 300 of 300 points, Infinity N5", "Group 1", "Group 2", "10 troopers", "+ Lieutenant",
        "└ Stretcher", "10 Regular, 1 Lieutenant, 1 Tactical", "2 Regular, 2 Irregular, 1 Impetuous",
    ):  # fmt: skip
        assert part in text
    assert text.index("Surgeon") < text.index("└ Stretcher") < text.index("Sergeant")
    assert "…" not in text and max(map(len, text.splitlines())) <= 80
    assert "not in the list" not in text and run("show", "none.toml", status=2).stderr


def test_show_does_not_take_names_for_markup(home: Path) -> None:
    (home / "x.toml").write_text('name="[red]x"\npoints=1\n[[trooper]]\nid="a"\nname="[bold]"\ncost=0\nlieutenant=true')
    text = run("show", "x.toml").stdout
    assert "[red]x" in text and "[bold]" in text


@pytest.mark.rule("ORD-09")
@pytest.mark.rule("ORD-16")
@pytest.mark.rule("ORD-20")
def test_orders_by_edition() -> None:
    aware = Trooper("a", skills=frozenset({"tactical-awareness", "impetuous"}))
    assert orders_of(aware, N5) == ["regular", "tactical", "impetuous"]
    assert orders_of(aware, N4) == ["regular", "irregular", "impetuous"]
    assert orders_of(aware, CODEONE) == ["regular"]
    chief = Trooper("b", lieutenant=True, skills=frozenset({"plus-1-order"}))
    assert orders_of(chief, N5) == ["regular", "lieutenant", "lieutenant"]
    assert orders_of(Trooper("c", controller="b"), N5) == []


def test_convert_there_and_back(home: Path) -> None:
    run("convert", EXAMPLES / "blue.toml", "blue.csv")
    run("convert", "blue.csv", "blue.toml")
    assert load_army(home / "blue.toml") == load_army(EXAMPLES / "blue.toml")
    assert "a .toml or a .csv file" in run("convert", "blue.csv", "blue.xls", status=2).stderr
    assert "exists already" in run("convert", "blue.csv", "blue.toml", status=2).stderr


def test_a_place_that_cannot_be_written_is_a_message(home: Path) -> None:
    (home / "file").write_text("")
    result = run("convert", EXAMPLES / "blue.toml", "file/blue.toml", status=2)
    assert result.stderr.strip() and "Traceback" not in result.output


ANSWERS = [
    "My list", "n6", "n5", "many", "120",
    "Capt\x07ain", "hi", "HI", "38,3", "38", "", "", "y", "nco, tactical-awarness", "nco", "",
    "Bot", "REM", "3", "", "", "", "", "captian", "captain",
    "Captain", "", "10", "0", "2", "irregular", "", "airborn", "airborne", "",
    "", "n",
]  # fmt: skip


def test_new_asks_checks_and_writes(home: Path) -> None:
    result = run("new", "mine.toml", text="\n".join(ANSWERS) + "\n")
    army = load_army(home / "mine.toml")
    assert (army.name, army.points, army.edition) == ("My list", 120, "n5")
    assert army.troopers == (
        Trooper("captain", "Captain", "HI", 38, 1, "regular", True, frozenset({"nco"})),
        Trooper("bot", "Bot", "REM", 3, 1, controller="captain"),
        Trooper("captain-2", "Captain", "REM", 10, 2, "irregular", deploy="airborne"),
    )
    for part in ('! "hi" is not known; did you mean "HI"?', "! a number of at least 1, please", "48 of 120 points",
                 '"tactical-awarness" is not known; did you mean "tactical-awareness"?'):  # fmt: skip
        assert part in result.output


def test_new_shows_what_is_wrong_with_the_list_and_goes_on(home: Path) -> None:
    boss = ["Boss", "", "10", "", "", "y", "", ""]
    result = run("new", "mine.toml", text="\n".join(["", "", "", "", "y", *boss, "", ""]) + "\n")
    assert "the list has no trooper (ORD-21)" in result.output
    assert [trooper.id for trooper in load_army(home / "mine.toml").troopers] == ["boss"]


def test_new_refuses_before_asking_and_leaves_nothing_when_stopped(home: Path) -> None:
    (home / "mine.toml").write_text("")
    assert "exists already" in run("new", "mine.toml", status=2).stderr
    assert "a .toml or a .csv file" in run("new", "mine.doc", status=2).stderr
    run("new", "other.toml", text="Half\n", status=1)
    assert not (home / "other.toml").exists()


def test_the_schema_takes_good_rosters_and_refuses_bad_ones(home: Path) -> None:
    run("schema", "-o", "schema.json")
    schema = json.loads((home / "schema.json").read_text())
    assert schema == roster_schema() == json.loads(run("schema").stdout)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for name in ("red", "blue"):
        assert list(validator.iter_errors(tomllib.loads((EXAMPLES / f"{name}.toml").read_text()))) == []
    bad = {"points": 0, "nmae": "x", "trooper": [{"id": "a b", "type": "li", "cost": 0.3, "tag": "04", "group": 0}]}
    assert len(list(validator.iter_errors(bad))) == 7


def test_the_editions_of_the_options_are_those_of_the_rules() -> None:
    assert [edition.value for edition in EditionName] == list(EDITIONS)
