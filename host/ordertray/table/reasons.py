"""Refusals that rest on the tray and not on a rule of the game; `TRAY` stands where the rule would."""

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
    "label-here": N_("Say the label of the skill: BASIC, SHORT or LONG."),
}


def refused(code: str, **params: object) -> Refusal:
    """A refusal of the tray itself."""
    return Refusal(TRAY, code, params)


def explain_touch(refusal: Refusal, translate: Callable[[str], str] = str) -> str:
    """The reason in words, whether of the tray or of the rules."""
    if refusal.rule == TRAY:
        return translate(REASONS[refusal.code]).format(**refusal.params)
    return explain(refusal, translate)
