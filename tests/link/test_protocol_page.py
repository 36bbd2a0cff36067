"""firmware/PROTOCOL.md says what the code does, byte for byte."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ordertray_firmware import link, wire

PAGE = (Path(__file__).parents[2] / "firmware" / "PROTOCOL.md").read_text()
BLOCKS = {
    name: [line for line in text.splitlines() if line]
    for name, text in re.findall(r"^```(?:wire )?(?!lamps$|patterns$)(\w+)\n(.*?)^```$", PAGE, re.M | re.S)
}


def _examples() -> ModuleType:
    spec = importlib.util.spec_from_file_location("protocol_examples", Path(__file__).with_name("protocol_examples.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EXAMPLES = _examples()
LINES = [(name, line) for name, lines in BLOCKS.items() if name != "bad" for line in lines]


def test_page_has_examples() -> None:
    assert {"frame", "session", "again", "ping", "escapes", "version", "bad"} <= set(BLOCKS)
    assert len(LINES) > 12


@pytest.mark.parametrize(("block", "line"), LINES, ids=[f"{b}-{i}" for i, (b, _) in enumerate(LINES)])
def test_every_example_decodes_and_encodes_to_the_same_bytes(block: str, line: str) -> None:
    sender, raw = line.split(" ", 1)
    assert sender in ("host", "tray")
    (frame,) = wire.Decoder().feed(raw.encode() + b"\n")
    assert isinstance(frame, wire.Frame), frame
    # The fields by the offsets that the page's table gives, not by the codec's own constants.
    assert (frame.kind, frame.sequence) == (raw[1], int(raw[3:9], 16))
    assert (frame.ack, frame.session) == (int(raw[10:16], 16), int(raw[17:21], 16))
    assert frame.body == json.loads(raw[22:-9])
    assert wire.encode(frame.kind, frame.sequence, frame.ack, frame.session, frame.body) == raw.encode() + b"\n"


@pytest.mark.parametrize("line", BLOCKS["bad"])
def test_every_bad_example_is_bad_for_the_reason_given(line: str) -> None:
    why, raw = line.split(": ", 1)
    (bad,) = wire.Decoder().feed(raw.encode() + b"\n")
    assert isinstance(bad, wire.Bad)
    assert bad.why == why


def test_the_ends_say_exactly_what_the_page_shows() -> None:
    for name, lines in EXAMPLES.examples().items():
        assert BLOCKS[name] == lines, name
    assert f"session tag `{EXAMPLES.TAG:04x}`" in PAGE


def test_numbers_of_the_page_are_those_of_the_code() -> None:
    for text, value in {
        r"every (\d+) ms until it is answered": link.HELLO_MS,
        r"P pong +every (\d+) ms": link.PING_MS,
        r"(\d+) pings of": link.PINGS_MISSED,
        r"At most \*\*(\d+)\*\* sequenced": link.WINDOW,
        r"at most \*\*(\d+)\*\* wait": link.QUEUE,
        r"time-out starts at (\d+) ms": link.RESEND_FIRST_MS,
        r"between (\d+) ms\s+and 2 s": link.RESEND_MIN_MS,
        r"at most (\d+) bytes with its LF": wire.MAX_LINE,
    }.items():
        found = re.search(text, PAGE)
        assert found is not None, text
        assert int(found.group(1)) == value, text
    assert link.RESEND_MAX_MS == 2000 and link.OFFLINE_MS == 3000
    assert f"protocol **{link.PROTOCOL[0]}.{link.PROTOCOL[1]}**" in PAGE
