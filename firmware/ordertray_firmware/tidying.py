"""Keeps the heap dense and free of small holes. Imported first of all, so that it sees everything loaded.

MicroPython looks for room from the first free block on (py/gc.c): with a hole of one block near the beginning, every
larger allocation, and that is every call of a function with more than a few names, walks over all that was loaded,
until something small has filled the hole. On the Pico that took four fifths of the running program's time. So the heap
is cleared while modules are loaded, and holes among what was loaded are filled for good, whenever there are some.
"""

import gc
import sys

try:
    from uctypes import addressof
except ImportError:  # CPython: another collector, no such holes
    addressof = None  # type: ignore[assignment, unused-ignore]

# Loading a module leaves more rubbish than module: collect whenever this much has been allocated.
_STEP_BYTES = 16384
# The collector keeps 64 objects in mind; a list with more in it costs it another walk over the heap.
_FEW = 24
# Blocks of 16 bytes filled at most, at once and in all.
_AT_ONCE = 64
_IN_ALL = 2000

_threshold = getattr(gc, "threshold", None)
if _threshold is not None:
    _threshold(_STEP_BYTES)


class _Filling:
    """What fills the holes: lists of a few numbers, each with the list before it."""

    few: "list[object]" = []
    blocks = 0
    end = 0


def forget(name: str) -> None:
    """Unload a module of this package that nobody holds on to. What is made next takes its place."""
    if addressof is None:
        return
    package = __name__.rsplit(".", 1)[0]
    module = sys.modules.pop(package + "." + name, None)
    if module is not None and hasattr(sys.modules[package], name):
        delattr(sys.modules[package], name)
    del module
    gc.collect()


def loaded() -> None:
    """Everything that stays is there: from now on the program collects by itself, and calls fill() now and then."""
    if _threshold is not None:
        _threshold(-1)
    gc.collect()
    if addressof is not None:
        # What is large lands behind everything else.
        _Filling.end = addressof(bytearray(4096))
    while not fill():
        pass


def fill() -> bool:
    """Fill holes in front of the program's own rubbish, some dozens at most (2 ms on the Pico). True: none is left."""
    for _hole in range(_AT_ONCE):
        number = _Filling.blocks + 0.5  # takes one block
        if id(number) >= _Filling.end or _Filling.blocks >= _IN_ALL:
            return True
        if len(_Filling.few) >= _FEW:
            _Filling.few = [_Filling.few]
        _Filling.few.append(number)
        _Filling.blocks += 1
    return False
