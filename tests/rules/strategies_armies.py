"""Small armies with everything the rules act on, and games between them, in every edition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ordertray.rules import EDITIONS, Army, Edition, Fireteam, Game, Options, Seat, Trooper, check_army, new_game
from ordertray.rules.army import KNOWN_SKILLS

#: Troopers of an army, peripherals not counted.
MOST_TROOPERS = 5

editions: SearchStrategy[Edition] = st.sampled_from(tuple(EDITIONS.values()))

# Skills that steer the orders come often, so that a handful of troopers shows them.
_skills: SearchStrategy[frozenset[str]] = st.one_of(
    st.just(frozenset()),
    st.frozensets(st.sampled_from(KNOWN_SKILLS), max_size=3),
    st.sampled_from(("nco", "impetuous", "tactical-awareness", "frenzy", "chain-of-command")).map(
        lambda skill: frozenset({skill})
    ),
)

_deploy = st.sampled_from(("table", "table", "table", "hidden", "airborne", "marker"))
_deploy_peripheral = st.sampled_from(("table", "table", "table", "hidden", "airborne"))


@st.composite
def armies(draw: DrawFn, edition: Edition, name: str = "army") -> Army:
    """An army that may play in `edition`: 1 to 5 troopers t0, t1, ... and up to two peripherals p0, p1.

    The points limit lies between the cost of the list and four times that, so that Retreat is never far.
    """
    size = draw(st.integers(1, MOST_TROOPERS))
    leader = draw(st.integers(0, size - 1))
    halves = 2 if edition.half_points else 1
    troopers = []
    for place in range(size):
        lieutenant = place == leader
        regular = lieutenant or not edition.irregular_orders or draw(st.integers(0, 3)) > 0
        troopers.append(
            Trooper(
                id=f"t{place}",
                name=draw(st.sampled_from(("", "Línea", "Ghost #1", "-"))),
                type="LI" if lieutenant else draw(st.sampled_from(("LI", "HI", "REM", "TAG"))),
                cost=draw(st.integers(0, 20 * halves)) / halves,
                group=1 if edition.one_group else draw(st.sampled_from((1, 1, 2))),
                training="regular" if regular else "irregular",
                lieutenant=lieutenant,
                skills=draw(_skills),
                deploy=draw(_deploy),
                tag=draw(st.sampled_from((None, f"04AA{place:02X}"))),
            )
        )
    for place in range(draw(st.sampled_from((0, 0, 1, 2)))):
        controller = troopers[draw(st.integers(0, size - 1))]
        taken = sum(other.cost for other in troopers if other.controller == controller.id)
        troopers.append(
            Trooper(
                id=f"p{place}",
                type="REM",
                cost=draw(st.sampled_from((0.0, min(1.0, controller.cost - taken)))),
                group=controller.group,
                deploy=draw(_deploy_peripheral),
                controller=controller.id,
            )
        )
    if draw(st.integers(0, 9)) == 0:  # enough orders on the table for their removal in n5 (CMD-02)
        fullest = max(Counter(trooper.group for trooper in troopers).values())
        groups = (1,) if edition.one_group else (1, 2)
        ranks = (edition.group_size - fullest) // len(groups)
        troopers += [Trooper(id=f"r{group}{place}", group=group) for group in groups for place in range(min(ranks, 5))]
    elif draw(st.booleans()):
        troopers = draw(st.permutations(troopers))
    if not edition.one_group and draw(st.integers(0, 5)) == 0:
        troopers += [Trooper(id=f"e{place}", group=3, cost=5.0, deploy="reinforcement") for place in range(2)]
        troopers = [replace(t, skills=t.skills | {"commlink"}) if t.lieutenant else t for t in troopers]
    total = Army(name, 1, tuple(troopers)).total_points
    points = draw(st.integers(max(1, int(total + 0.5)), max(1, int(4 * total + 2))))
    army = Army(
        name, points, tuple(troopers), draw(st.sampled_from((None, edition.id))), draw(_teams(troopers, edition))
    )
    assert not check_army(army, edition), check_army(army, edition)
    return army


@st.composite
def _teams(draw: DrawFn, troopers: list[Trooper], edition: Edition) -> tuple[Fireteam, ...]:
    """Perhaps a Fireteam of those who can be of one."""
    controllers = {trooper.controller for trooper in troopers}
    able = [t.id for t in troopers if t.deploy == "table" and t.group == 1 and t.controller is None]
    able = [name for name in able if name not in controllers]
    if not edition.command_tokens or len(able) < 2 or draw(st.booleans()):
        return ()
    members = draw(st.permutations(able))[: draw(st.integers(2, 5))]
    return (Fireteam("team", tuple(members), members[0]),)


options: SearchStrategy[Options] = st.builds(
    Options,
    first=st.sampled_from(Seat),
    rounds=st.sampled_from((3, 1, 2)),
    retreat=st.sampled_from((True, True, True, False)),
    lieutenant_loss=st.sampled_from((True, True, True, False)),
    retreat_ends_game=st.sampled_from((False, False, True)),
    retreat_base=st.sampled_from(("limit", "list")),
    reinforcements=st.just(True),
)


@st.composite
def games(draw: DrawFn, edition: Edition | None = None) -> Game:
    """A game before its first turn."""
    edition = edition or draw(editions)
    both = {seat: draw(armies(edition, name=f"army {seat}")) for seat in Seat}
    return new_game(both, edition, draw(options))
