"""Roster files: what loads, what is refused and with which places, and the way back to TOML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.army.roster import RosterError, format_army, load_army, parse_roster, read_roster
from ordertray.rules.army import DEPLOYMENTS, KNOWN_SKILLS, TRAININGS, TROOPER_TYPES, Army, Fireteam, Trooper
from ordertray.rules.army_check import check_army
from ordertray.rules.editions import N5

EXAMPLES = Path(__file__).parents[2] / "examples"

GOOD = """
name = "Test"
points = 300

[[trooper]]
id = "boss"
cost = 30
lieutenant = true

[[trooper]]
id = "two"
cost = 10
"""


def faults(text: str | bytes, edition: str | None = None) -> list[str]:
    """All faults of a roster, one text each."""
    with pytest.raises(RosterError) as caught:
        parse_roster(text, "list.toml", edition)
    return [problem.text() for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["red", "blue"])
def test_example_rosters_are_good_and_varied(name: str) -> None:
    roster = read_roster(EXAMPLES / f"{name}.toml")
    army = roster.army
    assert roster.warnings == ()
    assert (army.points, army.total_points, army.edition) == (300, 300, "n5")
    members = [trooper for trooper in army.troopers if not trooper.is_peripheral]
    assert 14 <= len(members) <= 15
    assert [sum(t.group == group for t in members) for group in army.groups] == [10, len(members) - 10]
    assert sum(t.lieutenant for t in members) == 1
    skills = frozenset[str]().union(*(t.skills for t in members))
    assert skills >= {"nco", "tactical-awareness", "impetuous", "courage"}
    assert any(t.deploy == "hidden" for t in members) and any(t.training == "irregular" for t in members)
    assert any(t.type == "REM" for t in members) and any(t.is_peripheral for t in army.troopers)


def test_only_points_and_ids_must_be_there() -> None:
    army = parse_roster('points = 150\n[[trooper]]\nid = "a"\nlieutenant = true\ncost = 0\n').army
    assert army == Army("", 150, (Trooper(id="a", lieutenant=True),))


def test_a_missing_cost_is_a_warning_that_names_its_place() -> None:
    roster = parse_roster('points = 150\n[[trooper]]\nid = "a"\nlieutenant = true\n')
    (warning,) = roster.warnings
    assert warning.text() == 'line 2, trooper 1 "a", cost: missing: it counts 0 points until it is filled in'


def test_every_fault_is_listed_at_once_with_its_line() -> None:
    text = """nmae = "x"
