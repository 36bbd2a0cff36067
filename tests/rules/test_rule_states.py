"""STA: states and what they do to orders."""

from __future__ import annotations

import pytest

from ordertray.rules.game import TROOPER_STATES
from rules.playing import ALL, CODEONE, FULL, Game, army, editions

ARMY = army("cap lieutenant", "t1 t2 t3")
FULL_NULL = {"unconscious", "dead", "sepsitorized", "possessed", "disconnected"}
CODEONE_NULL = {"unconscious", "dead", "disconnected"}
PLAIN = set(TROOPER_STATES) - FULL_NULL - {"isolated", "unconscious-active"}


@pytest.mark.rule("STA-01")
@pytest.mark.parametrize(
    ("edition", "null"),
    [*((edition, FULL_NULL) for edition in FULL), *((edition, CODEONE_NULL) for edition in CODEONE)],
)
def test_null_states_give_no_order_and_take_none(edition: str, null: set[str]) -> None:
    for state in sorted(set(TROOPER_STATES) - {"isolated", "unconscious-active"}):
        game = Game(edition, ARMY)
        game.play(f"B state A:t1 {state}")
        game.begin("A")
        assert game.pools("A") == {1: 3 if state in null else 4}, state
        if state in null:
            game.refused("A spend regular g1 t1", "STA-01")
        else:
            game.play("A spend regular g1 t1")


@pytest.mark.rule("STA-01")
@editions(*ALL)
def test_a_null_trooper_does_nothing_at_all(edition: str) -> None:
    """Not with any order, nor reacting, nor as a peripheral; not even if it fell after the count."""
    own = "irregular impetuous" if edition in FULL else ""
    game = Game(edition, army("cap lieutenant nco", f"x {own}", "t1", "dog controller=t1"))
    game.begin("A")
    game.play("B state A:x dead", "B state A:cap dead", "B state A:dog disconnected")
    game.refused("A spend regular g1 x", "STA-01")
    game.refused("A spend irregular x", "STA-01")
    game.refused("A spend tactical x", "STA-01")
    game.refused("A spend lieutenant", "STA-01")
    game.refused("A spend own x", "STA-01")
    game.play("A spend regular g1 t1")
    assert game.order["troopers"] == ["t1"]
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done")
    game.finish("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill basic")
    for name in ("x", "cap", "dog"):
        game.refused(f"A aro {name}", "STA-01")
        game.refused(f"A pass {name}", "STA-01")


@pytest.mark.rule("STA-02")
@editions(*FULL)
def test_isolated_gives_an_irregular_order(edition: str) -> None:
    """Not convertible, and no order of the pool reaches it; what Tactical Awareness gives is not touched (ORD-09)."""
    game = Game(edition, army("cap lieutenant", "t1 tactical-awareness warhorse", "wolf irregular"))
    game.play("B state A:t1 isolated", "B state A:wolf isolated")
    game.begin("A")
    given = {"n5": (2, 1)}.get(edition, (3, 0))
    assert (game.pools("A"), (game.left("A", "irregular"), game.left("A", "tactical"))) == ({1: 1}, given)
    for name in ("t1", "wolf"):
        game.refused(f"A spend regular g1 {name}", "STA-02")
        game.refused(f"A token convert {name}", "CMD-04")
        game.whole(f"A spend irregular {name}")
    game.refused("A spend irregular wolf", "ORD-03")
    game.whole("A spend tactical t1" if edition == "n5" else "A spend irregular t1")


