"""The numbers of the rules that the core enforces, what each is about, and the editions that have it.

A number without a test in an edition that has it fails `test_rule_table.py`; so does an edition that lacks a rule and
has no test that it is indeed absent.
"""

from __future__ import annotations

from typing import NamedTuple

from rules.playing import ALL, CODEONE, FULL


class Rule(NamedTuple):
    """What a rule is about, in our words, and where it exists."""

    about: str
    editions: tuple[str, ...] = ALL


RULES: dict[str, Rule] = {
    "ORD-01": Rule("one order activates one trooper"),
    "ORD-02": Rule("Regular orders form the pool of the giver's group"),
    "ORD-03": Rule("Irregular orders are their owner's alone, shown with its group", FULL),
    "ORD-04": Rule("Irregular troopers take pool orders too", FULL),
    "ORD-05": Rule("no Irregular Lieutenant", FULL),
    "ORD-06": Rule("the Lieutenant order: outside the pool, public"),
    "ORD-07": Rule("Tactical orders: outside the pool, their owner's", ("n5",)),
    "ORD-08": Rule("NCO: the Lieutenant order for itself", FULL),
    "ORD-09": Rule("Tactical Awareness: one more order", FULL),
    "ORD-10": Rule("nobody has to spend an order"),
    "ORD-11": Rule("orders on the table and their use are public"),
    "ORD-12": Rule("orders never cross groups"),
    "ORD-13": Rule("pools are counted at the start of the own turn, and only then"),
    "ORD-14": Rule("who gives a Regular order"),
    "ORD-15": Rule("off the table: no pool order, and the own one is private"),
    "ORD-16": Rule("peripherals act on their controller's order"),
    "ORD-17": Rule("the pool is the only limit, and orders may alternate"),
    "ORD-18": Rule("Holoechoes and Decoys give nothing"),
    "ORD-19": Rule("the own order of a trooper off the table: to appear, by itself"),
    "ORD-20": Rule("Lieutenant with +1 Order; Strategos"),
    "ORD-21": Rule("sizes of groups and lists, points"),
    "SEQ-01": Rule("rounds, turns, the end of the game"),
    "SEQ-02": Rule("phases of a turn, steps of the Tactical Phase", FULL),
    "SEQ-03": Rule("the short turn of Code One", CODEONE),
    "SEQ-04": Rule("the Impetuous Phase", FULL),
    "SEQ-05": Rule("Frenzy", FULL),
    "SEQ-06": Rule("the States Phase"),
    "ACT-01": Rule("labels of skills"),
    "ACT-02": Rule("what one order may hold"),
    "ACT-03": Rule("all is simultaneous"),
    "ACT-04": Rule("who may react, and why"),
    "ACT-05": Rule("AROs at once, or lost"),
    "ACT-06": Rule("after the second skill: only who could not before"),
    "ACT-07": Rule("one ARO per trooper per order"),
    "ACT-08": Rule("one target among the activated troopers"),
    "ACT-09": Rule("only the reactive player reacts, and nobody to an ARO"),
    "ACT-10": Rule("any number of troopers may react"),
    "ACT-11": Rule("only skills for it in ARO"),
    "ACT-12": Rule("burst 1, not split"),
    "ACT-13": Rule("the sequence of an order", ("n5", "n4", "codeone")),
    "ACT-14": Rule("the sequence of an order, original", ("n4-2020", "codeone-2020")),
    "ACT-15": Rule("unmet requirements: Idle"),
    "ACT-16": Rule("choices are stated when declaring"),
    "ACT-17": Rule("who declares first"),
    "ACT-18": Rule("the order is spent first; undo for mis-taps"),
    "ACT-20": Rule("who takes back what"),
    "RET-01": Rule("the count of Victory Points", FULL),
    "RET-02": Rule("the threshold", FULL),
    "RET-03": Rule("Retreat is Loss of Lieutenant", FULL),
    "RET-04": Rule("no new Lieutenant in Retreat", FULL),
    "RET-05": Rule("no Impetuous Phase in Retreat", FULL),
    "RET-06": Rule("leaving the table as a survivor", FULL),
    "RET-07": Rule("all lost or evacuated: the end", FULL),
    "RET-08": Rule("recount, and Retreat cancelled", FULL),
    "RET-09": Rule("everybody Irregular", FULL),
    "RET-10": Rule("Retreat markers", FULL),
    "RET-11": Rule("what a trooper with the marker may declare", FULL),
    "RET-12": Rule("Courage, Religious Troop, Warhorse or Veteran", FULL),
    "RET-13": Rule("options of the mission", FULL),
    "RET-14": Rule("costs and margin are private", FULL),
    "RET-15": Rule("whose cost counts", FULL),
    "LOL-01": Rule("when the Lieutenant counts as lost", FULL),
    "LOL-02": Rule("everybody Irregular, no Lieutenant order", FULL),
    "LOL-03": Rule("naming a new Lieutenant", FULL),
    "LOL-04": Rule("Chain of Command", FULL),
    "LOL-05": Rule("who the Lieutenant is, is private"),
    "CMD-01": Rule("how many Command Tokens", FULL),
    "CMD-02": Rule("strategic use", FULL),
    "CMD-03": Rule("executive use", FULL),
    "CMD-04": Rule("use in the own turn", FULL),
    "CMD-05": Rule("not in the reactive turn", FULL),
    "STA-01": Rule("Null states"),
    "STA-02": Rule("Isolated"),
    "STA-03": Rule("states that change no orders"),
    "STA-04": Rule("healed, and gone for good"),
    "STA-05": Rule("either seat records states, at any time"),
    "STA-06": Rule("acting though Unconscious"),
    "INF": Rule("what is public, and what is private"),
}
