"""REI, ITS, SEQ-07: Reinforcements, Objective Points, who wins by what; and `why`."""

from __future__ import annotations

import pytest

from ordertray.rules import Army, Fireteam
from rules.playing import ALL, CODEONE, ENEMY, FULL, Game, army, editions

SECTION = army(
    "cap lieutenant cost=20",
    "talk commlink cost=20",
    "t1 t2 t3 cost=50",
    "e1 e2 e3 reinforcement g2 cost=20",
    points=300,
)


def with_section(edition: str, a: Army = SECTION, *, viewer: str | None = None) -> Game:
    """A game in which A's Reinforcements wait."""
    game = Game(edition, a, ENEMY, viewer=viewer)
    game.play("option reinforcements")
    return game


@pytest.mark.rule("REI-01")
@editions(*FULL)
def test_before_they_come_reinforcements_give_nothing(edition: str) -> None:
    game = Game(edition, SECTION)
    game.refused("A start", "REI-01")
    game.play("option reinforcements", "A start", "A next")
    assert (game.pools("A"), game.side("A")["reinforcements"]) == ({1: 5}, "waiting")
    assert game.side("B")["reinforcements"] == "none"
    assert [trooper["id"] for trooper in game.side("A")["troopers"]] == ["cap", "talk", "t1", "t2", "t3"]
    private = game.private("A")
    assert (private["victory_points"], private["own"]["total"]) == (250, 0), "their cost counts as surviving"
    game.go_on("A", "orders")
    for line in ("A arrive e1", "A spend own e1", "A spend regular g2 e1"):
        assert not game.say(line)["ok"], line
    game.refused("A arrive e1", "REI-01")
    game.refused("B reinforce", "SEQ-01")


@pytest.mark.rule("REI-02")
@editions(*FULL)
def test_they_come_when_enough_is_lost_or_in_the_third_round(edition: str) -> None:
    game = with_section(edition)
    game.play("A start")
    game.refused("A reinforce", "REI-02")
    game.play("B state A:t1 dead")
    answer = game.play("A reinforce")
    assert "reinforcements-called" in [event["type"] for event in answer["events"]]
    assert (game.step(), game.pools("A")) == ("order-count", {1: 4, 2: 3}), "it ends the step, and they count at once"
    assert game.side("A")["reinforcements"] == "called"
    game.finish("A")
    game.turn("B")
    game.play("A start")
    game.refused("A reinforce", "REI-01")
    game = with_section(edition)
    for _ in range(2):
        game.turn("A")
        game.turn("B")
    game.play("A start", "undo", "A start", "A next")
    game.refused("A reinforce", "REI-02")
    game.play("undo", "A reinforce")


@pytest.mark.rule("REI-02")
@editions(*FULL)
@pytest.mark.parametrize(("points", "limit"), [(250, 200), (300, 225), (350, 250), (400, 275)])
def test_the_chart_of_sizes(edition: str, points: int, limit: int) -> None:
    for lost, comes in ((points - limit, True), (points - limit - 1, False)):
        rest = points - 50 - lost
        made = army(f"cap lieutenant cost={rest}", f"t1 cost={lost}", "e1 reinforcement g2 cost=50", points=points)
        game = with_section(edition, made)
        game.play("B state A:t1 dead", "A start")
        assert game.say("A reinforce")["ok"] is comes
    odd = with_section(edition, army("cap lieutenant", "t1", "e1 reinforcement g2", points=200))
    odd.play("B state A:t1 dead", "A start")
    odd.refused("A reinforce", "REI-02")


@pytest.mark.rule("REI-02", "RET-14")
@editions(*FULL)
def test_that_it_is_too_early_is_private(edition: str) -> None:
    game = with_section(edition, viewer="B")
    game.play("A start")
    game.refused("A reinforce", "INF")


@pytest.mark.rule("REI-03")
@editions(*FULL)
def test_the_trooper_with_commlink_may_join_them_for_nothing(edition: str) -> None:
    game = with_section(edition)
    game.play("B state A:t1 dead", "A start")
    for line in ("A token group talk g2", "A token group t2 g2"):
        game.refused(line, "REI-03")
    game.play("A reinforce")
    game.refused("A token group t2 g2", "CMD-03")
    game.play("A token group talk g2")
    assert (game.side("A")["command_tokens"], game.pools("A")) == (4, {1: 3, 2: 4})
    game.play("undo")
    game.go_on("A", "orders")
    game.whole("A spend regular g1 t2")
    game.refused("A token group talk g2", "REI-03")
    game.finish("A")
    game.turn("B")
    game.play("A start", "A token group t2 g2", "A token group e1 g1")
    assert game.side("A")["command_tokens"] == 2, "from the next Tactical Phase on it is as for anybody"


