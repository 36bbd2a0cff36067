"""ORD: orders and the order pool."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, ENEMY, FULL, N4, Game, army, editions

TEN = army("cap lieutenant", "t1..t9")


@pytest.mark.rule("ORD-01")
@editions(*ALL)
def test_one_order_activates_one_trooper(edition: str) -> None:
    """The source: an army can act as often as it has orders."""
    game = Game(edition, army("cap lieutenant", "t1 t2"))
    game.begin("A")
    game.play("A spend regular g1 t1")
    assert game.order["troopers"] == ["t1"]
    game.refused("A spend regular g1 t2", game.edition.sequence.rule)
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    game.whole("A spend regular g1 t2")
    game.whole("A spend regular g1 cap")
    game.refused("A spend regular g1 t1", "ORD-17")
    game.refused("A spend regular g1 stranger", "ORD-01")


@pytest.mark.rule("ORD-02")
@editions(*ALL)
def test_a_regular_order_may_activate_anyone_of_its_group(edition: str) -> None:
    """The source: a Regular trooper's order is added to its group's pool and may activate another trooper of it."""
    game = Game(edition, TEN)
    game.begin("A")
    assert game.pools("A") == {1: 10}
    for _ in range(10):
        game.whole("A spend regular g1 t9")
    assert game.pools("A") == {1: 0}


@pytest.mark.rule("ORD-03")
@editions(*FULL)
def test_an_irregular_order_is_its_owners_alone(edition: str) -> None:
    """The source: it is not added to the pool, though everybody is told which group trooper and order belong to."""
    game = Game(edition, army("cap lieutenant", "t1", "wolf irregular g2", "fox irregular g2", "t2 g2"))
    game.begin("A")
    assert game.pools("A") == {1: 2, 2: 1}
    assert game.side("A")["irregular"] == {"total": 2, "left": 2, "groups": {"2": {"total": 2, "left": 2}}}
    game.refused("A spend irregular t2", "ORD-03")
    game.whole("A spend irregular wolf")
    game.refused("A spend irregular wolf", "ORD-03")
    assert game.side("A")["irregular"]["groups"]["2"] == {"total": 2, "left": 1}
    assert game.trooper("A", "fox")["irregular"]["left"] == 1
    assert game.pools("A") == {1: 2, 2: 1}


@pytest.mark.rule("ORD-04")
@editions(*FULL)
def test_an_irregular_trooper_takes_orders_of_its_groups_pool(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "wolf irregular", "t2 g2"))
    game.begin("A")
    game.whole("A spend regular g1 wolf")
    game.whole("A spend regular g1 wolf")
    game.refused("A spend regular g2 wolf", "ORD-12")
    game.whole("A spend irregular wolf")
    assert game.pools("A") == {1: 0, 2: 1}


@pytest.mark.rule("ORD-06")
@editions(*ALL)
def test_the_lieutenant_order_is_outside_the_pool_and_public(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.begin("A")
    assert game.pools("A") == {1: 2}
    assert game.side("A")["lieutenant"] == {"total": 1, "left": 1, "trooper": None}
    game.refused("A spend lieutenant t1", "ORD-06")
    events = game.play("A spend lieutenant")["events"]
    assert [(event["type"], event["kind"]) for event in events] == [("order-spent", "lieutenant")]
    assert game.side("A")["lieutenant"] == {"total": 1, "left": 0, "trooper": "cap"}
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    game.refused("A spend lieutenant cap", "ORD-06")
    assert game.pools("A") == {1: 2}, "the Lieutenant gave its Regular order besides"


@pytest.mark.rule("ORD-07")
@editions("n5")
def test_a_tactical_order_is_its_owners_alone(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "ace tactical-awareness", "t1"))
    game.begin("A")
    assert (game.pools("A"), game.left("A", "tactical")) == ({1: 3}, 1)
    game.refused("A spend tactical t1", "ORD-07")
    game.whole("A spend tactical ace")
    game.refused("A spend tactical ace", "ORD-07")
    assert (game.pools("A"), game.left("A", "tactical")) == ({1: 3}, 0)


@pytest.mark.rule("ORD-07", absent=True)
@editions(*N4, *CODEONE)
def test_there_are_no_tactical_orders(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "ace tactical-awareness"))
    game.begin("A")
    assert game.side("A")["tactical"] == {"total": 0, "left": 0}
    game.refused("A spend tactical ace", "ORD-07")


@pytest.mark.rule("ORD-08")
@pytest.mark.parametrize(("edition", "used_as"), [("n5", "tactical"), ("n4", "regular"), ("n4-2020", "regular")])
def test_an_nco_spends_the_lieutenant_order_on_itself(edition: str, used_as: str) -> None:
    """Whatever the groups, announced; who the Lieutenant is stays unsaid. The source calls it, in N5, Tactical."""
    game = Game(edition, army("cap lieutenant", "t1", "sarge nco g2", "t2 g2"))
    game.begin("A")
    game.play("A spend lieutenant sarge")
    assert (game.order["kind"], game.order["used_as"], game.order["trooper"]) == ("lieutenant", used_as, "sarge")
    assert game.side("A")["lieutenant"] == {"total": 1, "left": 0, "trooper": None}
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    game.refused("A spend lieutenant sarge", "ORD-06")
    assert game.pools("A") == {1: 2, 2: 2}


@pytest.mark.rule("ORD-08")
@editions(*FULL)
def test_an_nco_may_take_any_lieutenant_order(edition: str) -> None:
    """The source says any: of two, one or both, and those of a Lieutenant that has fallen since the count."""
    game = Game(edition, army("cap lieutenant plus-1-order", "sarge nco"))
    game.begin("A")
    game.whole("A spend lieutenant sarge")
    game.play("B state A:cap unconscious")
    game.whole("A spend lieutenant sarge")
    assert game.left("A", "lieutenant") == 0


@pytest.mark.rule("ORD-08")
@editions(*FULL)
def test_an_isolated_nco_cannot_use_the_lieutenant_order(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "sarge nco"))
    game.begin("A")
    game.play("B state A:sarge isolated")
    game.refused("A spend lieutenant sarge", "ORD-08")
    game.play("B clear A:sarge isolated", "A spend lieutenant sarge")


@pytest.mark.rule("ORD-08", absent=True)
@editions(*CODEONE)
def test_code_one_knows_no_nco(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "sarge nco"))
    game.begin("A")
    game.refused("A spend lieutenant sarge", "ORD-06")


@pytest.mark.rule("ORD-09")
@editions("n5")
def test_tactical_awareness_gives_a_tactical_order_besides(edition: str) -> None:
    """The source: besides that of its training, be it Regular or Irregular."""
    game = Game(edition, army("cap lieutenant", "ace tactical-awareness", "wolf irregular tactical-awareness"))
    game.begin("A")
    assert (game.pools("A"), game.left("A", "irregular"), game.left("A", "tactical")) == ({1: 2}, 1, 2)
    game.whole("A spend tactical wolf")
    game.whole("A spend irregular wolf")
    game.whole("A spend regular g1 wolf")


@pytest.mark.rule("ORD-09")
@editions(*N4)
def test_tactical_awareness_gives_an_irregular_order_that_stays_irregular(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "ace tactical-awareness", "wolf irregular tactical-awareness"))
    game.begin("A")
    assert (game.pools("A"), game.left("A", "irregular"), game.left("A", "tactical")) == ({1: 2}, 3, 0)
    game.refused("A token convert ace", "CMD-04")
    game.play("A token convert wolf")
    game.refused("A token convert wolf", "CMD-04")
    assert (game.pools("A"), game.left("A", "irregular")) == ({1: 3}, 2)
    game.whole("A spend irregular ace")
    game.whole("A spend irregular wolf")


@pytest.mark.rule("ORD-09", absent=True)
@editions(*CODEONE)
def test_tactical_awareness_gives_nothing_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "ace tactical-awareness"))
    game.begin("A")
    assert game.pools("A") == {1: 2}
    assert game.left("A", "irregular") == game.left("A", "tactical") == 0
    game.refused("A spend irregular ace", "ORD-03")


@pytest.mark.rule("ORD-10")
@editions(*ALL)
def test_nobody_has_to_spend_an_order(edition: str) -> None:
    """The source says it of every kind of order, and once more of the pool."""
    wolf = ("wolf irregular tactical-awareness impetuous",) if edition in FULL else ()
    game = Game(edition, army("cap lieutenant", "t1", *wolf))
    game.turn("A")
    side = game.side("A")
    kinds = [side["irregular"], side["lieutenant"], side["tactical"], side["impetuous"], *side["pools"].values()]
    assert sum(kind["total"] for kind in kinds) > 0
    assert all(kind["left"] == 0 for kind in kinds)


@pytest.mark.rule("ORD-11")
@editions(*ALL)
def test_state_and_use_of_every_order_are_public(edition: str) -> None:
    """The source: tokens lie where the opponent sees them, and each use is announced, the Lieutenant's too."""
    wolf = ("wolf irregular",) if edition in FULL else ()
    game = Game(edition, army("cap lieutenant", "t1", *wolf), viewer="B")
    game.begin("A")
    assert game.side("A")["pools"] == {"1": {"total": 2, "left": 2}}
    assert game.left("A", "irregular") == len(wolf)
    for line, kind, who in (("regular g1 t1", "regular", ["t1"]), ("lieutenant", "lieutenant", ["cap"])):
        events = game.play(f"A spend {line}")["events"]
        assert [(event["type"], event["kind"], event["troopers"]) for event in events] == [("order-spent", kind, who)]
        game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    assert game.side("A")["pools"] == {"1": {"total": 2, "left": 1}}
    assert game.left("A", "lieutenant") == 0


