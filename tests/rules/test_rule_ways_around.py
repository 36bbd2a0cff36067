"""Ways around a rule that somebody might try, by design or by mistake."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, ENEMY, FULL, Game, army, editions


def to_orders(edition: str, *lines: str, enemy: object = ENEMY) -> Game:
    """A game at A's Orders Phase with an army of these lines."""
    game = Game(edition, army(*lines), enemy)  # type: ignore[arg-type]
    game.begin("A")
    return game


# --- orders without a name ------------------------------------------------------------------------------------------


@pytest.mark.rule("ORD-02", "STA-01", "STA-02")
@editions(*ALL)
def test_an_unnamed_order_needs_somebody_who_could_take_it(edition: str) -> None:
    """A group all of whom are Null, Isolated or peripherals cannot act "as somebody of the group"."""
    game = to_orders(edition, "cap lieutenant", "t1", "dog controller=t1")
    game.play("B state A:cap dead", "B state A:t1 isolated")
    game.refused("A spend regular g1", "ORD-02")
    game.play("B clear A:t1 isolated", "A spend regular g1")
    assert (game.order["trooper"], game.order["troopers"]) == (None, [])


@pytest.mark.rule("ORD-12", "ORD-16", "STA-01", "STA-02")
@editions(*ALL)
def test_naming_the_trooper_later_is_held_to_the_same(edition: str) -> None:
    other = "r1 g2" if edition in FULL else "r1"
    game = to_orders(edition, "cap lieutenant", "t1 t2 t3", "dog controller=t1", other)
    game.play("B state A:t2 dead", "B state A:t3 isolated", "A spend regular g1")
    game.refused("A trooper t2", "STA-01")
    game.refused("A trooper t3", "STA-02")
    game.refused("A trooper dog", "ORD-16")
    if edition in FULL:
        game.refused("A trooper r1", "ORD-12")
    game.play("A trooper t1")
    assert game.order["troopers"] == ["t1", "dog"]
    game.refused("A trooper cap", "ORD-01")


@pytest.mark.rule("RET-11")
@editions(*FULL)
def test_an_unnamed_order_is_no_way_around_retreat(edition: str) -> None:
    """Where everybody who could be meant has the marker it binds; where not, it binds when the trooper is named."""
    game = to_orders(edition, "cap lieutenant cost=5", "t1 cost=5", "rest cost=90")
    game.play("B state A:rest dead")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    game.play("A token convert t1", "A spend regular g1")
    game.refused('A skill "BS Attack"', "RET-11")
    game = Game(edition, army("cap lieutenant cost=5", "t1 cost=5", "old warhorse cost=5", "rest cost=85"))
    game.play("B state A:rest dead")
    game.begin("A")
    game.play("A spend regular g1", 'A skill "BS Attack"')
    game.refused("A trooper t1", "RET-11")
    game.play("A trooper old")


@pytest.mark.rule("ACT-08")
@editions(*ALL)
def test_no_target_where_nobody_was_named(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "t1 t2")
    game.play("A spend regular g1", "A skill basic")
    game.refused("B aro u1 > t1", "ACT-08")
    game.play("B aro u1")
    assert game.order["aro"]["declared"][0]["target"] is None


@pytest.mark.rule("ORD-19")
@editions(*ALL)
def test_a_trooper_off_the_table_named_late_loses_its_own_order_too(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "t1", "ghost hidden")
    game.play("A spend regular g1", "A trooper ghost", "A skill basic", "B pass", "A end", "A resolve", "A done")
    game.refused("A spend own ghost", "ORD-19")


# --- the order of things --------------------------------------------------------------------------------------------


