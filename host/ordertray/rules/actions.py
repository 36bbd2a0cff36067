"""What players do: one small value per line of the game script (see `notation`).

`at` is the position number the action was made from; an action made from another position than the game's is
refused as stale. None means "whatever the position is".
"""

from __future__ import annotations

from dataclasses import field

from .seats import Seat
from .values import value

SPEND_KINDS = ("regular", "irregular", "lieutenant", "tactical", "impetuous", "own")
ARO_REASONS = ("lof", "zoc", "special", "template", "comms", "hacking")
TOKEN_USES = (
    "convert",
    "group",
    "unpossess",
    "strip",
    "cap",
    "suppress",
    "hold",
    "coordinate",
    "guts",
    "reroll",
    "team",
    "reserve",
    "speedball",
    "other",
)
TEAM_USES = ("form", "leave", "join", "cancel", "aro")


@value
class _Action:
    at: int | None = field(default=None, kw_only=True, compare=False)


@value
class SetOption(_Action):
    """`option NAME [VALUE]`, before the first turn."""

    name: str
    value: str | None = None


@value
class Undo(_Action):
    """Take back the last action (ACT-20); both see it. `A undo`: A's own; `undo` alone: with both sides' consent."""

    seat: Seat | None = None


@value
class _SeatAction(_Action):
    seat: Seat


@value
class Start(_SeatAction):
    """Begin one's own turn."""


@value
class Next(_SeatAction):
    """Finish this step or phase."""


@value
class Reinforce(_SeatAction):
    """Call the Reinforcements, which ends the executive step (REI-02)."""


@value
class Score(_SeatAction):
    """Record one's Objective Points; the last ones count (ITS)."""

    points: int


@value
class Strategos(_SeatAction):
    """Have the Lieutenant orders counted as Regular ones of the Lieutenant's group (ORD-20)."""


@value
class Spend(_SeatAction):
    """Spend an order. `group` for a Regular one.

    Several `troopers`: activated as one (FT), or coordinated by Inspiring Leadership. `SEAT:ID` is a Possessed trooper
    of the other side (ORD-24).
    """

    kind: str
    group: int | None = None
    troopers: tuple[str, ...] = ()


@value
class DeclareSkill(_SeatAction):
    """Declare the first or second skill of the order."""

    label: str | None
    name: str | None = None


@value
class End(_SeatAction):
    """No second skill."""


@value
class DeclareAro(_SeatAction):
    """Declare an ARO; `trooper` None: some trooper, for tables without trooper tags. `others` declare the same."""

    trooper: str | None
    name: str | None = None
    target: str | None = None
    by: str | None = None
    others: tuple[str, ...] = ()


@value
class Delay(_SeatAction):
    """Say who waits for a marker to be revealed before it reacts (ACT-19)."""

    troopers: tuple[str, ...]


@value
class Pass(_SeatAction):
    """Close the window (no troopers); say who could react and does not; `everyone`: both at once."""

    troopers: tuple[str, ...] = ()
    everyone: bool = False


@value
class Check(_SeatAction):
    """The ARO validity step of the original N4 sequence (ACT-14)."""

    idle: tuple[str, ...] = ()


@value
class Resolve(_SeatAction):
    """Resolution; `idle` did not meet their requirements (ACT-15)."""

    idle: tuple[str, ...] = ()


@value
class Done(_SeatAction):
    """Conclusion: the order is over."""


@value
class RecordState(_SeatAction):
    """Record a state of a trooper of `owner` (STA-05)."""

    owner: Seat
    trooper: str
    state: str


@value
class ClearState(_SeatAction):
    """Clear a state of a trooper of `owner` (STA-05)."""

    owner: Seat
    trooper: str
    state: str


@value
class _TrooperAction(_SeatAction):
    trooper: str


@value
class NameTrooper(_TrooperAction):
    """Say who acts, where the order was spent without naming anyone (a tag tapped after the order token)."""


@value
class Reveal(_TrooperAction):
    """The trooper is no marker any more: everybody sees who it is (INF)."""


@value
class Frenzy(_TrooperAction):
    """The trooper caused a wound (SEQ-05)."""


@value
class Arrive(_TrooperAction):
    """The trooper comes on the table (ORD-15, ORD-19)."""


@value
class Evacuate(_TrooperAction):
    """The trooper leaves by the widest side of its Deployment Zone (RET-06)."""


@value
class NameLieutenant(_TrooperAction):
    """The trooper is named Lieutenant, in secret (LOL-03)."""


@value
class UseToken(_SeatAction):
    """Spend a Command Token on one of `TOKEN_USES` (CMD-02 to CMD-04)."""

    use: str
    troopers: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()


@value
class TeamUse(_SeatAction):
    """What happens to a Fireteam: one of `TEAM_USES`. `form` takes two to five troopers, the Leader first (FT)."""

    use: str
    troopers: tuple[str, ...]


Action = (
    SetOption
    | Undo
    | Start
    | Next
    | Strategos
    | Spend
    | DeclareSkill
    | End
    | DeclareAro
    | Pass
    | Check
    | Resolve
    | Done
    | RecordState
    | ClearState
    | NameTrooper
    | Frenzy
    | Arrive
    | Evacuate
    | NameLieutenant
    | UseToken
    | TeamUse
    | Delay
    | Reinforce
    | Score
    | Reveal
)
