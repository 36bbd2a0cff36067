"""Enrolment: the tray asks for each disc in turn, the player lays it on the pad. A pure state machine.

`begin(...)` gives the first state and commands, `step(state, event)` each further one. Events come from the tray and
the player; commands are carried out by whoever runs it (`runner` with a real tray, a page, a test). A disc is saved as
soon as it is accepted, so that stopping at any moment loses nothing: beginning again asks for what is still missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ordertray.messages import N_
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
from ordertray.tokens.model import BadUidError, Role, Token, TokenKind, normalised_uid
from ordertray.tokens.ndef import NdefError, message_for, role_in
from ordertray.tokens.prompts import prompt
from ordertray.tokens.registry import TokenRegistry

# The machine with what goes in and out of it: one import for whoever runs it.
__all__ = [
    "Answer",
    "Command",
    "Enrolment",
    "Event",
    "Outcome",
    "Pause",
    "Placed",
    "Read",
    "Refused",
    "Removed",
    "Save",
    "Say",
    "Show",
    "Signal",
    "Skip",
    "Snapshot",
    "Undo",
    "Write",
    "Writing",
    "begin",
    "describe",
    "step",
]


@dataclass(frozen=True, slots=True)
class Writing:
    """The disc being written: it is accepted when this is over. `stage`: `look`, `write`, `verify`."""

    uid: str
    role: Role
    stage: str


@dataclass(frozen=True)
class Enrolment:
    """Where an enrolment stands. `queue` is what is still asked for, the first of it now."""

    owner: str
    pad: str
    roles: tuple[Role, ...]
    registry: TokenRegistry
    others: Mapping[str, TokenRegistry]
    queue: tuple[Role, ...]
    write_records: bool = False
    replacing: bool = False
    paused: bool = False
    writing: Writing | None = None
    lying: Mapping[str, str] = field(default_factory=dict)
    history: tuple[tuple[Token, TokenRegistry], ...] = ()
    """Each disc accepted this time, with the registry before it."""
    again: str = ""
    """The disc of another list that was refused just now: laid down again, it gets the new meaning."""

    @property
    def asked(self) -> Role | None:
        """The disc asked for now."""
        return self.queue[0] if self.queue and not self.paused else None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask for."""
        return not self.queue

    @property
    def progress(self) -> tuple[int, int]:
        """How many discs of the set are enrolled, and how many there are."""
        return len(self.roles) - len(set(self.queue)), len(self.roles)


Outcome = tuple[Enrolment, tuple[Command, ...]]


def begin(
    owner: str,
    pad: str,
    roles: Sequence[Role],
    registry: TokenRegistry,
    others: Mapping[str, TokenRegistry] | None = None,
    *,
    write_records: bool = False,
    lost: Sequence[Role] = (),
) -> Outcome:
    """Begin, or go on with, enrolling `roles` for `owner` on `pad` ("A" or "B").

    Roles that `registry` has already are not asked for. With `lost` only these are, and the old disc of each is
    forgotten when the new one is accepted. `others` are the other players' registries, by owner.
    """
    have = {token.role for token in registry}
    everything = (*roles, *(role for role in lost if role not in roles))
    queue = tuple(lost) or tuple(role for role in roles if role not in have)
    state = Enrolment(
        owner,
        pad,
        everything,
        registry,
        dict(others or {}),
        queue,
        write_records=write_records,
        replacing=bool(lost),
    )
    return state, _ask(state)


