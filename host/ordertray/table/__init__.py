"""The table: what a tap or a button press means now, as actions of the rules. Pure: no ports, no clock, no disk."""

from .meaning import act, touch
from .model import BUTTONS, ButtonPress, Outcome, Pace, Pending, Step, Table, TagTap, Touch
from .reasons import explain_touch
from .seating import Seating, SeatingError, touch_of

__all__ = [
    "BUTTONS",
    "ButtonPress",
    "Outcome",
    "Pace",
    "Pending",
    "Seating",
    "SeatingError",
    "Step",
    "Table",
    "TagTap",
    "Touch",
    "act",
    "explain_touch",
    "touch",
    "touch_of",
]
