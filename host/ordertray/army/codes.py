"""Army codes: the share codes of the official army builder, decoded and encoded in all four framings.

A code is Base64 of: sectorial id, sectorial slug, list name, points limit, number of groups, groups. A *number* is
one byte below 128, else two bytes `((b1 & 127) << 8) | b2`; a *string* is the number of its bytes, then UTF-8. The
groups come in four framings, which the code does not name: all four are tried, and exactly one must fit.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ordertray.army.code_text import ArmyCodeError, Readings, bytes_of
from ordertray.messages import N_

__all__ = ["ArmyCode", "ArmyCodeError", "CodeGroup", "Framing", "Member", "decode", "encode", "summary"]

MAXIMUM_NUMBER = 0x7FFF


class Framing(StrEnum):
    """How groups and members are framed; which builder wrote the code."""

    L0 = "L0"
    V0 = "V0"
    V1 = "V1"
    V1M = "V1M"


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
            raise self.fail(
                N_("byte {byte}: {what} should be {allowed}, found {found}"),
                byte=position,
                what=what,
                allowed="/".join(map(str, allowed)),
                found=value,
            )
        return value


def decode(text: str) -> ArmyCode:
    """Decode an army code: bare, URL-encoded, unpadded, wrapped over lines, or a whole link `.../army/list/<code>`.

    Raises `ArmyCodeError` when the text is no code, or when none or several of the framings fit; the message says what
    was read.
    """
    data = bytes_of(text)
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
            N_("this army code fits none of the four known framings (read so far: {read}):\n{readings}"),
            read=", ".join(read),
            readings=Readings(tuple(faults)),
        )
    raise ArmyCodeError(
        N_("this army code can be read in more than one way, so none is taken (read so far: {read}):\n{readings}"),
        read=", ".join(read),
        readings=Readings(tuple((reading.framing.value, summary(reading)) for reading in readings)),
    )


def encode(code: ArmyCode, *, url: bool = False, padded: bool = True) -> str:
    """Encode an army code in its own framing.

    `url` percent-encodes it for a link, `padded=False` leaves out the `=` signs. Raises `ArmyCodeError` for what the
    framing cannot say (a number above 32767, a change outside V1M, ...), and for the rare code which a reader could not
    tell from another framing (an army without groups, for example).
    """
    text = base64.b64encode(_encoded_bytes(code)).decode("ascii")
    decode(text)  # several readings: say so here, not at the friend's end
    if not padded:
        text = text.rstrip("=")
    return text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D") if url else text


def summary(code: ArmyCode) -> str:
    """One line for messages: the groups and their members' ids."""
    groups = [
        f"group {number}: " + (" ".join(f"{m.unit}.{m.group}.{m.option}" for m in group.members) or "empty")
        for number, group in enumerate(code.groups, 1)
    ]
    return "; ".join(groups) or "no groups"


def _groups(reader: _Reader, framing: Framing, count: int) -> tuple[CodeGroup, ...]:
    groups = []
    for number in range(1, count + 1):
        reader.expect(N_("group number"), number)
        reinforcement = False
        if framing is Framing.V0:
            reader.expect(N_("group header"), 0)
        elif framing in (Framing.V1, Framing.V1M):
            reader.expect(N_("group header"), 1)
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
            raise reader.fail(
                N_("byte {byte}: {what} should be {allowed}, found {found}"),
                byte=position,
                what=N_("member ordinal"),
                allowed=ordinal,
                found=found,
            )
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
    if not _is_change(text):
        raise reader.fail(N_("byte {byte}: the changes are not a JSON list of objects"), byte=position)
    return text


def _is_change(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _number_bytes(value: int, what: str) -> bytes:
    if not 0 <= value <= MAXIMUM_NUMBER:
        raise ArmyCodeError(N_("{what} {value} does not fit into an army code (0 to 32767)"), what=what, value=value)
    return bytes([value]) if value < 128 else bytes([value >> 8 | 128, value & 255])


def _string_bytes(text: str, what: str) -> bytes:
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ArmyCodeError(N_("{what} holds characters that UTF-8 cannot write"), what=what) from None
    return _number_bytes(len(raw), what) + raw


def _encoded_bytes(code: ArmyCode) -> bytes:
    parts = [
        _number_bytes(code.sectorial_id, N_("sectorial id")),
        _string_bytes(code.sectorial_slug, N_("sectorial slug")),
        _string_bytes(code.name, N_("list name")),
        _number_bytes(code.points, N_("points limit")),
        _number_bytes(len(code.groups), N_("group count")),
    ]
    if len(code.groups) > 127:  # group numbers are single bytes
        raise ArmyCodeError(N_("{count} groups do not fit into an army code"), count=len(code.groups))
    for number, group in enumerate(code.groups, 1):
        parts.append(bytes([number]) + _header_bytes(code.framing, group))
        parts.append(_number_bytes(len(group.members), N_("number of members")))
        parts.extend(_member_bytes(code.framing, ordinal, member) for ordinal, member in enumerate(group.members, 1))
    return b"".join(parts)


def _header_bytes(framing: Framing, group: CodeGroup) -> bytes:
    if framing in (Framing.V1, Framing.V1M):
        return bytes([1, group.reinforcement])
    if group.reinforcement:
        raise ArmyCodeError(N_("framing {framing} cannot mark a reinforcement group"), framing=framing.value)
    return b"\0" if framing is Framing.V0 else b""


def _member_bytes(framing: Framing, ordinal: int, member: Member) -> bytes:
    start = _number_bytes(ordinal, N_("member ordinal")) if framing is Framing.V0 else b"\0"
    ids: Sequence[tuple[int, str]] = (
        (member.unit, N_("unit id")),
        (member.group, N_("group id")),
        (member.option, N_("option id")),
    )
    body = start + b"".join(_number_bytes(value, what) for value, what in ids) + b"\0"
    if framing is not Framing.V1M:
        if member.changes is not None:
            raise ArmyCodeError(N_("framing {framing} cannot hold a member's changes"), framing=framing.value)
        return body
    if member.changes is None:
        return body + b"\0"
    if not all(_is_change(text) for text in member.changes):
        raise ArmyCodeError(N_("the changes are not a JSON list of objects"))
    changes = b"".join(_string_bytes(text, N_("changes")) for text in member.changes)
    return body + b"\1" + _number_bytes(len(member.changes), N_("number of changes")) + changes
