"""RET: Retreat."""

from __future__ import annotations

import pytest

from rules.playing import CODEONE, FULL, N4, Game, army, editions

#: 100 points: the Lieutenant and four troopers of 10, and a rest of 50 that falls.
ARMY = army("cap lieutenant cost=10", "t1..t4 cost=10", "rest cost=50")
EXCEPTIONS = army(
    "cap lieutenant cost=5", "t1 cost=5", "brave courage cost=5", "monk religious cost=5", "old warhorse cost=5",
    "vet veteran cost=5", "wolf irregular warhorse cost=5", "rest cost=200",
)  # fmt: skip


def retreating(edition: str, a: object = EXCEPTIONS, *falls: str, **options: object) -> Game:
    """A game at the beginning of A's Orders Phase, after `falls` (or `rest`) have died."""
    game = Game(edition, a, **options)  # type: ignore[arg-type]
    for name in falls or ("rest",):
        game.play(f"B state A:{name} dead")
    game.begin("A")
    assert game.side("A")["retreat"] is True
    return game


def retreats(edition: str, points: int, surviving: float) -> bool:
    """Whether an army of `points` with `surviving` points left is in Retreat at its check."""
    game = Game(edition, army(f"cap lieutenant cost={surviving:g}", f"rest cost={points - surviving:g}", points=points))
    game.play("A state rest dead", "A start", "A next")
    result: bool = game.side("A")["retreat"]
    return result


