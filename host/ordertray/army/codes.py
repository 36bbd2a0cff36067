"""Army codes: the share codes of the official army builder, decoded. `code_writing` encodes them.

A code is Base64 of: sectorial id, sectorial slug, list name, points limit, number of groups, groups. A *number* is
one byte below 128, else two bytes `((b1 & 127) << 8) | b2`; a *string* is the number of its bytes, then UTF-8. The
groups come in framings which the code does not name: all are tried, and exactly one must fit. What fits none of the
four is tried as `mixed`, of the weeks in which the builder changed from V0 to V1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ordertray.army.code_text import ArmyCodeError, Readings, bytes_of, candidates
from ordertray.messages import N_

__all__ = ["ArmyCode", "ArmyCodeError", "CodeGroup", "Framing", "Member", "decode", "decode_bytes", "summary"]

MOST_GROUPS = 20  # of a mixed code, whose groups may leave numbers out
MOST_ORDINAL = 30  # of a mixed code's member; 19 is the largest seen


class Framing(StrEnum):
    """How groups and members are framed; which builder wrote the code."""

    L0 = "L0"
    V0 = "V0"
    V1 = "V1"
    V1M = "V1M"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a group: ids of the army data. `group` 0 is a unit-level bundle.

    `changes`: JSON arrays of a SpecOps' changes, V1M only; `None` where the code has none.
    """

    unit: int
    group: int
    option: int
    changes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CodeGroup:
    """One combat group as the code has it. `reinforcement` exists in V1 and V1M only."""

    members: tuple[Member, ...] = ()
    reinforcement: bool = False


@dataclass(frozen=True, slots=True)
class ArmyCode:
    """What an army code says. It holds no costs, orders or skills: those come from the army data of `sectorial_id`."""

    sectorial_id: int
    sectorial_slug: str
    name: str
    points: int
    groups: tuple[CodeGroup, ...] = field(default=())
    framing: Framing = Framing.V1

    @property
    def title(self) -> str:
        """The list's name without the blank which stands for "unnamed"."""
        return self.name.strip()


class _Reader:
    """Reads numbers and strings off a buffer; every failure names its byte."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def fail(self, template: str, **params: object) -> ArmyCodeError:
        return ArmyCodeError(template, **{"byte": self.position, **params})

    def byte(self, what: str) -> int:
        if self.position >= len(self.data):
            raise self.fail(N_("byte {byte}: the code ends where {what} should stand"), what=what)
        value = self.data[self.position]
        self.position += 1
        return value

    def number(self, what: str) -> int:
        first = self.byte(what)
        return first if first < 128 else (first & 127) << 8 | self.byte(what)

    def string(self, what: str) -> str:
        length = self.number(what)
        raw = self.data[self.position : self.position + length]
        if len(raw) < length:
            raise self.fail(
                N_("byte {byte}: {what} should have {length} bytes, the code ends after {found}"),
                what=what,
                length=length,
                found=len(raw),
            )
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.fail(
                N_("byte {byte}: {what} is not UTF-8"), byte=self.position + error.start, what=what
            ) from None
        self.position += length
        return text

    def expect(self, what: str, *allowed: int) -> int:
        position = self.position
        value = self.byte(what)
        if value not in allowed:
            raise self.wrong(position, what, "/".join(map(str, allowed)), value)
        return value

    def wrong(self, position: int, what: str, allowed: object, found: int) -> ArmyCodeError:
        template = N_("byte {byte}: {what} should be {allowed}, found {found}")
        return self.fail(template, byte=position, what=what, allowed=allowed, found=found)


def decode(text: str) -> ArmyCode:
    """Decode an army code out of whatever it was pasted in: bare, a link, a sentence, backticks, wrapped over lines.

    Raises `ArmyCodeError` when there is no code in the text, when none or several of the framings fit, or when there
    are several codes; the message says what was read.
    """
    strict: dict[ArmyCode, bytes] = {}
    loose: dict[ArmyCode, bytes] = {}
    first_fault: ArmyCodeError | None = None
    for form in candidates(text):
        try:
            data = bytes_of(form)
            army = decode_bytes(data)
        except ArmyCodeError as fault:
            first_fault = first_fault or fault
        else:
            (loose if army.framing is Framing.MIXED else strict)[army] = data
    read = strict or loose
    # The first lines of a wrapped code can be a whole one of their own: the longer one is meant.
    found = [army for army, data in read.items() if not any(o != data and o.startswith(data) for o in read.values())]
    if len(found) > 1:
        shown = "; ".join(f"{army.sectorial_slug!r} {army.title!r}" for army in found[:5])
        raise ArmyCodeError(
            N_("there are {count} army codes in this text ({shown}): paste one of them"), count=len(found), shown=shown
        )
    if found:
        return found[0]
    assert first_fault is not None
    raise first_fault


def decode_bytes(data: bytes) -> ArmyCode:
    """The one reading of a code's bytes. Raises `ArmyCodeError` when none or several of the framings fit."""
    reader = _Reader(data)
    read: list[str] = []
    try:
        header = ArmyCode(sectorial_id := reader.number(N_("sectorial id")), "", "", 0)
        read.append(f"sectorial {sectorial_id}")
        header = replace(header, sectorial_slug=reader.string(N_("sectorial slug")))
        read.append(f"{header.sectorial_slug!r}")
        header = replace(header, name=reader.string(N_("list name")))
        read.append(f"list {header.name!r}")
        header = replace(header, points=reader.number(N_("points limit")))
        read.append(f"{header.points} points")
        group_count = reader.number(N_("group count"))
        read.append(f"{group_count} groups")
    except ArmyCodeError as fault:
        raise ArmyCodeError(
            N_("this army code is cut short or garbled: {fault} (read so far: {read})"),
            fault=fault,
            read=", ".join(read) or "-",
        ) from None
    readings: list[ArmyCode] = []
    faults: list[tuple[str, ArmyCodeError | str]] = []
    for framing in Framing:
        if framing is Framing.MIXED and readings:
            break  # it would take much for its own: only what fits no other
        try:
            groups = _groups(_Reader(data, reader.position), framing, group_count)
        except ArmyCodeError as fault:
            faults.append((framing.value, fault))
        else:
            readings.append(replace(header, groups=groups, framing=framing))
    if len(readings) == 1:
        return readings[0]
    if not readings:
        raise ArmyCodeError(
            N_("this army code fits none of the known framings (read so far: {read}):\n{readings}"),
            read=", ".join(read),
            readings=Readings(tuple(faults)),
        )
    raise ArmyCodeError(
        N_("this army code can be read in more than one way, so none is taken (read so far: {read}):\n{readings}"),
        read=", ".join(read),
        readings=Readings(tuple((reading.framing.value, summary(reading)) for reading in readings)),
    )


