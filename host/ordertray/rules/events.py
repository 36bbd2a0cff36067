"""What happened: the events that `decide` gives and `evolve` applies.

All events of one action carry the number of the position that the action leads to. Events hold facts, so replaying
them needs no rule. `to_json` and `from_json` turn them into plain data and back; `seen_by` blots out what a
viewer may not know (INF).
"""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import Any

from .seats import Seat
from .values import value


@value
class _Event:
    position: int


@value
class OptionSet(_Event):
    """A game option was set."""

    name: str
    value: str | None


@value
class Undone(_Event):
    """The last action was taken back (ACT-20): by whom (None: with both sides' consent), and its line."""

    by: Seat | None = None
    action: str | None = None


@value
class GameEnded(_Event):
    """The battle is over; `reason` is one of the game's `OVER_` words."""

    reason: str


@value
class _SeatEvent(_Event):
    seat: Seat


@value
class TurnStarted(_SeatEvent):
    """A player turn begins."""

    round: int


@value
class StepEntered(_SeatEvent):
    """A phase, or a step of the Tactical Phase, begins. Entering the States Phase removes all orders (SEQ-06)."""

    phase: str
    step: str | None


@value
class TurnEnded(_SeatEvent):
    """A player turn is over."""


@value
class RetreatDeclared(_SeatEvent):
    """The army enters Retreat (RET-01)."""


@value
class RetreatCancelled(_SeatEvent):
    """Retreat is over (RET-08)."""


@value
class LieutenantChecked(_SeatEvent):
    """The outcome of the Loss of Lieutenant check (LOL-01)."""

    lost: bool


@value
class LieutenantChanged(_SeatEvent):
    """A new Lieutenant: `cause` is `named` or `chain-of-command`. Who it is, is private (LOL-05)."""

    trooper: str | None
    cause: str | None


@value
class StrategosChosen(_SeatEvent):
    """Lieutenant orders will be counted as Regular ones (ORD-20). Private until the count shows it."""


@value
class OrdersCounted(_SeatEvent):
    """The order count (ORD-13): pools by group, own orders by trooper id. `own` is private (ORD-15)."""

    pools: dict[str, int]
    irregular: dict[str, int]
    fixed: dict[str, int]
    tactical: dict[str, int]
    impetuous: dict[str, int]
    own: dict[str, int] | None
    lieutenant: int


@value
class OrderSpent(_SeatEvent):
    """An order was spent (ACT-13 step 1.1); the troopers are activated."""

    kind: str
    group: int | None
    troopers: tuple[str, ...]
    used_as: str | None
    with_lieutenant_order: bool = False
    """A coordinated order paid with the Lieutenant order (Inspiring Leadership)."""
    team: bool = False
    """A Fireteam's order: the first of the troopers leads it (FT-02)."""
    captive: str | None = None
    """`SEAT:ID` of a Possessed trooper of the other side that acts (ORD-24)."""


@value
class TrooperNamed(_SeatEvent):
    """The trooper of an order that was spent without naming one; `others` are activated with it (FT-02)."""

    trooper: str
    others: tuple[str, ...] = ()
    team: bool = False


@value
class SkillDeclared(_SeatEvent):
    """A skill was declared; the ARO window opens."""

    label: str
    name: str | None
    idle: tuple[str, ...] = ()
    """`SEAT:ID` of the activated troopers that do not do it and are Idle (FT-03, CMD-04)."""


@value
class SecondSkillForgone(_SeatEvent):
    """No second skill was declared."""


@value
class AroDeclared(_SeatEvent):
    """A reaction was declared."""

    trooper: str | None
    name: str | None
    target: str | None
    by: str | None


@value
class AroDelayed(_SeatEvent):
    """These wait for one of the markers to be revealed before they react (ACT-19)."""

    troopers: tuple[str, ...]
    markers: tuple[str, ...]


@value
class AroPassed(_SeatEvent):
    """These could react and did not: they have lost their ARO for this order (ACT-05)."""

    troopers: tuple[str, ...]


@value
class WindowClosed(_SeatEvent):
    """The reactive player is done declaring."""


@value
class ValidityChecked(_SeatEvent):
    """The ARO validity step (ACT-14); `idle` as `SEAT:ID`."""

    idle: tuple[str, ...]


