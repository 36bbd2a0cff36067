"""The game: one immutable value.

Built of named tuples, so that equality, hashing and copying are the interpreter's own and fast. Troopers are
known by their place in the army list inside the core, and by their id in everything that goes in or out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .army import OFF_TABLE_DEPLOYMENTS, Army, Trooper
from .editions import DEFAULT_EDITION, Edition
from .options import Options
from .seats import Seat

if TYPE_CHECKING:
    from .actions import Action
    from .events import Event

#: Makes a named tuple without going through its own constructor, which takes twice as long.
_new: Any = tuple.__new__

# Where a trooper is.
TABLE, OFF_TABLE, EVACUATED = "table", "off", "evacuated"

#: States the tray can record. Which of them are Null is the edition's business (STA-01).
TROOPER_STATES = (
    "unconscious",
    "unconscious-active",
    "dead",
    "sepsitorized",
    "possessed",
    "disconnected",
    "isolated",
    "immobilized-a",
    "immobilized-b",
    "stunned",
    "prone",
    "targeted",
    "suppressive-fire",
    "engaged",
    "camouflaged",
    "burnt",
)

# Why a battle is over.
OVER_ROUNDS, OVER_LOST, OVER_RETREAT = "rounds", "all-lost-in-retreat", "retreat"


class Count(NamedTuple):
    """Orders of one kind: how many were counted, and how many are left."""

    total: int
    left: int

    def spend(self) -> Count:
        """One fewer left."""
        return Count(self.total, self.left - 1)


NO_ORDERS = Count(0, 0)


class TrooperState(NamedTuple):
    """What changes about one trooper. The orders here are its own, outside any pool."""

    place: str
    group: int
    states: frozenset[str] = frozenset()
    frenzy: int = 0
    """0: none; 1: it caused a wound this turn; 2: Impetuous for the rest of the game (SEQ-05)."""
    ignores_retreat: bool = False
    marker: int = 0
    """N while it stands there as `marker-N`, unknown to the other side (INF); 0: a model."""
    cut_off: int = 0
    """1: a peripheral that the tray has Disconnected; 2: cleared since, while the cause lasts (ORD-23)."""
    counted_isolated: bool = False
    """Whether it was Isolated at the count of this turn: its training is Irregular until the next (STA-02)."""
    irregular: Count = NO_ORDERS
    fixed: Count = NO_ORDERS
    """Irregular orders that cannot be converted (CMD-04)."""
    tactical: Count = NO_ORDERS
    impetuous: Count = NO_ORDERS
    own: Count = NO_ORDERS
    """The private order of a trooper off the table (ORD-19)."""


class Team(NamedTuple):
    """A Fireteam (FT): places of its members in the order in which they joined."""

    number: int
    """Its own in this game: an ARO remembers it."""
    leader: int
    members: tuple[int, ...]
    left: tuple[int, ...] = ()
    """Those who left it and may still come back (FT-07)."""


class SeatState(NamedTuple):
    """What changes about one player's army."""

    troopers: tuple[TrooperState, ...]
    pools: tuple[tuple[int, Count], ...] = ()
    """(group, Regular orders), by ascending group (ORD-12)."""
    lieutenant: int | None = None
    lieutenant_orders: Count = NO_ORDERS
    lieutenant_known: bool = False
    """Whether spending its order has announced who the Lieutenant is (LOL-05)."""
    lieutenant_bare: bool = False
    """Named in the game: it has the bare skill, without extras (LOL-03)."""
    lieutenant_named: bool = False
    """Whether a Lieutenant was named in this turn; others see no change before the turn is over (INF)."""
    command_tokens: int = 0
    tokens_this_turn: int = 0
    token_cap: int = 0
    """How many tokens the opponent lets it use in this turn; 0: no limit (CMD-02)."""
    strategic_used: bool = False
    """Its one procedural use: a reserve trooper, or CMD-02."""
    logistical_used: bool = False
    """Its Speedball (SEQ-09)."""
    strategos: bool = False
    retreat: bool = False
    loss_of_lieutenant: bool = False
    teams: tuple[Team, ...] = ()
    teams_made: int = 0
    """How many teams it has had: the number of the last one."""
    reinforced: int = 0
    """The number of the turn (from 1) in which its Reinforcements came; 0: they have not (REI)."""
    score: int = 0
    """Objective Points (ITS)."""


class Skill(NamedTuple):
    """A declared skill: its label, and its name where one was given."""

    label: str
    name: str | None = None


class Aro(NamedTuple):
    """A declared reaction. Troopers by id: the reacting one's own side, the target the active side (ACT-08)."""

    trooper: str | None
    name: str | None = None
    target: str | None = None
    by: str | None = None
    team: int = 0
    """The number of the Fireteam that the trooper was of when it declared; 0: none (FT-04)."""


