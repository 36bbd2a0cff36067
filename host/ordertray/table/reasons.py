"""Refusals of the tray, not of the rules core; `TRAY` stands where no rule of the game is behind one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..messages import N_
from ..rules import Refusal, explain

TRAY = "TRAY"

REASONS: Mapping[str, str] = {
    "unknown-tag": N_("This disc ({uid}) is not enrolled. Enrol it, or play the order on the page."),
    "two-tags": N_("Two discs lie on the pad. Lay down one at a time."),
    "phone": N_("That is a phone, not a disc."),
    "unreadable": N_("The disc was taken away before it was read. Lay it down again."),
    "checksum": N_("The disc answers with errors. Try again; if it stays so, replace the disc."),
    "no-seat": N_("This pad belongs to no player."),
    "no-game": N_("No game is on."),
    "final": N_("Both sides have confirmed the end of this game. Begin another one."),
    "no-record": N_("The record could not be written ({why}). Nothing has changed; tap again."),
    "fault": N_("The tray's program failed at this. Nothing has changed; its log says more."),
    "no-trooper-of-disc": N_("Group {group} has no trooper number {number}."),
    "whose-order": N_("Tap the trooper whose order this is."),
    "tap-a-trooper": N_("Tap a trooper's disc or tag now."),
    "not-now": N_("There is nothing to confirm."),
    "nothing-to-pass": N_("There is nothing to pass on: no order is in progress."),
    "no-window": N_("No ARO window is open: there is nothing to ask."),
    "label-is": N_("The order is a {label} skill already."),
    "other-pad": N_("That is {seat}'s: lay it on {seat}'s own pad."),
    "aro-pad": N_("{seat} declares AROs, on {seat}'s own pad."),
    "together": N_("Both hands at once: the next window had just opened. If it is meant for this order, once more."),
    "pressed-twice": N_("Pressed twice: the first press has been played."),
    "taken-back-already": N_("{seat} has just taken it back."),
    "disc-spent": N_("This disc is spent. Tap it again to spend another order of the same kind."),
    "disc-has-none": N_(
        "Disc {number} is {trooper}, who has no order left. Of group {group} the discs {discs} are left."
    ),
    "trooper-has-none": N_("{trooper} has no order left. Of group {group} the discs {discs} are left."),
    "tag-first": N_("No pool in Loss of Lieutenant: first the trooper. Of group {group} the discs {discs} are left."),
    "command-own": N_("A Command Token works for its own side: tap one of its troopers."),
    "command-tags": N_("A Command disc: tap one trooper to convert its order, two to four for a Coordinated Order."),
    "command-most": N_("A Coordinated Order takes four troopers at most: lay down the Regular disc."),
    "tag-in-states": N_("In the States Phase no order is spent. For a state, lay down the State disc first."),
    "tag-of-lieutenant": N_("First the tag of the new Lieutenant, then its disc or OK."),
    "label-here": N_("Say the label of the skill: BASIC, SHORT or LONG."),
}


#: What rests on a rule all the same.
_RULES: Mapping[str, str] = {
    "aro-pad": "ACT-09",
    "together": "ACT-05",
    "no-window": "ACT-05",
    "label-is": "ACT-02",
    "disc-has-none": "ORD-03",
    "trooper-has-none": "ORD-03",
    "tag-first": "LOL-02",
    "command-own": "CMD-04",
    "command-tags": "CMD-04",
    "command-most": "CMD-04",
    "tag-in-states": "SEQ-06",
    "tag-of-lieutenant": "LOL-03",
}


#: Discs are numbered through the whole list, hidden troopers included: which are left is for their player alone (INF).
_PRIVATE = frozenset({"disc-has-none", "trooper-has-none", "tag-first"})


def refused(code: str, **params: object) -> Refusal:
    """A refusal of the tray itself, with the rule it rests on if there is one."""
    return Refusal(_RULES.get(code, TRAY), code, params, private=code in _PRIVATE)


def explain_touch(refusal: Refusal, translate: Callable[[str], str] = str) -> str:
    """The reason in words, whether of the tray or of the rules."""
    if refusal.code in REASONS:
        return translate(REASONS[refusal.code]).format(**refusal.params)
    return explain(refusal, translate)