def step(state: Enrolment, event: Event) -> Outcome:
    """What an event makes of an enrolment: the next state, and what is to be done, in this order."""
    match event:
        case Placed():
            return _placed(state, event)
        case Removed(pad):
            return _off(state, pad), ()
        case Refused(pad, why):
            return state, _refuse(state, _READER_REFUSALS.get(why, _READER_REFUSALS["unreadable"]), pad=pad)
        case Answer():
            return _answered(state, event)
        case Snapshot(pads):
            # What lies there already was not laid there for this question.
            state = replace(state, lying={pad: uid for pad, uid in pads.items() if uid})
            lift = [Say("note", N_("take what lies on pad {pad} off first"), {"pad": state.pad})]
            return state, (*_ask(state), *(lift if state.asked is not None and state.pad in state.lying else []))
        case Skip():
            if state.asked is None or len(state.queue) < 2 or state.writing:
                return state, ()
            state = replace(state, queue=(*state.queue[1:], state.queue[0]))
            return state, _ask(state)
        case Pause():
            if state.finished or state.writing:
                return state, ()
            state = replace(state, paused=not state.paused)
            return state, _ask(state)
        case Undo():
            return _undo(state)


_READER_REFUSALS = {
    "phone": N_("this is a phone or a bank card, not a disc: lay down an NFC disc"),
    "two-tags": N_("two discs lie on the pad: lay down one alone"),
    "unreadable": N_("this disc cannot be read: lay it flat on the middle of the pad, or take another"),
    "checksum": N_("this disc was read badly: lay it flat on the middle of the pad"),
}


def _placed(state: Enrolment, event: Placed) -> Outcome:
    twin = next((pad for pad, uid in state.lying.items() if uid == event.uid and pad != event.pad), None)
    state = replace(state, lying={**state.lying, event.pad: event.uid})
    if twin is not None:
        why = N_("this disc has the same UID as the one on pad {other}: one of them is a copy; use another disc")
        return state, _refuse(state, why, pad=event.pad, other=twin)
    if event.pad != state.pad:
        return state, _refuse(state, N_("lay the disc on pad {wanted}"), pad=event.pad, wanted=state.pad)
    if state.finished:
        return state, ()
    if state.paused:
        return state, _refuse(state, N_("enrolling is paused"))
    if state.writing:
        return state, _refuse(state, N_("wait: a disc is being written"))
    try:
        uid = normalised_uid(event.uid)
    except BadUidError as error:
        return state, _refuse(state, str(error))
    role = state.queue[0]
    if known := state.registry.get(uid):
        named = known.kind is role.kind and known.trooper is not None and role.trooper is None
        if not named and not (uid == state.again and known.role not in state.roles):
            if known.role in state.roles:
                why = N_("this disc is {disc} already; another disc with the same UID is a copy, and of no use here")
                return state, _refuse(state, why, known.role)
            why = N_("this disc is {disc}, of another list: lay it down again to give it the new meaning")
            return replace(state, again=uid), _refuse(state, why, known.role)
    for owner, registry in state.others.items():
        if known := registry.get(uid):
            return state, _refuse(state, N_("this disc belongs to {owner} ({disc})"), known.role, owner=owner)
    state = replace(state, again="")
    if not state.write_records:
        return _accept(state, uid, role)
    return replace(state, writing=Writing(uid, role, "look")), (Read(state.pad),)


def _answered(state: Enrolment, answer: Answer) -> Outcome:
    writing = state.writing
    if writing is None:
        return state, ()
    if answer.ok and answer.uid and answer.uid != writing.uid:
        return _give_up(state, N_("another disc was laid down meanwhile: lay down one and leave it until the tone"))
    if not answer.ok and answer.why in _TRY_AGAIN:
        return _give_up(state, N_("the disc was not on the pad long enough: leave it until the tone"))
    if writing.stage == "look":
        return _looked(state, writing, answer)
    if writing.stage == "write":
        if not answer.ok and answer.why == "verify":
            return _give_up(state, _DIFFERS)
        if not answer.ok:
            return _accept(state, writing.uid, writing.role, _NOT_WRITTEN, why=answer.why)
        return replace(state, writing=replace(writing, stage="verify")), (Read(state.pad),)
    try:
        verified = answer.ok and role_in(answer.message) == writing.role
    except NdefError:
        verified = False
    if not verified:
        return _give_up(state, _DIFFERS)
    return _accept(state, writing.uid, writing.role)


