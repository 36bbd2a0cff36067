"""The guide: what glows is accepted, and pressing only what glows brings every game to its end."""

from __future__ import annotations

import os
import random

import pytest

from ordertray.messages import identity
from ordertray.rules import EDITIONS, Army, Options, Seat, Trooper, is_legal, legal_actions, public_view
from ordertray.rules.actions import Action, Arrive, Reinforce, TeamUse
from ordertray.table import Pace, TagTap, act, touch
from ordertray.table.beside import discs_of, name_of, uid_of
from ordertray.table.guide import Glow, glows, hint_of, names_lieutenant
from ordertray.tokens.model import TokenKind
from table.table_helpers import IRREGULAR, NCO, Players, army, players

A, B = Seat

#: Games for each edition and pace; ORDERTRAY_THOROUGH=n makes it n.
GAMES = int(os.environ.get("ORDERTRAY_THOROUGH", "2"))


def mixed(prefix: str, edition: str) -> Army:
    """An army with everything that has its own phase or order, as far as the edition has it."""
    if edition.startswith("codeone"):
        return Army(prefix, 100, tuple(Trooper(f"{prefix}{n}", cost=10, lieutenant=n == 1) for n in range(1, 6)))
    extra = (
        Trooper(f"{prefix}wild", cost=10, group=1, training="irregular"),
        Trooper(f"{prefix}rush", cost=10, group=2, skills=frozenset({"impetuous"})),
        Trooper(f"{prefix}aware", cost=10, group=1, skills=frozenset({"tactical-awareness"})),
        Trooper(f"{prefix}camo", cost=10, group=1, deploy="marker", skills=frozenset({"tactical-awareness"})),
        Trooper(f"{prefix}rem", cost=10, group=2, type="REM"),
        Trooper(f"{prefix}veil", cost=5, group=1, deploy="hidden"),
        Trooper(f"{prefix}air", cost=5, group=2, deploy="airborne"),
    )
    return army(*extra, regulars=3, second=1, prefix=prefix, edition=edition)


def hurt(game: Players, chance: random.Random) -> None:
    """Somebody falls, gets well, or is Isolated: the rare phases come of that."""
    owner = chance.choice([A, B])
    there = public_view(game.game)["seats"][str(owner)]["troopers"]
    standing = [t["id"] for t in there if not t["states"] or chance.random() < 0.1]
    if not standing:
        return
    lieutenant = game.game.side(owner).lieutenant
    ids = [trooper.id for trooper in game.game.army(owner).troopers]
    if not game.game.army(owner).index.keys() & set(standing):
        return
    trooper = ids[lieutenant] if lieutenant is not None and chance.random() < 0.4 else chance.choice(standing)
    if trooper in standing and trooper in ids:
        game.tap(owner, TokenKind.STATE)
        game.tag(owner, trooper)


def press(game: Players, glow: Glow, chance: random.Random, reader: Seat | None) -> bool:
    """Do what glows: an order button, or the disc beside the tray. False where everybody's page cannot know better."""
    if glow.disc and chance.random() < 0.5:
        uid = uid_of(game.table, glow.seat, glow.disc, chance.randrange(9))
        assert uid is not None, glow
        outcome = game._touched(TagTap(glow.seat, uid))
    else:
        outcome = game._touched(glow.touch)
    refusal = outcome.refusal
    secret = refusal is not None and reader is None and (refusal.private or refusal.code == "name-lieutenant")
    assert outcome.accepted or secret, (glow, outcome.refusal)
    return outcome.accepted


def name_by_tags(game: Players, seat: Seat) -> None:
    """Everybody's page shows no candidates: tags are tapped until one is taken, then OK."""
    for trooper in public_view(game.game)["seats"][str(seat)]["troopers"]:
        if not trooper["id"].startswith("marker-") and game.tag(seat, trooper["id"]).accepted:
            assert game.press(seat, "ok").accepted
            return
    raise AssertionError("nobody can be named")


@pytest.mark.parametrize("readers", ["players", "everybody"])
@pytest.mark.parametrize("pace", list(Pace))
@pytest.mark.parametrize("edition", list(EDITIONS))
def test_pressing_only_what_glows_brings_every_game_to_its_end(edition: str, pace: Pace, readers: str) -> None:
    phases: set[str] = set()
    for seed in range(GAMES):
        chance = random.Random(f"{edition} {pace} {readers} {seed}")
        game = players(a=mixed("a", edition), b=mixed("b", edition), pace=pace, edition=edition)
        danger = chance.choice([0.0, 0.05, 0.2])
        for _ in range(2000):
            state = game.game.state
            if state.over is not None:
                break
            phases.add(str(state.phase))
            phases |= {"retreat" for side in state.seats if side.retreat}
            if state.order is None and chance.random() < danger:
                hurt(game, chance)
                continue
            view = public_view(game.game)
            glowing = [
                glow
                for reader in ((A, B) if readers == "players" else (None,))
                for glow in glows(game.table, view, reader)
                if reader in (None, glow.seat)
            ]
            reader = None if readers == "everybody" else A
            order = glowing if seed % 2 else chance.sample(glowing, len(glowing))
            if not any(press(game, glow, chance, reader) for glow in order):
                seat = state.active
                assert seat is not None and names_lieutenant(game.table, view, None), (state.phase, state.step)
                name_by_tags(game, seat)
        assert game.game.state.over is not None, game.game.state
    assert {"orders"} <= phases


