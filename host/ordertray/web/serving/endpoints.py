"""The endpoints of the API: method, path, what each takes, who may use it, what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ...rules.army import DEPLOYMENTS, TRAININGS, TROOPER_TYPES
from ...table import BUTTONS, Pace
from ...tokens.binding import BOUND_KINDS
from ..doing.api import SEATS, Api, Call, Json, Ready, Text
from ..doing.roles import ROLES, TABLE
from ..doing.setup import MOST_CLOCK_MINUTES
from .fields import Field
from .limits import MOST_ROSTER

ANY_ROLE = frozenset(ROLES)

Handler = Callable[[Call], Awaitable[Json | Text | Ready]]


@dataclass(frozen=True)
class Endpoint:
    """One endpoint. `who`: roles of which one is needed (empty: everybody); `answer` describes the answer."""

    method: str
    path: str
    about: str
    handler: Handler
    fields: tuple[Field, ...] = ()
    who: frozenset[str] = frozenset()
    answer: str = ""


def endpoints(api: Api) -> tuple[Endpoint, ...]:
    """All endpoints but the session's, the texts' and the live one, which are the application's own."""
    seat = Field("seat", str, "A or B", choices=SEATS)
    refused = '{"ok":false,"rule":…,"code":…,"message":…,"position":…}'
    outcome = f'{{"ok":true,"position":…}} or {refused}'
    return (
        Endpoint(
            "GET",
            "/state",
            "What a page shows, whole; `?view=public|A|B|table`, `&language=en|es`.",
            api.state,
            answer="the same object as on the websocket: public view, path, lamps, discs, history, …",
        ),
        Endpoint(
            "GET",
            "/choices",
            "What a seat may do now, by family; `?seat=A`.",
            api.choices,
            who=ANY_ROLE,
            answer='{"position":…,"choices":{"turn":["next"],"spend":[…],"aro":{…},…}}',
        ),
        Endpoint(
            "POST",
            "/actions",
            "One action: a line of the game script, `@N` for the position it was made from.",
            api.act,
            (Field("line", str, 'like "@17 A spend regular g1"', most=400),),
            ANY_ROLE,
            outcome,
        ),
        Endpoint(
            "POST",
            "/touch",
            "One touch of a seat, with the meaning that a disc or key of a tray has: in `express` a whole order.",
            api.touch,
            (
                seat,
                Field("disc", str, 'an order button, a virtual disc: like "regular g1", "lieutenant"', False, most=80),
                Field("trooper", str, "who acts with the order, as if its tag had been tapped before", False, most=80),
                Field("key", str, "or a key", False, choices=BUTTONS),
                Field("hold", bool, "the key is held (PASS: undo; OK: next phase; SHORT: a single Short skill)", False),
                Field("at", int, "the position that the page showed: what was pressed twice is played once", False),
            ),
            ANY_ROLE,
            f'{{"ok":true,"position":…,"waits":…,"told":"SHORT: second skill"}} or {refused}',
        ),
        Endpoint(
            "POST",
            "/tray/tap",
            "Lay a disc on a pad of the virtual tray, for a moment.",
            api.tap,
            (
                Field("pad", str, "the side whose pad", choices=SEATS),
                Field(
                    "disc",
                    str,
                    'like "regular g1", "irregular nomad", "lieutenant", "state", "trooper nomad", "blank" (enrolling)',
                    most=80,
                ),
                Field("owner", str, "whose disc; else the pad's side", required=False, choices=SEATS),
            ),
            ANY_ROLE,
            f'{outcome}; "answered":false if the tray did not react',
        ),
        Endpoint(
            "POST",
            "/tray/button",
            "Press a button of the virtual tray.",
            api.button,
            (
                Field("side", str, "A or B", choices=SEATS),
                Field("button", str, "which", choices=BUTTONS),
                Field(
                    "edge",
                    str,
                    "`down` and `up` as a finger does, or `click`, or `hold` for a second",
                    choices=("down", "up", "click", "hold"),
                ),
            ),
            ANY_ROLE,
            outcome,
        ),
        Endpoint("POST", "/story/end", "Enough of the demo's example: the tray is yours.", api.story_end, who=ANY_ROLE),
        Endpoint(
            "POST",
            "/setup",
            "Choose edition, pace, options, names, clocks. What is left out stays.",
            api.setup,
            (
                Field("edition", str, "an edition id", False),
                Field("pace", str, "how much is said", False, tuple(Pace)),
                Field("first", str, "who has the first turn", False, SEATS),
                Field("rounds", int, "rounds of the game", False, most=99),
                Field("retreat", bool, "Retreat! is played", False),
                Field("lieutenant_loss", bool, "Loss of Lieutenant is played", False),
                Field("retreat_ends_game", bool, "a turn begun in Retreat ends the game", False),
                Field("retreat_base", str, "a quarter of what", False, ("limit", "list")),
                Field("clock_minutes", int, "minutes for each player; 0: no clocks", False, most=MOST_CLOCK_MINUTES),
                Field(
                    "round_minutes",
                    int,
                    "minutes of the round for the whole table; 0: none",
                    False,
                    most=MOST_CLOCK_MINUTES,
                ),
                Field(
                    "warning_minutes",
                    int,
                    "a clock warns so long before its end; 0: never",
                    False,
                    most=MOST_CLOCK_MINUTES,
                ),
                Field("name_a", str, "player A's name", False, most=80),
                Field("name_b", str, "player B's name", False, most=80),
            ),
            ANY_ROLE,
            '{"ok":true}',
        ),
        Endpoint(
            "POST",
            "/setup/fill",
            "Fill in an entry that the army data did not know. A list with such entries may not play.",
            api.fill,
            (
                Field("seat", str, "whose list", choices=SEATS),
                Field("trooper", str, "the entry's id"),
                Field("name", str, "what players call it", False),
                Field("type", str, "LI, MI, HI, TAG, REM, SK, WB, VH", False, TROOPER_TYPES),
                Field("cost", str, "army points", False),
                Field("training", str, "regular or irregular", False, TRAININGS),
                Field("lieutenant", bool, "it is the Lieutenant", False),
                Field("skills", str, "skills that the tray acts on, parted by commas", False, most=300),
                Field("deploy", str, "where it begins", False, DEPLOYMENTS),
                Field("controller", str, "id of whose peripheral it is, where only that is missing", False),
            ),
            ANY_ROLE,
            '{"ok":true}',
        ),
        Endpoint(
            "POST",
            "/setup/bind",
            "In the game to come, a nameless disc stands for this trooper rather than by its number.",
            api.bind,
            (
                Field("seat", str, "whose disc", choices=SEATS),
                Field("kind", str, "its kind", choices=tuple(BOUND_KINDS)),
                Field("number", int, "its number", most=999),
                Field("trooper", str, "the trooper's id"),
            ),
            ANY_ROLE,
            '{"ok":true}',
        ),
        Endpoint(
            "POST",
            "/setup/army-data",
            "Where the army data is on this machine; without a place what is known of it.",
            api.army_data,
            (Field("place", str, "a folder or file on the host", False, most=300),),
            frozenset({TABLE}),
            '{"ok":true,"lines":["…"]}',
        ),
        Endpoint(
            "POST",
            "/setup/roster",
            "Load a roster. All its faults come back at once.",
            api.roster,
            (
                seat,
                Field("kind", str, "what `text` is", choices=("file", "example", "quick", "code")),
                Field(
                    "text",
                    str,
                    "the file's text; an army code; numbers like `10 4`",
                    False,
                    most=MOST_ROSTER,
                    lines=True,
                ),
                Field("name", str, "the file's name", False),
            ),
            ANY_ROLE,
            '{"ok":…,"problems":["line 12, …"],"warnings":[…]}',
        ),
        Endpoint(
            "POST",
            "/game/start",
            "Begin a new game of what is set up (also a rematch).",
            api.start,
            (),
            ANY_ROLE,
            '{"ok":true,"game":…}',
        ),
        Endpoint(
            "POST",
            "/game/end",
            "Confirm the end of the game, or agree to leave it as it is. Settled by both seats, or by the table.",
            api.end,
            (Field("do", str, "else `agree`", False, ("agree", "withdraw")),),
            ANY_ROLE,
            '{"ok":true,"ended":…,"agreed":["A"]}',
        ),
        Endpoint(
            "POST",
            "/clock",
            "Pause the player clocks, or let them go on.",
            api.clock,
            (Field("paused", bool, "stand still"),),
            ANY_ROLE,
            '{"ok":true}',
        ),
        Endpoint(
            "POST",
            "/enrolment",
            "Enrol discs by tapping: the tray asks for one after the other.",
            api.enrol,
            (
                Field("do", str, "what", choices=("start", "skip", "undo", "pause", "stop")),
                Field("seat", str, "whose discs (to start)", False, SEATS),
                Field("write", bool, "write the disc's meaning on it too (NDEF)", False),
            ),
            ANY_ROLE,
            '{"ok":true}',
        ),
        Endpoint(
            "POST",
            "/keys/renew",
            "A new secret and PIN for a seat; all its sessions end.",
            api.renew,
            (Field("role", str, "which", choices=ROLES),),
            frozenset({TABLE}),
            '{"ok":true}',
        ),
        Endpoint("GET", "/games", "The games in the record.", api.games, who=ANY_ROLE, answer='{"games":[…]}'),
        Endpoint(
            "GET",
            "/games/{game}/statistics",
            "A game whose end is confirmed, in numbers; `current` for the one on the table.",
            api.statistics,
            answer='{"turns":[…],"seats":{"A":{…},"B":{…}}}',
        ),
        Endpoint(
            "GET",
            "/games/{game}/record.json",
            "The record of a game whose end is confirmed, to keep.",
            api.record,
            who=ANY_ROLE,
            answer="armies, options and every action with its events and time",
        ),
        Endpoint(
            "GET",
            "/games/{game}/script.txt",
            "The game script that replays a game whose end is confirmed.",
            api.script,
            who=ANY_ROLE,
            answer="text",
        ),
    )
