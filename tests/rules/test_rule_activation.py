"""ACT-01 to ACT-03, ACT-13 to ACT-18: what an order holds, and the steps it goes through."""

from __future__ import annotations

import pytest

from ordertray.rules import EDITIONS
from rules.playing import ALL, CODEONE, FULL, N4, Game, Json, army, editions

ARMY = army("cap lieutenant", "t1 t2 t3")

CODEONE_SHORT = {
    "BS Attack", "Carbonite", "CC Attack", "Doctor", "Dodge", "Engineer", "MediKit", "Place Deployable", "Reset",
    "Spotlight",
}  # fmt: skip
N4_SHORT = CODEONE_SHORT | {
    "Controlled Jump", "Deactivator", "Forward Observer", "GizmoKit", "Morpho-Scan", "Oblivion", "Sensor",
    "Total Control", "Trinity", "White Noise", "Zero Pain",
}  # fmt: skip
N4_LONG = {
    "Assisted Fire", "Berserk", "Cautious Movement", "Climb", "Combat Jump", "Cybermask", "Enhanced Reaction",
    "Fairy Dust", "Intuitive Attack", "Jump", "Parachutist", "Sapper", "Speculative Attack", "Suppressive Fire",
    "Triangulated Fire",
}  # fmt: skip
BASIC = {"Discover", "Idle", "Move"}
CHARTS = {
    "codeone": {"basic": BASIC, "short": CODEONE_SHORT, "long": {"Climb", "Combat Jump", "Jump", "Parachutist"}},
    "n4": {"basic": BASIC, "short": N4_SHORT, "long": N4_LONG},
    "n5": {"basic": BASIC, "short": N4_SHORT | {"Activate Disco Ball", "Reload"}, "long": N4_LONG},
}


def chart(edition: str) -> dict[str, set[str]]:
    """The chart of rules.md, written down once more: labels and the names that carry them."""
    return CHARTS[edition.removesuffix("-2020")]


def spent(edition: str) -> Game:
    """A game in which A has just spent an order on t1."""
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("A spend regular g1 t1")
    return game


@pytest.mark.rule("ACT-01")
@editions(*ALL)
def test_the_labels_of_the_chart(edition: str) -> None:
    """Every named skill carries its label, whoever types it however; a wrong label is refused with the right one."""
    game = spent(edition)
    for label, names in chart(edition).items():
        for name in sorted(names):
            wrong = "long" if label == "short" else "short"
            game.refused(f'A skill {wrong} "{name}"', "ACT-01")
            game.play(f'A skill "{name.lower()}"')
            assert game.order["skills"] == [{"label": label, "name": name}]
            game.play("undo")
    known = {skill.name for skill in EDITIONS[edition].chart.values() if skill.label is not None}
    assert known == set().union(*chart(edition).values())


@pytest.mark.rule("ACT-01")
@pytest.mark.parametrize(
    ("edition", "names"),
    [("n5", ("Basic Short Skill", "Short Skill", "Long Skill"))]
    + [(edition, ("Short Movement Skill", "Short Skill", "Entire Order Skill")) for edition in (*N4, *CODEONE)],
)
def test_each_edition_has_its_own_names_for_the_labels(edition: str, names: tuple[str, str, str]) -> None:
    game = spent(edition)
    assert game.refused('A skill short "Move"', "ACT-01") == f"Move is a {names[0]}."
    assert game.refused('A skill long "Dodge"', "ACT-01") == f"Dodge is a {names[1]}."
    assert game.refused('A skill basic "Jump"', "ACT-01") == f"Jump is a {names[2]}."


@pytest.mark.rule("ACT-01")
@editions(*ALL)
def test_a_name_outside_the_chart_needs_its_label(edition: str) -> None:
    game = spent(edition)
    game.refused('A skill "Dance"', "ACT-01")
    game.play('A skill basic "Dance"')
    if edition in FULL:
        game.play("undo")
        game.refused('A skill "Look Out!"', "ACT-01")


SEQUENCES = ["basic basic", "basic short", "short basic", "short short", "basic long", "short long", "long basic"]
LEGAL = {
    "n5": {"basic basic", "basic short"},
    "n4": {"basic basic", "basic short", "short basic"},
    "n4-2020": {"basic basic", "basic short", "short basic"},
    "codeone": {"basic basic", "basic short", "short basic"},
    "codeone-2020": {"basic basic", "basic short", "short basic"},
}


@pytest.mark.rule("ACT-02")
@editions(*ALL)
def test_what_one_order_may_hold(edition: str) -> None:
    """The sources: a long skill alone, two basic ones, or a basic and a short one. In N5 the basic one comes first."""
    for pair in SEQUENCES:
        first, second = pair.split()
        game = spent(edition)
        game.play(f"A skill {first}", "B pass")
        if pair in LEGAL[edition]:
            game.play(f"A skill {second}")
            assert [skill["label"] for skill in game.order["skills"]] == [first, second]
        else:
            game.refused(f"A skill {second}", "ACT-02")