@pytest.mark.rule("ORD-19")
@editions(*ALL)
def test_a_trooper_off_the_table_acts_once_and_then_must_be_there(edition: str) -> None:
    """By its own order or by another, it has appeared: more orders wait for its arrival to be recorded."""
    for first in ("A spend own ghost", "A spend regular g1 ghost"):
        game = to_orders(edition, "cap lieutenant", "t1", "ghost hidden")
        game.whole(first)
        game.refused("A spend regular g1 ghost", "ORD-19")
        game.refused("A spend own ghost", "ORD-19")
        game.play("A spend regular g1")
        game.refused("A trooper ghost", "ORD-19")
        game.play("A trooper t1", "A skill basic", "B pass", "A end", "A resolve", "A done", "A arrive ghost")
        game.refused("A arrive ghost", "ORD-19")
        if first.endswith("own ghost"):
            game.whole("A spend regular g1 ghost")


@pytest.mark.rule("ORD-15")
@editions(*ALL)
def test_no_arrival_in_time_for_the_count(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.refused("A arrive ghost", "SEQ-01")
    game.play("A start")
    for phase in ("order-count", "impetuous") if edition in FULL else ("order-count",):
        game.refused("A arrive ghost", "ORD-19")
        game.go_on("A", phase)
    game.refused("A arrive ghost", "ORD-19")
    game.go_on("A", "states")
    game.refused("A arrive ghost", "ORD-19")


@pytest.mark.rule("SEQ-02", "CMD-03")
@editions(*FULL)
def test_the_executive_step_does_not_come_back(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "r1 g2"))
    game.play("A start", "A next")
    for _ in ("order-count", "impetuous", "orders", "states"):
        game.refused("A token group t1 g2", "CMD-03")
        game.refused("A token unpossess t1", "CMD-03")
        game.play("A next")


@pytest.mark.rule("ACT-13")
@editions("n5")
def test_one_order_at_a_time(edition: str) -> None:
    """Of whatever kind the next one is."""
    game = to_orders(edition, "cap lieutenant", "sarge nco", "ace tactical-awareness", "wolf irregular", "ghost hidden")
    game.play("A spend regular g1 sarge")
    for line in ("regular g1", "lieutenant", "lieutenant sarge", "tactical ace", "irregular wolf", "own ghost"):
        game.refused(f"A spend {line}", "ACT-13")
    game.refused("A token coordinate g1 cap sarge", "ACT-13")
    assert game.side("A")["command_tokens"] == 4, "a refused use costs no token"


@pytest.mark.rule("ORD-13", "ORD-20")
@editions(*ALL)
def test_strategos_right_after_the_count_is_no_second_count(edition: str) -> None:
    """Who fell or rose since, what was removed or converted: all stays; only the Lieutenant orders move."""
    wolf = ("wolf irregular",) if edition in FULL else ()
    game = Game(edition, army("cap lieutenant strategos-1", "t1..t8", *wolf))
    game.play("A state t1 unconscious", "A start")
    game.go_on("A", "order-count")
    game.play("A clear t1 unconscious", "A state t2 unconscious")
    before = game.pools("A")[1]
    if edition in FULL:
        game.play("A token convert wolf")
        before += 1
    if edition in ("n4", "n4-2020"):
        game.play("B token strip g1 g1")
        before -= 2
    game.play("A strategos")
    assert game.pools("A") == {1: before + 1}
    assert (game.left("A", "irregular"), game.left("A", "lieutenant")) == (0, 0)


@pytest.mark.rule("LOL-02", "ORD-20")
@editions(*FULL)
def test_strategos_brings_nothing_in_loss_of_lieutenant(edition: str) -> None:
    game = Game(edition, army("cap lieutenant strategos-1 plus-1-order", "old warhorse", "t1"))
    game.play("A start", "A strategos", "B state A:cap dead")
    game.go_on("A", "orders")
    assert (game.pools("A"), game.left("A", "lieutenant"), game.left("A", "irregular")) == ({1: 1}, 0, 1)