@pytest.mark.rule("ORD-12")
@editions(*FULL)
def test_orders_never_cross_groups(edition: str) -> None:
    """The source's second example: groups of 8 and 4; one pool each, spendable as 8+0 or 4+3+1, never across."""
    two_groups = army("cap lieutenant", "t1..t7", "r1..r4 g2")
    for split in ((8,), (4, 3, 1)):
        game = Game(edition, two_groups)
        game.begin("A")
        assert game.pools("A") == {1: 8, 2: 4}
        for name, orders in zip(("t1", "t2", "t3"), split, strict=False):
            for _ in range(orders):
                game.whole(f"A spend regular g1 {name}")
        assert game.pools("A") == {1: 0, 2: 4}
        game.refused("A spend regular g1 t1", "ORD-17")
        game.refused("A spend regular g2 t1", "ORD-12")
        game.refused("A spend regular g1 r1", "ORD-12")
        for name in ("r1", "r2", "r3", "r4"):
            game.whole(f"A spend regular g2 {name}")
        assert game.pools("A") == {1: 0, 2: 0}


@pytest.mark.rule("ORD-12")
@editions(*ALL)
def test_only_regular_orders_form_the_pool(edition: str) -> None:
    others = ("wolf irregular", "ace irregular tactical-awareness") if edition in FULL else ()
    game = Game(edition, army("cap lieutenant", "t1", *others))
    game.begin("A")
    assert game.pools("A") == {1: 2}
    game.refused("A spend regular g2", "ORD-12")


