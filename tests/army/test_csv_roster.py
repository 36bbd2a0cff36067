"""Rosters as spreadsheets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.army.roster import RosterError, load_army
from ordertray.army.sheet import format_csv, parse_csv, read_csv

EXAMPLES = Path(__file__).parents[2] / "examples"

GOOD = "name,Test\npoints,300\n\nid,cost,lieutenant,skills\nboss,30,yes,nco courage\ntwo,10,,\n"


def faults(text: str | bytes) -> list[str]:
    """All faults of a CSV roster."""
    with pytest.raises(RosterError) as caught:
        parse_csv(text)
    return [problem.text() for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["red", "blue"])
def test_the_examples_survive_the_way_to_csv_and_back(name: str, tmp_path: Path) -> None:
    army = load_army(EXAMPLES / f"{name}.toml")
    path = tmp_path / "list.csv"
    path.write_text(format_csv(army))
    assert read_csv(path).army == army


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_any_usual_delimiter_and_line_end_will_do(delimiter: str) -> None:
    text = GOOD.replace(",", delimiter)
    assert parse_csv(text) == parse_csv(GOOD)
    assert parse_csv(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == parse_csv(GOOD)


def test_skills_with_blanks_survive() -> None:
    text = GOOD.replace("nco courage", "nco; some other skill;")
    army = parse_csv(text).army
    assert army.troopers[0].skills == {"nco", "some other skill"}
    assert parse_csv(format_csv(army)).army == army


def test_decimal_commas_are_numbers() -> None:
    text = GOOD.replace(",", ";").replace("points;300", "points;300\nedition;codeone").replace("two;10", "two;10,5")
    assert parse_csv(text).army.troopers[1].cost == 10.5


def test_every_fault_is_listed_at_once_with_its_line() -> None:
    text = (
        "nmae,Test\npoints,many\n\nid,cost,lieutenant,skills,controler,cost,colour\n"
        'boss,x,perhaps,"nco nco",,,red\n,10,,tactical-awarness,,,\nboss,1,,,,,,extra\n'
    )
    assert faults(text) == [
        'line 1, nmae: no such key; did you mean "name"?',
        'line 2, points: should be a whole number, found "many"',
        'line 4: no such column "controler"; did you mean "controller"?',
        'line 4: column "cost" is given twice',
        'line 4: no such column "colour"; known are id, name, type, cost, group, training, lieutenant, skills, '
        "deploy, controller, tag, own-cost, incomplete",
        'line 5, trooper 1 "boss", cost: should be a number, found "x"',
        'line 5, trooper 1 "boss", lieutenant: should be true/false, found "perhaps"',
        'line 5, trooper 1 "boss", skills: "nco" is given twice',
        "line 6, trooper 2, id: missing",
        'line 6, trooper 2, skills: "tactical-awarness" is not known; did you mean "tactical-awareness"?',
        'line 7, trooper 3 "boss": has more cells than there are columns',
        "line 7, trooper 3 \"boss\", id: id 'boss' is used twice; every trooper needs its own (ORD-01)",
    ]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", 'there is no row of columns, which begins with "id"'),
        (b"points,300\n", "there is no row of columns"),
        (b"\xf1", "not UTF-8"),
        (b'id,name\n"' + b"x" * 200_000, "far too big to be one of ours"),
        (b"id\n", "points: missing"),
    ],
)
def test_what_is_no_roster_is_refused(raw: bytes, message: str) -> None:
    assert message in "\n".join(faults(raw))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RosterError, match="there is no such file"):
        read_csv(tmp_path / "none.csv")


@settings(max_examples=150)
@given(st.data())
def test_damaged_sheets_never_crash(data: st.DataObject) -> None:
    raw = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3) | st.just(b'"'))
    try:
        parse_csv(bytes(raw))
    except RosterError as error:
        assert error.problems and str(error)
