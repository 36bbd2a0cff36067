"""NDEF records of discs: what is written is read back, it fits, and nothing else is taken for ours."""

from __future__ import annotations

import ndef  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.rules.army import Army
from ordertray.tokens.model import STATES, Role, TokenKind
from ordertray.tokens.ndef import NTAG213_BYTES, NdefError, message_for, message_in, role_in, role_of, tlv, uri_of
from ordertray.tokens.virtual import roles_for

roles = st.builds(
    Role,
    kind=st.sampled_from(TokenKind),
    group=st.none() | st.integers(1, 15),
    number=st.none() | st.integers(1, 999),
    trooper=st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
    state=st.none() | st.sampled_from(STATES),
)


def test_the_record_is_one_uri_a_phone_can_show() -> None:
    message = message_for(Role(TokenKind.REGULAR, 1, 3))
    (record,) = ndef.message_decoder(message)
    assert record.type == "urn:nfc:wkt:U"
    assert record.iri == "ordertray:regular?group=1&number=3"
    # Byte for byte: first and last record, short, well known (D1), type length 1, payload length, "U", no URI prefix.
    assert message == bytes([0xD1, 0x01, 35, 0x55, 0x00]) + b"ordertray:regular?group=1&number=3"


def test_every_disc_of_the_examples_fits_and_reads_back(red: Army, blue: Army) -> None:
    for role in (*roles_for(red), *roles_for(blue)):
        memory = tlv(message_for(role))
        assert len(memory) <= NTAG213_BYTES
        assert role_in(message_in(memory + bytes(NTAG213_BYTES - len(memory)))) == role


@settings(max_examples=60)
@given(roles)
def test_any_disc_reads_back_or_is_said_not_to_fit(role: Role) -> None:
    assert role_of(uri_of(role)) == role
    try:
        message = message_for(role)
    except NdefError as error:
        assert "does not fit" in str(error)
    else:
        assert role_in(message) == role


def test_a_trooper_id_too_long_for_the_disc_is_refused() -> None:
    with pytest.raises(NdefError, match="does not fit"):
        message_for(Role(TokenKind.TROOPER, trooper="x" * 120))
    with pytest.raises(NdefError, match="does not fit"):
        message_for(Role(TokenKind.TROOPER, trooper="x" * 400))


@pytest.mark.parametrize(
    "uri",
    [
        "", "http://example.com", "ordertray:", "ordertray:pigeon", "ordertray://regular", "ordertray:regular?group=x",
        "ordertray:regular?group=0", "ordertray:regular?group=1&group=2", "ordertray:regular?colour=red",
        "ordertray:regular#x", "ordertray:state?state=tired", "ordertray:trooper?trooper=%FF",
        "ordertray:regular?group", "http://[", "ordertray:regular?group=" + "9" * 5000,
    ],
)  # fmt: skip
def test_other_uris_are_not_ours(uri: str) -> None:
    with pytest.raises(NdefError):
        role_of(uri)


@settings(max_examples=150)
@given(st.binary(max_size=150) | st.binary(max_size=60).map(tlv))
def test_any_memory_is_read_or_refused(memory: bytes) -> None:
    try:
        role_in(message_in(memory))
    except NdefError as error:
        assert str(error)


def test_other_records_are_not_ours() -> None:
    for records in ([ndef.TextRecord("hello")], [], [ndef.UriRecord("ordertray:state")] * 2):
        with pytest.raises(NdefError):
            role_in(b"".join(ndef.message_encoder(records)))


def test_tlvs_before_the_message_are_skipped() -> None:
    message = message_for(Role(TokenKind.STATE))
    lock_control = bytes([0x01, 3, 0xA0, 0x0C, 0x34])
    assert message_in(b"\0" + lock_control + tlv(message)) == message
    with pytest.raises(NdefError, match="no record"):
        message_in(bytes([0x03, 40]) + message[:5])
