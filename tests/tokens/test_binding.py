"""Discs for a season: nameless ones are bound to troopers for one game, and freed by tapping."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordertray.rules.army import Army, Trooper
from ordertray.tokens.binding import BOUND_KINDS, bindings, bound, troopers_of_kind
from ordertray.tokens.enrolment import Enrolment, Event, Placed, Refused, Removed, Undo, begin, step
from ordertray.tokens.exchange import Say
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import TokenRegistry
from ordertray.tokens.store import registry_for_game
from ordertray.tokens.virtual import missing_tokens, roles_for, virtual_tokens, virtual_uid

WILD = [Trooper(f"wild-{n}", training="irregular", group=1 + n % 2) for n in range(3)]
AWARE = Trooper("aware", skills=frozenset({"tactical-awareness", "impetuous"}))
ANGRY = Trooper("angry", training="irregular", skills=frozenset({"frenzy"}), group=2)
ARMY = Army("", 300, (Trooper("boss", lieutenant=True), AWARE, *WILD, ANGRY))


def disc(name: str, kind: TokenKind, number: int | None = None, trooper: str | None = None) -> Token:
    """One of Ana's discs."""
    return Token(virtual_uid(name), Role(kind, None, number, trooper), "Ana")


def meaning(registry: TokenRegistry) -> dict[str, tuple[str | None, int | None]]:
    """Trooper and group of each disc, by UID."""
    return {token.uid: (token.trooper, token.group) for token in registry}


def test_an_armys_discs_name_nobody_but_the_troopers_tags() -> None:
    roles = roles_for(ARMY)
    assert [(r.kind.value, r.number) for r in roles if r.kind in BOUND_KINDS] == [
        ("irregular", 1), ("irregular", 2), ("irregular", 3), ("irregular", 4), ("tactical", 1), ("impetuous", 1),
        ("impetuous", 2),
    ]  # fmt: skip
    assert all(r.trooper is None for r in roles if r.kind is not TokenKind.TROOPER)


@pytest.mark.rule("ORD-03")
def test_numbers_go_to_the_troopers_in_the_order_of_the_list() -> None:
    registry = TokenRegistry([disc(str(n), TokenKind.IRREGULAR, n) for n in (7, 2, 5)], "Ana")
    assert meaning(bound(registry, ARMY)) == {
        virtual_uid("7"): ("wild-2", 1),
        virtual_uid("2"): ("wild-0", 1),
        virtual_uid("5"): ("wild-1", 2),
    }


def test_discs_of_a_trooper_keep_it_and_others_of_another_list_are_left_alone() -> None:
    mine, theirs = disc("mine", TokenKind.IRREGULAR, None, "wild-0"), disc("theirs", TokenKind.IRREGULAR, None, "x")
    registry = TokenRegistry([disc("1", TokenKind.IRREGULAR, 1), mine, theirs], "Ana")
    after = bound(registry, ARMY)
    assert after.get(mine.uid) == mine and after.get(theirs.uid) == theirs
    assert meaning(after)[virtual_uid("1")] == ("wild-1", 2)


def test_a_player_may_say_otherwise() -> None:
    registry = TokenRegistry([disc(str(n), TokenKind.IRREGULAR, n) for n in (1, 2)], "Ana")
    chosen = {Role(TokenKind.IRREGULAR, None, 2): "wild-0", Role(TokenKind.IRREGULAR, None, 1): "nobody"}
    assert meaning(bound(registry, ARMY, chosen)) == {
        virtual_uid("1"): ("wild-1", 2),
        virtual_uid("2"): ("wild-0", 1),
    }
    game = registry_for_game({"A": registry}, {"A": ARMY}, {"A": chosen})
    assert [(token.owner, token.trooper) for token in game] == [("A", "wild-1"), ("A", "wild-0")]


def test_more_discs_than_troopers_stay_nameless_and_missing_ones_are_made_up() -> None:
    registry = TokenRegistry([disc(str(n), TokenKind.TACTICAL, n) for n in (1, 2)], "Ana")
    after = bound(registry, ARMY)
    assert [token.trooper for token in after] == ["aware", None]
    made = missing_tokens(ARMY, "Ana", after)
    assert TokenKind.TACTICAL not in {token.kind for token in made}
    assert {token.role for token in (*after, *made)} >= set(roles_for(ARMY, named=True))


