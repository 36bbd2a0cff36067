"""INF: markers, public as `marker N` until they are revealed."""

from __future__ import annotations

import json

import pytest

from rules.playing import ALL, FULL, Game, Json, army, editions

MARKED = army("cap lieutenant", "t1", "fox marker nco", "ghost hidden", "owl marker", "bot controller=fox")
ENEMY = army("boss lieutenant", "u1", "imp marker")


def seen(game: Game) -> str:
    """All that is public, as text."""
    return json.dumps(game.public)


@pytest.mark.rule("INF")
@editions(*ALL)
def test_a_marker_gives_its_order_and_is_called_by_its_number(edition: str) -> None:
    """Numbered in the order of the list, hidden troopers not counted in."""
    for viewer in (None, "B"):
        game = Game(edition, MARKED, ENEMY, viewer=viewer)
        game.begin("A")
        assert game.pools("A") == {1: 4}
        names = [trooper["id"] for trooper in game.side("A")["troopers"]]
        assert names == ["cap", "t1", "marker-1", "marker-2", "bot"]
        assert game.trooper("A", "bot")["controller"] == "marker-1"
        assert "fox" not in seen(game) and "owl" not in seen(game)
    own = {trooper["id"]: trooper["marker"] for trooper in game.private("A")["troopers"]}
    assert own == {"cap": None, "t1": None, "fox": "marker-1", "ghost": None, "owl": "marker-2", "bot": None}


@pytest.mark.rule("INF")
@editions(*ALL)
def test_what_a_marker_does_is_told_by_its_number(edition: str) -> None:
    game = Game(edition, MARKED, ENEMY, viewer="B")
    game.begin("A")
    told = [game.play("A spend regular g1 fox"), game.play('A skill "Move"')]
    assert game.order["troopers"] == ["marker-1", "bot"]
    game.refused('B aro u1 "BS Attack" > fox', "ACT-08")
    told += [game.play('B aro u1 "BS Attack" > marker-1'), game.play('B aro imp "Dodge" > bot')]
    told += [game.play("B state A:marker-1 prone"), game.play("A state fox stunned")]
    for line in ("B state A:fox dead", "B clear A:fox prone"):
        game.refused(line, "STA-05")
    told += [game.play("B pass"), game.play("A end"), game.play("A resolve idle fox imp"), game.play("A done")]
    told += [game.play("undo"), game.play("A done"), game.play("A spend regular g1 marker-2")]
    assert "fox" not in str(told) and "owl" not in str(told)
    assert game.trooper("A", "marker-1")["states"] == ["prone", "stunned"]
    assert game.order["troopers"] == ["marker-2"], "its owner may call it so too"
    owner = Game(edition, MARKED, ENEMY, viewer="A")
    owner.begin("A")
    owner.play("A spend regular g1 fox", "A skill basic")
    assert owner.play("B aro imp > bot")["events"][0]["trooper"] == "marker-1"
    assert owner.play("B undo")["events"][0]["action"] == "B aro marker-1 > bot"


@pytest.mark.rule("INF")
@editions(*ALL)
def test_revealed_it_has_its_name_and_numbers_never_change(edition: str) -> None:
    game = Game(edition, MARKED, ENEMY, viewer="B")
    game.begin("A")
    game.refused("B reveal fox", "INF")
    (event,) = game.play("A reveal fox")["events"]
    assert (event["type"], event["trooper"], event["marker"]) == ("revealed", "fox", "marker-1")
    assert [t["id"] for t in game.side("A")["troopers"]] == ["cap", "t1", "fox", "marker-2", "bot"]
    assert game.trooper("A", "bot")["controller"] == "fox"
    game.refused("A reveal t1", "INF")
    game.play("B state A:fox dead", "undo", "A reveal owl", "undo")
    assert game.trooper("A", "marker-2")["place"] == "table"


@pytest.mark.rule("INF")
@editions(*FULL)
def test_a_refusal_tells_nothing_of_a_marker(edition: str) -> None:
    """What it is not, skill by skill, would tell what it is."""
    game = Game(edition, MARKED, ENEMY, viewer="B")
    game.begin("A")
    for line in (
        "A spend lieutenant owl",
        "A spend irregular fox",
        "A token convert owl",
        "A frenzy fox",
        "A team form fox",
    ):
        game.refused(line, "INF")
    owner = Game(edition, MARKED, ENEMY, viewer="A")
    owner.begin("A")
    assert "owl" in owner.refused("A token convert owl", "CMD-04")


@pytest.mark.rule("INF", "LOL-05")
@editions(*ALL)
def test_a_marker_that_is_the_lieutenant(edition: str) -> None:
    game = Game(edition, army("cap lieutenant marker", "t1"), ENEMY, viewer="B")
    game.begin("A")
    game.play("A spend lieutenant cap")
    assert game.side("A")["lieutenant"]["trooper"] == "marker-1"
    game.play("A reveal cap")
    assert game.side("A")["lieutenant"]["trooper"] == "cap"


@pytest.mark.rule("INF", "RET-10")
@editions(*FULL)
def test_whether_a_marker_is_brave_is_not_to_be_seen(edition: str) -> None:
    shown: list[Json] = []
    for skill in ("courage", ""):
        game = Game(edition, army("cap lieutenant cost=5", f"fox marker {skill} cost=5", "rest cost=90"), viewer="B")
        game.play("B state A:rest dead")
        game.begin("A")
        assert game.side("A")["retreat"]
        shown.append(game.trooper("A", "marker-1"))
    assert shown[0] == shown[1]


@pytest.mark.rule("ACT-19", "INF")
@editions(*ALL)
def test_reactors_wait_for_a_marker_of_the_roster(edition: str) -> None:
    game = Game(edition, MARKED, ENEMY, viewer="B")
    game.begin("A")
    game.play("A spend regular g1 fox", 'A skill "Move"')
    (event,) = game.play("B delay u1")["events"]
    assert event["markers"] == ["marker-1"]
    game.play("B pass", 'A skill "BS Attack"')
    game.refused("B aro u1 > marker-1", "ACT-19")
    game.play("A reveal fox", "B aro u1 > fox")