def test_the_walks_reach_the_rare_phases() -> None:
    """The test above would prove little if its games never came there."""
    seen: set[str] = set()
    for seed in range(4):
        chance = random.Random(seed)
        game = players(a=mixed("a", "n5"), b=mixed("b", "n5"))
        for _ in range(600):
            state = game.game.state
            if state.over is not None:
                break
            seen.add(str(state.phase))
            seen |= {"retreat" if side.retreat else "loss" for side in state.seats if side.loss_of_lieutenant}
            if state.order is None and chance.random() < 0.2:
                for _ in range(3):
                    hurt(game, chance)
                continue
            view = public_view(game.game)
            both = [g for reader in (A, B) for g in glows(game.table, view, reader) if reader is g.seat]
            assert press(game, chance.choice(both), chance, A)
    assert {"impetuous", "orders", "states", "retreat", "loss"} <= seen, seen


def with_teams_and_reinforcements(prefix: str) -> Army:
    """Two Fireteams' worth of Regulars, a marker among them, and a third group that comes late."""
    late = [Trooper(f"{prefix}late{n}", cost=10, group=3, deploy="reinforcement") for n in range(3)]
    camo = Trooper(f"{prefix}camo", cost=10, group=1, deploy="marker")
    air = Trooper(f"{prefix}air", cost=10, group=2, deploy="airborne")
    return army(*late, camo, air, regulars=6, second=3, prefix=prefix, edition="n5")


def beside_the_guide(game: Players, chance: random.Random) -> str:
    """Something that only a hand or the page does: a Fireteam's, a Reinforcement's. What it was, or nothing."""
    found: list[Action] = []
    for seat in Seat:
        found += [action for action in legal_actions(game.game, seat) if isinstance(action, TeamUse | Arrive)]
        # Which troopers form a team is not in the list, as it would be endless.
        ones = [trooper.id for trooper in game.game.army(seat).troopers if trooper.group == 1]
        teams = (TeamUse(seat, "form", tuple(chance.sample(ones, 3))) for _ in range(8))
        found += [team for team in teams if is_legal(game.game, team)]
    if not found:
        return ""
    action = chance.choice(found)
    outcome = act(game.table, action)
    assert outcome.accepted, (action, outcome.refusal)
    game.table = outcome.table
    return action.use if isinstance(action, TeamUse) else type(action).__name__


@pytest.mark.rule("FT-02")
@pytest.mark.rule("REI-02")
@pytest.mark.parametrize("pace", list(Pace))
def test_games_with_fireteams_and_reinforcements_end_by_what_glows_too(pace: Pace) -> None:
    seen: set[str] = set()
    for seed in range(4 * GAMES):
        chance = random.Random(f"teams {pace} {seed}")
        mine, theirs = with_teams_and_reinforcements("a"), with_teams_and_reinforcements("b")
        game = players(a=mine, b=theirs, pace=pace, options=Options(reinforcements=True))
        for seat in Seat:
            ones = [trooper.id for trooper in game.game.army(seat).troopers if trooper.group == 1]
            teams = [TeamUse(seat, "form", tuple(chance.sample(ones, 3))) for _ in range(30)]
            if team := next((team for team in teams if is_legal(game.game, team)), None):
                game.table = act(game.table, team).table
                seen.add("form")
        for _ in range(2000):
            state = game.game.state
            if state.over is not None:
                break
            called = next((call for call in map(Reinforce, Seat) if is_legal(game.game, call)), None)
            if called and chance.random() < 0.5:
                game.table = act(game.table, called).table
                seen.add("Reinforce")
                continue
            if chance.random() < 0.15:
                seen.add(beside_the_guide(game, chance))
                continue
            if state.order is None and state.active is not None and chance.random() < 0.3:
                seen |= teams_order(game, state.active, chance)
                continue
            if state.order is None and chance.random() < 0.03:
                hurt(game, chance)
                continue
            view = public_view(game.game)
            glowing = [glow for reader in (A, B) for glow in glows(game.table, view, reader) if reader is glow.seat]
            assert press(game, chance.choice(glowing), chance, A)
        assert game.game.state.over is not None, game.game.state
    assert {"form", "team's order", "Reinforce", "Arrive"} <= seen, seen


