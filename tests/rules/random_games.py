"""Random armies and games from a seed: cheap and long, beside those of Hypothesis, which are short and shrink."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ordertray.rules import EDITIONS, SEATS, Action, Army, Edition, Fireteam, Game, Trooper, check_army, legal_actions
from ordertray.rules import actions as a
from ordertray.rules.army import KNOWN_SKILLS

#: How often a kind of action is chosen before others: what carries a game on comes first.
WEIGHTS: dict[type[Action], int] = {
    a.Start: 8, a.Next: 3, a.Spend: 9, a.DeclareSkill: 5, a.DeclareAro: 5, a.Pass: 4, a.End: 4, a.Resolve: 8, a.Done: 8,
    a.UseToken: 2, a.NameLieutenant: 6,
}  # fmt: skip
_DEPLOY = ("table", "table", "table", "table", "hidden", "airborne", "marker")


def some_edition(chance: random.Random) -> Edition:
    """One of the editions."""
    return chance.choice(list(EDITIONS.values()))


def an_army(chance: random.Random, edition: Edition, name: str) -> Army:
    """An army that may play: two to six troopers, perhaps peripherals, Reinforcements, a Fireteam."""
    while True:
        army = _an_army(chance, edition, name)
        if not check_army(army, edition):
            return army


def _an_army(chance: random.Random, edition: Edition, name: str) -> Army:
    size = chance.randint(2, 6)
    leader, irregulars = chance.randrange(size), edition.irregular_orders
    troopers = [
        Trooper(
            f"t{place}",
            type="LI" if place == leader else chance.choice(("LI", "HI", "REM", "TAG")),
            cost=chance.randint(0, 20),
            group=1 if edition.one_group else chance.choice((1, 1, 1, 2)),
            training="irregular" if place != leader and irregulars and chance.random() < 0.25 else "regular",
            lieutenant=place == leader,
            skills=frozenset(chance.sample(KNOWN_SKILLS, chance.choice((0, 0, 1, 1, 2, 3)))),
            deploy=chance.choice(_DEPLOY),
        )
        for place in range(size)
    ]
    for number in range(chance.choice((0, 0, 1, 2))):
        controller = chance.choice(troopers[:size])
        troopers.append(
            Trooper(f"p{number}", type="REM", group=controller.group, controller=controller.id,
                    deploy=chance.choice(("table", "table", "hidden")))
        )  # fmt: skip
    if not edition.one_group and chance.random() < 0.25:
        troopers += [Trooper(f"e{number}", group=3, cost=5, deploy="reinforcement") for number in range(2)]
    total = int(Army(name, 1, tuple(troopers)).total_points) + 1
    points = chance.choice((total, 2 * total, 250 if total <= 250 else total))
    return Army(name, points, tuple(troopers), None, _teams(chance, edition, troopers))


def _teams(chance: random.Random, edition: Edition, troopers: list[Trooper]) -> tuple[Fireteam, ...]:
    controllers = {trooper.controller for trooper in troopers}
    able = [t.id for t in troopers if t.deploy == "table" and t.group == 1 and not t.is_peripheral]
    able = [name for name in able if name not in controllers]
    if not edition.command_tokens or len(able) < 2 or chance.random() < 0.4:
        return ()
    chance.shuffle(able)
    members = tuple(able[: chance.randint(2, 5)])
    return (Fireteam("team", members, members[0]),)


def likely_actions(chance: random.Random, game: Game) -> Iterator[Action]:
    """Legal actions of both seats, as they come to mind: the kind first, or the many states would drown the rest."""
    kinds: dict[type[Action], list[Action]] = {}
    for seat in SEATS:
        for action in legal_actions(game, seat):
            kinds.setdefault(type(action), []).append(action)
    if chance.random() < 0.9:
        kinds.pop(a.Undo, None)
    while kinds:
        chosen = chance.choices(list(kinds), [WEIGHTS.get(kind, 1) for kind in kinds])[0]
        yield chance.choice(kinds[chosen])
