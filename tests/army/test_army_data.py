"""Army data to rosters: units, options, orders, skills, peripherals, bundles, costs; what is missing or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from army.made_up_data import (
    IMPETUOUS,
    IRREGULAR,
    LIEUTENANT,
    REGULAR,
    SKILL_NAMES,
    TACTICAL,
    TWO_LIEUTENANT,
    VERSION,
    code_of,
    content_of,
    data_of,
    group,
    helper,
    imported,
    includes,
    metadata_content,
    named,
    option,
    ref,
    section_content,
    sectorial_content,
    unit,
)
from army.oddities import N4, ODDITIES, Oddity
from ordertray.army import data_ids
from ordertray.army.codes import CodeGroup, Framing, Member, decode
from ordertray.army.data_files import ArmyData, ArmyDataError, read_army_data
from ordertray.army.data_folder import open_army_data
from ordertray.army.data_units import troopers_of
from ordertray.army.importing import import_army
from ordertray.army.roster import load_army, parse_roster
from ordertray.commands.army_shown import orders_of
from ordertray.rules.army import Trooper
from ordertray.rules.editions import EDITIONS

EXAMPLES = Path(__file__).parents[2] / "examples"
LETTERS = {"R": "regular", "I": "irregular", "L": "lieutenant", "T": "tactical", "M": "impetuous"}


@pytest.mark.parametrize("odd", ODDITIES, ids=lambda odd: odd.name)
def test_each_oddity_of_the_real_data(odd: Oddity) -> None:
    filters = {"skills": named({**SKILL_NAMES, **odd.more}), "peripheral": [{"id": 5, "name": "Little Helper"}]}
    data = read_army_data(content_of(odd.unit, version=odd.version, filters=filters), "odd.json")
    found = imported(data, Member(1, *odd.member))
    troopers = [t for t in found.army.troopers if not (t.is_peripheral or t.own_cost)]
    edition = EDITIONS[found.army.edition or ""]
    orders = sorted(kind for trooper in troopers for kind in orders_of(trooper, edition))
    assert orders == sorted(LETTERS[letter] for letter in odd.orders)
    assert (len(troopers), len(found.army.troopers) - len(troopers)) == (odd.troopers, odd.peripherals)
    assert found.army.total_points == odd.points
    assert {t.deploy for t in found.army.troopers[:1]} == {odd.deploy}
    assert {skill for t in troopers for skill in t.skills} >= set(odd.skills.split())
    assert any(t.incomplete for t in found.army.troopers) is odd.incomplete
    notes = "\n".join(note.text() for _id, note in found.notes)
    assert odd.says in notes
    expected = ("deploy: it may begin", "one trooper in two shapes")
    assert odd.says or all(any(words in line for words in expected) for line in notes.splitlines()), notes


def test_every_oddity_is_understood_in_any_language_and_without_names() -> None:
    for odd in ODDITIES:
        if odd.more:
            continue
        plain = read_army_data(content_of(odd.unit, version=odd.version), "odd.json")
        mute = read_army_data(content_of(odd.unit, version=odd.version, filters={}), "odd.json")
        shown = [
            [(f.training, f.lieutenant, f.skills, f.deploy, f.peripheral) for f in troopers_of(data, 1, *odd.member)]
            for data in (plain, mute)
        ]
        assert shown[0] == shown[1], odd.name


def test_ids_are_the_tables_and_newer_ones_are_told_by_their_names() -> None:
    assert data_ids.lookalike(238, "Hidden Deployment") is None  # known
    assert data_ids.lookalike(999, "DESPLIEGUE\N{NO-BREAK SPACE}oculto") == "Hidden Deployment"
    assert data_ids.lookalike(999, "Lieutenant\u2003") == "Lieutenant"
    assert data_ids.lookalike(999, "Extra Order (2)") == "Extra Order (2)"
    assert data_ids.lookalike(999, "Mimetism") is None and data_ids.lookalike(999, "") is None


def only(data: ArmyData) -> tuple[Trooper, list[str]]:
    """The one trooper of unit 1, group 1, option 1, and what is said of it."""
    found = imported(data, Member(1, 1, 1))
    (trooper,) = found.army.troopers
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
    version = N4 if isinstance(orders, tuple) and REGULAR in orders and IRREGULAR in orders else VERSION
    trooper, notes = only(data_of(unit(1, group(1, option(orders=orders), chars=chars)), version=version))
    assert trooper.training == training
    assert notes == [] if not note else note in notes[0] and notes[0].startswith("group 1, member 1, training: ")


def test_skills_are_joined_from_profile_and_option() -> None:
    chosen = option(orders=(REGULAR, TWO_LIEUTENANT), skills=[{"id": 119, "extra": [246]}, {"id": 211}])
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
    orders = {213: (REGULAR, TACTICAL), 256: (REGULAR, IMPETUOUS)}.get(number, (REGULAR,))
    trooper, notes = only(data_of(unit(1, group(1, option(skills=[{"id": number}], orders=orders)))))
    assert trooper.skills == {skill} and notes == []


def test_impetuous_by_order_and_by_characteristic_and_not_impetuous() -> None:
    assert only(data_of(unit(1, group(1, option(orders=(REGULAR, IMPETUOUS))))))[0].skills == {"impetuous"}
    assert only(data_of(unit(1, group(1, option(orders=()), chars=[3, 6]))))[0].skills == {"impetuous"}
    trooper, notes = only(data_of(unit(1, group(1, option(), chars=[3, 6]))))
    assert trooper.skills == frozenset() and "it has impetuous, but the data gives no such order: left out" in notes[0]
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
        ("helper", 3, "REM", "alpha"),
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


def test_a_companion_with_orders_of_its_own_gets_its_own_cost() -> None:
    two = {"type": "REGULAR", "list": 2, "total": 2}
    bringer = option(points=30, orders=(two,), includes=includes((2, 1)))
    found = imported(data_of(unit(1, group(1, bringer), group(2, option(points=12), name="Beta"))), Member(1, 1, 1))
    assert [(t.name, t.cost, t.controller) for t in found.army.troopers] == [("Alpha", 18, None), ("Beta", 12, None)]
    assert "it brings 1 more trooper(s), whose cost was taken off" in found.notes[0][1].text()


def test_options_that_include_each_other_come_to_an_end() -> None:
    first = option(points=30, includes=[{"q": 1, "group": 2, "option": 1}, {"q": 1, "group": 1, "option": 1}])
    second = option(points=12, includes=[{"q": 500, "group": 1, "option": 1}])
    found = imported(data_of(unit(1, group(1, first), group(2, second, name="Beta"))), Member(1, 1, 1))
    assert [t.name for t in found.army.troopers] == ["Alpha"]


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
    assert [t.id for t in found.army.troopers] == ["alpha", "unknown", "unknown-2"]
    assert found.to_fill_in == {"unknown", "unknown-2"}
    assert [note.text() for key, note in found.notes if key == "unknown"] == [
        f"group 1, member 2: {reason}",
        "group 1, member 2: fill in name, type, cost, training and skills, then take out incomplete = true",
    ]
    again = parse_roster(found.toml().replace('id = "alpha"', 'id = "alpha"\nlieutenant = true'))
    assert [problem.place for problem in again.unfinished] == [
        'trooper 2 "unknown", incomplete',
        'trooper 3 "unknown-2", incomplete',
    ]
    assert f"# group 1, member 2: {reason}" in found.toml()


def test_the_part_of_a_bundle_that_is_missing_is_an_entry_to_fill_in() -> None:
    pair = {"id": 7, "points": 31, "includes": [{"q": 1, "group": 1, "option": 1}, {"q": 1, "group": 2, "option": 1}]}
    found = imported(data_of(unit(1, group(1, option(points=18)), options=(pair,))), Member(1, 0, 7))
    assert [t.name for t in found.army.troopers] == ["Alpha", "Unit 1, group 2, option 1"]
    assert found.to_fill_in == {"unknown"}


def test_without_data_every_member_is_an_entry_to_fill_in() -> None:
    found = imported(None, Member(1, 1, 1), Member(2, 1, 1))
    assert found.to_fill_in == {t.id for t in found.army.troopers} == {"unknown", "unknown-2"}


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
    told = [note.text() for _id, note in found.notes]
    assert told[0] == "group 1, member 1: changed by its player: it gets skill 84"
    assert told[1] == "group 1, member 1: changed by its player: BS +1"
    assert told[2].startswith("group 1, member 1: changed by its player, check orders and skills: {'type': 'skill'")


def test_a_specops_changes_are_told_by_name_and_act_like_skills() -> None:
    changes = ('[{"type":"skill","id":238},{"type":"skill","id":28,"extra":[6]},{"type":"weapon","id":2}]',)
    code = code_of(Member(1, 1, 1, changes), framing=Framing.V1M)
    found = import_army(code, data_of(unit(1, group(1, option()))))
    assert found.army.troopers[0].deploy == "hidden"
    told = [note.text().partition(": ")[2] for _id, note in found.notes]
    assert told[1:] == [
        "changed by its player: it gets Hidden Deployment",
        "changed by its player: it gets Mimetism (-3)",
        "changed by its player: it gets Long Ash Rifle",
    ]
    aware = code_of(Member(1, 1, 1, ('[{"type":"skill","id":213}]',)), framing=Framing.V1M)
    assert import_army(aware, data_of(unit(1, group(1, option())))).army.troopers[0].skills == {"tactical-awareness"}


@pytest.mark.rule("REI-01")
def test_reinforcements_come_from_the_file_that_the_number_names() -> None:
    section = read_army_data(section_content(), "969.json")
    data = read_army_data(sectorial_content(), "961.json")
    assert data.reinforcements_id == 969
    groups = (CodeGroup((Member(11, 1, 3),)), CodeGroup((Member(81, 1, 1), Member(82, 1, 1)), reinforcement=True))
    code = code_of(groups=groups)
    found = import_army(code, ArmyData(**{**vars(data), "reinforcements": section}))
    assert [(t.name, t.group, t.deploy) for t in found.army.troopers][1:] == [
        ("Late Ember", 2, "reinforcement"),
        ("Late Ghost", 2, "reinforcement"),
    ]
    assert found.problems() == ()
    alone = import_army(code, data)
    assert [t.incomplete for t in alone.army.troopers] == [False, True, True]


def test_a_servant_gets_the_doctor_of_its_list_for_a_controller_and_keeps_its_own_cost() -> None:
    data = read_army_data(sectorial_content(), "961.json")
    groups = (CodeGroup((Member(11, 1, 3), Member(11, 1, 4))), CodeGroup((Member(11, 1, 1), Member(14, 1, 1))))
    found = import_army(code_of(groups=groups), data)
    servant = found.army.troopers[-1]
    assert (servant.name, servant.controller, servant.own_cost, servant.group) == (
        "Medbot",
        "ember-2",
        True,
        1,
    )
    assert found.army.total_points == 13 + 15 + 12 + 3 and found.problems() == ()
    assert "it stands in the group of its controller (1); in the code it was in group 2" in found.notes[-1][1].text()
    again = parse_roster(found.toml()).army
    assert again == found.army and again.own_costs[1] == 15


@pytest.mark.parametrize(("kind", "skill"), [(41, 49), (41, 53), (41, 64), (374, 277)])
def test_peripherals_bought_by_themselves_find_who_controls_their_kind(kind: int, skill: int) -> None:
    others = unit(1, group(1, option(), name="Other"), group(2, option(skills=[ref(skill)]), name="Fits"))
    data = data_of(others, unit(2, helper(1, kind)))
    found = imported(data, Member(2, 1, 1), Member(1, 1, 1), Member(1, 2, 1), Member(2, 1, 1))
    assert [t.controller for t in found.army.troopers] == ["fits", None, None, "fits"]


def test_a_controlled_peripheral_belongs_to_its_own_unit_and_to_whoever_has_none_yet() -> None:
    data = data_of(unit(1, group(1, option(), name="Master"), helper(2, 47)), unit(2, group(1, option())))
    master, bot = Member(1, 1, 1), Member(1, 2, 1)
    found = imported(data, Member(2, 1, 1), bot, master, bot, master)
    assert [t.controller for t in found.army.troopers] == [None, "master", None, "master-2", None]


@pytest.mark.rule("FT-01")
def test_fireteams_that_the_chart_allows_are_proposed_as_comments() -> None:
    data = read_army_data(sectorial_content(), "961.json")
    line, other, ghost = Member(11, 1, 1), Member(12, 1, 1), Member(13, 1, 1)
    groups = (CodeGroup((Member(11, 1, 3), line, other, ghost)), CodeGroup((line, line)))
    found = import_army(code_of(groups=groups), data)
    text = found.toml()
    assert parse_roster(text).army.fireteams == ()  # proposed, not formed
    assert '# members = ["ember", "ember-2", "sacha-yaozao-dozornyi"]' in text or "# members" in text
    played = "\n".join(line.removeprefix("# ") if "[[fireteam]]" in line or " = " in line[:12] else line for line in
                       text.partition("# Fireteams that the chart allows")[2].splitlines()[1:5])  # fmt: skip
    army = parse_roster(f"{text}\n{played}\n").army
    (team,) = army.fireteams
    assert len(team.members) == 3 and team.leader == team.members[0]
    assert {army.troopers[army.index[member]].group for member in team.members} == {1}
    few = import_army(code_of(line), data)
    assert few.proposals == () and "fireteam" not in few.toml()


def test_copies_are_told_apart_by_what_they_carry() -> None:
    data = read_army_data({**sectorial_content(), **metadata_content()}, "961.json")
    found = imported(data, Member(11, 1, 1), Member(11, 1, 2), Member(11, 1, 1), Member(12, 1, 1))
    assert [(t.id, t.name) for t in found.army.troopers] == [
        ("ember", "EMBER, Ash Rifle"),
        ("ember-2", "EMBER, Cinder Cannon"),
        ("ember-3", "EMBER, Ash Rifle"),
        ("sacha-yaozao", "SĀCHĀ Yáozǎo, Дозорный"),
    ]
    alone = imported(data, Member(11, 1, 1))
    assert alone.army.troopers[0].id == "ember"  # a second one renames nobody


@pytest.mark.parametrize("name", ["All", "G2", "???", "日本", "", "A  name\tof far too many words", "idle"])
def test_ids_can_be_typed_whatever_the_name(name: str) -> None:
    data = data_of(unit(1, group(1, option(orders=(REGULAR, LIEUTENANT)), name=name)))
    found = imported(data, *[Member(1, 1, 1)] * 1)
    assert found.problems() == ()
    assert len(found.army.troopers[0].id) <= 26
    twice = imported(data, Member(1, 1, 1), Member(1, 1, 1))
    assert len({t.id for t in twice.army.troopers}) == 2


def test_numbered_ids_do_not_collide_with_names_that_end_in_numbers() -> None:
    data = data_of(unit(1, group(1, option(), name="Bot"), group(2, option(), name="Bot 1")))
    found = imported(data, Member(1, 1, 1), Member(1, 2, 1), Member(1, 1, 1))
    assert len({t.id for t in found.army.troopers}) == 3


MADE_N4 = unit(1, group(1, option(orders=(REGULAR, IRREGULAR), skills=[{"id": 213}])))
MADE_N5 = unit(1, group(1, option(orders=(REGULAR, TACTICAL), skills=[{"id": 213}])))
CODEONE = unit(1, group(1, option(points=6.5)))
PLAIN = unit(1, group(1, option()))


@pytest.mark.parametrize(
    ("made", "version", "edition"),
    [
        (MADE_N4, "", "n4"),
        (MADE_N5, "", "n5"),
        (CODEONE, "", "codeone"),
        (PLAIN, "", None),
        (PLAIN, "7.24270.214", "n4"),
        (PLAIN, "7.2453.72", "n4"),
        (PLAIN, "7.22264.154", "n4"),
        (PLAIN, "7.24351.346", "n5"),
        (PLAIN, "7.2520.465", "n5"),
        (MADE_N5, "7.2453.72", "n5"),
        (CODEONE, "7.22264.156", "codeone"),
    ],
)
def test_the_edition_shows_in_version_orders_and_points(
    made: dict[str, Any], version: str, edition: str | None
) -> None:
    data = data_of(made, version=version)
    assert data.edition == edition
    assert imported(data, Member(1, 1, 1)).army.edition == (edition or "n5")


@pytest.mark.rule("ORD-09")
def test_n4_tactical_awareness_keeps_a_regular_trooper_regular() -> None:
    trooper, notes = only(data_of(MADE_N4, version="7.24270.1"))
    assert trooper.training == "regular" and trooper.skills == {"tactical-awareness"} and notes == []


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
    assert len([t for t in found.army.troopers if t.controller is None or t.own_cost]) >= 14
    found.toml()
    found.problems()