@pytest.mark.rule("ORD-13")
@editions(*ALL)
def test_pools_are_counted_at_the_start_of_the_own_turn_only(edition: str) -> None:
    """The source: always anew in the Tactical Phase. Who falls later leaves its order; who rises later brings none."""
    game = Game(edition, TEN)
    game.play("A state t8 unconscious", "A state t9 unconscious")
    game.begin("A")
    assert game.pools("A") == {1: 8}
    game.play("B state A:t1 dead", "A clear t8 unconscious")
    assert game.pools("A") == {1: 8}
    for _ in range(8):
        game.whole("A spend regular g1 t8")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.pools("A") == {1: 8}, "t8 again, t1 and t9 not"


@pytest.mark.rule("ORD-14")
@editions(*ALL)
def test_who_gives_a_regular_order(edition: str) -> None:
    """The source: on the table as a model or a marker, and in no Null state."""
    game = Game(edition, army("cap lieutenant", "t1..t5", "ghost hidden", "diver airborne"))
    game.play("A state t1 camouflaged", "A state t2 unconscious", "A state t3 dead")
    game.begin("A")
    assert game.pools("A") == {1: 4}


@pytest.mark.rule("ORD-14")
@editions(*FULL)
def test_the_example_of_ten_of_whom_six_are_null(edition: str) -> None:
    """Ten Regulars, three Unconscious, one Dead, two Sepsitorized: four orders."""
    game = Game(edition, TEN)
    for name, state in zip(
        ("t1", "t2", "t3", "t4", "t5", "t6"),
        ("unconscious", "unconscious", "unconscious", "dead", "sepsitorized", "sepsitorized"),
        strict=True,
    ):
        game.play(f"B state A:{name} {state}")
    game.begin("A")
    assert game.pools("A") == {1: 4}


@pytest.mark.rule("ORD-15")
@editions(*ALL)
def test_off_the_table_no_pool_order_until_the_turn_after_arrival(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "diver airborne"))
    game.begin("A")
    assert game.pools("A") == {1: 2}
    game.play("A spend own diver", "A skill long", "A arrive diver", "B pass", "A resolve", "A done")
    assert game.pools("A") == {1: 2}
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.pools("A") == {1: 3}


