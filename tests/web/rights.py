"""Who may what, when: every endpoint and live view against every role and state of the game, and the table of it.

    python -m web.rights --write        (make rights-table: into host/ordertray/web/README.md)

An endpoint that is not in `TRIES` fails the tests.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

README = Path(__file__).parents[2] / "host" / "ordertray" / "web" / "README.md"
BEGIN, END = "<!-- rights: made by `make rights-table` -->", "<!-- end of rights -->"

#: No game; one of which something was played; one that is over, and can be taken back; one whose end is confirmed.
STATES = ("none", "on", "over", "final")
ROLES = ("nobody", "A", "B", "table")


@dataclass(frozen=True)
class Try:
    """One request and what comes of it. `may`: for each role a letter for each state.

    y: it is done. n: refused, it is not theirs (403). -: it makes no sense now (404, 409), whoever asks.
    """

    method: str
    path: str
    what: str
    may: dict[str, str]
    body: dict[str, object] = field(default_factory=dict)
    changes: bool = False
    """Whether the game is in another state after it."""

    @property
    def endpoint(self) -> str:
        """The endpoint it is a try of."""
        path = re.sub(r"/games/[^/?]+", "/games/{game}", self.path.partition("?")[0])
        return f"{self.method} {path}"


def _may(nobody: str, a: str, b: str, table: str) -> dict[str, str]:
    return {"nobody": nobody, "A": a, "B": b, "table": table}


ANY = _may("yyyy", "yyyy", "yyyy", "yyyy")
ROLE = _may("nnnn", "yyyy", "yyyy", "yyyy")
ONLY_A = _may("nnnn", "yyyy", "nnnn", "nnnn")
RECORD = _may("nnnn", "-nny", "-nny", "-nny")


SEAT_A = _may("nnnn", "yyyy", "nnnn", "yyyy")
ONLY_TABLE = _may("nnnn", "nnnn", "nnnn", "yyyy")
NO_TRAY = _may("nnnn", "----", "----", "----")
SECRET: dict[str, object] = {"secret": "x" * 22}
BUTTON: dict[str, object] = {"side": "A", "button": "ok", "edge": "click"}
ROSTER: dict[str, object] = {"seat": "A", "kind": "example"}
FILL: dict[str, object] = {"seat": "A", "trooper": "nobody"}
BIND: dict[str, object] = {"seat": "A", "kind": "irregular", "number": 1, "trooper": "nobody"}
ENROL: dict[str, object] = {"do": "start", "seat": "A"}

TRIES: tuple[Try, ...] = (
    Try("GET", "/session", "what one has", ANY),
    Try("GET", "/texts", "the page's texts", ANY),
    Try("POST", "/session", "open a seat with a secret that is none", _may(*["nnnn"] * 4), SECRET),
    Try("DELETE", "/session", "end one's own session", ANY),
    Try("GET", "/state?view=public", "the table, as all may see it", ANY),
    Try("GET", "/state?view=A", "what seat A knows", ONLY_A),
    Try("GET", "/state?view=table", "the table's view (set-up, nothing private)", ONLY_TABLE),
    Try("GET", "/choices?seat=A", "what seat A may do", ONLY_A),
    Try("POST", "/actions", "an action of seat A", _may("nnnn", "-yyy", "nnnn", "nnnn"), {"line": "A strategos"}, True),
    Try("POST", "/actions", "take something back", _may("nnnn", *["-yyy"] * 3), {"line": "undo"}, True),
    Try("POST", "/touch", "a touch of seat A", _may("nnnn", "-yyy", "nnnn", "-yyy"), {"seat": "A", "key": "ok"}, True),
    Try("POST", "/tray/tap", "a disc on pad A (virtual tray only)", NO_TRAY, {"pad": "A", "disc": "state"}),
    Try("POST", "/tray/button", "a button of side A (virtual tray only)", NO_TRAY, BUTTON),
    Try("POST", "/story/end", "end the demo's example", ROLE),
    Try("POST", "/setup", "edition, pace, options", ROLE, {"rounds": 2}),
    Try("POST", "/setup", "player A's name", SEAT_A, {"name_a": "Ana"}),
    Try("POST", "/setup/roster", "seat A's roster", SEAT_A, ROSTER),
    Try("POST", "/setup/fill", "fill in an entry of seat A's roster", _may("nnnn", "----", "nnnn", "----"), FILL),
    Try("POST", "/setup/bind", "which trooper a disc of seat A stands for", _may("nnnn", "----", "nnnn", "----"), BIND),
    Try("POST", "/setup/army-data", "where the army data is", ONLY_TABLE, {}),
    Try("POST", "/game/start", "begin a game", _may("nnnn", *["y--y"] * 3), {}, True),
    Try("POST", "/game/end", "agree to the end (both seats, or the table, settle it)", ROLE, {}, True),
    Try("POST", "/game/end", "want to play on after all", ROLE, {"do": "withdraw"}),
    Try("POST", "/clock", "stop the clocks", ROLE, {"paused": True}),
    Try("POST", "/enrolment", "enrol seat A's discs", SEAT_A, ENROL, True),
    Try("POST", "/keys/renew", "a new secret for seat A", ONLY_TABLE, {"role": "A"}),
    Try("GET", "/games", "the games in the record", ROLE),
    Try("GET", "/games/1/statistics", "the game in numbers", _may(*["-nny"] * 4)),
    Try("GET", "/games/1/record.json", "the record of the game, with both rosters", RECORD),
    Try("GET", "/games/1/script.txt", "the script of the game", RECORD),
    Try("LIVE", "/live?view=public", "live: as all may see it", ANY),
    Try("LIVE", "/live?view=A", "live: what seat A knows", ONLY_A),
    Try("LIVE", "/live?view=table", "live: the table's view", ONLY_TABLE),
)

_WORDS = {"yyyy": "yes", "nnnn": "no", "----": "-"}
_STATES = {"none": "no game", "on": "being played", "over": "over", "final": "end confirmed"}


def _cell(letters: str) -> str:
    if letters in _WORDS:
        return _WORDS[letters]
    return ", ".join(_STATES[state] for state, letter in zip(STATES, letters, strict=True) if letter == "y") or "no"


def table() -> Iterator[str]:
    """The lines of the table in Markdown."""
    yield "| endpoint | what | nobody | seat A | seat B | table |"
    yield "|---|---|---|---|---|---|"
    for one in TRIES:
        cells = " | ".join(_cell(one.may[role]) for role in ROLES)
        yield f"| `{one.endpoint}` | {one.what} | {cells} |"


def written(text: str) -> str:
    """The README with the table in it."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n" + "\n".join(table()) + f"\n{END}{after}"


if __name__ == "__main__" and "--write" in sys.argv:
    README.write_text(written(README.read_text("utf-8")), "utf-8")
