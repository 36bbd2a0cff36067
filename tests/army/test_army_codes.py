"""Army codes: the framings, every form they travel in, and what is no code."""

from __future__ import annotations

import base64
import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.army.code_writing import encode
from ordertray.army.codes import ArmyCode, ArmyCodeError, CodeGroup, Framing, Member, decode

numbers = st.one_of(st.integers(0, 130), st.integers(0, 0x7FFF))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
changes = st.sampled_from(["[]", '[{"type":"stat","stat":"bs","q":1}]', '[{"type": "skill", "id": "é"}]'])


@st.composite
def army_codes(draw: st.DrawFn) -> ArmyCode:
    """Any code that can be written, in any framing."""
    framing = draw(st.sampled_from(sorted(CODES)))
    members = st.builds(
        Member,
        unit=numbers,
        group=numbers,
        option=numbers,
        changes=st.none() | st.lists(changes, max_size=2).map(tuple) if framing is Framing.V1M else st.none(),
    )
    groups = st.builds(
        CodeGroup,
        members=st.lists(members, max_size=25).map(tuple),
        reinforcement=st.booleans() if framing in (Framing.V1, Framing.V1M) else st.just(False),
    )
    return ArmyCode(
        sectorial_id=draw(numbers),
        sectorial_slug=draw(texts),
        name=draw(texts),
        points=draw(numbers),
        groups=tuple(draw(st.lists(groups, max_size=4))),
        framing=framing,
    )


CODES = {
    Framing.L0: "axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAwAhAQQAAIMHAQEAABABAQACAQCAggEBAA==",
    Framing.V0: "axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAAMBIQEEAAKDBwEBAAMQAQEAAgABAYCCAQEA",
    Framing.V1: "axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAQADACEBBAAAgwcBAQAAEAEBAAIBAAEAgIIBAQA=",
    Framing.V1M: "axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAQADACEBBAAAAIMHAQEAAQEjW3sidHlwZSI6InN0YXQi"
    "LCJzdGF0IjoiYnMiLCJxIjoxfV0AEAEBAAACAQEBAICCAQEAAA==",
}


def expected(framing: Framing) -> ArmyCode:
    """What each of the four made-up codes says."""
    changes = ('[{"type":"stat","stat":"bs","q":1}]',) if framing is Framing.V1M else None
    first = CodeGroup((Member(33, 1, 4), Member(775, 1, 1, changes), Member(16, 1, 1)))
    second = CodeGroup((Member(130, 1, 1),), reinforcement=framing is Framing.V1M)
    return ArmyCode(107, "kestrel-colonial-force", "Demo", 300, (first, second), framing)


@pytest.mark.parametrize("framing", CODES)
def test_each_framing_decodes_and_encodes(framing: Framing) -> None:
    assert decode(CODES[framing]) == expected(framing)
    assert encode(expected(framing)) == CODES[framing]


@pytest.mark.parametrize("framing", CODES)
@pytest.mark.parametrize(
    "form",
    [
        lambda code: code.rstrip("="),
        lambda code: quote(code, safe=""),
        lambda code: quote(quote(code, safe=""), safe=""),
        lambda code: quote(code.rstrip("="), safe=""),
        lambda code: f"  {code}\n",
        lambda code: "\r\n  ".join(re.findall(".{1,30}", code)),
        lambda code: f"https://army.example/army/list/{code}",
        lambda code: f"https://army.example/army/list/{quote(code, safe='')}?lang=es#top",
        lambda code: f"<https://army.example/en/army/list/{code.rstrip('=')}>",
    ],
)
def test_each_form_a_code_travels_in(framing: Framing, form: object) -> None:
    assert callable(form)
    assert decode(form(CODES[framing])) == expected(framing)


ZERO_WIDTH = "\u200b"


@pytest.mark.parametrize("framing", CODES)
@pytest.mark.parametrize(
    "form",
    [
        "`{code}`",
        "```\n{code}\n```",
        "**{code}**",
        "_{code}_",
        "\u201c{code}\u201d",
        "my list: {code}",
        "my list: {bare} see you on Friday!",
        "Hi Ana, this one (300 points): {link} see you",
        "[my list]({link})",
        "[my list]({link} 'title')",
        "<{link}>",
        "{link}/",
        "{code}/",
        "{bare}===",
        "{quoted}%3D7",
        "{code}{zero}",
        "{zero}{code}",
        "{safe}",
        "army list {code}",
        "army.example/army/list/{bare}",
        "> {first}\n> {second}\n> -- Ana",
        "{first} {second}",
        "{first}\\\n{second}",
        "{code}\n{code}",
        "https://army.example/units/12 {code}",
    ],
)
def test_codes_as_people_paste_them(framing: Framing, form: str) -> None:
    code = CODES[framing]
    text = form.format(
        code=code,
        bare=code.rstrip("="),
        quoted=quote(code.rstrip("="), safe=""),
        link=f"https://army.example/army/list/{quote(code, safe='')}",
        safe=code.replace("+", "-").replace("/", "_"),
        first=code[:40],
        second=code[40:],
        zero=ZERO_WIDTH,
    )
    assert decode(text) == expected(framing)


