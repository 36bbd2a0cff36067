"""LOL: Loss of Lieutenant, Chain of Command, who it is."""

from __future__ import annotations

import pytest

from rules.playing import ALL, CODEONE, FULL, Game, army, editions

ARMY = army(
    "cap lieutenant plus-1-order", "t1 t2", "wolf irregular", "bot type=REM", "old warhorse", "dog controller=t1",
    "ghost hidden",
)  # fmt: skip


def lost(edition: str, state: str = "unconscious") -> Game:
    """A game at A's order count, after the Lieutenant was put into `state`."""
    game = Game(edition, ARMY)
    game.play(f"B state A:cap {state}", "A start", "A next")
    return game


@pytest.mark.rule("LOL-01")
@editions(*FULL)
@pytest.mark.parametrize(
    "state", ["unconscious", "dead", "sepsitorized", "possessed", "disconnected", "isolated"]
)  # fmt: skip
def test_a_lieutenant_null_or_isolated_is_lost(edition: str, state: str) -> None:
    assert lost(edition, state).side("A")["loss_of_lieutenant"] is True


@pytest.mark.rule("LOL-01")
@editions(*FULL)
@pytest.mark.parametrize("state", ["stunned", "prone", "immobilized-a", "immobilized-b", "targeted", "camouflaged"])
def test_no_other_state_loses_it(edition: str, state: str) -> None:
    assert lost(edition, state).side("A")["loss_of_lieutenant"] is False


@pytest.mark.rule("LOL-01")
@editions(*FULL)
def test_a_lieutenant_not_deployed_is_lost(edition: str) -> None:
    game = Game(edition, army("cap lieutenant airborne", "t1 t2"))
    game.begin("A")
    assert game.side("A")["loss_of_lieutenant"] is True
    game.play("A spend own cap", "A skill long", "A arrive cap", "B pass", "A resolve", "A done")
    assert game.side("A")["loss_of_lieutenant"] is True, "not lifted in this turn"
    assert game.left("A", "lieutenant") == 0


@pytest.mark.rule("LOL-01")
@editions(*FULL)
def test_the_check_is_made_in_the_own_tactical_phase_only(edition: str) -> None:
    game = Game(edition, ARMY)
    game.begin("A")
    game.play("B state A:cap dead")
    assert game.side("A")["loss_of_lieutenant"] is False
    game.finish("A")
    game.begin("B")
    assert game.side("A")["loss_of_lieutenant"] is False
    game.finish("B")
    game.play("A start", "A next")
    assert game.side("A")["loss_of_lieutenant"] is True


@pytest.mark.rule("LOL-02")
@editions(*FULL)
def test_everyone_is_irregular_and_no_lieutenant_order_comes(edition: str) -> None:
    game = lost(edition)
    assert game.pools("A") == {1: 1}, "the Warhorse stays Regular"
    shown = {one["id"]: one["irregular"]["left"] for one in game.side("A")["troopers"]}
    assert shown == {"cap": 0, "t1": 1, "t2": 1, "wolf": 1, "bot": 1, "old": 0, "dog": 0}
    assert game.side("A")["lieutenant"]["total"] == 0


@pytest.mark.rule("LOL-03")
@editions(*FULL)
def test_a_new_lieutenant_is_named_at_the_end_of_that_turn(edition: str) -> None:
    game = lost(edition)
    tokens = game.side("A")["command_tokens"]
    game.refused("A lieutenant t1", "LOL-03")
    game.go_on("A", "states")
    game.refused("A next", "LOL-03")
    game.refused("B lieutenant u1", "SEQ-01")
    for name in ("wolf", "bot", "dog"):
        game.refused(f"A lieutenant {name}", "LOL-03")
    game.refused("A lieutenant cap", "STA-01")
    game.refused("A lieutenant nobody", "LOL-03")
    game.play("A lieutenant t1")
    assert game.side("A")["command_tokens"] == tokens, "free of charge"
    assert game.side("A")["loss_of_lieutenant"] is True, "nothing shows before the turn is over"
    game.refused("A lieutenant t2", "LOL-03")
    game.play("A next")
    assert game.side("A")["loss_of_lieutenant"] is False
    game.turn("B")
    game.begin("A")
    assert game.left("A", "lieutenant") == 1
    game.whole("A spend lieutenant t1")


@pytest.mark.rule("LOL-03")
@editions(*FULL)
def test_it_gets_the_bare_skill(edition: str) -> None:
    """Whatever its own line in the list says of +1 Order: that belongs to the Lieutenant of the list."""
    game = Game(edition, army("cap lieutenant", "t1 plus-1-order", "t2"))
    game.play("B state A:cap dead", "A start")
    game.go_on("A", "states")
    game.play("A lieutenant t1", "A next")
    game.turn("B")
    game.begin("A")
    assert game.left("A", "lieutenant") == 1


@pytest.mark.rule("LOL-03", "INF")
@editions(*FULL)
def test_it_is_named_in_secret(edition: str) -> None:
    game = Game(edition, ARMY, viewer="B")
    game.play("B state A:cap dead", "A start")
    game.go_on("A", "states")
    assert game.play("A lieutenant t2")["events"] == [], "not even that it was done"
    assert game.side("A")["lieutenant"]["trooper"] is None
    assert game.private("A")["lieutenant"] == "t2"


