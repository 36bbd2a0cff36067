"""The rules of the game as a pure core: no I/O, no clock, no randomness.

    game = new_game({Seat.A: army, Seat.B: other})
    outcome = play(game, parse_action("A start"))

`decide` judges an action and gives events or a `Refusal`; `evolve` applies an event. See README.md beside this file.
"""

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .actions import (
        Action,
        Arrive,
        Check,
        ClearState,
        DeclareAro,
        DeclareSkill,
        Delay,
        Done,
        End,
        Evacuate,
        Frenzy,
        NameLieutenant,
        NameTrooper,
        Next,
        Pass,
        RecordState,
        Reinforce,
        Resolve,
        Reveal,
        Score,
        SetOption,
        Spend,
        Start,
        Strategos,
        TeamUse,
        Undo,
        UseToken,
    )
    from .army import Army, Fireteam, Trooper
    from .army_check import Problem, check_army
    from .editions import DEFAULT_EDITION, EDITIONS, Edition, edition
    from .events import Event, from_json, to_json
    from .evolving import evolve, replay
    from .game import Game, new_game
    from .judging import decide, play
    from .legal import action_space, each_legal_action, is_legal, legal_actions
    from .notation import NotationError, Query, format_action, parse_action, parse_line
    from .options import Options
    from .position import PositionError, format_position, parse_position
    from .refusals import REFUSED, Refusal, explain, explain_to_others
    from .seats import SEATS, Seat
    from .told_position import summary
    from .views import public_view, seat_view, table_view, visible_events

__all__ = [
    "DEFAULT_EDITION",
    "EDITIONS",
    "REFUSED",
    "SEATS",
    "Action",
    "Army",
    "Arrive",
    "Check",
    "ClearState",
    "DeclareAro",
    "DeclareSkill",
    "Delay",
    "Done",
    "Edition",
    "End",
    "Evacuate",
    "Event",
    "Fireteam",
    "Frenzy",
    "Game",
    "NameLieutenant",
    "NameTrooper",
    "Next",
    "NotationError",
    "Options",
    "Pass",
    "PositionError",
    "Problem",
    "Query",
    "RecordState",
    "Refusal",
    "Reinforce",
    "Resolve",
    "Reveal",
    "Score",
    "Seat",
    "SetOption",
    "Spend",
    "Start",
    "Strategos",
    "TeamUse",
    "Trooper",
    "Undo",
    "UseToken",
    "action_space",
    "check_army",
    "decide",
    "each_legal_action",
    "edition",
    "evolve",
    "explain",
    "explain_to_others",
    "format_action",
    "format_position",
    "from_json",
    "is_legal",
    "legal_actions",
    "new_game",
    "parse_action",
    "parse_line",
    "parse_position",
    "play",
    "public_view",
    "replay",
    "seat_view",
    "summary",
    "table_view",
    "to_json",
    "visible_events",
]

_ACTIONS = (
    "Arrive Check ClearState DeclareAro DeclareSkill Delay Done End Evacuate Frenzy NameLieutenant NameTrooper Next "
    "Pass RecordState Reinforce Resolve Reveal Score SetOption Spend Start Strategos TeamUse Undo UseToken"
)
_PLACES = {
    "actions": "Action " + _ACTIONS,
    "army": "Army Fireteam Trooper",
    "army_check": "Problem check_army",
    "judging": "decide play",
    "editions": "DEFAULT_EDITION EDITIONS Edition edition",
    "events": "Event from_json to_json",
    "evolving": "evolve replay",
    "game": "Game new_game",
    "legal": "action_space each_legal_action is_legal legal_actions",
    "notation": "NotationError Query format_action parse_action parse_line",
    "options": "Options",
    "position": "PositionError format_position parse_position",
    "refusals": "REFUSED Refusal explain explain_to_others",
    "seats": "SEATS Seat",
    "told_position": "summary",
    "views": "public_view seat_view table_view visible_events",
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a name when it is asked for (PEP 562): who needs a seat needs no events."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value
