"""Strips: palette and levels, effects in time, current limit, the tray's own patterns."""

from firmware.plain import Dice
from ordertray_firmware import pixels
from ordertray_firmware.pixels import BOOT, COLOURS, EFFECTS, LEVELS, OFFLINE, ONLINE, Lamps, make_table

try:
    from typing import Any
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True

OFF = (0, 0, 0)


def lamps_for(count: int = 32, **options: "Any") -> Lamps:
    """One side, online."""
    lamps = Lamps([("A", count)], **options)
    lamps.mode = ONLINE
    return lamps


def pixel(lamps: Lamps, index: int, side: str = "A") -> "tuple[int, int, int]":
    """(red, green, blue)."""
    green, red, blue = lamps.buffers[side][3 * index : 3 * index + 3]
    return red, green, blue


def lit(lamps: Lamps, side: str = "A") -> "list[int]":
    """Indices of the pixels that are not dark."""
    return [i for i in range(len(lamps.buffers[side]) // 3) if pixel(lamps, i, side) != OFF]


def test_every_colour_has_its_channels_and_no_others_at_every_level() -> None:
    for brightness in (1, 10, 40, 100):
        table = make_table(brightness, 2.2)
        for code, letter in enumerate(COLOURS):
            red, green, blue = pixels.PALETTE[letter]
            for level in range(LEVELS + 1):
                at = (code * (LEVELS + 1) + level) * 3
                shown = [table[at + 1] > 0, table[at] > 0, table[at + 2] > 0]
                assert shown == [bool(base and level) for base in (red, green, blue)]


def test_levels_rise_and_full_brightness_is_full() -> None:
    table = make_table(100, 2.2)
    green = COLOURS.index("g")
    row = [table[(green * (LEVELS + 1) + level) * 3] for level in range(LEVELS + 1)]
    assert row == sorted(row)
    assert row[0] == 0 and row[LEVELS] == 255
    assert row[LEVELS // 2] < 80  # gamma: half as bright to the eye takes much less than half of the light


def test_a_steady_frame_is_written_once_and_then_left_alone() -> None:
    lamps = lamps_for(4)
    assert lamps.set_frame("A", "rgb.", "ssss")
    assert lamps.render(0)
    red, green, blue = pixel(lamps, 0), pixel(lamps, 1), pixel(lamps, 2)
    assert red[0] > 0 and red[1:] == (0, 0)
    assert green[1] > 0 and (green[0], green[2]) == (0, 0)
    assert blue[2] > 0 and blue[:2] == (0, 0)
    assert pixel(lamps, 3) == OFF
    assert not lamps.render(20)
    assert not lamps.render(1000)
    assert lamps.render(2500)  # now and then, for a strip that has lost its picture


def test_blink_is_on_for_half_of_its_time() -> None:
    lamps = lamps_for(1)
    lamps.set_frame("A", "r", "b")
    on = 0
    for now_ms in range(0, 1600, 20):
        lamps.render(now_ms)
        on += pixel(lamps, 0) != OFF
    assert on == 40


def test_pulse_swells_and_never_goes_dark() -> None:
    lamps = lamps_for(1, brightness=100)
    lamps.set_frame("A", "g", "p")
    seen = []
    for now_ms in range(0, 1600, 20):
        lamps.render(now_ms)
        seen.append(pixel(lamps, 0)[1])
    assert min(seen) > 0
    assert max(seen) == 255
    top = seen.index(max(seen))
    assert seen[:top] == sorted(seen[:top])
    assert seen[top + 1 :] == sorted(seen[top + 1 :], reverse=True)


def test_chase_walks_along_its_run_and_stays_in_its_row() -> None:
    lamps = lamps_for(32, brightness=100)
    lamps.set_frame("A", "." * 10 + "g" * 12 + "." * 10, "s" * 10 + "c" * 12 + "s" * 10)
    heads = {0: [], 1: []}  # type: dict[int, list[int]]
    for now_ms in range(0, 12 * pixels.CHASE_MS, pixels.CHASE_MS):
        lamps.render(now_ms)
        assert lit(lamps) == list(range(10, 22))
        for row, run in ((0, range(10, 16)), (1, range(16, 22))):
            bright = [i for i in run if pixel(lamps, i)[1] == 255]
            assert len(bright) == 1
            heads[row].append(bright[0])
    assert heads[0] == [10, 11, 12, 13, 14, 15] * 2
    assert heads[1] == [16, 17, 18, 19, 20, 21] * 2


def test_dim_is_darker_than_steady() -> None:
    lamps = lamps_for(2)
    lamps.set_frame("A", "gg", "sd")
    lamps.render(0)
    assert 0 < pixel(lamps, 1)[1] < pixel(lamps, 0)[1] // 2


def test_unknown_letters_are_shown_as_the_nearest_known_ones_and_counted_apart() -> None:
    lamps = lamps_for(5)
    assert lamps.set_frame("A", "rXGg.", "s?Bs.")
    lamps.render(0)
    red, white, green, steady = [pixel(lamps, i) for i in range(4)]
    assert red[0] and not red[1] and all(white) and green == steady
    assert (lamps.new_letters, lamps.bad_frames) == (1, 0)
    lamps.render(pixels.BLINK_MS // 2)
    assert lit(lamps) == [0, 1, 3]  # B blinks as b does


def test_a_side_that_the_tray_has_not_is_a_bad_frame() -> None:
    lamps = lamps_for(3)
    assert not lamps.set_frame("C", "r", "s")
    assert (lamps.new_letters, lamps.bad_frames) == (0, 1)


def test_a_frame_of_another_length_fits_somehow() -> None:
    lamps = lamps_for(3)
    assert lamps.set_frame("A", "g" * 40, "s" * 40)
    lamps.render(0)
    assert lit(lamps) == [0, 1, 2]
    assert lamps.set_frame("A", "r", "")
    lamps.render(20)
    assert lit(lamps) == [0]


def test_current_stays_under_the_limit_whatever_is_shown() -> None:
    for seed in range(40):
        dice = Dice(seed)
        limit_ma = 100 + dice.below(400)
        lamps = Lamps([("A", 32), ("B", 32)], 1 + dice.below(100), limit_ma, 1.0 + dice.below(20) / 10)
        lamps.mode = dice.below(3)
        lamps.warn = dice.below(2) == 1
        for side in "AB":
            colours = "".join([COLOURS[dice.below(len(COLOURS))] for _ in range(32)])
            effects = "".join([EFFECTS[dice.below(len(EFFECTS))] for _ in range(32)])
            lamps.set_frame(side, colours, effects)
        for step in range(12):
            if dice.below(4) == 0:
                lamps.refuse("AB*"[dice.below(3)], step * 333)
            lamps.render(step * 333)
            assert lamps.current_ma() <= limit_ma


def test_full_white_is_scaled_and_little_light_is_not() -> None:
    lamps = Lamps([("A", 32), ("B", 32)], 100, 500, 2.2)
    lamps.mode = ONLINE
    lamps.set_frame("A", "w" * 32, "s" * 32)
    lamps.set_frame("B", "w" * 32, "s" * 32)
    lamps.render(0)
    assert lamps.scale < 256
    assert lamps.current_ma() > 400  # uses what it may
    lamps.set_frame("A", "w" + "." * 31, "s" * 32)
    lamps.set_frame("B", "." * 32, "s" * 32)
    lamps.render(20)
    assert lamps.scale == 256
    assert max(lamps.buffers["A"]) == 255


def test_boot_pattern_fills_up() -> None:
    lamps = lamps_for()
    lamps.mode = BOOT
    sizes = []
    for now_ms in range(0, 1000, 50):
        lamps.render(now_ms)
        sizes.append(len(lit(lamps)))
    assert sizes == sorted(sizes)
    assert sizes[0] == 1 and sizes[-1] == 32
    assert all(pixel(lamps, i)[:2] == (0, 0) for i in range(32))


def test_offline_keeps_the_count_dim_and_blinks_red_at_the_link_pixel() -> None:
    lamps = lamps_for(32, brightness=100)
    lamps.set_frame("A", "ggg" + "." * 29, "s" * 32)
    lamps.render(0)
    steady = pixel(lamps, 0)[1]
    lamps.mode = OFFLINE
    link = set()
    orange = set()
    for now_ms in range(0, 8000, 40):
        lamps.render(now_ms)
        if pixel(lamps, 0)[0] == 0:
            assert 0 < pixel(lamps, 0)[1] < steady // 2
        link.add(pixel(lamps, 15)[0] > 0)
        for i in range(32):
            red, green, _blue = pixel(lamps, i)
            if red and green:
                orange.add(i)
    assert link == {True, False}
    assert len(orange) == 31  # the point walks everywhere but over the link pixel


def test_refusal_blinks_one_side_red_twice_and_gives_the_picture_back() -> None:
    lamps = Lamps([("A", 8), ("B", 8)])
    lamps.mode = ONLINE
    lamps.set_frame("A", "gggggggg", "ssssssss")
    lamps.set_frame("B", "bbbbbbbb", "ssssssss")
    lamps.render(0)
    before = bytes(lamps.buffers["A"])
    other = bytes(lamps.buffers["B"])
    lamps.refuse("A", 100)
    shown = []
    for now_ms in range(100, 700, 20):
        lamps.render(now_ms)
        red, green, _blue = pixel(lamps, 0)
        shown.append("r" if red else "g" if green else ".")
        assert bytes(lamps.buffers["B"]) == other
    changes = [shown[0]] + [b for a, b in zip(shown, shown[1:]) if a != b]
    assert changes == ["r", ".", "r", ".", "g"]
    assert bytes(lamps.buffers["A"]) == before


def test_refusal_of_everything_blinks_both_sides() -> None:
    lamps = Lamps([("A", 2), ("B", 2)])
    lamps.mode = ONLINE
    lamps.refuse("*", 0)
    lamps.render(10)
    assert pixel(lamps, 1, "A")[0] and pixel(lamps, 1, "B")[0]


def test_a_warning_flashes_purple_at_the_link_pixel() -> None:
    lamps = lamps_for()
    lamps.warn = True
    lamps.set_frame("A", "." * 32, "s" * 32)
    seen = set()
    for now_ms in range(0, 4000, 20):
        lamps.render(now_ms)
        seen.add(tuple(byte > 0 for byte in pixel(lamps, 15)))
    assert seen == {(False, False, False), (True, False, True)}


def test_a_strip_too_short_for_the_link_pixel_is_no_trouble() -> None:
    lamps = Lamps([("A", 1)])
    lamps.warn = True
    for mode in (BOOT, OFFLINE, ONLINE):
        lamps.mode = mode
        lamps.render(mode * 100)


def test_leaving_out_what_has_not_moved_shows_the_same_as_drawing_everything() -> None:
    dice = Dice(4)
    for _round in range(6):
        frames = []
        for _frame in range(2):
            colours = "".join([COLOURS[dice.below(len(COLOURS))] for _pixel in range(8)])
            effects = "".join([EFFECTS[dice.below(len(EFFECTS))] for _pixel in range(8)])
            frames.append((colours, effects if _round % 2 else effects.replace("c", "s")))
        kept = lamps_for(8, limit_ma=40)
        now_ms = 0
        for step in range(40):
            now_ms += dice.below(130)
            # The same frame again and again, now and then another.
            frame = frames[step // 13 % 2]
            kept.set_frame("A", *frame)
            kept.render(now_ms)
            fresh = lamps_for(8, limit_ma=40)
            fresh.set_frame("A", *frame)
            fresh.render(now_ms)
            assert kept.buffers == fresh.buffers, (frame, now_ms)


def test_a_frame_that_is_repeated_costs_no_write_and_is_counted_once() -> None:
    lamps = lamps_for(4)
    assert lamps.set_frame("A", "rgb.", "sss.") and lamps.render(0)
    assert lamps.set_frame("A", "rgb.", "sss.") and not lamps.render(20)
    for _time in range(2):
        assert lamps.set_frame("A", "r\u00e9b.", "ssss")
        assert lamps.new_letters == 1
    assert lamps.render(40) and lit(lamps) == [0, 1, 2]
    assert not lamps.render(60)
