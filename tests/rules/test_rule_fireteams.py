"""FT: Fireteams, and several troopers activated as one."""

from __future__ import annotations

import pytest

from ordertray.rules import Army, Fireteam
from rules.playing import CODEONE, FULL, N4, Game, Json, army, editions

ARMY = army("cap lieutenant", "f1..f5", "two number-2", "wolf irregular", "r1 r2 g2", "doc g2", "dog g2 controller=doc",
            "fox marker g2", "jim combat-jump g2", "bill airborne g2", "ghost hidden g2", points=400)  # fmt: skip
ENEMY = army("boss lieutenant", "u1..u5", "solo")


def with_team(edition: str, *members: str, a: Army = ARMY, b: Army = ENEMY) -> Game:
    """A game before its first turn in which A has a team."""
    game = Game(edition, a, b)
    game.play(f"A team form {' '.join(members)}")
    return game


def teams(game: Game, seat: str = "A") -> list[Json]:
    """The teams of a side."""
    found: list[Json] = game.side(seat)["teams"]
    return found


def left(answer: Json) -> list[tuple[str, str, str]]:
    """Who left or was cancelled, and why, of the events of an answer."""
    kinds = ("team-left", "team-cancelled")
    return [(event["type"], event["trooper"], event["cause"]) for event in answer["events"] if event["type"] in kinds]


@pytest.mark.rule("FT-01")
@editions(*FULL)
def test_a_team_is_two_to_five_of_one_group(edition: str) -> None:
    game = Game(edition, ARMY)
    for line, rule in (
        ("f1", "FT-01"),
        ("f1 f1", "FT-01"),
        ("f1 f2 f3 f4 f5 two", "FT-01"),
        ("f1 r1", "FT-01"),
        ("r1 dog", "FT-01"),
        ("r1 doc", "FT-01"),
        ("r1 fox", "FT-01"),
        ("r1 jim", "FT-01"),
        ("r1 bill", "FT-01"),
        ("r1 ghost", "FT-01"),
        ("f1 nobody", "FT-01"),
    ):
        game.refused(f"A team form {line}", rule)
    game.play("A state f4 isolated", "A state f5 dead")
    game.refused("A team form f1 f4", "STA-02")
    game.refused("A team form f1 f5", "STA-01")
    game.play("A team form f1 f2", "A team form r1 r2")
    game.refused("A team form f3 f2", "FT-01")
    assert teams(game) == [
        {"leader": "f1", "members": ["f1", "f2"], "left": []},
        {"leader": "r1", "members": ["r1", "r2"], "left": []},
    ]
    game.play("A start")
    game.refused("A team form f3 wolf", "FT-01")


@pytest.mark.rule("FT-01")
@editions(*FULL)
def test_a_roster_brings_its_teams(edition: str) -> None:
    made = army("cap lieutenant", "f1..f3")
    game = Game(edition, Army(made.name, made.points, made.troopers, None, (Fireteam("x", ("f1", "f2"), "f2"),)))
    assert teams(game) == [{"leader": "f2", "members": ["f1", "f2"], "left": []}]


