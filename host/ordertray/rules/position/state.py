"""What changes in a game, as text: the turn, the two sides, the order in progress."""

from __future__ import annotations

from ..charts import LABELS
from ..game import (
    EVACUATED,
    OFF_TABLE,
    OVER_LOST,
    OVER_RETREAT,
    OVER_ROUNDS,
    TABLE,
    TROOPER_STATES,
    Aro,
    Count,
    Order,
    SeatState,
    Skill,
    State,
    Team,
    TrooperState,
)
from ..seats import Seat
from .text import (
    COUNT,
    FLAG,
    MAYBE_NUMBER,
    NAME,
    NUMBER,
    PLACES,
    PLAIN,
    WORD,
    WORDS,
    Codec,
    count,
    joined,
    many,
    number,
    one_of,
    parts,
    read_fields,
    uncount,
    word,
    write_fields,
)

# --- a side ----------------------------------------------------------------------------------------------------------

_STANDS = {TABLE: "t", OFF_TABLE: "o", EVACUATED: "e"}
_LETTERS = {letter: place for place, letter in _STANDS.items()}


def _states(text: str) -> frozenset[str]:
    return frozenset(one_of(state, TROOPER_STATES) for state in parts(text, "+"))


_TROOPER = {
    "place": Codec(_STANDS.__getitem__, lambda text: _LETTERS[one_of(text, _LETTERS)]),
    "group": NUMBER,
    "states": Codec(lambda states: joined(sorted(states), "+"), _states),
    "frenzy": Codec(str, lambda text: number(one_of(text, ("0", "1", "2")))),
    "ignores_retreat": FLAG,
    "marker": NUMBER,
    "cut_off": Codec(str, lambda text: number(one_of(text, ("0", "1", "2")))),
    "counted_isolated": FLAG,
    **dict.fromkeys(("irregular", "fixed", "tactical", "impetuous", "own"), COUNT),
}

_TEAM = {"number": NUMBER, "leader": NUMBER, "members": PLACES, "left": PLACES}


def _parse_pool(text: str) -> tuple[int, Count]:
    group, separator, orders = text.partition("=")
    if not separator:
        raise ValueError(f"{text!r} is no pool")
    return number(group), uncount(orders)


_SIDE = {
    "lieutenant": MAYBE_NUMBER,
    "lieutenant_orders": COUNT,
    "command_tokens": NUMBER,
    "tokens_this_turn": NUMBER,
    "token_cap": NUMBER,
    **dict.fromkeys(
        ("lieutenant_known", "lieutenant_bare", "lieutenant_named", "strategic_used", "logistical_used", "strategos",
         "retreat", "loss_of_lieutenant"),
        FLAG,
    ),
    "teams_made": NUMBER,
    "reinforced": NUMBER,
    "score": NUMBER,
    "pools": Codec(
        lambda pools: joined((f"{group}={count(orders)}" for group, orders in pools), ";"),
        lambda text: tuple(sorted(_parse_pool(pool) for pool in parts(text, ";"))),
    ),
    "teams": many(
        Codec(
            lambda team: write_fields(team, _TEAM, ","),
            lambda text: Team(**read_fields(text, _TEAM, ",", ("number", "leader", "members"))),
        ),
        ";",
    ),
    "troopers": many(
        Codec(
            lambda trooper: write_fields(trooper, _TROOPER, ","),
            lambda text: TrooperState(**read_fields(text, _TROOPER, ",", ("place", "group"))),
        ),
        ";",
    ),
}  # fmt: skip


def format_side(side: SeatState) -> str:
    """What changes about one army."""
    return write_fields(side, _SIDE, "/")


def parse_side(text: str) -> SeatState:
    """The side that `format_side` wrote."""
    side = SeatState(**read_fields(text, _SIDE, "/", ("troopers",)))
    members = [place for team in side.teams for place in (team.leader, *team.members, *team.left)]
    for place in (*members, *(() if side.lieutenant is None else (side.lieutenant,))):
        if place >= len(side.troopers):
            raise ValueError(f"there is no trooper number {place}")
    for team in side.teams:
        if team.leader not in team.members or len(set(team.members)) != len(team.members):
            raise ValueError(f"team {team.number}: its Leader is one of its members, and nobody is so twice")
    if len({team.number for team in side.teams}) != len(side.teams):
        raise ValueError("two teams have one number")
    if len({place for team in side.teams for place in team.members}) != sum(len(t.members) for t in side.teams):
        raise ValueError("somebody is in two teams")
    return side


# --- the turn --------------------------------------------------------------------------------------------------------

_TURN = {
    "round": NUMBER,
    "turns": NUMBER,
    "active": Codec(str, Seat),
    "phase": WORD,
    "step": WORD,
    "activated": FLAG,
    "over": word((OVER_ROUNDS, OVER_LOST, OVER_RETREAT)),
}


def format_turn(state: State) -> str:
    """Whose turn it is, and where it stands."""
    return write_fields(state, _TURN, "/")


def parse_turn(text: str) -> State:
    """A state with this turn, and nobody in it."""
    nobody = SeatState(())
    return State((nobody, nobody), **read_fields(text, _TURN, "/"))


# --- the order in progress -------------------------------------------------------------------------------------------


def _parse_skill(text: str) -> Skill:
    label, _, name = text.partition("=")
    return Skill(one_of(label, LABELS), NAME.read(name))


def _parse_aro(text: str) -> Aro:
    found = text.split(",")
    if len(found) != 5:
        raise ValueError(f"{text!r} is no ARO")
    return Aro(WORD.read(found[0]), NAME.read(found[1]), WORD.read(found[2]), WORD.read(found[3]), number(found[4]))


_ORDER = {
    "kind": Codec(
        str,
        lambda text: one_of(
            text, ("regular", "irregular", "lieutenant", "tactical", "impetuous", "own", "coordinated")
        ),
    ),
    "group": MAYBE_NUMBER,
    "troopers": PLACES,
    "step": PLAIN,
    "used_as": WORD,
    "skills": many(Codec(lambda skill: f"{skill.label}={NAME.write(skill.name)}", _parse_skill), ";"),
    "declared": many(
        Codec(
            lambda aro: ",".join(
                (
                    WORD.write(aro.trooper),
                    NAME.write(aro.name),
                    WORD.write(aro.target),
                    WORD.write(aro.by),
                    str(aro.team),
                )
            ),
            _parse_aro,
        ),
        ";",
    ),
    "passed": WORDS,
    "passed_before": NUMBER,
    "idle": WORDS,
    "activated": PLACES,
    "captive": MAYBE_NUMBER,
    "delayed": WORDS,
    "delayed_for": PLACES,
    "team_aros": WORDS,
}


def format_order(order: Order | None) -> str:
    """The order in progress; `-` for none."""
    return "-" if order is None else write_fields(order, _ORDER, "/")


def parse_order(text: str) -> Order | None:
    """The order that `format_order` wrote."""
    return None if text == "-" else Order(**read_fields(text, _ORDER, "/", ("kind", "group", "troopers", "step")))
