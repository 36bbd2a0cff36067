"""`decide`: what an action leads to, or why it is refused. The whole of the rules' judgement enters here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import actions as a
from . import events as e
from .deciders import activation, records, sequence, teams, tokens, turn
from .deciders.common import Decision
from .deciders.conclusion import settle_teams
from .evolving import evolve
from .game import Game
from .naming import from_own_words, names_for
from .notation import format_action
from .privacy import speaks_of_hidden
from .refusals import STALE, Refusal
from .seats import Seat


def decide(game: Game, action: a.Action) -> Decision:
    """The events of `action` made in `game`, or a `Refusal`. Never raises for a player's mistake."""
    decision = judge(game, action)
    if isinstance(decision, Refusal):
        if not decision.private and (speaks_of_hidden(game, action) or _names_a_marker(game, action, decision)):
            return replace(decision, private=True)
        return decision
    sides = game.state.seats
    return settle_teams(game, decision) if sides[0].teams or sides[1].teams else decision


def _names_a_marker(game: Game, action: a.Action, refusal: Refusal) -> bool:
    """Whether the reason calls a marker of the acting side by its id."""
    seat = getattr(action, "seat", None)
    return seat is not None and not names_for(game, seat, seat.other).keys().isdisjoint(
        map(str, refusal.params.values())
    )


def judge(game: Game, action: a.Action) -> Decision:
    """`decide` without asking whether others may hear the reason: enough where a refusal is shown to nobody."""
    decider = _DECIDE.get(type(action))
    if decider is None:
        raise TypeError(f"an action is wanted, such as parse_action makes of a line, not {type(action).__name__}")
    at = action.at
    if at is not None and at != game.position:
        return Refusal(STALE, "stale", {"at": at, "position": game.position})
    armies = game.setup.armies
    if armies[0].markers or armies[1].markers:
        action = from_own_words(game, action)
    return decider(game, action)


def play(game: Game, action: a.Action) -> tuple[Game, tuple[e.Event, ...]] | Refusal:
    """The next game and the events that led there, or a `Refusal`."""
    decision = decide(game, action)
    if isinstance(decision, Refusal):
        return decision
    for event in decision:
        game = evolve(game, event, action)
    return game, decision


def _set_option(game: Game, action: a.SetOption) -> Decision:
    if game.state.turns or game.state.over is not None:
        return Refusal("RET-13", "options-closed")
    if game.options.with_option(action.name, action.value) is None:
        return Refusal("RET-13", "bad-option", {"name": action.name, "value": action.value or ""})
    if action.name == "reinforcements" and not game.edition.command_tokens:
        return Refusal("REI-01", "not-in-edition")
    return (e.OptionSet(game.position + 1, action.name, action.value),)


def _undo(game: Game, action: a.Undo) -> Decision:
    """Take back the last action: one's own, or with consent anybody's (ACT-18, ACT-20)."""
    if game.previous is None:
        return Refusal("ACT-18", "nothing-to-undo")
    cause = game.cause
    actor: Seat | None = getattr(cause, "seat", None)
    if action.seat is not None and actor is action.seat.other:
        return Refusal("ACT-20", "undo-of-other", {"seat": actor})
    line = format_action(replace(cause, at=None)) if isinstance(cause, a.Action) else None
    return (e.Undone(game.position + 1, action.seat, line),)


_DECIDE: dict[type[a.Action], Callable[[Game, Any], Decision]] = {
    a.SetOption: _set_option,
    a.Undo: _undo,
    a.Start: turn.start,
    a.Next: turn.go_on,
    a.Strategos: turn.strategos,
    a.NameLieutenant: turn.name_lieutenant,
    a.Spend: activation.spend,
    a.NameTrooper: activation.name_trooper,
    a.DeclareSkill: sequence.declare_skill,
    a.End: sequence.end,
    a.DeclareAro: sequence.declare_aro,
    a.Pass: sequence.pass_aro,
    a.Check: sequence.check,
    a.Resolve: sequence.resolve,
    a.Done: sequence.done,
    a.RecordState: records.record_state,
    a.ClearState: records.clear_state,
    a.Frenzy: records.frenzy,
    a.Arrive: records.arrive,
    a.Evacuate: records.evacuate,
    a.UseToken: tokens.use_token,
    a.TeamUse: teams.use_team,
    a.Delay: sequence.delay,
    a.Reinforce: turn.reinforce,
    a.Score: records.score,
    a.Reveal: records.reveal,
}