class Order(NamedTuple):
    """The order in progress."""

    kind: str
    group: int | None
    troopers: tuple[int, ...]
    """Who was activated; empty when the player did not say who (`some trooper of this group`). Of a team the Leader is
    first."""
    step: str
    used_as: str | None = None
    skills: tuple[Skill, ...] = ()
    declared: tuple[Aro, ...] = ()
    passed: tuple[str, ...] = ()
    """Reactive troopers that have lost their ARO for this order (ACT-05)."""
    passed_before: int = 0
    """How many of `passed` are from the first window."""
    idle: tuple[str, ...] = ()
    """`A:ID` or `B:ID` of those who turned out to be Idle (ACT-15)."""
    activated: tuple[int, ...] = ()
    """`troopers` and their peripherals: possible targets until the order is concluded (ORD-23)."""
    captive: int | None = None
    """A Possessed trooper of the other side that acts for the captor (ORD-24): its place in its own army."""
    delayed: tuple[str, ...] = ()
    """Reactive troopers that wait for a marker to be revealed (ACT-19)."""
    delayed_for: tuple[int, ...] = ()
    """The markers that they wait for: places."""
    team_aros: tuple[str, ...] = ()
    """Members whose ARO is their team's, as the owner says (FT-04)."""

    @property
    def as_one(self) -> bool:
        """Whether several troopers were activated as one: a Fireteam, or as if they were (FT-03)."""
        return len(self.troopers) > 1 and self.kind != "coordinated"

    def then(
        self,
        step: str | None = None,
        *,
        troopers: tuple[int, ...] | None = None,
        skills: tuple[Skill, ...] | None = None,
        declared: tuple[Aro, ...] | None = None,
        passed: tuple[str, ...] | None = None,
        passed_before: int | None = None,
        idle: tuple[str, ...] | None = None,
        activated: tuple[int, ...] | None = None,
    ) -> Order:
        """This order with what is given changed: `_replace`, spelled out because that takes three times as long."""
        order: Order = _new(
            Order,
            (
                self.kind,
                self.group,
                self.troopers if troopers is None else troopers,
                self.step if step is None else step,
                self.used_as,
                self.skills if skills is None else skills,
                self.declared if declared is None else declared,
                self.passed if passed is None else passed,
                self.passed_before if passed_before is None else passed_before,
                self.idle if idle is None else idle,
                self.activated if activated is None else activated,
                self.captive,
                self.delayed,
                self.delayed_for,
                self.team_aros,
            ),
        )
        return order


class State(NamedTuple):
    """Everything that changes in a game, both seats'."""

    seats: tuple[SeatState, SeatState]
    round: int = 0
    turns: int = 0
    """Turns begun so far: even, the first player's is next."""
    active: Seat | None = None
    phase: str | None = None
    step: str | None = None
    """The step of the Tactical Phase; None in other phases."""
    activated: bool = False
    """Whether anybody has been activated in this turn (CMD-02 ends with that)."""
    order: Order | None = None
    over: str | None = None

    # Nearly every event changes the order or one side. These spell out `_replace`, which takes three times as long.

    def with_order(self, order: Order | None) -> State:
        """This state with another order in progress, or none."""
        state: State = _new(
            State,
            (self.seats, self.round, self.turns, self.active, self.phase, self.step, self.activated, order, self.over),
        )
        return state

    def seats_with(self, seat: Seat, side: SeatState) -> tuple[SeatState, SeatState]:
        """Both sides, with another `seat`'s half."""
        return (self.seats[0], side) if seat.place else (side, self.seats[1])

    def with_side(self, seat: Seat, side: SeatState) -> State:
        """This state with another `seat`'s half."""
        state: State = _new(State, (
            self.seats_with(seat, side),
            self.round, self.turns, self.active, self.phase, self.step, self.activated, self.order, self.over,
        ))  # fmt: skip
        return state


@dataclass(frozen=True, slots=True)
class Setup:
    """What does not change once the game is on."""

    edition: Edition
    armies: tuple[Army, Army]
    options: Options = field(default_factory=Options)

    @property
    def has_markers(self) -> bool:
        """Whether a list has troopers that begin as markers."""
        return bool(self.armies[0].markers or self.armies[1].markers)