@pytest.mark.rule("FT-01", "CMD-04")
@editions(*FULL)
def test_in_the_own_turn_a_team_takes_a_token(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.refused("B token team u1 u2", "CMD-05")
    game.play("A spend regular g1 f1")
    game.refused("A token team f1 f2", "FT-01")
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done", "A token team f1 f2 f3")
    assert (teams(game)[0]["leader"], game.side("A")["command_tokens"]) == ("f1", 3)


@pytest.mark.rule("FT-01")
@editions(*FULL)
def test_forming_and_joining_end_suppressive_fire(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("A state f2 suppressive-fire", "A team form f1 f2 f3")
    assert game.trooper("A", "f2")["states"] == []
    game.play("A state f2 suppressive-fire")
    assert teams(game)[0] == {"leader": "f1", "members": ["f1", "f3"], "left": ["f2"]}
    game.begin("A")
    if edition == "n5":
        game.go_on("A", "states")
    game.play("A team join f2")
    assert game.trooper("A", "f2")["states"] == []
    assert teams(game)[0]["members"] == ["f1", "f3", "f2"]


@pytest.mark.rule("FT-01")
@editions(*N4)
def test_members_are_calm_in_n4(edition: str) -> None:
    game = with_team(edition, "i1", "i2", a=army("cap lieutenant", "i1 i2 i3 impetuous frenzy"))
    game.play("A start")
    game.go_on("A", "impetuous")
    assert game.left("A", "impetuous") == 1
    game.refused("A frenzy i1", "FT-01")
    game.refused("A spend impetuous i1", "SEQ-04")
    game.play("A spend impetuous i3")


@pytest.mark.rule("FT-01")
@editions("n5")
def test_members_may_be_impetuous_in_n5(edition: str) -> None:
    game = with_team(edition, "i1", "i2", "i4", a=army("cap lieutenant", "i1 i2 i3 i4 impetuous"))
    game.play("A start")
    game.go_on("A", "impetuous")
    assert game.left("A", "impetuous") == 4
    assert left(game.play("A spend impetuous i2")) == [("team-left", "i2", "impetuous")]
    game.play('A skill "Move"', "B pass", "A end", "A resolve", "A done")
    assert left(game.play("A spend impetuous i1")) == [("team-cancelled", "i1", "impetuous")]
    assert teams(game) == []


@pytest.mark.rule("FT-02")
@editions(*FULL)
def test_a_regular_order_activates_the_whole_team(edition: str) -> None:
    game = with_team(edition, "f1", "f2", "f3")
    game.begin("A")
    game.play("A spend regular g1 f2")
    assert (game.order["trooper"], game.order["troopers"]) == ("f2", ["f2", "f1", "f3"])
    assert teams(game)[0]["leader"] == "f2"
    pools = game.pools("A")
    game.play('A skill "Move"', "B aro u1 > f1", "B aro u2 > f3", "B pass", "A end", "A resolve", "A done")
    assert game.pools("A") == pools, "one order"
    game.play("A spend regular g1", "A trooper f3")
    assert game.order["troopers"] == ["f3", "f1", "f2"], "named late it is the same"


@pytest.mark.rule("FT-02")
@editions(*FULL)
def test_tactical_awareness_and_an_nco_activate_it_too(edition: str) -> None:
    game = with_team(edition, "t1", "t2", "t3", a=army("cap lieutenant", "t1 tactical-awareness", "t2 nco", "t3"))
    game.begin("A")
    game.play("A spend tactical t1" if edition == "n5" else "A spend irregular t1")
    assert game.order["troopers"] == ["t1", "t2", "t3"]
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done", "A spend lieutenant t2")
    assert game.order["troopers"] == ["t2", "t1", "t3"]
    assert teams(game)[0] == {"leader": "t2", "members": ["t1", "t2", "t3"], "left": []}


@pytest.mark.rule("FT-02")
@editions(*FULL)
def test_nobody_has_to_register_a_team(edition: str) -> None:
    """Two to five of the group named in one order act as one; each reactor picks any one of them."""
    game = Game(edition, ARMY)
    game.begin("A")
    for line, rule in (
        ("f1 f2 f3 f4 f5 two", "FT-01"),
        ("f1 f1", "FT-01"),
        ("f1 r1", "ORD-12"),
    ):
        game.refused(f"A spend regular g1 {line}", rule)
    for line, rule in (("r1 doc", "FT-01"), ("r1 dog", "ORD-16"), ("r1 fox", "FT-01"), ("r1 ghost", "FT-01")):
        game.refused(f"A spend regular g2 {line}", rule)
    game.play("A spend regular g1 f1 f2 f3", 'A skill "Move"', "B aro u1 > f3", "B aro u2 > f1")
    game.refused("B aro u3 > f4", "ACT-08")
    game.refused("B aro u3", "ACT-08")
    assert teams(game) == []
    game = with_team(edition, "f1", "f2")
    game.begin("A")
    game.refused("A spend regular g1 f3 f1", "FT-02")
    game.refused("A spend regular g1 f1 f3", "FT-02")
    game.play("A spend regular g1 f2 f1")
    assert game.order["troopers"] == ["f2", "f1"]


@pytest.mark.rule("FT-03")
@editions(*FULL)
def test_what_all_do_and_what_the_leader_does_alone(edition: str) -> None:
    for skill in ("Move", "Dodge", "Jump", "Climb", "Cautious Movement", "Reset"):
        game = with_team(edition, "f1", "f2", "f3")
        game.begin("A")
        game.play("A spend regular g1 f1", f'A skill "{skill}"')
        assert game.order["idle"] == [], skill
    for spend in ("A spend regular g1 f2", "A spend regular g1 f2 f1 f3"):
        game = with_team(edition, "f1", "f2", "f3") if spend.endswith("f2") else Game(edition, ARMY)
        game.begin("A")
        game.play(spend, 'A skill "Move"', "B pass", 'A skill "BS Attack"')
        assert sorted(game.order["idle"]) == ["A:f1", "A:f3"]
        game.play("B aro u1 > f1", "B pass", "A resolve idle f2")
        assert sorted(game.order["idle"]) == ["A:f1", "A:f2", "A:f3"]


@pytest.mark.rule("FT-04")
@editions(*FULL)
def test_who_declares_another_aro_than_the_team_leaves_it(edition: str) -> None:
    """Each member reacts by itself, against a target of its own; judged over both windows, at the end of the order."""
    game = Game(edition, ARMY, ENEMY)
    game.play("B team form u1 u2 u3 u4")
    game.begin("A")
    game.play("A spend regular g1 f1 f2", 'A skill "Move"', 'B aro u1 u2 "BS Attack" > f1', 'B aro u3 "Dodge" > f2')
    game.refused('B aro u4 u1 "Dodge" > f2', "ACT-07")
    assert [aro["trooper"] for aro in game.order["aro"]["declared"]] == ["u1", "u2", "u3"], "all or none"
    game.play("B pass", "A end", "A resolve")
    assert teams(game, "B")[0]["members"] == ["u1", "u2", "u3", "u4"], "not before the order is over"
    assert left(game.play("A done")) == [("team-left", "u3", "aro")]
    assert teams(game, "B") == [{"leader": "u1", "members": ["u1", "u2", "u4"], "left": ["u3"]}]
    game.play("A spend regular g1 f1", 'A skill "Move"', 'B aro u2 "Dodge"', "B pass", 'A skill "Move"')
    game.play('B aro u4 "Dodge"', 'B aro u1 "BS Attack"', "B pass", "A resolve")
    assert left(game.play("A done")) == [("team-cancelled", "u1", "aro")], "the Leader's leaving is the team's end"
    assert teams(game, "B") == []


@pytest.mark.rule("FT-04")
@editions(*FULL)
def test_without_a_majority_the_owner_says_which_aro_is_the_teams(edition: str) -> None:
    game = Game(edition, ARMY, ENEMY)
    game.play("B team form u1 u2 u3")
    game.begin("A")
    window = ("A spend regular g1 f1", 'A skill "Move"', 'B aro u1 "BS Attack"', 'B aro u2 "Dodge"', "B aro u3")
    game.play(*window)
    for line, rule in (("B team aro u3", "FT-04"), ("B team aro solo", "FT-04"), ("A team aro f1", "ACT-09")):
        game.refused(line, rule)
    game.play("B pass", "A end", "A resolve")
    assert left(game.play("A done")) == [], "unsaid, nobody leaves"
    game.play(*window, "B pass", "A end", "B team aro u1", "A resolve")
    game.refused("B team aro u2", "FT-04")
    assert left(game.play("A done")) == [("team-left", "u2", "aro")]
    game.refused("B team aro u1", "FT-04")


@pytest.mark.rule("FT-04")
@editions(*FULL)
def test_a_member_that_falls_in_the_order_has_still_declared(edition: str) -> None:
    game = Game(edition, ARMY, ENEMY)
    game.play("B team form u1 u2 u3 u4")
    game.begin("A")
    game.play("A spend regular g1 f1", 'A skill "Move"', 'B aro u2 u3 "BS Attack"', 'B aro u4 "Dodge"', "B pass")
    game.play("A state B:u2 dead", "A state B:u3 dead", "A end", "A resolve")
    assert left(game.play("A done")) == [("team-left", "u4", "aro"), ("team-cancelled", "u1", "alone")]


@pytest.mark.rule("FT-05")
@editions(*FULL)
def test_how_a_member_leaves(edition: str) -> None:
    for line, name, cause in (
        ("B state A:f2 isolated", "f2", "isolated"),
        ("B state A:f2 unconscious", "f2", "null"),
        ("B state A:f2 possessed", "f2", "null"),
        ("A state f2 suppressive-fire", "f2", "suppressive-fire"),
        ("A team leave f2", "f2", "said"),
    ):
        game = with_team(edition, "f1", "f2", "f3")
        assert left(game.play(line)) == [("team-left", name, cause)], line
        assert teams(game) == [{"leader": "f1", "members": ["f1", "f3"], "left": ["f2"]}]
        game.play("undo")
        assert teams(game)[0]["members"] == ["f1", "f2", "f3"]
        game.play("A state f2 prone")
        assert teams(game)[0]["members"] == ["f1", "f2", "f3"]
    game.play("A start")
    assert left(game.play("A token group f2 g2")) == [("team-left", "f2", "group")]


@pytest.mark.rule("FT-05")
@editions(*FULL)
def test_who_spends_its_own_order_acts_alone(edition: str) -> None:
    """From that declaration on: the team's order does not activate it any more."""
    game = with_team(edition, "f1", "wolf", "f3", "cap")
    game.begin("A")
    assert left(game.play("A spend irregular wolf")) == [("team-left", "wolf", "irregular")]
    assert game.order["troopers"] == ["wolf"]
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    assert left(game.play("A spend lieutenant")) == [("team-left", "cap", "lieutenant")]
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done", "A spend regular g1 f3")
    assert game.order["troopers"] == ["f3", "f1"]


@pytest.mark.rule("FT-05")
@editions(*FULL)
def test_the_leaders_suppressive_fire_is_its_own(edition: str) -> None:
    game = with_team(edition, "f1", "f2", "f3")
    game.begin("A")
    game.play("A spend regular g1 f1")
    assert left(game.play('A skill "Suppressive Fire"')) == [("team-cancelled", "f1", "suppressive-fire")]
    assert sorted(game.order["idle"]) == ["A:f2", "A:f3"]


@pytest.mark.rule("FT-06")
@editions(*FULL)
def test_when_a_team_is_cancelled(edition: str) -> None:
    for line, cause in (
        ("B state A:f1 isolated", "isolated"),
        ("B state A:f1 dead", "null"),
        ("A team leave f1", "said"),
        ("A team cancel f2", "said"),
    ):
        game = with_team(edition, "f1", "f2", "f3")
        assert left(game.play(line)) == [("team-cancelled", "f1", cause)], line
        assert teams(game) == []
    game = with_team(edition, "f1", "f2")
    assert left(game.play("A team leave f2")) == [("team-left", "f2", "said"), ("team-cancelled", "f1", "alone")]
    for line in ("A team leave f1", "A team cancel f1", "A team leave nobody"):
        assert game.refused(line, "FT-06" if "cancel" in line else "FT-05")
    game = with_team(edition, "f1", "f2")
    game.begin("A")
    game.play("A spend regular g1 f1")
    game.refused("A team cancel f1", "FT-06")


@pytest.mark.rule("FT-06")
@editions(*FULL)
def test_number_2_takes_over(edition: str) -> None:
    """Only where the Leader is Isolated or Null."""
    for line, members in (("B state A:f1 dead", ["f2", "two"]), ("B state A:f1 isolated", ["f2", "two"])):
        game = with_team(edition, "f1", "f2", "two")
        assert left(game.play(line))[0][1] == "f1"
        assert teams(game) == [{"leader": "two", "members": members, "left": ["f1"]}]
    game = with_team(edition, "f1", "f2", "two")
    game.play("A team leave f1")
    assert teams(game) == []


@pytest.mark.rule("FT-06")
@editions(*FULL)
def test_retreat_cancels_teams(edition: str) -> None:
    rest = army("cap lieutenant cost=1", "f1 f2 f3 cost=5", "rest cost=84")
    game = with_team(edition, "f1", "f2", "f3", a=rest)
    game.play("B state A:rest dead", "A start")
    assert left(game.play("A next")) == [("team-cancelled", "f1", "retreat")]
    game.refused("A token team f1 f2", "FT-06")
    game.go_on("A", "orders")
    game = Game(edition, army("cap lieutenant warhorse cost=1", "f1 f2 f3 warhorse cost=5", "rest cost=84"))
    game.play("B state A:rest dead")
    game.begin("A")
    game.refused("A spend regular g1 f1 f2", "FT-06")


@pytest.mark.rule("FT-07")
@editions("n5")
def test_who_left_may_come_back_in_the_next_states_phase(edition: str) -> None:
    """Of either player; then no more."""
    game = with_team(edition, "f1", "f2", "f3", "f4", "f5")
    game.play("A team leave f2", "A team leave f3", "B state A:f4 isolated")
    game.refused("A team join f2", "FT-07")
    game.begin("A")
    game.refused("A team join f2", "FT-07")
    game.go_on("A", "states")
    game.refused("A team join two", "FT-07")
    game.refused("A team join f4", "STA-02")
    game.play("A team join f2")
    assert teams(game) == [{"leader": "f1", "members": ["f1", "f5", "f2"], "left": ["f3", "f4"]}]
    game.play("A next")
    assert teams(game)[0]["left"] == []
    game.begin("B")
    game.play("A team leave f2", "undo")
    game.go_on("B", "states")
    game.refused("A team join f3", "FT-07")


@pytest.mark.rule("FT-07")
@editions(*N4)
def test_who_left_comes_back_from_the_count_to_the_first_order(edition: str) -> None:
    game = with_team(edition, "f1", "f2", "f3", "f4")
    game.play("A team leave f2", "A team leave f3", "A start")
    game.refused("A team join f2", "FT-07")
    game.play("A next", "A team join f2")
    game.go_on("A", "orders")
    assert teams(game) == [{"leader": "f1", "members": ["f1", "f4", "f2"], "left": ["f3"]}]
    game.whole("A spend regular g1 f5")
    assert teams(game)[0]["left"] == []
    game.refused("A team join f3", "FT-07")
    game.go_on("A", "states")
    game.refused("A team join f3", "FT-07")


@pytest.mark.rule("FT-07", "CMD-04")
@editions(*FULL)
def test_no_member_shares_a_coordinated_order(edition: str) -> None:
    game = with_team(edition, "f1", "f2")
    game.begin("A")
    game.refused("A token coordinate g1 f1 f3", "FT-07")
    game.play("A token coordinate g1 f3 f4")


@pytest.mark.rule("FT-01", "FT-02", "FT-03", "FT-04", "FT-05", "FT-06", "FT-07", absent=True)
@editions(*CODEONE)
def test_no_fireteams_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "f1 f2 f3"))
    for use in ("form f1 f2", "leave f1", "join f1", "cancel f1", "aro f1"):
        game.refused(f"A team {use}", "FT-01")
    game.begin("A")
    game.refused("A token team f1 f2", "SEQ-03")
    game.refused("A spend regular g1 f1 f2", "FT-01")
    assert teams(game) == []
