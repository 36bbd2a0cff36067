"""ORD-22 to 24, SEQ-07 to 09, ACT-19: ways onto the table, peripherals, captives, delays, the end of an order."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, FULL, N4, Game, army, editions

HIDDEN = army("cap lieutenant", "t1 t2", "ghost hidden", "para airborne")


@pytest.mark.rule("ORD-22")
@editions(*ALL)
def test_a_hidden_trooper_may_appear_by_its_aro(edition: str) -> None:
    game = Game(edition, HIDDEN, army("boss lieutenant", "u1", "spook hidden", "diver airborne"), viewer="A")
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic")
    answer = game.play('B aro spook "BS Attack"')
    assert [event["type"] for event in answer["events"]] == ["arrived", "aro-declared"]
    assert game.trooper("B", "spook")["place"] == "table"
    game.refused("B aro spook", "ACT-07")


@pytest.mark.rule("ORD-22")
@editions(*ALL)
def test_who_comes_from_the_air_never_comes_in_the_opponents_turn(edition: str) -> None:
    game = Game(edition, HIDDEN, army("boss lieutenant", "u1", "spook hidden", "diver airborne"))
    game.begin("A")
    game.refused("B arrive diver", "ORD-22")
    game.play("A spend regular g1 t1", "A skill basic")
    game.refused("B arrive diver", "ORD-22")
    game.refused("B aro diver", "ACT-04")
    game.play("B arrive spook", "B pass", "A end", "A resolve", "A done", "A spend own para", "A arrive para")
    assert game.trooper("A", "para")["place"] == "table"


@pytest.mark.rule("ORD-22")
@editions(*FULL)
def test_retreat_ends_hidden_deployment(edition: str) -> None:
    """The check waits, whoever is hidden or not; those placed are counted, others give no order but with Courage."""
    hidden = army("cap lieutenant cost=5", "rest cost=75", "ghost hidden cost=5", "brave hidden courage cost=5",
                  "late hidden cost=5", "para airborne cost=5")  # fmt: skip
    game = Game(edition, hidden, viewer="A")
    game.play("A start", "A next")
    assert game.step() == "order-count"
    game.refused("A arrive ghost", "ORD-19")
    game.finish("A")
    game.turn("B")
    game.play("B state A:rest dead", "A start")
    game.refused("A arrive ghost", "ORD-19")
    game.play("A next")
    assert game.step() == "retreat-check"
    game.refused("A arrive para", "ORD-19")
    game.play("A arrive ghost", "A next")
    assert game.step() == "order-count"
    assert game.left("A", "irregular") == 2
    assert game.private("A")["own"] == {"total": 2, "left": 2}, "of who is brave, and who comes from the air"
    game.go_on("A", "orders")
    game.refused("A spend own late", "ORD-19")
    game.play("A spend own brave")
    game = Game(edition, army("cap lieutenant cost=5", "t1 cost=5", "rest cost=90"))
    game.play("B state A:rest dead", "A start", "A next")
    assert game.step() == "retreat-check", "with nobody hidden too"


@pytest.mark.rule("ORD-22")
@editions(*ALL)
def test_the_peripheral_of_who_comes_from_the_air_waits_disconnected(edition: str) -> None:
    army_a = army("cap lieutenant", "t1", "para airborne", "bot controller=para")
    game = Game(edition, army_a)
    bot = game.trooper("A", "bot")
    assert (bot["place"], bot["states"]) == ("table", ["disconnected"])
    game.begin("A")
    game.play("A spend own para", "A arrive para", "A skill basic", "B pass", "A end", "A resolve", "A done")
    assert game.trooper("A", "bot")["states"] == []


@pytest.mark.rule("ORD-23")
@editions(*ALL)
def test_peripherals_are_disconnected_with_their_controller(edition: str) -> None:
    """When the order is over, not before; until then they stay possible targets."""
    game = Game(edition, army("cap lieutenant", "doc", "bot controller=doc", "t1..t6"))
    game.begin("A")
    game.play("A spend regular g1 doc", "A skill basic", "B state A:doc dead", "B state A:bot dead")
    game.play("B aro u1 > bot", "B pass", "A end", "A resolve idle bot", "A clear bot dead")
    assert game.trooper("A", "bot")["states"] == []
    answer = game.play("A done")
    assert answer["events"][-1]["type"] == "peripherals-disconnected"
    assert game.trooper("A", "bot")["states"] == ["disconnected"]
    game.play("undo")
    assert game.trooper("A", "bot")["states"] == []
    game.play("A done", "A clear bot disconnected")
    game.whole("A spend regular g1 t1")
    assert game.trooper("A", "bot")["states"] == [], "cleared it stays so while its controller lies there"
    game.play("B clear A:doc dead")
    game.whole("A spend regular g1 t1")
    game.play("B state A:doc isolated")
    game.whole("A spend regular g1 t1")
    assert game.trooper("A", "bot")["states"] == ["disconnected"]
    game.play("B clear A:doc isolated")
    game.whole("A spend regular g1 t1")
    assert game.trooper("A", "bot")["states"] == [], "by itself, when its controller is there again"


@pytest.mark.rule("ORD-23", "RET-01")
@editions(*FULL)
def test_with_no_order_in_progress_it_is_the_next_check(edition: str) -> None:
    game = Game(edition, army("cap lieutenant cost=5", "doc cost=26", "bot controller=doc cost=6", "t1 cost=20",
                              "rest cost=49"))  # fmt: skip
    game.play("B state A:doc dead", "B state A:rest dead", "A start")
    assert game.trooper("A", "bot")["states"] == []
    game.play("A next")
    assert game.trooper("A", "bot")["states"] == ["disconnected"]
    assert game.side("A")["retreat"] is True, "a Disconnected peripheral counts for nobody"


@pytest.mark.rule("ORD-23")
@editions(*ALL)
def test_controller_and_peripherals_declare_the_same_aro(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"), army("boss lieutenant", "doc", "bot1 bot2 controller=doc", "u1"))
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic", 'B aro bot1 "Dodge"')
    game.refused('B aro doc "Reset"', "ORD-23")
    game.refused('B aro bot2 "BS Attack"', "ORD-23")
    game.play('B aro doc "dodge"', "B aro bot2", 'B aro u1 "BS Attack"')


@pytest.mark.rule("ORD-24")
@editions(*FULL)
def test_a_possessed_trooper_acts_for_its_captor(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1 t2", "r1 g2"))
    game.begin("A")
    game.refused("A spend regular g1 B:u1", "ORD-24")
    game.play("A state B:u1 possessed")
    for line, rule in (
        ("g1 B:u1 t1", "ORD-24"),
        ("g1 A:t1", "ORD-24"),
        ("g1 B:nobody", "ORD-24"),
        ("g3 B:u1", "ORD-12"),
        ("g1 u1", "ORD-01"),
    ):
        game.refused(f"A spend regular {line}", rule)
    pools = game.pools("A")
    game.play("A spend regular g2 B:u1")
    assert (game.order["trooper"], game.order["troopers"]) == ("B:u1", ["B:u1"])
    game.refused("A trooper r1", "ORD-01")
    game.play('A skill "Move"')
    game.refused("B aro u2 > u1", "ACT-08")
    game.refused("B aro u1", "STA-01")
    game.play("B aro u2 > B:u1", "B pass", 'A skill "BS Attack"', "B aro u3", "B pass", "A resolve idle B:u1", "A done")
    assert game.pools("A") == {1: pools[1], 2: pools[2] - 1}
    game.finish("A")
    game.begin("B")
    assert game.pools("B") == {1: 3}, "it gives nobody an order"
    game.play("A state B:u1 unconscious")
    game.finish("B")
    game.begin("A")
    game.refused("A spend regular g1 B:u1", "STA-01")


@pytest.mark.rule("ORD-24", absent=True)
@editions(*CODEONE)
def test_nobody_is_possessed_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.begin("A")
    game.play("A state B:u1 possessed")
    game.refused("A spend regular g1 B:u1", "ORD-24")


@pytest.mark.rule("SEQ-07", "RET-07")
@editions(*FULL)
def test_casualties_of_both_sides_are_recorded_to_the_end_of_the_order(edition: str) -> None:
    """Two armies in Retreat whose last troopers kill each other: a draw."""
    both = army("cap lieutenant cost=10", "rest cost=90")
    game = Game(edition, both, both)
    game.play("B state A:rest dead", "A state B:rest dead")
    game.begin("A")
    game.finish("A")
    game.begin("B")
    assert game.side("A")["retreat"] and game.side("B")["retreat"]
    game.play("B spend irregular cap", "B skill basic", "A aro cap", "A pass", "B end", "B resolve")
    game.play("A state B:cap dead", "B state A:cap dead")
    assert game.over() is False
    game.play("B done")
    assert game.over() == "all-lost-in-retreat"


@pytest.mark.rule("SEQ-07", absent=True)
@editions(*CODEONE)
def test_no_battle_of_code_one_ends_by_losses(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic", "B state A:cap dead", "B state A:t1 dead", "B pass", "A end")
    game.play("A resolve", "A done")
    assert game.over() is False


IMPETUOUS = army("cap lieutenant", "wolf impetuous", "ij impetuous airborne", "ghost impetuous hidden")


@pytest.mark.rule("SEQ-08")
@editions("n5")
@pytest.mark.parametrize("second", ["CC Attack", "BS Attack", "Dodge", "Idle", "Move"])
def test_an_impetuous_activation_moves_first(edition: str, second: str) -> None:
    game = Game(edition, IMPETUOUS)
    game.play("A start")
    game.go_on("A", "impetuous")
    game.play("A spend impetuous wolf")
    for skill in ("Suppressive Fire", "Cautious Movement", "Discover", "BS Attack", "Idle"):
        game.refused(f'A skill "{skill}"', "SEQ-08")
    game.refused('A skill basic "Surfing"', "SEQ-08")
    game.refused("A skill short", "SEQ-08")
    game.play('A skill "Move"', "B pass")
    game.refused('A skill "Discover"', "SEQ-08")
    game.refused('A skill "Reset"', "SEQ-08")
    game.play(f'A skill "{second}"')


@pytest.mark.rule("SEQ-08")
@editions(*N4)
def test_an_impetuous_activation_moves_first_or_second_in_n4(edition: str) -> None:
    for first, second in (("BS Attack", "Move"), ("Dodge", "Move"), ("Move", "CC Attack"), ("Move", "Move")):
        game = Game(edition, IMPETUOUS)
        game.play("A start")
        game.go_on("A", "impetuous")
        game.play("A spend impetuous wolf")
        game.refused('A skill "Reset"', "SEQ-08")
        game.play(f'A skill "{first}"', "B pass")
        if first == "BS Attack":
            game.refused('A skill "Idle"', "SEQ-08")
        game.play(f'A skill "{second}"')


@pytest.mark.rule("SEQ-08")
@editions(*FULL)
def test_labels_alone_and_whole_orders_of_an_impetuous_activation(edition: str) -> None:
    for lines in (("A skill basic", "B pass", "A skill short"), ("A skill long",), ("A skill basic", "B pass", "A end"),
                  ('A skill "Jump"',), ('A skill "Climb"',), ('A skill "Berserk"',)):  # fmt: skip
        game = Game(edition, IMPETUOUS)
        game.play("A start")
        game.go_on("A", "impetuous")
        game.play("A spend impetuous wolf", *lines)


@pytest.mark.rule("SEQ-08", "ORD-22")
@editions(*FULL)
def test_an_impetuous_trooper_may_come_on_the_table_by_it(edition: str) -> None:
    """Token and own order both go; until then nobody sees a token of who is off the table."""
    for name, skill in (("ij", "Combat Jump"), ("ghost", "Move")):
        game = Game(edition, IMPETUOUS, viewer="A")
        game.play("A start")
        game.go_on("A", "impetuous")
        assert game.left("A", "impetuous") == 1
        game.play(f"A spend impetuous {name}", f"A arrive {name}", f'A skill "{skill}"', "B pass")
        game.play(*(["A end"] if skill == "Move" else []), "A resolve", "A done")
        game.refused(f"A spend impetuous {name}", "SEQ-04")
        game.go_on("A", "orders")
        game.refused(f"A spend own {name}", "ORD-19")
        assert game.left("A", "impetuous") == 0


@pytest.mark.rule("SEQ-08", absent=True)
@editions(*CODEONE)
def test_no_impetuous_activation_in_code_one(edition: str) -> None:
    game = Game(edition, IMPETUOUS)
    game.begin("A")
    game.refused("A spend impetuous wolf", "SEQ-03")


@pytest.mark.rule("SEQ-09")
@editions(*FULL)
def test_tokens_before_the_first_turn(edition: str) -> None:
    game = Game(edition, HIDDEN, viewer="A")
    game.refused("B token reserve", "SEQ-09")
    game.play("A token reserve")
    game.refused("A token reserve", "SEQ-09")
    if edition == "n5":
        game.play("B token speedball", "A token speedball")
        game.refused("A token speedball", "SEQ-09")
    else:
        game.refused("A token speedball", "SEQ-09")
    assert game.side("A")["command_tokens"] == (2 if edition == "n5" else 3)
    game.play("A start")
    for use in ("reserve", "speedball"):
        game.refused(f"A token {use}", "SEQ-09")
    game.play("A next", "B token cap")
    game = Game(edition, HIDDEN)
    game.play("option first B")
    game.refused("A token reserve", "SEQ-09")
    if edition == "n5":
        game.play("A token speedball")
        game.refused("B token reserve", "SEQ-09")


@pytest.mark.rule("SEQ-09", absent=True)
@editions(*CODEONE)
def test_no_tokens_before_the_first_turn_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.refused("A token reserve", "SEQ-09")
    game.refused("A token speedball", "SEQ-09")


@pytest.mark.rule("ACT-19")
@editions(*ALL)
def test_an_aro_against_a_marker_may_be_delayed(edition: str) -> None:
    """It is kept for the second window, if the marker is revealed by then."""
    for revealed in (True, False):
        game = Game(edition, army("cap lieutenant", "t1 t2"))
        game.begin("A")
        game.play("A state t1 camouflaged", "A spend regular g1 t1", 'A skill "Move"', "B delay u1 u2")
        game.refused("B aro u1", "ACT-19")
        game.refused("B delay u1", "ACT-19")
        game.play("B pass all")
        game.refused("B delay u3", "ACT-05")
        game.play(*(["A clear t1 camouflaged"] if revealed else []), 'A skill "BS Attack"')
        game.refused("B aro u3", "ACT-06")
        game.refused("B delay u3", "ACT-19")
        if revealed:
            game.play('B aro u1 "BS Attack"')
        else:
            game.refused('B aro u1 "BS Attack"', "ACT-19")


@pytest.mark.rule("ACT-19")
@editions(*ALL)
def test_there_is_nothing_to_wait_for_where_nobody_is_a_marker(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.begin("A")
    game.refused("B delay u1", "ACT-05")
    game.play("A spend regular g1 t1", 'A skill "Move"')
    game.refused("B delay u1", "ACT-19")
    game.refused("A delay t1", "ACT-09")
    game.refused("B delay u1 u9", "ACT-19")
