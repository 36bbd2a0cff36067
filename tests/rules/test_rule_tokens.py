"""CMD: Command Tokens."""

from __future__ import annotations

import pytest

from rules.playing import CODEONE, FULL, N4, Game, army, editions

ARMY = army("cap lieutenant", "t1 t2 t3", "wolf irregular", "fox irregular", "r1 r2 g2", "dog controller=t1")
FIRST_TURN = army("cap lieutenant", "t1..t6", "r1..r4 g2")


def uses(*names: str) -> list[str]:
    """Lines of A's, one for each use named."""
    lines = {
        "convert": "A token convert wolf", "group": "A token group t1 g2", "unpossess": "A token unpossess t1",
        "coordinate": "A token coordinate g1 t1 t2", "hold": "A token hold t1", "guts": "A token guts t1",
        "reroll": "A token reroll t1", "strip": "A token strip g1", "cap": "A token cap",
        "suppress": "A token suppress t1",
    }  # fmt: skip
    return [lines[name] for name in names]


ALL_USES = uses("convert", "group", "unpossess", "coordinate", "hold", "guts", "reroll", "strip", "cap", "suppress")


@pytest.mark.rule("CMD-01")
@editions(*FULL)
@pytest.mark.parametrize(("extra", "tokens"), [("", 4), ("plus-1-command-token", 5)])
def test_four_tokens_a_game_or_five(edition: str, extra: str, tokens: int) -> None:
    game = Game(edition, army(f"cap lieutenant {extra}", "t1 t2"))
    assert game.side("A")["command_tokens"] == tokens
    game.begin("A")
    for number in range(tokens):
        game.play("A token guts t1")
        assert game.side("A")["command_tokens"] == tokens - number - 1
    game.refused("A token guts t1", "CMD-01")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    game.refused("A token guts t1", "CMD-01")


@pytest.mark.rule("CMD-01")
@editions(*FULL)
def test_five_only_with_the_lieutenant_that_brings_it(edition: str) -> None:
    """And a use that the tray knows nothing of is counted all the same."""
    game = Game(edition, army("cap lieutenant", "t1 plus-1-command-token", "t2"))
    assert game.side("A")["command_tokens"] == 4
    game.refused("A token other", "SEQ-01")
    game.begin("A")
    game.play("A token other")
    assert game.side("A")["command_tokens"] == 3
    game.refused("B token other", "CMD-05")


@pytest.mark.rule("CMD-02")
@editions("n5")
def test_cap_and_suppressive_fire_at_any_time_of_the_first_tactical_phase(edition: str) -> None:
    for use in ("cap", "suppress u1"):
        game = Game(edition, FIRST_TURN)
        game.play("A start")
        game.refused("B token strip g1", "CMD-02")
        game.play(f"B token {use}")


@pytest.mark.rule("CMD-02")
@editions(*N4)
def test_all_three_right_after_the_count(edition: str) -> None:
    for use in ("cap", "suppress u1", "strip g1"):
        game = Game(edition, FIRST_TURN)
        game.play("A start")
        game.refused(f"B token {use}", "CMD-02")
        game.play("A next", f"B token {use}")


@pytest.mark.rule("CMD-04", "STA-02")
@editions(*FULL)
def test_training_is_a_fact_of_the_count(edition: str) -> None:
    """Isolated at the count it is Irregular in this turn, freed or not; and its order is not converted."""
    game = Game(edition, ARMY)
    game.play("B state A:t3 isolated")
    game.begin("A")
    game.play("A clear t3 isolated")
    game.refused("A token coordinate g1 t2 t3", "CMD-04")
    game.refused("A token convert t3", "CMD-04")
    game.play("A token coordinate g1 t3 wolf")


