"""The debouncer: one edge for each real press and release, whatever the contacts do; hold; wrap; the ring."""

from firmware.plain import Dice, raises
from ordertray_firmware.buttons import DOWN, HOLD, UP, UP_AFTER_HOLD, Buttons

try:
    from collections.abc import Iterable
except ImportError:  # MicroPython
    pass

ON_BOTH_INTERPRETERS = True


def drain(buttons: Buttons) -> "list[tuple[int, int]]":
    events = []
    code = buttons.pop()
    while code >= 0:
        events.append((code >> 2, code & 3))
        code = buttons.pop()
    return events


def play(buttons: Buttons, masks: "Iterable[int]", start_ms: int = 0, step_ms: int = 2) -> int:
    """Sample the masks at an even pace; the time of the next sample."""
    now_ms = start_ms
    for mask in masks:
        buttons.sample(mask, now_ms)
        now_ms += step_ms
    return now_ms


def test_press_and_release() -> None:
    buttons = Buttons(2)
    now_ms = play(buttons, [0] * 5 + [2] * 20)
    assert drain(buttons) == [(1, DOWN)]
    assert buttons.pressed == 2
    play(buttons, [0] * 20, now_ms)
    assert drain(buttons) == [(1, UP)]
    assert buttons.pressed == 0


def test_press_is_told_within_ten_milliseconds() -> None:
    buttons = Buttons(1)
    play(buttons, [0] * 10)
    for sample in range(20):
        buttons.sample(1, 20 + 2 * sample)
        if buttons.pressed:
            assert 2 * sample <= 10
            return
    raise AssertionError("never pressed")


def test_bounce_on_press_and_on_release_gives_one_edge_each() -> None:
    for seed in range(200):
        dice = Dice(seed)
        buttons = Buttons(1)
        bounce = dice.below(4)  # up to 6 ms of chatter
        masks = [0] * 5 + [dice.below(2) for _ in range(bounce)] + [1] * 25
        masks += [dice.below(2) for _ in range(dice.below(4))] + [0] * 25
        play(buttons, masks)
        assert drain(buttons) == [(0, DOWN), (0, UP)], seed


def test_long_chatter_never_gives_two_edges_of_a_kind_in_a_row() -> None:
    for seed in range(100):
        dice = Dice(seed)
        buttons = Buttons(3)
        last = [UP, UP, UP]
        seen = 0
        now_ms = 0
        for sample in range(430):
            now_ms = play(buttons, [dice.below(8) if sample < 400 else 0], now_ms)
            for index, kind in drain(buttons):
                assert kind in (DOWN, UP)
                assert kind != last[index]
                last[index] = kind
                seen += 1
        assert last == [UP, UP, UP]
        assert seen % 2 == 0


def test_a_single_wrong_sample_is_nothing() -> None:
    buttons = Buttons(1)
    play(buttons, ([0] * 10 + [1]) * 20 + [0] * 10)
    assert drain(buttons) == []


def test_a_loop_that_came_late_cannot_make_a_press_of_one_noisy_sample() -> None:
    buttons = Buttons(1)
    buttons.sample(0, 0)
    buttons.sample(1, 3000)
    buttons.sample(0, 3002)
    buttons.sample(0, 6000)
    assert drain(buttons) == []


def test_hold_comes_once_while_down_and_the_release_says_so() -> None:
    buttons = Buttons(1, hold_ms=1000)
    now_ms = play(buttons, [0] * 3 + [1] * 5)
    assert drain(buttons) == [(0, DOWN)]
    pressed_ms = now_ms - 2
    now_ms = play(buttons, [1] * 490, now_ms)
    assert drain(buttons) == []
    now_ms = play(buttons, [1] * 600, now_ms)
    assert drain(buttons) == [(0, HOLD)]
    assert now_ms - pressed_ms > 2000
    play(buttons, [0] * 10, now_ms)
    assert drain(buttons) == [(0, UP_AFTER_HOLD)]


def test_the_hold_counts_anew_for_every_press() -> None:
    buttons = Buttons(1, hold_ms=100)
    play(buttons, ([0] * 10 + [1] * 40) * 5 + [0] * 10)
    assert drain(buttons) == [(0, DOWN), (0, UP)] * 5


def test_two_at_once_are_told_apart() -> None:
    buttons = Buttons(16)
    play(buttons, [0] * 3 + [0x8001] * 10 + [0x8000] * 10)
    assert drain(buttons) == [(0, DOWN), (15, DOWN), (0, UP)]
    assert buttons.pressed == 0x8000


def test_events_that_nobody_fetches_are_lost_oldest_first_and_counted() -> None:
    buttons = Buttons(1)
    play(buttons, ([0] * 10 + [1] * 10) * 20)
    assert buttons.lost == 39 - 32
    events = drain(buttons)
    assert len(events) == 32
    assert events[-1] == (0, DOWN)


def test_at_most_sixteen() -> None:
    raises(ValueError, lambda: Buttons(17))
    Buttons(0).sample(0, 0)