# Answers after which the same disc may well do: it lay badly, or not long enough.
_TRY_AGAIN = frozenset(
    {"no-tag", "two-tags", "unreadable", "checksum", "phone", "busy", "no-answer"}
    | {"reader-fault", "reader-retry", "reader-reset", "reader-failed"}
)
_DIFFERS = N_("what was written did not read back: lay the disc down again, or take another")
_NOT_WRITTEN = N_("it could not be written on ({why}), which does no harm")
_FOREIGN = N_("it holds something else, which was left alone; that does no harm")


def _looked(state: Enrolment, writing: Writing, answer: Answer) -> Outcome:
    """The disc was read before writing: a record that is not ours is somebody's, and stays."""
    if answer.ok and answer.message:
        try:
            role_in(answer.message)
        except NdefError:
            return _accept(state, writing.uid, writing.role, _FOREIGN)
    elif not answer.ok and answer.why not in _BLANK:
        return _accept(state, writing.uid, writing.role, _NOT_WRITTEN, why=answer.why)
    try:
        message = message_for(writing.role)
    except NdefError as error:
        return _accept(state, writing.uid, writing.role, error.template, **error.params)
    return replace(state, writing=replace(writing, stage="write")), (Write(state.pad, message),)


# Answers to reading which mean that there is nothing on the disc yet.
_BLANK = frozenset({"no-message"})


def _give_up(state: Enrolment, why: str) -> Outcome:
    state = replace(state, writing=None)
    return state, _refuse(state, why)


def _accept(state: Enrolment, uid: str, role: Role, note: str = "", **params: object) -> Outcome:
    before = state.registry
    registry = before
    if state.replacing:
        for old in before.with_role(role):
            registry = registry.without(old.uid)
    token = Token(uid, role, state.owner)
    registry = registry.plus(token)
    state = replace(
        state, registry=registry, queue=state.queue[1:], writing=None, history=(*state.history, (token, before))
    )
    said = [Say("ok", N_("{disc}: done"), role=role), *([Say("note", note, params)] if note else [])]
    return state, (Save(registry), Signal(state.pad, "ok"), *said, *_ask(state))


def _undo(state: Enrolment) -> Outcome:
    if state.writing or not state.history:
        return state, ()
    token, before = state.history[-1]
    queue = (token.role, *(role for role in state.queue if role != token.role))
    state = replace(state, registry=before, queue=queue, history=state.history[:-1])
    undone = Say("note", N_("taken back: {disc}"), role=token.role)
    return state, (Save(before), Signal(state.pad, "undo"), undone, *_ask(state))


def _off(state: Enrolment, pad: str) -> Enrolment:
    return replace(state, lying={other: uid for other, uid in state.lying.items() if other != pad})


def _refuse(
    state: Enrolment, why: str, role: Role | None = None, *, pad: str = "", **params: object
) -> tuple[Command, ...]:
    return Signal(pad or state.pad, "refused"), Say("refused", why, params, role)


def _ask(state: Enrolment) -> tuple[Command, ...]:
    """Light the pixel of what is asked for, and say it."""
    colours, effects = prompt(state.asked, {token.role for token in state.registry}, state.roles)
    done, total = state.progress
    params = {"done": done, "total": total, "pad": state.pad}
    if state.finished:
        said = Say("done", N_("all {total} discs are enrolled"), params)
    elif state.asked is None:
        said = Say("note", N_("paused after {done} of {total} discs"), params)
    elif state.asked.kind is TokenKind.TROOPER:
        said = Say("ask", N_("stick a tag to it and lay it on pad {pad}: {disc}"), params, state.asked)
    else:
        said = Say("ask", N_("lay on pad {pad}: {disc}"), params, state.asked)
    return Show(state.pad, (colours, effects)), said
