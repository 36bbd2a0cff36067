"""An army without names, for play with order discs alone: so many Regular troopers in each group (`--quick 10 4`)."""

from __future__ import annotations

from ordertray.army.roster import RosterError
from ordertray.files.problems import Problem
from ordertray.messages import N_
from ordertray.rules.army import Army, Trooper
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS

POINTS_EACH = 10


def quick_army(*regulars: int, name: str = "", edition: str | None = None) -> Army:
    """An army of `regulars[0]` anonymous Regulars in group 1, `regulars[1]` in group 2, and so on.

    Each costs the same, so that Retreat comes when a quarter of them is left, if somebody records who fell. The first
    is the Lieutenant, so that a turn can begin. Ids are `r1-1`, `r1-2`, ... (group and number, as on the discs).
    Raises `RosterError` for numbers that no army of the edition has (ORD-21).
    """
    source = "--quick " + " ".join(map(str, regulars))
    rules = EDITIONS.get(edition or "", DEFAULT_EDITION)
    problems = [
        Problem("", N_("group {group}: {count} troopers; it can have 0 to {limit} (ORD-21)"),
                {"group": group, "count": count, "limit": rules.group_size})
        for group, count in enumerate(regulars, 1)
        if not 0 <= count <= rules.group_size
    ]  # fmt: skip
    if rules.one_group and any(regulars[1:]):
        problems.append(Problem("", N_("this edition has one group (ORD-21)")))
    if not problems and not any(regulars):
        problems.append(Problem("", N_("an army needs at least one trooper")))
    if not problems and rules.list_size is not None and sum(regulars) > rules.list_size:
        params = {"count": sum(regulars), "limit": rules.list_size}
        problems.append(Problem("", N_("{count} troopers; a list can have {limit} (ORD-21)"), params))
    if problems:
        raise RosterError(source, problems)
    places = [(group, number) for group, count in enumerate(regulars, 1) for number in range(1, count + 1)]
    troopers = tuple(
        Trooper(id=f"r{group}-{number}", cost=POINTS_EACH, group=group, lieutenant=index == 0)
        for index, (group, number) in enumerate(places)
    )
    return Army(name, POINTS_EACH * len(troopers), troopers, edition)
