"""`ordertray doctor`: what is wrong with this machine for running a tray, and the command that mends each fault."""

from .checks import Finding, Level, examine
from .facts import Facts, PortFacts, gather

__all__ = ["Facts", "Finding", "Level", "PortFacts", "examine", "gather"]
