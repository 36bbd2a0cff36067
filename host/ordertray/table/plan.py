"""One touch while it is thought through: its actions, followed through the game as they are planned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..rules import Action, Game, Refusal, Seat, play, public_view
from ..rules import actions as a
from ..rules.charts import BASIC
from ..rules.counting import activated
from ..rules.editions import EXECUTIVE, IMPETUOUS, ORDER_COUNT, ORDERS, RETREAT_CHECK, STATES, TACTICAL
from ..rules.game import Order
from .model import PATIENCE_MS, Consent, Made, Meant, Opened, Pace, Pending, Step, Table


class Stop(Exception):  # noqa: N818 - no error: it ends the planning of one touch
    """The touch is refused."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class Plan:
    """A touch of `side`, made at `now_ms`. Either all of its actions are accepted, or `Stop` is raised."""

    def __init__(self, table: Table, side: Seat | None, now_ms: int | None) -> None:
        self.table = table
        self.side = side
        self.now_ms = now_ms
        self.game: Game = table.game
        self.steps: list[Step] = []
        self.played: list[Action] = list(table.played)
        self.waiting: dict[Seat, Pending] = {pending.seat: pending for pending in table.pending}
        self.consent: Consent | None = None
        self.asked = table.asked
        self.owner: Seat | None = side
        """Whose touch it is, where that is not the side it was made on: a disc is its owner's on any pad."""
        self.disc: str | None = None
        self.meant: Meant | None = None
        self.replaced: tuple[Action, ...] = ()
        self.back: Made | None = None
        self.signal = "ok"

    @property
    def order(self) -> Order | None:
        """The order in progress."""
        return self.game.state.order

    @property
    def express(self) -> bool:
        """Whether one touch says a whole order."""
        return self.table.pace is Pace.EXPRESS

    def do(self, action: Action, *, implied: bool = False) -> None:
        """One more action; a refusal ends the touch."""
        outcome = play(self.game, action)
        if isinstance(outcome, Refusal):
            raise Stop(outcome)
        self.game, events = outcome
        self.steps.append(Step(action, events, self.game, implied))
        if isinstance(action, a.Undo):
            del self.played[-1:]
        else:
            self.played.append(replace(action, at=None))

    def would(self, action: Action) -> bool:
        """Whether an action would be accepted now."""
        return not isinstance(play(self.game, action), Refusal)

    def means(self, code: str, **params: str | int) -> None:
        """What the player meant by this touch."""
        self.meant = Meant(code, params)

    def wait(self, seat: Seat, what: str, word: str | None = None, **more: object) -> None:
        """A first touch of `seat` waits for its second one."""
        until_ms = None if self.now_ms is None else self.now_ms + PATIENCE_MS
        pending = Pending(seat, what, word, until_ms=until_ms)
        self.waiting[seat] = replace(pending, **more)  # type: ignore[arg-type]
        self.means("waits", what=what)

    # --- what several touches do ---------------------------------------------------------------------------------

    def window(self) -> int | None:
        """The number of the ARO window that is open."""
        order, sequence = self.order, self.game.edition.sequence
        return None if order is None else {sequence.first_aro: 1, sequence.second_aro: 2}.get(order.step)

    def close_window(self, seat: Seat) -> None:
        """The active side goes on: whoever has not reacted by now does not."""
        if self.window():
            self.do(a.Pass(seat.other))

    def close_order(self, seat: Seat) -> None:
        """Whatever is open is taken for finished: windows passed, no second skill, resolved, done."""
        sequence = self.game.edition.sequence
        while (order := self.order) is not None:
            if order.step == sequence.first_skill:
                self.do(a.DeclareSkill(seat, BASIC), implied=True)
            elif order.step in (sequence.first_aro, sequence.second_aro):
                self.do(a.Pass(seat.other))
            elif order.step == sequence.second_skill:
                self.do(a.End(seat))
            elif order.step in (sequence.resolution, sequence.validity):
                self.do(a.Resolve(seat))
            else:
                self.do(a.Done(seat))

    def advance(self, seat: Seat, phase: str) -> None:
        """Go on towards `phase`, not past an Impetuous Phase in which somebody may still act."""
        while self.game.state.over is None and self.game.state.phase not in (phase, ORDERS, STATES, None):
            if self.game.state.phase == IMPETUOUS and phase == ORDERS and self.impetuous_left(seat):
                return
            self.do(a.Next(seat))

    def on_to_orders(self, seat: Seat) -> None:
        """From the Tactical Phase to where the first trooper can be activated, or somebody may want to do something."""
        while self.game.state.phase == TACTICAL:
            self.do(a.Next(seat))
            if self.somebodys_moment(seat):
                return
        if self.game.state.phase == IMPETUOUS and not self.impetuous_left(seat):
            self.do(a.Next(seat))

    def reinforcements_wait(self, seat: Seat) -> bool:
        """Whether the turn begins where Reinforcements are called (REI-02).

        Whether they may be called now hangs on Victory Points, which are private: it rests there while they wait.
        """
        if self.game.state.step != EXECUTIVE:
            return False
        return bool(public_view(self.game)["seats"][str(seat)]["reinforcements"] == "waiting")

    def somebodys_moment(self, seat: Seat) -> bool:
        """Whether a step of the Tactical Phase should not be passed in one touch.

        In Retreat who hides is placed at the check (ORD-22). Right after the first count the second player may use a
        Command Token, and never again (CMD-02). An order disc goes on from there by itself.
        """
        state, other = self.game.state, self.game.side(seat.other)
        if state.step == RETREAT_CHECK:
            return True
        return state.step == ORDER_COUNT and state.turns == 1 and other.command_tokens > 0 and not other.strategic_used

    def impetuous_left(self, seat: Seat) -> bool:
        """Whether somebody may still act in the Impetuous Phase."""
        return any(trooper.impetuous.left for trooper in self.game.side(seat).troopers)

    def first_target(self, active: Seat) -> str | None:
        """Whom an ARO by tap is against, where an order activates several: the first (ACT-08)."""
        places = activated(self.game, active)
        return self.game.army(active).troopers[places[0]].id if places else None

    def replay_instead(self, count: int, instead: Iterable[Action]) -> None:
        """Put other actions in the place of the last `count` ones: this touch stands for the change."""
        self.replaced = tuple(self.played[len(self.played) - count :])
        self.take_back(count, self.side)
        for action in instead:
            self.do(action)

    def take_back(self, count: int, by: Seat | None = None) -> None:
        """Undo the last `count` actions of one touch of `by`; those of the other side that it implied, with consent."""
        for _ in range(count):
            own = by is not None and getattr(self.game.cause, "seat", None) is by
            self.do(a.Undo(by) if own else a.Undo())


