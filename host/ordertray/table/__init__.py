"""The table: what a tap or a button press means now, as actions of the rules. Pure: no ports, no clock, no disk."""

from ordertray.on_demand import load_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .meaning import act, touch
    from .model import (
        BUTTONS,
        ButtonPress,
        Consent,
        DiscTouch,
        Made,
        Meant,
        Outcome,
        Pace,
        Pending,
        Step,
        Table,
        TagTap,
        Touch,
    )
    from .reasons import explain_touch
    from .seating import Seating, SeatingError, touch_of

__all__ = [
    "BUTTONS",
    "ButtonPress",
    "Consent",
    "DiscTouch",
    "Made",
    "Meant",
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

__getattr__ = load_names(
    __name__,
    meaning="act touch",
    model="BUTTONS ButtonPress Consent DiscTouch Made Meant Outcome Pace Pending Step Table TagTap Touch",
    reasons="explain_touch",
    seating="Seating SeatingError touch_of",
)