@pytest.mark.rule("ACT-02")
@editions(*ALL)
@pytest.mark.parametrize("label", ["basic", "short", "long"])
def test_any_skill_alone_is_an_order(edition: str, label: str) -> None:
    game = spent(edition)
    game.play(f"A skill {label}", "B pass")
    if label != "long":
        game.play("A end")
    game.play("A resolve", "A done")
    assert game.public["order"] is None


@pytest.mark.rule("ACT-02")
@editions(*ALL)
def test_never_a_third_skill(edition: str) -> None:
    game = spent(edition)
    game.play("A skill basic", "B pass", "A skill basic")
    game.refused("A skill basic", "ACT-02")
    game.play("B pass")
    game.refused("A skill basic", "ACT-02")
    game.play("A resolve")
    game.refused("A skill basic", "ACT-02")


@pytest.mark.rule("ACT-02")
@editions(*ALL)
def test_what_an_order_can_never_hold_is_not_called_early(edition: str) -> None:
    """With the window still open: a pair that is no order is refused for that, a legal one only for the moment."""
    for pair in SEQUENCES:
        first, second = pair.split()
        game = spent(edition)
        game.play(f"A skill {first}")
        game.refused(f"A skill {second}", game.edition.sequence.rule if pair in LEGAL[edition] else "ACT-02")
    game = spent(edition)
    game.play("A skill basic", "B pass", "A end")
    game.refused("A skill basic", game.edition.sequence.rule)


@pytest.mark.rule("ACT-02")
@editions(*ALL)
def test_a_named_skill_twice_is_judged_by_its_label(edition: str) -> None:
    """The source: short movement skills may be declared twice, short skills may not."""
    game = spent(edition)
    game.play('A skill "Move"', "B pass", 'A skill "Move"')
    game = spent(edition)
    game.play('A skill "Dodge"', "B pass")
    game.refused('A skill "Dodge"', "ACT-02")


@pytest.mark.rule("ACT-03")
@editions(*ALL)
def test_skills_and_aros_are_resolved_together(edition: str) -> None:
    """The sources: both skills and all reactions happen at once, so nothing is resolved before all is declared.

    A trooper that is recorded as fallen early has still declared what it declared.
    """
    game = spent(edition)
    rule = game.edition.sequence.rule
    game.play("A skill basic", 'B aro u1 "BS Attack"')
    game.refused("A resolve", rule)
    game.play("A state B:u1 unconscious", "B state A:t1 unconscious", "B pass")
    game.refused("A done", rule)
    game.play("A skill short", "B aro u2", "B pass", "A resolve")
    assert [skill["label"] for skill in game.order["skills"]] == ["basic", "short"]
    assert [aro["trooper"] for aro in game.order["aro"]["declared"]] == ["u1", "u2"]
    game.play("A done")


@pytest.mark.rule("ACT-13")
@editions("n5", "n4", "codeone")
def test_the_steps_of_an_order(edition: str) -> None:
    """1.1 spent, 1.2 first skill, 2.2 AROs, 3 second skill, 4.2 AROs, 5 resolution, 5.2 conclusion."""
    game = spent(edition)
    steps = [game.step()]
    for line in ("A skill basic", "B pass", "A skill basic", "B pass", "A resolve"):
        game.play(line)
        steps.append(game.step())
    assert steps == ["1.2", "2.2", "3", "4.2", "5", "5.2"]
    game.play("A done")
    assert game.public["order"] is None


@pytest.mark.rule("ACT-13", absent=True)
@editions("n4-2020")
@pytest.mark.rule("ACT-14")
def test_the_original_steps_with_their_validity_check(edition: str) -> None:
    """An ARO whose condition never held becomes Idle at step 5; `resolve` at once means that none did."""
    game = spent(edition)
    steps = [game.step()]
    for line in ("A skill basic", "B aro u1", "B pass", "A skill basic", "B pass"):
        game.play(line)
        steps.append(game.step())
    game.refused("A check idle t1", "ACT-15")
    game.refused("A done", "ACT-14")
    game.play("A check idle u1")
    steps.append(game.step())
    assert game.order["idle"] == ["B:u1"]
    game.refused("A check", "ACT-14")
    game.play("A resolve")
    steps.append(game.step())
    assert steps == ["1.2", "2", "2", "3", "4", "5", "6", "6.2"]
    game.play("A done")
    game.play("A spend regular g1 t2", "A skill long", "B pass")
    assert game.step() == "5"
    game.play("A resolve")
    assert game.step() == "6.2"


