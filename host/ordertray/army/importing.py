"""From an army code and army data to a roster. What is not found becomes an entry to fill in, never a gap."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ordertray.army import data_ids as ids
from ordertray.army.codes import ArmyCode, Member
from ordertray.army.data_chart import Candidate, proposals
from ordertray.army.data_files import ArmyData, Json
from ordertray.army.data_units import Facts, troopers_of
from ordertray.army.roster import format_army
from ordertray.files.problems import Problem
from ordertray.messages import N_, Translator, identity
from ordertray.rules.army import Army, Trooper
from ordertray.rules.army_check import Problem as RulesProblem
from ordertray.rules.army_check import check_army, is_reserved
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS

LONGEST_ID = 24  # it goes into the QR code and the record of the trooper's tag


@dataclass(frozen=True)
class ImportedArmy:
    """A roster made from a code. `notes` say for which trooper (id, "" for the whole) what should be looked at."""

    army: Army
    notes: tuple[tuple[str, Problem], ...]
    proposals: tuple[Problem, ...] = ()
    """Fireteams that the sectorial's chart allows, as lines of the roster to be taken out of their comment."""
    weapons: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each trooper by its id, as far as the data names them."""

    @property
    def to_fill_in(self) -> frozenset[str]:
        """Ids of the entries that a person must fill in before the list may play."""
        return frozenset(trooper.id for trooper in self.army.troopers if trooper.incomplete)

    def problems(self) -> tuple[RulesProblem, ...]:
        """What still keeps the roster from being played."""
        return check_army(self.army, EDITIONS.get(self.army.edition or "", DEFAULT_EDITION))

    def toml(self, translate: Translator = identity) -> str:
        """The roster file, with the notes as comments above their troopers."""
        comments: dict[str, list[str]] = {}
        for trooper_id, problem in self.notes:
            comments.setdefault(trooper_id, []).append(problem.text(translate))
        text = format_army(self.army, {key: "\n".join(lines) for key, lines in comments.items()})
        proposed = "\n".join(f"# {line}".rstrip() for p in self.proposals for line in p.text(translate).splitlines())
        return f"{text}\n{proposed}\n" if proposed else text


def import_army(code: ArmyCode, data: ArmyData | None, edition: str | None = None) -> ImportedArmy:
    """Make a roster. Without `data` every member becomes an entry to fill in; the code alone has no costs or orders.

    `edition` goes into the roster; without it what the data shows, else n5.
    """
    chosen = edition or (data.edition if data else None) or DEFAULT_EDITION.id
    maker = _Maker(code, data)
    if data is not None:
        maker.notes.extend(("", warning) for warning in data.warnings)
    for number, group in enumerate(code.groups, 1):
        for place, member in enumerate(group.members, 1):
            maker.member(number, place, member, group.reinforcement)
    maker.give_controllers()
    troopers = maker.named()
    weapons = {trooper.id: entry.facts.weapons for trooper, entry in zip(troopers, maker.entries, strict=True)}
    army = Army(code.title, code.points, tuple(troopers), chosen)
    proposed = proposals(data, _candidates(troopers, maker.entries)) if data is not None else ()
    return ImportedArmy(army, tuple(maker.notes), proposed, weapons)


def _candidates(troopers: Sequence[Trooper], entries: Sequence[_Entry]) -> list[Candidate]:
    """Who may be in a Fireteam: on the table from the start, no marker, no peripheral and no controller (FT-01)."""
    controllers = {trooper.controller for trooper in troopers}
    return [
        Candidate(trooper.id, trooper.group, entry.facts.slug, entry.facts.option)
        for trooper, entry in zip(troopers, entries, strict=True)
        if trooper.deploy == "table" and not trooper.is_peripheral and trooper.id not in controllers
        if not trooper.incomplete
    ]


@dataclass
class _Entry:
    """One trooper to be, with the group it stands in, and the entry that controls it."""

    group: int
    facts: Facts
    where: str
    reinforcement: bool
    controller: int | None = None
    own_cost: bool = False
    notes: list[Problem] = field(default_factory=list)


class _Maker:
    """Gathers troopers; ids are given at the end, numbered where a name comes more than once."""

    def __init__(self, code: ArmyCode, data: ArmyData | None) -> None:
        self.data = data
        self.notes: list[tuple[str, Problem]] = []
        self.entries: list[_Entry] = []

    def member(self, group: int, place: int, member: Member, reinforcement: bool) -> None:
        """Take one member of the code."""
        where = f"group {group}, member {place}"
        data = self.data
        section = data.reinforcements if data else None
        if data and section and member.unit in section.units and (reinforcement or member.unit not in data.units):
            data, reinforcement = section, True
        found = troopers_of(data, member.unit, member.group, member.option, _changes(member))
        for facts in found:
            controller = len(self.entries)
            self.entries.append(_Entry(group, facts, where, reinforcement, own_cost=facts.is_peripheral))
            for peripheral in facts.peripherals:
                self.entries.append(_Entry(group, peripheral, where, reinforcement, controller))

    def give_controllers(self) -> None:
        """Find whom each peripheral that was bought by itself belongs to; where nobody can, a person must say."""
        for entry in self.entries:
            if not entry.own_cost:
                continue
            controller = self._controller_of(entry)
            if controller is None:
                template = N_("a peripheral by itself: give it a controller, then take out incomplete = true")
                entry.notes.append(Problem("controller", template, fatal=False))
                entry.facts = replace(entry.facts, incomplete=True)
                continue
            entry.controller = controller
            other = self.entries[controller]
            if other.group != entry.group:
                template = N_("it stands in the group of its controller ({group}); in the code it was in group {was}")
                params = {"group": other.group, "was": entry.group}
                entry.notes.append(Problem("group", template, params, fatal=False))
                entry.group = other.group

    def _controller_of(self, entry: _Entry) -> int | None:
        """The entry that fits best: of its own group, without a peripheral yet, the first in the list."""
        kind = entry.facts.peripheral

        def fits(facts: Facts) -> int:
            """How well a trooper would do: 0 for not at all."""
            if facts.is_peripheral or facts.unknown:
                return 0
            if kind == "servant":
                return 2 if facts.skill_ids & {ids.DOCTOR, ids.ENGINEER} else int(ids.PARAMEDIC in facts.skill_ids)
            if kind == "cyberplug":
                return int(ids.CYBERPLUG_SKILL in facts.skill_ids)
            return int(facts.unit == entry.facts.unit)

        ranked = [
            (-fits(other.facts), other.reinforcement != entry.reinforcement, other.group != entry.group, led, place)
            for place, other in enumerate(self.entries)
            if fits(other.facts)
            for led in [sum(peripheral.controller == place for peripheral in self.entries)]
        ]
        return min(ranked)[-1] if ranked else None

    def named(self) -> list[Trooper]:
        """The troopers with their ids and names; the notes get their ids too."""
        names = distinct_names([(entry.facts.name, entry.facts.weapons) for entry in self.entries])
        stems = ["unknown" if entry.facts.unknown else slug(entry.facts.name) for entry in self.entries]
        found = numbered(stems)
        for trooper_id, entry in zip(found, self.entries, strict=True):
            if entry.reinforcement and not entry.facts.is_peripheral:
                entry.notes.append(Problem("deploy", N_("it comes with the Reinforcements"), fatal=False))
            for note in (*entry.facts.notes, *entry.notes):
                at = ", ".join(part for part in (entry.where, note.place) if part)
                self.notes.append((trooper_id, Problem(at, note.template, note.params, fatal=False)))
        return [
            Trooper(
                id=found[place],
                name=names[place],
                type=entry.facts.type,
                cost=entry.facts.cost,
                group=entry.group,
                training=entry.facts.training,
                lieutenant=entry.facts.lieutenant,
                skills=entry.facts.skills,
                deploy=_deploy(entry),
                controller=None if entry.controller is None else found[entry.controller],
                own_cost=entry.own_cost,
                incomplete=entry.facts.incomplete,
            )
            for place, entry in enumerate(self.entries)
        ]


def _deploy(entry: _Entry) -> str:
    if entry.facts.is_peripheral:
        return "table"
    return "reinforcement" if entry.reinforcement else entry.facts.deploy


def _changes(member: Member) -> list[Json]:
    """A SpecOps' own changes; the decoder has made sure that each text is a JSON list of objects."""
    return [change for text in member.changes or () for change in json.loads(text)]


