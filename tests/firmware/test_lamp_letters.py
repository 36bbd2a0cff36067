"""The tray shows every letter of the contract (firmware/PROTOCOL.md, Lamps) as the page says."""

from __future__ import annotations

import re
from itertools import groupby

import pytest

from firmware.lamp_letters import read_page
from ordertray_firmware import pixels
from ordertray_firmware.pixels import ONLINE, Lamps

PAGE = read_page()
CYCLE_MS = 3200


def brightness(colour: str, effect: str, count: int = 1) -> list[int]:
    """The first pixel's largest channel every 10 ms."""
    lamps = Lamps([("A", count)], brightness=100)
    lamps.mode = ONLINE
    assert lamps.set_frame("A", colour * count, effect * count)
    seen = []
    for now_ms in range(0, CYCLE_MS, 10):
        lamps.render(now_ms)
        seen.append(max(lamps.buffers["A"][:3]))
    assert lamps.bad_frames == lamps.new_letters == 0
    return seen


def test_letters_and_colours_are_those_of_the_page() -> None:
    assert set(pixels.COLOURS) == set(PAGE.colours) and pixels.PALETTE == PAGE.palette
    assert set(pixels.EFFECTS) == set(PAGE.effects)


@pytest.mark.parametrize("letter", PAGE.effects)
def test_each_effect_moves_as_the_page_says(letter: str) -> None:
    words, seen = PAGE.effect_words[letter], brightness("g", letter, 4)
    if on_off := re.fullmatch(r"on (\d+) ms, off (\d+) ms", words):
        runs = [(lit, len(list(run)) * 10) for lit, run in groupby(level > 0 for level in seen)]
        on_ms, off_ms = map(int, on_off.groups())
        assert set(runs[:-1]) == {(True, on_ms), (False, off_ms)}
    elif period := re.fullmatch(r"swells and sinks in (\d+) ms, never dark", words):
        half = int(period[1]) // 20
        assert seen[:half] == sorted(seen[:half]) and seen[half : 2 * half] == sorted(seen[half : 2 * half])[::-1]
        assert min(seen) > 0 and seen[half] == 255
    elif pace := re.fullmatch(r"a bright point runs along its row, (\d+) ms a pixel, never dark", words):
        bright = [place * 10 for place, level in enumerate(seen) if level == 255 and seen[place - 1] != 255]
        assert min(seen) > 0
        assert all(
            abs(later - earlier - 4 * int(pace[1])) <= 10 for earlier, later in zip(bright, bright[1:], strict=False)
        )
    elif words == "never lit":
        assert set(seen) == {0}
    elif words == "all the time":
        assert set(seen) == {255}
    else:
        level = re.fullmatch(r"all the time, (\d+) of (\d+)", words)
        assert level is not None, f"nobody checks {words!r}"
        assert (int(level[1]), int(level[2])) == (pixels.DIM_LEVEL, pixels.LEVELS)
        assert len(set(seen)) == 1 and 0 < seen[0] < 128


def test_no_two_effects_look_alike() -> None:
    seen = {letter: tuple(brightness("g", letter, 4)) for letter in PAGE.effects}
    assert len(set(seen.values())) == len(seen)


@pytest.mark.parametrize("pattern", PAGE.patterns)
def test_each_pattern_is_shown(pattern: str) -> None:
    colour, effect = pattern[0], pattern[1]
    assert any(brightness(colour, effect)) == (pattern != "..")


def test_a_letter_that_stands_twice_is_refused() -> None:
    page = "```lamps\ncolour g green 0 255 0\ncolour g grey 9 9 9\n```\n```patterns\n```\n"
    with pytest.raises(ValueError, match="twice"):
        read_page(page)
