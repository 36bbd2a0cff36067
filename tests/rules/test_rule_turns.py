"""SEQ: rounds, turns, phases."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, FULL, Game, army, editions

MANY = army("cap lieutenant", "t1", "wolf irregular impetuous", "fox impetuous", "ace tactical-awareness")
FEW = army("cap lieutenant", "t1 t2")
BERSERKER = army("cap lieutenant", "bear frenzy", "t1 t2")


@pytest.mark.rule("SEQ-01")
@editions(*ALL)
def test_three_rounds_of_two_turns_in_a_fixed_order(edition: str) -> None:
    game = Game(edition, FEW)
    turns = []
    for _ in range(3):
        for seat in ("A", "B"):
            other = "B" if seat == "A" else "A"
            game.refused(f"{other} start", "SEQ-01")
            game.play(f"{seat} start")
            turns.append((game.public["round"], game.public["active"]))
            game.refused(f"{other} start", "SEQ-01")
            game.refused(f"{other} next", "SEQ-01")
            game.finish(seat)
    assert turns == [(1, "A"), (1, "B"), (2, "A"), (2, "B"), (3, "A"), (3, "B")]
    assert game.over() == "rounds"
    for line in ("A start", "A next", "A state t1 dead", "B token guts u1", "A arrive t1", "option rounds 4"):
        game.refused(line, "RET-13" if line.startswith("option") else "SEQ-01")


@pytest.mark.rule("SEQ-01")
@editions(*ALL)
def test_the_mission_may_set_the_rounds_and_who_begins(edition: str) -> None:
    game = Game(edition, FEW)
    game.play("option first B", "option rounds 1")
    game.refused("A start", "SEQ-01")
    game.turn("B")
    assert game.over() is False
    game.refused("option rounds 5", "RET-13")
    game.turn("A")
    assert game.over() == "rounds"


@pytest.mark.rule("SEQ-02")
@editions(*FULL)
def test_the_phases_and_the_four_steps_in_their_order(edition: str) -> None:
    """The steps after the executive one do themselves, in their fixed order, and rest at the count."""
    game = Game(edition, FEW)
    events = game.play("A start")["events"]
    assert [event["type"] for event in events] == ["turn-started", "step-entered"]
    assert (game.public["phase"], game.step()) == ("tactical", "executive")
    assert game.pools("A") == {1: 0}
    events = game.play("A next")["events"]
    entered = [event["step"] for event in events if event["type"] == "step-entered"]
    assert entered == ["retreat-check", "lieutenant-check", "order-count"]
    kinds = [event["type"] for event in events]
    assert kinds.index("lieutenant-checked") < kinds.index("orders-counted")
    assert game.step() == "order-count"
    for phase in ("impetuous", "orders", "states"):
        game.play("A next")
        assert (game.public["phase"], game.step()) == (phase, None)
    game.play("A next")
    assert (game.public["phase"], game.public["active"], game.public["to_start"]) == (None, None, "B")


@pytest.mark.rule("SEQ-02")
@editions(*FULL)
def test_no_order_outside_its_phase(edition: str) -> None:
    game = Game(edition, MANY)
    game.refused("A spend regular g1", "SEQ-01")
    game.play("A start")
    for _ in ("executive", "order-count"):
        game.refused("A spend regular g1", "SEQ-02")
        game.refused("A spend lieutenant", "SEQ-02")
        game.play("A next")
    assert game.public["phase"] == "impetuous"
    game.refused("A spend regular g1", "SEQ-04")
    game.go_on("A", "states")
    game.refused("A spend regular g1", "SEQ-02")
    game.refused("A token coordinate g1 cap t1", "SEQ-02")


@pytest.mark.rule("SEQ-02")
@editions(*ALL)
def test_a_phase_does_not_end_in_the_middle_of_an_order(edition: str) -> None:
    game = Game(edition, FEW)
    game.begin("A")
    rule = game.edition.sequence.rule
    game.play("A spend regular g1 t1")
    game.refused("A next", rule)
    game.play("A skill basic")
    game.refused("A next", rule)
    game.play("B pass", "A end", "A resolve")
    game.refused("A next", rule)
    game.play("A done", "A next")


@pytest.mark.rule("SEQ-02", absent=True)
@editions(*CODEONE)
@pytest.mark.rule("SEQ-03")
def test_code_one_counts_orders_plays_them_and_looks_at_states(edition: str) -> None:
    game = Game(edition, FEW)
    events = game.play("A start")["events"]
    assert [event["type"] for event in events] == ["turn-started", "step-entered", "orders-counted"]
    assert (game.public["phase"], game.step()) == ("tactical", "order-count")
    for phase in ("orders", "states"):
        game.play("A next")
        assert game.public["phase"] == phase
    game.play("A next")
    assert game.public["to_start"] == "B"


@pytest.mark.rule("SEQ-03")
@editions(*CODEONE)
def test_code_one_lacks_what_the_other_editions_have(edition: str) -> None:
    """No Retreat, no Loss of Lieutenant, no Irregular orders, no Impetuous Phase, no Command Tokens."""
    game = Game(edition, army("cap lieutenant", "t1 impetuous", "t2 t3 t4 tactical-awareness"))
    for name in ("cap", "t2", "t3", "t4"):
        game.play(f"B state A:{name} dead")
    game.begin("A")
    side = game.side("A")
    assert side["retreat"] is False and side["loss_of_lieutenant"] is False
    assert [side[kind]["total"] for kind in ("irregular", "tactical", "impetuous")] == [0, 0, 0]
    assert side["pools"] == {"1": {"total": 1, "left": 1}}
    assert side["command_tokens"] == 0
    game.refused("A spend impetuous t1", "SEQ-03")
    game.refused("A token convert t1", "SEQ-03")
    game.refused("B token cap", "SEQ-03")
    game.refused("A frenzy t1", "SEQ-03")


@pytest.mark.rule("SEQ-03", absent=True)
@editions(*FULL)
def test_the_other_editions_have_the_whole_turn(edition: str) -> None:
    game = Game(edition, MANY)
    game.begin("A")
    side = game.side("A")
    assert side["command_tokens"] == 4
    assert side["irregular"]["total"] > 0 and side["impetuous"]["total"] == 2


@pytest.mark.rule("SEQ-04")
@editions(*FULL)
def test_the_impetuous_phase(edition: str) -> None:
    """Each Impetuous trooper once, without spending an order, with the whole sequence, AROs included."""
    game = Game(edition, MANY)
    game.play("A start")
    game.go_on("A", "impetuous")
    before = (game.pools("A"), game.left("A", "irregular"))
    assert game.left("A", "impetuous") == 2
    game.refused("A spend impetuous t1", "SEQ-04")
    game.play("A spend impetuous wolf", "A skill basic", 'B aro u1 "BS Attack" > wolf', "B pass")
    game.play("A skill short", 'B aro u2 "Dodge"', "B pass all", "A resolve", "A done")
    game.refused("A spend impetuous wolf", "SEQ-04")
    assert (game.pools("A"), game.left("A", "irregular")) == before
    assert game.left("A", "impetuous") == 1
    game.play("A next")
    assert game.left("A", "impetuous") == 0, "what is not used goes at the end of the phase"
    game.refused("A spend impetuous fox", "SEQ-04")
    game.whole("A spend irregular wolf")
    game.whole("A spend regular g1 fox")


@pytest.mark.rule("SEQ-04")
@editions(*FULL)
def test_only_on_the_table_and_not_null(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "wolf irregular impetuous", "fox impetuous", "ghost hidden impetuous"))
    game.play("A state fox unconscious", "A start")
    game.go_on("A", "impetuous")
    assert game.left("A", "impetuous") == 1
    game.refused("A spend impetuous fox", "STA-01")
    game.refused("A spend impetuous cap", "SEQ-04")
    game.play("B state A:wolf dead")
    game.refused("A spend impetuous wolf", "STA-01")


@pytest.mark.rule("SEQ-04", absent=True)
@pytest.mark.rule("SEQ-05", absent=True)
@editions(*CODEONE)
def test_no_impetuous_phase_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "fox impetuous frenzy"))
    game.play("A start")
    game.refused("A spend impetuous fox", "SEQ-03")
    game.play("A next")
    assert game.public["phase"] == "orders"
    game.refused("A spend impetuous fox", "SEQ-03")
    game.refused("A frenzy fox", "SEQ-03")


@pytest.mark.rule("SEQ-05")
@editions(*FULL)
def test_frenzy_takes_hold_in_that_turns_states_phase(edition: str) -> None:
    game = Game(edition, BERSERKER)
    game.begin("A")
    game.refused("A frenzy t1", "SEQ-05")
    game.play("A frenzy bear")
    game.refused("A frenzy bear", "SEQ-05")
    game.finish("A")
    game.turn("B")
    for _ in range(2):  # to the end of the game
        game.play("A start")
        game.go_on("A", "impetuous")
        assert game.left("A", "impetuous") == 1
        game.whole("A spend impetuous bear")
        game.finish("A")
        if game.over() is False:
            game.turn("B")


@pytest.mark.rule("SEQ-05")
@editions(*FULL)
def test_a_wound_caused_in_the_reactive_turn_counts_too(edition: str) -> None:
    game = Game(edition, BERSERKER)
    game.turn("A")
    game.begin("B")
    game.play("A frenzy bear")
    game.finish("B")
    game.play("A start")
    game.go_on("A", "impetuous")
    game.play("A spend impetuous bear")


@pytest.mark.rule("SEQ-06")
@editions(*ALL)
def test_the_states_phase_takes_all_orders_and_knows_no_aro(edition: str) -> None:
    game = Game(edition, MANY if edition in FULL else FEW)
    game.begin("A")
    game.go_on("A", "states")
    side = game.side("A")
    kinds = [side["irregular"], side["lieutenant"], side["tactical"], side["impetuous"], *side["pools"].values()]
    assert [kind["left"] for kind in kinds] == [0] * len(kinds)
    game.refused("B aro u1", "ACT-05")
    game.refused("B pass", "ACT-05")
    game.play("A state t1 prone", "B state u1 unconscious", "A state B:u2 isolated")
