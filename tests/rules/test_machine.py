"""Whole games by a state machine: whatever both players do, what must never happen does not."""

from __future__ import annotations

import json
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ordertray.rules import (
    EDITIONS,
    SEATS,
    Action,
    Edition,
    Event,
    Game,
    Refusal,
    Seat,
    decide,
    evolve,
    from_json,
    legal_actions,
    play,
    replay,
    to_json,
)
from ordertray.rules import actions as a
from ordertray.rules import events as e
from ordertray.rules.editions import RETREAT_CHECK
from ordertray.rules.game import NO_ORDERS, OFF_TABLE, Count, SeatState
from rules.strategies_actions import sensible_actions, spoken_actions
from rules.strategies_armies import games
from rules.strategies_effort import effort

#: Orders of a trooper's own that everybody sees.
PUBLIC_KINDS = ("irregular", "fixed", "tactical", "impetuous")

#: More actions than any order needs from its spending to its end.
LONGEST_ORDER = 8


class WholeGame(RuleBasedStateMachine):
    """A game, its record, and the game as each action found it."""

    edition: ClassVar[Edition]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Draw the armies."""
        self.start = self.game = data.draw(games(self.edition))
        self.record: list[Event] = []
        self.accepted = 0

    @rule(data=st.data())
    def sensible(self, data: st.DataObject) -> None:
        """Something that is legal."""
        self.play(data.draw(sensible_actions(self.game)))

    @rule(data=st.data())
    def onward(self, data: st.DataObject) -> None:
        """Something that is legal and carries the game on, so that games get past their first turn."""
        self.play(data.draw(sensible_actions(self.game, only=(a.Start, a.Next, a.Spend, a.NameLieutenant, a.Done))))

    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        """Anything that can be said."""
        self.play(data.draw(spoken_actions(self.game)))

    def play(self, action: Action) -> None:
        """Play `action`, and look at what it changed."""
        before, outcome = self.game, play(self.game, action)
        if isinstance(outcome, Refusal):
            return
        self.game, events = outcome
        self.accepted += 1
        lines = [json.dumps(to_json(event)) for event in events]
        self.record += [from_json(json.loads(line)) for line in lines]
        assert tuple(self.record[-len(events) :]) == events
        look_at_events(before, events)

    @invariant()
    def replay_equals_the_game(self) -> None:
        """The record, read back from JSON, is the game."""
        again = replay(self.start, self.record)
        assert again == self.game and again.position == self.game.position == self.accepted

    @invariant()
    def orders_are_counted_right(self) -> None:
        """None negative, none above its count, none with those who give none."""
        for seat in SEATS:
            look_at_orders(self.game, seat)

    @invariant()
    def nobody_reacts_twice(self) -> None:
        """One ARO a trooper and order (ACT-07); who has passed has none (ACT-05)."""
        order = self.game.state.order
        if order is not None:
            named = [aro.trooper for aro in order.declared if aro.trooper is not None]
            assert len(set(named)) == len(named)
            assert not set(named) & set(order.passed)
            assert len(set(order.passed)) == len(order.passed)
            assert 0 <= order.passed_before <= len(order.passed)

    @invariant()
    def turns_and_phases_fit(self) -> None:
        """An order needs a turn, a turn a phase, and a battle that is over has none of them (SEQ-01, SEQ-02)."""
        state, edition = self.game.state, self.game.edition
        assert (state.active is None) == (state.phase is None)
        assert state.active is not None or state.order is None
        assert state.over is None or state.active is None
        assert state.turns <= 2 * self.game.options.rounds
        assert state.phase is None or state.phase in edition.phases
        assert state.order is None or state.order.step in edition.sequence.steps
        assert state.order is None or state.phase in ("orders", "impetuous")
        if state.over is not None:
            listed = [action for seat in SEATS for action in legal_actions(self.game, seat)]
            assert all(isinstance(action, a.Undo) for action in listed)

    @invariant()
    def the_edition_has_its_way(self) -> None:
        """What an edition lacks never shows (SEQ-03); Retreat is Loss of Lieutenant (RET-03)."""
        for seat in SEATS:
            side = self.game.side(seat)
            if self.game.edition.id.startswith("codeone"):
                assert not side.retreat and not side.loss_of_lieutenant and not side.command_tokens
                assert not any(trooper.irregular.total or trooper.fixed.total for trooper in side.troopers)
                assert not any(trooper.impetuous.total for trooper in side.troopers)
            # While the check of Retreat waits for those who are placed (ORD-22), that of Loss of Lieutenant is still to
            # come: the order of the steps is fixed (SEQ-02).
            checking = self.game.state.active is seat and self.game.state.step == RETREAT_CHECK
            if side.retreat and self.game.options.lieutenant_loss and not checking:
                assert side.loss_of_lieutenant

    @invariant()
    def a_turn_and_an_order_can_end(self) -> None:
        """There is always a way on: an order to its conclusion, a turn to its end."""
        game, steps = self.game, 0
        while game.state.order is not None:
            game, steps = played(game, way_on(game)), steps + 1
            assert steps <= LONGEST_ORDER
        if game.state.active is not None:
            assert any(isinstance(x, a.Next | a.NameLieutenant) for x in legal_actions(game, game.state.active))


def played(game: Game, action: Action) -> Game:
    """The game after an action that must be legal."""
    outcome = play(game, action)
    assert not isinstance(outcome, Refusal), (action, outcome)
    return outcome[0]


def way_on(game: Game) -> Action:
    """The shortest way to the end of the order in progress."""
    seat = game.state.active
    assert seat is not None
    ways: tuple[Action, ...] = (
        a.Done(seat),
        a.Resolve(seat),
        a.Pass(seat.other),
        a.End(seat),
        a.DeclareSkill(seat, "basic"),
    )
    return next(way for way in ways if not isinstance(decide(game, way), Refusal))


# --- what an action may change --------------------------------------------------------------------------------------


def all_counts(side: SeatState) -> list[Count]:
    """Every count of orders of one side."""
    own = [count for t in side.troopers for count in (t.irregular, t.fixed, t.tactical, t.impetuous, t.own)]
    return [*own, side.lieutenant_orders, *(count for _, count in side.pools)]


def look_at_orders(game: Game, seat: Seat) -> None:
    """0 <= left <= total everywhere; peripherals have no orders, hidden troopers none that shows (ORD-15, ORD-16)."""
    side = game.side(seat)
    assert all(0 <= count.left <= count.total for count in all_counts(side))
    assert side.command_tokens >= 0
    for listed, trooper in zip(game.army(seat).troopers, side.troopers, strict=True):
        shown = (trooper.irregular, trooper.fixed, trooper.tactical, trooper.impetuous)
        if listed.is_peripheral or trooper.place == OFF_TABLE:
            assert shown == (NO_ORDERS,) * 4
        if listed.is_peripheral or trooper.place != OFF_TABLE:
            assert trooper.own == NO_ORDERS


def look_at_events(game: Game, events: tuple[Event, ...]) -> None:
    """One event at a time: only an order's spending spends, only a count counts, only its end ends an order."""
    for event in events:
        after = evolve(game, event)
        if isinstance(event, e.OrderSpent):
            look_at_spending(game, after, event)
        elif not isinstance(event, e.Undone):
            look_at_course(game, after, event)
        game = after


