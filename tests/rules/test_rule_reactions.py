"""ACT-04 to ACT-12: AROs."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, FULL, Game, army, editions

ARMY = army("cap lieutenant", "t1", "dog controller=t1", "t2 t3")
ENEMIES = army("boss lieutenant", "u1..u4", "ghost hidden")

CODEONE_AROS = {"BS Attack", "Carbonite", "CC Attack", "Discover", "Dodge", "Place Deployable", "Reset", "Spotlight"}
N4_AROS = CODEONE_AROS | {
    "Controlled Jump", "Forward Observer", "Look Out!", "Oblivion", "Total Control", "Trinity", "Zero Pain",
}  # fmt: skip
N5_AROS = N4_AROS | {"Reload"}


def window(edition: str, trooper: str = "t2") -> Game:
    """A game in which the first ARO window against `trooper` is open."""
    game = Game(edition, ARMY, ENEMIES)
    game.begin("A")
    game.play(f"A spend regular g1 {trooper}", "A skill basic")
    return game


def reacted(game: Game) -> list[str | None]:
    """Who has reacted to the order in progress."""
    return [aro["trooper"] for aro in game.order["aro"]["declared"]]


@pytest.mark.rule("ACT-04")
@editions(*ALL)
def test_why_a_trooper_may_react(edition: str) -> None:
    """The source: Line of Fire, Zone of Control, what needs neither, a template that hits it, a comms attack."""
    game = window(edition)
    for name, reason in zip(
        ("u1", "u2", "u3", "u4", "boss"), ("lof", "zoc", "special", "template", "comms"), strict=True
    ):
        game.play(f"B aro {name} by {reason}")
    assert [aro["by"] for aro in game.order["aro"]["declared"]] == ["lof", "zoc", "special", "template", "comms"]


@pytest.mark.rule("ACT-04")
@pytest.mark.parametrize(
    ("edition", "known"), [("n5", True), ("n4", True), ("n4-2020", False), *((edition, False) for edition in CODEONE)]
)
def test_the_hacking_area_is_a_reason_since_the_later_n4(edition: str, known: bool) -> None:
    game = window(edition)
    if known:
        game.play("B aro u1 by hacking")
    else:
        assert "Hacking Area" in game.refused("B aro u1 by hacking", "ACT-04")


@pytest.mark.rule("ACT-04")
@editions(*ALL)
def test_only_troopers_that_are_there_react(edition: str) -> None:
    game = window(edition)
    game.play("A state B:u1 unconscious", "A state B:u2 dead", "A state B:u3 disconnected")
    for name in ("u1", "u2", "u3"):
        game.refused(f"B aro {name}", "STA-01")
    game.refused("B aro t1", "ACT-04")
    game.refused("B aro nobody", "ACT-04")
    game.play("B arrive ghost", "B aro ghost")
    assert reacted(game) == ["ghost"]


@pytest.mark.rule("ACT-04", "ACT-05")
@editions(*ALL)
def test_models_and_markers_may_react_and_none_must(edition: str) -> None:
    """The source: markers react too; and nobody is forced to."""
    game = window(edition)
    game.play("B state u1 camouflaged", 'B aro u1 "BS Attack"', "B pass", "A skill basic", "B pass", "A resolve")
    assert reacted(game) == ["u1"]
    game.play("A done", "A spend regular g1 t2", "A skill basic", "B pass", "A skill basic", "B pass", "A resolve")
    assert reacted(game) == []


@pytest.mark.rule("ACT-05")
@editions(*ALL)
def test_the_window_opens_at_once_and_who_does_not_use_it_has_lost_it(edition: str) -> None:
    game = window(edition)
    assert (game.order["aro"]["open"], game.order["aro"]["window"]) == (True, 1)
    game.play("B pass u1 u2")
    assert game.order["aro"]["passed"] == ["u1", "u2"]
    game.refused("B aro u1", "ACT-05")
    game.refused("B pass u1", "ACT-05")
    game.refused("B pass u3 u3", "ACT-05")
    game.play("B aro u3", "B pass")
    assert game.order["aro"]["open"] is False
    game.refused("B aro u4", "ACT-05")


@pytest.mark.rule("ACT-05")
@editions(*ALL)
def test_a_long_skill_opens_the_one_window_there_is(edition: str) -> None:
    game = Game(edition, ARMY, ENEMIES)
    game.begin("A")
    game.play("A spend regular g1 t2", "A skill long", "B aro u1", "B pass all")
    game.refused("B aro u2", "ACT-05")
    game.play("A resolve", "A done")


@pytest.mark.rule("ACT-05")
@editions(*ALL)
def test_pass_all_is_for_all_that_are_to_be_seen(edition: str) -> None:
    """A hidden trooper is not among those passed, or its being there would show; it may still appear and react."""
    game = window(edition)
    game.play("B aro u1", "B pass all")
    assert game.order["aro"]["passed"] == ["boss", "u2", "u3", "u4"]
    game.play("A skill basic")
    game.refused("B aro u2", "ACT-06")
    game.play("B arrive ghost", "B aro ghost")


@pytest.mark.rule("ACT-06")
@editions(*ALL)
def test_after_the_second_skill_only_who_could_not_before(edition: str) -> None:
    game = window(edition)
    game.play("B aro u1", "B pass u2", "B pass", "A skill short")
    assert game.order["aro"]["window"] == 2
    game.refused("B aro u2", "ACT-06")
    game.refused("B pass u2", "ACT-06")
    game.refused("B aro u1", "ACT-07")
    game.play("B aro u3", "B pass u4")
    game.refused("B aro u4", "ACT-05")
    assert reacted(game) == ["u1", "u3"]


@pytest.mark.rule("ACT-07")
@editions(*ALL)
def test_one_aro_per_trooper_per_order(edition: str) -> None:
    game = window(edition)
    game.play('B aro u1 "Dodge"')
    game.refused('B aro u1 "BS Attack"', "ACT-07")
    game.refused("B pass u1", "ACT-07")
    game.play("B pass", "A skill basic")
    game.refused("B aro u1", "ACT-07")
    game.play("B pass", "A resolve", "A done", "A spend regular g1 t2", "A skill basic", "B aro u1")


@pytest.mark.rule("ACT-07")
@editions(*ALL)
def test_unnamed_reactions_are_no_more_than_there_are_troopers(edition: str) -> None:
    """Tables without trooper tags: five may react, named or not, over both windows, and the sixth is refused."""
    game = window(edition)
    game.play("B aro", "B aro u1", "B aro", "B pass", "A skill basic", "B aro", "B aro")
    game.refused("B aro", "ACT-07")
    game.refused("B aro u2", "ACT-07")
    assert len(game.order["aro"]["declared"]) == 5


@pytest.mark.rule("ACT-08")
@editions(*ALL)
def test_an_aro_names_one_of_the_activated_troopers(edition: str) -> None:
    """The source: when controller and peripheral act, each reaction is against one of them."""
    game = window(edition, "t1")
    game.refused("B aro u1", "ACT-08")
    game.refused("B aro u1 > t2", "ACT-08")
    game.refused("B aro u1 > u2", "ACT-08")
    game.play("B aro u1 > dog", "B aro u2 > A:t1")
    assert [aro["target"] for aro in game.order["aro"]["declared"]] == ["dog", "t1"]
    game = window(edition, "t2")
    game.play("B aro u1")
    assert game.order["aro"]["declared"][0]["target"] == "t2", "there is but one"


@pytest.mark.rule("ACT-08")
@editions(*FULL)
def test_reactors_to_a_coordinated_order_pick_one_target_each(edition: str) -> None:
    game = Game(edition, ARMY, ENEMIES)
    game.begin("A")
    game.play("A token coordinate g1 t2 t3", "A skill basic")
    game.refused("B aro u1", "ACT-08")
    game.refused("B aro u1 > cap", "ACT-08")
    game.play("B aro u1 > t2", "B aro u2 > t3", "B aro u3 > t3")


@pytest.mark.rule("ACT-09")
@editions(*ALL)
def test_only_the_reactive_player_reacts_and_nobody_to_an_aro(edition: str) -> None:
    game = window(edition)
    game.refused("A aro t3", "ACT-09")
    game.refused("A pass", "ACT-09")
    game.play('B aro u1 "BS Attack"')
    game.refused("A aro t3 > u1", "ACT-09")
    game.play("B pass")
    assert game.step() == game.edition.sequence.second_skill, "an ARO opens no window of its own"
    game.refused("A aro t3", "ACT-09")


@pytest.mark.rule("ACT-10")
@editions(*ALL)
def test_any_number_of_troopers_react_to_one_activation(edition: str) -> None:
    many = army("boss lieutenant", "u1..u9")
    game = Game(edition, ARMY, many)
    game.begin("A")
    game.play("A spend regular g1 t2", "A skill basic", "B aro boss", *(f"B aro u{number}" for number in range(1, 10)))
    assert len(game.order["aro"]["declared"]) == 10


@pytest.mark.rule("ACT-11")
@pytest.mark.parametrize(
    ("edition", "aros"),
    [("n5", N5_AROS), ("n4", N4_AROS), ("n4-2020", N4_AROS), *((edition, CODEONE_AROS) for edition in CODEONE)],
)
def test_only_skills_marked_for_it_in_aro(edition: str, aros: set[str]) -> None:
    """Every skill of every edition's chart: those of this edition marked ARO are taken, all others refused."""
    from ordertray.rules import EDITIONS

    game = window(edition)
    everything = {skill.name for known in EDITIONS.values() for skill in known.chart.values()}
    assert aros < everything
    for name in sorted(everything):
        if name in aros:
            game.play(f'B aro u1 "{name.upper()}"')
            assert game.order["aro"]["declared"][0]["name"] == name
            game.play("undo")
        else:
            game.refused(f'B aro u1 "{name}"', "ACT-11")


@pytest.mark.rule("ACT-12")
@editions(*ALL)
def test_burst_one_against_one_target(edition: str) -> None:
    """The source: reactions have burst 1 and even a higher one would not be split among targets."""
    game = window(edition, "t1")
    assert "error" in game.say('B aro u1 "BS Attack" > t1 > dog')
    assert "error" in game.say('B aro u1 "BS Attack" > t1 dog')
    game.play('B aro u1 "BS Attack" > t1')
    assert [aro["target"] for aro in game.order["aro"]["declared"]] == ["t1"]
    assert "burst" not in str(game.public), "how many shots a trooper has, is not for the tray to say"
    game.refused('B aro u1 "BS Attack" > dog', "ACT-07")
