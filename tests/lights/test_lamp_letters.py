"""The host speaks the letters of firmware/PROTOCOL.md, Lamps, and the firmware understands each of its frames."""

from __future__ import annotations

import pytest

from firmware.lamp_letters import read_page
from lights.game_turn import play_turn
from ordertray.lights import render
from ordertray.lights.frame import COLOURS, EFFECTS, Pixel
from ordertray.lights.picture import INKS
from ordertray.lights.state import SIDES
from ordertray.lights.terminal import LEGEND, SHAPES
from ordertray_firmware.pixels import ONLINE, Lamps

PAGE = read_page()
LINKS = ("online", "stale", "fault", "offline", "absent")


def test_letters_are_those_of_the_page() -> None:
    assert PAGE.colours | {".": "off"} == COLOURS
    assert PAGE.effects | {".": "off"} == EFFECTS
    assert set(INKS) == set(PAGE.colours)
    assert set(SHAPES) == set(PAGE.effects) == {letter for letter, _word in LEGEND}


@pytest.mark.parametrize("pattern", PAGE.patterns)
def test_each_pattern_is_a_pixel_of_the_host(pattern: str) -> None:
    assert Pixel(*pattern)


ASKS = ("touch", "again", "consent", "orders", "spent regular 1", "spent regular 2", "spent lieutenant", "time")


@pytest.mark.parametrize("asks", ASKS)
def test_what_the_table_asks_is_on_the_page_at_every_moment_of_a_game(asks: str) -> None:
    shown = set()
    for moment in play_turn():
        frame = render(moment.view, {"A": "online", "B": "online"}, dict.fromkeys(SIDES, asks))
        for side in SIDES:
            shown |= {colour + effect for colour, effect in zip(*frame.letters(side), strict=True)}
    assert shown <= set(PAGE.patterns), "give each new pattern its line in PROTOCOL.md"


def test_no_frame_of_a_whole_game_is_bad_and_every_pixel_is_a_pattern_of_the_page() -> None:
    lamps = Lamps([("A", 32), ("B", 32)])
    lamps.mode = ONLINE
    shown = set()
    moments = play_turn()
    for number, moment in enumerate(moments):
        for link in LINKS if number % 20 == 0 else LINKS[:1]:
            frame = render(moment.view, {"A": link, "B": "online"})
            for side in SIDES:
                colours, effects = frame.letters(side)
                assert lamps.set_frame(side, colours, effects), (moment.line, side)
                shown |= {colour + effect for colour, effect in zip(colours, effects, strict=True)}
            lamps.render(number * 20)
    assert len(moments) > 20
    assert (lamps.bad_frames, lamps.new_letters) == (0, 0)
    assert shown <= set(PAGE.patterns), "give each new pattern its line in PROTOCOL.md"
