"""Army lists: every fault at once, each with its trooper and its rule (ORD-05, ORD-16, ORD-21, RET-15 ...)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordertray.rules import EDITIONS, Army, Seat, Trooper, check_army, new_game
from rules.catalogues import LANGUAGES, translator
from rules.playing import ALL, CODEONE, ENEMY, FULL, army, editions


def faults(listed: Army, edition: str) -> list[tuple[str, str, str | None]]:
    """(rule, code, trooper) of each problem."""
    return [
        (problem.rule, problem.code, None if problem.trooper is None else listed.troopers[problem.trooper].id)
        for problem in check_army(listed, EDITIONS[edition])
    ]


@pytest.mark.rule("ORD-05")
@editions(*FULL)
def test_an_irregular_lieutenant(edition: str) -> None:
    """The source's table of restrictions: Irregular troopers cannot be chosen as Lieutenant."""
    assert faults(army("wolf irregular lieutenant", "t1"), edition) == [("ORD-05", "irregular-lieutenant", "wolf")]


@pytest.mark.rule("ORD-03", "ORD-04", "ORD-05", absent=True)
@editions(*CODEONE)
def test_no_irregular_troopers_in_code_one(edition: str) -> None:
    """So there is no Irregular order, nobody to spend a pool order on besides, and no such Lieutenant."""
    assert faults(army("cap lieutenant", "wolf irregular"), edition) == [("ORD-21", "irregular-barred", "wolf")]
    both = faults(army("wolf irregular lieutenant"), edition)
    assert [rule for rule, _, _ in both] == ["ORD-21", "ORD-05"]


@pytest.mark.rule("ORD-21")
@editions(*ALL)
def test_ten_troopers_a_group(edition: str) -> None:
    """Peripherals are not counted, as the source says."""
    assert faults(army("cap lieutenant", "t1..t9", "dog1 dog2 controller=t1"), edition) == []
    assert faults(army("cap lieutenant", "t1..t10"), edition) == [("ORD-21", "group-size", None)]


@pytest.mark.rule("ORD-21")
@editions(*FULL)
def test_fifteen_troopers_a_list_in_any_number_of_groups(edition: str) -> None:
    groups = ("cap lieutenant", "t1..t4", "r1..r5 g2", "s1..s3 g3", "v1 g4", "dog controller=t1")
    assert faults(army(*groups, "v2 g7"), edition) == []
    assert faults(army(*groups, "v2 v3 g7"), edition) == [("ORD-21", "list-size", None)]
    assert faults(army("cap lieutenant", "t1 cost=12.5"), edition) == [("ORD-21", "half-cost", "t1")]


@pytest.mark.rule("ORD-21")
@editions(*CODEONE)
def test_one_group_and_halves_in_code_one(edition: str) -> None:
    assert faults(army("cap lieutenant", "t1 cost=12.5", "t2 cost=0.5"), edition) == []
    assert faults(army("cap lieutenant", "t1 cost=12.3"), edition) == [("ORD-21", "odd-cost", "t1")]
    assert faults(army("cap lieutenant", "t1 g2"), edition) == [("ORD-21", "one-group", "t1")]


BAD = Army(
    "everything wrong",
    20,
    (
        Trooper("cap", cost=10, lieutenant=True),
        Trooper("cap", cost=-1),
        Trooper("g1", type="XX", training="lazy", deploy="orbit", group=0),
        Trooper("a b", cost=3, lieutenant=True, training="irregular"),
        Trooper("dog", cost=4, controller="nobody"),
        Trooper("pup", cost=4, controller="pup"),
        Trooper("cat", cost=40, controller="cap", lieutenant=True, group=2),
        Trooper("kit", controller="cat", group=2),
        Trooper("ant", cost=90.25),
    ),
)


def test_every_fault_at_once_in_list_order() -> None:
    assert faults(BAD, "n5") == [
        ("ORD-01", "double-id", "cap"),
        ("RET-15", "negative-cost", "cap"),
        ("ORD-01", "reserved-id", "g1"),
        ("ORD-01", "bad-type", "g1"),
        ("ORD-02", "bad-training", "g1"),
        ("ORD-15", "bad-deploy", "g1"),
        ("ORD-21", "bad-group", "g1"),
        ("ORD-01", "bad-id", "a b"),
        ("ORD-05", "irregular-lieutenant", "a b"),
        ("ORD-16", "no-controller", "dog"),
        ("ORD-16", "own-controller", "pup"),
        ("ORD-16", "peripheral-lieutenant", "cat"),
        ("ORD-16", "controller-group", "cat"),
        ("ORD-16", "peripheral-controller", "kit"),
        ("ORD-21", "odd-cost", "ant"),
        ("LOL-01", "many-lieutenants", None),
        ("RET-15", "controller-cost", "cap"),
        ("RET-02", "over-limit", None),
    ]


@pytest.mark.parametrize("edition", ALL)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_is_told_in_words(edition: str, language: str) -> None:
    for problem in check_army(BAD, EDITIONS[edition]):
        told = problem.explain(translator(language))
        assert told and "{" not in told
        assert language == "en" or told != problem.message


@pytest.mark.parametrize("edition", ALL)
def test_faults_of_the_list_as_a_whole(edition: str) -> None:
    assert faults(Army("empty", 0, ()), edition) == [("RET-02", "bad-points", None), ("ORD-21", "empty", None)]
    assert faults(army("t1 t2"), edition) == [("LOL-01", "no-lieutenant", None)]
    assert faults(army("cap lieutenant cost=50", "t1 cost=51", points=100), edition) == [("RET-02", "over-limit", None)]
    assert faults(army("cap lieutenant cost=50", "t1 cost=50", points=100), edition) == []


@pytest.mark.parametrize("edition", ALL)
def test_costs_of_peripherals_stand_in_their_controllers(edition: str) -> None:
    """30 points with a dog of 8: 30 in all, not 38; and no controller costs less than what it brings."""
    assert faults(army("cap lieutenant cost=20", "t1 cost=30", "dog controller=t1 cost=8", points=50), edition) == []
    dear = army("cap lieutenant cost=20", "t1 cost=5", "dog controller=t1 cost=8", points=50)
    assert ("RET-15", "controller-cost", "t1") in faults(dear, edition)


@pytest.mark.parametrize("edition", ALL)
def test_no_game_with_a_faulty_army(edition: str) -> None:
    for seat in Seat:
        armies = {Seat.A: ENEMY, Seat.B: ENEMY} | {seat: replace(BAD)}
        with pytest.raises(ValueError, match=f"army of seat {seat} may not play"):
            new_game(armies, EDITIONS[edition])