def teams_order(game: Players, seat: Seat, chance: random.Random) -> set[str]:
    """A member's tag, then a Regular disc of its group: that member leads the Fireteam's order (FT-02)."""
    if game.game.state.phase != "orders":
        return set()
    teams = public_view(game.game)["seats"][str(seat)]["teams"]
    if not teams:
        return set()
    member = chance.choice(chance.choice(teams)["members"])
    trooper = next(one for one in game.game.army(seat).troopers if one.id == member)
    if not game.tag(seat, member).accepted:
        return set()
    outcome = game.tap(seat, TokenKind.REGULAR, group=trooper.group)
    order = public_view(game.game)["order"]
    return {"team's order"} if outcome.accepted and order and len(order["troopers"]) > 1 else set()


@pytest.mark.rule("LOL-03")
@pytest.mark.parametrize("seat", [A, B])
def test_loss_of_lieutenant_is_finished_by_what_glows(seat: Seat) -> None:
    game = players(a=mixed("a", "n5"), b=mixed("b", "n5"), first=seat)
    low = str(seat).lower()
    game.tap(seat, TokenKind.STATE)
    game.tag(seat, f"{low}1")
    game.to_orders(seat)
    game.hold(seat, "ok")
    game.hold(seat, "ok")
    assert game.game.state.phase == "states"
    view = public_view(game.game)
    assert [(glow.button, glow.held) for glow in glows(game.table, view, None)] == [("ok", True)]
    hint = hint_of(game.table, view, identity)
    assert hint["tags"] == [str(seat)] and "new Lieutenant" in hint["text"]
    candidates = [glow.disc for glow in glows(game.table, view, seat)]
    assert candidates and all(disc.startswith("trooper ") for disc in candidates)
    assert f"trooper {low}1" not in candidates and f"trooper {low}wild" not in candidates
    assert f"trooper {low}rem" not in candidates
    assert glows(game.table, view, seat.other) == glows(game.table, view, None)  # whose tags: the player's secret
    assert any(disc["disc"] == "lieutenant" for disc in discs_of(game.table, view, seat, None))
    game._touched(glows(game.table, view, seat)[0].touch)
    assert (glows(game.table, view, None)[0].button, glows(game.table, view, None)[0].held) == ("ok", False)
    before = public_view(game.game)
    assert game.press(seat, "ok").accepted
    assert public_view(game.game) == before  # others see no change before the turn is over
    assert glows(game.table, before, None)[0].held and glows(game.table, before, seat)[0].held
    assert game.hold(seat, "ok").accepted and game.game.next_seat is seat.other


def test_who_reacts_is_spoken_to_first_only_when_the_game_waits_for_it() -> None:
    game = players()
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    assert hint_of(game.table, public_view(game.game), identity)["seat"] == "A"
    game.tag(B, "b2")
    hint = hint_of(game.table, public_view(game.game), identity)
    assert (hint["seat"], hint["do"][0]["button"], hint["do"][0]["label"]) == ("B", "pass", "Done reacting")
    assert any(one["side"] == "A" and one.get("disc") for one in hint["do"])  # the active player is never locked in


@pytest.mark.parametrize(
    ("links", "reader", "words"),
    [
        ({"A": "offline", "B": "online"}, None, "does not answer"),
        ({"A": "offline", "B": "online"}, A, "does not answer"),
        ({"A": "offline", "B": "online"}, B, "lays down"),
        ({"A": "fault", "B": "online"}, None, "cannot read"),
        ({"A": "absent", "B": "absent"}, None, "lays down"),
    ],
)
def test_a_tray_in_trouble_is_what_the_head_says(links: dict[str, str], reader: Seat | None, words: str) -> None:
    game = players()
    game.to_orders()
    hint = hint_of(game.table, public_view(game.game), identity, None, reader, links)
    assert words in hint["text"]
    assert (hint["trouble"] is None) == (words == "lays down")


def test_no_game_and_a_game_that_is_over_say_so_and_offer_nothing() -> None:
    assert hint_of(None, None, identity)["text"].startswith("No game is on")
    game = players(rounds=1)
    for seat in (A, B):
        game.to_orders(seat)
        game.end_turn(seat)
    hint = hint_of(game.table, public_view(game.game), identity, None, None, {"A": "offline"})
    assert hint["text"].startswith("The battle is over.") and hint["do"] == [] and hint["trouble"] is None


def test_a_brace_in_a_players_name_is_only_a_brace() -> None:
    game = players()
    hint = hint_of(game.table, public_view(game.game), identity, {"A": "{x} {seat}"})
    assert hint["text"] == "{x} {seat} begins: hold OK."


