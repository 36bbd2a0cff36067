"""Writing army codes: the way back from `codes`, in the framing that the code has."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace

from ordertray.army.code_text import ArmyCodeError
from ordertray.army.codes import ArmyCode, CodeGroup, Framing, Member, decode_bytes, is_change
from ordertray.messages import N_

MAXIMUM_NUMBER = 0x7FFF


def encode(code: ArmyCode, *, url: bool = False, padded: bool = True) -> str:
    """Encode an army code in its own framing; a mixed one, which nobody writes any more, in V1.

    `url` percent-encodes it for a link, `padded=False` leaves out the `=` signs. Raises `ArmyCodeError` for what the
    framing cannot say (a number above 32767, a change outside V1M, ...), and for the rare code which a reader could not
    tell from another framing (an army without groups, for example).
    """
    if code.framing is Framing.MIXED:
        code = replace(code, framing=Framing.V1)
    text = base64.b64encode(_encoded_bytes(code)).decode("ascii")
    decode_bytes(base64.b64decode(text))  # several readings: say so here, not at the friend's end
    if not padded:
        text = text.rstrip("=")
    return text.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D") if url else text


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
    if not all(is_change(text) for text in member.changes):
        raise ArmyCodeError(N_("the changes are not a JSON list of objects"))
    changes = b"".join(_string_bytes(text, N_("changes")) for text in member.changes)
    return body + b"\1" + _number_bytes(len(member.changes), N_("number of changes")) + changes
