"""Actions: the likely next step of a game, and anything that could be said at all."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ordertray.rules import SEATS, Action, Game, Seat, legal_actions, play
from ordertray.rules import actions as a
from ordertray.rules.charts import LABELS
from ordertray.rules.game import TROOPER_STATES
from ordertray.rules.options import OPTION_VALUES
from ordertray.rules.refusals import Refusal

#: How often a kind of action is chosen before others: what carries a game on comes first.
_WEIGHTS: dict[type[Action], int] = {
    a.Start: 8,
    a.Next: 3,
    a.Spend: 9,
    a.DeclareSkill: 5,
    a.DeclareAro: 5,
    a.Pass: 4,
    a.End: 4,
    a.Resolve: 8,
    a.Done: 8,
    a.UseToken: 2,
    a.NameLieutenant: 6,
}


#: What carries a game from phase to phase.
ONWARD: tuple[type[Action], ...] = (a.Start, a.Next, a.NameLieutenant)


def by_kind(actions: Sequence[Action]) -> dict[type[Action], list[Action]]:
    """The actions by their class, in a fixed order."""
    kinds: dict[type[Action], list[Action]] = {}
    for action in actions:
        kinds.setdefault(type(action), []).append(action)
    return kinds


@st.composite
def sensible_actions(draw: DrawFn, game: Game, only: tuple[type[Action], ...] = ()) -> Action:
    """A legal action of either seat; its kind is chosen first, or the many states to record would drown the rest.

    `only`: one of these kinds, if there is any now.
    """
    kinds = by_kind([action for seat in SEATS for action in legal_actions(game, seat)])
    wanted = [kind for kind in kinds if kind in only] or list(kinds)
    kind = draw(st.sampled_from([kind for kind in wanted for _ in range(_WEIGHTS.get(kind, 1))]))
    return draw(st.sampled_from(kinds[kind]))


@st.composite
def reachable_games(draw: DrawFn, start: SearchStrategy[Game], steps: int = 30) -> Game:
    """A game some way into a walk of legal actions, which may begin anywhere in the first turns."""
    game = draw(start)
    for _ in range(draw(st.sampled_from((4, 3, 0, 8, 9, 10, 1)))):
        game = played(game, draw(sensible_actions(game, only=ONWARD)))
    for _ in range(draw(st.integers(0, steps))):
        game = played(game, draw(sensible_actions(game)))
    return game


def played(game: Game, action: Action) -> Game:
    """The game after an action that is legal."""
    outcome = play(game, action)
    assert not isinstance(outcome, Refusal), (action, outcome)
    return outcome[0]


# --- whatever could be said ----------------------------------------------------------------------------------------

_seats = st.sampled_from(SEATS)
_labels = st.sampled_from(LABELS)
_chart_names = (
    "Move", "BS Attack", "Dodge", "dodge", "Cautious Movement", "Suppressive Fire", "Look Out!", "Reload", "Flamenco",
    "Alto, ¡ya! #1", "Idle", "-", "a/b;c,d+e=f%41", "Jump",
)  # fmt: skip
_real_names = st.none() | st.sampled_from(_chart_names)


#: Actions that are about one trooper.
_ABOUT_ONE = (a.NameTrooper, a.Frenzy, a.Arrive, a.Evacuate, a.NameLieutenant, a.Reveal)


def _ids(game: Game) -> tuple[str, ...]:
    mine = tuple(trooper.id for seat in SEATS for trooper in game.army(seat).troopers)
    return (*dict.fromkeys(mine), "nobody", "t9", "marker-1", "marker-2")


def _captives(game: Game) -> list[tuple[str, ...]]:
    return [(f"{seat}:{trooper.id}",) for seat in SEATS for trooper in game.army(seat).troopers]


@st.composite
def spoken_actions(draw: DrawFn, game: Game) -> Action:
    """Any action that the notation can say, sensible or not."""
    ids = st.sampled_from(_ids(game))
    several = st.lists(ids, max_size=4).map(tuple)
    some = st.lists(ids, min_size=1, max_size=4).map(tuple)
    groups = st.integers(1, 4)
    idle = st.lists(ids | ids.map(lambda who: f"A:{who}") | ids.map(lambda who: f"B:{who}"), max_size=3).map(tuple)
    named = st.one_of(
        st.builds(a.DeclareSkill, _seats, _labels, _real_names),
        st.builds(a.DeclareSkill, _seats, st.none(), st.sampled_from(_chart_names)),
    )
    action: Action = draw(
        st.one_of(
            st.sampled_from([a.SetOption(name, value) for name, values in OPTION_VALUES.items() for value in values]),
            st.sampled_from(
                [a.SetOption("no-retreat"), a.SetOption("rounds", "2"), a.Undo(), a.Undo(Seat.A), a.Undo(Seat.B)]
            ),
            st.builds(a.Start, _seats),
            st.builds(a.Next, _seats),
            st.builds(a.Strategos, _seats),
            st.builds(a.Spend, _seats, st.just("regular"), groups, several),
            st.builds(a.Spend, _seats, st.just("regular"), groups, st.sampled_from(_captives(game))),
            st.builds(a.TeamUse, _seats, st.sampled_from(a.TEAM_USES), several),
            st.builds(a.Delay, _seats, several),
            st.builds(a.Reinforce, _seats),
            st.builds(a.Score, _seats, st.integers(0, 999)),
            st.builds(a.UseToken, _seats, st.just("team"), some),
            st.builds(a.UseToken, _seats, st.sampled_from(("reserve", "speedball", "other"))),
            st.builds(a.Spend, _seats, st.just("lieutenant"), st.none(), several),
            st.builds(
                a.Spend,
                _seats,
                st.sampled_from(("irregular", "tactical", "impetuous", "own")),
                st.none(),
                ids.map(lambda who: (who,)),
            ),
            named,
            st.builds(a.End, _seats),
            st.builds(
                a.DeclareAro,
                _seats,
                st.none() | ids,
                _real_names,
                st.none() | ids,
                st.none() | st.sampled_from(a.ARO_REASONS),
            ),
            st.builds(a.DeclareAro, _seats, ids, _real_names, st.none() | ids, st.none(), several),
            st.builds(a.Pass, _seats, several),
            st.builds(a.Pass, _seats, everyone=st.just(True)),
            st.builds(a.Check, _seats, idle),
            st.builds(a.Resolve, _seats, idle),
            st.builds(a.Done, _seats),
            st.builds(a.RecordState, _seats, _seats, ids, st.sampled_from(TROOPER_STATES)),
            st.builds(a.ClearState, _seats, _seats, ids, st.sampled_from(TROOPER_STATES)),
            *(st.builds(cls, _seats, ids) for cls in _ABOUT_ONE),
            st.builds(a.UseToken, _seats, st.just("strip"), groups=st.lists(groups, min_size=1, max_size=2).map(tuple)),
            st.builds(a.UseToken, _seats, st.just("cap")),
            st.builds(a.UseToken, _seats, st.just("coordinate"), some, groups.map(lambda group: (group,))),
            st.builds(
                a.UseToken, _seats, st.just("group"), ids.map(lambda who: (who,)), groups.map(lambda group: (group,))
            ),
            st.builds(
                a.UseToken,
                _seats,
                st.sampled_from(("convert", "unpossess", "suppress", "hold", "guts", "reroll")),
                ids.map(lambda who: (who,)),
            ),
        )
    )
    return action


_odd_texts = st.sampled_from(
    ("", " ", "t0", "A:t0", "B:", ":", "all", "g1", "é", '"', "\n", "\x00", "\ud800", "null", "t0 t1", "%", "/", "@3")
) | st.text(max_size=5)
_odd_numbers = st.integers(-2, 5) | st.sampled_from((10**6, -(10**30)))


@st.composite
def odd_actions(draw: DrawFn, game: Game) -> Action:
    """An action with nonsense in every place where text or a number fits."""
    word = _odd_texts | st.sampled_from(_ids(game)) | st.sampled_from((*a.SPEND_KINDS, *a.TOKEN_USES, *LABELS))
    maybe = st.none() | word
    words = st.lists(word, max_size=5).map(tuple)
    numbers = st.lists(_odd_numbers, max_size=3).map(tuple)
    action: Action = draw(
        st.one_of(
            st.builds(a.SetOption, word | st.sampled_from(tuple(OPTION_VALUES)), maybe | _odd_numbers.map(str)),
            st.builds(a.Spend, _seats, word | st.sampled_from(a.SPEND_KINDS), st.none() | _odd_numbers, words),
            st.builds(a.DeclareSkill, _seats, maybe, maybe),
            st.builds(a.DeclareAro, _seats, maybe, maybe, maybe, maybe),
            st.builds(a.Pass, _seats, words, st.booleans()),
            st.builds(a.Check, _seats, words),
            st.builds(a.Resolve, _seats, words),
            st.builds(a.RecordState, _seats, _seats, word, word),
            st.builds(a.ClearState, _seats, _seats, word, word),
            *(st.builds(cls, _seats, word) for cls in _ABOUT_ONE),
            st.builds(a.TeamUse, _seats, word | st.sampled_from(a.TEAM_USES), words),
            st.builds(a.Delay, _seats, words),
            st.builds(a.Score, _seats, _odd_numbers),
            st.builds(a.UseToken, _seats, word | st.sampled_from(a.TOKEN_USES), words, numbers),
            st.builds(a.Undo, at=_odd_numbers),
            st.builds(a.Start, _seats, at=_odd_numbers),
        )
    )
    return action