@value
class Resolved(_SeatEvent):
    """The order was resolved; `idle` as `SEAT:ID` (ACT-15)."""

    idle: tuple[str, ...]


@value
class OrderEnded(_SeatEvent):
    """The order is over."""


@value
class StateRecorded(_SeatEvent):
    """`seat` recorded a state of a trooper of `owner` (STA-05)."""

    owner: Seat
    trooper: str | None
    state: str | None


@value
class StateCleared(_SeatEvent):
    """`seat` cleared a state of a trooper of `owner` (STA-05)."""

    owner: Seat
    trooper: str | None
    state: str | None


@value
class WoundCaused(_SeatEvent):
    """A trooper with Frenzy caused a wound (SEQ-05)."""

    trooper: str


@value
class Arrived(_SeatEvent):
    """A trooper came on the table; `tactical` orders were placed with it at once (ORD-19)."""

    trooper: str
    tactical: int


@value
class Evacuated(_SeatEvent):
    """A trooper left the table as a survivor (RET-06)."""

    trooper: str


@value
class TokenSpent(_SeatEvent):
    """A Command Token was spent."""

    use: str


@value
class GroupChanged(_SeatEvent):
    """A trooper was moved to another combat group (CMD-03)."""

    trooper: str | None
    group: int | None
    with_order: bool = False
    """Whether its Regular order goes with it (REI-03)."""


@value
class OrdersStripped(_SeatEvent):
    """`seat` lost one Regular order from each group named (CMD-02)."""

    groups: tuple[int, ...]


@value
class TokensCapped(_SeatEvent):
    """`seat` may use so many Command Tokens in this turn (CMD-02)."""

    limit: int = 1


@value
class CounterintelligenceUsed(_SeatEvent):
    """`seat` answered the opponent's strategic token with Counterintelligence (CMD-02)."""


@value
class OrderConverted(_SeatEvent):
    """A trooper's own Irregular order became a Regular one of its group (CMD-04)."""

    trooper: str
    group: int


@value
class RetreatIgnored(_SeatEvent):
    """A trooper ignores Retreat for the rest of the game (CMD-04)."""

    trooper: str


@value
class ReinforcementsCalled(_SeatEvent):
    """The Reinforcements came on the table (REI-02)."""

    troopers: tuple[str, ...]


@value
class ScoreRecorded(_SeatEvent):
    """`seat` has so many Objective Points (ITS)."""

    points: int


@value
class Revealed(_SeatEvent):
    """A marker was revealed: who it is, and what it was called (INF)."""

    trooper: str
    marker: str


@value
class PeripheralsDisconnected(_SeatEvent):
    """The tray recorded these peripherals as Disconnected: what keeps them going is Null or Isolated (ORD-23)."""

    troopers: tuple[str, ...]


@value
class PeripheralsReconnected(_SeatEvent):
    """The controller of these is there again: they are no longer Disconnected (ORD-23)."""

    troopers: tuple[str, ...]


@value
class TeamFormed(_SeatEvent):
    """These are a Fireteam now; the first leads it (FT-01)."""

    troopers: tuple[str, ...]


@value
class TeamLeft(_SeatEvent):
    """A trooper is no longer a member of its Fireteam; `cause` says why (FT-04, FT-05)."""

    trooper: str
    cause: str


@value
class TeamJoined(_SeatEvent):
    """A trooper came back to its Fireteam (FT-07)."""

    trooper: str


@value
class TeamLed(_SeatEvent):
    """A member with Number 2 leads the Fireteam now (FT-06)."""

    trooper: str


@value
class TeamCancelled(_SeatEvent):
    """The Fireteam that `trooper` led is no more; `cause` says why (FT-06)."""

    trooper: str
    cause: str


@value
class TeamAroNamed(_SeatEvent):
    """The owner says that the ARO of this member is that of its Fireteam (FT-04)."""

    trooper: str


