"""Packages whose names are loaded when they are asked for (PEP 562), so that a command loads only what it runs.

A room's `__init__.py` imports its names for the type checker alone, and tells `load_names` where they are:

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from .cupboard import Cup

    __all__ = ["Cup"]

    __getattr__ = load_names(__name__, cupboard="Cup")

A test holds the three against one another. No name may be that of a module of the room: importing the module would put
it in the name's place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def load_names(package: str, **places: str) -> Callable[[str], object]:
    """The `__getattr__` of `package`: `places` gives for each of its modules the names there, with blanks between.

    The function raises AttributeError for a name that is not among them.
    """
    modules = {name: module for module, names in places.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
