"""From an army code and army data to a roster. What is not found becomes an entry to fill in, never a gap."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace

from ordertray.army.codes import ArmyCode, Member
from ordertray.army.data_files import ArmyData
from ordertray.army.data_units import SKILLS, Facts, troopers_of
from ordertray.army.roster import format_army
from ordertray.files.problems import Problem
from ordertray.messages import N_, Translator, identity
from ordertray.rules.army import Army, Trooper
from ordertray.rules.army_check import Problem as RulesProblem
from ordertray.rules.army_check import check_army, is_reserved
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS

LONGEST_ID = 16  # it goes into the QR code and the record of the trooper's tag


@dataclass(frozen=True)
class ImportedArmy:
    """A roster made from a code. `notes` say for which trooper (id, "" for the whole) what should be looked at."""

    army: Army
    notes: tuple[tuple[str, Problem], ...]
    to_fill_in: frozenset[str] = field(default=frozenset())
    """Ids of entries that the data does not know at all."""

    def problems(self) -> tuple[RulesProblem, ...]:
        """What still keeps the roster from being played."""
        return check_army(self.army, EDITIONS.get(self.army.edition or "", DEFAULT_EDITION))

    def toml(self, translate: Translator = identity) -> str:
        """The roster file, with the notes as comments above their troopers."""
        comments: dict[str, list[str]] = {}
        for trooper_id, problem in self.notes:
            comments.setdefault(trooper_id, []).append(problem.text(translate))
        return format_army(self.army, {key: "\n".join(lines) for key, lines in comments.items()}, self.to_fill_in)


def import_army(code: ArmyCode, data: ArmyData | None, edition: str | None = None) -> ImportedArmy:
    """Make a roster. Without `data` every member becomes an entry to fill in; the code alone has no costs or orders.

    `edition` goes into the roster; without it what the data shows, else n5.
    """
    chosen = edition or (data.edition if data else None) or DEFAULT_EDITION.id
    maker = _Maker(code, data)
    if data is not None:
        maker.notes.extend(("", warning) for warning in data.warnings)
    for number, group in enumerate(code.groups, 1):
        if group.reinforcement:
            template = N_("group {group} is a reinforcement group: its troopers come later in the game")
            maker.notes.append(("", Problem("", template, {"group": number}, fatal=False)))
        for place, member in enumerate(group.members, 1):
            maker.member(number, place, member)
    army = Army(code.title, code.points, tuple(maker.named()), chosen)
    return ImportedArmy(army, tuple(maker.notes), frozenset(maker.unknown))


class _Maker:
    """Gathers troopers; ids are given at the end, numbered where a name comes more than once."""

    def __init__(self, code: ArmyCode, data: ArmyData | None) -> None:
        self.data = data
        self.notes: list[tuple[str, Problem]] = []
        self.unknown: set[str] = set()
        self._stems: list[str] = []
        self._facts: list[tuple[int, Facts, int | None]] = []  # group, facts, place of the controller
        self._notes_by_place: list[tuple[int, Problem]] = []

    def member(self, group: int, place: int, member: Member) -> None:
        """Take one member of the code."""
        where = f"group {group}, member {place}"
        found = troopers_of(self.data, member.unit, member.group, member.option)
        first = len(self._facts)
        for facts in found:
            controller = len(self._facts)
            if facts.is_peripheral:
                template = N_("a peripheral by itself: give it a controller")
                self._notes_by_place.append((controller, Problem(f"{where}, controller", template, fatal=False)))
            self._add(group, facts, where, "unknown" if facts.unknown else "")
            for peripheral in facts.peripherals:
                self._add(group, peripheral, where, controller=controller)
        if member.changes:
            self._changes(first, where, member.changes)

    def _add(self, group: int, facts: Facts, where: str, stem: str = "", controller: int | None = None) -> None:
        place = len(self._facts)
        self._facts.append((group, facts, controller))
        self._stems.append(stem or slug(facts.name))
        for note in facts.notes:
            template, params = note.template, note.params
            at = ", ".join(part for part in (where, note.place) if part)
            self._notes_by_place.append((place, Problem(at, template, params, fatal=False)))

    def _changes(self, place: int, where: str, changes: tuple[str, ...]) -> None:
        """A SpecOps' own changes: known skills are taken, all are shown."""
        group, facts, controller = self._facts[place]
        skills = set(facts.skills)
        for text in changes:
            for change in json.loads(text):
                number = change.get("id")
                if change.get("type") == "skill" and isinstance(number, int) and number in SKILLS:
                    skills.add(SKILLS[number])
            template = N_("changed by its player, check the skills: {changes}")
            shown = {"changes": "".join(letter for letter in text if letter.isprintable())[:300]}
            self._notes_by_place.append((place, Problem(where, template, shown, fatal=False)))
        changed = replace(facts, skills=frozenset(skills))
        self._facts[place] = (group, changed, controller)

    def named(self) -> list[Trooper]:
        """The troopers with their ids."""
        counts, used, ids = Counter(self._stems), Counter[str](), []
        taken = {stem for stem in counts if counts[stem] == 1}
        for stem in self._stems:
            name = stem
            while counts[stem] > 1:
                used[stem] += 1
                name = f"{stem}-{used[stem]}"
                if name not in taken:
                    break
            taken.add(name)
            ids.append(name)
        self.notes.extend((ids[place], note) for place, note in self._notes_by_place)
        self.unknown.update(
            ids[place] for place, (_group, facts, _controller) in enumerate(self._facts) if facts.unknown
        )
        return [
            Trooper(
                id=ids[place],
                name=facts.name,
                type=facts.type,
                cost=facts.cost,
                group=group,
                training=facts.training,
                lieutenant=facts.lieutenant,
                skills=facts.skills,
                deploy=facts.deploy if controller is None else "table",
                controller=None if controller is None else ids[controller],
            )
            for place, (group, facts, controller) in enumerate(self._facts)
        ]


def slug(name: str) -> str:
    """An id that can be typed: "Cinder Sergeant" -> "cinder-sergeant"."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-")
    return f"{word}-x" if is_reserved(word) else word or "trooper"