@pytest.mark.rule("RET-01")
@editions(*FULL)
def test_the_count_is_made_at_the_start_of_the_own_turn_only(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("A state rest dead", "A state t1 dead", "A state t2 dead", "A start")
    assert game.side("A")["retreat"] is False
    game.play("A next")
    assert game.side("A")["retreat"] is False, "30 of 100 points"
    game.go_on("A", "orders")
    game.play("B state A:t3 dead")
    game.finish("A")
    game.turn("B")
    assert game.side("A")["retreat"] is False, "20 of 100, but it is not counted yet"
    game.play("A start")
    assert game.side("A")["retreat"] is False
    events = game.play("A next")["events"]
    assert "retreat-declared" in [event["type"] for event in events]
    assert game.side("A")["retreat"] is True


@pytest.mark.rule("RET-01")
@editions(*FULL)
def test_troopers_not_yet_deployed_are_survivors(edition: str) -> None:
    """The source names Airborne and Hidden Deployment."""
    game = Game(edition, army("cap lieutenant cost=20", "ghost hidden cost=3", "diver airborne cost=3", "rest cost=74"))
    game.play("A state rest dead", "A start", "A next")
    assert game.side("A")["retreat"] is False
    assert game.private("A")["victory_points"] == 26


@pytest.mark.rule("RET-02")
@editions(*FULL)
@pytest.mark.parametrize(
    ("points", "threshold"),
    [(400, 100), (350, 88), (300, 75), (250, 63), (200, 50), (150, 38), (100, 25), (250 + 1, 63)],
)
def test_the_threshold(edition: str, points: int, threshold: int) -> None:
    """The source's table, and a quarter with halves rounded up for other sizes; at or below it is Retreat."""
    assert retreats(edition, points, threshold) is True
    assert retreats(edition, points, threshold + 1) is False


@pytest.mark.rule("RET-02")
@editions(*FULL)
def test_the_base_is_the_limit_or_by_option_the_list(edition: str) -> None:
    """The source can be read both ways: by the points of the army, and as a quarter of the list's total."""
    cheap = army("cap lieutenant cost=70", "rest cost=200", points=300)
    game = Game(edition, cheap)
    game.play("A state rest dead", "A start", "A next")
    assert (game.side("A")["retreat"], game.private("A")["retreat_threshold"]) == (True, 75)
    game = Game(edition, cheap)
    game.play("option retreat-base list", "A state rest dead", "A start", "A next")
    assert (game.side("A")["retreat"], game.private("A")["retreat_threshold"]) == (False, 68)


@pytest.mark.rule("RET-03")
@editions(*FULL)
def test_an_army_in_retreat_is_in_loss_of_lieutenant(edition: str) -> None:
    """Though its Lieutenant stands there in good health."""
    game = retreating(edition)
    assert game.side("A")["loss_of_lieutenant"] is True
    assert game.side("A")["lieutenant"]["total"] == 0
    game.refused("A spend lieutenant", "ORD-06")


@pytest.mark.rule("RET-04")
@editions(*FULL)
def test_no_new_lieutenant_in_retreat(edition: str) -> None:
    game = retreating(edition, army("cap lieutenant cost=10", "heir chain-of-command cost=10", "rest cost=200"))
    game.play("B state A:cap dead")
    game.go_on("A", "states")
    game.refused("A lieutenant heir", "RET-04")
    game.play("A next")
    game.turn("B")
    events = game.play("A start", "A next")["events"]
    assert "lieutenant-changed" not in [event["type"] for event in events], "nor by Chain of Command"


@pytest.mark.rule("RET-04")
@pytest.mark.rule("RET-08")
@editions(*FULL)
@pytest.mark.parametrize("alive", [True, False])
def test_retreat_cancelled_and_with_a_lieutenant_its_loss_too(edition: str, alive: bool) -> None:
    game = retreating(edition, army("cap lieutenant cost=10", "t1 cost=10", "rest cost=60"))
    if not alive:
        game.play("B state A:cap dead")
    game.play("A clear rest dead")
    assert game.side("A")["retreat"] is True, "it is counted at the start of the next own turn"
    game.finish("A")
    game.turn("B")
    events = game.play("A start", "A next")["events"]
    assert "retreat-cancelled" in [event["type"] for event in events]
    assert game.side("A")["retreat"] is False
    assert not any(trooper["retreat"] for trooper in game.side("A")["troopers"])
    assert game.side("A")["loss_of_lieutenant"] is not alive
    assert game.left("A", "lieutenant") == alive


@pytest.mark.rule("RET-05")
@editions(*FULL)
def test_no_impetuous_phase_in_retreat(edition: str) -> None:
    """The source: neither Impetuous troopers nor those with Frenzy act in it, Courage or not."""
    game = Game(
        edition, army("cap lieutenant cost=5", "fox impetuous courage cost=5", "bear frenzy cost=5", "rest cost=85")
    )
    game.begin("A")
    game.play("A frenzy bear", "B state A:rest dead")
    game.finish("A")
    game.turn("B")
    game.play("A start", "A next")
    assert game.left("A", "impetuous") == 0
    game.go_on("A", "orders")
    game.refused("A spend impetuous fox", "RET-05")
    game.refused("A spend impetuous bear", "RET-05")


@pytest.mark.rule("RET-06")
@editions(*FULL)
def test_those_who_leave_in_retreat_are_survivors(edition: str) -> None:
    game = retreating(edition, ARMY, "rest", "t1", "t2", "t3")
    assert game.private("A")["victory_points"] == 20
    game.play("A evacuate t4")
    assert game.trooper("A", "t4")["place"] == "evacuated"
    assert game.private("A")["victory_points"] == 20
    game.refused("A evacuate t4", "RET-06")
    game.refused("A spend regular g1 t4", "RET-06")
    game.refused("A evacuate t3", "STA-01")
    game.play("A clear t3 dead")
    game.finish("A")
    game.turn("B")
    game.play("A start", "A next")
    assert game.side("A")["retreat"] is False, "the recount has it among the survivors: 30 of 100"
    game.refused("A evacuate cap", "RET-06")


@pytest.mark.rule("RET-06")
@editions(*FULL)
def test_not_in_retreat_leaving_is_no_evacuation(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.refused("A evacuate t1", "RET-06")
    game.refused("B evacuate u1", "RET-06")


@pytest.mark.rule("RET-07")
@editions(*FULL)
def test_all_lost_or_evacuated_ends_the_battle(edition: str) -> None:
    game = retreating(edition, ARMY, "rest", "t1", "t2", "t3")
    game.play("A evacuate t4")
    assert game.over() is False
    game.play("A evacuate cap")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule("RET-07")
@editions(*FULL)
def test_it_ends_with_the_order_in_the_reactive_turn_too(edition: str) -> None:
    game = retreating(edition, ARMY, "rest", "t1", "t2", "t3")
    game.play("A evacuate t4")
    game.finish("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill short", "A aro cap", "A pass", "B end", "B resolve")
    game.play("B state A:cap unconscious")
    assert game.over() is False, "all of an order happens at once"
    game.play("B done")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule("RET-07")
@editions(*FULL)
def test_troopers_not_yet_deployed_keep_the_battle_going(edition: str) -> None:
    game = retreating(edition, army("cap lieutenant cost=10", "ghost hidden cost=10", "rest cost=80"))
    game.play("B state A:cap dead")
    assert game.over() is False
    game.play("A arrive ghost", "B state A:ghost dead")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule("RET-07")
@editions(*FULL)
def test_an_army_lost_before_any_retreat_ends_it_at_its_next_check(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.play("B state A:cap dead", "B state A:t1 dead")
    assert game.over() is False
    game.play("A start", "A next")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule("RET-08")
@editions(*FULL)
def test_a_point_above_the_threshold_cancels_retreat(edition: str) -> None:
    """The source: cancelled when the sum is above a quarter, not at it."""
    game = retreating(
        edition, army("cap lieutenant cost=20", "t1 cost=5", "t2 cost=1", "rest cost=74"), "rest", "t1", "t2"
    )
    for name, retreat in (("t1", True), ("t2", False)):
        game.play(f"A clear {name} dead")
        game.finish("A")
        game.turn("B")
        game.begin("A")
        assert game.side("A")["retreat"] is retreat


@pytest.mark.rule("RET-09")
@editions(*FULL)
def test_everybody_becomes_irregular_and_shows_an_irregular_order(edition: str) -> None:
    game = retreating(edition, army("cap lieutenant cost=5", "t1 t2 cost=5", "wolf irregular cost=5", "rest cost=80"))
    assert game.pools("A") == {1: 0}
    shown = {one["id"]: one["irregular"]["left"] for one in game.side("A")["troopers"]}
    assert shown == {"cap": 1, "t1": 1, "t2": 1, "wolf": 1, "rest": 0}
    game.whole("A spend irregular t1")


@pytest.mark.rule("RET-10")
@editions(*FULL)
def test_every_trooper_on_the_table_has_a_marker(edition: str) -> None:
    game = retreating(edition, army("cap lieutenant cost=5", "t1 cost=5", "ghost hidden cost=5", "rest cost=80"))
    assert {one["id"]: one["retreat"] for one in game.side("A")["troopers"]} == dict.fromkeys(
        ("cap", "t1", "rest"), True
    )
    assert [one["retreat"] for one in game.private("A")["troopers"] if one["id"] == "ghost"] == [False]
    assert not any(one["retreat"] for one in game.side("B")["troopers"])


@pytest.mark.rule("RET-11")
@editions(*FULL)
def test_what_a_trooper_with_the_marker_may_declare(edition: str) -> None:
    """The source: basic short skills, Dodge, Reset, Cautious Movement. Labels alone are taken: these carry them."""
    game = retreating(edition)
    game.play("A spend irregular t1")
    for name in ("BS Attack", "CC Attack", "Doctor", "Jump", "Suppressive Fire", "Berserk"):
        game.refused(f'A skill "{name}"', "RET-11")
    game.refused('A skill short "Dance"', "RET-11")
    for name in ("Move", "Discover", "Idle", "Dodge", "Reset", "Cautious Movement"):
        game.play(f'A skill "{name}"', "undo")
    game.play('A skill "Move"', "B pass")
    game.refused('A skill "BS Attack"', "RET-11")
    game.play('A skill "Dodge"', "B pass", "A resolve", "A done")


@pytest.mark.rule("RET-11")
@editions(*FULL)
def test_the_marker_binds_reactions_too(edition: str) -> None:
    game = retreating(edition)
    game.finish("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill basic")
    game.refused('A aro t1 "BS Attack"', "RET-11")
    game.refused('A aro t1 "Look Out!"', "RET-11")
    game.play('A aro t1 "Dodge"', 'A aro cap "Discover"', 'A aro brave "BS Attack"', 'A aro monk "Reset"')


@pytest.mark.rule("RET-12")
@editions(*FULL)
def test_the_exceptions(edition: str) -> None:
    """The source: Courage, Religious Troop: no marker, free to act, still Irregular. Warhorse: Regular as well.

    In N4 it is called Veteran; one skill under two names, taken under either.
    """
    game = retreating(edition)
    marked = {one["id"]: one["retreat"] for one in game.side("A")["troopers"]}
    assert [name for name, marker in marked.items() if not marker] == ["brave", "monk", "old", "vet", "wolf"]
    assert game.pools("A") == {1: 2}, "old and vet"
    assert game.trooper("A", "wolf")["irregular"]["left"] == 1, "it stays what it was"
    for name in ("brave", "monk"):
        game.play(f"A spend irregular {name}", 'A skill "BS Attack"', "B pass", "A end", "A resolve", "A done")
    game.play("A spend regular g1 old", 'A skill "Suppressive Fire"', "B pass", "A resolve", "A done")


@pytest.mark.rule("RET-12")
@editions(*FULL)
def test_a_religious_troop_may_not_leave(edition: str) -> None:
    game = retreating(edition)
    game.refused("A evacuate monk", "RET-12")
    game.play("A evacuate brave", "A evacuate old", "A evacuate t1")


@pytest.mark.rule("RET-13")
@editions(*FULL)
def test_a_mission_without_retreat(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("option no-retreat", *(f"B state A:{name} dead" for name in ("rest", "t1", "t2", "t3", "t4")))
    game.begin("A")
    assert (game.side("A")["retreat"], game.side("A")["loss_of_lieutenant"]) == (False, False)
    game.refused("A evacuate cap", "RET-06")
    game.play("B state A:cap dead")
    assert game.over() is False


@pytest.mark.rule("RET-13")
@editions(*FULL)
def test_a_mission_without_loss_of_lieutenant(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1..t3"))
    game.play("option no-lieutenant-loss", "B state A:cap dead")
    game.begin("A")
    assert game.side("A")["loss_of_lieutenant"] is False
    assert (game.pools("A"), game.left("A", "lieutenant")) == ({1: 3}, 0)
    game.finish("A")
    assert game.public["to_start"] == "B"


@pytest.mark.rule("RET-13")
@editions(*FULL)
def test_a_mission_that_a_turn_begun_in_retreat_ends(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("option retreat-ends-game", "B state A:rest dead", *(f"B state A:t{n} dead" for n in (1, 2, 3)))
    game.begin("A")
    assert game.over() is False
    game.finish("A")
    assert game.over() == "retreat"


@pytest.mark.rule("RET-13")
@editions(*FULL)
def test_options_are_set_before_the_first_turn(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("A start")
    game.refused("option no-retreat", "RET-13")


@pytest.mark.rule("RET-14")
@editions(*FULL)
def test_nothing_public_shows_the_margin(edition: str) -> None:
    """One point above the threshold or far above it: the opponent sees and hears the same."""
    seen = []
    for cost in (26, 60):
        game = Game(edition, army(f"cap lieutenant cost={cost}", f"rest cost={100 - cost}"), viewer="B")
        game.play("A state rest unconscious")
        heard = [game.play(line)["events"] for line in ("A start", "A next", "A next")]
        seen.append((heard, game.public, game.refused("A spend regular g1", "SEQ-04")))
        assert game.private("A")["retreat_margin"] == cost - 25
    assert seen[0] == seen[1]


@pytest.mark.rule("RET-15")
@editions(*FULL)
def test_a_peripheral_with_a_cost_counts_by_itself(edition: str) -> None:
    """Its cost stands in its controller's in the list; either may be lost without the other."""
    lines = ("cap lieutenant cost=20", "medic cost=30", "dog controller=medic cost=8", "rest cost=50")
    for lost, left in (("medic", 78), ("dog", 92), ("rest", 50)):
        game = Game(edition, army(*lines))
        game.play(f"B state A:{lost} dead")
        assert game.private("A")["victory_points"] == left


@pytest.mark.rule("RET-15")
@editions(*FULL)
@pytest.mark.parametrize(
    ("state", "skill", "counts"),
    [
        ("unconscious", "other", False), ("dead", "other", False), ("possessed", "other", False),
        ("sepsitorized", "other", False), ("disconnected", "other", False), ("isolated", "other", True),
        ("immobilized-b", "other", True), ("unconscious-active", "dogged", True),
        ("unconscious-active", "no-wound-incapacitation", True), ("unconscious", "dogged", False),
        ("unconscious", "shasvastii", True), ("dead", "shasvastii", False),
    ],
)  # fmt: skip
def test_whose_cost_counts(edition: str, state: str, skill: str, counts: bool) -> None:
    """Possessed and Sepsitorized for nobody. A Shasvastii's embryo (rules.md is silent) still counts in the game."""
    game = Game(edition, army("cap lieutenant cost=20", f"x {skill} cost=15", "rest cost=65"))
    game.play(f"B state A:x {state}")
    assert game.private("A")["victory_points"] == (100 if counts else 85)
    assert game.private("B")["victory_points"] == 40
    if state not in ("unconscious-active",):
        game.play("B state A:rest dead", "A start", "A next")
        assert game.side("A")["retreat"] is not counts


@pytest.mark.rule("RET-07")
@editions(*FULL)
def test_a_shasvastii_embryo_is_not_lost(edition: str) -> None:
    game = retreating(edition, army("cap lieutenant cost=10", "x shasvastii cost=10", "rest cost=80"))
    game.play("B state A:x unconscious", "B state A:cap dead")
    assert game.over() is False
    game.play("B state A:x dead")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule(*(f"RET-{number:02}" for number in range(1, 16)), absent=True)
@editions(*CODEONE)
def test_no_retreat_in_code_one(edition: str) -> None:
    """A whole army but one trooper lost changes nothing: no Retreat, no loss, no marker, no evacuation, no end."""
    game = Game(edition, army("cap lieutenant cost=99", "t1 cost=1"))
    game.play("option no-retreat", "B state A:cap dead")
    game.begin("A")
    assert (game.side("A")["retreat"], game.side("A")["loss_of_lieutenant"]) == (False, False)
    assert game.pools("A") == {1: 1}
    assert not game.trooper("A", "t1")["retreat"]
    game.play("A spend regular g1 t1", 'A skill "BS Attack"', "B pass", "A end", "A resolve", "A done")
    game.refused("A evacuate t1", "RET-06")
    game.go_on("A", "states")
    game.refused("A lieutenant t1", "LOL-03")
    game.play("B state A:t1 dead")
    assert game.over() is False
    game.finish("A")
    game.turn("B")
    game.turn("A")
    assert game.over() is False


@pytest.mark.rule("RET-12")
@editions("n5", *N4)
def test_courage_does_not_help_the_lieutenant(edition: str) -> None:
    """The source: Courage and Religious Troop do not save their owner from Loss of Lieutenant."""
    for skill in ("courage", "religious", "warhorse"):
        game = retreating(edition, army(f"cap {skill} lieutenant cost=10", "rest cost=90"))
        assert game.side("A")["loss_of_lieutenant"] is True
        assert game.left("A", "lieutenant") == 0
        assert game.pools("A") == {1: 1 if skill == "warhorse" else 0}