def summary(code: ArmyCode) -> str:
    """One line for messages: the groups and their members' ids."""
    groups = [
        f"group {number}: " + (" ".join(f"{m.unit}.{m.group}.{m.option}" for m in group.members) or "empty")
        for number, group in enumerate(code.groups, 1)
    ]
    return "; ".join(groups) or "no groups"


def _groups(reader: _Reader, framing: Framing, count: int) -> tuple[CodeGroup, ...]:
    groups: list[CodeGroup] = []
    for _number in range(count):
        if framing is Framing.MIXED:
            # Groups without members are left out: their numbers are missing.
            position, number = reader.position, reader.number(N_("group number"))
            if not len(groups) < number <= MOST_GROUPS:
                raise reader.wrong(position, N_("group number"), f"{len(groups) + 1}-{MOST_GROUPS}", number)
            groups.extend([CodeGroup()] * (number - 1 - len(groups)))
        else:
            reader.expect(N_("group number"), len(groups) + 1)
        reinforcement = False
        header: tuple[int, ...] = {Framing.L0: (), Framing.V0: (0,), Framing.MIXED: (0, 1)}.get(framing, (1,))
        if header and reader.expect(N_("group header"), *header):
            reinforcement = bool(reader.expect(N_("reinforcement flag"), 0, 1))
        size = reader.number(N_("number of members"))
        members = tuple(_member(reader, framing, ordinal) for ordinal in range(1, size + 1))
        groups.append(CodeGroup(members, reinforcement))
    if left := len(reader.data) - reader.position:
        raise reader.fail(N_("byte {byte}: {left} bytes too many after the last group"), left=left)
    return tuple(groups)


def _member(reader: _Reader, framing: Framing, ordinal: int) -> Member:
    if framing is Framing.V0:
        position = reader.position
        if (found := reader.number(N_("member ordinal"))) != ordinal:
            raise reader.wrong(position, N_("member ordinal"), ordinal, found)
    elif framing is Framing.MIXED:
        position, found = reader.position, reader.number(N_("member ordinal"))
        if found > MOST_ORDINAL:  # its place, 0 or another's: it varies within one group
            raise reader.wrong(position, N_("member ordinal"), f"0-{MOST_ORDINAL}", found)
    else:
        reader.expect(N_("member start"), 0)
    unit, group, option = reader.number(N_("unit id")), reader.number(N_("group id")), reader.number(N_("option id"))
    reader.expect(N_("member end"), 0)
    changes = None
    if framing is Framing.V1M and reader.expect(N_("changes flag"), 0, 1):
        changes = tuple(_change(reader) for _ in range(reader.number(N_("number of changes"))))
    return Member(unit, group, option, changes)


def _change(reader: _Reader) -> str:
    position = reader.position
    text = reader.string(N_("changes"))
    if not is_change(text):
        raise reader.fail(N_("byte {byte}: the changes are not a JSON list of objects"), byte=position)
    return text


def is_change(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
