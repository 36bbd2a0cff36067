"""Roster files: TOML <-> `Army`, with every fault listed at once, by its place in the file.

    name = "Cinder Column"
    format = 1                 # of this file; may be left out
    points = 300               # the game's points limit
    edition = "n5"             # may be left out

    [[trooper]]
    id = "captain"             # short; the game script and trooper tags use it
    name = "Captain Varro"
    type = "HI"                # LI, MI, HI, TAG, REM, SK, WB, VH
    cost = 38                  # a controller's cost contains its peripherals' (RET-15)
    group = 1
    training = "regular"       # or "irregular"
    lieutenant = true
    skills = ["nco"]
    deploy = "table"           # or "hidden", "airborne", "marker", "reinforcement"
    controller = "surgeon"     # makes it a peripheral of that trooper
    own-cost = true            # a peripheral paid for by itself: not part of its controller's cost
    incomplete = true          # somebody must fill this entry in: until then the list loads, but may not play
    tag = "04A1B2C3D4E5F6"     # UID of the tag in its base or on its card

    [[fireteam]]               # Fireteams the list has from the start
    name = "Core"
    members = ["one", "two"]   # ids
    leader = "one"             # the first member unless given

Only `points` and each trooper's `id` must be there. Costs, tags and everything else stay on the host.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ordertray.files.problems import FileError, Problem, in_file_order, printable
from ordertray.files.tables import (
    MOST_ROSTER,
    LineOf,
    Lines,
    Table,
    UnreadableError,
    decode_text,
    parse_toml,
    read_text,
)
from ordertray.files.writing import quoted
from ordertray.messages import N_
from ordertray.rules import army as rules
from ordertray.rules.army import Army, Fireteam, Trooper
from ordertray.rules.army_check import Problem as RulesProblem
from ordertray.rules.army_check import check_army
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS
from ordertray.tokens.model import BadUidError, normalised_uid

# A problem found by the rules that only follows from a value which could not be read.
_FOLLOWS_FROM: Mapping[str, frozenset[str]] = {
    "bad-points": frozenset({"points"}),
    "over-limit": frozenset({"points"}),
    "no-lieutenant": frozenset({"lieutenant"}),
    "group-size": frozenset({"group"}),
    "controller-group": frozenset({"group"}),
    "no-controller": frozenset({"id"}),
    "controller-cost": frozenset({"cost"}),
    "empty": frozenset({"trooper"}),
    "irregular-barred": frozenset({"edition"}),
    "one-group": frozenset({"edition"}),
    "half-cost": frozenset({"edition"}),
    "list-size": frozenset({"edition"}),
    "mixed-section": frozenset({"deploy"}),
    "no-fireteams": frozenset({"edition"}),
    "no-reinforcements": frozenset({"edition"}),
    "team-unknown": frozenset({"id"}),
    "team-groups": frozenset({"group"}),
}

#: The newest format of roster files that this program reads.
FORMAT = 1

#: Problems of the rules with which a list loads, and may only not be played: incomplete entries, and what these lack.
_LOADS = frozenset({"incomplete"})
_LOADS_WITH_INCOMPLETE = frozenset({"no-lieutenant", "own-cost"})


MOST_TROOPERS = 200


class RosterError(FileError):
    """A roster that cannot be played; `problems` are all its faults."""


@dataclass(frozen=True)
class Roster:
    """A roster that can be played, with what should still be looked at (`warnings`, none of them fatal)."""

    army: Army
    warnings: tuple[Problem, ...]
    source: str
    unfinished: tuple[Problem, ...] = ()
    """Why it may not be played yet: its incomplete entries. They are among the warnings too."""


def load_army(path: Path | str, edition: str | None = None) -> Army:
    """Read a roster file for a game. Raises `RosterError` with every fault and its place, incomplete entries too.

    `edition` (an edition id) is what the army is checked under; without it the roster's own, else n5.
    """
    roster = read_roster(Path(path), edition)
    if unfinished := roster.unfinished:
        raise RosterError(roster.source, list(unfinished))
    return roster.army


def read_roster(path: Path, edition: str | None = None) -> Roster:
    """Read a roster file, with its warnings. Raises `RosterError` with every fault and its place."""
    try:
        return parse_roster(read_text(path), str(path), edition)
    except UnreadableError as error:
        raise RosterError(str(path), [error.problem]) from None


def roster_text(text: str | bytes) -> str:
    """The text of a roster. Raises `UnreadableError` for what is no text, or is far too long."""
    content = decode_text(text) if isinstance(text, bytes) else text
    if len(content) > MOST_ROSTER:
        raise UnreadableError(Problem("", N_("this file is far too big to be one of ours")))
    return content


def parse_roster(text: str | bytes, source: str = "roster", edition: str | None = None) -> Roster:
    """Read a roster from TOML text or bytes. Raises `RosterError` with every fault and its place."""
    try:
        content = roster_text(text)
        values = parse_toml(content)
    except UnreadableError as error:
        raise RosterError(source, [error.problem]) from None
    entries = values.get("trooper", [])
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    lines = Lines(content, "trooper", len(listed))
    reading = Reading(source, edition)
    reading.top(values, lambda key: lines.of(None, key))
    if not isinstance(entries, list) or len(listed) != len(entries):
        wanted, found = "[[trooper]]", printable(entries)
        reading.table.fault("trooper", N_("should be {wanted}, found {found}"), wanted=wanted, found=found)
    for index, entry in enumerate(listed):
        reading.trooper(entry, index, lambda key, index=index: lines.of(index, key))  # type: ignore[misc]
    _read_fireteams(reading, values.get("fireteam", []), content)
    return reading.finish()


def _read_fireteams(reading: Reading, entries: object, content: str) -> None:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        wanted, found = "[[fireteam]]", printable(entries)
        reading.table.fault("fireteam", N_("should be {wanted}, found {found}"), wanted=wanted, found=found)
        return
    lines = Lines(content, "fireteam", len(entries))
    for index, entry in enumerate(entries):
        reading.fireteam(entry, index, lambda key, index=index: lines.of(index, key))  # type: ignore[misc]


class Reading:
    """Gathers an army and its faults from tables of values, wherever these came from (TOML here, CSV in `sheet`)."""

    def __init__(self, source: str, edition: str | None) -> None:
        """`edition` overrules the roster's own."""
        self.source = source
        self.edition = edition
        self.problems: list[Problem] = []
        self.tables: list[Table] = []
        self.troopers: list[Trooper] = []
        self.team_tables: list[Table] = []
        self.fireteams: list[Fireteam] = []
        self.name = ""
        self.points = 0
        self.own_edition: str | None = None
        self._tags: dict[str, int] = {}

    def top(self, values: Mapping[str, object], line_of: LineOf) -> None:
        """Check the keys of the list as a whole."""
        self.table = Table(values, self.problems, "", line_of)
        self.table.ignore("trooper", "fireteam")
        if self.table.whole("format", FORMAT, minimum=1) > FORMAT:
            template = N_("{found} is newer than what this program reads ({known}); bring the program up to date")
            self.table.fault("format", template, found=printable(values["format"]), known=FORMAT)
        self.name = self.table.text("name")
        self.points = self.table.whole("points", minimum=1)
        self.own_edition = self.table.choice("edition", tuple(EDITIONS), "") or None
        self.table.finish()

    def trooper(self, values: Mapping[str, object], index: int, line_of: LineOf) -> None:
        """Check one trooper, the `index`-th from 0."""
        if index >= MOST_TROOPERS:  # no list: the rules' checks are not made for thousands
            if index == MOST_TROOPERS:
                template = N_("more than {count} troopers: this is no army list; the rest was not read")
                self.problems.append(Problem("", template, {"count": MOST_TROOPERS}, line_of(None)))
            return
        shown = values.get("id")
        place = f"trooper {index + 1}" + (f" {printable(shown)}" if isinstance(shown, str) and shown else "")
        table = Table(values, self.problems, place, line_of)
        self.tables.append(table)
        self.troopers.append(
            Trooper(
                id=table.text("id", required=True) or f"#{index + 1}",
                name=table.text("name"),
                type=table.choice("type", rules.TROOPER_TYPES, "LI"),
                cost=table.number("cost"),
                group=table.whole("group", 1, minimum=1),
                training=table.choice("training", rules.TRAININGS, "regular"),
                lieutenant=table.flag("lieutenant"),
                skills=frozenset(table.words("skills", rules.KNOWN_SKILLS, others=True)),
                deploy=table.choice("deploy", rules.DEPLOYMENTS, "table"),
                controller=table.text("controller") or None,
                tag=self._tag(table, index),
                own_cost=table.flag("own-cost"),
                incomplete=table.flag("incomplete"),
            )
        )
        table.finish()
        if "cost" not in values and not values.get("controller"):
            template = N_("missing: it counts 0 points until it is filled in")
            self.problems.append(Problem(f"{place}, cost", template, {}, table.line("cost"), fatal=False))

    def fireteam(self, values: Mapping[str, object], index: int, line_of: LineOf) -> None:
        """Check one Fireteam, the `index`-th from 0."""
        shown = values.get("name")
        place = f"fireteam {index + 1}" + (f" {printable(shown)}" if isinstance(shown, str) and shown else "")
        table = Table(values, self.problems, place, line_of)
        self.team_tables.append(table)
        members = table.words("members", (), others=True)
        if "members" not in values:
            table.fault("members", N_("missing"))
        leader = table.text("leader", members[0] if members else "")
        self.fireteams.append(Fireteam(table.text("name"), members, leader))
        table.finish()

    def _tag(self, table: Table, index: int) -> str | None:
        written = table.text("tag")
        if not written:
            return None
        try:
            uid = normalised_uid(written)
        except BadUidError as error:
            table.fault("tag", str(error))
            return None
        first = self._tags.setdefault(uid, index)
        if first != index:
            table.fault("tag", N_("disc {uid} is already on trooper {number}"), uid=uid, number=first + 1)
        return uid

    def finish(self) -> Roster:
        """The roster. Raises `RosterError` with what the reading and the rules found, in the order of the file."""
        army = Army(self.name, self.points, tuple(self.troopers), self.own_edition, tuple(self.fireteams))
        edition = EDITIONS.get(self.edition or self.own_edition or "", DEFAULT_EDITION)
        self.problems.extend(self._by_the_rules(check_army(army, edition)))
        if fatal := [problem for problem in self.problems if problem.fatal]:
            raise RosterError(self.source, in_file_order(fatal))
        warnings = in_file_order(self.problems)
        unfinished = tuple(problem for problem in warnings if problem.rule)  # the only ones of the rules that load
        return Roster(army, warnings, self.source, unfinished)

    def _by_the_rules(self, found: tuple[RulesProblem, ...]) -> Iterator[Problem]:
        faulty = self.table.faulty.union(*(table.faulty for table in self.tables))
        incomplete = any(trooper.incomplete for trooper in self.troopers)
        loads = _LOADS | (_LOADS_WITH_INCOMPLETE if incomplete else frozenset())
        for problem in found:
            if _FOLLOWS_FROM.get(problem.code, frozenset()) & faulty:
                continue
            if problem.fireteam is not None:
                table = self.team_tables[problem.fireteam]
            else:
                table = self.table if problem.trooper is None else self.tables[problem.trooper]
            if table is not self.table and problem.key in table.faulty:
                continue
            place = ", ".join(part for part in (table.place, problem.key) if part)
            fatal = problem.code not in loads
            line = table.line(problem.key)
            yield Problem(place, problem.template, problem.params, line, rule=problem.rule, fatal=fatal)


