"""The order tray: host side. `from ordertray import load_army` reads a roster file; `ordertray.rules` plays it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .army.roster import load_army

__all__ = ["load_army"]


def __getattr__(name: str) -> object:
    """Load `load_army` when it is asked for (PEP 562)."""
    if name != "load_army":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .army.roster import load_army as found

    return found