@pytest.mark.rule("ACT-13", absent=True)
@editions("codeone-2020")
@pytest.mark.rule("ACT-14")
def test_the_original_steps_of_code_one(edition: str) -> None:
    game = spent(edition)
    steps = [game.step()]
    for line in ("A skill basic", "B pass", "A skill basic", "B pass", "A resolve"):
        game.play(line)
        steps.append(game.step())
    assert steps == ["1.2", "2", "3", "4", "5", "5.2"]
    game.refused("A check", "ACT-14")
    game.play("A done")


@pytest.mark.rule("ACT-14", absent=True)
@editions("n5", "n4", "codeone")
def test_no_validity_check_since_1_1_1(edition: str) -> None:
    game = spent(edition)
    game.play("A skill long", "B aro u1", "B pass")
    game.refused("A check idle u1", "ACT-14")
    assert game.step() == "5"


@pytest.mark.rule("ACT-13")
@editions("n5", "n4", "codeone")
def test_no_step_is_skipped_and_none_comes_twice(edition: str) -> None:
    refused_at_each(edition, "ACT-13")


@pytest.mark.rule("ACT-14")
@editions("n4-2020", "codeone-2020")
def test_no_original_step_is_skipped_and_none_comes_twice(edition: str) -> None:
    refused_at_each(edition, "ACT-14")


def refused_at_each(edition: str, rule: str) -> None:
    """Walk through a whole order; at each step everything of the sequence but the next line is refused."""
    game = Game(edition, ARMY)
    game.begin("A")
    # each line, and what of A's own is legal beside it at that step
    walk = (
        ("A spend regular g1 t1", ()),
        ("A skill basic", ()),
        ("B pass", ()),
        ("A skill short", ("A end",)),
        ("B pass", ()),
        ("A resolve", ("A check",)),
        ("A done", ()),
    )
    own = ("A spend regular g1 t2", "A spend lieutenant", "A skill basic", "A end", "A resolve", "A done", "A next")
    for line, beside in walk:
        begun = not line.startswith("A spend")
        for other in own:
            if other == line or other in beside or other.split()[:2] == line.split()[:2]:
                continue
            if not begun and other.startswith(("A spend", "A next")):
                continue
            full = game.public["order"] is not None and len(game.order["skills"]) == 2
            game.refused(other, "ACT-02" if full and other == "A skill basic" else rule)
        if not line.startswith("B"):
            game.refused("B pass", "ACT-05")
            game.refused("B aro u1", "ACT-05")
        game.play(line)
    assert game.public["order"] is None


@pytest.mark.rule("ACT-15")
@editions(*ALL)
def test_unmet_requirements_make_an_idle(edition: str) -> None:
    """The source: it has still given AROs; the order is not given back, nor is a disposable weapon."""
    game = spent(edition)
    before = game.pools("A")
    game.play('A skill "Move"', 'B aro u1 "BS Attack"', "B pass", 'A skill "BS Attack"', "B pass")
    game.refused("A resolve idle t2", "ACT-15")
    game.refused("A resolve idle u2", "ACT-15")
    game.play("A resolve idle t1 B:u1")
    assert game.order["idle"] == ["A:t1", "B:u1"]
    assert len(game.order["aro"]["declared"]) == 1
    assert [skill["name"] for skill in game.order["skills"]] == ["Move", "BS Attack"]
    game.play("A done")
    assert game.pools("A") == before


@pytest.mark.rule("ACT-16")
@editions(*ALL)
def test_choices_are_stated_when_declaring(edition: str) -> None:
    """Skill, reaction and target stand as declared; nothing may change them later. Only positions come later."""
    game = spent(edition)
    game.play('A skill "Move"', 'B aro u1 "BS Attack" > t1 by lof', "B pass")
    declared = [{"trooper": "u1", "name": "BS Attack", "target": "t1", "by": "lof"}]
    assert game.order["aro"]["declared"] == declared
    game.play('A skill "Move"')
    game.refused('B aro u1 "Dodge" > t1', "ACT-07")
    game.play("B pass")
    game.refused('A skill "BS Attack"', "ACT-02")
    assert game.order["aro"]["declared"] == declared
    assert game.order["skills"] == [{"label": "basic", "name": "Move"}] * 2


@pytest.mark.rule("ACT-17")
@editions(*ALL)
def test_aros_are_kept_in_the_order_of_declaring(edition: str) -> None:
    """Who declares first is the active player's to say; the tray takes them in any order and keeps that order."""
    for order in (("u1", "u2", "u3"), ("u3", "u1", "u2")):
        game = spent(edition)
        game.play("A skill basic", *(f"B aro {name}" for name in order))
        assert tuple(aro["trooper"] for aro in game.order["aro"]["declared"]) == order