@pytest.mark.rule("STA-02")
@editions(*FULL)
def test_isolated_after_the_count_leaves_the_order_in_the_pool(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("B state A:t1 isolated")
    assert game.pools("A") == {1: 4}
    game.refused("A spend regular g1 t1", "STA-02")
    game.refused("A spend irregular t1", "ORD-03")
    game.whole("A spend regular g1 t2")


@pytest.mark.rule("STA-02")
@editions(*FULL)
def test_an_isolated_lieutenant_is_lost_for_the_turn(edition: str) -> None:
    """No longer Isolated a moment later, the loss stands all the same. Isolated after the count it keeps its order."""
    game = Game(edition, ARMY)
    game.play("B state A:cap isolated", "A start", "A next", "A clear cap isolated")
    assert game.side("A")["loss_of_lieutenant"] is True
    game.go_on("A", "orders")
    game.refused("A spend lieutenant", "ORD-06")
    assert game.side("A")["loss_of_lieutenant"] is True
    game.go_on("A", "states")
    game.play("A lieutenant t1", "A next")
    game.turn("B")
    game.begin("A")
    game.play("B state A:t1 isolated")
    game.whole("A spend lieutenant t1")


@pytest.mark.rule("STA-02")
@editions(*CODEONE)
def test_isolated_gives_nothing_where_there_are_no_irregular_orders(edition: str) -> None:
    game = Game(edition, ARMY)
    game.play("B state A:t1 isolated")
    game.begin("A")
    assert (game.pools("A"), game.left("A", "irregular")) == ({1: 3}, 0)
    game.refused("A spend regular g1 t1", "STA-02")


@pytest.mark.rule("STA-03")
@editions(*ALL)
@pytest.mark.parametrize("state", sorted(PLAIN))
def test_states_that_change_no_orders(edition: str, state: str) -> None:
    """Immobilized-A and -B, Stunned, Prone, Targeted among them."""
    assert {"immobilized-a", "immobilized-b", "stunned", "prone", "targeted"} <= PLAIN
    game = Game(edition, ARMY)
    game.play(f"B state A:t1 {state}", f"B state A:cap {state}")
    game.begin("A")
    assert (game.pools("A"), game.left("A", "lieutenant")) == ({1: 4}, 1)
    game.whole("A spend regular g1 t1")
    game.whole("A spend lieutenant")


@pytest.mark.rule("STA-04")
@editions(*ALL)
def test_healed_before_the_next_count_it_gives_its_order_again(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("B state A:t1 unconscious")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.pools("A") == {1: 3}
    game.play("A clear t1 unconscious")
    assert game.pools("A") == {1: 3}
    game.whole("A spend regular g1 t1")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.pools("A") == {1: 4}


@pytest.mark.rule("STA-04")
@editions(*ALL)
def test_worse_replaces_bad(edition: str) -> None:
    """Dead is not Unconscious besides: clearing the one never leaves the other behind."""
    game = Game(edition, army("cap lieutenant", "t1 dogged", "t2"))
    for state in ("unconscious", "unconscious-active", "unconscious", "dead", "unconscious"):
        game.play(f"B state A:t1 {state}")
        assert game.trooper("A", "t1")["states"] == [state]
    game.play("A state t1 prone", "A clear t1 unconscious")
    assert game.trooper("A", "t1")["states"] == ["prone"]


@pytest.mark.rule("STA-05")
@editions(*ALL)
def test_either_seat_records_at_any_time_and_both_see_who(edition: str) -> None:
    game = Game(edition, ARMY, viewer="B")
    moments = ["", "A start", "A next", "A next", "A next", "A spend regular g1 t1", "A skill basic", "B pass", "A end",
               "A resolve"]  # fmt: skip
    if edition in CODEONE:
        moments = ["", "A start", "A next", *moments[5:]]
    for line in moments:
        if line:
            game.play(line)
        for seat, name in (("A", "t2"), ("B", "A:t2")):
            for verb, kind in (("state", "state-recorded"), ("clear", "state-cleared")):
                (event,) = game.play(f"{seat} {verb} {name} stunned")["events"]
                assert (event["type"], event["seat"], event["owner"], event["trooper"]) == (kind, seat, "A", "t2")
    game.play("B state A:t2 dead", "undo")
    assert game.trooper("A", "t2")["states"] == []


@pytest.mark.rule("STA-05")
@editions(*ALL)
def test_a_record_must_make_sense(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.play("A state t1 dead")
    game.refused("B state A:t1 dead", "STA-05")
    game.refused("B clear A:t1 prone", "STA-05")
    game.refused("B state t1 dead", "STA-05")
    game.refused("B state A:ghost dead", "STA-05")
    game.play("A state ghost dead", "A clear ghost dead")
    assert "error" in game.say("A state t1 sleepy")


@pytest.mark.rule("STA-06")
@editions(*ALL)
def test_acting_though_unconscious_is_not_null(edition: str) -> None:
    """Through Dogged or No Wound Incapacitation: it gives and takes orders and reacts, until it falls for good."""
    game = Game(edition, army("cap lieutenant", "bull dogged", "rock no-wound-incapacitation", "t1"))
    game.refused("A state t1 unconscious-active", "STA-06")
    game.play("B state A:bull unconscious-active", "A state rock unconscious-active")
    game.begin("A")
    assert game.pools("A") == {1: 4}
    game.whole("A spend regular g1 bull")
    game.play("B state A:bull dead")
    game.refused("A spend regular g1 bull", "STA-01")
    game.finish("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill basic", "A aro rock")
