"""A table with two small armies and all their discs, and short words for touches."""

from __future__ import annotations

from dataclasses import dataclass, field

from ordertray.rules import EDITIONS, Army, Game, Options, Seat, Trooper, format_action, new_game
from ordertray.table import ButtonPress, DiscTouch, Outcome, Pace, Table, TagTap, Touch, touch
from ordertray.tokens.model import Token, TokenKind, parse_role
from ordertray.tokens.registry import merge
from ordertray.tokens.virtual import virtual_tokens

A, B = Seat


def army(*extra: Trooper, regulars: int = 6, second: int = 2, prefix: str = "t", edition: str | None = None) -> Army:
    """`regulars` in group 1 (the first is the Lieutenant), `second` in group 2, and whoever else; 10 points each."""
    first = [Trooper(f"{prefix}{n}", cost=10, group=1, lieutenant=n == 1) for n in range(1, regulars + 1)]
    others = [Trooper(f"{prefix}{n}", cost=10, group=2) for n in range(regulars + 1, regulars + second + 1)]
    troopers = (*first, *others, *extra)
    return Army("made up", max(100, 10 * len(troopers)), troopers, edition)


IRREGULAR = Trooper("wild", cost=10, group=1, training="irregular")
IMPETUOUS = Trooper("rush", cost=10, group=1, skills=frozenset({"impetuous"}))
NCO = Trooper("serge", cost=10, group=1, skills=frozenset({"nco"}))
AWARE = Trooper("aware", cost=10, group=1, skills=frozenset({"tactical-awareness"}))


@dataclass
class Players:
    """Both players at one table; each call is one touch and answers its outcome."""

    table: Table
    outcomes: list[Outcome] = field(default_factory=list)
    now_ms: int | None = None

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.table.game

    def _touched(self, what: Touch) -> Outcome:
        outcome = touch(self.table, what, self.now_ms)
        self.table = outcome.table
        self.outcomes.append(outcome)
        return outcome

    def disc(self, seat: Seat, kind: TokenKind, **wanted: object) -> Token:
        """The first disc of this kind with these properties; one that is not spent, as a hand would take it."""
        spent = self.table.spent()
        discs = [
            token
            for token in self.table.tokens
            if token.owner == seat
            and token.kind is kind
            and all(getattr(token, name) == value for name, value in wanted.items())
        ]
        return next((token for token in discs if token.uid not in spent), discs[0])

    def tap(self, seat: Seat, kind: TokenKind, pad: Seat | None = None, **wanted: object) -> Outcome:
        """Tap a disc of `seat` on its own pad (or on `pad`)."""
        return self.lay(pad or seat, self.disc(seat, kind, **wanted))

    def lay(self, pad: Seat, disc: Token, *, shared: bool = False) -> Outcome:
        """Lay this very disc on a pad."""
        return self._touched(TagTap(pad, disc.uid, shared))

    def button(self, seat: Seat, role: str) -> Outcome:
        """Press an order button on the page of `seat`: a virtual disc."""
        return self._touched(DiscTouch(seat, parse_role(role)))

    def tag(self, seat: Seat, trooper: str, pad: Seat | None = None) -> Outcome:
        """Tap a trooper's tag."""
        return self.tap(seat, TokenKind.TROOPER, pad, trooper=trooper)

    def press(self, seat: Seat, button: str) -> Outcome:
        """Press a button."""
        return self._touched(ButtonPress(seat, button))

    def hold(self, seat: Seat, button: str) -> Outcome:
        """Hold a button."""
        return self._touched(ButtonPress(seat, button, held=True))

    def end_turn(self, seat: Seat = A) -> None:
        """Hold OK until the turn of `seat` is over."""
        for _ in range(8):
            if self.game.state.active is not seat:
                return
            assert self.hold(seat, "ok").accepted
        raise AssertionError("the turn does not end")

    def to_orders(self, seat: Seat = A) -> None:
        """Go on to the Orders Phase of `seat`, however many holds that takes."""
        for _ in range(8):
            if self.game.state.active is seat and self.game.state.phase == "orders":
                return
            assert self.hold(seat, "ok").accepted
        raise AssertionError("no Orders Phase in sight")


def players(
    *,
    a: Army | None = None,
    b: Army | None = None,
    pace: Pace = Pace.EXPRESS,
    edition: str = "n5",
    first: Seat = A,
    rounds: int = 3,
    options: Options | None = None,
) -> Players:
    """Two players before the first turn, with virtual discs for everything."""
    armies = {A: a or army(prefix="a"), B: b or army(prefix="b")}
    tokens = merge({str(seat): virtual_tokens(armies[seat], str(seat)) for seat in Seat})
    return Players(
        Table(new_game(armies, EDITIONS[edition], options or Options(first=first, rounds=rounds)), tokens, pace)
    )


def lines(outcome: Outcome) -> list[str]:
    """The game-script lines that a touch came to."""
    return [format_action(step.action) for step in outcome.steps]


def pool(table: Players, seat: Seat, group: int) -> int:
    """Regular orders left in a group."""
    return dict(table.game.side(seat).pools)[group].left