def format_army(army: Army, comments: Mapping[str, str] | None = None, to_fill_in: Collection[str] = ()) -> str:
    """Write an army as a roster file; `parse_roster` gives the same army back.

    `comments` are put above the troopers of these ids, one comment line for each of their lines ("": the whole file).
    The troopers of `to_fill_in` get no cost, so that a check asks for it.
    """
    notes = comments or {}
    top = [*_comment(notes.get("", "")), f"name = {quoted(army.name)}", f"points = {army.points}"]
    if army.edition is not None:
        top.append(f"edition = {quoted(army.edition)}")
    parts = ["\n".join(top)]
    for trooper in army.troopers:
        lines = [*_comment(notes.get(trooper.id, "")), "[[trooper]]"]
        unknown = {"cost"} if trooper.id in to_fill_in else set()
        lines.extend(f"{key} = {value}" for key, value in _values(trooper) if key not in unknown)
        parts.append("\n".join(lines))
    for team in army.fireteams:
        members = ", ".join(map(quoted, team.members))
        lines = ["[[fireteam]]", *([f"name = {quoted(team.name)}"] if team.name else []), f"members = [{members}]"]
        parts.append("\n".join([*lines, f"leader = {quoted(team.leader)}"]))
    return "\n\n".join(parts) + "\n"


