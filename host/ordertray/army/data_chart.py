"""Fireteams that the sectorial's chart allows with the troopers of a list: proposed, never formed by themselves.

The chart names units by slug, how many of each a team may have, and which kinds of team. Which profiles count as others
is the players' affair (FT): a proposal is what the chart's numbers allow, to be taken or left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ordertray.army.data_files import ArmyData, Json, objects
from ordertray.army.data_words import plain_name
from ordertray.files.problems import Problem
from ordertray.files.writing import quoted
from ordertray.messages import N_

SIZES = {"DUO": (2, 2), "HARIS": (3, 3), "CORE": (3, 5)}
MOST_PROPOSALS = 12
_FTO = "fto"  # an entry of the chart with this word means the unit's Fireteam options only
_PROPOSED = N_("Fireteams that the chart allows with this list. Take the # away from those you play, and trim them:")


@dataclass(frozen=True)
class Candidate:
    """A trooper that may be a member: its id in the roster, combat group, unit's slug and the option's name."""

    id: str
    group: int
    slug: str
    option: str


def proposals(data: ArmyData, candidates: Sequence[Candidate]) -> tuple[Problem, ...]:
    """Lines of a roster, one Problem for each, headed by what they are; none where the chart has no team for them."""
    found = list(islice(_teams(data.chart, candidates), MOST_PROPOSALS))
    if not found:
        return ()
    return (
        Problem("", _PROPOSED, fatal=False),
        *(Problem("", "{toml}", {"toml": text}, fatal=False) for text in found),
    )


def _teams(chart: Json, candidates: Sequence[Candidate]) -> Iterator[str]:
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for team in objects(chart.get("teams")):
        listed = team.get("type")
        kinds = [kind for kind in listed if isinstance(kind, str) and kind in SIZES] if isinstance(listed, list) else []
        for group in sorted({candidate.group for candidate in candidates}):
            members = _members(team, [candidate for candidate in candidates if candidate.group == group])
            for kind in kinds:
                least, most = SIZES[kind]
                some = tuple(members[:most])
                if len(some) < least or not _has_required(team, some):
                    continue
                key = kind, tuple(candidate.id for candidate in some)
                if key not in seen:
                    seen.add(key)
                    yield _toml(f"{plain_name(str(team.get('name') or ''))} ({kind.title()})", key[1])


def _entries(team: Json) -> Iterator[tuple[str, int, int, bool, bool]]:
    """Slug, least and most of each entry; whether it is one of those required; whether only its FTO options count."""
    for entry in objects(team.get("units")):
        slug, least, most = entry.get("slug"), entry.get("min"), entry.get("max")
        if isinstance(slug, str) and isinstance(least, int) and isinstance(most, int):
            words = re.findall(r"\w+", f"{entry.get('comment') or ''} {entry.get('name') or ''}".casefold())
            yield slug, least, most, bool(entry.get("required")), _FTO in words


def _members(team: Json, here: Sequence[Candidate]) -> list[Candidate]:
    """Whoever of a group may be in the team: first those it cannot do without."""
    found: list[Candidate] = []
    for slug, least, most, _required, fto in sorted(_entries(team), key=lambda entry: (-entry[1], not entry[3])):
        fitting = [c for c in here if c.slug == slug and (not fto or _FTO in c.option.casefold().split())]
        fitting = [c for c in fitting if c not in found]
        if len(fitting) < least:
            return []
        found.extend(fitting[:most])
    return found


def _has_required(team: Json, members: Sequence[Candidate]) -> bool:
    """Of the entries marked as required, one must be there."""
    required = {slug for slug, _least, _most, required, _fto in _entries(team) if required}
    return not required or any(candidate.slug in required for candidate in members)


def _toml(name: str, members: Sequence[str]) -> str:
    listed = ", ".join(map(quoted, members))
    return f"[[fireteam]]\nname = {quoted(name)}\nmembers = [{listed}]\nleader = {quoted(members[0])}\n"