def test_blanks_where_a_link_lost_its_plus_signs() -> None:
    army = ArmyCode(107, "kestrel", "Demo", 300, (CodeGroup((Member(1006, 248, 1007),) * 9),))
    code = encode(army)
    assert code.count("+") > 3
    assert decode(code.replace("+", " ")) == army
    assert decode(f"my list {code.replace('+', ' ')}") == army


def test_two_codes_in_one_text_are_refused_by_name() -> None:
    one, two = (encode(ArmyCode(1, "amber", name, 300, (CodeGroup((Member(1, 1, 1),)),))) for name in ("One", "Two"))
    with pytest.raises(ArmyCodeError, match=r"2 army codes in this text \('amber' 'One'; 'amber' 'Two'\): paste one"):
        decode(f"first {one}, then {two}")
    assert decode(f"{one} and again {one}").name == "One"


@pytest.mark.parametrize(
    ("groups", "members"),
    [
        # header V0 and V1 in turn, members with zeros, ordinals, and others
        (bytes.fromhex("010002 0121010400 0210010100 02010001 0005010100"), (2, 1)),
        (bytes.fromhex("01010003 0021010400 0210010100 0011010100 02010101 1305010100"), (3, 1)),
        # the empty first group, and those between, are left out
        (bytes.fromhex("02010001 0105010100 06010001 0105010100"), (0, 1, 0, 0, 0, 1)),
    ],
)  # fmt: skip
def test_mixed_framing_is_read_where_no_other_fits(groups: bytes, members: tuple[int, ...]) -> None:
    army = decode(base64.b64encode(b"\x01\x05amber\x04Demo\x81\x2c\x02" + groups).decode())
    assert army.framing is Framing.MIXED
    assert tuple(len(group.members) for group in army.groups) == members
    assert army.groups[-1].members[-1] == Member(5, 1, 1)
    again = decode(encode(army))
    assert (again.groups, again.framing) == (army.groups, Framing.V1)


def test_mixed_framing_takes_no_group_twice_and_none_beyond_reason() -> None:
    for numbers in (b"\x01\x01", b"\x02\x01", b"\x01\x15"):
        groups = b"".join(bytes([number, 1, 0, 1]) + b"\x01\x05\x01\x01\x00" for number in numbers)
        with pytest.raises(ArmyCodeError, match=r"mixed: byte \d+: group number should be"):
            decode(base64.b64encode(b"\x01\x05amber\x04Demo\x81\x2c\x02" + groups).decode())


def test_encoding_for_links() -> None:
    code = encode(expected(Framing.V1), url=True)
    assert "+" not in code and "/" not in code and "=" not in code
    assert decode(code) == expected(Framing.V1)
    assert encode(expected(Framing.L0), padded=False) == CODES[Framing.L0].rstrip("=")


def test_a_code_with_slashes_survives_a_link() -> None:
    army = ArmyCode(0x7FFF, "??>>??", "", 300, (CodeGroup((Member(255, 255, 255),)),))
    assert "/" in encode(army)
    assert decode(f"https://army.example/army/list/{encode(army)}") == army


def test_unnamed_list_has_an_empty_title() -> None:
    army = ArmyCode(1, "x", " ", 300, (CodeGroup((Member(1, 1, 1),)),))
    assert decode(encode(army)).name == " "
    assert decode(encode(army)).title == ""


@pytest.mark.parametrize("framing", CODES)
def test_every_truncation_is_refused_with_what_was_read(framing: Framing) -> None:
    data = base64.b64decode(CODES[framing])
    for length in range(1, len(data)):
        with pytest.raises(ArmyCodeError) as caught:
            decode(base64.b64encode(data[:length]).decode())
        if length > 24:
            assert "sectorial 107, 'kestrel-colonial-force'" in str(caught.value)