def distinct_names(named: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Names under which troopers can be told apart: with a weapon that others of the name lack, where there is one.

    `named` are names with weapons; those that stay alike keep their name (their ids are numbered).
    """
    names = []
    for name, weapons in named:
        alike = [other for other_name, other in named if other_name == name]
        common = set(weapons).intersection(*map(set, alike))
        own = next((weapon for weapon in weapons if weapon not in common), "")
        names.append(f"{name}, {own}" if own else name)
    return names


def numbered(stems: Sequence[str]) -> list[str]:
    """Ids out of names: the first of a name as it is, the next with 2, 3 ...; so that a further one renames nobody."""
    used: set[str] = set()
    found: list[str] = []
    for stem in stems:
        names = (stem, *(f"{stem}-{number}" for number in range(2, 2 * len(stems) + 2)))
        name = next(name for name in names if name not in used and (name == stem or name not in stems))
        used.add(name)
        found.append(name)
    return found


def slug(name: str) -> str:
    """An id that can be typed: "Cinder Sergeant" -> "cinder-sergeant", cut between words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain.replace("'", "")).strip("-")
    while len(word) > LONGEST_ID:
        word = word.rpartition("-")[0] or word[:LONGEST_ID]
    return f"{word}-x" if is_reserved(word) else word or "trooper"