def look_at_spending(before: Game, after: Game, event: e.OrderSpent) -> None:
    """One order fewer, of the kind that was spent, from the group or trooper that it belongs to (ORD-12)."""
    assert before.state.order is None and after.state.order is not None
    mine, now, army = before.side(event.seat), after.side(event.seat), before.army(event.seat)
    assert before.side(event.seat.other) == after.side(event.seat.other)
    groups = {mine.troopers[army.index[name]].group for name in event.troopers}
    pools, pools_now = dict(mine.pools), dict(now.pools)
    spent = {group for group in pools if pools[group] != pools_now[group]}
    if event.kind in ("regular", "coordinated") and not event.with_lieutenant_order:
        assert event.group is not None and spent == {event.group}
        assert pools_now[event.group] == pools[event.group].spend()
        assert groups <= {event.group}, "an order crossed groups"
    else:
        assert not spent
    if event.kind == "lieutenant" or event.with_lieutenant_order:
        assert now.lieutenant_orders == mine.lieutenant_orders.spend()
    else:
        assert now.lieutenant_orders == mine.lieutenant_orders
    for place, (old, new) in enumerate(zip(mine.troopers, now.troopers, strict=True)):
        public = sum(getattr(old, kind).left - getattr(new, kind).left for kind in PUBLIC_KINDS)
        # Of a Fireteam the first one's order is spent; who comes on the table by an Impetuous activation has no token.
        spends = event.kind in ("irregular", "tactical", "impetuous") and army.troopers[place].id == event.troopers[0]
        spends = spends and old.place != OFF_TABLE
        assert public == int(spends)


def look_at_course(before: Game, after: Game, event: Event) -> None:
    """No order appears but by counting (ORD-13); an order in progress moves on, and ends at its end (ACT-13)."""
    counting = isinstance(event, e.OrdersCounted | e.OrderConverted | e.Arrived)
    for seat in SEATS:
        old, new = before.side(seat), after.side(seat)
        if not counting:
            assert sum(c.left for c in all_counts(new)) <= sum(c.left for c in all_counts(old))
    old_order, new_order = before.state.order, after.state.order
    if old_order is None:
        assert new_order is None
    elif new_order is None:
        assert isinstance(event, e.OrderEnded | e.GameEnded)
    else:
        steps = before.edition.sequence.steps
        assert steps.index(new_order.step) >= steps.index(old_order.step)
        assert new_order.skills[: len(old_order.skills)] == old_order.skills
        assert new_order.declared[: len(old_order.declared)] == old_order.declared
        assert new_order.passed[: len(old_order.passed)] == old_order.passed


def _machine(edition: Edition) -> type:
    machine = type(f"WholeGame_{edition.id}", (WholeGame,), {"edition": edition})
    case: type = machine.TestCase  # type: ignore[attr-defined]
    case.settings = effort(7, steps=40)  # type: ignore[attr-defined]
    return case


TestN5 = _machine(EDITIONS["n5"])
TestN4 = _machine(EDITIONS["n4"])
TestN4In2020 = _machine(EDITIONS["n4-2020"])
TestCodeOne = _machine(EDITIONS["codeone"])
TestCodeOneIn2020 = _machine(EDITIONS["codeone-2020"])
