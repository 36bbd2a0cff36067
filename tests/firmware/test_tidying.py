"""The heap is dense and without holes once everything is loaded (what that saves is measured: bench_pico.py)."""

import gc

from ordertray_firmware import tidying
from ordertray_firmware.clock import MICROPYTHON

ON_BOTH_INTERPRETERS = True


def fill() -> int:
    """Fill until there are no holes; how many calls it took."""
    calls = 1
    while not tidying.fill():
        calls += 1
        assert calls < 100
    return calls


def test_what_is_small_lands_behind_everything_loaded() -> None:
    soon_gone = [number + 0.5 for number in range(300)]
    tidying.loaded()
    del soon_gone
    gc.collect()
    fill()
    if MICROPYTHON:
        assert tidying._Filling.end > 0
        number = len(tidying._Filling.few) + 0.25
        assert id(number) >= tidying._Filling.end


def test_what_fills_the_holes_stays_and_is_bounded() -> None:
    fill()
    blocks = tidying._Filling.blocks
    gc.collect()
    assert fill() <= blocks // tidying._AT_ONCE + 2
    assert blocks <= tidying._Filling.blocks <= tidying._IN_ALL
    lists, numbers, few = 0, 0, tidying._Filling.few
    while few:
        assert len(few) <= tidying._FEW
        lists += 1
        numbers += len([part for part in few if isinstance(part, float)])
        few = few[0] if isinstance(few[0], list) else []
    assert numbers == tidying._Filling.blocks
    assert MICROPYTHON or lists == 0


def test_nothing_collects_by_itself_once_loaded() -> None:
    tidying.loaded()
    threshold = getattr(gc, "threshold", None)
    if threshold is not None:
        assert threshold() == -1