class Game:
    """A game as it stands after `position` actions.

    Two games are equal when setup and state are; the way that led there is not compared. `previous` is the game
    before the last action, for undo; `cause` that action, or its first event where only events were replayed.
    """

    __slots__ = ("cause", "position", "previous", "setup", "state")

    def __init__(
        self,
        setup: Setup,
        state: State,
        position: int = 0,
        previous: Game | None = None,
        cause: Action | Event | None = None,
    ) -> None:
        """Games are made by `new_game`, `play`, `evolve` and `parse_position`, and never changed."""
        self.setup = setup
        self.state = state
        self.position = position
        self.previous = previous
        self.cause = cause

    def __repr__(self) -> str:
        return f"Game({self.setup!r}, {self.state!r}, {self.position})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.state == other.state and (self.setup is other.setup or self.setup == other.setup)

    def __hash__(self) -> int:
        return hash(self.state)

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: object) -> Game:
        return self  # a value: nothing in it ever changes

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled step by step: as one chain a long game would be too deep."""
        steps: list[tuple[Setup, State, int, Action | Event | None]] = []
        game: Game | None = self
        while game is not None:
            steps.append((game.setup, game.state, game.position, game.cause))
            game = game.previous
        return _chained, (tuple(reversed(steps)),)

    @property
    def edition(self) -> Edition:
        """The edition it is played in."""
        return self.setup.edition

    @property
    def options(self) -> Options:
        """The options it is played with."""
        return self.setup.options

    def army(self, seat: Seat) -> Army:
        """The army list of `seat`."""
        return self.setup.armies[seat.place]

    def side(self, seat: Seat) -> SeatState:
        """The changing half of `seat`'s army."""
        return self.state.seats[seat.place]

    @property
    def next_seat(self) -> Seat | None:
        """Whose turn begins next; None while a turn is on or after the end (SEQ-01)."""
        if self.state.active is not None or self.state.over is not None:
            return None
        first = self.setup.options.first
        return first if self.state.turns % 2 == 0 else first.other


def _chained(steps: tuple[tuple[Setup, State, int, Action | Event | None], ...]) -> Game:
    """The last game of these steps, each with the one before it for undo."""
    game: Game | None = None
    for setup, state, position, cause in steps:
        game = Game(setup, state, position, game, cause)
    assert game is not None
    return game


def new_game(armies: Mapping[Seat, Army], edition: Edition = DEFAULT_EDITION, options: Options | None = None) -> Game:
    """A game before its first turn.

    Raises `ValueError` for an army that `check_army` finds fault with; show its problems to players beforehand. Raises
    `TypeError` for anything that is no army of each seat.
    """
    from .army_check import check_army

    if not isinstance(armies, Mapping) or not all(isinstance(armies.get(seat), Army) for seat in Seat):
        raise TypeError("new_game takes an Army for each seat: {Seat.A: army, Seat.B: other}")
    if not isinstance(edition, Edition) or not isinstance(options, Options | None):
        raise TypeError('new_game takes an Edition, such as EDITIONS["n5"], and Options')
    for seat in Seat:
        if problems := check_army(armies[seat], edition):
            raise ValueError(f"army of seat {seat} may not play: {problems[0].message}")
    setup = Setup(edition, (armies[Seat.A], armies[Seat.B]), options or Options())
    return Game(setup, State((_start(armies[Seat.A], edition), _start(armies[Seat.B], edition))))


def _start(army: Army, edition: Edition) -> SeatState:
    lieutenant = next((place for place, trooper in enumerate(army.troopers) if trooper.lieutenant), None)
    extra = lieutenant is not None and "plus-1-command-token" in army.troopers[lieutenant].skills
    teams = [team for team in army.fireteams if army.troopers[army.index[team.leader]].deploy != "reinforcement"]
    return SeatState(
        tuple(_deployed(army, trooper) for trooper in army.troopers),
        lieutenant=lieutenant,
        command_tokens=(5 if extra else 4) if edition.command_tokens else 0,
        teams=tuple(
            Team(number, army.index[team.leader], tuple(army.index[name] for name in team.members))
            for number, team in enumerate(teams, 1)
        ),
        teams_made=len(teams),
    )


def _deployed(army: Army, trooper: Trooper) -> TrooperState:
    """Where and how a trooper begins the game (ORD-22, INF)."""
    deploy = trooper.deploy
    if trooper.controller is not None and deploy not in OFF_TABLE_DEPLOYMENTS:
        controller = army.troopers[army.index[trooper.controller]]
        if controller.deploy == "airborne":  # it stands there and waits, Disconnected
            return TrooperState(TABLE, trooper.group, frozenset({"disconnected"}), cut_off=1)
        if controller.deploy in OFF_TABLE_DEPLOYMENTS:  # or it would give its controller away
            return TrooperState(OFF_TABLE, trooper.group)
    place = OFF_TABLE if deploy in OFF_TABLE_DEPLOYMENTS else TABLE
    return TrooperState(place, trooper.group, marker=army.markers.get(trooper.id, 0))