Event = (
    OptionSet
    | Undone
    | GameEnded
    | TurnStarted
    | TurnEnded
    | StepEntered
    | RetreatDeclared
    | RetreatCancelled
    | LieutenantChecked
    | LieutenantChanged
    | StrategosChosen
    | OrdersCounted
    | OrderSpent
    | TrooperNamed
    | SkillDeclared
    | SecondSkillForgone
    | AroDeclared
    | AroPassed
    | WindowClosed
    | ValidityChecked
    | Resolved
    | OrderEnded
    | StateRecorded
    | StateCleared
    | WoundCaused
    | Arrived
    | Evacuated
    | TokenSpent
    | GroupChanged
    | OrdersStripped
    | TokensCapped
    | OrderConverted
    | RetreatIgnored
    | PeripheralsDisconnected
    | PeripheralsReconnected
    | TeamFormed
    | TeamLeft
    | TeamJoined
    | TeamLed
    | TeamCancelled
    | TeamAroNamed
    | AroDelayed
    | CounterintelligenceUsed
    | ReinforcementsCalled
    | ScoreRecorded
    | Revealed
)


def _kebab(name: str) -> str:
    return "".join("-" + c.lower() if c.isupper() else c for c in name).lstrip("-")


_CLASSES: tuple[type[Event], ...] = Event.__args__
_TYPES: dict[str, type[Event]] = {_kebab(cls.__name__): cls for cls in _CLASSES}
_NAMES: dict[type[Event], str] = {cls: name for name, cls in _TYPES.items()}
_FIELDS: dict[type[Event], tuple[str, ...]] = {cls: tuple(f.name for f in fields(cls)) for cls in _CLASSES}
#: The format of `to_json`. Records of format 1 carried no number and lack fields that have a default today.
FORMAT = 2
_TUPLES = frozenset({"troopers", "idle", "groups", "markers", "others"})
_SEATS = frozenset({"seat", "owner"})
#: Fields that records of earlier versions lack, and events of today need not have.
_DEFAULTS: dict[type[Event], dict[str, Any]] = {
    cls: {f.name: f.default for f in fields(cls) if f.default is not MISSING} for cls in _CLASSES
}


def to_json(event: Event) -> dict[str, Any]:
    """Plain data: the format `v`, `type`, `position` and the event's fields."""
    data: dict[str, Any] = {"v": FORMAT, "type": _NAMES[type(event)]}
    for name in _FIELDS[type(event)]:
        value = getattr(event, name)
        data[name] = list(value) if name in _TUPLES else str(value) if isinstance(value, Seat) else value
    return data


def from_json(data: dict[str, Any]) -> Event:
    """The event that `to_json` gave, in this format or an earlier one. Raises `ValueError` for anything else."""
    if not isinstance(data, dict):
        raise ValueError(f"not an event of the record: {type(data).__name__}")
    version = data.get("v", 1)
    if version not in range(1, FORMAT + 1):
        raise ValueError(f"not an event of the record: format {version!r}; this program reads 1 to {FORMAT}")
    if data.get("type") in _TYPES and (unknown := set(data) - {"v", "type"} - set(_FIELDS[_TYPES[data["type"]]])):
        raise ValueError(f"not an event of the record: unknown key {min(unknown)!r} of {data['type']}")
    try:
        cls = _TYPES[data["type"]]
        given = {**_DEFAULTS[cls], **data}
        values = {name: _value(cls, name, given[name]) for name in _FIELDS[cls]}
    except (KeyError, TypeError, ValueError) as fault:
        raise ValueError(f"not an event of the record: {fault}") from None
    return cls(**values)


def _value(cls: type[Event], name: str, value: Any) -> Any:
    if name in _TUPLES:
        return tuple(value)
    if name in _SEATS or (name == "by" and cls is Undone and value is not None):
        return Seat(value)
    return value


def seen_by(event: Event, viewer: Seat | None, hidden: frozenset[str] = frozenset()) -> Event | None:
    """`event` as `viewer` (None: the public) may see it; None if its very being is private.

    `hidden` are ids of the acting army's troopers that are off the table, before or after the event.
    """
    match event:
        case StrategosChosen() if viewer is not event.seat:
            return None
        case LieutenantChanged() if viewer is not event.seat:
            # A Chain of Command works unseen: no Loss of Lieutenant is all that the table learns. So does a naming:
            # that there was one would tell that somebody may lead, who is perhaps hidden (INF).
            return None
        case OrdersCounted() if viewer is not event.seat:
            return replace(event, own=None)
        case StateRecorded() | StateCleared() if viewer is not event.owner and event.trooper in hidden:
            return None
        case GroupChanged() if viewer is not event.seat and event.trooper in hidden:
            return replace(event, trooper=None, group=None)
    return event
