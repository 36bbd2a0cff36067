"""`ordertray doctor`: what is wrong with this machine for running a tray, and the command that mends each fault."""

from ordertray.on_demand import load_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .checks import Finding, Level, examine
    from .facts import Facts, PortFacts, gather

__all__ = ["Facts", "Finding", "Level", "PortFacts", "examine", "gather"]

__getattr__ = load_names(
    __name__,
    checks="Finding Level examine",
    facts="Facts PortFacts gather",
)
