"""Army data to rosters: units, options, orders, skills, peripherals, bundles, costs; what is missing or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.army.codes import ArmyCode, CodeGroup, Framing, Member, decode
from ordertray.army.data_files import ArmyData, ArmyDataError, open_army_data, read_army_data
from ordertray.army.importing import ImportedArmy, import_army
from ordertray.army.roster import load_army, parse_roster
from ordertray.rules.army import Trooper

EXAMPLES = Path(__file__).parents[2] / "examples"

REGULAR = {"type": "REGULAR", "list": 1, "total": 1}
IRREGULAR = {"type": "IRREGULAR", "list": 1, "total": 1}
LIEUTENANT = {"type": "LIEUTENANT", "list": 0, "total": 1}
TACTICAL = {"type": "TACTICAL", "list": 1, "total": 1}


def option(number: int = 1, points: object = 10, orders: object = (REGULAR,), **more: Any) -> dict[str, Any]:
    """One option of a profile group."""
    plain = {"includes": [], "chars": [], "skills": [], "peripheral": [], "swc": "0", "minis": 1}
    listed = list(orders) if isinstance(orders, tuple) else orders
    return {**plain, "id": number, "name": f"OPTION {number}", "points": points, "orders": listed, **more}


def group(number: int, *options: dict[str, Any], name: str = "Alpha", **profile: Any) -> dict[str, Any]:
    """One profile group with one profile."""
    plain = {"id": 1, "name": name, "type": 1, "chars": [3], "skills": [], "str": False, "peripheral": []}
    return {"id": number, "isc": name.upper(), "profiles": [{**plain, **profile}], "options": list(options)}


def unit(number: int, *groups: dict[str, Any], options: object = ()) -> dict[str, Any]:
    """One unit; `options` are its bundles."""
    listed = list(options) if isinstance(options, tuple) else options
    return {
        "id": number,
        "isc": "UNIT",
        "name": "Unit",
        "slug": "unit",
        "options": listed,
        "profileGroups": list(groups),
    }


def data_of(*units: dict[str, Any], **more: Any) -> ArmyData:
    """Army data of these units."""
    return read_army_data({"version": "test", "units": list(units), **more}, "test.json")


def code_of(*members: Member, **more: Any) -> ArmyCode:
    """A code of one group."""
    return ArmyCode(901, "made-up", "Test", 300, (CodeGroup(members),), **more)


def imported(data: ArmyData | None, *members: Member, edition: str | None = None) -> ImportedArmy:
    """A roster of these members."""
    return import_army(code_of(*members), data, edition)


def only(data: ArmyData) -> tuple[Trooper, list[str]]:
    """The one trooper of unit 1, group 1, option 1, and what is said of it."""
    found = imported(data, Member(1, 1, 1))
    (trooper,) = found.army.troopers
    assert not found.to_fill_in
    return trooper, [problem.text() for _id, problem in found.notes]


def test_the_example_code_and_data_give_the_example_army() -> None:
    code = decode((EXAMPLES / "army-code.txt").read_text())
    data = open_army_data(EXAMPLES / "army-data", code)
    found = import_army(code, data)
    assert data.edition == "n5" and found.problems() == ()

    def facts(trooper: Trooper) -> tuple[object, ...]:
        return (trooper.name, trooper.type, trooper.cost, trooper.group, trooper.training, trooper.lieutenant,
                trooper.skills, trooper.deploy, trooper.is_peripheral)  # fmt: skip

    red = load_army(EXAMPLES / "red.toml")
    assert [facts(t) for t in found.army.troopers] == [facts(t) for t in red.troopers]
    assert (found.army.name, found.army.points, found.army.edition) == (red.name, red.points, red.edition)
    assert parse_roster(found.toml()).army == found.army
    assert [(key, note.place) for key, note in found.notes] == [("soot-ghost", "group 1, member 10, deploy")]


@pytest.mark.parametrize(
    ("orders", "chars", "training", "note"),
    [
        ((REGULAR,), [3], "regular", ""),
        ((IRREGULAR,), [4], "irregular", ""),
        ((REGULAR, TACTICAL), [3], "regular", ""),
        ((REGULAR, IRREGULAR), [3], "regular", ""),  # N4 Tactical Awareness
        ((REGULAR, IRREGULAR), [4], "irregular", ""),
        ((REGULAR,), [4], "regular", "lists it as irregular, with regular orders"),
        ((IRREGULAR,), [3], "irregular", "lists it as regular, with irregular orders"),
        ((), [4], "irregular", "gives it no order; irregular by its characteristics"),
        ((), [3], "regular", "gives it no order; regular by its characteristics"),
        ((), [], "regular", "does not say whether regular or irregular: fill it in"),
        ("nonsense", [3, 4], "regular", "does not say"),
        (({"type": "REGULAR", "list": 1, "total": 0},), [4], "irregular", "gives it no order"),
        (({"type": ["REGULAR"], "total": 1}, {"total": 1}, 7), [4], "irregular", "gives it no order"),
    ],
)
def test_training_by_orders_then_by_characteristics(orders: Any, chars: list[int], training: str, note: str) -> None:
    trooper, notes = only(data_of(unit(1, group(1, option(orders=orders), chars=chars))))
    assert trooper.training == training
    assert notes == [] if not note else note in notes[0] and notes[0].startswith("group 1, member 1, training: ")


def test_skills_are_joined_from_profile_and_option() -> None:
    chosen = option(orders=(REGULAR, LIEUTENANT), skills=[{"id": 119, "extra": [246]}, {"id": 211}])
    always = [{"id": 84}, {"id": 69, "extra": 245}]
    trooper, _ = only(data_of(unit(1, group(1, chosen, skills=always))))
    assert trooper.lieutenant
    assert trooper.skills == {"nco", "courage", "strategos-1", "plus-1-order", "plus-1-command-token"}


def test_two_lieutenant_orders_mean_one_more_order() -> None:
    orders = (REGULAR, {"type": "LIEUTENANT", "list": 0, "total": 2})
    trooper, _ = only(data_of(unit(1, group(1, option(orders=orders)))))
    assert trooper.lieutenant and trooper.skills == {"plus-1-order"}


@pytest.mark.parametrize(
    ("number", "skill"),
    [(211, "nco"), (213, "tactical-awareness"), (256, "impetuous"), (250, "frenzy"), (84, "courage"),
     (83, "religious"), (88, "veteran"), (267, "warhorse"), (26, "chain-of-command"), (207, "counterintelligence"),
     (69, "strategos-1"), (70, "strategos-2"), (52, "inspiring-leadership"), (122, "number-2"), (85, "dogged"),
     (86, "no-wound-incapacitation"), (237, "shasvastii")],
)  # fmt: skip
def test_each_skill_by_its_id(number: int, skill: str) -> None:
    trooper, _ = only(data_of(unit(1, group(1, option(skills=[{"id": number}])))))
    assert trooper.skills == {skill}


def test_impetuous_by_order_and_by_characteristic_and_not_impetuous() -> None:
    impetuous = {"type": "IMPETUOUS", "list": 1, "total": 1}
    assert only(data_of(unit(1, group(1, option(orders=(REGULAR, impetuous))))))[0].skills == {"impetuous"}
    assert only(data_of(unit(1, group(1, option(), chars=[3, 6]))))[0].skills == {"impetuous"}
    assert only(data_of(unit(1, group(1, option(), chars=[3, 5]))))[0].skills == frozenset()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8])
def test_each_type_by_its_id(number: int) -> None:
    expected = {1: "LI", 2: "MI", 3: "HI", 4: "TAG", 5: "REM", 6: "SK", 7: "WB", 8: "VH"}[number]
    assert only(data_of(unit(1, group(1, option(), type=number))))[0].type == expected


@pytest.mark.parametrize("kind", [0, 99, None, "LI", [1], {"a": 1}])
def test_an_unknown_type_is_to_be_filled_in(kind: object) -> None:
    _, notes = only(data_of(unit(1, group(1, option(), type=kind))))
    assert notes[0].startswith("group 1, member 1, type: type ") and "fill it in" in notes[0]


@pytest.mark.parametrize("skill", [35, 33])
def test_airborne_troopers_begin_off_the_table_and_it_is_said(skill: int) -> None:
    trooper, notes = only(data_of(unit(1, group(1, option(), skills=[{"id": skill}]))))
    assert trooper.deploy == "airborne" and "may begin off the table (airborne)" in notes[0]


def test_hidden_deployment_is_known_by_the_name_in_the_metadata(tmp_path: Path) -> None:
    content = {"units": [unit(1, group(1, option(), skills=[{"id": 700}]))]}
    (tmp_path / "901.json").write_text(json.dumps(content))
    assert only(open_army_data(tmp_path, code_of()))[0].deploy == "table"
    (tmp_path / "metadata.json").write_text(json.dumps({"skills": [{"id": 700, "name": "Hidden Deployment"}]}))
    assert only(open_army_data(tmp_path, code_of()))[0].deploy == "hidden"
    (tmp_path / "metadata.json").write_text("[")
    trooper, notes = only(open_army_data(tmp_path, code_of()))
    assert trooper.deploy == "table" and notes == [
        "line 1, metadata.json: this is not JSON: Expecting value (column 2)"
    ]


@pytest.mark.parametrize(
    ("points", "cost", "note"),
    [
        (13, 13, ""),
        (13.0, 13, ""),
        ("13", 13, ""),
        (6.5, 6.5, ""),
        ("6,5", 6.5, ""),
        (None, 0, "gives no points"),
        ("many", 0, 'gives "many" points'),
        (-1, 0, "gives -1 points"),
        (True, 0, "gives true points"),
        (0.3, 0, "gives 0.3 points"),
        (1e400, 0, "gives inf points"),
    ],
)
def test_costs_as_numbers_or_texts(points: object, cost: float, note: str) -> None:
    trooper, notes = only(data_of(unit(1, group(1, option(points=points)))))
    assert trooper.cost == cost
    assert notes == [] if not note else note in notes[0] and "fill in the cost" in notes[0]


@pytest.mark.rule("RET-15")
@pytest.mark.rule("ORD-16")
def test_a_peripheral_with_points_is_a_trooper_of_its_controller() -> None:
    bringer = option(points=20, includes=[{"q": 2, "group": 2, "option": 1}])
    helper = group(2, option(points=3, orders=()), name="Helper", type=5, chars=[27], skills=[{"id": 243}])
    found = imported(data_of(unit(1, group(1, bringer), helper)), Member(1, 1, 1))
    assert [(t.id, t.cost, t.type, t.controller) for t in found.army.troopers] == [
        ("alpha", 20, "LI", None),
        ("helper-1", 3, "REM", "alpha"),
        ("helper-2", 3, "REM", "alpha"),
    ]
    assert found.army.own_costs == (14, 3, 3) and found.notes == ()


@pytest.mark.rule("ORD-16")
def test_a_peripheral_without_points_is_named_by_profile_or_option() -> None:
    bringer = option(peripheral=[{"id": 5, "q": 1}])
    data = data_of(unit(1, group(1, bringer)), filters={"peripheral": [{"id": 5, "name": "Helper"}]})
    found = imported(data, Member(1, 1, 1))
    assert [(t.name, t.cost, t.controller) for t in found.army.troopers] == [
        ("Alpha", 10, None),
        ("Helper", 0, "alpha"),
    ]


def test_a_bundle_brings_two_troopers_with_an_order_each() -> None:
    pair = {"id": 7, "points": 31, "includes": [{"q": 1, "group": 1, "option": 1}, {"q": 1, "group": 2, "option": 1}]}
    data = data_of(unit(1, group(1, option(points=18)), group(2, option(points=13), name="Beta"), options=(pair,)))
    found = imported(data, Member(1, 0, 7))
    assert [(t.name, t.cost, t.controller) for t in found.army.troopers] == [("Alpha", 18, None), ("Beta", 13, None)]
    assert found.notes == ()
    pair["points"] = 33
    dearer = imported(data, Member(1, 0, 7))
    assert [t.cost for t in dearer.army.troopers] == [20, 13]
    assert "the bundle costs 33 points, its troopers 31: check their costs" in dearer.notes[0][1].text()


def test_a_companion_that_is_no_peripheral_gets_its_own_cost() -> None:
    bringer = option(points=30, includes=[{"q": 1, "group": 2, "option": 1}])
    found = imported(data_of(unit(1, group(1, bringer), group(2, option(points=12), name="Beta"))), Member(1, 1, 1))
    assert [(t.name, t.cost, t.controller) for t in found.army.troopers] == [("Alpha", 18, None), ("Beta", 12, None)]
    assert "it brings 1 more trooper(s), whose cost was taken off" in found.notes[0][1].text()


def test_options_that_include_each_other_come_to_an_end() -> None:
    first = option(points=30, includes=[{"q": 1, "group": 2, "option": 1}, {"q": 1, "group": 1, "option": 1}])
    second = option(points=12, includes=[{"q": 500, "group": 1, "option": 1}])
    found = imported(data_of(unit(1, group(1, first), group(2, second, name="Beta"))), Member(1, 1, 1))
    assert [t.name for t in found.army.troopers] == ["Alpha", "Beta"]


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (Member(9, 1, 1), "unit 9 is not in this data"),
        (Member(1, 9, 1), "unit 1 has no option 1 in group 9"),
        (Member(1, 1, 9), "unit 1 has no option 9 in group 1"),
        (Member(1, 0, 9), "unit 1 has no bundle 9"),
        (Member(1, 0, 1), "bundle 1 of unit 1 includes nobody"),
    ],
)
def test_unknown_ids_become_entries_to_fill_in_each_named(member: Member, reason: str) -> None:
    data = data_of(unit(1, group(1, option()), options=({"id": 1, "points": 3, "includes": []},)))
    found = imported(data, Member(1, 1, 1), member, member)
    assert [t.id for t in found.army.troopers] == ["alpha", "unknown-1", "unknown-2"]
    assert found.to_fill_in == {"unknown-1", "unknown-2"}
    assert [note.text() for key, note in found.notes if key == "unknown-1"] == [
        f"group 1, member 2: {reason}",
        "group 1, member 2: fill in name, type, cost, training and skills",
    ]
    again = parse_roster(found.toml().replace('id = "alpha"', 'id = "alpha"\nlieutenant = true'))
    assert [warning.place for warning in again.warnings] == [
        'trooper 2 "unknown-1", cost',
        'trooper 3 "unknown-2", cost',
    ]
    assert f"# group 1, member 2: {reason}" in found.toml()


def test_the_part_of_a_bundle_that_is_missing_is_an_entry_to_fill_in() -> None:
    pair = {"id": 7, "points": 31, "includes": [{"q": 1, "group": 1, "option": 1}, {"q": 1, "group": 2, "option": 1}]}
    found = imported(data_of(unit(1, group(1, option(points=18)), options=(pair,))), Member(1, 0, 7))
    assert [t.name for t in found.army.troopers] == ["Alpha", "Unit 1, group 2, option 1"]
    assert found.to_fill_in == {"unknown"}


def test_without_data_every_member_is_an_entry_to_fill_in() -> None:
    found = imported(None, Member(1, 1, 1), Member(2, 1, 1))
    assert found.to_fill_in == {t.id for t in found.army.troopers} == {"unknown-1", "unknown-2"}


def test_the_lieutenant_is_not_named_by_the_option() -> None:
    chief = option(orders=(REGULAR, LIEUTENANT))
    chief["name"] = "ALPHA (Lieutenant)"
    assert only(data_of(unit(1, group(1, chief))))[0].name == "Alpha"


def test_a_skill_without_its_order_is_doubted() -> None:
    trooper, notes = only(data_of(unit(1, group(1, option(skills=[{"id": 119}])))))
    assert trooper.lieutenant and "lists no Lieutenant order" in notes[0]


def test_a_specops_changes_are_shown_and_known_skills_taken() -> None:
    changes = ('[{"type":"skill","id":84},{"type":"stat","stat":"bs","q":1},{"type":"skill","id":[1]}]',)
    code = code_of(Member(1, 1, 1, changes), framing=Framing.V1M)
    found = import_army(code, data_of(unit(1, group(1, option()))))
    assert found.army.troopers[0].skills == {"courage"}
    assert 'changed by its player, check the skills: [{"type":"skill","id":84}' in found.notes[0][1].text()


def test_a_reinforcement_group_is_said_and_its_units_are_found() -> None:
    data = data_of(unit(1, group(1, option())), reinforcements=[unit(50, group(1, option(), name="Late"))])
    groups = (CodeGroup((Member(1, 1, 1),)), CodeGroup((Member(50, 1, 1),), reinforcement=True))
    found = import_army(ArmyCode(1, "x", "y", 300, groups), data)
    assert [(t.name, t.group) for t in found.army.troopers] == [("Alpha", 1), ("Late", 2)]
    assert "group 2 is a reinforcement group" in found.notes[0][1].text()


@pytest.mark.parametrize("name", ["All", "G2", "???", "日本", "", "A  name\tof far too many words", "idle"])
def test_ids_can_be_typed_whatever_the_name(name: str) -> None:
    data = data_of(unit(1, group(1, option(orders=(REGULAR, LIEUTENANT)), name=name)))
    found = imported(data, *[Member(1, 1, 1)] * 1)
    assert found.problems() == ()
    assert len(found.army.troopers[0].id) <= 18
    twice = imported(data, Member(1, 1, 1), Member(1, 1, 1))
    assert len({t.id for t in twice.army.troopers}) == 2


def test_numbered_ids_do_not_collide_with_names_that_end_in_numbers() -> None:
    data = data_of(unit(1, group(1, option(), name="Bot"), group(2, option(), name="Bot 1")))
    found = imported(data, Member(1, 1, 1), Member(1, 2, 1), Member(1, 1, 1))
    assert len({t.id for t in found.army.troopers}) == 3


N4 = unit(1, group(1, option(orders=(REGULAR, IRREGULAR), skills=[{"id": 213}])))
N5 = unit(1, group(1, option(orders=(REGULAR, TACTICAL), skills=[{"id": 213}])))
CODEONE = unit(1, group(1, option(points=6.5)))
PLAIN = unit(1, group(1, option()))


@pytest.mark.parametrize(("made", "edition"), [(N4, "n4"), (N5, "n5"), (CODEONE, "codeone"), (PLAIN, None)])
def test_the_edition_shows_in_orders_and_points(made: dict[str, Any], edition: str | None) -> None:
    data = data_of(made)
    assert data.edition == edition
    assert imported(data, Member(1, 1, 1)).army.edition == (edition or "n5")


@pytest.mark.rule("ORD-09")
def test_n4_tactical_awareness_keeps_a_regular_trooper_regular() -> None:
    trooper, notes = only(data_of(N4))
    assert trooper.training == "regular" and trooper.skills == {"tactical-awareness"} and notes == []


def put(folder: Path, **files: object) -> Path:
    """A data folder; texts are written as they are."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name.replace('_', '-')}.json").write_text(text)
    return folder


