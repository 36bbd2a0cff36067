"""Enrolment: asks for each disc in turn; what it refuses and why; writing; stopping and going on; lost discs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.rules.army import Army
from ordertray.tokens.enrolment import Enrolment, Outcome, begin, step
from ordertray.tokens.exchange import (
    Answer,
    Command,
    Event,
    Pause,
    Placed,
    Read,
    Refused,
    Removed,
    Save,
    Say,
    Show,
    Signal,
    Skip,
    Snapshot,
    Undo,
    Write,
    describe,
)
from ordertray.tokens.labels import starter_roles
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.ndef import message_for
from ordertray.tokens.prompts import pixel_of
from ordertray.tokens.registry import TokenRegistry
from ordertray.tokens.virtual import roles_for, virtual_uid

ONE, TWO, THREE = (Role(TokenKind.REGULAR, 1, number) for number in (1, 2, 3))
UIDS = [virtual_uid(f"disc {number}") for number in range(60)]
Kind = TypeVar("Kind")


def started(
    roles: Sequence[Role] = (ONE, TWO, THREE),
    registry: TokenRegistry | None = None,
    *,
    others: dict[str, TokenRegistry] | None = None,
    write: bool = False,
    lost: Sequence[Role] = (),
) -> Enrolment:
    """Ana enrols on pad A."""
    mine = registry if registry is not None else TokenRegistry(owner="Ana")
    return begin("Ana", "A", roles, mine, others, write_records=write, lost=lost)[0]


def tap(state: Enrolment, uid: str, pad: str = "A") -> Outcome:
    """Lay a disc down and take it off; what laying it down did."""
    state, commands = step(state, Placed(pad, uid))
    return step(state, Removed(pad, uid))[0], commands


def after(state: Enrolment, *events: Event) -> Enrolment:
    """The state after events."""
    for event in events:
        state, _commands = step(state, event)
    return state


def only(commands: Sequence[Command], kind: type[Kind]) -> list[Kind]:
    """The commands of a kind."""
    return [command for command in commands if isinstance(command, kind)]


def said(commands: Sequence[Command]) -> list[str]:
    """What the player is told."""
    return [f"{say.mood}: {say.text()}" for say in only(commands, Say)]


def test_the_tray_asks_for_each_disc_in_turn_and_each_is_saved_at_once() -> None:
    state, commands = begin("Ana", "A", (ONE, TWO), TokenRegistry(owner="Ana"))
    assert only(commands, Show) == [Show("A", ("g" + "." * 31, "b" + "." * 31))]
    assert said(commands) == ["ask: lay on pad A: Regular, group 1, number 1"]
    state, commands = tap(state, UIDS[0])
    assert [type(command) for command in commands] == [Save, Signal, Say, Show, Say]
    assert only(commands, Signal) == [Signal("A", "ok")]
    assert only(commands, Show)[0].strip == ("gg" + "." * 30, "db" + "." * 30)
    assert list(only(commands, Save)[0].registry) == [Token(UIDS[0], ONE, "Ana")]
    assert said(commands) == ["ok: Regular, group 1, number 1: done", "ask: lay on pad A: Regular, group 1, number 2"]
    state, commands = tap(state, UIDS[1])
    assert state.finished and state.progress == (2, 2)
    assert said(commands)[-1] == "done: all 2 discs are enrolled"
    assert only(commands, Show)[0].strip == ("." * 32, "." * 32)


def refusal(commands: Sequence[Command], message: str) -> None:
    """The commands are a refusal and nothing else."""
    assert [type(command) for command in commands] == [Signal, Say]
    assert only(commands, Signal)[0].do == "refused"
    assert message in said(commands)[0]


def test_a_disc_seen_twice_is_refused() -> None:
    state, _ = tap(started(), UIDS[0])
    later, commands = tap(state, UIDS[0])
    refusal(commands, "this disc is Regular, group 1, number 1 already; another disc with the same UID is a copy")
    assert later == state


def test_a_copy_lying_on_the_other_pad_is_refused_by_name() -> None:
    state = after(started(), Placed("B", UIDS[0]))
    later, commands = step(state, Placed("A", UIDS[0]))
    refusal(commands, "the same UID as the one on pad B: one of them is a copy")
    assert later.registry == TokenRegistry(owner="Ana")
    # Alone it may do: which of the two is the copy nobody can tell.
    assert len(tap(after(later, Removed("B"), Removed("A")), UIDS[0])[0].registry) == 1


def test_another_players_disc_is_refused_naming_the_player() -> None:
    others = {"Ben": TokenRegistry([Token(UIDS[0], Role(TokenKind.LIEUTENANT, None, 1), "Ben")], "Ben")}
    state, commands = tap(started(others=others), UIDS[0])
    refusal(commands, "this disc belongs to Ben (Lieutenant, number 1)")
    assert state.asked == ONE


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Placed("A", "08A1B2C3"), "a phone's passing number"),
        (Refused("A", "phone"), "this is a phone or a bank card"),
        (Refused("A", "two-tags"), "two discs lie on the pad"),
        (Refused("A", "unreadable"), "cannot be read"),
        (Refused("A", "checksum"), "was read badly"),
        (Refused("A", "of-another-version"), "cannot be read"),
        (Placed("B", UIDS[0]), "lay the disc on pad A"),
    ],
)
def test_what_is_no_disc_is_refused_with_the_reason(event: Event, message: str) -> None:
    state = started()
    later, commands = step(state, event)
    refusal(commands, message)
    assert later.asked == ONE and later.registry == state.registry


def test_pausing_refuses_discs_and_going_on_asks_again() -> None:
    state, commands = step(started(), Pause())
    assert said(commands) == ["note: paused after 0 of 3 discs"]
    assert only(commands, Show)[0].strip == ("." * 32, "." * 32)
    state, commands = tap(state, UIDS[0])
    refusal(commands, "enrolling is paused")
    state, commands = step(state, Pause())
    assert said(commands) == ["ask: lay on pad A: Regular, group 1, number 1"]


def test_beginning_again_asks_only_for_what_is_missing() -> None:
    state, _ = tap(started(), UIDS[0])
    again, commands = begin("Ana", "A", (ONE, TWO, THREE), state.registry)
    assert again.queue == (TWO, THREE) and again.progress == (1, 3)
    assert said(commands) == ["ask: lay on pad A: Regular, group 1, number 2"]
    done, commands = begin("Ana", "A", (ONE,), state.registry)
    assert done.finished and said(commands) == ["done: all 1 discs are enrolled"]


def test_a_skipped_disc_is_asked_for_at_the_end() -> None:
    state = after(started(), Skip())
    assert state.queue == (TWO, THREE, ONE)
    for uid in UIDS[:3]:
        state, _ = tap(state, uid)
    assert [token.role for token in state.registry] == [TWO, THREE, ONE]
    last = after(started(roles=(ONE,)), Skip())
    assert last.asked == ONE  # nothing else to ask for


def test_undo_forgets_the_last_disc_and_asks_for_it_again() -> None:
    state, _ = tap(started(), UIDS[0])
    state, commands = step(state, Undo())
    assert only(commands, Save)[0].registry == TokenRegistry(owner="Ana") == state.registry
    assert said(commands) == [
        "note: taken back: Regular, group 1, number 1",
        "ask: lay on pad A: Regular, group 1, number 1",
    ]
    assert step(state, Undo()) == (state, ())
    assert len(tap(state, UIDS[0])[0].registry) == 1


def test_a_lost_disc_is_replaced_and_the_old_one_stays_until_then() -> None:
    full = after(started(), *(Placed("A", uid) for uid in UIDS[:3]))
    lost = started(registry=full.registry, lost=(TWO,))
    assert step(lost, Snapshot({}))[1][0] == Show("A", ("ggg" + "." * 29, "dbd" + "." * 29))
    assert lost.asked == TWO and lost.registry == full.registry
    state, commands = tap(lost, UIDS[1])
    refusal(commands, "this disc is Regular, group 1, number 2 already")
    state, _ = tap(lost, UIDS[9])
    assert state.finished
    assert {token.uid for token in state.registry} == {UIDS[0], UIDS[2], UIDS[9]}
    assert state.registry.with_role(TWO) == (Token(UIDS[9], TWO, "Ana"),)
    assert step(state, Undo())[0].registry == full.registry


def test_a_disc_already_lying_there_is_no_answer() -> None:
    state, commands = step(started(), Snapshot({"A": UIDS[0], "B": None}))
    assert len(state.registry) == 0
    assert said(commands) == [
        "ask: lay on pad A: Regular, group 1, number 1",
        "note: take what lies on pad A off first",
    ]
    _, commands = step(state, Placed("B", UIDS[0]))
    refusal(commands, "the same UID as the one on pad A")


def test_a_record_is_written_and_verified_before_the_disc_counts() -> None:
    state, commands = step(started(write=True), Placed("A", UIDS[0]))
    assert commands == (Read("A"),) and len(state.registry) == 0
    state, commands = step(state, Answer(True, uid=UIDS[0], message=b""))
    assert commands == (Write("A", message_for(ONE)),)
    state, commands = step(state, Answer(True, uid=UIDS[0]))
    assert commands == (Read("A"),) and len(state.registry) == 0
    refusal(step(state, Placed("A", UIDS[1]))[1], "wait: a disc is being written")
    state, commands = step(state, Answer(True, uid=UIDS[0], message=message_for(ONE)))
    assert state.registry.get(UIDS[0]) == Token(UIDS[0], ONE, "Ana")
    assert "note" not in "".join(said(commands))


@pytest.mark.parametrize(
    ("answers", "accepted", "message"),
    [
        ([Answer(False, "no-message"), Answer(True), Answer(True, message=message_for(ONE))], True, ""),
        ([Answer(True, message=message_for(TWO)), Answer(True), Answer(True, message=message_for(ONE))], True, ""),
        ([Answer(True, message=b"\xd1\x01\x04U\x01abc")], True, "holds something else, which was left alone"),
        ([Answer(True, message=b"garbage")], True, "holds something else"),
        ([Answer(False, "not-type-2")], True, "could not be written on (not-type-2), which does no harm"),
        ([Answer(True), Answer(False, "locked")], True, "could not be written on (locked)"),
        ([Answer(False, "no-tag")], False, "not on the pad long enough"),
        ([Answer(True), Answer(False, "no-answer")], False, "not on the pad long enough"),
        ([Answer(True, uid=UIDS[5])], False, "another disc was laid down meanwhile"),
        ([Answer(True), Answer(True), Answer(True, message=message_for(TWO))], False, "did not read back"),
        ([Answer(True), Answer(True), Answer(True, message=b"")], False, "did not read back"),
        ([Answer(True), Answer(False, "verify")], False, "did not read back"),
        ([Answer(False, "reader-fault")], False, "not on the pad long enough"),
        ([Answer(True), Answer(True), Answer(False, "crc")], False, "did not read back"),
    ],
)
def test_every_end_of_writing(answers: list[Answer], accepted: bool, message: str) -> None:
    state = after(started(write=True), Placed("A", UIDS[0]))
    commands: Sequence[Command] = ()
    for answer in answers:
        state, commands = step(state, answer)
    assert state.writing is None
    assert (UIDS[0] in state.registry) is accepted
    assert state.asked == (TWO if accepted else ONE)
    assert message in "\n".join(said(commands))
    if not accepted:
        refusal(commands, message)


def test_a_late_answer_changes_nothing() -> None:
    state = started(write=True)
    assert step(state, Answer(True, message=message_for(ONE))) == (state, ())


def test_a_trooper_too_long_for_the_record_is_enrolled_without() -> None:
    role = Role(TokenKind.TROOPER, 1, None, "x" * 120)
    state = after(started(roles=(role,), write=True), Placed("A", UIDS[0]))
    state, commands = step(state, Answer(True))
    assert state.finished and "does not fit on the disc" in "\n".join(said(commands))


def test_each_disc_of_the_starter_set_has_its_own_pixel_where_there_is_room() -> None:
    roles = starter_roles()
    regular = [pixel_of(role, roles) for role in roles if role.kind is TokenKind.REGULAR]
    assert regular == [*range(10), *range(16, 26)]
    fields = {TokenKind.LIEUTENANT: 10, TokenKind.TACTICAL: 12, TokenKind.COMMAND: 28, TokenKind.STATE: 30}
    for kind, first in fields.items():
        assert pixel_of(next(role for role in roles if role.kind is kind), roles) == first


def test_every_disc_of_an_army_has_a_pixel_and_a_description(red: Army, blue: Army) -> None:
    for army in (red, blue):
        roles = roles_for(army)
        assert all(0 <= pixel_of(role, roles) < 32 for role in roles)
        assert len({describe(role) for role in roles}) == len(roles)


events = st.one_of(
    st.builds(Placed, st.sampled_from("AB"), st.sampled_from([*UIDS[:5], "08010203", "zz"])),
    st.builds(Removed, st.sampled_from("AB")),
    st.builds(Refused, st.sampled_from("AB"), st.sampled_from(["phone", "two-tags", "other"])),
    st.builds(
        Answer,
        st.booleans(),
        st.sampled_from(["no-tag", "locked", "no-message"]),
        st.sampled_from(["", *UIDS[:3]]),
        st.sampled_from([b"", b"x", message_for(ONE), message_for(TWO)]),
    ),
    st.sampled_from([Skip(), Undo(), Pause()]),
)


@settings(max_examples=150)
@given(st.lists(events, max_size=40), st.booleans())
def test_whatever_happens_every_disc_has_one_meaning_and_every_change_is_saved(found: list[Event], write: bool) -> None:
    state, _ = begin("Ana", "A", (ONE, TWO, THREE), TokenRegistry(owner="Ana"), write_records=write)
    saved = state.registry
    for event in found:
        state, commands = step(state, event)
        for save in only(commands, Save):
            saved = save.registry
        assert saved == state.registry
        have = [token.role for token in state.registry]
        assert len(set(have)) == len(have)
        assert sorted(map(str, [*have, *state.queue])) == sorted(map(str, (ONE, TWO, THREE)))