@pytest.mark.rule("LOL-03")
@editions(*FULL)
def test_the_turn_ends_where_nobody_may_be_named(edition: str) -> None:
    game = Game(edition, army("cap lieutenant", "wolf irregular", "bot type=REM"))
    game.play("B state A:cap dead", "A start")
    game.finish("A")
    game.turn("B")
    game.begin("A")
    assert game.side("A")["loss_of_lieutenant"] is True


@pytest.mark.rule("LOL-04")
@editions(*FULL)
@pytest.mark.parametrize("state", ["dead", "isolated"])
def test_chain_of_command(edition: str, state: str) -> None:
    """No Loss of Lieutenant at all, and the order is there, one without extras."""
    game = Game(edition, army("cap lieutenant", "heir chain-of-command plus-1-order", "t1"), viewer="B")
    game.play(f"B state A:cap {state}", "A start")
    events = game.play("A next")["events"]
    assert "lieutenant-changed" not in [event["type"] for event in events], "it works unseen"
    assert game.side("A")["loss_of_lieutenant"] is False
    assert game.side("A")["lieutenant"] == {"total": 1, "left": 1, "trooper": None}
    assert game.private("A")["lieutenant"] == "heir"
    game.go_on("A", "orders")
    game.whole("A spend lieutenant heir")


@pytest.mark.rule("LOL-04")
@editions(*FULL)
@pytest.mark.parametrize("why", ["hidden", "unconscious", "isolated", "the Lieutenant is not deployed"])
def test_no_chain_of_command(edition: str, why: str) -> None:
    """Its user must be on the table, neither Null nor Isolated, and the Lieutenant lost, not just absent."""
    absent = "airborne" if why.startswith("the") else ""
    hidden = "hidden" if why == "hidden" else ""
    game = Game(edition, army(f"cap lieutenant {absent}", f"heir chain-of-command {hidden}", "t1"))
    if not absent:
        game.play("B state A:cap dead")
    if why in ("unconscious", "isolated"):
        game.play(f"B state A:heir {why}")
    game.play("A start", "A next")
    assert game.side("A")["loss_of_lieutenant"] is True
    assert game.private("A")["lieutenant"] == "cap"


@pytest.mark.rule("LOL-05", "INF")
@editions(*ALL)
def test_who_the_lieutenant_is_stays_private_until_its_order_goes_to_it(edition: str) -> None:
    """Nothing public differs between two armies whose Lieutenants differ, until the order is spent on one."""
    nco = "" if edition in CODEONE else "nco"
    games = [
        Game(edition, army("t1 lieutenant", f"t2 {nco}", "t3"), viewer="B"),
        Game(edition, army("t1", f"t2 {nco}", "t3 lieutenant"), viewer="B"),
    ]
    lines = ["A start", "A next", "A next", "A next"] if edition not in CODEONE else ["A start", "A next"]
    if nco:
        lines += ["A spend lieutenant t2", "A skill basic", "B pass", "A end", "A resolve", "A done", "undo", "undo",
                  "undo", "undo", "undo", "undo"]  # fmt: skip
    for line in lines:
        first, second = (game.say(line) for game in games)
        assert first["ok"] and first == second | {"seat": first["seat"]}
    assert games[0].private("A")["lieutenant"] == "t1"
    for game, name in zip(games, ("t1", "t3"), strict=True):
        game.play("A spend lieutenant")
        assert game.side("A")["lieutenant"]["trooper"] == name


@pytest.mark.rule("LOL-05", "INF")
@editions(*ALL)
def test_a_refused_lieutenant_order_points_at_nobody(edition: str) -> None:
    """Said to others: not that the Lieutenant, unnamed, is out of action; nor that another is not the Lieutenant."""
    game = Game(edition, army("cap lieutenant", "t1 t2"), viewer="B")
    game.begin("A")
    game.play("B state A:cap unconscious", "B state A:t1 unconscious")
    for who in ("", " cap", " t1", " t2"):
        assert game.refused(f"A spend lieutenant{who}", "INF") == "The action was refused."


@pytest.mark.rule(*(f"LOL-{number:02}" for number in range(1, 5)), absent=True)
@editions(*CODEONE)
def test_no_loss_of_lieutenant_in_code_one(edition: str) -> None:
    """The Lieutenant order of a fallen Lieutenant is not there; all else goes on, and nobody succeeds it."""
    game = Game(edition, army("cap lieutenant", "heir chain-of-command", "t1"))
    game.play("B state A:cap dead")
    game.begin("A")
    assert game.side("A")["loss_of_lieutenant"] is False
    assert (game.pools("A"), game.left("A", "lieutenant")) == ({1: 2}, 0)
    assert game.private("A")["lieutenant"] == "cap"
    game.go_on("A", "states")
    game.refused("A lieutenant t1", "LOL-03")
    game.play("A next")
    assert game.public["to_start"] == "B"
