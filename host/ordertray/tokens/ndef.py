"""The NDEF record on a disc: one URI of our own scheme, so that a phone shows what the disc is. Never needed for play.

    ordertray:regular?group=1&number=3
    ordertray:trooper?trooper=captain

The owner is not written: discs lie open on the table, and the registry knows. NTAG213 has 144 bytes of user memory
(NXP NTAG213/215/216 data sheet, 8.5), of which the TLV around the message takes three (NFC Forum Type 2 Tag, 2.3).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ordertray.files.extras import install_command
from ordertray.messages import N_
from ordertray.tokens.model import STATES, Role, TokenKind

SCHEME = "ordertray"
NTAG213_BYTES = 144
_TLV_NDEF, _TLV_END = 0x03, 0xFE


class NdefError(ValueError):
    """A record is not ours, cannot be read, or does not fit; `template` (marked for translation) says which."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template.format(**params))
        self.template = template
        self.params = params


def _library() -> Any:
    """The extra `nfc`; play does without it."""
    try:
        import ndef  # type: ignore[import-untyped]
    except ImportError:
        raise NdefError(N_("writing discs needs one more package: {command}"), command=install_command("nfc")) from None
    return ndef


def uri_of(role: Role) -> str:
    """The URI of a disc, without its owner."""
    fields = {"group": role.group, "number": role.number, "trooper": role.trooper, "state": role.state}
    query = urlencode({name: value for name, value in fields.items() if value is not None}, quote_via=quote, safe="")
    return f"{SCHEME}:{role.kind.value}" + (f"?{query}" if query else "")


def role_of(uri: str) -> Role:
    """What a disc's URI says. Raises `NdefError` for any other text."""
    try:
        parts = urlsplit(uri)
        fields = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), errors="strict")
        if parts.scheme != SCHEME or parts.netloc or parts.fragment:
            raise NdefError(N_("this is no disc of the order tray"))
        kind = TokenKind(parts.path)
        values = dict(fields)
        if len(values) != len(fields) or not values.keys() <= {"group", "number", "trooper", "state"}:
            raise NdefError(N_("this disc was written by another version of the order tray"))
        numbers = {name: int(values[name]) for name in ("group", "number") if name in values}
        state = values.get("state")
        if any(not 1 <= number <= 999 for number in numbers.values()) or (state is not None and state not in STATES):
            raise NdefError(N_("this disc was written by another version of the order tray"))
        return Role(kind, numbers.get("group"), numbers.get("number"), values.get("trooper"), state)
    except NdefError:
        raise
    except ValueError:
        raise NdefError(N_("this is no disc of the order tray")) from None


def message_for(role: Role) -> bytes:
    """The NDEF message of a disc: one URI record. Raises `NdefError` if it would not fit on an NTAG213."""
    ndef = _library()
    message = b"".join(ndef.message_encoder([ndef.UriRecord(uri_of(role))]))
    if len(tlv(message)) > NTAG213_BYTES:
        raise NdefError(N_("this record does not fit on the disc (NTAG213, 144 bytes): the trooper's id is too long"))
    return message


def role_in(message: bytes) -> Role:
    """What an NDEF message says, read from its first record. Raises `NdefError` if it is none of ours."""
    ndef = _library()
    try:
        records = list(ndef.message_decoder(message, errors="strict"))
    except (ndef.DecodeError, ValueError):
        raise NdefError(N_("the record on this disc cannot be read")) from None
    if len(records) != 1 or not isinstance(records[0], ndef.UriRecord):
        raise NdefError(N_("this is no disc of the order tray"))
    return role_of(records[0].iri)


def tlv(message: bytes) -> bytes:
    """The bytes for a Type 2 tag's memory from page 4 on: the message in its TLV, closed by the terminator.

    Messages of 255 bytes and more are not for NTAG213 and raise `NdefError`.
    """
    if len(message) > 254:
        raise NdefError(N_("this record does not fit on the disc (NTAG213, 144 bytes): the trooper's id is too long"))
    return bytes([_TLV_NDEF, len(message)]) + message + bytes([_TLV_END])


def message_in(memory: bytes) -> bytes:
    """The NDEF message in a tag's memory from page 4 on. Raises `NdefError` if there is none."""
    place = 0
    while place + 1 < len(memory) and memory[place] != _TLV_END:
        kind, length = memory[place], memory[place + 1]
        if kind == 0:  # NULL TLV: one byte alone
            place += 1
            continue
        if length == 0xFF or place + 2 + length > len(memory):
            break
        if kind == _TLV_NDEF:
            return memory[place + 2 : place + 2 + length]
        place += 2 + length
    raise NdefError(N_("there is no record on this disc"))
