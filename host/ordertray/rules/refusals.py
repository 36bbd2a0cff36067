"""Refusals: why an action is not allowed, with the rule it rests on, in words for the table.

The templates are English message ids; the catalogues translate them (see `ordertray.messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .words import N_, fill

#: The rule name of an action made from an older position.
STALE = "STALE"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action that changes nothing, and why.

    `private`: the reason rests on something only the acting player may know; others are told that the action was
    refused, and no more (INF).
    """

    rule: str
    code: str
    params: Mapping[str, object] = field(default_factory=dict)
    private: bool = False

    def __bool__(self) -> bool:
        return True

    def for_others(self) -> Refusal:
        """The refusal as everybody may see it: of a private one only that there was one, not even its rule."""
        return Refusal("INF", "refused") if self.private else self


#: What others hear of a refusal whose reason is private.
REFUSED = N_("The action was refused.")

REASONS: Mapping[str, str] = {
    # turn and phase
    "stale": N_("The game has moved on: this was meant for position {at}, it stands at {position}."),
    "over": N_("The battle is over."),
    "no-turn": N_("No turn is under way; {seat} begins the next one."),
    "turn-on": N_("A turn is already under way."),
    "not-your-turn": N_("It is {active}'s turn."),
    "not-your-start": N_("The next turn belongs to {seat}."),
    "options-closed": N_("Options are set before the first turn begins."),
    "bad-option": N_("{name} {value} is no option of a game."),
    "order-open": N_("Finish the order in progress first (step {step})."),
    "wrong-phase": N_("Orders are spent in the Orders Phase; this is the {phase}."),
    "impetuous-phase": N_("In the Impetuous Phase only Impetuous troopers act, without spending an order."),
    "impetuous-over": N_("Impetuous troopers are activated in the Impetuous Phase only."),
    "impetuous-none": N_("{trooper} has no Impetuous activation left this turn."),
    "impetuous-retreat": N_("There is no Impetuous Phase in Retreat."),
    "not-in-edition": N_("This edition of the game has no such thing."),
    # troopers
    "unknown-trooper": N_("There is no trooper {trooper} on the table."),
    "unnamed-trooper": N_("Say which trooper."),
    "peripheral": N_("{trooper} is a peripheral: it acts on the order of its controller {controller}."),
    "other-group": N_("{trooper} is in group {own}; orders never cross groups (asked from group {group})."),
    "null": N_("{trooper} is {state}."),
    "isolated": N_("{trooper} is Isolated: orders of the pool do not reach it."),
    "off-table": N_("{trooper} is not on the table."),
    "on-table": N_("{trooper} is on the table already."),
    "evacuated": N_("{trooper} has left the table."),
    # orders
    "no-group": N_("There is no combat group {group}."),
    "pool-empty": N_("No Regular order is left in group {group}."),
    "nobody": N_("Nobody in group {group} can take an order."),
    "no-irregular": N_("{trooper} has no Irregular order left."),
    "no-tactical": N_("{trooper} has no Tactical order left."),
    "no-lieutenant-order": N_("No Lieutenant order is left."),
    "not-lieutenant": N_("{trooper} is neither the Lieutenant nor an NCO."),
    "nco-isolated": N_("{trooper} is Isolated and cannot use the Lieutenant order."),
    "already-named": N_("It has been said who acts in this order."),
    "no-own": N_("{trooper} has no order of its own left to appear with."),
    "arrive-first": N_("{trooper} has had its order to appear: record that it arrived before it acts again."),
    "own-only": N_("Off the table {trooper} may spend only its own order, to appear, or one of its group's pool."),
    "no-strategos": N_("The Lieutenant has no Strategos, or there is no Lieutenant order to swap."),
    "strategos-late": N_("Strategos is used at the order count."),
    # the order expenditure sequence
    "no-order": N_("No order is in progress."),
    "step": N_("Not now: the order stands at step {step}."),
    "window-open": N_("Not now: the reactive player is declaring AROs (step {step})."),
    "bad-pair": N_("{first} and then {second} do not make an order."),
    "third-skill": N_("An order holds two skills at most."),
    "label-mismatch": N_("{name} is a {label}."),
    "label-needed": N_("{name} is not in the chart; say its label too."),
    "reaction-only": N_("{name} can only be used in ARO."),
    "retreat-skill": N_("{trooper} is in Retreat: basic skills, Dodge, Reset and Cautious Movement only."),
    "window-closed": N_("No ARO may be declared now."),
    "not-reactive": N_("Only the reactive player declares AROs."),
    "has-reacted": N_("{trooper} has already declared its ARO against this order."),
    "has-passed": N_("{trooper} could react and did not: its ARO is lost for this order."),
    "passed-before": N_("{trooper} could react to the first skill: it has no ARO against the second."),
    "nobody-reacts": N_("There is no trooper left that could react to this order."),
    "not-an-aro": N_("{name} cannot be used in ARO."),
    "bad-reason": N_("{by} gives no ARO in this edition."),
    "bad-target": N_("{target} is not activated by this order."),
    "target-needed": N_("This order activates several troopers: name one as the target."),
    "no-validity": N_("This edition has no ARO validity step."),
    "not-involved": N_("{trooper} neither acts nor reacts in this order."),
    # turn end, Lieutenant, Retreat
    "name-lieutenant": N_("A new Lieutenant must be named before the turn ends."),
    "no-loss": N_("A Lieutenant is named only at the end of a turn in Loss of Lieutenant."),
    "name-later": N_("The new Lieutenant is named at the end of the turn, in the States Phase."),
    "named-in-retreat": N_("No new Lieutenant in Retreat."),
    "cannot-lead": N_("{trooper} cannot be named Lieutenant."),
    "not-in-retreat": N_("The army is not in Retreat: leaving the table is no evacuation."),
    "religious": N_("{trooper} is a Religious Troop: it may not leave the table."),
    # records
    "state-there": N_("{trooper} is {state} already."),
    "state-absent": N_("{trooper} is not {state}."),
    "no-active-state": N_("{trooper} cannot act while Unconscious: it has neither Dogged nor No Wound Incapacitation."),
    "no-frenzy": N_("{trooper} has no Frenzy, or is Impetuous already."),
    "controller-first": N_("{trooper} is a peripheral: its controller {controller} arrives first."),
    "arrive-later": N_("In the own turn a trooper appears during the Orders Phase."),
    "from-the-air": N_("{trooper} comes from the air: in its own turn only."),
    "with-the-section": N_("{trooper} comes with the Reinforcements, all at once."),
    "calm": N_("{trooper} is of a Fireteam: it gains no Frenzy."),
    "named-already": N_("The new Lieutenant has been named."),
    "impetuous-skill": N_("An Impetuous activation does not take {name}."),
    "captive-alone": N_("A trooper of the other side acts alone, for who has Possessed it."),
    "not-captive": N_("{trooper} is not Possessed."),
    "captive-out": N_("{trooper} cannot act."),
    "same-aro": N_("{trooper} has declared {name}: a controller and its peripherals declare the same ARO."),
    "waits": N_("{trooper} waits for the marker to be revealed."),
    "no-marker": N_("Nobody that this order activates is a marker."),
    "delay-late": N_("An ARO is delayed against the first skill only."),
    "reinforcements-option": N_("A list has Reinforcements: the game needs `option reinforcements`."),
    "no-section": N_("The list has no Reinforcements."),
    "reinforced": N_("The Reinforcements have come already."),
    "reinforce-executive": N_("Reinforcements are called in the executive step of the Tactical Phase."),
    "reinforce-points": N_("The army still has too many Victory Points to call its Reinforcements."),
    "bad-score": N_("Objective Points are a number from 0 to {limit}."),
    "not-a-marker": N_("{trooper} is no marker."),
    # Fireteams
    "team-late": N_("After the first turn has begun a Fireteam takes a Command Token."),
    "in-team": N_("{trooper} is in a Fireteam."),
    "not-in-team": N_("{trooper} is not in that Fireteam."),
    "no-team": N_("{trooper} is in no Fireteam."),
    "team-size": N_("A Fireteam is two to five different troopers."),
    "team-retreat": N_("No Fireteams in Retreat."),
    "team-groups": N_("A Fireteam is of one combat group."),
    "team-sections": N_("Reinforcements and others never share a Fireteam."),
    "team-peripheral": N_("{trooper} is a peripheral or controls one: no Fireteam for it."),
    "team-marker": N_("{trooper} is a marker: no Fireteam for it."),
    "team-airborne": N_("{trooper} can come from the air: no Fireteam for it."),
    "isolated-team": N_("{trooper} is Isolated: no Fireteam for it."),
    "team-not-left": N_("{trooper} has left no Fireteam to which it could come back."),
    "join-at-count": N_("One comes back to a Fireteam after the order count, before the first order."),
    "join-in-states": N_("One comes back to a Fireteam in the States Phase."),
    "team-aro-late": N_("The ARO of a Fireteam is named before the order is resolved."),
    "team-aro-none": N_("{trooper} has declared no ARO by name as a member of a Fireteam."),
    # Command Tokens
    "coordinated-team": N_("{trooper} is in a Fireteam: no Coordinated Order for it."),
    "coordinated-controller": N_("{trooper} has a peripheral on the table: no Coordinated Order for it."),
    "token-before": N_("Only before the first turn."),
    "reserve-first": N_("Only the first player ({seat}) keeps one more trooper in reserve."),
    "reserve-late": N_("A trooper is kept in reserve before there is any Speedball."),
    "token-once": N_("That use has been made."),
    "token-section": N_(
        "Nobody changes into or out of a group of Reinforcements before the Tactical Phase after they came."
    ),
    "commlink-late": N_("Before the first order of the turn only."),
    "no-token": N_("No Command Token is left."),
    "token-capped": N_("No more Command Tokens may be used this turn (limit: {limit})."),
    "token-reactive": N_("Command Tokens are not used in the reactive turn."),
    "token-strategic": N_("Only the second player, in the opponent's first Tactical Phase, after the order count."),
    "token-strategic-used": N_("The strategic use of a Command Token has been made."),
    "token-executive": N_("Only in the executive step of the Tactical Phase."),
    "token-order-count": N_("The opponent has {count} orders on the table; removing takes more than {limit}."),
    "token-pool": N_("Group {group} has no Regular order left to remove."),
    "token-room": N_("Group {group} has no room."),
    "token-same-group": N_("{trooper} is in group {group} already."),
    "token-not-possessed": N_("{trooper} is not Possessed."),
    "token-no-irregular": N_("{trooper} has no Irregular order that could become Regular."),
    "token-no-marker": N_("{trooper} is not in Retreat."),
    "token-coordinate": N_("A Coordinated Order takes two to four different troopers."),
    "token-training": N_("The troopers of a Coordinated Order share their training."),
    "no-inspiring": N_("One Lieutenant order coordinates troopers only if the Lieutenant has Inspiring Leadership."),
    "token-shape": N_("That use of a Command Token takes other troopers or groups."),
    "no-such-word": N_("{word} means nothing here."),
    "bad-skill-name": N_("The name of a skill is plain text on one line, without quotation marks."),
    "nothing-to-undo": N_("There is nothing to take back."),
    "undo-of-other": N_("The last action was {seat}'s: it is taken back only with that side's consent."),
    "refused": REFUSED,
    "not-your-question": N_("Only the player whose action it would be may ask that."),
    "position-private": N_("The line of a position holds what is private to both players."),
}


def explain(refusal: Refusal, translate: Callable[[str], str] = str) -> str:
    """The reason in words, for the player whose action it was. `translate` maps message ids (gettext)."""
    return fill(REASONS[refusal.code], refusal.params, translate)


def explain_to_others(refusal: Refusal, translate: Callable[[str], str] = str) -> str:
    """The reason as everybody may hear it."""
    return explain(refusal.for_others(), translate)