@pytest.mark.rule("REI-03")
@editions(*FULL)
def test_their_fireteams_cost_no_token_and_are_of_them_alone(edition: str) -> None:
    game = with_section(edition)
    game.play("B state A:t1 dead", "A start", "A reinforce", "A team form e1 e2")
    assert game.side("A")["command_tokens"] == 4
    game.play("A token group talk g2")
    game.refused("A token team talk e3", "REI-03")
    game.refused("A team form talk e3", "FT-01")
    rostered = Army("x", 300, SECTION.troopers, None, (Fireteam("late", ("e1", "e2"), "e2"),))
    game = with_section(edition, rostered)
    assert game.side("A")["teams"] == []
    game.play("B state A:t1 dead", "A start", "A reinforce")
    assert game.side("A")["teams"] == [{"leader": "e2", "members": ["e2", "e1"], "left": []}]


@pytest.mark.rule("REI-01", "REI-02", "REI-03", absent=True)
@editions(*CODEONE)
def test_no_reinforcements_in_code_one(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1 commlink"))
    game.refused("option reinforcements", "REI-01")
    game.play("A start")
    game.refused("A reinforce", "REI-01")
    game.refused("A token group t1 g1", "SEQ-03")


@pytest.mark.rule("ITS")
@editions(*ALL)
def test_objective_points_and_the_result(edition: str) -> None:
    """Objective Points first (0 where none were recorded), then surviving Victory Points."""
    for lines, winner, by in (
        ((), None, "draw"),
        (("A state B:u1 dead",), "A", "victory"),
        (("A state B:u1 dead", "B score 3"), "B", "objective"),
        (("A score 5", "B score 3", "A score 3"), None, "draw"),
    ):
        game = Game(edition, ENEMY, ENEMY, rounds=1)
        game.play(*lines)
        assert "result" not in game.public
        game.turn("A")
        game.turn("B")
        assert game.over() == "rounds"
        result = game.public["result"]
        assert (result["winner"], result["by"]) == (winner, by)
        assert result["victory"] == {"A": 40, "B": 40 - 10 * ("A state B:u1 dead" in lines)}
        game.play("B score 9")
        assert game.public["result"]["objective"]["B"] == 9, "also when it is over"
        assert game.side("B")["score"] == 9


@pytest.mark.rule("ITS", "RET-13")
@editions(*ALL)
def test_option_its_is_what_tournament_missions_say(edition: str) -> None:
    game = Game(edition, army("cap lieutenant cost=10", "t1 cost=10", "rest cost=80"))
    game.play("option its", "B state A:rest dead")
    game.begin("A")
    game.finish("A")
    assert game.over() == (False if edition in CODEONE else "retreat")


@pytest.mark.rule("SEQ-07")
@editions(*FULL)
def test_when_it_is_over_the_surviving_points_are_open(edition: str) -> None:
    both = army("cap lieutenant cost=10", "rest cost=90")
    game = Game(edition, both, both, viewer="B")
    game.play("B state A:rest dead", "A state B:rest dead")
    game.begin("A")
    game.finish("A")
    game.begin("B")
    game.play("B spend irregular cap", "B skill basic", "A pass", "B end", "B resolve")
    game.play("A state B:cap dead", "B state A:cap dead", "B done")
    assert game.public["result"] == {
        "winner": None, "by": "draw", "objective": {"A": 0, "B": 0}, "victory": {"A": 0, "B": 0}
    }  # fmt: skip


@pytest.mark.rule("INF")
@editions(*ALL)
def test_why_asks_and_changes_nothing(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"))
    game.begin("A")
    before = game.script.game
    assert game.say("why A spend regular g1 t1") == {"line": game.lines, "ok": True, "would": True}
    answer = game.say("why A spend regular g2")
    assert (answer["ok"], answer["would"], answer["rule"]) == (True, False, "ORD-12") and answer["message"]
    assert game.say("why @0 A next")["rule"] == "STALE"
    for line in ("why", "why show", "why A dance", "@3 why A next"):
        assert "error" in game.say(line), line
    assert game.script.game is before
    asked = Game(edition, army("cap lieutenant", "t1", "ghost hidden"), viewer="B")
    asked.begin("A")
    asked.refused("why A spend own ghost", "INF")
    assert asked.say("why B next")["rule"] == "SEQ-01"
