"""Small games for the tests of the rules: armies of one line a trooper, and a table that speaks the game script.

    game = Game("n5", army("cap lieutenant", "t1..t9"), army("boss lieutenant", "u1 u2"))
    game.play("A start", "A next")
    game.refused("A spend regular g2", "ORD-12")

Lines go in and JSON answers come out, as `ordertray play --json` has it; nothing here looks into the core.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import pytest

from ordertray.games.script import Script
from ordertray.rules import EDITIONS, Army, Options, Seat, Trooper, new_game, seat_view

#: Editions with the whole turn, and those of the reduced game.
FULL = ("n5", "n4", "n4-2020")
CODEONE = ("codeone", "codeone-2020")
ALL = (*FULL, *CODEONE)
N4 = ("n4", "n4-2020")

Json = dict[str, Any]


def editions(*names: str) -> pytest.MarkDecorator:
    """Run a test in each of these editions; the rule table reads the names off the mark."""
    return pytest.mark.parametrize("edition", names)


def troopers(line: str) -> tuple[Trooper, ...]:
    """The troopers of one line: ids first (`t1..t9` counts), then what they share.

    Words: lieutenant, irregular, hidden, airborne, marker, reinforcement, g2, cost=12, type=REM, controller=t1;
    any other is a skill. The cost is 10 points unless given, a peripheral's 0 (`cost=` after `controller=` changes it).
    """
    ids: list[str] = []
    given: dict[str, Any] = {"cost": 10.0}
    skills: set[str] = set()
    for word in line.split():
        name, _, value = word.partition("=")
        if word in ("lieutenant", "irregular", "hidden", "airborne", "marker", "reinforcement"):
            key = {"lieutenant": "lieutenant", "irregular": "training"}.get(word, "deploy")
            given[key] = True if word == "lieutenant" else word
        elif re.fullmatch(r"g[0-9]+", word):
            given["group"] = int(word[1:])
        elif value:
            given[name] = float(value) if name == "cost" else value
            if name == "controller":
                given["cost"] = 0.0
        elif run := re.fullmatch(r"([a-z]+)([0-9]+)\.\.\1([0-9]+)", word):
            ids += [f"{run[1]}{number}" for number in range(int(run[2]), int(run[3]) + 1)]
        elif not ids or re.fullmatch(r"[a-z]+[0-9]", word):
            ids.append(word)
        else:
            skills.add(word)
    return tuple(Trooper(id=name, skills=frozenset(skills), **given) for name in ids)


def army(*lines: str, points: int | None = None, name: str = "army") -> Army:
    """An army of such lines; the points limit is what it costs unless given."""
    made = tuple(trooper for line in lines for trooper in troopers(line))
    return Army(name, points or math.ceil(Army(name, 1, made).total_points), made)


#: An opponent who is just there: a Lieutenant and three troopers.
ENEMY = army("boss lieutenant", "u1 u2 u3")


class Game:
    """A game played by lines of the script."""

    def __init__(self, edition: str, a: Army, b: Army = ENEMY, *, viewer: str | None = None, **options: Any) -> None:
        armies = {Seat.A: a, Seat.B: b}
        self.edition = EDITIONS[edition]
        self.script = Script(
            new_game(armies, self.edition, Options(**options)), viewer=None if viewer is None else Seat(viewer)
        )
        self.lines = 0

    def say(self, line: str) -> Json:
        """The JSON answer to one line."""
        self.lines += 1
        answer = self.script.answer(self.lines, line)
        assert answer is not None, f"{line!r} says nothing"
        return answer.data

    def play(self, *lines: str) -> Json:
        """Play lines, all of which must be accepted; the answer to the last one."""
        answer: Json = {}
        for line in lines:
            answer = self.say(line)
            assert answer["ok"], f"{line}: {answer}"
        return answer

    def refused(self, line: str, rule: str) -> str:
        """Play a line that must be refused under `rule` and change nothing; the reason given."""
        before = (self.script.game, self.public)
        answer = self.say(line)
        assert not answer["ok"], f"accepted: {line}"
        assert answer.get("rule") == rule, f"{line}: {answer}"
        assert (self.script.game, self.public) == before
        message: str = answer["message"]
        assert message
        return message

    # --- what players see ---------------------------------------------------------------------------------------

    @property
    def public(self) -> Json:
        """The public view."""
        answer = self.script.answer(self.lines, "show")
        assert answer is not None
        view: Json = answer.data["public"]
        return view

    def side(self, seat: str) -> Json:
        """The public view of one side."""
        side: Json = self.public["seats"][seat]
        return side

    def private(self, seat: str) -> Json:
        """What only that player sees."""
        return seat_view(self.script.game, Seat(seat))

    def pools(self, seat: str) -> dict[int, int]:
        """Regular orders left, by combat group."""
        return {int(group): count["left"] for group, count in self.side(seat)["pools"].items()}

    def left(self, seat: str, kind: str) -> int:
        """Orders of a kind left outside the pools: irregular, lieutenant, tactical, impetuous."""
        count: int = self.side(seat)[kind]["left"]
        return count

    def trooper(self, seat: str, name: str) -> Json:
        """What everybody sees of one trooper."""
        found = [one for one in self.side(seat)["troopers"] if one["id"] == name]
        assert len(found) == 1, f"{name} is not to be seen"
        (one,) = found
        return dict(one)

    @property
    def order(self) -> Json:
        """The order in progress."""
        order = self.public["order"]
        assert order is not None, "no order is in progress"
        result: Json = order
        return result

    def step(self) -> object:
        """The step of the order in progress, or of the Tactical Phase."""
        step: object = self.public["step"]
        return step

    def over(self) -> object:
        """Why the battle is over, or False."""
        why: object = self.public["over"]
        return why

    # --- longer stretches ----------------------------------------------------------------------------------------

    def begin(self, seat: str) -> Json:
        """Start a turn and go on to its Orders Phase."""
        self.play(f"{seat} start")
        return self.go_on(seat, "orders")

    def go_on(self, seat: str, phase: str) -> Json:
        """`next` until this phase (or step of the Tactical Phase) is reached."""
        while phase not in (self.public["phase"], self.public["step"]):
            self.play(f"{seat} next")
        return self.public

    def finish(self, seat: str) -> Json:
        """`next` until the turn is over."""
        while self.public["active"] == seat:
            self.play(f"{seat} next")
        return self.public

    def turn(self, seat: str) -> Json:
        """A whole turn in which nothing happens."""
        self.begin(seat)
        return self.finish(seat)

    def whole(self, line: str, skill: str = "basic") -> Json:
        """A whole order begun by `line`, with one skill and nobody reacting."""
        seat, other = line[0], "B" if line[0] == "A" else "A"
        self.play(line, f"{seat} skill {skill}", f"{other} pass")
        if self.step() == self.edition.sequence.second_skill:
            self.play(f"{seat} end")
        return self.play(f"{seat} resolve", f"{seat} done")

    def legal(self, seat: str) -> set[str]:
        """The lines that would be accepted from `seat` now, of the finite action space."""
        from ordertray.rules import format_action, legal_actions

        return {format_action(action) for action in legal_actions(self.script.game, Seat(seat))}


def run_file(game: Game, lines: Iterable[str]) -> list[str]:
    """Play a file of the script; the lines that went otherwise than they say.

    A line is accepted unless its comment begins with `refused RULE`.
    """
    wrong = []
    for number, line in enumerate(lines, 1):
        marked = re.search(r"#\s*refused ([A-Z]+(?:-[0-9]+)?)", line)
        answer = game.script.answer(number, line)
        if answer is None:
            continue
        told = None if answer.data["ok"] else answer.data.get("rule", "no notation")
        if told != (marked[1] if marked else None):
            wrong.append(f"{number}: {line.strip()} -> {answer.text}")
    return wrong