@pytest.mark.rule("ACT-18")
@editions(*ALL)
def test_the_order_is_spent_before_the_first_skill(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("A spend regular g1 t1")
    assert game.pools("A") == {1: 3}
    game.refused("A done", game.edition.sequence.rule)
    game.play("A skill basic")
    game.refused("A skill short", game.edition.sequence.rule)


@pytest.mark.rule("ACT-18")
@editions(*ALL)
def test_undo_takes_back_a_mis_tap_and_both_see_it(edition: str) -> None:
    game = Game(edition, ARMY, viewer="B")
    game.begin("A")
    before = game.public
    position = game.say("show")["position"]
    game.play("A spend regular g1 t1", "A skill basic")
    answer = game.play("undo", "undo")
    assert [event["type"] for event in answer["events"]] == ["undone"]
    assert answer["position"] == position + 4, "the number goes up, so that a late press is stale"
    assert game.public == before
    game.refused(f"@{position} A spend regular g1 t1", "STALE")


def undone(answer: Json) -> tuple[object, object]:
    """Who took back what, of the one event of an undo."""
    (event,) = answer["events"]
    assert event["type"] == "undone"
    return event["by"], event["action"]


@pytest.mark.rule("ACT-20")
@editions(*ALL)
def test_undo_says_who_took_back_what(edition: str) -> None:
    """Of one's own; what the other side did, only with its consent: `undo` alone."""
    for viewer in (None, "A", "B"):
        game = Game(edition, ARMY, viewer=viewer)
        game.begin("A")
        game.play("A spend regular g1 t1", "A skill basic", "B pass u1")
        game.refused("A undo", "ACT-20")
        assert undone(game.play("undo")) == (None, "B pass u1")
        game.refused("B undo", "ACT-20")
        assert undone(game.play("A undo")) == ("A", "A skill basic")
        assert undone(game.play("A undo")) == ("A", "A spend regular g1 t1")
        game.play("B state A:t1 prone")
        game.refused("A undo", "ACT-20")
        assert undone(game.play("B undo")) == ("B", "B state A:t1 prone")


@pytest.mark.rule("ACT-20", "INF")
@editions(*ALL)
def test_what_was_secret_stays_so_when_it_is_taken_back(edition: str) -> None:
    hidden = army("cap lieutenant", "t1", "ghost hidden")
    told = {}
    for viewer in (None, "A", "B"):
        game = Game(edition, hidden, viewer=viewer)
        game.play("A start", "A state ghost prone")
        told[viewer] = undone(game.play("A undo"))
    secret = ("A", None)
    assert told == {None: secret, "A": ("A", "A state ghost prone"), "B": secret}
    game = Game(edition, hidden, viewer="B")
    game.play("B state A:t1 dead", "A start", "A state ghost prone")
    assert "ghost" not in str(game.say("B undo")), "a refusal tells nothing of it either"


@pytest.mark.rule("ACT-18")
@editions(*ALL)
def test_undo_of_nothing_is_refused(edition: str) -> None:
    game = Game(edition, ARMY)
    game.refused("undo", "ACT-18")
    game.play("A start", "undo")
    game.refused("undo", "ACT-18")


KINDS = (
    "regular g1 t1",
    "lieutenant",
    "lieutenant sarge",
    "irregular wolf",
    "tactical ace",
    "own ghost",
    "impetuous wolf",
)


@pytest.mark.rule("ACT-13")
@editions("n5", "n4")
@pytest.mark.parametrize("kind", KINDS)
def test_an_order_of_whatever_kind_goes_the_same_way(edition: str, kind: str) -> None:
    """The source: each time an order of any type is spent, these steps follow, reactions included."""
    same_way(edition, kind)


@pytest.mark.rule("ACT-14")
@editions("n4-2020")
@pytest.mark.parametrize("kind", KINDS)
def test_an_order_of_whatever_kind_went_the_same_way(edition: str, kind: str) -> None:
    same_way(edition, kind)


def same_way(edition: str, kind: str) -> None:
    """Spend an order of a kind and walk through all its steps."""
    game = Game(edition, army("cap lieutenant", "t1", "sarge nco", "wolf irregular impetuous", "ace tactical-awareness",
                              "ghost hidden"))  # fmt: skip
    game.play("A start")
    game.go_on("A", "impetuous" if kind.startswith("impetuous") else "orders")
    if edition != "n5" and kind.startswith("tactical"):
        kind = "irregular ace"  # what Tactical Awareness gives there
    game.play(f"A spend {kind}")
    steps = [game.step()]
    for line in ("A skill basic", "B aro u1", "B pass", "A skill short", "B aro u2", "B pass", "A resolve"):
        game.play(line)
        steps.append(game.step())
    known = game.edition.sequence
    assert steps == [
        known.first_skill, known.first_aro, known.first_aro, known.second_skill, known.second_aro, known.second_aro,
        known.validity or known.resolution, known.conclusion,
    ]  # fmt: skip
    game.play("A done")