def test_discs_have_names_that_lead_back_to_them() -> None:
    game = players(a=army(IRREGULAR, NCO, prefix="a"), b=mixed("b", "n5"))
    game.to_orders()
    view = public_view(game.game)
    for seat in Seat:
        for disc in discs_of(game.table, view, seat, seat):
            uid = uid_of(game.table, seat, disc["disc"], 3)
            assert uid is not None, disc
            token = game.table.tokens.get(uid)
            assert token is not None and name_of(token.role) == disc["disc"] and token.owner == seat
    assert uid_of(game.table, A, "irregular nobody", 0) is None and uid_of(game.table, A, "regular g9", 0) is None


@pytest.mark.parametrize("reader", [None, A, B])
def test_a_markers_discs_go_by_the_name_that_everybody_knows(reader: Seat | None) -> None:
    game = players(a=mixed("a", "n5"), b=mixed("b", "n5"))
    game.to_orders()
    while game.game.state.phase != "orders":
        game.hold(A, "ok")
    view = public_view(game.game)
    names = [disc["disc"] for disc in discs_of(game.table, view, A, reader)]
    assert "tactical marker-1" in names and "tactical acamo" not in names
    assert ("trooper marker-1" in names) == (reader is not A) and ("trooper acamo" in names) == (reader is A)
    token = game.table.tokens.get(uid_of(game.table, A, "tactical marker-1", 0) or "")
    assert token is not None and token.trooper == "acamo"
    assert game._touched(next(g for g in glows(game.table, view, A) if g.disc == "tactical marker-1").touch).accepted


def test_a_hand_takes_an_unspent_disc_of_a_stack() -> None:
    game = players()
    game.to_orders()
    for _ in range(6):
        uid = uid_of(game.table, A, "regular g1", 0)
        assert uid is not None
        outcome = touch(game.table, TagTap(A, uid))
        assert outcome.accepted
        game.table = outcome.table


@pytest.mark.rule("LOL-02")
def test_in_loss_of_lieutenant_a_troopers_irregular_order_is_its_regular_disc() -> None:
    game = players()
    for trooper in ("a1", "a2"):
        game.tap(A, TokenKind.STATE)
        game.tag(A, trooper)
    game.to_orders()
    view = public_view(game.game)
    assert view["seats"]["A"]["loss_of_lieutenant"]
    discs = {d["trooper"] for d in discs_of(game.table, view, A, None) if d["kind"] == "irregular"}
    assert discs == {"a3", "a4", "a5", "a6", "a7", "a8"}
    token = game.table.tokens.get(uid_of(game.table, A, "irregular a8", 0) or "")
    assert token is not None and name_of(token.role) == "regular g2" and token.number == 2


@pytest.mark.parametrize("pace", list(Pace))
def test_where_a_second_skill_may_follow_each_pace_offers_its_own(pace: Pace) -> None:
    game = players(pace=pace)
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    if pace is Pace.FULL:
        game.press(A, "basic")
    game.press(B, "pass")
    view = public_view(game.game)
    offered = [(glow.button, glow.disc) for glow in glows(game.table, view, A) if glow.seat is A]
    text = hint_of(game.table, view, identity)["text"]
    if pace is Pace.FULL:
        assert offered == [("basic", ""), ("short", ""), ("pass", "")] and text.startswith(
            "A declares the second skill"
        )
    else:
        assert ("", "regular g1") in offered and ("ok", "") in offered and "the next order" in text


def test_who_has_reacted_counts_from_this_windows_opening_only() -> None:
    game = players(pace=Pace.FULL)
    game.to_orders()
    game.tap(A, TokenKind.REGULAR, group=1)
    game.press(A, "basic")
    done = [glow.label for glow in glows(game.table, public_view(game.game), B) if glow.seat is B]
    assert done == ["No reaction"]
    game.tag(B, "b2")
    done = [glow.label for glow in glows(game.table, public_view(game.game), B) if glow.seat is B]
    assert done == ["Done reacting"]
    game.press(B, "pass")
    game.press(A, "short")
    assert game.table.window_open()
    done = [glow.label for glow in glows(game.table, public_view(game.game), B) if glow.seat is B]
    assert done == ["No reaction"]  # b2's was in the first window


def test_the_lieutenants_disc_lies_once_after_the_irregular_ones() -> None:
    game = players(a=army(IRREGULAR, prefix="a"), b=army(prefix="b"))
    game.to_orders()
    names = [disc["disc"] for disc in discs_of(game.table, public_view(game.game), A, A)]
    assert names.count("lieutenant") == 1 and names.index("lieutenant") > names.index("irregular wild")
