"""The log: a line is a line, whoever wrote what is in it, and nobody can fill the card with lines."""

from __future__ import annotations

import io
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordertray.service.logs import TEXT, JsonLines, OneLine, Pace
from ordertray.text import belongs, scalar, shown, text_fault


class Clock:
    """Seconds that pass when told to."""

    s = 0.0

    def __call__(self) -> float:
        return self.s


def logger(form: logging.Formatter, clock: Clock) -> tuple[logging.Logger, io.StringIO]:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(form)
    handler.addFilter(Pace(clock))
    made = logging.Logger("ordertray.web")
    made.addHandler(handler)
    return made, out


FORGED = "/x\n2026-12-01 00:00:00 I ordertray: FORGED\x1b[31m\u2028\u202e\ud800 end"


@pytest.mark.parametrize("form", [OneLine(TEXT), JsonLines()])
def test_no_text_forges_a_line_or_steers_a_terminal(form: logging.Formatter) -> None:
    log, out = logger(form, Clock())
    log.warning("refused: %s", FORGED)
    log.warning(FORGED)
    try:
        raise ValueError(FORGED)
    except ValueError:
        log.exception("a fault: %s", FORGED)
    text = out.getvalue()
    assert not set("\x1b\u2028\u202e") & set(text)
    text.encode()
    assert sum("FORGED" in line and line.startswith("2026-12-01 00:00:00") for line in text.splitlines()) <= 1
    assert text.splitlines()[0].endswith("end" if isinstance(form, OneLine) else "}")


def test_whatever_is_said_the_log_grows_by_less_than_10_kb_a_minute() -> None:
    clock = Clock()
    log, out = logger(OneLine(TEXT), clock)
    rest = 0
    for minute in range(5):
        before = len(out.getvalue())
        for number in range(20_000):
            clock.s = 60 * minute + number / 20_000 * 59
            log.warning("refused: %s from %s: %s", "unknown-host", "10.0.0.1", "A" * 8000)
            log.info("%s: tray says: %s", "tray", "x" * 500)
            log.error("accept() failed %d", number)
        rest = len(out.getvalue()) - before
        assert rest < 10_000
    assert "and 19994 more like it within a minute" in out.getvalue()


def test_the_steps_of_a_game_are_all_told() -> None:
    log, out = logger(OneLine(TEXT), Clock())
    log.name = "ordertray"
    for number in range(50):
        log.info("@%d %s", number, "round 1")
    assert out.getvalue().count("@") == 50


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_what_is_shown_is_plain_and_bounded_and_what_passes_is_shown_as_it_is(text: str) -> None:
    for lines in (False, True):
        out = shown(text, 80, lines=lines)
        assert all(belongs(character, lines=lines) for character in out) and "\r" not in out
        assert len(out) <= 80 * 10
        out.encode()
        if len(text) <= 80 and "\r" not in text and text_fault(text, 80, lines=lines) is None:
            assert out == text or text.startswith("\ufeff")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_JSON)
def test_what_must_be_taken_is_taken_as_it_can_be_kept(value: object) -> None:
    kept = scalar(value)
    json.dumps(kept, ensure_ascii=False).encode()
    assert scalar(kept) == kept or kept != kept or "nan" in str(kept)
