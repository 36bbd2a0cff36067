"""INF: who may see what. `test_interference*` proves it over whole games; here it is shown fact by fact."""

from __future__ import annotations

import json

import pytest

from ordertray.rules import Event, Seat, from_json, play, replay, seat_view, to_json, visible_events
from ordertray.rules.actions import Next, Start
from rules.playing import ALL, FULL, Game, army, editions

ARMY = army("cap lieutenant cost=17", "t1 cost=23", "spy counterintelligence cost=19", "heir chain-of-command cost=13",
            "ghost hidden cost=31", "diver airborne cost=29")  # fmt: skip


def everything_public(game: Game) -> str:
    """All that is public of a game, as text."""
    return json.dumps(game.public)


@pytest.mark.rule("INF")
@editions(*ALL)
def test_what_is_public(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic", 'B aro u1 "Dodge"')
    view = game.public
    assert (view["active"], view["phase"], view["round"]) == ("A", "orders", 1)
    assert set(view["seats"]["A"]) >= {
        "pools", "irregular", "lieutenant", "tactical", "impetuous", "command_tokens", "retreat", "loss_of_lieutenant",
    }  # fmt: skip
    assert view["order"]["aro"]["declared"][0]["trooper"] == "u1"
    assert view["seats"]["A"]["command_tokens"] == (4 if edition in FULL else 0)


@pytest.mark.rule("INF")
@editions(*ALL)
def test_what_is_private(edition: str) -> None:
    """Costs and totals, hidden troopers and their orders, Lieutenant, Chain of Command, Counterintelligence."""
    game = Game(edition, ARMY)
    for line in ("A start", "A next"):
        game.play(line)
        text = everything_public(game)
        for secret in ("ghost", "diver", "cost", "points", "chain", "counterint", "margin", "17", "23", "31", "132"):
            assert secret not in text
    mine = game.private("A")
    assert (mine["lieutenant"], mine["victory_points"], mine["own"]["left"]) == ("cap", 132, 2)
    assert [one["cost"] for one in mine["troopers"]] == [17, 23, 19, 13, 31, 29]
    assert "ghost" not in json.dumps(game.private("B"))


@pytest.mark.rule("INF")
@editions(*ALL)
def test_a_trooper_that_arrives_is_public_from_then_on(edition: str) -> None:
    game = Game(edition, ARMY, viewer="B")
    game.begin("A")
    events = game.play("A spend own ghost", "A arrive ghost")["events"]
    assert [(event["type"], event["trooper"]) for event in events] == [("arrived", "ghost")]
    assert game.trooper("A", "ghost")["place"] == "table"
    assert "diver" not in everything_public(game)


@pytest.mark.rule("INF")
@editions(*ALL)
def test_what_a_player_records_of_a_hidden_trooper_is_not_heard(edition: str) -> None:
    game = Game(edition, ARMY, viewer="B")
    assert game.play("A state ghost prone")["events"] == []
    assert game.play("A state t1 prone")["events"] != []


@pytest.mark.rule("INF")
@editions(*FULL)
def test_a_hidden_trooper_changes_group_unheard(edition: str) -> None:
    """That a token was used is public; for whom is not."""
    game = Game(edition, army("cap lieutenant", "t1 g2", "ghost hidden"), viewer="B")
    game.play("A start")
    events = game.play("A token group ghost g2")["events"]
    assert [event["type"] for event in events] == ["token-spent", "group-changed"]
    assert events[1]["trooper"] is None and events[1]["group"] is None


@pytest.mark.rule("INF")
@editions(*FULL)
def test_strategos_shows_only_in_the_count(edition: str) -> None:
    game = Game(edition, army("cap lieutenant strategos-1", "t1"), viewer="B")
    game.play("A start")
    assert game.play("A strategos")["events"] == []
    assert game.public == Game(edition, army("cap lieutenant", "t1")).play("A start")["public"]


@pytest.mark.rule("INF")
@editions(*ALL)
def test_the_record_of_a_finished_game_is_whole(edition: str) -> None:
    """Open to both: the full events alone give the game again, and with it every private fact of either side."""
    game = Game(edition, ARMY, army("boss lieutenant", "u1 u2", "shade hidden"), rounds=1)
    start = now = game.script.game
    record: list[Event] = []
    hidden = 0
    while now.state.over is None:
        seat = now.state.active or now.next_seat
        assert seat is not None
        outcome = play(now, Next(seat) if now.state.active else Start(seat))
        assert isinstance(outcome, tuple)
        hidden += visible_events(now, outcome[1], seat.other) != outcome[1]
        now, record = outcome[0], [*record, *outcome[1]]
    assert hidden > 0, "while the game was on, each player saw less than the record"
    again = replay(start, [from_json(json.loads(json.dumps(to_json(event)))) for event in record])
    assert again == now
    for seat in Seat:
        assert seat_view(again, seat) == seat_view(now, seat)


@pytest.mark.rule("INF", "CMD-03")
@editions(*FULL)
def test_a_group_full_by_a_hidden_trooper_is_not_heard_of(edition: str) -> None:
    """Nine are to be seen: that there is no room would tell of the tenth."""
    told = {}
    for last in ("r9 g2", "r9 hidden g2"):
        game = Game(edition, army("cap lieutenant", "t1", "r1..r8 g2", last, "r0 g2"), viewer="B")
        game.play("A start")
        told[last] = game.say("A token group t1 g2")
    assert (told["r9 g2"]["rule"], told["r9 hidden g2"]["rule"]) == ("CMD-03", "INF")


@pytest.mark.rule("INF", "LOL-03")
@editions(*FULL)
def test_a_hidden_trooper_obliges_nobody_to_name_a_lieutenant(edition: str) -> None:
    """Only a hidden one could lead, or nobody could, or it was named: others see the same all the way."""
    seen = []
    for skills, named in (("type=REM", False), ("", False), ("", True)):
        game = Game(edition, army("cap lieutenant", "bot type=REM", f"ghost hidden {skills}"), viewer="B")
        game.play("A state cap dead")
        game.begin("A")
        game.go_on("A", "states")
        if named:
            assert game.play("A lieutenant ghost")["events"] == [], "the naming is heard by nobody"
        before = game.public
        seen.append((before, game.play("A next")["events"][0]["type"]))
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.rule("INF", "ACT-15")
@editions(*ALL)
def test_who_is_named_as_idle_gives_nobody_away(edition: str) -> None:
    """A refused name is heard only where everybody knows it: on the side it is said to be of, or on either."""
    enemy = army("boss lieutenant", "u1", "spook hidden")
    game = Game(edition, army("cap lieutenant", "t1", "ghost hidden"), enemy, viewer="B")
    game.begin("A")
    game.play("A spend regular g1 t1", "A skill basic", "B pass", "A end")
    for name, rule in (
        ("cap", "ACT-15"), ("A:cap", "ACT-15"), ("B:u1", "ACT-15"), ("u1", "ACT-15"), ("t1 cap", "ACT-15"),
        ("ghost", "INF"), ("A:ghost", "INF"), ("nobody", "INF"), ("A:u1", "INF"), ("B:cap", "INF"), ("t1 ghost", "INF"),
        ("B:spook", "INF"), ("B:nobody", "INF"),
    ):  # fmt: skip
        game.refused(f"A resolve idle {name}", rule)


@pytest.mark.rule("INF", "ACT-19")
@editions(*ALL)
def test_what_a_hidden_trooper_hides_as_gives_nobody_a_delay(edition: str) -> None:
    for state in ("camouflaged", "prone"):
        game = Game(edition, army("cap lieutenant", "ghost hidden"), viewer="B")
        game.play(f"A state ghost {state}")
        game.begin("A")
        game.play("A spend own ghost", "A skill basic")
        game.refused("B delay u1", "ACT-19")