@pytest.mark.parametrize("framing", CODES)
def test_trailing_bytes_are_refused(framing: Framing) -> None:
    data = base64.b64decode(CODES[framing]) + b"\0"
    with pytest.raises(ArmyCodeError, match=rf"{framing.value}: byte {len(data) - 1}: 1 bytes too many"):
        decode(base64.b64encode(data).decode())


def test_several_readings_are_named_and_none_is_taken() -> None:
    # Without members V1 and V1M look alike.
    code = base64.b64encode(b"\x01\x01x\x01y\x64\x01\x01\x01\x00\x00").decode()
    with pytest.raises(ArmyCodeError, match=r"(?s)more than one way.*V1: group 1: empty.*V1M: group 1: empty"):
        decode(code)
    with pytest.raises(ArmyCodeError, match="more than one way"):
        encode(ArmyCode(1, "x", "y", 100, (CodeGroup(),)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (" \n\u200b", "empty"),
        ("...", "no army code in this text"),
        ("https://army.example/units/12", "holds no army code"),
        ("https://army.example/army/list/", "nothing stands after '/list/'"),
        (
            "my list: https://army.example/army/list/q7xpsn4Zeh",
            "'q7xpsn4Zeh' is a list's number on the builder's server",
        ),
        ("axZr!", "cut short or garbled: byte 2: sectorial slug should have 22 bytes, the code ends after 1"),
        ("axZrZ", "5 characters are not whole bytes"),
        ("axZrZX=aaa", "'=' may only end"),
        ("axZrZX", "stray bits"),
        ("a" * 200_000, "far too many"),
        ("Zg==", r"sectorial slug.*read so far: sectorial 102"),
        ("AQH/AQEBAQ==", "sectorial slug is not UTF-8"),
    ],
)
def test_what_is_no_code_is_refused_in_one_message(text: str, message: str) -> None:
    with pytest.raises(ArmyCodeError, match=message):
        decode(text)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (ArmyCode(32768, "x", "y", 300, (CodeGroup((Member(1, 1, 1),)),)), "sectorial id 32768 does not fit"),
        (ArmyCode(1, "x", "y", -1, (CodeGroup((Member(1, 1, 1),)),)), "points limit -1 does not fit"),
        (ArmyCode(1, "x", "\ud800", 300), "list name holds characters"),
        (ArmyCode(1, "x", "y", 300, (CodeGroup(reinforcement=True),), Framing.V0), "V0 cannot mark a reinforcement"),
        (ArmyCode(1, "x", "y", 300, (CodeGroup((Member(1, 1, 1, ("[]",)),)),)), "V1 cannot hold a member's changes"),
        (ArmyCode(1, "x", "y", 300, (CodeGroup((Member(1, 1, 1, ("7",)),)),), Framing.V1M), "not a JSON list"),
        (ArmyCode(1, "x", "y", 300, (CodeGroup(),) * 128), "128 groups do not fit"),
    ],
)
def test_what_a_framing_cannot_say_is_refused(code: ArmyCode, message: str) -> None:
    with pytest.raises(ArmyCodeError, match=message):
        encode(code)


def test_changes_nested_beyond_reason_are_a_fault_of_the_code() -> None:
    nested = "[" * 6_000
    good = encode(ArmyCode(1, "x", "y", 300, (CodeGroup((Member(1, 1, 1, ("[]",)),)),), Framing.V1M))
    data = base64.b64decode(good)
    length = len(nested)
    bad = data[:-3] + bytes([length >> 8 | 128, length & 255]) + nested.encode()
    with pytest.raises(ArmyCodeError, match="not a JSON list of objects"):
        decode(base64.b64encode(bad).decode())


@settings(max_examples=60)
@given(army_codes())
def test_what_is_encoded_decodes_to_itself_or_is_refused_as_ambiguous(army: ArmyCode) -> None:
    try:
        code = encode(army)
    except ArmyCodeError as fault:
        assert "more than one way" in str(fault)
        return
    assert decode(code) == army
    assert decode(encode(army, url=True, padded=False)) == army


@settings(max_examples=200)
@given(st.sampled_from(sorted(CODES)), st.data())
def test_garbled_codes_never_crash(framing: Framing, data: st.DataObject) -> None:
    raw = bytearray(base64.b64decode(CODES[framing]))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        army = decode(base64.b64encode(raw).decode())
    except ArmyCodeError as fault:
        assert str(fault)
    else:
        assert decode(encode(army)).groups == army.groups


@settings(max_examples=100)
@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: base64.b64encode(raw).decode()))
def test_arbitrary_text_never_crashes(text: str) -> None:
    try:
        decode(text)
    except ArmyCodeError as fault:
        assert str(fault)