points = "300"
edition = "n6"
[[trooper]]
id = "a"
cost = -1
type = "li"
lieutenant = "yes"
skills = ["tactical-awarness", "camouflage", 3]
[[trooper]]
cost = nan
deploy = "airborn"
tag = "04"
[[trooper]]
id = "a"
group = true
controler = "zz"
[[trooper]]
id = "b"
name = "Bell \\u0007"
"""
    assert faults(text) == [
        'line 1, nmae: no such key; did you mean "name"?',
        'line 2, points: should be a whole number, found "300"',
        'line 3, edition: "n6" is not known; it can be n5, n4, n4-2020, codeone, codeone-2020',
        'line 6, trooper 1 "a", cost: should be 0 to 9999, found -1',
        'line 7, trooper 1 "a", type: "li" is not known; did you mean "LI"?',
        'line 8, trooper 1 "a", lieutenant: should be true/false, found "yes"',
        'line 9, trooper 1 "a", skills: "tactical-awarness" is not known; did you mean "tactical-awareness"?',
        'line 9, trooper 1 "a", skills: should be a list of texts, found 3',
        "line 10, trooper 2, id: missing",
        "line 11, trooper 2, cost: should be 0 to 9999, found nan",
        'line 12, trooper 2, deploy: "airborn" is not known; did you mean "airborne"?',
        "line 13, trooper 2, tag: a UID has 4, 7 or 10 bytes (8, 14 or 20 hex digits)",
        "line 15, trooper 3 \"a\", id: id 'a' is used twice; every trooper needs its own (ORD-01)",
        'line 16, trooper 3 "a", group: should be a whole number, found true',
        'line 17, trooper 3 "a", controler: no such key; did you mean "controller"?',
        'line 20, trooper 4 "b", name: has characters that cannot be shown: "Bell \\x07"',
    ]


@pytest.mark.rule("ORD-05")
@pytest.mark.rule("ORD-16")
@pytest.mark.rule("ORD-21")
def test_faults_by_the_rules_carry_rule_and_place() -> None:
    text = GOOD + '\n[[trooper]]\nid = "c"\ntraining = "irregular"\nlieutenant = true\ncontroller = "nobody"\ncost=1'
    assert faults(text) == [
        'line 17, trooper 3 "c", lieutenant: c is irregular and cannot be the Lieutenant (ORD-05)',
        'line 17, trooper 3 "c", lieutenant: c is a peripheral and cannot be the Lieutenant (ORD-16)',
        "line 18, trooper 3 \"c\", controller: controller 'nobody' of c is not in the list (ORD-16)",
        "the list has 2 Lieutenants (boss, c); it needs exactly one (LOL-01)",
    ]
    eleven = "points = 300\n" + "".join(
        f'[[trooper]]\nid = "t{n}"\ncost = 1\n' + ("lieutenant = true\n" if n == 0 else "") for n in range(11)
    )
    assert faults(eleven) == ["group 1 has 11 troopers; at most 10 may be in one (ORD-21)"]


def test_a_fault_that_only_follows_from_another_is_not_listed() -> None:
    assert faults(GOOD.replace("lieutenant = true", "lieutenant = 1")) == [
        'line 8, trooper 1 "boss", lieutenant: should be true/false, found 1'
    ]
    assert faults(GOOD.replace("points = 300", "points = -5")) == ["line 3, points: should be 1 to 9999, found -5"]
    assert faults(GOOD.replace('"two"', "2")) == ["line 11, trooper 2, id: should be a text in quotes, found 2"]


@pytest.mark.rule("ORD-21")
def test_half_points_are_for_codeone_and_the_edition_asked_for_wins() -> None:
    halves = GOOD.replace("cost = 10", "cost = 10.5")
    assert parse_roster(halves, edition="codeone").army.troopers[1].cost == 10.5
    assert faults(halves) == ['line 12, trooper 2 "two", cost: cost 10.5: halves are for Code One only (ORD-21)']
    assert faults('edition = "codeone"' + halves, "n4") != []
    assert faults(halves.replace("10.5", "10.3")) == [
        'line 12, trooper 2 "two", cost: cost 10.3 is no multiple of one half (ORD-21)'
    ]


def test_a_tag_on_two_troopers_is_a_fault() -> None:
    tagged = GOOD.replace("cost = 30", 'cost = 30\ntag = "04:a1:b2:c3:d4:e5:f6"')
    assert parse_roster(tagged).army.troopers[0].tag == "04A1B2C3D4E5F6"
    assert faults(tagged + 'tag = "04A1B2C3D4E5F6"') == [
        'line 14, trooper 2 "two", tag: disc 04A1B2C3D4E5F6 is already on trooper 1'
    ]
    assert faults(GOOD + 'tag = "08A1B2C3"') == [
        "line 13, trooper 2 \"two\", tag: this is a phone's passing number (08...), not a disc's"
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "points: missing"),
        (b"points = 300\nname = ", "line 2: this is not TOML"),
        (b"points = 300\npoints = 200\n", "line 2: this is not TOML: Cannot overwrite a value"),
        (b"\0" * 40, "line 1: this is not TOML"),
        ("name = 'Ñandú'".encode("cp1252"), r"line 1: not UTF-8 \(byte 0xD1, perhaps 'Ñ' in Windows-1252\)"),
        (GOOD.encode("utf-16"), "this file is UTF-16; save it as UTF-8"),
        (GOOD.encode("utf-16-le"), "this is not TOML|UTF-16"),
        ("é".encode("utf-16-be") + GOOD.encode("utf-16-be"), "UTF-16|not TOML"),
        (GOOD.encode("utf-32"), "this file is UTF-32; save it as UTF-8"),
        (b"x = " + b"[" * 5000, "nested too deeply"),
        (b"points = " + b"9" * 5000, "this is not TOML"),
        (b"points = 300\ntrooper = 7\n", r"trooper: should be \[\[trooper\]\], found 7"),
        (b"points = 300\ntrooper = [1]\n", r"trooper: should be \[\[trooper\]\], found \[1\]"),
        (b"points = 300\n[trooper]\nid = 'a'\n", r"trooper: should be \[\[trooper\]\], found "),
        (b"points = 300\n", "the list has no trooper"),
        (b"points = 300\n[[trooper]]\nid = 2020-01-01\n", "id: should be a text in quotes, found datetime.date"),
        (b"points = 300\n[[trooper]]\nid = '  '\n", "id: should not be empty"),
        (b"points = 300\n[[trooper]]\nskills = 'nco'\n", 'skills: should be a list of texts, found "nco"'),
        (b"points = 300\n[[trooper]]\nskills = ['nco', 'nco']\n", 'skills: "nco" is given twice'),
    ],
)
def test_each_kind_of_bad_file_gives_a_message(raw: bytes, message: str) -> None:
    assert re.search(message, "\n".join(faults(raw)))


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    assert parse_roster(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()) == parse_roster(GOOD)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "none.toml", "there is no such file"),
        (tmp_path, "this is a folder, not a file"),
        (Path("a\0b"), "cannot be read"),
    ):
        with pytest.raises(RosterError, match=message) as caught:
            load_army(path)
        assert caught.value.source == str(path)
    big = tmp_path / "big.toml"
    with big.open("wb") as file:
        file.truncate(3_000_000)
    with pytest.raises(RosterError, match="far too big"):
        load_army(big)


def test_pipes_and_devices_are_read_no_further_than_a_roster_goes() -> None:
    with pytest.raises(RosterError, match="far too big"):
        load_army(Path("/dev/zero"))


def test_a_file_of_thousands_of_troopers_is_refused_quickly() -> None:
    found = faults("points = 300\n" + "[[trooper]]\n" * 5_000)
    assert "line 202: more than 200 troopers: this is no army list; the rest was not read" in found
    assert sum("id: missing" in fault for fault in found) == 200


def test_inline_tables_load_and_name_faults_without_lines() -> None:
    text = 'points = 300\ntrooper = [{id = "a", cost = 1, lieutenant = true}, {id = "b", cots = 1}]'
    assert faults(text) == ['trooper 2 "b", cots: no such key; did you mean "cost"?']


def test_lines_are_not_fooled_by_texts_over_several_lines() -> None:
    text = GOOD.replace('name = "Test"', 'name = """Te\\\n   [[trooper]]\\\n  st"""') + "group = 0\n"
    assert faults(text) == ['line 15, trooper 2 "two", group: should be 1 to 9999, found 0']


def test_a_roster_says_how_each_trooper_comes_and_which_fireteams_it_has() -> None:
    text = (
        GOOD
        + """