@pytest.mark.rule("CMD-04", "ORD-19")
@editions(*FULL)
def test_troopers_off_the_table_appear_by_a_coordinated_order(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1 t2", "ghost hidden", "para airborne"), viewer="A")
    game.begin("A")
    game.play("A token coordinate g1 t1 ghost para")
    assert game.private("A")["own"] == {"total": 2, "left": 0}
    game.play("A arrive ghost", "A arrive para", "A skill basic", "B pass", "A end", "A resolve", "A done")
    game.refused("A spend own ghost", "ORD-19")


@pytest.mark.rule("CMD-04", "RET-11")
@editions(*FULL)
def test_who_may_not_do_a_skill_keeps_the_others_of_a_coordinated_order_from_nothing(edition: str) -> None:
    game = Game(
        edition,
        army("cap lieutenant cost=5", "t1 t2 t3 cost=5", "brave courage cost=5", "v1 v2 warhorse cost=5", "x cost=105"),
    )
    game.play("B state A:x dead")
    game.begin("A")
    game.play("A token coordinate g1 v1 v2", 'A skill "Move"', "B pass", 'A skill "BS Attack"', "B pass", "A resolve")
    game.play("A done")
    game.play("A token convert brave", "A token convert t1", "A token coordinate g1 brave t2")
    game.play('A skill "BS Attack"')
    assert game.order["idle"] == ["A:t2"]
    game.play("undo", "undo", "A token coordinate g1 t2 t3")
    game.refused('A skill "BS Attack"', "RET-11")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_the_second_player_removes_two_regular_orders(edition: str) -> None:
    """From groups of its choice, also both from one; after the count, before anybody acts."""
    for groups, left in (("g1 g2", {1: 6, 2: 3}), ("g1 g1", {1: 5, 2: 4}), ("g2", {1: 7, 2: 3})):
        game = Game(edition, FIRST_TURN)
        game.play("A start")
        game.refused(f"B token strip {groups}", "CMD-02")
        game.play("A next")
        game.play(f"B token strip {groups}")
        assert game.pools("A") == left
        assert game.side("B")["command_tokens"] == 3


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_strategic_use_ends_with_the_tactical_phase(edition: str) -> None:
    game = Game(edition, FIRST_TURN)
    game.play("A start", "A next")
    game.play("B token strip g1 g1", "undo", "A next")
    for line in ("strip g1 g1", "cap", "suppress u1"):
        game.refused(f"B token {line}", "CMD-02")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
@pytest.mark.parametrize("seat", ["A", "B"])
def test_only_the_second_player_in_the_first_turn(edition: str, seat: str) -> None:
    """Whichever seat that is; not the first player ever, not the second in its own or a later turn."""
    other = "B" if seat == "A" else "A"
    game = Game(edition, FIRST_TURN, FIRST_TURN)
    game.play(f"option first {seat}")
    game.refused(f"{other} token cap", "SEQ-01")
    game.begin(seat)
    game.refused(f"{seat} token cap", "CMD-02")
    game.finish(seat)
    game.begin(other)
    game.refused(f"{seat} token cap", "CMD-02")
    game.refused(f"{other} token cap", "CMD-02")
    game.finish(other)
    game.begin(seat)
    game.refused(f"{other} token suppress t1", "CMD-02")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_one_of_the_three_once(edition: str) -> None:
    for first in ("strip g1 g2", "cap", "suppress u1"):
        game = Game(edition, FIRST_TURN)
        game.play("A start", "A next")
        game.play(f"B token {first}")
        for second in ("strip g1 g2", "cap", "suppress u2"):
            game.refused(f"B token {second}", "CMD-02")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_the_cap_is_one_token_in_that_turn(edition: str) -> None:
    game = Game(edition, FIRST_TURN)
    game.play("A start", "A next", "B token cap")
    game.go_on("A", "orders")
    game.play("A token guts t1")
    game.refused("A token guts t1", "CMD-02")
    game.refused("A token coordinate g1 t1 t2", "CMD-02")
    game.finish("A")
    game.turn("B")
    game.play("A start", "A next")
    game.play("A token guts t1", "A token guts t1")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_the_cap_counts_what_was_used_before_it(edition: str) -> None:
    game = Game(edition, FIRST_TURN)
    game.play("A start", "A token group t1 g2", "A next", "B token cap")
    game.refused("A token guts t1", "CMD-02")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_one_trooper_in_suppressive_fire(edition: str) -> None:
    game = Game(edition, FIRST_TURN, army("boss lieutenant", "u1 u2", "ghost hidden"))
    game.play("A start", "A next")
    game.play("B state u2 dead")
    game.refused("B token suppress u2", "STA-01")
    game.refused("B token suppress ghost", "CMD-02")
    game.refused("B token suppress t1", "CMD-02")
    game.play("B state u1 suppressive-fire")
    game.refused("B token suppress u1", "CMD-02")
    game.play("B clear u1 suppressive-fire", "B token suppress u1")
    assert game.trooper("B", "u1")["states"] == ["suppressive-fire"]


@pytest.mark.rule("CMD-02")
@editions("n5")
def test_removal_takes_more_than_ten_orders_on_the_table(edition: str) -> None:
    """Regular, Irregular and Tactical; the Lieutenant's, Impetuous ones and those off the table do not count."""
    ten = ("cap lieutenant plus-1-order", "t1..t7", "wolf irregular impetuous g2", "ghost hidden g2")
    game = Game(edition, army(*ten, "t8"))
    game.play("A start", "A next")
    assert "10" in game.refused("B token strip g1 g1", "CMD-02")
    for one_more in ("t8 tactical-awareness", "t8 t9", "t8 irregular tactical-awareness"):
        game = Game(edition, army(*ten, one_more))
        game.play("A start", "A next")
        game.play("B token strip g1 g1")


@pytest.mark.rule("CMD-02")
@editions(*N4)
def test_removal_needs_no_number_of_orders(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.play("A start", "A next")
    game.play("B token strip g1 g1")
    assert game.pools("A") == {1: 0}


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_counterintelligence_answers_the_token(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1..t8", "spy counterintelligence", "r1 r2 g2"))
    game.play("A start", "A next")
    answer = game.play("B token strip g2 g1")
    assert game.pools("A") == {1: 10, 2: 1}, "the first one named"
    assert [event["type"] for event in answer["events"]] == [
        "token-spent",
        "counterintelligence-used",
        "orders-stripped",
    ]
    assert game.side("B")["command_tokens"] == 3
    game = Game(edition, army("cap lieutenant", "t1..t8", "spy counterintelligence", "r1 r2 g2"))
    game.play("A start", "A next", "B token cap")
    game.play("A token guts t1", "A token guts t1")
    game.refused("A token guts t1", "CMD-02")


@pytest.mark.rule("CMD-02")
@editions(*FULL)
def test_only_orders_that_are_there(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1..t9", "r1 g2"))
    game.play("A start", "A next")
    game.refused("B token strip g2 g2", "CMD-02")
    game.refused("B token strip g3", "CMD-02")
    game.play("B token strip g1 g2")


@pytest.mark.rule("CMD-03")
@editions(*FULL)
def test_a_trooper_moves_to_another_group_with_room(edition: str) -> None:
    """Its peripherals with it, before the count, so that its order is counted there."""
    game = Game(edition, ARMY)
    game.play("A start")
    for line, rule in (
        ("t1 g1", "CMD-03"),
        ("t1 g3", "CMD-03"),
        ("dog g2", "ORD-16"),
        ("u1 g2", "CMD-03"),
    ):
        game.refused(f"A token group {line}", rule)
    game.play("A token group t1 g2", "A token group wolf g2")
    assert [game.trooper("A", name)["group"] for name in ("t1", "dog", "wolf")] == [2, 2, 2]
    game.play("A next")
    game.refused("A token group t2 g2", "CMD-03")
    game.go_on("A", "orders")
    assert game.pools("A") == {1: 3, 2: 3}
    assert game.side("A")["irregular"]["groups"] == {"1": {"total": 1, "left": 1}, "2": {"total": 1, "left": 1}}
    game.refused("A token group t2 g2", "CMD-03")
    game.play("A spend regular g2 t1")
    assert game.order["troopers"] == ["t1", "dog"]


@pytest.mark.rule("CMD-03")
@pytest.mark.rule("STA-04")
@editions(*FULL)
def test_room_is_ten_less_those_there(edition: str) -> None:
    """Unconscious troopers and hidden ones keep their place; Dead and Sepsitorized have left, evacuated too."""
    full = army("cap lieutenant", "t1..t7", "ghost hidden", "t8", "dog controller=t1", "r1 r2 g2")
    for state, room in (("unconscious", False), ("possessed", False), ("dead", True), ("sepsitorized", True)):
        game = Game(edition, full)
        game.play("A start")
        game.refused("A token group r1 g1", "CMD-03")
        game.play(f"B state A:t8 {state}")
        if room:
            game.play("A token group r1 g1")
            game.refused("A token group r2 g1", "CMD-03")
            game.refused("A token group t8 g2", "STA-04")
        else:
            game.refused("A token group r1 g1", "CMD-03")
            game.play("A token group t8 g2", "A token group r1 g1")


@pytest.mark.rule("CMD-03")
@editions(*FULL)
def test_an_emptied_group_may_be_filled_again(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "r1 g2"))
    game.play("A start", "A token group r1 g1")
    game.finish("A")
    game.turn("B")
    game.play("A start", "A token group t1 g2")
    game.go_on("A", "orders")
    assert game.pools("A") == {1: 2, 2: 1}


@pytest.mark.rule("CMD-03")
@editions(*FULL)
def test_possession_ends(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("B state A:t1 possessed", "A start")
    game.refused("A token unpossess t2", "CMD-03")
    game.play("A token unpossess t1", "A next")
    assert game.pools("A") == {1: 4, 2: 2}
    game.play("B state A:t2 possessed")
    game.refused("A token unpossess t2", "CMD-03")


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_a_coordinated_order(edition: str) -> None:
    """One token and one Regular order of the group; up to four of its troopers do the same."""
    game = Game(edition, ARMY)
    game.begin("A")
    game.refused("A token coordinate g1 t1 t2", "CMD-04")
    game.play("A token coordinate g1 cap t2 t3")
    assert (game.side("A")["command_tokens"], game.pools("A")) == (3, {1: 3, 2: 2})
    assert (game.order["kind"], game.order["troopers"]) == ("coordinated", ["cap", "t2", "t3"])
    game.play("A skill basic", "B aro u1 > t3", "B aro u2 > cap", "B pass", "A skill short", "B pass")
    game.play("A resolve idle t3", "A done")
    assert game.pools("A") == {1: 3, 2: 2}


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_who_may_share_a_coordinated_order(edition: str) -> None:
    """Two to four different troopers of the group, of one training, all able to take a pool order there."""
    game = Game(edition, army("cap lieutenant", "t1..t6", "wolf irregular", "fox irregular", "r1 r2 g2", "ghost hidden",
                              "dog controller=t1"))  # fmt: skip
    game.begin("A")
    game.play("A state t4 unconscious", "A state t5 isolated", "A state t6 possessed")
    for line, rule in (
        ("g1 t1", "CMD-04"),
        ("g1 t1 t1", "CMD-04"),
        ("g1 cap t1 t2 t3 wolf", "CMD-04"),
        ("g1 t1 wolf", "CMD-04"),
        ("g1 t1 t2", "CMD-04"),
        ("g1 t2 r1", "CMD-04"),
        ("g2 t2 t3", "CMD-04"),
        ("g1 t2 dog", "ORD-16"),
        ("g1 t2 t4", "STA-01"),
        ("g1 t2 t5", "STA-02"),
        ("g1 t2 t6", "STA-01"),
        ("g1 t2 u1", "ORD-01"),
    ):
        game.refused(f"A token coordinate {line}", rule)
    assert game.side("A")["command_tokens"] == 4
    game.play("A token coordinate g1 wolf fox", "undo")
    game.whole("A spend regular g2 r1")
    game.whole("A spend regular g2 r1")
    game.refused("A token coordinate g2 r1 r2", "ORD-17")


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_one_irregular_order_becomes_regular(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.refused("A token convert t1", "CMD-04")
    game.refused("A token convert u1", "CMD-04")
    game.play("A token convert wolf")
    assert (game.pools("A"), game.left("A", "irregular")) == ({1: 5, 2: 2}, 1)
    game.refused("A spend irregular wolf", "ORD-03")
    game.whole("A spend regular g1 fox")
    game.whole("A spend irregular fox")
    game.refused("A token convert fox", "CMD-04")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert (game.pools("A"), game.left("A", "irregular")) == ({1: 4, 2: 2}, 2), "for that turn only"


@pytest.mark.rule("CMD-04")
@pytest.mark.rule("STA-02")
@editions(*FULL)
def test_not_that_of_an_isolated_trooper_but_that_of_a_fallen_one(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("B state A:wolf isolated")
    game.begin("A")
    game.refused("A token convert wolf", "CMD-04")
    game.play("B clear A:wolf isolated")
    game.refused("A token convert wolf", "CMD-04")
    game.play("B state A:fox unconscious", "A token convert fox")
    assert game.pools("A") == {1: 5, 2: 2}, "the order of one who has fallen lies there still (ORD-13)"


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_one_trooper_ignores_retreat_for_the_rest_of_the_game(edition: str) -> None:
    """It stays Irregular, by Loss of Lieutenant."""
    game = Game(edition, army("cap lieutenant cost=5", "t1 t2 cost=5", "brave courage cost=5", "rest cost=80"))
    game.begin("A")
    game.refused("A token hold t1", "CMD-04")
    game.play("B state A:rest dead")
    game.finish("A")
    for _ in range(2):
        game.turn("B")
        game.begin("A")
        if not game.private("A")["troopers"][1]["ignores_retreat"]:
            game.refused("A token hold brave", "CMD-04")
            game.refused("A token hold rest", "STA-01")
            game.play("A token hold t1")
            game.refused("A token hold t1", "CMD-04")
        assert [game.trooper("A", name)["retreat"] for name in ("cap", "t1", "t2")] == [True, False, True]
        game.play("A spend irregular t1", 'A skill "BS Attack"', "B pass", "A end", "A resolve", "A done")
        game.finish("A")


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_guts_rolls_and_rerolls(edition: str) -> None:
    """The dice are the players'; the tray takes the token. The reroll may name the Null patient, a Guts Roll not."""
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic", "B pass", "A end", "A resolve", "A token guts t1")
    game.play("B state A:t2 unconscious", "A token reroll t2")
    assert game.side("A")["command_tokens"] == 2
    game.refused("A token guts t2", "STA-01")
    game.refused("A token guts u1", "CMD-04")


@pytest.mark.rule("CMD-05")
@editions(*FULL)
def test_never_in_the_own_reactive_turn(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("A state t3 possessed")
    game.refused(ALL_USES[0], "SEQ-01")
    game.turn("A")
    game.begin("B")
    for line in ALL_USES:
        game.refused(line, "CMD-02" if line.split()[2] in ("strip", "cap", "suppress") else "CMD-05")
    game.play("B spend regular g1 u1", "B skill basic")
    game.refused("A token guts t1", "CMD-05")
    assert game.side("A")["command_tokens"] == 4


@pytest.mark.rule("CMD-05")
@editions(*FULL)
def test_never_between_turns_or_after_the_end(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("option rounds 1")
    game.turn("A")
    game.refused("A token guts t1", "SEQ-01")
    game.turn("B")
    game.refused("B token guts u1", "SEQ-01")


@pytest.mark.rule(*(f"CMD-{number:02}" for number in range(1, 6)), absent=True)
@editions(*CODEONE)
def test_no_command_tokens_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant plus-1-command-token", "t1 t2"))
    game.play("A start")
    assert game.side("A")["command_tokens"] == 0
    for line in ("A token group t1 g1", "B token cap", "B token suppress u1", "B token strip g1"):
        game.refused(line, "SEQ-03")
    game.go_on("A", "orders")
    for line in ("A token coordinate g1 t1 t2", "A token guts t1", "A token convert t1", "B token guts u1"):
        game.refused(line, "SEQ-03")