def table_after(plan: Plan) -> tuple[Table, Made | None]:
    """The table after an accepted touch, and the touch as it stands there if it came to anything."""
    before, game = plan.table, plan.game
    pending = tuple(plan.waiting[seat] for seat in Seat if seat in plan.waiting)
    touches, made = before.touches, None
    undone = before.undone
    if plan.back is not None:
        touches = touches[:-1]
        undone = None if plan.side is None or plan.now_ms is None else (plan.side, plan.now_ms)
    elif plan.steps:
        count = sum(not isinstance(step.action, a.Undo) for step in plan.steps)
        meant = plan.meant or Meant("action")
        disc, turn = plan.disc, game.state.turns
        made = Made(plan.owner, count, meant, disc, turn, plan.replaced, game.position)
        touches, undone = (*touches, made), None
    opened = before.opened
    if not plan.window():
        opened = None
    elif made is not None and made.meant.code in ("order", "coordinated", "first", "second"):
        opened = Opened(game.position, plan.now_ms)
    asked = plan.asked and opened is before.opened and plan.window() is not None and plan.back is None
    table = replace(
        before,
        game=game,
        pending=pending,
        consent=plan.consent,
        asked=asked,
        touches=touches,
        played=tuple(plan.played),
        opened=opened,
        undone=undone,
    )
    return table, made