[[trooper]]
id = "fox"
deploy = "marker"
cost = 1
[[trooper]]
id = "late"
deploy = "reinforcement"
group = 2
skills = ["number-2", "commlink"]
cost = 1
[[trooper]]
id = "bot"
controller = "fox"
own-cost = true
cost = 4
[[fireteam]]
name = "Core"
members = ["boss", "two"]
leader = "two"
"""
    )
    army = parse_roster("format = 1\n" + text).army
    assert [trooper.deploy for trooper in army.troopers] == ["table", "table", "marker", "reinforcement", "table"]
    assert army.own_costs == (30, 10, 1, 1, 4), "paid for by itself: no part of its controller's cost"
    assert army.fireteams == (Fireteam("Core", ("boss", "two"), "two"),)
    assert parse_roster(format_army(army)).army == army


def test_a_newer_format_and_unknown_keys_are_refused_by_name() -> None:
    assert faults("format = 2" + GOOD) == [
        "line 1, format: 2 is newer than what this program reads (1); bring the program up to date"
    ]
    assert faults(GOOD + '[[fireteam]]\nmembers = ["boss", "two"]\nleadr = "boss"\n') == [
        'line 15, fireteam 1, leadr: no such key; did you mean "leader"?'
    ]
    assert faults(GOOD + "[[fireteam]]\n") == ["line 13, fireteam 1, members: missing"]
    assert faults('fireteam = "boss"' + GOOD) == ['line 1, fireteam: should be [[fireteam]], found "boss"']


@pytest.mark.rule("FT-01")
def test_faults_of_fireteams_have_their_place() -> None:
    text = (
        GOOD
        + """