@pytest.mark.rule("ORD-15", "INF")
@editions(*ALL)
def test_the_order_of_a_trooper_off_the_table_is_private(edition: str) -> None:
    """The source: its player may keep that order out of the opponent's sight."""
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"), viewer="B")
    heard = game.play("A start")["events"]
    game.go_on("A", "order-count")
    assert "ghost" not in str(heard) + str(game.public)
    assert game.private("A")["own"] == {"total": 1, "left": 1}
    game.go_on("A", "orders")
    assert "ghost" not in str(game.public)
    assert game.refused("A spend irregular ghost", "INF") == "The action was refused."


@pytest.mark.rule("ORD-16")
@editions(*ALL)
def test_the_example_of_twelve_models_and_ten_orders(edition: str) -> None:
    """The source's first example: peripherals give no order and are not counted among the ten of a group."""
    game = Game(edition, army("cap lieutenant", "t1..t9", "dog1 controller=t1", "dog2 controller=t2"))
    game.begin("A")
    assert game.pools("A") == {1: 10}
    assert len(game.side("A")["troopers"]) == 12


@pytest.mark.rule("ORD-16")
@editions(*ALL)
def test_one_order_activates_controller_and_peripherals(edition: str) -> None:
    """The source: the controller is who spends the order; that one order activates both."""
    game = Game(edition, army("cap lieutenant", "t1", "dog1 controller=t1", "dog2 controller=t1"))
    game.begin("A")
    assert "t1" in game.refused("A spend regular g1 dog1", "ORD-16")
    game.refused("A spend lieutenant dog1", "ORD-16")
    game.refused("A spend own dog1", "ORD-16")
    game.play("A spend regular g1 t1")
    assert (game.order["trooper"], game.order["troopers"]) == ("t1", ["t1", "dog1", "dog2"])
    assert game.pools("A") == {1: 1}


@pytest.mark.rule("ORD-16")
@editions(*FULL)
def test_a_peripheral_gives_nothing_of_its_own(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "dog irregular tactical-awareness impetuous controller=t1"))
    game.begin("A")
    assert [game.left("A", kind) for kind in ("irregular", "tactical", "impetuous")] == [0, 0, 0]
    for kind in ("irregular", "tactical"):
        game.refused(f"A spend {kind} dog", "ORD-16")


@pytest.mark.rule("ORD-17")
@editions(*ALL)
def test_the_pool_is_the_only_limit_and_orders_alternate_freely(edition: str) -> None:
    """The source: 4, 4 and 2 in any order is as good as ten in a row for one trooper."""
    game = Game(edition, TEN)
    game.begin("A")
    for name in ("t1", "t2", "t1", "t3", "t2", "t1", "t2", "t3", "t1", "t2"):
        game.whole(f"A spend regular g1 {name}")
    assert game.pools("A") == {1: 0}
    assert game.refused("A spend regular g1", "ORD-17") == "No Regular order is left in group 1."


@pytest.mark.rule("ORD-18")
@editions(*ALL)
def test_holoechoes_and_decoys_give_nothing(edition: str) -> None:
    """They are no troopers of the roster: only the real one is counted, and they cannot be given orders."""
    game = Game(edition, army("cap lieutenant", "holo holoprojector decoy"))
    game.begin("A")
    assert game.pools("A") == {1: 2}
    game.refused("A spend regular g1 holo-echo-1", "ORD-01")
    game.refused("B state A:holo-echo-1 dead", "STA-05")


