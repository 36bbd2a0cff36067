"""The frame codec: any bytes, in any pieces; and the same answers from the real interpreter."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ordertray.sim.end_server import shown
from ordertray.sim.far_end import Interpreter
from ordertray_firmware import wire

QUICK = settings(max_examples=150, derandomize=True, deadline=None, database=None)

numbers = st.integers(0, wire.SEQUENCE_LAST)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
bodies = st.dictionaries(st.text(max_size=8), values, max_size=5).filter(
    lambda body: len(wire._printable(wire._dumps(body))) <= wire.MAX_BODY
)
frames = st.builds(wire.Frame, st.sampled_from("ABCFHLPSTZ"), numbers, numbers, st.integers(0, 0xFFFF), bodies)


def encoded(frame: wire.Frame) -> bytes:
    return wire.encode(frame.kind, frame.sequence, frame.ack, frame.session, frame.body)


def fields(frame: wire.Frame) -> tuple[Any, ...]:
    return frame.kind, frame.sequence, frame.ack, frame.session, frame.body


def cut(data: bytes, at: list[int]) -> list[bytes]:
    edges = [0, *sorted(position % (len(data) + 1) for position in at), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


GOOD = wire.Frame("T", 18, 15, 0x9F3C, {"e": "placed", "uid": "04A1B2C3D4E5F6"})


@QUICK
@given(st.lists(frames, min_size=1, max_size=4), st.lists(st.integers(0, 10_000), max_size=12))
def test_what_was_encoded_is_decoded_in_whatever_pieces(sent: list[wire.Frame], at: list[int]) -> None:
    data = b"".join(map(encoded, sent))
    assert max(data) < 0x7F and all(byte >= 0x20 or byte == 0x0A for byte in data)
    assert data.count(wire.START) == data.count(wire.END) == len(sent)
    decoder = wire.Decoder()
    got = [piece for part in cut(data, at) for piece in decoder.feed(part)]
    expected = [(*fields(frame)[:4], _as_travelled(frame.body)) for frame in sent]
    assert [fields(piece) for piece in got if isinstance(piece, wire.Frame)] == expected
    assert len(got) == len(sent)


def _as_travelled(value: Any) -> Any:
    """Characters beyond the first plane, and halves of such, do not travel whole."""
    if isinstance(value, str):
        return "".join(character if ord(character) <= 0xFFFF else "\ufffd" for character in value)
    if isinstance(value, list):
        return [_as_travelled(item) for item in value]
    if isinstance(value, dict):
        return {_as_travelled(key): _as_travelled(item) for key, item in value.items()}
    return value


@QUICK
@given(st.binary(max_size=400) | st.text('~THFB 0123456789abcdef{}":,\n', max_size=400).map(str.encode), st.data())
def test_after_any_bytes_the_next_frame_is_understood(noise: bytes, data: st.DataObject) -> None:
    decoder = wire.Decoder(keep_text=data.draw(st.booleans()))
    at = data.draw(st.lists(st.integers(0, 10_000), max_size=8))
    got = [piece for part in cut(noise + encoded(GOOD), at) for piece in decoder.feed(part)]
    assert isinstance(got[-1], wire.Frame) and fields(got[-1]) == fields(GOOD)
    for piece in got[:-1]:
        if not isinstance(piece, wire.Frame):
            assert piece.text.isascii() and piece.text.isprintable()


@QUICK
@given(st.binary(max_size=600), st.lists(st.integers(0, 10_000), max_size=12))
@example(data=b"\x00\x00", at=[1])
@example(data=b"text\x00a\x00" + b"b" * 3000 + b"\x00c\x01", at=[4, 6, 3000])
def test_pieces_do_not_matter(data: bytes, at: list[int]) -> None:
    data = data.replace(b"\x00", wire.START).replace(b"\x01", wire.END)
    whole = [shown(piece) for piece in wire.Decoder().feed(data)]
    decoder = wire.Decoder()
    assert [shown(piece) for part in cut(data, at) for piece in decoder.feed(part)] == whole


@QUICK
@given(frames, st.data())
def test_a_damaged_frame_is_never_taken_for_another(frame: wire.Frame, data: st.DataObject) -> None:
    line = bytearray(encoded(frame))
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(line) - 1))
        line[position] = data.draw(st.integers(0, 255))
    for piece in wire.Decoder().feed(bytes(line)):
        if isinstance(piece, wire.Frame):
            assert bytes(line) == encoded(frame) or encoded(piece) == encoded(frame)


@QUICK
@given(st.binary(min_size=22, max_size=200).filter(lambda body: b"\n" not in body and b"~" not in body))
def test_any_body_with_a_right_checksum_is_a_frame_or_bad(body: bytes) -> None:
    """Behind the checksum stands the JSON parser, and whoever can write a checksum reaches it."""
    line = wire.pack("T", 1, 2, 3, body)
    (piece,) = wire.Decoder().feed(line)
    assert isinstance(piece, (wire.Frame, wire.Bad))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[" * 1900, "not JSON"),
        (b'{"a":' * 380, "not JSON"),
        (b'{"a":NaN}', "not JSON"),
        (b'{"a":1}x', "not JSON"),
        (b'"text"', "not an object"),
        (b"12", "not an object"),
        (b'{"a":"\x80"}', "not printable"),
        (b'{"a":"\t"}', "not printable"),
        (b'{"a":"\x7f"}', "not printable"),
        (b'{"a":' + b"9" * 1900 + b"}", None),
        (b'{"a":1e999}', None),
        (b'{"\\ud800":"\\udfff"}', None),
    ],
)
def test_hostile_bodies(body: bytes, why: str | None) -> None:
    (piece,) = wire.Decoder().feed(wire.pack("T", 1, 2, 3, body))
    if why is None:
        assert isinstance(piece, wire.Frame)
    else:
        assert isinstance(piece, wire.Bad) and piece.why == why


def test_memory_is_bounded_whatever_comes() -> None:
    rng = random.Random(3)
    for keep_text in (True, False):
        decoder = wire.Decoder(keep_text)
        for flood in (
            rng.randbytes(5000).replace(b"\n", b" "),
            b"a" * 5000,
            wire.START + b"T 000001" * 600,
            wire.START * 5000,
        ):
            for _ in range(20):
                for piece in decoder.feed(flood):
                    assert not isinstance(piece, wire.Frame) and len(piece.text) <= wire.MAX_LINE
                assert len(decoder._line) == wire.MAX_LINE and decoder._size <= wire.MAX_LINE
        (last,) = [piece for piece in decoder.feed(encoded(GOOD)) if isinstance(piece, wire.Frame)]
        assert fields(last) == fields(GOOD)


def test_the_longest_frame_and_one_byte_more() -> None:
    longest = {"a": "x" * (wire.MAX_BODY - 8)}
    line = wire.encode("C", 1, 1, 1, longest)
    assert len(line) == wire.MAX_LINE
    (piece,) = wire.Decoder().feed(line)
    assert isinstance(piece, wire.Frame) and piece.body == longest
    longest["a"] += "x"
    with pytest.raises(ValueError, match="at most"):
        wire.encode("C", 1, 1, 1, longest)
    (piece,) = wire.Decoder().feed(wire.pack("C", 1, 1, 1, wire._dumps(longest).encode()))
    assert isinstance(piece, wire.Bad) and piece.why == "too long"


@pytest.mark.parametrize(
    ("kind", "sequence", "ack", "session"),
    [
        ("T", -1, 0, 0),
        ("T", 2**24, 0, 0),
        ("T", 0, 2**24, 0),
        ("T", 0, 0, 2**16),
        ("t", 0, 0, 0),
        ("TT", 0, 0, 0),
        ("", 0, 0, 0),
    ],
)
def test_what_is_no_header_is_not_encoded(kind: str, sequence: int, ack: int, session: int) -> None:
    with pytest.raises(ValueError, match=r"kind|range"):
        wire.pack(kind, sequence, ack, session, b"{}")


def test_the_real_interpreter_reads_and_refuses_exactly_the_same() -> None:
    """One long stream of good, damaged, cut and foreign lines, in pieces, through both interpreters."""
    rng = random.Random(20260102)
    stream = bytearray()
    for number in range(400):
        body = {
            "e": "button",
            "n": number,
            "why": rng.choice(["", "~", "\u00e9", '"\\', "\x00\n", "\u2603" * 3]),
            "x": [1.5, None],
        }
        line = bytearray(wire.encode(rng.choice("TSFBCP"), number, number // 2, 0x9F3C, body))
        how = rng.randrange(8)
        if how == 0:
            line[rng.randrange(len(line))] ^= 1 << rng.randrange(8)
        elif how == 1:
            del line[rng.randrange(len(line)) :]
        elif how == 2:
            line[0:0] = rng.randbytes(rng.randrange(1, 30))
        elif how == 3:
            line = bytearray(
                rng.choice([b"Traceback\r\n", b"\r\nOK\r\n", b">>> \r\n", b"\n", b"~~~\n", b"x" * 5000 + b"\n"])
            )
        elif how == 4:
            line[-1:] = b"\r\n"
        stream += line
    for raw in (b"[1]", b'{"a":NaN}', b'{"a":1}x', b"{", b'{"a":"\x01"}', b"nul", b"{}{}"):
        stream += wire.pack("T", 1, 1, 1, raw)
    here = wire.Decoder()
    with Interpreter() as interpreter:
        position = 0
        pieces = 0
        while position < len(stream):
            part = bytes(stream[position : position + rng.randrange(1, 400)])
            position += len(part)
            expected = [shown(piece) for piece in here.feed(part)]
            assert interpreter.ask("decode", part.hex()) == expected
            pieces += len(expected)
        assert pieces > 350


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("~", rb'{"a":"\u007e"}'),  # the start mark occurs nowhere else
        ("a~b", rb'{"a":"a\u007eb"}'),
        ("\x7f", rb'{"a":"\u007f"}'),
        ("é", rb'{"a":"\u00e9"}'),
        ("\U0001f600", rb'{"a":"\ufffd"}'),
        ("plain", b'{"a":"plain"}'),
    ],
)
def test_a_body_is_printable_ascii_without_the_start_mark(text: str, body: bytes) -> None:
    assert wire.encode("T", 1, 0, 0, {"a": text}) == wire.pack("T", 1, 0, 0, body)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_frames_one_after_the_other_in_one_piece_with_either_line_end(ending: bytes) -> None:
    line = encoded(GOOD).rstrip(b"\n") + ending
    got = wire.Decoder().feed(ending + line + line + b"text" + ending + line)
    assert [shown(piece) for piece in got] == [
        shown(piece) for piece in (GOOD, GOOD, wire.Text("text"), GOOD)
    ]  # fmt: skip


@pytest.mark.parametrize(("more", "why"), [(0, "cut short"), (1, "too long")])
def test_a_line_that_another_start_mark_ends_is_cut_short_up_to_the_longest_line(more: int, why: str) -> None:
    whole = wire.START + b"x" * (wire.MAX_LINE - 1 + more) + encoded(GOOD)
    bad, good = wire.Decoder().feed(whole)
    assert isinstance(bad, wire.Bad) and bad.why == why
    assert isinstance(good, wire.Frame)
    # The same in pieces.
    decoder = wire.Decoder()
    assert [shown(p) for byte in whole for p in decoder.feed(bytes([byte]))] == [shown(bad), shown(good)]


def test_what_is_no_number_does_not_travel() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError):
            wire.encode("T", 1, 0, 0, {"a": value})


def test_of_a_bad_line_the_first_forty_characters_are_kept() -> None:
    good = encoded(wire.Frame("T", 1, 2, 3, {"a": "x" * 60}))
    bad = {
        "checksum": good[:-3] + (b"0" if good[-3:-2] != b"0" else b"1") + good[-2:],
        "layout": wire.pack("T", 1, 2, 3, b'{"a":"' + b"x" * 60 + b'"}').replace(b"~T ", b"~t ", 1),
        "not printable": wire.pack("T", 1, 2, 3, b'{"a":"' + b"x" * 60 + b'\x80"}'),
        "not JSON": wire.pack("T", 1, 2, 3, b'{"a":"' + b"x" * 60),
        "not an object": wire.pack("T", 1, 2, 3, b'"' + b"x" * 60 + b'"'),
    }
    for line in bad.values():
        (piece,) = wire.Decoder().feed(line)
        assert isinstance(piece, wire.Bad) and piece.text == line[:40].decode("ascii", "replace"), piece