@pytest.mark.parametrize("name", ["901", "units-901", "901_en", "made_up", "N5_made_up_2026"])
def test_a_file_is_found_by_id_or_slug(tmp_path: Path, name: str) -> None:
    put(tmp_path, **{name: {"units": [PLAIN]}, "1901": {"units": [N4]}, "other": {"units": [N4]}})
    assert Path(open_army_data(tmp_path, code_of()).source).stem == name.replace("_", "-")


def test_the_edition_chooses_among_files(tmp_path: Path) -> None:
    put(tmp_path, **{"901-old": {"units": [N4]}, "901-new": {"units": [N5]}})
    assert open_army_data(tmp_path, code_of(), edition="n4-2020").source.endswith("901-old.json")
    with pytest.raises(ArmyDataError, match=r"several files fit this sectorial \(901-new.json, 901-old.json\)"):
        open_army_data(tmp_path, code_of())
    with pytest.raises(ArmyDataError, match=r"another edition than codeone \(901-new.json: n5, 901-old.json: n4\)"):
        open_army_data(tmp_path, code_of(), edition="codeone")


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
            open_army_data(place, code_of())


def test_an_unknown_sectorial_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    put(tmp_path, other={"units": [PLAIN]})
    with pytest.raises(ArmyDataError, match=r'no file for sectorial 901 "made-up": name it 901.json.*other.json'):
        open_army_data(tmp_path, code_of())
    with pytest.raises(ArmyDataError, match="no such file or folder"):
        open_army_data(tmp_path / "none", code_of())