@pytest.mark.rule("ORD-19")
@editions(*ALL)
def test_the_own_order_serves_to_appear_and_nothing_else(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.begin("A")
    for kind in ("irregular", "tactical"):
        game.refused(f"A spend {kind} ghost", "ORD-19")
    game.refused("A spend own t1", "ORD-19")
    game.play("A spend own ghost", "A arrive ghost", "A skill basic")
    assert game.order["troopers"] == ["ghost"]
    game.play("B aro u1 > ghost", "B pass", "A end", "A resolve", "A done")
    game.refused("A spend own ghost", "ORD-19")
    game.whole("A spend regular g1 ghost")
    assert game.pools("A") == {1: 1}


@pytest.mark.rule("ORD-19")
@editions(*ALL)
def test_appearing_by_another_order_costs_the_own_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.begin("A")
    game.whole("A spend regular g1 ghost")
    game.refused("A spend own ghost", "ORD-19")
    game.play("A arrive ghost")
    game.refused("A spend own ghost", "ORD-19")
    assert game.pools("A") == {1: 1}


@pytest.mark.rule("ORD-19")
@editions(*ALL)
def test_not_appearing_loses_the_own_order(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.begin("A")
    assert game.private("A")["own"]["left"] == 1
    game.finish("A")
    assert game.private("A")["own"]["left"] == 0
    game.turn("B")
    game.begin("A")
    assert game.private("A")["own"]["left"] == 1, "one anew each turn"


@pytest.mark.rule("ORD-19")
@pytest.mark.parametrize(("edition", "tactical"), [("n5", 1), ("n4", 0), ("n4-2020", 0)])
def test_on_arrival_only_tactical_awareness_gives_at_once(edition: str, tactical: int) -> None:
    """n5 places its Tactical order on arrival; the training order comes with the next turn."""
    game = Game(edition, army("cap lieutenant", "t1", "diver airborne irregular tactical-awareness"))
    game.begin("A")
    assert game.left("A", "tactical") == 0
    game.play("A spend own diver", "A skill long", "A arrive diver", "B pass", "A resolve", "A done")
    assert (game.left("A", "tactical"), game.left("A", "irregular")) == (tactical, 0)
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert (game.left("A", "tactical"), game.left("A", "irregular")) == (tactical, 2 - tactical)


@pytest.mark.rule("ORD-19")
@editions("n5")
def test_arriving_in_the_opponents_turn_places_nothing(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden tactical-awareness"))
    game.turn("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill basic", "A arrive ghost", 'A aro ghost "BS Attack"')
    assert game.left("A", "tactical") == 0


@pytest.mark.rule("ORD-20")
@editions(*ALL)
def test_a_lieutenant_with_one_order_more(edition: str) -> None:
    game = Game(edition, army("cap lieutenant plus-1-order", "t1 plus-1-order"))
    game.begin("A")
    assert game.left("A", "lieutenant") == 2
    game.whole("A spend lieutenant")
    game.whole("A spend lieutenant cap")
    game.refused("A spend lieutenant", "ORD-06")


@pytest.mark.rule("ORD-20")
@editions(*ALL)
@pytest.mark.parametrize("counted", [False, True])
def test_strategos_swaps_all_lieutenant_orders_at_the_count(edition: str, counted: bool) -> None:
    """Before the count or right after it: they are Regular orders of the Lieutenant's group then."""
    group = "" if edition in CODEONE else "g2"
    game = Game(edition, army(f"cap lieutenant plus-1-order strategos-1 {group}", "t1"))
    game.play("A start")
    if counted or edition in CODEONE:
        game.go_on("A", "order-count")
        assert game.left("A", "lieutenant") == 2
    game.play("A strategos")
    game.go_on("A", "orders")
    assert game.pools("A") == ({1: 4} if edition in CODEONE else {1: 1, 2: 3})
    assert game.left("A", "lieutenant") == 0
    game.refused("A spend lieutenant", "ORD-06")
    game.refused("A strategos", "ORD-20")


@pytest.mark.rule("ORD-20")
@editions(*ALL)
def test_no_strategos_without_the_skill_or_after_the_tactical_phase(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1 strategos-1"), army("boss lieutenant strategos-2", "u1 u2"))
    game.play("A start")
    game.refused("A strategos", "ORD-20")
    game.refused("B strategos", "SEQ-01")
    game.finish("A")
    game.begin("B")
    assert game.left("B", "lieutenant") == 1, "it is the player's choice"
    game.refused("B strategos", "ORD-20")


@pytest.mark.rule("ORD-20")
@editions(*FULL)
def test_a_successor_without_strategos_keeps_its_lieutenant_order(edition: str) -> None:
    """Strategos is the Lieutenant's own: announced by one, it does not swap the order of another."""
    game = Game(edition, army("cap lieutenant strategos-1", "heir chain-of-command", "t1"))
    game.play("A start", "A strategos", "B state A:cap unconscious")
    game.go_on("A", "orders")
    assert (game.pools("A"), game.left("A", "lieutenant")) == ({1: 2}, 1)


def test_the_enemy_of_these_tests_plays_in_every_edition() -> None:
    for edition in ALL:
        assert Game(edition, ENEMY).begin("A")["active"] == "A"