def with_trooper(text: str, place: int, army: Army) -> str:
    """A roster file's text with the `place`-th trooper as it is in `army`, and every other line as it was.

    Where the file is written in a way that this does not follow, all of it is written anew, without its comments.
    """
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines) if re.match(r"\s*\[\[\s*trooper\s*\]\]\s*(#.*)?$", line)]
    if place < len(headers):
        first = last = headers[place] + 1
        while last < len(lines) and re.match(r"\s*[A-Za-z0-9_-]+\s*=", lines[last]):
            last += 1
        while first > 1 and lines[first - 2].lstrip().startswith("#"):  # what was to be filled in has been
            first -= 1
        entry = ["[[trooper]]", *(f"{key} = {value}" for key, value in _values(army.troopers[place]))]
        changed = "\n".join([*lines[: first - 1], *entry, *lines[last:]]) + "\n"
        try:
            if parse_roster(changed, "", army.edition).army == army:
                return changed
        except RosterError:
            pass
    return format_army(army)


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]


def _values(trooper: Trooper) -> Iterator[tuple[str, str]]:
    yield "id", quoted(trooper.id)
    if trooper.name:
        yield "name", quoted(trooper.name)
    yield "type", quoted(trooper.type)
    yield "cost", f"{trooper.cost:g}"
    yield "group", str(trooper.group)
    if trooper.training != "regular":
        yield "training", quoted(trooper.training)
    if trooper.lieutenant:
        yield "lieutenant", "true"
    if trooper.skills:
        yield "skills", "[" + ", ".join(map(quoted, sorted(trooper.skills))) + "]"
    if trooper.deploy != "table":
        yield "deploy", quoted(trooper.deploy)
    if trooper.controller is not None:
        yield "controller", quoted(trooper.controller)
    if trooper.tag is not None:
        yield "tag", quoted(trooper.tag)
    if trooper.own_cost:
        yield "own-cost", "true"
    if trooper.incomplete:
        yield "incomplete", "true"
