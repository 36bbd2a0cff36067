"""What a player did, in the player's words: by the codes of `Meant`. Names no trooper, so everybody may read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..messages import N_
from ..tokens.model import KIND_NAMES, TokenKind
from .model import Made, Meant

LABELS: Mapping[str, str] = {"basic": N_("BASIC"), "short": N_("SHORT"), "long": N_("LONG")}

#: Kinds of order. Those of a disc, and those that have none.
ORDER_KINDS: Mapping[str, str] = {
    **{str(kind): KIND_NAMES[kind] for kind in TokenKind},
    "own": N_("own order, to appear"),
    "coordinated": N_("Coordinated"),
}

MEANINGS: Mapping[str, str] = {
    "action": N_("a step on the page"),
    "order": N_("{kind} order"),
    "order-group": N_("{kind} order, group {group}"),
    "coordinated": N_("Coordinated Order, group {group}"),
    "first": N_("{label}: first skill"),
    "second": N_("{label}: second skill"),
    "corrected": N_("{label}: the order is a {label} skill"),
    "no-second": N_("PASS: no second skill"),
    "over": N_("OK: the order is over"),
    "aro": N_("ARO"),
    "window": N_("{key}: done reacting"),
    "asks": N_("ARO: does anybody react?"),
    "actor": N_("tag: who acts"),
    "arrive": N_("tag: comes on the table"),
    "start": N_("OK held: the turn begins"),
    "next": N_("OK held: next phase"),
    "end": N_("OK held: the turn is over"),
    "state": N_("State disc: a state"),
    "convert": N_("Command disc: an Irregular order becomes Regular"),
    "voice": N_("Command disc, OK: a token is spent, by voice"),
    "lieutenant": N_("a new Lieutenant is named"),
    "undo": N_("taken back"),
    "asks-back": N_("{by} asks to take back {whose}'s last touch"),
    "waits": N_("waits for the second touch"),
    "waits-no-more": N_("waits no more"),
}


def say(meant: Meant, translate: Callable[[str], str] = str) -> str:
    """A touch in words."""
    params: dict[str, str | int] = dict(meant.params)
    code = "order-group" if meant.code == "order" and "group" in params else meant.code
    if "kind" in params:
        params["kind"] = translate(ORDER_KINDS.get(str(params["kind"]), str(params["kind"])))
    if "label" in params:
        params["label"] = translate(LABELS.get(str(params["label"]), str(params["label"])))
    return translate(MEANINGS.get(code, MEANINGS["action"])).format(**params)


def say_made(made: Made, translate: Callable[[str], str] = str) -> str:
    """A touch in words, with whose it was: "A's Regular order, group 1"."""
    what = say(made.meant, translate)
    return what if made.seat is None else translate(N_("{seat}'s {what}")).format(seat=made.seat, what=what)