# --- undo -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("ACT-18", "CMD-01", "CMD-02")
@editions(*FULL)
def test_undo_gives_back_order_and_token_and_the_one_strategic_use(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1..t9", "r1 g2"))
    game.play("A start", "A next")
    before = game.public
    for lines in (("B token cap",), ("B token strip g1 g1",), ("A token guts t1",)):
        game.play(*lines, *["undo"] * len(lines))
        assert game.public == before
    game.play("B token cap", "undo", "B token strip g1 g2")


@pytest.mark.rule("ACT-05", "ACT-18")
@editions(*ALL)
def test_undo_of_a_pass_gives_the_aro_back_and_no_more(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "t1")
    game.play("A spend regular g1 t1", "A skill basic", "B aro u1", "B pass u2", "undo", "B aro u2")
    game.refused("B aro u1", "ACT-07")
    game.play("undo", "undo", "undo", "undo")
    assert game.pools("A") == {1: 2} and game.public["order"] is None


@pytest.mark.rule("ACT-18", "SEQ-01")
@editions(*ALL)
def test_a_late_press_is_stale_also_after_an_undo(edition: str) -> None:
    """The number never comes again, so a press meant for an undone position cannot land in another that looks alike."""
    game = to_orders(edition, "cap lieutenant", "t1")
    game.play("A spend regular g1 t1", "A skill basic")
    at = game.say("show")["position"]
    game.play("B pass", "undo")
    game.refused(f"@{at} B aro u1", "STALE")
    game.play(f"@{at + 2} B aro u1")


# --- troopers that are not what they were ---------------------------------------------------------------------------


@pytest.mark.rule("RET-06")
@editions(*FULL)
def test_who_has_left_the_table_does_nothing_more(edition: str) -> None:
    game = Game(edition, army("cap lieutenant nco cost=5", "t1 cost=5", "t2 nco frenzy tactical-awareness cost=5",
                              "rest cost=85"))  # fmt: skip
    game.play("B state A:rest dead")
    game.begin("A")
    game.play("A evacuate t2")
    for line in (
        "spend irregular t2", "spend tactical t2", "spend regular g1 t2", "spend own t2", "frenzy t2", "arrive t2",
        "evacuate t2", "token hold t2", "token guts t2", "token reroll t2", "token convert t2",
    ):  # fmt: skip
        game.refused(f"A {line}", "RET-06")
    game.finish("A")
    game.begin("B")
    game.play("B spend regular g1 u1", "B skill basic")
    game.refused("A aro t2", "RET-06")
    game.play("A aro t1")


@pytest.mark.rule("ORD-08")
@editions(*FULL)
def test_an_nco_off_the_table_or_null_uses_no_lieutenant_order(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "ghost hidden nco", "sarge nco", "t1")
    game.refused("A spend lieutenant ghost", "ORD-06")
    game.play("B state A:sarge unconscious")
    game.refused("A spend lieutenant sarge", "STA-01")
    game.play("A clear sarge unconscious", "B state A:cap dead")
    game.refused("A spend lieutenant cap", "STA-01")
    game.whole("A spend lieutenant sarge")
    assert game.left("A", "lieutenant") == 0, "once counted, the order is there, whatever became of the Lieutenant"


@pytest.mark.rule("LOL-05", "ORD-06")
@editions(*FULL)
def test_the_old_lieutenant_keeps_no_order(edition: str) -> None:
    """Back on its feet it is one trooper among others; the order is its successor's."""
    game = Game(edition, army("cap lieutenant plus-1-order", "heir chain-of-command", "t1"))
    game.play("B state A:cap unconscious")
    game.begin("A")
    game.play("A clear cap unconscious")
    game.refused("A spend lieutenant cap", "ORD-06")
    game.whole("A spend lieutenant")
    assert game.side("A")["lieutenant"]["trooper"] == "heir"


@pytest.mark.rule("CMD-04", "RET-01")
@editions(*FULL)
def test_inspiring_leadership(edition: str) -> None:
    """While that Lieutenant is up: all Regular, never in Retreat, its order may coordinate it with others."""
    lines = ("cap lieutenant inspiring-leadership cost=5", "wolf irregular cost=5", "t1 cost=5", "r1 g2 cost=5")
    game = Game(edition, army(*lines, "rest cost=80"))
    game.play("B state A:rest dead")
    game.begin("A")
    assert (game.side("A")["retreat"], game.pools("A"), game.left("A", "irregular")) == (False, {1: 3, 2: 1}, 0)
    for names, rule in (("wolf t1", "CMD-04"), ("cap r1", "CMD-04"), ("cap cap", "CMD-04"), ("cap rest", "STA-01")):
        game.refused(f"A spend lieutenant {names}", rule)
    game.play("A spend lieutenant cap wolf t1")
    assert (game.order["kind"], game.order["troopers"]) == ("coordinated", ["cap", "wolf", "t1"])
    assert (game.side("A")["command_tokens"], game.pools("A"), game.left("A", "lieutenant")) == (4, {1: 3, 2: 1}, 0)
    game.play("A skill basic", "B pass", "A end", "A resolve", "A done", "B state A:cap unconscious")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.side("A")["retreat"] is True


@pytest.mark.rule("SEQ-03")
@editions(*CODEONE)
def test_no_coordinated_orders_in_code_one(edition: str) -> None:
    """By no skill of the list either."""
    game = to_orders(edition, "cap lieutenant inspiring-leadership", "t1")
    game.refused("A spend lieutenant cap t1", "SEQ-03")
    game.refused("A token coordinate g1 cap t1", "SEQ-03")
    game.whole("A spend lieutenant")


@pytest.mark.rule("CMD-04")
@editions(*FULL)
def test_others_cannot_coordinate_with_the_lieutenant_order(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "sarge nco inspiring-leadership", "t1")
    game.refused("A spend lieutenant cap t1", "CMD-04")
    game.refused("A spend lieutenant sarge t1", "CMD-04")


@pytest.mark.rule("STA-01", "CMD-04")
@editions(*FULL)
def test_a_member_that_falls_does_not_undo_a_coordinated_order(edition: str) -> None:
    """Declared together it is resolved together; the fallen one is simply Idle if it could not act."""
    game = to_orders(edition, "cap lieutenant", "t1 t2 t3")
    game.play("A token coordinate g1 t1 t2 t3", "A skill basic", "B aro u1 > t2", "B state A:t2 dead", "B pass")
    game.play("A skill short", "B aro u2 > t2", "B pass", "A resolve idle t2", "A done")


# --- reacting -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("ACT-04", "ORD-16")
@editions(*ALL)
def test_a_peripheral_reacts_once_like_anyone_and_not_when_disconnected(edition: str) -> None:
    enemy = army("boss lieutenant", "u1", "dog controller=u1")
    game = to_orders(edition, "cap lieutenant", "t1", enemy=enemy)
    game.play("A spend regular g1 t1", "A skill basic", "B aro u1", "B aro dog")
    game.refused("B aro dog", "ACT-07")
    game.play("undo", "B state u1 dead", "B state dog disconnected")
    game.refused("B aro dog", "STA-01")


@pytest.mark.rule("ACT-07")
@editions(*ALL)
def test_arriving_does_not_give_a_second_aro(edition: str) -> None:
    enemy = army("boss lieutenant", "u1", "ghost hidden")
    game = to_orders(edition, "cap lieutenant", "t1", enemy=enemy)
    game.play("A spend regular g1 t1", "A skill basic")
    game.refused("B pass ghost", "ACT-04")
    game.play("B arrive ghost", "B aro ghost", "B pass", "A skill basic")
    game.refused("B aro ghost", "ACT-07")


@pytest.mark.rule("ACT-05")
@editions(*ALL)
def test_standing_up_in_mid_order_gives_the_aro_that_was_not_lost(edition: str) -> None:
    """Null at the first window it could not react and lost nothing; having passed, it has."""
    game = to_orders(edition, "cap lieutenant", "t1")
    game.play("A state B:u1 unconscious", "A spend regular g1 t1", "A skill basic", "B pass all")
    game.play("B clear u1 unconscious", "A skill basic", "B aro u1")
    game.play("A state B:u2 stunned")
    game.refused("B aro u2", "ACT-06")


@pytest.mark.rule("ACT-09", "ACT-05")
@editions(*ALL)
def test_no_aro_outside_an_order_and_none_before_its_first_skill(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1"))
    game.refused("B aro u1", "SEQ-01")
    game.begin("A")
    game.refused("B aro u1", "ACT-05")
    game.play("A spend regular g1 t1")
    game.refused("B aro u1", "ACT-05")
    game.refused("B pass all", "ACT-05")


@pytest.mark.rule("SEQ-01")
@editions(*ALL)
def test_the_reactive_player_does_not_play_the_active_ones_order(edition: str) -> None:
    game = to_orders(edition, "cap lieutenant", "t1")
    game.refused("B spend regular g1 u1", "SEQ-01")
    game.play("A spend regular g1 t1")
    for line in ("skill basic", "end", "resolve", "done", "trooper u1", "next", "start"):
        game.refused(f"B {line}", "SEQ-01")
    game.play("A skill basic", "B pass")
    game.refused("B end", "SEQ-01")


# --- names and numbers ----------------------------------------------------------------------------------------------


@pytest.mark.rule("ORD-01")
@editions(*ALL)
def test_the_other_sides_trooper_is_never_ones_own(edition: str) -> None:
    """Even under the same id: a bare name is one's own trooper, in every action."""
    game = Game(edition, army("cap lieutenant", "t1 t2"), army("cap lieutenant", "t1", "u1"))
    game.begin("A")
    game.refused("A spend regular g1 u1", "ORD-01")
    game.play("A spend regular g1 t1", "A skill basic", "B aro t1 > t1")
    assert game.order["aro"]["declared"][0] == {"trooper": "t1", "name": None, "target": "t1", "by": None}
    game.play("B pass", "A end", "A resolve idle A:t1", "undo", "A resolve idle B:t1")
    assert game.order["idle"] == ["B:t1"]
    game.play("A done", "B state t1 dead")
    assert [game.trooper(seat, "t1")["states"] for seat in ("A", "B")] == [[], ["dead"]]


@pytest.mark.rule("ORD-08", "ORD-09", "SEQ-04", "SEQ-05", "CMD-01")
@editions(*FULL)
def test_skills_outside_the_tray_change_nothing(edition: str) -> None:
    """The list may hold any skill; what the tray does not know gives nothing."""
    game = to_orders(edition, "cap lieutenant", "t1 nco-like impetuous-ish total-immunity", "t2 tactical")
    side = game.side("A")
    assert (game.pools("A"), side["impetuous"]["total"], side["tactical"]["total"]) == ({1: 3}, 0, 0)
    assert side["command_tokens"] == 4
    game.refused("A frenzy t1", "SEQ-05")
    game.refused("A spend lieutenant t1", "ORD-06")


@editions(*ALL)
def test_what_is_listed_as_legal_is_accepted_and_what_is_refused_is_not_listed(edition: str) -> None:
    """At the odd moments of this file; the property tests do it everywhere."""
    game = Game(edition, army("cap lieutenant strategos-1", "t1", "ghost hidden", "dog controller=t1"))
    game.begin("A")
    assert {"A spend regular g1", "A spend regular g1 ghost", "A spend own ghost", "A arrive ghost"} <= game.legal("A")
    assert not {"A strategos", "A spend regular g1 dog", "A spend own t1"} & game.legal("A")
    game.whole("A spend regular g1 ghost")
    assert not {"A spend regular g1 ghost", "A spend own ghost"} & game.legal("A")
    assert ("A token guts t1" in game.legal("A")) is (edition not in CODEONE)