def test_files_in_another_encoding_are_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "901.json").write_bytes('{"units": "ñ"}'.encode("cp1252"))
    with pytest.raises(
        ArmyDataError, match=r"line 1, 901.json: not UTF-8 .*'ñ' in Windows-1252.*save the file as UTF-8"
    ):
        open_army_data(tmp_path, code_of())


def test_units_that_are_none_are_warned_about_and_the_rest_is_used() -> None:
    data = data_of(PLAIN, {"id": "x"})
    assert [warning.text() for warning in data.warnings] == ["units[1]: not a unit: it has no id"]
    assert len(imported(data, Member(1, 1, 1)).army.troopers) == 1


KEYS = ["id", "q", "group", "option", "type", "total", "extra", "name"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.floats() | st.sampled_from(["REGULAR", "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "q", "group", "option", "type", "total", "extra", "name"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.data())
def test_damaged_data_never_crashes_and_never_drops_a_member(data: st.DataObject) -> None:
    content = json.loads((EXAMPLES / "army-data" / "901.json").read_text())
    holders: list[Any] = []

    def gather(value: Any) -> None:
        if isinstance(value, dict | list):
            holders.append(value)
            for inner in value.values() if isinstance(value, dict) else value:
                gather(inner)

    gather(content)
    for _ in range(data.draw(st.integers(1, 4))):
        holder = data.draw(st.sampled_from(holders))
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if keys:
            holder[data.draw(st.sampled_from(keys))] = data.draw(json_values)
    code = decode((EXAMPLES / "army-code.txt").read_text())
    try:
        army_data = read_army_data(content, "damaged")
    except ArmyDataError as error:
        assert str(error)
        return
    found = import_army(code, army_data)
    assert len([t for t in found.army.troopers if not t.is_peripheral]) >= 14
    found.toml()
    found.problems()