[[trooper]]
id = "para"
deploy = "airborne"
group = 2
cost = 1
[[fireteam]]
name = "Duo"
members = ["boss", "para", "who"]
leader = "two"
[[fireteam]]
members = ["boss"]
"""
    )
    assert faults(text) == [
        'line 21, fireteam 1 "Duo", members: para is not on the table as a model from the start: no Fireteam for it'
        " (FT-01)",
        'line 21, fireteam 1 "Duo", members: who is not in the list (FT-01)',
        'line 21, fireteam 1 "Duo", members: the members of a Fireteam are of one combat group (FT-01)',
        'line 22, fireteam 1 "Duo", leader: two leads and is no member (FT-01)',
        "line 24, fireteam 2, members: a Fireteam has 2 to 5 members; this one has 1 (FT-01)",
        "line 24, fireteam 2, members: boss is in a Fireteam already (FT-01)",
    ]


def test_an_incomplete_entry_loads_and_may_not_play(tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    path.write_text(GOOD + "incomplete = true\n")
    roster = read_roster(path)
    told = 'line 13, trooper 2 "two", incomplete: two is incomplete: fill it in and take this line out (ORD-21)'
    assert [problem.text() for problem in roster.warnings] == [told]
    assert roster.unfinished == roster.warnings
    assert roster.army.troopers[1].incomplete and "incomplete = true" in format_army(roster.army)
    assert [problem.code for problem in check_army(roster.army, N5)] == ["incomplete"]
    with pytest.raises(RosterError) as caught:
        load_army(path)
    assert [problem.text() for problem in caught.value.problems] == [told]


@pytest.mark.rule("REI-01")
def test_reinforcements_are_groups_of_their_own_and_count_for_the_fifteen() -> None:
    late = '[[trooper]]\nid = "late"\ndeploy = "reinforcement"\ncost = 1\n'
    assert faults(GOOD + late) == [
        'line 5, trooper 1 "boss", group: group 1 is of Reinforcements; boss is none (REI-01)',
        'line 10, trooper 2 "two", group: group 1 is of Reinforcements; two is none (REI-01)',
    ]
    assert faults(GOOD + late + "group = 2\nlieutenant = true\n")[0] == (
        'line 18, trooper 3 "late", lieutenant: '
        "late comes with the Reinforcements and cannot be the Lieutenant (REI-01)"
    )
    assert faults(GOOD + late, "codeone") == [
        'line 15, trooper 3 "late", deploy: this edition has no Reinforcements (REI-01)'
    ]
    many = "".join(f'[[trooper]]\nid = "t{n}"\ncost = 1\ngroup = {2 + n % 2}\n' for n in range(14))
    assert faults(GOOD + many) == ["the list has 16 troopers; at most 15 are allowed (ORD-21)"]
    assert parse_roster(GOOD + many + 'skills = ["commlink-1"]\n').army


words = st.from_regex(r"[A-Za-z][A-Za-z0-9_.\-]{0,8}", fullmatch=True)
names = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20)
troopers = st.builds(
    Trooper,
    id=words,
    name=names,
    type=st.sampled_from(TROOPER_TYPES),
    cost=st.integers(0, 60),
    group=st.integers(1, 3),
    training=st.sampled_from(TRAININGS),
    lieutenant=st.booleans(),
    skills=st.frozensets(st.sampled_from(KNOWN_SKILLS), max_size=3),
    deploy=st.sampled_from(DEPLOYMENTS),
    tag=st.none() | st.binary(min_size=6, max_size=6).map(lambda raw: "04" + raw.hex().upper()),
    own_cost=st.booleans(),
)


@settings(max_examples=80)
@given(
    st.builds(
        Army,
        names,
        st.integers(1, 500),
        st.lists(troopers, max_size=6, unique_by=(lambda t: t.id, lambda t: t.tag or t.id)).map(tuple),
        st.sampled_from([None, "n5"]),
    )
)
def test_an_army_survives_the_way_to_toml_and_back(army: Army) -> None:
    text = format_army(army, {"": "a comment\nof two lines", **{t.id: "fill in: cost" for t in army.troopers}})
    if check_army(army, N5):
        assert faults(text)
    else:
        assert parse_roster(text).army == army


@settings(max_examples=150)
@given(st.data())
def test_damaged_rosters_never_crash(data: st.DataObject) -> None:
    raw = bytearray((EXAMPLES / "red.toml").read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        parse_roster(bytes(raw))
    except RosterError as error:
        assert error.problems and all(problem.text() for problem in error.problems)