troopers = st.builds(
    Trooper,
    id=st.sampled_from("abcdefgh"),
    group=st.integers(1, 3),
    training=st.sampled_from(["regular", "irregular"]),
    skills=st.frozensets(st.sampled_from(["tactical-awareness", "impetuous", "frenzy"])),
)
armies = st.lists(troopers, max_size=8, unique_by=lambda t: t.id).map(lambda found: Army("", 300, tuple(found)))


@given(armies, armies)
def test_one_set_serves_two_lists_and_every_trooper_gets_its_disc(first: Army, second: Army) -> None:
    roles = dict.fromkeys((*roles_for(first), *roles_for(second)))
    season = TokenRegistry((Token(virtual_uid(repr(role)), role, "Ana") for role in roles), "Ana")
    for army in (first, second):
        found = bindings(season, army)
        for kind in BOUND_KINDS:
            discs = [uid for uid, trooper in found.items() if season.get(uid) and season.get(uid).kind is kind]  # type: ignore[union-attr]
            assert sorted(found[uid].id for uid in discs) == sorted(t.id for t in troopers_of_kind(army, kind))
        assert {t.role for t in bound(season, army)} >= set(roles_for(army, named=True))


def after(state: Enrolment, *events: Event) -> tuple[Enrolment, list[str]]:
    """The state after these events, and what was refused or done in them."""
    said = []
    for event in events:
        state, commands = step(state, event)
        said += [c.text() for c in commands if isinstance(c, Say) and c.mood in ("ok", "refused")]
    return state, said


def test_an_old_disc_of_one_trooper_is_freed_by_tapping_it() -> None:
    old = disc("old", TokenKind.IRREGULAR, None, "nomad")
    roles = [Role(TokenKind.IRREGULAR, None, 1)]
    state, _ = begin("Ana", "A", roles, TokenRegistry([old], "Ana"))
    state, said = after(state, Placed("A", old.uid))
    assert said == ["Irregular, number 1: done"] and state.finished
    assert list(state.registry) == [replace(old, role=roles[0])]
    state, _said = after(state, Removed("A"), Undo())
    assert list(state.registry) == [old]


def test_a_tag_of_another_list_takes_a_second_tap() -> None:
    old = disc("old", TokenKind.TROOPER, None, "nomad")
    roles = [Role(TokenKind.TROOPER, 1, None, "boss"), Role(TokenKind.TROOPER, 1, None, "aware")]
    state, _ = begin("Ana", "A", roles, TokenRegistry([old], "Ana"))
    state, said = after(state, Placed("A", old.uid), Removed("A"))
    assert said == ["this disc is Trooper, nomad, of another list: lay it down again to give it the new meaning"]
    assert list(state.registry) == [old]
    state, said = after(state, Placed("A", old.uid), Removed("A"))
    assert said == ["Trooper, boss, group 1: done"] and len(state.registry) == 1
    # One that this list needs is no other list's, however often it is laid down.
    state, said = after(state, Placed("A", old.uid), Removed("A"), Placed("A", old.uid))
    assert len(said) == 2 and all("already; another disc with the same UID" in line for line in said)


def test_the_second_tap_must_follow_the_first() -> None:
    old, other = disc("old", TokenKind.TROOPER, None, "x"), disc("other", TokenKind.TROOPER, None, "y")
    state, _ = begin("Ana", "A", [Role(TokenKind.STATE)], TokenRegistry([old, other], "Ana"))
    state, said = after(
        state, Placed("A", old.uid), Placed("A", other.uid), Refused("A", "phone"), Placed("A", old.uid)
    )
    assert len(said) == 4 and len(state.registry) == 2 and not state.finished


def test_virtual_discs_are_the_same_as_ever_once_bound() -> None:
    assert bound(virtual_tokens(ARMY, "A"), ARMY) == virtual_tokens(ARMY, "A")
    nameless = bound(virtual_tokens(ARMY, "A", named=False), ARMY)
    assert {token.role for token in nameless} == set(roles_for(ARMY, named=True))
